//! Finds choices that ranks of tokens decide: the pairs that one comparison matches, and the tokens that are preferred.

use std::borrow::Cow;

use crate::base::ids::{MatchId, PlaceId, RankingId, VariableId};
use crate::net::{Expr, Op, Operation, Scalar};
use crate::program::arc::{Find, InputProgram};
use crate::program::called::Called;
use crate::program::compile::join_tree::conjuncts;
use crate::program::compile::transition::TransitionCompiler;
use crate::program::expression::{Bool, Comparison, Int, Real, Value};
use crate::program::ranking::{MatchProgram, RankProgram, Ranked, RankingProgram, ReachProgram};
use crate::program::transition::Selection;

/// A guard that compares tokens of two bags, taken apart.
struct Parts<'e> {
    /// The conditions on one token alone.
    filters: [Vec<&'e Expr>; 2],
    comparisons: Vec<Cow<'e, Expr>>,
}

/// What the guard says of two tokens: one comparison, or two of which the second ends a range.
enum Relation {
    Order(Order),
    Equal(Order),
}

/// The comparison: whether the other's value must be less than the pivot's or greater, and whether it may be equal.
#[derive(Clone)]
struct Order {
    pivot: Value,
    other: Value,
    less: bool,
    strict: bool,
}

impl Order {
    fn negated(&self) -> Order {
        Order { less: !self.less, strict: !self.strict, ..self.clone() }
    }
}

/// For two comparisons that are a range: which of both tokens has the limits, 0 for the pivot, and the condition that there is
/// anything between them.
fn limits(first: &Order, second: &Order) -> Option<(usize, Bool)> {
    // The other's value is at least the pivot's in one, and at most in the other.
    let (more, less) = match (first.less, second.less) {
        (false, true) => (first, second),
        (true, false) => (second, first),
        _ => return None,
    };
    let (of, low, high) = if same_variable(&more.other, &less.other) {
        (0, &more.pivot, &less.pivot)
    } else if same_variable(&more.pivot, &less.pivot) {
        (1, &less.other, &more.other)
    } else {
        return None;
    };
    let comparison = if more.strict && less.strict { Comparison::Less } else { Comparison::LessOrEqual };
    match (low.clone(), high.clone()) {
        (Value::Int(low), Value::Int(high)) => Some((of, Bool::Ints(comparison, Box::new((low, high))))),
        (Value::Real(low), Value::Real(high)) => Some((of, Bool::Reals(comparison, Box::new((low, high))))),
        _ => None,
    }
}

fn same_variable(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Int(Int::Var(a)), Value::Int(Int::Var(b))) => a == b,
        (Value::Real(Real::Var(a)), Value::Real(Real::Var(b))) => a == b,
        _ => false,
    }
}

/// The variables that an arc binds.
fn bound(arc: &InputProgram) -> Vec<VariableId> {
    arc.binds.iter().map(|(_, variable)| *variable).collect()
}

impl TransitionCompiler<'_> {
    /// How the preferred tokens of the only bag are found, if they depend on its token alone.
    pub fn preference(&mut self, input: &InputProgram, arc: usize) -> Option<Selection> {
        let prefer = self.transition.prefer.as_ref()?;
        let known = bound(input);
        let of_token = |key: &Expr| {
            let facts = self.facts(key);
            let alone = facts.tokens.is_empty() && !facts.reads_clock && !facts.fails;
            alone && facts.variables.iter().all(|variable| known.contains(variable))
        };
        if !matches!(input.find, Find::Any) || !of_token(&prefer.key) || !prefer.then.iter().all(of_token) {
            return None;
        }
        let key = self.lowering().key(&prefer.key, &prefer.then).ok()?;
        let by = self.rank(input, arc, None, key.first, prefer.most);
        let by = RankProgram { then: key.then, ..by };
        let id = RankingId(self.compiler.rankings.len() as u32);
        self.ranked(by.place, Ranked::Preferred(id));
        self.compiler.rankings.push(RankingProgram { by });
        Some(Selection::Preferred(id, arc))
    }

    /// How pairs of tokens of two bags are found, if the guard compares the two only once, or by a range.
    pub fn match_by_rank(&mut self, inputs: &[InputProgram], arcs: [usize; 2]) -> Option<Selection> {
        let transition = self.transition;
        let guard = transition.guard.as_ref()?;
        let bags = arcs.map(|arc| &inputs[arc]);
        let others = (0..inputs.len()).filter(|arc| !arcs.contains(arc));
        let any = bags.iter().all(|arc| matches!(arc.find, Find::Any) && arc.before.is_empty());
        if !any || others.into_iter().any(|arc| !inputs[arc].equals.is_empty()) {
            return None;
        }
        let known = bound(bags[0]);
        let parts = self.parts(guard, bags.map(bound))?;
        let lowered = |filters: Vec<&Expr>| filters.into_iter().map(|e| self.lowering().bool(e).ok()).collect();
        let [Some(of_pivot), Some(of_other)]: [Option<Vec<Bool>>; 2] = parts.filters.map(lowered) else { return None };
        let mut filters = [of_pivot, of_other];
        let relations: Option<Vec<Relation>> = parts.comparisons.iter().map(|e| self.relation(e, &known)).collect();
        let (first, beyond) = match relations?.as_slice() {
            [Relation::Order(only)] => (only.clone(), None),
            // Those that reach the value, without those that reach beyond it.
            [Relation::Equal(least)] => (least.clone(), Some(Order { strict: true, ..least.clone() })),
            [Relation::Order(first), Relation::Order(second)] => {
                let (of, limits) = limits(first, second)?;
                filters[of].push(limits);
                (first.clone(), Some(second.negated()))
            }
            _ => return None,
        };
        let filters = filters.map(|all| self.compiler.condition(all));
        let reach = |order: Order| {
            let [of_pivot, of_other] = filters.clone();
            let pivot = self.rank(bags[0], arcs[0], of_pivot, order.pivot, order.less);
            let other = self.rank(bags[1], arcs[1], of_other, order.other, order.less);
            ReachProgram { pivot, other, strict: order.strict }
        };
        let program = MatchProgram { transition: self.id, reach: reach(first), beyond: beyond.map(reach) };
        let id = MatchId(self.compiler.matches.len() as u32);
        self.ranked(bags[0].place, Ranked::Pivot(id));
        self.ranked(bags[1].place, Ranked::Other(id));
        self.compiler.matches.push(program);
        Some(Selection::Match(id))
    }

    /// A comparison of two arcs, of which the pivot knows these variables.
    fn relation(&mut self, comparison: &Expr, known: &[VariableId]) -> Option<Relation> {
        let first = self.facts(comparison.args.first()?).variables;
        let pivot_first = first.iter().all(|variable| known.contains(variable));
        let (comparison, sides) = match self.lowering().bool(comparison).ok()? {
            Bool::Ints(comparison, sides) => (comparison, [Value::Int(sides.0), Value::Int(sides.1)]),
            Bool::Reals(comparison, sides) => (comparison, [Value::Real(sides.0), Value::Real(sides.1)]),
            _ => return None,
        };
        let (less, strict) = match comparison {
            Comparison::Less => (!pivot_first, true),
            Comparison::LessOrEqual => (!pivot_first, false),
            Comparison::Greater => (pivot_first, true),
            Comparison::GreaterOrEqual => (pivot_first, false),
            Comparison::Equal => (false, false),
            Comparison::NotEqual => return None,
        };
        let [left, right] = sides;
        let [pivot, other] = if pivot_first { [left, right] } else { [right, left] };
        let order = Order { pivot, other, less, strict };
        Some(if comparison == Comparison::Equal { Relation::Equal(order) } else { Relation::Order(order) })
    }

    /// Takes a conjunction apart: each condition uses the variables of one of two arcs, or compares both.
    fn parts<'e>(&self, guard: &'e Expr, known: [Vec<VariableId>; 2]) -> Option<Parts<'e>> {
        let mut parts = Parts { filters: [Vec::new(), Vec::new()], comparisons: Vec::new() };
        for e in conjuncts(Some(guard)) {
            let of = |e: &Expr, arc: usize| self.facts(e).variables.iter().all(|v| known[arc].contains(v));
            if let Some(arc) = (0..2).find(|&arc| of(e, arc)) {
                parts.filters[arc].push(e);
            } else {
                let [left, right] = &e.args[..] else { return None };
                let parted = of(left, 0) && of(right, 1) || of(left, 1) && of(right, 0);
                let remainders = || self.parted_remainder(e, &of).map(Cow::Owned);
                parts.comparisons.push(if parted { Cow::Borrowed(e) } else { remainders()? });
            }
        }
        Some(parts)
    }

    /// `(x + y) mod 7 == c` with a side for each token: `x mod 7 == (c - y) mod 7`. `of`: whether a part has the variables of one
    /// of the two tokens alone.
    fn parted_remainder(&self, e: &Expr, of: &impl Fn(&Expr, usize) -> bool) -> Option<Expr> {
        let whole = |e: &Expr| match (e.op, e.value) {
            (Op::Const, Some(Scalar::Int(value))) => Some(value),
            _ => None,
        };
        let [remainder, result] = &e.args[..] else { return None };
        let [sum, divisor] = &remainder.args[..] else { return None };
        let (modulus, value) = (whole(divisor)?, whole(result)?);
        if e.op != Op::Eq || remainder.op != Op::Mod || !(0..modulus).contains(&value) {
            return None;
        }
        let like = |op: Op, args: Vec<Expr>| {
            Expr::new(Operation { op, args: args.into(), value: None, ..(**remainder).clone() })
        };
        let mut sides = [None, Some(result.clone())];
        let mut rest = vec![(sum, true)];
        while let Some((term, added)) = rest.pop() {
            match (term.op, &term.args[..]) {
                (Op::Add, [left, right]) => rest.extend([(right, added), (left, added)]),
                (Op::Sub, [left, right]) => rest.extend([(right, !added), (left, added)]),
                (Op::Neg, [only]) => rest.push((only, !added)),
                _ => {
                    let side = (0..2).find(|&side| of(term, side))?;
                    // What is on the right of the equality changes its sign.
                    sides[side] = Some(match (sides[side].take(), added == (side == 0)) {
                        (None, true) => term.clone(),
                        (None, false) => like(Op::Neg, vec![term.clone()]),
                        (Some(before), true) => like(Op::Add, vec![before, term.clone()]),
                        (Some(before), false) => like(Op::Sub, vec![before, term.clone()]),
                    });
                }
            }
        }
        let [Some(left), Some(right)] = sides.map(|side| Some(like(Op::Mod, vec![side?, divisor.clone()]))) else {
            return None;
        };
        let parted = Expr::new(Operation { args: [left, right].into(), ..(**e).clone() });
        (!self.facts(&parted).fails).then_some(parted)
    }

    fn rank(
        &self,
        input: &InputProgram,
        arc: usize,
        filter: Option<Called>,
        value: Value,
        reversed: bool,
    ) -> RankProgram {
        let (place, binds) = (input.place, input.binds.to_vec());
        RankProgram { arc, place, binds, filter, value, then: None, reversed, variables: self.kinds.len() }
    }

    fn ranked(&mut self, place: PlaceId, why: Ranked) {
        self.compiler.places[place.at()].ranked.push(why);
    }
}
