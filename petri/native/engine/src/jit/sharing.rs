//! Which transitions share their code although they compute something else. In a net of many unlike transitions, each firing
//! would run code that the processor has not seen for thousands of others. So if transitions differ only in their
//! expressions, these become functions of their own, which the shared code calls: only they differ then.

use std::collections::{HashMap, HashSet};
use std::hash::{Hash, Hasher};

use crate::base::ids::TransitionId;
use crate::jit::blueprint::planner::{Expressions, Planned, Planner};
use crate::jit::blueprint::quick_hash::QuickHasher;
use crate::program::Program;

/// The code of up to this many different transitions stays in the cache.
const FEW: usize = 128;
/// At least this number of unlike transitions must share one code for calls to pay.
const LEAST: usize = 16;
/// This number of functions of expressions takes as long to generate as the functions of one transition.
const SHORTER: usize = 24;

/// How the expressions of a net's transitions are in their code.
pub struct Sharing {
    /// The transitions that call them; the others have them written out.
    calling: HashSet<TransitionId>,
    /// The number of unlike transitions, all expressions written out, whose code would take as long to generate.
    pub unlike: usize,
    /// The words of all blueprints that code is generated from. The time that it takes grows with them.
    pub words: u64,
}

/// The hash of a blueprint, and how many words it has. If two blueprints had the same hash, the code would only be slower.
#[derive(Clone, Copy)]
struct Mark {
    hash: u64,
    words: u64,
}

impl Mark {
    fn of(blueprint: &impl Hash) -> Self {
        let mut counting = Counting::default();
        blueprint.hash(&mut counting);
        Mark { hash: counting.finish(), words: counting.words }
    }
}

/// Counts the words that it hashes.
#[derive(Default)]
struct Counting {
    hasher: QuickHasher,
    words: u64,
}

impl Hasher for Counting {
    fn write(&mut self, bytes: &[u8]) {
        self.hasher.write(bytes);
        self.words += bytes.len().div_ceil(8) as u64;
    }

    fn finish(&self) -> u64 {
        self.hasher.finish()
    }
}

/// The marks that differ, and the words of all of them.
#[derive(Default)]
struct Different {
    hashes: HashSet<u64>,
    words: u64,
}

impl Extend<Mark> for Different {
    fn extend<I: IntoIterator<Item = Mark>>(&mut self, marks: I) {
        for Mark { hash, words } in marks {
            self.words += if self.hashes.insert(hash) { words } else { 0 };
        }
    }
}

/// The words of the blueprints of expressions that are evaluated as tokens come and go.
fn words_of_called(program: &Program) -> u64 {
    let mut different = Different::default();
    let told = program.called().filter_map(|(_, called)| Planner::told(program, &called.of));
    different.extend(told.map(|(blueprint, _)| Mark::of(&blueprint)));
    different.words
}

impl Sharing {
    /// What is best for a net, whatever its profile.
    pub fn of(program: &Program) -> Self {
        let ids = || (0..program.transitions.len() as u32).map(TransitionId);
        let written: Vec<Mark> = ids().map(|id| Mark::of(&Planner::transition(program, None, id).0)).collect();
        let mut different = Different::default();
        different.extend(written.iter().copied());
        let Different { hashes, words } = different;
        let as_tokens_come = words_of_called(program);
        let always = program.without.inlining;
        if program.without.calls || !always && hashes.len() <= FEW {
            return Sharing { calling: HashSet::new(), unlike: hashes.len(), words: words + as_tokens_come };
        }
        let mut groups: HashMap<u64, (Mark, Vec<TransitionId>)> = HashMap::new();
        let mut functions = HashMap::new();
        for id in ids() {
            let Planned { blueprint, calls, .. } = Planner::planned(program, None, id, Expressions::Called);
            let mark = Mark::of(&blueprint);
            groups.entry(mark.hash).or_insert((mark, Vec::new())).1.push(id);
            functions.insert(id, calls.iter().map(|(called, _)| Mark::of(called)).collect::<Vec<Mark>>());
        }
        let (mut calling, mut called, mut alone) = (HashSet::new(), Different::default(), Different::default());
        for (mark, group) in groups.into_values() {
            let mut differ = Different::default();
            differ.extend(group.iter().map(|id| written[id.at()]));
            if always || differ.hashes.len() >= LEAST {
                called.extend(group.iter().flat_map(|id| functions[id].iter().copied()));
                calling.extend(group);
                alone.extend([mark]);
            } else {
                alone.extend(group.iter().map(|id| written[id.at()]));
            }
        }
        let unlike = alone.hashes.len() + called.hashes.len() / SHORTER;
        Sharing { calling, unlike, words: alone.words + called.words + as_tokens_come }
    }

    /// How the expressions of a transition are in its code.
    pub fn expressions(&self, id: TransitionId) -> Expressions {
        if self.calling.contains(&id) {
            Expressions::Called
        } else {
            Expressions::Written
        }
    }
}
