//! Numbers for the keys in use, and a record for each: each number is a *group*.
//!
//! **Problem.** An index finds the tokens with given values: it maps a key of one or more words to a record. Other structures
//! refer to the same key often, and should not hash it again, nor compare it.
//!
//! **Idea.** Give each key a small number, its group, which stays the same while the key is in use. Records are a row by
//! group. Where the values of all words are known to lie in small ranges, the number is computed: it is the position of the
//! key in the product of the ranges. Otherwise an open-addressing hash table with linear probing maps keys to groups; its cells
//! hold nothing but group numbers, and a search compares the key in the record.
//!
//! ```text
//! ranges −1..=1 and 0..=3: key (0, 2) is group 1 · 4 + 2 = 6; all keys outside are group 12, the last
//!
//! cells     ∅  2  0  ∅  ∅  1  ∅  ∅        records   0: key 17   1: key 4   2: key 9   3: free
//!           keys 9 (group 2) and 17 (group 0) have the same home, 1; 17 came later
//! ```
//!
//! Deletion moves later keys of a run back into the gap instead of leaving a mark (Knuth, The Art of Computer Programming, vol.
//! 3, 6.4, algorithm R), so that searches do not grow longer with time. A key may move into the gap if its home does not lie
//! cyclically behind the gap: if it is at least as far from its home as from the gap. The hash multiplies by 2⁶⁴ divided by the
//! golden ratio (Knuth, 6.4, Fibonacci hashing), and folds the upper half, which is mixed best, into the lower.
//!
//! Invariants:
//! - *direct*: a table of ranges has a record for each key in them, and one more.
//! - *cells*: the number of cells is a power of two, and each non-empty one has a group of a record, no two the same.
//! - *partition*: each group is either in a cell or free, and not both.
//! - *load*: at most half of the cells are taken.
//! - *reachable*: a search for the key of a group in a cell finds this cell. So no two groups have the same key.
//! - *words*: `more` has the words of each group's key but the first.

use std::mem::{offset_of, size_of};
use std::ops::{Index, IndexMut};

use crate::base::cache::fetch;
use crate::base::invariant::{ensure, Verified};
use crate::base::row::Row;

const EMPTY: u32 = u32::MAX;

/// The words of a key, wherever they are stored.
pub trait Key: Copy {
    fn word(&self, position: usize) -> u64;
}

/// A key in some slots of a token.
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

/// The values that a slot may have: `size` integers from `low` on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
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

/// Linear probing over group numbers.
#[derive(Clone, Debug)]
struct Hashed {
    /// Groups by the hash of their key, or `EMPTY`.
    cells: Vec<u32>,
    /// The words of each group's key but the first.
    more: Vec<u64>,
    /// The words of a key but the first: how many there are.
    rest: usize,
    /// Groups whose key is not in use.
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
    /// The offsets of the address of the records and of a record's data, and the size of a record.
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

    /// For keys of `width` words, at least one.
    pub fn hashed(width: usize) -> Self {
        let hashed = Hashed { cells: vec![EMPTY; 16], more: Vec::new(), rest: width - 1, free: Vec::new() };
        KeyTable { numbering: Numbering::Hashed(hashed), records: Row::default() }
    }

    /// One more than the greatest group number so far.
    #[inline(always)]
    pub fn groups(&self) -> usize {
        self.records.len()
    }

    /// Whether the numbers of groups never change.
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

    /// Fetches the cell of a key into the cache.
    #[inline(always)]
    pub fn fetch_cell(&self, key: impl Key) {
        if let Numbering::Hashed(hashed) = &self.numbering {
            fetch(&hashed.cells[hashed.home(key)]);
        }
    }

    /// Fetches the record of a key into the cache. Returns its group, if it has one.
    #[inline(always)]
    pub fn fetch(&self, key: impl Key) -> Option<u32> {
        let group = self.find(key)?;
        self.records.fetch(group);
        Some(group)
    }

    /// Fetches the record of a group into the cache. There may be no such group.
    #[inline(always)]
    pub fn fetch_record(&self, group: u32) {
        self.records.fetch(group);
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

    /// Checks the invariants.
    pub fn verify(&self) -> Verified {
        match &self.numbering {
            Numbering::Hashed(hashed) => hashed.verify(&self.records),
            Numbering::Direct(extents) => {
                let found = || format!("{} records for {extents:?}", self.records.len());
                ensure(self.records.len() == groups(extents), "direct", found)
            }
        }
    }

    /// The words of the key of a group in a hash table.
    pub fn words(&self, group: u32) -> impl Iterator<Item = u64> + '_ {
        let more = match &self.numbering {
            Numbering::Hashed(hashed) => hashed.key(&self.records, group).more,
            Numbering::Direct(_) => &[],
        };
        std::iter::once(self.records[group].key).chain(more.iter().copied())
    }

    /// The groups whose key is in use: all of a table of ranges.
    pub fn in_use(&self) -> Vec<u32> {
        match &self.numbering {
            Numbering::Hashed(hashed) => hashed.cells.iter().copied().filter(|&group| group != EMPTY).collect(),
            Numbering::Direct(_) => (0..self.records.len() as u32).collect(),
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

    fn verify<T: Copy>(&self, records: &Row<KeyRecord<T>>) -> Verified {
        let in_use: Vec<u32> = self.cells.iter().copied().filter(|&group| group != EMPTY).collect();
        let known = self.cells.len().is_power_of_two() && in_use.iter().all(|&group| (group as usize) < records.len());
        ensure(known, "cells", || format!("{} cells, {} records", self.cells.len(), records.len()))?;
        let mut once = in_use.clone();
        once.sort_unstable();
        once.dedup();
        ensure(once.len() == in_use.len(), "cells", || "a group is in two of them".to_owned())?;
        once.extend(&self.free);
        once.sort_unstable();
        ensure(once.iter().copied().eq(0..records.len() as u32), "partition", || format!("{once:?}"))?;
        let words = records.len() * self.rest;
        ensure(self.more.len() == words, "words", || format!("{} instead of {words}", self.more.len()))?;
        ensure(2 * in_use.len() <= self.cells.len(), "load", || format!("{} of {}", in_use.len(), self.cells.len()))?;
        in_use.iter().try_for_each(|&group| {
            let found = self.cells[self.probe(records, self.key(records, group))];
            ensure(found == group, "reachable", || format!("a search for the key of group {group} finds {found}"))
        })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use proptest::prelude::*;

    use super::*;
    use crate::base::invariant::broken;

    proptest! {
        /// Keys enter and are forgotten; each has a record with its own number, which stays with it.
        #[test]
        fn a_map_of_keys(width in 1..4usize, steps in prop::collection::vec((0..5u8, 0..40u64), 0..300)) {
            let (mut table, mut model) = (KeyTable::<u64>::hashed(width), HashMap::new());
            for (number, (action, key)) in steps.into_iter().enumerate() {
                let words: Vec<u64> = (0..width as u64).map(|word| key >> (2 * word)).collect();
                if action < 3 {
                    let group = table.enter(&words[..]);
                    table[group] = number as u64;
                    model.insert(words, (group, number as u64));
                } else if let Some((group, _)) = model.remove(&words) {
                    table.forget(group);
                }
                prop_assert_eq!(table.verify(), Ok(()));
                prop_assert_eq!(table.in_use().len(), model.len());
            }
            for (key, (group, record)) in &model {
                prop_assert_eq!(table.find(&key[..]), Some(*group));
                prop_assert_eq!(table.words(*group).collect::<Vec<_>>(), &key[..]);
                prop_assert_eq!(table[*group], *record);
            }
        }

        #[test]
        fn positions_in_a_product_of_ranges(low in any::<i64>(), sizes in prop::collection::vec(1..6u64, 1..4)) {
            let extents: Vec<Extent> = sizes.iter().map(|&size| Extent { low, size }).collect();
            let table = KeyTable::<u64>::direct(&extents);
            prop_assert_eq!(table.verify(), Ok(()));
            for group in 0..sizes.iter().product() {
                let digits = sizes.iter().rev().scan(group, |left, size| Some((*left % size, *left /= size).0));
                let mut key: Vec<u64> = digits.map(|digit| (low as u64).wrapping_add(digit)).collect();
                key.reverse();
                prop_assert_eq!(table.find(&key[..]), Some(group as u32));
            }
        }
    }

    #[test]
    fn damage_is_found() {
        let damaged = |damage: fn(&mut Hashed, &mut Row<KeyRecord<u64>>)| {
            let mut table = KeyTable::<u64>::hashed(2);
            let groups: Vec<u32> = (0..12).map(|key| table.enter(&[key, 1][..])).collect();
            groups[9..].iter().for_each(|&group| table.forget(group));
            assert_eq!(table.verify(), Ok(()));
            let Numbering::Hashed(hashed) = &mut table.numbering else { unreachable!() };
            damage(hashed, &mut table.records);
            broken(table.verify())
        };
        fn taken(hashed: &Hashed) -> usize {
            hashed.cells.iter().position(|&cell| cell != EMPTY).expect("a group")
        }
        assert_eq!(damaged(|hashed, _| _ = hashed.cells.pop()), "cells");
        assert_eq!(damaged(|hashed, _| hashed.cells.fill(3)), "cells");
        assert_eq!(damaged(|hashed, _| _ = hashed.free.pop()), "partition");
        assert_eq!(damaged(|hashed, _| hashed.more.push(0)), "words");
        let moved = |hashed: &mut Hashed, _: &mut Row<KeyRecord<u64>>| {
            let (from, to) = (taken(hashed), hashed.cells.iter().rposition(|&cell| cell == EMPTY).expect("a cell"));
            hashed.cells.swap(from, to);
        };
        assert_eq!(damaged(moved), "reachable");
        assert_eq!(damaged(|hashed, records| records[hashed.cells[taken(hashed)]].key = 77), "reachable");
        let mut table = KeyTable::<u64>::direct(&[Extent { low: 0, size: 3 }]);
        table.records.pop();
        assert_eq!(broken(table.verify()), "direct");
    }

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
    fn a_key_is_the_same_in_slots_of_a_token() {
        for mut table in [KeyTable::<u64>::hashed(2), KeyTable::direct(&[Extent { low: 0, size: 9 }; 2])] {
            let of = |slots| SlotsOf { token: &[3, 1, 7], slots };
            let groups = [table.enter(&[7, 3][..]), table.enter(&[1, 3][..])];
            assert_eq!([table.enter(of(&[2, 0])), table.enter(of(&[1, 0]))], groups);
            assert_ne!(groups[0], groups[1]);
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
