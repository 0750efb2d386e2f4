//! The limits of a run (X3), and the error of a run that broke a rule (X4).

use crate::base::fault::Fault;
use crate::base::ids::TransitionId;
use crate::base::ticks::Ticks;

/// The error about an instant that does not end names the transitions of this many of its last firings (X3).
pub(super) const LOOP_NAMED: u64 = 1000;

/// The limits of a run (X3).
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    pub firings_at_an_instant: u64,
    pub tokens: u64,
    pub compile: Compile,
}

/// When machine code is made of a net.
#[derive(Clone, Copy, Debug)]
pub enum Compile {
    /// On another thread where a core is free.
    WhenItPays,
    /// After this many firings of all replications and runs of the net together, which wait for it. For tests and measurements: a
    /// run then always does the same.
    After(u64),
}

/// A fault, and where it happened in the run (X4).
#[derive(Clone, Debug)]
pub struct RunError {
    pub fault: Fault,
    pub transition: TransitionId,
    /// The transition's variables, as far as they were known; 0 otherwise.
    pub variables: Vec<u64>,
    pub time: Ticks,
}
