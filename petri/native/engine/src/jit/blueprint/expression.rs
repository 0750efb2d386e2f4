//! Expressions, as a blueprint has them: those of `program/expression.rs`, with names for the places, and for the constants
//! that are holes.

pub use crate::program::distribution::WIDEST;
pub use crate::program::expression::{Comparison, IntOperation, RealFunction, RealOperation, Rounding};

use crate::jit::blueprint::names::{CallRef, PlaceRef, WordRef};
use crate::program::expression;

/// The position of a variable of the transition.
pub type Variable = usize;

pub type Bool = expression::Bool<Int, Real, CallRef>;
pub type Value = expression::Value<Int, Real>;

pub type Leaf = expression::Leaf<Constant, Variable>;

/// A constant, as 64 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Constant {
    Written(u64),
    /// It is a hole.
    Held(WordRef),
}

#[derive(Debug, PartialEq, Eq, Hash)]
pub enum Int {
    Leaf(Leaf),
    Tokens(PlaceRef),
    Neg(Box<Int>),
    Abs(Box<Int>),
    Binary(IntOperation, Box<(Int, Int)>),
    Chain(Leaf, Box<[(IntOperation, Leaf)]>),
    Rounded(Rounding, Box<Real>),
    If(Box<(Bool, Int, Int)>),
    Truth(Box<Bool>),
    Uniform(Box<(Int, Int)>),
    /// A function evaluates it.
    Called(CallRef),
    /// The runtime evaluates it: its address.
    Evaluated(WordRef),
}

#[derive(Debug, PartialEq, Eq, Hash)]
pub enum Real {
    Const {
        bits: WordRef,
        is_zero: bool,
    },
    Var(Variable),
    Now,
    End,
    FromInt(Box<Int>),
    Unary(RealFunction, Box<Real>),
    Binary(RealOperation, Box<(Real, Real)>),
    Chain(Leaf, Box<[(RealOperation, Leaf)]>),
    If(Box<(Bool, Real, Real)>),
    ConstExponential(Mean),
    Exponential(Box<Real>),
    Uniform(Box<(Real, Real)>),
    /// A function evaluates it.
    Called(CallRef),
    /// The runtime evaluates it: its address.
    Evaluated(WordRef),
}

/// The constant mean of an exponential.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mean {
    One,
    /// One whose exponentials are all finite, and above 0 if a standard one is.
    Usual(WordRef),
    /// Its bits.
    Other(u64),
}

/// An expression of any kind that has a function of its own.
#[derive(Debug, PartialEq, Eq, Hash)]
pub enum Expression {
    Bool(Bool),
    Int(Int),
    Real(Real),
}

impl Expression {
    /// No more than one comparison of what is at hand, which takes no longer than a call.
    pub fn is_short(&self) -> bool {
        let int = |e: &Int| matches!(e, Int::Leaf(_));
        let real = |e: &Real| matches!(e, Real::Const { .. } | Real::Var(_));
        match self {
            Expression::Bool(Bool::Truth(e)) => int(e),
            Expression::Bool(Bool::Ints(_, sides)) => int(&sides.0) && int(&sides.1),
            Expression::Bool(Bool::Reals(_, sides)) => real(&sides.0) && real(&sides.1),
            _ => self.is_simple(),
        }
    }

    /// A constant, a variable, or a number that is read.
    pub fn is_simple(&self) -> bool {
        match self {
            Expression::Bool(e) => matches!(e, Bool::Const(_)),
            Expression::Int(e) => matches!(e, Int::Leaf(_) | Int::Tokens(_)),
            Expression::Real(e) => matches!(e, Real::Const { .. } | Real::Var(_) | Real::Now | Real::End),
        }
    }
}

/// The value of a slot that an arc asks for, or gives.
#[derive(Debug, PartialEq, Eq, Hash)]
pub enum SlotValue {
    Variable(Variable),
    Constant(WordRef),
    Of(Value),
}
