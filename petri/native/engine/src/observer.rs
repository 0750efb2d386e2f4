//! What an engine tells while it runs. An observer is a type parameter: one that does nothing costs nothing.

use crate::expression::Scope;
use crate::fault::Outcome;
use crate::ids::{PlaceId, TransitionId};

pub trait Observer {
    /// Machine code may run the net: it tells of firings and arrivals only where the net's probes ask for it.
    const COMPILES: bool = false;

    /// The place holds so many tokens from now on.
    fn changed(&mut self, place: PlaceId, tokens: u64, now: f64);

    /// A firing has deposited `count` tokens of one value; the variables of `scope` are the token's slots.
    fn arrived(&mut self, place: PlaceId, count: u64, scope: &mut Scope) -> Outcome<()>;

    /// A firing starts; its tokens are still in their places.
    fn started(&mut self, transition: TransitionId, scope: &mut Scope) -> Outcome<()>;

    /// The warm-up is over: figures are those from now on (M3).
    fn restart(&mut self, now: f64);
}

/// Watches nothing.
impl Observer for () {
    const COMPILES: bool = true;

    #[inline(always)]
    fn changed(&mut self, _: PlaceId, _: u64, _: f64) {}

    #[inline(always)]
    fn arrived(&mut self, _: PlaceId, _: u64, _: &mut Scope) -> Outcome<()> {
        Ok(())
    }

    #[inline(always)]
    fn started(&mut self, _: TransitionId, _: &mut Scope) -> Outcome<()> {
        Ok(())
    }

    fn restart(&mut self, _: f64) {}
}

/// An observer that may be left out when the engine is made.
impl<A: Observer> Observer for Option<A> {
    fn changed(&mut self, place: PlaceId, tokens: u64, now: f64) {
        if let Some(observer) = self {
            observer.changed(place, tokens, now);
        }
    }

    fn arrived(&mut self, place: PlaceId, count: u64, scope: &mut Scope) -> Outcome<()> {
        self.as_mut().map_or(Ok(()), |observer| observer.arrived(place, count, scope))
    }

    fn started(&mut self, transition: TransitionId, scope: &mut Scope) -> Outcome<()> {
        self.as_mut().map_or(Ok(()), |observer| observer.started(transition, scope))
    }

    fn restart(&mut self, now: f64) {
        if let Some(observer) = self {
            observer.restart(now);
        }
    }
}

/// Two observers, told one after the other.
impl<A: Observer, B: Observer> Observer for (A, B) {
    #[inline(always)]
    fn changed(&mut self, place: PlaceId, tokens: u64, now: f64) {
        self.0.changed(place, tokens, now);
        self.1.changed(place, tokens, now);
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

    fn restart(&mut self, now: f64) {
        self.0.restart(now);
        self.1.restart(now);
    }
}
