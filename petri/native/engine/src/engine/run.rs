//! One replication under way: the loop of the semantics, rule by rule (I1 to I10).

use std::mem::swap;
use std::ptr::from_mut;
use std::sync::atomic::AtomicU64;
use std::sync::Arc;

use crate::base::fault::{Fault, Outcome};
use crate::base::ids::{GaugeId, PlaceId, TransitionId, VariableId};
use crate::base::random::{own_words, Random};
use crate::base::table::Table;
use crate::base::ticks::{whole, Ticks, HORIZON, SHORT};
use crate::base::trajectory::TrajectoryHash;
use crate::collections::tournament::{MANY, NEVER};
use crate::engine::code::{Code, ENABLED, FAULT, GENERAL, OVER, STOPPED, USED_UP};
use crate::engine::limits::{Limits, RunError, LOOP_NAMED};
use crate::engine::raced::Raced;
use crate::engine::search::{Found, Goal, Scratch};
use crate::engine::upcoming::Upcoming;
use crate::observe::observers::{ExtraObservers, Observers};
use crate::program::clock::ClockKind;
use crate::program::transition::{SimpleTime, TransitionProgram};
use crate::program::Program;
use crate::state::agenda::Agenda;
use crate::state::arena::{Arena, Housed};
use crate::state::bundles::Bundles;
use crate::state::clocks::AllClocks;
use crate::state::enabling::Enabling;
use crate::state::integrals::WideIntegrals;
use crate::state::marking::Marking;
use crate::state::outputs::Outputs;
use crate::state::streams::Streams;
use crate::state::value::Scope;

/// Why `advance` returned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The instant asked for is over.
    Until,
    /// The net is dead.
    Dead,
    /// The firings asked for are used up.
    Budget,
    /// A place waits for the next block of its rows: see `Streams::wanted`.
    Input,
    /// Tokens have left through ports out, and the run was to stop then: see `Engine::outputs`.
    Output,
    /// Somebody has to decide what fires: see `Engine::decidable`.
    Decision,
    /// The model broke a rule: see `Engine::error`.
    Error,
}

/// Code runs up to this time. A firing that begins no later, and takes a time that is `SHORT`, ends before the horizon.
const LATEST: Ticks = HORIZON - SHORT as Ticks;
/// The most firings of a piece of a run.
const PIECE: u64 = 1 << 22;

/// What machine code reads and writes most comes first: the shorter its offset, the shorter the code, and the more of it
/// fits in the cache.
#[repr(C)]
pub struct Engine {
    pub now: Ticks,
    /// Firings started since time 0.
    pub firings: u64,
    pub hash: TrajectoryHash,
    pub(crate) random: Random,
    pub enabling: Enabling,
    pub marking: Marking,
    pub(crate) agenda: Agenda,
    pub clocks: AllClocks,
    pub(crate) limits: Limits,
    /// Firings when the instant began, and how many need no account since then (X3).
    pub(crate) instant_began: u64,
    pub(crate) quiet: u64,
    /// The random stream from which machine code draws while it may still leave the firing to the interpreter, which
    /// then draws again.
    pub(crate) drawn: Random,
    /// The streams of the transitions, if each has one (R5).
    pub(crate) own: Table<TransitionId, Random>,
    /// What machine code has left here: a value, a transition, or the fault that a probe raised.
    pub(crate) value: u64,
    pub(crate) fault: Option<Box<Fault>>,
    pub program: Arc<Program>,
    pub observers: Observers,
    pub error: Option<RunError>,
    pub streams: Streams,
    pub outputs: Outputs,
    pub(super) upcoming: Upcoming,
    pub(crate) variables: Table<VariableId, u64>,
    pub(crate) scratch: Scratch,
    pub(crate) integrals: WideIntegrals,
    /// The start of the statistics (M3).
    pub window: Ticks,
    /// What a firing deposits: the record of its open and coloured outputs.
    pub(crate) record: Vec<u64>,
    /// The record of all outputs while some of them are sent on their way, and when their tokens arrive.
    pub(crate) record_sent: Vec<u64>,
    pub(crate) arrivals: Vec<Ticks>,
    /// What the set arcs of a firing have found while it starts.
    pub(crate) sets: Vec<Found>,
    /// The tokens that arcs give for those of sets.
    pub(crate) bundles: Bundles,
    /// Whether the run waits for a decision, and the instant at which nothing more is decided (I13).
    pub(crate) awaiting: bool,
    pub(crate) passed_at: Ticks,
    /// The last transitions at this instant, once the limit is near.
    pub(super) last_started: Vec<TransitionId>,
    /// The machine code that the engine was given last.
    pub(crate) code: Option<Arc<Code>>,
    /// Another thread makes it other than 0 to end a long search for bindings, with the fault "stopped"; and its address.
    pub(crate) stop: Arc<AtomicU64>,
    pub(crate) stop_address: usize,
}

impl Engine {
    /// An engine at time 0. A key of an initial token may raise a fault, and
    /// `stop` ends it as it ends a search.
    pub fn new(
        program: Arc<Program>,
        seed: [u64; 3],
        limits: Limits,
        extra: ExtraObservers,
        stop: Arc<AtomicU64>,
    ) -> Outcome<Housed<Self>> {
        let arena = Arena::new(&program, size_of::<Self>());
        let mut enabling = Enabling::new(&program, &arena);
        let marking = Marking::new(&program, &arena, &mut enabling, &stop)?;
        let mut engine = Engine::with(program, arena, enabling, marking, seed, limits, extra, stop);
        let program = Arc::clone(&engine.program);
        engine.observers.probes.begins(&program)?;
        Ok(engine)
    }

    /// An engine at time 0 with these tokens.
    #[allow(clippy::too_many_arguments)]
    pub(super) fn with(
        program: Arc<Program>,
        arena: Arc<Arena>,
        mut enabling: Enabling,
        marking: Marking,
        seed: [u64; 3],
        limits: Limits,
        extra: ExtraObservers,
        stop: Arc<AtomicU64>,
    ) -> Housed<Self> {
        count_first(&program, &marking, &mut enabling);
        let integrals = WideIntegrals::new(&program, limits.tokens.max(marking.total));
        let engine = Engine {
            observers: Observers::new(&program, extra),
            now: 0,
            window: 0,
            firings: 0,
            hash: TrajectoryHash::default(),
            error: None,
            marking,
            streams: Streams::new(&program),
            outputs: Outputs::default(),
            instant_began: 0,
            quiet: limits.firings_at_an_instant.saturating_sub(LOOP_NAMED),
            limits,
            random: Random::new(seed),
            drawn: Random::new(seed),
            own: own_streams(&program, seed),
            enabling,
            agenda: Agenda::new(&program, &arena),
            clocks: AllClocks::new(&program),
            upcoming: Upcoming::default(),
            integrals,
            code: None,
            stop_address: Arc::as_ptr(&stop) as usize,
            stop,
            variables: vec![0; program.variables].into_iter().collect(),
            scratch: Scratch::new(program.transitions.iter().map(|t| t.inputs.len()).max().unwrap_or(0)),
            record: Vec::new(),
            record_sent: Vec::new(),
            arrivals: Vec::new(),
            sets: Vec::new(),
            bundles: Bundles::default(),
            awaiting: false,
            passed_at: -1,
            last_started: Vec::new(),
            value: 0,
            fault: None,
            program,
        };
        Housed::new(arena, engine)
    }

    /// Whether any random number has been drawn: otherwise the run is the same with any seed.
    pub fn drew(&self) -> bool {
        self.random.drawn() > 0 || self.own.iter().any(|stream| stream.drawn() > 0)
    }

    /// Other random numbers from now on.
    pub fn reseed(&mut self, seed: [u64; 3]) {
        self.random = Random::new(seed);
    }

    /// Does something whose draws are those of a transition's expressions (R5).
    #[inline(always)]
    pub(super) fn drawing_for<T>(&mut self, transition: TransitionId, draw: impl FnOnce(&mut Self) -> T) -> T {
        let own = self.program.own_streams;
        if own {
            swap(&mut self.random, &mut self.own[transition]);
        }
        let drawn = draw(self);
        if own {
            swap(&mut self.random, &mut self.own[transition]);
        }
        drawn
    }

    // ------------------------------------------------------------ the loop

    /// Interprets to the end of instant `until`, or for `firings` more firings. May be called again to go on.
    pub fn interpret(&mut self, until: Ticks, firings: u64) -> Reason {
        let program = Arc::clone(&self.program);
        self.advance(&program, until, firings, |engine, until, firings| engine.run(&program, until, firings))
    }

    /// The same by machine code.
    ///
    /// # Safety
    /// The code is of the engine's program, and was made for engines with such observers.
    pub unsafe fn run_code(&mut self, code: &Arc<Code>, until: Ticks, firings: u64) -> Reason {
        let program = Arc::clone(&self.program);
        if !self.code.as_ref().is_some_and(|kept| Arc::ptr_eq(kept, code)) {
            self.code = Some(Arc::clone(code));
            self.marking.call(&code.called);
            self.observers.probes.call(&code.called);
        }
        self.advance(&program, until, firings, |engine, until, firings| engine.run_with(&program, code, until, firings))
    }

    /// Runs from one arrival from outside to the next, where there are some (I12), and keeps an error.
    #[inline(always)]
    fn advance(
        &mut self,
        program: &Program,
        until: Ticks,
        firings: u64,
        mut run: impl FnMut(&mut Self, Ticks, u64) -> Result<Reason, Box<RunError>>,
    ) -> Reason {
        let mut pieces = |engine: &mut Self, until, firings| engine.run_pieces(program, until, firings, &mut run);
        if self.streams.arrivals.open {
            return self.between_arrivals(program, until, firings, pieces);
        }
        pieces(self, until, firings)
    }

    /// Runs piece by piece, between which integrals are folded where it is time to. When all that happens up to `until` has
    /// happened, time is there.
    #[inline(always)]
    fn run_pieces(
        &mut self,
        program: &Program,
        until: Ticks,
        firings: u64,
        mut run: impl FnMut(&mut Self, Ticks, u64) -> Result<Reason, Box<RunError>>,
    ) -> Reason {
        let enough = self.firings.saturating_add(firings);
        let within = until.min(HORIZON);
        loop {
            let last = within.min(self.integrals.enough_until(self.agenda.capacity() + PIECE));
            match run(self, last, PIECE.min(enough - self.firings)) {
                Ok(Reason::Budget) if self.firings < enough => {}
                Ok(Reason::Until) if last < within => {
                    let next = self.next_end().min(within);
                    let (places, transitions) = (&mut self.marking.places, &mut self.enabling.transitions);
                    self.integrals.fold(program, places, transitions, next);
                }
                Ok(Reason::Until) if within < until => {
                    self.error = self.beyond_horizon(program);
                    return Reason::Error;
                }
                Ok(Reason::Until) => {
                    self.set_time(program, self.now.max(until));
                    return Reason::Until;
                }
                Ok(reason) => return reason,
                Err(error) => return self.stop_with(*error),
            }
        }
    }

    /// Keeps an error, which ends the run.
    pub(super) fn stop_with(&mut self, error: RunError) -> Reason {
        self.error = Some(error);
        Reason::Error
    }

    /// Time passes in a dead net, whose state lasts, up to `until` (I10).
    pub fn rest(&mut self, until: Ticks) {
        let program = Arc::clone(&self.program);
        let within = until.min(HORIZON);
        loop {
            let last = self.integrals.enough_until(self.agenda.capacity() + PIECE);
            if last >= within {
                break;
            }
            let (places, transitions) = (&mut self.marking.places, &mut self.enabling.transitions);
            self.integrals.fold(&program, places, transitions, last);
        }
        self.set_time(&program, self.now.max(within));
    }

    /// The integrals of the tokens of each place, and of the firings in progress of each transition (M1, M2).
    pub fn integrals(&self) -> [Vec<f64>; 2] {
        let places = self.integrals.of_places(&self.marking.places, self.now);
        [places, self.integrals.of_transitions(&self.enabling.transitions, self.now)]
    }

    /// The warm-up is over: statistics start now.
    pub fn begin_window(&mut self) {
        self.window = self.now;
        self.integrals.restart(self.now);
        self.clocks.turnover.recount(&self.marking.places);
        self.marking.places.iter_mut().for_each(|place| place.restart(self.now));
        self.enabling.transitions.iter_mut().for_each(|transition| transition.restart(self.now));
        self.clocks.restart(self.now);
        self.observers.restart(self.now);
    }

    /// Runs until nothing more happens up to `until`. Time is then still that of the last event.
    fn run(&mut self, program: &Program, until: Ticks, mut budget: u64) -> Result<Reason, Box<RunError>> {
        loop {
            loop {
                if !program.streams.is_empty() && !self.refill(program)? {
                    return Ok(Reason::Input);
                }
                if self.enabling.listed > 0 {
                    self.look(program, None)?;
                }
                let Some(level) = self.enabling.highest() else { break };
                if level == program.decisions {
                    if self.passed_at == self.now {
                        break;
                    }
                    self.awaiting = true;
                    return Ok(Reason::Decision);
                }
                if budget == 0 {
                    return Ok(Reason::Budget);
                }
                let transition = self.choose_transition(program, level)?;
                self.start(program, transition)?;
                budget -= 1;
            }
            if self.observers.probes.pending > 0 && !self.read_marking(program)? {
                return Ok(Reason::Output);
            }
            if self.passes(program, until)? {
                continue;
            }
            return Ok(if self.next_end() == NEVER { Reason::Dead } else { Reason::Until });
        }
    }

    /// Ends an instant: moves the time to the next end unless that is after `until`.
    #[inline(always)]
    fn passes(&mut self, program: &Program, until: Ticks) -> Result<bool, Box<RunError>> {
        if !self.clocks.of.is_empty() {
            self.settle(program)?;
        }
        let end = self.next_end();
        if end <= until {
            self.end_firings(program, end)?;
        }
        Ok(end <= until)
    }

    /// The instant is over: what is put out leaves (I12), and measures read what has changed in the marking (M6). False where the
    /// run stops for what was put out.
    #[cold]
    pub(crate) fn read_marking(&mut self, program: &Program) -> Result<bool, Box<RunError>> {
        let stops = self.put_out(program)?;
        let read = self.observers.probes.over(program, &self.marking.places, &self.enabling.transitions, self.now);
        self.of_no_firing(program, read)?;
        Ok(!stops)
    }

    /// The instant is over: what trials ask about the marking. False after a fault, which is then the engine's error.
    pub fn ask(&mut self, answers: &mut [i128]) -> bool {
        let Engine { program, observers, marking, enabling, now, .. } = self;
        let outcome = observers.probes.ask(program, &marking.places, &enabling.transitions, *now, answers);
        if outcome.is_ok() {
            return true;
        }
        self.error = self.of_no_firing(&self.program, outcome).err().map(|error| *error);
        self.error.is_none()
    }

    /// Machine code does not count the firings at an instant: where they are many, they are interpreted.
    fn run_with(
        &mut self,
        program: &Program,
        code: &Code,
        until: Ticks,
        firings: u64,
    ) -> Result<Reason, Box<RunError>> {
        let last = until.min(LATEST);
        let enough = self.firings.saturating_add(firings);
        loop {
            if self.now > LATEST {
                return self.run(program, until, enough - self.firings);
            }
            // SAFETY: the code is for this engine's program.
            let status = unsafe { code.run(from_mut(self).cast(), last, enough) };
            match status {
                USED_UP if self.firings == enough => return Ok(Reason::Budget),
                USED_UP => match self.run(program, until, LOOP_NAMED.min(enough - self.firings))? {
                    Reason::Budget => {}
                    reason => return Ok(reason),
                },
                OVER if self.next_end() == NEVER => return Ok(Reason::Dead),
                OVER if self.next_end() <= until => return self.run(program, until, enough - self.firings),
                OVER => return Ok(Reason::Until),
                STOPPED if self.streams.wanted.is_some() => return Ok(Reason::Input),
                STOPPED if self.error.is_none() => return Ok(Reason::Output),
                STOPPED => return Ok(Reason::Error),
                status => self.start_rest(program, TransitionId(self.value as u32), status)?,
            }
        }
    }

    /// Looks again at the transitions next to what has changed.
    #[inline(never)]
    pub(crate) fn look(&mut self, program: &Program, code: Option<&Code>) -> Result<(), Box<RunError>> {
        let mut first: Option<Box<RunError>> = None;
        while let Some(transition) = self.enabling.next_touched() {
            if let Some(watched) = transition.at().checked_sub(program.transitions.len() + program.racing.len()) {
                self.observers.probes.unsettle(watched);
                continue;
            }
            // SAFETY: the code is for this engine's program.
            let found = code.map_or(GENERAL, |code| unsafe { code.looks[transition].look(from_mut(self).cast()) });
            if found <= ENABLED {
                self.enabling.set(transition, found == ENABLED);
                continue;
            }
            let plan = &program.transitions[transition];
            match self.look_for(program, plan) {
                Ok(found) => self.enabling.set(transition, found > 0),
                Err(fault) if first.as_ref().is_none_or(|error| transition < error.transition) => {
                    first = Some(self.run_error(program, transition, *fault));
                }
                Err(_) => {}
            }
        }
        first.map_or(Ok(()), Err)
    }

    /// The number of bindings found: whether there are any is what matters, and all faults where there may be some.
    fn look_for(&mut self, program: &Program, plan: &TransitionProgram) -> Outcome<u64> {
        match Raced::of(program, plan) {
            Some(raced) if raced.clock.kind == ClockKind::Coloured => Ok(u64::from(self.is_any_due(raced)?)),
            Some(raced) if !raced.clock.contested.is_empty() => {
                let found = self.search(program, plan, if plan.exhaustive { Goal::All } else { Goal::First })?;
                Ok(if found > 0 && self.first_due(raced)?.is_some() { found } else { 0 })
            }
            _ => self.search(program, plan, if plan.exhaustive { Goal::All } else { Goal::First }),
        }
    }

    /// Time moves; all that ends then deposits, in order of start (I1, I8).
    #[inline(always)]
    pub(super) fn end_firings(&mut self, program: &Program, instant: Ticks) -> Result<(), Box<RunError>> {
        if instant > self.now {
            self.instant_began = self.firings;
        }
        self.set_time(program, instant);
        self.clocks.settled = false;
        if !self.clocks.of.is_empty() {
            self.ring();
            if self.agenda.next_end() > instant {
                return Ok(());
            }
        }
        while let Some((transition, record)) = self.agenda.end_next() {
            let record = record.as_ptr();
            if self.agenda.tournament.slots >= MANY {
                self.prefetch(program);
            }
            // SAFETY: the record is that of a firing of this transition.
            unsafe { self.end(program, transition, record) }
                .map_err(|fault| self.run_error(program, transition, *fault))?;
        }
        Ok(())
    }

    /// Ends a firing, interpreted.
    ///
    /// # Safety
    /// The record is that of a firing of this transition.
    pub(crate) unsafe fn end(
        &mut self,
        program: &Program,
        transition: TransitionId,
        record: *const u64,
    ) -> Outcome<()> {
        let plan = &program.transitions[transition];
        if plan.delivers.is_none() {
            self.enabling.transitions[transition].end(self.now);
        }
        let simple = &program.simple[transition];
        if simple.is_simple() {
            return self.give(program, simple);
        }
        self.record.clear();
        // SAFETY: the caller guarantees it.
        self.record.extend_from_slice(unsafe { std::slice::from_raw_parts(record, plan.held) });
        self.deposit(program, plan, true)
    }

    pub(crate) fn set_time(&mut self, program: &Program, instant: Ticks) {
        self.now = instant;
        for &transition in &program.clocked {
            self.enabling.touch(transition);
        }
    }

    // ------------------------------------------------------------ firing

    /// Goes on with a firing that machine code has not started, or reports the fault that it met.
    #[inline(always)]
    pub(crate) fn start_rest(
        &mut self,
        program: &Program,
        transition: TransitionId,
        status: u64,
    ) -> Result<(), Box<RunError>> {
        if status == FAULT {
            return Err(self.met(program, transition));
        }
        self.start(program, transition)
    }

    /// Starts a firing. It ends at once when it takes no time (I6).
    #[inline(never)]
    pub(super) fn start(&mut self, program: &Program, transition: TransitionId) -> Result<(), Box<RunError>> {
        let simple = &program.simple[transition];
        let outcome = match simple.time {
            SimpleTime::Other => self.start_general(program, transition),
            SimpleTime::Const(duration) => self.start_simple(program, transition, simple, duration),
            SimpleTime::Exponential(mean) => {
                let standard = self.drawing_for(transition, |engine| engine.random.exponential());
                let duration = whole(mean * standard);
                self.start_simple(program, transition, simple, duration)
            }
        };
        outcome.map_err(|fault| self.run_error(program, transition, *fault))
    }

    /// Binds (I4), and starts.
    #[inline(always)]
    fn start_general(&mut self, program: &Program, transition: TransitionId) -> Outcome<()> {
        let plan = &program.transitions[transition];
        if plan.binds {
            self.bind(program, plan)?;
        }
        self.start_bound(program, transition)
    }

    /// Evaluates, takes, and empties (I5), with the binding that has been chosen.
    #[inline(always)]
    pub(super) fn start_bound(&mut self, program: &Program, transition: TransitionId) -> Outcome<()> {
        let plan = &program.transitions[transition];
        self.check_instant(program, transition)?;
        let (duration, given) = self.drawing_for(transition, |engine| engine.evaluate(program, plan))?;
        let end = self.now + duration;
        self.note_start(program, transition, plan.variables.len(), duration)?;
        self.take(program, plan);
        self.marking.total += given;
        self.firings += 1;
        if !plan.sends.is_empty() {
            self.send(program, plan, duration == 0)?;
        } else if duration == 0 {
            self.deposit(program, plan, false)?;
        }
        if duration > 0 {
            if plan.reserves {
                self.reserve(program, plan);
            }
            if !plan.sets.is_empty() {
                let mut record = std::mem::take(&mut self.record);
                self.hold_bundles(&plan.gives, &mut record);
                self.record = record;
            }
            let number = self.firings << program.parts;
            self.agenda.begin(end, number, transition, plan.lane, plan.held).copy_from_slice(&self.record);
        }
        Ok(())
    }

    /// A firing with `variables` variables starts: the observers, the hash and the figures of its transition (M2) take it in.
    /// A measure that fails stops it before anything counts it (X4).
    #[inline(always)]
    pub(super) fn note_start(
        &mut self,
        program: &Program,
        transition: TransitionId,
        variables: usize,
        duration: Ticks,
    ) -> Outcome<()> {
        let (variables, end) = (&self.variables[..variables], self.now + duration);
        let scope = &mut Scope {
            variables,
            places: &self.marking.places,
            tables: &program.tables,
            random: &mut self.random,
            now: self.now,
            end,
        };
        self.observers.started(transition, scope)?;
        self.hash.add(transition.0, variables, self.now, end);
        let state = &mut self.enabling.transitions[transition];
        state.firings += 1;
        if duration != 0 {
            state.begin(self.now);
        }
        if !self.clocks.of.is_empty() {
            self.note_race(program, transition);
        }
        Ok(())
    }

    #[inline(always)]
    pub(crate) fn scope<'s>(&'s mut self, program: &'s Program, end: Ticks) -> Scope<'s> {
        Scope {
            variables: &self.variables,
            places: &self.marking.places,
            tables: &program.tables,
            random: &mut self.random,
            now: self.now,
            end,
        }
    }
}

/// Counts the tokens of a first marking, which decide what is enabled.
fn count_first(program: &Program, marking: &Marking, enabling: &mut Enabling) {
    for (id, (gauge, place)) in program.gauges.iter().zip(marking.places.iter()).enumerate() {
        if gauge.load != GaugeId::NONE {
            let id = PlaceId(id as u32);
            let weighed = program.places[id].weight.is_some();
            let load = if weighed { marking.weights(id).held } else { place.tokens };
            enabling.moved(program, gauge.load, 0, load);
        }
    }
    for (id, place) in marking.places.iter().enumerate() {
        enabling.moved(program, GaugeId(id as u32), 0, place.tokens);
    }
    for lines in program.lines.iter() {
        let Some(values) = &lines.values else { continue };
        for gauge in marking.listed(program, lines.front).into_iter().filter_map(|token| values.gauge(token)) {
            enabling.shows(program, gauge, true);
        }
    }
}

/// The streams of the transitions of a replication whose stream begins with these words; none unless each has one.
fn own_streams(program: &Program, seed: [u64; 3]) -> Table<TransitionId, Random> {
    let plans = program.transitions.iter().filter(|_| program.own_streams);
    plans.map(|plan| Random::new(own_words(seed, &plan.name))).collect()
}
