//! The clocks of the transitions that race (C1 to C5), and their statistics (M2).
//!
//! **Problem.** Clocks are set and stop as bindings come and go, many at one instant. Which one runs down first?
//!
//! **Idea.** Each transition keeps its own clocks in the order of their ends: in virtual time, which passes at the speed of the
//! clocks, so that a change of speed moves none of them. A tournament of one slot for each transition finds the first of all.
//! Exponential clocks of equal means are one, at the sum of their rates.
//!
//! Invariants:
//! - *ends*: `ends` has the clocks that run, and `stopped` the others.
//! - *keys*: where bindings have keys, `by_key` has each clock under its own.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::base::invariant::{ensure, Verified};
use crate::base::ticks::{self, Ticks, HORIZON};
use crate::collections::tournament::{Tournament, NEVER};
use crate::program::clock::{ClockKind, Memory};
use crate::program::Program;
use crate::state::store::real_rank;

/// The clock of a binding. Times in ticks.
#[derive(Clone, Debug, Default)]
pub struct OwnClock {
    /// The numbers of the coloured tokens of its binding.
    pub key: Box<[u64]>,
    /// The time to which it was set.
    pub time: f64,
    /// While it runs: the virtual time at which it has run down.
    pub target: f64,
    /// While it has stopped: what it has to run.
    pub left: f64,
    pub runs: bool,
    /// Of a clock without memory.
    pub mean: f64,
}

/// A clock, or several, for each binding of a transition.
#[derive(Default)]
pub struct OwnClocks {
    /// By number, in the order in which they were set.
    pub clocks: BTreeMap<u64, OwnClock>,
    by_key: HashMap<Box<[u64]>, u64>,
    ends: BTreeSet<(u64, u64)>,
    pub stopped: BTreeSet<u64>,
    next: u64,
    /// At tick t it is `virtual_time + pace · (t − since)`; without a speed it is t.
    pub has_speed: bool,
    virtual_time: f64,
    since: Ticks,
    pace: f64,
}

impl OwnClocks {
    pub fn running(&self) -> u64 {
        self.ends.len() as u64
    }

    /// When the first of them has run down; the tournament's `NEVER` if none will.
    pub fn end(&self) -> Ticks {
        self.ends.first().map_or(NEVER, |(_, number)| self.end_of(&self.clocks[number]))
    }

    fn end_of(&self, clock: &OwnClock) -> Ticks {
        if !self.has_speed {
            return clock.target as Ticks;
        }
        if self.pace == 0.0 {
            return if clock.target <= self.virtual_time { self.since } else { NEVER };
        }
        let left = (clock.target - self.virtual_time) / self.pace;
        if left > HORIZON as f64 {
            return ticks::NEVER;
        }
        let end = self.since + left.round_ties_even() as Ticks;
        if end <= HORIZON {
            end
        } else {
            ticks::NEVER
        }
    }

    /// The clocks that have run down.
    pub fn due(&self, now: Ticks) -> impl Iterator<Item = u64> + '_ {
        self.ends.iter().map(|(_, number)| *number).take_while(move |number| self.end_of(&self.clocks[number]) <= now)
    }

    /// The clock of the binding with a key.
    pub fn of(&self, key: &[u64]) -> Option<u64> {
        self.by_key.get(key).copied()
    }

    pub fn virtual_now(&self, now: Ticks) -> f64 {
        if self.has_speed {
            self.virtual_time + self.pace * (now - self.since) as f64
        } else {
            now as f64
        }
    }

    /// No clock runs, and virtual time begins at 0.
    pub fn rewind(&mut self, now: Ticks) {
        (self.virtual_time, self.since) = (0.0, now);
    }

    pub fn change_pace(&mut self, pace: f64, now: Ticks) {
        if pace != self.pace {
            (self.virtual_time, self.since, self.pace) = (self.virtual_now(now), now, pace);
        }
    }

    /// A new clock; it has stopped.
    pub fn set(&mut self, key: Box<[u64]>, time: f64, mean: f64) -> u64 {
        let number = self.next;
        self.next += 1;
        if !key.is_empty() {
            self.by_key.insert(key.clone(), number);
        }
        self.clocks.insert(number, OwnClock { key, time, mean, ..OwnClock::default() });
        self.stopped.insert(number);
        number
    }

    /// A clock that has stopped runs from now on.
    pub fn start(&mut self, number: u64, left: f64, now: Ticks) {
        let target = if self.has_speed {
            self.virtual_now(now) + left
        } else if left <= (HORIZON - now) as f64 {
            now as f64 + left
        } else {
            ticks::NEVER as f64
        };
        let clock = self.clocks.get_mut(&number).expect("a clock");
        (clock.target, clock.runs) = (target, true);
        self.ends.insert((real_rank(target), number));
        self.stopped.remove(&number);
    }

    /// A clock that runs stops.
    pub fn stop(&mut self, number: u64, memory: Memory, now: Ticks) {
        let virtual_now = self.virtual_now(now);
        let clock = self.clocks.get_mut(&number).expect("a clock");
        clock.runs = false;
        clock.left = if memory == Memory::Repeat { clock.time } else { clock.target - virtual_now };
        self.ends.remove(&(real_rank(clock.target), number));
        self.stopped.insert(number);
    }

    /// A clock is over, or forgotten.
    pub fn remove(&mut self, number: u64) {
        let clock = self.clocks.remove(&number).expect("a clock");
        self.ends.remove(&(real_rank(clock.target), number));
        self.stopped.remove(&number);
        if !clock.key.is_empty() {
            self.by_key.remove(&clock.key);
        }
    }

    fn verify(&self) -> Verified {
        let found =
            || format!("{} run and {} have stopped of {}", self.ends.len(), self.stopped.len(), self.clocks.len());
        let runs = |(rank, number): &(u64, u64)| {
            self.clocks.get(number).is_some_and(|clock| clock.runs && real_rank(clock.target) == *rank)
        };
        let all = self.ends.len() + self.stopped.len() == self.clocks.len();
        ensure(all && self.ends.iter().all(runs), "ends", found)?;
        let known = |(number, clock): (&u64, &OwnClock)| clock.key.is_empty() || self.of(&clock.key) == Some(*number);
        ensure(self.clocks.iter().all(known), "keys", || format!("{:?}", self.by_key))
    }
}

/// One exponential clock for all bindings of a transition, at the sum of their rates (C4).
#[derive(Clone, Debug)]
pub struct SharedClock {
    /// Firings since the instant began.
    pub fires: u64,
    /// Per tick.
    pub rate: f64,
    pub end: Ticks,
}

/// The clocks of a transition.
pub enum Of {
    Shared(SharedClock),
    Own(OwnClocks),
}

/// The clocks of one transition that run, and their statistics.
pub struct Clocks {
    pub of: Of,
    /// The clocks that run since the last end of an instant; of a shared one, the number of bindings that share it.
    pub running: u128,
    integral: i128,
    busy: Ticks,
    since: Ticks,
    pub set: u64,
    pub dropped: u64,
    /// One of them has run down at this instant.
    pub due: bool,
    /// Something has changed on which they depend.
    unsettled: bool,
}

impl Clocks {
    /// When the first of them has run down; the tournament's `NEVER` if none will.
    pub fn end(&self) -> Ticks {
        match &self.of {
            Of::Shared(clock) => clock.end,
            Of::Own(clocks) => clocks.end(),
        }
    }

    /// From now on, that many clocks run.
    pub fn change(&mut self, running: u128, set: u64, dropped: u64, now: Ticks) {
        (self.integral, self.busy) = (self.integral(now), self.busy(now));
        (self.running, self.since) = (running, now);
        self.set += set;
        self.dropped += dropped;
    }

    /// Clocks that run × ticks, up to `now`.
    pub fn integral(&self, now: Ticks) -> i128 {
        self.integral + self.running as i128 * i128::from(now - self.since)
    }

    /// The time with at least one clock.
    pub fn busy(&self, now: Ticks) -> Ticks {
        self.busy + if self.running > 0 { now - self.since } else { 0 }
    }

    /// The statistics start.
    fn restart(&mut self, now: Ticks) {
        (self.integral, self.busy, self.since) = (0, 0, now);
        (self.set, self.dropped) = (0, 0);
    }
}

/// All clocks of a net.
pub struct AllClocks {
    pub of: Vec<Clocks>,
    /// The slot of each transition, and the transition in each slot, by its number among the clocks.
    slots: Vec<usize>,
    numbers: Vec<usize>,
    timers: Tournament,
    /// Those to look at when the instant is over.
    unsettled: Vec<usize>,
    /// Clocks have been looked at since something happened.
    pub settled: bool,
    /// Clocks of bindings, running and stopped (X3).
    pub kept: u64,
}

impl AllClocks {
    pub fn new(program: &Program) -> Self {
        let of = program.racing.iter().map(|&id| {
            let clock = program.transitions[id].clock.as_ref().expect("a clock");
            let of = match clock.kind {
                ClockKind::Shared => Of::Shared(SharedClock { fires: 0, rate: 0.0, end: NEVER }),
                _ => Of::Own(OwnClocks { has_speed: clock.speed.is_some(), pace: 1.0, ..OwnClocks::default() }),
            };
            Clocks { of, running: 0, integral: 0, busy: 0, since: 0, set: 0, dropped: 0, due: false, unsettled: false }
        });
        let of: Vec<Clocks> = of.collect();
        let mut timers = Tournament::default();
        let mut slots = Vec::new();
        for number in 0..of.len() {
            if timers.is_full() {
                timers.widen();
            }
            let slot = timers.insert(NEVER + number as Ticks, 0);
            timers.succeed(slot, NEVER + slot as Ticks, 0);
            slots.push(slot);
        }
        let mut numbers = vec![0; timers.slots];
        slots.iter().enumerate().for_each(|(number, &slot)| numbers[slot] = number);
        AllClocks { of, slots, numbers, timers, unsettled: Vec::new(), settled: false, kept: 0 }
    }

    /// When the first clock has run down; the tournament's `NEVER` if none will.
    pub fn next_end(&mut self) -> Ticks {
        self.timers.next_time()
    }

    /// The clocks of a transition changed: the time at which the first has run down, perhaps too.
    pub fn time(&mut self, number: usize) {
        let (slot, end) = (self.slots[number], self.of[number].end());
        self.timers.succeed(slot, if end == NEVER { NEVER + slot as Ticks } else { end }, 0);
    }

    /// The next transition with a clock that has run down at the time that `next_end` said, until none is left.
    pub fn next_due(&mut self) -> Option<usize> {
        let slot = self.timers.first_due()?;
        self.timers.succeed(slot, NEVER + slot as Ticks, 0);
        Some(self.numbers[slot])
    }

    /// To be looked at when the instant is over.
    pub fn unsettle(&mut self, number: usize) {
        if !std::mem::replace(&mut self.of[number].unsettled, true) {
            self.unsettled.push(number);
        }
    }

    /// Those to be looked at, in order.
    pub fn take_unsettled(&mut self) -> Vec<usize> {
        let mut all = std::mem::take(&mut self.unsettled);
        all.sort_unstable();
        all.iter().for_each(|&number| self.of[number].unsettled = false);
        all
    }

    /// The statistics start.
    pub fn restart(&mut self, now: Ticks) {
        self.of.iter_mut().for_each(|clocks| clocks.restart(now));
    }

    /// Checks the invariants.
    pub fn verify(&self) -> Verified {
        let own = self.of.iter().filter_map(|clocks| if let Of::Own(own) = &clocks.of { Some(own) } else { None });
        let mut kept = 0;
        for own in own {
            own.verify()?;
            kept += own.clocks.len() as u64;
        }
        ensure(kept == self.kept, "kept", || format!("{} instead of {kept}", self.kept))
    }
}
