//! Rates in the common clock (C4).

use crate::jit::blueprint::expression::{Bool, Real};
use crate::jit::blueprint::names::{JoinRef, PlaceRef, TransitionRef, WordRef};

/// What the rate of a transition is computed from whose conditions hold, and whose bindings are counted.
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct RatePlan {
    pub bindings: Bindings,
    /// One more condition, on the marking alone.
    pub guard: Option<Bool>,
    /// The tokens that a firing takes.
    pub needs: Vec<(PlaceRef, u64)>,
    pub servers: Option<u64>,
    pub each: EachRate,
}

/// How many bindings there are. Each has one clock, if there may be several.
#[derive(Debug, PartialEq, Eq, Hash)]
pub enum Bindings {
    One,
    /// As many as tokens in a place.
    Bag(PlaceRef),
    /// Those of a join, of which no arc takes any token.
    Join(JoinRef),
}

/// The rate of one clock: its speed by its mean.
#[derive(Debug, PartialEq, Eq, Hash)]
pub enum EachRate {
    Const(WordRef),
    Of { mean: Real, speed: Option<Real> },
}

/// A part in the common clock that is computed again.
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct Settle {
    pub transition: TransitionRef,
    /// Where its clocks are among all, and its rate among the sums, in bytes.
    pub clocks: WordRef,
    pub leaf: WordRef,
    /// How many sums above the rate are added up at once; if none, the loop adds up all.
    pub levels: u32,
    /// None: only the clock that has run down is another one.
    pub rate: Option<RatePlan>,
}
