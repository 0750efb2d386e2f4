//! Declared measures (rules M4 and M6): counters, samples, passages and orders, evaluated when their events happen.

use std::sync::Arc;

use crate::base::fault::Outcome;
use crate::base::ids::{PlaceId, ProbeId, TransitionId};
use crate::base::random::Random;
use crate::base::table::Table;
use crate::base::ticks::Ticks;
use crate::base::whole::Whole;
use crate::observe::content::{in_parts, in_parts_of_trials, Content, Watched};
use crate::observe::histogram::Histogram;
use crate::observe::passages::{Passages, LIMIT};
use crate::observe::reorder::settings::Settings;
use crate::observe::reorder::Order;
use crate::program::called::Called;
use crate::program::expression::Value;
use crate::program::probes::{Action, ProbeKind, ProbesProgram, Watched as WatchedProgram};
use crate::program::Program;
use crate::state::counters::{PlaceCounters, TransitionCounters};
use crate::state::evaluator::{CalledCode, Evaluator};
use crate::state::value::Scope;

/// The state of a probe.
#[derive(Clone)]
pub enum Probe {
    Counter(f64),
    Sample(Histogram),
    Passage(Box<Passages>),
    Order(Box<Order>),
    Content(Box<Content>),
    Watched(Box<Watched>),
}

/// An observer that feeds the probes.
pub struct Probes {
    pub(super) program: Arc<ProbesProgram>,
    pub probes: Vec<Probe>,
    key: Vec<u64>,
    /// The values that are watched and may have changed at this instant, by their numbers, and how many they are.
    pub(crate) unsettled: Vec<usize>,
    pub pending: u64,
    /// How many of them are read at the end of each instant.
    always: u64,
    running: Vec<u64>,
    /// Evaluates values of tokens.
    evaluator: Evaluator,
    /// Values of tokens may not draw; a scope needs a stream all the same.
    silent: Random,
}

impl Probes {
    pub fn new(program: Arc<ProbesProgram>) -> Self {
        let probes = program.kinds_of_probes.iter().map(|shape| match *shape {
            ProbeKind::Counter => Probe::Counter(0.0),
            ProbeKind::Sample => Probe::Sample(Histogram::new()),
            ProbeKind::Passage { width } => Probe::Passage(Box::new(Passages::new(width, LIMIT, program.tick))),
            ProbeKind::Order { modulo, displacement_threshold, buffer_threshold } => {
                let settings = Settings { modulo, displacement_threshold, buffer_threshold, ..Settings::default() };
                Probe::Order(Box::new(Order::with(settings)))
            }
            ProbeKind::Content { ref value, .. } => {
                Probe::Content(Box::new(Content::new(matches!(value.of, Value::Real(_)))))
            }
            ProbeKind::Watched { real } => Probe::Watched(Box::new(Watched::new(real))),
        });
        let probes = probes.collect();
        let silent = Random::new([0; 3]);
        let pending = program.watched.iter().filter(|watched| !watched.firings.is_empty()).count() as u64;
        Probes {
            probes,
            program,
            key: Vec::new(),
            unsettled: Vec::new(),
            pending,
            always: pending,
            running: Vec::new(),
            evaluator: Evaluator::new(0),
            silent,
        }
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

/// key, evaluator: room for what it is computed with.
fn act(
    probe: &mut Probe,
    action: &Action,
    key: &mut Vec<u64>,
    evaluator: &mut Evaluator,
    scope: &mut Scope,
) -> Outcome<()> {
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
        (Probe::Content(content), Action::Enter(value)) => {
            let value = of_token(value, evaluator, scope)?;
            content.add(value, scope.now);
        }
        _ => {}
    }
    Ok(())
}

/// The slots of a token, and nothing else.
fn scope_of<'s>(token: &'s [u64], random: &'s mut Random, now: Ticks) -> Scope<'s> {
    Scope { variables: token, places: &[], tables: &[], random, now, end: now }
}

/// A value of the marking: an int, or a real. running, random: room for what it is computed with.
#[inline(always)]
fn of_marking(
    watched: &WatchedProgram,
    program: &Program,
    places: &[PlaceCounters],
    transitions: &Table<TransitionId, TransitionCounters>,
    now: Ticks,
    running: &mut Vec<u64>,
    random: &mut Random,
) -> Outcome<Result<i64, f64>> {
    running.clear();
    running.extend(watched.firings.iter().map(|&id| transitions[id].in_progress));
    let scope = &mut Scope { variables: &running[..], places, tables: &program.tables, random, now, end: now };
    Ok(match &watched.value {
        Value::Int(value) => Ok(value.value(scope)?),
        Value::Real(value) => Err(value.value(scope)?),
    })
}

/// The value of a token as the whole number that sums are made of.
fn of_token(value: &Called, evaluator: &mut Evaluator, scope: &mut Scope) -> Outcome<Whole> {
    let bits = evaluator.of_token(value, scope)?;
    Ok(match value.of {
        Value::Int(_) => Whole::from(i128::from(bits as i64)),
        Value::Real(_) => in_parts(f64::from_bits(bits)),
    })
}

impl Probes {
    /// Becomes as the probes of another engine of the same program are.
    pub fn assume(&mut self, other: &Self) {
        self.probes.clone_from(&other.probes);
        self.unsettled.clone_from(&other.unsettled);
        self.pending = other.pending;
    }

    /// A firing has deposited `count` tokens of one value; the variables of `scope` are the token's slots.
    #[inline(always)]
    pub fn arrived(&mut self, place: PlaceId, count: u64, scope: &mut Scope) -> Outcome<()> {
        let actions = &self.program.arrivals[place.at()];
        if !actions.is_empty() {
            for _ in 0..count {
                for (probe, action) in actions {
                    act(&mut self.probes[probe.at()], action, &mut self.key, &mut self.evaluator, scope)?;
                }
            }
        }
        Ok(())
    }

    /// A firing starts; its tokens are still in their places.
    #[inline(always)]
    pub fn started(&mut self, transition: TransitionId, scope: &mut Scope) -> Outcome<()> {
        for (probe, action) in &self.program.starts[transition.at()] {
            act(&mut self.probes[probe.at()], action, &mut self.key, &mut self.evaluator, scope)?;
        }
        Ok(())
    }

    /// A probe gets a value of a firing that starts.
    pub fn sampled(&mut self, probe: ProbeId, value: f64) {
        match &mut self.probes[probe.at()] {
            Probe::Counter(sum) => *sum += value,
            Probe::Sample(values) => values.add(value),
            _ => {}
        }
    }

    /// From now on, these functions are called for values of tokens.
    pub fn call(&mut self, functions: &Arc<CalledCode>) {
        self.evaluator.call(Some(functions));
    }

    /// The run begins with the initial tokens. A value of a token may raise a fault.
    pub fn begins(&mut self, program: &Program) -> Outcome<()> {
        for (kind, probe) in self.program.kinds_of_probes.iter().zip(&mut self.probes) {
            let (ProbeKind::Content { place, value }, Probe::Content(content)) = (kind, probe) else { continue };
            for (count, token) in program.places[*place].initial.iter() {
                let value = of_token(value, &mut self.evaluator, &mut scope_of(token, &mut self.silent, 0))?;
                content.add(value.times(*count), 0);
            }
            content.restart(0);
        }
        Ok(())
    }

    /// A token is about to leave a place whose tokens it hears leave.
    pub fn leaves(&mut self, place: PlaceId, token: &[u64], now: Ticks) {
        for (probe, value) in &self.program.departures[place.at()] {
            if let Probe::Content(content) = &mut self.probes[probe.at()] {
                // It was evaluated without a fault when the token arrived.
                let scope = &mut scope_of(token, &mut self.silent, now);
                let value = of_token(value, &mut self.evaluator, scope).unwrap_or_default();
                content.add(-value, now);
            }
        }
    }

    /// All tokens of such a place leave at once.
    pub fn emptied(&mut self, place: PlaceId, now: Ticks) {
        for (probe, _) in &self.program.departures[place.at()] {
            if let Probe::Content(content) = &mut self.probes[probe.at()] {
                content.empty(now);
            }
        }
    }

    /// A value that is watched may have changed: it is read when the instant is over.
    pub fn unsettle(&mut self, number: usize) {
        let Probe::Watched(watched) = &mut self.probes[self.program.watched[number].probe.at()] else { return };
        if !std::mem::replace(&mut watched.unsettled, true) {
            self.unsettled.push(number);
            self.pending += 1;
        }
    }

    /// The instant is over: the values that may have changed are read from the marking, in the order of the probes (M6). Returns
    /// the first fault.
    pub fn over(
        &mut self,
        program: &Program,
        places: &[PlaceCounters],
        transitions: &Table<TransitionId, TransitionCounters>,
        now: Ticks,
    ) -> Outcome<()> {
        self.pending = self.always;
        let mut numbers = std::mem::take(&mut self.unsettled);
        if self.always > 0 {
            let all = self.program.watched.iter().enumerate();
            numbers.extend(all.filter(|(_, watched)| !watched.firings.is_empty()).map(|(number, _)| number));
        }
        numbers.sort_unstable();
        numbers.dedup();
        for &number in &numbers {
            let watched = &self.program.watched[number];
            let Probe::Watched(state) = &mut self.probes[watched.probe.at()] else { continue };
            state.unsettled = false;
            let value = of_marking(watched, program, places, transitions, now, &mut self.running, &mut self.silent)?;
            state.read(value.map_or_else(in_parts, |value| Whole::from(i128::from(value))), now);
        }
        numbers.clear();
        self.unsettled = numbers;
        Ok(())
    }

    /// The instant is over: what trials ask about the marking. Returns the first fault.
    pub fn ask(
        &mut self,
        program: &Program,
        places: &[PlaceCounters],
        transitions: &Table<TransitionId, TransitionCounters>,
        now: Ticks,
        answers: &mut [i128],
    ) -> Outcome<()> {
        for (asked, answer) in self.program.asked.iter().zip(answers) {
            let value = of_marking(asked, program, places, transitions, now, &mut self.running, &mut self.silent)?;
            *answer = value.map_or_else(in_parts_of_trials, i128::from);
        }
        Ok(())
    }

    pub fn restart(&mut self, now: Ticks) {
        for probe in &mut self.probes {
            match probe {
                Probe::Counter(sum) => *sum = 0.0,
                Probe::Sample(values) => *values = Histogram::new(),
                Probe::Passage(passages) => passages.restart(now),
                Probe::Order(order) => order.restart(),
                Probe::Content(content) => content.restart(now),
                Probe::Watched(watched) => watched.restart(now),
            }
        }
    }
}
