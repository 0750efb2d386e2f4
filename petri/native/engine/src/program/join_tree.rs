//! Join trees, as the compiler finds them: `state/join_tree.rs` explains what they are and keeps their counts.

use crate::base::ids::{PlaceId, TransitionId, VariableId};
use crate::program::called::Called;
use crate::program::expression::Value;

/// A compiled join tree, or several: each node without an edge is a root.
pub struct JoinTreeProgram {
    pub transition: TransitionId,
    /// In the order of their arcs, so that parents come before their children.
    pub nodes: Vec<NodeProgram>,
    /// The arcs that leave a choice, in their order.
    pub choices: Vec<TreeChoice>,
    /// Variables of the transition.
    pub variables: usize,
}

impl JoinTreeProgram {
    /// The arcs that accept any token.
    pub fn uncounted(&self) -> impl Iterator<Item = usize> + '_ {
        self.choices.iter().filter_map(|choice| match *choice {
            TreeChoice::Any { arc, .. } => Some(arc),
            TreeChoice::Node(_) => None,
        })
    }

    /// The nodes of a place, children before their parents.
    pub fn nodes_of(&self, place: PlaceId) -> impl Iterator<Item = usize> + '_ {
        (0..self.nodes.len()).rev().filter(move |&node| self.nodes[node].place == place)
    }
}

/// An arc of a join tree.
pub struct NodeProgram {
    pub arc: usize,
    pub place: PlaceId,
    /// Slots, and the variables whose values they have: those that the arc binds, and those that it compares them with.
    pub known: Vec<(u32, VariableId)>,
    /// Slots that must have these bits.
    pub fixed: Vec<(u32, u64)>,
    /// A condition on the token alone.
    pub filter: Option<Called>,
    pub edge: Option<EdgeProgram>,
    pub children: Vec<usize>,
    /// Its position among the choices.
    pub choice: usize,
    /// Some edge at this node has conditions that need the values of its tokens.
    pub tested: bool,
}

/// The conditions on tokens of a node and of its parent. None can fail.
pub struct EdgeProgram {
    pub parent: usize,
    /// Slots of the token, and the values that the parent's token wants there.
    pub slots: Vec<u32>,
    pub wanted: Vec<Value>,
    pub orders: Vec<OrderProgram>,
    /// A condition on both tokens.
    pub test: Option<Called>,
    /// Both are of the same place, so they must be different tokens (E1).
    pub distinct: bool,
}

impl EdgeProgram {
    /// Whether all tokens of a key are accepted.
    pub fn is_plain(&self) -> bool {
        self.orders.is_empty() && self.test.is_none() && !self.distinct
    }
}

/// A comparison of a value of the parent's token, the threshold, with one of the child's token, whose rank must reach
/// it.
pub struct OrderProgram {
    pub threshold: Value,
    pub rank: Value,
    /// It must not be greater, rather than not less.
    pub reversed: bool,
    /// The two must differ.
    pub strict: bool,
}

/// How an arc chooses its token.
#[derive(Clone, Copy, Debug)]
pub enum TreeChoice {
    /// By the counts of a node.
    Node(usize),
    /// Any token of a place, which no other arc of a choice takes from.
    Any { arc: usize, place: PlaceId },
}
