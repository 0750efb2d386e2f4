//! Which transitions share a lane of the agenda: those of one constant firing time, whose firings end in the order in which they
//! start. Where few of them are in progress, a lane does not pay: a firing that begins mostly takes
//! the slot of one that has just ended, and the path to the root is short. Outputs with a constant delay always pay: a firing may have
//! several of them, and one slot at most has just been left. They have lanes of their own, as a firing sends them before it begins to
//! last.

use std::collections::{BTreeMap, BTreeSet};

use crate::base::ids::PlaceId;
use crate::base::ticks::Ticks;
use crate::program::conservation::scarcest;
use crate::program::place::PlaceProgram;
use crate::program::time::Time;
use crate::program::transition::TransitionProgram;

/// Where at most this many firings can be in progress, a lane does not pay.
const FEW_FIRINGS: u64 = 128;

/// Gives each constant firing time a lane; returns how many there are.
pub fn assign(transitions: &mut [TransitionProgram], places: &[PlaceProgram]) -> usize {
    let mut alike: BTreeMap<(bool, Ticks), Vec<usize>> = BTreeMap::new();
    for (number, transition) in transitions.iter().enumerate() {
        if let Time::Const(duration) = transition.time {
            alike.entry((transition.delivers.is_some(), duration)).or_default().push(number);
        }
    }
    let mut lanes = 0;
    for numbers in alike.into_values() {
        let most = most_firings(numbers.iter().map(|&number| &transitions[number]), places);
        if most.is_none_or(|most| most > FEW_FIRINGS) {
            numbers.into_iter().for_each(|number| transitions[number].lane = lanes);
            lanes += 1;
        }
    }
    lanes as usize
}

/// An upper bound on the firings of these transitions that are in progress at one time: each takes from a place with few tokens
/// (`scarcest`), and the bound is the sum of the most tokens of these places. None if some transition has no such place, as one that
/// delivers.
fn most_firings<'a>(transitions: impl Iterator<Item = &'a TransitionProgram>, places: &[PlaceProgram]) -> Option<u64> {
    let scarce = transitions.map(|transition| scarcest(transition, places)).collect::<Option<BTreeSet<PlaceId>>>()?;
    scarce.iter().try_fold(0u64, |sum, place| sum.checked_add(places[place.0 as usize].most?))
}
