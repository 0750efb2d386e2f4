//! Properties of an expression that are known before it runs: whether it can fail, in which range its value lies, what
//! it reads. The compiler skips checks and looks at fewer transitions where this allows it.

use crate::base::ids::{PlaceId, VariableId};
use crate::net::{Expr, Kind, Op, Scalar};
use crate::program::distribution::Distribution;

/// An inclusive range of integers, wide enough for sums and products of 64-bit numbers.
pub type Range = (i128, i128);

/// Every 64-bit integer.
pub const ANY: Range = (i64::MIN as i128, i64::MAX as i128);
const BIT: Range = (0, 1);
const COUNT: Range = (0, 1 << 62);

/// The known properties of an expression.
#[derive(Clone, Debug, PartialEq)]
pub struct Facts {
    /// May raise a fault.
    pub fails: bool,
    /// For integers and booleans: the values that it may have.
    pub range: Range,
    /// For reals: never below 0.
    pub never_negative: bool,
    pub variables: Vec<VariableId>,
    pub tokens: Vec<PlaceId>,
    pub reads_clock: bool,
}

impl Facts {
    fn of_range(range: Range) -> Self {
        Facts {
            fails: false,
            range,
            never_negative: range.0 >= 0,
            variables: Vec::new(),
            tokens: Vec::new(),
            reads_clock: false,
        }
    }
}

/// The ranges of the variables (or, in a key, of the slots) that an expression may name.
pub struct Ranges<'a>(pub &'a [Range]);

impl Ranges<'_> {
    /// The known properties of `e`.
    pub fn facts(&self, e: &Expr) -> Facts {
        let args: Vec<Facts> = e.args.iter().map(|a| self.facts(a)).collect();
        let (range, fails) = self.range(e, &args);
        let overflows = e.kind == Kind::Int && (range.0 < ANY.0 || range.1 > ANY.1);
        let mut facts = Facts::of_range((range.0.max(ANY.0), range.1.min(ANY.1)));
        facts.fails = fails || overflows || args.iter().any(|a| a.fails);
        facts.never_negative = match e.kind {
            Kind::Real => never_negative(e, &args),
            _ => facts.range.0 >= 0,
        };
        for arg in args {
            facts.variables.extend(arg.variables);
            facts.tokens.extend(arg.tokens);
            facts.reads_clock |= arg.reads_clock;
        }
        match e.op {
            Op::Var => facts.variables.push(VariableId(index(e))),
            Op::Tokens => facts.tokens.push(PlaceId(index(e))),
            Op::Now | Op::End => facts.reads_clock = true,
            _ => {}
        }
        facts
    }

    /// The range of an operation's exact result, given those of its operands.
    pub fn of_operation(&self, e: &Expr, args: &[Range]) -> Range {
        let args: Vec<Facts> = args.iter().copied().map(Facts::of_range).collect();
        self.range(e, &args).0
    }

    /// The range of the value, and whether the operation itself may fail other than by overflow.
    fn range(&self, e: &Expr, args: &[Facts]) -> (Range, bool) {
        let of = |i: usize| args.get(i).map_or(ANY, |a| a.range);
        if e.kind == Kind::Real {
            return (ANY, real_fails(e));
        }
        let (a, b) = (of(0), of(1));
        match e.op {
            Op::Const => (e.value.and_then(Scalar::as_int).map_or(ANY, |v| (v.into(), v.into())), false),
            Op::Var => (self.0.get(index(e) as usize).copied().unwrap_or(ANY), false),
            Op::Tokens => (COUNT, false),
            Op::Neg => ((-a.1, -a.0), false),
            Op::Abs => (if a.0 >= 0 { a } else { (0, a.1.max(-a.0)) }, false),
            Op::Add => ((a.0 + b.0, a.1 + b.1), false),
            Op::Sub => ((a.0 - b.1, a.1 - b.0), false),
            Op::Mul => (product(a, b), false),
            Op::Idiv if b.0 > 0 => {
                let corners = [(a.0, b.0), (a.0, b.1), (a.1, b.0), (a.1, b.1)].map(|(x, y)| x.div_euclid(y));
                (hull(corners), false)
            }
            Op::Mod if b.0 > 0 => (if a.0 >= 0 && a.1 < b.0 { a } else { (0, b.1 - 1) }, false),
            Op::Min => ((a.0.min(b.0), a.1.min(b.1)), false),
            Op::Max => ((a.0.max(b.0), a.1.max(b.1)), false),
            Op::Within => ((a.0.max(0), a.1.min(b.1 - 1)), a.0 < 0 || a.1 >= b.0),
            Op::If => ((of(1).0.min(of(2).0), of(1).1.max(of(2).1)), false),
            Op::UniformInt => ((a.0, b.1), true),
            Op::Choice => {
                let values = args.iter().step_by(2).map(|v| v.range);
                (values.reduce(|x, y| (x.0.min(y.0), x.1.max(y.1))).unwrap_or(ANY), true)
            }
            Op::Eq | Op::Ne | Op::Lt | Op::Le | Op::Gt | Op::Ge | Op::And | Op::Or | Op::Not => (BIT, false),
            op => (Distribution::of(op).and_then(Distribution::greatest).map_or(ANY, |most| (0, most.into())), true),
        }
    }
}

fn index(e: &Expr) -> u32 {
    e.value.and_then(Scalar::as_int).and_then(|v| u32::try_from(v).ok()).unwrap_or(0)
}

fn product(a: Range, b: Range) -> Range {
    let corners = [a.0.checked_mul(b.0), a.0.checked_mul(b.1), a.1.checked_mul(b.0), a.1.checked_mul(b.1)];
    if corners.contains(&None) {
        return (i128::MIN / 4, i128::MAX / 4);
    }
    let wide = hull(corners.map(Option::unwrap_or_default));
    (wide.0.max(i128::MIN / 4), wide.1.min(i128::MAX / 4))
}

fn hull(corners: [i128; 4]) -> Range {
    let low = corners.iter().copied().min().unwrap_or(i128::MIN);
    (low, corners.iter().copied().max().unwrap_or(i128::MAX))
}

/// Whether an operation with a real result may fail: overflow to infinity, or an argument outside its domain.
fn real_fails(e: &Expr) -> bool {
    !matches!(
        e.op,
        Op::Const | Op::Var | Op::Now | Op::End | Op::Real | Op::Neg | Op::Abs | Op::Min | Op::Max | Op::If | Op::Table
    )
}

fn never_negative(e: &Expr, args: &[Facts]) -> bool {
    match e.op {
        Op::Const => e.value.is_some_and(|v| v.as_real() >= 0.0),
        Op::Real | Op::Sqrt | Op::Ticks | Op::Units => args.iter().all(|a| a.never_negative),
        Op::Add | Op::Mul | Op::Div | Op::Min | Op::Pow => args.iter().all(|a| a.never_negative),
        Op::Max => args.iter().any(|a| a.never_negative),
        Op::If => args.iter().skip(1).all(|a| a.never_negative),
        Op::Uniform => args.first().is_some_and(|a| a.never_negative),
        Op::Choice => args.iter().step_by(2).all(|a| a.never_negative),
        Op::Now | Op::End | Op::Abs | Op::Exp | Op::Erlang => true,
        op => Distribution::of(op)
            .is_some_and(|drawn| drawn.never_negative(|i| args.get(i).is_some_and(|a| a.never_negative))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts(text: &str) -> Facts {
        let expression: Expr = serde_json::from_str(text).expect("an expression");
        Ranges(&[(0, 9), ANY]).facts(&expression)
    }

    #[test]
    fn bounded_sums_cannot_overflow() {
        let x = r#"{"op":"var","kind":"int","value":0}"#;
        let y = r#"{"op":"var","kind":"int","value":1}"#;
        let one = r#"{"op":"const","kind":"int","value":1}"#;
        let sum = facts(&format!(r#"{{"op":"add","kind":"int","args":[{x},{one}]}}"#));
        assert_eq!((sum.fails, sum.range), (false, (1, 10)));
        assert!(facts(&format!(r#"{{"op":"add","kind":"int","args":[{y},{one}]}}"#)).fails);
        assert!(facts(&format!(r#"{{"op":"mul","kind":"int","args":[{y},{y}]}}"#)).fails);
        assert!(facts(&format!(r#"{{"op":"mod","kind":"int","args":[{y},{x}]}}"#)).fails);
        assert_eq!(facts(&format!(r#"{{"op":"mod","kind":"int","args":[{y},{one}]}}"#)).range, (0, 0));
        assert_eq!(facts(&format!(r#"{{"op":"lt","kind":"bool","args":[{x},{y}]}}"#)).range, BIT);
    }
}
