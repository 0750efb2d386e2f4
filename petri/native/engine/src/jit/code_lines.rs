//! What of the code of a net of many unlike transitions a firing runs: known before, so that it can be fetched in time.

use std::ptr::null;

use crate::base::cache::LINE;
use crate::base::ids::TransitionId;
use crate::base::table::Table;
use crate::engine::code::{CodeLines, Routine, Routines};
use crate::jit::holes::{Hole, HoleRow};
use crate::program::Program;

/// Code of no more bytes stays in the cache by itself.
const SMALL: usize = 1 << 20;
/// Lines of a function that are fetched: what is rare stands at its end.
const MOST_LINES: usize = 24;

/// The lines of all transitions; none where all functions together are small. `size` tells the bytes of a function, and
/// `ends` the holes of what ends a firing.
pub fn code_lines<'a>(
    program: &Program,
    routines: &Table<TransitionId, Routines>,
    total: usize,
    size: impl Fn(*const u8) -> usize,
    ends: impl Fn(TransitionId) -> HoleRow<'a>,
) -> Table<TransitionId, CodeLines> {
    if total < SMALL || program.without.footprints {
        return Table::default();
    }
    let lines = |routine: &Routine| (routine.function, size(routine.function).div_ceil(LINE).min(MOST_LINES));
    let of = |id: TransitionId| {
        let mut functions = vec![lines(&routines[id].finish)];
        let HoleRow { holes, names } = ends(id);
        for hole in holes {
            let Hole::Transition(other) = *hole else { continue };
            let other = names.transition(other);
            let start = lines(&routines[other].start);
            if !functions.contains(&start) {
                functions.push(start);
            }
        }
        functions.resize(4, (null(), 0));
        CodeLines { functions: [functions[0], functions[1], functions[2], functions[3]] }
    };
    (0..routines.len() as u32).map(|id| of(TransitionId(id))).collect()
}
