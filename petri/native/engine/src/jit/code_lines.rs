//! The lines of code that a firing runs, in a net with many different transitions: known early, so that they can be
//! prefetched.

use std::collections::HashMap;
use std::ptr::null;

use crate::base::cache::LINE;
use crate::base::ids::TransitionId;
use crate::base::table::Table;
use crate::engine::code::{CodeLines, Routine, Routines};
use crate::jit::holes::{Hole, HoleRow};
use crate::program::Program;

/// Code of fewer bytes than this stays in the cache without prefetching, beside what firings touch.
const SMALL: usize = 256 << 10;
/// The most lines of a function that are fetched: rare code is at its end.
const MOST_LINES: usize = 24;
/// A function that at least this number of transitions share runs often, and stays in the cache without prefetching.
const OFTEN: usize = 64;

/// The routines of a net: of its transitions, and of expressions; and the holes of what starts and ends a firing.
pub struct CodeParts<'r, S, E> {
    pub routines: &'r Table<TransitionId, Routines>,
    pub called: &'r [Routine],
    pub starts: S,
    pub ends: E,
}

/// The lines of all transitions; none where the functions that run seldom are small together. `sizes` has the bytes of
/// each function.
pub fn code_lines<'a>(
    program: &Program,
    parts: CodeParts<impl Fn(TransitionId) -> HoleRow<'a>, impl Fn(TransitionId) -> HoleRow<'a>>,
    sizes: &HashMap<*const u8, usize>,
) -> Table<TransitionId, CodeLines> {
    let CodeParts { routines, called, starts, ends } = parts;
    let ids = || (0..routines.len() as u32).map(TransitionId);
    let mut users: HashMap<*const u8, usize> = HashMap::new();
    let functions = |id: TransitionId| [routines[id].start.function, routines[id].finish.function];
    ids().flat_map(functions).for_each(|function| *users.entry(function).or_default() += 1);
    let is_seldom = |function: &*const u8| users.get(function).is_none_or(|&users| users < OFTEN);
    let total: usize = sizes.iter().filter(|(function, _)| is_seldom(function)).map(|(_, size)| size).sum();
    if total < SMALL || program.without.footprints {
        return Table::default();
    }
    let lines = |function: *const u8| {
        let size = sizes.get(&function).copied().unwrap_or(0);
        (function, size.div_ceil(LINE).min(MOST_LINES))
    };
    let calls = |HoleRow { holes, names }: HoleRow<'a>| {
        let call = |hole: &Hole| if let Hole::Function(call) = hole { Some(names.call(*call)) } else { None };
        holes.iter().filter_map(call).map(|call| called[call].function).collect::<Vec<_>>()
    };
    let of = |id: TransitionId| {
        let mut functions = vec![routines[id].finish.function];
        let HoleRow { holes, names } = ends(id);
        for hole in holes {
            let Hole::Transition(other) = *hole else { continue };
            let other = names.transition(other);
            for function in [vec![routines[other].start.function], calls(starts(other))].concat() {
                if !functions.contains(&function) {
                    functions.push(function);
                }
            }
        }
        functions.retain(is_seldom);
        let mut functions: Vec<_> = functions.into_iter().map(lines).collect();
        functions.resize(4, (null(), 0));
        CodeLines { functions: [functions[0], functions[1], functions[2], functions[3]] }
    };
    ids().map(of).collect()
}
