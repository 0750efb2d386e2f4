//! How many clocks run in the states of a graph.

use crate::base::fault::Outcome;
use crate::exact::graph::Graph;
use crate::exact::model::Clock;
use crate::exact::rules::{rate, servers};
use crate::exact::search::Search;
use crate::exact::state::State;

impl Graph {
    /// The clocks of a transition that run in each state; 0 in vanishing states, and in those that were not expanded (M2).
    pub fn clocks_running(&self, transition: usize) -> Outcome<Vec<u64>> {
        let Some(clock) = &self.rules.model.transitions[transition].clock else {
            return Ok(vec![0; self.states.len()]);
        };
        match (clock.mean.constant_mean(), &clock.speed) {
            (Some(mean), None) => Ok(self.by_rates(transition, rate(&self.rules.model, 1.0, mean))),
            _ => self.by_search(transition, clock),
        }
    }

    fn is_tangible(&self, state: usize) -> bool {
        state < self.expanded() && !self.is_vanishing(state)
    }

    /// Each clock brings the same rate.
    fn by_rates(&self, transition: usize, each: f64) -> Vec<u64> {
        let of = |label: &super::graph::Label| label.transition as usize == transition && label.role.starts();
        let values: Vec<f64> = self.labels.all.iter().map(|label| if of(label) { label.value } else { 0.0 }).collect();
        let rate = |state: usize| self.arcs(state).map(|arc| values[self.arc_labels.get(arc) as usize]).sum::<f64>();
        let count = |state: usize| if self.is_tangible(state) { (rate(state) / each).round() as u64 } else { 0 };
        (0..self.states.len()).map(count).collect()
    }

    fn by_search(&self, transition: usize, clock: &Clock) -> Outcome<Vec<u64>> {
        let (model, fields) = (&self.rules.model, &self.rules.fields);
        let mut state = State::new(model, fields.fields);
        let mut counts = vec![0; self.states.len()];
        for (number, count) in counts.iter_mut().enumerate().filter(|(number, _)| self.is_tangible(*number)) {
            self.layout.unpack(self.states.state(number), &mut state.numbers);
            state.look(model, fields)?;
            let classes = Search::new(model, transition, &fields.contents, &mut state).classes(false)?;
            let bindings: f64 = classes.iter().map(|class| class.ways).sum();
            if bindings > 0.0 {
                *count = bindings as u64 * servers(model, transition, clock, &mut state)?;
            }
        }
        Ok(counts)
    }
}
