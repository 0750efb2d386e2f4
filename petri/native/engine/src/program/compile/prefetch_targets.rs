//! Finds the memory that deposited tokens will touch.

use crate::base::ids::PlaceId;
use crate::program::arc::Give;
use crate::program::join::LinkKey;
use crate::program::prefetch_target::PrefetchTarget;
use crate::program::transition::TransitionProgram;
use crate::program::Program;

/// The prefetch targets of a transition's outputs.
pub fn prefetch_targets(program: &Program, transition: &TransitionProgram) -> Box<[PrefetchTarget]> {
    let (mut targets, mut start) = (Vec::new(), 0);
    for give in &transition.gives {
        match *give {
            Give::Black { .. } => {}
            Give::Token { place, width } => {
                targets.extend(of_token(program, place, start));
                start += width;
            }
            Give::Open { .. } | Give::Each => start += give.held_words() as u32,
        }
    }
    targets.into()
}

/// The targets of a token that begins at a word of the record.
fn of_token(program: &Program, place: PlaceId, start: u32) -> impl Iterator<Item = PrefetchTarget> + '_ {
    let behind = move |slots: &[u32]| slots.iter().map(|slot| start + slot).collect();
    let length = |place: PlaceId| program.places[place].width * size_of::<u64>();
    let plan = &program.places[place];
    let keyed = plan.indices.iter().map(move |&index| {
        let plan = &program.indices[index];
        let link = plan.links.first().copied();
        let place = link.map_or(plan.place, |(join, _)| program.joins[join.at()].place);
        PrefetchTarget { index, slots: behind(&plan.slots), link, awaited: true, place, length: length(place) }
    });
    let of_pivot = plan.pivots.iter().flat_map(move |&join| {
        program.joins[join.at()].links.iter().enumerate().filter_map(move |(number, link)| {
            let LinkKey::Slots(slots) = &link.key else { return None };
            let (index, place) = (link.index, program.indices[link.index].place);
            let link = Some((join, number));
            Some(PrefetchTarget { index, slots: behind(slots), link, awaited: false, place, length: length(place) })
        })
    });
    keyed.chain(of_pivot)
}
