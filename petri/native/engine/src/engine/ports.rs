//! The ports of a net: what comes from outside arrives, and what has come into a port out leaves (I12).

use crate::base::fault::Outcome;
use crate::base::ids::{GaugeId, PlaceId};
use crate::base::ticks::{Ticks, NEVER};
use crate::engine::limits::RunError;
use crate::engine::run::{Engine, Reason};
use crate::engine::search::scope;
use crate::program::Program;

impl Engine {
    /// Runs from one arrival from outside to the next: machine code knows none.
    pub(super) fn between_arrivals(
        &mut self,
        program: &Program,
        until: Ticks,
        firings: u64,
        mut advance: impl FnMut(&mut Self, Ticks, u64) -> Reason,
    ) -> Reason {
        let enough = self.firings.saturating_add(firings);
        loop {
            if let Err(error) = self.come(program) {
                return self.stop_with(*error);
            }
            let (lacking, next) = (self.streams.arrivals.lacking(), self.streams.arrivals.next());
            let last = if lacking.is_some() { self.now } else { next - 1 };
            let reason = advance(self, until.min(last), enough - self.firings);
            if !matches!(reason, Reason::Until | Reason::Dead) {
                return reason;
            }
            if lacking.is_some() {
                self.streams.wanted = lacking;
                return Reason::Input;
            }
            if next == NEVER {
                return reason;
            }
            self.rest(until.min(last));
            if next > until {
                return Reason::Until;
            }
            if let Err(error) = self.pass_to(program, next) {
                return self.stop_with(*error);
            }
        }
    }

    /// Time moves to an instant before which nothing is left to happen; what ends then deposits first.
    fn pass_to(&mut self, program: &Program, instant: Ticks) -> Result<(), Box<RunError>> {
        if self.next_end() == instant {
            return self.end_firings(program, instant);
        }
        self.instant_began = self.firings;
        self.set_time(program, instant);
        Ok(())
    }

    /// What has come from outside arrives, in its order.
    fn come(&mut self, program: &Program) -> Result<(), Box<RunError>> {
        while let Some(place) = self.streams.arrivals.take(self.now, &mut self.record) {
            let outcome = self.check_tokens(0, 1).and_then(|()| self.comes(program, place));
            self.of_no_firing(program, outcome)?;
        }
        Ok(())
    }

    /// The token in the record arrives in a place without a capacity.
    pub(super) fn comes(&mut self, program: &Program, place: PlaceId) -> Outcome<()> {
        let token = std::mem::take(&mut self.record);
        if let Some(key) = &program.places[place].key {
            self.marking.rank(key, &token)?;
        }
        self.clocks.settled = false;
        let before = self.changes(place).tokens;
        if token.is_empty() {
            self.marking.places[place].gain(1, self.now);
        } else {
            self.add(program, place, &token, false);
        }
        self.marking.total += 1;
        self.enabling.moved(program, GaugeId::tokens(place), before, before + 1);
        self.fill_room(program, place, before, 1, false);
        let scope = &mut scope(&token, &self.marking, program, &mut self.random, self.now);
        let outcome = self.observers.arrived(place, 1, scope);
        self.record = token;
        outcome
    }

    /// When nothing is left to fire at an instant, the tokens in the ports out leave. Returns whether the run stops for them.
    pub(super) fn put_out(&mut self, program: &Program) -> Result<bool, Box<RunError>> {
        let mut any = false;
        for (number, &place) in program.outputs.iter().enumerate() {
            let tokens = self.marking.places[place].tokens;
            if tokens == 0 {
                continue;
            }
            any = true;
            if let Some(kept) = self.outputs.kept.get_mut(number) {
                if self.outputs.taken[number] == kept.len() {
                    kept.clear();
                    self.outputs.taken[number] = 0;
                }
                for position in 0..tokens as usize {
                    kept.push(self.now as u64);
                    if program.places[place].width > 0 {
                        kept.extend_from_slice(self.marking.token(place, position));
                    }
                }
            }
            self.reset(program, place);
        }
        if any {
            self.look(program, None)?;
        }
        Ok(any && self.outputs.stops)
    }
}
