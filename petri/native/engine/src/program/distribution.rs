//! The distributions whose parameters are expressions (R3).

use crate::base::fault::{Fault, Outcome};
use crate::base::ids::SpanId;
use crate::base::portable;
use crate::base::random::{random, Draws, Random};
use crate::net::Op;
use crate::program::variates;

/// A finite result, with −0.0 as 0.0 (S2, X1).
#[inline(always)]
pub fn finite(value: f64, span: SpanId) -> Outcome<f64> {
    if value.is_finite() {
        Ok(value + 0.0)
    } else {
        Err(Fault::new("not-finite", span))
    }
}

/// The domain of a distribution's parameters.
pub fn require(
    holds: bool,
    distribution: &str,
    span: SpanId,
    values: impl FnOnce() -> Vec<(&'static str, f64)>,
) -> Outcome<()> {
    if holds {
        return Ok(());
    }
    let fault = Fault::new("bad-parameter", span).with_text("distribution", distribution);
    Err(values().into_iter().fold(fault, |fault, (name, value)| fault.with_real(name, value)))
}

/// Widths of integers are below this, so that u reaches every one.
pub const WIDEST: i64 = 1 << 53;
/// An exponential of a mean below this is finite: a standard one does not come near 10⁸.
pub const FINITE_MEAN: f64 = 1e300;
/// An exponential of a mean above this is above 0 if the standard one is, which is then at least 10⁻²⁰.
pub const POSITIVE_MEAN: f64 = 1e-280;

/// An integer between bounds, each equally likely.
pub fn uniform_int(low: i64, high: i64, span: SpanId, random: &mut impl Draws) -> Outcome<i64> {
    match high.checked_sub(low) {
        Some(width) if (0..WIDEST).contains(&width) => Ok(low + random.equal_choice(width as u64 + 1) as i64),
        _ => {
            let fault = Fault::new("bad-parameter", span).with_text("distribution", "uniform_int");
            Err(fault.with_int("low", low).with_int("high", high))
        }
    }
}

pub fn erlang(k: i64, mean: f64, span: SpanId, random: &mut Random) -> Outcome<f64> {
    if !(1..=10_000).contains(&k) || mean < 0.0 {
        let fault = Fault::new("bad-parameter", span).with_text("distribution", "erlang");
        return Err(fault.with_int("k", k).with_real("mean", mean));
    }
    let mut total = 0.0;
    for _ in 0..k {
        total += random.exponential();
    }
    finite(mean / k as f64 * total, span)
}

/// The distributions that are evaluated here only: their parameters are numbers, and the value is one, whole if the
/// distribution is one of integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Distribution {
    Lognormal,
    Pareto,
    Gamma,
    Weibull,
    Loglogistic,
    Normal,
    TruncatedNormal,
    Triangular,
    Hyperexponential,
    Beta,
    Bernoulli,
    Geometric,
    Binomial,
    Poisson,
}

const LEAST_SHAPE: f64 = 1e-6;
const GREATEST_SHAPE: f64 = 1e12;
const MOST_TRIALS: f64 = 1e15;
/// Standard deviations from the mean at which a truncated normal may begin.
const FARTHEST: f64 = 30.0;

impl Distribution {
    /// The distribution of an operation, if it is one.
    pub fn of(op: Op) -> Option<Distribution> {
        use Distribution::*;
        let waiting = [Lognormal, Pareto, Gamma, Weibull, Loglogistic, Hyperexponential];
        let others = [Normal, TruncatedNormal, Triangular, Beta, Bernoulli, Geometric, Binomial, Poisson];
        waiting.into_iter().chain(others).find(|distribution| distribution.names().0 == op)
    }

    /// Its operation, and its parameters.
    pub fn names(self) -> (Op, &'static [&'static str]) {
        match self {
            Distribution::Lognormal => (Op::Lognormal, &["mean", "cv"]),
            Distribution::Pareto => (Op::Pareto, &["shape", "mean"]),
            Distribution::Gamma => (Op::Gamma, &["shape", "mean"]),
            Distribution::Weibull => (Op::Weibull, &["shape", "scale"]),
            Distribution::Loglogistic => (Op::Loglogistic, &["shape", "scale"]),
            Distribution::Hyperexponential => (Op::Hyperexponential, &["mean", "cv"]),
            Distribution::Normal => (Op::Normal, &["mean", "sd"]),
            Distribution::TruncatedNormal => (Op::TruncatedNormal, &["mean", "sd", "low", "high"]),
            Distribution::Triangular => (Op::Triangular, &["low", "mode", "high"]),
            Distribution::Beta => (Op::Beta, &["a", "b"]),
            Distribution::Bernoulli => (Op::Bernoulli, &["p"]),
            Distribution::Geometric => (Op::Geometric, &["p"]),
            Distribution::Binomial => (Op::Binomial, &["n", "p"]),
            Distribution::Poisson => (Op::Poisson, &["mean"]),
        }
    }

    /// Of a distribution of ints, the greatest value; the least is 0.
    pub fn greatest(self) -> Option<i64> {
        match self {
            Distribution::Bernoulli => Some(1),
            Distribution::Geometric | Distribution::Binomial | Distribution::Poisson => Some(i64::MAX),
            Distribution::Lognormal | Distribution::Pareto | Distribution::Gamma | Distribution::Weibull => None,
            Distribution::Loglogistic | Distribution::Hyperexponential | Distribution::Normal => None,
            Distribution::TruncatedNormal | Distribution::Triangular | Distribution::Beta => None,
        }
    }

    /// Whether no value is below 0, if that is known of each parameter.
    pub fn never_negative(self, parameter: impl Fn(usize) -> bool) -> bool {
        match self {
            Distribution::Normal => false,
            Distribution::Triangular => parameter(0),
            Distribution::TruncatedNormal => parameter(2),
            Distribution::Lognormal | Distribution::Pareto | Distribution::Gamma | Distribution::Weibull => true,
            Distribution::Loglogistic | Distribution::Hyperexponential | Distribution::Beta => true,
            Distribution::Bernoulli | Distribution::Geometric | Distribution::Binomial | Distribution::Poisson => true,
        }
    }

    /// Whether parameters are in the domain.
    fn holds(self, parameters: &[f64]) -> bool {
        let is_shape = |shape: f64| (LEAST_SHAPE..=GREATEST_SHAPE).contains(&shape);
        match (self, parameters) {
            (Distribution::Lognormal, &[mean, cv]) => mean > 0.0 && cv >= 0.0,
            (Distribution::Pareto, &[shape, mean]) => shape > 1.0 && mean >= 0.0,
            (Distribution::Gamma | Distribution::Weibull | Distribution::Loglogistic, &[shape, size]) => {
                is_shape(shape) && size >= 0.0
            }
            (Distribution::Normal, &[_, sd]) => sd >= 0.0,
            (Distribution::TruncatedNormal, &[mean, sd, low, high]) => {
                sd > 0.0 && low < high && low - mean <= FARTHEST * sd && mean - high <= FARTHEST * sd
            }
            (Distribution::Triangular, &[low, mode, high]) => low <= mode && mode <= high,
            (Distribution::Hyperexponential, &[mean, cv]) => mean >= 0.0 && (1.0..=1e6).contains(&cv),
            (Distribution::Beta, &[a, b]) => is_shape(a) && is_shape(b),
            (Distribution::Bernoulli, &[p]) => (0.0..=1.0).contains(&p),
            (Distribution::Geometric, &[p]) => p > 0.0 && p <= 1.0,
            (Distribution::Binomial, &[n, p]) => (0.0..=MOST_TRIALS).contains(&n) && (0.0..=1.0).contains(&p),
            (Distribution::Poisson, &[mean]) => (0.0..=MOST_TRIALS).contains(&mean),
            _ => false,
        }
    }

    /// A value; a fault where the parameters are not in the domain.
    pub fn draw(self, parameters: &[f64], span: SpanId, draws: &mut impl Draws) -> Outcome<f64> {
        let (op, names) = self.names();
        require(self.holds(parameters), op.name(), span, || {
            names.iter().copied().zip(parameters.iter().copied()).collect()
        })?;
        if let (Distribution::Bernoulli, &[p]) = (self, parameters) {
            return Ok(f64::from(draws.happens(p)));
        }
        let random = random(draws, span)?;
        Ok(match (self, parameters) {
            (Distribution::Lognormal, &[mean, cv]) => lognormal(mean, cv, random),
            (Distribution::Pareto, &[shape, mean]) => pareto(shape, mean, random),
            (Distribution::Gamma, &[shape, mean]) => gamma(shape, mean, random),
            (Distribution::Weibull, &[shape, scale]) => scale * portable::power(random.exponential(), 1.0 / shape),
            (Distribution::Loglogistic, &[shape, scale]) => loglogistic(shape, scale, random),
            (Distribution::Normal, &[mean, sd]) => mean + sd * random.normal(),
            (Distribution::TruncatedNormal, &[mean, sd, low, high]) => truncated_normal(mean, sd, low, high, random),
            (Distribution::Triangular, &[low, mode, high]) => triangular(low, mode, high, random),
            (Distribution::Hyperexponential, &[mean, cv]) => hyperexponential(mean, cv, random),
            (Distribution::Beta, &[a, b]) => variates::beta(random, a, b),
            (Distribution::Geometric, &[p]) => geometric(p, random),
            (Distribution::Binomial, &[n, p]) => variates::binomial(random, n, p),
            (Distribution::Poisson, &[mean]) => variates::poisson(random, mean),
            _ => f64::NAN,
        })
    }
}

fn lognormal(mean: f64, cv: f64, random: &mut Random) -> f64 {
    let variance = portable::ln(1.0 + cv * cv);
    let location = portable::ln(mean) - 0.5 * variance;
    portable::exp(location + variance.sqrt() * random.normal())
}

fn pareto(shape: f64, mean: f64, random: &mut Random) -> f64 {
    let least = mean * (shape - 1.0) / shape;
    least * portable::power(1.0 - random.uniform(), -1.0 / shape)
}

fn gamma(shape: f64, mean: f64, random: &mut Random) -> f64 {
    let scale = mean / shape;
    if shape >= 1.0 {
        return scale * variates::standard_gamma(random, shape);
    }
    scale * portable::exp(variates::ln_gamma(random, shape))
}

/// The odds of a uniform number, to the power of 1/shape.
fn loglogistic(shape: f64, scale: f64, random: &mut Random) -> f64 {
    let u = random.uniform();
    scale * portable::power(u / (1.0 - u), 1.0 / shape)
}

fn truncated_normal(mean: f64, sd: f64, low: f64, high: f64, random: &mut Random) -> f64 {
    let x = mean + sd * variates::within(random, (low - mean) / sd, (high - mean) / sd);
    if x < low {
        low
    } else if x > high {
        high
    } else {
        x
    }
}

fn triangular(low: f64, mode: f64, high: f64, random: &mut Random) -> f64 {
    let (width, left) = (high - low, mode - low);
    let u = random.uniform();
    if u * width < left {
        return low + (u * width * left).sqrt();
    }
    high - ((1.0 - u) * width * (high - mode)).sqrt()
}

/// Two exponentials with balanced means: both contribute half of the mean. The rare one is the longer.
fn hyperexponential(mean: f64, cv: f64, random: &mut Random) -> f64 {
    let square = cv * cv;
    let rare = 1.0 / (square + 1.0) / (1.0 + ((square - 1.0) / (square + 1.0)).sqrt());
    let chance = if random.uniform() < rare { rare } else { 1.0 - rare };
    0.5 * mean / chance * random.exponential()
}

/// Trials up to the first success: an exponential of rate -ln(1 - p), rounded up.
fn geometric(p: f64, random: &mut Random) -> f64 {
    if p == 1.0 {
        return 1.0;
    }
    let failure = 1.0 - p;
    let rate = if failure == 1.0 { p } else { -portable::ln(failure) * p / (1.0 - failure) };
    (random.exponential() / rate).floor() + 1.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_draws_is_a_distribution_or_written_out_elsewhere() {
        let written_out = [Op::Exp, Op::Uniform, Op::UniformInt, Op::Erlang, Op::Choice, Op::Table, Op::Empirical];
        for &op in Op::ALL {
            let distribution = Distribution::of(op);
            assert_eq!(distribution.is_some(), op.draws() && !written_out.contains(&op), "{op}");
            assert!(distribution.is_none_or(|one| op.takes(one.names().1.len())), "{op}");
        }
    }
}
