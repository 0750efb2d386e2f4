//! The firings in progress, in order of their end, and among equal ends of their start (S5).

use std::collections::VecDeque;

use crate::ids::TransitionId;

/// Children of a node of the heap: four make it flat, and they share a cache line or two.
const ARITY: usize = 4;

/// A firing in progress.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ending {
    /// The bits of the end, which is not negative, so they are in its order; then the number of the firing.
    order: u128,
    pub transition: TransitionId,
    /// Where its record is held.
    cell: u32,
    lane: u32,
}

/// No lane.
pub const NO_LANE: u32 = u32::MAX;

impl Ending {
    #[inline(always)]
    pub fn end(&self) -> f64 {
        f64::from_bits((self.order >> 64) as u64)
    }
}

/// Records of one transition's firings in progress, all of the same size.
#[derive(Clone, Debug, Default)]
struct Pool {
    words: Vec<u64>,
    free: Vec<u32>,
}

/// Firings of one duration end in the order in which they start: a queue holds them, and only its first is in the heap.
#[derive(Clone, Debug, Default)]
struct Lane {
    waiting: VecDeque<Ending>,
    occupied: bool,
}

pub struct Agenda {
    heap: Vec<Ending>,
    lanes: Vec<Lane>,
    pools: Vec<Pool>,
    len: usize,
    /// The first entry of the heap has ended. Most often another firing begins at once and takes its place, which
    /// costs less than closing the gap and making another.
    gap: bool,
}

impl Agenda {
    pub fn new(transitions: usize, lanes: usize) -> Self {
        Agenda {
            heap: Vec::new(),
            lanes: vec![Lane::default(); lanes],
            pools: vec![Pool::default(); transitions],
            len: 0,
            gap: false,
        }
    }

    /// The earliest end among the firings in progress.
    #[inline(always)]
    pub fn next_end(&self) -> Option<f64> {
        if self.gap {
            let children = self.heap.get(1..self.heap.len().min(ARITY + 1)).unwrap_or_default();
            // The bits of ends are in the order of the ends.
            children.iter().map(|ending| (ending.order >> 64) as u64).min().map(f64::from_bits)
        } else {
            self.heap.first().map(Ending::end)
        }
    }

    /// A firing begins; `record` is what it will deposit. All firings of a lane have the same duration.
    #[inline(always)]
    pub fn begin(&mut self, end: f64, serial: u64, transition: TransitionId, lane: u32, record: &[u64]) {
        let cell = if record.is_empty() { 0 } else { self.pools[transition.at()].hold(record) };
        let ending = Ending { order: u128::from(end.to_bits()) << 64 | u128::from(serial), transition, cell, lane };
        self.len += 1;
        if let Some(lane) = self.lanes.get_mut(lane as usize) {
            if lane.occupied {
                lane.waiting.push_back(ending);
                return;
            }
            lane.occupied = true;
        }
        if self.gap {
            self.gap = false;
            self.sift_down(ending);
        } else {
            self.sift_up(ending);
        }
    }

    #[inline(always)]
    fn sift_up(&mut self, ending: Ending) {
        let mut position = self.heap.len();
        self.heap.push(ending);
        while position > 0 {
            let parent = (position - 1) / ARITY;
            if self.heap[parent].order < ending.order {
                break;
            }
            self.heap[position] = self.heap[parent];
            position = parent;
        }
        self.heap[position] = ending;
    }

    /// The first firing in order ends.
    #[inline(always)]
    pub fn end_first(&mut self) -> Option<Ending> {
        if self.gap {
            self.close_gap();
        }
        let first = *self.heap.first()?;
        self.len -= 1;
        if let Some(lane) = self.lanes.get_mut(first.lane as usize) {
            if let Some(next) = lane.waiting.pop_front() {
                self.sift_down(next);
                return Some(first);
            }
            lane.occupied = false;
        }
        self.gap = true;
        Some(first)
    }

    fn close_gap(&mut self) {
        self.gap = false;
        if let Some(last) = self.heap.pop() {
            if !self.heap.is_empty() {
                self.sift_down(last);
            }
        }
    }

    /// Puts an entry where the first one was.
    #[inline(always)]
    fn sift_down(&mut self, entry: Ending) {
        let heap = self.heap.as_mut_slice();
        let mut position = 0;
        loop {
            let start = ARITY * position + 1;
            let children = if start + ARITY <= heap.len() { start..start + ARITY } else { start..heap.len() };
            if children.is_empty() {
                break;
            }
            let mut least = start;
            let mut order = heap[start].order;
            for child in children.skip(1) {
                let other = heap[child].order;
                if other < order {
                    (least, order) = (child, other);
                }
            }
            if entry.order < order {
                break;
            }
            heap[position] = heap[least];
            position = least;
        }
        heap[position] = entry;
    }

    /// Hands out the record of a firing that has ended.
    #[inline(always)]
    pub fn release(&mut self, ending: &Ending, words: usize, record: &mut Vec<u64>) {
        record.clear();
        if words > 0 {
            let pool = &mut self.pools[ending.transition.at()];
            let start = ending.cell as usize * words;
            record.extend_from_slice(&pool.words[start..start + words]);
            pool.free.push(ending.cell);
        }
    }

    /// Firings in progress.
    pub fn len(&self) -> usize {
        self.len
    }

    pub fn is_empty(&self) -> bool {
        self.len == 0
    }
}

impl Pool {
    #[inline(always)]
    fn hold(&mut self, record: &[u64]) -> u32 {
        match self.free.pop() {
            Some(cell) => {
                let start = cell as usize * record.len();
                self.words[start..start + record.len()].copy_from_slice(record);
                cell
            }
            None => {
                self.words.extend_from_slice(record);
                (self.words.len() / record.len() - 1) as u32
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    #[test]
    fn s5_by_end_and_then_by_start() {
        let mut random = Random::new([4, 5, 6]);
        let mut agenda = Agenda::new(3, 2);
        let mut expected = Vec::new();
        for serial in 0..500u64 {
            // Two lanes, of durations 5 and 9, and a transition without.
            let transition = TransitionId(random.equal_choice(3) as u32);
            let start = serial as f64 / 10.0;
            let (end, lane) = match transition.0 {
                0 => (start.floor() + 5.0, 0),
                1 => (start.floor() + 9.0, 1),
                _ => (random.equal_choice(60) as f64, NO_LANE),
            };
            agenda.begin(end, serial, transition, lane, &[serial, end as u64]);
            expected.push((end as u64, serial, transition));
        }
        expected.sort();
        let mut record = Vec::new();
        for (end, serial, transition) in expected {
            assert_eq!(agenda.next_end(), Some(end as f64));
            let ending = agenda.end_first().expect("a firing");
            agenda.release(&ending, 2, &mut record);
            assert_eq!((ending.transition, record.as_slice()), (transition, [serial, end].as_slice()));
        }
        assert!(agenda.is_empty());
    }
}
