//! The firings in progress, in order of their end, and among equal ends of their start (S5).

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
}

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

pub struct Agenda {
    heap: Vec<Ending>,
    pools: Vec<Pool>,
}

impl Agenda {
    pub fn new(transitions: usize) -> Self {
        Agenda { heap: Vec::new(), pools: vec![Pool::default(); transitions] }
    }

    /// The earliest end among the firings in progress.
    #[inline(always)]
    pub fn next_end(&self) -> Option<f64> {
        self.heap.first().map(Ending::end)
    }

    /// A firing begins; `record` is what it will deposit.
    #[inline(always)]
    pub fn begin(&mut self, end: f64, serial: u64, transition: TransitionId, record: &[u64]) {
        let cell = if record.is_empty() { 0 } else { self.pools[transition.at()].hold(record) };
        let ending = Ending { order: u128::from(end.to_bits()) << 64 | u128::from(serial), transition, cell };
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

    /// The first firing in order ends; its record, of so many words, replaces what `record` holds.
    #[inline(always)]
    pub fn end_first(&mut self) -> Option<Ending> {
        let last = self.heap.pop()?;
        let Some(&first) = self.heap.first() else { return Some(last) };
        let len = self.heap.len();
        let mut position = 0;
        loop {
            let start = ARITY * position + 1;
            if start >= len {
                break;
            }
            let mut least = start;
            for child in start + 1..(start + ARITY).min(len) {
                if self.heap[child].order < self.heap[least].order {
                    least = child;
                }
            }
            if last.order < self.heap[least].order {
                break;
            }
            self.heap[position] = self.heap[least];
            position = least;
        }
        self.heap[position] = last;
        Some(first)
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
        self.heap.len()
    }

    pub fn is_empty(&self) -> bool {
        self.heap.is_empty()
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
        let mut agenda = Agenda::new(3);
        let mut expected = Vec::new();
        for serial in 0..500u64 {
            let end = random.equal_choice(40) as f64;
            let transition = TransitionId(random.equal_choice(3) as u32);
            agenda.begin(end, serial, transition, &[serial, end as u64]);
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
