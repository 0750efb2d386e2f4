//! The stationary distribution of an irreducible chain, and how far averages over it may be off.
//!
//! Let π be any distribution, and ρ = πQ what flows into each state and not out. The long-run average of a reward r is π·r − ρ·h, with
//! the solution h of r − g + Qh = 0. As the sum of ρ is 0, the error is at most ½·‖ρ‖₁·span h; and span h ≤ T·span r, if a state is
//! reached from all others within an expected time of T: h(s) is what r brings beyond g on the way there. So one number
//! bounds the errors of all averages: ½·‖ρ‖₁·T·span r.
//!
//! A bound T follows from any t that is 0 in that state and falls on average by at least m > 0 per time unit in all others:
//! T = max t / m. Such a t is −h of the reward that is 1 in the state, which `gains` often finds well enough in few sweeps. Where it
//! does not, sweeps of Gauss–Seidel from t = 0 do: t then grows towards the expected times, whatever the chain.
//!
//! π is improved by GMRES with restarts: −d·Q = ρ is solved for the change d, transformed by a sweep of Gauss–Seidel.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::exact::chain::gains::{bounds, gain_until, Effort, MOST_IDLE, STEPS_OF_RATES};
use crate::exact::chain::krylov::{basis, combination, cycle, grow};
use crate::exact::chain::matrix::{Matrix, Rates};

/// ‖ρ‖₁ relative to the flow, from which on the most probable state is known.
const ROUGHLY: f64 = 1e-3;
/// Sweeps alone, after a cycle that brought nothing: they always come closer, if slowly.
const MORE_SWEEPS: usize = 40;

/// A distribution, and the error of an average over it, relative to the span of what is averaged; at most, always.
pub struct Stationary {
    pub shares: Vec<f64>,
    pub error: f64,
}

struct Balance<'a, R> {
    matrix: &'a Matrix<'a, R>,
    /// The roundings in what flows into and out of each state.
    roundings: Vec<u32>,
    flows: Vec<f64>,
    /// What of the bound of ‖ρ‖₁ is rounding.
    slack: f64,
}

impl<'a, R: Rates> Balance<'a, R> {
    fn new(matrix: &'a Matrix<'a, R>) -> Self {
        let mut roundings: Vec<u32> =
            (0..matrix.states()).map(|state| matrix.row(state).len() as u32 + STEPS_OF_RATES as u32).collect();
        matrix.columns.iter().for_each(|&column| roundings[column as usize] += 1);
        Balance { matrix, roundings, flows: vec![0.0; matrix.states()], slack: 0.0 }
    }

    /// Finds ρ. Returns a bound of ‖ρ‖₁.
    #[inline(never)]
    fn flow(&mut self, shares: &[f64]) -> f64 {
        let flows = &mut self.flows;
        flows.fill(0.0);
        for (state, &share) in shares.iter().enumerate() {
            flows[state] -= share * self.matrix.exits[state];
            for (column, rate) in self.matrix.arcs(state) {
                flows[column] += share * rate;
            }
        }
        let (mut total, mut slack) = (0.0, 0.0);
        for (state, flow) in flows.iter().enumerate() {
            let size = flow.abs() + 2.0 * shares[state] * self.matrix.exits[state];
            total += flow.abs();
            slack += f64::EPSILON * f64::from(self.roundings[state]) * size;
        }
        self.slack = slack;
        (total + slack) * (1.0 + f64::EPSILON * shares.len() as f64)
    }
}

// The loops over all arcs are functions that are not inlined: of their arguments the compiler knows that they do not overlap.
// They take two thirds of the time so.

/// v less what is left of it after each state, from the first to the last, has given what it has to the others.
#[inline(never)]
fn applied<R: Rates>(matrix: &Matrix<R>, v: &[f32], result: &mut [f32]) {
    result.copy_from_slice(v);
    for state in 0..matrix.states() {
        let given = std::mem::take(&mut result[state]) / matrix.exits[state] as f32;
        for (column, rate) in matrix.singles(state) {
            result[column] += rate * given;
        }
    }
    result.iter_mut().zip(v).for_each(|(one, v)| *one = v - *one);
}

/// Adds to the shares what each state gives in such a sweep.
#[inline(never)]
fn give<R: Rates>(matrix: &Matrix<R>, v: &mut [f64], shares: &mut [f64]) {
    for state in 0..matrix.states() {
        let given = v[state] / matrix.exits[state];
        shares[state] += given;
        for (column, rate) in matrix.arcs(state) {
            v[column] += rate * given;
        }
    }
}

/// Makes shares a distribution.
fn normalise(shares: &mut [f64]) {
    shares.iter_mut().for_each(|share| *share = share.max(0.0));
    let parts = shares.chunks(1024).map(|part| part.iter().sum::<f64>());
    let total: f64 = parts.sum();
    shares.iter_mut().for_each(|share| *share /= total);
}

/// The stationary distribution of an irreducible chain of at least two states; until the error is the tolerance.
pub fn stationary<R: Rates>(matrix: &Matrix<R>, effort: Effort, stop: &AtomicU64) -> Stationary {
    let states = matrix.states();
    let mut shares = vec![1.0 / states as f64; states];
    let mut balance = Balance::new(matrix);
    let mut vectors = basis(effort.basis, states);
    let (mut best, mut longest) = (f64::INFINITY, f64::INFINITY);
    let (mut sweeps, mut idle, mut looked) = (0, 0, false);
    let mut found = shares.clone();
    loop {
        let off = balance.flow(&shares);
        idle = if off < 0.9 * best { 0 } else { idle + 1 };
        if off < best {
            best = off;
            found.copy_from_slice(&shares);
        }
        let is_rounding = off < 2.0 * balance.slack;
        let is_over = idle >= MOST_IDLE || is_rounding || sweeps >= effort.sweeps || stop.load(Ordering::Relaxed) != 0;
        if !looked && (is_over || best <= ROUGHLY * flow_of(matrix, &found)) {
            looked = true;
            drop(std::mem::take(&mut vectors)); // room for those of the other search
            longest = longest_way(matrix, &found, effort, stop);
            vectors = basis(effort.basis, states);
        }
        if is_over || 0.5 * best * longest <= effort.tolerance {
            return Stationary { shares: found, error: 0.5 * best * longest };
        }
        if idle > 0 {
            grow(&mut vectors);
            sweeps += MORE_SWEEPS;
            for _ in 0..MORE_SWEEPS {
                give(matrix, &mut balance.flows, &mut shares);
                normalise(&mut shares);
                balance.flow(&shares);
            }
        }
        vectors[0].iter_mut().zip(&balance.flows).for_each(|(one, &flow)| *one = flow as f32);
        let parts = cycle(&mut vectors, |v, result| applied(matrix, v, result));
        let mut sum = std::mem::take(&mut balance.flows);
        combination(&vectors, &parts, |first, part| {
            sum[first..].iter_mut().zip(part).for_each(|(one, &v)| *one = f64::from(v));
        });
        give(matrix, &mut sum, &mut shares);
        balance.flows = sum;
        normalise(&mut shares);
        sweeps += 2 + parts.len();
    }
}

fn flow_of<R: Rates>(matrix: &Matrix<R>, shares: &[f64]) -> f64 {
    shares.iter().zip(&matrix.exits).map(|(share, exit)| share * exit).sum()
}

/// A bound of the expected time to the most probable state from any other; infinite if none is found.
fn longest_way<R: Rates>(matrix: &Matrix<R>, shares: &[f64], effort: Effort, stop: &AtomicU64) -> f64 {
    let states = matrix.states();
    let most = (0..states).max_by(|&a, &b| shares[a].total_cmp(&shares[b])).unwrap_or(0);
    let mut rewards = vec![0.0; states];
    rewards[most] = 1.0;
    let mut h = vec![0.0; states];
    // Where the chain often is, its sums matter most.
    let weights: Vec<f32> = shares.iter().map(|share| (share * states as f64).max(1.0).sqrt() as f32).collect();
    gain_until(matrix, &rewards, &mut h, effort, stop, &weights, |_, now| now.low > 0.5 * now.high);
    let mut falls = bounds(matrix, &rewards, &h).low;
    if falls <= 0.0 {
        falls = approach(matrix, most, &mut h, effort, stop);
    }
    if falls <= 0.0 {
        return f64::INFINITY;
    }
    let least = h.iter().copied().fold(f64::INFINITY, f64::min);
    (h[most] - least) / falls * (1.0 + 8.0 * f64::EPSILON)
}

/// Makes `h` the expected times to a state, less than 0, by sweeps; until they rise by at least a half per time unit in all other
/// states. Returns by how much they do.
fn approach<R: Rates>(matrix: &Matrix<R>, to: usize, h: &mut [f64], effort: Effort, stop: &AtomicU64) -> f64 {
    let mut rewards = vec![0.0; matrix.states()];
    rewards[to] = f64::MAX; // the sum of this state does not count
    h.fill(0.0);
    let mut rises = 0.0;
    for _ in 0..effort.sweeps / MORE_SWEEPS {
        for _ in 0..MORE_SWEEPS {
            for state in (0..matrix.states()).rev().filter(|&state| state != to) {
                let onwards: f64 = matrix.arcs(state).map(|(column, rate)| rate * h[column]).sum();
                h[state] = (onwards - 1.0) / matrix.exits[state];
            }
        }
        rises = bounds(matrix, &rewards, h).low;
        if rises >= 0.5 || stop.load(Ordering::Relaxed) != 0 {
            break;
        }
    }
    rises
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::exact::chain::gains::tests::{eliminated, ring};

    proptest! {
        #[test]
        fn errors_hold(rates in prop::collection::vec([0.01f64..10.0, 0.01f64..10.0, 0.01f64..10.0], 2..60)) {
            let (offsets, columns, values) = ring(&rates);
            let matrix = Matrix::new(&offsets, &columns, &values[..]);
            let rewards: Vec<f64> = (0..rates.len()).map(|state| (state % 7) as f64).collect();
            let span = rewards.iter().copied().fold(0.0, f64::max);
            let effort = Effort { tolerance: 1e-11, sweeps: 1000, basis: 10 };
            let found = stationary(&matrix, effort, &AtomicU64::new(0));
            let value: f64 = found.shares.iter().zip(&rewards).map(|(share, reward)| share * reward).sum();
            let exact = eliminated(&rates, &rewards);
            prop_assert!((value - exact).abs() <= found.error * span + 1e-13, "{value} {exact} {}", found.error);
            prop_assert!(found.error <= 1e-9, "{}", found.error);
        }
    }
}
