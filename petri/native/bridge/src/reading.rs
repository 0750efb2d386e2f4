//! Reads the flat net from its objects (`petri/net.py`), as serde's derived readers of `engine::net` ask for it: they name
//! the fields, and this file names none.
//!
//! An object with fields is read as a struct, attribute by attribute; an attribute that is not there is an absent option.
//! Where a struct is not asked for it is a map that begins with `is`, its class. A tuple, list or array is a sequence, None
//! an absent option, and numbers keep their bits.

use std::collections::HashMap;
use std::rc::Rc;

use engine::base::fault::LoadError;
use engine::net::sharing::{sharing, SHARED};
use engine::net::Net;
use pyo3::buffer::{Element, PyBuffer};
use pyo3::exceptions::PyAttributeError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyFloat, PyInt, PyList, PyString, PyTuple};
use serde::de::value::{SeqDeserializer, StrDeserializer, U32Deserializer, U64Deserializer};
use serde::de::{DeserializeSeed, Deserializer, Error, IntoDeserializer, MapAccess, SeqAccess, Visitor};
use serde::{forward_to_deserialize_any, Deserialize};

type Object<'py> = Bound<'py, PyAny>;

/// Nesting that any thread's stack has room for, to read and to compile it. On a long stack, each net would take a tenth more time:
/// a thread's first memory is slow to come by.
pub const SHALLOW: usize = 200;

/// The net, and the names of the files that its spans point into. It recurses as deeply as the net's expressions nest, and
/// refuses what nests deeper than `deepest`.
pub fn read(net: &Object, deepest: usize) -> Result<(Net, Vec<String>), Failure> {
    let mut reader = Reader { deepest, ..Reader::default() };
    let net = sharing(|| Net::deserialize(Value { object: Some(net.clone()), reader: &mut reader }))?;
    Ok((net, reader.files))
}

/// What was wrong, and where: the steps from there up to the net.
#[derive(Debug)]
pub struct Failure {
    what: String,
    steps: Vec<String>,
    too_deep: bool,
}

impl Failure {
    pub fn is_too_deep(&self) -> bool {
        self.too_deep
    }

    fn within(mut self, step: String) -> Self {
        self.steps.push(step);
        self
    }
}

impl std::fmt::Display for Failure {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let place: String = self.steps.iter().rev().map(String::as_str).collect();
        match place.trim_start_matches('.') {
            "" => write!(formatter, "not a flat net: {}", self.what),
            // Of a very deep net the path is long: its beginning is enough.
            place => {
                write!(formatter, "not a flat net: {}: {}", place.chars().take(200).collect::<String>(), self.what)
            }
        }
    }
}

impl std::error::Error for Failure {}

impl Error for Failure {
    fn custom<T: std::fmt::Display>(what: T) -> Self {
        Failure { what: what.to_string(), steps: Vec::new(), too_deep: false }
    }
}

impl From<PyErr> for Failure {
    fn from(error: PyErr) -> Self {
        Failure::custom(error)
    }
}

impl From<Failure> for LoadError {
    fn from(failure: Failure) -> Self {
        LoadError(failure.to_string())
    }
}

/// What is known while a net is being read.
#[derive(Default)]
struct Reader<'py> {
    files: Vec<String>,
    numbers: HashMap<String, u32>,
    /// The names of the fields of each struct, by the address and the length of serde's list of them.
    names: HashMap<(usize, usize), Rc<[Bound<'py, PyString>]>>,
    /// Objects whose identities were given away: none may be freed, and another take its place.
    kept: Vec<Object<'py>>,
    /// Structs and sequences within one another.
    depth: usize,
    deepest: usize,
}

impl<'py> Reader<'py> {
    /// One step deeper, for as long as something is read.
    fn inner<T>(&mut self, read: impl FnOnce(&mut Self) -> Result<T, Failure>) -> Result<T, Failure> {
        if self.depth >= self.deepest {
            let failure = Failure::custom("an expression of the net is nested too deeply, or contains itself");
            return Err(Failure { too_deep: true, ..failure });
        }
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        result
    }

    fn names(&mut self, py: Python<'py>, fields: &'static [&'static str]) -> Rc<[Bound<'py, PyString>]> {
        let intern = || fields.iter().map(|field| PyString::intern(py, field)).collect();
        Rc::clone(self.names.entry((fields.as_ptr() as usize, fields.len())).or_insert_with(intern))
    }

    fn file(&mut self, name: &str) -> u32 {
        if let Some(&number) = self.numbers.get(name) {
            return number;
        }
        let number = self.files.len() as u32;
        self.files.push(name.to_owned());
        self.numbers.insert(name.to_owned(), number);
        number
    }
}

/// An object that is to be read; none where it would be an attribute that is not there.
struct Value<'r, 'py> {
    object: Option<Object<'py>>,
    reader: &'r mut Reader<'py>,
}

impl<'r, 'py> Value<'r, 'py> {
    fn present(self) -> Result<(Object<'py>, &'r mut Reader<'py>), Failure> {
        let Value { object, reader } = self;
        object.map(|object| (object, reader)).ok_or_else(|| Failure::custom("it is lacking"))
    }
}

impl<'de, 'py> Deserializer<'de> for Value<'_, 'py> {
    type Error = Failure;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Failure> {
        let (object, reader) = self.present()?;
        if let Ok(text) = object.cast::<PyString>() {
            visitor.visit_str(text.to_str()?)
        } else if let Ok(items) = object.cast::<PyTuple>() {
            reader.inner(|reader| whole(visitor, Items { items: items.iter(), at: 0, reader }))
        } else if let Ok(real) = object.cast::<PyFloat>() {
            visitor.visit_f64(real.value())
        } else if let Ok(truth) = object.cast::<PyBool>() {
            visitor.visit_bool(truth.is_true())
        } else if object.is_instance_of::<PyInt>() {
            match object.extract() {
                Ok(int) => visitor.visit_i64(int),
                Err(_) => visitor.visit_f64(object.extract()?), // a tick's parts may be integers of any size
            }
        } else if object.is_none() {
            visitor.visit_unit()
        } else if let Ok(items) = object.cast::<PyList>() {
            reader.inner(|reader| whole(visitor, Items { items: items.iter(), at: 0, reader }))
        } else {
            let Some(names) = fields(&object)? else { return visitor.visit_i64(object.extract()?) };
            reader.inner(|reader| visitor.visit_map(Fields { object: &object, names, at: 0, reader }))
        }
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Failure> {
        let Some(object) = &self.object else { return self.deserialize_any(visitor) };
        if object.is_instance_of::<PyTuple>() || object.is_instance_of::<PyList>() {
            return self.deserialize_any(visitor);
        }
        if let Ok(ints) = PyBuffer::<i64>::get(object) {
            return numbers(object.py(), &ints, visitor);
        }
        if let Ok(reals) = PyBuffer::<f64>::get(object) {
            return numbers(object.py(), &reals, visitor);
        }
        self.deserialize_any(visitor)
    }

    /// A whole number where a real is asked for may be one of more than 64 bits.
    fn deserialize_f64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Failure> {
        let (object, _) = self.present()?;
        visitor.visit_f64(object.extract()?)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Failure> {
        let (object, reader) = self.present()?;
        let names = reader.names(object.py(), fields);
        reader.inner(|reader| visitor.visit_seq(Attributes { object: &object, names: names.iter(), reader }))
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Failure> {
        match &self.object {
            Some(object) if !object.is_none() => visitor.visit_some(self),
            _ => visitor.visit_none(),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, name: &'static str, visitor: V) -> Result<V::Value, Failure> {
        let Some(object) = &self.object else { return visitor.visit_newtype_struct(self) };
        if name == SHARED {
            return visitor.visit_seq(Identified { object: self.object, named: false, reader: self.reader });
        }
        match object.cast::<PyString>() {
            // A text where a number is asked for: a file.
            Ok(file) => visitor.visit_newtype_struct(U32Deserializer::<Failure>::new(self.reader.file(file.to_str()?))),
            Err(_) => visitor.visit_newtype_struct(self),
        }
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Failure> {
        let (object, _) = self.present()?;
        let word = object.cast::<PyString>().map_err(|_| Failure::custom("it is not a word"))?;
        let word: StrDeserializer<Failure> = word.to_str()?.into_deserializer();
        visitor.visit_enum(word)
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Failure> {
        visitor.visit_unit()
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 char str string bytes byte_buf unit unit_struct tuple
        tuple_struct map identifier
    }
}

/// The numbers of an array.
fn numbers<'de, V: Visitor<'de>, T>(py: Python<'_>, array: &PyBuffer<T>, visitor: V) -> Result<V::Value, Failure>
where
    T: Element + IntoDeserializer<'de, Failure>,
{
    visitor.visit_seq(SeqDeserializer::new(array.to_vec(py)?.into_iter()))
}

/// The names of the fields of an object of unknown class, if it has any.
fn fields<'py>(object: &Object<'py>) -> Result<Option<Bound<'py, PyTuple>>, Failure> {
    let py = object.py();
    for name in [intern!(py, "__struct_fields__"), intern!(py, "__slots__")] {
        if let Some(Ok(names)) = object.getattr_opt(name)?.map(|names| names.cast_into::<PyTuple>()) {
            return Ok(Some(names));
        }
    }
    Ok(None)
}

/// The items of a tuple or list.
struct Items<'r, 'py, I> {
    items: I,
    at: usize,
    reader: &'r mut Reader<'py>,
}

/// A sequence that must be read to its end: a pair has no third item.
fn whole<'de, 'py, V: Visitor<'de>>(
    visitor: V,
    mut items: Items<'_, 'py, impl ExactSizeIterator<Item = Object<'py>>>,
) -> Result<V::Value, Failure> {
    let read = visitor.visit_seq(&mut items)?;
    match items.items.len() {
        0 => Ok(read),
        more => Err(Failure::custom(format!("it has {more} items too many"))),
    }
}

impl<'de, 'py, I: ExactSizeIterator<Item = Object<'py>>> SeqAccess<'de> for Items<'_, 'py, I> {
    type Error = Failure;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, Failure> {
        let Some(object) = self.items.next() else { return Ok(None) };
        let read = seed.deserialize(Value { object: Some(object), reader: self.reader });
        self.at += 1;
        read.map(Some).map_err(|failure| failure.within(format!("[{}]", self.at - 1)))
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.items.len())
    }
}

/// The attributes of an object that a struct asks for.
struct Attributes<'r, 'py> {
    object: &'r Object<'py>,
    names: std::slice::Iter<'r, Bound<'py, PyString>>,
    reader: &'r mut Reader<'py>,
}

impl<'de> SeqAccess<'de> for Attributes<'_, '_> {
    type Error = Failure;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, Failure> {
        let Some(name) = self.names.next() else { return Ok(None) };
        let object = match self.object.getattr(name) {
            Ok(object) => Some(object),
            Err(error) if error.is_instance_of::<PyAttributeError>(name.py()) => None,
            Err(error) => return Err(error.into()),
        };
        let read = seed.deserialize(Value { object, reader: self.reader });
        read.map(Some).map_err(|failure| failure.within(format!(".{name}")))
    }
}

/// The class of an object, as `is`, and then all its attributes.
struct Fields<'r, 'py> {
    object: &'r Object<'py>,
    names: Bound<'py, PyTuple>,
    /// 0 is the class.
    at: usize,
    reader: &'r mut Reader<'py>,
}

impl<'de> MapAccess<'de> for Fields<'_, '_> {
    type Error = Failure;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, Failure> {
        if self.at == 0 {
            return seed.deserialize(StrDeserializer::<Failure>::new("is")).map(Some);
        }
        if self.at > self.names.len() {
            return Ok(None);
        }
        let name = self.names.get_item(self.at - 1)?;
        seed.deserialize(Value { object: Some(name), reader: self.reader }).map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Failure> {
        self.at += 1;
        if self.at == 1 {
            let class = self.object.get_type().name()?.into_any();
            return seed.deserialize(Value { object: Some(class), reader: self.reader });
        }
        let name = self.names.get_item(self.at - 2)?.cast_into::<PyString>().map_err(PyErr::from)?;
        let object = self.object.getattr_opt(&name)?;
        let read = seed.deserialize(Value { object, reader: self.reader });
        read.map_err(|failure| failure.within(format!(".{name}")))
    }
}

/// The identity of an object, and then the object.
struct Identified<'r, 'py> {
    object: Option<Object<'py>>,
    named: bool,
    reader: &'r mut Reader<'py>,
}

impl<'de> SeqAccess<'de> for Identified<'_, '_> {
    type Error = Failure;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, Failure> {
        if let (false, Some(object)) = (self.named, &self.object) {
            self.named = true;
            return seed.deserialize(U64Deserializer::<Failure>::new(object.as_ptr() as u64)).map(Some);
        }
        let Some(object) = self.object.take() else { return Ok(None) };
        self.reader.kept.push(object.clone());
        seed.deserialize(Value { object: Some(object), reader: self.reader }).map(Some)
    }
}
