//! Indices over the tokens of a place: which tokens have given values in given slots, in order of seat.
//!
//! A *key table* numbers the keys in use: each number is a *group*. Several indices may share a table, so that equal
//! keys of different places have the same group, which is what a join needs.

/// Key spaces up to this size are numbered directly, without a hash.
pub const DIRECT_LIMIT: u64 = 1 << 16;

const EMPTY: u32 = u32::MAX;

#[derive(Clone, Debug)]
enum Numbering {
    /// Small finite slots: the group is the key's position in the product of the ranges. Keys outside, which no token
    /// of an indexed place has, are all of the last group.
    Direct { lows: Vec<i64>, sizes: Vec<u64> },
    /// Linear probing over group numbers; the load is at most a half.
    Hashed { cells: Vec<u32>, keys: Vec<u64>, free: Vec<u32> },
}

/// Numbers keys of `width` slots.
#[derive(Clone, Debug)]
pub struct KeyTable {
    width: usize,
    numbering: Numbering,
    /// Tokens with the key of each group, over all indices that share the table.
    members: Vec<u32>,
    groups: usize,
}

fn hash(key: &[u64]) -> u64 {
    let mut h = 0u64;
    for &word in key {
        h = (h.rotate_left(26) ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    }
    h ^ (h >> 32)
}

impl KeyTable {
    pub fn direct(ranges: &[(i64, i64)]) -> Self {
        let sizes: Vec<u64> = ranges.iter().map(|(low, high)| (high - low + 1) as u64).collect();
        let groups = sizes.iter().product::<u64>() as usize;
        let lows = ranges.iter().map(|range| range.0).collect();
        let numbering = Numbering::Direct { lows, sizes };
        KeyTable { width: ranges.len(), numbering, members: vec![0; groups + 1], groups: groups + 1 }
    }

    pub fn hashed(width: usize) -> Self {
        let numbering = Numbering::Hashed { cells: vec![EMPTY; 16], keys: Vec::new(), free: Vec::new() };
        KeyTable { width, numbering, members: Vec::new(), groups: 0 }
    }

    /// One more than the greatest group number so far.
    pub fn groups(&self) -> usize {
        self.groups
    }

    /// The group of a key that is in use.
    #[inline]
    pub fn find(&self, key: &[u64]) -> Option<u32> {
        match &self.numbering {
            Numbering::Direct { lows, sizes } => direct_group(lows, sizes, key),
            Numbering::Hashed { cells, keys, .. } => {
                let cell = cells[probe(cells, keys, self.width, key)];
                (cell != EMPTY).then_some(cell)
            }
        }
    }

    /// The group of a key, to which one more token belongs.
    #[inline]
    pub fn enter(&mut self, key: &[u64]) -> u32 {
        let group = match &mut self.numbering {
            Numbering::Direct { lows, sizes } => direct_group(lows, sizes, key).unwrap_or(self.groups as u32 - 1),
            Numbering::Hashed { cells, keys, free } => {
                let position = probe(cells, keys, self.width, key);
                if cells[position] == EMPTY {
                    let group = free.pop().unwrap_or(self.groups as u32);
                    cells[position] = group;
                    if group as usize == self.groups {
                        self.groups += 1;
                        keys.extend_from_slice(key);
                        self.members.push(0);
                    } else {
                        keys[group as usize * self.width..][..self.width].copy_from_slice(key);
                    }
                    if 2 * (self.groups - free.len()) > cells.len() {
                        grow(cells, keys, self.width);
                    }
                    group
                } else {
                    cells[position]
                }
            }
        };
        self.members[group as usize] += 1;
        group
    }

    /// One token fewer belongs to the group; a group without tokens gives its number back.
    #[inline]
    pub fn leave(&mut self, group: u32) {
        self.members[group as usize] -= 1;
        if self.members[group as usize] == 0 {
            if let Numbering::Hashed { cells, keys, free } = &mut self.numbering {
                let start = group as usize * self.width;
                let position = probe(cells, keys, self.width, &keys[start..start + self.width]);
                close_gap(cells, keys, self.width, position);
                free.push(group);
            }
        }
    }
}

#[inline(always)]
fn direct_group(lows: &[i64], sizes: &[u64], key: &[u64]) -> Option<u32> {
    let mut group = 0;
    for ((&low, &size), &word) in lows.iter().zip(sizes).zip(key) {
        let offset = (word as i64).wrapping_sub(low) as u64;
        if offset >= size {
            return None;
        }
        group = group * size + offset;
    }
    Some(group as u32)
}

/// The cell that holds the key's group, or the empty one where it belongs.
#[inline(always)]
fn probe(cells: &[u32], keys: &[u64], width: usize, key: &[u64]) -> usize {
    let mask = cells.len() - 1;
    let mut position = hash(key) as usize & mask;
    while cells[position] != EMPTY && keys[cells[position] as usize * width..][..width] != *key {
        position = (position + 1) & mask;
    }
    position
}

/// Removes a cell and moves later ones of its run forward, so that no search stops too early.
fn close_gap(cells: &mut [u32], keys: &[u64], width: usize, mut gap: usize) {
    let mask = cells.len() - 1;
    let mut position = gap;
    loop {
        position = (position + 1) & mask;
        let group = cells[position];
        if group == EMPTY {
            cells[gap] = EMPTY;
            return;
        }
        let home = hash(&keys[group as usize * width..][..width]) as usize & mask;
        if (position.wrapping_sub(home) & mask) >= (position.wrapping_sub(gap) & mask) {
            cells[gap] = group;
            gap = position;
        }
    }
}

#[cold]
fn grow(cells: &mut Vec<u32>, keys: &[u64], width: usize) {
    let groups: Vec<u32> = cells.iter().copied().filter(|&group| group != EMPTY).collect();
    *cells = vec![EMPTY; cells.len() * 2];
    for group in groups {
        let position = probe(cells, keys, width, &keys[group as usize * width..][..width]);
        cells[position] = group;
    }
}

/// The seats of the tokens of one group, in order. One seat, the usual number, needs no list.
#[derive(Clone, Debug, Default)]
pub struct Bucket {
    len: u32,
    only: u32,
    seats: Vec<u32>,
}

impl Bucket {
    #[inline(always)]
    pub fn len(&self) -> usize {
        self.len as usize
    }

    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The `k`-th seat in order.
    #[inline(always)]
    pub fn seat(&self, k: usize) -> usize {
        (if self.len == 1 { self.only } else { self.seats[k] }) as usize
    }

    #[inline]
    pub fn insert(&mut self, seat: u32) {
        match self.len {
            0 => self.only = seat,
            1 => {
                self.seats.clear();
                self.seats.extend([self.only.min(seat), self.only.max(seat)]);
            }
            _ => match self.seats.last() {
                Some(&last) if last > seat => {
                    let position = self.seats.partition_point(|&other| other < seat);
                    self.seats.insert(position, seat);
                }
                _ => self.seats.push(seat),
            },
        }
        self.len += 1;
    }

    #[inline]
    pub fn remove(&mut self, seat: u32) {
        if self.len > 1 {
            let position = self.seats.partition_point(|&other| other < seat);
            self.seats.remove(position);
            if self.len == 2 {
                self.only = self.seats[0];
            }
        }
        self.len -= 1;
    }

    /// A token of the bucket has another seat now.
    #[inline]
    pub fn renumber(&mut self, from: u32, to: u32) {
        if self.len == 1 {
            self.only = to;
        } else {
            self.remove(from);
            self.insert(to);
        }
    }
}

/// An index over some slots of the tokens of one place. In a bag it knows seats, elsewhere only numbers.
#[derive(Clone, Debug)]
pub struct Index {
    pub slots: Vec<u32>,
    pub table: usize,
    seated: bool,
    buckets: Vec<Bucket>,
    group_of_seat: Vec<u32>,
    key: Vec<u64>,
}

impl Index {
    pub fn new(slots: Vec<u32>, table: usize, seated: bool) -> Self {
        let key = Vec::with_capacity(slots.len());
        Index { slots, table, seated, buckets: Vec::new(), group_of_seat: Vec::new(), key }
    }

    /// The tokens of a group.
    #[inline(always)]
    pub fn bucket(&self, group: u32) -> Option<&Bucket> {
        self.buckets.get(group as usize)
    }

    #[inline(always)]
    pub fn group_of(&self, seat: usize) -> u32 {
        self.group_of_seat[seat]
    }

    fn load_key(&mut self, token: &[u64]) {
        self.key.clear();
        self.key.extend(self.slots.iter().map(|&slot| token[slot as usize]));
    }

    /// Whether a seat is taken, as far as seats are known.
    pub fn knows(&self, seat: usize) -> bool {
        !self.seated || seat < self.group_of_seat.len()
    }

    /// A token arrives, at the end of the row. Returns its group, and how many tokens that has now.
    #[inline]
    pub fn insert(&mut self, tables: &mut [KeyTable], token: &[u64]) -> (u32, usize) {
        self.load_key(token);
        let table = &mut tables[self.table];
        let group = table.enter(&self.key);
        if self.buckets.len() <= group as usize {
            self.buckets.resize_with(table.groups(), Bucket::default);
        }
        if self.seated {
            self.buckets[group as usize].insert(self.group_of_seat.len() as u32);
            self.group_of_seat.push(group);
        } else {
            self.buckets[group as usize].len += 1;
        }
        (group, self.buckets[group as usize].len())
    }

    /// The token of a seat leaves, and the last one moves there (S4).
    #[inline]
    pub fn remove_seat(&mut self, tables: &mut [KeyTable], seat: usize) {
        let group = self.group_of_seat[seat];
        let last = self.group_of_seat.len() - 1;
        self.buckets[group as usize].remove(seat as u32);
        if seat != last {
            let moved = self.group_of_seat[last];
            self.buckets[moved as usize].renumber(last as u32, seat as u32);
        }
        self.group_of_seat.swap_remove(seat);
        tables[self.table].leave(group);
    }

    /// A token leaves a place whose tokens have no seats.
    pub fn remove_token(&mut self, tables: &mut [KeyTable], token: &[u64]) {
        self.load_key(token);
        let table = &mut tables[self.table];
        if let Some(group) = table.find(&self.key) {
            self.buckets[group as usize].len -= 1;
            table.leave(group);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    /// Random arrivals and departures against a plain list.
    fn against_a_list(table: KeyTable, seed: u64) {
        let mut random = Random::new([seed, 2, 3]);
        let mut tables = vec![table];
        let mut index = Index::new(vec![1], 0, true);
        let mut row: Vec<[u64; 2]> = Vec::new();
        for step in 0..20_000u64 {
            let grow = if step < 10_000 { 0.6 } else { 0.4 };
            if row.is_empty() || random.uniform() < grow {
                let token = [step, random.equal_choice(50)];
                row.push(token);
                index.insert(&mut tables, &token);
            } else {
                let seat = random.equal_choice(row.len() as u64) as usize;
                row.swap_remove(seat);
                index.remove_seat(&mut tables, seat);
            }
            let key = random.equal_choice(50);
            let expected: Vec<usize> = (0..row.len()).filter(|&seat| row[seat][1] == key).collect();
            let found = tables[0].find(&[key]).and_then(|group| index.bucket(group));
            let seats: Vec<usize> = found.map_or(Vec::new(), |b| (0..b.len()).map(|k| b.seat(k)).collect());
            assert_eq!(seats, expected);
        }
    }

    #[test]
    fn seats_in_order() {
        against_a_list(KeyTable::hashed(1), 1);
        against_a_list(KeyTable::direct(&[(0, 49)]), 2);
    }

    #[test]
    fn numbers_of_forgotten_keys_are_used_again() {
        let mut table = KeyTable::hashed(2);
        for key in 0..100_000u64 {
            let group = table.enter(&[key, key * key]);
            table.leave(group);
        }
        assert_eq!(table.groups(), 1);
        assert_eq!(table.find(&[5, 25]), None);
    }
}
