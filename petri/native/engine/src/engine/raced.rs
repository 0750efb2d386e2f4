//! A transition that races.

use crate::base::ids::TransitionId;
use crate::program::clock::ClockProgram;
use crate::program::transition::TransitionProgram;
use crate::program::Program;

/// A transition with a clock.
#[derive(Clone, Copy)]
pub(crate) struct Raced<'p> {
    pub program: &'p Program,
    pub plan: &'p TransitionProgram,
    pub clock: &'p ClockProgram,
}

impl<'p> Raced<'p> {
    /// None if the transition has no clock.
    pub fn of(program: &'p Program, plan: &'p TransitionProgram) -> Option<Self> {
        plan.clock.as_ref().map(|clock| Raced { program, plan, clock })
    }

    pub fn id(&self) -> TransitionId {
        self.program.racing[self.clock.number]
    }
}
