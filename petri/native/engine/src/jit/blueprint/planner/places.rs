//! Places, what the tokens that move there lead to, and the neighbours that it concerns.

use crate::base::ids::{GaugeId, IndexId, JoinId, LinesId, PlaceId, TransitionId};
use crate::collections::weights::Weights;
use crate::jit::blueprint::interpreted::has_routine;
use crate::jit::blueprint::names::{IndexRef, JoinRef, PlaceRef, TransitionRef, WordRef};
use crate::jit::blueprint::place::{
    Entry, Fronted, Gauge, IndexPlan, IndexUse, JoinPlan, KeySlot, LinesPlan, Link, Moves, Neighbour, PivotUse,
    PlacePlan, Serves, Shown,
};
use crate::jit::blueprint::planner::Planner;
use crate::jit::blueprint::transition::SetSize;
use crate::jit::profile::Occupancy;
use crate::net::Discipline;
use crate::program::join::{JoinProgram, LinkKey, LinkProgram};
use crate::program::place::{LinesProgram, PlaceProgram};
use crate::program::transition::TransitionProgram;
use crate::program::watch::MOST_WATCHES;
use crate::program::Program;
use crate::state::lines::Lines;

/// The position of a name among others. A new name is added, and has to be described next.
fn named<T: Copy + PartialEq>(names: &mut Vec<T>, id: T) -> (u32, bool) {
    let known = names.iter().position(|&other| other == id);
    if known.is_none() {
        names.push(id);
    }
    (known.unwrap_or(names.len() - 1) as u32, known.is_none())
}

impl<'a> Planner<'a> {
    pub(super) fn word(&mut self, word: u64) -> WordRef {
        self.names.words.push(word);
        WordRef(self.names.words.len() as u32 - 1)
    }

    pub(super) fn place(&mut self, id: PlaceId) -> PlaceRef {
        let (number, is_new) = named(&mut self.names.places, id);
        if is_new {
            let place = &self.program.places[id];
            let lines = place.lines.map(|lines| self.lines(lines));
            self.places.push(PlacePlan {
                width: place.width,
                discipline: place.discipline,
                lines,
                fronts: place.fronts.is_some(),
                has_routine: has_routine(self.program, id),
                weighed: place.weight.is_some(),
                holds_one: place.holds_one(),
                may_grow: place.most.is_none(),
                has_capacity: place.capacity.is_some(),
                probed: self.program.probes.hears_arrivals(id),
                departures_probed: self.program.probes.hears_departures(id),
                identified: place.identified,
                occupancy: self.profile.map_or(Occupancy::Seldom, |profile| profile.place(id)),
                moves: None,
            });
        }
        PlaceRef(number)
    }

    pub(super) fn lines(&mut self, id: LinesId) -> LinesPlan {
        let lines = &self.program.lines[id];
        let at = self.word((id.at() * size_of::<Lines>()) as u64);
        LinesPlan { at, slots: lines.slots.clone(), extents: lines.extents.clone() }
    }

    /// A place with `per` whose tokens the code moves, with its front.
    pub(super) fn fronted(&mut self, id: LinesId) -> Fronted {
        let LinesProgram { place, front, ref values, .. } = self.program.lines[id];
        let shown = values.as_ref().map(|values| Shown {
            slot: values.slot,
            least: values.least,
            first: self.word((values.first * size_of::<u64>()) as u64),
            gauges: values.gauges().map(|gauge| self.gauge(gauge)).collect(),
        });
        Fronted { place: self.moved(place), front: self.moved(front), shown }
    }

    /// A place whose tokens the code moves.
    pub(super) fn moved(&mut self, id: PlaceId) -> PlaceRef {
        let name = self.place(id);
        if self.places[name.at()].moves.is_none() {
            self.places[name.at()].moves = Some(Box::new(self.moves(id)));
        }
        name
    }

    pub(super) fn neighbour(&mut self, id: TransitionId) -> TransitionRef {
        let (number, is_new) = named(&mut self.names.transitions, id);
        if is_new {
            let owner = self.program.owner(id);
            let TransitionProgram { plain, level, .. } = self.program.transitions[owner];
            let plain = plain && owner == id;
            let set = SetSize::of(self.program.levels[level as usize].transitions.len());
            let of_clock = self.program.number_of_shadow(id).is_some();
            self.transitions.push(Neighbour { plain, of_clock, level, set });
        }
        TransitionRef(number)
    }

    pub(super) fn join(&mut self, id: JoinId) -> JoinRef {
        let (number, is_new) = named(&mut self.names.joins, id);
        if is_new {
            let join = &self.program.joins[id.at()];
            let (transition, most) = (self.neighbour(join.transition), self.program.places[join.place].most);
            self.joins.push(JoinPlan {
                transition,
                filtered: join.filter.is_some(),
                may_grow: most.is_none(),
                fits_a_block: Weights::fit_a_block(most),
            });
        }
        JoinRef(number)
    }

    pub(super) fn index(&mut self, id: IndexId) -> IndexRef {
        let (number, is_new) = named(&mut self.names.indices, id);
        if is_new {
            let index = &self.program.indices[id];
            let place = self.place(index.place);
            let (extents, outside) = (index.extents.clone(), index.outside());
            self.indices.push(IndexPlan { place, extents, outside });
        }
        IndexRef(number)
    }

    // ------------------------------------------------------------ what tokens that move lead to

    pub(super) fn moves(&mut self, id: PlaceId) -> Moves {
        let program = self.program;
        let place = &program.places[id];
        let gauge = GaugeId::tokens(id);
        let load = program.gauges[gauge].load;
        Moves {
            tokens: self.gauge(gauge),
            // The runtime knows what tokens weigh.
            load: (load != GaugeId::NONE && place.weight.is_none()).then(|| self.gauge(load)),
            indices: place.indices.iter().map(|&index| self.index_use(index)).collect(),
            pivots: place.pivots.iter().map(|&join| self.pivot_use(place, join)).collect(),
            ranked: !place.ranked.is_empty(),
            entry: self.entry(place),
        }
    }

    pub(super) fn gauge(&mut self, id: GaugeId) -> Gauge {
        let program = self.program;
        let (watches, dependents) = program.watching(&program.gauges[id]);
        // In a net of one clock, code tells dependents nothing.
        let dependents = if program.one_clock { &[] } else { dependents };
        if watches.len() + dependents.len() > MOST_WATCHES {
            return Gauge::Many(self.word(u64::from(id.0)));
        }
        let watches = watches.iter().map(|of| of.map(|id| self.neighbour(id))).collect();
        Gauge::Few { watches, dependents: dependents.iter().map(|of| of.map(|id| self.neighbour(id))).collect() }
    }

    pub(super) fn entry(&self, place: &PlaceProgram) -> Entry {
        let program = self.program;
        let is_grouped = |index: &IndexId| program.indices[*index].extents.is_some();
        let is_keyed = |join: &JoinId| {
            let join = &program.joins[join.at()];
            only_link(program, join).is_some_and(|link| key_slots(join, link).is_some())
        };
        if place.indices.is_empty() && place.pivots.is_empty() && place.ranked.is_empty() {
            Entry::Unknown
        } else if place.discipline == Discipline::Bag
            && place.ranked.is_empty()
            && place.indices.iter().all(is_grouped)
            && place.pivots.iter().all(is_keyed)
        {
            Entry::ByGroups
        } else {
            Entry::ByRuntime
        }
    }

    pub(super) fn index_use(&mut self, id: IndexId) -> IndexUse {
        let index = &self.program.indices[id];
        let serves = match index.links[..] {
            [] => Serves::None,
            [(join, _)] => {
                let JoinProgram { links, crowded, .. } = &self.program.joins[join.at()];
                if links.len() == 1 && !crowded {
                    Serves::One(self.join(join))
                } else {
                    Serves::Several
                }
            }
            _ => Serves::Several,
        };
        let key = index.slots.iter().map(|&slot| KeySlot { slot, inside: true }).collect();
        IndexUse { index: self.index(id), key, serves }
    }

    pub(super) fn pivot_use(&mut self, place: &PlaceProgram, id: JoinId) -> PivotUse {
        let program = self.program;
        let join = &program.joins[id.at()];
        let link = only_link(program, join).map(|link| {
            let extents = program.indices[link.index].extents.as_deref().unwrap_or(&[]);
            let slot =
                |(extent, &slot): (_, &u32)| KeySlot { slot, inside: place.bounds[slot as usize].lies_in(extent) };
            let key = key_slots(join, link).map(|slots| extents.iter().zip(slots).map(slot).collect());
            Link { index: self.index(link.index), bit: self.word(u64::from(link.bit)), key }
        });
        PivotUse { join: self.join(id), link }
    }
}

/// The link of a join that has only one, if its arcs are of different places and groups are numbered directly.
fn only_link<'a>(program: &Program, join: &'a JoinProgram) -> Option<&'a LinkProgram> {
    match &join.links[..] {
        [link] if !join.crowded && program.indices[link.index].extents.is_some() => Some(link),
        _ => None,
    }
}

/// The slots of a pivot's token that are the key of a link, if they are all that decides.
fn key_slots<'a>(join: &JoinProgram, link: &'a LinkProgram) -> Option<&'a [u32]> {
    match &link.key {
        LinkKey::Slots(slots) if join.filter.is_none() => Some(slots),
        _ => None,
    }
}
