//! Checks the invariants of all data structures of an engine, between two firings.

use crate::base::invariant::{ensure, Verified};
use crate::engine::run::Engine;

impl Engine {
    /// Checks the invariants of an engine that a run has returned from without a fault. The time is proportional to the tokens, the
    /// firings in progress and the transitions.
    ///
    /// Besides those of each structure, *tokens* must hold: while no firing is in progress and no output on the way, the marking's
    /// total is the number of tokens in places, and no place has reserved room.
    pub fn verify(&self) -> Verified {
        let program = &self.program;
        self.agenda.tournament.verify()?;
        self.agenda.endings.verify()?;
        self.agenda.lanes.iter().try_for_each(|lane| lane.ring.verify())?;
        self.streams.verify(program)?;
        self.marking.verify(program)?;
        self.marking.identities.verify(&self.marking.places)?;
        self.clocks.verify()?;
        let mut conditions = self.marking.joined();
        conditions.extend(program.racing.iter().zip(self.clocks.of.iter()).map(|(id, clocks)| (*id, clocks.due)));
        self.enabling.verify(program, &self.marking.gauges(program), &conditions)?;
        self.bundles.verify(self.agenda.tournament.is_empty())?;
        if !self.agenda.tournament.is_empty() {
            return Ok(());
        }
        let tokens: u64 = self.marking.places.iter().take(program.own_places).map(|place| place.tokens).sum();
        let total = self.marking.total;
        ensure(total == tokens, "tokens", || format!("{tokens} in places, {total} in all"))?;
        let reserved = self.marking.places.iter().any(|place| place.reserved > 0);
        ensure(!reserved, "tokens", || "room is reserved for no firing".to_owned())
    }
}
