//! Preferences: the tokens of one bag, of which a transition prefers those with the least rank (I4).
//!
//! **Problem.** Of all tokens of a bag, those with the least key (or the greatest, whose ranks are reversed) are chosen from, in
//! the order of E7. Evaluating all keys at each firing costs the number of tokens.
//!
//! **Idea.** Keys are evaluated as tokens arrive, and a [`RankedRow`] knows the least of them, and the k-th that has it.
//!
//! Invariants:
//! - *ranks*: each position has the rank of the token in its seat.
//! - The [`RankedRow`] holds its own.

use crate::base::invariant::{ensure, Verified};
use crate::collections::ranked_row::{Cut, RankedRow};
use crate::program::ranking::RankingProgram;
use crate::state::ranker::Ranker;

/// The state of a preference.
pub struct Ranking {
    row: RankedRow,
    ranker: Ranker,
}

impl Ranking {
    pub fn new(program: &RankingProgram) -> Self {
        Ranking { row: RankedRow::default(), ranker: Ranker::new(&program.by) }
    }

    /// A token is added at the end of the bag.
    pub fn arrives(&mut self, program: &RankingProgram, token: &[u64]) {
        self.tidy();
        self.row.push(self.ranker.rank(&program.by, token));
    }

    /// The token of a seat leaves, and the last one moves there.
    pub fn leaves(&mut self, seat: usize) {
        self.row.swap_remove(seat);
    }

    fn tidy(&mut self) {
        if self.row.is_worn() {
            self.row.rebuild();
        }
    }

    /// The least rank, and how many tokens have it.
    pub fn least(&mut self) -> (u64, u64) {
        self.tidy();
        self.row.least().unwrap_or_default()
    }

    /// The seat of number `k` of the tokens of a rank.
    pub fn select(&mut self, rank: u64, k: u64) -> usize {
        self.row.select(Cut { rank, behind: false }, Cut { rank, behind: true }, k)
    }

    /// Checks the invariants, given the tokens of the bag by seat.
    pub fn verify(&self, program: &RankingProgram, tokens: &[&[u64]]) -> Verified {
        let mut ranker = Ranker::new(&program.by);
        let expected: Vec<_> = tokens.iter().map(|token| ranker.rank(&program.by, token)).collect();
        let found: Vec<_> = (0..self.row.len()).map(|seat| self.row.get(seat)).collect();
        ensure(found == expected, "ranks", || format!("{found:?} instead of {expected:?}"))?;
        self.row.verify()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::ids::RankingId;
    use crate::base::invariant::broken;
    use crate::program::Program;

    #[test]
    fn damage_is_found() {
        let key = r#"{"op":"var","kind":"int","value":0}"#;
        let program = Program::from_json(&format!(
            r#"{{"places":[{{"name":"a","colour":{{"slots":[{{"name":"x"}}]}}}}],
            "transitions":[{{"name":"t","variables":[{{"name":"a"}}],"prefer":{{"key":{key},"most":true}},
            "inputs":[{{"place":0,"pattern":[{{"bind":0}}]}}]}}]}}"#
        ));
        let program = program.expect("a net");
        let plan = &program.rankings[RankingId(0)];
        let tokens: Vec<[u64; 1]> = (0..6).map(|value| [value / 2]).collect();
        let tokens: Vec<&[u64]> = tokens.iter().map(|token| &token[..]).collect();
        let mut ranking = Ranking::new(plan);
        tokens.iter().for_each(|token| ranking.arrives(plan, token));
        assert_eq!(ranking.verify(plan, &tokens), Ok(()));
        let (rank, number) = ranking.least();
        assert_eq!((number, ranking.select(rank, 1)), (2, 5));
        ranking.leaves(5);
        assert_eq!(broken(ranking.verify(plan, &tokens)), "ranks");
    }
}
