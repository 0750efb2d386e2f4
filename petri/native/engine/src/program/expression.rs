//! Compiled expressions (rule E8).
//!
//! An expression is compiled to one of three typed trees, so that no value carries a tag at run time. A variable
//! is 64 bits: two's complement or IEEE 754, as its kind says.

use std::convert::Infallible;

use crate::base::ids::{PlaceId, SpanId, TableId, VariableId};
use crate::program::distribution::Distribution;

/// A table with the sums of its weights from the first to each.
#[derive(Clone, Debug)]
pub struct DrawTable {
    pub ints: Vec<i64>,
    pub reals: Vec<f64>,
    pub sums: Vec<f64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Comparison {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

/// A condition. A blueprint has numbers of its own (`I`, `R`), and functions that evaluate one (`F`).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Bool<I = Int, R = Real, F = Infallible> {
    Const(bool),
    /// An integer that is not 0.
    Truth(Box<I>),
    Ints(Comparison, Box<(I, I)>),
    Reals(Comparison, Box<(R, R)>),
    And(Box<(Self, Self)>),
    Or(Box<(Self, Self)>),
    Not(Box<Self>),
    If(Box<(Self, Self, Self)>),
    Called(F),
}

/// The simplest operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Leaf<T, V = VariableId> {
    Const(T),
    Var(V),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum IntOperation {
    Add,
    Sub,
    Mul,
    FloorDivide,
    Modulo,
    Min,
    Max,
    /// The number of an element of a list, of which the second operand is the length.
    Within,
    /// A sum that cannot overflow, as the ranges of the operands show.
    PlainAdd,
    /// A difference that cannot overflow.
    PlainSub,
    /// A product that cannot overflow.
    PlainMul,
    /// The quotient of a number that is not negative by a positive one.
    PlainDivide,
    /// The remainder of a number that is not negative by a positive one.
    PlainModulo,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Rounding {
    Floor,
    Ceil,
    Round,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Int {
    Const(i64),
    Var(VariableId),
    Tokens(PlaceId),
    Neg(Box<Int>, SpanId),
    Abs(Box<Int>, SpanId),
    Binary(IntOperation, Box<(Int, Int)>, SpanId),
    /// A constant or a variable, and operations whose other operand is one: nearly all sums of nets that count.
    Chain(Leaf<i64>, Box<[(IntOperation, Leaf<i64>, SpanId)]>),
    Rounded(Rounding, Box<Real>, SpanId),
    If(Box<(Bool, Int, Int)>),
    Truth(Box<Bool>),
    Uniform(Box<(Int, Int)>, SpanId),
    Choice(Box<Choice<Int>>),
    Table(TableId),
    /// A draw from a distribution of integers.
    Drawn(Distribution, Box<[Real]>, SpanId),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RealOperation {
    Add,
    Sub,
    Mul,
    Div,
    Min,
    Max,
    Pow,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RealFunction {
    Neg,
    Abs,
    Sqrt,
    Ln,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Real {
    Const(f64),
    Var(VariableId),
    Now,
    End,
    FromInt(Box<Int>),
    Unary(RealFunction, Box<Real>, SpanId),
    Binary(RealOperation, Box<(Real, Real)>, SpanId),
    Chain(Leaf<f64>, Box<[(RealOperation, Leaf<f64>, SpanId)]>),
    If(Box<(Bool, Real, Real)>),
    /// An exponential of constant mean.
    ConstExponential(f64, SpanId),
    Exponential(Box<Real>, SpanId),
    Uniform(Box<(Real, Real)>, SpanId),
    Erlang(Box<(Int, Real)>, SpanId),
    Drawn(Distribution, Box<[Real]>, SpanId),
    Choice(Box<Choice<Real>>),
    Table(TableId),
    /// A draw between the values of a table.
    Empirical(TableId, SpanId),
}

/// A choice among values. Where all weights are constants their sums are ready, and where all values are constants
/// or variables only the chosen one is evaluated.
#[derive(Clone, Debug, PartialEq)]
pub struct Choice<T> {
    pub values: Vec<T>,
    pub weights: Vec<Real>,
    pub sums: Option<Vec<f64>>,
    pub simple: bool,
    pub span: SpanId,
}

/// The value of a slot or variable, of either kind.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Value<I = Int, R = Real> {
    Int(I),
    Real(R),
}

/// What tokens or bindings are ordered by: a value, and another for those in which it is equal.
#[derive(Clone, Debug, PartialEq)]
pub struct OrderKey {
    pub first: Value,
    pub then: Option<Value>,
}

/// The values of a key as numbers without sign, in the same order; 0 for one that is not there.
pub type Rank = (u64, u64);

/// The sums of the weights from the first to each, if they are weights: none negative, not all 0.
pub fn cumulative(weights: &[f64]) -> Option<Vec<f64>> {
    let mut total = 0.0;
    let sums: Vec<f64> = weights
        .iter()
        .map(|weight| {
            total += weight;
            total
        })
        .collect();
    (weights.iter().all(|&w| w >= 0.0) && total > 0.0).then_some(sums)
}

impl<T> Choice<T> {
    pub fn new(values: Vec<T>, weights: Vec<Real>, simple: bool, span: SpanId) -> Self {
        let constants: Option<Vec<f64>> =
            weights.iter().map(|w| if let Real::Const(value) = w { Some(*value) } else { None }).collect();
        let sums = constants.and_then(|weights| cumulative(&weights));
        Choice { values, weights, sums, simple, span }
    }
}
