//! What may end an exploration before all states are found.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::base::ids::TransitionId;

/// Why an exploration ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    Complete,
    States,
    Memory,
    /// In one state there are too many bindings of a transition to try.
    Bindings(TransitionId),
    Stopped,
}

/// Where an exploration ends: numbers of states and of bytes.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    pub states: usize,
    pub memory: usize,
}

#[derive(Clone, Copy)]
pub struct Watch<'a> {
    pub bounds: Bounds,
    pub stop: &'a AtomicU64,
}

impl Watch<'_> {
    /// Why it ends, if it does. bytes: what it holds.
    pub fn ended(self, bytes: usize) -> Option<Ended> {
        if self.stop.load(Ordering::Relaxed) != 0 {
            return Some(Ended::Stopped);
        }
        (bytes > self.bounds.memory).then_some(Ended::Memory)
    }
}
