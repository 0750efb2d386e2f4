//! One replication under way: the loop of the semantics, rule by rule.

use std::ops::Range;
use std::sync::Arc;

use crate::agenda::Agenda;
use crate::enabling::Enabling;
use crate::expression::Scope;
use crate::fault::{Fault, Outcome};
use crate::ids::{GaugeId, PlaceId, SpanId, TransitionId};
use crate::marking::Marking;
use crate::observer::Observer;
use crate::program::{
    Find, Form, Give, OutputProgram, Program, Selection, Simple, SimpleTime, Take, Time, TransitionProgram,
};
use crate::random::Random;
use crate::search::{destination, Goal, Scratch, Search};
use crate::trajectory::TrajectoryHash;

/// The transitions of so many firings at one instant are told when it does not end (X3).
const LOOP_TOLD: u64 = 1000;

/// Where a run stops itself (X3).
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    pub firings_at_an_instant: u64,
    pub tokens: u64,
}

/// Why `advance` returned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The instant asked for is over.
    Until,
    /// Nothing can happen any more.
    Dead,
    /// The firings asked for are used up.
    Budget,
    /// The model broke a rule: see `Engine::error`.
    Error,
}

/// A fault, and where in the run it happened (X4).
#[derive(Clone, Debug)]
pub struct RunError {
    pub fault: Fault,
    pub transition: TransitionId,
    /// The transition's variables, as far as they were known; 0 otherwise.
    pub variables: Vec<u64>,
    pub time: f64,
}

pub struct Engine<O> {
    pub program: Arc<Program>,
    pub observer: O,
    pub now: f64,
    /// Firings started since time 0.
    pub firings: u64,
    pub hash: TrajectoryHash,
    pub error: Option<RunError>,
    pub marking: Marking,
    limits: Limits,
    random: Random,
    enabling: Enabling,
    agenda: Agenda,
    variables: Vec<u64>,
    scratch: Scratch,
    /// What a firing deposits: the record of its open and coloured outputs.
    record: Vec<u64>,
    firings_at_this_instant: u64,
    /// The last transitions at this instant, once the limit is near.
    told: Vec<TransitionId>,
}

impl<O: Observer> Engine<O> {
    /// An engine at time 0. The observer is made for the initial marking. A key of an initial token may raise a fault.
    pub fn new(
        program: Arc<Program>,
        seed: [u64; 3],
        limits: Limits,
        observer: impl FnOnce(&Program, &Marking) -> O,
    ) -> Outcome<Self> {
        let marking = Marking::new(&program)?;
        let mut enabling = Enabling::new(&program);
        for (gauge, &tokens) in program.gauges.iter().zip(marking.counts.iter()) {
            if gauge.load != GaugeId::NONE {
                enabling.moved(&program, gauge.load, 0, tokens);
            }
        }
        for (place, &tokens) in marking.counts.iter().enumerate() {
            enabling.moved(&program, GaugeId(place as u32), 0, tokens);
        }
        Ok(Engine {
            observer: observer(&program, &marking),
            now: 0.0,
            firings: 0,
            hash: TrajectoryHash::default(),
            error: None,
            marking,
            limits,
            random: Random::new(seed),
            enabling,
            agenda: Agenda::new(program.transitions.len(), program.lanes),
            variables: vec![0; program.variables],
            scratch: Scratch::new(program.transitions.iter().map(|t| t.inputs.len()).max().unwrap_or(0)),
            record: Vec::new(),
            firings_at_this_instant: 0,
            told: Vec::new(),
            program,
        })
    }

    // ------------------------------------------------------------ the loop

    /// Runs to the end of instant `until`, or for so many firings more. May be called again to go on.
    pub fn advance(&mut self, until: f64, firings: u64) -> Reason {
        if self.error.is_some() {
            return Reason::Error;
        }
        let program = Arc::clone(&self.program);
        self.run(&program, until, firings).unwrap_or_else(|error| {
            self.error = Some(*error);
            Reason::Error
        })
    }

    fn run(&mut self, program: &Program, until: f64, mut budget: u64) -> Result<Reason, Box<RunError>> {
        loop {
            while let Some(level) = self.look(program)? {
                if budget == 0 {
                    return Ok(Reason::Budget);
                }
                let transition = self.enabling.choose(program, level, &mut self.random);
                let simple = &program.simple[transition];
                let started = match simple.time {
                    SimpleTime::Other => self.start(program, transition),
                    SimpleTime::Const(duration) => self.start_simple(program, transition, simple, duration),
                    SimpleTime::Exponential(mean) => {
                        let duration = mean * self.random.exponential();
                        self.start_simple(program, transition, simple, duration)
                    }
                };
                started.map_err(|fault| self.told(program, transition, *fault))?;
                budget -= 1;
            }
            match self.agenda.next_end() {
                None => return Ok(Reason::Dead),
                Some(end) if end > until => {
                    self.set_time(program, self.now.max(until));
                    return Ok(Reason::Until);
                }
                Some(end) => self.end_firings(program, end)?,
            }
        }
    }

    /// Looks again at the transitions next to what has changed. Returns the highest priority that is enabled.
    #[inline(always)]
    fn look(&mut self, program: &Program) -> Result<Option<usize>, Box<RunError>> {
        let mut first: Option<Box<RunError>> = None;
        while let Some(transition) = self.enabling.next_touched() {
            let plan = &program.transitions[transition];
            if let Selection::Join(join) = plan.selection {
                self.enabling.set(transition, self.marking.bindings(join) > 0);
                continue;
            }
            let goal = if plan.exhaustive { Goal::All } else { Goal::First };
            match self.search(program, plan, goal) {
                Ok(found) => self.enabling.set(transition, found > 0),
                Err(fault) if first.as_ref().is_none_or(|error| transition < error.transition) => {
                    first = Some(self.told(program, transition, *fault));
                }
                Err(_) => {}
            }
        }
        first.map_or(Ok(self.enabling.highest()), Err)
    }

    /// Time moves; all that ends then deposits, in order of start (I1, I8).
    fn end_firings(&mut self, program: &Program, instant: f64) -> Result<(), Box<RunError>> {
        self.set_time(program, instant);
        self.firings_at_this_instant = 0;
        self.told.clear();
        while self.agenda.next_end() == Some(instant) {
            let Some(ending) = self.agenda.end_first() else { break };
            self.observer.ended(ending.transition, instant);
            let simple = &program.simple[ending.transition];
            if simple.time != SimpleTime::Other {
                self.give(program, simple).map_err(|fault| self.told(program, ending.transition, *fault))?;
                continue;
            }
            let plan = &program.transitions[ending.transition];
            self.agenda.release(&ending, plan.held, &mut self.record);
            self.deposit(program, plan, true).map_err(|fault| self.told(program, ending.transition, *fault))?;
        }
        Ok(())
    }

    fn set_time(&mut self, program: &Program, instant: f64) {
        self.now = instant;
        for &transition in &program.clocked {
            self.enabling.touch(transition);
        }
    }

    // ------------------------------------------------------------ firing

    /// Binds, evaluates, takes, and empties; an immediate firing also ends (I4 to I6).
    #[inline(always)]
    fn start(&mut self, program: &Program, transition: TransitionId) -> Outcome<()> {
        let plan = &program.transitions[transition];
        if plan.binds {
            self.bind(program, plan)?;
        }
        self.check_instant(program, transition)?;
        let (duration, given) = self.evaluate(program, plan)?;
        let end = self.now + duration;
        let variables = &self.variables[..plan.variable_names.len()];
        self.hash.add(transition.0, variables, self.now, end);
        let scope = &mut Scope {
            variables,
            counts: &self.marking.counts,
            tables: &program.tables,
            random: &mut self.random,
            now: self.now,
            end,
        };
        self.observer.started(transition, duration != 0.0, scope)?;
        self.take(program, plan);
        self.marking.total += given;
        let serial = self.firings;
        self.firings += 1;
        if duration == 0.0 {
            self.deposit(program, plan, false)?;
        } else {
            if plan.reserves {
                self.reserve(program, plan);
            }
            self.agenda.begin(end, serial, transition, plan.lane, &self.record);
        }
        Ok(())
    }

    /// The same for a simple transition.
    #[inline(always)]
    fn start_simple(
        &mut self,
        program: &Program,
        transition: TransitionId,
        simple: &Simple,
        duration: f64,
    ) -> Outcome<()> {
        self.check_instant(program, transition)?;
        let end = self.now + duration;
        if !end.is_finite() {
            return Err(Fault::new("not-finite", program.transitions[transition].time_span));
        }
        self.check_tokens(simple.given)?;
        self.hash.add(transition.0, &[], self.now, end);
        let scope = &mut Scope {
            variables: &[],
            counts: &self.marking.counts,
            tables: &program.tables,
            random: &mut self.random,
            now: self.now,
            end,
        };
        self.observer.started(transition, duration != 0.0, scope)?;
        for taken in &program.moves[simple.takes as usize..simple.gives as usize] {
            self.take_black(program, taken.place, u64::from(taken.count));
        }
        self.marking.total += simple.given;
        let serial = self.firings;
        self.firings += 1;
        if duration == 0.0 {
            return self.give(program, simple);
        }
        self.agenda.begin(end, serial, transition, simple.lane, &[]);
        Ok(())
    }

    /// A firing of a simple transition deposits its tokens.
    #[inline(always)]
    fn give(&mut self, program: &Program, simple: &Simple) -> Outcome<()> {
        for given in &program.moves[simple.gives as usize..simple.end as usize] {
            let (place, count) = (given.place, u64::from(given.count));
            let before = self.marking.counts[place];
            self.marking.counts[place] = before + count;
            self.enabling.moved(program, GaugeId::tokens(place), before, before + count);
            self.observer.changed(place, before + count, self.now);
            let scope = &mut Scope {
                variables: &[],
                counts: &self.marking.counts,
                tables: &program.tables,
                random: &mut self.random,
                now: self.now,
                end: self.now,
            };
            self.observer.arrived(place, count, scope)?;
        }
        Ok(())
    }

    /// Draws, time and outputs, in this order (I5). Nothing has changed when one of them fails.
    /// Returns the firing time and how many tokens the firing will deposit.
    #[inline(always)]
    fn evaluate(&mut self, program: &Program, plan: &TransitionProgram) -> Outcome<(f64, u64)> {
        for (variable, value) in &plan.draws {
            let bits = value.bits(&mut self.scope(program, self.now))?;
            self.variables[variable.at()] = bits;
        }
        let duration = match &plan.time {
            Time::Immediate => 0.0,
            Time::Const(duration) => *duration,
            Time::Of(expression) => expression.value(&mut self.scope(program, self.now))?,
        };
        if duration < 0.0 {
            return Err(Fault::new("negative-time", plan.time_span).with_real("duration", duration));
        }
        let end = self.now + duration;
        if !end.is_finite() {
            return Err(Fault::new("not-finite", plan.time_span));
        }
        self.record.clear();
        let given = match plan.given {
            Some(given) => given,
            None => {
                let mut given = 0;
                for output in &plan.outputs {
                    given += self.output(program, output, end)?;
                }
                given
            }
        };
        self.check_tokens(given)?;
        Ok((duration, given))
    }

    /// Evaluates an output arc into the record. Returns how many tokens it gives.
    #[inline(always)]
    fn output(&mut self, program: &Program, arc: &OutputProgram, end: f64) -> Outcome<u64> {
        let (place, count) = match arc.form {
            Form::Black(count) => (arc.place(), count),
            Form::Token => (arc.place(), 1),
            Form::Open => {
                let (place, count) = destination(arc, &mut self.scope(program, end))?;
                self.record.extend([u64::from(place.0), count]);
                if count == 0 {
                    self.record.resize(self.record.len() + arc.width, 0);
                    return Ok(0);
                }
                (place, count)
            }
        };
        self.check_tokens(count)?;
        if arc.width > 0 {
            self.values(program, arc, place, end)?;
        }
        Ok(count)
    }

    #[inline(always)]
    fn values(&mut self, program: &Program, arc: &OutputProgram, place: PlaceId, end: f64) -> Outcome<()> {
        let start = self.record.len();
        for value in &arc.values {
            let bits = value.bits(&mut self.scope(program, end))?;
            self.record.push(bits);
        }
        let target = &program.places[place];
        for &slot in &arc.checks {
            let (bound, bits) = (&target.bounds[slot], self.record[start + slot]);
            if !bound.holds(bits) {
                let fault = Fault::new("colour-range", arc.spans[slot]);
                let fault = match bound.real {
                    true => fault.with_real("value", f64::from_bits(bits)),
                    false => fault.with_int("value", bits as i64),
                };
                return Err(fault.with_text("slot", &bound.name).with_text("place", &target.name));
            }
        }
        if let (Some(key), true) = (&target.key, target.key_fails) {
            self.marking.rank(key, &self.record[start..])?;
        }
        Ok(())
    }

    /// Takes the tokens of the binding, arc after arc (S4), and then empties the places to reset.
    #[inline(always)]
    fn take(&mut self, program: &Program, plan: &TransitionProgram) {
        for take in &plan.takes {
            match *take {
                Take::Black { place, count } => self.take_black(program, place, count),
                Take::Chosen { place, arc } => self.take_black(program, place, self.scratch.chosen[arc as usize]),
                Take::Head { place, position } => {
                    let before = self.marking.counts[place];
                    self.marking.remove(program, place, position as usize);
                    self.left(program, place, before, before - 1);
                }
                Take::Seat { place, arc } => {
                    let before = self.marking.counts[place];
                    let seat = self.scratch.chosen[arc as usize];
                    self.marking.remove(program, place, seat as usize);
                    for &later in &plan.inputs[arc as usize].after {
                        if self.scratch.chosen[later] == before - 1 {
                            self.scratch.chosen[later] = seat;
                        }
                    }
                    self.left(program, place, before, before - 1);
                }
            }
        }
        for &place in &plan.resets {
            let before = self.marking.counts[place];
            self.marking.clear(program, place);
            self.left(program, place, before, 0);
        }
    }

    #[inline(always)]
    fn take_black(&mut self, program: &Program, place: PlaceId, count: u64) {
        let before = self.marking.counts[place];
        self.marking.counts[place] = before - count;
        self.left(program, place, before, before - count);
    }

    /// A place has lost tokens.
    #[inline(always)]
    fn left(&mut self, program: &Program, place: PlaceId, before: u64, after: u64) {
        self.marking.total -= before - after;
        self.enabling.moved(program, GaugeId::tokens(place), before, after);
        let load = program.gauges[GaugeId::tokens(place)].load;
        if load != GaugeId::NONE {
            let reserved = self.marking.reserved[place];
            self.enabling.moved(program, load, before + reserved, after + reserved);
        }
        self.observer.changed(place, after, self.now);
    }

    /// Room in places with a capacity, until the firing ends (E6).
    fn reserve(&mut self, program: &Program, plan: &TransitionProgram) {
        let mut cursor = 0;
        for give in &plan.gives {
            let (place, count, _) = self.next_deposit(give, &mut cursor);
            if program.places[place].capacity.is_some() && count > 0 {
                let load = self.marking.counts[place] + self.marking.reserved[place];
                self.marking.reserved[place] += count;
                let gauge = program.gauges[GaugeId::tokens(place)].load;
                if gauge != GaugeId::NONE {
                    self.enabling.moved(program, gauge, load, load + count);
                }
            }
        }
    }

    /// Place and number of an arc's tokens, and where the record has their values; `cursor` moves behind them.
    #[inline(always)]
    fn next_deposit(&self, give: &Give, cursor: &mut usize) -> (PlaceId, u64, Range<usize>) {
        let (place, count, width) = match *give {
            Give::Black { place, count } => return (place, count, 0..0),
            Give::Token { place, width } => (place, 1, width),
            Give::Open { width } => {
                *cursor += 2;
                (PlaceId(self.record[*cursor - 2] as u32), self.record[*cursor - 1], width)
            }
        };
        let start = *cursor;
        *cursor += width as usize;
        (place, count, start..*cursor)
    }

    /// Deposits what the record holds, in the order of the arcs.
    #[inline(always)]
    fn deposit(&mut self, program: &Program, plan: &TransitionProgram, reserved: bool) -> Outcome<()> {
        let mut cursor = 0;
        for give in &plan.gives {
            let (place, count, values) = self.next_deposit(give, &mut cursor);
            if count == 0 {
                continue;
            }
            let before = self.marking.counts[place];
            if values.is_empty() {
                self.marking.counts[place] = before + count;
            } else {
                for _ in 0..count {
                    // The key was evaluated when the firing started, and raised no fault then.
                    let _ = self.marking.add(program, place, &self.record[values.clone()]);
                }
            }
            self.arrived(program, plan, place, before, count, reserved);
            let scope = &mut Scope {
                variables: &self.record[values],
                counts: &self.marking.counts,
                tables: &program.tables,
                random: &mut self.random,
                now: self.now,
                end: self.now,
            };
            self.observer.arrived(place, count, scope)?;
        }
        Ok(())
    }

    /// A place has gained tokens.
    #[inline(always)]
    fn arrived(
        &mut self,
        program: &Program,
        plan: &TransitionProgram,
        place: PlaceId,
        before: u64,
        count: u64,
        reserved: bool,
    ) {
        self.enabling.moved(program, GaugeId::tokens(place), before, before + count);
        if plan.reserves {
            self.fill_room(program, place, before, count, reserved);
        }
        self.observer.changed(place, before + count, self.now);
    }

    /// Tokens arrive, perhaps in a place with a capacity: reserved room becomes tokens, or else the load grows.
    fn fill_room(&mut self, program: &Program, place: PlaceId, before: u64, count: u64, reserved: bool) {
        let load = program.gauges[GaugeId::tokens(place)].load;
        if reserved && program.places[place].capacity.is_some() {
            self.marking.reserved[place] -= count;
        } else if load != GaugeId::NONE {
            let before = before + self.marking.reserved[place];
            self.enabling.moved(program, load, before, before + count);
        }
    }

    // ------------------------------------------------------------ bindings

    /// Chooses one binding (I4); its tokens are in `scratch.chosen`, its values in `variables`.
    #[inline(always)]
    fn bind(&mut self, program: &Program, plan: &TransitionProgram) -> Outcome<()> {
        match &plan.selection {
            Selection::Single => {}
            Selection::Bag(arc) => {
                let tokens = self.marking.counts[plan.inputs[*arc].place];
                self.scratch.chosen[*arc] = self.random.equal_choice(tokens);
            }
            Selection::Product => self.bind_product(plan),
            Selection::Join(join) => {
                let chosen = self.random.equal_choice(self.marking.bindings(*join));
                self.marking.choose(program, *join, chosen, &mut self.scratch.chosen);
            }
            Selection::Search => self.bind_by_search(program, plan)?,
        }
        for (i, arc) in plan.inputs.iter().enumerate().filter(|(_, arc)| !arc.binds.is_empty()) {
            let position = match &arc.find {
                Find::Head { depth } => *depth,
                _ => self.scratch.chosen[i] as usize,
            };
            let token = self.marking.token(arc.place, position);
            for (slot, variable) in &arc.binds {
                self.variables[variable.at()] = token[*slot as usize];
            }
        }
        for (variable, _) in &plan.draws {
            self.variables[variable.at()] = 0;
        }
        Ok(())
    }

    /// Tokens of several bags: the number of the binding is read in mixed radix, the last arc changing fastest.
    fn bind_product(&mut self, plan: &TransitionProgram) {
        let choices = |marking: &Marking, i: usize| {
            let arc = &plan.inputs[i];
            u128::from(marking.counts[arc.place]) - arc.before.len() as u128
        };
        let bags = || (0..plan.inputs.len()).filter(|&i| matches!(plan.inputs[i].find, Find::Any));
        let all = bags().fold(1u128, |product, i| product.saturating_mul(choices(&self.marking, i)));
        let mut number = match all {
            1 => 0,
            _ => ((self.random.uniform() * all as f64) as u128).min(all - 1),
        };
        for i in bags().rev() {
            let radix = choices(&self.marking, i);
            self.scratch.chosen[i] = (number % radix) as u64;
            number /= radix;
        }
        for i in bags().filter(|&i| !plan.inputs[i].before.is_empty()) {
            self.skip_used(plan, i);
        }
    }

    /// Turns a rank among the seats that earlier arcs have left into a seat.
    fn skip_used(&mut self, plan: &TransitionProgram, arc: usize) {
        let mut seat = self.scratch.chosen[arc];
        let mut below = 0;
        loop {
            let used = plan.inputs[arc].before.iter().filter(|&&i| self.scratch.chosen[i] <= seat).count() as u64;
            if used == below {
                break;
            }
            seat += used - below;
            below = used;
        }
        self.scratch.chosen[arc] = seat;
    }

    fn bind_by_search(&mut self, program: &Program, plan: &TransitionProgram) -> Outcome<()> {
        let all = self.search(program, plan, Goal::All)?;
        let chosen = self.random.equal_choice(all);
        if chosen == 0 {
            std::mem::swap(&mut self.scratch.chosen, &mut self.scratch.first);
        } else {
            self.search(program, plan, Goal::Nth(chosen))?;
        }
        Ok(())
    }

    fn search(&mut self, program: &Program, plan: &TransitionProgram, goal: Goal) -> Outcome<u64> {
        Search {
            program,
            transition: plan,
            marking: &self.marking,
            variables: &mut self.variables[..plan.variable_names.len()],
            scratch: &mut self.scratch,
            random: &mut self.random,
            now: self.now,
            goal,
            found: 0,
        }
        .run()
    }

    // ------------------------------------------------------------ evaluation, limits and errors

    #[inline(always)]
    fn scope<'s>(&'s mut self, program: &'s Program, end: f64) -> Scope<'s> {
        Scope {
            variables: &self.variables,
            counts: &self.marking.counts,
            tables: &program.tables,
            random: &mut self.random,
            now: self.now,
            end,
        }
    }

    #[inline(always)]
    fn check_tokens(&self, more: u64) -> Outcome<()> {
        if self.marking.total.saturating_add(more) > self.limits.tokens {
            return Err(Fault::new("token-limit", SpanId::NONE).with_int("limit", self.limits.tokens as i64));
        }
        Ok(())
    }

    /// A loop that takes no time is told by the transitions of its last turn (X3).
    #[inline(always)]
    fn check_instant(&mut self, program: &Program, transition: TransitionId) -> Outcome<()> {
        self.firings_at_this_instant += 1;
        if self.firings_at_this_instant + LOOP_TOLD <= self.limits.firings_at_an_instant {
            return Ok(());
        }
        self.tell_loop(program, transition)
    }

    #[cold]
    fn tell_loop(&mut self, program: &Program, transition: TransitionId) -> Outcome<()> {
        self.told.push(transition);
        if self.firings_at_this_instant <= self.limits.firings_at_an_instant {
            return Ok(());
        }
        let mut last: Vec<TransitionId> = self.told.iter().rev().take(LOOP_TOLD as usize).copied().collect();
        last.sort_unstable();
        last.dedup();
        let names = last.iter().map(|t| program.transitions[*t].name.clone()).collect();
        let fault = Fault::new("instant-limit", SpanId::NONE);
        Err(fault.with_int("limit", self.limits.firings_at_an_instant as i64).with_names("transitions", names))
    }

    fn told(&self, program: &Program, transition: TransitionId, fault: Fault) -> Box<RunError> {
        let variables = self.variables[..program.transitions[transition].variable_names.len()].to_vec();
        Box::new(RunError { fault, transition, variables, time: self.now })
    }
}
