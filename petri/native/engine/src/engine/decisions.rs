//! Decisions: where only transitions are left that wait for somebody to decide, their bindings are listed, and one of them fires (I13).

use std::sync::Arc;

use crate::base::fault::Outcome;
use crate::base::ids::TransitionId;
use crate::engine::binding::bind;
use crate::engine::limits::RunError;
use crate::engine::run::Engine;
use crate::engine::search::Goal;
use crate::program::transition::TransitionProgram;
use crate::program::Program;

impl Engine {
    /// What may be decided, after a run has returned `Reason::Decision`: each binding of an enabled transition, in order (E7), with the
    /// values of its variables. False after a fault, which is then the engine's error.
    pub fn decidable(&mut self, mut each: impl FnMut(TransitionId, &[u64])) -> bool {
        let program = Arc::clone(&self.program);
        let (true, Some(level)) = (self.awaiting, program.levels.get(program.decisions)) else { return true };
        let waiting: Vec<TransitionId> =
            self.enabling.levels[program.decisions].iter().map(|position| level.transitions[position]).collect();
        for transition in waiting {
            let plan = &program.transitions[transition];
            let listed = match self.list_bindings(&program, plan) {
                Ok(listed) => listed,
                Err(fault) => {
                    self.error = Some(*self.run_error(&program, transition, *fault));
                    return false;
                }
            };
            for tokens in listed.chunks(plan.inputs.len()) {
                bind(plan, &self.marking, &mut self.variables, tokens);
                each(transition, &self.variables[..plan.variables.len()]);
            }
        }
        true
    }

    /// A transition that waits for a decision fires, with these values of variables; of several such bindings one by I4. False, and
    /// nothing happens, where there is none. A fault is then the engine's error.
    pub fn decide(&mut self, transition: TransitionId, wanted: &[(usize, u64)]) -> bool {
        let program = Arc::clone(&self.program);
        if !self.awaiting || program.transitions[transition].level as usize != program.decisions {
            return false;
        }
        match self.bind_decided(&program, &program.transitions[transition], wanted) {
            Ok(false) => return false,
            outcome => {
                self.awaiting = false;
                let started = match outcome {
                    Ok(_) => self.start_decided(&program, transition),
                    Err(fault) => Err(self.run_error(&program, transition, *fault)),
                };
                self.error = started.err().map(|error| *error);
            }
        }
        true
    }

    /// Time goes on: nothing more is decided at this instant.
    pub fn pass_over(&mut self) {
        if self.awaiting {
            (self.passed_at, self.awaiting) = (self.now, false);
        }
    }

    fn list_bindings(&mut self, program: &Program, plan: &TransitionProgram) -> Outcome<Vec<u64>> {
        self.search(program, plan, Goal::Each)?;
        Ok(self.scratch.take_listed())
    }

    /// Chooses one of the bindings with these values (I4). False where there is none.
    fn bind_decided(&mut self, program: &Program, plan: &TransitionProgram, wanted: &[(usize, u64)]) -> Outcome<bool> {
        let listed = self.list_bindings(program, plan)?;
        let mut found: Vec<&[u64]> = Vec::new();
        for tokens in listed.chunks(plan.inputs.len()) {
            bind(plan, &self.marking, &mut self.variables, tokens);
            if wanted
                .iter()
                .all(|&(variable, value)| self.variables[..plan.variables.len()].get(variable) == Some(&value))
            {
                found.push(tokens);
            }
        }
        if let (Some(prefer), true) = (&plan.prefer, found.len() > 1) {
            let mut ranks = Vec::with_capacity(found.len());
            for tokens in &found {
                bind(plan, &self.marking, &mut self.variables, tokens);
                ranks.push(prefer.rank(&mut self.scope(program, self.now))?);
            }
            let least = ranks.iter().min().copied();
            let mut ranks = ranks.into_iter();
            found.retain(|_| ranks.next() == least);
        }
        if let (Some(&first), true) = (found.first(), plan.in_turn) {
            found.retain(|tokens| tokens[0] == first[0]);
        }
        if found.is_empty() {
            return Ok(false);
        }
        let chosen = found[self.random.equal_choice(found.len() as u64) as usize];
        self.scratch.chosen.iter_mut().zip(chosen).for_each(|(chosen, &token)| *chosen = token);
        bind(plan, &self.marking, &mut self.variables, chosen);
        Ok(true)
    }

    /// The binding that has been chosen fires.
    fn start_decided(&mut self, program: &Program, transition: TransitionId) -> Result<(), Box<RunError>> {
        let plan = &program.transitions[transition];
        if !plan.binds {
            return self.start(program, transition);
        }
        for (variable, _) in &plan.draws {
            self.variables[variable.at()] = 0;
        }
        self.start_bound(program, transition).map_err(|fault| self.run_error(program, transition, *fault))
    }
}
