//! What distinguishes the transitions, or places, that share their code.

use std::mem::{offset_of, size_of};
use std::ptr::from_ref;

use crate::agenda::Ending;
use crate::block::Plan;
use crate::ids::{IndexId, JoinId, PlaceId, TransitionId};
use crate::index::Index;
use crate::join::Join;
use crate::lane::Lane;
use crate::program::Program;
use crate::state::{Place, Transition};
use crate::store::Store;
use crate::trajectory::first_word;

/// What differs between transitions of one shape, and so is read from a row of numbers when their code runs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Operand {
    /// Where something is, from the engine.
    Place(PlaceId),
    Transition(TransitionId),
    Join(JoinId),
    Index(IndexId),
    /// Where the lane of a transition is, what tells of a firing in a slot that it is one of the transition, and its part of
    /// the hash.
    Lane(TransitionId),
    Ending(TransitionId),
    HashPart(TransitionId),
    /// In the set of those enabled: the bit of a transition, where its word is, and the bit of that word.
    Bit(TransitionId),
    WordOffset(TransitionId),
    WordBit(TransitionId),
    /// Where a constant stands in the program, and its bits.
    Constant(usize, u64),
    /// A gauge, an address, or what belongs to a join or an index.
    Word(u64),
}

/// Rows of the tables of places, stores and transitions are of one size, a power of two.
pub const ROW_BITS: i64 = 6;
const _: () = assert!(size_of::<Place>() == 1 << ROW_BITS);
const _: () = assert!(size_of::<Transition>() == 1 << ROW_BITS);
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

/// A row is made of cells of four bytes. Its first two tell which of so many behind them are places or transitions, and how many
/// there are up to so many.
const TOLD: usize = 28;
const MOST: usize = 255;
pub const FIRST: usize = 2;

impl Operand {
    pub fn constant<T>(constant: &T, bits: u64) -> Self {
        Operand::Constant(from_ref(constant) as usize, bits)
    }

    pub fn word(self, program: &Program, plan: &Plan) -> u64 {
        match self {
            Operand::Place(place) => distance(plan.places, size_of::<Place>(), place.0),
            Operand::Transition(transition) => distance(plan.transitions, size_of::<Transition>(), transition.0),
            Operand::Lane(transition) => distance(plan.lanes, size_of::<Lane>(), program.transitions[transition].lane),
            Operand::Join(join) => distance(plan.joins, size_of::<Join>(), join.0),
            Operand::Index(index) => distance(plan.indices, size_of::<Index>(), index.0),
            Operand::Ending(transition) => {
                u64::from(program.transitions[transition].lane) << 32 | u64::from(transition.0)
            }
            Operand::Bit(transition) => 1 << (program.transitions[transition].position % 64),
            Operand::WordOffset(transition) => u64::from(program.transitions[transition].position / 64) * 8,
            Operand::WordBit(transition) => 1 << (program.transitions[transition].position / 64),
            Operand::HashPart(transition) => first_word(transition.0),
            Operand::Constant(_, word) | Operand::Word(word) => word,
        }
    }

    /// The cells that it takes in a row: a distance from the engine fits one.
    pub fn cells(self) -> usize {
        match self {
            Operand::Place(_)
            | Operand::Transition(_)
            | Operand::Join(_)
            | Operand::Index(_)
            | Operand::Lane(_)
            | Operand::WordOffset(_) => 1,
            _ => 2,
        }
    }

    /// A row of operands as cells. Before these stands which of the first are places, which transitions, and how many there are:
    /// most rows are shorter than these bits can tell.
    pub fn row(row: &[Operand], program: &Program, plan: &Plan) -> Vec<u32> {
        let (mut cells, mut kinds) = (Vec::new(), 0u64);
        for operand in row {
            kinds |= match operand {
                Operand::Place(_) if cells.len() < TOLD => 1 << cells.len(),
                Operand::Transition(_) if cells.len() < TOLD => 1 << (TOLD + cells.len()),
                _ => 0,
            };
            cells.extend(halves(operand.word(program, plan)).into_iter().take(operand.cells()));
        }
        let told = kinds | (cells.len().min(MOST) as u64) << (2 * TOLD);
        [halves(told).to_vec(), cells].concat()
    }

    /// Which cells of a row are places, by what its first two tell, …
    #[inline(always)]
    pub fn places(told: u64) -> u32 {
        told as u32 & ((1 << TOLD) - 1)
    }

    /// … which are transitions, …
    #[inline(always)]
    pub fn transitions(told: u64) -> u32 {
        (told >> TOLD) as u32 & ((1 << TOLD) - 1)
    }

    /// … and how many there are, with those two.
    #[inline(always)]
    pub fn len(told: u64) -> usize {
        (told >> (2 * TOLD)) as usize + FIRST
    }

    /// The same of another place, transition or constant, if it is of one.
    pub fn of_another(
        self,
        place: impl Fn(PlaceId) -> Option<PlaceId>,
        transition: impl Fn(TransitionId) -> Option<TransitionId>,
        constant: impl Fn(usize, u64) -> Option<(usize, u64)>,
    ) -> Option<Self> {
        Some(match self {
            Operand::Place(id) => Operand::Place(place(id)?),
            Operand::Transition(id) => Operand::Transition(transition(id)?),
            Operand::Lane(id) => Operand::Lane(transition(id)?),
            Operand::Ending(id) => Operand::Ending(transition(id)?),
            Operand::Bit(id) => Operand::Bit(transition(id)?),
            Operand::WordOffset(id) => Operand::WordOffset(transition(id)?),
            Operand::WordBit(id) => Operand::WordBit(transition(id)?),
            Operand::HashPart(id) => Operand::HashPart(transition(id)?),
            Operand::Constant(address, bits) => {
                let (address, bits) = constant(address, bits)?;
                Operand::Constant(address, bits)
            }
            Operand::Join(_) | Operand::Index(_) | Operand::Word(_) => return None,
        })
    }
}
