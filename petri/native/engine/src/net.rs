//! The flat net: the twin of `petri/net.py`, as far as an engine reads it. What equal elements share stands here once.
//!
//! It also reads the text that `petri/codec.py` writes. Fields that the text leaves out have the defaults of
//! `petri/net.py`; fields that it has beyond these are ignored.

use std::ops::Deref;
use std::sync::Arc;

use serde::Deserialize;

use crate::base::ids::{PlaceId, TransitionId, VariableId};

/// A number as written: the kind of the slot or expression that holds it decides what it becomes.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq)]
#[serde(untagged)]
pub enum Scalar {
    Int(i64),
    Real(f64),
    Bool(bool),
}

impl Scalar {
    pub fn as_int(self) -> Option<i64> {
        match self {
            Scalar::Int(value) => Some(value),
            Scalar::Bool(value) => Some(i64::from(value)),
            Scalar::Real(_) => None,
        }
    }

    pub fn as_real(self) -> f64 {
        match self {
            Scalar::Int(value) => value as f64,
            Scalar::Bool(value) => f64::from(u8::from(value)),
            Scalar::Real(value) => value,
        }
    }
}

#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    #[default]
    Int,
    Real,
    Bool,
}

#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum Discipline {
    #[default]
    Bag,
    Fifo,
    Lifo,
    Key,
}

/// A piece of source text: file (a position in the net's list), line, column, end line, end column (exclusive).
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
pub struct Span(pub u32, pub u32, pub u32, pub u32, pub u32);

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

/// An expression: its topmost operation. Copies share it.
#[derive(Clone, Debug, Deserialize)]
#[serde(from = "Operation")]
pub struct Expr(Arc<Operation>);

impl From<Operation> for Expr {
    fn from(operation: Operation) -> Self {
        Expr(Arc::new(operation))
    }
}

impl Deref for Expr {
    type Target = Operation;

    fn deref(&self) -> &Operation {
        &self.0
    }
}

#[derive(Clone, Debug, Deserialize)]
pub struct Operation {
    pub op: String,
    pub kind: Kind,
    #[serde(default)]
    pub args: Vec<Expr>,
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
    #[serde(default)]
    pub pattern: Arc<[Match]>,
    #[serde(default)]
    pub count: Option<Expr>,
    #[serde(default)]
    pub keep: bool,
}

#[derive(Clone, Debug, Deserialize)]
pub struct InhibitorArc {
    pub place: PlaceId,
    #[serde(default)]
    pub pattern: Arc<[Match]>,
    #[serde(default)]
    pub threshold: Option<Expr>,
}

#[derive(Clone, Debug, Deserialize)]
pub struct OutputArc {
    pub places: Vec<PlaceId>,
    #[serde(default)]
    pub values: Vec<Expr>,
    #[serde(default)]
    pub index: Option<Expr>,
    #[serde(default)]
    pub count: Option<Expr>,
    #[serde(default)]
    pub condition: Option<Expr>,
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

/// An initial marking: how many tokens of which values, in order of arrival. Copies share it.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(try_from = "Vec<(u64, Vec<Scalar>)>")]
pub struct Tokens(Arc<Columns>);

/// The values stand token after token, each of the same width.
#[derive(Debug, Default)]
struct Columns {
    counts: Vec<u64>,
    width: usize,
    values: Vec<Scalar>,
}

impl Tokens {
    /// None where the values do not suffice for so many tokens of that width, or are too many.
    pub fn new(counts: Vec<u64>, width: usize, values: Vec<Scalar>) -> Option<Self> {
        let fits = counts.len().checked_mul(width) == Some(values.len());
        fits.then(|| Tokens(Arc::new(Columns { counts, width, values })))
    }

    pub fn width(&self) -> usize {
        self.0.width
    }

    pub fn len(&self) -> usize {
        self.0.counts.len()
    }

    pub fn is_empty(&self) -> bool {
        self.0.counts.is_empty()
    }

    /// How many, of which values.
    pub fn iter(&self) -> impl Iterator<Item = (u64, &[Scalar])> {
        let Columns { counts, width, values } = &*self.0;
        counts.iter().enumerate().map(move |(i, &count)| (count, &values[i * width..(i + 1) * width]))
    }
}

impl TryFrom<Vec<(u64, Vec<Scalar>)>> for Tokens {
    type Error = &'static str;

    fn try_from(tokens: Vec<(u64, Vec<Scalar>)>) -> Result<Self, Self::Error> {
        let width = tokens.first().map_or(0, |(_, token)| token.len());
        if tokens.iter().any(|(_, token)| token.len() != width) {
            return Err("tokens of one place that differ in the number of their values");
        }
        let counts = tokens.iter().map(|(count, _)| *count).collect();
        let values = tokens.into_iter().flat_map(|(_, token)| token).collect();
        Tokens::new(counts, width, values).ok_or("tokens without their values")
    }
}

/// Whether there is anything.
fn given<'de, D: serde::Deserializer<'de>>(decoder: D) -> Result<bool, D::Error> {
    Ok(Option::<serde::de::IgnoredAny>::deserialize(decoder)?.is_some())
}

#[derive(Clone, Debug, Deserialize)]
pub struct Place {
    pub name: String,
    #[serde(default)]
    pub colour: Colour,
    #[serde(default)]
    pub discipline: Discipline,
    #[serde(default)]
    pub key: Option<Expr>,
    #[serde(default)]
    pub capacity: Option<i64>,
    #[serde(default)]
    pub initial: Tokens,
    /// Rows of a file come to the place. Which file that is, the caller knows who feeds them.
    #[serde(default, deserialize_with = "given")]
    pub stream: bool,
}

#[derive(Clone, Debug, Deserialize)]
pub struct Transition {
    pub name: String,
    #[serde(default)]
    pub variables: Arc<[Variable]>,
    #[serde(default)]
    pub inputs: Vec<InputArc>,
    #[serde(default)]
    pub inhibitors: Vec<InhibitorArc>,
    #[serde(default)]
    pub resets: Vec<PlaceId>,
    #[serde(default)]
    pub guard: Option<Expr>,
    #[serde(default)]
    pub draws: Vec<Draw>,
    #[serde(default)]
    pub time: Option<Expr>,
    #[serde(default)]
    pub outputs: Vec<OutputArc>,
    #[serde(default)]
    pub priority: i64,
    #[serde(default = "one")]
    pub weight: f64,
}

fn one() -> f64 {
    1.0
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Event {
    pub transition: Option<TransitionId>,
    pub place: Option<PlaceId>,
    pub key: Vec<Expr>,
}

/// DT and BT of RFC 5236 where a net does not set them.
fn order_threshold() -> usize {
    64
}

#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "is")]
pub enum Probe {
    Passage {
        start: Event,
        end: Event,
    },
    Order {
        event: Event,
        sequence: Expr,
        #[serde(default = "order_threshold")]
        displacement_threshold: usize,
        #[serde(default = "order_threshold")]
        buffer_threshold: usize,
    },
    Sample {
        transition: TransitionId,
        value: Expr,
    },
    Counter {
        transition: TransitionId,
        #[serde(default)]
        quantity: Option<Expr>,
    },
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
    #[serde(default)]
    pub transitions: Vec<Transition>,
    #[serde(default)]
    pub probes: Vec<Probe>,
    #[serde(default)]
    pub tables: Vec<Table>,
    #[serde(default)]
    pub tick: Tick,
}
