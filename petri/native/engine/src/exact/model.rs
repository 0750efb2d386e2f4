//! The net as it is explored: its rules compiled, with draws and times taken apart into what may happen.

use crate::base::ids::{PlaceId, SpanId, TableId, VariableId};
use crate::exact::stages::Form;
use crate::net::{Places, Span, Tick};
use crate::program::arc::{Count, SetProgram};
use crate::program::expression::{Bool, DrawTable, Int, Real, Value};
use crate::program::place::PlaceProgram;
use crate::program::transition::Preference;
use crate::state::destination::Destination;

pub struct Model {
    pub places: Vec<PlaceProgram>,
    pub transitions: Vec<Transition>,
    /// The transitions without a clock: those of each priority, the highest first.
    pub immediate: Vec<Vec<usize>>,
    pub tables: Vec<DrawTable>,
    pub spans: Vec<Span>,
    pub tick: Tick,
    /// Firing times are constant: the chain goes from end to end.
    pub in_ticks: bool,
}

pub struct Transition {
    pub inputs: Vec<Input>,
    pub inhibitors: Vec<Inhibitor>,
    pub resets: Vec<PlaceId>,
    pub sets: Vec<SetProgram>,
    /// The variable that is the first slot of a token of a set.
    pub token: usize,
    pub guard: Option<Bool>,
    pub prefer: Option<Preference>,
    /// What a firing draws, one step after the other.
    pub steps: Vec<Step>,
    pub time: Form,
    pub time_span: SpanId,
    pub outputs: Vec<Output>,
    pub weight: Real,
    pub weight_span: SpanId,
    pub clock: Option<Clock>,
    /// With those that stand for draws.
    pub variables: usize,
    /// The places with a capacity that it gives to.
    pub has_room_to_ask: bool,
}

impl Transition {
    /// Whether its firings last.
    pub fn lasts(&self) -> bool {
        self.clock.is_none() && !self.time.is_always_zero()
    }
}

/// An exponential clock: of each binding, `servers` at most (none: any number), each at the rate speed / mean.
pub struct Clock {
    pub mean: Form,
    pub speed: Option<Real>,
    pub servers: Option<u64>,
    pub span: SpanId,
}

impl Output {
    pub fn destination(&self) -> Destination<'_> {
        let Output { places, condition, count, .. } = self;
        Destination { places, condition: condition.as_ref(), count, index: self.index.as_ref() }
    }
}

pub struct Input {
    pub place: PlaceId,
    /// Of black tokens; coloured arcs find one.
    pub count: Option<Count>,
    pub equals: Vec<(u32, Value)>,
    pub binds: Vec<(u32, VariableId)>,
    pub keep: bool,
    /// Where an equal token goes as well (E10).
    pub twin: Option<PlaceId>,
    /// It sees all tokens: those of a bag, or by `any`.
    pub sees_all: bool,
    /// Of several bindings, those are chosen from whose token comes first (I4).
    pub in_turn: bool,
}

pub struct Inhibitor {
    pub place: PlaceId,
    pub equals: Vec<(u32, Value)>,
    pub threshold: Count,
}

pub struct Output {
    pub places: Places,
    pub index: Option<(Int, SpanId)>,
    pub count: Count,
    pub condition: Option<Bool>,
    pub values: Vec<Value>,
    pub spans: Vec<SpanId>,
    /// The set for each of whose tokens there is one.
    pub each: Option<usize>,
}

pub enum Step {
    /// A variable gets a value.
    Set(VariableId, Value),
    /// A variable gets one of several values.
    Branch(VariableId, Branch),
}

/// A draw with finitely many outcomes.
pub enum Branch {
    Bernoulli(Real, SpanId),
    Uniform(Int, Int, SpanId),
    /// Values and weights.
    Choice(Vec<Value>, Vec<Real>, SpanId),
    /// Whether its values are reals.
    Table(TableId, bool),
}
