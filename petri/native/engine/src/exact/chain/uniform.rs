//! A continuous chain by the steps of a Poisson process, of which some do not leave the state.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::exact::chain::matrix::{Matrix, Rates};

/// Of each state its probability at an instant, and the expected number of steps in it up to there.
pub struct Times {
    pub at: Vec<f64>,
    pub during: Vec<f64>,
}

/// `rate`: of the steps; no state is left at a greater one. `chances`: that there are `first` steps up to the instant, one more, and
/// so on.
pub fn uniformised<R: Rates>(
    matrix: &Matrix<R>,
    start: Vec<f64>,
    rate: f64,
    first: usize,
    chances: &[f64],
    stop: &AtomicU64,
) -> Times {
    let states = matrix.states();
    let (mut state, mut next) = (start, vec![0.0; states]);
    let mut times = Times { at: vec![0.0; states], during: vec![0.0; states] };
    let mut beyond: Vec<f64> =
        chances.iter().rev().scan(0.0, |sum, chance| Some(std::mem::replace(sum, *sum + chance))).collect();
    beyond.reverse(); // the chance of more steps than these
    for step in 0..first + chances.len() {
        if stop.load(Ordering::Relaxed) != 0 {
            break;
        }
        let more = match step.checked_sub(first) {
            Some(number) => {
                times.at.iter_mut().zip(&state).for_each(|(sum, share)| *sum += chances[number] * share);
                beyond[number]
            }
            None => 1.0,
        };
        times.during.iter_mut().zip(&state).for_each(|(sum, share)| *sum += more * share);
        for (at, (new, share)) in next.iter_mut().zip(&state).enumerate() {
            *new = share * (1.0 - matrix.exits[at] / rate);
        }
        for (at, share) in state.iter().enumerate().filter(|(_, &share)| share != 0.0) {
            for (column, of) in matrix.arcs(at) {
                next[column] += share * of / rate;
            }
        }
        std::mem::swap(&mut state, &mut next);
    }
    times
}
