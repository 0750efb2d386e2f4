//! The distributions whose parameters are expressions (R3).

use crate::base::fault::{Fault, Outcome};
use crate::base::ids::SpanId;
use crate::base::portable;
use crate::program::expression::{finite, Int, Real, Scope};

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
pub fn uniform_int(bounds: &(Int, Int), span: SpanId, scope: &mut Scope) -> Outcome<i64> {
    let (low, high) = (bounds.0.value(scope)?, bounds.1.value(scope)?);
    match high.checked_sub(low) {
        Some(width) if (0..WIDEST).contains(&width) => Ok(low + scope.random.equal_choice(width as u64 + 1) as i64),
        _ => {
            let fault = Fault::new("bad-parameter", span).with_text("distribution", "uniform_int");
            Err(fault.with_int("low", low).with_int("high", high))
        }
    }
}

pub fn erlang(parameters: &(Int, Real), span: SpanId, scope: &mut Scope) -> Outcome<f64> {
    let (k, mean) = (parameters.0.value(scope)?, parameters.1.value(scope)?);
    if !(1..=10_000).contains(&k) || mean < 0.0 {
        let fault = Fault::new("bad-parameter", span).with_text("distribution", "erlang");
        return Err(fault.with_int("k", k).with_real("mean", mean));
    }
    let mut total = 0.0;
    for _ in 0..k {
        total += scope.random.exponential();
    }
    finite(mean / k as f64 * total, span)
}

pub fn lognormal(parameters: &(Real, Real), span: SpanId, scope: &mut Scope) -> Outcome<f64> {
    let (mean, cv) = (parameters.0.value(scope)?, parameters.1.value(scope)?);
    require(mean > 0.0 && cv >= 0.0, "lognormal", span, || vec![("mean", mean), ("cv", cv)])?;
    let variance = portable::ln(1.0 + cv * cv);
    let location = portable::ln(mean) - 0.5 * variance;
    finite(portable::exp(location + variance.sqrt() * scope.random.normal()), span)
}

pub fn pareto(parameters: &(Real, Real), span: SpanId, scope: &mut Scope) -> Outcome<f64> {
    let (shape, mean) = (parameters.0.value(scope)?, parameters.1.value(scope)?);
    require(shape > 1.0 && mean >= 0.0, "pareto", span, || vec![("shape", shape), ("mean", mean)])?;
    let least = mean * (shape - 1.0) / shape;
    finite(least * portable::power(1.0 - scope.random.uniform(), -1.0 / shape), span)
}
