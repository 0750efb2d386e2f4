//! Expressions, with names for constants that are holes.

use std::ptr::from_ref;

use crate::base::ids::VariableId;
use crate::jit::blueprint::expression::{
    Bool, Constant, Expression, Int, Leaf, Mean, Real, SlotValue, Value, Variable,
};
use crate::jit::blueprint::names::{CallRef, WordRef};
use crate::jit::blueprint::planner::{Expressions, Planner};
use crate::jit::blueprint::Subject;
use crate::program::distribution::{FINITE_MEAN, POSITIVE_MEAN};
use crate::program::expression;

impl<'a> Planner<'a> {
    /// A function for an expression, which `write` describes in its blueprint, if expressions are called and this one pays: it
    /// draws nothing, does not call the runtime, and does more than to hand over a value.
    pub(super) fn call(&mut self, write: impl FnOnce(&mut Planner<'a>) -> Expression) -> Option<CallRef> {
        if self.expressions != Expressions::Called {
            return None;
        }
        let mut planner = Planner { expressions: Expressions::Open, ..Planner::new(self.program, self.profile) };
        let expression = write(&mut planner);
        if !planner.computes || expression.is_simple() {
            return None;
        }
        let variables = planner.variables;
        self.calls.push(planner.end(Subject::Expression { expression, variables, alone: false }));
        self.names.calls += 1;
        Some(CallRef(self.calls.len() as u32 - 1))
    }

    pub(super) fn variable(&mut self, variable: VariableId) -> Variable {
        self.variables = self.variables.max(variable.at() + 1);
        variable.at()
    }

    /// The address of an expression that the runtime evaluates.
    pub(super) fn evaluated<T>(&mut self, e: &T) -> WordRef {
        self.draws().word(from_ref(e) as u64)
    }

    /// An expression draws.
    pub(super) fn draws(&mut self) -> &mut Self {
        self.computes = false;
        self
    }

    pub(super) fn leaf<T: Copy>(&mut self, leaf: expression::Leaf<T>, bits: impl Fn(T) -> u64) -> Leaf {
        match leaf {
            expression::Leaf::Const(value) => Leaf::Const(self.constant(bits(value))),
            expression::Leaf::Var(variable) => Leaf::Var(self.variable(variable)),
        }
    }

    pub(super) fn constant(&mut self, bits: u64) -> Constant {
        match self.expressions {
            Expressions::Written => Constant::Written(bits),
            Expressions::Open | Expressions::Called => Constant::Held(self.word(bits)),
        }
    }

    /// The value of a slot. Constants are holes, so that transitions that differ only in them share their code.
    pub(super) fn slot(&mut self, value: &expression::Value) -> SlotValue {
        match value {
            expression::Value::Int(expression::Int::Var(variable))
            | expression::Value::Real(expression::Real::Var(variable)) => SlotValue::Variable(variable.at()),
            expression::Value::Int(expression::Int::Const(value)) => SlotValue::Constant(self.word(*value as u64)),
            expression::Value::Real(expression::Real::Const(value)) => SlotValue::Constant(self.word(value.to_bits())),
            value => SlotValue::Of(self.value(value)),
        }
    }

    pub(super) fn value(&mut self, value: &expression::Value) -> Value {
        match value {
            expression::Value::Int(value) => Value::Int(self.int(value)),
            expression::Value::Real(value) => Value::Real(self.real(value)),
        }
    }

    pub(super) fn condition(&mut self, e: &expression::Bool) -> Bool {
        use expression::Bool as Of;
        if let Some(call) = self.call(|planner| Expression::Bool(planner.condition(e))) {
            return Bool::Called(call);
        }
        match e {
            Of::Const(value) => Bool::Const(*value),
            Of::Truth(a) => Bool::Truth(Box::new(self.int(a))),
            Of::Ints(comparison, operands) => Bool::Ints(*comparison, self.ints(operands)),
            Of::Reals(comparison, operands) => Bool::Reals(*comparison, self.reals(operands)),
            Of::And(operands) => Bool::And(self.conditions(operands)),
            Of::Or(operands) => Bool::Or(self.conditions(operands)),
            Of::Not(a) => Bool::Not(Box::new(self.condition(a))),
            Of::Called(none) => match *none {},
            Of::If(of) => Bool::If(Box::new((self.condition(&of.0), self.condition(&of.1), self.condition(&of.2)))),
        }
    }

    pub(super) fn ints(&mut self, of: &(expression::Int, expression::Int)) -> Box<(Int, Int)> {
        Box::new((self.int(&of.0), self.int(&of.1)))
    }

    pub(super) fn reals(&mut self, of: &(expression::Real, expression::Real)) -> Box<(Real, Real)> {
        Box::new((self.real(&of.0), self.real(&of.1)))
    }

    pub(super) fn conditions(&mut self, of: &(expression::Bool, expression::Bool)) -> Box<(Bool, Bool)> {
        Box::new((self.condition(&of.0), self.condition(&of.1)))
    }

    pub(super) fn int(&mut self, e: &expression::Int) -> Int {
        use expression::Int as Of;
        if let Some(call) = self.call(|planner| Expression::Int(planner.int(e))) {
            return Int::Called(call);
        }
        match e {
            Of::Const(value) => Int::Leaf(Leaf::Const(self.constant(*value as u64))),
            Of::Var(variable) => Int::Leaf(Leaf::Var(self.variable(*variable))),
            Of::Tokens(place) => Int::Tokens(self.place(*place)),
            Of::Neg(a, _) => Int::Neg(Box::new(self.int(a))),
            Of::Abs(a, _) => Int::Abs(Box::new(self.int(a))),
            Of::Binary(operation, operands, _) => Int::Binary(*operation, self.ints(operands)),
            Of::Chain(first, steps) => {
                let first = self.leaf(*first, |value| value as u64);
                Int::Chain(first, steps.iter().map(|of| (of.0, self.leaf(of.1, |value| value as u64))).collect())
            }
            Of::Rounded(rounding, a, _) => Int::Rounded(*rounding, Box::new(self.real(a))),
            Of::If(of) => Int::If(Box::new((self.condition(&of.0), self.int(&of.1), self.int(&of.2)))),
            Of::Truth(condition) => Int::Truth(Box::new(self.condition(condition))),
            Of::Uniform(bounds, _) => Int::Uniform(self.draws().ints(bounds)),
            Of::Choice(_) | Of::Table(_) | Of::Drawn(..) => Int::Evaluated(self.evaluated(e)),
        }
    }

    pub(super) fn real(&mut self, e: &expression::Real) -> Real {
        use expression::{Real as Of, RealFunction, RealOperation};
        if let Some(call) = self.call(|planner| Expression::Real(planner.real(e))) {
            return Real::Called(call);
        }
        match e {
            Of::Const(value) => Real::Const { bits: self.word(value.to_bits()), is_zero: *value == 0.0 },
            Of::Var(variable) => Real::Var(self.variable(*variable)),
            Of::Now => Real::Now,
            Of::End => Real::End,
            Of::FromInt(a) => Real::FromInt(Box::new(self.int(a))),
            Of::Unary(function, a, _) if *function != RealFunction::Ln => {
                Real::Unary(*function, Box::new(self.real(a)))
            }
            Of::Binary(operation, operands, _) if *operation != RealOperation::Pow => {
                Real::Binary(*operation, self.reals(operands))
            }
            Of::Chain(first, steps) if steps.iter().all(|step| step.0 != RealOperation::Pow) => {
                let first = self.leaf(*first, f64::to_bits);
                Real::Chain(first, steps.iter().map(|of| (of.0, self.leaf(of.1, f64::to_bits))).collect())
            }
            Of::If(of) => Real::If(Box::new((self.condition(&of.0), self.real(&of.1), self.real(&of.2)))),
            Of::ConstExponential(mean, _) => Real::ConstExponential(self.draws().mean(*mean)),
            Of::Exponential(mean, _) => Real::Exponential(Box::new(self.draws().real(mean))),
            Of::Uniform(bounds, _) => Real::Uniform(self.draws().reals(bounds)),
            Of::Unary(..) | Of::Binary(..) | Of::Chain(..) => Real::Evaluated(self.evaluated(e)),
            Of::Erlang(..) | Of::Drawn(..) | Of::Choice(_) | Of::Table(_) | Of::Empirical(..) => {
                Real::Evaluated(self.evaluated(e))
            }
        }
    }

    pub(super) fn mean(&mut self, mean: f64) -> Mean {
        if mean == 1.0 {
            Mean::One
        } else if mean > POSITIVE_MEAN && mean < FINITE_MEAN {
            Mean::Usual(self.word(mean.to_bits()))
        } else {
            Mean::Other(mean.to_bits())
        }
    }
}
