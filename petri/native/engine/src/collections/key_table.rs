//! Numbers for the keys in use, and a record for each: each number is a *group*.

use std::mem::{offset_of, size_of};
use std::ops::{Index, IndexMut};

use crate::base::cache::fetch;
use crate::base::row::Row;

const EMPTY: u32 = u32::MAX;

/// The words of a key, wherever they stand.
pub trait Key: Copy {
    fn word(&self, position: usize) -> u64;
}

/// A key that stands in some slots of a token.
#[derive(Clone, Copy)]
pub struct SlotsOf<'a> {
    pub token: &'a [u64],
    pub slots: &'a [u32],
}

impl Key for SlotsOf<'_> {
    #[inline(always)]
    fn word(&self, position: usize) -> u64 {
        self.token[self.slots[position] as usize]
    }
}

impl Key for &[u64] {
    #[inline(always)]
    fn word(&self, position: usize) -> u64 {
        self[position]
    }
}

/// The values of a slot: from `low`, so many.
#[derive(Clone, Copy, Debug)]
pub struct Extent {
    pub low: i64,
    pub size: u64,
}

/// The groups of small finite slots, by the ranges of these: a group is the key's position in the product of the ranges.
/// Keys outside, which no token of an indexed place has, are all of the last group.
pub fn groups(extents: &[Extent]) -> usize {
    extents.iter().map(|extent| extent.size).product::<u64>() as usize + 1
}

#[inline(always)]
fn direct_group(extents: &[Extent], key: impl Key) -> Option<u32> {
    let mut group = 0;
    for (position, extent) in extents.iter().enumerate() {
        let offset = key.word(position).wrapping_sub(extent.low as u64);
        if offset >= extent.size {
            return None;
        }
        group = group * extent.size + offset;
    }
    Some(group as u32)
}

#[derive(Clone, Debug)]
enum Numbering {
    Direct(Box<[Extent]>),
    Hashed(Hashed),
}

/// Linear probing over group numbers; the load is at most a half.
#[derive(Clone, Debug)]
struct Hashed {
    cells: Vec<u32>,
    /// The words of each group's key but the first.
    more: Vec<u64>,
    /// How many these are.
    rest: usize,
    free: Vec<u32>,
}

/// A key begins where its record is, so that a search ends there.
#[derive(Clone, Copy, Debug)]
struct KeyRecord<T> {
    key: u64,
    of: T,
}

#[derive(Clone, Debug)]
#[repr(C)]
pub struct KeyTable<T> {
    records: Row<KeyRecord<T>>,
    numbering: Numbering,
}

impl<T> KeyTable<T> {
    /// Where a table has the address of the records, their size, and where each has what belongs to its group.
    pub const RECORDS: usize = offset_of!(KeyTable<T>, records) + Row::<KeyRecord<T>>::START;
    pub const RECORD: usize = size_of::<KeyRecord<T>>();
    pub const OF: usize = offset_of!(KeyRecord<T>, of);
}

impl<T> Index<u32> for KeyTable<T> {
    type Output = T;

    #[inline(always)]
    fn index(&self, group: u32) -> &T {
        &self.records[group].of
    }
}

impl<T> IndexMut<u32> for KeyTable<T> {
    #[inline(always)]
    fn index_mut(&mut self, group: u32) -> &mut T {
        &mut self.records[group].of
    }
}

impl<T: Copy + Default> KeyTable<T> {
    pub fn direct(extents: &[Extent]) -> Self {
        let record = KeyRecord { key: 0, of: T::default() };
        KeyTable { numbering: Numbering::Direct(extents.into()), records: Row::of(record, groups(extents)) }
    }

    /// For keys of so many words, at least one.
    pub fn hashed(width: usize) -> Self {
        let hashed = Hashed { cells: vec![EMPTY; 16], more: Vec::new(), rest: width - 1, free: Vec::new() };
        KeyTable { numbering: Numbering::Hashed(hashed), records: Row::default() }
    }

    /// One more than the greatest group number so far.
    #[inline(always)]
    pub fn groups(&self) -> usize {
        self.records.len()
    }

    /// Whether groups have their numbers for good.
    #[inline(always)]
    pub fn is_direct(&self) -> bool {
        matches!(self.numbering, Numbering::Direct(_))
    }

    /// The group of a key that may be in use.
    #[inline(always)]
    pub fn find(&self, key: impl Key) -> Option<u32> {
        match &self.numbering {
            Numbering::Direct(extents) => direct_group(extents, key),
            Numbering::Hashed(hashed) => {
                let group = hashed.cells[hashed.probe(&self.records, key)];
                (group != EMPTY).then_some(group)
            }
        }
    }

    /// Fetches what tells the group of a key …
    #[inline(always)]
    pub fn fetch_cell(&self, key: impl Key) {
        if let Numbering::Hashed(hashed) = &self.numbering {
            fetch(&hashed.cells[hashed.home(key)]);
        }
    }

    /// … and then the record of its group, which is returned.
    #[inline(always)]
    pub fn fetch(&self, key: impl Key) -> Option<u32> {
        let group = self.find(key)?;
        self.records.fetch(group);
        Some(group)
    }

    /// The group of a key that is in use from now on.
    #[inline(always)]
    pub fn enter(&mut self, key: impl Key) -> u32 {
        match &mut self.numbering {
            Numbering::Direct(extents) => direct_group(extents, key).unwrap_or(self.records.len() as u32 - 1),
            Numbering::Hashed(hashed) => {
                let position = hashed.probe(&self.records, key);
                match hashed.cells[position] {
                    EMPTY => hashed.add(&mut self.records, position, key),
                    group => group,
                }
            }
        }
    }

    /// A key is not in use any more: the number of its group may go to another.
    #[inline(always)]
    pub fn forget(&mut self, group: u32) {
        if let Numbering::Hashed(hashed) = &mut self.numbering {
            hashed.forget(&self.records, group);
        }
    }
}

/// The key of a group.
#[derive(Clone, Copy)]
struct Own<'a> {
    first: u64,
    more: &'a [u64],
}

impl Key for Own<'_> {
    #[inline(always)]
    fn word(&self, position: usize) -> u64 {
        match position {
            0 => self.first,
            _ => self.more[position - 1],
        }
    }
}

impl Hashed {
    #[inline(always)]
    fn home(&self, key: impl Key) -> usize {
        let mut h = 0u64;
        for position in 0..=self.rest {
            h = (h.rotate_left(26) ^ key.word(position)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        }
        (h ^ (h >> 32)) as usize & (self.cells.len() - 1)
    }

    #[inline(always)]
    fn key<T: Copy>(&self, records: &Row<KeyRecord<T>>, group: u32) -> Own<'_> {
        let more = &self.more[group as usize * self.rest..][..self.rest];
        Own { first: records[group].key, more }
    }

    #[inline(always)]
    fn is_of<T: Copy>(&self, records: &Row<KeyRecord<T>>, group: u32, key: impl Key) -> bool {
        if records[group].key != key.word(0) {
            return false;
        }
        let own = self.key(records, group);
        (1..=self.rest).all(|position| own.word(position) == key.word(position))
    }

    /// The cell that holds the key's group, or the empty one where it belongs.
    #[inline(always)]
    fn probe<T: Copy>(&self, records: &Row<KeyRecord<T>>, key: impl Key) -> usize {
        let mask = self.cells.len() - 1;
        let mut position = self.home(key);
        while self.cells[position] != EMPTY && !self.is_of(records, self.cells[position], key) {
            position = (position + 1) & mask;
        }
        position
    }

    #[inline(never)]
    fn add<T: Copy + Default>(&mut self, records: &mut Row<KeyRecord<T>>, position: usize, key: impl Key) -> u32 {
        let group = self.free.pop().unwrap_or(records.len() as u32);
        let words = (1..=self.rest).map(|position| key.word(position));
        if group as usize == records.len() {
            records.push(KeyRecord { key: key.word(0), of: T::default() });
            self.more.extend(words);
        } else {
            records[group].key = key.word(0);
            let start = group as usize * self.rest;
            self.more[start..start + self.rest].iter_mut().zip(words).for_each(|(own, word)| *own = word);
        }
        self.cells[position] = group;
        if 2 * (records.len() - self.free.len()) > self.cells.len() {
            self.grow(records);
        }
        group
    }

    #[cold]
    fn grow<T: Copy>(&mut self, records: &Row<KeyRecord<T>>) {
        let empty = vec![EMPTY; self.cells.len() * 2];
        let groups = std::mem::replace(&mut self.cells, empty);
        for group in groups.into_iter().filter(|&group| group != EMPTY) {
            let position = self.probe(records, self.key(records, group));
            self.cells[position] = group;
        }
    }

    #[inline(never)]
    fn forget<T: Copy>(&mut self, records: &Row<KeyRecord<T>>, group: u32) {
        let position = self.probe(records, self.key(records, group));
        self.close_gap(records, position);
        self.free.push(group);
    }

    /// Removes a cell and moves later ones of its run forward, so that no search stops too early.
    fn close_gap<T: Copy>(&mut self, records: &Row<KeyRecord<T>>, mut gap: usize) {
        let mask = self.cells.len() - 1;
        let mut position = gap;
        loop {
            position = (position + 1) & mask;
            let group = self.cells[position];
            if group == EMPTY {
                self.cells[gap] = EMPTY;
                return;
            }
            let home = self.home(self.key(records, group));
            if (position.wrapping_sub(home) & mask) >= (position.wrapping_sub(gap) & mask) {
                self.cells[gap] = group;
                gap = position;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_forgotten_keys_are_used_again() {
        let mut table = KeyTable::<u64>::hashed(2);
        for key in 0..100_000u64 {
            let group = table.enter(&[key, key * key][..]);
            table.forget(group);
        }
        assert_eq!(table.groups(), 1);
        assert_eq!(table.find(&[5, 25][..]), None);
    }

    #[test]
    fn keys_of_any_width_have_a_group_each() {
        for width in 1..4usize {
            let mut table = KeyTable::<u64>::hashed(width);
            let key = |i: u64| -> Vec<u64> { (0..width as u64).map(|word| i >> (4 * word)).collect() };
            let groups: Vec<u32> = (0..16).map(|i| table.enter(&key(i)[..])).collect();
            groups.iter().enumerate().for_each(|(i, &group)| table[group] = i as u64);
            groups.iter().step_by(3).for_each(|&group| table.forget(group));
            for i in 0..16 {
                let found = table.find(&key(i)[..]).map(|group| table[group]);
                assert_eq!(found, (i % 3 > 0).then_some(i));
            }
        }
    }

    #[test]
    fn keys_outside_the_ranges_share_the_last_group() {
        let mut table = KeyTable::<u64>::direct(&[Extent { low: -1, size: 3 }, Extent { low: 0, size: 4 }]);
        assert_eq!(table.enter(&[0, 2][..]), 6);
        assert_eq!(table.enter(&[0, 4][..]), 12);
        assert_eq!(table.enter(&[u64::MAX - 1, 0][..]), 12);
        assert_eq!(table.find(&[2, 0][..]), None);
        assert_eq!(table.groups(), 13);
    }
}
