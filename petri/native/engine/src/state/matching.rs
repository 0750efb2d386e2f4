//! Matches: transitions whose bindings are a token of one bag (the *pivot*) and a token of another whose rank reaches it, as in
//! `job(j), machine(m) when m >= j`.
//!
//! **Problem.** As for a join: is there a binding, how many are there, and which is the k-th in the order of E7?
//!
//! **Idea.** The tokens of the pivot are [`Thresholds`], and those of the other bag [`RankedRow`] positions that mark the thresholds
//! which they reach. The number of pairs is a sum that the thresholds keep. Pair k lies in the share of one threshold, with r
//! pairs before it there: the other token is number r of those whose rank reaches the threshold.
//!
//! ```text
//! job      seat 0: 5   seat 1: 2        machine   seat 0: 4   seat 1: 9   seat 2: 2
//! marks    1           3                4 pairs; pair 2 is job seat 1, and number 1 of the machines from 2 on: seat 1
//! ```
//!
//! Where the guard asks for less (`m < j`), all ranks are reversed.
//!
//! Invariants:
//! - *ranks*: each position has the rank of the token in its seat, or is absent if that does not pass its filters.
//! - *marks*: each threshold has as many marks as there are ranks of the other bag that reach it.
//! - [`Thresholds`] and [`RankedRow`] hold their own.

use crate::base::ids::TransitionId;
use crate::base::invariant::{ensure, Verified};
use crate::collections::ranked_row::{Cut, RankedRow};
use crate::collections::thresholds::Thresholds;
use crate::program::ranking::MatchProgram;
use crate::state::ranker::Ranker;

/// The state of a match.
pub struct Match {
    pub transition: TransitionId,
    thresholds: Thresholds,
    ranks: RankedRow,
    rankers: [Ranker; 2],
}

impl Match {
    pub fn new(program: &MatchProgram) -> Self {
        let rankers = [&program.pivot, &program.other].map(Ranker::new);
        let (thresholds, ranks) = (Thresholds::default(), RankedRow::default());
        Match { transition: program.transition, thresholds, ranks, rankers }
    }

    /// The number of bindings.
    pub fn bindings(&self) -> u64 {
        self.thresholds.total()
    }

    /// Where the ranks that reach a threshold begin.
    fn reaching(program: &MatchProgram, threshold: u64) -> Cut {
        Cut { rank: threshold, behind: program.strict }
    }

    /// Where the thresholds that a rank reaches end.
    fn reached(program: &MatchProgram, rank: u64) -> Cut {
        Cut { rank, behind: !program.strict }
    }

    /// A token comes to the end of the pivot's row.
    pub fn pivot_arrives(&mut self, program: &MatchProgram, token: &[u64]) {
        let threshold = self.rankers[0].rank(&program.pivot, token);
        let marks = threshold.map_or(0, |threshold| self.ranks.count_behind(Self::reaching(program, threshold)));
        self.thresholds.push(threshold, marks);
    }

    /// The token of a seat of the pivot leaves, and the last one moves there.
    pub fn pivot_leaves(&mut self, seat: usize) {
        self.thresholds.swap_remove(seat);
    }

    /// A token comes to the end of the other row.
    pub fn other_arrives(&mut self, program: &MatchProgram, token: &[u64]) {
        let rank = self.rankers[1].rank(&program.other, token);
        if self.ranks.is_worn() {
            self.ranks.rebuild();
        }
        self.ranks.push(rank);
        if let Some(rank) = rank {
            self.thresholds.mark(Self::reached(program, rank), true);
        }
    }

    /// The token of a seat of the other bag leaves, and the last one moves there.
    pub fn other_leaves(&mut self, program: &MatchProgram, seat: usize) {
        if let Some(rank) = self.ranks.get(seat) {
            self.thresholds.mark(Self::reached(program, rank), false);
        }
        self.ranks.swap_remove(seat);
    }

    /// The seats of binding number `k`, in the order of E7, for the pivot and the other.
    pub fn choose(&mut self, program: &MatchProgram, k: u64) -> [usize; 2] {
        if self.ranks.is_worn() {
            self.ranks.rebuild();
        }
        let (seat, left) = self.thresholds.select(k);
        let from = Self::reaching(program, self.thresholds.threshold(seat));
        [seat, self.ranks.select(from, Cut::END, left)]
    }

    // ------------------------------------------------------------ invariants

    /// Checks the invariants, given the tokens of both bags by seat.
    pub fn verify(&self, program: &MatchProgram, tokens: [&[&[u64]]; 2]) -> Verified {
        let ranks = |plan, tokens: &[&[u64]]| {
            let mut ranker = Ranker::new(plan);
            tokens.iter().map(|token| ranker.rank(plan, token)).collect::<Vec<_>>()
        };
        let (pivot, other) = (ranks(&program.pivot, tokens[0]), ranks(&program.other, tokens[1]));
        let found: Vec<_> = (0..self.ranks.len()).map(|seat| self.ranks.get(seat)).collect();
        ensure(found == other, "ranks", || format!("{found:?} instead of {other:?}"))?;
        let found: Vec<_> = (0..self.thresholds.len()).map(|seat| self.thresholds.get(seat)).collect();
        ensure(found == pivot, "ranks", || format!("{found:?} instead of {pivot:?}"))?;
        self.ranks.verify()?;
        self.thresholds.verify(|seat| {
            let reached =
                |rank: &&u64| pivot[seat].is_some_and(|threshold| Self::reached(program, **rank).has(threshold));
            other.iter().flatten().filter(reached).count() as u64
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::ids::MatchId;
    use crate::base::invariant::broken;
    use crate::program::Program;

    /// A pivot whose threshold is below another's rank, which is not 3.
    fn program() -> Program {
        let place = |name: &str| format!(r#"{{"name":"{name}","colour":{{"slots":[{{"name":"x"}}]}}}}"#);
        let arc = |place: u32| format!(r#"{{"place":{place},"pattern":[{{"bind":{place}}}]}}"#);
        let variable = |number: u32| format!(r#"{{"op":"var","kind":"int","value":{number}}}"#);
        let compare =
            |op: &str, left: String, right: String| format!(r#"{{"op":"{op}","kind":"bool","args":[{left},{right}]}}"#);
        let three = r#"{"op":"const","kind":"int","value":3}"#.to_owned();
        let args = [compare("lt", variable(0), variable(1)), compare("ne", variable(1), three)].join(",");
        let text = format!(
            r#"{{"places":[{},{}],"transitions":[{{"name":"t","variables":[{{"name":"a"}},{{"name":"b"}}],
            "inputs":[{},{}],"guard":{{"op":"and","kind":"bool","args":[{args}]}}}}]}}"#,
            place("a"),
            place("b"),
            arc(0),
            arc(1)
        );
        Program::from_json(&text).expect("a net")
    }

    #[test]
    fn damage_is_found() {
        let tokens: Vec<[u64; 1]> = (0..6).map(|value| [value]).collect();
        let tokens: Vec<&[u64]> = tokens.iter().map(|token| &token[..]).collect();
        let damaged = |damage: fn(&mut Match)| {
            let program = program();
            let plan = &program.matches[MatchId(0)];
            let mut state = Match::new(plan);
            tokens.iter().for_each(|token| state.pivot_arrives(plan, token));
            tokens.iter().for_each(|token| state.other_arrives(plan, token));
            assert_eq!(state.verify(plan, [&tokens, &tokens]), Ok(()));
            assert_eq!((state.bindings(), state.choose(plan, 4)), (12, [1, 2]));
            damage(&mut state);
            broken(state.verify(plan, [&tokens, &tokens]))
        };
        assert_eq!(damaged(|state| state.thresholds.push(None, 0)), "ranks");
        assert_eq!(damaged(|state| state.ranks.swap_remove(2)), "ranks");
        assert_eq!(damaged(|state| state.thresholds.mark(Cut::END, true)), "marks");
    }
}
