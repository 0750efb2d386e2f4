//! A trace: every firing, kept until it is fetched.

use crate::expression::Scope;
use crate::fault::Outcome;
use crate::ids::{PlaceId, TransitionId};
use crate::observer::Observer;

/// A firing as it started. Its variables are the next ones of `Trace::variables`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TracedFiring {
    pub start: f64,
    pub end: f64,
    pub transition: TransitionId,
}

#[derive(Clone, Debug, Default)]
pub struct Trace {
    pub firings: Vec<TracedFiring>,
    pub variables: Vec<u64>,
}

impl Observer for Trace {
    fn changed(&mut self, _: PlaceId, _: u64, _: f64) {}

    fn arrived(&mut self, _: PlaceId, _: u64, _: &mut Scope) -> Outcome<()> {
        Ok(())
    }

    fn started(&mut self, transition: TransitionId, scope: &mut Scope) -> Outcome<()> {
        self.firings.push(TracedFiring { start: scope.now, end: scope.end, transition });
        self.variables.extend_from_slice(scope.variables);
        Ok(())
    }

    fn restart(&mut self, _: f64) {}
}
