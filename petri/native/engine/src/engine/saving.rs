//! The state of an engine as data, and an engine that goes on from it.
//!
//! What is saved is the state of the semantics: tokens and their order, firings in progress, clocks, random numbers, statistics.
//! All else of an engine follows from it and is made again, by what makes it at time 0: `Marking::add` fills indices, joins,
//! matches and rankings, `Enabling::moved` counts conditions, `Agenda::begin` plays the tournament. All these hold whole numbers,
//! and choices depend on the numbers and not on how they came about.

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::AtomicU64;
use std::sync::Arc;

use crate::base::fault::Fault;
use crate::base::ids::{PlaceId, TransitionId};
use crate::base::saved::{
    fits, number, wide, Fit, SavedEngine, SavedFiring, SavedGift, SavedOwnClock, SavedOwnClocks, SavedPlace,
    SavedSharedClock, SavedTransition, Unfit,
};
use crate::base::ticks::{Ticks, HORIZON, NEVER};
use crate::collections::tournament;
use crate::engine::limits::Limits;
use crate::engine::run::Engine;
use crate::engine::tokens::next_deposit;
use crate::observe::observers::ExtraObservers;
use crate::program::arc::{Count, Give, OutputProgram};
use crate::program::conservation::taken;
use crate::program::place::PlaceProgram;
use crate::program::time::Time;
use crate::program::transition::{TransitionProgram, MOST_HELD, NO_LANE};
use crate::program::Program;
use crate::state::arena::{Arena, Housed};
use crate::state::clocks::{Of, OwnClock, OwnClocks};
use crate::state::common_clock::GREATEST_RATE;
use crate::state::enabling::Enabling;
use crate::state::marking::Marking;

// ---------------------------------------------------------------- writing

impl Engine {
    /// The state, when a run has returned "until" or "dead".
    pub fn save(&mut self) -> SavedEngine {
        let (shared, own) = self.save_clocks();
        let mut saved = SavedEngine {
            now: self.now,
            firings: self.firings,
            hash: self.hash.0,
            random: self.random.state,
            places: self.save_places(),
            transitions: self.save_transitions(),
            in_progress: self.save_firings(),
            shared,
            common: Some(self.clocks.common.end).filter(|&end| end < tournament::NEVER),
            own,
            rows: self.streams.arrived(),
            window: self.window,
            counters: Vec::new(),
            samples: Vec::new(),
            passages: Vec::new(),
            orders: Vec::new(),
            contents: Vec::new(),
            watched: Vec::new(),
            levels: self.observers.levels.are_kept().then(|| self.observers.levels.at(&self.marking.places, self.now)),
            settled: true,
            own_random: self.own.iter().take(self.program.own).map(|stream| stream.state).collect(),
        };
        self.observers.probes.save(&mut saved);
        saved
    }

    fn save_places(&self) -> Vec<SavedPlace> {
        let integrals = self.integrals.wide_of_places(&self.marking.places, self.now);
        let rows = self
            .marking
            .places
            .iter()
            .take(self.program.own_places)
            .zip(self.program.places.iter())
            .zip(integrals)
            .enumerate();
        rows.map(|(id, ((place, plan), integral))| SavedPlace {
            tokens: place.tokens,
            words: if plan.width > 0 {
                self.marking.listed(&self.program, PlaceId(id as u32)).concat()
            } else {
                Vec::new()
            },
            integral: wide(integral),
            busy: place.nonempty(self.now, plan.holds_one()),
            maximum: place.maximum,
            arrivals: place.arrivals,
        })
        .collect()
    }

    fn save_transitions(&self) -> Vec<SavedTransition> {
        let integrals = self.integrals.wide_of_transitions(&self.enabling.transitions, self.now);
        let plans = self.program.transitions.iter().take(self.program.own);
        let rows = self.enabling.transitions.iter().zip(plans).zip(integrals);
        let mut saved: Vec<SavedTransition> = rows
            .map(|((transition, plan), integral)| SavedTransition {
                integral: wide(integral),
                busy: transition.active(self.now, plan.takes_turns),
                firings: transition.firings,
                set: 0,
                dropped: 0,
            })
            .collect();
        for (id, clocks) in self.program.racing.iter().zip(self.clocks.of.iter()) {
            let row = &mut saved[id.at()];
            (row.integral, row.busy) = (wide(clocks.integral_at(self.now)), clocks.busy_at(self.now));
            (row.set, row.dropped) = (clocks.set, clocks.dropped);
        }
        saved
    }

    fn save_firings(&mut self) -> Vec<SavedFiring> {
        let program = Arc::clone(&self.program);
        let save = |(end, id, record): (Ticks, TransitionId, &[u64])| {
            let mut cursor = 0;
            let gift = |give: &Give| {
                let (place, count, values) = next_deposit(record, give, &mut cursor);
                let words = match give {
                    _ if count == 0 => Vec::new(),
                    Give::Each => self.bundles.words(record[values.start]).to_vec(),
                    _ => record[values].to_vec(),
                };
                SavedGift { place: place.0, count, words }
            };
            let gives = program.transitions[id].gives.iter().map(gift).collect();
            let (transition, part) = origin(&program, id);
            SavedFiring { end, transition: transition.0, part, gives }
        };
        self.agenda.listed().into_iter().map(save).collect()
    }

    fn save_clocks(&self) -> (Vec<SavedSharedClock>, Vec<SavedOwnClocks>) {
        let (mut shared, mut own) = (Vec::new(), Vec::new());
        for (&id, clocks) in self.program.racing.iter().zip(self.clocks.of.iter()) {
            match &clocks.of {
                Of::Shared { part } => shared.push(SavedSharedClock {
                    running: wide(clocks.running as i128),
                    rate: self.clocks.common.rate(*part),
                }),
                Of::Own(clocks) => own.push(self.save_own(&self.program.transitions[id], clocks)),
            }
        }
        (shared, own)
    }

    /// The clocks of a transition, without those whose tokens have gone.
    fn save_own(&self, plan: &TransitionProgram, own: &OwnClocks) -> SavedOwnClocks {
        let positions: Vec<HashMap<u64, u64>> = coloured(&self.program, plan)
            .map(|place| self.marking.identities.listed(place).into_iter().zip(0..).collect())
            .collect();
        let save = |id: u32| {
            let tokens = positions.iter().zip(own.key(id)).map(|(known, number)| known.get(&number).copied());
            let tokens = tokens.collect::<Option<Vec<u64>>>()?;
            let OwnClock { time, until, mean } = own[id];
            Some(SavedOwnClock { tokens, time, until, runs: own.runs(id), mean })
        };
        let (virtual_time, since, pace) = own.course();
        SavedOwnClocks { virtual_time, since, pace, clocks: own.in_order().filter_map(save).collect() }
    }
}

/// The places of the coloured input arcs, whose tokens identify a binding (C1).
fn coloured<'p>(program: &'p Program, plan: &'p TransitionProgram) -> impl Iterator<Item = PlaceId> + 'p {
    plan.inputs.iter().map(|arc| arc.place).filter(|&place| program.places[place].width > 0)
}

/// The transition of the net, and 0, or the number of the output arc, from 1, whose tokens are on the way (I11).
fn origin(program: &Program, id: TransitionId) -> (TransitionId, u32) {
    let Some((transition, _)) = program.transitions[id].delivers else { return (id, 0) };
    let outputs = &program.transitions[transition].outputs;
    let before = outputs.iter().take_while(|arc| arc.delay.as_ref().is_none_or(|delay| delay.delivery != id));
    (transition, before.count() as u32 + 1)
}

/// The transition that ends a firing, or delivers tokens on the way.
fn ending(program: &Program, firing: &SavedFiring) -> Option<TransitionId> {
    let id = TransitionId(firing.transition);
    let plan = program.transitions.get(id.at()).filter(|_| id.at() < program.own)?;
    match (firing.part as usize).checked_sub(1) {
        None => Some(id),
        Some(arc) => plan.outputs.get(arc)?.delay.as_ref().map(|delay| delay.delivery),
    }
}

/// The arcs whose tokens it deposits when it ends.
fn deposits(plan: &TransitionProgram) -> impl Iterator<Item = (&Give, &OutputProgram)> {
    plan.gives.iter().zip(plan.outputs.iter().filter(|arc| arc.delay.is_none()))
}

// ---------------------------------------------------------------- going on

impl Engine {
    /// An engine that goes on from a state of the program's net.
    pub fn resume(
        program: Arc<Program>,
        saved: &SavedEngine,
        limits: Limits,
        extra: ExtraObservers,
        stop: Arc<AtomicU64>,
    ) -> Fit<Housed<Self>> {
        check_sizes(&program, saved)?;
        check_tokens(&program, saved)?;
        let arena = Arena::new(&program, size_of::<Self>());
        let mut enabling = Enabling::new(&program, &arena);
        let mut marking = Marking::empty(&program, &arena);
        for (i, place) in saved.places.iter().enumerate() {
            let id = PlaceId(i as u32);
            let width = program.places[id].width;
            let black = (width == 0).then_some((place.tokens, &[][..]));
            let coloured = place.words.chunks_exact(width.max(1)).map(|token| (1, token));
            let filled = marking.fill(&program, &mut enabling, id, coloured.chain(black), &stop);
            filled.and_then(|()| marking.make_room(&program, &mut enabling, id)).map_err(|fault| unfit(&fault))?;
        }
        let mut engine = Engine::with(Arc::clone(&program), arena, enabling, marking, [0; 3], limits, extra, stop);
        (engine.now, engine.window, engine.firings) = (saved.now, saved.window, saved.firings);
        (engine.hash.0, engine.random.state) = (saved.hash, saved.random);
        engine.resume_own_streams(&program, &saved.own_random)?;
        engine.instant_began = saved.firings;
        engine.resume_statistics(&program, saved)?;
        for (serial, firing) in saved.in_progress.iter().enumerate() {
            engine.resume_firing(&program, serial as u64, firing)?;
        }
        engine.resume_clocks(&program, saved)?;
        fits(engine.streams.resume(&saved.rows), "there are not as many streams")?;
        engine.observers.probes.resume(saved)?;
        let levels = &mut engine.observers.levels;
        let as_many = levels.resume(saved.levels.as_deref().unwrap_or_default(), saved.now);
        fits(as_many || saved.levels.is_none() || !levels.are_kept(), "there are not as many places")?;
        Ok(engine)
    }

    fn resume_own_streams(&mut self, program: &Program, saved: &[[u64; 4]]) -> Fit<()> {
        let wanted = if program.own_streams { program.own } else { 0 };
        fits(saved.len() == wanted, "there are not as many random streams")?;
        self.own.iter_mut().zip(saved).for_each(|(stream, &state)| stream.state = state);
        Ok(())
    }

    fn resume_statistics(&mut self, program: &Program, saved: &SavedEngine) -> Fit<()> {
        let numbers = |words: Vec<_>| words.into_iter().map(number).collect::<Fit<Vec<i128>>>();
        let mut of_places = numbers(saved.places.iter().map(|place| place.integral).collect())?;
        let mut of_transitions = numbers(saved.transitions.iter().map(|one| one.integral).collect())?;
        let mut in_progress = vec![0; program.own];
        saved.in_progress.iter().for_each(|one| in_progress[one.transition as usize] += u64::from(one.part == 0));
        for (i, place) in saved.places.iter().enumerate() {
            let (id, state) = (PlaceId(i as u32), &mut self.marking.places[PlaceId(i as u32)]);
            state.resume(place, saved.now);
            if program.places[id].holds_one() {
                state.sums.add(std::mem::take(&mut of_places[i]) as Ticks);
            }
        }
        for (i, one) in saved.transitions.iter().enumerate() {
            let (id, state) = (TransitionId(i as u32), &mut self.enabling.transitions[TransitionId(i as u32)]);
            state.resume(in_progress[i], one, saved.now);
            if program.transitions[id].takes_turns {
                state.sums.add(std::mem::take(&mut of_transitions[i]) as Ticks);
            }
        }
        for (id, clocks) in program.racing.iter().zip(self.clocks.of.iter_mut()) {
            let row = &saved.transitions[id.at()];
            clocks.resume(0, row, std::mem::take(&mut of_transitions[id.at()]), saved.now);
        }
        self.integrals.resume(&of_places, &of_transitions, saved.now);
        Ok(())
    }

    fn resume_firing(&mut self, program: &Program, serial: u64, firing: &SavedFiring) -> Fit<()> {
        let id = ending(program, firing).ok_or_else(of_no_transition)?;
        let plan = &program.transitions[id];
        self.record.clear();
        for (gift, (give, _)) in firing.gives.iter().zip(deposits(plan)) {
            self.record_gift(gift, give);
            self.marking.total += gift.count;
            let target = &program.places[PlaceId(gift.place)];
            for token in gift.words.chunks_exact(target.width.max(1)) {
                if let Some(key) = &target.key {
                    self.marking.rank(key, token).map_err(|fault| unfit(&fault))?;
                }
                self.marking.weigh_token(target, token).map_err(|fault| unfit(&fault))?;
            }
        }
        if plan.reserves {
            self.reserve(program, plan);
        }
        // The next firing of the lane will end last of all in it.
        let (lane, last) = (plan.lane, self.lasting_of(plan));
        if lane != NO_LANE && !(self.agenda.is_last_of(lane, firing.end) && firing.end <= last) {
            return Err(Unfit::Beyond);
        }
        let words = if program.simple[id].is_simple() { 0 } else { plan.held };
        self.agenda.begin(firing.end, serial, id, lane, words).copy_from_slice(&self.record[..words]);
        Ok(())
    }

    /// A gift, in the record of its firing.
    fn record_gift(&mut self, gift: &SavedGift, give: &Give) {
        match *give {
            Give::Black { .. } => {}
            Give::Token { .. } => self.record.extend(&gift.words),
            Give::Open { width } => {
                self.record.extend([u64::from(gift.place), gift.count]);
                let end = self.record.len() + width as usize;
                self.record.extend(&gift.words);
                self.record.resize(end, 0);
            }
            Give::Each => {
                self.bundles.put_back(0, gift.words.clone());
                let number = if gift.count > 0 { self.bundles.hold(0) } else { 0 };
                self.record.extend([u64::from(gift.place), gift.count, number]);
            }
        }
    }

    /// When a firing of constant time would end that starts now.
    fn lasting_of(&self, plan: &TransitionProgram) -> Ticks {
        match plan.time {
            Time::Const(duration) => self.now + self.lasting(duration),
            _ => self.now,
        }
    }

    fn resume_clocks(&mut self, program: &Program, saved: &SavedEngine) -> Fit<()> {
        let (mut shared, mut own) = (saved.shared.iter(), saved.own.iter());
        let mut rates = Vec::new();
        for (index, &id) in program.racing.iter().enumerate() {
            let clocks = &mut self.clocks.of[index];
            clocks.running = match &mut clocks.of {
                Of::Shared { .. } => {
                    let saved = shared.next().ok_or_else(|| Unfit::Wrong("a clock is missing".into()))?;
                    rates.push(saved.rate);
                    number(saved.running)?.unsigned_abs()
                }
                Of::Own(clocks) => {
                    let saved = own.next().ok_or_else(|| Unfit::Wrong("clocks are missing".into()))?;
                    let tokens: Vec<Vec<u64>> = coloured(program, &program.transitions[id])
                        .map(|place| self.marking.identities.listed(place))
                        .collect();
                    resume_own(clocks, saved, &tokens)?;
                    let clock = program.transitions[id].clock.as_ref();
                    let place = clock.and_then(|clock| clock.place).map(|place| self.marking.places[place].tokens);
                    fits(
                        place.is_none_or(|tokens| clocks.count as u64 <= tokens),
                        "there are more clocks than tokens",
                    )?;
                    self.clocks.kept += clocks.count as u64;
                    clocks.running().into()
                }
            };
            self.clocks.time(index);
        }
        fits(shared.len() + own.len() == 0, "there are clocks of more transitions")?;
        let right = self.clocks.common.resume(&rates, saved.common.unwrap_or(tournament::NEVER));
        fits(right, "the common clock does not run as its rates say")?;
        (self.clocks.settled, self.clocks.settled_after) = (saved.settled, saved.firings);
        self.marking.identities.forget_changes();
        self.look_at_black_tokens(program);
        Ok(())
    }
}

fn resume_own(clocks: &mut OwnClocks, saved: &SavedOwnClocks, tokens: &[Vec<u64>]) -> Fit<()> {
    clocks.resume_course((saved.virtual_time, saved.since, saved.pace));
    for clock in &saved.clocks {
        let number = |(known, &position): (&Vec<u64>, &u64)| known.get(usize::try_from(position).ok()?).copied();
        let key = tokens.iter().zip(&clock.tokens).map(number).collect::<Option<Vec<u64>>>();
        let is_free = |key: &[u64]| key.is_empty() || clocks.of(key).is_none();
        let key = key.filter(|key| clock.tokens.len() == tokens.len() && is_free(key));
        clocks.resume(clock, &key.ok_or_else(|| Unfit::Wrong("a clock has no binding of its own".into()))?);
    }
    Ok(())
}

// ---------------------------------------------------------------- checks

/// As many places, transitions and arcs as the program has; times of the run.
fn check_sizes(program: &Program, saved: &SavedEngine) -> Fit<()> {
    let sizes = [saved.places.len(), saved.transitions.len()];
    fits(sizes == [program.own_places, program.own], "there are not as many places and transitions")?;
    let time = 0..=HORIZON;
    fits(time.contains(&saved.now) && (0..=saved.now).contains(&saved.window), "the time is not one of a run")?;
    fits(saved.firings < 1 << 48, "there have been too many firings")?;
    for place in &saved.places {
        fits(
            time.contains(&place.busy) && place.maximum.max(place.tokens) <= MOST_HELD,
            "the figures of a place are not",
        )?;
    }
    let spans = saved.transitions.iter().all(|one| time.contains(&one.busy));
    let common = saved.common.is_none_or(|end| is_end(saved, end));
    fits(spans && common, "the common clock, or the figures of a transition, are not")?;
    let rates = saved.shared.iter().all(|clock| (0.0..=GREATEST_RATE).contains(&clock.rate));
    fits(rates, "a clock has no rate")?;
    let mut own = saved.own.iter().flat_map(|own| &own.clocks);
    let numbers = own.all(|clock| [clock.time, clock.until, clock.mean].iter().all(|time| time.is_finite()));
    fits(numbers, "the time of a clock is not one")?;
    let course = |own: &SavedOwnClocks| own.virtual_time.is_finite() && own.pace >= 0.0 && time.contains(&own.since);
    fits(saved.own.iter().all(course), "clocks have no speed")?;
    let levels = saved.levels.iter().flatten().all(|time| (0..=saved.now).contains(time));
    fits(levels, "the time at a number of tokens is not one of the run")
}

/// Whether a firing in progress, or a clock, may end then.
fn is_end(saved: &SavedEngine, end: Ticks) -> bool {
    end > saved.now && end <= HORIZON || end == NEVER
}

/// Tokens in places, and those that firings will deposit, are of their places, and what the program has been compiled for.
fn check_tokens(program: &Program, saved: &SavedEngine) -> Fit<()> {
    let mut held: Vec<u64> = saved.places.iter().map(|place| place.tokens).collect();
    held.resize(program.places.len(), 0);
    for (place, plan) in saved.places.iter().zip(program.places.iter()) {
        let words = place.tokens.checked_mul(plan.width as u64) == Some(place.words.len() as u64);
        fits(words, format!("the tokens of `{}` are not whole", plan.name))?;
        place.words.chunks_exact(plan.width.max(1)).try_for_each(|token| check_token(plan, token))?;
    }
    let mut of_transitions: BTreeMap<TransitionId, BTreeMap<PlaceId, u64>> = BTreeMap::new();
    for firing in &saved.in_progress {
        let id = ending(program, firing).ok_or_else(of_no_transition)?;
        let plan = &program.transitions[id];
        let wrong = || format!("a firing of `{}` in progress is not one", plan.name);
        fits(is_end(saved, firing.end) && plan.clock.is_none() && firing.gives.len() == plan.gives.len(), wrong())?;
        let right = firing.gives.iter().zip(deposits(plan)).all(|(gift, (give, arc))| is_gift(gift, give, arc));
        fits(right && (firing.part == 0 || firing.gives.iter().all(|gift| gift.count > 0)), wrong())?;
        let taken = of_transitions.entry(id).or_insert_with(|| taken(plan));
        let mut given: BTreeMap<PlaceId, u64> = BTreeMap::new();
        for gift in &firing.gives {
            let place = PlaceId(gift.place);
            *given.entry(place).or_insert(0) += gift.count;
            let target = &program.places[place];
            gift.words.chunks_exact(target.width.max(1)).try_for_each(|token| check_token(target, token))?;
        }
        // A firing holds what it has taken, or more if it gives more. What it has taken may also be on the way.
        given.iter().for_each(|(place, count)| held[place.at()] = held[place.at()].saturating_add(*count));
        for (place, count) in taken.iter().filter(|_| plan.sends.is_empty()) {
            held[place.at()] += count.saturating_sub(given.get(place).copied().unwrap_or(0));
        }
    }
    let all = held.iter().fold(0, |sum: u64, &held| sum.saturating_add(held));
    fits(all <= MOST_HELD, "there are more tokens than a run holds")?;
    let few = program.places.iter().zip(&held).all(|(plan, &held)| plan.most.is_none_or(|most| held <= most));
    few.then_some(()).ok_or(Unfit::Beyond)
}

fn of_no_transition() -> Unfit {
    Unfit::Wrong("a firing in progress is of no transition".into())
}

fn check_token(plan: &PlaceProgram, token: &[u64]) -> Fit<()> {
    fits(plan.may_have(token), format!("a token is not of the colour of `{}`", plan.name))?;
    plan.expects(token).then_some(()).ok_or(Unfit::Beyond)
}

/// Whether an output arc may give this.
fn is_gift(gift: &SavedGift, give: &Give, arc: &OutputProgram) -> bool {
    let place = PlaceId(gift.place);
    let tokens = if let Give::Each = give { gift.count } else { gift.count.min(1) };
    let right = match *give {
        Give::Black { place: to, count } => place == to && gift.count == count,
        Give::Token { place: to, .. } => place == to && gift.count == 1,
        Give::Open { .. } | Give::Each => {
            arc.places.contains(&place) && gift.count <= MOST_HELD && is_count(gift.count, arc)
        }
    };
    right && tokens.checked_mul(arc.width as u64) == Some(gift.words.len() as u64)
}

/// Whether an output arc may give this number of tokens. One whose number is computed may give any.
fn is_count(count: u64, arc: &OutputProgram) -> bool {
    match arc.count {
        Count::Const(number) => count == number || (arc.condition.is_some() && count == 0),
        Count::Of(..) => true,
    }
}

/// A key or a weight has no value, or somebody has stopped it.
fn unfit(fault: &Fault) -> Unfit {
    match fault.id {
        "stopped" => Unfit::Stopped,
        id => Unfit::Wrong(format!("a token has no key or weight: {id}")),
    }
}
