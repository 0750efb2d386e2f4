//! Declared measures (rule M4): counters, samples, passages and orders, evaluated when their events happen.

use std::sync::Arc;

use crate::compile::{Compiled, Compiler};
use crate::expression::{Real, Scope, Value};
use crate::fault::{LoadError, Outcome};
use crate::histogram::Histogram;
use crate::ids::{PlaceId, ProbeId, TransitionId};
use crate::net::{Event, Kind, Net, Probe as NetProbe};
use crate::observer::Observer;
use crate::passage::{Passages, LIMIT};
use crate::reorder::{Order, Settings};
use crate::state::Place;

/// What an event does to a probe.
#[derive(Clone, Debug)]
enum Action {
    Count(Option<Real>),
    Sample(Real),
    /// A passage ends, or starts; the number tells the kinds of the key, where both ends do not agree about them.
    End(Option<u64>, Vec<Value>),
    Start(Option<u64>, Vec<Value>),
    Order(Vec<Value>, Value),
}

/// The state that a probe begins with.
#[derive(Clone, Copy, Debug)]
enum Shape {
    Counter,
    Sample,
    Passage { width: usize },
    Order { displacement_threshold: usize, buffer_threshold: usize },
}

/// The probes of a net, compiled.
#[derive(Clone, Debug, Default)]
pub struct ProbesProgram {
    shapes: Vec<Shape>,
    /// For each transition and each place, what its events do, in the order of the probes.
    starts: Vec<Vec<(ProbeId, Action)>>,
    arrivals: Vec<Vec<(ProbeId, Action)>>,
}

impl ProbesProgram {
    pub fn is_empty(&self) -> bool {
        self.shapes.is_empty()
    }

    /// Whether a probe wants to know when a transition fires.
    pub fn hears_starts(&self, transition: TransitionId) -> bool {
        !self.starts[transition.at()].is_empty()
    }

    /// Whether a probe wants to know of tokens that arrive in a place.
    pub fn hears_arrivals(&self, place: PlaceId) -> bool {
        !self.arrivals[place.at()].is_empty()
    }
}

/// Compiles the probes of a net.
pub fn compile(net: &Net, compiler: &mut Compiler) -> Compiled<ProbesProgram> {
    let mut program = ProbesProgram {
        shapes: Vec::new(),
        starts: vec![Vec::new(); net.transitions.len()],
        arrivals: vec![Vec::new(); net.places.len()],
    };
    for (i, probe) in net.probes.iter().enumerate() {
        let id = ProbeId(i as u32);
        let shape = match probe {
            NetProbe::Counter { transition, quantity } => {
                let event = firing(*transition);
                let kinds = kinds(net, &event)?;
                let quantity = quantity.as_ref().map(|e| compiler.lowering(kinds).real(e)).transpose()?;
                program.on(&event, id, Action::Count(quantity));
                Shape::Counter
            }
            NetProbe::Sample { transition, value } => {
                let event = firing(*transition);
                let value = compiler.lowering(kinds(net, &event)?).real(value)?;
                program.on(&event, id, Action::Sample(value));
                Shape::Sample
            }
            NetProbe::Passage { start, end } => {
                let (shape_of_start, shape_of_end) = (key_shape(start), key_shape(end));
                let differ = shape_of_start != shape_of_end;
                let tag = |shape| differ.then_some(shape);
                let (start_key, end_key) = (key(net, compiler, start)?, key(net, compiler, end)?);
                let width = start_key.len().max(end_key.len()) + usize::from(differ);
                program.on(end, id, Action::End(tag(shape_of_end), end_key));
                program.on(start, id, Action::Start(tag(shape_of_start), start_key));
                Shape::Passage { width }
            }
            NetProbe::Order { event, sequence, displacement_threshold, buffer_threshold } => {
                if [displacement_threshold, buffer_threshold].iter().any(|&&limit| !(1..=1024).contains(&limit)) {
                    return Err(LoadError("the thresholds of an order probe are from 1 to 1024".into()));
                }
                let key = key(net, compiler, event)?;
                let sequence = compiler.lowering(kinds(net, event)?).value(sequence, Kind::Int)?;
                program.on(event, id, Action::Order(key, sequence));
                Shape::Order { displacement_threshold: *displacement_threshold, buffer_threshold: *buffer_threshold }
            }
        };
        program.shapes.push(shape);
    }
    Ok(program)
}

fn firing(transition: TransitionId) -> Event {
    Event { transition: Some(transition), ..Event::default() }
}

/// The kinds of what an event's expressions name: a transition's variables, or a place's slots.
fn kinds(net: &Net, event: &Event) -> Compiled<Vec<Kind>> {
    let kinds = match (event.transition, event.place) {
        (Some(transition), _) => {
            net.transitions.get(transition.at()).map(|t| t.variables.iter().map(|v| v.kind).collect())
        }
        (None, Some(place)) => net.places.get(place.at()).map(|p| p.colour.slots.iter().map(|s| s.kind).collect()),
        (None, None) => None,
    };
    kinds.ok_or_else(|| LoadError("a probe names an event that is not there".into()))
}

fn key(net: &Net, compiler: &mut Compiler, event: &Event) -> Compiled<Vec<Value>> {
    let kinds = kinds(net, event)?;
    event.key.iter().map(|e| compiler.lowering(kinds.clone()).value(e, e.kind)).collect()
}

/// The number of values and which of them are real: an integer and a real are never the same key.
fn key_shape(event: &Event) -> u64 {
    event.key.iter().fold(1, |shape, e| shape << 1 | u64::from(e.kind == Kind::Real))
}

impl ProbesProgram {
    fn on(&mut self, event: &Event, probe: ProbeId, action: Action) {
        match (event.transition, event.place) {
            (Some(transition), _) => self.starts[transition.at()].push((probe, action)),
            (None, Some(place)) => self.arrivals[place.at()].push((probe, action)),
            (None, None) => {}
        }
    }
}

/// The state of a probe.
pub enum Probe {
    Counter(f64),
    Sample(Histogram),
    Passage(Box<Passages>),
    Order(Box<Order>),
}

/// An observer that feeds the probes.
pub struct Probes {
    program: Arc<ProbesProgram>,
    pub probes: Vec<Probe>,
    key: Vec<u64>,
}

impl Probes {
    pub fn new(program: Arc<ProbesProgram>) -> Self {
        let probes = program.shapes.iter().map(|shape| match *shape {
            Shape::Counter => Probe::Counter(0.0),
            Shape::Sample => Probe::Sample(Histogram::new()),
            Shape::Passage { width } => Probe::Passage(Box::new(Passages::new(width, LIMIT))),
            Shape::Order { displacement_threshold, buffer_threshold } => {
                let settings = Settings { displacement_threshold, buffer_threshold, ..Settings::default() };
                Probe::Order(Box::new(Order::with(settings)))
            }
        });
        Probes { probes: probes.collect(), program, key: Vec::new() }
    }
}

/// Writes a key of `width` words.
fn load_key(key: &mut Vec<u64>, tag: Option<u64>, values: &[Value], scope: &mut Scope) -> Outcome<()> {
    key.clear();
    key.extend(tag);
    for value in values {
        key.push(value.bits(scope)?);
    }
    Ok(())
}

fn act(probe: &mut Probe, action: &Action, key: &mut Vec<u64>, scope: &mut Scope) -> Outcome<()> {
    match (probe, action) {
        (Probe::Counter(sum), Action::Count(quantity)) => {
            *sum += match quantity {
                None => 1.0,
                Some(quantity) => quantity.value(scope)?,
            };
        }
        (Probe::Sample(values), Action::Sample(value)) => values.add(value.value(scope)?),
        (Probe::Passage(passages), Action::End(tag, values)) => {
            load_key(key, *tag, values, scope)?;
            key.resize(passages.width(), 0);
            passages.end(key, scope.now);
        }
        (Probe::Passage(passages), Action::Start(tag, values)) => {
            load_key(key, *tag, values, scope)?;
            key.resize(passages.width(), 0);
            passages.start(key, scope.now);
        }
        (Probe::Order(order), Action::Order(values, sequence)) => {
            load_key(key, None, values, scope)?;
            order.arrive(key, sequence.bits(scope)? as i64, scope.now);
        }
        _ => {}
    }
    Ok(())
}

impl Observer for Probes {
    const COMPILES: bool = true;

    fn changes(&mut self, _: PlaceId, _: &Place, _: f64) {}

    #[inline(always)]
    fn arrived(&mut self, place: PlaceId, count: u64, scope: &mut Scope) -> Outcome<()> {
        let actions = &self.program.arrivals[place.at()];
        if !actions.is_empty() {
            for _ in 0..count {
                for (probe, action) in actions {
                    act(&mut self.probes[probe.at()], action, &mut self.key, scope)?;
                }
            }
        }
        Ok(())
    }

    #[inline(always)]
    fn started(&mut self, transition: TransitionId, scope: &mut Scope) -> Outcome<()> {
        for (probe, action) in &self.program.starts[transition.at()] {
            act(&mut self.probes[probe.at()], action, &mut self.key, scope)?;
        }
        Ok(())
    }

    fn restart(&mut self, _: f64) {
        for probe in &mut self.probes {
            match probe {
                Probe::Counter(sum) => *sum = 0.0,
                Probe::Sample(values) => *values = Histogram::new(),
                Probe::Passage(passages) => passages.restart(),
                Probe::Order(order) => order.restart(),
            }
        }
    }
}
