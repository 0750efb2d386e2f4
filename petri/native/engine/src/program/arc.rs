//! The arcs of a transition, as the engine runs them.

use std::ops::Deref;
use std::sync::{Arc, LazyLock};

use crate::base::ids::{IndexId, PlaceId, SpanId, TransitionId, VariableId};
use crate::base::seldom::{shared, Seldom};
use crate::net::Places;
use crate::program::expression::{Bool, Int, Value};
use crate::program::time::Time;

/// How many black tokens an arc takes, or gives.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Count<E = Box<(Int, SpanId)>> {
    Const(u64),
    Of(E),
}

/// How an input arc finds its tokens.
#[derive(Clone, Debug)]
pub enum Find {
    /// This number of black tokens.
    Black(Count),
    /// The one token that the discipline shows, behind those of `depth` arcs before this one.
    Head { depth: usize },
    /// Any token of a place that is not a bag, or (`first`) the first one that other arcs leave, where some arc of the transition
    /// sees all tokens of the place (E9).
    Shown { first: bool },
    /// Any token of a bag.
    Any,
    /// The tokens of a bag with given values in the slots of an index.
    Keyed(IndexId),
    /// The same without an index: all tokens of the bag are tested.
    Tested,
}

pub struct InputProgram {
    pub place: PlaceId,
    pub find: Find,
    /// The token stays.
    pub keep: bool,
    /// Whether there is a binding may depend on which of its tokens the arc finds.
    pub decides: bool,
    pub more: Arc<InputDetails>,
}

/// What an input arc has beyond a number of black tokens that no other arc takes from. Arcs that have nothing of it share that.
#[derive(Default, PartialEq)]
pub struct InputDetails {
    /// Slots that must equal a value.
    pub equals: Seldom<(u32, Value)>,
    /// Slots whose value a variable receives.
    pub binds: Box<[(u32, VariableId)]>,
    /// The arcs before this one on the same place.
    pub before: Seldom<usize>,
    /// The arcs behind this one on the same bag, whose tokens may move to another seat when this one is taken.
    pub after: Seldom<usize>,
}

static NO_MORE_OF_INPUT: LazyLock<Arc<InputDetails>> = LazyLock::new(Arc::default);

impl InputDetails {
    pub fn shared(self) -> Arc<Self> {
        shared(self, &NO_MORE_OF_INPUT)
    }
}

impl Deref for InputProgram {
    type Target = InputDetails;

    #[inline(always)]
    fn deref(&self) -> &InputDetails {
        &self.more
    }
}

/// Takes all tokens of a place that belong to a set (E11). The slots of one are the variables behind those of the transition.
#[derive(PartialEq)]
pub struct SetProgram {
    pub place: PlaceId,
    pub number: VariableId,
    /// No more than so many, the first in the order of the place.
    pub most: Option<Count>,
    pub condition: Option<Bool>,
    /// An index of values without which the condition does not hold, and is not evaluated further.
    pub key: Option<(IndexId, Vec<Value>)>,
    pub totals: Vec<(VariableId, Value)>,
}

#[derive(PartialEq)]
pub struct InhibitorProgram {
    pub place: PlaceId,
    pub equals: Box<[(u32, Value)]>,
    pub index: Option<IndexId>,
    pub threshold: Count,
}

impl InhibitorProgram {
    /// Watches can decide it: it counts all tokens of its place, against a constant.
    pub fn is_watchable(&self) -> bool {
        self.index.is_none() && matches!(self.threshold, Count::Const(_))
    }
}

/// How an output arc was compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OutputForm {
    /// Always this number of black tokens.
    Black(u64),
    /// Always one coloured token.
    Token,
    /// Place or number are known only when the firing starts: its record begins with both.
    Open,
}

pub struct OutputProgram {
    pub places: Places,
    pub count: Count,
    /// It has one place, and neither an index nor a condition nor a set.
    pub fixed: bool,
    pub more: Arc<OutputDetails>,
}

/// What an output arc has beyond a constant number of black tokens. Arcs that have nothing of it share that.
#[derive(Default, PartialEq)]
pub struct OutputDetails {
    pub width: usize,
    pub index: Option<Box<(Int, SpanId)>>,
    pub condition: Option<Box<Bool>>,
    pub values: Box<[Value]>,
    /// The source of each value.
    pub spans: Box<[SpanId]>,
    /// Slots whose value may lie outside its range.
    pub checks: Seldom<usize>,
    pub delay: Option<Box<Delay>>,
    /// The set for each of whose tokens there is one.
    pub each: Option<u32>,
}

static NO_MORE_OF_OUTPUT: LazyLock<Arc<OutputDetails>> = LazyLock::new(Arc::default);

impl OutputDetails {
    pub fn shared(self) -> Arc<Self> {
        shared(self, &NO_MORE_OF_OUTPUT)
    }
}

impl Deref for OutputProgram {
    type Target = OutputDetails;

    #[inline(always)]
    fn deref(&self) -> &OutputDetails {
        &self.more
    }
}

/// How long after the start of a firing the tokens of an output arc arrive. While they are on the way, they are as the outputs of
/// a firing in progress, of a transition that never fires by itself.
#[derive(PartialEq)]
pub struct Delay {
    pub time: Time,
    pub span: SpanId,
    pub delivery: TransitionId,
}

impl OutputProgram {
    /// The place of an arc whose place does not depend on the firing.
    #[inline(always)]
    pub fn place(&self) -> PlaceId {
        self.places[0]
    }

    #[inline(always)]
    pub fn form(&self) -> OutputForm {
        match self.count {
            Count::Const(count) if self.fixed && self.width == 0 && count > 0 => OutputForm::Black(count),
            Count::Const(1) if self.fixed && self.width > 0 => OutputForm::Token,
            _ => OutputForm::Open,
        }
    }

    /// Whether the arc gives one token, or black ones, to one of several places.
    pub fn is_choice(&self) -> bool {
        self.places.len() > 1 && (self.width == 0 || matches!(self.count, Count::Const(1)))
    }

    /// What a firing deposits by the arc.
    pub fn give(&self) -> Give {
        let width = self.width as u32;
        match self.form() {
            OutputForm::Black(count) => Give::Black { place: self.place(), count },
            OutputForm::Token => Give::Token { place: self.place(), width },
            OutputForm::Open if self.gives_bundle() => Give::Each,
            OutputForm::Open => Give::Open { width },
        }
    }

    /// Whether each of its tokens has values of its own.
    pub fn gives_bundle(&self) -> bool {
        self.each.is_some() && self.width > 0
    }
}

/// How an input arc takes its tokens. A blueprint has another name for the place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Take<P = PlaceId> {
    /// Always `count` black tokens.
    Black { place: P, count: u64 },
    /// As many black tokens as the binding says for the arc.
    Chosen { place: P, arc: usize },
    /// The token at a position, counted from the one that the discipline shows first.
    Head { place: P, position: u32 },
    /// The token in the seat that the binding says for the arc.
    Seat { place: P, arc: usize },
    /// The token at the position that the binding says for the arc, in a place that is not a bag.
    Shown { place: P, arc: usize },
}

impl Take {
    pub fn place(&self) -> PlaceId {
        match *self {
            Take::Black { place, .. } | Take::Chosen { place, .. } => place,
            Take::Head { place, .. } | Take::Seat { place, .. } | Take::Shown { place, .. } => place,
        }
    }

    /// The same with another name for the place.
    pub fn map<P>(self, name: impl FnOnce(PlaceId) -> P) -> Take<P> {
        match self {
            Take::Black { place, count } => Take::Black { place: name(place), count },
            Take::Chosen { place, arc } => Take::Chosen { place: name(place), arc },
            Take::Head { place, position } => Take::Head { place: name(place), position },
            Take::Seat { place, arc } => Take::Seat { place: name(place), arc },
            Take::Shown { place, arc } => Take::Shown { place: name(place), arc },
        }
    }
}

/// How an output arc deposits its tokens.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Give {
    /// Always `count` black tokens.
    Black { place: PlaceId, count: u64 },
    /// Always one token; the record has its values.
    Token { place: PlaceId, width: u32 },
    /// The record has place, number and values.
    Open { width: u32 },
    /// The record has place, number and the bundle with the values of each token.
    Each,
}

impl Give {
    /// The words that the arc has in the record of a firing in progress.
    pub fn held_words(&self) -> usize {
        match *self {
            Give::Black { .. } => 0,
            Give::Token { width, .. } => width as usize,
            Give::Open { width } => 2 + width as usize,
            Give::Each => 3,
        }
    }
}
