//! Tables with one row for each place, transition, or gauge of a program.

use std::marker::PhantomData;
use std::ops::{Deref, Index, IndexMut};

use crate::ids::{GaugeId, PlaceId, TransitionId};

/// A position that was checked when the program was compiled.
pub trait Checked: Copy {
    fn at(self) -> usize;
}

macro_rules! checked {
    ($($id:ident),*) => {
        $(impl Checked for $id {
            #[inline(always)]
            fn at(self) -> usize {
                self.0 as usize
            }
        })*
    };
}

checked!(PlaceId, TransitionId, GaugeId);

/// Rows by place, transition or gauge.
///
/// Looking up a row does not check its position: a firing looks up some fifty rows, and the checks took a sixth of its
/// time on the ring of 16 stations. What makes this sound: the compiler refuses a net with a place or transition that is
/// not there (`compile_transition::check`), gauges are numbered by the compiler alone, and each table of an engine is made
/// with one row for each of its own program. Debug builds, which the tests of this crate are, check all the same.
#[derive(Clone, Debug)]
pub struct Table<I, T> {
    rows: Box<[T]>,
    of: PhantomData<I>,
}

impl<I, T> FromIterator<T> for Table<I, T> {
    fn from_iter<R: IntoIterator<Item = T>>(rows: R) -> Self {
        Table { rows: rows.into_iter().collect(), of: PhantomData }
    }
}

impl<I, T> Deref for Table<I, T> {
    type Target = [T];

    #[inline(always)]
    fn deref(&self) -> &[T] {
        &self.rows
    }
}

impl<I, T> Table<I, T> {
    pub fn iter_mut(&mut self) -> std::slice::IterMut<'_, T> {
        self.rows.iter_mut()
    }
}

impl<I: Checked, T> Index<I> for Table<I, T> {
    type Output = T;

    #[inline(always)]
    fn index(&self, id: I) -> &T {
        debug_assert!(id.at() < self.rows.len());
        // SAFETY: see the type.
        unsafe { self.rows.get_unchecked(id.at()) }
    }
}

impl<I: Checked, T> IndexMut<I> for Table<I, T> {
    #[inline(always)]
    fn index_mut(&mut self, id: I) -> &mut T {
        debug_assert!(id.at() < self.rows.len());
        // SAFETY: see the type.
        unsafe { self.rows.get_unchecked_mut(id.at()) }
    }
}
