//! What differs between transitions with the same blueprint: what its names refer to.

use crate::base::ids::{IndexId, JoinId, PlaceId, TransitionId};

macro_rules! name {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub u32);

        impl $name {
            /// How many names of the same kind come before it in its blueprint.
            pub fn at(self) -> usize {
                self.0 as usize
            }
        }
    };
}

name!(
    /// A place, as a blueprint names it.
    PlaceRef
);
name!(
    /// A transition, as a blueprint names it.
    TransitionRef
);
name!(
    /// A join, as a blueprint names it.
    JoinRef
);
name!(
    /// An index, as a blueprint names it.
    IndexRef
);
name!(
    /// A constant, or an address, that is not part of the code, as a blueprint names it.
    WordRef
);
name!(
    /// A function of an expression, as a blueprint names it.
    CallRef
);

/// The transition whose code is made.
pub const OWN: TransitionRef = TransitionRef(0);

/// What the names of a blueprint refer to, while it is being made.
#[derive(Debug, Default)]
pub struct Naming {
    pub places: Vec<PlaceId>,
    pub transitions: Vec<TransitionId>,
    pub joins: Vec<JoinId>,
    pub indices: Vec<IndexId>,
    pub words: Vec<u64>,
    /// How many functions of expressions are named.
    pub calls: usize,
}

/// What the names of a blueprint refer to. Transitions with the same blueprint have equally many of each kind.
///
/// A large net has a hundred thousand at a time: the numbers are in one row, kind after kind.
#[derive(Debug)]
pub struct Names {
    numbers: Box<[u32]>,
    /// Where each kind but the first begins: transitions, joins, indices, calls, and words, whose halves are two numbers.
    starts: [u32; 5],
}

impl From<Naming> for Names {
    fn from(naming: Naming) -> Self {
        let Naming { places, transitions, joins, indices, words, calls } = naming;
        let mut numbers = Vec::with_capacity(
            places.len() + transitions.len() + joins.len() + indices.len() + calls + 2 * words.len(),
        );
        let mut starts = [0; 5];
        numbers.extend(places.iter().map(|place| place.0));
        starts[0] = numbers.len() as u32;
        numbers.extend(transitions.iter().map(|transition| transition.0));
        starts[1] = numbers.len() as u32;
        numbers.extend(joins.iter().map(|join| join.0));
        starts[2] = numbers.len() as u32;
        numbers.extend(indices.iter().map(|index| index.0));
        starts[3] = numbers.len() as u32;
        numbers.resize(numbers.len() + calls, 0);
        starts[4] = numbers.len() as u32;
        numbers.extend(words.iter().flat_map(|&word| halves(word)));
        Names { numbers: numbers.into(), starts }
    }
}

/// The halves of a word, in memory order.
pub fn halves(word: u64) -> [u32; 2] {
    [word as u32, (word >> 32) as u32]
}

impl Names {
    fn at(&self, kind: usize, position: usize) -> u32 {
        self.numbers[self.starts[kind] as usize + position]
    }

    pub fn place(&self, name: PlaceRef) -> PlaceId {
        PlaceId(self.numbers[name.at()])
    }

    pub fn transition(&self, name: TransitionRef) -> TransitionId {
        TransitionId(self.at(0, name.at()))
    }

    pub fn join(&self, name: JoinRef) -> JoinId {
        JoinId(self.at(1, name.at()))
    }

    pub fn index(&self, name: IndexRef) -> IndexId {
        IndexId(self.at(2, name.at()))
    }

    /// The function of an expression, by its number among those of a net.
    pub fn call(&self, name: CallRef) -> usize {
        self.at(3, name.at()) as usize
    }

    pub fn word(&self, name: WordRef) -> u64 {
        let low = 2 * name.at();
        u64::from(self.at(4, low)) | u64::from(self.at(4, low + 1)) << 32
    }

    /// The functions that are called are those of a net from this number on.
    pub fn call_from(&mut self, first: usize) {
        let calls = self.starts[3] as usize..self.starts[4] as usize;
        self.numbers[calls].iter_mut().zip(first as u32..).for_each(|(call, number)| *call = number);
    }

    /// How many there are of each kind.
    pub fn numbers(&self) -> ([u32; 5], usize) {
        (self.starts, self.numbers.len())
    }
}
