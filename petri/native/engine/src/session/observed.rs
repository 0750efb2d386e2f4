//! The statistics of a replication up to an instant, apart from the replication.

use crate::base::ticks::Ticks;
use crate::engine::run::Engine;
use crate::observe::snapshot::ProbeSnapshot;
use crate::state::integrals::rounded;

/// Sums and integrals since the statistics began.
pub struct Observed {
    pub rows: Rows,
    pub probes: Vec<ProbeSnapshot>,
}

/// One number for each place, or each transition; times are in ticks.
#[derive(Clone)]
pub struct Rows {
    pub elapsed: Ticks,
    /// Integrals of the tokens of each place, rounded once.
    pub integral: Vec<f64>,
    /// The time with at least one token.
    pub nonempty: Vec<Ticks>,
    pub maximum: Vec<u64>,
    /// Tokens deposited by firings.
    pub arrivals: Vec<u64>,
    pub firings: Vec<u64>,
    /// Integrals of the firings in progress of each transition, rounded once.
    pub in_progress: Vec<f64>,
    /// The time with at least one firing in progress.
    pub active: Vec<Ticks>,
    /// Clocks of each transition that were set, and those that were disabled before they had run down (C2).
    pub set: Vec<u64>,
    pub dropped: Vec<u64>,
}

impl Observed {
    pub fn of(engine: &mut Engine) -> Self {
        let now = engine.now;
        let probes = engine.observers.probes.probes.iter_mut().map(|probe| ProbeSnapshot::of(probe, now)).collect();
        let program = &engine.program;
        let (places, transitions) = (&engine.marking.places, &engine.enabling.transitions);
        let [mut integral, mut in_progress] = engine.integrals();
        let own_places = || places.iter().take(program.own_places);
        integral.truncate(program.own_places);
        let with_plans = own_places().zip(program.places.iter());
        let nonempty = with_plans.map(|(place, plan)| place.nonempty(now, plan.holds_one())).collect();
        let with_plans = transitions.iter().zip(program.transitions.iter());
        let active = with_plans.map(|(one, plan)| one.active(now, plan.takes_turns));
        let mut active: Vec<Ticks> = active.take(program.own).collect();
        in_progress.truncate(program.own);
        let (mut set, mut dropped) = (vec![0; active.len()], vec![0; active.len()]);
        for (transition, clocks) in program.racing.iter().zip(engine.clocks.of.iter()) {
            let row = transition.at();
            (in_progress[row], active[row]) = (rounded(clocks.integral_at(now)), clocks.busy_at(now));
            (set[row], dropped[row]) = (clocks.set, clocks.dropped);
        }
        let rows = Rows {
            elapsed: now - engine.window,
            integral,
            nonempty,
            maximum: own_places().map(|place| place.maximum).collect(),
            arrivals: own_places().map(|place| place.arrivals).collect(),
            firings: transitions.iter().take(program.own).map(|one| one.firings).collect(),
            in_progress,
            active,
            set,
            dropped,
        };
        Observed { rows, probes }
    }
}
