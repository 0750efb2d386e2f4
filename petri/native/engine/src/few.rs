//! A few of many numbers.

/// Numbers that there is room for.
const ROOM: usize = 8;

/// Some members of a large set, in order. As long as the set has had few, they are all: then which of them is the k-th needs
/// no search through memory that is seldom in the cache. A member that finds no room is left out, so they are all if they
/// are as many as the set has.
#[derive(Clone, Debug, Default)]
pub struct Few {
    numbers: [u32; ROOM],
    len: usize,
}

impl Few {
    #[inline(always)]
    pub fn all(&self) -> &[u32] {
        &self.numbers[..self.len]
    }

    /// A number that was no member is one.
    #[inline(always)]
    pub fn insert(&mut self, number: u32) {
        if self.len == ROOM {
            return;
        }
        let mut position = self.len;
        while position > 0 && self.numbers[position - 1] > number {
            self.numbers[position] = self.numbers[position - 1];
            position -= 1;
        }
        self.numbers[position] = number;
        self.len += 1;
    }

    /// A number is no member any more.
    #[inline(always)]
    pub fn remove(&mut self, number: u32) {
        if let Some(position) = self.all().iter().position(|&other| other == number) {
            self.numbers.copy_within(position + 1..self.len, position);
            self.len -= 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn in_order_as_far_as_there_is_room() {
        let mut few = Few::default();
        [5, 1, 9, 3].into_iter().for_each(|number| few.insert(number));
        assert_eq!(few.all(), [1, 3, 5, 9]);
        few.remove(3);
        few.remove(4);
        assert_eq!(few.all(), [1, 5, 9]);
        (20..30).for_each(|number| few.insert(number));
        assert_eq!(few.all(), [1, 5, 9, 20, 21, 22, 23, 24]);
        (1..25).for_each(|number| few.remove(number));
        assert!(few.all().is_empty());
    }
}
