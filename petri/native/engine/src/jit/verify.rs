//! Checks that transitions with the same blueprint have the same code, as `unit` assumes. Emission reads only the
//! blueprint, so this holds unless a change gives it more to read; tests call this check.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use crate::base::ids::TransitionId;
use crate::engine::run::Engine;
use crate::jit::blueprint::names::Names;
use crate::jit::blueprint::planner::{Planned, Planner};
use crate::jit::blueprint::Blueprint;
use crate::jit::profile::Profile;
use crate::jit::shapes::{Described, Shapes};
use crate::jit::sharing::Sharing;
use crate::jit::unit::{on_large_stack, Generator, Request};
use crate::program::Program;

/// The first transition of a blueprint, its names, and its functions.
struct First {
    id: TransitionId,
    names: Names,
    functions: Vec<Described>,
}

/// Writes the code of every transition of an engine's program, with that of the expressions that it calls, and compares
/// it with that of the first one with the same blueprint: both must be equal, and the transitions must have equally
/// many names. Returns how many transitions have the blueprint of another. Nothing is compared, and the number is 0,
/// where this machine or the engine's observers have no code.
///
/// # Errors
/// What differs first, in words.
pub fn verify_shapes(engine: &Engine) -> Result<usize, String> {
    if !engine.observers.compile() {
        return Ok(0);
    }
    let request = Request::of(engine, HashSet::new());
    on_large_stack(|| Some(compare(Generator::new(&request)?, &request.program, &request.profile))).unwrap_or(Ok(0))
}

fn compare(mut generator: Generator, program: &Program, profile: &Profile) -> Result<usize, String> {
    let (mut shapes, mut shared, sharing) = (Shapes::default(), 0, Sharing::of(program));
    let mut firsts: HashMap<Rc<Blueprint>, First> = HashMap::new();
    for id in (0..program.transitions.len() as u32).map(TransitionId) {
        let Planned { blueprint, names, calls } = Planner::planned(program, Some(profile), id, sharing.expressions(id));
        for (blueprint, names) in calls.into_iter().chain([(blueprint, names)]) {
            let is_transition = blueprint.transition().is_some();
            let blueprint = Rc::new(blueprint);
            let functions = generator.describe(&mut shapes, &blueprint);
            let Some(first) = firsts.get(&blueprint) else {
                firsts.insert(blueprint, First { id, names, functions });
                continue;
            };
            if first.functions != functions || first.names.numbers() != names.numbers() {
                let name = |id: TransitionId| &program.transitions[id].name;
                let what = format!("{:?} {:?}, and not {:?} {:?}", functions, names, first.functions, first.names);
                return Err(format!("`{}` and `{}` have one blueprint, but {what}", name(first.id), name(id)));
            }
            shared += usize::from(is_transition);
        }
    }
    Ok(shared)
}
