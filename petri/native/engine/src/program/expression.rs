//! Compiled expressions and their values (rules E8, R3, X1).
//!
//! An expression is compiled to one of three typed trees, so that no value carries a tag at run time. A variable
//! is 64 bits: two's complement or IEEE 754, as its kind says.

use crate::base::fault::{Fault, Outcome};
use crate::base::ids::{PlaceId, SpanId, TableId, VariableId};
use crate::base::portable;
use crate::base::random::Random;
use crate::program::distribution::{erlang, lognormal, pareto, require, uniform_int};
use crate::state::counters::Place;

/// A table with the sums of its weights from the first to each.
#[derive(Clone, Debug)]
pub struct DrawTable {
    pub ints: Vec<i64>,
    pub reals: Vec<f64>,
    pub sums: Vec<f64>,
}

/// What an expression may refer to. In a key, `variables` are the slots of the token.
pub struct Scope<'a> {
    pub variables: &'a [u64],
    pub places: &'a [Place],
    pub tables: &'a [DrawTable],
    pub random: &'a mut Random,
    pub now: f64,
    pub end: f64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

impl Comparison {
    #[inline(always)]
    fn holds<T: PartialOrd>(self, a: T, b: T) -> bool {
        match self {
            Comparison::Equal => a == b,
            Comparison::NotEqual => a != b,
            Comparison::Less => a < b,
            Comparison::LessOrEqual => a <= b,
            Comparison::Greater => a > b,
            Comparison::GreaterOrEqual => a >= b,
        }
    }
}

#[derive(Clone, Debug)]
pub enum Bool {
    Const(bool),
    /// An integer that is not 0.
    Truth(Box<Int>),
    Ints(Comparison, Box<(Int, Int)>),
    Reals(Comparison, Box<(Real, Real)>),
    And(Box<(Bool, Bool)>),
    Or(Box<(Bool, Bool)>),
    Not(Box<Bool>),
    If(Box<(Bool, Bool, Bool)>),
}

/// The simplest operand.
#[derive(Clone, Copy, Debug)]
pub enum Leaf<T> {
    Const(T),
    Var(VariableId),
}

impl Leaf<i64> {
    #[inline(always)]
    fn value(self, variables: &[u64]) -> i64 {
        match self {
            Leaf::Const(value) => value,
            Leaf::Var(variable) => variables[variable.at()] as i64,
        }
    }
}

impl Leaf<f64> {
    #[inline(always)]
    fn value(self, variables: &[u64]) -> f64 {
        match self {
            Leaf::Const(value) => value,
            Leaf::Var(variable) => f64::from_bits(variables[variable.at()]),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IntOperation {
    Add,
    Sub,
    Mul,
    FloorDivide,
    Modulo,
    Min,
    Max,
    /// Of numbers whose ranges rule out an overflow, …
    PlainAdd,
    PlainSub,
    PlainMul,
    /// … and of one that is not negative by a positive one.
    PlainDivide,
    PlainModulo,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rounding {
    Floor,
    Ceil,
    Round,
}

#[derive(Clone, Debug)]
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
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RealOperation {
    Add,
    Sub,
    Mul,
    Div,
    Min,
    Max,
    Pow,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RealFunction {
    Neg,
    Abs,
    Sqrt,
    Ln,
}

#[derive(Clone, Debug)]
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
    Lognormal(Box<(Real, Real)>, SpanId),
    Pareto(Box<(Real, Real)>, SpanId),
    Choice(Box<Choice<Real>>),
    Table(TableId),
}

/// A choice among values. Where all weights are constants their sums are ready, and where all values are constants
/// or variables only the chosen one is evaluated.
#[derive(Clone, Debug)]
pub struct Choice<T> {
    values: Vec<T>,
    weights: Vec<Real>,
    sums: Option<Vec<f64>>,
    simple: bool,
    span: SpanId,
}

/// The value of a slot or variable, of either kind.
#[derive(Clone, Debug)]
pub enum Value {
    Int(Int),
    Real(Real),
}

impl Value {
    /// The 64 bits of the value.
    #[inline(always)]
    pub fn bits(&self, scope: &mut Scope) -> Outcome<u64> {
        match self {
            Value::Int(Int::Var(variable)) | Value::Real(Real::Var(variable)) => Ok(scope.variables[variable.at()]),
            Value::Int(expression) => Ok(expression.value(scope)? as u64),
            Value::Real(expression) => Ok(expression.value(scope)?.to_bits()),
        }
    }
}

impl Bool {
    pub fn value(&self, scope: &mut Scope) -> Outcome<bool> {
        Ok(match self {
            Bool::Const(value) => *value,
            Bool::Truth(a) => a.value(scope)? != 0,
            Bool::Ints(comparison, operands) => {
                let a = operands.0.value(scope)?;
                comparison.holds(a, operands.1.value(scope)?)
            }
            Bool::Reals(comparison, operands) => {
                let a = operands.0.value(scope)?;
                comparison.holds(a, operands.1.value(scope)?)
            }
            Bool::And(operands) => operands.0.value(scope)? && operands.1.value(scope)?,
            Bool::Or(operands) => operands.0.value(scope)? || operands.1.value(scope)?,
            Bool::Not(a) => !a.value(scope)?,
            Bool::If(parts) => {
                if parts.0.value(scope)? {
                    parts.1.value(scope)?
                } else {
                    parts.2.value(scope)?
                }
            }
        })
    }
}

impl IntOperation {
    #[inline(always)]
    fn apply(self, a: i64, b: i64, span: SpanId) -> Outcome<i64> {
        let result = match self {
            IntOperation::Add => a.checked_add(b),
            IntOperation::Sub => a.checked_sub(b),
            IntOperation::Mul => a.checked_mul(b),
            IntOperation::PlainAdd => Some(a.wrapping_add(b)),
            IntOperation::PlainSub => Some(a.wrapping_sub(b)),
            IntOperation::PlainMul => Some(a.wrapping_mul(b)),
            IntOperation::Min => Some(if b < a { b } else { a }),
            IntOperation::Max => Some(if b > a { b } else { a }),
            IntOperation::PlainDivide => a.checked_div(b),
            IntOperation::PlainModulo => a.checked_rem(b),
            IntOperation::FloorDivide | IntOperation::Modulo if b == 0 => {
                return Err(Fault::new("division-by-zero", span));
            }
            IntOperation::FloorDivide => {
                a.checked_div(b).map(|quotient| quotient - i64::from(a % b != 0 && (a < 0) != (b < 0)))
            }
            IntOperation::Modulo => {
                let rest = a.wrapping_rem(b);
                Some(if rest != 0 && (rest < 0) != (b < 0) { rest + b } else { rest })
            }
        };
        result.ok_or_else(|| Fault::new("int-overflow", span))
    }
}

impl Int {
    #[inline]
    pub fn value(&self, scope: &mut Scope) -> Outcome<i64> {
        match self {
            Int::Const(value) => Ok(*value),
            Int::Var(variable) => Ok(scope.variables[variable.at()] as i64),
            Int::Chain(first, steps) => {
                let mut value = first.value(scope.variables);
                for (operation, operand, span) in steps {
                    value = operation.apply(value, operand.value(scope.variables), *span)?;
                }
                Ok(value)
            }
            _ => self.general_value(scope),
        }
    }

    fn general_value(&self, scope: &mut Scope) -> Outcome<i64> {
        match self {
            Int::Const(_) | Int::Var(_) | Int::Chain(..) => self.value(scope),
            Int::Tokens(place) => Ok(scope.places[place.at()].tokens as i64),
            Int::Neg(a, span) => a.value(scope)?.checked_neg().ok_or_else(|| Fault::new("int-overflow", *span)),
            Int::Abs(a, span) => a.value(scope)?.checked_abs().ok_or_else(|| Fault::new("int-overflow", *span)),
            Int::Binary(operation, operands, span) => {
                let a = operands.0.value(scope)?;
                operation.apply(a, operands.1.value(scope)?, *span)
            }
            Int::Rounded(rounding, a, span) => rounding.apply(a.value(scope)?, *span),
            Int::If(parts) => {
                if parts.0.value(scope)? {
                    parts.1.value(scope)
                } else {
                    parts.2.value(scope)
                }
            }
            Int::Truth(condition) => Ok(i64::from(condition.value(scope)?)),
            Int::Uniform(bounds, span) => uniform_int(bounds, *span, scope),
            Int::Choice(choice) => choice.value(scope, Int::value),
            Int::Table(table) => {
                let table = &scope.tables[table.at()];
                Ok(table.ints[scope.random.cumulative_choice(&table.sums)])
            }
        }
    }
}

impl Rounding {
    fn apply(self, a: f64, span: SpanId) -> Outcome<i64> {
        let rounded = match self {
            Rounding::Floor => a.floor(),
            Rounding::Ceil => a.ceil(),
            Rounding::Round => a.round_ties_even(),
        };
        // −2⁶³ is a double; 2⁶³ is the first one above the range.
        if (-9_223_372_036_854_775_808.0..9_223_372_036_854_775_808.0).contains(&rounded) {
            Ok(rounded as i64)
        } else {
            Err(Fault::new("int-overflow", span))
        }
    }
}

/// A finite result, with −0.0 as 0.0 (S2, X1).
#[inline(always)]
pub fn finite(value: f64, span: SpanId) -> Outcome<f64> {
    if value.is_finite() {
        Ok(value + 0.0)
    } else {
        Err(Fault::new("not-finite", span))
    }
}

impl Real {
    #[inline]
    pub fn value(&self, scope: &mut Scope) -> Outcome<f64> {
        match self {
            Real::Const(value) => Ok(*value),
            Real::Var(variable) => Ok(f64::from_bits(scope.variables[variable.at()])),
            Real::ConstExponential(mean, span) => finite(mean * scope.random.exponential(), *span),
            Real::Chain(first, steps) => {
                let mut value = first.value(scope.variables);
                for (operation, operand, span) in steps {
                    value = operation.apply(value, operand.value(scope.variables), *span)?;
                }
                Ok(value)
            }
            _ => self.general_value(scope),
        }
    }

    fn general_value(&self, scope: &mut Scope) -> Outcome<f64> {
        match self {
            Real::Const(_) | Real::Var(_) | Real::ConstExponential(..) | Real::Chain(..) => self.value(scope),
            Real::Now => Ok(scope.now),
            Real::End => Ok(scope.end),
            Real::FromInt(a) => Ok(a.value(scope)? as f64),
            Real::Unary(function, a, span) => function.apply(a.value(scope)?, *span),
            Real::Binary(operation, operands, span) => {
                let a = operands.0.value(scope)?;
                operation.apply(a, operands.1.value(scope)?, *span)
            }
            Real::If(parts) => {
                if parts.0.value(scope)? {
                    parts.1.value(scope)
                } else {
                    parts.2.value(scope)
                }
            }
            Real::Choice(choice) => choice.value(scope, Real::value),
            Real::Table(table) => {
                let table = &scope.tables[table.at()];
                Ok(table.reals[scope.random.cumulative_choice(&table.sums)])
            }
            Real::Exponential(mean, span) => {
                let mean = mean.value(scope)?;
                require(mean >= 0.0, "exp", *span, || vec![("mean", mean)])?;
                finite(mean * scope.random.exponential(), *span)
            }
            Real::Uniform(bounds, span) => {
                let (low, high) = (bounds.0.value(scope)?, bounds.1.value(scope)?);
                require(low <= high, "uniform", *span, || vec![("low", low), ("high", high)])?;
                finite(low + (high - low) * scope.random.uniform(), *span)
            }
            Real::Erlang(parameters, span) => erlang(parameters, *span, scope),
            Real::Lognormal(parameters, span) => lognormal(parameters, *span, scope),
            Real::Pareto(parameters, span) => pareto(parameters, *span, scope),
        }
    }
}

impl RealFunction {
    fn apply(self, a: f64, span: SpanId) -> Outcome<f64> {
        let domain =
            |function| Err(Fault::new("domain", span).with_text("function", function).with_real("argument", a));
        match self {
            RealFunction::Neg => Ok(-a + 0.0),
            RealFunction::Abs => Ok(a.abs()),
            RealFunction::Sqrt if a < 0.0 => domain("sqrt"),
            RealFunction::Sqrt => finite(a.sqrt(), span),
            RealFunction::Ln if a <= 0.0 => domain("ln"),
            RealFunction::Ln => finite(portable::ln(a), span),
        }
    }
}

impl RealOperation {
    #[inline(always)]
    fn apply(self, a: f64, b: f64, span: SpanId) -> Outcome<f64> {
        let result = match self {
            RealOperation::Add => a + b,
            RealOperation::Sub => a - b,
            RealOperation::Mul => a * b,
            RealOperation::Div if b == 0.0 => return Err(Fault::new("division-by-zero", span)),
            RealOperation::Div => a / b,
            RealOperation::Min => {
                if b < a {
                    b
                } else {
                    a
                }
            }
            RealOperation::Max => {
                if b > a {
                    b
                } else {
                    a
                }
            }
            RealOperation::Pow if a < 0.0 || (a == 0.0 && b < 0.0) => {
                return Err(Fault::new("domain", span).with_text("function", "pow").with_real("argument", a));
            }
            RealOperation::Pow => portable::power(a, b),
        };
        finite(result, span)
    }
}

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

    /// Values and weights are evaluated as they are written, before anything is drawn.
    fn value<V: Copy>(&self, scope: &mut Scope, evaluate: impl Fn(&T, &mut Scope) -> Outcome<V>) -> Outcome<V> {
        if let (Some(sums), true) = (&self.sums, self.simple) {
            let position = scope.random.cumulative_choice(sums);
            return evaluate(&self.values[position], scope);
        }
        let mut values = Vec::with_capacity(self.values.len());
        let mut weights = Vec::with_capacity(self.values.len());
        for (value, weight) in self.values.iter().zip(&self.weights) {
            values.push(evaluate(value, scope)?);
            weights.push(weight.value(scope)?);
        }
        if weights.iter().any(|&w| w < 0.0) || weights.iter().sum::<f64>() <= 0.0 {
            return Err(Fault::new("bad-parameter", self.span).with_text("distribution", "choice"));
        }
        Ok(values[scope.random.weighted_choice(weights.into_iter())])
    }
}
