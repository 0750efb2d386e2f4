//! Matches: transitions whose bindings are a token of one bag (the *pivot*) and a token of another whose rank reaches it, as in
//! `job(j), machine(m) when m >= j`, or lies within its limits, as in `bolt(b), hole({low: l, high: h}) when l <= b and b <= h`.
//!
//! **Problem.** As for a join: is there a binding, how many are there, and which is the k-th in order (E7)?
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
//! **Ranges.** `lo <= m and m <= hi` are the pairs that reach `lo`, without those that reach beyond `hi`. Where `lo` is not greater
//! than `hi`, the latter are among the former, so that numbers of pairs are differences, in each block of positions as well;
//! other tokens have no pairs, and are absent. It does not matter which of the two tokens has the limits. An equality of two values, as in
//! `left(x), right(y) when (x + y) mod 7 == 0`, is a range with one value (`program/compile/ranking.rs` parts the remainder).
//!
//! Invariants:
//! - *ranks*: each position has the rank of the token in its seat, or is absent if that does not pass its filters.
//! - *marks*: each threshold has as many marks as there are ranks of the other bag that reach it.
//! - *blocks*: the rows of both parts of a range have the same blocks.
//! - [`Thresholds`] and [`RankedRow`] hold their own.

use std::sync::Arc;

use crate::base::ids::TransitionId;
use crate::base::invariant::{ensure, Verified};
use crate::collections::ranked_row::{Cut, RankedRow};
use crate::collections::thresholds::Thresholds;
use crate::program::ranking::{MatchProgram, ReachProgram};
use crate::state::evaluator::CalledCode;
use crate::state::ranker::Ranker;

/// The pairs that one comparison matches.
#[derive(Clone)]
struct Reach {
    thresholds: Thresholds,
    ranks: RankedRow,
    rankers: [Ranker; 2],
}

impl Reach {
    fn new(program: &ReachProgram) -> Self {
        let rankers = [&program.pivot, &program.other].map(Ranker::new);
        Reach { thresholds: Thresholds::default(), ranks: RankedRow::default(), rankers }
    }

    /// Where the ranks that reach a threshold begin.
    fn reaching(program: &ReachProgram, threshold: u64) -> Cut {
        Cut { rank: threshold, behind: program.strict }
    }

    /// Where the thresholds that a rank reaches end.
    fn reached(program: &ReachProgram, rank: u64) -> Cut {
        Cut { rank, behind: !program.strict }
    }

    fn pivot_arrives(&mut self, program: &ReachProgram, token: &[u64]) {
        let threshold = self.rankers[0].rank(&program.pivot, token);
        let marks = threshold.map_or(0, |threshold| self.ranks.count_behind(Self::reaching(program, threshold)));
        self.thresholds.push(threshold, marks);
    }

    fn other_arrives(&mut self, program: &ReachProgram, token: &[u64]) {
        let rank = self.rankers[1].rank(&program.other, token);
        self.ranks.push(rank);
        if let Some(rank) = rank {
            self.thresholds.mark(Self::reached(program, rank), true);
        }
    }

    fn other_leaves(&mut self, program: &ReachProgram, seat: usize) {
        if let Some(rank) = self.ranks.get(seat) {
            self.thresholds.mark(Self::reached(program, rank), false);
        }
        self.ranks.swap_remove(seat);
    }

    /// Checks the invariants, given the tokens of both bags by seat.
    fn verify(&self, program: &ReachProgram, tokens: [&[&[u64]]; 2]) -> Verified {
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

/// The state of a match.
#[derive(Clone)]
pub struct Match {
    pub transition: TransitionId,
    reach: Reach,
    /// The pairs that reach beyond a range.
    beyond: Option<Reach>,
}

impl Match {
    pub fn new(program: &MatchProgram) -> Self {
        let beyond = program.beyond.as_ref().map(Reach::new);
        Match { transition: program.transition, reach: Reach::new(&program.reach), beyond }
    }

    /// From now on, these functions tell which tokens have a rank.
    pub fn call(&mut self, functions: Option<&Arc<CalledCode>>) {
        let reaches = std::iter::once(&mut self.reach).chain(&mut self.beyond);
        reaches.flat_map(|reach| &mut reach.rankers).for_each(|ranker| ranker.call(functions));
    }

    /// The number of bindings.
    pub fn bindings(&self) -> u64 {
        self.reach.thresholds.total() - self.beyond.as_ref().map_or(0, |beyond| beyond.thresholds.total())
    }

    /// Both parts, or the only one.
    fn parts<'s>(&'s mut self, program: &'s MatchProgram) -> impl Iterator<Item = (&'s mut Reach, &'s ReachProgram)> {
        let beyond = self.beyond.iter_mut().zip(&program.beyond);
        std::iter::once((&mut self.reach, &program.reach)).chain(beyond)
    }

    /// Rebuilds buckets where needed, in both parts at once, so that their blocks stay equal.
    fn freshen(&mut self) {
        let Match { reach, beyond, .. } = self;
        let parts = || std::iter::once(&*reach).chain(&*beyond);
        let (worn_thresholds, worn_ranks) =
            (parts().any(|part| part.thresholds.is_worn()), parts().any(|part| part.ranks.is_worn()));
        for part in std::iter::once(reach).chain(beyond) {
            if worn_thresholds {
                part.thresholds.rebuild();
            }
            if worn_ranks {
                part.ranks.rebuild();
            }
        }
    }

    /// A token is added at the end of the pivot's row.
    pub fn pivot_arrives(&mut self, program: &MatchProgram, token: &[u64]) {
        self.freshen();
        self.parts(program).for_each(|(part, plan)| part.pivot_arrives(plan, token));
    }

    /// The token of a seat of the pivot leaves, and the last one moves there.
    pub fn pivot_leaves(&mut self, seat: usize) {
        self.reach.thresholds.swap_remove(seat);
        self.beyond.iter_mut().for_each(|beyond| beyond.thresholds.swap_remove(seat));
    }

    /// A token is added at the end of the other row.
    pub fn other_arrives(&mut self, program: &MatchProgram, token: &[u64]) {
        self.freshen();
        self.parts(program).for_each(|(part, plan)| part.other_arrives(plan, token));
    }

    /// The token of a seat of the other bag leaves, and the last one moves there.
    pub fn other_leaves(&mut self, program: &MatchProgram, seat: usize) {
        self.freshen();
        self.parts(program).for_each(|(part, plan)| part.other_leaves(plan, seat));
    }

    /// The seats of binding number `k`, in order (E7), for the pivot and the other.
    pub fn choose(&mut self, program: &MatchProgram, k: u64) -> [usize; 2] {
        self.freshen();
        let Match { reach, beyond, .. } = self;
        let (seat, left) = reach.thresholds.select(beyond.as_ref().map(|beyond| &beyond.thresholds), k);
        let from = Reach::reaching(&program.reach, reach.thresholds.threshold(seat));
        let others = beyond.as_mut().zip(program.beyond.as_ref()).map(|(beyond, plan)| {
            let from = Reach::reaching(plan, beyond.thresholds.threshold(seat));
            (&mut beyond.ranks, from)
        });
        [seat, reach.ranks.select_without(from, Cut::END, others, left)]
    }

    // ------------------------------------------------------------ invariants

    /// Checks the invariants, given the tokens of both bags by seat.
    pub fn verify(&self, program: &MatchProgram, tokens: [&[&[u64]]; 2]) -> Verified {
        self.reach.verify(&program.reach, tokens)?;
        let (Some(beyond), Some(plan)) = (&self.beyond, &program.beyond) else { return Ok(()) };
        beyond.verify(plan, tokens)?;
        let shifts = |part: &Reach| (part.thresholds.shift(), part.ranks.shift());
        let (first, second) = (shifts(&self.reach), shifts(beyond));
        ensure(first == second, "blocks", || format!("{first:?} and {second:?}"))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::base::ids::MatchId;
    use crate::base::invariant::broken;
    use crate::program::Program;

    fn variable(number: u32) -> String {
        format!(r#"{{"op":"var","kind":"int","value":{number}}}"#)
    }

    fn op(op: &str, left: String, right: String) -> String {
        format!(r#"{{"op":"{op}","kind":"bool","args":[{left},{right}]}}"#)
    }

    /// Places `a` of one slot and `b` of two, whose variables are 0, 1 and 2; `first` is the place of the first arc.
    fn program(first: u32, guard: &str) -> Program {
        let place = |name: &str, slots: &str| format!(r#"{{"name":"{name}","colour":{{"slots":[{slots}]}}}}"#);
        let arcs = [
            r#"{"place":0,"pattern":[{"bind":0}]}"#.to_owned(),
            r#"{"place":1,"pattern":[{"bind":1},{"bind":2}]}"#.to_owned(),
        ];
        let arcs = if first == 0 { arcs.join(",") } else { [&arcs[1][..], &arcs[0]].join(",") };
        let text = format!(
            r#"{{"places":[{},{}],"transitions":[{{"name":"t","variables":[{{"name":"u"}},{{"name":"v"}},{{"name":"w"}}],
            "inputs":[{arcs}],"guard":{guard}}}]}}"#,
            place("a", r#"{"name":"x","low":0,"high":19}"#),
            place("b", r#"{"name":"x","low":0,"high":19},{"name":"y","low":0,"high":19}"#),
        );
        Program::from_json(&text).expect("a net")
    }

    /// Whether two tokens are in a range whose ends belong to it, or do not.
    fn fits(strict: [bool; 2], at: u64, [low, high]: [u64; 2]) -> bool {
        (low < at || (low == at && !strict[0])) && (at < high || (at == high && !strict[1]))
    }

    fn range(first: u32, strict: [bool; 2]) -> Program {
        let compare = |strict| if strict { "lt" } else { "le" };
        let ends = [op(compare(strict[0]), variable(1), variable(0)), op(compare(strict[1]), variable(0), variable(2))];
        program(first, &op("and", ends[0].clone(), ends[1].clone()))
    }

    /// Both sides have the same remainder, or a sum of both tokens has the remainder 2: a guard, and whether it holds.
    fn remainders(of_sum: bool) -> (String, fn(u64, u64, u64) -> bool) {
        let number = |value: u64| format!(r#"{{"op":"const","kind":"int","value":{value}}}"#);
        let rest = |of: String| op("mod", of, number(5)).replace(r#""bool""#, r#""int""#);
        let whole = |name: &str, a, b| op(name, a, b).replace(r#""bool""#, r#""int""#);
        if of_sum {
            let sum = whole("sub", whole("add", variable(1), variable(0)), variable(2));
            (op("eq", rest(sum), number(2)), |x, v, w| (v as i64 + x as i64 - w as i64).rem_euclid(5) == 2)
        } else {
            (op("eq", rest(variable(0)), rest(variable(1))), |x, v, _| x % 5 == v % 5)
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(80))]
        /// Tokens come and go; compared with all pairs. Either token may be the pivot.
        #[test]
        fn pairs_are_those_of_a_search(
            first in 0..2u32,
            strict in any::<[bool; 2]>(),
            of_sum in prop::option::of(any::<bool>()),
            steps in prop::collection::vec((0..2usize, 0..9u8, any::<prop::sample::Index>(), 0..20u64, 0..20u64), 0..200),
        ) {
            let remainders = of_sum.map(remainders);
            let program = match &remainders {
                Some((guard, _)) => program(first, guard),
                None => range(first, strict),
            };
            prop_assert_eq!(program.matches.len(), 1);
            let plan = &program.matches[MatchId(0)];
            let (mut state, mut rows) = (Match::new(plan), [Vec::<Vec<u64>>::new(), Vec::new()]);
            for (place, action, at, x, y) in steps {
                let row = &mut rows[place];
                let pivot = place == first as usize;
                if action < 7 || row.is_empty() {
                    row.push(if place == 0 { vec![x] } else { vec![x, y] });
                    let token = &row[row.len() - 1];
                    if pivot { state.pivot_arrives(plan, token) } else { state.other_arrives(plan, token) }
                } else {
                    let seat = at.index(row.len());
                    if pivot { state.pivot_leaves(seat) } else { state.other_leaves(plan, seat) }
                    row.swap_remove(seat);
                }
                let tokens = |place: usize| rows[place].iter().map(|token| &token[..]).collect::<Vec<_>>();
                let order = [first as usize, 1 - first as usize];
                prop_assert_eq!(state.verify(plan, [&tokens(order[0]), &tokens(order[1])]), Ok(()));
                let pairs = (0..rows[order[0]].len()).flat_map(|i| (0..rows[order[1]].len()).map(move |j| [i, j]));
                let expected: Vec<[usize; 2]> = pairs.filter(|pair| {
                    let token = |place: usize| &rows[place][pair[usize::from(order[0] != place)]];
                    let (x, v, w) = (token(0)[0], token(1)[0], token(1)[1]);
                    remainders.as_ref().map_or_else(|| fits(strict, x, [v, w]), |(_, holds)| holds(x, v, w))
                }).collect();
                prop_assert_eq!(state.bindings(), expected.len() as u64);
                for (k, pair) in expected.iter().enumerate().step_by(7) {
                    prop_assert_eq!(&state.choose(plan, k as u64), pair);
                }
            }
        }
    }

    /// A pivot whose threshold is below another's rank, which is not 3.
    fn reaching() -> Program {
        let three = r#"{"op":"const","kind":"int","value":3}"#.to_owned();
        program(0, &op("and", op("lt", variable(0), variable(1)), op("ne", variable(1), three)))
    }

    #[test]
    fn damage_is_found() {
        let tokens: Vec<[u64; 2]> = (0..6).map(|value| [value, value + 2]).collect();
        let tokens: Vec<&[u64]> = tokens.iter().map(|token| &token[..]).collect();
        let damaged = |damage: fn(&mut Match)| {
            let program = reaching();
            let plan = &program.matches[MatchId(0)];
            let mut state = Match::new(plan);
            tokens.iter().for_each(|token| state.pivot_arrives(plan, &token[..1]));
            tokens.iter().for_each(|token| state.other_arrives(plan, token));
            assert_eq!(state.verify(plan, [&tokens, &tokens]), Ok(()));
            assert_eq!((state.bindings(), state.choose(plan, 4)), (12, [1, 2]));
            damage(&mut state);
            broken(state.verify(plan, [&tokens, &tokens]))
        };
        assert_eq!(damaged(|state| state.reach.thresholds.push(None, 0)), "ranks");
        assert_eq!(damaged(|state| state.reach.ranks.swap_remove(2)), "ranks");
        assert_eq!(damaged(|state| state.reach.thresholds.mark(Cut::END, true)), "marks");
    }
}
