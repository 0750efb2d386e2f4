//! Preferences: the tokens of one bag, of which a transition prefers those with the least rank (I4).
//!
//! **Problem.** Of all tokens of a bag, those with the least key (or the greatest, whose ranks are reversed) are chosen
//! from, in order (E7). Evaluating all keys at each firing costs the number of tokens.
//!
//! **Idea.** Keys are evaluated as tokens arrive, and a [`RankedRow`] knows the least of them, and the k-th that has it.
//!
//! Invariants:
//! - *ranks*: each position has the rank of the token in its seat.
//! - The [`RankedRow`] holds its own.

use crate::base::invariant::{ensure, Verified};
use crate::collections::ranked_row::{Cut, Ranked, RankedRow};
use crate::program::ranking::RankingProgram;
use crate::state::ranker::Ranker;

/// The state of a preference.
#[derive(Clone)]
pub struct Ranking {
    row: Row,
    ranker: Ranker,
}

/// Ranks by one key, or by two.
#[derive(Clone)]
enum Row {
    One(RankedRow),
    Two(RankedRow<u128>),
}

/// The seat of one of the tokens with the least rank, of which `choose` picks one by their number.
#[inline(always)]
fn draw<R: Ranked>(row: &mut RankedRow<R>, choose: impl FnOnce(u64) -> u64) -> usize {
    tidy(row);
    let (rank, number) = row.least().unwrap_or_default();
    row.select(Cut { rank, behind: false }, Cut { rank, behind: true }, choose(number))
}

#[inline(always)]
fn tidy<R: Ranked>(row: &mut RankedRow<R>) {
    if row.is_worn() {
        row.rebuild();
    }
}

fn verify<R: Ranked>(row: &RankedRow<R>, expected: &[Option<R>]) -> Verified {
    let found: Vec<_> = (0..row.len()).map(|seat| row.get(seat)).collect();
    ensure(found == expected, "ranks", || format!("{found:?} instead of {expected:?}"))?;
    row.verify()
}

impl Ranking {
    pub fn new(program: &RankingProgram) -> Self {
        let row = match program.by.then {
            None => Row::One(RankedRow::default()),
            Some(_) => Row::Two(RankedRow::default()),
        };
        Ranking { row, ranker: Ranker::new(&program.by) }
    }

    /// A token is added at the end of the bag.
    pub fn arrives(&mut self, program: &RankingProgram, token: &[u64]) {
        match &mut self.row {
            Row::One(row) => {
                tidy(row);
                row.push(self.ranker.rank(&program.by, token));
            }
            Row::Two(row) => {
                tidy(row);
                row.push(self.ranker.rank_by_both(&program.by, token));
            }
        }
    }

    /// The token of a seat leaves, and the last one moves there.
    pub fn leaves(&mut self, seat: usize) {
        match &mut self.row {
            Row::One(row) => row.swap_remove(seat),
            Row::Two(row) => row.swap_remove(seat),
        }
    }

    /// The seat of one of the tokens with the least rank, of which `choose` picks one by their number.
    pub fn draw(&mut self, choose: impl FnOnce(u64) -> u64) -> usize {
        match &mut self.row {
            Row::One(row) => draw(row, choose),
            Row::Two(row) => draw(row, choose),
        }
    }

    /// Checks the invariants, given the tokens of the bag by seat.
    pub fn verify(&self, program: &RankingProgram, tokens: &[&[u64]]) -> Verified {
        let mut ranker = Ranker::new(&program.by);
        match &self.row {
            Row::One(row) => {
                let expected: Vec<_> = tokens.iter().map(|token| ranker.rank(&program.by, token)).collect();
                verify(row, &expected)
            }
            Row::Two(row) => {
                let expected: Vec<_> = tokens.iter().map(|token| ranker.rank_by_both(&program.by, token)).collect();
                verify(row, &expected)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::ids::RankingId;
    use crate::base::invariant::broken;
    use crate::program::Program;

    #[test]
    fn damage_is_found_and_further_keys_decide() {
        let program = |then: &str| {
            let key = r#"{"op":"var","kind":"int","value":0}"#;
            Program::from_json(&format!(
                r#"{{"places":[{{"name":"a","colour":{{"slots":[{{"name":"x"}},{{"name":"y"}}]}}}}],
                "transitions":[{{"name":"t","variables":[{{"name":"a"}},{{"name":"b"}}],
                "prefer":{{"key":{key},"most":true{then}}},
                "inputs":[{{"place":0,"pattern":[{{"bind":0}},{{"bind":1}}]}}]}}]}}"#
            ))
        };
        let two = program(r#","then":{"op":"var","kind":"int","value":1}"#).expect("a net");
        let program = program("");
        let program = program.expect("a net");
        let plan = &program.rankings[RankingId(0)];
        let tokens: Vec<[u64; 2]> = (0..6).map(|value| [value / 2, 6 - value]).collect();
        let tokens: Vec<&[u64]> = tokens.iter().map(|token| &token[..]).collect();
        let mut ranking = Ranking::new(plan);
        tokens.iter().for_each(|token| ranking.arrives(plan, token));
        assert_eq!(ranking.verify(plan, &tokens), Ok(()));
        let second = |number| {
            assert_eq!(number, 2);
            1
        };
        assert_eq!(ranking.draw(second), 5);
        let (plan_of_two, alone) = (&two.rankings[RankingId(0)], |number| number - 1);
        let mut by_two = Ranking::new(plan_of_two);
        tokens.iter().for_each(|token| by_two.arrives(plan_of_two, token));
        assert_eq!(by_two.verify(plan_of_two, &tokens), Ok(()));
        assert_eq!(by_two.draw(alone), 4);
        ranking.leaves(5);
        assert_eq!(broken(ranking.verify(plan, &tokens)), "ranks");
    }
}
