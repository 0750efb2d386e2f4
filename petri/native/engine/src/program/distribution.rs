//! The distributions whose parameters are expressions (R3).

use crate::base::fault::{Fault, Outcome};
use crate::base::ids::SpanId;
use crate::base::portable;
use crate::base::random::Random;

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
/// One of a mean above this is above 0 if a standard exponential is: that is no less than 10⁻²⁰ then.
pub const POSITIVE_MEAN: f64 = 1e-280;

/// An integer between bounds, each equally likely.
pub fn uniform_int(low: i64, high: i64, span: SpanId, random: &mut Random) -> Outcome<i64> {
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

pub fn lognormal(mean: f64, cv: f64, span: SpanId, random: &mut Random) -> Outcome<f64> {
    require(mean > 0.0 && cv >= 0.0, "lognormal", span, || vec![("mean", mean), ("cv", cv)])?;
    let variance = portable::ln(1.0 + cv * cv);
    let location = portable::ln(mean) - 0.5 * variance;
    finite(portable::exp(location + variance.sqrt() * random.normal()), span)
}

pub fn pareto(shape: f64, mean: f64, span: SpanId, random: &mut Random) -> Outcome<f64> {
    require(shape > 1.0 && mean >= 0.0, "pareto", span, || vec![("shape", shape), ("mean", mean)])?;
    let least = mean * (shape - 1.0) / shape;
    finite(least * portable::power(1.0 - random.uniform(), -1.0 / shape), span)
}
