//! The fronts of places with `per`: bags behind the places of the net, which have the first token of each line (S7). Transitions
//! take from these.

use crate::base::fault::{LoadError, Loaded};
use crate::base::ids::PlaceId;
use crate::net::{Discipline, Net, Place, Port, Tokens, Transition};

/// Adds the fronts to a net. Returns the places that they belong to.
pub fn add(net: &mut Net) -> Loaded<Vec<PlaceId>> {
    let has_lines = |place: &&PlaceId| !net.places[place.at()].per.is_empty();
    let lined: Vec<PlaceId> = (0..net.places.len() as u32).map(PlaceId).filter(|place| has_lines(&place)).collect();
    if lined.is_empty() {
        return Ok(lined);
    }
    let own = net.places.len();
    for &place in &lined {
        let front = front(&net.places[place.at()]);
        net.places.push(front);
    }
    for transition in &mut net.transitions {
        check(transition, own)?;
        let clocked = transition.clock.is_some();
        for arc in &mut transition.inputs {
            let Ok(number) = lined.binary_search(&arc.place) else { continue };
            if arc.any || clocked {
                let what = if arc.any { "sees all tokens of" } else { "has a clock, and takes from" };
                let name = &net.places[arc.place.at()].name;
                return Err(LoadError(format!("transition `{}` {what} `{name}`, which has lines", transition.name)));
            }
            arc.place = PlaceId((own + number) as u32);
        }
    }
    Ok(lined)
}

fn front(place: &Place) -> Place {
    Place {
        name: place.name.clone(),
        colour: place.colour.clone(),
        discipline: Discipline::Bag,
        key: None,
        then: None,
        per: Vec::new(),
        capacity: None,
        weight: None,
        initial: Tokens::default(),
        stream: false,
        port: Port::None,
    }
}

/// Only the arcs of fronts may lead beyond the places of the net.
fn check(transition: &Transition, own: usize) -> Loaded<()> {
    let outputs = transition.outputs.iter().flat_map(|arc| arc.places.iter());
    let inputs = transition.inputs.iter().map(|arc| &arc.place);
    let others = transition
        .inhibitors
        .iter()
        .map(|arc| &arc.place)
        .chain(&transition.resets)
        .chain(transition.sets.iter().map(|set| &set.place));
    if outputs.chain(inputs).chain(others).any(|place| place.at() >= own) {
        return Err(LoadError(format!("transition `{}` names a place that is not there", transition.name)));
    }
    Ok(())
}
