//! How many clocks run in the states of a graph.

use crate::exact::graph::Graph;
use crate::exact::model::Clock;
use crate::exact::moves::{Move, Pace, Packed};
use crate::exact::rules::servers;
use crate::exact::search::Search;
use crate::exact::state::State;
use crate::exact::trouble::{Found, Trouble};

impl Graph {
    /// The clocks of a transition that run in each state; 0 in vanishing states, and in those that were not expanded (M2).
    pub fn clocks_running(&self, transition: usize) -> Found<Vec<u64>> {
        let Some(clock) = &self.rules.model.transitions[transition].clock else {
            return Ok(vec![0; self.states.len()]);
        };
        match Move::start(&self.rules.model, &self.rules.fields, transition) {
            Some(of) if !of.guarded => Ok(self.by_move(&of)),
            _ => self.by_search(transition, clock),
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

    fn by_search(&self, transition: usize, clock: &Clock) -> Found<Vec<u64>> {
        let (model, fields) = (&self.rules.model, &self.rules.fields);
        let mut state = State::new(model, fields.fields);
        let mut counts = vec![0; self.states.len()];
        for (number, count) in counts.iter_mut().enumerate().filter(|(number, _)| self.is_tangible(*number)) {
            self.layout.unpack(self.states.state(number), &mut state.numbers);
            state.look(model, fields)?;
            let heed = &mut |_, _| Ok::<(), Trouble>(());
            let classes = Search::new(model, transition, &fields.contents, &mut state, heed).classes(false)?;
            let bindings: f64 = classes.iter().map(|class| class.ways).sum();
            if bindings > 0.0 {
                *count = bindings as u64 * servers(model, transition, clock, &mut state)?;
            }
        }
        Ok(counts)
    }
}
