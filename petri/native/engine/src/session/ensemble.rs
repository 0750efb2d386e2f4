//! Many replications of one net, one after the other, without a caller between two of them.
//!
//! A caller asks for some milliseconds at a time, so that it can show how far they are, and stop them. `Driver` in
//! `petri/run/replications.py` does the same with one replication, firing for firing, and knows series, conditions, streams and saved
//! states as well.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::base::fault::Outcome;
use crate::base::ids::PlaceId;
use crate::base::ticks::Ticks;
use crate::engine::limits::{Limits, RunError};
use crate::engine::run::Reason;
use crate::observe::observers::ExtraObservers;
use crate::session::compiled::Compiled;
use crate::session::observed::Observed;
use crate::session::replication::Replication;

/// Firings before neighbouring batches are joined for the first time.
const UNJOINED: u64 = 4096;
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
    /// How many snapshots each keeps at most, a power of two, or 0.
    pub batches: usize,
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

    /// Runs for about as long, or to the end. `begin`: whether replications may begin. Fails with the fault of an initial marking.
    pub fn advance(&mut self, time: Duration, begin: bool) -> Outcome<()> {
        let begun = Instant::now();
        loop {
            let stopped = self.stop.load(Ordering::Relaxed) != 0;
            let mut running = match self.running.take() {
                Some(running) => running,
                None if stopped || !begin => return Ok(()),
                None => match self.seeds.pop_front() {
                    Some(seed) => self.begin(seed)?,
                    None => return Ok(()),
                },
            };
            match if stopped { Some(Ended::Interrupted) } else { self.step(&mut running, time) } {
                Some(ended) => self.ran.push(self.end(running, ended)),
                None => self.running = Some(running),
            }
            if begun.elapsed() >= time {
                return Ok(());
            }
        }
    }

    /// The model time and the firings of the replication under way.
    pub fn under_way(&self) -> Option<(Ticks, u64)> {
        self.running.as_ref().map(|running| (running.replication.engine.now, running.replication.engine.firings))
    }

    fn begin(&self, seed: [u64; 3]) -> Outcome<Running> {
        let extra = ExtraObservers { trace: false, levels: self.levels };
        let started = Instant::now();
        let replication =
            Replication::new(Arc::clone(&self.compiled), seed, self.limits, extra, Arc::clone(&self.stop))?;
        let length = UNJOINED / self.course.batches.max(1) as u64;
        Ok(Running {
            replication,
            started,
            warm: self.course.warmup <= 0,
            left: self.course.firings,
            length,
            batch_left: length,
            batches: Vec::new(),
            died: None,
        })
    }

    /// One piece of a replication. Returns how it has ended, if it has.
    fn step(&mut self, running: &mut Running, longest: Duration) -> Option<Ended> {
        let batched = running.warm && self.course.batches > 0;
        let until = if running.warm { self.course.until } else { self.course.warmup };
        let budget = running.left.min(self.piece).min(if batched { running.batch_left } else { u64::MAX });
        let (before, clock) = (running.replication.engine.firings, Instant::now());
        let reason = running.replication.advance(until, budget);
        let done = running.replication.engine.firings - before;
        running.left -= done;
        if batched {
            running.batch_left = running.batch_left.saturating_sub(done);
        }
        self.adapt(clock.elapsed(), budget, longest);
        let engine = &mut running.replication.engine;
        match reason {
            Reason::Error if engine.error.as_ref().is_some_and(|error| error.fault.id == "stopped") => {
                engine.error = None;
                Some(Ended::Interrupted)
            }
            Reason::Error => Some(Ended::Error),
            Reason::Dead => self.rest(running, until, batched),
            Reason::Until if engine.now >= until => {
                let over = running.warm.then_some(Ended::Until);
                running.begin_window();
                over
            }
            _ if running.left == 0 => Some(Ended::Firings),
            Reason::Budget if batched && running.batch_left == 0 => {
                running.end_batch(self.course.batches);
                None
            }
            Reason::Until | Reason::Budget => None,
            Reason::Input | Reason::Output => unreachable!("a net with streams is driven by itself"),
        }
    }

    /// The net is dead: it lasts until the end of its run, or of its warm-up, if that is an instant. A last batch ends at its death.
    fn rest(&self, running: &mut Running, until: Ticks, batched: bool) -> Option<Ended> {
        let engine = &mut running.replication.engine;
        if running.died.is_none() {
            running.died = Some(engine.now);
            if batched {
                running.batches.push(Observed::of(engine));
            }
        }
        if self.course.rests && engine.now < until {
            engine.rest(until);
        }
        let over = (running.warm || !self.course.rests).then_some(Ended::Dead);
        if over.is_none() {
            running.begin_window();
        }
        over
    }

    /// Makes pieces longer while they take less than `longest`, and shorter while they take much more.
    fn adapt(&mut self, time: Duration, budget: u64, longest: Duration) {
        if budget == self.piece && time < longest {
            self.piece = (2 * self.piece).min(1 << 40);
        } else if time > 3 * longest {
            self.piece = (self.piece / 2).max(1);
        }
    }

    fn end(&self, running: Running, ended: Ended) -> Ran {
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
        Ran {
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
        }
    }
}

impl Running {
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
