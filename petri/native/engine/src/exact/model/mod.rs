//! The net as it is explored: the program of the engine, which says what may happen, and times taken apart into stages.
//!
//! - [`branching`]: takes each outcome of each draw
//! - [`compile`]: from the flat net to the model
//! - [`stages`]: times as exponential stages
//! - [`trouble`]: why there is no state space, or no chain
//! - [`watch`]: what may end an exploration

pub mod branching;
pub mod compile;
pub mod stages;
pub mod trouble;
pub mod watch;

use std::sync::Arc;

use crate::base::ids::{PlaceId, SpanId, TransitionId};
use crate::exact::model::stages::Form;
use crate::program::expression::Real;
use crate::program::place::PlaceProgram;
use crate::program::transition::TransitionProgram;
use crate::program::Program;

pub struct Model {
    /// Without upkeep, and without probes.
    pub program: Arc<Program>,
    /// The firing time of each transition.
    pub times: Vec<Form>,
    /// The time of each clock: one exponential.
    pub clocks: Vec<Option<Form>>,
    /// The weight of each transition among those of its priority, and where it is written (I3).
    pub weights: Vec<(Real, SpanId)>,
    /// The transitions without a clock: those of each priority, the highest first.
    pub immediate: Vec<Vec<usize>>,
    /// Firing times are constant or geometric: the chain goes from end to end.
    pub in_ticks: bool,
    /// Some firing times are constant, others exponential: in no state do both pass.
    pub takes_turns: bool,
}

impl Model {
    /// The number of places of the net.
    pub fn places(&self) -> usize {
        self.program.own_places
    }

    pub fn place(&self, place: usize) -> &PlaceProgram {
        &self.program.places[PlaceId(place as u32)]
    }

    pub fn transition(&self, transition: usize) -> &TransitionProgram {
        &self.program.transitions[TransitionId(transition as u32)]
    }

    /// Whether firings of a transition last.
    pub fn lasts(&self, transition: usize) -> bool {
        self.clocks[transition].is_none() && !self.times[transition].is_always_zero()
    }

    /// The rate of so many clocks or firings of this mean in ticks [1/net time unit]; not finite if it is not one.
    pub fn rate(&self, clocks: f64, mean: f64) -> f64 {
        if clocks == 0.0 {
            0.0
        } else {
            clocks / self.program.tick.time(mean)
        }
    }
}
