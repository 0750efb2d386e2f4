//! Declared measures (rule M4): counters, samples, passages and orders, evaluated when their events happen.

use std::sync::Arc;

use crate::base::fault::Outcome;
use crate::base::ids::{PlaceId, TransitionId};
use crate::base::ticks::Ticks;
use crate::observe::histogram::Histogram;
use crate::observe::observer::Observer;
use crate::observe::passages::{Passages, LIMIT};
use crate::observe::reorder::settings::Settings;
use crate::observe::reorder::Order;
use crate::program::expression::Value;
use crate::program::probes::{Action, ProbeKind, ProbesProgram};
use crate::state::counters::PlaceCounters;
use crate::state::value::Scope;

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
        let probes = program.kinds_of_probes.iter().map(|shape| match *shape {
            ProbeKind::Counter => Probe::Counter(0.0),
            ProbeKind::Sample => Probe::Sample(Histogram::new()),
            ProbeKind::Passage { width } => Probe::Passage(Box::new(Passages::new(width, LIMIT, program.tick))),
            ProbeKind::Order { displacement_threshold, buffer_threshold } => {
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
        (Probe::Sample(values), Action::Sample(condition, value)) => {
            let counts = match condition {
                None => true,
                Some(condition) => condition.value(scope)?,
            };
            if counts {
                values.add(value.value(scope)?);
            }
        }
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
            order.arrive(key, sequence.bits(scope)? as i64, scope.now as f64);
        }
        _ => {}
    }
    Ok(())
}

impl Observer for Probes {
    const COMPILES: bool = true;

    fn changes(&mut self, _: PlaceId, _: &PlaceCounters, _: Ticks) {}

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

    fn restart(&mut self, _: Ticks) {
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
