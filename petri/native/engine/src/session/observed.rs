//! The statistics of a replication up to an instant, apart from the replication.

use crate::base::ticks::Ticks;
use crate::engine::run::Engine;
use crate::observe::snapshot::ProbeSnapshot;
use crate::state::integrals::rounded;

/// Sums and integrals since the statistics began, and how long that is.
pub struct Observed {
    pub elapsed: Ticks,
    pub rows: Rows,
    pub probes: Vec<ProbeSnapshot>,
}

/// Rows of a number for each place, and rows of one for each transition. Times are in ticks, as reals.
///
/// All are one block, which in a large net goes back to the system as soon as it has been read.
pub struct Rows {
    words: Vec<u64>,
    places: usize,
    transitions: usize,
}

/// The tokens of each place over time, rounded once, and the time with at least one; the most tokens; those deposited by firings.
const OF_PLACES: [&str; 4] = ["integral", "nonempty", "maximum", "arrivals"];
/// The firings of each transition; those in progress over time, rounded once, and the time with at least one; its clocks that were
/// set, and those that were disabled before they had run down (C2).
const OF_TRANSITIONS: [&str; 5] = ["firings", "in_progress", "active", "set", "dropped"];

impl Rows {
    /// The rows with their names.
    pub fn named(&self) -> impl Iterator<Item = (&'static str, &[u64])> {
        let of_places = OF_PLACES.into_iter().map(|name| (name, self.places));
        let of_transitions = OF_TRANSITIONS.into_iter().map(|name| (name, self.transitions));
        let mut rest = &self.words[..];
        of_places.chain(of_transitions).map(move |(name, length)| {
            let row;
            (row, rest) = rest.split_at(length);
            (name, row)
        })
    }
}

impl Observed {
    pub fn of(engine: &mut Engine) -> Self {
        let now = engine.now;
        let probes = engine.observers.probes.probes.iter_mut().map(|probe| ProbeSnapshot::of(probe, now)).collect();
        let program = &engine.program;
        let [integrals, mut in_progress] = engine.integrals();
        let places = || engine.marking.places.iter().take(program.own_places);
        let transitions = || engine.enabling.transitions.iter().take(program.own);
        let nonempty = places().zip(program.places.iter()).map(|(place, plan)| place.nonempty(now, plan.holds_one()));
        let plans = program.transitions.iter();
        let mut active: Vec<Ticks> =
            transitions().zip(plans).map(|(one, plan)| one.active(now, plan.takes_turns)).collect();
        let (mut set, mut dropped) = (vec![0; program.own], vec![0; program.own]);
        for (transition, clocks) in program.racing.iter().zip(engine.clocks.of.iter()) {
            let row = transition.at();
            (in_progress[row], active[row]) = (rounded(clocks.integral_at(now)), clocks.busy_at(now));
            (set[row], dropped[row]) = (clocks.set, clocks.dropped);
        }
        let time = |ticks: Ticks| (ticks as f64).to_bits();
        let numbers = OF_PLACES.len() * program.own_places + OF_TRANSITIONS.len() * program.own;
        let mut words = Vec::with_capacity(numbers);
        words.extend(integrals.iter().take(program.own_places).map(|integral| integral.to_bits()));
        words.extend(nonempty.map(time));
        words.extend(places().map(|place| place.maximum));
        words.extend(places().map(|place| place.arrivals));
        words.extend(transitions().map(|one| one.firings));
        words.extend(in_progress.iter().take(program.own).map(|integral| integral.to_bits()));
        words.extend(active.into_iter().map(time));
        words.extend(set);
        words.extend(dropped);
        let rows = Rows { words, places: program.own_places, transitions: program.own };
        Observed { elapsed: now - engine.window, rows, probes }
    }
}
