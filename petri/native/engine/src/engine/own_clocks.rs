//! Clocks of bindings are set, stop, go on and are forgotten (C2, C5).

use std::collections::HashSet;

use crate::base::fault::{Fault, Outcome};
use crate::base::ids::SpanId;
use crate::base::ticks::whole;
use crate::engine::raced::Raced;
use crate::engine::run::Engine;
use crate::program::arc::Find;
use crate::program::clock::Memory;
use crate::program::expression::Real;
use crate::state::clocks::{Of, OwnClock, OwnClocks};

impl Engine {
    pub(super) fn own(&mut self, raced: Raced) -> &mut OwnClocks {
        match &mut self.clocks.of[raced.clock.number].of {
            Of::Own(own) => own,
            Of::Shared { .. } => unreachable!("a transition with clocks of its own"),
        }
    }

    /// A clock is over. Returns whether no other one has run down.
    pub(super) fn own_fired(&mut self, raced: Raced, number: Option<u64>) -> bool {
        let now = self.now;
        let own = self.own(raced);
        number.into_iter().for_each(|number| own.remove(number));
        let over = own.due(now).next().is_none();
        self.clocks.kept -= 1;
        over
    }

    pub(super) fn settle_black(&mut self, raced: Raced) -> Outcome<()> {
        let Raced { clock, .. } = raced;
        let enabled = self.is_possible(raced) && self.bindings(raced)? > 0;
        let wanted = if enabled { self.wanted(raced)? } else { 0 };
        let (now, memory) = (self.now, clock.memory);
        let own = self.own(raced);
        let surplus = u128::from(own.running()).saturating_sub(wanted);
        let last = own.clocks.iter().rev().filter(|(_, clock)| clock.runs).map(|(number, _)| *number);
        let stopping: Vec<u64> = last.take(surplus as usize).collect();
        let dropped = stopping.len() as u64;
        stopping.into_iter().for_each(|number| own.stop(number, memory, now));
        self.forget_stopped(raced);
        self.begin_to_run(raced, enabled)?;
        let mut set = 0;
        if enabled {
            let running: Vec<u64> =
                self.own(raced).clocks.iter().filter(|(_, clock)| clock.runs).map(|(number, _)| *number).collect();
            if clock.mean_changes {
                for &number in &running {
                    self.renew(raced, number)?;
                }
            }
            let lacking = wanted as usize - running.len().min(wanted as usize);
            let own = self.own(raced);
            let resumed: Vec<u64> = own.stopped.iter().take(lacking).copied().collect();
            for &number in &resumed {
                let left = own.clocks[&number].left;
                own.start(number, left, now);
            }
            for _ in resumed.len()..lacking {
                self.new_clock(raced, Box::default())?;
                set += 1;
            }
        }
        self.settled(raced, set, dropped);
        Ok(())
    }

    pub(super) fn settle_coloured(&mut self, raced: Raced) -> Outcome<()> {
        let Raced { plan, clock, .. } = raced;
        let possible = self.is_possible(raced);
        let before = std::mem::replace(&mut self.clocks.of[clock.number].possible, possible);
        if let (Some(arc), true, true) = (clock.lone, possible, before) {
            if !matches!(plan.inputs[arc].find, Find::Head { .. }) {
                return self.settle_changes(raced, arc);
            }
        }
        let rows = if possible { self.list(raced)? } else { Vec::new() };
        let arcs = plan.inputs.len();
        let keys: Vec<Box<[u64]>> = rows.chunks(arcs).map(|row| self.key(raced, row)).collect();
        let (now, memory) = (self.now, clock.memory);
        let own = self.own(raced);
        let enabled: HashSet<u64> = keys.iter().filter_map(|key| own.of(key)).collect();
        let stopping: Vec<u64> = own.that_run().into_iter().filter(|number| !enabled.contains(number)).collect();
        let dropped = stopping.len() as u64;
        stopping.into_iter().for_each(|number| own.stop(number, memory, now));
        self.forget_stopped(raced);
        self.begin_to_run(raced, !keys.is_empty())?;
        let mut set = 0;
        for (row, key) in rows.chunks(arcs).zip(keys) {
            self.load(raced, row);
            match self.own(raced).of(&key) {
                None => {
                    self.new_clock(raced, key)?;
                    set += 1;
                }
                Some(number) => {
                    let own = self.own(raced);
                    let OwnClock { runs, left, .. } = &own.clocks[&number];
                    if !runs {
                        let left = *left;
                        own.start(number, left, now);
                    } else if clock.mean_changes {
                        self.renew(raced, number)?;
                    }
                }
            }
        }
        self.settled(raced, set, dropped);
        Ok(())
    }

    /// The same where only the tokens of one arc have come and gone.
    fn settle_changes(&mut self, raced: Raced, arc: usize) -> Outcome<()> {
        let Raced { plan, .. } = raced;
        let place = plan.inputs[arc].place;
        let (came, went) = self.marking.identities.changes(place);
        let came = came.iter().filter_map(|&number| Some((self.marking.identities.position(place, number)?, number)));
        let mut came: Vec<(usize, u64)> = came.collect();
        came.sort_unstable();
        let went = went.to_vec();
        let mut dropped = 0;
        for token in went {
            let Some(number) = self.own(raced).of(&[token]) else { continue };
            dropped += u64::from(self.own(raced).clocks[&number].runs);
            self.own(raced).remove(number);
            self.clocks.kept -= 1;
        }
        let runs_on = self.own(raced).running() > 0;
        let mut row = vec![0; plan.inputs.len()];
        let mut fitting = Vec::new();
        for (position, number) in came {
            row[arc] = position as u64;
            self.load(raced, &row);
            if self.fits(raced, arc, position)? {
                fitting.push((position, number));
            }
        }
        self.begin_to_run(raced, runs_on || !fitting.is_empty())?;
        let set = fitting.len() as u64;
        for (position, number) in fitting {
            row[arc] = position as u64;
            self.load(raced, &row);
            self.new_clock(raced, Box::new([number]))?;
        }
        self.settled(raced, set, dropped);
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
        let Raced { plan, clock, .. } = raced;
        let Of::Own(own) = &mut self.clocks.of[clock.number].of else { return };
        let identities = &self.marking.identities;
        let forgotten: Vec<u64> = if clock.memory == Memory::Restart {
            own.stopped.iter().copied().collect()
        } else {
            let went = plan.inputs.iter().any(|arc| !identities.changes(arc.place).1.is_empty());
            let lost =
                |number: &&u64| went && own.clocks[number].key.iter().any(|&token| !identities.is_present(token));
            match clock.lone.map(|arc| identities.changes(plan.inputs[arc].place).1) {
                Some(went) => {
                    went.iter().filter_map(|&token| own.of(&[token])).filter(|n| own.stopped.contains(n)).collect()
                }
                None if went => own.stopped.iter().filter(lost).copied().collect(),
                None => Vec::new(),
            }
        };
        self.clocks.kept -= forgotten.len() as u64;
        forgotten.into_iter().for_each(|number| own.remove(number));
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
    fn new_clock(&mut self, raced: Raced, key: Box<[u64]>) -> Outcome<()> {
        if self.clocks.kept >= self.limits.tokens {
            return Err(Fault::new("clock-limit", SpanId::NONE).with_int("limit", self.limits.tokens as i64));
        }
        let mean = self.mean(raced)?;
        let time = self.draw_time(raced)?;
        let now = self.now;
        self.clocks.kept += 1;
        let own = self.own(raced);
        let number = own.set(key, time, mean);
        own.start(number, time, now);
        Ok(())
    }

    /// A clock without memory whose mean has changed is set anew (C4).
    fn renew(&mut self, raced: Raced, number: u64) -> Outcome<()> {
        let mean = self.mean(raced)?;
        if mean == self.own(raced).clocks[&number].mean {
            return Ok(());
        }
        let time = self.draw_time(raced)?;
        let now = self.now;
        let own = self.own(raced);
        own.stop(number, Memory::Restart, now);
        if let Some(renewed) = own.clocks.get_mut(&number) {
            (renewed.mean, renewed.time) = (mean, time);
        }
        own.start(number, time, now);
        Ok(())
    }

    /// The time to which a clock is set: a whole number of ticks, unless its speed may change.
    fn draw_time(&mut self, raced: Raced) -> Outcome<f64> {
        let Raced { program, clock, .. } = raced;
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

    fn settled(&mut self, raced: Raced, set: u64, dropped: u64) {
        let Raced { clock, .. } = raced;
        let running = u128::from(self.own(raced).running());
        let now = self.now;
        self.clocks.of[clock.number].change(running, set, dropped, now);
    }
}
