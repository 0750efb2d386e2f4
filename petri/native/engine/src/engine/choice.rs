//! Which of the enabled transitions of a priority fires (I3).

use crate::base::fault::Fault;
use crate::base::ids::TransitionId;
use crate::engine::limits::RunError;
use crate::engine::run::Engine;
use crate::engine::search::scope;
use crate::program::Program;

impl Engine {
    /// One enabled transition of a priority by weight (I3, R2).
    #[inline(always)]
    pub(crate) fn choose_transition(&mut self, program: &Program, level: usize) -> Result<TransitionId, Box<RunError>> {
        let (enabled, plan) = (&self.enabling.levels[level], &program.levels[level]);
        if let Some(position) = enabled.single() {
            return Ok(plan.transitions[position]);
        }
        let chosen = if plan.weights.is_empty() {
            self.random.equal_choice(enabled.len() as u64) as usize
        } else {
            self.weigh_transitions(program, level)?;
            self.random.weighted_choice(self.scratch.weights.iter().copied())
        };
        Ok(plan.transitions[self.enabling.levels[level].select(chosen)])
    }

    /// The weights of the enabled transitions of a priority, in `scratch.weights`.
    fn weigh_transitions(&mut self, program: &Program, level: usize) -> Result<(), Box<RunError>> {
        let plan = &program.levels[level];
        let Engine { enabling, marking, random, now, variables, scratch, .. } = self;
        let mut scope = scope(variables, marking, program, random, *now);
        let mut wrong = None;
        scratch.weights.clear();
        for (position, (weight, span)) in enabling.levels[level].iter().map(|at| (at, &plan.weights[at])) {
            match weight.value(&mut scope) {
                Ok(weight) if weight >= 0.0 => scratch.weights.push(weight),
                Ok(weight) => {
                    wrong = Some((position, Fault::new("negative-weight", *span).with_real("weight", weight)))
                }
                Err(fault) => wrong = Some((position, fault)),
            }
            if wrong.is_some() {
                break;
            }
        }
        let sum: f64 = scratch.weights.iter().sum();
        if wrong.is_none() && !(sum > 0.0 && sum.is_finite()) {
            wrong = enabling.levels[level].iter().next().map(|at| (at, Fault::new("no-weight", plan.weights[at].1)));
        }
        let Some((position, fault)) = wrong else { return Ok(()) };
        variables.fill(0);
        Err(self.run_error(program, plan.transitions[position], *fault))
    }
}
