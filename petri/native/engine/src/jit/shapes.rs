//! Which functions of a net are equal. Transitions with the same blueprint share all functions; and two functions that
//! turn out to be equal except for their holes have the same *shape*, whatever they were made from.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::rc::Rc;

use cranelift_codegen::ir::function::FunctionStencil;

use crate::jit::blueprint::names::Names;
use crate::jit::blueprint::quick_hash::QuickHash;
use crate::jit::blueprint::{Blueprint, Subject};
use crate::jit::holes::{Hole, HoleRow};

/// One of the functions of a blueprint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Piece {
    Look,
    Start,
    Finish,
    Arrive,
    Depart,
    Evaluate,
}

impl Piece {
    /// The functions of a blueprint, in the order in which they appear among all functions.
    pub fn all_of(blueprint: &Blueprint) -> &'static [Piece] {
        match blueprint.subject {
            Subject::Transition(_) | Subject::Rate(_) => &[Piece::Look, Piece::Start, Piece::Finish],
            Subject::Arrival { .. } => &[Piece::Arrive],
            Subject::Departure(_) => &[Piece::Depart],
            Subject::Expression { .. } => &[Piece::Evaluate],
            Subject::Loop(_) => &[],
        }
    }

    /// What it does, as listings call it.
    pub fn name(self) -> &'static str {
        match self {
            Piece::Look => "look",
            Piece::Start => "start",
            Piece::Finish => "finish",
            Piece::Arrive => "arrive",
            Piece::Depart => "depart",
            Piece::Evaluate => "evaluate",
        }
    }
}

/// The shape of a function, and its holes.
#[derive(Debug, PartialEq)]
pub struct Described {
    pub shape: usize,
    pub holes: Box<[Hole]>,
}

/// The functions of a blueprint.
pub type Functions = Rc<[Described]>;

/// A transition, a place, or an expression: its functions, and what their names refer to.
pub struct Owner {
    pub functions: Functions,
    pub names: Names,
}

impl Owner {
    /// All its functions.
    pub fn parts(&self) -> impl Iterator<Item = Part<'_>> {
        (0..self.functions.len()).map(|which| self.part(which))
    }

    pub fn part(&self, which: usize) -> Part<'_> {
        Part { owner: self, which }
    }
}

/// A function of one transition, place, or expression.
#[derive(Clone, Copy)]
pub struct Part<'a> {
    pub owner: &'a Owner,
    which: usize,
}

impl<'a> Part<'a> {
    fn described(self) -> &'a Described {
        &self.owner.functions[self.which]
    }

    pub fn shape(self) -> usize {
        self.described().shape
    }

    pub fn row(self) -> HoleRow<'a> {
        HoleRow { holes: &self.described().holes, names: &self.owner.names }
    }
}

/// A hash of a function's whole structure: signature, blocks, instructions, constants. It is wide enough that two
/// functions of a net do not collide.
type Fingerprint = [u64; 2];

fn fingerprint(function: &FunctionStencil) -> Fingerprint {
    let mut written = Written::default();
    function.hash(&mut written);
    [1, 2].map(|half| {
        let mut hasher = DefaultHasher::new();
        hasher.write_u64(half);
        hasher.write(&written.0);
        hasher.finish()
    })
}

/// What a structure tells a hash. Bytes in one piece are hashed several times as fast as word after word.
#[derive(Default)]
struct Written(Vec<u8>);

impl Hasher for Written {
    fn write(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(bytes);
    }

    fn finish(&self) -> u64 {
        unreachable!("it is hashed by others")
    }
}

/// A function that stands for all of its shape: of which transition or place, and which part of it.
pub type Shape = (Rc<Blueprint>, Piece);

/// The shapes found so far: what each is made from.
#[derive(Default)]
pub struct Shapes {
    pub all: Vec<Shape>,
    /// Whether each function has a shape of its own, even if it is equal to others.
    apart: bool,
    by_code: HashMap<Fingerprint, usize>,
    by_blueprint: HashMap<Rc<Blueprint>, Functions, QuickHash>,
}

impl Shapes {
    /// None found yet. `apart`: no two functions are of one shape.
    pub fn new(apart: bool) -> Self {
        Shapes { apart, ..Shapes::default() }
    }

    /// The shape of a function whose code, with all holes read, is this.
    pub fn of(&mut self, blueprint: &Rc<Blueprint>, piece: Piece, code: &FunctionStencil) -> usize {
        let new = self.all.len();
        let shape = if self.apart { new } else { *self.by_code.entry(fingerprint(code)).or_insert(new) };
        if shape == self.all.len() {
            self.all.push((Rc::clone(blueprint), piece));
        }
        shape
    }

    /// The functions of a blueprint, if they are known.
    pub fn known(&self, blueprint: &Blueprint) -> Option<Functions> {
        self.by_blueprint.get(blueprint).filter(|_| !self.apart).map(Rc::clone)
    }

    pub fn keep(&mut self, blueprint: Rc<Blueprint>, functions: Vec<Described>) -> Functions {
        let functions = Functions::from(functions);
        self.by_blueprint.insert(blueprint, Rc::clone(&functions));
        functions
    }
}
