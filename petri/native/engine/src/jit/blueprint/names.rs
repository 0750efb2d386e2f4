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

/// What the names of a blueprint refer to. Transitions with the same blueprint have equally many of each kind.
#[derive(Debug, Default)]
pub struct Names {
    pub places: Vec<PlaceId>,
    pub transitions: Vec<TransitionId>,
    pub joins: Vec<JoinId>,
    pub indices: Vec<IndexId>,
    pub words: Vec<u64>,
    /// The functions of expressions, by their numbers among those of a net.
    pub calls: Vec<u32>,
}

impl Names {
    pub fn place(&self, name: PlaceRef) -> PlaceId {
        self.places[name.at()]
    }

    pub fn transition(&self, name: TransitionRef) -> TransitionId {
        self.transitions[name.at()]
    }

    pub fn join(&self, name: JoinRef) -> JoinId {
        self.joins[name.at()]
    }

    pub fn index(&self, name: IndexRef) -> IndexId {
        self.indices[name.at()]
    }

    pub fn word(&self, name: WordRef) -> u64 {
        self.words[name.at()]
    }

    pub fn call(&self, name: CallRef) -> usize {
        self.calls[name.at()] as usize
    }

    /// How many there are of each kind.
    pub fn numbers(&self) -> [usize; 6] {
        let Names { places, transitions, joins, indices, words, calls } = self;
        [places.len(), transitions.len(), joins.len(), indices.len(), words.len(), calls.len()]
    }
}
