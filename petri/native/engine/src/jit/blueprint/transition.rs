//! The transition whose code is made, and the sets of enabled transitions.

pub use crate::program::arc::{OutputForm, Take};
pub use crate::program::transition::{Known, NO_LANE};

use crate::collections::rank_set::{MEDIUM, SMALL};
use crate::jit::blueprint::expression::{Bool, Constant, Int, Mean, Real, SlotValue, Value, Variable};
use crate::jit::blueprint::names::{IndexRef, JoinRef, PlaceRef, TransitionRef, WordRef};
use crate::jit::blueprint::rate::Settle;
use crate::jit::profile::Occupancy;
use crate::program::{arc, transition};

/// How many black tokens an arc takes, or gives.
pub type Count = arc::Count<Int>;

/// Which bindings are preferred.
pub type Prefer = transition::Preference<Vec<Value>>;

#[derive(Debug, PartialEq, Eq, Hash)]
pub struct TransitionPlan {
    pub variables: usize,
    pub inputs: Vec<Input>,
    pub takes: Vec<Take<PlaceRef>>,
    pub inhibitors: Vec<Inhibitor>,
    pub guard: Option<Bool>,
    pub prefer: Option<Prefer>,
    pub known: Known,
    pub rooms: Rooms,
    pub resets: Vec<PlaceRef>,
    pub sets: Sets,
    pub draws: Vec<(Variable, Value)>,
    pub time: Time,
    pub takes_turns: bool,
    pub in_lane: bool,
    pub outputs: Vec<Output>,
    pub selection: Selection,
    pub counted: Option<usize>,
    pub counts: Vec<usize>,
    pub exhaustive: bool,
    pub watched: (usize, usize),
    /// How often its firings are in progress.
    pub activity: Occupancy,
    pub heard: Heard,
    /// There is code for its firings.
    pub fires: bool,
    /// Its firings end a clock.
    pub races: Option<Races>,
    /// The rates that its firing changes, its own first: in a net of one clock, where the firing is all of its instant.
    pub settles: Vec<Settle>,
    /// It only ends: it delivers the tokens of an output with a delay.
    pub delivers: bool,
    /// It is left to the interpreter, because it fires too seldom for code to pay.
    pub cold: bool,
}

/// What a firing takes all of (E11), set after set.
#[derive(Debug, PartialEq, Eq, Hash)]
pub enum Sets {
    /// The code finds and takes them; none, if there is no set.
    Here(Vec<SetPlan>),
    /// The runtime does; variables get their numbers, and these and others their totals.
    ByRuntime { numbers: Vec<Variable>, variables: Vec<Variable> },
}

impl Sets {
    pub fn is_empty(&self) -> bool {
        matches!(self, Sets::Here(sets) if sets.is_empty())
    }

    /// The variables that have the numbers of tokens.
    pub fn numbers(&self) -> Vec<Variable> {
        match self {
            Sets::Here(sets) => sets.iter().map(|set| set.number).collect(),
            Sets::ByRuntime { numbers, .. } => numbers.clone(),
        }
    }
}

/// All tokens that the binding leaves in a place, if the condition holds. Those behind the transition's are the variables of a token.
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct SetPlan {
    pub place: PlaceRef,
    pub number: Variable,
    pub condition: Option<Bool>,
    /// Where the tokens are looked up that the condition may hold for.
    pub key: Option<(IndexRef, Vec<(u32, SlotValue)>)>,
    pub totals: Vec<(Variable, Value)>,
}

/// What probes get when a firing starts.
#[derive(Debug, PartialEq, Eq, Hash)]
pub enum Heard {
    /// The code computes their values; none, if there are no probes.
    Here(Vec<Sampled>),
    ByRuntime,
}

/// A probe gets a value, if a condition holds. Without a value, it gets 1.
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct Sampled {
    pub probe: WordRef,
    pub condition: Option<Bool>,
    pub value: Option<Real>,
}

/// What clock a firing ends: its part in the common clock, whose number is held, or one of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Races {
    Part(WordRef),
    /// `lost`: a clock that has run down may have lost its tokens, which the runtime knows.
    Own {
        lost: bool,
    },
}

#[derive(Debug, PartialEq, Eq, Hash)]
pub enum Time {
    Immediate,
    /// Always `ticks` ticks; `long` if a firing may end beyond the horizon, whenever it begins.
    Const {
        ticks: WordRef,
        long: bool,
    },
    /// An exponential of a mean such that nearly all are short, and none is 0 but by chance.
    ShortExponential(Mean),
    Of(Real),
}

#[derive(Debug, PartialEq, Eq, Hash)]
pub enum Find {
    Black(Count),
    Head {
        depth: usize,
    },
    Any,
    Keyed(IndexRef),
    /// All tokens of a place that is not a bag.
    Shown,
    /// The first token of a queue with which there is a binding (I4).
    InTurn,
}

#[derive(Debug, PartialEq, Eq, Hash)]
pub struct Input {
    pub place: PlaceRef,
    pub find: Find,
    pub equals: Vec<(u32, SlotValue)>,
    pub binds: Vec<(u32, Variable)>,
    pub before: Vec<usize>,
    pub after: Vec<usize>,
    pub decides: bool,
}

impl Input {
    /// Whether it finds any of several tokens.
    pub fn is_bag(&self) -> bool {
        matches!(self.find, Find::Any | Find::Keyed(_))
    }

    /// Whether a search goes through its tokens, unless they only have to be counted.
    pub fn is_searched(&self) -> bool {
        self.is_bag() || matches!(self.find, Find::InTurn)
    }
}

/// How a look checks whether places with a capacity have room for what a firing would give (E6).
#[derive(Debug, PartialEq, Eq, Hash)]
pub enum Rooms {
    /// Watches do.
    Watched,
    One(Room),
    ByRuntime,
}

/// Room for the tokens of one output arc, in a place that the firing takes nothing from.
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct Room {
    pub output: usize,
    pub place: PlaceRef,
    pub capacity: WordRef,
    /// The slots of the key, where the room is that of a line.
    pub per: Vec<u32>,
}

#[derive(Debug, PartialEq, Eq, Hash)]
pub struct Inhibitor {
    pub place: PlaceRef,
    pub equals: Vec<(u32, SlotValue)>,
    pub index: Option<IndexRef>,
    pub threshold: Count,
}

/// An output arc. If it may give to several places, only what holds for all of them is described.
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct Output {
    /// The place, or the first of several.
    pub place: PlaceRef,
    pub form: OutputForm,
    pub width: usize,
    /// Which of several places, how many there are, and where their numbers are stored.
    pub one_of: Option<OneOf>,
    pub several: bool,
    /// Code by which tokens arrive in one of several places is called.
    pub is_choice: bool,
    pub count: Count,
    pub condition: Option<Bool>,
    pub values: Vec<SlotValue>,
    pub checks: Vec<Check>,
    /// Whether some place has a capacity, tells probes of tokens that arrive, or reads tokens that arrive from memory.
    pub any_capacity: bool,
    pub any_probed: bool,
    pub any_reads_memory: bool,
    /// Whether the capacity of some place is one of weight, or its tokens form lines.
    pub any_weighed: bool,
    pub any_lines: bool,
    pub delay: Option<Delay>,
    /// If each of its tokens has values of its own. `width` is 0 then: what the firing knows of them is a bundle.
    pub bundle: Option<Bundle>,
}

/// The tokens that an output gives for those of a set.
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct Bundle {
    /// The number of the output.
    pub number: u64,
    pub width: usize,
    /// The set, and the slots of its tokens, if the code evaluates the values. If not, the runtime does.
    pub of_set: Option<OfSet>,
    /// The code puts them into their place.
    pub puts_here: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct OfSet {
    pub number: usize,
    pub width: usize,
}

/// How long after the start of a firing the tokens of an output arc arrive, and what delivers them.
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct Delay {
    pub time: Time,
    pub delivery: TransitionRef,
    pub in_lane: bool,
}

#[derive(Debug, PartialEq, Eq, Hash)]
pub struct OneOf {
    pub position: Int,
    pub places: usize,
    pub list: WordRef,
}

/// The range of a slot whose value may lie outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Check {
    pub slot: usize,
    pub real: bool,
    pub low: Option<Constant>,
    pub high: Option<Constant>,
}

#[derive(Debug, PartialEq, Eq, Hash)]
pub enum Selection {
    Single,
    Bag(usize),
    Product,
    Join(JoinSelection),
    Match,
    Tree,
    Preferred,
    Search,
    /// By the runtime: among the bindings whose clock has run down, or all tokens of a queue.
    ByRuntime,
}

impl Selection {
    /// Whether it says how many black tokens each arc takes.
    pub fn counts(&self) -> bool {
        matches!(self, Selection::Search | Selection::ByRuntime)
    }
}

/// How the tokens of one binding of a join are chosen.
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct JoinSelection {
    pub join: JoinRef,
    pub pivot: usize,
    /// Places of which any token may be taken, each with the number of tokens that arcs before have taken from it.
    pub free: Vec<(PlaceRef, u64)>,
    /// The arcs behind the pivot's that leave a choice.
    pub choices: Vec<usize>,
    /// The one such arc, and the index in which its tokens are, where all that is to be chosen is a pair.
    pub pair: Option<(usize, IndexRef)>,
}

/// How large the set of enabled transitions of a priority is (`RankSet`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SetSize {
    /// One word.
    Small,
    /// A word for each bit of a summary.
    Medium,
    Large,
}

impl SetSize {
    pub fn of(transitions: usize) -> Self {
        if transitions <= SMALL {
            SetSize::Small
        } else if transitions <= MEDIUM {
            SetSize::Medium
        } else {
            SetSize::Large
        }
    }
}

/// The transitions of one priority.
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct Level {
    pub size: SetSize,
    pub weighted: bool,
    /// Whether weights read the marking, so that choosing may fail.
    pub is_open: bool,
    /// The number of the first, where they are numbered one by one.
    pub first: Option<u32>,
    /// Where their numbers are stored.
    pub list: WordRef,
}
