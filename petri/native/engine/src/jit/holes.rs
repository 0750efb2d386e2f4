//! What distinguishes the transitions, or places, that share their code.

use std::mem::{offset_of, size_of};
use std::ptr::from_ref;

use crate::base::cache;
use crate::base::ids::{IndexId, JoinId, PlaceId, TransitionId};
use crate::base::trajectory::first_word;
use crate::program::Program;
use crate::state::agenda::Ending;
use crate::state::arena::ArenaLayout;
use crate::state::counters::{PlaceCounters, TransitionCounters};
use crate::state::index::Index;
use crate::state::join::Join;
use crate::state::lane::Lane;
use crate::state::store::Store;

/// What differs between transitions of one shape, and so is read from a row of numbers when their code runs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Hole {
    /// Where something is, from the engine, or its number.
    Place(PlaceId),
    Transition(TransitionId),
    Join(JoinId),
    Index(IndexId),
    JoinNumber(JoinId),
    IndexNumber(IndexId),
    /// Where the lane of a transition is, what tells of a firing in a slot that it is one of the transition, and its part of
    /// the hash.
    Lane(TransitionId),
    Ending(TransitionId),
    HashPart(TransitionId),
    /// In the set of those enabled: the bit of a transition, where its word is, and the bit of that word.
    Bit(TransitionId),
    WordOffset(TransitionId),
    WordBit(TransitionId),
    /// Where in a token a value is.
    Offset(u64),
    /// Where a constant stands in the program, and its bits.
    Constant(usize, u64),
    /// A gauge, an address, or the bit of a link.
    Word(u64),
}

/// Rows of the tables of places, stores and transitions are of one size, a power of two.
pub const ROW_BITS: i64 = 6;
const _: () = assert!(size_of::<PlaceCounters>() == 1 << ROW_BITS);
const _: () = assert!(size_of::<TransitionCounters>() == 1 << ROW_BITS);
const _: () = assert!(size_of::<Store>() == 1 << ROW_BITS);

/// The halves of a word, as they stand in memory.
fn halves(word: u64) -> [u32; 2] {
    [word as u32, (word >> 32) as u32]
}

/// How far a row of a table that begins so far from the engine is from it.
fn distance(start: usize, size: usize, row: u32) -> u64 {
    (start as u64).wrapping_add((size as u64).wrapping_mul(u64::from(row)))
}

/// One word tells of a firing what transition it is of, and in what lane.
const _: () = assert!(offset_of!(Ending, lane) == offset_of!(Ending, transition) + 4 && cfg!(target_endian = "little"));

impl Hole {
    pub fn constant<T>(constant: &T, bits: u64) -> Self {
        Hole::Constant(from_ref(constant) as usize, bits)
    }

    pub fn word(self, program: &Program, plan: &ArenaLayout) -> u64 {
        match self {
            Hole::Place(place) => distance(plan.places, size_of::<PlaceCounters>(), place.0),
            Hole::Transition(transition) => distance(plan.transitions, size_of::<TransitionCounters>(), transition.0),
            Hole::Lane(transition) => distance(plan.lanes, size_of::<Lane>(), program.transitions[transition].lane),
            Hole::Join(join) => distance(plan.joins, size_of::<Join>(), join.0),
            Hole::Index(index) => distance(plan.indices, size_of::<Index>(), index.0),
            Hole::JoinNumber(join) => u64::from(join.0),
            Hole::IndexNumber(index) => u64::from(index.0),
            Hole::Ending(transition) => u64::from(program.transitions[transition].lane) << 32 | u64::from(transition.0),
            Hole::Bit(transition) => 1 << (program.transitions[transition].position % 64),
            Hole::WordOffset(transition) => u64::from(program.transitions[transition].position / 64) * 8,
            Hole::WordBit(transition) => 1 << (program.transitions[transition].position / 64),
            Hole::HashPart(transition) => first_word(transition.0),
            Hole::Constant(_, word) | Hole::Offset(word) | Hole::Word(word) => word,
        }
    }

    /// The cells that it takes in a row: a distance fits one.
    pub fn cells(self) -> usize {
        match self {
            Hole::Place(_)
            | Hole::Transition(_)
            | Hole::Join(_)
            | Hole::Index(_)
            | Hole::JoinNumber(_)
            | Hole::IndexNumber(_)
            | Hole::Lane(_)
            | Hole::WordOffset(_)
            | Hole::Offset(_) => 1,
            _ => 2,
        }
    }

    /// Those of a row that are read.
    pub fn read<'a>(row: &'a [Hole], known: &'a [Filling]) -> impl Iterator<Item = &'a Hole> {
        row.iter().zip(known).filter(|(_, known)| matches!(known, Filling::Read(_))).map(|(hole, _)| hole)
    }

    /// The same as cells of four bytes.
    pub fn row(row: &[Hole], known: &[Filling], program: &Program, plan: &ArenaLayout) -> Vec<u32> {
        let cells = |hole: &Hole| halves(hole.word(program, plan)).into_iter().take(hole.cells());
        Hole::read(row, known).flat_map(cells).collect()
    }

    /// The same of another place, transition or constant, if it is of one.
    pub fn of_another(
        self,
        place: impl Fn(PlaceId) -> Option<PlaceId>,
        transition: impl Fn(TransitionId) -> Option<TransitionId>,
        constant: impl Fn(usize, u64) -> Option<(usize, u64)>,
    ) -> Option<Self> {
        Some(match self {
            Hole::Place(id) => Hole::Place(place(id)?),
            Hole::Transition(id) => Hole::Transition(transition(id)?),
            Hole::Lane(id) => Hole::Lane(transition(id)?),
            Hole::Ending(id) => Hole::Ending(transition(id)?),
            Hole::Bit(id) => Hole::Bit(transition(id)?),
            Hole::WordOffset(id) => Hole::WordOffset(transition(id)?),
            Hole::WordBit(id) => Hole::WordBit(transition(id)?),
            Hole::HashPart(id) => Hole::HashPart(transition(id)?),
            Hole::Constant(address, bits) => {
                let (address, bits) = constant(address, bits)?;
                Hole::Constant(address, bits)
            }
            Hole::Offset(_) => self,
            Hole::Join(_) | Hole::Index(_) | Hole::JoinNumber(_) | Hole::IndexNumber(_) | Hole::Word(_) => return None,
        })
    }
}

/// How the code of all transitions of a shape knows an hole.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Filling {
    /// It is the same for all: a constant of the code.
    Constant(u64),
    /// For all it is so much more than another that is read: most of what belongs to a module, or to an element of an array.
    Above(usize, u64),
    /// It is read from the row, from a cell on.
    Read(usize),
}

impl Filling {
    /// How holes are known, given the rows of all: each has as many.
    pub fn of(rows: &[&[Hole]], program: &Program, plan: &ArenaLayout) -> Vec<Filling> {
        let words = |row: &&[Hole]| row.iter().map(|hole| hole.word(program, plan)).collect();
        let words: Vec<Vec<u64>> = rows.iter().map(words).collect();
        let Some((first, others)) = words.split_first() else { return Vec::new() };
        let (mut known, mut cells) = (Vec::with_capacity(first.len()), Cells::default());
        for (position, hole) in rows[0].iter().enumerate() {
            let word = first[position];
            let above = |other: usize| {
                let distance = word.wrapping_sub(first[other]);
                let fits = hole.cells() == rows[0][other].cells() && (hole.cells() == 1 || distance == 0);
                let all = || others.iter().all(|row| row[position].wrapping_sub(row[other]) == distance);
                (fits && matches!(known[other], Filling::Read(_)) && all()).then_some(Filling::Above(other, distance))
            };
            let same = || others.iter().all(|row| row[position] == word).then_some(Filling::Constant(word));
            let next = same().or_else(|| (0..position).find_map(above));
            known.push(next.unwrap_or_else(|| cells.take(hole)));
        }
        known
    }

    /// How they are known to code that reads all of them: so it is written to see what shape it has.
    pub fn read(row: &[Hole]) -> Vec<Filling> {
        let mut cells = Cells::default();
        row.iter().map(|hole| cells.take(hole)).collect()
    }
}

/// The cells of a row, from the first on.
#[derive(Default)]
struct Cells {
    taken: usize,
}

impl Cells {
    /// The next ones are an hole's.
    fn take(&mut self, hole: &Hole) -> Filling {
        let first = self.taken;
        self.taken += hole.cells();
        Filling::Read(first)
    }
}

/// Cells of a line of the cache.
const LINE: usize = cache::LINE / size_of::<u32>();

#[derive(Clone, Copy, Default)]
#[repr(align(64))]
pub struct Line([u32; LINE]);

/// Rows of holes, none of which begins in one line of the cache and ends in another if it fits in one.
#[derive(Default)]
pub struct HoleRows {
    pub lines: Vec<Line>,
    /// Cells of the last line that are taken.
    taken: usize,
}

impl HoleRows {
    /// Adds a row. Returns which cell is its first: one where a word may begin.
    pub fn place(&mut self, cells: Vec<u32>) -> usize {
        self.taken = self.taken.next_multiple_of(2);
        if self.lines.is_empty() || self.taken + cells.len() > LINE {
            self.taken = LINE;
        }
        let mut first = None;
        for cell in cells {
            if self.taken == LINE {
                self.lines.push(Line::default());
                self.taken = 0;
            }
            let line = self.lines.len() - 1;
            first = first.or(Some(line * LINE + self.taken));
            self.lines[line].0[self.taken] = cell;
            self.taken += 1;
        }
        first.unwrap_or(0)
    }
}
