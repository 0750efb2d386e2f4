//! The machine code of one program, made when engines have run long enough for it to pay.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};

use crate::engine::code::Code;
use crate::engine::run::Engine;
use crate::jit::blueprint::planner::unlike;
use crate::jit::unit::generate;
use crate::observe::observer::Observer;
use crate::program::Program;

/// Kinds of observers that code is made for.
const KINDS: usize = 2;
/// Unlike transitions whose code is made as soon as that of fewer.
const FEW_UNLIKE: u64 = 40;
/// The holes of so many transitions are found in the time in which the code of one is made.
const ALIKE: usize = 128;
/// So many times as many firings as make code pay are waited for if time does not pass.
const FIRST_INSTANT: u64 = 50;

/// The code of one program, for each kind of observers. All engines of the program share it.
#[derive(Default)]
pub struct Cache {
    code: [OnceLock<Option<Arc<Code>>>; KINDS],
    /// Firings that engines have interpreted so far, all replications and runs together.
    interpreted: AtomicU64,
    unlike: OnceLock<usize>,
}

/// The kind of an observer: the code for those that keep levels is another.
fn kind<O: Observer>() -> usize {
    usize::from(O::LEVELS.is_some())
}

impl Cache {
    /// Whether code for such observers was asked for, if only to find that there is none.
    pub fn is_made<O: Observer>(&self) -> bool {
        self.code[kind::<O>()].get().is_some()
    }

    /// The code for an engine of the cache's program, which is made now if it was not. None where this machine, or the size of
    /// the net, has none.
    pub fn code<O: Observer>(&self, engine: &Engine<O>) -> Option<&Arc<Code>> {
        let generate = || generate(engine, self.unlike(&engine.program)).map(Arc::new);
        self.code[kind::<O>()].get_or_init(generate).as_ref()
    }

    /// An engine has interpreted so many firings more.
    pub fn count(&self, firings: u64) {
        self.interpreted.fetch_add(firings, Relaxed);
    }

    /// So many firings more are interpreted, or a few before more is known of how much code the net needs.
    pub fn interpreted_yet<O: Observer>(&self, engine: &Engine<O>) -> u64 {
        if !O::COMPILES {
            return u64::MAX;
        }
        // Another replication may have waited for it.
        if self.is_made::<O>() {
            return 0;
        }
        let few = engine.limits.compile_after;
        let so_far = self.interpreted.load(Relaxed);
        let pays = match few.saturating_sub(so_far) {
            0 => self.pays_after(&engine.program, few).saturating_sub(so_far),
            some => some,
        };
        // Before time has passed there is no profile to be seen, and many firings may still have to begin.
        if pays == 0 && engine.now == 0 && so_far < few.saturating_mul(FIRST_INSTANT) {
            return few;
        }
        pays
    }

    /// The firings after which code for a program pays, if it does after so many for one of few transitions.
    fn pays_after(&self, program: &Program, few: u64) -> u64 {
        let transitions = self.unlike(program) + program.transitions.len() / ALIKE;
        few.saturating_mul(FEW_UNLIKE.max(transitions as u64)) / FEW_UNLIKE
    }

    /// The number of transitions of the program that are unlike each other, as far as machine code goes.
    fn unlike(&self, program: &Program) -> usize {
        *self.unlike.get_or_init(|| unlike(program))
    }
}
