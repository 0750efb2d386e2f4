//! The machine code of one program: when it is made, and by which thread.
//!
//! **Problem.** To make code takes one or two milliseconds for each kind of transition. A run that ends before would rather have
//! done without, and a long one would rather have had it at once; nobody knows how long a run will be.
//!
//! **Idea.** What engines have spent on interpreting is the measure: once that is as much as the code costs, the code is made, so a
//! run never takes more than about twice the time of the best choice. Where a core is free, another thread makes it, sooner, and
//! engines are interpreted meanwhile. It gives up if they all end before the code has paid. Steps are the same whether they are
//! interpreted or not, so no result depends on the moment.

use std::cell::Cell;
use std::collections::HashSet;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::process::id as process;
use std::sync::atomic::AtomicU32;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, OnceLock, Weak};
use std::thread::Builder;
use std::time::Duration;

use crate::base::cores::has_free_core;
use crate::base::ids::TransitionId;
use crate::engine::code::Code;
use crate::engine::limits::Compile;
use crate::engine::run::Engine;
use crate::jit::sharing::Sharing;
use crate::jit::unit::{generate, on_large_stack, Request, GENERATOR_STACK};

/// Kinds of observers that code is made for.
const KINDS: usize = 2;
/// What it costs to make code [ns]: of any net, for each word of the blueprints, and to find the holes of each transition.
const BASE: u64 = 2_000_000;
const OF_WORD: u64 = 6_500;
const OF_TRANSITION: u64 = 10_000;
/// How long it takes to see what transitions have in common [ns], for each of them.
const COMPARED: u64 = 5_000;
/// Where a core is free, code is made once engines have spent this part of its cost.
const EARLY: u64 = 2;
/// Firings that the profile is made of, at least; and where model time stands still, so that it has seen nothing.
const SEEN: u64 = 10_000;
const FIRST_INSTANT: u64 = 5_000_000;
/// With more unlike transitions, there is code only for those that have fired so often that it pays, once most firings are theirs.
const MOST_AT_ONCE: usize = 10_000;
const OFTEN: u64 = 500;
const HOT_SHARE: f64 = 0.75;
/// How long to interpret until looking again whether there is code [ns], in firings if it is not known how long one takes.
const LOOK: u64 = 1_000_000;
const FEW: u64 = 1_000;
const MANY: u64 = 100_000;

/// What an engine is to do next.
pub enum Step<'a> {
    /// Interpret this many firings at most, and then ask again.
    Interpret(u64),
    Run(&'a Arc<Code>),
}

/// The code of one program, for each kind of observers. All engines of the program share it.
#[derive(Default)]
pub struct Cache {
    shared: Arc<Shared>,
}

/// What a thread that makes code knows of the engines that wait for it. Each has a reference, and so has the cache.
#[derive(Default)]
struct Shared {
    slots: [Slot; KINDS],
    /// Firings that engines have interpreted so far, all replications and runs together, and what they have spent on it [ns].
    interpreted: AtomicU64,
    spent: AtomicU64,
    sharing: OnceLock<Arc<Sharing>>,
}

#[derive(Default)]
struct Slot {
    /// None where this machine, or the size of the net, has no code.
    code: OnceLock<Option<Arc<Code>>>,
    /// The process of which a thread makes it, or 0. The fork of a process has none of its threads.
    maker: AtomicU32,
}

/// An engine waits for code, or may later.
pub struct Interest {
    _shared: Arc<Shared>,
}

/// The kind of an engine's observers: where they keep levels, code is different.
fn kind(engine: &Engine) -> usize {
    usize::from(engine.observers.levels.are_kept())
}

impl Cache {
    /// To be kept as long as an engine may run.
    pub fn interest(&self) -> Interest {
        Interest { _shared: Arc::clone(&self.shared) }
    }

    /// An engine has interpreted `firings` more firings.
    pub fn count(&self, firings: u64, time: Duration) {
        self.shared.interpreted.fetch_add(firings, Relaxed);
        self.shared.spent.fetch_add(time.as_nanos() as u64, Relaxed);
    }

    /// What an engine of the cache's program is to do next. May make code, or let it be made.
    pub fn next(&self, engine: &Engine) -> Step<'_> {
        // Machine code decides all by itself.
        if !engine.observers.compile() || engine.program.decisions < usize::MAX {
            return Step::Interpret(u64::MAX);
        }
        let slot = &self.shared.slots[kind(engine)];
        if let Some(code) = slot.code.get() {
            return run(code);
        }
        match engine.limits.compile {
            Compile::After(firings) => match firings.saturating_sub(self.shared.interpreted.load(Relaxed)) {
                0 => self.at_once(engine, slot),
                more => Step::Interpret(more),
            },
            Compile::WhenItPays => self.when_it_pays(engine, slot),
        }
    }

    /// Makes code now, which other engines wait for.
    fn at_once<'a>(&'a self, engine: &Engine, slot: &'a Slot) -> Step<'a> {
        match self.hot(engine) {
            Some(hot) => run(slot.code.get_or_init(|| {
                let request = Request::of(engine, hot);
                on_large_stack(|| generate(&request, self.sharing(engine), &|| true))
            })),
            None => Step::Interpret(self.doubled()),
        }
    }

    fn when_it_pays<'a>(&'a self, engine: &Engine, slot: &'a Slot) -> Step<'a> {
        let Shared { interpreted, spent, .. } = &*self.shared;
        let (interpreted, spent) = (interpreted.load(Relaxed), spent.load(Relaxed));
        let soon = Step::Interpret((LOOK * interpreted.max(1) / spent.max(1)).clamp(FEW, MANY));
        // Before time has passed the profile is empty, and many firings may still have to begin.
        let seen = if engine.now == 0 { FIRST_INSTANT } else { SEEN };
        if interpreted < seen || spent < COMPARED * engine.program.transitions.len() as u64 {
            return soon;
        }
        let cost = self.cost(engine);
        if spent < cost / EARLY || (spent < cost && !has_free_core()) {
            return soon;
        }
        let Some(hot) = self.hot(engine) else { return Step::Interpret(self.doubled()) };
        // One thread makes it.
        let (maker, this) = (slot.maker.load(Relaxed), process());
        if maker == this || slot.maker.compare_exchange(maker, this, Relaxed, Relaxed).is_err() {
            return soon;
        }
        if has_free_core() && self.make_aside(engine, hot, cost) {
            return soon;
        }
        self.at_once(engine, slot)
    }

    /// Lets another thread make code. Returns whether there is one.
    fn make_aside(&self, engine: &Engine, hot: HashSet<TransitionId>, cost: u64) -> bool {
        let (kind, request) = (kind(engine), Request::of(engine, hot));
        let (shared, sharing) = (Arc::downgrade(&self.shared), Arc::clone(self.sharing(engine)));
        let work = move || make_for(&shared, kind, &request, &sharing, cost);
        Builder::new().name("machine code".to_owned()).stack_size(GENERATOR_STACK).spawn(work).is_ok()
    }

    /// What code for an engine costs [ns].
    fn cost(&self, engine: &Engine) -> u64 {
        let Sharing { words, unlike, .. } = **self.sharing(engine);
        let part = MOST_AT_ONCE.min(unlike) as f64 / unlike.max(1) as f64;
        BASE + (OF_WORD as f64 * words as f64 * part) as u64 + OF_TRANSITION * engine.program.transitions.len() as u64
    }

    /// The transitions that code is made for: all if none is named. None if too few have fired often.
    fn hot(&self, engine: &Engine) -> Option<HashSet<TransitionId>> {
        if self.sharing(engine).unlike <= MOST_AT_ONCE {
            return Some(HashSet::new());
        }
        let (hot, share) = hot(engine);
        (share >= HOT_SHARE).then_some(hot)
    }

    /// As many firings as have been interpreted.
    fn doubled(&self) -> u64 {
        self.shared.interpreted.load(Relaxed).max(FEW)
    }

    /// What transitions of the program have in common.
    fn sharing(&self, engine: &Engine) -> &Arc<Sharing> {
        self.shared.sharing.get_or_init(|| Arc::new(Sharing::of(&engine.program)))
    }
}

fn run(code: &Option<Arc<Code>>) -> Step<'_> {
    match code {
        Some(code) => Step::Run(code),
        None => Step::Interpret(u64::MAX),
    }
}

/// Makes code that costs `cost` for engines that run meanwhile.
fn make_for(shared: &Weak<Shared>, kind: usize, request: &Request, sharing: &Sharing, cost: u64) {
    let given_up = Cell::new(false);
    let is_wanted = || {
        // What has been paid for is made, also between two runs.
        let paid = || shared.upgrade().is_some_and(|shared| shared.spent.load(Relaxed) >= cost);
        given_up.set(given_up.get() || (shared.strong_count() <= 1 && !paid()));
        !given_up.get()
    };
    // A defect of the generator must not end the run.
    let code = catch_unwind(AssertUnwindSafe(|| generate(request, sharing, &is_wanted))).ok().flatten();
    let Some(shared) = shared.upgrade() else { return };
    let slot = &shared.slots[kind];
    match given_up.get() {
        true => slot.maker.store(0, Relaxed),
        false => drop(slot.code.set(code)),
    }
}

/// The transitions that have fired so often that their code pays, and their share of all firings. A net with very many transitions
/// does not fit the cache, and interpreting one of its firings takes several times as long as in a small net.
fn hot(engine: &Engine) -> (HashSet<TransitionId>, f64) {
    let numbers = engine.enabling.transitions.iter().map(|transition| transition.firings);
    let (mut hot, mut theirs, mut all) = (HashSet::new(), 0, 0);
    for (id, firings) in numbers.enumerate() {
        all += firings;
        if firings >= OFTEN {
            theirs += firings;
            hot.insert(TransitionId(id as u32));
        }
    }
    (hot, theirs as f64 / all.max(1) as f64)
}
