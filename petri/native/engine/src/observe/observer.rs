//! What an engine reports while it runs. An observer is a type parameter: what it ignores costs nothing.

use std::mem::offset_of;

use crate::base::fault::Outcome;
use crate::base::ids::{PlaceId, TransitionId};
use crate::base::ticks::Ticks;
use crate::program::Program;
use crate::state::counters::PlaceCounters;
use crate::state::value::Scope;

pub trait Observer {
    /// Machine code may run the net: it reports firings and arrivals only where the net's probes ask for them, and changes only
    /// as `LEVELS` says.
    const COMPILES: bool = false;
    /// The offset of the address of the time at each number of tokens (`Levels`), if the observer keeps it.
    const LEVELS: Option<usize> = None;

    /// The number of tokens of a place is about to change.
    #[inline(always)]
    fn changes(&mut self, _: PlaceId, _: &PlaceCounters, _now: Ticks) {}

    /// A firing has deposited `count` tokens of one value; the variables of `scope` are the token's slots.
    #[inline(always)]
    fn arrived(&mut self, _: PlaceId, _count: u64, _: &mut Scope) -> Outcome<()> {
        Ok(())
    }

    /// A firing starts; its tokens are still in their places.
    #[inline(always)]
    fn started(&mut self, _: TransitionId, _: &mut Scope) -> Outcome<()> {
        Ok(())
    }

    /// The run begins with the initial tokens. A value of a token may raise a fault.
    fn begins(&mut self, _: &Program) -> Outcome<()> {
        Ok(())
    }

    /// A token is about to leave a place; called only where the net's probes ask for it.
    fn leaves(&mut self, _: PlaceId, _token: &[u64], _now: Ticks) {}

    /// All tokens of a place leave at once.
    fn emptied(&mut self, _: PlaceId, _now: Ticks) {}

    /// The warm-up is over: figures are those from now on (M3).
    fn restart(&mut self, _now: Ticks) {}
}

/// Observes nothing.
impl Observer for () {
    const COMPILES: bool = true;
}

/// Two observers: each call goes to the first, then to the second.
impl<A: Observer, B: Observer> Observer for (A, B) {
    const COMPILES: bool = A::COMPILES && B::COMPILES;
    const LEVELS: Option<usize> = match (A::LEVELS, B::LEVELS) {
        (Some(levels), _) => Some(offset_of!(Self, 0) + levels),
        (None, Some(levels)) => Some(offset_of!(Self, 1) + levels),
        (None, None) => None,
    };

    #[inline(always)]
    fn changes(&mut self, place: PlaceId, state: &PlaceCounters, now: Ticks) {
        self.0.changes(place, state, now);
        self.1.changes(place, state, now);
    }

    #[inline(always)]
    fn arrived(&mut self, place: PlaceId, count: u64, scope: &mut Scope) -> Outcome<()> {
        self.0.arrived(place, count, scope)?;
        self.1.arrived(place, count, scope)
    }

    #[inline(always)]
    fn started(&mut self, transition: TransitionId, scope: &mut Scope) -> Outcome<()> {
        self.0.started(transition, scope)?;
        self.1.started(transition, scope)
    }

    fn begins(&mut self, program: &Program) -> Outcome<()> {
        self.0.begins(program)?;
        self.1.begins(program)
    }

    fn leaves(&mut self, place: PlaceId, token: &[u64], now: Ticks) {
        self.0.leaves(place, token, now);
        self.1.leaves(place, token, now);
    }

    fn emptied(&mut self, place: PlaceId, now: Ticks) {
        self.0.emptied(place, now);
        self.1.emptied(place, now);
    }

    fn restart(&mut self, now: Ticks) {
        self.0.restart(now);
        self.1.restart(now);
    }
}
