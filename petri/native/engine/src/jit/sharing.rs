//! Which transitions share their code although they compute something else. In a net of many unlike transitions, each firing
//! would run code that the processor has not seen for thousands of others. So if transitions differ only in their
//! expressions, these become functions of their own, which the shared code calls: only they differ then.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasher, Hash};

use crate::base::ids::TransitionId;
use crate::jit::blueprint::planner::{Expressions, Planned, Planner};
use crate::jit::blueprint::quick_hash::QuickHash;
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
}

/// The hash of a blueprint. If two blueprints had the same hash, the code would only be slower.
fn mark(of: &impl Hash) -> u64 {
    QuickHash::default().hash_one(of)
}

impl Sharing {
    /// What is best for a net, whatever its profile.
    pub fn of(program: &Program) -> Self {
        let ids = || (0..program.transitions.len() as u32).map(TransitionId);
        let written: Vec<u64> = ids().map(|id| mark(&Planner::transition(program, None, id).0)).collect();
        let unlike = written.iter().collect::<HashSet<_>>().len();
        let always = program.without.inlining;
        if program.without.calls || !always && unlike <= FEW {
            return Sharing { calling: HashSet::new(), unlike };
        }
        let mut groups: HashMap<u64, Vec<TransitionId>> = HashMap::new();
        let mut functions = HashMap::new();
        for id in ids() {
            let Planned { blueprint, calls, .. } = Planner::planned(program, None, id, Expressions::Called);
            groups.entry(mark(&blueprint)).or_default().push(id);
            functions.insert(id, calls.iter().map(|(called, _)| mark(called)).collect::<Vec<u64>>());
        }
        let (mut calling, mut called, mut alone) = (HashSet::new(), HashSet::<u64>::new(), 0);
        for group in groups.into_values() {
            let differ = group.iter().map(|id| written[id.at()]).collect::<HashSet<_>>().len();
            if always || differ >= LEAST {
                called.extend(group.iter().flat_map(|id| &functions[id]));
                calling.extend(group);
                alone += 1;
            } else {
                alone += differ;
            }
        }
        Sharing { calling, unlike: alone + called.len() / SHORTER }
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
