//! The net as the engine runs it: everything that can be decided before the first firing is decided here.

pub mod analysis;
pub mod compile;
pub mod conservation;
pub mod distribution;
pub mod expression;
pub mod lower;
pub mod prefetch_target;
pub mod ranges;

use std::sync::Arc;

use crate::base::ids::{GaugeId, IndexId, JoinId, PlaceId, SpanId, TransitionId, VariableId};
use crate::base::table::Table;
use crate::net::{Discipline, Scalar, Span};
use crate::observe::probes::ProbesProgram;
use crate::program::expression::{Bool, DrawTable, Int, Real, Value};
use crate::program::prefetch_target::Lead;
use crate::state::index::IndexProgram;
use crate::state::join::JoinProgram;

/// A net compiled for running. Replications share it.
pub struct Program {
    pub places: Table<PlaceId, PlaceProgram>,
    pub transitions: Table<TransitionId, TransitionProgram>,
    pub simple: Table<TransitionId, Simple>,
    pub moves: Vec<Move>,
    /// The tokens of each place, then the loads of places with a capacity.
    pub gauges: Table<GaugeId, Gauge>,
    pub watches: Vec<Watch>,
    pub dependents: Vec<Dependent>,
    /// Priorities, the highest first.
    pub levels: Vec<Level>,
    pub indices: Table<IndexId, IndexProgram>,
    pub joins: Vec<JoinProgram>,
    pub tables: Vec<DrawTable>,
    /// The places that get the rows of a file.
    pub streams: Vec<PlaceId>,
    pub spans: Vec<Span>,
    /// Transitions whose enabling depends on the time itself.
    pub clocked: Vec<TransitionId>,
    pub probes: Arc<ProbesProgram>,
    /// Lanes of the agenda.
    pub lanes: usize,
    /// What the tokens that firings of each transition deposit lead to.
    pub leads: Table<TransitionId, Box<[Lead]>>,
    /// The most variables that a transition has.
    pub variables: usize,
    /// The words of the longest record of a firing in progress.
    pub record: usize,
}

impl Program {
    /// What concerns a gauge.
    pub fn watching(&self, gauge: &Gauge) -> (&[Watch], &[Dependent]) {
        let of = |(first, end): (u32, u32)| first as usize..end as usize;
        (&self.watches[of(gauge.watches)], &self.dependents[of(gauge.dependents)])
    }
}

/// A number that transitions watch: the tokens of a place, or its load (tokens and reserved room).
#[derive(Clone, Copy, Debug)]
pub struct Gauge {
    /// The greatest threshold watched, or the greatest number where there are dependents: a change above it concerns
    /// nobody.
    pub top: u64,
    /// The first watch, and the one behind the last.
    pub watches: (u32, u32),
    pub dependents: (u32, u32),
    /// For the tokens of a place with a capacity that a transition heeds: the gauge of its load.
    pub load: GaugeId,
}

/// One condition of a transition: the gauge is at least the threshold, or (`below`) less than it.
#[derive(Clone, Copy, Debug)]
pub struct Watch {
    pub threshold: u64,
    pub transition: TransitionId,
    pub below: bool,
}

/// A transition that is looked at again when a gauge changes. A token that arrives behind `depth` others is not seen; nor is one
/// that has not these bits in a slot, if they are told.
#[derive(Clone, Copy, Debug)]
pub struct Dependent {
    pub transition: TransitionId,
    pub depth: u64,
    pub only: Option<(u32, u64)>,
}

/// The transitions of one priority, in order.
pub struct Level {
    pub transitions: Vec<TransitionId>,
    /// The weights, where they are not all the same power of two (those choose like equals, bit for bit).
    pub weights: Option<Vec<f64>>,
}

/// The range of a slot.
#[derive(Clone, Debug)]
pub struct Bound {
    pub name: String,
    pub real: bool,
    pub low: Option<Scalar>,
    pub high: Option<Scalar>,
}

impl Bound {
    /// Whether a value lies in the range.
    pub fn holds(&self, bits: u64) -> bool {
        if self.real {
            let value = f64::from_bits(bits);
            self.low.is_none_or(|low| value >= low.as_real()) && self.high.is_none_or(|high| value <= high.as_real())
        } else {
            let value = bits as i64;
            self.low.is_none_or(|low| at_least(value, low)) && self.high.is_none_or(|high| at_most(value, high))
        }
    }
}

fn at_least(value: i64, low: Scalar) -> bool {
    low.as_int().map_or(value as f64 >= low.as_real(), |low| value >= low)
}

fn at_most(value: i64, high: Scalar) -> bool {
    high.as_int().map_or(value as f64 <= high.as_real(), |high| value <= high)
}

pub struct PlaceProgram {
    pub name: String,
    pub width: usize,
    /// Whether each slot is real.
    pub reals: Vec<bool>,
    pub discipline: Discipline,
    pub key: Option<Value>,
    /// Evaluating the key may raise a fault.
    pub key_fails: bool,
    pub capacity: Option<u64>,
    pub indices: Vec<IndexId>,
    /// Joins whose pivot the place is.
    pub pivots: Vec<JoinId>,
    pub bounds: Vec<Bound>,
    pub initial: Vec<(u64, Vec<u64>)>,
    /// How many tokens it has at most, with those that firings in progress hold, if that is known.
    pub most: Option<u64>,
}

impl PlaceProgram {
    /// Whether it has one token at most.
    pub fn holds_one(&self) -> bool {
        self.most == Some(1)
    }
}

/// How many black tokens an arc takes, or gives.
#[derive(Clone, Debug)]
pub enum Count {
    Const(u64),
    Of(Int, SpanId),
}

/// How an input arc finds its tokens.
#[derive(Clone, Debug)]
pub enum Find {
    /// So many black tokens.
    Black(Count),
    /// The one token that the discipline shows, behind those of `depth` arcs before this one.
    Head { depth: usize },
    /// Any token of a bag.
    Any,
    /// The tokens of a bag with given values in the slots of an index.
    Keyed(IndexId),
}

pub struct InputProgram {
    pub place: PlaceId,
    pub find: Find,
    /// Slots that must equal a value.
    pub equals: Vec<(u32, Value)>,
    /// Slots whose value a variable receives.
    pub binds: Vec<(u32, VariableId)>,
    /// The token stays.
    pub keep: bool,
    /// The arcs before this one on the same place.
    pub before: Vec<usize>,
    /// The arcs behind this one on the same bag, whose tokens may move to another seat when this one is taken.
    pub after: Vec<usize>,
    /// Which of its tokens an arc finds may matter to whether there is a binding.
    pub decides: bool,
}

pub struct InhibitorProgram {
    pub place: PlaceId,
    pub equals: Vec<(u32, Value)>,
    pub index: Option<IndexId>,
    pub threshold: Count,
}

/// How an output arc was compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Always so many black tokens.
    Black(u64),
    /// Always one coloured token.
    Token,
    /// Place or number are known only when the firing starts: its record begins with both.
    Open,
}

pub struct OutputProgram {
    pub places: Vec<PlaceId>,
    pub form: Form,
    pub width: usize,
    pub index: Option<(Int, SpanId)>,
    pub count: Count,
    pub condition: Option<Bool>,
    pub values: Vec<Value>,
    /// The source of each value.
    pub spans: Vec<SpanId>,
    /// Slots whose value may lie outside its range.
    pub checks: Vec<usize>,
}

impl OutputProgram {
    /// The place of an arc whose place does not depend on the firing.
    #[inline(always)]
    pub fn place(&self) -> PlaceId {
        self.places[0]
    }

    /// Whether the arc gives one token, or black ones, to one of several places.
    pub fn is_choice(&self) -> bool {
        self.places.len() > 1 && (self.width == 0 || matches!(self.count, Count::Const(1)))
    }
}

/// How an input arc takes its tokens.
#[derive(Clone, Copy, Debug)]
pub enum Take {
    /// Always so many black tokens.
    Black { place: PlaceId, count: u64 },
    /// As many black tokens as the binding says for the arc.
    Chosen { place: PlaceId, arc: u32 },
    /// The token at a position, counted from the one that the discipline shows first.
    Head { place: PlaceId, position: u32 },
    /// The token in the seat that the binding says for the arc.
    Seat { place: PlaceId, arc: u32 },
}

/// How an output arc deposits its tokens.
#[derive(Clone, Copy, Debug)]
pub enum Give {
    /// Always so many black tokens.
    Black { place: PlaceId, count: u64 },
    /// Always one token; the record has its values.
    Token { place: PlaceId, width: u32 },
    /// The record has place, number and values.
    Open { width: u32 },
}

pub enum Time {
    Immediate,
    Const(f64),
    Of(Real),
}

/// A firing that begins at a time up to 10³⁰⁰ and takes less than this ends at a finite time.
pub const LONGEST: f64 = 1e300;

impl Time {
    /// Whether a firing may end at no finite time, whenever it begins.
    pub fn is_long(&self) -> bool {
        matches!(self, Time::Const(duration) if *duration >= LONGEST)
    }
}

/// So many black tokens.
#[derive(Clone, Copy, Debug)]
pub struct Move {
    pub place: PlaceId,
    pub count: u32,
}

/// The firing time of a simple transition.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SimpleTime {
    /// The transition is not simple.
    Other,
    Const(f64),
    /// An exponential of this mean.
    Exponential(f64),
}

/// A transition that moves constant numbers of black tokens and knows no variables, resets or reserved room: all that its
/// firings need, in one cache line. Transitions of other kinds have a line that says so.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub struct Simple {
    pub time: SimpleTime,
    /// The first of `Program::moves` that it takes, the first that it gives, and the one behind these.
    pub takes: u32,
    pub gives: u32,
    pub end: u32,
    pub lane: u32,
    pub taken: u64,
    pub given: u64,
}

/// How one of a transition's bindings is drawn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Selection {
    /// There is only one.
    Single,
    /// Any token of the one bag, for this arc.
    Bag(usize),
    /// Any tokens of several bags, independent of one another.
    Product,
    /// By the counts that a join keeps.
    Join(JoinId),
    /// By a search through the arcs.
    Search,
}

pub struct TransitionProgram {
    pub name: String,
    pub variable_names: Vec<String>,
    pub variable_reals: Vec<bool>,
    pub inputs: Vec<InputProgram>,
    /// The arcs that take, in their order.
    pub takes: Vec<Take>,
    /// Some arc binds a variable, or there is a choice, or a draw.
    pub binds: bool,
    pub inhibitors: Vec<InhibitorProgram>,
    pub guard: Option<Bool>,
    /// The outputs to places with a capacity, where watches do not decide about room.
    pub rooms: Vec<usize>,
    pub resets: Vec<PlaceId>,
    pub draws: Vec<(VariableId, Value)>,
    pub time: Time,
    pub time_span: SpanId,
    /// No two of its firings are ever in progress at one time.
    pub takes_turns: bool,
    /// Transitions of one constant firing time share a lane of the agenda.
    pub lane: u32,
    pub outputs: Vec<OutputProgram>,
    /// The outputs, in their order.
    pub gives: Vec<Give>,
    /// The number of tokens given, when all outputs are constant numbers of black tokens.
    pub given: Option<u64>,
    /// Words of the record that a firing in progress holds.
    pub held: usize,
    /// Some output goes to a place with a capacity.
    pub reserves: bool,
    pub selection: Selection,
    /// In a search: the last arc that leaves a choice, when its choices need no more than to be counted.
    pub counted: Option<usize>,
    /// The arcs that take or read a number of black tokens that depends on the binding.
    pub counts: Vec<usize>,
    /// No token of a bag decides whether the transition is enabled, and watches know of its inhibitors.
    pub free: bool,
    /// Watches alone decide whether the transition is enabled.
    pub plain: bool,
    /// Enabling may raise a fault, so all bindings are looked at, as the semantics do.
    pub exhaustive: bool,
    /// The input arcs and inhibitors about whose constant numbers watches decide: so many, the first ones.
    pub watched: (usize, usize),
    /// Conditions that watches decide about and that never hold.
    pub impossible: u32,
    pub level: u32,
    pub position: u32,
}
