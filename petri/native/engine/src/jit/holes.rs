//! What distinguishes the transitions, or places, that share their code.

use std::mem::{offset_of, size_of};

use crate::base::cache::{self, CacheLine};
use crate::base::trajectory::first_word;
use crate::engine::code::Routine;
use crate::jit::blueprint::names::{halves, CallRef, IndexRef, JoinRef, Names, PlaceRef, TransitionRef, WordRef};
use crate::program::Program;
use crate::state::agenda::Ending;
use crate::state::arena::ArenaLayout;
use crate::state::counters::{PlaceCounters, TransitionCounters};
use crate::state::index::Index;
use crate::state::join::Join;
use crate::state::lane::Lane;

/// What differs between transitions of one shape, and so is read from a row of numbers when their code runs. A hole
/// refers to names of a blueprint, whose numbers differ from transition to transition.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Hole {
    /// Where something is, from the engine, or its number.
    Place(PlaceRef),
    Transition(TransitionRef),
    Join(JoinRef),
    Index(IndexRef),
    JoinNumber(JoinRef),
    IndexNumber(IndexRef),
    /// Where the lane of a transition is, the word that marks a firing in a slot as one of the transition, and its part of the
    /// hash.
    Lane(TransitionRef),
    Ending(TransitionRef),
    HashPart(TransitionRef),
    /// The number of a transition among those of its priority.
    Position(TransitionRef),
    /// Where in a token a value is.
    Offset(u64),
    /// A constant.
    Constant(WordRef),
    /// A gauge, an address, or the bit of a link.
    Word(WordRef),
    /// Where the function of an expression is, and its row of holes.
    Function(CallRef),
    Row(CallRef),
    /// An address that is the same for all transitions of a net.
    Address(u64),
}

/// Rows of the tables of places and transitions are of one size, a power of two.
pub const ROW_BITS: i64 = 6;
const _: () = assert!(size_of::<PlaceCounters>() == 1 << ROW_BITS);
const _: () = assert!(size_of::<TransitionCounters>() == 1 << ROW_BITS);

/// The distance of a row from the engine, in a table that begins at distance `start` from it.
fn distance(start: usize, size: usize, row: u32) -> u64 {
    (start as u64).wrapping_add((size as u64).wrapping_mul(u64::from(row)))
}

/// One word of a firing holds its transition and its lane.
const _: () = assert!(offset_of!(Ending, lane) == offset_of!(Ending, transition) + 4 && cfg!(target_endian = "little"));

impl Hole {
    /// The number, where names mean these.
    pub fn word(self, names: &Names, program: &Program, arena: &ArenaLayout) -> u64 {
        let of = |transition| &program.transitions[program.owner(names.transition(transition))];
        match self {
            Hole::Place(place) => distance(arena.places, size_of::<PlaceCounters>(), names.place(place).0),
            Hole::Transition(transition) => {
                distance(arena.transitions, size_of::<TransitionCounters>(), names.transition(transition).0)
            }
            Hole::Lane(transition) => distance(arena.lanes, size_of::<Lane>(), of(transition).lane),
            Hole::Join(join) => distance(arena.joins, size_of::<Join>(), names.join(join).0),
            Hole::Index(index) => distance(arena.indices, size_of::<Index>(), names.index(index).0),
            Hole::JoinNumber(join) => u64::from(names.join(join).0),
            Hole::IndexNumber(index) => u64::from(names.index(index).0),
            Hole::Ending(transition) => {
                u64::from(of(transition).lane) << 32 | u64::from(names.transition(transition).0)
            }
            Hole::Position(transition) => u64::from(of(transition).position),
            Hole::HashPart(transition) => first_word(names.transition(transition).0),
            Hole::Constant(word) | Hole::Word(word) => names.word(word),
            Hole::Function(call) | Hole::Row(call) => names.call(call) as u64,
            Hole::Offset(word) | Hole::Address(word) => word,
        }
    }

    /// Whether its word, the number of a function, is replaced by an address that is known only when all code is made.
    fn is_of_call(self) -> bool {
        matches!(self, Hole::Function(_) | Hole::Row(_))
    }

    /// The cells that it takes in a row: one is enough for a distance.
    pub fn cells(self) -> usize {
        match self {
            Hole::Place(_)
            | Hole::Transition(_)
            | Hole::Join(_)
            | Hole::Index(_)
            | Hole::JoinNumber(_)
            | Hole::IndexNumber(_)
            | Hole::Lane(_)
            | Hole::Position(_)
            | Hole::Offset(_) => 1,
            _ => 2,
        }
    }

    /// Those of a row that are read.
    pub fn read<'a>(row: &'a [Hole], known: &'a [Filling]) -> impl Iterator<Item = &'a Hole> {
        row.iter().zip(known).filter(|(_, known)| matches!(known, Filling::Read(_))).map(|(hole, _)| hole)
    }
}

/// The holes of a function, with what its names refer to.
#[derive(Clone, Copy)]
pub struct HoleRow<'a> {
    pub holes: &'a [Hole],
    pub names: &'a Names,
}

impl HoleRow<'_> {
    fn word(self, position: usize, program: &Program, arena: &ArenaLayout) -> u64 {
        self.holes[position].word(self.names, program, arena)
    }

    /// Those that are read, as cells of four bytes, given the functions of expressions.
    pub fn cells(self, known: &[Filling], program: &Program, arena: &ArenaLayout, called: &[Routine]) -> Vec<u32> {
        let word = |hole: &Hole| match *hole {
            Hole::Function(call) => called[self.names.call(call)].function as u64,
            Hole::Row(call) => called[self.names.call(call)].holes as u64,
            hole => hole.word(self.names, program, arena),
        };
        let cells = |hole: &Hole| halves(word(hole)).into_iter().take(hole.cells());
        Hole::read(self.holes, known).flat_map(cells).collect()
    }
}

/// How the code of all transitions of a shape knows a hole.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Filling {
    /// It is the same for all: a constant of the code.
    Constant(u64),
    /// It is the hole at a position of the row, which is read, plus a constant that is the same for all. This is usual
    /// for parts of a module, or of an element of an array.
    Above(usize, u64),
    /// It is read from the row, from a cell on.
    Read(usize),
}

impl Filling {
    /// How holes are known, given the rows of all: each has as many.
    pub fn of<'a>(
        mut others: impl Iterator<Item = HoleRow<'a>> + Clone,
        program: &Program,
        arena: &ArenaLayout,
    ) -> Vec<Filling> {
        let Some(first) = others.next() else { return Vec::new() };
        let word_of = |row: HoleRow, position: usize| row.word(position, program, arena);
        let holes = first.holes;
        let first: Vec<u64> = (0..holes.len()).map(|position| word_of(first, position)).collect();
        let (mut known, mut cells) = (Vec::with_capacity(first.len()), Cells::default());
        for (position, hole) in holes.iter().enumerate() {
            if hole.is_of_call() {
                known.push(cells.take(hole));
                continue;
            }
            let word = first[position];
            let above = |other: usize| {
                let distance = word.wrapping_sub(first[other]);
                let fits = hole.cells() == holes[other].cells() && (hole.cells() == 1 || distance == 0);
                let fits = fits && !holes[other].is_of_call();
                let between = |row| word_of(row, position).wrapping_sub(word_of(row, other));
                let all = || others.clone().all(|row| between(row) == distance);
                (fits && matches!(known[other], Filling::Read(_)) && all()).then_some(Filling::Above(other, distance))
            };
            let same = || others.clone().all(|row| word_of(row, position) == word).then_some(Filling::Constant(word));
            let next = same().or_else(|| (0..position).find_map(above));
            known.push(next.unwrap_or_else(|| cells.take(hole)));
        }
        known
    }

    /// How they are known to code that reads all of them. Code is first written like this, to find its shape.
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
    /// The next cells hold a hole.
    fn take(&mut self, hole: &Hole) -> Filling {
        let first = self.taken;
        self.taken += hole.cells();
        Filling::Read(first)
    }
}

/// Cells of a line of the cache.
const LINE: usize = cache::LINE / size_of::<u32>();

pub type Line = CacheLine<[u32; LINE]>;

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
