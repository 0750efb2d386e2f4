//! Firings that move constant numbers of black tokens: the steps of `Engine::start` with nothing to bind or evaluate.

use crate::base::fault::Outcome;
use crate::base::ids::{GaugeId, TransitionId};
use crate::base::ticks::Ticks;
use crate::engine::run::Engine;
use crate::program::transition::Simple;
use crate::program::Program;
use crate::state::value::Scope;

impl Engine {
    /// Takes, and begins to last; an immediate firing also ends.
    #[inline(always)]
    pub(super) fn start_simple(
        &mut self,
        program: &Program,
        transition: TransitionId,
        simple: &Simple,
        duration: Ticks,
    ) -> Outcome<()> {
        self.check_instant(program, transition)?;
        let duration = self.lasting(duration);
        self.check_tokens(simple.taken, simple.given)?;
        self.note_start(program, transition, 0, duration)?;
        for taken in &program.moves[simple.takes as usize..simple.gives as usize] {
            self.take_black(program, taken.place, u64::from(taken.count));
        }
        self.marking.total += simple.given;
        self.firings += 1;
        if duration == 0 {
            return self.give(program, simple);
        }
        self.agenda.begin(self.now + duration, self.firings << program.parts, transition, simple.lane, 0);
        Ok(())
    }

    /// A firing of a simple transition deposits its tokens.
    #[inline(always)]
    pub(super) fn give(&mut self, program: &Program, simple: &Simple) -> Outcome<()> {
        for given in &program.moves[simple.gives as usize..simple.end as usize] {
            let (place, count) = (given.place, u64::from(given.count));
            let now = self.now;
            let before = self.changes(place).gain(count, now);
            self.enabling.moved(program, GaugeId::tokens(place), before, before + count);
            let scope = &mut Scope {
                variables: &[],
                places: &self.marking.places,
                tables: &program.tables,
                random: &mut self.random,
                now: self.now,
                end: self.now,
            };
            self.observers.arrived(place, count, scope)?;
        }
        Ok(())
    }
}
