//! From the expressions of the flat net to the compiled ones.

use crate::base::fault::{LoadError, Loaded};
use crate::base::ids::{PlaceId, SpanId, TableId, VariableId};
use crate::net::{Expr, Kind, Op, Scalar, Span};
use crate::program::analysis::{Range, Ranges, ANY};
use crate::program::distribution::{Distribution, FINITE_MEAN, POSITIVE_MEAN};
use crate::program::expression::{
    Bool, Choice, Comparison, Int, IntOperation, Leaf, OrderKey, Real, RealFunction, RealOperation, Rounding, Value,
};

/// The names that an expression may use, and where its spans are collected.
pub struct Lowering<'a> {
    pub spans: &'a mut Vec<Span>,
    pub places: usize,
    pub tables: usize,
    /// The kinds of the variables (or slots) in scope.
    pub kinds: Vec<Kind>,
    /// The known properties of their values.
    pub ranges: Ranges<'a>,
}

impl Lowering<'_> {
    pub fn span(&mut self, span: &Option<Span>) -> SpanId {
        let Some(span) = span else { return SpanId::NONE };
        self.spans.push(*span);
        SpanId(self.spans.len() as u32 - 1)
    }

    /// A key, and perhaps another for equal ones.
    pub fn key(&mut self, first: &Expr, then: &Option<Expr>) -> Loaded<OrderKey> {
        let then = then.as_ref().map(|then| self.value(then, then.kind)).transpose()?;
        Ok(OrderKey { first: self.value(first, first.kind)?, then })
    }

    /// An expression whose value is stored in a slot or variable of the given kind.
    pub fn value(&mut self, e: &Expr, kind: Kind) -> Loaded<Value> {
        Ok(match kind {
            Kind::Real => Value::Real(self.real(e)?),
            Kind::Int | Kind::Bool => Value::Int(self.int(e)?),
        })
    }

    pub fn bool(&mut self, e: &Expr) -> Loaded<Bool> {
        if let Some(comparison) = comparison(e.op) {
            let (a, b) = (argument(e, 0)?, argument(e, 1)?);
            return Ok(if a.kind == Kind::Real || b.kind == Kind::Real {
                Bool::Reals(comparison, Box::new((self.real(a)?, self.real(b)?)))
            } else {
                Bool::Ints(comparison, Box::new((self.int(a)?, self.int(b)?)))
            });
        }
        Ok(match e.op {
            Op::Const => Bool::Const(constant(e)?.as_real() != 0.0),
            Op::And => Bool::And(Box::new((self.bool(argument(e, 0)?)?, self.bool(argument(e, 1)?)?))),
            Op::Or => Bool::Or(Box::new((self.bool(argument(e, 0)?)?, self.bool(argument(e, 1)?)?))),
            Op::Not => Bool::Not(Box::new(self.bool(argument(e, 0)?)?)),
            Op::If => {
                let branches = (self.bool(argument(e, 1)?)?, self.bool(argument(e, 2)?)?);
                Bool::If(Box::new((self.bool(argument(e, 0)?)?, branches.0, branches.1)))
            }
            _ if e.kind == Kind::Real => Bool::Reals(Comparison::NotEqual, Box::new((self.real(e)?, Real::Const(0.0)))),
            Op::Var => Bool::Truth(Box::new(Int::Var(self.variable(e)?))),
            _ => Bool::Truth(Box::new(self.int_operation(e)?)),
        })
    }

    pub fn int(&mut self, e: &Expr) -> Loaded<Int> {
        if e.kind == Kind::Bool && !matches!(e.op, Op::Const | Op::Var | Op::Choice | Op::Table) {
            return Ok(Int::Truth(Box::new(self.bool(e)?)));
        }
        if e.kind == Kind::Real {
            return Err(LoadError(format!("`{}` is real where an integer belongs", e.op)));
        }
        self.int_operation(e)
    }

    fn int_operation(&mut self, e: &Expr) -> Loaded<Int> {
        Ok(self.ranged(e)?.0)
    }

    /// An expression, and the range of its value as far as it follows from operations with two operands.
    fn ranged(&mut self, e: &Expr) -> Loaded<(Int, Range)> {
        let Some(operation) = int_operation(e.op) else {
            let range = if e.args.is_empty() { self.ranges.of_operation(e, &[]) } else { ANY };
            return Ok((self.other_operation(e)?, range));
        };
        let (a, b) = (self.operand(argument(e, 0)?)?, self.operand(argument(e, 1)?)?);
        let range = self.ranges.of_operation(e, &[a.1, b.1]);
        let span = self.span(&e.span);
        let operation = plain(operation, a.1, b.1, range);
        Ok((int_chain(operation, (a.0, b.0), span), (range.0.max(ANY.0), range.1.min(ANY.1))))
    }

    fn operand(&mut self, e: &Expr) -> Loaded<(Int, Range)> {
        if e.kind == Kind::Int {
            self.ranged(e)
        } else {
            Ok((self.int(e)?, ANY))
        }
    }

    fn other_operation(&mut self, e: &Expr) -> Loaded<Int> {
        Ok(match e.op {
            Op::Const => {
                Int::Const(constant(e)?.as_int().ok_or_else(|| LoadError("an int constant that is no integer".into()))?)
            }
            Op::Var => Int::Var(self.variable(e)?),
            Op::Tokens => Int::Tokens(PlaceId(position(e, self.places, "a place")?)),
            Op::Neg => Int::Neg(Box::new(self.int(argument(e, 0)?)?), self.span(&e.span)),
            Op::Abs => Int::Abs(Box::new(self.int(argument(e, 0)?)?), self.span(&e.span)),
            Op::Floor | Op::Ceil | Op::Round => {
                Int::Rounded(rounding(e.op), Box::new(self.real(argument(e, 0)?)?), self.span(&e.span))
            }
            Op::If => {
                let branches = (self.int(argument(e, 1)?)?, self.int(argument(e, 2)?)?);
                Int::If(Box::new((self.bool(argument(e, 0)?)?, branches.0, branches.1)))
            }
            Op::UniformInt => {
                let bounds = (self.int(argument(e, 0)?)?, self.int(argument(e, 1)?)?);
                Int::Uniform(Box::new(bounds), self.span(&e.span))
            }
            Op::Choice => {
                let values = e.args.iter().step_by(2).map(|v| self.int(v)).collect::<Loaded<Vec<_>>>()?;
                let simple = values.iter().all(|v| matches!(v, Int::Const(_) | Int::Var(_)));
                Int::Choice(Box::new(self.choice(e, values, simple)?))
            }
            Op::Table => Int::Table(TableId(position(e, self.tables, "a table")?)),
            _ => {
                let (distribution, parameters) = self.drawn(e)?;
                distribution.greatest().ok_or_else(|| unknown(e))?;
                Int::Drawn(distribution, parameters, self.span(&e.span))
            }
        })
    }

    pub fn real(&mut self, e: &Expr) -> Loaded<Real> {
        if e.op == Op::Const {
            return Ok(Real::Const(constant(e)?.as_real() + 0.0));
        }
        if e.kind != Kind::Real {
            return Ok(Real::FromInt(Box::new(self.int(e)?)));
        }
        if let Some(operation) = real_operation(e.op) {
            let operands = (self.real(argument(e, 0)?)?, self.real(argument(e, 1)?)?);
            let span = self.span(&e.span);
            return Ok(real_chain(operation, operands, span));
        }
        if let Some(function) = real_function(e.op) {
            return Ok(Real::Unary(function, Box::new(self.real(argument(e, 0)?)?), self.span(&e.span)));
        }
        Ok(match e.op {
            Op::Var => Real::Var(self.variable(e)?),
            Op::Now => Real::Now,
            Op::End => Real::End,
            Op::Ticks => {
                let factor = constant(e)?.as_real();
                let operands = (self.real(argument(e, 0)?)?, Real::Const(factor));
                real_chain(RealOperation::Mul, operands, self.span(&e.span))
            }
            Op::Units => {
                let operands = (self.real(argument(e, 0)?)?, Real::Const(constant(e)?.as_real()));
                real_chain(RealOperation::Div, operands, self.span(&e.span))
            }
            Op::Real => Real::FromInt(Box::new(self.int(argument(e, 0)?)?)),
            Op::If => {
                let branches = (self.real(argument(e, 1)?)?, self.real(argument(e, 2)?)?);
                Real::If(Box::new((self.bool(argument(e, 0)?)?, branches.0, branches.1)))
            }
            Op::Table => Real::Table(TableId(position(e, self.tables, "a table")?)),
            Op::Empirical => Real::Empirical(TableId(position(e, self.tables, "a table")?), self.span(&e.span)),
            Op::Choice => {
                let values = e.args.iter().step_by(2).map(|v| self.real(v)).collect::<Loaded<Vec<_>>>()?;
                let simple = values.iter().all(|v| matches!(v, Real::Const(_) | Real::Var(_)));
                Real::Choice(Box::new(self.choice(e, values, simple)?))
            }
            _ => self.distribution(e)?,
        })
    }

    fn distribution(&mut self, e: &Expr) -> Loaded<Real> {
        if e.op == Op::Exp {
            let mean = self.real(argument(e, 0)?)?;
            let span = self.span(&e.span);
            return Ok(match mean {
                Real::Const(mean) if mean >= 0.0 => Real::ConstExponential(mean, span),
                mean => Real::Exponential(Box::new(mean), span),
            });
        }
        if e.op == Op::Erlang {
            let parameters = (self.int(argument(e, 0)?)?, self.real(argument(e, 1)?)?);
            return Ok(Real::Erlang(Box::new(parameters), self.span(&e.span)));
        }
        if e.op == Op::Uniform {
            let bounds = (self.real(argument(e, 0)?)?, self.real(argument(e, 1)?)?);
            return Ok(Real::Uniform(Box::new(bounds), self.span(&e.span)));
        }
        let (distribution, parameters) = self.drawn(e)?;
        Ok(Real::Drawn(distribution, parameters, self.span(&e.span)))
    }

    fn drawn(&mut self, e: &Expr) -> Loaded<(Distribution, Box<[Real]>)> {
        let distribution = Distribution::of(e.op).ok_or_else(|| unknown(e))?;
        let parameters = (0..distribution.names().1.len()).map(|i| self.real(argument(e, i)?));
        Ok((distribution, parameters.collect::<Loaded<_>>()?))
    }

    fn choice<T>(&mut self, e: &Expr, values: Vec<T>, simple: bool) -> Loaded<Choice<T>> {
        let weights = e.args.iter().skip(1).step_by(2).map(|w| self.real(w)).collect::<Loaded<Vec<_>>>()?;
        if weights.len() != values.len() || values.is_empty() {
            return Err(LoadError("a choice needs a weight for each value".into()));
        }
        Ok(Choice::new(values, weights, simple, self.span(&e.span)))
    }

    fn variable(&self, e: &Expr) -> Loaded<VariableId> {
        let variable = position(e, self.kinds.len(), "a variable")?;
        let real = self.kinds[variable as usize] == Kind::Real;
        if real == (e.kind == Kind::Real) {
            Ok(VariableId(variable))
        } else {
            Err(LoadError(format!("variable {variable} is used as what it is not")))
        }
    }
}

/// The operation that does the same for operands of these ranges, without checks that the ranges make superfluous.
fn plain(operation: IntOperation, a: Range, b: Range, result: Range) -> IntOperation {
    let fits = ANY.0 <= result.0 && result.1 <= ANY.1;
    match operation {
        IntOperation::Add if fits => IntOperation::PlainAdd,
        IntOperation::Sub if fits => IntOperation::PlainSub,
        IntOperation::Mul if fits => IntOperation::PlainMul,
        IntOperation::FloorDivide if a.0 >= 0 && b.0 > 0 => IntOperation::PlainDivide,
        IntOperation::Modulo if a.0 >= 0 && b.0 > 0 => IntOperation::PlainModulo,
        operation => operation,
    }
}

/// An operation; a chain where the right operand is a leaf and the left one a leaf or a chain.
fn int_chain(operation: IntOperation, operands: (Int, Int), span: SpanId) -> Int {
    let leaf = |operand: &Int| match operand {
        Int::Const(value) => Some(Leaf::Const(*value)),
        Int::Var(variable) => Some(Leaf::Var(*variable)),
        _ => None,
    };
    let Some(right) = leaf(&operands.1) else { return Int::Binary(operation, Box::new(operands), span) };
    let (first, steps) = match &operands.0 {
        Int::Chain(first, steps) => (Some(*first), steps.to_vec()),
        left => (leaf(left), Vec::new()),
    };
    match first {
        Some(first) => Int::Chain(first, steps.into_iter().chain([(operation, right, span)]).collect()),
        None => Int::Binary(operation, Box::new(operands), span),
    }
}

/// The same for reals.
fn real_chain(operation: RealOperation, operands: (Real, Real), span: SpanId) -> Real {
    if let (RealOperation::Mul, Some(mean)) = (operation, scale_of_exponential(&operands)) {
        return Real::ConstExponential(mean, span);
    }
    if let Some(value) = constant_of(operation, &operands) {
        return Real::Const(value);
    }
    let leaf = |operand: &Real| match operand {
        Real::Const(value) => Some(Leaf::Const(*value)),
        Real::Var(variable) => Some(Leaf::Var(*variable)),
        _ => None,
    };
    let Some(right) = leaf(&operands.1) else { return Real::Binary(operation, Box::new(operands), span) };
    let (first, steps) = match &operands.0 {
        Real::Chain(first, steps) => (Some(*first), steps.to_vec()),
        left => (leaf(left), Vec::new()),
    };
    match first {
        Some(first) => Real::Chain(first, steps.into_iter().chain([(operation, right, span)]).collect()),
        None => Real::Binary(operation, Box::new(operands), span),
    }
}

/// The product or quotient of two constants, if it is finite.
fn constant_of(operation: RealOperation, operands: &(Real, Real)) -> Option<f64> {
    let (Real::Const(a), Real::Const(b)) = operands else { return None };
    let value = match operation {
        RealOperation::Mul => a * b,
        RealOperation::Div if *b != 0.0 => a / b,
        _ => return None,
    };
    value.is_finite().then_some(value + 0.0)
}

/// The mean of a scaled exponential, if it is the same number bit for bit, and one that no product with a draw overflows: a
/// standard one may be scaled by anything, and any by a power of two.
fn scale_of_exponential(operands: &(Real, Real)) -> Option<f64> {
    let (scale, mean) = match operands {
        (Real::Const(scale), Real::ConstExponential(mean, _))
        | (Real::ConstExponential(mean, _), Real::Const(scale)) => (*scale, *mean),
        _ => return None,
    };
    let is_power = scale.is_normal() && scale.to_bits() & ((1 << 52) - 1) == 0;
    let usual = POSITIVE_MEAN..FINITE_MEAN;
    let exact = mean == 1.0 || is_power && usual.contains(&mean) && usual.contains(&(scale * mean));
    (exact && (0.0..FINITE_MEAN).contains(&(scale * mean))).then_some(scale * mean)
}

fn unknown(e: &Expr) -> LoadError {
    LoadError(format!("unknown operation `{}` of kind {:?}", e.op, e.kind))
}

fn argument(e: &Expr, i: usize) -> Loaded<&Expr> {
    e.args.get(i).ok_or_else(|| LoadError(format!("`{}` lacks an operand", e.op)))
}

fn constant(e: &Expr) -> Loaded<Scalar> {
    e.value.ok_or_else(|| LoadError(format!("`{}` lacks its value", e.op)))
}

fn position(e: &Expr, size: usize, of_what: &str) -> Loaded<u32> {
    let value = constant(e)?.as_int().and_then(|v| u32::try_from(v).ok());
    value
        .filter(|&v| (v as usize) < size)
        .ok_or_else(|| LoadError(format!("`{}` names {of_what} that is not there", e.op)))
}

fn comparison(op: Op) -> Option<Comparison> {
    Some(match op {
        Op::Eq => Comparison::Equal,
        Op::Ne => Comparison::NotEqual,
        Op::Lt => Comparison::Less,
        Op::Le => Comparison::LessOrEqual,
        Op::Gt => Comparison::Greater,
        Op::Ge => Comparison::GreaterOrEqual,
        _ => return None,
    })
}

fn int_operation(op: Op) -> Option<IntOperation> {
    Some(match op {
        Op::Add => IntOperation::Add,
        Op::Sub => IntOperation::Sub,
        Op::Mul => IntOperation::Mul,
        Op::Idiv => IntOperation::FloorDivide,
        Op::Mod => IntOperation::Modulo,
        Op::Min => IntOperation::Min,
        Op::Max => IntOperation::Max,
        Op::Within => IntOperation::Within,
        _ => return None,
    })
}

fn real_operation(op: Op) -> Option<RealOperation> {
    Some(match op {
        Op::Add => RealOperation::Add,
        Op::Sub => RealOperation::Sub,
        Op::Mul => RealOperation::Mul,
        Op::Div => RealOperation::Div,
        Op::Min => RealOperation::Min,
        Op::Max => RealOperation::Max,
        Op::Pow => RealOperation::Pow,
        _ => return None,
    })
}

fn real_function(op: Op) -> Option<RealFunction> {
    Some(match op {
        Op::Neg => RealFunction::Neg,
        Op::Abs => RealFunction::Abs,
        Op::Sqrt => RealFunction::Sqrt,
        Op::Ln => RealFunction::Ln,
        _ => return None,
    })
}

fn rounding(op: Op) -> Rounding {
    match op {
        Op::Floor => Rounding::Floor,
        Op::Ceil => Rounding::Ceil,
        _ => Rounding::Round,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_ranges_rule_out_is_not_asked_for() {
        let natural = (0, ANY.1);
        for (operation, a, b, result, expected) in [
            (IntOperation::Add, (0, 9), (1, 1), (1, 10), IntOperation::PlainAdd),
            (IntOperation::Add, natural, (1, 1), (1, ANY.1 + 1), IntOperation::Add),
            (IntOperation::Sub, natural, natural, (-ANY.1, ANY.1), IntOperation::PlainSub),
            (IntOperation::Mul, natural, (2, 2), (0, 2 * ANY.1), IntOperation::Mul),
            (IntOperation::FloorDivide, natural, (0, 3), natural, IntOperation::FloorDivide),
            (IntOperation::Modulo, natural, (1, 3), (0, 2), IntOperation::PlainModulo),
            (IntOperation::Modulo, (-1, 9), (3, 3), (0, 2), IntOperation::Modulo),
        ] {
            assert_eq!(plain(operation, a, b, result), expected);
        }
    }
}
