//! Which expressions may have a function of their own: those that draw nothing, do not call the runtime, and compute
//! something.

use crate::program::expression::{Bool, Int, Leaf, Real, RealFunction, RealOperation};

/// An expression of any kind.
pub trait Worth {
    /// Whether a function could evaluate it, and would do more than to hand over a value.
    fn is_worth_a_call(&self) -> bool {
        !self.is_simple() && self.is_computed()
    }

    /// A constant, a variable, or a number that is read.
    fn is_simple(&self) -> bool;

    /// It draws nothing, and no part of it calls the runtime.
    fn is_computed(&self) -> bool;

    /// One more than the last variable that it names.
    fn variables(&self) -> usize;
}

impl Worth for Bool {
    fn is_simple(&self) -> bool {
        matches!(self, Bool::Const(_))
    }

    fn is_computed(&self) -> bool {
        match self {
            Bool::Const(_) => true,
            Bool::Truth(a) => a.is_computed(),
            Bool::Ints(_, of) => of.0.is_computed() && of.1.is_computed(),
            Bool::Reals(_, of) => of.0.is_computed() && of.1.is_computed(),
            Bool::And(of) | Bool::Or(of) => of.0.is_computed() && of.1.is_computed(),
            Bool::Not(a) => a.is_computed(),
            Bool::If(of) => of.0.is_computed() && of.1.is_computed() && of.2.is_computed(),
        }
    }

    fn variables(&self) -> usize {
        match self {
            Bool::Const(_) => 0,
            Bool::Truth(a) => a.variables(),
            Bool::Ints(_, of) => of.0.variables().max(of.1.variables()),
            Bool::Reals(_, of) => of.0.variables().max(of.1.variables()),
            Bool::And(of) | Bool::Or(of) => of.0.variables().max(of.1.variables()),
            Bool::Not(a) => a.variables(),
            Bool::If(of) => of.0.variables().max(of.1.variables()).max(of.2.variables()),
        }
    }
}

impl Worth for Int {
    fn is_simple(&self) -> bool {
        matches!(self, Int::Const(_) | Int::Var(_) | Int::Tokens(_))
    }

    fn is_computed(&self) -> bool {
        match self {
            Int::Const(_) | Int::Var(_) | Int::Tokens(_) | Int::Chain(..) => true,
            Int::Neg(a, _) | Int::Abs(a, _) => a.is_computed(),
            Int::Binary(_, of, _) => of.0.is_computed() && of.1.is_computed(),
            Int::Rounded(_, a, _) => a.is_computed(),
            Int::If(of) => of.0.is_computed() && of.1.is_computed() && of.2.is_computed(),
            Int::Truth(a) => a.is_computed(),
            Int::Uniform(..) | Int::Choice(_) | Int::Table(_) | Int::Drawn(..) => false,
        }
    }

    fn variables(&self) -> usize {
        match self {
            Int::Var(variable) => variable.at() + 1,
            Int::Neg(a, _) | Int::Abs(a, _) => a.variables(),
            Int::Binary(_, of, _) => of.0.variables().max(of.1.variables()),
            Int::Chain(first, steps) => steps.iter().map(|step| of_leaf(step.1)).fold(of_leaf(*first), usize::max),
            Int::Rounded(_, a, _) => a.variables(),
            Int::If(of) => of.0.variables().max(of.1.variables()).max(of.2.variables()),
            Int::Truth(a) => a.variables(),
            _ => 0,
        }
    }
}

impl Worth for Real {
    fn is_simple(&self) -> bool {
        matches!(self, Real::Const(_) | Real::Var(_) | Real::Now | Real::End)
    }

    fn is_computed(&self) -> bool {
        match self {
            Real::Const(_) | Real::Var(_) | Real::Now | Real::End => true,
            Real::FromInt(a) => a.is_computed(),
            Real::Unary(function, a, _) => *function != RealFunction::Ln && a.is_computed(),
            Real::Binary(operation, of, _) => {
                *operation != RealOperation::Pow && of.0.is_computed() && of.1.is_computed()
            }
            Real::Chain(_, steps) => steps.iter().all(|step| step.0 != RealOperation::Pow),
            Real::If(of) => of.0.is_computed() && of.1.is_computed() && of.2.is_computed(),
            Real::ConstExponential(..) | Real::Exponential(..) | Real::Uniform(..) | Real::Erlang(..) => false,
            Real::Drawn(..) | Real::Choice(_) | Real::Table(_) | Real::Empirical(..) => false,
        }
    }

    fn variables(&self) -> usize {
        match self {
            Real::Var(variable) => variable.at() + 1,
            Real::FromInt(a) => a.variables(),
            Real::Unary(_, a, _) => a.variables(),
            Real::Binary(_, of, _) => of.0.variables().max(of.1.variables()),
            Real::Chain(first, steps) => steps.iter().map(|step| of_leaf(step.1)).fold(of_leaf(*first), usize::max),
            Real::If(of) => of.0.variables().max(of.1.variables()).max(of.2.variables()),
            _ => 0,
        }
    }
}

fn of_leaf<T>(leaf: Leaf<T>) -> usize {
    match leaf {
        Leaf::Const(_) => 0,
        Leaf::Var(variable) => variable.at() + 1,
    }
}
