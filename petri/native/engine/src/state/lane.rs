//! Firings of one duration, which end in the order in which they start.

use crate::base::ids::TransitionId;
use crate::base::reuse::clone_into_fields;
use crate::base::ticks::Ticks;
use crate::collections::records::Records;

/// A firing of a lane.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub struct Waiting {
    pub end: Ticks,
    /// The number of its start.
    pub number: u64,
    pub transition: TransitionId,
    unused: u32,
}

impl Waiting {
    pub fn new(end: Ticks, number: u64, transition: TransitionId) -> Self {
        Waiting { end, number, transition, unused: 0 }
    }
}

/// The firings of a lane, with their records, in a ring. Only the first of them is among the events.
pub struct Lane {
    pub ring: Records<Waiting>,
    /// One less than the places of the ring, a power of two.
    pub mask: u64,
    /// Where the first is.
    pub head: u64,
    pub firings: u64,
}

clone_into_fields!(Lane { ring, mask, head, firings });

impl Lane {
    /// For firings with records of at most `width` words.
    pub fn new(width: usize) -> Self {
        Lane { ring: Records::new(width, 1), mask: 0, head: 0, firings: 0 }
    }

    /// Appends a firing. Returns its place in the ring.
    #[inline(always)]
    pub fn push(&mut self, last: Waiting) -> usize {
        self.make_room();
        let place = ((self.head + self.firings) & self.mask) as usize;
        self.firings += 1;
        self.ring.set_head(place, last);
        place
    }

    /// Removes the first firing. Returns its place, which keeps its record until another firing takes it.
    #[inline(always)]
    pub fn pop(&mut self) -> usize {
        let place = self.head as usize;
        self.head = (self.head + 1) & self.mask;
        self.firings -= 1;
        place
    }

    /// The first firing, if there is one.
    #[inline(always)]
    pub fn first(&self) -> Option<Waiting> {
        (self.firings > 0).then(|| self.ring.head(self.head as usize))
    }

    /// The last firing, if there is one.
    pub fn last(&self) -> Option<Waiting> {
        let last = self.firings.checked_sub(1)?;
        Some(self.ring.head(((self.head + last) & self.mask) as usize))
    }

    /// The firings, the first one first, with their records.
    pub fn listed(&self) -> impl Iterator<Item = (Waiting, &[u64])> {
        let places = (0..self.firings).map(|n| ((self.head + n) & self.mask) as usize);
        places.map(|place| (self.ring.head(place), self.ring.record(place)))
    }

    /// Ensures that there is a place for one more firing.
    #[inline(always)]
    pub fn make_room(&mut self) {
        if self.firings > self.mask {
            self.grow();
        }
    }

    /// Doubles the places of the ring, all of which are taken.
    #[cold]
    fn grow(&mut self) {
        self.ring.double_from(self.head as usize, self.mask as usize + 1);
        (self.mask, self.head) = (2 * self.mask + 1, 0);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use super::*;
    use crate::base::random::Random;

    #[test]
    fn first_in_first_out() {
        let mut random = Random::new([1, 2, 3]);
        let (mut lane, mut queue) = (Lane::new(2), VecDeque::new());
        for number in 0..20_000 {
            let grow = if number % 5_000 < 2_500 { 0.6 } else { 0.4 };
            if random.uniform() < grow {
                let place = lane.push(Waiting::new(5, number, TransitionId(7)));
                lane.ring.record_mut(place)[..2].copy_from_slice(&[number, 3 * number]);
                queue.push_back(number);
            } else if let Some(expected) = queue.pop_front() {
                assert_eq!(lane.first(), Some(Waiting::new(5, expected, TransitionId(7))));
                let place = lane.pop();
                assert_eq!(lane.ring.record(place)[..2], [expected, 3 * expected]);
            }
        }
    }
}
