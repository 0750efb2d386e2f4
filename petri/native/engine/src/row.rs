//! Rows that grow: one record for each seat, group, or word of a bitmap.

use std::ops::{Index, IndexMut};

/// A row of records.
///
/// Looking up a record does not check its position, as in a [`Table`](crate::table::Table). What makes this sound: a row
/// belongs to one index or join, which alone numbers the seats and groups that lead into it, and which asks of others
/// only what a firing was given by itself. Debug builds, which the tests of this crate are, check all the same.
#[derive(Clone, Debug)]
pub struct Row<T>(Vec<T>);

impl<T> Default for Row<T> {
    fn default() -> Self {
        Row(Vec::new())
    }
}

impl<T: Copy> Row<T> {
    /// A row of so many equal records.
    pub fn of(record: T, len: usize) -> Self {
        Row(vec![record; len])
    }

    #[inline(always)]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    #[inline(always)]
    pub fn push(&mut self, record: T) {
        self.make_room();
        self.add(record);
    }

    /// Whether another record can be added at once.
    #[inline(always)]
    pub fn has_room(&self) -> bool {
        self.0.len() < self.0.capacity()
    }

    #[inline(always)]
    pub fn make_room(&mut self) {
        if !self.has_room() {
            self.grow();
        }
    }

    #[cold]
    fn grow(&mut self) {
        self.0.reserve(1);
    }

    /// Adds a record that there is room for.
    #[inline(always)]
    pub fn add(&mut self, record: T) {
        debug_assert!(self.has_room());
        let len = self.0.len();
        // SAFETY: see the type; the room was asked for, and the record is initialized now.
        unsafe {
            self.0.as_mut_ptr().add(len).write(record);
            self.0.set_len(len + 1);
        }
    }

    /// The last record leaves.
    #[inline(always)]
    pub fn pop(&mut self) {
        self.0.truncate(self.0.len().wrapping_sub(1));
    }

    /// Makes the row so long at least.
    #[inline(always)]
    pub fn reach(&mut self, len: usize, record: T) {
        if self.0.len() < len {
            self.lengthen(len, record);
        }
    }

    #[cold]
    fn lengthen(&mut self, len: usize, record: T) {
        self.0.resize(len, record);
    }

    pub fn iter(&self) -> std::slice::Iter<'_, T> {
        self.0.iter()
    }
}

impl<T> Index<u32> for Row<T> {
    type Output = T;

    #[inline(always)]
    fn index(&self, position: u32) -> &T {
        debug_assert!((position as usize) < self.0.len());
        // SAFETY: see the type.
        unsafe { self.0.get_unchecked(position as usize) }
    }
}

impl<T> IndexMut<u32> for Row<T> {
    #[inline(always)]
    fn index_mut(&mut self, position: u32) -> &mut T {
        debug_assert!((position as usize) < self.0.len());
        // SAFETY: see the type.
        unsafe { self.0.get_unchecked_mut(position as usize) }
    }
}
