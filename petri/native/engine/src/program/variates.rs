//! Random variates that need a loop: gamma, beta, binomial, Poisson and truncated normal (R3).
//!
//! Each does the same operations in the same order as its twin in `petri/engine/distributions.py`.

use crate::base::portable::{exp, ln};
use crate::base::random::Random;

/// Up to this number of trials, or below this mean number of events, each trial or event is drawn by itself.
const FEW: f64 = 16.0;

/// Shape 1 or more, scale 1 (Marsaglia and Tsang, 2000).
pub fn standard_gamma(random: &mut Random, shape: f64) -> f64 {
    let d = shape - 1.0 / 3.0;
    let c = 1.0 / (9.0 * d).sqrt();
    loop {
        let x = random.normal();
        let v = 1.0 + c * x;
        if v <= 0.0 {
            continue;
        }
        let v = v * v * v;
        if ln(1.0 - random.uniform()) < 0.5 * x * x + d - d * v + d * ln(v) {
            return d * v;
        }
    }
}

/// The logarithm of a gamma variate of any shape: one below 1 is that of shape + 1 times u^(1/shape).
pub fn ln_gamma(random: &mut Random, shape: f64) -> f64 {
    if shape >= 1.0 {
        return ln(standard_gamma(random, shape));
    }
    let above = ln(standard_gamma(random, shape + 1.0));
    above + ln(1.0 - random.uniform()) / shape
}

/// x / (x + y) of two gamma variates; by their logarithms where they may be too small for a float.
pub fn beta(random: &mut Random, a: f64, b: f64) -> f64 {
    if a >= 1.0 && b >= 1.0 {
        let x = standard_gamma(random, a);
        return x / (x + standard_gamma(random, b));
    }
    let x = ln_gamma(random, a);
    1.0 / (1.0 + exp(ln_gamma(random, b) - x))
}

/// Successes in n trials: of n uniforms, those below p (Relles, 1972).
///
/// If there are many, one in the middle is drawn, which is a beta variate; the trials on one side of it remain.
pub fn binomial(random: &mut Random, mut n: f64, mut p: f64) -> f64 {
    let mut counted = 0.0;
    while n > FEW {
        let a = 1.0 + (0.5 * n).floor();
        let b = n + 1.0 - a;
        let x = beta(random, a, b);
        if x >= p {
            (n, p) = (a - 1.0, p / x);
        } else {
            counted += a;
            (n, p) = (b - 1.0, (p - x) / (1.0 - x));
        }
    }
    for _ in 0..n as u64 {
        if random.uniform() < p {
            counted += 1.0;
        }
    }
    counted
}

/// Events of a Poisson process of rate 1 up to `mean` (Ahrens and Dieter, 1974).
///
/// Where they are many, the time of one of the last is drawn, a gamma variate. If it is too late, those before it are
/// spread evenly over that time.
pub fn poisson(random: &mut Random, mut mean: f64) -> f64 {
    let mut counted = 0.0;
    while mean >= FEW {
        let n = (0.875 * mean).floor();
        let x = standard_gamma(random, n);
        if x > mean {
            return counted + binomial(random, n - 1.0, mean / x);
        }
        counted += n;
        mean -= x;
    }
    let mut reached = random.exponential();
    while reached <= mean {
        counted += 1.0;
        reached += random.exponential();
    }
    counted
}

/// A standard normal between bounds, by rejection: in any case, one in five candidates at least is taken.
///
/// Candidates are normal, evenly spread, or in a tail exponential (Robert, 1995).
pub fn within(random: &mut Random, low: f64, high: f64) -> f64 {
    if high < 0.0 {
        return -within(random, -high, -low);
    }
    let mut nearest = 0.0;
    if low <= 0.0 {
        if high - low >= 2.5 {
            loop {
                let x = random.normal();
                if low <= x && x <= high {
                    return x;
                }
            }
        }
    } else {
        nearest = low;
        let rate = 0.5 * (low + (low * low + 4.0).sqrt());
        if (high - low) * rate >= 1.0 {
            loop {
                let x = low + random.exponential() / rate;
                if x <= high && random.uniform() < exp(-0.5 * (x - rate) * (x - rate)) {
                    return x;
                }
            }
        }
    }
    loop {
        let x = low + (high - low) * random.uniform();
        if random.uniform() < exp(0.5 * (nearest * nearest - x * x)) {
            return x;
        }
    }
}
