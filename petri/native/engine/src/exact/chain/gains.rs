//! Long-run averages of rewards, with bounds that hold whatever computed them.
//!
//! In an irreducible chain, the average g of a reward r lies between the least and the greatest of r(s) + Σ q(s, t)·(h(t) − h(s)),
//! for any h at all: the mean of these sums under the stationary distribution is that of r. So h needs no proof. It is improved
//! until they lie close together, and what rounding may do to the sums is added to the bounds.
//!
//! The best h solves the Poisson equation, A·h = r − g with A = −Q. It is approached by GMRES with restarts, on the equation as one
//! sweep of Gauss–Seidel, from the last state to the first, transforms it: M⁻¹A, with the part M of A on and above the diagonal. As g
//! is not known, the residual is minimised up to multiples of M⁻¹1.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::exact::chain::krylov::{basis, combination, cycle, dot, grow, scale, without};
use crate::exact::chain::matrix::{Matrix, Rates};

/// A long-run average: low <= exact <= high.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gain {
    pub low: f64,
    pub high: f64,
}

impl Gain {
    pub fn width(self) -> f64 {
        self.high - self.low
    }
}

/// How far to go: until bounds are closer than this, or after so many sweeps.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    pub tolerance: f64,
    pub sweeps: usize,
    /// The vectors of a basis between restarts.
    pub basis: usize,
}

/// Roundings in a rate, from the net's times on.
pub const STEPS_OF_RATES: f64 = 16.0;

/// Restarts in a row that bring nothing, after which it ends.
pub const MOST_IDLE: usize = 5;

/// The bounds that h proves.
#[inline(never)] // as `stationary::applied`, and the others here
pub fn bounds<R: Rates>(matrix: &Matrix<R>, rewards: &[f64], h: &[f64]) -> Gain {
    let mut gain = Gain { low: f64::INFINITY, high: f64::NEG_INFINITY };
    for (state, &reward) in rewards.iter().enumerate() {
        let (mut sum, mut size) = (reward, reward.abs());
        for (column, rate) in matrix.arcs(state) {
            let step = rate * (h[column] - h[state]);
            sum += step;
            size += step.abs();
        }
        let slack = f64::EPSILON * (matrix.row(state).len() as f64 + STEPS_OF_RATES) * size;
        gain.low = gain.low.min(sum - slack);
        gain.high = gain.high.max(sum + slack);
    }
    gain
}

/// M⁻¹(r + Qh − g): how a sweep from h would change it, state by state; with the right gain, nowhere.
#[inline(never)]
fn transformed<R: Rates>(matrix: &Matrix<R>, rewards: &[f64], h: &[f64], gain: f64, result: &mut [f32]) {
    result.fill(0.0);
    for state in (0..matrix.states()).rev() {
        let mut sum = rewards[state] - gain;
        for (column, rate) in matrix.arcs(state) {
            sum += rate * (h[column] - h[state] + f64::from(result[column]));
        }
        result[state] = (sum / matrix.exits[state]) as f32;
    }
}

/// M⁻¹A·v.
#[inline(never)]
fn applied<R: Rates>(matrix: &Matrix<R>, v: &[f32], result: &mut [f32]) {
    result.copy_from_slice(v);
    for state in (0..matrix.states()).rev() {
        let mut sum = 0.0;
        for (column, rate) in matrix.singles(state) {
            sum += rate * result[column];
        }
        result[state] = sum / matrix.exits[state] as f32;
    }
    result.iter_mut().zip(v).for_each(|(one, v)| *one = v - *one);
}

fn weigh(v: &mut [f32], weights: &[f32]) {
    v.iter_mut().zip(weights).for_each(|(one, weight)| *one *= weight);
}

/// The long-run average of rewards in an irreducible chain of at least two states; `h` is the first guess, and the last.
pub fn gain<R: Rates>(matrix: &Matrix<R>, rewards: &[f64], h: &mut [f64], effort: Effort, stop: &AtomicU64) -> Gain {
    let ones = vec![1.0; matrix.states()];
    gain_until(matrix, rewards, h, effort, stop, &ones, |best, _| best.width() <= effort.tolerance)
}

/// The same with weights, of how much it matters that the sum of each state comes close; until the best bounds, or those that the
/// last h proves, are good enough.
pub fn gain_until<R: Rates>(
    matrix: &Matrix<R>,
    rewards: &[f64],
    h: &mut [f64],
    effort: Effort,
    stop: &AtomicU64,
    weights: &[f32],
    is_enough: impl Fn(Gain, Gain) -> bool,
) -> Gain {
    let states = matrix.states();
    let mut now = bounds(matrix, rewards, h);
    let mut best = now;
    let mut direction = vec![0.0f32; states];
    transformed(matrix, &vec![1.0; states], &vec![0.0; states], 0.0, &mut direction);
    weigh(&mut direction, weights);
    let length = dot(&direction, &direction).sqrt();
    scale(&mut direction, 1.0 / length);
    let mut basis = basis(effort.basis, states);
    let mut unweighed = vec![0.0f32; weights.len()];
    let (mut sweeps, mut idle) = (0, 0);
    while idle < MOST_IDLE && !is_enough(best, now) && sweeps < effort.sweeps && stop.load(Ordering::Relaxed) == 0 {
        let middle = 0.5 * (best.low + best.high);
        transformed(matrix, rewards, h, middle, &mut basis[0]);
        weigh(&mut basis[0], weights);
        without(&mut basis[0], &direction);
        let shares = cycle(&mut basis, |v, result| {
            unweighed.iter_mut().zip(v).zip(weights).for_each(|((one, v), weight)| *one = v / weight);
            applied(matrix, &unweighed, result);
            weigh(result, weights);
            without(result, &direction);
        });
        sweeps += 2 + shares.len();
        combination(&basis, &shares, |first, part| {
            let parts = part.iter().zip(&weights[first..]);
            h[first..].iter_mut().zip(parts).for_each(|(one, (&v, &w))| *one += f64::from(v / w));
        });
        now = bounds(matrix, rewards, h);
        idle = if now.width() < 0.9 * best.width() { 0 } else { idle + 1 };
        if idle > 0 {
            grow(&mut basis);
        }
        best = Gain { low: best.low.max(now.low), high: best.high.min(now.high) };
    }
    best
}

#[cfg(test)]
pub(super) mod tests {
    use proptest::prelude::*;

    use super::*;

    /// A ring of states with random rates onwards, back, and to the first: it is irreducible.
    pub fn ring(rates: &[[f64; 3]]) -> (Vec<u64>, Vec<u32>, Vec<f64>) {
        let states = rates.len();
        let (mut offsets, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
        for (state, row) in rates.iter().enumerate() {
            let targets = [(state + 1) % states, (state + states - 1) % states, 0];
            for (&target, &rate) in targets.iter().zip(row).filter(|(&target, _)| target != state) {
                columns.push(target as u32);
                values.push(rate);
            }
            offsets.push(columns.len() as u64);
        }
        (offsets, columns, values)
    }

    /// The average by elimination without subtraction (Grassmann, Taksar and Heyman).
    pub fn eliminated(rates: &[[f64; 3]], rewards: &[f64]) -> f64 {
        let (offsets, columns, values) = ring(rates);
        let states = rates.len();
        let mut q = vec![vec![0.0; states]; states];
        for state in 0..states {
            for arc in offsets[state] as usize..offsets[state + 1] as usize {
                q[state][columns[arc] as usize] += values[arc];
            }
        }
        for last in (1..states).rev() {
            let exit: f64 = q[last][..last].iter().sum();
            for row in 0..last {
                q[row][last] /= exit;
                for column in 0..last {
                    q[row][column] += q[row][last] * q[last][column];
                }
            }
        }
        let mut shares = vec![1.0];
        for state in 1..states {
            shares.push(shares.iter().zip(&q).map(|(share, row)| share * row[state]).sum());
        }
        shares.iter().zip(rewards).map(|(share, reward)| share * reward).sum::<f64>() / shares.iter().sum::<f64>()
    }

    proptest! {
        #[test]
        fn bounds_hold_the_average(rates in prop::collection::vec([0.01f64..10.0, 0.01f64..10.0, 0.01f64..10.0], 2..60)) {
            let (offsets, columns, values) = ring(&rates);
            let matrix = Matrix::new(&offsets, &columns, &values[..]);
            let rewards: Vec<f64> = (0..rates.len()).map(|state| (state % 7) as f64).collect();
            let effort = Effort { tolerance: 1e-10, sweeps: 1000, basis: 10 };
            let found = gain(&matrix, &rewards, &mut vec![0.0; rates.len()], effort, &AtomicU64::new(0));
            let exact = eliminated(&rates, &rewards);
            prop_assert!(found.low <= exact + 1e-13 && exact <= found.high + 1e-13, "{found:?} {exact}");
            prop_assert!(found.width() <= 1e-9, "{found:?}");
        }
    }
}
