//! Numbers for the keys in use: each number is a *group*.

/// Key spaces up to this size are numbered directly, without a hash.
pub const DIRECT_LIMIT: u64 = 1 << 16;

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
pub struct Span {
    pub low: i64,
    pub size: u64,
}

#[derive(Clone, Debug)]
enum Numbering {
    /// Small finite slots: the group is the key's position in the product of the ranges. Keys outside, which no token
    /// of an indexed place has, are all of the last group.
    Direct(Box<[Span]>),
    Hashed(Hashed),
}

/// Linear probing over group numbers; the load is at most a half.
#[derive(Clone, Debug)]
struct Hashed {
    width: usize,
    /// One more than the greatest group number so far.
    groups: usize,
    cells: Vec<u32>,
    keys: Vec<u64>,
    free: Vec<u32>,
}

#[derive(Clone, Debug)]
pub struct KeyTable {
    numbering: Numbering,
    groups: usize,
}

impl KeyTable {
    pub fn direct(ranges: &[(i64, i64)]) -> Self {
        let spans = ranges.iter().map(|&(low, high)| Span { low, size: (high - low + 1) as u64 });
        let spans: Box<[Span]> = spans.collect();
        let groups = spans.iter().map(|span| span.size).product::<u64>() as usize + 1;
        KeyTable { numbering: Numbering::Direct(spans), groups }
    }

    pub fn hashed(width: usize) -> Self {
        let hashed = Hashed { width, groups: 0, cells: vec![EMPTY; 16], keys: Vec::new(), free: Vec::new() };
        KeyTable { numbering: Numbering::Hashed(hashed), groups: 0 }
    }

    /// One more than the greatest group number so far.
    #[inline(always)]
    pub fn groups(&self) -> usize {
        self.groups
    }

    /// The ranges of the slots, where keys are numbered directly.
    pub fn spans(&self) -> Option<&[Span]> {
        match &self.numbering {
            Numbering::Direct(spans) => Some(spans),
            Numbering::Hashed(_) => None,
        }
    }

    /// The group of a key that may be in use.
    #[inline(always)]
    pub fn find(&self, key: impl Key) -> Option<u32> {
        match &self.numbering {
            Numbering::Direct(spans) => direct_group(spans, key),
            Numbering::Hashed(hashed) => {
                let group = hashed.cells[hashed.probe(key)];
                (group != EMPTY).then_some(group)
            }
        }
    }

    /// The group of a key that is in use from now on.
    #[inline(always)]
    pub fn enter(&mut self, key: impl Key) -> u32 {
        match &mut self.numbering {
            Numbering::Direct(spans) => direct_group(spans, key).unwrap_or(self.groups as u32 - 1),
            Numbering::Hashed(hashed) => {
                let group = hashed.enter(key);
                self.groups = hashed.groups;
                group
            }
        }
    }

    /// A key is not in use any more: the number of its group may go to another.
    #[inline(always)]
    pub fn forget(&mut self, group: u32) {
        if let Numbering::Hashed(hashed) = &mut self.numbering {
            hashed.forget(group);
        }
    }
}

#[inline(always)]
fn direct_group(spans: &[Span], key: impl Key) -> Option<u32> {
    let mut group = 0;
    for (position, span) in spans.iter().enumerate() {
        let offset = key.word(position).wrapping_sub(span.low as u64);
        if offset >= span.size {
            return None;
        }
        group = group * span.size + offset;
    }
    Some(group as u32)
}

impl Hashed {
    #[inline(always)]
    fn home(&self, key: impl Key) -> usize {
        let mut h = 0u64;
        for position in 0..self.width {
            h = (h.rotate_left(26) ^ key.word(position)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        }
        (h ^ (h >> 32)) as usize & (self.cells.len() - 1)
    }

    fn key(&self, group: u32) -> &[u64] {
        &self.keys[group as usize * self.width..][..self.width]
    }

    #[inline(always)]
    fn is_of(&self, group: u32, key: impl Key) -> bool {
        let own = self.key(group);
        (0..self.width).all(|position| own[position] == key.word(position))
    }

    /// The cell that holds the key's group, or the empty one where it belongs.
    #[inline(always)]
    fn probe(&self, key: impl Key) -> usize {
        let mask = self.cells.len() - 1;
        let mut position = self.home(key);
        while self.cells[position] != EMPTY && !self.is_of(self.cells[position], key) {
            position = (position + 1) & mask;
        }
        position
    }

    #[inline(always)]
    fn enter(&mut self, key: impl Key) -> u32 {
        let position = self.probe(key);
        match self.cells[position] {
            EMPTY => self.add(position, key),
            group => group,
        }
    }

    #[inline(never)]
    fn add(&mut self, position: usize, key: impl Key) -> u32 {
        let words = (0..self.width).map(|position| key.word(position));
        let group = match self.free.pop() {
            Some(group) => {
                let start = group as usize * self.width;
                self.keys[start..start + self.width].iter_mut().zip(words).for_each(|(own, word)| *own = word);
                group
            }
            None => {
                self.keys.extend(words);
                self.groups += 1;
                self.groups as u32 - 1
            }
        };
        self.cells[position] = group;
        if 2 * (self.groups - self.free.len()) > self.cells.len() {
            self.grow();
        }
        group
    }

    #[cold]
    fn grow(&mut self) {
        let empty = vec![EMPTY; self.cells.len() * 2];
        let groups = std::mem::replace(&mut self.cells, empty);
        for group in groups.into_iter().filter(|&group| group != EMPTY) {
            let position = self.probe(self.key(group));
            self.cells[position] = group;
        }
    }

    #[inline(never)]
    fn forget(&mut self, group: u32) {
        let position = self.probe(self.key(group));
        self.close_gap(position);
        self.free.push(group);
    }

    /// Removes a cell and moves later ones of its run forward, so that no search stops too early.
    fn close_gap(&mut self, mut gap: usize) {
        let mask = self.cells.len() - 1;
        let mut position = gap;
        loop {
            position = (position + 1) & mask;
            let group = self.cells[position];
            if group == EMPTY {
                self.cells[gap] = EMPTY;
                return;
            }
            let home = self.home(self.key(group));
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
        let mut table = KeyTable::hashed(2);
        for key in 0..100_000u64 {
            let group = table.enter(&[key, key * key][..]);
            table.forget(group);
        }
        assert_eq!(table.groups(), 1);
        assert_eq!(table.find(&[5, 25][..]), None);
    }

    #[test]
    fn keys_outside_the_ranges_share_the_last_group() {
        let mut table = KeyTable::direct(&[(-1, 1), (0, 3)]);
        assert_eq!(table.enter(&[0, 2][..]), 6);
        assert_eq!(table.enter(&[0, 4][..]), 12);
        assert_eq!(table.enter(&[u64::MAX - 1, 0][..]), 12);
        assert_eq!(table.find(&[2, 0][..]), None);
        assert_eq!(table.groups(), 13);
    }
}
