//! Which transitions the interpreter fires, and for which it searches bindings; and why. Of which places code moves all tokens, without
//! the runtime.

use crate::base::ids::PlaceId;
use crate::net::Discipline;
use crate::program::arc::{Find, InputProgram, OutputProgram};
use crate::program::clock::ClockKind;
use crate::program::place::Bound;
use crate::program::transition::{Selection, TransitionProgram};
use crate::program::Program;

/// Searches with more nested loops than this are left to the interpreter: little is gained where the search dominates.
pub const MOST_LOOPS: usize = 6;

/// A place because of which all firings of a transition are interpreted, and why.
pub fn interpreted_place(program: &Program, plan: &TransitionProgram) -> Option<(PlaceId, WhyPlace)> {
    // The runtime evaluates what is given for each token of a set, where the code cannot.
    plan.outputs.iter().filter(|arc| !arc.gives_bundle()).find_map(|arc| interpreted_output(program, arc))
}

fn interpreted_output(program: &Program, arc: &OutputProgram) -> Option<(PlaceId, WhyPlace)> {
    let places = || arc.places.iter().copied();
    let weight_fails = |place: &PlaceId| program.places[*place].weight.as_ref().is_some_and(|weight| weight.fails);
    places()
        .find(weight_fails)
        .map(|place| (place, WhyPlace::Weight))
        .or_else(|| places().find(|&place| program.places[place].key_fails).map(|place| (place, WhyPlace::Key)))
        .or_else(|| (!has_one_range(program, arc)).then_some((arc.place(), WhyPlace::Ranges)))
}

/// Whether the values of an arc have the same ranges in all its places, of whole numbers where they are ints.
fn has_one_range(program: &Program, arc: &OutputProgram) -> bool {
    let bounds = |place: &PlaceId| &program.places[*place].bounds;
    let whole = |bound: &Bound| bound.real || [bound.low, bound.high].iter().flatten().all(|b| b.as_int().is_some());
    let same = |a: &Bound, b: &Bound| (a.low, a.high, a.real) == (b.low, b.high, b.real);
    arc.checks.iter().all(|&slot| {
        let first = &bounds(&arc.places[0])[slot];
        whole(first) && arc.places.iter().all(|place| same(first, &bounds(place)[slot]))
    })
}

/// Whether code finds the sets of a transition: a place that is ordered by a key has no row in this order, and the first tokens of a
/// place are few.
pub fn finds_sets(program: &Program, plan: &TransitionProgram) -> bool {
    let in_row =
        |place: PlaceId| program.places[place].width == 0 || program.places[place].discipline != Discipline::Key;
    plan.sets.iter().all(|set| in_row(set.place) && set.most.is_none())
}

/// Whether code evaluates the values of what an arc gives for each token of a set.
pub fn evaluates_bundle(program: &Program, plan: &TransitionProgram, arc: &OutputProgram) -> bool {
    finds_sets(program, plan) && interpreted_output(program, arc).is_none()
}

/// Why the firings that give to a place are interpreted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WhyPlace {
    /// The weight of its tokens may raise a fault.
    Weight,
    /// The key that orders its tokens may raise a fault.
    Key,
    /// It is one of several that a token may go to, whose ranges differ, or its range is not of whole numbers.
    Ranges,
}

/// Why the runtime looks for the bindings of a transition and chooses one.
pub fn why_search(program: &Program, plan: &TransitionProgram) -> Option<WhySearch> {
    let is_queue = |arc: &&InputProgram| plan.selection == Selection::Search && matches!(arc.find, Find::Shown { .. });
    let queue = plan.inputs.iter().find(is_queue).filter(|_| !searches_in_turn(program, plan));
    let has_clocks = plan.clock.as_ref().is_some_and(|clock| clock.kind == ClockKind::Coloured && !clock.single);
    queue.map(|arc| WhySearch::Queue(arc.place)).or(has_clocks.then_some(WhySearch::Clocks))
}

/// Whether code goes through the tokens of a queue, up to the first with which there is a binding (I4).
pub fn searches_in_turn(program: &Program, plan: &TransitionProgram) -> bool {
    let is_shown = |arc: &InputProgram| matches!(arc.find, Find::Shown { .. });
    plan.in_turn
        && plan.prefer.is_none()
        && plan.clock.is_none()
        && program.places[plan.inputs[0].place].discipline == Discipline::Fifo
        && !plan.inputs[1..].iter().any(is_shown)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WhySearch {
    /// It sees all tokens of a place that is not a bag.
    Queue(PlaceId),
    /// Each of its bindings has a clock.
    Clocks,
}

/// Of at most this many values that transitions look for in a front, each has code.
const MOST_VALUES: usize = 16;

/// Whether code moves the tokens of a place with `per`, or of its front: these are queues, no measure or inhibitor sees what leaves,
/// and transitions look for few values.
pub fn has_routine(program: &Program, id: PlaceId) -> bool {
    let place = &program.places[id];
    let Some(lines) = place.lines.or(place.fronts).map(|lines| &program.lines[lines]) else { return false };
    lines.discipline == Discipline::Fifo
        && program.places[lines.place].indices.is_empty()
        && !program.probes.hears_departures(lines.place)
        && lines.values.as_ref().is_none_or(|values| values.count <= MOST_VALUES)
}
