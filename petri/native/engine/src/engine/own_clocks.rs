//! Clocks of bindings are set, stop, go on and are forgotten (C2, C5).

use crate::base::fault::{Fault, Outcome};
use crate::base::ids::SpanId;
use crate::base::ticks::whole;
use crate::engine::raced::Raced;
use crate::engine::run::Engine;
use crate::program::clock::Memory;
use crate::program::expression::Real;
use crate::state::clocks::{Of, OwnClocks};

impl Engine {
    pub(super) fn own(&mut self, raced: Raced) -> &mut OwnClocks {
        match &mut self.clocks.of[raced.clock.number].of {
            Of::Own(own) => own,
            Of::Shared { .. } => unreachable!("a transition with clocks of its own"),
        }
    }

    /// A clock is over. Returns whether no other one has run down.
    pub(super) fn own_fired(&mut self, raced: Raced, fired: Option<u32>) -> bool {
        let now = self.now;
        let own = self.own(raced);
        fired.into_iter().for_each(|clock| own.remove(clock));
        let over = own.end() > now;
        self.clocks.kept -= 1;
        over
    }

    pub(super) fn settle_black(&mut self, raced: Raced) -> Outcome<()> {
        let Raced { clock, .. } = raced;
        let enabled = self.is_possible(raced) && self.bindings(raced)? > 0;
        let wanted = if enabled { self.wanted(raced)? } else { 0 };
        let lost = if enabled || clock.place.is_some() { self.lost(raced)? } else { 0 };
        let (now, memory) = (self.now, clock.memory);
        let clocks = &self.clocks.of[clock.number];
        let (counted, none_lost) = (clocks.running, lost == 0 && clocks.lost == [0; 2]);
        let own = self.own(raced);
        let running = u128::from(own.running());
        if running == wanted && running == counted && own.count as u128 == running && none_lost && clock.is_steady() {
            return Ok(());
        }
        let mut dropped = self.forget_lost(raced, lost);
        let own = self.own(raced);
        let surplus = u128::from(own.running()).saturating_sub(wanted) as usize;
        let surplus = if clock.place.is_none() { surplus.max(lost) } else { surplus };
        let stopping: Vec<u32> = own.oldest().take(surplus).collect();
        dropped += stopping.len() as u64;
        stopping.into_iter().for_each(|clock| own.stop(clock, memory, now));
        self.forget_stopped(raced);
        self.begin_to_run(raced, enabled)?;
        let mut set = 0;
        if enabled {
            if clock.mean_changes {
                let own = self.own(raced);
                let running: Vec<u32> = own.in_order().filter(|&clock| own.runs(clock)).collect();
                for clock in running {
                    self.renew(raced, clock)?;
                }
            }
            let own = self.own(raced);
            let lacking = wanted.saturating_sub(u128::from(own.running())) as usize;
            let mut resumed: Vec<u32> = if lacking > 0 { own.stopped().collect() } else { Vec::new() };
            resumed.reverse();
            resumed.truncate(lacking);
            for &clock in &resumed {
                let left = own[clock].until;
                own.start(clock, left, now);
            }
            for _ in resumed.len()..lacking {
                self.new_clock(raced, &[])?;
                set += 1;
            }
        }
        self.settled(raced, set, dropped);
        Ok(())
    }

    /// The clock of the only binding there may be, of the tokens that places show.
    pub(super) fn settle_single(&mut self, raced: Raced) -> Outcome<()> {
        let (clock, now) = (raced.clock, self.now);
        let enabled = self.is_possible(raced) && self.holds(raced)?;
        let counted = self.clocks.of[clock.number].running;
        if !enabled && counted == 0 && self.own(raced).count == 0 {
            return Ok(());
        }
        let mut key = std::mem::take(&mut self.scratch.key);
        key.clear();
        if enabled {
            self.append_shown(raced, &mut key);
        }
        let own = self.own(raced);
        let running = own.that_run().next();
        let goes_on = running.filter(|&running| enabled && own.key(running).eq(key.iter().copied()));
        if goes_on.is_some() && clock.is_steady() && (own.count, counted) == (1, 1) {
            self.scratch.key = key;
            return Ok(());
        }
        let stopping = running.filter(|_| goes_on.is_none());
        stopping.into_iter().for_each(|running| own.stop(running, clock.memory, now));
        self.forget_stopped(raced);
        self.begin_to_run(raced, enabled)?;
        let own = self.own(raced);
        let known = goes_on.or_else(|| if enabled && own.count > 0 { own.of(&key) } else { None });
        let mut set = 0;
        match known {
            Some(running) if goes_on.is_some() && clock.mean_changes => {
                self.load_shown(raced);
                self.renew(raced, running)?;
            }
            Some(stopped) if goes_on.is_none() => {
                let left = own[stopped].until;
                own.start(stopped, left, now);
            }
            None if enabled => {
                match clock.known_time().filter(|&time| time > -1.0 && self.clocks.kept < self.limits.tokens) {
                    Some(time) => self.set_clock(raced, &key, self.clock_time(raced, time), 0.0),
                    None => {
                        self.load_shown(raced);
                        self.new_clock(raced, &key)?;
                    }
                }
                set = 1;
            }
            _ => {}
        }
        self.scratch.key = key;
        self.settled(raced, set, u64::from(stopping.is_some()));
        Ok(())
    }

    pub(super) fn settle_coloured(&mut self, raced: Raced) -> Outcome<()> {
        let Raced { plan, clock, .. } = raced;
        let possible = self.is_possible(raced);
        let before = std::mem::replace(&mut self.clocks.of[clock.number].possible, possible);
        if let (Some(arc), true, true) = (clock.lone, possible, before) {
            return self.settle_changes(raced, arc);
        }
        let rows = if possible { self.list(raced)? } else { Vec::new() };
        let arcs = plan.inputs.len();
        let mut keys = Vec::new();
        rows.chunks(arcs).for_each(|row| self.append_key(raced, row, &mut keys));
        let (now, memory) = (self.now, clock.memory);
        let own = self.own(raced);
        let tokens = own.tokens;
        let mut enabled = vec![false; own.numbers()];
        keys.chunks(tokens).filter_map(|key| own.of(key)).for_each(|clock| enabled[clock as usize] = true);
        let stopping: Vec<u32> = own.that_run().filter(|&clock| !enabled[clock as usize]).collect();
        let dropped = stopping.len() as u64;
        stopping.into_iter().for_each(|clock| own.stop(clock, memory, now));
        self.forget_stopped(raced);
        self.begin_to_run(raced, !rows.is_empty())?;
        let mut set = 0;
        for (row, key) in rows.chunks(arcs).zip(keys.chunks(tokens)) {
            self.load(raced, row);
            let own = self.own(raced);
            match own.of(key) {
                None => {
                    self.new_clock(raced, key)?;
                    set += 1;
                }
                Some(stopped) if !own.runs(stopped) => {
                    let left = own[stopped].until;
                    own.start(stopped, left, now);
                }
                Some(running) if clock.mean_changes => self.renew(raced, running)?,
                Some(_) => {}
            }
        }
        self.settled(raced, set, dropped);
        Ok(())
    }

    /// The same where only the tokens of one arc have come and gone.
    fn settle_changes(&mut self, raced: Raced, arc: usize) -> Outcome<()> {
        let place = raced.plan.inputs[arc].place;
        let identities = &self.marking.identities;
        let (came, went) = identities.changes(place);
        let Of::Own(own) = &mut self.clocks.of[raced.clock.number].of else { return Ok(()) };
        let mut dropped = 0;
        for &token in went {
            let Some(clock) = own.of(&[token]) else { continue };
            dropped += u64::from(own.runs(clock));
            own.remove(clock);
            self.clocks.kept -= 1;
        }
        let runs_on = own.running() > 0;
        let mut fitting = std::mem::take(&mut self.scratch.tokens);
        fitting.clear();
        fitting.extend(came.iter().filter_map(|&number| Some((identities.position(place, number)?, number))));
        fitting.sort_unstable();
        let mut set = 0;
        for at in 0..fitting.len() {
            let (position, _) = fitting[at];
            self.load_alone(raced, arc, position);
            if self.fits(raced, arc, position)? {
                fitting[set] = fitting[at];
                set += 1;
            }
        }
        self.begin_to_run(raced, runs_on || set > 0)?;
        for &(position, number) in &fitting[..set] {
            self.load_alone(raced, arc, position);
            self.new_clock(raced, &[number])?;
        }
        self.scratch.tokens = fitting;
        self.settled(raced, set as u64, dropped);
        Ok(())
    }

    /// Whether the token at a position, whose values are in the variables, is one that the pattern and the guard accept.
    fn fits(&mut self, raced: Raced, arc: usize, position: usize) -> Outcome<bool> {
        let Raced { program, plan, .. } = raced;
        let input = &plan.inputs[arc];
        for (slot, value) in &input.equals {
            let wanted = value.bits(&mut self.scope(program, self.now))?;
            if self.marking.token(input.place, position)[*slot as usize] != wanted {
                return Ok(false);
            }
        }
        plan.guard.as_ref().map_or(Ok(true), |guard| guard.value(&mut self.scope(program, self.now)))
    }

    /// Clocks that have stopped are forgotten, unless they have a memory and all their tokens are there.
    fn forget_stopped(&mut self, raced: Raced) {
        let Raced { program, plan, clock } = raced;
        let Of::Own(own) = &mut self.clocks.of[clock.number].of else { return };
        if own.count as u64 == own.running() {
            return;
        }
        let identities = &self.marking.identities;
        let went = |arc: usize| identities.changes(plan.inputs[arc].place).1;
        let forgotten: Vec<u32> = if clock.memory == Memory::Restart {
            own.stopped().collect()
        } else if let Some(arc) = clock.lone {
            went(arc).iter().filter_map(|&token| own.of(&[token])).filter(|&clock| !own.runs(clock)).collect()
        } else if (0..plan.inputs.len()).any(|arc| !went(arc).is_empty()) {
            let places = || plan.inputs.iter().map(|arc| arc.place).filter(|place| program.places[*place].width > 0);
            let is_lost = |&clock: &u32| {
                places().zip(own.key(clock)).any(|(place, token)| identities.position(place, token).is_none())
            };
            own.stopped().filter(is_lost).collect()
        } else {
            Vec::new()
        };
        self.clocks.kept -= forgotten.len() as u64;
        forgotten.into_iter().for_each(|clock| own.remove(clock));
    }

    /// Virtual time begins where no clock runs, and goes on at the speed of now.
    fn begin_to_run(&mut self, raced: Raced, enabled: bool) -> Outcome<()> {
        let Raced { clock, .. } = raced;
        let now = self.now;
        if self.own(raced).running() == 0 {
            self.own(raced).rewind(now);
        }
        if enabled && clock.speed.is_some() {
            let pace = self.pace(raced)?;
            self.own(raced).change_pace(pace, now);
        }
        Ok(())
    }

    /// Sets a clock of the binding whose values are the variables.
    fn new_clock(&mut self, raced: Raced, key: &[u64]) -> Outcome<()> {
        if self.clocks.kept >= self.limits.tokens {
            return Err(Fault::new("clock-limit", SpanId::NONE).with_int("limit", self.limits.tokens as i64));
        }
        let mean = self.mean(raced)?;
        let time = self.draw_time(raced)?;
        self.set_clock(raced, key, time, mean);
        Ok(())
    }

    fn set_clock(&mut self, raced: Raced, key: &[u64], time: f64, mean: f64) {
        let now = self.now;
        self.clocks.kept += 1;
        let own = self.own(raced);
        let clock = own.set(key, time, mean);
        own.start(clock, time, now);
    }

    /// A clock without memory whose mean has changed is set anew (C4).
    fn renew(&mut self, raced: Raced, clock: u32) -> Outcome<()> {
        let mean = self.mean(raced)?;
        if mean != self.own(raced)[clock].mean {
            let time = self.draw_time(raced)?;
            let now = self.now;
            self.own(raced).set_anew(clock, time, mean, now);
        }
        Ok(())
    }

    /// The time to which a clock is set: a whole number of ticks, unless its speed may change.
    fn draw_time(&mut self, raced: Raced) -> Outcome<f64> {
        let Raced { program, clock, .. } = raced;
        let time = match &clock.time {
            Real::Const(time) => *time,
            time => self.drawing_for(raced.id(), |engine| time.value(&mut engine.scope(program, engine.now)))?,
        };
        if time <= -1.0 {
            let fault = Fault::new("negative-time", clock.time_span);
            return Err(fault.with_real("duration", program.tick.time(time)));
        }
        Ok(self.clock_time(raced, time))
    }

    /// The time of a clock that is set to one.
    fn clock_time(&self, raced: Raced, time: f64) -> f64 {
        if raced.clock.speed.is_some() {
            time.max(0.0)
        } else {
            self.lasting(whole(time)) as f64
        }
    }

    fn settled(&mut self, raced: Raced, set: u64, dropped: u64) {
        let Raced { clock, .. } = raced;
        let running = u128::from(self.own(raced).running());
        let now = self.now;
        self.clocks.of[clock.number].change(running, set, dropped, now);
    }
}
