//! The memory that the end of a firing touches, with the firings that it may start: known early, so that it can be
//! prefetched.

use std::collections::HashSet;
use std::mem::size_of;
use std::ptr::{from_ref, null};

use crate::base::cache::LINE;
use crate::base::ids::TransitionId;
use crate::base::table::Table;
use crate::engine::code::{Footprint, Routines};
use crate::jit::holes::{Filling, Hole, HoleRow};
use crate::program::Program;
use crate::state::arena::ArenaLayout;

/// The tables of a net that takes no more bytes of its block stay in the cache without prefetching.
const SMALL: usize = 128 << 10;

/// The holes of a routine, and how they are known to it.
type KnownRow<'a> = (HoleRow<'a>, &'a [Filling]);

/// The footprints of all transitions of a net whose holes are known; none of a small net.
pub fn footprints<'a>(
    program: &Program,
    arena: &ArenaLayout,
    routines: &Table<TransitionId, Routines>,
    ends: impl Fn(TransitionId) -> KnownRow<'a>,
    starts: impl Fn(TransitionId) -> KnownRow<'a>,
) -> Table<TransitionId, Footprint> {
    if arena.size < SMALL || program.without.footprints {
        return Table::default();
    }
    let of = |id| {
        let mut lines = Lines { arena, program, block: Vec::new(), own: Vec::new() };
        lines.add_all(routines[id].finish.holes, ends(id));
        let HoleRow { holes, names } = ends(id).0;
        for hole in holes {
            let Hole::Transition(other) = *hole else { continue };
            let other = names.transition(other);
            if program.owner(other) != other {
                continue;
            }
            let transition = &program.transitions[other];
            let row = &program.levels[transition.level as usize].transitions;
            lines.own.push(from_ref(&routines[other]).cast());
            lines.own.push(from_ref(&row[transition.position as usize]).cast());
            lines.add_all(routines[other].start.holes, starts(other));
        }
        lines.footprint()
    };
    (0..program.transitions.len() as u32).map(|id| of(TransitionId(id))).collect()
}

/// Lines in the order in which they are needed.
struct Lines<'a> {
    program: &'a Program,
    arena: &'a ArenaLayout,
    block: Vec<u32>,
    own: Vec<*const u8>,
}

impl Lines<'_> {
    /// A row of holes that begins somewhere, and what they are.
    fn add_all(&mut self, start: *const u32, (row, known): KnownRow) {
        let len = Hole::read(row.holes, known).map(|hole| hole.cells()).sum::<usize>() * size_of::<u32>();
        self.own.extend((0..len).step_by(LINE).map(|byte| start.cast::<u8>().wrapping_add(byte)));
        for hole in row.holes {
            if let Hole::Place(_) | Hole::Transition(_) | Hole::Join(_) | Hole::Index(_) = hole {
                self.block.push(hole.word(row.names, self.program, self.arena) as u32);
            }
        }
    }

    fn footprint(mut self) -> Footprint {
        let line = |address: usize| address / LINE;
        keep_first(&mut self.block, |&distance| line(distance as usize));
        keep_first(&mut self.own, |&address| line(address as usize));
        let first = self.own.first().copied().unwrap_or(null());
        let mut footprint = Footprint { block: [0; 16], program: [first; 8] };
        footprint.block.iter_mut().zip(self.block).for_each(|(room, distance)| *room = distance);
        footprint.program.iter_mut().zip(self.own).for_each(|(room, line)| *room = line);
        footprint
    }
}

/// Of those with the same key, only the first are kept.
fn keep_first<T>(row: &mut Vec<T>, key: impl Fn(&T) -> usize) {
    let mut seen = HashSet::new();
    row.retain(|entry| seen.insert(key(entry)));
}
