//! Tokens in order of a rank, as the compiler requests them: `state/matching.rs` and `state/ranking.rs` keep them.

use crate::base::ids::{JoinTreeId, MatchId, PlaceId, RankingId, TransitionId, VariableId};
use crate::program::called::Called;
use crate::program::expression::Value;

/// The value by which a token of a bag is ranked, for one arc.
pub struct RankProgram {
    pub arc: usize,
    pub place: PlaceId,
    pub binds: Vec<(u32, VariableId)>,
    /// A condition on the token alone; one that does not pass has no rank.
    pub filter: Option<Called>,
    /// It cannot fail.
    pub value: Value,
    /// Another value for tokens in which that is equal; only for a preference.
    pub then: Option<Value>,
    /// The greatest value has the least rank.
    pub reversed: bool,
    /// Variables of the transition.
    pub variables: usize,
}

/// Pairs of a token of one bag, the *pivot*, and one of another bag whose rank is not less than the pivot's.
pub struct ReachProgram {
    pub pivot: RankProgram,
    pub other: RankProgram,
    /// The rank must be greater.
    pub strict: bool,
}

/// Bindings that are such pairs, without those that reach beyond another threshold.
pub struct MatchProgram {
    pub transition: TransitionId,
    pub reach: ReachProgram,
    /// All of these pairs are among those of `reach`.
    pub beyond: Option<ReachProgram>,
}

/// A transition that prefers tokens of one bag, by their rank.
pub struct RankingProgram {
    pub by: RankProgram,
}

/// The structures to update when tokens of a place come and go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ranked {
    /// For a match, as its pivot, or as the other.
    Pivot(MatchId),
    Other(MatchId),
    /// A join tree, for all of its nodes that are of the place.
    Tree(JoinTreeId),
    /// For a preference.
    Preferred(RankingId),
}
