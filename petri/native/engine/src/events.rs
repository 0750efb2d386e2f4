//! A list of events, earliest first, that suits few and many.
//!
//! Few events stand in a sorted row, where a new one moves those behind it: that is a short loop over one or two cache
//! lines. Many stand in a heap of four children to a node.

/// Children of a node of the heap: four make it flat, and they share a cache line or two.
const ARITY: usize = 4;
/// A row longer than this becomes a heap, …
const LONGEST_ROW: usize = 32;
/// … and a heap of fewer events a row.
const SMALLEST_HEAP: usize = 8;

/// Something that happens at a time.
pub trait Event: Copy {
    /// The time. It is finite.
    fn time(&self) -> f64;

    /// Whether it comes before another event: earlier, or at the same time and first for another reason.
    fn precedes(&self, other: &Self) -> bool;
}

pub struct Events<E> {
    /// Few events in order, behind `used` others that are over.
    row: Vec<E>,
    used: usize,
    /// Many events; empty while they are few.
    heap: Vec<E>,
    /// The first entry of the heap is over. Most often another event comes at once and takes its place, which costs less
    /// than closing the gap and making another.
    gap: bool,
}

impl<E: Event> Default for Events<E> {
    fn default() -> Self {
        Events { row: Vec::with_capacity(4 * LONGEST_ROW), used: 0, heap: Vec::new(), gap: false }
    }
}

impl<E: Event> Events<E> {
    #[inline(always)]
    pub fn insert(&mut self, event: E) {
        if self.heap.is_empty() {
            self.insert_in_row(event);
        } else if self.gap {
            self.gap = false;
            self.sift_down(event);
        } else {
            self.sift_up(event);
        }
    }

    #[inline(always)]
    fn insert_in_row(&mut self, event: E) {
        if self.row.len() == self.row.capacity() {
            self.row.drain(..self.used);
            self.used = 0;
        }
        // The row is short and most events come near its end: a search by halves would take longer.
        let mut position = self.row.len();
        self.row.push(event);
        let row = self.row.as_mut_slice();
        while position > self.used && event.precedes(&row[position - 1]) {
            row[position] = row[position - 1];
            position -= 1;
        }
        row[position] = event;
        if self.row.len() - self.used > LONGEST_ROW {
            // What is sorted is a heap.
            self.heap.extend(self.row.drain(..).skip(self.used));
            self.used = 0;
        }
    }

    /// The earliest event.
    #[inline(always)]
    pub fn first(&self) -> Option<&E> {
        if self.heap.is_empty() {
            self.row.get(self.used)
        } else if self.gap {
            let children = self.heap.get(1..self.heap.len().min(ARITY + 1)).unwrap_or_default();
            children.iter().reduce(|least, other| if other.precedes(least) { other } else { least })
        } else {
            self.heap.first()
        }
    }

    /// Removes the earliest event.
    #[inline(always)]
    pub fn pop(&mut self) -> Option<E> {
        if self.heap.is_empty() {
            let first = *self.row.get(self.used)?;
            self.used += 1;
            return Some(first);
        }
        if self.gap {
            self.close_gap();
        }
        let first = self.heap[0];
        self.gap = true;
        if self.heap.len() <= SMALLEST_HEAP {
            self.become_row();
        }
        Some(first)
    }

    /// The events of the heap, whose first is over, become a row.
    #[cold]
    fn become_row(&mut self) {
        self.gap = false;
        self.row.clear();
        self.used = 0;
        let events = std::mem::take(&mut self.heap);
        events.iter().skip(1).for_each(|&event| self.insert_in_row(event));
        self.heap = events;
        self.heap.clear();
    }

    fn close_gap(&mut self) {
        self.gap = false;
        if let Some(last) = self.heap.pop() {
            self.sift_down(last);
        }
    }

    #[inline(always)]
    fn sift_up(&mut self, event: E) {
        let mut position = self.heap.len();
        self.heap.push(event);
        while position > 0 {
            let parent = (position - 1) / ARITY;
            if self.heap[parent].precedes(&event) {
                break;
            }
            self.heap[position] = self.heap[parent];
            position = parent;
        }
        self.heap[position] = event;
    }

    /// Puts an event where the first one was.
    #[inline(always)]
    fn sift_down(&mut self, event: E) {
        let heap = self.heap.as_mut_slice();
        let mut position = 0;
        loop {
            let start = ARITY * position + 1;
            let children = start..(start + ARITY).min(heap.len());
            if children.is_empty() {
                break;
            }
            let mut least = start;
            for child in children.skip(1) {
                if heap[child].precedes(&heap[least]) {
                    least = child;
                }
            }
            if event.precedes(&heap[least]) {
                break;
            }
            heap[position] = heap[least];
            position = least;
        }
        heap[position] = event;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    #[derive(Clone, Copy, Debug, PartialEq)]
    struct Numbered(f64, u64);

    impl Event for Numbered {
        fn time(&self) -> f64 {
            self.0
        }

        fn precedes(&self, other: &Self) -> bool {
            (self.0, self.1) < (other.0, other.1)
        }
    }

    /// So many events, each followed by another after a random time, against a sorted list.
    fn against_a_list(events: u64, steps: u64, mut delay: impl FnMut(&mut Random) -> f64) {
        let mut random = Random::new([events, 7, 1]);
        let mut events_list = Events::default();
        let mut list = std::collections::BTreeSet::new();
        let mut number = 0;
        let mut begin =
            |now: f64, events_list: &mut Events<Numbered>, list: &mut std::collections::BTreeSet<(u64, u64)>| {
                let time = now + delay(&mut random);
                events_list.insert(Numbered(time, number));
                list.insert((time.to_bits(), number));
                number += 1;
            };
        (0..events).for_each(|_| begin(0.0, &mut events_list, &mut list));
        for step in 0..steps {
            let expected = list.pop_first().map(|(time, number)| Numbered(f64::from_bits(time), number));
            assert_eq!(events_list.first().copied(), expected);
            assert_eq!(events_list.pop(), expected);
            let Some(Numbered(now, _)) = expected else { continue };
            // Waves: the list empties and fills again.
            for _ in 0..[1, 1, 2, 0][(step / events.max(1)) as usize % 4] {
                begin(now, &mut events_list, &mut list);
            }
            if list.is_empty() {
                (0..events).for_each(|_| begin(now, &mut events_list, &mut list));
            }
        }
    }

    #[test]
    fn in_order_whatever_the_times() {
        for events in [1, 5, 40, 300, 5000] {
            let steps = 20 * events + 2000;
            against_a_list(events, steps, Random::exponential);
            against_a_list(events, steps, |random| random.equal_choice(4) as f64);
            against_a_list(events, steps, |_| 1.0);
            against_a_list(events, steps, |random| random.uniform().powi(30) * 1e9);
            against_a_list(events, steps, |random| [1e-12, 5.0, 1e15][random.equal_choice(3) as usize]);
            against_a_list(events, steps, |random| 1e15 + random.uniform());
        }
    }

    #[test]
    fn empty_and_filled_again() {
        let mut events_list = Events::default();
        assert_eq!(events_list.first(), None);
        for wave in 0..5 {
            (0..100).rev().for_each(|i| events_list.insert(Numbered(f64::from(wave * 1000 + i), 0)));
            (0..100).for_each(|i| assert_eq!(events_list.pop(), Some(Numbered(f64::from(wave * 1000 + i), 0))));
            assert_eq!(events_list.pop(), None);
        }
    }
}
