//! Rows of files that arrive in the places of streams (S6).

use crate::engine::limits::RunError;
use crate::engine::run::Engine;
use crate::program::Program;
use crate::state::streams::Next;

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
            let arrived = self.comes(program, place);
            self.of_no_firing(program, arrived)?;
        }
        Ok(true)
    }
}
