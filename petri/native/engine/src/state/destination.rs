//! Where output arcs put tokens, and the numbers of tokens that arcs move (E3, X2).

use crate::base::fault::{Fault, Outcome};
use crate::base::ids::{PlaceId, SpanId};
use crate::program::arc::{Count, OutputProgram};
use crate::program::expression::{Bool, Int};
use crate::state::value::Scope;

/// A number of tokens must not be negative (X2).
fn natural(count: i64, span: SpanId) -> Outcome<u64> {
    u64::try_from(count).map_err(|_| Fault::new("negative-count", span).with_int("count", count))
}

impl Count {
    #[inline(always)]
    pub fn value(&self, scope: &mut Scope) -> Outcome<u64> {
        match self {
            Count::Const(count) => Ok(*count),
            Count::Of(of) => natural(of.0.value(scope)?, of.1),
        }
    }
}

/// What decides where an output arc puts tokens, and how many.
pub struct Destination<'a> {
    pub places: &'a [PlaceId],
    pub condition: Option<&'a Bool>,
    pub count: &'a Count,
    pub index: Option<&'a (Int, SpanId)>,
}

impl OutputProgram {
    pub fn destination(&self) -> Destination<'_> {
        Destination {
            places: &self.places,
            condition: self.condition.as_deref(),
            count: &self.count,
            index: self.index.as_deref(),
        }
    }
}

impl Destination<'_> {
    /// The place and the number: none where the condition fails.
    #[inline(always)]
    pub fn of(&self, scope: &mut Scope) -> Outcome<(PlaceId, u64)> {
        if let Some(condition) = self.condition {
            if !condition.value(scope)? {
                return Ok((self.places[0], 0));
            }
        }
        let count = self.count.value(scope)?;
        let Some((index, span)) = self.index else { return Ok((self.places[0], count)) };
        let index = index.value(scope)?;
        match usize::try_from(index).ok().and_then(|i| self.places.get(i)) {
            Some(&place) => Ok((place, count)),
            None => {
                let fault = Fault::new("index-range", *span).with_int("index", index);
                Err(fault.with_int("size", self.places.len() as i64))
            }
        }
    }
}
