//! Long-run averages of rewards, with bounds that hold whatever computed them.
//!
//! In an irreducible chain, the average g of a reward r lies between the least and the greatest of r(s) + Σ q(s, t)·(h(t) − h(s)),
//! for any h at all: the mean of these sums under the stationary distribution is that of r. So h needs no proof. It is improved
//! until they lie close together, and what rounding may do to the sums is added to the bounds.
//!
//! The best h solves the Poisson equation, A·h = r − g with A = −Q. It is approached by GMRES with restarts, on the equation as one
//! sweep of Gauss–Seidel, from the last state to the first, transforms it: M⁻¹A, with the part M of A on and above the diagonal. The
//! basis is kept in single precision, since each restart begins from the true sums. As g is not known, the residual is
//! minimised up to multiples of M⁻¹1.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::exact::matrix::{Matrix, Rates};

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
const STEPS_OF_RATES: f64 = 16.0;

/// Restarts in a row that bring nothing, after which it ends.
const MOST_IDLE: usize = 5;
/// What is left of a vector is rounding.
const SMALL: f64 = 1e-6;
/// A residual is not reduced further than by this before a restart: the basis is not more precise.
const ENOUGH: f64 = 1e-5;

/// The bounds that h proves.
fn bounds<R: Rates>(matrix: &Matrix<R>, rewards: &[f64], h: &[f64]) -> Gain {
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
fn applied<R: Rates>(matrix: &Matrix<R>, v: &[f32], result: &mut [f32]) {
    result.copy_from_slice(v);
    for state in (0..matrix.states()).rev() {
        let mut sum = 0.0;
        for (column, rate) in matrix.arcs(state) {
            sum += rate * f64::from(result[column]);
        }
        result[state] = (sum / matrix.exits[state]) as f32;
    }
    result.iter_mut().zip(v).for_each(|(one, v)| *one = v - *one);
}

const LANES: usize = 16;

fn dot(a: &[f32], b: &[f32]) -> f64 {
    let mut sums = [0.0f64; LANES];
    let (whole, rest) = (a.chunks_exact(LANES).zip(b.chunks_exact(LANES)), a.len() / LANES * LANES);
    for (a, b) in whole {
        for lane in 0..LANES {
            sums[lane] += f64::from(a[lane]) * f64::from(b[lane]);
        }
    }
    let last: f64 = a[rest..].iter().zip(&b[rest..]).map(|(&a, &b)| f64::from(a) * f64::from(b)).sum();
    sums.iter().sum::<f64>() + last
}

fn add(to: &mut [f32], by: f64, v: &[f32]) {
    let by = by as f32;
    to.iter_mut().zip(v).for_each(|(one, v)| *one += by * v);
}

fn scale(v: &mut [f32], by: f64) {
    v.iter_mut().for_each(|one| *one = (f64::from(*one) * by) as f32);
}

/// What is left of a vector beside a direction of length 1.
fn without(v: &mut [f32], direction: &[f32]) {
    let share = dot(v, direction);
    add(v, -share, direction);
}

/// The long-run average of rewards in an irreducible chain of at least two states; `h` is the first guess, and the last.
pub fn gain<R: Rates>(matrix: &Matrix<R>, rewards: &[f64], h: &mut [f64], effort: Effort, stop: &AtomicU64) -> Gain {
    let states = matrix.states();
    let mut best = bounds(matrix, rewards, h);
    let mut direction = vec![0.0f32; states];
    let ones = vec![1.0f64; states];
    transformed(matrix, &ones, &vec![0.0; states], 0.0, &mut direction);
    let length = dot(&direction, &direction).sqrt();
    scale(&mut direction, 1.0 / length);
    drop(ones);
    let mut basis: Vec<Vec<f32>> = (0..effort.basis + 1).map(|_| vec![0.0; states]).collect();
    let (mut sweeps, mut idle) = (0, 0);
    while idle < MOST_IDLE
        && best.width() > effort.tolerance
        && sweeps < effort.sweeps
        && stop.load(Ordering::Relaxed) == 0
    {
        let middle = 0.5 * (best.low + best.high);
        transformed(matrix, rewards, h, middle, &mut basis[0]);
        without(&mut basis[0], &direction);
        sweeps += 2 + improve(matrix, &mut basis, &direction, h);
        let now = bounds(matrix, rewards, h);
        idle = if now.width() < 0.9 * best.width() { 0 } else { idle + 1 };
        best = Gain { low: best.low.max(now.low), high: best.high.min(now.high) };
    }
    best
}

/// One cycle of GMRES from the residual in the first vector of the basis. Adds what it finds to h; returns the number of sweeps.
fn improve<R: Rates>(matrix: &Matrix<R>, basis: &mut [Vec<f32>], direction: &[f32], h: &mut [f64]) -> usize {
    let size = basis.len() - 1;
    let length = dot(&basis[0], &basis[0]).sqrt();
    if length == 0.0 {
        return size;
    }
    scale(&mut basis[0], 1.0 / length);
    let mut columns: Vec<Vec<f64>> = Vec::with_capacity(size);
    let mut rotations: Vec<(f64, f64)> = Vec::with_capacity(size);
    let mut right = vec![0.0; size + 1];
    right[0] = length;
    let mut used = 0;
    for step in 0..size {
        let (known, next) = basis.split_at_mut(step + 1);
        let new = &mut next[0];
        applied(matrix, &known[step], new);
        without(new, direction);
        let mut column = Vec::with_capacity(step + 2);
        for vector in known.iter() {
            let share = dot(new, vector);
            add(new, -share, vector);
            column.push(share);
        }
        let rest = dot(new, new).sqrt();
        column.push(rest);
        for (at, &(c, s)) in rotations.iter().enumerate() {
            (column[at], column[at + 1]) = (c * column[at] + s * column[at + 1], c * column[at + 1] - s * column[at]);
        }
        let radius = column[step].hypot(column[step + 1]);
        if radius == 0.0 {
            break;
        }
        let (c, s) = (column[step] / radius, column[step + 1] / radius);
        column[step] = radius;
        rotations.push((c, s));
        (right[step], right[step + 1]) = (c * right[step], -s * right[step]);
        columns.push(column);
        used = step + 1;
        if rest < SMALL * radius || right[step + 1].abs() < ENOUGH * length {
            break;
        }
        scale(new, 1.0 / rest);
    }
    let mut shares = vec![0.0; used];
    for row in (0..used).rev() {
        let sum: f64 = (row + 1..used).map(|column| columns[column][row] * shares[column]).sum();
        shares[row] = (right[row] - sum) / columns[row][row];
    }
    for (share, vector) in shares.iter().zip(basis.iter()) {
        h.iter_mut().zip(vector).for_each(|(one, &v)| *one += share * f64::from(v));
    }
    used
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// A ring of states with random rates onwards, back, and to the first: it is irreducible.
    fn ring(rates: &[[f64; 3]]) -> (Vec<u64>, Vec<u32>, Vec<f64>) {
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
    fn eliminated(rates: &[[f64; 3]], rewards: &[f64]) -> f64 {
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
