//! A place, as the engine runs it.

use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use crate::base::cache::LINE;
use crate::base::ids::{IndexId, JoinId, LinesId, PlaceId};
use crate::collections::key_table::Extent;
use crate::net::{Discipline, Scalar};
use crate::program::analysis::Range;
use crate::program::expression::{OrderKey, Value};
use crate::program::ranking::Ranked;
use crate::program::watch::ShownValues;

/// The range of a slot.
#[derive(Clone, Debug)]
pub struct Bound {
    pub name: String,
    pub real: bool,
    pub low: Option<Scalar>,
    pub high: Option<Scalar>,
}

impl Bound {
    /// Whether a value lies in the range.
    pub fn holds(&self, bits: u64) -> bool {
        if self.real {
            let value = f64::from_bits(bits);
            self.low.is_none_or(|low| value >= low.as_real()) && self.high.is_none_or(|high| value <= high.as_real())
        } else {
            let value = bits as i64;
            self.low.is_none_or(|low| at_least(value, low)) && self.high.is_none_or(|high| at_most(value, high))
        }
    }

    /// Whether an extent has all values of the range.
    pub fn lies_in(&self, extent: &Extent) -> bool {
        let ends = [self.low, self.high].map(|end| end.and_then(Scalar::as_int));
        let [Some(low), Some(high)] = ends else { return false };
        !self.real && low >= extent.low && i128::from(high) < i128::from(extent.low) + i128::from(extent.size)
    }
}

fn at_least(value: i64, low: Scalar) -> bool {
    low.as_int().map_or(value as f64 >= low.as_real(), |low| value >= low)
}

fn at_most(value: i64, high: Scalar) -> bool {
    high.as_int().map_or(value as f64 <= high.as_real(), |high| value <= high)
}

/// The weight of the tokens of a place (E6).
#[derive(Clone)]
pub struct Weight {
    pub value: Value,
    /// The slots that it depends on.
    pub slots: Vec<usize>,
    /// Evaluating it may raise a fault.
    pub fails: bool,
}

/// Real weights are rounded to millionths, so that sums of them are exact.
const PARTS: f64 = 1e6;
/// The greatest weight: a sum of a few does not overflow.
const MOST_WEIGHT: u64 = 1 << 62;

/// A weight as the whole number that sums are made of.
pub fn whole_weight(weight: Scalar) -> u64 {
    match weight {
        Scalar::Int(weight) => u64::try_from(weight).unwrap_or(0).min(MOST_WEIGHT),
        Scalar::Bool(weight) => u64::from(weight),
        Scalar::Real(weight) => (weight * PARTS).clamp(0.0, MOST_WEIGHT as f64).round_ties_even() as u64,
    }
}

/// How the tokens of a place with `per` form lines.
#[derive(Clone, Debug)]
pub struct LinesProgram {
    pub place: PlaceId,
    /// The place behind those of the net that has the first token of each line.
    pub front: PlaceId,
    pub discipline: Discipline,
    pub slots: Vec<u32>,
    /// The ranges of the slots, where keys are numbered directly.
    pub extents: Option<Vec<Extent>>,
    pub values: Option<ShownValues>,
}

/// Numbers of equal tokens, and the words of each. The places of an array share it.
pub type Initial = Arc<[(u64, Vec<u64>)]>;

pub struct PlaceProgram {
    pub name: Box<str>,
    pub initial: Initial,
    /// How many tokens it has at most, with those that firings in progress hold, if that is known.
    pub most: Option<u64>,
    pub kind: Arc<PlaceKind>,
}

/// What distinguishes kinds of places. Large nets have few: places share it until something is added to one of them.
#[derive(Clone)]
pub struct PlaceKind {
    pub width: usize,
    /// A number of tokens, or a weight.
    pub capacity: Option<u64>,
    /// Whether each slot is real.
    pub reals: Box<[bool]>,
    pub discipline: Discipline,
    pub key: Option<Box<OrderKey>>,
    /// Evaluating the key may raise a fault.
    pub key_fails: bool,
    pub weight: Option<Box<Weight>>,
    pub indices: Vec<IndexId>,
    /// Joins whose pivot the place is.
    pub pivots: Vec<JoinId>,
    /// The rankings of its tokens, and other counts.
    pub ranked: Vec<Ranked>,
    /// The slots whose values are the key of a line; none without lines.
    pub per: Box<[u32]>,
    /// Its tokens form lines, or it is the front of such a place.
    pub lines: Option<LinesId>,
    pub fronts: Option<LinesId>,
    /// Clocks tell its tokens apart.
    pub identified: bool,
    pub bounds: Box<[Bound]>,
    /// The values that tokens may have in each slot, as code relies on them.
    pub ranges: Box<[Range]>,
}

impl Deref for PlaceProgram {
    type Target = PlaceKind;

    #[inline(always)]
    fn deref(&self) -> &PlaceKind {
        &self.kind
    }
}

impl DerefMut for PlaceProgram {
    fn deref_mut(&mut self) -> &mut PlaceKind {
        Arc::make_mut(&mut self.kind)
    }
}

/// As `TransitionProgram`.
const _: () = assert!(size_of::<PlaceProgram>() <= 7 * LINE / 8);

impl PlaceProgram {
    /// Whether the words are those of a token that the place may have.
    pub fn may_have(&self, token: &[u64]) -> bool {
        let mut slots = token.iter().zip(&self.bounds);
        token.len() == self.width
            && slots.all(|(&word, bound)| bound.holds(word) && (!bound.real || f64::from_bits(word).is_finite()))
    }

    /// Whether the program has been compiled for it.
    pub fn expects(&self, token: &[u64]) -> bool {
        let lies = |word: i64, range: &Range| range.0 <= i128::from(word) && i128::from(word) <= range.1;
        let mut slots = token.iter().zip(&self.reals).zip(&self.ranges);
        slots.all(|((&word, &real), range)| real || lies(word as i64, range))
    }

    /// Whether it has one token at most.
    pub fn holds_one(&self) -> bool {
        self.most == Some(1)
    }
}
