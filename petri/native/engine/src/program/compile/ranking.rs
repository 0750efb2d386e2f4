//! Finds what can be told by the ranks of tokens: pairs that one comparison matches, and tokens that are preferred.

use crate::base::ids::{MatchId, PlaceId, RankingId, VariableId};
use crate::net::Expr;
use crate::program::arc::{Find, InputProgram};
use crate::program::compile::transition::TransitionCompiler;
use crate::program::expression::{Bool, Comparison, Value};
use crate::program::ranking::{MatchProgram, RankProgram, Ranked, RankingProgram};
use crate::program::transition::Selection;

/// A guard that compares tokens of two bags, taken apart.
struct Parts<'e> {
    /// The conditions on one token alone.
    filters: [Vec<&'e Expr>; 2],
    comparison: Option<&'e Expr>,
}

/// The variables that an arc binds.
fn bound(arc: &InputProgram) -> Vec<VariableId> {
    arc.binds.iter().map(|(_, variable)| *variable).collect()
}

impl TransitionCompiler<'_, '_> {
    /// How the preferred tokens of the only bag are found, if its token alone decides about them.
    pub fn preference(&mut self, input: &InputProgram, arc: usize) -> Option<Selection> {
        let prefer = self.transition.prefer.as_ref()?;
        let facts = self.facts(&prefer.key);
        let alone = facts.tokens.is_empty() && !facts.reads_clock && !facts.fails;
        let known = bound(input);
        if !alone || !matches!(input.find, Find::Any) || !facts.variables.iter().all(|v| known.contains(v)) {
            return None;
        }
        let value = self.lowering().value(&prefer.key, prefer.key.kind).ok()?;
        let by = self.rank(input, arc, Vec::new(), value, prefer.most);
        let id = RankingId(self.compiler.rankings.len() as u32);
        self.ranked(by.place, Ranked::Preferred(id));
        self.compiler.rankings.push(RankingProgram { by });
        Some(Selection::Preferred(id, arc))
    }

    /// How pairs of tokens of two bags are found, if the guard asks for no more of both than one comparison.
    pub fn match_by_rank(&mut self, inputs: &[InputProgram], arcs: [usize; 2]) -> Option<Selection> {
        let transition = self.transition;
        let guard = transition.guard.as_ref()?;
        let bags = arcs.map(|arc| &inputs[arc]);
        let others = (0..inputs.len()).filter(|arc| !arcs.contains(arc));
        let any = bags.iter().all(|arc| matches!(arc.find, Find::Any) && arc.before.is_empty());
        if !any || others.into_iter().any(|arc| !inputs[arc].equals.is_empty()) {
            return None;
        }
        let parts = self.parts(guard, bags.map(bound))?;
        let comparison = parts.comparison?;
        let known = bound(bags[0]);
        let first = self.facts(comparison.args.first()?).variables;
        let pivot_first = first.iter().all(|variable| known.contains(variable));
        let (comparison, sides) = match self.lowering().bool(comparison).ok()? {
            Bool::Ints(comparison, sides) => (comparison, [Value::Int(sides.0), Value::Int(sides.1)]),
            Bool::Reals(comparison, sides) => (comparison, [Value::Real(sides.0), Value::Real(sides.1)]),
            _ => return None,
        };
        // What the other's rank is asked for: less than the pivot's, or more; and whether it may be the same.
        let (less, strict) = match comparison {
            Comparison::Less => (!pivot_first, true),
            Comparison::LessOrEqual => (!pivot_first, false),
            Comparison::Greater => (pivot_first, true),
            Comparison::GreaterOrEqual => (pivot_first, false),
            Comparison::Equal | Comparison::NotEqual => return None,
        };
        let [left, right] = sides;
        let values = if pivot_first { [left, right] } else { [right, left] };
        let filters = parts.filters.map(|filters| filters.into_iter().map(|e| self.lowering().bool(e).ok()).collect());
        let ([Some(of_pivot), Some(of_other)], [pivot, other]): ([Option<Vec<Bool>>; 2], _) = (filters, values) else {
            return None;
        };
        let pivot = self.rank(bags[0], arcs[0], of_pivot, pivot, less);
        let other = self.rank(bags[1], arcs[1], of_other, other, less);
        let id = MatchId(self.compiler.matches.len() as u32);
        self.ranked(pivot.place, Ranked::Pivot(id));
        self.ranked(other.place, Ranked::Other(id));
        self.compiler.matches.push(MatchProgram { transition: self.id, pivot, other, strict });
        Some(Selection::Match(id))
    }

    /// Takes a conjunction apart: each condition asks for one of two arcs' variables, and at most one compares both.
    fn parts<'e>(&self, guard: &'e Expr, known: [Vec<VariableId>; 2]) -> Option<Parts<'e>> {
        let mut parts = Parts { filters: [Vec::new(), Vec::new()], comparison: None };
        let mut rest = vec![guard];
        while let Some(e) = rest.pop() {
            if e.op == "and" {
                rest.extend(&e.args);
                continue;
            }
            let of = |e: &Expr, arc: usize| self.facts(e).variables.iter().all(|v| known[arc].contains(v));
            if let Some(arc) = (0..2).find(|&arc| of(e, arc)) {
                parts.filters[arc].push(e);
            } else {
                let [left, right] = e.args.as_slice() else { return None };
                let apart = (of(left, 0) && of(right, 1)) || (of(left, 1) && of(right, 0));
                if !apart || parts.comparison.replace(e).is_some() {
                    return None;
                }
            }
        }
        Some(parts)
    }

    fn rank(&self, input: &InputProgram, arc: usize, filters: Vec<Bool>, value: Value, reversed: bool) -> RankProgram {
        let (place, binds) = (input.place, input.binds.clone());
        RankProgram { arc, place, binds, filters, value, reversed, variables: self.kinds.len() }
    }

    fn ranked(&mut self, place: PlaceId, why: Ranked) {
        self.compiler.places[place.at()].ranked.push(why);
    }
}
