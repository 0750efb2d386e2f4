//! Transitions with clocks race: clocks are set and stopped when an instant is over, and run down (C1 to C5).

use crate::base::fault::{Fault, Outcome};
use crate::base::ids::{SpanId, TransitionId};
use crate::base::ticks::{self, whole, HORIZON};
use crate::collections::tournament::NEVER;
use crate::engine::limits::RunError;
use crate::engine::run::Engine;
use crate::engine::search::{natural, Goal};
use crate::program::arc::{Count, Find, InputProgram};
use crate::program::clock::{ClockKind, ClockProgram, Memory};
use crate::program::expression::{Real, Value};
use crate::program::transition::{Selection, TransitionProgram};
use crate::program::Program;
use crate::state::clocks::{Of, OwnClock, OwnClocks};
use crate::state::store::{int_rank, real_rank};

impl Engine {
    /// When the next firing in progress ends, or the first clock has run down (I8).
    pub(super) fn next_end(&mut self) -> ticks::Ticks {
        let end = self.agenda.next_end();
        if self.clocks.of.is_empty() {
            return end;
        }
        end.min(self.clocks.next_end()).max(self.now)
    }

    /// Clocks that have run down now: their transitions are enabled as far as that matters (C3).
    pub(super) fn ring(&mut self) {
        if self.clocks.next_end() > self.now {
            return;
        }
        while let Some(number) = self.clocks.next_due() {
            let transition = self.program.racing[number];
            self.clocks.of[number].due = true;
            self.clocks.unsettle(number);
            self.enabling.met(transition);
        }
    }

    /// The instant is over: clocks are set, stopped and dropped, in the order of the flat net (C2).
    pub(super) fn settle(&mut self, program: &Program) -> Result<(), Box<RunError>> {
        if std::mem::replace(&mut self.clocks.settled, true) {
            return Ok(());
        }
        for number in self.clocks.take_unsettled() {
            let transition = program.racing[number];
            let plan = &program.transitions[transition];
            let Some(clock) = &plan.clock else { continue };
            self.settle_one(program, plan, transition, clock)
                .map_err(|fault| self.run_error(program, transition, *fault))?;
            if std::mem::take(&mut self.clocks.of[number].due) {
                self.enabling.violated(transition);
            }
            self.clocks.time(number);
        }
        Ok(())
    }

    fn settle_one(
        &mut self,
        program: &Program,
        plan: &TransitionProgram,
        transition: TransitionId,
        clock: &ClockProgram,
    ) -> Outcome<()> {
        match clock.kind {
            ClockKind::Shared => self.settle_shared(program, plan, transition, clock),
            ClockKind::Black => self.settle_black(program, plan, transition, clock),
            ClockKind::Coloured => self.settle_coloured(program, plan, transition, clock),
        }
    }

    /// Whether nothing but the clock keeps watches from holding.
    fn is_possible(&self, transition: TransitionId, clock: &ClockProgram) -> bool {
        self.enabling.transitions[transition].unmet == u32::from(!self.clocks.of[clock.number].due)
    }

    // ------------------------------------------------------------ shared clocks

    fn settle_shared(
        &mut self,
        program: &Program,
        plan: &TransitionProgram,
        transition: TransitionId,
        clock: &ClockProgram,
    ) -> Outcome<()> {
        let bindings = if self.is_possible(transition, clock) { self.bindings(program, plan)? } else { 0 };
        let running = if bindings == 0 { 0 } else { self.wanted(program, plan, clock)?.saturating_mul(bindings) };
        let rate = if running == 0 { 0.0 } else { self.rate(program, clock, running)? };
        let (now, clocks) = (self.now, &mut self.clocks.of[clock.number]);
        let before = clocks.running as i128;
        let Of::Shared(shared) = &mut clocks.of else { return Ok(()) };
        if rate != shared.rate {
            shared.rate = rate;
            shared.end = if rate > 0.0 {
                let left = self.random.exponential() / rate;
                let end = if left <= HORIZON as f64 { now + left.round_ties_even() as i64 } else { ticks::NEVER };
                if end <= HORIZON {
                    end
                } else {
                    ticks::NEVER
                }
            } else {
                NEVER
            };
        }
        let more = running as i128 - (before - i128::from(std::mem::take(&mut shared.fires)));
        clocks.change(running, more.max(0) as u64, (-more).max(0) as u64, now);
        Ok(())
    }

    /// The number of bindings of a transition whose watches hold.
    fn bindings(&mut self, program: &Program, plan: &TransitionProgram) -> Outcome<u128> {
        let of_bag = |engine: &Engine, arc: usize| u128::from(engine.marking.places[plan.inputs[arc].place].tokens);
        let all = match plan.selection {
            Selection::Join(join) => return Ok(u128::from(self.marking.bindings(program, join))),
            Selection::Match(id) => return Ok(u128::from(self.marking.matches[id].bindings())),
            Selection::Tree(id) => {
                return Ok(self.marking.join_trees[id].bindings(&program.join_trees[id], &self.marking.places));
            }
            Selection::Search | Selection::Preferred(..) => {
                return Ok(u128::from(self.search(program, plan, Goal::All)?))
            }
            Selection::Single => 1,
            Selection::Bag(arc) => of_bag(self, arc),
            Selection::Product => self.products(plan),
        };
        if plan.plain {
            return Ok(all);
        }
        let goal = if plan.exhaustive { Goal::All } else { Goal::First };
        let enabled = self.search(program, plan, goal)? > 0;
        Ok(if enabled { all } else { 0 })
    }

    /// The sum of the rates of so many clocks, per tick.
    fn rate(&mut self, program: &Program, clock: &ClockProgram, clocks: u128) -> Outcome<f64> {
        self.variables.fill(0);
        let pace = self.pace(program, clock)?;
        let mean = self.mean(program, clock)?;
        Ok(if mean > 0.0 {
            clocks as f64 * pace / mean
        } else if pace > 0.0 {
            f64::INFINITY
        } else {
            0.0
        })
    }

    /// How fast clocks run now (C5).
    fn pace(&mut self, program: &Program, clock: &ClockProgram) -> Outcome<f64> {
        let Some((speed, span)) = &clock.speed else { return Ok(1.0) };
        let pace = speed.value(&mut self.scope(program, self.now))?;
        if pace < 0.0 {
            return Err(Fault::new("negative-speed", *span).with_real("speed", pace));
        }
        Ok(pace)
    }

    /// The mean of an exponential time, in ticks, for the variables of a binding.
    fn mean(&mut self, program: &Program, clock: &ClockProgram) -> Outcome<f64> {
        let Some(mean) = &clock.mean else { return Ok(0.0) };
        let mean = mean.value(&mut self.scope(program, self.now))?;
        if mean < 0.0 {
            let fault = Fault::new("bad-parameter", clock.time_span).with_text("distribution", "exp");
            return Err(fault.with_real("mean", mean));
        }
        Ok(mean)
    }

    /// The number of clocks of each binding (C1).
    fn wanted(&mut self, program: &Program, plan: &TransitionProgram, clock: &ClockProgram) -> Outcome<u128> {
        if clock.servers == Some(1) {
            return Ok(1);
        }
        let mut needs: Vec<(usize, u64)> = Vec::new();
        for arc in plan.inputs.iter().filter(|arc| !arc.keep) {
            let Find::Black(count) = &arc.find else { continue };
            let count = match count {
                Count::Const(count) => *count,
                Count::Of(count, span) => natural(count.value(&mut self.scope(program, self.now))?, *span)?,
            };
            match needs.iter_mut().find(|(place, _)| *place == arc.place.at()) {
                Some((_, sum)) => *sum = sum.saturating_add(count),
                None => needs.push((arc.place.at(), count)),
            }
        }
        let tokens = |place: usize| self.marking.places.get(place).map_or(0, |place| place.tokens);
        let degrees = needs.iter().filter(|(_, count)| *count > 0).map(|&(place, count)| tokens(place) / count);
        let degree = degrees.min().unwrap_or(1);
        Ok(u128::from(clock.servers.map_or(degree, |servers| servers.min(degree))))
    }

    // ------------------------------------------------------------ clocks of bindings

    fn own(&mut self, clock: &ClockProgram) -> &mut OwnClocks {
        match &mut self.clocks.of[clock.number].of {
            Of::Own(own) => own,
            Of::Shared(_) => unreachable!("a transition with clocks of its own"),
        }
    }

    fn settle_black(
        &mut self,
        program: &Program,
        plan: &TransitionProgram,
        transition: TransitionId,
        clock: &ClockProgram,
    ) -> Outcome<()> {
        let enabled = self.is_possible(transition, clock) && self.bindings(program, plan)? > 0;
        let wanted = if enabled { self.wanted(program, plan, clock)? } else { 0 };
        let (now, memory) = (self.now, clock.memory);
        let own = self.own(clock);
        let surplus = u128::from(own.running()).saturating_sub(wanted);
        let last = own.clocks.iter().rev().filter(|(_, clock)| clock.runs).map(|(number, _)| *number);
        let stopping: Vec<u64> = last.take(surplus as usize).collect();
        let dropped = stopping.len() as u64;
        stopping.into_iter().for_each(|number| own.stop(number, memory, now));
        self.forget_stopped(clock);
        self.begin_to_run(program, clock, enabled)?;
        let mut set = 0;
        if enabled {
            if plan.counts.is_empty() {
                self.variables.fill(0);
            }
            let running: Vec<u64> =
                self.own(clock).clocks.iter().filter(|(_, clock)| clock.runs).map(|(number, _)| *number).collect();
            if clock.mean_changes {
                for &number in &running {
                    self.renew(program, clock, number)?;
                }
            }
            let lacking = wanted as usize - running.len().min(wanted as usize);
            let own = self.own(clock);
            let resumed: Vec<u64> = own.stopped.iter().take(lacking).copied().collect();
            for &number in &resumed {
                let left = own.clocks[&number].left;
                own.start(number, left, now);
            }
            for _ in resumed.len()..lacking {
                self.new_clock(program, clock, Box::default())?;
                set += 1;
            }
        }
        self.settled(clock, set, dropped);
        Ok(())
    }

    fn settle_coloured(
        &mut self,
        program: &Program,
        plan: &TransitionProgram,
        transition: TransitionId,
        clock: &ClockProgram,
    ) -> Outcome<()> {
        let rows = if self.is_possible(transition, clock) { self.list(program, plan)? } else { Vec::new() };
        let arcs = plan.inputs.len();
        let keys: Vec<Box<[u64]>> = rows.chunks(arcs).map(|row| self.key(program, plan, row)).collect();
        let (now, memory) = (self.now, clock.memory);
        let own = self.own(clock);
        let enabled: std::collections::HashSet<u64> = keys.iter().filter_map(|key| own.of(key)).collect();
        let stopping: Vec<u64> =
            own.clocks.iter().filter(|(number, c)| c.runs && !enabled.contains(number)).map(|(n, _)| *n).collect();
        let dropped = stopping.len() as u64;
        stopping.into_iter().for_each(|number| own.stop(number, memory, now));
        self.forget_stopped(clock);
        self.begin_to_run(program, clock, !keys.is_empty())?;
        let mut set = 0;
        for (row, key) in rows.chunks(arcs).zip(keys) {
            self.load(plan, row);
            match self.own(clock).of(&key) {
                None => {
                    self.new_clock(program, clock, key)?;
                    set += 1;
                }
                Some(number) => {
                    let own = self.own(clock);
                    let OwnClock { runs, left, .. } = &own.clocks[&number];
                    if !runs {
                        let left = *left;
                        own.start(number, left, now);
                    } else if clock.mean_changes {
                        self.renew(program, clock, number)?;
                    }
                }
            }
        }
        self.settled(clock, set, dropped);
        Ok(())
    }

    /// Clocks that have stopped are forgotten, unless they have a memory and all their tokens are there.
    fn forget_stopped(&mut self, clock: &ClockProgram) {
        let Of::Own(own) = &mut self.clocks.of[clock.number].of else { return };
        if own.stopped.is_empty() {
            return;
        }
        let identities = &self.marking.identities;
        let lost = |number: &&u64| {
            clock.memory == Memory::Restart || !own.clocks[number].key.iter().all(|&token| identities.is_present(token))
        };
        let forgotten: Vec<u64> = own.stopped.iter().filter(lost).copied().collect();
        self.clocks.kept -= forgotten.len() as u64;
        forgotten.into_iter().for_each(|number| own.remove(number));
    }

    /// Virtual time begins where no clock runs, and goes on at the speed of now.
    fn begin_to_run(&mut self, program: &Program, clock: &ClockProgram, enabled: bool) -> Outcome<()> {
        let now = self.now;
        if self.own(clock).running() == 0 {
            self.own(clock).rewind(now);
        }
        if enabled && clock.speed.is_some() {
            self.variables.fill(0);
            let pace = self.pace(program, clock)?;
            self.own(clock).change_pace(pace, now);
        }
        Ok(())
    }

    /// Sets a clock of the binding whose values are the variables.
    fn new_clock(&mut self, program: &Program, clock: &ClockProgram, key: Box<[u64]>) -> Outcome<()> {
        if self.clocks.kept >= self.limits.tokens {
            return Err(Fault::new("clock-limit", SpanId::NONE).with_int("limit", self.limits.tokens as i64));
        }
        let mean = self.mean(program, clock)?;
        let time = self.draw_time(program, clock)?;
        let now = self.now;
        self.clocks.kept += 1;
        let own = self.own(clock);
        let number = own.set(key, time, mean);
        own.start(number, time, now);
        Ok(())
    }

    /// A clock without memory whose mean has changed is set anew (C4).
    fn renew(&mut self, program: &Program, clock: &ClockProgram, number: u64) -> Outcome<()> {
        let mean = self.mean(program, clock)?;
        if mean == self.own(clock).clocks[&number].mean {
            return Ok(());
        }
        let time = self.draw_time(program, clock)?;
        let now = self.now;
        let own = self.own(clock);
        own.stop(number, Memory::Restart, now);
        if let Some(renewed) = own.clocks.get_mut(&number) {
            (renewed.mean, renewed.time) = (mean, time);
        }
        own.start(number, time, now);
        Ok(())
    }

    /// The time to which a clock is set: a whole number of ticks, unless its speed may change.
    fn draw_time(&mut self, program: &Program, clock: &ClockProgram) -> Outcome<f64> {
        let time = match &clock.time {
            Real::Const(time) => *time,
            time => time.value(&mut self.scope(program, self.now))?,
        };
        if time <= -1.0 {
            let fault = Fault::new("negative-time", clock.time_span);
            return Err(fault.with_real("duration", program.tick.time(time)));
        }
        Ok(if clock.speed.is_some() { time.max(0.0) } else { self.lasting(whole(time)) as f64 })
    }

    fn settled(&mut self, clock: &ClockProgram, set: u64, dropped: u64) {
        let running = u128::from(self.own(clock).running());
        let now = self.now;
        self.clocks.of[clock.number].change(running, set, dropped, now);
    }

    // ------------------------------------------------------------ bindings and their tokens

    /// All bindings, in order: the tokens of each, arc by arc.
    fn list(&mut self, program: &Program, plan: &TransitionProgram) -> Outcome<Vec<u64>> {
        self.search(program, plan, Goal::Each)?;
        Ok(self.scratch.take_listed())
    }

    /// The numbers of the coloured tokens of a binding.
    fn key(&self, program: &Program, plan: &TransitionProgram, row: &[u64]) -> Box<[u64]> {
        let arcs = plan.inputs.iter().zip(row).filter(|(arc, _)| program.places[arc.place].width > 0);
        arcs.map(|(arc, &token)| self.marking.identities.at(arc.place, position(arc, token))).collect()
    }

    /// Gives the variables the values of a binding.
    fn load(&mut self, plan: &TransitionProgram, row: &[u64]) {
        self.variables.fill(0);
        for (arc, &token) in plan.inputs.iter().zip(row).filter(|(arc, _)| !arc.binds.is_empty()) {
            let values = self.marking.token(arc.place, position(arc, token));
            for (slot, variable) in &arc.binds {
                self.variables[variable.at()] = values[*slot as usize];
            }
        }
    }

    /// The bindings whose clock has run down, in order (C3).
    pub(super) fn due(
        &mut self,
        program: &Program,
        plan: &TransitionProgram,
        clock: &ClockProgram,
    ) -> Outcome<Vec<u64>> {
        let rows = self.list(program, plan)?;
        let now = self.now;
        let own = self.own(clock);
        let due: std::collections::HashSet<u64> = own.due(now).collect();
        let mut found = Vec::new();
        for row in rows.chunks(plan.inputs.len()) {
            let key = self.key(program, plan, row);
            if self.own(clock).of(&key).is_some_and(|number| due.contains(&number)) {
                found.extend_from_slice(row);
            }
        }
        Ok(found)
    }

    /// Chooses one of the due bindings (I4); its tokens are in `scratch.chosen`.
    pub(super) fn bind_due(
        &mut self,
        program: &Program,
        plan: &TransitionProgram,
        clock: &ClockProgram,
    ) -> Outcome<()> {
        let arcs = plan.inputs.len();
        let mut due = self.due(program, plan, clock)?;
        if let (Some(prefer), true) = (&plan.prefer, due.len() > arcs) {
            let mut ranks = Vec::new();
            for row in due.chunks(arcs) {
                self.load(plan, row);
                let scope = &mut self.scope(program, self.now);
                let rank = match &prefer.key {
                    Value::Int(key) => int_rank(key.value(scope)?),
                    Value::Real(key) => real_rank(key.value(scope)?),
                };
                ranks.push(if prefer.most { !rank } else { rank });
            }
            let best = ranks.iter().min().copied();
            let preferred = due.chunks(arcs).zip(&ranks).filter(|(_, rank)| Some(**rank) == best);
            due = preferred.flat_map(|(row, _)| row.iter().copied()).collect();
        }
        let chosen = self.random.equal_choice((due.len() / arcs) as u64) as usize;
        for (arc, &token) in due[chosen * arcs..(chosen + 1) * arcs].iter().enumerate() {
            self.scratch.chosen[arc] = token;
        }
        Ok(())
    }

    /// The clock of the binding in `scratch.chosen` is over, as the binding fires.
    pub(super) fn fired(&mut self, program: &Program, plan: &TransitionProgram, transition: TransitionId) {
        let Some(clock) = &plan.clock else { return };
        self.clocks.settled = false;
        self.clocks.unsettle(clock.number);
        let now = self.now;
        let over = match clock.kind {
            ClockKind::Shared => {
                if let Of::Shared(shared) = &mut self.clocks.of[clock.number].of {
                    shared.fires += 1;
                    (shared.rate, shared.end) = (0.0, NEVER);
                }
                true
            }
            ClockKind::Black => {
                let own = self.own(clock);
                let first = own.due(now).min();
                first.into_iter().for_each(|number| own.remove(number));
                let over = own.due(now).next().is_none();
                self.clocks.kept -= 1;
                over
            }
            ClockKind::Coloured => {
                let row: Vec<u64> = self.scratch.chosen.iter().take(plan.inputs.len()).copied().collect();
                let key = self.key(program, plan, &row);
                let own = self.own(clock);
                if let Some(number) = own.of(&key) {
                    own.remove(number);
                }
                let over = own.due(now).next().is_none();
                self.clocks.kept -= 1;
                over
            }
        };
        if over {
            self.clocks.of[clock.number].due = false;
            self.enabling.violated(transition);
        } else if !plan.plain {
            self.enabling.touch(transition);
        }
    }
}

/// The position of the token that an arc finds in its place.
fn position(arc: &InputProgram, token: u64) -> usize {
    match arc.find {
        Find::Head { depth } => depth,
        _ => token as usize,
    }
}
