//! The clocks of the transitions that race (C1 to C5), and their statistics (M2).
//!
//! **Problem.** Clocks are set and stop as bindings come and go, many at one instant. Which one runs down first?
//!
//! **Idea.** Each transition keeps its own clocks in the order of their ends: in virtual time, which passes at the speed of the
//! clocks, so that a change of speed moves none of them. A heap of the transitions with clocks that run finds the first of all.
//! Transitions whose bindings share a clock have a part in a common one instead (C4).
//!
//! Invariants:
//! - *clocks*: `table` has the clocks in `ages`, `count` of them, each under the key of its binding.
//! - *ends*: `ends` has only such clocks.

use std::ops::Index;

use crate::base::ids::{PlaceId, TransitionId};
use crate::base::invariant::{ensure, Verified};
use crate::base::reuse::clone_into_fields;
use crate::base::saved::{SavedOwnClock, SavedTransition};
use crate::base::table::Table;
use crate::base::ticks::{after, Ticks};
use crate::collections::chain::{Chain, Neighbours, ALONE, EMPTY};
use crate::collections::heap::Heap;
use crate::collections::key_table::KeyTable;
use crate::collections::tournament::NEVER;
use crate::program::clock::{ClockKind, Memory};
use crate::program::Program;
use crate::state::common_clock::CommonClock;
use crate::state::store::real_rank;
use crate::state::turnover::Turnover;

/// The clock of a binding. Times in ticks.
#[derive(Clone, Copy, Debug, Default)]
pub struct OwnClock {
    /// The time to which it was set.
    pub time: f64,
    /// While it runs, the virtual time at which it has run down. While it has stopped, what it has to run.
    pub until: f64,
    /// Of a clock without memory.
    pub mean: f64,
}

/// A clock, or several, for each binding of a transition. They have small numbers, which are used again.
#[derive(Clone)]
pub struct OwnClocks {
    /// By the numbers of the coloured tokens of their bindings; without such tokens, by how many were set before.
    table: KeyTable<OwnClock>,
    /// How many tokens a binding has.
    pub tokens: usize,
    ages: Chain,
    links: Vec<Neighbours>,
    /// Those that run.
    ends: Heap,
    pub count: usize,
    /// How many were set.
    before: u64,
    /// At tick t it is `virtual_time + pace · (t − since)`; without a speed it is t.
    has_speed: bool,
    virtual_time: f64,
    since: Ticks,
    pace: f64,
    /// Where bindings of one token have turns: the tokens whose clock has run down at this instant, first the last one whose turn it
    /// is. None before they are asked for.
    pub turns: Option<Vec<u64>>,
}

impl Index<u32> for OwnClocks {
    type Output = OwnClock;

    fn index(&self, clock: u32) -> &OwnClock {
        &self.table[clock]
    }
}

impl OwnClocks {
    /// No clocks of bindings of that many coloured tokens.
    pub fn new(tokens: usize, has_speed: bool) -> Self {
        OwnClocks {
            table: KeyTable::hashed(tokens.max(1)),
            tokens,
            ages: EMPTY,
            links: Vec::new(),
            ends: Heap::default(),
            count: 0,
            before: 0,
            has_speed,
            virtual_time: 0.0,
            since: 0,
            pace: 1.0,
            turns: None,
        }
    }

    pub fn running(&self) -> u64 {
        self.ends.len() as u64
    }

    pub fn runs(&self, clock: u32) -> bool {
        self.ends.contains(clock)
    }

    /// When the first of them has run down; the tournament's `NEVER` if none will.
    pub fn end(&self) -> Ticks {
        self.ends.first().map_or(NEVER, |clock| self.end_of(clock))
    }

    /// When a clock that runs has run down.
    pub fn end_of(&self, clock: u32) -> Ticks {
        let target = self.table[clock].until;
        if !self.has_speed {
            return target as Ticks;
        }
        if self.pace == 0.0 {
            return if target <= self.virtual_time { self.since } else { NEVER };
        }
        after(self.since, (target - self.virtual_time) / self.pace)
    }

    pub fn is_due(&self, clock: u32, now: Ticks) -> bool {
        self.runs(clock) && self.end_of(clock) <= now
    }

    /// Finds the clocks that have run down, in no order.
    pub fn due(&self, now: Ticks, found: &mut Vec<u32>) {
        self.ends.up_to(|clock| self.end_of(clock) <= now, found);
    }

    /// The clock of the binding with a key.
    pub fn of(&self, key: &[u64]) -> Option<u32> {
        self.table.find(key)
    }

    /// The numbers of the tokens of its binding; without such tokens, one that is greater for a clock that was set later.
    pub fn key(&self, clock: u32) -> impl Iterator<Item = u64> + '_ {
        self.table.words(clock)
    }

    /// All clocks, in the order in which they were set.
    pub fn in_order(&self) -> impl Iterator<Item = u32> + '_ {
        self.ages.oldest_first(&self.links)
    }

    /// Those that run, in no order.
    pub fn that_run(&self) -> impl Iterator<Item = u32> + '_ {
        self.ends.items()
    }

    /// Those that run, in the order in which they were set.
    pub fn oldest(&self) -> impl Iterator<Item = u32> + '_ {
        self.in_order().filter(|&clock| self.runs(clock))
    }

    /// Those that have stopped; first the one that was set last.
    pub fn stopped(&self) -> impl Iterator<Item = u32> + '_ {
        let count = self.count - self.ends.len();
        self.ages.newest_first(&self.links).filter(|&clock| !self.runs(clock)).take(count)
    }

    /// One more than the greatest number of a clock.
    pub fn numbers(&self) -> usize {
        self.links.len()
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

    /// A new clock; it has stopped. Its binding has no clock yet, unless it has no tokens.
    pub fn set(&mut self, key: &[u64], time: f64, mean: f64) -> u32 {
        let number = [self.before];
        self.before += 1;
        let clock = self.table.enter(if self.tokens > 0 { key } else { &number[..] });
        self.table[clock] = OwnClock { time, until: 0.0, mean };
        if self.links.len() <= clock as usize {
            self.links.push(ALONE);
        }
        self.ages.push(&mut self.links, clock);
        self.count += 1;
        clock
    }

    /// A clock that has stopped runs from now on.
    pub fn start(&mut self, clock: u32, left: f64, now: Ticks) {
        let target = if self.has_speed { self.virtual_now(now) + left } else { after(now, left) as f64 };
        self.run_until(clock, target);
    }

    fn run_until(&mut self, clock: u32, target: f64) {
        self.table[clock].until = target;
        self.ends.insert(clock, real_rank(target));
    }

    /// A clock that runs stops.
    pub fn stop(&mut self, clock: u32, memory: Memory, now: Ticks) {
        let virtual_now = self.virtual_now(now);
        let stopped = &mut self.table[clock];
        stopped.until = if memory == Memory::Repeat { stopped.time } else { stopped.until - virtual_now };
        self.ends.remove(clock);
    }

    /// A clock that runs is set to another time.
    pub fn set_anew(&mut self, clock: u32, time: f64, mean: f64, now: Ticks) {
        self.ends.remove(clock);
        (self.table[clock].time, self.table[clock].mean) = (time, mean);
        self.start(clock, time, now);
    }

    /// A clock is over, or forgotten.
    pub fn remove(&mut self, clock: u32) {
        if self.runs(clock) {
            self.ends.remove(clock);
        }
        self.ages.remove(&mut self.links, clock);
        self.table.forget(clock);
        self.count -= 1;
    }

    /// Virtual time, since when it passes, and how fast: as at first where no clock runs, or none has a speed.
    pub fn course(&self) -> (f64, Ticks, f64) {
        if self.has_speed && self.running() > 0 {
            (self.virtual_time, self.since, self.pace)
        } else {
            (0.0, 0, 1.0)
        }
    }

    /// Goes on with a course.
    pub fn resume_course(&mut self, (virtual_time, since, pace): (f64, Ticks, f64)) {
        (self.virtual_time, self.since, self.pace) = (virtual_time, since, pace);
    }

    /// A clock as it was, which runs until a virtual time, or has some of it left.
    pub fn resume(&mut self, saved: &SavedOwnClock, key: &[u64]) {
        let clock = self.set(key, saved.time, saved.mean);
        if saved.runs {
            self.run_until(clock, saved.until);
        } else {
            self.table[clock].until = saved.until;
        }
    }

    fn verify(&self) -> Verified {
        self.table.verify()?;
        self.ends.verify()?;
        let mut known = self.table.in_use();
        known.sort_unstable();
        let mut all: Vec<u32> = self.in_order().collect();
        all.sort_unstable();
        let found = || format!("{} clocks, in order {all:?}, by key {known:?}", self.count);
        ensure(all == known && all.len() == self.count, "clocks", found)?;
        let is_known = |clock: u32| known.binary_search(&clock).is_ok();
        ensure(self.that_run().all(is_known), "ends", || format!("{:?} of {known:?}", self.ends))
    }
}

/// The clocks of a transition.
#[derive(Clone)]
pub enum Of {
    /// They are a part of the common clock, with this number.
    Shared {
        part: usize,
    },
    Own(Box<OwnClocks>),
}

/// The clocks of one transition that run, and their statistics, which machine code keeps, too.
#[repr(C)]
pub struct Clocks {
    /// The clocks that run since the last end of an instant; of a shared one, the number of bindings that share it.
    pub running: u128,
    pub integral: i128,
    pub busy: Ticks,
    pub since: Ticks,
    pub set: u64,
    pub dropped: u64,
    /// Firings of one that has a part in the common clock since the instant began.
    pub fires: u64,
    /// Clocks that have lost their tokens since the instant began, and are gone already: those that had stopped, and those that ran.
    pub lost: [u64; 2],
    pub transition: TransitionId,
    pub of: Of,
    /// One of them has run down at this instant.
    pub due: bool,
    /// Watches held when they were looked at last.
    pub possible: bool,
}

clone_into_fields!(Clocks { running, integral, busy, since, set, dropped, fires, lost, transition, of, due, possible });

impl Clocks {
    /// None runs yet.
    fn new(of: Of, transition: TransitionId) -> Self {
        Clocks {
            running: 0,
            integral: 0,
            busy: 0,
            since: 0,
            set: 0,
            dropped: 0,
            fires: 0,
            lost: [0; 2],
            transition,
            of,
            due: false,
            possible: false,
        }
    }

    /// The instant is over, and that many clocks of a part in the common clock run.
    #[inline(always)]
    pub fn share(&mut self, running: u128, now: Ticks) {
        let more = running as i128 - (self.running as i128 - i128::from(std::mem::take(&mut self.fires)));
        if running != self.running || more != 0 {
            self.change(running, more.max(0) as u64, (-more).max(0) as u64, now);
        }
    }

    /// From now on, that many clocks run.
    #[inline(always)]
    pub fn change(&mut self, running: u128, set: u64, dropped: u64, now: Ticks) {
        (self.integral, self.busy) = (self.integral_at(now), self.busy_at(now));
        (self.running, self.since) = (running, now);
        self.set += set;
        self.dropped += dropped;
    }

    /// Clocks that run × ticks, up to `now`.
    #[inline(always)]
    pub fn integral_at(&self, now: Ticks) -> i128 {
        let time = now - self.since;
        // One multiplication instead of three, where the number is not a product of many.
        let more = u64::try_from(self.running).map_or_else(
            |_| self.running as i128 * i128::from(time),
            |running| (u128::from(running) * u128::from(time as u64)) as i128,
        );
        self.integral + more
    }

    /// Goes on with so many clocks, and these statistics.
    pub fn resume(&mut self, running: u128, saved: &SavedTransition, integral: i128, now: Ticks) {
        (self.running, self.since) = (running, now);
        (self.integral, self.busy, self.set, self.dropped) = (integral, saved.busy, saved.set, saved.dropped);
    }

    /// The time with at least one clock.
    pub fn busy_at(&self, now: Ticks) -> Ticks {
        self.busy + if self.running > 0 { now - self.since } else { 0 }
    }

    /// The statistics start.
    fn restart(&mut self, now: Ticks) {
        (self.integral, self.busy, self.since) = (0, 0, now);
        (self.set, self.dropped) = (0, 0);
    }
}

/// The last place over whose black tokens clocks run that other transitions take.
fn last_contested(program: &Program) -> Option<PlaceId> {
    let clocks = program.racing.iter().filter_map(|&id| program.transitions[id].clock.as_ref());
    clocks.flat_map(|clock| clock.contested.iter().copied()).max()
}

/// All clocks of a net.
pub struct AllClocks {
    pub of: Table<usize, Clocks>,
    /// That of the transitions whose bindings share a clock.
    pub common: CommonClock,
    /// When the first clock of each transition has run down, by its number among the clocks; those with an end, by it.
    pub ends: Vec<Ticks>,
    pub timers: Heap,
    /// Clocks have been looked at since something happened, when this many firings had started.
    pub settled: bool,
    pub settled_after: u64,
    /// The number of clocks and the rate of each transition whose part is computed by code, until all are.
    pub computed: Vec<(u64, f64)>,
    /// Clocks of bindings, running and stopped (X3).
    pub kept: u64,
    pub turnover: Turnover,
}

impl AllClocks {
    pub fn new(program: &Program) -> Self {
        let mut sharing = Vec::new();
        let of = program.racing.iter().enumerate().map(|(number, &id)| {
            let clock = program.transitions[id].clock.as_ref().expect("a clock");
            if clock.kind == ClockKind::Shared {
                sharing.push(number);
                return Clocks::new(Of::Shared { part: sharing.len() - 1 }, id);
            }
            let inputs = program.transitions[id].inputs.iter();
            let tokens = inputs.filter(|arc| program.places[arc.place].width > 0).count();
            let own = OwnClocks::new(tokens, clock.speed.is_some());
            Clocks::new(Of::Own(Box::new(own)), id)
        });
        let of: Table<usize, Clocks> = of.collect();
        let common = CommonClock::new(sharing);
        AllClocks {
            ends: vec![NEVER; of.len()],
            of,
            common,
            timers: Heap::default(),
            settled: false,
            settled_after: 0,
            computed: Vec::new(),
            kept: 0,
            turnover: Turnover::new(last_contested(program)),
        }
    }

    /// When the first clock has run down; the tournament's `NEVER` if none will.
    pub fn next_end(&self) -> Ticks {
        self.next_own_end().min(self.common.end)
    }

    /// The same of all but the common clock.
    pub fn next_own_end(&self) -> Ticks {
        self.timers.first().map_or(NEVER, |number| self.ends[number as usize])
    }

    /// When the first clock of a transition has run down.
    pub fn end(&self, number: usize) -> Ticks {
        match &self.of[number].of {
            Of::Shared { part } if self.common.rate(*part) > 0.0 => self.common.end,
            Of::Shared { .. } => NEVER,
            Of::Own(clocks) => clocks.end(),
        }
    }

    /// The clocks of a transition changed: the time at which the first has run down, perhaps too.
    pub fn time(&mut self, number: usize) {
        let Of::Own(clocks) = &self.of[number].of else { return };
        let before = std::mem::replace(&mut self.ends[number], clocks.end());
        let end = self.ends[number];
        if end == before {
            return;
        }
        match (before == NEVER, end == NEVER) {
            (true, _) => self.timers.insert(number as u32, end as u64),
            (_, true) => self.timers.remove(number as u32),
            _ => self.timers.change(number as u32, end as u64),
        }
    }

    /// Finds the transitions with a clock of their own that has run down, by their numbers among the clocks. They are to be timed
    /// again.
    pub fn due(&self, now: Ticks, found: &mut Vec<u32>) {
        self.timers.up_to(|number| self.ends[number as usize] <= now, found);
    }

    /// The statistics start.
    pub fn restart(&mut self, now: Ticks) {
        self.of.iter_mut().for_each(|clocks| clocks.restart(now));
    }

    /// Checks the invariants.
    pub fn verify(&self) -> Verified {
        let mut kept = 0;
        for clocks in self.of.iter() {
            let Of::Own(own) = &clocks.of else { continue };
            own.verify()?;
            kept += own.count as u64 + clocks.lost.iter().sum::<u64>();
        }
        self.common.verify()?;
        self.timers.verify()?;
        ensure(kept == self.kept, "kept", || format!("{} instead of {kept}", self.kept))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::base::invariant::broken;
    use crate::base::random::Random;

    /// Clocks of five bindings, and when each has run down.
    fn some_clocks() -> OwnClocks {
        let mut clocks = OwnClocks::new(1, false);
        for token in 0..5 {
            let clock = clocks.set(&[token], 10.0 - token as f64, 0.0);
            clocks.start(clock, 10.0 - token as f64, 0);
        }
        clocks
    }

    /// The tokens of the clocks that are due.
    fn due(clocks: &OwnClocks, now: Ticks) -> Vec<u64> {
        let mut found = Vec::new();
        clocks.due(now, &mut found);
        assert!(found.iter().all(|&clock| clocks.is_due(clock, now)));
        let mut tokens: Vec<u64> = found.into_iter().flat_map(|clock| clocks.key(clock)).collect();
        tokens.sort_unstable();
        tokens
    }

    #[test]
    fn c2_the_first_end_is_that_of_the_clocks_that_run() {
        let (mut random, mut clocks) = (Random::new([1, 2, 3]), OwnClocks::new(1, false));
        // By token, and so by age: what a clock runs until or has left, and whether it runs.
        let mut model: BTreeMap<u64, (f64, bool)> = BTreeMap::new();
        for step in 0..5000 {
            let now = step / 3;
            let picked = model.keys().nth(random.equal_choice(model.len().max(1) as u64) as usize).copied();
            let picked = picked.map(|token| (token, clocks.of(&[token]).expect("a clock")));
            match (random.equal_choice(4), picked) {
                (0, Some((token, clock))) => {
                    clocks.remove(clock);
                    model.remove(&token);
                }
                (1, Some((token, clock))) if model[&token].1 => {
                    clocks.stop(clock, Memory::Resume, now);
                    model.insert(token, (model[&token].0 - now as f64, false));
                }
                (2, Some((token, clock))) if !model[&token].1 => {
                    let left = clocks[clock].until;
                    clocks.start(clock, left, now);
                    model.insert(token, (now as f64 + left, true));
                }
                _ => {
                    let time = random.equal_choice(50) as f64;
                    let clock = clocks.set(&[step as u64], time, 0.0);
                    clocks.start(clock, time, now);
                    model.insert(step as u64, (now as f64 + time, true));
                }
            }
            let ends: Vec<f64> = model.values().filter(|(_, runs)| *runs).map(|(end, _)| *end).collect();
            let first = ends.iter().copied().fold(f64::INFINITY, f64::min);
            assert_eq!(clocks.end(), if ends.is_empty() { NEVER } else { first as Ticks });
            assert_eq!(clocks.running(), ends.len() as u64);
            let expected = model.iter().filter(|(_, (end, runs))| *runs && *end <= now as f64).map(|(token, _)| *token);
            assert_eq!(due(&clocks, now), expected.collect::<Vec<_>>());
            let tokens = |clock: u32| clocks.key(clock).next().expect("a token");
            assert!(clocks.in_order().map(tokens).eq(model.keys().copied()));
            assert!(clocks.in_order().all(|clock| clocks[clock].until == model[&tokens(clock)].0));
            let that = |runs: bool| model.iter().filter(move |(_, state)| state.1 == runs).map(|(token, _)| *token);
            assert!(clocks.oldest().map(tokens).eq(that(true)));
            assert!(clocks.stopped().map(tokens).eq(that(false).rev()));
            assert_eq!(clocks.verify(), Ok(()));
        }
    }

    #[test]
    fn c5_a_change_of_speed_moves_the_ends_and_not_their_order() {
        let mut clocks = OwnClocks::new(1, true);
        clocks.rewind(100);
        for (token, time) in [(1, 60.0), (2, 40.0)] {
            let clock = clocks.set(&[token], time, 0.0);
            clocks.start(clock, time, 100);
        }
        assert_eq!(clocks.end(), 140);
        clocks.change_pace(0.5, 120);
        assert_eq!((clocks.end(), clocks.virtual_now(130)), (160, 25.0));
        clocks.change_pace(0.0, 130);
        assert_eq!((clocks.end(), due(&clocks, 1 << 40)), (NEVER, vec![]));
        clocks.change_pace(2.0, 200);
        assert_eq!(clocks.end(), 208); // 15 are left, at twice the speed: 7.5 ticks, rounded to even
        assert_eq!(due(&clocks, 208), [2]);
        assert_eq!(clocks.verify(), Ok(()));
    }

    #[test]
    fn c2_a_clock_that_repeats_begins_again_with_its_time() {
        let mut clocks = some_clocks();
        clocks.stop(2, Memory::Repeat, 3);
        clocks.stop(3, Memory::Resume, 3);
        assert_eq!((clocks[2].until, clocks[3].until), (8.0, 4.0));
        assert_eq!(clocks.that_run().count(), 3);
    }

    #[test]
    fn damage_is_found() {
        let damaged = |damage: fn(&mut OwnClocks)| {
            let mut clocks = some_clocks();
            assert_eq!(clocks.verify(), Ok(()));
            damage(&mut clocks);
            broken(clocks.verify())
        };
        assert_eq!(damaged(|clocks| clocks.ages.remove(&mut clocks.links, 2)), "clocks");
        assert_eq!(damaged(|clocks| clocks.count -= 1), "clocks");
        assert_eq!(damaged(|clocks| clocks.ends.insert(7, 0)), "ends");
    }

    #[test]
    fn m2_running_clocks_have_an_integral() {
        let mut clocks = Clocks::new(Of::Shared { part: 0 }, TransitionId(0));
        for (now, running, set, dropped) in [(10, 3, 3, 0), (20, 0, 0, 3), (50, 1, 1, 0)] {
            clocks.change(running, set, dropped, now);
        }
        assert_eq!((clocks.integral_at(60), clocks.busy_at(60), clocks.set, clocks.dropped), (40, 20, 4, 3));
        clocks.restart(60);
        assert_eq!((clocks.integral_at(65), clocks.busy_at(65), clocks.set), (5, 5, 0));
    }
}
