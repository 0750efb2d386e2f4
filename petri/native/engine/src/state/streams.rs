//! Places whose tokens are the rows of a file (rule S6): the rows that were fed and have not arrived yet.
//!
//! **Problem.** A file may be longer than memory. The engine does not know files: its caller feeds blocks of rows, and the run
//! stops where the next row is missing.
//!
//! **Idea.** Each source has the slots of the rows that were fed, one after the other, and the position of the next one. An
//! empty block marks the end of the file.
//!
//! ```text
//! rows of 2 slots, next = 2:   7 0 | 8 1 | 9 0      (8, 1) arrives next, then (9, 0), then Next::Unknown
//! ```
//!
//! Invariants:
//! - *sources*: there is a source for each stream of the program, in this order.
//! - *rows*: `slots` has whole rows, and `next` is the start of one, or the end of the last.
//! - *wanted*: the place that waits for a block has a source without a next row, and its file has not ended.

use crate::base::ids::PlaceId;
use crate::base::invariant::{ensure, Verified};
use crate::program::Program;
use crate::state::arrivals::Arrivals;

/// The rows of one place.
struct Source {
    place: PlaceId,
    width: usize,
    /// The slots of the rows of the last block, and of those left before it.
    slots: Vec<u64>,
    /// The first slot of the next row.
    next: usize,
    /// Whether these are the last rows of the file.
    ended: bool,
    /// How many have arrived.
    arrived: u64,
}

/// What arrives next in an empty place.
#[derive(Debug, PartialEq)]
pub enum Next<'s> {
    Row(&'s [u64]),
    /// The next block has to be fed first.
    Unknown,
    /// The file has ended.
    Nothing,
}

#[derive(Default)]
pub struct Streams {
    sources: Vec<Source>,
    pub arrivals: Arrivals,
    /// The place that waits for a block.
    pub wanted: Option<PlaceId>,
}

impl Streams {
    pub fn new(program: &Program) -> Self {
        let source = |&place: &PlaceId| {
            let width = program.places[place].width;
            Source { place, width, slots: Vec::new(), next: 0, ended: false, arrived: 0 }
        };
        let sources = program.streams.iter().map(source).collect();
        Streams { sources, arrivals: Arrivals::new(program), wanted: None }
    }

    /// The next block of a place's rows; an empty one is the end.
    pub fn feed(&mut self, place: PlaceId, block: Vec<u64>) {
        self.arrivals.feed(place, &block);
        for source in self.sources.iter_mut().filter(|source| source.place == place) {
            source.ended = block.len() < source.width.max(1);
            source.slots.drain(..source.next);
            source.next = 0;
            source.slots.extend_from_slice(&block);
        }
        if self.wanted == Some(place) {
            self.wanted = None;
        }
    }

    /// What comes next to stream number `number` of the program.
    #[inline(always)]
    pub fn next(&mut self, number: usize) -> Next<'_> {
        let source = &mut self.sources[number];
        let start = source.next;
        let behind = start + source.width.max(1);
        if behind <= source.slots.len() {
            source.next = behind;
            source.arrived += 1;
            return Next::Row(&source.slots[start..start + source.width]);
        }
        if source.ended {
            return Next::Nothing;
        }
        self.wanted = Some(source.place);
        Next::Unknown
    }

    /// The number of rows that have arrived, file by file in the order of the places.
    pub fn arrived(&self) -> Vec<u64> {
        self.counts().into_iter().map(|(_, arrived)| arrived).collect()
    }

    fn counts(&self) -> Vec<(PlaceId, u64)> {
        let own = self.sources.iter().map(|source| (source.place, source.arrived));
        let mut counts: Vec<_> = own.chain(self.arrivals.arrived()).collect();
        counts.sort_by_key(|(place, _)| place.0);
        counts
    }

    /// Goes on when so many have. Those that are fed are the next. Returns whether there are as many streams.
    pub fn resume(&mut self, arrived: &[u64]) -> bool {
        let places = self.counts();
        for (&(place, _), &arrived) in places.iter().zip(arrived) {
            self.sources.iter_mut().filter(|source| source.place == place).for_each(|source| source.arrived = arrived);
            self.arrivals.resume(place, arrived);
        }
        places.len() == arrived.len()
    }

    /// Checks the invariants.
    pub fn verify(&self, program: &Program) -> Verified {
        let places = self.sources.iter().map(|source| &source.place);
        ensure(places.eq(&program.streams), "sources", || format!("{} sources", self.sources.len()))?;
        for source in &self.sources {
            let row = source.width.max(1);
            let whole = [source.slots.len(), source.next].iter().all(|slots| slots.is_multiple_of(row));
            let found = || format!("next {} of {} slots, rows of {row}", source.next, source.slots.len());
            ensure(whole && source.next <= source.slots.len(), "rows", found)?;
        }
        let waits = |source: &Source| source.next == source.slots.len() && !source.ended;
        let right = self.wanted.is_none_or(|wanted| {
            self.arrivals.lacking() == Some(wanted) || self.sources.iter().any(|s| s.place == wanted && waits(s))
        });
        ensure(right, "wanted", || format!("{:?}", self.wanted))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use proptest::prelude::*;

    use super::*;
    use crate::base::invariant::broken;

    fn program() -> Program {
        let slots = r#"{"slots":[{"name":"x"},{"name":"y"}]}"#;
        let place = |name: &str| format!(r#"{{"name":"{name}","colour":{slots},"discipline":"fifo","stream":{{}}}}"#);
        Program::from_json(&format!(r#"{{"places":[{},{}]}}"#, place("a"), place("b"))).expect("a net")
    }

    proptest! {
        /// Blocks of up to three rows are fed, and rows arrive in one of two places; compared with queues.
        #[test]
        fn two_queues_of_rows(steps in prop::collection::vec((0..2usize, any::<bool>(), 0..4u64), 0..80)) {
            let (program, mut fed) = (program(), 0);
            let mut streams = Streams::new(&program);
            let mut model: [(VecDeque<u64>, bool); 2] = Default::default();
            for (number, feeds, rows) in steps {
                let (queue, ended) = &mut model[number];
                if feeds && !*ended {
                    let block: Vec<u64> = (fed..fed + 2 * rows).collect();
                    fed += 2 * rows;
                    *ended = block.is_empty();
                    queue.extend(&block);
                    streams.feed(program.streams[number], block);
                    prop_assert!(streams.wanted != Some(program.streams[number]));
                } else {
                    let row = [queue.pop_front(), queue.pop_front()];
                    let expected = match row {
                        [Some(x), Some(y)] => Next::Row(&[x, y]),
                        _ if *ended => Next::Nothing,
                        _ => Next::Unknown,
                    };
                    prop_assert_eq!(streams.next(number), expected);
                }
                prop_assert_eq!(streams.verify(&program), Ok(()));
            }
        }
    }

    #[test]
    fn damage_is_found() {
        let program = program();
        let damaged = |damage: fn(&mut Streams)| {
            let mut streams = Streams::new(&program);
            streams.feed(program.streams[0], vec![1, 2, 3, 4]);
            assert_eq!(streams.next(1), Next::Unknown);
            assert_eq!(streams.verify(&program), Ok(()));
            damage(&mut streams);
            broken(streams.verify(&program))
        };
        assert_eq!(damaged(|streams| streams.sources.reverse()), "sources");
        assert_eq!(damaged(|streams| streams.sources[0].next = 1), "rows");
        assert_eq!(damaged(|streams| streams.sources[0].next = 6), "rows");
        assert_eq!(damaged(|streams| streams.wanted = Some(streams.sources[0].place)), "wanted");
        assert_eq!(damaged(|streams| streams.sources[1].ended = true), "wanted");
    }
}
