//! Rows of files that arrive in the places of streams (S6).

use crate::base::ids::GaugeId;
use crate::engine::limits::RunError;
use crate::engine::run::Engine;
use crate::program::Program;
use crate::state::streams::Next;
use crate::state::value::Scope;

impl Engine {
    /// The next row arrives in each stream's place that is empty (S6). False when a block has to be fed first.
    pub(crate) fn refill(&mut self, program: &Program) -> Result<bool, Box<RunError>> {
        for (number, &place) in program.streams.iter().enumerate() {
            if self.marking.places[place].tokens > 0 {
                continue;
            }
            match self.streams.next(number) {
                Next::Row(row) => {
                    self.record.clear();
                    self.record.extend_from_slice(row);
                }
                Next::Unknown => return Ok(false),
                Next::Nothing => continue,
            }
            // A place with a stream has no key, so nothing can go wrong here.
            self.clocks.settled = false;
            self.changes(place);
            let _ = self.marking.add(program, &mut self.enabling, place, &self.record, self.now);
            self.marking.total += 1;
            self.enabling.moved(program, GaugeId::tokens(place), 0, 1);
            self.fill_room(program, place, 0, 1, false);
            let scope = &mut Scope {
                variables: &self.record,
                places: &self.marking.places,
                tables: &program.tables,
                random: &mut self.random,
                now: self.now,
                end: self.now,
            };
            let observed = self.observers.arrived(place, 1, scope);
            self.of_no_firing(program, observed)?;
        }
        Ok(true)
    }
}
