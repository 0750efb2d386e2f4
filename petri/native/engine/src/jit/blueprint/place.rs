//! The places that a transition uses, and the indices and joins that their tokens change.

pub use crate::net::Discipline;
pub use crate::program::watch::{Dependent, EnabledBy, Watch};

use crate::collections::key_table::Extent;
use crate::jit::blueprint::names::{IndexRef, JoinRef, PlaceRef, TransitionRef, WordRef};
use crate::jit::blueprint::transition::SetSize;
use crate::jit::profile::Occupancy;

#[derive(Debug, PartialEq, Eq, Hash)]
pub struct PlacePlan {
    pub width: usize,
    pub discipline: Discipline,
    /// Its tokens form lines, or it is the front of such a place.
    pub lines: Option<LinesPlan>,
    pub fronts: bool,
    /// A routine of its own moves its tokens: to lines that are queues, or from a front (`Fronted`).
    pub has_routine: bool,
    /// Its capacity is one of weight.
    pub weighed: bool,
    /// It has one token at most.
    pub holds_one: bool,
    /// It may get more tokens than it has at first. If not, its store has room for all that arrive.
    pub may_grow: bool,
    pub has_capacity: bool,
    /// Probes observe arriving tokens.
    pub probed: bool,
    /// Probes observe leaving tokens.
    pub departures_probed: bool,
    /// Clocks tell its tokens apart.
    pub identified: bool,
    pub occupancy: Occupancy,
    /// What a token changes when it arrives or leaves. Known only for places whose tokens the code moves.
    pub moves: Option<Box<Moves>>,
}

impl PlacePlan {
    /// What a token changes when it arrives or leaves.
    ///
    /// # Panics
    /// If the planner did not add the place as one whose tokens move.
    pub fn moves(&self) -> &Moves {
        self.moves.as_deref().expect("the planner knows which tokens move")
    }

    /// Whether it is unpredictable that it is empty.
    pub fn is_unpredictable(&self) -> bool {
        self.occupancy == Occupancy::Unpredictable
    }
}

/// The lines of a place with `per`.
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct LinesPlan {
    /// Where the table of lines has them.
    pub at: WordRef,
    /// The slots that tell them apart, and the ranges of these where lines are numbered directly.
    pub slots: Vec<u32>,
    pub extents: Option<Vec<Extent>>,
}

/// A place with `per`, and the front that shows the first token of each of its lines.
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct Fronted {
    pub place: PlaceRef,
    pub front: PlaceRef,
    pub shown: Option<Shown>,
}

/// The values that transitions look for in a slot of a front, from the least on.
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct Shown {
    pub slot: u32,
    pub least: u64,
    /// Where the enabling has the number of tokens with the least value, and the gauge of each.
    pub first: WordRef,
    pub gauges: Vec<Gauge>,
}

#[derive(Debug, PartialEq, Eq, Hash)]
pub struct Moves {
    pub tokens: Gauge,
    /// For a place whose capacity some transition waits for.
    pub load: Option<Gauge>,
    pub indices: Vec<IndexUse>,
    pub pivots: Vec<PivotUse>,
    pub ranked: bool,
    pub entry: Entry,
}

/// How indices, joins and ranks are updated when tokens arrive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Entry {
    /// There are none.
    Unknown,
    /// They need only the groups of its keys.
    ByGroups,
    ByRuntime,
}

/// The transitions that watch a number of tokens.
#[derive(Debug, PartialEq, Eq, Hash)]
pub enum Gauge {
    /// Too many to inline, so the runtime goes through them. This is the number of the gauge.
    Many(WordRef),
    Few {
        watches: Vec<Watch<TransitionRef>>,
        dependents: Vec<Dependent<TransitionRef>>,
    },
}

impl Gauge {
    /// Those that the code updates itself.
    pub fn seen(&self) -> (&[Watch<TransitionRef>], &[Dependent<TransitionRef>]) {
        match self {
            Gauge::Many(_) => (&[], &[]),
            Gauge::Few { watches, dependents } => (watches, dependents),
        }
    }
}

/// A slot of a key, and whether it has no value outside its range.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct KeySlot {
    pub slot: u32,
    pub inside: bool,
}

/// An index over the tokens of a place.
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct IndexUse {
    pub index: IndexRef,
    pub key: Vec<KeySlot>,
    pub serves: Serves,
}

/// What links an index serves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Serves {
    None,
    /// The only link of a join, whose tokens are of different places.
    One(JoinRef),
    Several,
}

/// A join whose pivots are the tokens of a place.
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct PivotUse {
    pub join: JoinRef,
    /// Its link, if it has only one, its tokens are of different places, and groups are numbered directly.
    pub link: Option<Link>,
}

impl PivotUse {
    /// The link and the slots of its key, if tokens enter it by their group.
    pub fn keyed(&self) -> Option<(&Link, &[KeySlot])> {
        let link = self.link.as_ref()?;
        Some((link, link.key.as_deref()?))
    }
}

#[derive(Debug, PartialEq, Eq, Hash)]
pub struct Link {
    pub index: IndexRef,
    /// The bit by which the index knows the link.
    pub bit: WordRef,
    /// The slots of a pivot's token that are the key, if they are all that decides.
    pub key: Option<Vec<KeySlot>>,
}

#[derive(Debug, PartialEq, Eq, Hash)]
pub struct JoinPlan {
    pub transition: TransitionRef,
    pub filtered: bool,
    /// The number of its pivots may grow.
    pub may_grow: bool,
    /// It never has more weights than fit one block.
    pub fits_a_block: bool,
}

#[derive(Debug, PartialEq, Eq, Hash)]
pub struct IndexPlan {
    pub place: PlaceRef,
    pub extents: Option<Vec<Extent>>,
    /// The group of keys that lie outside the ranges.
    pub outside: usize,
}

/// A transition whose enabling the code may change, or the one whose code it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Neighbour {
    /// Watches alone decide whether it is enabled.
    pub plain: bool,
    /// It is the shadow of a transition with a clock: it has no conditions, and is looked at when the instant is over.
    pub of_clock: bool,
    pub level: u32,
    pub set: SetSize,
}
