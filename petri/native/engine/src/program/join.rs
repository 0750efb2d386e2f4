//! Joins, as the compiler finds them: `state/join.rs` explains what they are and keeps their counts.

use crate::base::ids::{IndexId, PlaceId, TransitionId, VariableId};
use crate::program::called::Called;
use crate::program::expression::Value;

/// A compiled join.
pub struct JoinProgram {
    pub transition: TransitionId,
    /// Arc of the pivot, its place, and the slots of a token there.
    pub pivot: usize,
    pub place: PlaceId,
    pub width: usize,
    pub binds: Vec<(u32, VariableId)>,
    /// A condition on the pivot's token alone. It cannot fail.
    pub filter: Option<Called>,
    pub links: Vec<LinkProgram>,
    /// The arcs behind the pivot's that leave a choice, the last one first.
    pub choices: Vec<ArcChoice>,
    /// The arcs that take any token. They are not part of the weights, which do not change when such tokens come and
    /// go.
    pub free: Vec<FreeArc>,
    /// Arcs share their place with one another, or with the pivot: they must not find the same token (E1).
    pub crowded: bool,
    /// The pivot's token is only read.
    pub stays: bool,
    /// Variables of the transition.
    pub variables: usize,
}

impl JoinProgram {
    /// Whether each group of a link lists the seats that wait for it (`state/join_links.rs`).
    pub fn is_listed(&self) -> bool {
        self.stays && (2..=usize::from(u8::MAX)).contains(&self.links.len()) && !self.crowded
    }
}

/// An arc that takes any token of a place, except those of earlier arcs.
#[derive(Clone, Debug)]
pub struct FreeArc {
    pub arc: usize,
    pub place: PlaceId,
    pub before: Vec<usize>,
}

impl FreeArc {
    /// The tokens that arcs before it have found.
    pub fn used(&self) -> u64 {
        self.before.len() as u64
    }
}

/// An arc whose tokens are keyed by the pivot's.
pub struct LinkProgram {
    pub index: IndexId,
    pub arc: usize,
    /// Whether the pivot is of the same place, and the links before this one that are.
    pub beside_pivot: bool,
    pub beside: Vec<usize>,
    /// The bit by which the index knows the link.
    pub bit: u32,
    pub key: LinkKey,
}

/// The source of a link's key.
pub enum LinkKey {
    /// Slots of the pivot's token.
    Slots(Box<[u32]>),
    /// Expressions of the pivot's variables. They cannot fail.
    Values(Vec<Value>),
}

/// How an arc behind the pivot's chooses its token.
#[derive(Clone, Copy, Debug)]
pub enum ArcChoice {
    /// Among those of a link's key.
    Keyed { arc: usize, link: usize },
    /// Among all tokens of its place except those of `used` arcs before it. At least one is left when the transition is enabled.
    Any { arc: usize, place: PlaceId, used: u64 },
}

impl ArcChoice {
    pub fn arc(&self) -> usize {
        match *self {
            ArcChoice::Keyed { arc, .. } | ArcChoice::Any { arc, .. } => arc,
        }
    }
}
