//! Many replications of one net, one after the other, without a caller between two of them.
//!
//! A caller asks for some milliseconds at a time, so that it can show how far they are, and stop them. It is asked when a stream needs
//! rows, and at the instants and firings at which it wants to look at the replication under way. `Driver` in
//! `petri/run/driver.py` does the same with one replication of either engine, firing for firing, and knows saved states as well.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::base::fault::Outcome;
use crate::base::ids::PlaceId;
use crate::base::ticks::{Ticks, NEVER};
use crate::engine::limits::{Limits, RunError};
use crate::engine::run::{Engine, Reason};
use crate::observe::observers::ExtraObservers;
use crate::session::compiled::Compiled;
use crate::session::observed::Observed;
use crate::session::replication::Replication;

/// Firings of the first piece of a run, between two looks at the clock.
const FIRST_PIECE: u64 = 500;

/// What each replication does.
pub struct Course {
    pub warmup: Ticks,
    pub until: Ticks,
    /// Whether `until` is an instant: a dead net lasts until then (I10).
    pub rests: bool,
    /// The most firings of each.
    pub firings: u64,
    /// How many snapshots each keeps at most, a power of two, or 0; and the firings of a batch before neighbours are joined.
    pub batches: usize,
    pub batch: u64,
    /// Whether the caller wants to look at each when its statistics begin.
    pub watched: bool,
}

/// Why `advance` has returned before its time: the replication under way waits for the caller.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Pause {
    /// A stream needs rows: see `Streams::wanted`.
    Rows,
    /// Its statistics have begun.
    Begun,
    /// The instant is over at which the caller wants to look.
    Instant,
    /// It has as many firings as the caller wanted.
    Firings,
}

/// What a piece of a replication has led to.
enum Step {
    On,
    Pause(Pause),
    Ended(Ended),
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    Until,
    Dead,
    Firings,
    Error,
    Interrupted,
}

/// A replication that has ended.
pub struct Ran {
    pub ended: Ended,
    pub now: Ticks,
    pub firings: u64,
    pub hash: u64,
    pub seconds: f64,
    /// Whether its warm-up was over.
    pub warm: bool,
    pub died: Option<Ticks>,
    pub drew: bool,
    pub error: Option<RunError>,
    pub window: Observed,
    pub batches: Vec<Observed>,
    pub levels: Vec<Ticks>,
    /// The words of each coloured place, or the number of tokens of a black one.
    pub marking: Vec<Vec<u64>>,
}

/// A replication under way.
struct Running {
    replication: Replication,
    started: Instant,
    warm: bool,
    /// The firings that it may still have, those of a batch, and those until this batch is full.
    left: u64,
    length: u64,
    batch_left: u64,
    batches: Vec<Observed>,
    died: Option<Ticks>,
    /// When the caller wants to look at it, and after how many firings.
    look_at: Ticks,
    look_after: u64,
    /// Why its engine has stopped, when the caller looks first.
    reason: Option<Reason>,
    begun: bool,
}

pub struct Ensemble {
    compiled: Arc<Compiled>,
    course: Course,
    limits: Limits,
    levels: bool,
    stop: Arc<AtomicU64>,
    seeds: VecDeque<[u64; 3]>,
    running: Option<Running>,
    piece: u64,
    pub ran: Vec<Ran>,
}

impl Ensemble {
    /// seeds: the words of each replication. Once another thread makes `stop` other than 0, the one under way is interrupted, and no
    /// other begins.
    pub fn new(
        compiled: Arc<Compiled>,
        course: Course,
        limits: Limits,
        levels: bool,
        seeds: VecDeque<[u64; 3]>,
        stop: Arc<AtomicU64>,
    ) -> Self {
        Ensemble { compiled, course, limits, levels, stop, seeds, running: None, piece: FIRST_PIECE, ran: Vec::new() }
    }

    /// Runs for about as long, or to the end, or until the caller is needed. `begin`: whether replications may begin. Fails with the
    /// fault of an initial marking.
    pub fn advance(&mut self, time: Duration, begin: bool) -> Outcome<Option<Pause>> {
        let begun = Instant::now();
        loop {
            let stopped = self.stop.load(Ordering::Relaxed) != 0;
            let mut running = match self.running.take() {
                Some(running) => running,
                None if stopped || !begin => return Ok(None),
                None => match self.seeds.pop_front() {
                    Some(seed) => self.begin(seed)?,
                    None => return Ok(None),
                },
            };
            match if stopped { Step::Ended(Ended::Interrupted) } else { self.step(&mut running, time) } {
                Step::Ended(ended) => self.end(running, ended),
                Step::On => self.running = Some(running),
                Step::Pause(pause) => {
                    self.running = Some(running);
                    return Ok(Some(pause));
                }
            }
            if begun.elapsed() >= time {
                return Ok(None);
            }
        }
    }

    /// The engine of the replication under way.
    pub fn engine(&mut self) -> Option<&mut Engine> {
        self.running.as_mut().map(|running| &mut *running.replication.engine)
    }

    /// The caller wants to look at the replication under way at the end of an instant, and after some firings of it.
    pub fn look(&mut self, at: Ticks, after: u64) {
        if let Some(running) = &mut self.running {
            (running.look_at, running.look_after) = (at, after);
        }
    }

    /// Ends the replication under way.
    pub fn conclude(&mut self, ended: Ended) {
        if let Some(running) = self.running.take() {
            self.end(running, ended);
        }
    }

    fn begin(&self, seed: [u64; 3]) -> Outcome<Running> {
        let extra = ExtraObservers { trace: false, levels: self.levels };
        let started = Instant::now();
        let replication =
            Replication::new(Arc::clone(&self.compiled), seed, self.limits, extra, Arc::clone(&self.stop))?;
        Ok(Running {
            replication,
            started,
            warm: self.course.warmup <= 0,
            left: self.course.firings,
            length: self.course.batch,
            batch_left: self.course.batch,
            batches: Vec::new(),
            died: None,
            look_at: NEVER,
            look_after: u64::MAX,
            reason: None,
            begun: false,
        })
    }

    /// One piece of a replication.
    fn step(&mut self, running: &mut Running, longest: Duration) -> Step {
        if running.warm && self.course.watched && !std::mem::replace(&mut running.begun, true) {
            return Step::Pause(Pause::Begun);
        }
        let batched = running.warm && self.course.batches > 0;
        let until = if running.warm { self.course.until } else { self.course.warmup };
        let reason = match running.reason.take() {
            Some(reason) => reason,
            None => {
                let reason = self.run(running, until, batched, longest);
                if let Some(pause) = running.pause(reason) {
                    running.reason = (reason != Reason::Input).then_some(reason);
                    return Step::Pause(pause);
                }
                reason
            }
        };
        let engine = &mut running.replication.engine;
        match reason {
            Reason::Error if engine.error.as_ref().is_some_and(|error| error.fault.id == "stopped") => {
                engine.error = None;
                Step::Ended(Ended::Interrupted)
            }
            Reason::Error => Step::Ended(Ended::Error),
            Reason::Dead => self.rest(running, until, batched),
            Reason::Until if engine.now >= until => {
                let over = running.warm;
                running.begin_window();
                if over {
                    Step::Ended(Ended::Until)
                } else {
                    Step::On
                }
            }
            _ if running.left == 0 => Step::Ended(Ended::Firings),
            Reason::Budget if batched && running.batch_left == 0 => {
                running.end_batch(self.course.batches);
                Step::On
            }
            Reason::Until | Reason::Budget => Step::On,
            Reason::Input | Reason::Output | Reason::Decision => {
                unreachable!("rows are waited for, outputs are not kept, and the net decides")
            }
        }
    }

    /// Runs the engine for a piece.
    fn run(&mut self, running: &mut Running, until: Ticks, batched: bool, longest: Duration) -> Reason {
        let (before, clock) = (running.replication.engine.firings, Instant::now());
        let look = running.look_after.saturating_sub(before).max(1);
        let batch = if batched { running.batch_left } else { u64::MAX };
        let budget = running.left.min(self.piece).min(batch).min(look);
        let reason = running.replication.advance(until.min(running.look_at), budget);
        let done = running.replication.engine.firings - before;
        running.left -= done;
        if batched {
            running.batch_left = running.batch_left.saturating_sub(done);
        }
        self.adapt(clock.elapsed(), budget, longest);
        reason
    }

    /// The net is dead: it lasts until the end of its run, or of its warm-up, if that is an instant. A last batch ends at its death.
    fn rest(&self, running: &mut Running, until: Ticks, batched: bool) -> Step {
        let engine = &mut running.replication.engine;
        if running.died.is_none() {
            running.died = Some(engine.now);
            if batched {
                running.batches.push(Observed::of(engine));
            }
        }
        if self.course.rests && engine.now < until {
            engine.rest(until.min(running.look_at));
            if engine.now >= running.look_at {
                running.reason = Some(Reason::Dead);
                return Step::Pause(Pause::Instant);
            }
        }
        if running.warm || !self.course.rests {
            return Step::Ended(Ended::Dead);
        }
        running.begin_window();
        Step::On
    }

    /// Makes pieces longer while they take less than `longest`, and shorter while they take much more.
    fn adapt(&mut self, time: Duration, budget: u64, longest: Duration) {
        if budget == self.piece && time < longest {
            self.piece = (2 * self.piece).min(1 << 40);
        } else if time > 3 * longest {
            self.piece = (self.piece / 2).max(1);
        }
    }

    fn end(&mut self, running: Running, ended: Ended) {
        let Running { mut replication, started, warm, batches, died, .. } = running;
        let levels = replication.levels();
        let program = &self.compiled.program;
        let engine = &mut replication.engine;
        let window = Observed::of(engine);
        let marking = program.places.iter().take(program.own_places).enumerate().map(|(i, place)| {
            let id = PlaceId(i as u32);
            match place.width {
                0 => vec![engine.marking.places[id].tokens],
                _ => engine.marking.listed(program, id).concat(),
            }
        });
        let marking = marking.collect();
        let ran = Ran {
            ended,
            now: engine.now,
            firings: engine.firings,
            hash: engine.hash.0,
            seconds: started.elapsed().as_secs_f64(),
            warm,
            died,
            drew: engine.drew(),
            error: engine.error.take(),
            window,
            batches,
            levels,
            marking,
        };
        self.ran.push(ran);
    }
}

impl Running {
    /// Whether the caller is needed, now that the engine has stopped for this reason.
    fn pause(&self, reason: Reason) -> Option<Pause> {
        let engine = &self.replication.engine;
        match reason {
            Reason::Input => Some(Pause::Rows),
            Reason::Until if engine.now >= self.look_at => Some(Pause::Instant),
            Reason::Error => None,
            _ => (engine.firings >= self.look_after).then_some(Pause::Firings),
        }
    }

    /// The warm-up is over, if it was not before.
    fn begin_window(&mut self) {
        if !self.warm {
            self.replication.engine.begin_window();
            self.warm = true;
        }
    }

    /// Keeps a snapshot; when there are `most`, joins neighbours.
    fn end_batch(&mut self, most: usize) {
        self.batches.push(Observed::of(&mut self.replication.engine));
        if self.batches.len() == most {
            let mut second = true;
            self.batches.retain(|_| {
                second = !second;
                second
            });
            self.length *= 2;
        }
        self.batch_left = self.length;
    }
}
