//! Times as stages, one after the other: a constant, geometric ones, and exponential ones. The rest of a time has a known law as
//! soon as it is known which stage it is in, and how much of a constant is left.

use crate::base::fault::{Fault, Outcome};
use crate::base::ids::SpanId;
use crate::base::random::Draws;
use crate::exact::model::branching::Branching;
use crate::program::distribution::require;
use crate::program::expression::{Bool, Int, Real};
use crate::state::value::Scope;

/// A time, as it follows from its expression.
#[derive(Debug)]
pub enum Form {
    /// Without draws.
    Fixed(Real),
    /// Mean.
    Exponential(Real, SpanId),
    /// The chance that it ends after each tick.
    Geometric(Real, SpanId),
    /// Number of stages and mean.
    Erlang(Int, Real, SpanId),
    /// Mean and coefficient of variation.
    Hyperexponential(Real, Real, SpanId),
    Scaled(Real, Box<Form>),
    Sum(Box<(Form, Form)>),
    If(Box<(Bool, Form, Form)>),
}

/// A time of `fixed` ticks, then geometric stages, then exponential ones of these means, in ticks.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Stages {
    pub fixed: f64,
    /// The ticks of each round, and the chance that it is the last.
    pub rounds: Vec<(f64, f64)>,
    pub means: Vec<f64>,
}

impl Stages {
    fn exponential(mean: f64) -> Self {
        Stages { means: if mean > 0.0 { vec![mean] } else { Vec::new() }, ..Stages::default() }
    }

    fn scaled(mut self, by: f64) -> Self {
        self.fixed *= by;
        self.rounds.iter_mut().for_each(|round| round.0 *= by);
        self.rounds.retain(|round| round.0 > 0.0);
        self.means.iter_mut().for_each(|mean| *mean *= by);
        self.means.retain(|&mean| mean > 0.0);
        self
    }
}

const MOST_STAGES: i64 = 10_000;

impl Form {
    /// Whether the time is always 0, whether it may be fixed and not 0, and whether it may be exponential.
    pub fn is_always_zero(&self) -> bool {
        matches!(self, Form::Fixed(Real::Const(time)) if *time == 0.0)
    }

    pub fn may_be_fixed(&self) -> bool {
        match self {
            Form::Fixed(_) => !self.is_always_zero(),
            Form::Geometric(..) => true,
            Form::Exponential(..) | Form::Erlang(..) | Form::Hyperexponential(..) => false,
            Form::Scaled(_, form) => form.may_be_fixed(),
            Form::Sum(forms) => forms.0.may_be_fixed() || forms.1.may_be_fixed(),
            Form::If(parts) => parts.1.may_be_fixed() || parts.2.may_be_fixed(),
        }
    }

    /// Whether the time is one exponential, or 0, and not a row of several or one of several by chance.
    pub fn is_one_exponential(&self) -> bool {
        match self {
            Form::Fixed(_) => self.is_always_zero(),
            Form::Exponential(..) => true,
            Form::Geometric(..) | Form::Erlang(..) | Form::Hyperexponential(..) | Form::Sum(_) => false,
            Form::Scaled(_, form) => form.is_one_exponential(),
            Form::If(parts) => parts.1.is_one_exponential() && parts.2.is_one_exponential(),
        }
    }

    pub fn may_be_exponential(&self) -> bool {
        match self {
            Form::Fixed(_) | Form::Geometric(..) => false,
            Form::Exponential(..) | Form::Erlang(..) | Form::Hyperexponential(..) => true,
            Form::Scaled(_, form) => form.may_be_exponential(),
            Form::Sum(forms) => forms.0.may_be_exponential() || forms.1.may_be_exponential(),
            Form::If(parts) => parts.1.may_be_exponential() || parts.2.may_be_exponential(),
        }
    }

    /// The mean of a time that is always one exponential of the same mean, in ticks.
    pub fn constant_mean(&self) -> Option<f64> {
        match self {
            Form::Exponential(Real::Const(mean), _) if *mean > 0.0 => Some(*mean),
            Form::Scaled(Real::Const(by), form) if *by > 0.0 => form.constant_mean().map(|mean| mean * by),
            _ => None,
        }
    }

    /// The mean of a time that is one exponential, in ticks.
    pub fn mean(&self, scope: &mut Scope<Branching>) -> Outcome<f64> {
        Ok(self.stages(scope)?.means.first().copied().unwrap_or(0.0))
    }

    /// The stages of a firing that starts now.
    pub fn stages(&self, scope: &mut Scope<Branching>) -> Outcome<Stages> {
        Ok(match self {
            Form::Fixed(time) => Stages { fixed: time.value(scope)?, ..Stages::default() },
            Form::Geometric(chance, span) => {
                let p = chance.value(scope)?;
                require(p > 0.0 && p <= 1.0, "geometric", *span, || vec![("p", p)])?;
                match p {
                    1.0 => Stages { fixed: 1.0, ..Stages::default() },
                    _ => Stages { rounds: vec![(1.0, p)], ..Stages::default() },
                }
            }
            Form::Exponential(mean, span) => {
                let mean = mean.value(scope)?;
                require(mean >= 0.0, "exp", *span, || vec![("mean", mean)])?;
                Stages::exponential(mean)
            }
            Form::Erlang(number, mean, span) => {
                let (number, mean) = (number.value(scope)?, mean.value(scope)?);
                if !(1..=MOST_STAGES).contains(&number) || mean < 0.0 {
                    let fault = Fault::new("bad-parameter", *span).with_text("distribution", "erlang");
                    return Err(fault.with_int("k", number).with_real("mean", mean));
                }
                let each = mean / number as f64;
                let means = if each > 0.0 { vec![each; number as usize] } else { Vec::new() };
                Stages { means, ..Stages::default() }
            }
            Form::Hyperexponential(mean, cv, span) => {
                let (mean, cv) = (mean.value(scope)?, cv.value(scope)?);
                let holds = mean >= 0.0 && (1.0..=1e6).contains(&cv);
                require(holds, "hyperexponential", *span, || vec![("mean", mean), ("cv", cv)])?;
                let square = cv * cv;
                let rare = 1.0 / (square + 1.0) / (1.0 + ((square - 1.0) / (square + 1.0)).sqrt());
                if cv == 1.0 {
                    return Ok(Stages::exponential(mean));
                }
                let chance = if scope.random.happens(rare) { rare } else { 1.0 - rare };
                Stages::exponential(0.5 * mean / chance)
            }
            Form::Scaled(by, form) => {
                let by = by.value(scope)?;
                form.stages(scope)?.scaled(by)
            }
            Form::Sum(forms) => {
                let (first, then) = (forms.0.stages(scope)?, forms.1.stages(scope)?);
                Stages {
                    fixed: first.fixed + then.fixed,
                    rounds: [first.rounds, then.rounds].concat(),
                    means: [first.means, then.means].concat(),
                }
            }
            Form::If(parts) => match parts.0.value(scope)? {
                true => parts.1.stages(scope)?,
                false => parts.2.stages(scope)?,
            },
        })
    }
}
