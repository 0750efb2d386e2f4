//! The flat net as `petri/codec.py` writes it: the twin of `petri/net.py`, as far as an engine reads it.
//!
//! Fields that the text leaves out have the defaults of `petri/net.py`; fields that it has beyond these are ignored.

use serde::Deserialize;

use crate::ids::{PlaceId, TransitionId, VariableId};

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
    pub slots: Vec<Slot>,
}

#[derive(Clone, Debug, Deserialize)]
pub struct Expr {
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
    pub pattern: Vec<Match>,
    #[serde(default)]
    pub count: Option<Expr>,
    #[serde(default)]
    pub keep: bool,
}

#[derive(Clone, Debug, Deserialize)]
pub struct InhibitorArc {
    pub place: PlaceId,
    #[serde(default)]
    pub pattern: Vec<Match>,
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
    pub initial: Vec<(u64, Vec<Scalar>)>,
}

#[derive(Clone, Debug, Deserialize)]
pub struct Transition {
    pub name: String,
    #[serde(default)]
    pub variables: Vec<Variable>,
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
}
