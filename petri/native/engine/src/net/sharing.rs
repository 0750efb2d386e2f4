//! What elements of the net share in Python, they share in Rust: an array of 100,000 stations has the expressions of
//! one.
//!
//! A field that is read by [`shared`] asks its format for a newtype of the name [`SHARED`]. A format that knows identities
//! answers with a sequence: a number that names the object, then the object, which is read only when the number is new to
//! this type. Other formats, such as JSON, read the value as it is.

use std::any::{Any, TypeId};
use std::cell::RefCell;
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::marker::PhantomData;
use std::sync::Arc;

use serde::de::{Error, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};

/// The name of the newtype that asks for an identity.
pub const SHARED: &str = "$shared";

/// Values of one type by the identities of their objects.
type Known<T> = HashMap<u64, T, BuildHasherDefault<IdentityHasher>>;

/// Identities are addresses, which no one chooses: a multiplication (by 2⁶⁴ over the golden ratio) spreads them.
#[derive(Default)]
struct IdentityHasher(u64);

impl Hasher for IdentityHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.write_u64(u64::from(byte)));
    }

    fn write_u64(&mut self, word: u64) {
        self.0 = (self.0 ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(32);
    }
}

thread_local! {
    /// `Known<T>` for each type `T`, while a net is being read.
    static KNOWN: RefCell<HashMap<TypeId, Box<dyn Any>>> = RefCell::default();
}

/// Reads a net. Identities hold until it returns.
pub fn sharing<R>(read: impl FnOnce() -> R) -> R {
    let before = KNOWN.take();
    let result = read();
    drop(KNOWN.replace(before));
    result
}

/// A value whose copies share what it consists of.
pub trait Shareable: Clone + 'static {
    /// To note its identity would take more memory than another value like it.
    fn is_small(&self) -> bool {
        false
    }
}

impl<T: 'static> Shareable for Arc<[T]> {}

/// Reads a value, or shares the one that was read of the same object.
pub fn shared<'de, D, T>(decoder: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de> + Shareable,
{
    decoder.deserialize_newtype_struct(SHARED, SharedVisitor(PhantomData))
}

fn known<T: Clone + 'static>(identity: u64) -> Option<T> {
    let of_type = |known: &Box<dyn Any>| known.downcast_ref::<Known<T>>()?.get(&identity).cloned();
    KNOWN.with_borrow(|types| types.get(&TypeId::of::<T>()).and_then(of_type))
}

fn keep<T: 'static>(identity: u64, value: T) {
    KNOWN.with_borrow_mut(|types| {
        let of_type = types.entry(TypeId::of::<T>()).or_insert_with(|| Box::new(Known::<T>::default()));
        if let Some(known) = of_type.downcast_mut::<Known<T>>() {
            known.insert(identity, value);
        }
    });
}

struct SharedVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de> + Shareable> Visitor<'de> for SharedVisitor<T> {
    type Value = T;

    fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("a value, or its identity and the value")
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, decoder: D) -> Result<T, D::Error> {
        T::deserialize(decoder)
    }

    fn visit_seq<S: SeqAccess<'de>>(self, mut object: S) -> Result<T, S::Error> {
        let lacking = || S::Error::custom("an object without its value");
        let identity = object.next_element()?.ok_or_else(lacking)?;
        if let Some(known) = known(identity) {
            return Ok(known);
        }
        let value: T = object.next_element()?.ok_or_else(lacking)?;
        if !value.is_small() {
            keep(identity, value.clone());
        }
        Ok(value)
    }
}
