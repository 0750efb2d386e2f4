//! The flat net: the twin of `petri/net.py`, as far as an engine reads it.
//!
//! The fields are named here and nowhere else on the native side. Two readers fill them by serde: the bridge from the
//! objects of `petri/net.py`, serde_json from the text that `petri/codec.py` writes. Fields that the text leaves out have
//! the defaults of `petri/net.py`; fields beyond those named here are ignored. `tests/test_flat_net.py` compares both
//! files.
//!
//! Reading checks the shape of the data; what it means is checked before anything is compiled.
//!
//! May import: `base`.
//!
//! - [`check`]: refuses a net that cannot be compiled or run
//! - [`op`]: the operations of expressions
//! - [`places`]: the places of an output arc
//! - [`scalar`]: a number as written
//! - [`sharing`]: elements of a net that are one object in Python are one here
//! - [`tokens`]: initial markings, token by token or by columns

pub mod check;
pub mod op;
pub mod places;
pub mod scalar;
pub mod sharing;
pub mod tokens;

use std::iter;
use std::ops::Deref;
use std::sync::Arc;

use serde::de::value::MapAccessDeserializer;
use serde::de::{Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};

use crate::base::ids::{PlaceId, TransitionId, VariableId};
pub use crate::net::op::Op;
pub use crate::net::places::Places;
pub use crate::net::scalar::Scalar;
use crate::net::sharing::{shared, Shareable};
pub use crate::net::tokens::Tokens;

#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    #[default]
    Int,
    Real,
    Bool,
}

#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq, Hash)]
#[serde(rename_all = "lowercase")]
pub enum Discipline {
    #[default]
    Bag,
    Fifo,
    Lifo,
    Key,
}

/// A position in the list of the net's files. The text has the number; of Python objects, the reader numbers the names.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
pub struct FileNumber(pub u32);

/// A piece of source text; the end column is exclusive.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
pub struct Span {
    pub file: FileNumber,
    pub line: u32,
    pub column: u32,
    pub end_line: u32,
    pub end_column: u32,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Slot {
    pub name: String,
    pub kind: Kind,
    pub low: Option<Scalar>,
    pub high: Option<Scalar>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Colour {
    pub slots: Arc<[Slot]>,
}

impl Shareable for Colour {}

impl Colour {
    /// What its copies have in common, as long as there are any.
    pub fn identity(&self) -> *const Slot {
        self.slots.as_ptr()
    }
}

/// An expression: its topmost operation. Copies share it.
#[derive(Clone, Debug, Deserialize)]
#[serde(transparent)]
pub struct Expr(#[serde(deserialize_with = "shared")] Measured);

/// An operation, and the number of operations of its tree.
#[derive(Clone, Debug, Deserialize)]
#[serde(from = "Operation")]
struct Measured(Arc<(Operation, u64)>);

impl Shareable for Measured {}

impl From<Operation> for Measured {
    fn from(operation: Operation) -> Self {
        let size = operation.args.iter().fold(1, |size: u64, arg| size.saturating_add(arg.size()));
        Measured(Arc::new((operation, size)))
    }
}

impl Expr {
    pub fn new(operation: Operation) -> Self {
        Expr(Measured::from(operation))
    }

    /// The number of operations, where one that is shared counts as often as it occurs.
    pub fn size(&self) -> u64 {
        self.0 .0 .1
    }
}

impl Operation {
    /// The value of a real constant.
    pub fn constant_real(&self) -> Option<f64> {
        match (self.op, self.value) {
            (Op::Const, Some(Scalar::Real(value))) => Some(value),
            _ => None,
        }
    }

    /// Collects the variables in the expression. False if it also reads the clock.
    pub fn mentioned(&self, variables: &mut Vec<usize>) -> bool {
        if self.op == Op::Var {
            variables.extend(self.value.and_then(Scalar::as_int).and_then(|value| usize::try_from(value).ok()));
        }
        let still = self.op != Op::Now && self.op != Op::End;
        self.args.iter().fold(still, |still, arg| arg.mentioned(variables) && still)
    }
}

impl Deref for Expr {
    type Target = Operation;

    fn deref(&self) -> &Operation {
        &self.0 .0 .0
    }
}

#[derive(Clone, Debug, Deserialize)]
pub struct Operation {
    pub op: Op,
    pub kind: Kind,
    #[serde(default)]
    pub args: Box<[Expr]>,
    #[serde(default)]
    pub value: Option<Scalar>,
    #[serde(default)]
    pub span: Option<Span>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Match {
    pub bind: Option<VariableId>,
    pub equal: Option<Expr>,
}

#[derive(Clone, Debug, Deserialize)]
pub struct InputArc {
    pub place: PlaceId,
    #[serde(default, deserialize_with = "shared")]
    pub pattern: Arc<[Match]>,
    #[serde(default)]
    pub count: Option<Expr>,
    #[serde(default)]
    pub keep: bool,
    #[serde(default)]
    pub any: bool,
    /// Of several bindings, those are chosen from whose token the discipline would show first (I4).
    #[serde(default)]
    pub in_turn: bool,
}

/// `variable` is 0, and for each token of a set becomes `value`, which may use it.
#[derive(Clone, Debug, Deserialize)]
pub struct Total {
    pub variable: VariableId,
    pub value: Expr,
}

/// Takes all tokens of a place that other arcs leave and for which the condition holds (E11). The slots of a token are the
/// variables behind those of the transition.
#[derive(Clone, Debug, Deserialize)]
pub struct SetArc {
    pub place: PlaceId,
    /// Receives how many it takes.
    pub number: VariableId,
    #[serde(default)]
    pub condition: Option<Expr>,
    #[serde(default)]
    pub totals: Vec<Total>,
    /// No more than so many, the first in the order of the place.
    #[serde(default)]
    pub most: Option<Expr>,
}

#[derive(Clone, Debug, Deserialize)]
pub struct InhibitorArc {
    pub place: PlaceId,
    #[serde(default, deserialize_with = "shared")]
    pub pattern: Arc<[Match]>,
    #[serde(default)]
    pub threshold: Option<Expr>,
}

#[derive(Clone, Debug, Deserialize)]
pub struct OutputArc {
    #[serde(deserialize_with = "shared")]
    pub places: Places,
    #[serde(default)]
    pub values: Box<[Expr]>,
    #[serde(default)]
    pub index: Option<Expr>,
    #[serde(default)]
    pub count: Option<Expr>,
    #[serde(default)]
    pub condition: Option<Expr>,
    /// How long after the start of the firing the tokens arrive [ticks].
    #[serde(default)]
    pub delay: Option<Expr>,
    /// The set for each of whose tokens there is one.
    #[serde(default)]
    pub each: Option<usize>,
}

#[derive(Clone, Debug, Deserialize)]
pub struct Variable {
    pub name: String,
    #[serde(default)]
    pub kind: Kind,
}

#[derive(Clone, Debug, Deserialize)]
pub struct Draw {
    pub variable: VariableId,
    pub expression: Expr,
}

/// Whether it is not empty.
fn given<'de, D: Deserializer<'de>>(decoder: D) -> Result<bool, D::Error> {
    Ok(Option::<serde::de::IgnoredAny>::deserialize(decoder)?.is_some())
}

/// Whether the environment fills a place, or takes what comes into it (I12).
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum Port {
    #[default]
    #[serde(rename = "")]
    None,
    In,
    Out,
}

#[derive(Clone, Debug, Deserialize)]
pub struct Place {
    pub name: String,
    #[serde(default, deserialize_with = "shared")]
    pub colour: Colour,
    #[serde(default)]
    pub discipline: Discipline,
    #[serde(default)]
    pub key: Option<Expr>,
    /// Another key, for tokens of equal keys.
    pub then: Option<Expr>,
    /// Slots: discipline and capacity are for the tokens of equal values in them.
    #[serde(default)]
    pub per: Vec<u32>,
    #[serde(default)]
    pub capacity: Option<Scalar>,
    #[serde(default)]
    pub weight: Option<Expr>,
    #[serde(default, deserialize_with = "shared")]
    pub initial: Tokens,
    /// The place gets the rows of a file. Only the caller, who feeds them, knows the file.
    #[serde(default, deserialize_with = "given")]
    pub stream: bool,
    #[serde(default)]
    pub port: Port,
}

impl Place {
    /// Whether tokens come into it from outside, with any values of its colour.
    pub fn open(&self) -> bool {
        self.stream || self.port == Port::In
    }

    /// Its keys, if it has any: the second decides among tokens in which the first is equal.
    pub fn keys(&self) -> impl Iterator<Item = &Expr> {
        self.key.iter().chain(&self.then)
    }
}

/// Of several bindings, those with the least key are chosen from, or those with the greatest.
#[derive(Clone, Debug, Deserialize)]
pub struct Preference {
    pub key: Expr,
    #[serde(default)]
    pub most: bool,
    /// Another key, for bindings of equal keys.
    pub then: Option<Expr>,
}

impl Preference {
    /// Its keys: the second decides among bindings in which the first is equal.
    pub fn keys(&self) -> impl Iterator<Item = &Expr> {
        iter::once(&self.key).chain(&self.then)
    }
}

/// What becomes of a clock whose binding is disabled.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum Memory {
    #[default]
    Restart,
    Resume,
    Repeat,
}

/// What a binding waits for before it fires (C1).
#[derive(Clone, Debug, Deserialize)]
pub struct Clock {
    pub time: Expr,
    #[serde(default)]
    pub memory: Memory,
    /// None: as many as the enabling degree.
    #[serde(default = "one_server")]
    pub servers: Option<u64>,
    #[serde(default)]
    pub speed: Option<Expr>,
}

fn one_server() -> Option<u64> {
    Some(1)
}

/// The priority of transitions that wait for a decision (I13).
pub const DECISION: i64 = -(1 << 31);

#[derive(Clone, Debug, Deserialize)]
pub struct Transition {
    pub name: Box<str>,
    #[serde(default, deserialize_with = "shared")]
    pub variables: Arc<[Variable]>,
    #[serde(default)]
    pub inputs: Box<[InputArc]>,
    #[serde(default)]
    pub inhibitors: Box<[InhibitorArc]>,
    #[serde(default)]
    pub resets: Box<[PlaceId]>,
    #[serde(default)]
    pub guard: Option<Expr>,
    #[serde(default)]
    pub draws: Box<[Draw]>,
    #[serde(default)]
    pub time: Option<Expr>,
    #[serde(default)]
    pub outputs: Box<[OutputArc]>,
    #[serde(default)]
    pub prefer: Option<Box<Preference>>,
    #[serde(default)]
    pub clock: Option<Box<Clock>>,
    #[serde(default)]
    pub priority: i64,
    /// Nothing is 1.
    #[serde(default)]
    pub weight: Option<Expr>,
    #[serde(default)]
    pub sets: Box<[SetArc]>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Event {
    pub transition: Option<TransitionId>,
    pub place: Option<PlaceId>,
    pub key: Vec<Expr>,
    /// Each of these is the event as well.
    pub others: Vec<Event>,
}

impl Event {
    /// The event, and those that are it as well.
    pub fn all(&self) -> impl Iterator<Item = &Event> {
        std::iter::once(self).chain(&self.others)
    }
}

#[derive(Clone, Debug, Deserialize)]
pub struct Counter {
    pub transition: TransitionId,
    #[serde(default)]
    pub quantity: Option<Expr>,
}

#[derive(Clone, Debug, Deserialize)]
pub struct Sample {
    /// The firings of a transition, or the tokens that arrive in a place.
    #[serde(default)]
    pub transition: Option<TransitionId>,
    #[serde(default)]
    pub place: Option<PlaceId>,
    pub value: Expr,
    #[serde(default)]
    pub condition: Option<Expr>,
    /// The values of other transitions or places.
    #[serde(default)]
    pub others: Vec<Sample>,
}

impl Sample {
    /// When it has a value.
    pub fn event(&self) -> Event {
        Event { transition: self.transition, place: self.place, ..Event::default() }
    }

    /// These values, and those of the others.
    pub fn all(&self) -> impl Iterator<Item = &Sample> {
        std::iter::once(self).chain(&self.others)
    }
}

#[derive(Clone, Debug, Deserialize)]
pub struct Passage {
    pub start: Event,
    pub end: Event,
}

#[derive(Clone, Debug, Deserialize)]
pub struct Order {
    pub event: Event,
    pub sequence: Expr,
    #[serde(default)]
    pub modulo: Option<i64>,
    #[serde(default = "order_threshold")]
    pub displacement_threshold: usize,
    #[serde(default = "order_threshold")]
    pub buffer_threshold: usize,
}

/// The sum of an expression over the tokens of a place; its variables are their slots.
#[derive(Clone, Debug, Deserialize)]
pub struct Content {
    pub place: PlaceId,
    pub value: Expr,
}

/// A value of the marking: of the numbers of tokens in places and nothing else (M6).
#[derive(Clone, Debug, Deserialize)]
pub struct Watched {
    pub value: Expr,
    /// Variable k of the value is how many firings of this transition are in progress.
    #[serde(default)]
    pub firings: Vec<TransitionId>,
}

/// DT and BT of RFC 5236 where a net does not set them.
fn order_threshold() -> usize {
    64
}

#[derive(Clone, Debug)]
pub enum Probe {
    Counter(Counter),
    Sample(Sample),
    Passage(Passage),
    Order(Order),
    Content(Content),
    Watched(Watched),
}

impl<'de> Deserialize<'de> for Probe {
    fn deserialize<D: Deserializer<'de>>(decoder: D) -> Result<Self, D::Error> {
        decoder.deserialize_any(ProbeVisitor)
    }
}

/// Reads a probe whose first field, `is`, names its class. (serde's tagged enums would keep all fields in between, each
/// expression as often as it occurs.)
struct ProbeVisitor;

impl<'de> Visitor<'de> for ProbeVisitor {
    type Value = Probe;

    fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("a probe")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Probe, M::Error> {
        let class = match map.next_entry::<String, String>()? {
            Some((name, class)) if name == "is" => class,
            _ => return Err(Error::custom("a probe begins with its class, `is`")),
        };
        let fields = MapAccessDeserializer::new(map);
        match class.as_str() {
            "Counter" => Counter::deserialize(fields).map(Probe::Counter),
            "Sample" => Sample::deserialize(fields).map(Probe::Sample),
            "Passage" => Passage::deserialize(fields).map(Probe::Passage),
            "Order" => Order::deserialize(fields).map(Probe::Order),
            "Content" => Content::deserialize(fields).map(Probe::Content),
            "Watched" => Watched::deserialize(fields).map(Probe::Watched),
            other => {
                let known = &["Counter", "Sample", "Passage", "Order", "Content", "Watched"];
                Err(Error::unknown_variant(other, known))
            }
        }
    }
}

#[derive(Clone, Debug, Deserialize)]
pub struct Table {
    pub values: Vec<Scalar>,
    pub weights: Vec<f64>,
}

/// The length of a tick in the net's time unit.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq)]
#[serde(default)]
pub struct Tick {
    pub numerator: f64,
    pub denominator: f64,
}

impl Default for Tick {
    fn default() -> Self {
        Tick { numerator: 1.0, denominator: 1.0 }
    }
}

impl Tick {
    /// A number of ticks in the net's unit.
    pub fn time(self, ticks: f64) -> f64 {
        ticks * self.numerator / self.denominator
    }
}

#[derive(Clone, Debug, Deserialize)]
pub struct Net {
    #[serde(default)]
    pub places: Vec<Place>,
    /// Each by itself: the compiler drops it when its program is made, so that a large net is not held twice.
    #[serde(default)]
    pub transitions: Vec<Box<Transition>>,
    #[serde(default)]
    pub probes: Vec<Probe>,
    #[serde(default)]
    pub tables: Vec<Table>,
    #[serde(default)]
    pub tick: Tick,
    #[serde(default)]
    pub own_streams: bool,
    #[serde(default)]
    pub stops_at_decisions: bool,
}
