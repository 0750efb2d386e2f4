//! The machine code of a transition, for people to read: Cranelift's intermediate representation, and assembly; and what it
//! consists of, in numbers.
//!
//! It is the code that all transitions of a shape share, with every hole read. In the intermediate representation, the
//! functions of the runtime have their names (`jit/runtime.rs`); `fn3` is the fourth of those that are called rarely.

use std::collections::HashSet;

use cranelift_codegen::ir::{Function, Opcode};

use crate::base::ids::TransitionId;
use crate::engine::run::Engine;
use crate::jit::blueprint::planner::Planner;
use crate::jit::runtime::Runtime;
use crate::jit::shapes::Piece;
use crate::jit::unit::{on_large_stack, Generator, Request};

/// One function of a transition.
pub struct Listing {
    /// "look", "start" or "finish".
    pub name: &'static str,
    pub counts: Counts,
    pub code: String,
    pub assembly: String,
}

/// What a function consists of. Instructions are counted as they are emitted, so their numbers are the same on every machine.
/// Bytes are those of the machine code.
#[derive(Default)]
pub struct Counts {
    pub loads: usize,
    pub stores: usize,
    /// Conditional ones.
    pub branches: usize,
    pub calls: usize,
    pub bytes: usize,
}

impl Counts {
    pub fn all(&self) -> [usize; 5] {
        [self.loads, self.stores, self.branches, self.calls, self.bytes]
    }

    fn of(function: &Function) -> Self {
        let instructions = function.layout.blocks().flat_map(|block| function.layout.block_insts(block));
        let mut counts = Counts::default();
        for opcode in instructions.map(|instruction| function.dfg.insts[instruction].opcode()) {
            counts.loads += usize::from(opcode.can_load());
            counts.stores += usize::from(opcode.can_store());
            counts.branches += usize::from(matches!(opcode, Opcode::Brif | Opcode::BrTable));
            counts.calls += usize::from(opcode.is_call());
        }
        counts
    }
}

/// What looks at a transition, starts a firing of it, and ends one. None where there is no code for this machine,
/// or for engines with such observers.
pub fn listings(engine: &Engine, id: TransitionId) -> Option<Vec<Listing>> {
    if !engine.observers.compile() {
        return None;
    }
    let request = Request::of(engine, HashSet::new());
    on_large_stack(|| {
        let mut generator = Generator::new(&request)?;
        let (blueprint, _) = Planner::transition(&request.program, Some(&request.profile), id);
        let list = |&piece: &Piece| {
            let read = |function: &Function, runtime: &Runtime| {
                (Counts::of(function), with_names(&function.display().to_string(), runtime))
            };
            let ((counts, code), bytes, assembly) = generator.listed(&blueprint, piece, read)?;
            Some(Listing { name: piece.name(), counts: Counts { bytes, ..counts }, code, assembly })
        };
        Piece::all_of(&blueprint).iter().map(list).collect()
    })
}

/// The text of a function, as Cranelift prints it, with the names of the functions of the runtime for their addresses.
fn with_names(text: &str, runtime: &Runtime) -> String {
    let named = |line: &str| {
        let (start, address) = line.split_once("iconst.i64 0x")?;
        let address = usize::from_str_radix(&address.replace('_', ""), 16).ok()?;
        Some(format!("{start}iconst.i64 runtime.{}\n", runtime.name(address)?))
    };
    text.lines().map(|line| named(line).unwrap_or_else(|| format!("{line}\n"))).collect()
}
