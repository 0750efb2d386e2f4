//! How many clocks run in the states of a graph.

use std::sync::atomic::AtomicU64;

use crate::exact::model::trouble::{Found, Interrupted};
use crate::exact::model::watch::{Bounds, Watch};
use crate::exact::space::graph::Graph;
use crate::exact::space::moves::{Move, Pace, Packed};
use crate::exact::space::seat::Seat;

impl Graph {
    /// The clocks of a transition that run in each state; 0 in vanishing states, and in those that were not expanded (M2).
    pub fn clocks_running(&self, transition: usize) -> Found<Vec<u64>> {
        if self.model.clocks[transition].is_none() {
            return Ok(vec![0; self.states.len()]);
        }
        match Move::start(&self.model, &self.fields, transition) {
            Some(of) if !of.guarded => Ok(self.by_move(&of)),
            _ => self.by_search(transition),
        }
    }

    fn is_tangible(&self, state: usize) -> bool {
        state < self.expanded() && !self.is_vanishing(state)
    }

    fn by_move(&self, of: &Move) -> Vec<u64> {
        let packed = Packed::new(of, &self.layout);
        let count = |state: &[u64]| match &of.pace {
            Pace::Servers { fields, most, .. } | Pace::Open { fields, most } if !fields.is_empty() => {
                let times = fields.iter().map(|&(field, count)| self.layout.get(state, field) / count);
                times.fold(*most, u64::min)
            }
            _ => 1,
        };
        let running = |number: usize| {
            let state = self.states.state(number);
            match self.is_tangible(number) && packed.may(state, &self.layout.guards) {
                true => count(state),
                false => 0,
            }
        };
        (0..self.states.len()).map(running).collect()
    }

    fn by_search(&self, transition: usize) -> Found<Vec<u64>> {
        let mut seat = Seat::new(&self.model, self.fields.fields)?;
        let watch = Watch { bounds: Bounds { states: usize::MAX, memory: usize::MAX }, stop: &AtomicU64::new(0) };
        let mut counts = vec![0; self.states.len()];
        for (number, count) in counts.iter_mut().enumerate().filter(|(number, _)| self.is_tangible(*number)) {
            seat.sit(&self.fields, &self.numbers(number))?;
            let classes = match seat.classes(&self.model, transition, watch) {
                Err(Interrupted::Trouble(trouble)) => return Err(trouble),
                classes => classes.unwrap_or_default(),
            };
            let bindings: f64 = classes.iter().map(|class| class.ways).sum();
            if bindings > 0.0 {
                *count = bindings as u64 * seat.servers(&self.model, transition)?;
            }
        }
        Ok(counts)
    }
}
