//! Whether the common clock is all that happens in a net: each instant is one firing of one of its transitions (C4).

use std::collections::BTreeSet;

use crate::base::ids::{GaugeId, PlaceId, TransitionId};
use crate::program::arc::{Count, Find, InputProgram};
use crate::program::clock::ClockKind;
use crate::program::time::Time;
use crate::program::transition::{Selection, TransitionProgram};
use crate::program::watch::MOST_WATCHES;
use crate::program::Program;

/// The code of a transition computes each rate that its firing changes. This limits the sum over all transitions.
const MOST_RATES: usize = 512;

/// Whether all transitions of a net share a clock and move black tokens between places that are known, at once, and no measure
/// watches the marking.
pub fn has_one_clock(program: &Program) -> bool {
    let all = || program.transitions.iter();
    let black = || program.places.iter().all(|place| place.width == 0 && place.weight.is_none());
    let few = |gauge: &_| program.watching(gauge).0.len() <= MOST_WATCHES;
    let rates = || (0..program.racing.len()).map(|number| program.changed_rates(number).len()).sum::<usize>();
    !program.racing.is_empty()
        && program.racing.len() == program.transitions.len()
        && [&program.streams.len(), &program.inputs.len(), &program.clocked.len(), &program.probes.watched.len()]
            .iter()
            .all(|&&len| len == 0)
        && black()
        && all().all(only_shares)
        && program.gauges.iter().all(few)
        && rates() <= MOST_RATES
}

/// A transition whose firing is over at once, and whose rate machine code computes.
fn only_shares(transition: &TransitionProgram) -> bool {
    let is_constant = |arc: &InputProgram| matches!(arc.find, Find::Black(Count::Const(_)));
    let Some(clock) = &transition.clock else { return false };
    clock.kind == ClockKind::Shared
        && (clock.servers == Some(1) || clock.needs.is_some())
        && (transition.plain || transition.waits_for_guard())
        && transition.selection == Selection::Single
        && matches!(transition.time, Time::Immediate)
        && transition.resets.is_empty()
        && transition.sets.is_empty()
        && transition.sends.is_empty()
        && transition.inputs.iter().all(is_constant)
        && transition.outputs.iter().all(|arc| arc.places.len() == 1)
}

impl Program {
    /// The transitions whose part in the common clock a firing of one may change, by their numbers among the clocks: they depend
    /// on the places that it takes from or gives to.
    pub fn changed_rates(&self, number: usize) -> BTreeSet<usize> {
        let transition = &self.transitions[self.racing[number]];
        let taken = transition.inputs.iter().filter(|arc| !arc.keep).map(|arc| arc.place);
        let places: BTreeSet<PlaceId> =
            taken.chain(transition.outputs.iter().flat_map(|arc| arc.places.iter().copied())).collect();
        let of_gauge = |id: GaugeId| self.watching(&self.gauges[id]).1.iter().map(|of| of.transition);
        let of_place = |place: PlaceId| {
            let tokens = GaugeId::tokens(place);
            let load = Some(self.gauges[tokens].load).filter(|&load| load != GaugeId::NONE);
            of_gauge(tokens).chain(load.into_iter().flat_map(of_gauge)).collect::<Vec<TransitionId>>()
        };
        places.into_iter().flat_map(of_place).filter_map(|id| self.number_of_shadow(id)).collect()
    }
}
