//! Compiles the probes of a net.

use crate::base::fault::{LoadError, Loaded};
use crate::base::ids::{ProbeId, TransitionId};
use crate::net::{Counter, Event, Kind, Net, Order, Passage, Probe, Sample};
use crate::program::compile::compiler::Compiler;
use crate::program::expression::Value;
use crate::program::probes::{Action, ProbeKind, ProbesProgram};

/// Compiles the probes of a net.
pub fn compile(net: &Net, compiler: &mut Compiler) -> Loaded<ProbesProgram> {
    let mut program = ProbesProgram {
        tick: net.tick,
        kinds_of_probes: Vec::new(),
        starts: vec![Vec::new(); net.transitions.len()],
        arrivals: vec![Vec::new(); net.places.len()],
    };
    for (i, probe) in net.probes.iter().enumerate() {
        let id = ProbeId(i as u32);
        let shape = match probe {
            Probe::Counter(Counter { transition, quantity }) => {
                let event = firing(*transition);
                let kinds = kinds(net, &event)?;
                let quantity = quantity.as_ref().map(|e| compiler.lowering(kinds).real(e)).transpose()?;
                program.on(&event, id, Action::Count(quantity));
                ProbeKind::Counter
            }
            Probe::Sample(Sample { transition, value }) => {
                let event = firing(*transition);
                let value = compiler.lowering(kinds(net, &event)?).real(value)?;
                program.on(&event, id, Action::Sample(value));
                ProbeKind::Sample
            }
            Probe::Passage(Passage { start, end }) => {
                let (shape_of_start, shape_of_end) = (key_shape(start), key_shape(end));
                let differ = shape_of_start != shape_of_end;
                let tag = |shape| differ.then_some(shape);
                let (start_key, end_key) = (key(net, compiler, start)?, key(net, compiler, end)?);
                let width = start_key.len().max(end_key.len()) + usize::from(differ);
                program.on(end, id, Action::End(tag(shape_of_end), end_key));
                program.on(start, id, Action::Start(tag(shape_of_start), start_key));
                ProbeKind::Passage { width }
            }
            Probe::Order(Order { event, sequence, displacement_threshold, buffer_threshold }) => {
                if [displacement_threshold, buffer_threshold].iter().any(|&&limit| !(1..=1024).contains(&limit)) {
                    return Err(LoadError("the thresholds of an order probe are from 1 to 1024".into()));
                }
                let key = key(net, compiler, event)?;
                let sequence = compiler.lowering(kinds(net, event)?).value(sequence, Kind::Int)?;
                program.on(event, id, Action::Order(key, sequence));
                ProbeKind::Order {
                    displacement_threshold: *displacement_threshold,
                    buffer_threshold: *buffer_threshold,
                }
            }
        };
        program.kinds_of_probes.push(shape);
    }
    Ok(program)
}

fn firing(transition: TransitionId) -> Event {
    Event { transition: Some(transition), ..Event::default() }
}

/// The kinds of what an event's expressions name: a transition's variables, or a place's slots.
fn kinds(net: &Net, event: &Event) -> Loaded<Vec<Kind>> {
    let kinds = match (event.transition, event.place) {
        (Some(transition), _) => {
            net.transitions.get(transition.at()).map(|t| t.variables.iter().map(|v| v.kind).collect())
        }
        (None, Some(place)) => net.places.get(place.at()).map(|p| p.colour.slots.iter().map(|s| s.kind).collect()),
        (None, None) => None,
    };
    kinds.ok_or_else(|| LoadError("a probe names an event that is not there".into()))
}

fn key(net: &Net, compiler: &mut Compiler, event: &Event) -> Loaded<Vec<Value>> {
    let kinds = kinds(net, event)?;
    event.key.iter().map(|e| compiler.lowering(kinds.clone()).value(e, e.kind)).collect()
}

/// The number of values and which of them are real: an integer and a real are never the same key.
fn key_shape(event: &Event) -> u64 {
    event.key.iter().fold(1, |shape, e| shape << 1 | u64::from(e.kind == Kind::Real))
}
