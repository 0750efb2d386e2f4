//! Which functions of a net are alike. Two pieces have one shape if their code is the same but for its holes.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use cranelift_codegen::ir::function::FunctionStencil;

use crate::base::ids::{PlaceId, TransitionId};
use crate::jit::holes::Hole;
use crate::jit::shape_key::ShapeKey;

/// One of the functions of a net.
#[derive(Clone, Copy)]
pub enum Piece {
    Look(TransitionId),
    Start(TransitionId),
    Finish(TransitionId),
    /// Tokens arrive in a place; whether room was kept for them.
    Arrive(PlaceId, bool),
}

impl Piece {
    /// The pieces of a transition, in the order in which they stand among those of all.
    pub fn all_of(id: TransitionId) -> [Piece; 3] {
        [Piece::Look(id), Piece::Start(id), Piece::Finish(id)]
    }

    /// What it does, as listings call it.
    pub fn name(self) -> &'static str {
        match self {
            Piece::Look(_) => "look",
            Piece::Start(_) => "start",
            Piece::Finish(_) => "finish",
            Piece::Arrive(..) => "arrive",
        }
    }
}

/// The shape of a piece, and its holes.
pub type Described = (usize, Vec<Hole>);

/// A hash of a function's whole structure: signature, blocks, instructions, constants. It is so wide that two functions of a
/// net do not have the same by chance.
type Fingerprint = [u64; 2];

fn fingerprint(function: &FunctionStencil) -> Fingerprint {
    [1_u64, 2].map(|half| {
        let mut hasher = DefaultHasher::new();
        half.hash(&mut hasher);
        function.hash(&mut hasher);
        hasher.finish()
    })
}

/// The shapes found so far: a piece of each.
#[derive(Default)]
pub struct Shapes {
    pub all: Vec<Piece>,
    /// Whether each piece has a shape of its own, as alike as it may be to others.
    apart: bool,
    by_code: HashMap<Fingerprint, usize>,
}

impl Shapes {
    /// None found yet. `apart`: no two pieces are of one shape.
    pub fn new(apart: bool) -> Self {
        Shapes { apart, ..Shapes::default() }
    }

    /// The shape of a piece whose code, with all holes read, is this.
    pub fn of(&mut self, piece: Piece, code: &FunctionStencil) -> usize {
        let new = self.all.len();
        let shape = if self.apart { new } else { *self.by_code.entry(fingerprint(code)).or_insert(new) };
        if shape == self.all.len() {
            self.all.push(piece);
        }
        shape
    }
}

/// The pieces of one transition, with holes that hold for all transitions with its key.
struct General {
    transition: TransitionId,
    parts: Vec<Described>,
}

/// What is known of transitions by their shape keys.
#[derive(Default)]
pub struct Alike {
    by_key: HashMap<Vec<u64>, General>,
}

impl Alike {
    /// The pieces of a transition with this key, if one with the same key has been kept, and which that was.
    pub fn parts(&self, key: &ShapeKey) -> Option<(TransitionId, Vec<Described>)> {
        let General { transition, parts } = self.by_key.get(key.words())?;
        Some((*transition, translated(parts, |hole| key.special(hole))?))
    }

    /// Keeps the pieces of the first transition with this key.
    pub fn keep(&mut self, key: &ShapeKey, transition: TransitionId, own: &[Described]) {
        if let Some(parts) = translated(own, |hole| key.general(hole)) {
            self.by_key.insert(key.words().to_vec(), General { transition, parts });
        }
    }
}

/// The same with other holes.
fn translated(parts: &[Described], other: impl Fn(Hole) -> Option<Hole>) -> Option<Vec<Described>> {
    let translate = |(shape, row): &Described| {
        let row: Option<Vec<Hole>> = row.iter().map(|&hole| other(hole)).collect();
        Some((*shape, row?))
    };
    parts.iter().map(translate).collect()
}
