//! The values of expressions (rules E8, R3, X1), given the variables, the numbers of tokens, the time and a random stream.

use crate::base::fault::{Fault, Outcome};
use crate::base::ids::SpanId;
use crate::base::portable;
use crate::base::random::{random, Draws, Random};
use crate::base::ticks::Ticks;
use crate::program::distribution::{erlang, finite, require, uniform_int, Distribution};
use crate::program::expression::{
    Bool, Choice, Comparison, DrawTable, Int, IntOperation, Leaf, OrderKey, Rank, Real, RealFunction, RealOperation,
    Rounding, Value,
};
use crate::program::transition::Preference;
use crate::state::counters::PlaceCounters;
use crate::state::store::{int_rank, real_rank};

/// The values that an expression may refer to. In a key, `variables` are the slots of the token.
pub struct Scope<'a, R = Random> {
    pub variables: &'a [u64],
    pub places: &'a [PlaceCounters],
    pub tables: &'a [DrawTable],
    pub random: &'a mut R,
    pub now: Ticks,
    pub end: Ticks,
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

impl Value {
    /// The 64 bits of the value.
    #[inline(always)]
    pub fn bits<R: Draws>(&self, scope: &mut Scope<R>) -> Outcome<u64> {
        match self {
            Value::Int(Int::Var(variable)) | Value::Real(Real::Var(variable)) => Ok(scope.variables[variable.at()]),
            Value::Int(expression) => Ok(expression.value(scope)? as u64),
            Value::Real(expression) => Ok(expression.value(scope)?.to_bits()),
        }
    }

    /// The value as a number without sign, in the same order.
    #[inline(always)]
    pub fn rank(&self, scope: &mut Scope) -> Outcome<u64> {
        Ok(match self {
            Value::Int(expression) => int_rank(expression.value(scope)?),
            Value::Real(expression) => real_rank(expression.value(scope)?),
        })
    }
}

impl OrderKey {
    /// The rank of what the scope has: the least comes first.
    #[inline(always)]
    pub fn rank(&self, scope: &mut Scope) -> Outcome<Rank> {
        let first = self.first.rank(scope)?;
        Ok((first, self.then.as_ref().map_or(Ok(0), |then| then.rank(scope))?))
    }
}

impl Preference {
    /// The rank of the binding that the scope has: the least is preferred.
    pub fn rank(&self, scope: &mut Scope) -> Outcome<Rank> {
        let rank = self.key.rank(scope)?;
        Ok(if self.most { (!rank.0, !rank.1) } else { rank })
    }
}

impl Bool {
    pub fn value<R: Draws>(&self, scope: &mut Scope<R>) -> Outcome<bool> {
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
            Bool::Called(none) => match *none {},
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
            IntOperation::Within if !(0..b).contains(&a) => {
                return Err(Fault::new("list-range", span).with_int("index", a).with_int("size", b));
            }
            IntOperation::Within => Some(a),
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
    pub fn value<R: Draws>(&self, scope: &mut Scope<R>) -> Outcome<i64> {
        match self {
            Int::Const(value) => Ok(*value),
            Int::Var(variable) => Ok(scope.variables[variable.at()] as i64),
            Int::Tokens(place) => Ok(scope.places[place.at()].tokens as i64),
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

    fn general_value<R: Draws>(&self, scope: &mut Scope<R>) -> Outcome<i64> {
        match self {
            Int::Const(_) | Int::Var(_) | Int::Tokens(_) | Int::Chain(..) => self.value(scope),
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
            Int::Uniform(bounds, span) => {
                let (low, high) = (bounds.0.value(scope)?, bounds.1.value(scope)?);
                uniform_int(low, high, *span, scope.random)
            }
            Int::Choice(choice) => choice.value(scope, Int::value),
            Int::Table(table) => {
                let table = &scope.tables[table.at()];
                Ok(table.ints[scope.random.cumulative(&table.ints, &table.sums)])
            }
            Int::Drawn(distribution, parameters, span) => {
                whole_number(drawn(*distribution, parameters, *span, scope)?, *span)
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
        whole_number(rounded, span)
    }
}

/// A weight among transitions (I3).
pub fn weight_of_choice(weight: &Real, span: SpanId, scope: &mut Scope) -> Outcome<f64> {
    let weight = weight.value(scope)?;
    if weight < 0.0 {
        return Err(Fault::new("negative-weight", span).with_real("weight", weight));
    }
    Ok(weight)
}

/// The sum of weights among transitions, if it tells how to choose. span: of the first weight.
pub fn sum_of_weights(weights: &[f64], span: SpanId) -> Outcome<f64> {
    let sum: f64 = weights.iter().sum();
    if sum > 0.0 && sum.is_finite() {
        Ok(sum)
    } else {
        Err(Fault::new("no-weight", span))
    }
}

/// A whole number as an integer.
fn whole_number(number: f64, span: SpanId) -> Outcome<i64> {
    // −2⁶³ is a double; 2⁶³ is the first one above the range.
    if (-9_223_372_036_854_775_808.0..9_223_372_036_854_775_808.0).contains(&number) {
        Ok(number as i64)
    } else {
        Err(Fault::new("int-overflow", span))
    }
}

/// Anywhere between a value and the one before it, evenly, with the weight of the value; or the first one.
fn interpolated(table: &DrawTable, span: SpanId, random: &mut Random) -> Outcome<f64> {
    let position = random.cumulative_choice(&table.sums);
    let high = table.reals[position];
    if position == 0 {
        return Ok(high);
    }
    let low = table.reals[position - 1];
    finite(low + (high - low) * random.uniform(), span)
}

/// A draw from a distribution: first its parameters, from left to right.
fn drawn<R: Draws>(
    distribution: Distribution,
    parameters: &[Real],
    span: SpanId,
    scope: &mut Scope<R>,
) -> Outcome<f64> {
    let mut values = [0.0; 4];
    for (value, parameter) in values.iter_mut().zip(parameters) {
        *value = parameter.value(scope)?;
    }
    distribution.draw(&values[..parameters.len()], span, scope.random)
}

impl Real {
    #[inline]
    pub fn value<R: Draws>(&self, scope: &mut Scope<R>) -> Outcome<f64> {
        match self {
            Real::Const(value) => Ok(*value),
            Real::Var(variable) => Ok(f64::from_bits(scope.variables[variable.at()])),
            Real::ConstExponential(mean, span) => finite(mean * random(scope.random, *span)?.exponential(), *span),
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

    fn general_value<R: Draws>(&self, scope: &mut Scope<R>) -> Outcome<f64> {
        match self {
            Real::Const(_) | Real::Var(_) | Real::ConstExponential(..) | Real::Chain(..) => self.value(scope),
            Real::Now => Ok(scope.now as f64),
            Real::End => Ok(scope.end as f64),
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
                Ok(table.reals[scope.random.cumulative(&table.reals, &table.sums)])
            }
            Real::Empirical(table, span) => {
                interpolated(&scope.tables[table.at()], *span, random(scope.random, *span)?)
            }
            Real::Exponential(mean, span) => {
                let mean = mean.value(scope)?;
                require(mean >= 0.0, "exp", *span, || vec![("mean", mean)])?;
                finite(mean * random(scope.random, *span)?.exponential(), *span)
            }
            Real::Uniform(bounds, span) => {
                let (low, high) = (bounds.0.value(scope)?, bounds.1.value(scope)?);
                require(low <= high, "uniform", *span, || vec![("low", low), ("high", high)])?;
                finite(low + (high - low) * random(scope.random, *span)?.uniform(), *span)
            }
            Real::Erlang(parameters, span) => {
                let (k, mean) = (parameters.0.value(scope)?, parameters.1.value(scope)?);
                erlang(k, mean, *span, random(scope.random, *span)?)
            }
            Real::Drawn(distribution, parameters, span) => {
                finite(drawn(*distribution, parameters, *span, scope)?, *span)
            }
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

impl<T> Choice<T> {
    /// Values and weights are evaluated as they are written, before anything is drawn.
    fn value<V: Copy + PartialEq, R: Draws>(
        &self,
        scope: &mut Scope<R>,
        evaluate: impl Fn(&T, &mut Scope<R>) -> Outcome<V>,
    ) -> Outcome<V> {
        if let (Some(sums), true, Some(random)) = (&self.sums, self.simple, scope.random.stream()) {
            let position = random.cumulative_choice(sums);
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
        Ok(values[scope.random.weighted(&values, &weights)])
    }
}
