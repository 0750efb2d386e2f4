//! Which transitions share a lane of the agenda: those of one constant firing time, whose firings end in the order in which they
//! start. Where these take turns there is never more than one in progress, and no lane is worth its trouble.

use std::collections::{BTreeMap, BTreeSet};

use crate::conservation::only_tokens;
use crate::ids::PlaceId;
use crate::program::{PlaceProgram, Time, TransitionProgram};

/// Gives each constant firing time a lane; returns how many there are.
pub fn assign(transitions: &mut [TransitionProgram], places: &[PlaceProgram]) -> usize {
    let mut alike: BTreeMap<u64, Vec<usize>> = BTreeMap::new();
    for (number, transition) in transitions.iter().enumerate() {
        if let Time::Const(duration) = transition.time {
            alike.entry(duration.to_bits()).or_default().push(number);
        }
    }
    let mut lanes = 0;
    for numbers in alike.into_values() {
        if !take_turns(numbers.iter().map(|&number| &transitions[number]), places) {
            numbers.into_iter().for_each(|number| transitions[number].lane = lanes);
            lanes += 1;
        }
    }
    lanes as usize
}

/// Whether all of these transitions take the same only token.
fn take_turns<'a>(transitions: impl Iterator<Item = &'a TransitionProgram>, places: &[PlaceProgram]) -> bool {
    let tokens = |transition: &TransitionProgram| only_tokens(transition, places).collect::<BTreeSet<PlaceId>>();
    transitions.map(tokens).reduce(|a, b| &a & &b).is_some_and(|shared| !shared.is_empty())
}
