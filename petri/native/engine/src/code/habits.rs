//! What a run has shown of its places before its code is made. It has no part in any result.

use std::collections::HashMap;

use crate::ids::PlaceId;
use crate::marking::Marking;
use crate::program::Program;
use crate::table::Table;

/// A place that is empty, or not, for less than this share of the time is seldom otherwise.
const SELDOM: f64 = 0.05;

/// Places that are empty as chance has it: whether a token is the first to come or the last to go cannot be foreseen, and code
/// that branches on it is mispredicted. Places that differ in their indices alone are taken together, so that the transitions
/// of an array go on sharing their code.
pub struct Habits {
    wavering: Table<PlaceId, bool>,
    /// Rounds of the tournament of firings in progress.
    pub rounds: u32,
}

/// Of the places of one array: the time with tokens, the time, and the most tokens.
#[derive(Default)]
struct Seen {
    nonempty: f64,
    time: f64,
    maximum: u64,
}

impl Habits {
    pub fn of(program: &Program, marking: &Marking, rounds: u32, since: f64, now: f64) -> Self {
        let mut arrays: HashMap<String, Seen> = HashMap::new();
        let names: Vec<String> = program.places.iter().map(|place| without_indices(&place.name)).collect();
        for ((name, plan), place) in names.iter().zip(program.places.iter()).zip(marking.places.iter()) {
            let seen = arrays.entry(name.clone()).or_default();
            seen.nonempty += place.nonempty(now, plan.holds_one());
            seen.time += now - since;
            seen.maximum = seen.maximum.max(place.maximum);
        }
        let wavers = |seen: &Seen| {
            // A place of at most one token is filled and emptied by turns.
            let share = seen.nonempty / seen.time;
            seen.maximum > 1 && (SELDOM..1.0 - SELDOM).contains(&share)
        };
        Habits { wavering: names.iter().map(|name| wavers(&arrays[name])).collect(), rounds }
    }

    pub fn wavers(&self, place: PlaceId) -> bool {
        self.wavering[place]
    }
}

/// The name of an element of an array, without the numbers in brackets.
fn without_indices(name: &str) -> String {
    let mut depth = 0;
    let outside = |c: &char| {
        match c {
            '[' => depth += 1,
            ']' => depth -= 1,
            _ => return depth == 0,
        }
        false
    };
    name.chars().filter(outside).collect()
}
