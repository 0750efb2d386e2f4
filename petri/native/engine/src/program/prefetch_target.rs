//! What the tokens that a firing will deposit lead to: the records of their keys, and the tokens that join them. In steps, each of
//! which reads what the one before has fetched. Nothing but time depends on what is fetched.

use crate::base::cache::fetch;
use crate::base::ids::{IndexId, JoinId, PlaceId};
use crate::collections::key_table::SlotsOf;
use crate::program::{Give, Program, TransitionProgram};
use crate::state::index::NONE;
use crate::state::join::LinkKey;
use crate::state::marking::Marking;

/// A key of a token in a firing's record, and where it leads to.
pub struct Lead {
    /// The index that has the key, and the words of the record in which the key is.
    index: IndexId,
    slots: Box<[u32]>,
    link: Option<(JoinId, usize)>,
    /// Whether tokens of the link's pivot wait for the token, or it is one of the pivot.
    awaited: bool,
    /// The place of the tokens that it leads to, and their length in bytes.
    place: PlaceId,
    length: usize,
}

impl Lead {
    /// The leads of what a transition gives.
    pub fn of(program: &Program, transition: &TransitionProgram) -> Box<[Lead]> {
        let (mut leads, mut start) = (Vec::new(), 0);
        for give in &transition.gives {
            match *give {
                Give::Black { .. } => {}
                Give::Token { place, width } => {
                    leads.extend(Lead::of_token(program, place, start));
                    start += width;
                }
                Give::Open { width } => start += width + 2,
            }
        }
        leads.into()
    }

    /// Those of a token that begins at a word of the record.
    fn of_token(program: &Program, place: PlaceId, start: u32) -> impl Iterator<Item = Lead> + '_ {
        let behind = move |slots: &[u32]| slots.iter().map(|slot| start + slot).collect();
        let length = |place: PlaceId| program.places[place].width * size_of::<u64>();
        let plan = &program.places[place];
        let keyed = plan.indices.iter().map(move |&index| {
            let plan = &program.indices[index];
            let link = plan.links.first().copied();
            let place = link.map_or(plan.place, |(join, _)| program.joins[join.at()].place);
            Lead { index, slots: behind(&plan.slots), link, awaited: true, place, length: length(place) }
        });
        let of_pivot = plan.pivots.iter().flat_map(move |&join| {
            program.joins[join.at()].links.iter().enumerate().filter_map(move |(number, link)| {
                let LinkKey::Slots(slots) = &link.key else { return None };
                let (index, place) = (link.index, program.indices[link.index].place);
                let link = Some((join, number));
                Some(Lead { index, slots: behind(slots), link, awaited: false, place, length: length(place) })
            })
        });
        keyed.chain(of_pivot)
    }
}

impl Marking {
    /// Fetches where the group of a key in a record is told, …
    #[inline(always)]
    pub fn fetch_cell(&self, lead: &Lead, record: &[u64]) {
        self.indices[lead.index].fetch_cell(SlotsOf { token: record, slots: &lead.slots });
    }

    /// … then what is known of that group, which is returned, if it has one, …
    #[inline(always)]
    pub fn fetch_group(&self, lead: &Lead, record: &[u64]) -> u32 {
        let group = self.indices[lead.index].fetch_group(SlotsOf { token: record, slots: &lead.slots }).unwrap_or(NONE);
        if let (Some((join, link)), true) = (lead.link, group != NONE) {
            self.joins[join].fetch_head(link, group);
        }
        group
    }

    /// … then the first token of the group, or the first that waits for it. Returns its seat, if there is one.
    #[inline(always)]
    pub fn fetch_first(&self, lead: &Lead, group: u32) -> u32 {
        if group == NONE {
            return NONE;
        }
        let seat = match lead.link {
            Some((join, link)) if lead.awaited => self.joins[join].fetch_first(link, group),
            _ => self.indices[lead.index].fetch_first(group),
        };
        self.fetch_token(lead, seat);
        seat
    }

    /// … and then the next one that waits.
    #[inline(always)]
    pub fn fetch_next(&self, lead: &Lead, seat: u32) -> u32 {
        let Some((join, link)) = lead.link.filter(|_| lead.awaited) else { return NONE };
        let next = self.joins[join].fetch_next(link, seat);
        self.fetch_token(lead, next);
        next
    }

    /// Whether there is one is as chance has it, so no branch depends on it.
    #[inline(always)]
    fn fetch_token(&self, lead: &Lead, seat: u32) {
        let seat = if seat == NONE { 0 } else { seat };
        fetch((self.places[lead.place].ring.slots + seat as usize * lead.length) as *const u8);
    }
}
