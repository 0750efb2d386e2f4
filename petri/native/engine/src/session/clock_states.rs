//! The clocks of an engine, as tests compare them and people see them.

use crate::base::ids::{PlaceId, TransitionId};
use crate::collections::tournament::NEVER;
use crate::engine::run::Engine;
use crate::program::transition::TransitionProgram;
use crate::state::clocks::{Of, OwnClock, OwnClocks};

/// The clock of a binding, or one that bindings share. Times in ticks; `petri/engine/interface.py` explains the fields.
pub struct ClockState {
    pub transition: TransitionId,
    pub tokens: Vec<(PlaceId, Vec<u64>)>,
    pub clocks: u128,
    pub ends: f64,
    pub time: Option<f64>,
    pub left: Option<f64>,
}

/// The clocks of each transition in the order in which they were set, without those of tokens that have gone.
pub fn clock_states(engine: &Engine) -> Vec<ClockState> {
    let mut states = Vec::new();
    for (number, (&transition, clocks)) in engine.program.racing.iter().zip(engine.clocks.of.iter()).enumerate() {
        match &clocks.of {
            Of::Shared { .. } if clocks.running == 0 => {}
            Of::Shared { .. } => {
                let (clocks, ends) = (clocks.running, instant(engine.clocks.end(number)));
                states.push(ClockState { transition, tokens: Vec::new(), clocks, ends, time: None, left: None });
            }
            Of::Own(own) => {
                let plan = &engine.program.transitions[transition];
                let gone = plan.clock.as_ref().map_or(0, |clock| engine.tokens_gone(clock));
                let is_settled = engine.has_settled(transition);
                for id in own.in_order().skip(if is_settled { 0 } else { gone }) {
                    let Some(tokens) = tokens(engine, plan, own, id) else { continue };
                    let OwnClock { time, until, .. } = own[id];
                    let (ends, left) =
                        if own.runs(id) { (instant(own.end_of(id)), None) } else { (f64::INFINITY, Some(until)) };
                    states.push(ClockState { transition, tokens, clocks: 1, ends, time: Some(time), left });
                }
            }
        }
    }
    states
}

/// An end as the reference engine tells it.
fn instant(end: i64) -> f64 {
    if end >= NEVER {
        f64::INFINITY
    } else {
        end as f64
    }
}

/// The coloured tokens of a binding, arc by arc, if they are all there.
fn tokens(engine: &Engine, plan: &TransitionProgram, own: &OwnClocks, id: u32) -> Option<Vec<(PlaceId, Vec<u64>)>> {
    let coloured = plan.inputs.iter().filter(|arc| engine.program.places[arc.place].width > 0);
    let with_numbers = coloured.zip(own.key(id));
    let token = |place: PlaceId, number: u64| {
        let position = engine.marking.identities.position(place, number)?;
        Some((place, engine.marking.token(place, position).to_vec()))
    };
    with_numbers.map(|(arc, number)| token(arc.place, number)).collect()
}
