//! Which of the enabled transitions of a priority fires (I3).

use crate::base::ids::{SpanId, TransitionId};
use crate::engine::limits::RunError;
use crate::engine::run::Engine;
use crate::engine::search::scope;
use crate::program::expression::Real;
use crate::program::transition::Weights;
use crate::program::Program;
use crate::state::value::{sum_of_weights, weight_of_choice};

impl Engine {
    /// One enabled transition of a priority by weight (I3, R2).
    #[inline(always)]
    pub(crate) fn choose_transition(&mut self, program: &Program, level: usize) -> Result<TransitionId, Box<RunError>> {
        let (enabled, plan) = (&self.enabling.levels[level], &program.levels[level]);
        if let Some(position) = enabled.single() {
            return Ok(plan.transitions[position]);
        }
        let chosen = match &plan.weights {
            Weights::Equal => self.random.equal_choice(enabled.len() as u64) as usize,
            Weights::Constant(weights) => self.random.weighted_choice(enabled.iter().map(|position| weights[position])),
            Weights::Open(weights) => {
                self.weigh_transitions(program, level, weights)?;
                self.random.weighted_choice(self.scratch.weights.iter().copied())
            }
        };
        Ok(plan.transitions[self.enabling.levels[level].select(chosen)])
    }

    /// The weights of the enabled transitions of a priority, in `scratch.weights`.
    fn weigh_transitions(
        &mut self,
        program: &Program,
        level: usize,
        weights: &[(Real, SpanId)],
    ) -> Result<(), Box<RunError>> {
        let Engine { enabling, marking, random, now, variables, scratch, .. } = self;
        let mut scope = scope(variables, marking, program, random, *now);
        let positions = || enabling.levels[level].iter();
        scratch.weights.clear();
        let mut weighed = positions().try_for_each(|position| {
            let (weight, span) = &weights[position];
            scratch.weights.push(weight_of_choice(weight, *span, &mut scope).map_err(|fault| (position, fault))?);
            Ok(())
        });
        if let (Ok(()), Some(first)) = (&weighed, positions().next()) {
            weighed = sum_of_weights(&scratch.weights, weights[first].1).map(|_| ()).map_err(|fault| (first, fault));
        }
        let Err((position, fault)) = weighed else { return Ok(()) };
        variables.fill(0);
        Err(self.run_error(program, program.levels[level].transitions[position], *fault))
    }
}
