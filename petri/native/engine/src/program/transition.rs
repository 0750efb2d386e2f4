//! A transition, as the engine runs it.

use std::ops::Deref;
use std::sync::{Arc, LazyLock};

use crate::base::cache::LINE;
use crate::base::ids::{JoinId, JoinTreeId, MatchId, PlaceId, RankingId, SpanId, TransitionId, VariableId};
use crate::base::seldom::shared;
use crate::base::ticks::Ticks;
use crate::net::Variable;
use crate::program::arc::{Count, Find, Give, InhibitorProgram, InputProgram, OutputProgram, SetProgram, Take};
use crate::program::clock::ClockProgram;
use crate::program::expression::{Bool, OrderKey, Real, Value};
use crate::program::time::Time;

/// `count` black tokens that a firing takes from a place, or gives to it.
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
    Const(Ticks),
    /// An exponential of this mean.
    Exponential(f64),
}

/// A transition that moves constant numbers of black tokens without variables, resets or reserved room: everything that
/// its firings need, in one cache line. Transitions of other kinds have a line that says so.
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

impl Simple {
    pub fn is_simple(&self) -> bool {
        self.time != SimpleTime::Other
    }
}

/// No run allows more tokens than this (X3), 1.4·10¹⁴: sums of thousands of such numbers do not overflow.
pub const MOST_HELD: u64 = 1 << 47;

/// No lane.
pub const NO_LANE: u32 = u32::MAX;

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
    /// By the pairs that a match counts.
    Match(MatchId),
    /// By the counts along a tree of arcs.
    Tree(JoinTreeId),
    /// One of the tokens of a bag that rank first, for an arc.
    Preferred(RankingId, usize),
    /// By a search through the arcs.
    Search,
}

/// Of several bindings, those with the least key are chosen from, or those with the greatest (I4).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Preference<K = OrderKey> {
    pub key: K,
    pub most: bool,
}

/// Behind how many input arcs a search knows what decides about a binding. Behind all of them, if some of it may raise a fault: then
/// it is evaluated in the order of the semantics.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Known {
    pub inhibitors: Box<[usize]>,
    pub guard: usize,
    pub preference: usize,
}

pub struct TransitionProgram {
    pub name: Box<str>,
    pub variables: Arc<[Variable]>,
    pub inputs: Box<[InputProgram]>,
    /// The arcs that take, in their order.
    pub takes: Box<[Take]>,
    /// Some arc binds a variable, or there is a choice, or a draw.
    pub binds: bool,
    pub clock: Option<Box<ClockProgram>>,
    pub draws: Box<[(VariableId, Value)]>,
    pub time: Time,
    pub time_span: SpanId,
    /// No two of its firings are ever in progress at one time.
    pub takes_turns: bool,
    /// Transitions of one constant firing time share a lane of the agenda.
    pub lane: u32,
    pub outputs: Box<[OutputProgram]>,
    /// The outputs, in their order.
    pub gives: Box<[Give]>,
    /// The number of tokens given, when all outputs are constant numbers of black tokens.
    pub given: Option<u64>,
    /// Words of the record that a firing in progress holds.
    pub held: usize,
    /// It only deposits what output arcs of this transition with a delay give; and where that is written.
    pub delivers: Option<(TransitionId, SpanId)>,
    /// Some output goes to a place with a capacity.
    pub reserves: bool,
    pub selection: Selection,
    /// No token of a bag decides whether the transition is enabled, and watches know of its inhibitors.
    pub free: bool,
    /// Watches alone decide whether the transition is enabled.
    pub plain: bool,
    /// Enabling may raise a fault, so all bindings are looked at, as the semantics do.
    pub exhaustive: bool,
    /// Watches decide the constant numbers of the first `watched.0` input arcs and the first `watched.1` inhibitors.
    pub watched: (usize, usize),
    /// Conditions that watches decide and that never hold.
    pub impossible: u32,
    pub level: u32,
    pub position: u32,
    pub more: Arc<TransitionDetails>,
}

/// What a transition has beyond arcs that take and give, and draws. Transitions that have nothing of it share that.
#[derive(Default, PartialEq)]
pub struct TransitionDetails {
    pub inhibitors: Box<[InhibitorProgram]>,
    pub guard: Option<Bool>,
    pub prefer: Option<Preference>,
    /// Of several bindings, those are chosen from whose token of the first arc comes first in its place (I4).
    pub in_turn: bool,
    pub known: Known,
    /// The outputs to places with a capacity whose room watches do not decide.
    pub rooms: Box<[usize]>,
    pub resets: Box<[PlaceId]>,
    pub sets: Box<[SetProgram]>,
    /// With outputs that have delays: all outputs, in their order, and what delivers those. `gives` and `held` are of the others.
    pub sends: Box<[(Give, Option<TransitionId>)]>,
    /// In a search: the last arc that leaves a choice, when its choices only have to be counted.
    pub counted: Option<usize>,
    /// The arcs that take or read a number of black tokens that depends on the binding.
    pub counts: Box<[usize]>,
}

static NOTHING_MORE: LazyLock<Arc<TransitionDetails>> = LazyLock::new(Arc::default);

impl TransitionDetails {
    pub fn shared(self) -> Arc<Self> {
        shared(self, &NOTHING_MORE)
    }
}

impl TransitionProgram {
    /// Its only binding has black tokens alone, and beside watches only a guard decides whether it is enabled.
    pub fn waits_for_guard(&self) -> bool {
        self.guard.is_some()
            && self.selection == Selection::Single
            && !self.exhaustive
            && self.rooms.is_empty()
            && self.inputs.iter().all(|arc| matches!(arc.find, Find::Black(Count::Const(_))))
            && self.watched == (self.inputs.len(), self.inhibitors.len())
            && self.inhibitors.iter().all(InhibitorProgram::is_watchable)
    }
}

impl Deref for TransitionProgram {
    type Target = TransitionDetails;

    #[inline(always)]
    fn deref(&self) -> &TransitionDetails {
        &self.more
    }
}

/// Large nets have a hundred thousand of each, so what few have is elsewhere.
const _: () = {
    assert!(size_of::<TransitionProgram>() <= 4 * LINE);
    assert!(size_of::<InputProgram>() <= LINE / 2);
    assert!(size_of::<OutputProgram>() <= 3 * LINE / 4);
};

/// The transitions of one priority, in order.
pub struct Level {
    pub transitions: Vec<TransitionId>,
    pub weights: Weights,
}

/// How one of several transitions is chosen (I3).
pub enum Weights {
    /// All are the same power of two: such weights choose like equals, bit for bit.
    Equal,
    Constant(Vec<f64>),
    /// Some read the marking, so that a choice may fail.
    Open(Vec<(Real, SpanId)>),
}
