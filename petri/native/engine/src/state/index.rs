//! Indices over the tokens of a place: which tokens have given values in given slots, in order of seat.
//!
//! **Problem.** An arc whose pattern fixes some slots chooses among the tokens with these values, in order of seat. Looking through
//! all tokens costs their number; tokens come and go at nearly every firing, and the last one moves to the seat of one that
//! leaves a bag (S4).
//!
//! **Idea.** Tokens with the same values are a *group*, numbered by a [`KeyTable`]. The record of a group is its *bucket*: the
//! sorted seats of its tokens. Up to four are in the bucket itself, more in a list, whose number replaces the first
//! seat. A row gives the group of each seat, so that a token that leaves or moves need not be hashed. An index of a place that
//! is not a bag has no seats: it only counts.
//!
//! A join asks for the tokens of the group that its pivot's token wants, so the keys of pivots have groups too, and
//! each group knows which links of joins have a pivot's token that waits for it. A group without tokens for which no
//! link waits is idle. Its number may be reused, but the last idle group is kept, since a token often returns with its
//! key.
//!
//! ```text
//! seats     0     1     2     3        tokens by seat, indexed by the second slot
//! tokens   (5,a) (6,b) (7,a) (8,c)
//! groups    0     1     0     2        buckets:  0: 0 2   1: 1   2: 3
//! the token of seat 0 leaves, and that of seat 3 moves there: its bucket loses 3, its greatest seat, and gains 0
//! groups    2     1     0              buckets:  0: 2     1: 1   2: 0
//! ```
//!
//! Invariants:
//! - *groups*: each token has the group of its key; with seats, `group_of_seat` says so for each seat.
//! - *buckets*: a bucket has exactly the seats of its group, in ascending order; without seats, their number.
//! - *lists*: a bucket of more than four seats has a list of its own; the other lists are empty, and free.
//! - *links*: a bucket waits by links of the index only.
//! - *idle*: no group of a hashed table that is in use is idle, except for `idle`.
//! - The [`KeyTable`] holds its own.

use std::mem::offset_of;

use crate::base::cache::LINE;
use crate::base::ids::JoinId;
use crate::base::invariant::{ensure, Verified};
use crate::base::row::Row;
use crate::collections::key_table::{Key, KeyTable, SlotsOf};
use crate::program::index::IndexProgram;

/// No seat.
pub const NONE: u32 = u32::MAX;

/// Seats that a bucket holds itself.
pub const BUCKET_SEATS: usize = 4;

/// The seats of the tokens of one group, in order. Beyond a few they are in a list, whose number `seats` begins with.
#[derive(Clone, Copy, Debug)]
pub struct Bucket {
    len: u32,
    /// The links that have a pivot's token with this key.
    links: u32,
    seats: [u32; BUCKET_SEATS],
}

/// A bucket without seats.
pub static EMPTY: Bucket = Bucket { len: 0, links: 0, seats: [0; BUCKET_SEATS] };

impl Default for Bucket {
    fn default() -> Self {
        EMPTY
    }
}

impl Bucket {
    /// Where a bucket has the number of its seats, and where the first of a few.
    pub const LEN: usize = offset_of!(Bucket, len);
    pub const SEATS: usize = offset_of!(Bucket, seats);

    /// Removes one of a few seats; `len` is that of those left.
    #[inline(always)]
    fn drop(&mut self, seat: u32) {
        let [first, second, third, fourth] = self.seats;
        if first == seat {
            self.seats = [second, third, fourth, fourth];
        } else if second == seat {
            self.seats = [first, third, fourth, fourth];
        } else if third == seat {
            self.seats[2] = fourth;
        }
    }

    /// Replaces the greatest of a few seats by another.
    #[inline(always)]
    fn replace_last(&mut self, seat: u32) {
        let last = self.len as usize - 1;
        let mut greater = seat;
        for other in self.seats.iter_mut().take(last) {
            (*other, greater) = (greater.min(*other), greater.max(*other));
        }
        self.seats[last % BUCKET_SEATS] = greater;
    }
}

/// An index over some slots of the tokens of one place. In a bag it knows seats, elsewhere only numbers. What machine code reads
/// is in its first cache line.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub struct Index {
    /// The group of each seat's token; empty without seats.
    group_of_seat: Row<u32>,
    buckets: KeyTable<Bucket>,
    /// The slots of a token that are its key.
    slots: Box<[u32]>,
    /// The links of joins that look tokens up here, by their bit in `Bucket::links`.
    links: Box<[(JoinId, usize)]>,
    /// Whether seats are known, or only the numbers of tokens.
    seated: bool,
    /// The group that became idle last, or `NONE`.
    idle: u32,
    /// The seats of groups that have more than a bucket holds.
    lists: Vec<Vec<u32>>,
    /// The lists that no bucket has.
    free_lists: Vec<u32>,
}

const _: () = assert!(Index::RECORDS < LINE);

impl Index {
    /// The offsets of the address of its groups' records, and of their fields.
    pub const RECORDS: usize = offset_of!(Index, buckets) + KeyTable::<Bucket>::RECORDS;
    pub const RECORD: usize = KeyTable::<Bucket>::RECORD;
    pub const BUCKET: usize = KeyTable::<Bucket>::OF;
    pub const GROUP_LEN: usize = Index::BUCKET + Bucket::LEN;
    pub const LINKS: usize = Index::BUCKET + offset_of!(Bucket, links);
    pub const SEATS: usize = Index::BUCKET + Bucket::SEATS;
    /// The offset of the row with the group of each seat.
    pub const GROUPS: usize = offset_of!(Index, group_of_seat);

    pub fn new(program: &IndexProgram) -> Self {
        Index {
            buckets: match &program.extents {
                Some(extents) => KeyTable::direct(extents),
                None => KeyTable::hashed(program.slots.len()),
            },
            group_of_seat: Row::default(),
            slots: program.slots.clone().into_boxed_slice(),
            links: program.links.clone().into_boxed_slice(),
            seated: program.seated,
            idle: NONE,
            lists: Vec::new(),
            free_lists: Vec::new(),
        }
    }

    /// The group of a key, if there may be tokens of it.
    #[inline(always)]
    pub fn find(&self, key: &[u64]) -> Option<u32> {
        self.buckets.find(key)
    }

    /// One more than the greatest number of a group so far.
    pub fn groups(&self) -> usize {
        self.buckets.groups()
    }

    /// The group of the token in a seat of a bag.
    #[inline(always)]
    pub fn group_of(&self, seat: u32) -> u32 {
        self.group_of_seat[seat]
    }

    /// The number of tokens of a group.
    #[inline(always)]
    pub fn len(&self, group: u32) -> usize {
        self.buckets[group].len as usize
    }

    /// The seats of a group's tokens, in order.
    #[inline(always)]
    pub fn seats(&self, group: u32) -> &[u32] {
        self.seats_in(&self.buckets[group])
    }

    /// The seats in a bucket, in order.
    #[inline(always)]
    pub fn seats_in<'a>(&'a self, bucket: &'a Bucket) -> &'a [u32] {
        match bucket.len as usize {
            len @ ..=BUCKET_SEATS => &bucket.seats[..len],
            _ => &self.lists[bucket.seats[0] as usize],
        }
    }

    /// Fetches the bucket of a group into the cache. There may be no such group.
    #[inline(always)]
    pub fn fetch_bucket(&self, group: u32) {
        self.buckets.fetch_record(group);
    }

    /// The bucket of a group.
    #[inline(always)]
    pub fn bucket(&self, group: u32) -> &Bucket {
        &self.buckets[group]
    }

    /// Whether the numbers of groups never change.
    #[inline(always)]
    fn is_direct(&self) -> bool {
        self.buckets.is_direct()
    }

    /// Whether a seat is taken, as far as seats are known.
    pub fn knows(&self, seat: usize) -> bool {
        !self.seated || seat < self.group_of_seat.len()
    }

    /// The key of a token.
    #[inline(always)]
    pub fn key<'a>(&'a self, token: &'a [u64]) -> SlotsOf<'a> {
        SlotsOf { token, slots: &self.slots }
    }

    /// The joins that look tokens up here, and which of their links do.
    #[inline(always)]
    pub fn links(&self) -> &[(JoinId, usize)] {
        &self.links
    }

    /// Fetches the cell of a key's group into the cache: the first of three steps, each of which reads what the one before has
    /// fetched.
    #[inline(always)]
    pub fn fetch_cell(&self, key: impl Key) {
        self.buckets.fetch_cell(key);
    }

    /// Fetches the bucket of a key's group. Returns the group, if the key has one.
    #[inline(always)]
    pub fn fetch_group(&self, key: impl Key) -> Option<u32> {
        self.buckets.fetch(key)
    }

    /// Fetches the group of the first seat of a group. Returns the seat, if there is one and the bucket holds it itself.
    #[inline(always)]
    pub fn fetch_first(&self, group: u32) -> u32 {
        let bucket = &self.buckets[group];
        let few = (1..=BUCKET_SEATS as u32).contains(&bucket.len);
        self.group_of_seat.fetch(if few { bucket.seats[0] } else { 0 });
        if few {
            bucket.seats[0]
        } else {
            NONE
        }
    }

    // ------------------------------------------------------------ the tokens of the place

    /// A token arrives, at the end of the row. Returns its group.
    #[inline(always)]
    pub fn enter(&mut self, token: &[u64]) -> u32 {
        let group = self.buckets.enter(SlotsOf { token, slots: &self.slots });
        if self.seated {
            self.enter_group(group);
        } else {
            self.buckets[group].len += 1;
        }
        group
    }

    /// A token of a group arrives, at the end of the row of a bag.
    #[inline(always)]
    pub fn enter_group(&mut self, group: u32) {
        let seat = self.group_of_seat.len() as u32;
        self.group_of_seat.push(group);
        self.append(group, seat);
    }

    /// The token of a seat leaves, and the last one moves there (S4). Returns its group.
    #[inline(always)]
    pub fn leave_seat(&mut self, seat: u32) -> u32 {
        let group = self.group_of_seat[seat];
        let moved = self.group_of_seat[self.group_of_seat.len() as u32 - 1];
        if moved == group {
            self.drop_last(group);
        } else {
            self.drop(group, seat);
            self.replace_last(moved, seat);
            self.group_of_seat[seat] = moved;
        }
        self.group_of_seat.pop();
        self.release(group);
        group
    }

    /// A token leaves a place whose tokens have no seats. Returns its group.
    pub fn leave_token(&mut self, token: &[u64]) -> u32 {
        // It came with this key, so the key has its group.
        let group = self.buckets.enter(SlotsOf { token, slots: &self.slots });
        self.buckets[group].len -= 1;
        self.release(group);
        group
    }

    /// A group without tokens and waiting links returns its number, now or later.
    #[inline(always)]
    fn release(&mut self, group: u32) {
        if self.is_idle(group) && !self.is_direct() {
            self.retire(group);
        }
    }

    /// Whether a group has neither tokens nor waiting links.
    #[inline(always)]
    fn is_idle(&self, group: u32) -> bool {
        let bucket = &self.buckets[group];
        bucket.len == 0 && bucket.links == 0
    }

    /// A group is idle. If another one was idle before, that one is freed: the last is kept, as a token often returns
    /// with its key.
    #[inline(never)]
    fn retire(&mut self, group: u32) {
        let before = std::mem::replace(&mut self.idle, group);
        if before != NONE && before != group && self.is_idle(before) {
            self.buckets.forget(before);
        }
    }

    // ------------------------------------------------------------ the pivots of joins

    /// A token of a pivot waits for a key, by the link of this bit. Returns the group.
    #[inline(always)]
    pub fn want(&mut self, key: impl Key, link: u32) -> u32 {
        let group = self.buckets.enter(key);
        self.want_group(group, link);
        group
    }

    #[inline(always)]
    pub fn want_group(&mut self, group: u32, link: u32) {
        self.buckets[group].links |= link;
    }

    /// The same for the token's slots.
    #[inline(always)]
    pub fn want_slots(&mut self, token: &[u64], slots: &[u32], link: u32) -> u32 {
        self.want(SlotsOf { token, slots }, link)
    }

    /// The last token of the pivot that waited for a group by a link has left.
    #[inline(always)]
    pub fn unwant(&mut self, group: u32, link: u32) {
        self.buckets[group].links &= !link;
        self.release(group);
    }

    /// The links that have a token of their pivot waiting for a group, by bit.
    #[inline(always)]
    pub fn waiting(&self, group: u32) -> u32 {
        self.buckets[group].links
    }

    /// The join of a link, and its number there.
    #[inline(always)]
    pub fn link(&self, bit: u32) -> (JoinId, usize) {
        self.links[bit as usize]
    }

    // ------------------------------------------------------------ seats of a bucket

    /// Adds a seat that is greater than all others.
    #[inline(always)]
    fn append(&mut self, group: u32, seat: u32) {
        let bucket = &mut self.buckets[group];
        let len = bucket.len as usize;
        bucket.len += 1;
        if len < BUCKET_SEATS {
            bucket.seats[len] = seat;
        } else {
            self.append_to_list(group, seat);
        }
    }

    #[inline(never)]
    fn append_to_list(&mut self, group: u32, seat: u32) {
        let bucket = &mut self.buckets[group];
        if bucket.len as usize == BUCKET_SEATS + 1 {
            let number = self.free_lists.pop().unwrap_or(self.lists.len() as u32);
            if number as usize == self.lists.len() {
                self.lists.push(Vec::new());
            }
            self.lists[number as usize].extend(bucket.seats);
            bucket.seats[0] = number;
        }
        self.lists[bucket.seats[0] as usize].push(seat);
    }

    /// Removes the greatest seat.
    #[inline(always)]
    fn drop_last(&mut self, group: u32) {
        let bucket = &mut self.buckets[group];
        bucket.len -= 1;
        if bucket.len as usize >= BUCKET_SEATS {
            let list = bucket.seats[0] as usize;
            self.lists[list].pop();
            self.shorten(group);
        }
    }

    /// Removes a seat.
    #[inline(always)]
    fn drop(&mut self, group: u32, seat: u32) {
        let bucket = &mut self.buckets[group];
        bucket.len -= 1;
        if bucket.len as usize >= BUCKET_SEATS {
            self.drop_from_list(group, seat);
        } else {
            bucket.drop(seat);
        }
    }

    #[inline(never)]
    fn drop_from_list(&mut self, group: u32, seat: u32) {
        let list = &mut self.lists[self.buckets[group].seats[0] as usize];
        let position = list.partition_point(|&other| other < seat);
        list.remove(position);
        self.shorten(group);
    }

    /// The list of a bucket has lost a seat: few seats are kept in the bucket itself.
    fn shorten(&mut self, group: u32) {
        let bucket = &mut self.buckets[group];
        if bucket.len as usize == BUCKET_SEATS {
            let number = bucket.seats[0];
            let list = &mut self.lists[number as usize];
            bucket.seats.copy_from_slice(list);
            list.clear();
            self.free_lists.push(number);
        }
    }

    /// The token of the greatest seat has another one now.
    #[inline(always)]
    fn replace_last(&mut self, group: u32, seat: u32) {
        let bucket = &mut self.buckets[group];
        if bucket.len as usize <= BUCKET_SEATS {
            bucket.replace_last(seat);
        } else {
            self.replace_last_of_list(group, seat);
        }
    }

    #[inline(never)]
    fn replace_last_of_list(&mut self, group: u32, seat: u32) {
        let list = &mut self.lists[self.buckets[group].seats[0] as usize];
        list.pop();
        let position = list.partition_point(|&other| other < seat);
        list.insert(position, seat);
    }

    // ------------------------------------------------------------ invariants

    /// Checks the invariants, given the tokens of the place: by seat in a bag, in any order elsewhere.
    pub fn verify(&self, tokens: &[&[u64]]) -> Verified {
        self.buckets.verify()?;
        let groups = tokens.iter().map(|token| self.find_or_outside(self.key(token))).collect::<Option<Vec<u32>>>();
        ensure(groups.is_some(), "groups", || "the key of a token has none".to_owned())?;
        let groups = groups.unwrap_or_default();
        let seats = self.group_of_seat.all();
        let same = if self.seated { seats == groups } else { seats.is_empty() };
        ensure(same, "groups", || format!("{seats:?} instead of {groups:?}"))?;
        let mut expected = vec![Vec::new(); self.groups()];
        groups.iter().enumerate().for_each(|(seat, &group)| expected[group as usize].push(seat as u32));
        let mut lists = self.free_lists.clone();
        for (group, expected) in expected.iter().enumerate() {
            self.verify_bucket(group as u32, expected, &mut lists)?;
        }
        lists.sort_unstable();
        let empty = self.free_lists.iter().all(|&list| self.lists[list as usize].is_empty());
        ensure(empty && lists.iter().copied().eq(0..self.lists.len() as u32), "lists", || format!("{lists:?}"))?;
        let idle = self.buckets.in_use().into_iter().filter(|&group| self.is_idle(group) && !self.is_direct());
        let idle: Vec<u32> = idle.collect();
        ensure(idle.iter().all(|&group| group == self.idle), "idle", || format!("{idle:?}, of these {}", self.idle))
    }

    /// The group of a key in use. Where groups have ranges, keys outside are all of the last.
    pub fn find_or_outside(&self, key: impl Key) -> Option<u32> {
        self.buckets.find(key).or_else(|| self.is_direct().then(|| self.groups() as u32 - 1))
    }

    fn verify_bucket(&self, group: u32, expected: &[u32], lists: &mut Vec<u32>) -> Verified {
        let bucket = &self.buckets[group];
        let number = expected.len();
        ensure(self.len(group) == number, "buckets", || format!("{} of group {group}, not {number}", bucket.len))?;
        let known = u64::from(bucket.links) >> self.links.len() == 0;
        ensure(known, "links", || format!("{:#b} of group {group}", bucket.links))?;
        if !self.seated {
            return Ok(());
        }
        if number > BUCKET_SEATS {
            let list = bucket.seats[0];
            ensure((list as usize) < self.lists.len(), "lists", || format!("group {group} has list {list}"))?;
            lists.push(list);
        }
        let seats = self.seats(group);
        ensure(seats == expected, "buckets", || format!("{seats:?} of group {group} instead of {expected:?}"))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::base::ids::PlaceId;
    use crate::base::invariant::broken;
    use crate::collections::key_table::Extent;

    fn index(extents: Option<Vec<Extent>>, seated: bool) -> Index {
        Index::new(&IndexProgram { place: PlaceId(0), slots: vec![1], extents, seated, links: Vec::new() })
    }

    fn tokens(row: &[[u64; 2]]) -> Vec<&[u64]> {
        row.iter().map(|token| &token[..]).collect()
    }

    proptest! {
        /// Tokens come and go; compared with their list. A range that is too small leaves keys outside.
        #[test]
        fn seats_of_a_list_in_order(
            seated in any::<bool>(),
            keys in 1..12u64,
            range in prop::option::of(1..12u64),
            steps in prop::collection::vec((0..5u8, any::<prop::sample::Index>(), any::<u64>()), 0..200),
        ) {
            let mut index = index(range.map(|size| vec![Extent { low: 0, size }]), seated);
            let mut row: Vec<[u64; 2]> = Vec::new();
            for (number, (action, at, key)) in steps.into_iter().enumerate() {
                if action < 3 || row.is_empty() {
                    row.push([number as u64, key % keys]);
                    index.enter(&row[row.len() - 1]);
                } else {
                    let seat = at.index(row.len());
                    let token = row.swap_remove(seat);
                    if seated { index.leave_seat(seat as u32) } else { index.leave_token(&token) };
                }
                prop_assert_eq!(index.verify(&tokens(&row)), Ok(()));
                let key = key % keys.min(range.unwrap_or(keys));
                let expected: Vec<u32> = (0..row.len() as u32).filter(|&seat| row[seat as usize][1] == key).collect();
                let group = index.find(&[key]);
                prop_assert_eq!(group.map_or(0, |group| index.len(group)), expected.len());
                if seated {
                    prop_assert_eq!(group.map_or(&[][..], |group| index.seats(group)), expected);
                }
            }
        }
    }

    #[test]
    fn a_group_lasts_as_long_as_somebody_waits_for_it() {
        let mut index = Index::new(&IndexProgram {
            place: PlaceId(0),
            slots: vec![0],
            extents: None,
            seated: true,
            links: Vec::new(),
        });
        let group = index.want(&[7][..], 1);
        assert_eq!(index.enter(&[7]), group);
        index.leave_seat(0);
        assert_eq!((index.find(&[7]), index.waiting(group)), (Some(group), 1));
        index.unwant(group, 1);
        // The last idle group is kept for the return of its key.
        assert_eq!(index.enter(&[7]), group);
        index.leave_seat(0);
        index.enter(&[8]);
        assert_eq!(index.find(&[7]), Some(group));
        index.leave_seat(0);
        assert_eq!(index.find(&[7]), None);
        assert_eq!(index.enter(&[9]), group);
    }

    #[test]
    fn damage_is_found() {
        let damaged = |damage: fn(&mut Index)| {
            let mut index = index(None, true);
            let row: Vec<[u64; 2]> = (0..12).map(|i| [i, i % 6 / 5]).collect();
            row.iter().for_each(|token| _ = index.enter(token));
            assert_eq!(index.verify(&tokens(&row)), Ok(()));
            damage(&mut index);
            broken(index.verify(&tokens(&row)))
        };
        assert_eq!(damaged(|index| index.group_of_seat[3] = 1), "groups");
        assert_eq!(damaged(|index| index.buckets[1].seats.swap(0, 1)), "buckets");
        assert_eq!(damaged(|index| index.buckets[1].len -= 1), "buckets");
        assert_eq!(damaged(|index| index.lists[0].swap(2, 3)), "buckets");
        assert_eq!(damaged(|index| index.lists.push(Vec::new())), "lists");
        assert_eq!(damaged(|index| index.free_lists.push(0)), "lists");
        assert_eq!(damaged(|index| index.buckets[0].links = 1), "links");
        assert_eq!(damaged(|index| _ = index.buckets.enter(&[7][..])), "idle");
    }
}
