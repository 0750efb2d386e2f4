//! Checks during a run: limits, the horizon, and the faults of its firings (X2, X3, X4).

use crate::base::fault::{Fault, Outcome};
use crate::base::ids::{SpanId, TransitionId};
use crate::base::ticks::HORIZON;
use crate::collections::tournament::NEVER;
use crate::engine::limits::{RunError, LOOP_NAMED};
use crate::engine::run::Engine;
use crate::program::Program;

impl Engine {
    /// A firing must not add tokens to a net that cannot hold them (X3).
    #[inline(always)]
    pub(super) fn check_tokens(&self, taken: u64, given: u64) -> Outcome<()> {
        if given > taken && (self.marking.total - taken).saturating_add(given) > self.limits.tokens {
            return Err(Fault::new("token-limit", SpanId::NONE).with_int("limit", self.limits.tokens as i64));
        }
        Ok(())
    }

    /// Refuses to start more firings at one instant than the limit; the error names the transitions of the last ones (X3).
    #[inline(always)]
    pub(super) fn check_instant(&mut self, program: &Program, transition: TransitionId) -> Outcome<()> {
        let before = self.firings - self.instant_began;
        if before < self.quiet {
            return Ok(());
        }
        self.note_endless(program, transition, before)
    }

    #[cold]
    fn note_endless(&mut self, program: &Program, transition: TransitionId, before: u64) -> Outcome<()> {
        if before == self.quiet {
            self.last_started.clear();
        }
        self.last_started.push(transition);
        if before < self.limits.firings_at_an_instant {
            return Ok(());
        }
        let mut last: Vec<TransitionId> = self.last_started.iter().rev().take(LOOP_NAMED as usize).copied().collect();
        last.sort_unstable();
        last.dedup();
        let names = last.iter().map(|t| program.transitions[*t].name.to_string()).collect();
        let (limit, held) = (self.limits.firings_at_an_instant, self.marking.total);
        let fault = Fault::new("instant-limit", SpanId::NONE).with_int("limit", limit as i64);
        let fault = fault.with_names("transitions", names);
        // There are so many that they may be why it takes so many firings.
        Err(if held.saturating_mul(4) >= limit { fault.with_int("tokens", held as i64) } else { fault })
    }

    /// A run cannot go on beyond the horizon, where all firings in progress end: the error names the first of them (X2).
    #[cold]
    pub(super) fn beyond_horizon(&mut self, program: &Program) -> Option<RunError> {
        let clocked = || program.racing.iter().enumerate().find(|(number, _)| self.clocks.end(*number) < NEVER);
        let first = self.agenda.first().or_else(|| clocked().map(|(_, transition)| *transition))?;
        let plan = &program.transitions[first];
        let span = plan.clock.as_ref().map_or(plan.time_span, |clock| clock.time_span);
        let first = plan.delivers.map_or(first, |(transition, _)| transition);
        let fault = Fault::new("beyond-horizon", span);
        let fault = fault.with_real("horizon", program.tick.time(HORIZON as f64));
        self.variables.fill(0);
        Some(*self.run_error(program, first, *fault))
    }

    /// The fault that machine code has met.
    #[cold]
    pub(crate) fn met(&mut self, program: &Program, transition: TransitionId) -> Box<RunError> {
        let fault = self.fault.take().unwrap_or_else(|| Fault::new("internal", SpanId::NONE));
        self.run_error(program, transition, *fault)
    }

    pub(super) fn run_error(&self, program: &Program, transition: TransitionId, fault: Fault) -> Box<RunError> {
        let transition = program.transitions[transition].delivers.map_or(transition, |(transition, _)| transition);
        let variables = self.variables[..program.transitions[transition].variables.len()].to_vec();
        Box::new(RunError { fault, transition, variables, time: self.now })
    }

    /// An error names a transition. Where none fires, it is the first; without any, the fault is dropped.
    pub(super) fn of_no_firing(&self, program: &Program, outcome: Outcome<()>) -> Result<(), Box<RunError>> {
        let (Err(fault), Some(first)) = (outcome, program.transitions.first()) else { return Ok(()) };
        let variables = vec![0; first.variables.len()];
        Err(Box::new(RunError { fault: *fault, transition: TransitionId(0), variables, time: self.now }))
    }
}
