//! What a run has shown of its places before its code is made. It never affects a result.

use std::collections::HashMap;

use crate::base::ids::{PlaceId, TransitionId};
use crate::base::table::Table;
use crate::collections::tournament::Tournament;
use crate::engine::run::Engine;
use crate::program::place::PlaceProgram;
use crate::program::transition::TransitionProgram;
use crate::program::Program;
use crate::state::counters::{PlaceCounters, TransitionCounters};

/// A number that is zero, or not, for less than this share of the time is seldom otherwise.
const SELDOM: f64 = 0.05;
/// Ties in the tournament are usual if there is one for at most this number of firings.
const FIRINGS_OF_A_TIE: u64 = 20;
/// From this number of rounds of the tournament on, they are usual in any case. A net whose times are all random has 2^20 ticks in
/// its unit of time; with a million firings in progress, a firing ends at most of these ticks.
const CROWDED: u32 = 18;

/// How often a number, of tokens of a place or of firings in progress, is above zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Occupancy {
    /// Hardly ever, or it is never more than one: it was zero before it rises.
    Seldom,
    /// Neither: whether a token is the first to arrive or the last to leave is unpredictable, and a branch on it is
    /// mispredicted.
    Unpredictable,
    /// Nearly always: the code for the first or the last token is moved behind the rest.
    Mostly,
}

/// How often the numbers of a net are above zero. Those of places, or transitions, that differ in their indices alone are taken together, so that the
/// transitions of an array keep sharing their code.
pub struct Profile {
    places: Table<PlaceId, Occupancy>,
    transitions: Table<TransitionId, Occupancy>,
    pub events: Events,
}

/// What is known of the tournament of firings in progress.
#[derive(Clone, Copy, Debug)]
pub struct Events {
    /// Its rounds.
    pub rounds: u32,
    /// Whether several firings often end in one tick.
    pub often_tie: bool,
}

/// Of the numbers of one array: the time above zero, the time, and the greatest.
#[derive(Default)]
struct Seen {
    above_zero: f64,
    time: f64,
    maximum: u64,
}

impl Seen {
    fn occupancy(&self) -> Occupancy {
        let share = self.above_zero / self.time;
        if self.maximum <= 1 || share < SELDOM {
            Occupancy::Seldom
        } else if share >= 1.0 - SELDOM {
            Occupancy::Mostly
        } else {
            Occupancy::Unpredictable
        }
    }
}

impl Profile {
    /// What an engine has shown so far.
    pub fn of(engine: &Engine) -> Self {
        let Engine { marking, enabling, now, window, .. } = engine;
        let (program, now, time) = (&*engine.program, *now, (now - window) as f64);
        let Tournament { slots, ties, .. } = engine.agenda.tournament;
        let rounds = slots.trailing_zeros();
        if program.without.profile {
            return Profile::unknown(program, rounds);
        }
        let often_tie = rounds >= CROWDED || FIRINGS_OF_A_TIE.saturating_mul(ties) > engine.firings;
        let place = |(plan, place): (&PlaceProgram, &PlaceCounters)| Seen {
            above_zero: place.nonempty(now, plan.holds_one()) as f64,
            time,
            maximum: place.maximum,
        };
        let transition = |(plan, transition): (&TransitionProgram, &TransitionCounters)| Seen {
            above_zero: transition.active(now, plan.takes_turns) as f64,
            time,
            maximum: if plan.takes_turns { 1 } else { u64::MAX },
        };
        let places = program.places.iter().zip(marking.places.iter()).map(place);
        let transitions = program.transitions.iter().zip(enabling.transitions.iter()).map(transition);
        Profile {
            places: of_arrays(program.places.iter().map(|place| &place.name[..]), places),
            transitions: of_arrays(program.transitions.iter().map(|plan| &plan.name[..]), transitions),
            events: Events { rounds, often_tie },
        }
    }

    /// As if every number were zero half of the time, and no two firings ended at one time.
    fn unknown(program: &Program, rounds: u32) -> Self {
        let places = program.places.iter().map(|_| Occupancy::Unpredictable).collect();
        let transitions = program.transitions.iter().map(|_| Occupancy::Unpredictable).collect();
        Profile { places, transitions, events: Events { rounds, often_tie: rounds >= CROWDED } }
    }

    pub fn place(&self, place: PlaceId) -> Occupancy {
        self.places[place]
    }

    pub fn transition(&self, transition: TransitionId) -> Occupancy {
        self.transitions[transition]
    }
}

/// The occupancy of each number, by its name and what was seen of it.
fn of_arrays<'a, I>(names: impl Iterator<Item = &'a str>, numbers: impl Iterator<Item = Seen>) -> Table<I, Occupancy> {
    let names: Vec<String> = names.map(without_indices).collect();
    let mut arrays: HashMap<&str, Seen> = HashMap::new();
    for (name, number) in names.iter().zip(numbers) {
        let seen = arrays.entry(name).or_default();
        seen.above_zero += number.above_zero;
        seen.time += number.time;
        seen.maximum = seen.maximum.max(number.maximum);
    }
    names.iter().map(|name| arrays[&name[..]].occupancy()).collect()
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
