//! Firings of one duration, which end in the order in which they start.

use crate::ids::TransitionId;
use crate::table::Table;

/// A firing that waits.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Waiting {
    pub end: f64,
    /// The number of its start.
    pub number: u64,
    pub transition: TransitionId,
    pub cell: u32,
}

/// A place in a ring.
#[derive(Clone, Copy)]
pub struct Position;

/// Of the firings of a lane only the first is among the events; the others wait in a ring.
#[derive(Clone)]
pub struct Lane {
    pub ring: Table<Position, Waiting>,
    /// One less than the places of the ring, a power of two.
    pub mask: u64,
    /// Where the first waits.
    pub head: u64,
    /// The firings that wait, and the one that is among the events.
    pub firings: u64,
}

impl Default for Lane {
    fn default() -> Self {
        Lane { ring: Table::from_iter([Waiting::default()]), mask: 0, head: 0, firings: 0 }
    }
}

impl Lane {
    /// A firing, which is counted already, waits behind the others.
    #[inline(always)]
    pub fn push(&mut self, last: Waiting) {
        let others = self.firings - 2;
        if others > self.mask {
            self.grow();
        }
        self.ring[((self.head + others) & self.mask) as usize] = last;
    }

    /// The first that waits, if any does; the one before it is not counted any more.
    #[inline(always)]
    pub fn pop(&mut self) -> Option<Waiting> {
        if self.firings == 0 {
            return None;
        }
        let first = self.ring[self.head as usize];
        self.head = (self.head + 1) & self.mask;
        Some(first)
    }

    /// Doubles the places of the ring, all of which are taken.
    #[cold]
    fn grow(&mut self) {
        let (behind, first) = self.ring.split_at(self.head as usize);
        let free = vec![Waiting::default(); self.ring.len()];
        self.ring = first.iter().chain(behind).copied().chain(free).collect();
        (self.mask, self.head) = (2 * self.mask + 1, 0);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use super::*;
    use crate::random::Random;

    #[test]
    fn first_in_first_out() {
        let mut random = Random::new([1, 2, 3]);
        let (mut lane, mut queue) = (Lane::default(), VecDeque::new());
        for number in 0..20_000 {
            let grow = if number % 5_000 < 2_500 { 0.6 } else { 0.4 };
            if random.uniform() < grow {
                lane.firings += 1;
                if lane.firings > 1 {
                    let waiting = Waiting { number, ..Waiting::default() };
                    lane.push(waiting);
                    queue.push_back(waiting);
                }
            } else if lane.firings > 0 {
                lane.firings -= 1;
                assert_eq!(lane.pop(), queue.pop_front());
            }
        }
    }
}
