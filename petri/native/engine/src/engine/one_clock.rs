//! What machine code asks of the engine in a net of one clock, where it settles the clock itself (C4): between its firings, the
//! engine is as if the interpreter had come that far.

use crate::base::ids::TransitionId;
use crate::engine::limits::RunError;
use crate::engine::run::Engine;
use crate::program::Program;

impl Engine {
    /// The code has settled the common clock, and stops before the next firing.
    pub(crate) fn rests(&mut self) {
        self.clocks.common.was_settled();
        (self.clocks.settled, self.clocks.settled_after) = (true, self.firings);
    }

    /// The same when the clock has run down, but no firing may start.
    pub(crate) fn rings(&mut self) {
        self.rests();
        self.clocks.settled = false;
        self.ring();
    }

    /// The code has chosen the transition that is due, but the interpreter is to fire it.
    pub(crate) fn is_due(&mut self, transition: TransitionId) {
        self.rests();
        self.clocks.settled = false;
        self.clocks.common.was_rung();
        let number = self.program.transitions[transition].clock.as_ref().map_or(0, |clock| clock.number);
        self.clocks.of[number].due = true;
        self.enabling.touch(self.program.shadow(number));
        self.enabling.met(transition);
    }

    /// The code has fired a transition, but a rate is out of the ordinary: all of them are looked at.
    pub(crate) fn settle_fired(&mut self, program: &Program) -> Result<(), Box<RunError>> {
        self.clocks.settled = false;
        self.clocks.common.was_rung();
        (0..program.racing.len()).for_each(|number| self.enabling.touch(program.shadow(number)));
        self.settle(program)
    }
}
