//! Faults as data: `petri.diagnostics` words them for people.

use crate::base::ids::SpanId;

/// A net that cannot be run at all: a defect of the program that wrote it, not of a model's text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoadError(pub String);

impl std::fmt::Display for LoadError {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl std::error::Error for LoadError {}

impl From<std::io::Error> for LoadError {
    fn from(error: std::io::Error) -> Self {
        LoadError(error.to_string())
    }
}

/// The result of loading a net.
pub type Loaded<T> = Result<T, LoadError>;

/// A value that explains a fault.
#[derive(Clone, Debug, PartialEq)]
pub enum Detail {
    Int(i64),
    Real(f64),
    Text(String),
    Names(Vec<String>),
}

/// Why a firing could not be evaluated (X1 to X3). The run stops at it.
#[derive(Clone, Debug, PartialEq)]
pub struct Fault {
    /// One of the ids of `petri/engine/errors.py`.
    pub id: &'static str,
    /// The expression that failed.
    pub span: SpanId,
    pub details: Vec<(&'static str, Detail)>,
}

/// The value of an evaluation. The fault is boxed: it is rare, and the value should travel in registers.
pub type Outcome<T> = Result<T, Box<Fault>>;

impl Fault {
    #[cold]
    pub fn new(id: &'static str, span: SpanId) -> Box<Fault> {
        Box::new(Fault { id, span, details: Vec::new() })
    }

    pub fn with_int(mut self: Box<Self>, name: &'static str, value: i64) -> Box<Self> {
        self.details.push((name, Detail::Int(value)));
        self
    }

    pub fn with_real(mut self: Box<Self>, name: &'static str, value: f64) -> Box<Self> {
        self.details.push((name, Detail::Real(value)));
        self
    }

    pub fn with_text(mut self: Box<Self>, name: &'static str, value: &str) -> Box<Self> {
        self.details.push((name, Detail::Text(value.to_owned())));
        self
    }

    pub fn with_names(mut self: Box<Self>, name: &'static str, values: Vec<String>) -> Box<Self> {
        self.details.push((name, Detail::Names(values)));
        self
    }
}
