//! Tables with one row for each place, transition, gauge, index, or join of a program.

use std::marker::PhantomData;
use std::mem::{offset_of, ManuallyDrop};
use std::ops::{Deref, DerefMut, Index, IndexMut};
use std::ptr::NonNull;

use crate::base::ids::{GaugeId, IndexId, JoinId, JoinTreeId, LinesId, MatchId, PlaceId, RankingId, TransitionId};

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

checked!(PlaceId, TransitionId, GaugeId, IndexId, JoinId, JoinTreeId, LinesId, MatchId, RankingId);

/// Rows that have no more than their number: clocks, and sums of rates.
impl Checked for usize {
    #[inline(always)]
    fn at(self) -> usize {
        self
    }
}

/// Rows by place, transition, gauge, index or join.
///
/// Looking up a row does not check its position: a firing looks up some fifty rows, and the checks took a sixth of its
/// time on the ring of 16 stations. What makes this sound: the compiler refuses a net with a place or transition that is
/// not there (`compile_transition::check`), gauges are numbered by the compiler alone, and each table of an engine is made
/// with one row for each of its own program. Debug builds, including the tests of this crate, check anyway.
///
/// A table is a pointer and a length, at offsets that machine code may know.
pub struct Table<I, T> {
    start: NonNull<T>,
    len: usize,
    of: PhantomData<(I, T)>,
}

// SAFETY: a table owns its rows, as a box does.
unsafe impl<I, T: Send> Send for Table<I, T> {}
// SAFETY: a table owns its rows, as a box does.
unsafe impl<I, T: Sync> Sync for Table<I, T> {}

impl<I, T> Table<I, T> {
    /// The offset of the address of its first row.
    pub const START: usize = offset_of!(Table<I, T>, start);

    /// The table of the `len` rows that begin at `start`.
    ///
    /// # Safety
    /// Nothing else owns the rows. Unless they were a box, the table must not be dropped.
    pub unsafe fn of_rows(start: NonNull<T>, len: usize) -> Self {
        Table { start, len, of: PhantomData }
    }

    fn of(rows: Box<[T]>) -> Self {
        let mut rows = ManuallyDrop::new(rows);
        Table { start: NonNull::from(&mut rows[..]).cast(), len: rows.len(), of: PhantomData }
    }
}

impl<I, T> Default for Table<I, T> {
    fn default() -> Self {
        Table::of(Box::default())
    }
}

impl<I, T> Drop for Table<I, T> {
    fn drop(&mut self) {
        let rows = std::ptr::slice_from_raw_parts_mut(self.start.as_ptr(), self.len);
        // SAFETY: the rows were a box, which `of` has forgotten; a table of other rows is not dropped (`of_rows`).
        drop(unsafe { Box::from_raw(rows) });
    }
}

impl<I, T> FromIterator<T> for Table<I, T> {
    fn from_iter<R: IntoIterator<Item = T>>(rows: R) -> Self {
        Table::of(rows.into_iter().collect())
    }
}

impl<I, T: Clone> Clone for Table<I, T> {
    fn clone(&self) -> Self {
        self.iter().cloned().collect()
    }

    fn clone_from(&mut self, source: &Self) {
        if self.len == source.len {
            self.clone_from_slice(source);
        } else {
            *self = source.clone();
        }
    }
}

impl<I, T> Deref for Table<I, T> {
    type Target = [T];

    #[inline(always)]
    fn deref(&self) -> &[T] {
        // SAFETY: `len` rows begin at `start`, and this table owns them.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr(), self.len) }
    }
}

impl<I, T> DerefMut for Table<I, T> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [T] {
        // SAFETY: `len` rows begin at `start`; this table owns them, and is borrowed exclusively.
        unsafe { std::slice::from_raw_parts_mut(self.start.as_ptr(), self.len) }
    }
}

impl<I: Checked, T> Index<I> for Table<I, T> {
    type Output = T;

    #[inline(always)]
    fn index(&self, id: I) -> &T {
        debug_assert!(id.at() < self.len);
        // SAFETY: the position is that of a row, as the type explains; debug builds check it.
        unsafe { self.start.add(id.at()).as_ref() }
    }
}

impl<I: Checked, T> IndexMut<I> for Table<I, T> {
    #[inline(always)]
    fn index_mut(&mut self, id: I) -> &mut T {
        debug_assert!(id.at() < self.len);
        // SAFETY: the same, and the table is borrowed exclusively.
        unsafe { self.start.add(id.at()).as_mut() }
    }
}
