//! Places whose number of tokens can never grow: no firing gives back more of them than it has taken, so there are
//! never more than at first, including those that firings hold. If there is only one token, firings that take it run
//! one at a time.

use std::collections::BTreeMap;

use crate::base::ids::PlaceId;
use crate::program::arc::{Count, Take};
use crate::program::place::PlaceProgram;
use crate::program::transition::TransitionProgram;

/// For each place how many tokens it has at most, with those that firings in progress hold, if that is known.
pub fn most_tokens(
    transitions: &[TransitionProgram],
    places: &[PlaceProgram],
    streams: &[PlaceId],
) -> Vec<Option<u64>> {
    let initial = |place: &PlaceProgram| Some(place.initial.iter().map(|(count, _)| count).sum());
    let mut most: Vec<Option<u64>> = places.iter().map(initial).collect();
    let mut forget = |place: PlaceId| most[place.0 as usize] = None;
    streams.iter().for_each(|&place| forget(place));
    let lined = |place: &PlaceProgram| place.lines.is_some() || place.fronts.is_some();
    (0..).map(PlaceId).zip(places).filter(|(_, place)| lined(place)).for_each(|(id, _)| forget(id));
    for transition in transitions {
        let taken = taken(transition);
        for (place, given) in given(transition) {
            if given.is_none_or(|given| given > taken.get(&place).copied().unwrap_or(0)) {
                forget(place);
            }
        }
    }
    most
}

/// Whether a transition takes the only token of a place, so that no two of its firings are in progress at one time.
pub fn takes_turns(transition: &TransitionProgram, places: &[PlaceProgram]) -> bool {
    scarcest(transition, places).is_some_and(|place| places[place.0 as usize].holds_one())
}

/// Of the places from which a transition takes tokens and which never have more than at first, the one with the fewest.
pub fn scarcest(transition: &TransitionProgram, places: &[PlaceProgram]) -> Option<PlaceId> {
    if !transition.sends.is_empty() {
        // It may give a token back before it ends.
        return None;
    }
    let most = |place: &PlaceId| places[place.0 as usize].most;
    taken(transition).into_keys().filter(|place| most(place).is_some()).min_by_key(|place| (most(place), place.0))
}

/// The least number that a firing takes.
pub fn taken(transition: &TransitionProgram) -> BTreeMap<PlaceId, u64> {
    let mut taken = BTreeMap::new();
    for take in &transition.takes {
        let (place, count) = match *take {
            Take::Black { place, count } => (place, count),
            Take::Chosen { .. } => continue,
            Take::Head { place, .. } | Take::Seat { place, .. } | Take::Shown { place, .. } => (place, 1),
        };
        *taken.entry(place).or_insert(0) += count;
    }
    taken.retain(|_, count| *count > 0);
    taken
}

/// The greatest number that a firing gives; none if there is no bound.
fn given(transition: &TransitionProgram) -> BTreeMap<PlaceId, Option<u64>> {
    let mut given = BTreeMap::new();
    for arc in &transition.outputs {
        let count = if let Count::Const(count) = arc.count { Some(count) } else { None };
        for &place in arc.places.iter() {
            let sum = given.entry(place).or_insert(Some(0));
            *sum = sum.zip(count).map(|(sum, count): (u64, u64)| sum.saturating_add(count));
        }
    }
    given
}

#[cfg(test)]
mod tests {
    use crate::base::ids::TransitionId;
    use crate::program::transition::NO_LANE;
    use crate::program::Program;

    /// A net: for each place its number of black tokens; for each transition the places that it takes a token from, the places
    /// that it gives one to, and its time.
    fn net(tokens: &[u64], transitions: &[(&[usize], &[usize], f64)]) -> Program {
        let place = |(i, count): (usize, &u64)| format!(r#"{{"name":"p{i}","initial":[[{count},[]]]}}"#);
        let places: Vec<String> = tokens.iter().enumerate().map(place).collect();
        let inputs = |places: &[usize]| places.iter().map(|p| format!(r#"{{"place":{p}}}"#)).collect::<Vec<String>>();
        let outputs =
            |places: &[usize]| places.iter().map(|p| format!(r#"{{"places":[{p}]}}"#)).collect::<Vec<String>>();
        let transition = |(i, (taken, given, time)): (usize, &(&[usize], &[usize], f64))| {
            let time = format!(r#"{{"op":"const","kind":"real","value":{time:?}}}"#);
            let (taken, given) = (inputs(taken).join(","), outputs(given).join(","));
            format!(r#"{{"name":"t{i}","inputs":[{taken}],"time":{time},"outputs":[{given}]}}"#)
        };
        let transitions: Vec<String> = transitions.iter().enumerate().map(transition).collect();
        let text = format!(r#"{{"places":[{}],"transitions":[{}]}}"#, places.join(","), transitions.join(","));
        Program::from_json(&text).expect("a net")
    }

    fn most(program: &Program) -> Vec<Option<u64>> {
        program.places.iter().map(|place| place.most).collect()
    }

    #[test]
    fn what_comes_from_elsewhere_or_is_more_is_not_conserved() {
        // A token given back, one lost, one that becomes two, one that comes from another place, one that nobody touches.
        let program = net(&[1, 1, 1, 3, 7], &[(&[0, 1], &[0], 1.0), (&[2], &[2, 2], 1.0), (&[0], &[0, 3], 1.0)]);
        assert_eq!(most(&program), [Some(1), Some(1), None, None, Some(7)]);
        let turns: Vec<bool> = program.transitions.iter().map(|transition| transition.takes_turns).collect();
        assert_eq!(turns, [true, false, true]);
    }

    #[test]
    fn firings_of_one_time_need_no_lane_if_they_are_few() {
        let lane = |program: &Program, id| program.transitions[TransitionId(id)].lane;
        let together = net(&[1, 9, 9], &[(&[0, 1], &[0], 2.0), (&[0, 2], &[0], 2.0)]);
        assert_eq!((together.lanes, lane(&together, 0), lane(&together, 1)), (0, NO_LANE, NO_LANE));
        let apart = |tokens| net(&[60, 900, tokens], &[(&[0, 1], &[0], 2.0), (&[2, 1], &[2], 2.0), (&[2], &[2], 2.0)]);
        assert_eq!((apart(68).lanes, apart(69).lanes), (0, 1));
        assert_eq!((lane(&apart(68), 2), lane(&apart(69), 2)), (NO_LANE, 0));
        // One of them may be in progress any number of times.
        let any = net(&[1, 1], &[(&[0], &[0], 2.0), (&[1], &[1, 1], 2.0)]);
        assert_eq!((any.lanes, lane(&any, 0)), (1, 0));
    }
}
