//! A state graph as a chain, where it is one as it stands: every arc is a rate, and every state reaches every other.

use std::sync::atomic::AtomicU64;

use crate::exact::gains::{gain, Effort, Gain};
use crate::exact::graph::{Ended, Graph};
use crate::exact::matrix::{Labelled, Matrix, Rates};
use crate::exact::narrow::Narrow;
use crate::exact::rules::Role;

impl Graph {
    /// Whether the arcs are the rates of an irreducible chain without arcs of a state to itself.
    pub fn is_irreducible_chain(&self) -> bool {
        let is_chain = self.ended == Ended::Complete
            && !self.rules.model.in_ticks
            && self.states.len() > 1
            && self.vanishing.iter().all(|&word| word == 0);
        let own = |state: usize| self.targets[self.arcs(state)].contains(&(state as u32));
        is_chain && !(0..self.states.len()).any(own) && self.all_return()
    }

    /// Whether the first state, from which all are reached, can be reached from all.
    fn all_return(&self) -> bool {
        let states = self.states.len();
        let mut returns = vec![false; states];
        returns[0] = true;
        let mut known = 1;
        let mut rising = false;
        while known < states {
            let before = known;
            let mut look = |state: usize| {
                if !returns[state] && self.targets[self.arcs(state)].iter().any(|&target| returns[target as usize]) {
                    returns[state] = true;
                    known += 1;
                }
            };
            if rising {
                (0..states).for_each(&mut look)
            } else {
                (0..states).rev().for_each(&mut look)
            }
            if known == before {
                return false;
            }
            rising = !rising;
        }
        true
    }

    /// The bounds of the long-run average of rewards; none if the graph is no irreducible chain as it stands.
    pub fn long_run(&self, rewards: &[f64], effort: Effort, stop: &AtomicU64) -> Option<Gain> {
        if !self.is_irreducible_chain() {
            return None;
        }
        let values: Vec<f64> = self.labels.all.iter().map(|label| label.value).collect();
        Some(match &self.arc_labels {
            Narrow::Bytes(labels) => self.gain(Labelled(labels, &values), rewards, effort, stop),
            Narrow::Halves(labels) => self.gain(Labelled(labels, &values), rewards, effort, stop),
            Narrow::Words(labels) => self.gain(Labelled(labels, &values), rewards, effort, stop),
        })
    }

    fn gain(&self, rates: impl Rates, rewards: &[f64], effort: Effort, stop: &AtomicU64) -> Gain {
        let matrix = Matrix::new(&self.offsets, &self.targets, rates);
        gain(&matrix, rewards, &mut vec![0.0; rewards.len()], effort, stop)
    }

    /// The rate, or probability, at which a transition starts to fire in each expanded state.
    pub fn rates_of(&self, transition: usize) -> Vec<f64> {
        let starts = |role: Role| matches!(role, Role::Start | Role::Fire);
        let of = |label: &crate::exact::graph::Label| label.transition as usize == transition && starts(label.role);
        let values: Vec<f64> = self.labels.all.iter().map(|label| if of(label) { label.value } else { 0.0 }).collect();
        let rate = |state: usize| self.arcs(state).map(|arc| values[self.arc_labels.get(arc) as usize]).sum();
        (0..self.expanded()).map(rate).collect()
    }
}
