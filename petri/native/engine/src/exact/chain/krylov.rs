//! Cycles of GMRES: combinations of vectors that make a residual small.
//!
//! The basis is kept in single precision: each cycle begins from a residual that was computed anew in double precision.

use std::ops::Range;

/// What is left of a vector is rounding.
const SMALL: f64 = 1e-6;
/// A residual is not reduced further than by this in a cycle: the basis is not more precise.
const ENOUGH: f64 = 1e-5;
const LANES: usize = 16;
/// Vectors are worked on in blocks of this length: one block of each vector stays in the cache.
const BLOCK: usize = 2048;
/// In a basis that grows: 128 MB.
const MOST_NUMBERS: usize = 1 << 25;

pub fn dot(a: &[f32], b: &[f32]) -> f64 {
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

pub fn scale(v: &mut [f32], by: f64) {
    v.iter_mut().for_each(|one| *one = (f64::from(*one) * by) as f32);
}

/// What is left of a vector beside a direction of length 1.
pub fn without(v: &mut [f32], direction: &[f32]) {
    let share = dot(v, direction);
    add(v, -share, direction);
}

/// The vectors of a cycle: one more than it has steps.
pub fn basis(steps: usize, states: usize) -> Vec<Vec<f32>> {
    (0..steps + 1).map(|_| vec![0.0; states]).collect()
}

/// Makes a basis twice as large, for a cycle after one that brought nothing: chains in which most states only lead to a few likely
/// ones need many vectors before the residual falls at all. Its vectors are 0.
pub fn grow(basis: &mut Vec<Vec<f32>>) {
    let (steps, states) = (2 * (basis.len() - 1), basis[0].len());
    if steps * states <= MOST_NUMBERS {
        *basis = self::basis(steps, states);
    }
}

/// The parts of 0..states, one after another.
fn blocks(states: usize) -> impl Iterator<Item = Range<usize>> {
    (0..states).step_by(BLOCK).map(move |start| start..states.min(start + BLOCK))
}

/// The shares of known directions in a vector.
fn shares_in(vector: &[f32], known: &[Vec<f32>]) -> Vec<f64> {
    let mut shares = vec![0.0; known.len()];
    for block in blocks(vector.len()) {
        let own = &vector[block.clone()];
        shares.iter_mut().zip(known).for_each(|(share, one)| *share += dot(own, &one[block.clone()]));
    }
    shares
}

/// Leaves of a vector what is beside known directions. Returns its length.
fn take_out(vector: &mut [f32], known: &[Vec<f32>], shares: &[f64]) -> f64 {
    let mut square = 0.0;
    for block in blocks(vector.len()) {
        let own = &mut vector[block.clone()];
        known.iter().zip(shares).for_each(|(one, share)| add(own, -share, &one[block.clone()]));
        square += dot(own, own);
    }
    square.sqrt()
}

/// The combination of the first vectors with these shares, part by part: `take` gets the first state of each, and its values.
pub fn combination(basis: &[Vec<f32>], shares: &[f64], mut take: impl FnMut(usize, &[f32])) {
    let mut sums = [0.0f32; BLOCK];
    for block in blocks(basis[0].len()) {
        let own = &mut sums[..block.len()];
        own.fill(0.0);
        basis.iter().zip(shares).for_each(|(one, &share)| add(own, share, &one[block.clone()]));
        take(block.start, own);
    }
}

/// A cycle from the residual in the first vector of the basis. `apply` writes the operator's value of its first argument into the
/// second. Returns the shares of the vectors in the combination whose value is closest to the residual.
pub fn cycle(basis: &mut [Vec<f32>], mut apply: impl FnMut(&[f32], &mut [f32])) -> Vec<f64> {
    let length = dot(&basis[0], &basis[0]).sqrt();
    if length == 0.0 {
        return Vec::new();
    }
    scale(&mut basis[0], 1.0 / length);
    let size = basis.len() - 1;
    let mut columns: Vec<Vec<f64>> = Vec::with_capacity(size);
    let mut rotations: Vec<(f64, f64)> = Vec::with_capacity(size);
    let mut right = vec![0.0; size + 1];
    right[0] = length;
    for step in 0..size {
        let (known, next) = basis.split_at_mut(step + 1);
        let new = &mut next[0];
        apply(&known[step], new);
        let mut column = shares_in(new, known);
        let rest = take_out(new, known, &column);
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
        if rest < SMALL * radius || right[step + 1].abs() < ENOUGH * length {
            break;
        }
        scale(new, 1.0 / rest);
    }
    let used = columns.len();
    let mut shares = vec![0.0; used];
    for row in (0..used).rev() {
        let sum: f64 = (row + 1..used).map(|column| columns[column][row] * shares[column]).sum();
        shares[row] = (right[row] - sum) / columns[row][row];
    }
    shares
}
