//! Compiles the probes of a net.

use crate::base::fault::{LoadError, Loaded};
use crate::base::ids::{GaugeId, ProbeId, TransitionId};
use crate::base::seldom::Seldom;
use crate::net::{Content, Counter, Event, Expr, Kind, Net, Order, Passage, Probe, Sample};
use crate::program::analysis::ANY;
use crate::program::compile::compiler::Compiler;
use crate::program::expression::{Int, Value};
use crate::program::probes::{Action, ProbeKind, ProbesProgram, Watched};
use crate::program::transition::TransitionProgram;
use crate::program::watch::Dependent;

/// Compiles the probes of a net with these transitions. The shadows of values that are watched begin behind `shadows` others; for
/// trials, nothing is watched.
pub fn compile(
    net: &Net,
    of: &[TransitionProgram],
    compiler: &mut Compiler,
    shadows: usize,
    for_trials: bool,
) -> Loaded<ProbesProgram> {
    let mut program = ProbesProgram {
        tick: net.tick,
        kinds_of_probes: Vec::new(),
        starts: vec![Seldom::default(); compiler.own_transitions],
        arrivals: vec![Seldom::default(); compiler.colours.len()],
        departures: vec![Seldom::default(); compiler.colours.len()],
        watched: Vec::new(),
        asked: Vec::new(),
    };
    for (i, probe) in net.probes.iter().enumerate() {
        let id = ProbeId(i as u32);
        let shape = match probe {
            Probe::Counter(Counter { transition, quantity }) => {
                let event = firing(*transition);
                let kinds = kinds(of, compiler, &event)?;
                let quantity = quantity.as_ref().map(|e| compiler.lowering(kinds).real(e)).transpose()?;
                program.on(&event, id, Action::Count(quantity));
                ProbeKind::Counter
            }
            Probe::Sample(sample) => {
                for one in sample.all() {
                    let (event, Sample { value, condition, .. }) = (one.event(), one);
                    let names = kinds(of, compiler, &event)?;
                    let condition = condition.as_ref().map(|e| compiler.lowering(names.clone()).bool(e)).transpose()?;
                    let value = compiler.lowering(names).real(value)?;
                    program.on(&event, id, Action::Sample(condition, value));
                }
                ProbeKind::Sample
            }
            Probe::Passage(passage) => compile_passage(of, compiler, &mut program, id, passage)?,
            Probe::Order(order) => compile_order(of, compiler, &mut program, id, order)?,
            Probe::Content(content) => compile_content(of, compiler, &mut program, id, content)?,
            Probe::Watched(watched) if for_trials => {
                let firings = watched.firings.clone();
                let value = of_marking(compiler, &watched.value, firings.len())?;
                program.asked.push(Watched { probe: id, value, firings });
                continue;
            }
            Probe::Watched(watched) => {
                let shadow = TransitionId((shadows + program.watched.len()) as u32);
                let firings = watched.firings.clone();
                depend(compiler, &watched.value, firings.len(), shadow);
                let value = of_marking(compiler, &watched.value, firings.len())?;
                let real = matches!(value, Value::Real(_));
                program.watched.push(Watched { probe: id, value, firings });
                ProbeKind::Watched { real }
            }
        };
        program.kinds_of_probes.push(shape);
    }
    Ok(program)
}

/// A shadow is touched whenever a value of the marking may change.
fn depend(compiler: &mut Compiler, e: &Expr, variables: usize, shadow: TransitionId) {
    for place in compiler.facts(e, &vec![ANY; variables]).tokens {
        compiler.depend(GaugeId::tokens(place), Dependent::on_any_change(shadow));
    }
}

/// A value of the marking. A condition is 0 or 1.
fn of_marking(compiler: &mut Compiler, e: &Expr, variables: usize) -> Loaded<Value> {
    let mut lowering = compiler.lowering(vec![Kind::Int; variables]);
    match e.kind {
        Kind::Bool => Ok(Value::Int(Int::Truth(Box::new(lowering.bool(e)?)))),
        kind => lowering.value(e, kind),
    }
}

/// Ends before starts: an event that is both ends one passage, and then starts the next.
fn compile_passage(
    of: &[TransitionProgram],
    compiler: &mut Compiler,
    program: &mut ProbesProgram,
    id: ProbeId,
    passage: &Passage,
) -> Loaded<ProbeKind> {
    let (starts, ends) = (passage.start.all(), passage.end.all());
    let shape = key_shape(&passage.start);
    let differ = starts.chain(ends).any(|event| key_shape(event) != shape);
    let tag = |event| differ.then_some(key_shape(event));
    let mut width = 0;
    for event in passage.end.all() {
        let key = key(of, compiler, event)?;
        width = width.max(key.len());
        program.on(event, id, Action::End(tag(event), key));
    }
    for event in passage.start.all() {
        let key = key(of, compiler, event)?;
        width = width.max(key.len());
        program.on(event, id, Action::Start(tag(event), key));
    }
    Ok(ProbeKind::Passage { width: width + usize::from(differ) })
}

fn compile_order(
    of: &[TransitionProgram],
    compiler: &mut Compiler,
    program: &mut ProbesProgram,
    id: ProbeId,
    order: &Order,
) -> Loaded<ProbeKind> {
    let &Order { ref event, ref sequence, modulo, displacement_threshold, buffer_threshold } = order;
    if [displacement_threshold, buffer_threshold].iter().any(|limit| !(1..=1024).contains(limit)) {
        return Err(LoadError("the thresholds of an order probe are from 1 to 1024".into()));
    }
    if modulo.is_some_and(|modulo| !(4..=1 << 32).contains(&modulo)) {
        return Err(LoadError("the modulus of an order probe is from 4 to 2^32".into()));
    }
    let key = key(of, compiler, event)?;
    let kinds = kinds(of, compiler, event)?;
    let sequence = compiler.lowering(kinds).value(sequence, Kind::Int)?;
    program.on(event, id, Action::Order(key, sequence));
    Ok(ProbeKind::Order { modulo, displacement_threshold, buffer_threshold })
}

fn compile_content(
    of: &[TransitionProgram],
    compiler: &mut Compiler,
    program: &mut ProbesProgram,
    id: ProbeId,
    &Content { place, ref value }: &Content,
) -> Loaded<ProbeKind> {
    let event = Event { place: Some(place), ..Event::default() };
    let kinds = kinds(of, compiler, &event)?;
    let value = compiler.lowering(kinds).value(value, value.kind)?;
    let entering = compiler.value_of_token(value);
    program.departures[place.at()].push((id, entering.clone()));
    program.on(&event, id, Action::Enter(entering.clone()));
    Ok(ProbeKind::Content { place, value: entering })
}

fn firing(transition: TransitionId) -> Event {
    Event { transition: Some(transition), ..Event::default() }
}

/// The kinds of the names in an event's expressions: a transition's variables, or a place's slots.
fn kinds(of: &[TransitionProgram], compiler: &Compiler, event: &Event) -> Loaded<Vec<Kind>> {
    let kinds = match (event.transition, event.place) {
        (Some(transition), _) => of.get(transition.at()).map(|t| t.variables.iter().map(|v| v.kind).collect()),
        (None, Some(place)) => compiler.colours.get(place.at()).map(|c| c.slots.iter().map(|s| s.kind).collect()),
        (None, None) => None,
    };
    kinds.ok_or_else(|| LoadError("a probe names an event that is not there".into()))
}

fn key(of: &[TransitionProgram], compiler: &mut Compiler, event: &Event) -> Loaded<Vec<Value>> {
    let kinds = kinds(of, compiler, event)?;
    event.key.iter().map(|e| compiler.lowering(kinds.clone()).value(e, e.kind)).collect()
}

/// The number of values and which of them are real: an integer and a real are never the same key.
fn key_shape(event: &Event) -> u64 {
    event.key.iter().fold(1, |shape, e| shape << 1 | u64::from(e.kind == Kind::Real))
}
