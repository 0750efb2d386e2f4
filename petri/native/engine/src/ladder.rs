//! A list of events, earliest first, that suits few and many (after Tang, Goh & Thng, "Ladder queue", 2005).
//!
//! Few events stand in a sorted row. When it grows long, its events are spread over the buckets of a *rung*, each bucket a
//! span of time; events later than all of these wait in a heap of their own, unsorted. The next bucket becomes the row
//! when the row is used up, or another rung where the bucket is full. So an event is moved a few times, whatever their number.

/// A row longer than this is spread over a rung.
const LONGEST_ROW: usize = 32;
/// Events in a bucket, on average, when a rung is made.
const SHARE: usize = 4;
/// Rungs on top of one another; the last one's buckets are sorted however full they are.
const MOST_RUNGS: usize = 8;

/// Something that happens at a time.
pub trait Event: Copy {
    /// The time. It is finite.
    fn time(&self) -> f64;

    /// Whether it comes before another event: earlier, or at the same time and first for another reason.
    fn precedes(&self, other: &Self) -> bool;
}

/// Spans of time of equal width, from a start.
struct Rung<E> {
    start: f64,
    /// Buckets for a unit of time.
    density: f64,
    buckets: Vec<Vec<E>>,
    /// The first bucket that has not been used up.
    current: usize,
}

impl<E: Event> Rung<E> {
    /// Spreads events over buckets; none if their times are too close.
    fn of(events: &[E], spare: &mut Vec<Vec<E>>) -> Option<Self> {
        let mut times = events.iter().map(Event::time);
        let first = times.next()?;
        let (start, end) = times.fold((first, first), |(low, high), time| (low.min(time), high.max(time)));
        let count = events.len() / SHARE + 1;
        let density = count as f64 / (end - start);
        if !density.is_finite() {
            return None;
        }
        let buckets = (0..count).map(|_| spare.pop().unwrap_or_default()).collect();
        let mut rung = Rung { start, density, buckets, current: 0 };
        for &event in events {
            let bucket = rung.bucket(event.time());
            rung.buckets[bucket].push(event);
        }
        Some(rung)
    }

    /// Where a time belongs: never before the bucket of an earlier time, which rounding cannot change.
    #[inline(always)]
    fn bucket(&self, time: f64) -> usize {
        (((time - self.start) * self.density) as usize).min(self.buckets.len() - 1)
    }
}

pub struct Ladder<E> {
    /// The earliest events, in order, behind `used` others that are over.
    row: Vec<E>,
    used: usize,
    /// Where the row is spread. It grows while its events are too close to be told apart.
    longest: usize,
    /// The coarsest first.
    rungs: Vec<Rung<E>>,
    /// Events later than `horizon`.
    late: Vec<E>,
    horizon: f64,
    spare: Vec<Vec<E>>,
}

impl<E: Event> Default for Ladder<E> {
    fn default() -> Self {
        Ladder {
            row: Vec::with_capacity(4 * LONGEST_ROW),
            used: 0,
            longest: LONGEST_ROW,
            rungs: Vec::new(),
            late: Vec::new(),
            horizon: f64::INFINITY,
            spare: Vec::new(),
        }
    }
}

impl<E: Event> Ladder<E> {
    #[inline(always)]
    pub fn insert(&mut self, event: E) {
        if self.rungs.is_empty() && event.time() <= self.horizon {
            self.insert_in_row(event);
        } else {
            self.insert_later(event);
        }
    }

    fn insert_later(&mut self, event: E) {
        if event.time() > self.horizon {
            self.late.push(event);
            return;
        }
        for rung in &mut self.rungs {
            let bucket = rung.bucket(event.time());
            if bucket >= rung.current {
                rung.buckets[bucket].push(event);
                return;
            }
        }
        self.insert_in_row(event);
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
        if self.row.len() - self.used > self.longest {
            self.spread_row();
        }
    }

    #[cold]
    fn spread_row(&mut self) {
        match Rung::of(&self.row[self.used..], &mut self.spare) {
            Some(rung) if self.rungs.len() < MOST_RUNGS => {
                self.rungs.push(rung);
                self.row.clear();
                self.used = 0;
                self.longest = LONGEST_ROW;
            }
            _ => self.longest *= 2,
        }
    }

    /// The earliest event.
    #[inline(always)]
    pub fn first(&mut self) -> Option<&E> {
        if self.used == self.row.len() {
            self.refill();
        }
        self.row.get(self.used)
    }

    /// Removes the earliest event.
    #[inline(always)]
    pub fn pop(&mut self) -> Option<E> {
        let first = *self.first()?;
        self.used += 1;
        Some(first)
    }

    #[inline(never)]
    fn refill(&mut self) {
        self.row.clear();
        self.used = 0;
        while self.row.is_empty() {
            let mut events = match self.rungs.last_mut() {
                Some(rung) if rung.current < rung.buckets.len() => {
                    rung.current += 1;
                    std::mem::take(&mut rung.buckets[rung.current - 1])
                }
                Some(_) => {
                    let rung = self.rungs.pop();
                    self.spare.extend(rung.into_iter().flat_map(|rung| rung.buckets));
                    continue;
                }
                None => {
                    self.horizon = self.late.iter().map(Event::time).fold(f64::NEG_INFINITY, f64::max);
                    std::mem::take(&mut self.late)
                }
            };
            if events.is_empty() && self.rungs.is_empty() {
                self.horizon = f64::INFINITY;
                return;
            }
            let crowded = events.len() > LONGEST_ROW && self.rungs.len() < MOST_RUNGS;
            if let Some(rung) = crowded.then(|| Rung::of(&events, &mut self.spare)).flatten() {
                self.rungs.push(rung);
            } else {
                events.sort_unstable_by(|a, b| b.precedes(a).cmp(&a.precedes(b)));
                self.row.extend(&events);
                self.longest = LONGEST_ROW.max(2 * self.row.len());
            }
            events.clear();
            self.keep(events);
        }
    }

    /// Keeps the room of an emptied list for another.
    fn keep(&mut self, list: Vec<E>) {
        if self.rungs.is_empty() {
            if self.late.capacity() < list.capacity() {
                self.late = list;
            }
        } else {
            self.spare.push(list);
        }
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
        let mut ladder = Ladder::default();
        let mut list = std::collections::BTreeSet::new();
        let mut number = 0;
        let mut begin = |now: f64, ladder: &mut Ladder<Numbered>, list: &mut std::collections::BTreeSet<(u64, u64)>| {
            let time = now + delay(&mut random);
            ladder.insert(Numbered(time, number));
            list.insert((time.to_bits(), number));
            number += 1;
        };
        (0..events).for_each(|_| begin(0.0, &mut ladder, &mut list));
        for step in 0..steps {
            let expected = list.pop_first().map(|(time, number)| Numbered(f64::from_bits(time), number));
            assert_eq!(ladder.first().copied(), expected);
            assert_eq!(ladder.pop(), expected);
            let Some(Numbered(now, _)) = expected else { continue };
            // Waves: the list empties and fills again.
            for _ in 0..[1, 1, 2, 0][(step / events.max(1)) as usize % 4] {
                begin(now, &mut ladder, &mut list);
            }
            if list.is_empty() {
                (0..events).for_each(|_| begin(now, &mut ladder, &mut list));
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
        let mut ladder = Ladder::default();
        assert_eq!(ladder.first(), None);
        for wave in 0..5 {
            (0..100).rev().for_each(|i| ladder.insert(Numbered(f64::from(wave * 1000 + i), 0)));
            (0..100).for_each(|i| assert_eq!(ladder.pop(), Some(Numbered(f64::from(wave * 1000 + i), 0))));
            assert_eq!(ladder.pop(), None);
        }
    }
}
