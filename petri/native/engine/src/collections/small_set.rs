//! A sorted set of at most four numbers.

/// Numbers that there is room for.
const ROOM: usize = 4;

/// The members of a large set, in order, as long as they are few: then which of them is the k-th needs no search through memory
/// that is seldom in the cache. Where a number stands is as chance has it, so no branch depends on it.
#[derive(Clone, Debug)]
pub struct SmallSortedSet {
    /// What stands behind the last one is greater than any number.
    numbers: [u32; ROOM],
    len: usize,
}

impl Default for SmallSortedSet {
    fn default() -> Self {
        SmallSortedSet { numbers: [u32::MAX; ROOM], len: 0 }
    }
}

impl SmallSortedSet {
    #[inline(always)]
    pub fn all(&self) -> &[u32] {
        &self.numbers[..self.len]
    }

    #[inline(always)]
    pub fn contains(&self, number: u32) -> bool {
        self.numbers.iter().fold(false, |found, &other| found | (other == number))
    }

    /// A number that was no member is one. Returns whether there is room.
    #[inline(always)]
    pub fn insert(&mut self, number: u32) -> bool {
        if self.len == ROOM {
            return false;
        }
        let before = self.numbers;
        self.numbers[0] = before[0].min(number);
        for i in 1..ROOM {
            self.numbers[i] = before[i].min(before[i - 1].max(number));
        }
        self.len += 1;
        true
    }

    /// A number is no member any more. Returns whether it was one of these.
    #[inline(always)]
    pub fn remove(&mut self, number: u32) -> bool {
        if !self.contains(number) {
            return false;
        }
        let before = self.numbers;
        for i in 0..ROOM {
            let next = before.get(i + 1).copied().unwrap_or(u32::MAX);
            self.numbers[i] = if before[i] < number { before[i] } else { next };
        }
        self.len -= 1;
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn in_order_as_far_as_there_is_room() {
        let mut set = SmallSortedSet::default();
        [5, 1, 9, 3].into_iter().for_each(|number| assert!(set.insert(number)));
        assert_eq!(set.all(), [1, 3, 5, 9]);
        assert_eq!([set.remove(3), set.remove(4)], [true, false]);
        assert_eq!(set.all(), [1, 5, 9]);
        assert_eq!([set.insert(7), set.insert(2)], [true, false]);
        assert_eq!(set.all(), [1, 5, 7, 9]);
        (1..10).for_each(|number| _ = set.remove(number));
        assert!(set.all().is_empty());
    }
}
