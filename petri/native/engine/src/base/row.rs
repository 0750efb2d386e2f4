//! Rows that grow: one record for each seat, group, or word of weights.
//!
//! **Problem.** Machine code reads and appends records itself, but the standard library does not define the layout of a vector.
//!
//! **Idea.** A row is a vector taken apart: address, length and room are at offsets that machine code knows. To grow, it
//! becomes a vector, and is taken apart again.
//!
//! Invariants:
//! - *room*: `len` is at most `room`.
//! - *vector*: `start`, `len` and `room` are those of a vector, or the row is empty and has no memory.

use std::marker::PhantomData;
use std::mem::{offset_of, take, ManuallyDrop};
use std::ops::{Index, IndexMut};
use std::ptr::NonNull;

use crate::base::cache::fetch;
use crate::base::invariant::{ensure, Verified};

/// A row of records.
///
/// Looking up a record does not check its position, as in a [`Table`](crate::base::table::Table). What makes this sound: a row
/// belongs to one index or join, which alone numbers the seats and groups that index it, and looks up only
/// numbers that it has given out. Debug builds, including the tests of this crate, check anyway.
///
/// A row is a vector with its parts at offsets that machine code may know.
#[derive(Debug)]
#[repr(C)]
pub struct Row<T> {
    start: NonNull<T>,
    len: usize,
    room: usize,
    of: PhantomData<T>,
}

// SAFETY: a row owns its records, as a vector does.
unsafe impl<T: Send> Send for Row<T> {}
// SAFETY: a row owns its records, as a vector does.
unsafe impl<T: Sync> Sync for Row<T> {}

impl<T> Row<T> {
    /// The offsets of the address of its first record, of the number of records, and of the number that it has
    /// memory for.
    pub const START: usize = offset_of!(Row<T>, start);
    pub const LEN: usize = offset_of!(Row<T>, len);
    pub const ROOM: usize = offset_of!(Row<T>, room);

    fn of_records(records: Vec<T>) -> Self {
        let mut records = ManuallyDrop::new(records);
        let start = NonNull::new(records.as_mut_ptr()).unwrap_or(NonNull::dangling());
        Row { start, len: records.len(), room: records.capacity(), of: PhantomData }
    }

    /// The records, which leave the row.
    fn records(&mut self) -> Vec<T> {
        let row = ManuallyDrop::new(take(self));
        // SAFETY: the parts are those of a vector (see `of_records`), and this row has forgotten them.
        unsafe { Vec::from_raw_parts(row.start.as_ptr(), row.len, row.room) }
    }

    #[inline(always)]
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    pub fn room(&self) -> usize {
        self.room
    }

    /// Checks that the records fit the room. The invariant *vector* cannot be checked.
    pub fn verify(&self) -> Verified {
        ensure(self.len <= self.room || size_of::<T>() == 0, "room", || {
            format!("{} records, room for {}", self.len, self.room)
        })
    }

    pub fn all(&self) -> &[T] {
        // SAFETY: `len` records begin at `start`, and this row owns them.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr(), self.len) }
    }
}

impl<T> Default for Row<T> {
    fn default() -> Self {
        Row { start: NonNull::dangling(), len: 0, room: 0, of: PhantomData }
    }
}

impl<T> Drop for Row<T> {
    fn drop(&mut self) {
        // SAFETY: the parts are those of a vector (see `of_records`); an empty one has no memory.
        drop(unsafe { Vec::from_raw_parts(self.start.as_ptr(), self.len, self.room) });
    }
}

/// With as much room: machine code relies on the room that there has been.
impl<T: Clone> Clone for Row<T> {
    fn clone(&self) -> Self {
        let mut records = Vec::with_capacity(self.room);
        records.extend_from_slice(self.all());
        Row::of_records(records)
    }
}

impl<T> FromIterator<T> for Row<T> {
    fn from_iter<R: IntoIterator<Item = T>>(records: R) -> Self {
        Row::of_records(records.into_iter().collect())
    }
}

impl<T: Copy> Row<T> {
    /// A row of `len` copies of a record.
    pub fn of(record: T, len: usize) -> Self {
        Row::of_records(vec![record; len])
    }

    #[inline(always)]
    pub fn push(&mut self, record: T) {
        if self.len == self.room {
            self.grow();
        }
        // SAFETY: `len` is less than `room` now, so the record lies in the memory of the row.
        unsafe { self.start.add(self.len).write(record) };
        self.len += 1;
    }

    #[cold]
    fn grow(&mut self) {
        let mut records = self.records();
        records.reserve(1);
        *self = Row::of_records(records);
    }

    /// Makes room for at least `room` records.
    pub fn make_room(&mut self, room: usize) {
        if self.room < room {
            let mut records = self.records();
            records.reserve(room - records.len());
            *self = Row::of_records(records);
        }
    }

    /// Prefetches a record, if there is one.
    #[inline(always)]
    pub fn fetch(&self, position: u32) {
        fetch(self.start.as_ptr().wrapping_add(position as usize));
    }

    /// The last record leaves.
    #[inline(always)]
    pub fn pop(&mut self) {
        debug_assert!(self.len > 0);
        self.len -= 1;
    }

    /// Lengthens the row to at least `len` records; the new ones are copies of `record`.
    #[inline(always)]
    pub fn reach(&mut self, len: usize, record: T) {
        if self.len < len {
            self.lengthen(len, record);
        }
    }

    #[cold]
    fn lengthen(&mut self, len: usize, record: T) {
        let mut records = self.records();
        records.resize(len, record);
        *self = Row::of_records(records);
    }
}

impl<T> Index<u32> for Row<T> {
    type Output = T;

    #[inline(always)]
    fn index(&self, position: u32) -> &T {
        debug_assert!((position as usize) < self.len);
        // SAFETY: the position is that of a record, as the type explains; debug builds check it.
        unsafe { self.start.add(position as usize).as_ref() }
    }
}

impl<T> IndexMut<u32> for Row<T> {
    #[inline(always)]
    fn index_mut(&mut self, position: u32) -> &mut T {
        debug_assert!((position as usize) < self.len);
        // SAFETY: the same, and the row is borrowed exclusively.
        unsafe { self.start.add(position as usize).as_mut() }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::base::invariant::broken;

    proptest! {
        #[test]
        fn a_vector(steps in prop::collection::vec((0..8u8, 0..40u64), 0..120)) {
            let (mut row, mut model) = (Row::default(), Vec::new());
            for (action, value) in steps {
                match action {
                    0 => {
                        row.reach(value as usize, value);
                        model.resize(model.len().max(value as usize), value);
                    }
                    1..3 if !model.is_empty() => (row.pop(), _ = model.pop()).0,
                    3 if !model.is_empty() => {
                        row[value as u32 % model.len() as u32] = value;
                        let len = model.len();
                        model[value as usize % len] = value;
                    }
                    4 => row = row.clone(),
                    _ => (row.push(value), model.push(value)).0,
                }
                prop_assert_eq!(row.verify(), Ok(()));
                prop_assert_eq!(row.all(), &model[..]);
            }
        }
    }

    #[test]
    fn damage_is_found() {
        let mut row = std::mem::ManuallyDrop::new(Row::<u64>::default());
        row.len = 1;
        assert_eq!(broken(row.verify()), "room");
    }
}
