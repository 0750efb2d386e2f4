//! Places whose tokens are the rows of a file (rule S6): the rows that were fed and have not arrived yet.

use crate::base::ids::PlaceId;
use crate::program::Program;

/// What one place still gets.
struct Source {
    place: PlaceId,
    width: usize,
    /// The rows of the last block, and where the next one begins.
    slots: Vec<u64>,
    next: usize,
    /// There are no rows behind these.
    ended: bool,
}

/// What an empty place gets next.
pub enum Next<'s> {
    Row(&'s [u64]),
    /// Nobody knows before the next block is there.
    Unknown,
    Nothing,
}

#[derive(Default)]
pub struct Streams {
    sources: Vec<Source>,
    /// The place that waits for a block.
    pub wanted: Option<PlaceId>,
}

impl Streams {
    pub fn new(program: &Program) -> Self {
        let source = |&place: &PlaceId| {
            let width = program.places[place].width;
            Source { place, width, slots: Vec::new(), next: 0, ended: false }
        };
        Streams { sources: program.streams.iter().map(source).collect(), wanted: None }
    }

    /// The next block of a place's rows; an empty one is the end.
    pub fn feed(&mut self, place: PlaceId, block: Vec<u64>) {
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
            return Next::Row(&source.slots[start..start + source.width]);
        }
        if source.ended {
            return Next::Nothing;
        }
        self.wanted = Some(source.place);
        Next::Unknown
    }
}
