//! Trials: short runs, each of which ends with yes or no (rules Q1 to Q6).
//!
//! **Problem.** A probability of 10⁻¹² needs 10¹⁴ trials if each is a run from the start, and almost all of them tell nothing.
//!
//! **Idea.** A value of the marking says how near a trial has come, and thresholds divide the way. Where a trial rises to a
//! threshold, it becomes several, which go on with random numbers of their own and count less each: RESTART (Villén-Altamirano
//! 1991). A branch that falls below the threshold at which it began ends there; the trial itself goes on.
//!
//! ```text
//! value  3 ┤              ┌─ hit, counts 1/6
//!        2 ┤      ┌───────┤        two branches from here: factor 3
//!        1 ┤  ┌───┤       └── falls below 2: over
//!        0 ┼──┘   └── falls below 1: over        factor 2
//! ```
//!
//! Each path goes on from one end of an instant to the next, where the values of the marking are read (M6). The state at a
//! threshold is kept in an engine of its own ([`Engine::assume`](crate::engine::run::Engine::assume)), and used again for the next
//! trials, so that a crossing allocates little.
//!
//! `petri/engine/trials.py` is the twin: the same random numbers, and the same sums in the same order.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Arc;

use crate::base::fault::Outcome;
use crate::base::ticks::{Ticks, NEVER};
use crate::base::trajectory::splitmix;
use crate::engine::limits::Limits;
use crate::engine::run::Reason;
use crate::observe::observers::ExtraObservers;
use crate::session::compiled::Compiled;
use crate::session::replication::Replication;

/// Values of the marking that a question has at most: those of `Question`.
const MOST_ASKED: usize = 4;

/// What is asked of each trial, by the numbers of values of the marking. Times in ticks.
#[derive(Clone, Copy, Debug)]
pub struct Question {
    pub hit: usize,
    pub stop: Option<usize>,
    pub begin: Option<usize>,
    pub importance: Option<usize>,
    pub within: Option<Ticks>,
    /// Asked is the share of this time in which `hit` holds (Q6), which ends `within` its end.
    pub window: Option<(Ticks, Ticks)>,
}

/// A path that rises to `value` goes on as `factor` paths (Q3).
#[derive(Clone, Copy, Debug)]
pub struct Threshold {
    pub value: i128,
    pub factor: u64,
}

/// What trials have found. A trial's value is the sum over its paths that hit, of what each counts; of a share of time, over the
/// pieces of time in which they hit.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tally {
    pub trials: u64,
    pub hits: u64,
    pub sum: f64,
    pub squares: f64,
    /// Trials that hit at their first instant.
    pub at_once: u64,
    pub firings: u64,
}

/// Why trials ended before their number was reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Halt {
    /// The model broke a rule: see the error of the engine.
    Error,
    /// Somebody has stopped them.
    Stopped,
    /// One trial had as many firings as it may have, and had not ended.
    Endless,
}

/// Where a path stands, besides the state of its engine.
#[derive(Clone, Copy, Debug, Default)]
struct Path {
    /// The thresholds that its value has reached, and the one at which it began.
    level: usize,
    born: usize,
    /// The condition that stops it has not held at the end of some instant.
    armed: bool,
    /// Instant 0 is over; and when the question was put.
    started: bool,
    begun: Option<Ticks>,
    /// What is asked, at the end of the last instant.
    answers: [i128; MOST_ASKED],
}

/// The state at a threshold, from which `left` paths are still to go on.
struct Branching {
    state: Replication,
    path: Path,
    left: u64,
}

pub struct Trials {
    question: Question,
    running: Replication,
    /// An engine at time 0, and engines that are not in use.
    fresh: Replication,
    spare: Vec<Replication>,
    make: Box<dyn Fn() -> Outcome<Replication> + Send + Sync>,
    stop: Arc<AtomicU64>,
    /// Firings of one trial, with its branches.
    most_firings: u64,
    /// What a path counts at each level.
    weights: Vec<f64>,
    /// What the trial has found so far.
    value: f64,
    hits: u64,
}

/// The words that initialise the random numbers of a branch of a trial; branch 0 is the trial itself (Q2).
pub fn words_of(seed: [u64; 3], trial: u64, branch: u64) -> [u64; 3] {
    seed.map(|word| splitmix(branch, splitmix(trial, word)))
}

impl Trials {
    /// Trials of a net that was compiled for them. A key of an initial token may raise a fault.
    pub fn new(
        compiled: Arc<Compiled>,
        question: Question,
        limits: Limits,
        most_firings: u64,
        stop: Arc<AtomicU64>,
    ) -> Outcome<Self> {
        let flag = Arc::clone(&stop);
        let make = move || {
            let (compiled, stop) = (Arc::clone(&compiled), Arc::clone(&flag));
            Replication::new(compiled, [0; 3], limits, ExtraObservers::default(), stop)
        };
        let (running, fresh) = (make()?, make()?);
        let (make, spare, weights) = (Box::new(make), Vec::new(), vec![1.0]);
        Ok(Trials { question, running, fresh, spare, make, stop, most_firings, weights, value: 0.0, hits: 0 })
    }

    /// The replication that ran last, with its error if there was one.
    pub fn last(&self) -> &Replication {
        &self.running
    }

    /// The trials from number `first` on.
    pub fn run(
        &mut self,
        seed: [u64; 3],
        first: u64,
        count: u64,
        thresholds: &[Threshold],
        tally: &mut Tally,
    ) -> Result<(), Halt> {
        self.weights = vec![1.0];
        for threshold in thresholds {
            self.weights.push(self.weights[self.weights.len() - 1] / threshold.factor as f64);
        }
        for number in first..first + count {
            let value = self.trial(seed, number, thresholds, tally)?;
            tally.trials += 1;
            tally.hits += self.hits;
            tally.sum += value;
            tally.squares += value * value;
        }
        Ok(())
    }

    fn trial(&mut self, seed: [u64; 3], number: u64, thresholds: &[Threshold], tally: &mut Tally) -> Result<f64, Halt> {
        let (mut branches, mut firings) = (0, 0_u64);
        (self.value, self.hits) = (0.0, 0);
        let mut branchings: Vec<Branching> = Vec::new();
        let mut path = Path::default();
        let mut goes_on = false;
        self.begin(words_of(seed, number, 0));
        loop {
            let before = self.running.engine.firings;
            let others = firings.wrapping_sub(before);
            let hit = self.follow(&mut path, goes_on, thresholds, &mut branchings, others)?;
            firings += self.running.engine.firings - before;
            if hit {
                self.count(&path, 1.0);
                tally.at_once += u64::from(self.running.engine.now == 0);
            }
            let Some(mut from) = branchings.pop() else { break };
            (path, from.left, goes_on) = (from.path, from.left - 1, true);
            if from.left == 0 {
                std::mem::swap(&mut self.running, &mut from.state);
                self.spare.push(from.state);
            } else {
                self.running.engine.assume(&from.state.engine);
                branchings.push(from);
            }
            branches += 1;
            self.running.engine.reseed(words_of(seed, number, branches));
        }
        tally.firings += firings;
        Ok(self.value)
    }

    /// Follows a path to its end: whether it hits. goes_on: from a threshold, where it has been looked at already. others: with the
    /// engine's firings they make those of the trial so far, which may be fewer, so that the sum wraps around.
    fn follow(
        &mut self,
        path: &mut Path,
        mut goes_on: bool,
        thresholds: &[Threshold],
        branchings: &mut Vec<Branching>,
        others: u64,
    ) -> Result<bool, Halt> {
        loop {
            if !goes_on {
                self.spend(path);
                match self.next_instant(path)? {
                    Some(true) if self.question.window.is_some() => {}
                    Some(hit) => return Ok(hit),
                    None => {}
                }
                if others.wrapping_add(self.running.engine.firings) > self.most_firings {
                    return Err(Halt::Endless);
                }
            }
            goes_on = false;
            let Some(importance) = self.question.importance else { continue };
            let near = path.answers[importance];
            if path.born > 0 && near < thresholds[path.born - 1].value {
                return Ok(false);
            }
            while path.level > 0 && near < thresholds[path.level - 1].value {
                path.level -= 1;
            }
            while thresholds.get(path.level).is_some_and(|threshold| near >= threshold.value) {
                path.level += 1;
                let left = thresholds[path.level - 1].factor - 1;
                if left > 0 {
                    let state = self.copy()?;
                    branchings.push(Branching { state, path: Path { born: path.level, ..*path }, left });
                }
            }
        }
    }

    /// A path at time 0, before anything has happened.
    fn begin(&mut self, words: [u64; 3]) {
        self.running.engine.assume(&self.fresh.engine);
        self.running.engine.reseed(words);
    }

    /// Goes on to the end of the next instant at which something happens, or to that of time 0. Returns whether the path has hit,
    /// if it is over.
    fn next_instant(&mut self, path: &mut Path) -> Result<Option<bool>, Halt> {
        let next = if path.started { self.running.engine.next_end() } else { 0 };
        path.started = true;
        let late = |now: Ticks| match (path.begun, self.question.within) {
            (Some(begun), Some(within)) => now - begun > within,
            _ => false,
        };
        if next >= NEVER || late(next) {
            return Ok(Some(false));
        }
        if self.stop.load(Ordering::Relaxed) != 0 {
            return Err(Halt::Stopped);
        }
        match self.running.advance(next, u64::MAX) {
            Reason::Until | Reason::Dead if self.running.engine.ask(&mut path.answers) => Ok(self.look(path)),
            Reason::Until | Reason::Dead => Err(Halt::Error),
            Reason::Error => Err(Halt::Error),
            Reason::Budget | Reason::Input | Reason::Output | Reason::Decision => {
                unreachable!("no budget, no streams, and no decisions")
            }
        }
    }

    /// An instant is over (Q1): whether the path has hit, if that is decided.
    fn look(&self, path: &mut Path) -> Option<bool> {
        let answers = path.answers;
        let holds = |asked: Option<usize>| asked.is_some_and(|asked| answers[asked] != 0);
        if path.begun.is_none() && (self.question.begin.is_none() || holds(self.question.begin)) {
            path.begun = Some(self.running.engine.now);
        }
        path.begun?;
        if holds(Some(self.question.hit)) {
            return Some(true);
        }
        let stops = holds(self.question.stop);
        if stops && path.armed {
            return Some(false);
        }
        path.armed |= !stops;
        None
    }

    /// What a path counts for the time until something happens again, in a share of time (Q6).
    fn spend(&mut self, path: &Path) {
        let Some((start, end)) = self.question.window else { return };
        if !path.started || path.answers[self.question.hit] == 0 {
            return;
        }
        let time = self.running.engine.next_end().min(end) - self.running.engine.now.max(start);
        if time > 0 {
            self.count(path, time as f64 / (end - start) as f64);
        }
    }

    fn count(&mut self, path: &Path, share: f64) {
        self.value += self.weights[path.level] * share;
        self.hits += 1;
    }

    /// An engine in the state of the running one.
    fn copy(&mut self) -> Result<Replication, Halt> {
        let spare = self.spare.pop().map_or_else(|| (self.make)().map_err(|_| Halt::Stopped), Ok);
        let mut copy = spare?;
        copy.engine.assume(&self.running.engine);
        Ok(copy)
    }
}

// ---------------------------------------------------------------- pilot runs

/// Paths whose states at a threshold are kept.
const MOST_ENTRIES: usize = 256;

/// A threshold that pilot runs have chosen, and how many paths reach it, for each path from the one before: of a share of time, all
/// that rise to it.
pub type Chosen = (i128, f64);

/// What pilot runs have found: thresholds, the share of the last paths that hit, and the firings of an average path of each stage.
#[derive(Clone, Debug, Default)]
pub struct Pilot {
    pub chosen: Vec<Chosen>,
    pub share: f64,
    pub lengths: Vec<f64>,
}

/// A state in which a path has reached a threshold.
type Entry = (Replication, Path);

impl Trials {
    /// Chooses thresholds: of `paths` paths from the entries of the last one, the share `wanted` at least reaches the next. Each
    /// stage begins at the states in which paths of the stage before have reached its threshold.
    pub fn pilot(&mut self, seed: [u64; 3], paths: u64, wanted: f64) -> Result<Pilot, Halt> {
        let mut pilot = Pilot::default();
        let mut entries: Vec<Entry> = Vec::new();
        loop {
            let stage = pilot.chosen.len() as u64;
            let last = pilot.chosen.last().map(|last| last.0);
            let floor = self.question.window.and(last);
            let (mut reached, mut firings) = (Vec::new(), 0);
            for number in 0..paths {
                let path = self.begin_pilot(words_of(seed, stage, number), number, &entries);
                let before = self.running.engine.firings;
                reached.push(self.greatest(path, floor)?);
                firings += self.running.engine.firings - before;
            }
            let hits = reached.iter().filter(|&&most| most == i128::MAX).count();
            pilot.share = hits as f64 / paths as f64;
            pilot.lengths.push(firings as f64 / paths as f64);
            let next = next_threshold(&reached, wanted, last);
            let Some(value) = next.filter(|_| pilot.share < wanted) else { return Ok(pilot) };
            let (mut found, mut rises, mut there) = (Vec::new(), 0, 0);
            for (number, _) in (0..).zip(&reached).filter(|(_, &most)| most >= value) {
                let path = self.begin_pilot(words_of(seed, stage, number), number, &entries);
                rises += self.rises(path, floor, value, &mut found)?;
                there += 1;
            }
            self.spare.extend(entries.into_iter().map(|(state, _)| state));
            if found.is_empty() {
                return Ok(pilot);
            }
            let many = if self.question.window.is_some() { rises } else { there };
            pilot.chosen.push((value, many as f64 / paths as f64));
            entries = found;
        }
    }

    /// A path of a stage, with these random numbers; and whether it goes on from an entry, where it has been looked at already.
    fn begin_pilot(&mut self, words: [u64; 3], number: u64, entries: &[Entry]) -> (Path, bool) {
        let Some((state, there)) = entries.get(number as usize % entries.len().max(1)) else {
            self.begin(words);
            return (Path::default(), false);
        };
        self.running.engine.assume(&state.engine);
        self.running.engine.reseed(words);
        (*there, true)
    }

    /// The greatest value that a path reaches before it is below `floor`, above all if it hits.
    fn greatest(&mut self, (mut path, mut goes_on): (Path, bool), floor: Option<i128>) -> Result<i128, Halt> {
        let importance = self.question.importance.unwrap_or_default();
        let (mut most, before) = (i128::MIN, self.running.engine.firings);
        loop {
            if !goes_on {
                match self.next_instant(&mut path)? {
                    Some(hit) => return Ok(if hit { i128::MAX } else { most }),
                    None => self.check_length(before)?,
                }
            }
            goes_on = false;
            let near = path.answers[importance];
            if floor.is_some_and(|floor| near < floor) {
                return Ok(most);
            }
            most = most.max(near);
        }
    }

    /// How often a path rises to a value before it is below `floor`, and where; once, unless a share of time is asked for.
    fn rises(
        &mut self,
        (mut path, mut goes_on): (Path, bool),
        floor: Option<i128>,
        value: i128,
        found: &mut Vec<Entry>,
    ) -> Result<u64, Halt> {
        let importance = self.question.importance.unwrap_or_default();
        let (mut rises, mut is_there, before) = (0, false, self.running.engine.firings);
        loop {
            if !goes_on {
                match self.next_instant(&mut path)? {
                    Some(true) if self.question.window.is_some() => {}
                    Some(_) => return Ok(rises),
                    None => {}
                }
                self.check_length(before)?;
            }
            goes_on = false;
            let near = path.answers[importance];
            if floor.is_some_and(|floor| near < floor) {
                return Ok(rises);
            }
            if !std::mem::replace(&mut is_there, near >= value) && is_there {
                rises += 1;
                if found.len() < MOST_ENTRIES {
                    found.push((self.copy()?, path));
                }
                if self.question.window.is_none() {
                    return Ok(rises);
                }
            }
        }
    }

    /// A path has not ended: it may not have as many firings as that.
    fn check_length(&self, before: u64) -> Result<(), Halt> {
        if self.running.engine.firings - before > self.most_firings {
            return Err(Halt::Endless);
        }
        Ok(())
    }
}

/// The greatest value that the share `wanted` of paths reaches, or else the least that is greater than the threshold before.
fn next_threshold(reached: &[i128], wanted: f64, before: Option<i128>) -> Option<i128> {
    let mut sorted = reached.to_vec();
    sorted.sort_unstable_by(|a, b| b.cmp(a));
    let many = (wanted * sorted.len() as f64).ceil() as usize;
    let least = sorted.last().copied()?;
    let before = before.unwrap_or(least);
    let value = sorted[many.max(1) - 1];
    if value > before {
        return Some(value);
    }
    sorted.into_iter().rev().find(|&most| most > before).filter(|&most| most < i128::MAX)
}
