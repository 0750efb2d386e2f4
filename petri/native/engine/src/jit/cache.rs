//! The machine code of one program, made when engines have run long enough for it to pay.

use std::collections::HashSet;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};

use crate::base::ids::TransitionId;
use crate::engine::code::Code;
use crate::engine::run::Engine;
use crate::jit::sharing::Sharing;
use crate::jit::unit::generate;
use crate::program::Program;

/// Kinds of observers that code is made for.
const KINDS: usize = 2;
/// Up to this number of unlike transitions, code is made after the same number of firings.
const FEW_UNLIKE: u64 = 40;
/// With more unlike transitions, there is code only for those whose own firings pay for it, once most firings are theirs.
const MOST_AT_ONCE: usize = 10_000;
const HOT_SHARE: f64 = 0.75;
/// Finding the holes of this many transitions takes as long as generating the code of one.
const ALIKE: usize = 128;
/// While model time stands still, code is made only after this many times the firings after which it otherwise pays.
const FIRST_INSTANT: u64 = 50;

/// The code of one program, for each kind of observers. All engines of the program share it.
#[derive(Default)]
pub struct Cache {
    code: [OnceLock<Option<Arc<Code>>>; KINDS],
    /// Firings that engines have interpreted so far, all replications and runs together.
    interpreted: AtomicU64,
    sharing: OnceLock<Sharing>,
}

/// The kind of an engine's observers: where they keep levels, code is different.
fn kind(engine: &Engine) -> usize {
    usize::from(engine.observers.levels.are_kept())
}

impl Cache {
    /// Whether code for such an engine was requested, even if there is none.
    pub fn is_made(&self, engine: &Engine) -> bool {
        self.code[kind(engine)].get().is_some()
    }

    /// The code for an engine of the cache's program, which is made now if it was not. None where this machine, or the size of
    /// the net, has none.
    pub fn code(&self, engine: &Engine) -> Option<&Arc<Code>> {
        let hot = || match self.has_very_many(&engine.program) {
            true => hot(engine, least_of_each(engine.limits.compile_after)).0,
            false => HashSet::new(),
        };
        self.code[kind(engine)]
            .get_or_init(|| generate(engine, hot(), self.sharing(&engine.program)).map(Arc::new))
            .as_ref()
    }

    /// An engine has interpreted `firings` more firings.
    pub fn count(&self, firings: u64) {
        self.interpreted.fetch_add(firings, Relaxed);
    }

    /// How many more firings to interpret before asking again whether code pays; 0 if it does.
    pub fn interpreted_yet(&self, engine: &Engine) -> u64 {
        if !engine.observers.compile() {
            return u64::MAX;
        }
        // Another replication may have made it meanwhile.
        if self.is_made(engine) {
            return 0;
        }
        let few = engine.limits.compile_after;
        let so_far = self.interpreted.load(Relaxed);
        let pays = match few.saturating_sub(so_far) {
            0 if self.has_very_many(&engine.program) => match hot(engine, least_of_each(few)) {
                (_, share) if share >= HOT_SHARE => 0,
                _ => so_far.max(1),
            },
            0 => self.pays_after(&engine.program, few).saturating_sub(so_far),
            some => some,
        };
        // Before time has passed the profile is empty, and many firings may still have to begin.
        if pays == 0 && engine.now == 0 && so_far < few.saturating_mul(FIRST_INSTANT) {
            return few;
        }
        pays
    }

    /// The number of firings after which code for a program pays, if code for a program of few transitions pays after `few`
    /// firings.
    fn pays_after(&self, program: &Program, few: u64) -> u64 {
        let transitions = self.sharing(program).unlike + program.transitions.len() / ALIKE;
        few.saturating_mul(FEW_UNLIKE.max(transitions as u64)) / FEW_UNLIKE
    }

    /// Whether there are so many different transitions that only the frequent ones get code.
    fn has_very_many(&self, program: &Program) -> bool {
        self.sharing(program).unlike > MOST_AT_ONCE
    }

    /// What transitions of the program have in common.
    fn sharing(&self, program: &Program) -> &Sharing {
        self.sharing.get_or_init(|| Sharing::of(program))
    }
}

/// The number of firings after which the code of one of very many transitions pays, if the code of a small net pays
/// after `few` firings of all its transitions. A net with very many transitions does not fit the cache, and
/// interpreting one of its firings takes several times as long as in a small net.
fn least_of_each(few: u64) -> u64 {
    (few / FEW_UNLIKE / 5).max(1)
}

/// The transitions that have fired at least `least` times, and their share of all firings.
fn hot(engine: &Engine, least: u64) -> (HashSet<TransitionId>, f64) {
    let numbers = engine.enabling.transitions.iter().map(|transition| transition.firings);
    let (mut hot, mut theirs, mut all) = (HashSet::new(), 0, 0);
    for (id, firings) in numbers.enumerate() {
        all += firings;
        if firings >= least {
            theirs += firings;
            hot.insert(TransitionId(id as u32));
        }
    }
    (hot, theirs as f64 / all.max(1) as f64)
}
