//! Join trees: transitions whose arcs are keyed one by another, as in `a(x, y), b(y, z), c(z)`, perhaps with conditions on the
//! two tokens besides, as in `job(k, j), machine(k, m) when m >= j`.
//!
//! **Problem.** As for a join: is there a binding, how many are there, and which is the k-th in order (E7)? But keys differ
//! from arc to arc, so that no single token has them all.
//!
//! **Idea.** Arcs are the *nodes* of a tree, or of several: the parent of a node is the arc before it whose token has its key.
//! Each token of a node *counts* as often as there are choices for all nodes below it: the product, over its children,
//! of the sums of the counts of the tokens that match it there (factorised counts, as for acyclic joins of databases).
//! The bindings are the product of the sums over the roots. A token that comes or goes changes the sum of its group at
//! its [`Edge`], and so the counts of the tokens that want this group, and so on up to the root: the cost is the number
//! of tokens that match it.
//!
//! ```text
//! t: a(x, y), b(y, z), c(z)      a ─y─ b ─z─ c
//! c   seat 0: 4    seat 1: 4    seat 2: 5            each counts once
//! b   seat 0: (7, 4)   seat 1: (7, 5)   seat 2: (8, 6)        counts 2, 1, 0
//! a   seat 0: (1, 7)   seat 1: (2, 8)   seat 2: (3, 7)        counts 3, 0, 3: six bindings
//! binding 4: 4 ≥ 3, so 1 is left for seat 2 of a; 1 < 2: seat 0 of b, and 1 is left: seat 1 of c
//! ```
//!
//! **Any order of arcs.** Bindings are ordered by the token of the first arc, then of the second, and so on, which need not follow
//! the tree down. A node is *open* if its parent's token has been chosen and its own has not. There are as many ways to
//! continue as the product of the sums of the open nodes. So the number that is left, divided by the product of the
//! others, gives the position of the next arc's token among the sums of its node; the search continues with the
//! remainder.
//!
//! **Conditions** on a token and its parent's are tested when either comes, changes or goes, for all tokens of its key: a
//! comparison of two numbers, or an expression. So the pairs are tested once for each token, and not for each firing, and need
//! no memory: each token of the parent keeps the sum over those that match it. Two arcs on one place find distinct
//! tokens (E1): this is such a condition, too.
//!
//! Counts have 64 bits, and sums 128; greater products are cut to the greatest number. No result shows the difference: no run is
//! long enough to choose that many bindings.
//!
//! Invariants:
//! - *seats*: each node has a count for each token of its place.
//! - *counts*: a token counts 0 if it does not pass its filter, and else the product of the sums of its children's groups.
//! - *matched*: where there are conditions, the sum that a token of the parent keeps is over the tokens that match it.
//! - *settled*: all changes of counts have been passed on to the parents.
//! - *values*: the values that conditions need are those of the tokens.
//! - Each [`Edge`] and [`SumTree`] holds its own.

use std::sync::Arc;

use crate::base::ids::{PlaceId, TransitionId};
use crate::base::invariant::{ensure, Verified};
use crate::base::table::Table;
use crate::base::wide::{divided, product};
use crate::collections::sum_tree::{skip, SumTree};
use crate::program::expression::Value;
use crate::program::join_tree::{EdgeProgram, JoinTreeProgram, NodeProgram, TreeChoice};
use crate::state::counters::PlaceCounters;
use crate::state::evaluator::{CalledCode, Evaluator};
use crate::state::join_edge::{Edge, Ends};
use crate::state::ranker::rank_of;

/// A token of a node counts more than before, modulo 2^128.
#[derive(Clone, Copy, Debug)]
struct Change {
    seat: u32,
    more: u128,
}

#[derive(Clone, Debug)]
struct Node {
    counts: SumTree<u128>,
    edge: Option<Edge>,
    /// The known values of each token, if conditions need them.
    values: Vec<u64>,
    changes: Vec<Change>,
}

impl Evaluator {
    /// Whether a token whose values are loaded passes the filter of its node.
    fn admits(&mut self, node: &NodeProgram, token: &[u64]) -> bool {
        node.fixed.iter().all(|(slot, bits)| token[*slot as usize] == *bits) && self.holds(node.filter.as_ref())
    }

    fn rank<'v>(&mut self, values: impl Iterator<Item = (&'v Value, bool)>, ranks: &mut Vec<u64>) {
        let scope = &mut self.scope();
        ranks.clear();
        ranks.extend(values.map(|(value, reversed)| rank_of(value, scope) ^ if reversed { u64::MAX } else { 0 }));
    }

    /// The data for an edge of a token of the child whose values are loaded.
    fn child_end(&mut self, plan: &EdgeProgram, token: &[u64], admitted: bool, end: &mut Ends) {
        end.admitted = admitted;
        end.key.clear();
        end.key.extend(plan.slots.iter().map(|&slot| token[slot as usize]));
        self.rank(plan.orders.iter().map(|order| (&order.rank, order.reversed)), &mut end.ranks);
    }

    /// The data for an edge of a token of the parent whose values are loaded.
    fn parent_end(&mut self, plan: &EdgeProgram, admitted: bool, end: &mut Ends) {
        end.admitted = admitted;
        end.key.clear();
        if admitted {
            let scope = &mut self.scope();
            end.key.extend(plan.wanted.iter().map(|value| value.bits(scope).unwrap_or(0)));
        }
        self.rank(plan.orders.iter().map(|order| (&order.threshold, order.reversed)), &mut end.ranks);
    }
}

/// The values of a token that conditions need.
fn values_of<'n>(plan: &NodeProgram, node: &'n Node, seat: u32) -> impl Iterator<Item = u64> + 'n {
    let width = plan.known.len();
    node.values[seat as usize * width..][..width].iter().copied()
}

/// The state of a join tree.
#[derive(Clone)]
pub struct JoinTree {
    pub transition: TransitionId,
    nodes: Vec<Node>,
    evaluator: Evaluator,
    /// Space for the data of a token at an edge, for the parent's seats that a change affects, and for the sums of open nodes.
    end: Ends,
    touched: Vec<u32>,
    open: Vec<u128>,
}

impl JoinTree {
    pub fn new(program: &JoinTreeProgram) -> Self {
        let node = |plan: &NodeProgram| Node {
            counts: SumTree::default(),
            edge: plan.edge.as_ref().map(Edge::new),
            values: Vec::new(),
            changes: Vec::new(),
        };
        JoinTree {
            transition: program.transition,
            nodes: program.nodes.iter().map(node).collect(),
            evaluator: Evaluator::new(program.variables),
            end: Ends::default(),
            touched: Vec::new(),
            open: Vec::new(),
        }
    }

    /// From now on, these functions tell whether conditions hold.
    pub fn call(&mut self, functions: Option<&Arc<CalledCode>>) {
        self.evaluator.call(functions);
    }

    // ------------------------------------------------------------ tokens

    /// A token is added at the end of a bag.
    pub fn arrives(&mut self, program: &JoinTreeProgram, place: PlaceId, token: &[u64]) {
        program.nodes_of(place).for_each(|node| self.enter(program, node, token));
    }

    /// The token of a seat of a bag leaves, and the last one moves there.
    pub fn leaves(&mut self, program: &JoinTreeProgram, place: PlaceId, seat: u32) {
        for node in program.nodes_of(place) {
            self.set(program, node, seat, 0);
            self.settle(program, node);
        }
        program.nodes_of(place).for_each(|node| self.drop(program, node, seat));
    }

    fn enter(&mut self, program: &JoinTreeProgram, number: usize, token: &[u64]) {
        let JoinTree { nodes, evaluator, end, .. } = self;
        let (plan, node) = (&program.nodes[number], &mut nodes[number]);
        let seat = node.counts.len() as u32;
        evaluator.load_token(&plan.known, token);
        let admitted = evaluator.admits(plan, token);
        if let (Some(edge), Some(plan)) = (&mut node.edge, &plan.edge) {
            evaluator.child_end(plan, token, admitted, end);
            edge.child_arrives(end);
        }
        node.counts.push(0);
        if plan.tested {
            node.values.extend(plan.known.iter().map(|(slot, _)| token[*slot as usize]));
        }
        for &child in &plan.children {
            let JoinTree { nodes, evaluator, end, .. } = self;
            let (Some(edge), Some(plan)) = (&mut nodes[child].edge, &program.nodes[child].edge) else { continue };
            evaluator.load_token(&program.nodes[number].known, token);
            evaluator.parent_end(plan, admitted, end);
            edge.parent_arrives(end);
            if admitted && !plan.is_plain() {
                self.match_parent(program, child, seat);
            }
        }
        if admitted {
            self.refresh(program, number, seat);
            self.settle(program, number);
        }
    }

    fn drop(&mut self, program: &JoinTreeProgram, number: usize, seat: u32) {
        let plan = &program.nodes[number];
        for &child in &plan.children {
            if let Some(edge) = &mut self.nodes[child].edge {
                edge.parent_leaves(seat);
            }
        }
        let node = &mut self.nodes[number];
        if let Some(edge) = &mut node.edge {
            edge.child_leaves(seat);
        }
        if plan.tested {
            let (width, last) = (plan.known.len(), node.counts.len() - 1);
            node.values.copy_within(last * width.., seat as usize * width);
            node.values.truncate(last * width);
        }
        node.counts.swap_remove(seat as usize);
    }

    // ------------------------------------------------------------ counts

    /// A token counts as the product of the sums of its children.
    fn refresh(&mut self, program: &JoinTreeProgram, number: usize, seat: u32) {
        let sum = |&child: &usize| u64::try_from(self.sum(program, child, seat)).unwrap_or(u64::MAX);
        let count = program.nodes[number].children.iter().map(sum).fold(1, u64::saturating_mul);
        self.set(program, number, seat, u128::from(count));
    }

    /// The choices of a child for a token of its parent.
    fn sum(&self, program: &JoinTreeProgram, child: usize, parent: u32) -> u128 {
        match (&self.nodes[child].edge, &program.nodes[child].edge) {
            (Some(edge), Some(plan)) => edge.count(plan, parent),
            _ => 0,
        }
    }

    fn set(&mut self, program: &JoinTreeProgram, number: usize, seat: u32, count: u128) {
        let node = &mut self.nodes[number];
        let before = node.counts.weight(seat as usize);
        if before != count {
            node.counts.set(seat as usize, count);
            if program.nodes[number].edge.is_some() {
                node.changes.push(Change { seat, more: count.wrapping_sub(before) });
            }
        }
    }

    /// Passes the changes of a node's counts on to its parent, those of its parent to the parent of that, and so on.
    fn settle(&mut self, program: &JoinTreeProgram, changed: usize) {
        let mut child = changed;
        while let Some(plan) = program.nodes[child].edge.as_ref().filter(|_| !self.nodes[child].changes.is_empty()) {
            let mut changes = std::mem::take(&mut self.nodes[child].changes);
            let mut touched = std::mem::take(&mut self.touched);
            touched.clear();
            if plan.is_plain() {
                self.add_to_groups(child, &changes, &mut touched);
            } else {
                self.add_to_matches(program, child, &changes, &mut touched);
            }
            touched.iter().for_each(|&seat| self.refresh(program, plan.parent, seat));
            changes.clear();
            self.nodes[child].changes = changes;
            self.touched = touched;
            child = plan.parent;
        }
    }

    /// The groups of changed tokens, and those that want them.
    fn add_to_groups(&mut self, child: usize, changes: &[Change], touched: &mut Vec<u32>) {
        let Some(edge) = &mut self.nodes[child].edge else { return };
        if let [change] = changes {
            // Most often: it needs no row of groups.
            let group = edge.home(change.seat);
            edge.add(group, change.more);
            touched.extend(edge.wanting(group));
            return;
        }
        let mut groups: Vec<u32> = changes.iter().map(|change| edge.home(change.seat)).collect();
        changes.iter().zip(&groups).for_each(|(change, &group)| edge.add(group, change.more));
        groups.sort_unstable();
        groups.dedup();
        groups.iter().for_each(|&group| touched.extend(edge.wanting(group)));
    }

    /// The same where there are conditions.
    fn add_to_matches(&mut self, program: &JoinTreeProgram, child: usize, changes: &[Change], touched: &mut Vec<u32>) {
        for change in changes {
            let start = touched.len();
            let JoinTree { nodes, evaluator, .. } = self;
            let Some(edge) = &nodes[child].edge else { return };
            let wanting = edge.wanting(edge.home(change.seat)).iter();
            touched.extend(wanting.filter(|&&parent| holds(program, nodes, evaluator, child, parent, change.seat)));
            let Some(edge) = &mut self.nodes[child].edge else { return };
            edge.add(edge.home(change.seat), change.more);
            for &parent in &touched[start..] {
                let matched = &mut edge.matched[parent as usize];
                *matched = matched.wrapping_add(change.more);
            }
        }
    }

    /// Sums up the tokens that match a new token of the parent.
    fn match_parent(&mut self, program: &JoinTreeProgram, child: usize, parent: u32) {
        let sum = self.matching(program, child, parent);
        if let Some(edge) = &mut self.nodes[child].edge {
            edge.matched[parent as usize] = sum;
        }
    }

    fn matching(&mut self, program: &JoinTreeProgram, child: usize, parent: u32) -> u128 {
        let JoinTree { nodes, evaluator, .. } = self;
        let Some(edge) = &nodes[child].edge else { return 0 };
        let count = |&&seat: &&u32| holds(program, nodes, evaluator, child, parent, seat);
        edge.members(parent).iter().filter(count).map(|&seat| nodes[child].counts.weight(seat as usize)).sum()
    }

    // ------------------------------------------------------------ choice

    /// Whether each root has choices.
    pub fn has_choices(&self) -> bool {
        self.nodes.iter().all(|node| node.edge.is_some() || node.counts.total() > 0)
    }

    /// The number of bindings, or the greatest number if there are more.
    pub fn bindings(&mut self, program: &JoinTreeProgram, places: &Table<PlaceId, PlaceCounters>) -> u128 {
        self.open(program, places);
        product(self.open.iter().copied())
    }

    /// The sums of the nodes that are open before any choice, by choice; 1 for the others.
    fn open(&mut self, program: &JoinTreeProgram, places: &Table<PlaceId, PlaceCounters>) {
        self.open.clear();
        self.open.extend(program.choices.iter().map(|choice| match *choice {
            TreeChoice::Node(node) if program.nodes[node].edge.is_some() => 1,
            TreeChoice::Node(node) => self.nodes[node].counts.total(),
            TreeChoice::Any { place, .. } => u128::from(places[place].tokens),
        }));
    }

    /// The tokens of binding number `k`, in order (E7): a seat for each arc that leaves a choice.
    pub fn choose(
        &mut self,
        program: &JoinTreeProgram,
        places: &Table<PlaceId, PlaceCounters>,
        k: u128,
        chosen: &mut [u64],
    ) {
        self.open(program, places);
        let mut left = k;
        for (at, choice) in program.choices.iter().enumerate() {
            let own = std::mem::replace(&mut self.open[at], 1);
            let others = product(self.open.iter().copied());
            let (number, rest) = divided(left, others);
            let number = number.min(own.saturating_sub(1));
            left = rest;
            match *choice {
                TreeChoice::Any { arc, .. } => chosen[arc] = number as u64,
                TreeChoice::Node(node) => {
                    let plan = &program.nodes[node];
                    let parent = plan.edge.as_ref().map(|edge| chosen[program.nodes[edge.parent].arc] as u32);
                    let (seat, before) = self.select(program, node, parent, number);
                    chosen[plan.arc] = u64::from(seat);
                    left = left.saturating_add(before.saturating_mul(others));
                    for &child in &plan.children {
                        self.open[program.nodes[child].choice] = self.sum(program, child, seat);
                    }
                }
            }
        }
    }

    /// The token of a node that choice `number` lies in, and which of its own choices that is.
    fn select(&mut self, program: &JoinTreeProgram, number: usize, parent: Option<u32>, k: u128) -> (u32, u128) {
        let JoinTree { nodes, evaluator, .. } = self;
        let node = &nodes[number];
        let (Some(edge), Some(plan), Some(parent)) = (&node.edge, &program.nodes[number].edge, parent) else {
            let (seat, left) = node.counts.select(k);
            return (seat as u32, left);
        };
        let members = edge.members(parent);
        if plan.is_plain() && program.nodes[number].children.is_empty() {
            return (members[k as usize], 0);
        }
        let mut left = k;
        let count = |&seat: &u32| {
            let matches = plan.is_plain() || holds(program, nodes, evaluator, number, parent, seat);
            if matches {
                node.counts.weight(seat as usize)
            } else {
                0
            }
        };
        let at = skip(members.iter().map(count), &mut left);
        (members.get(at).copied().unwrap_or(0), left)
    }

    // ------------------------------------------------------------ invariants

    /// Checks the invariants, given the tokens of each place by seat.
    pub fn verify<'t>(&self, program: &JoinTreeProgram, tokens: impl Fn(PlaceId) -> Vec<&'t [u64]>) -> Verified {
        let mut evaluator = Evaluator::new(program.variables);
        let mut admitted = Vec::new();
        for (number, plan) in program.nodes.iter().enumerate() {
            let tokens = tokens(plan.place);
            self.verify_node(plan, &self.nodes[number], &tokens)?;
            let admits = |token: &&[u64]| {
                evaluator.load_token(&plan.known, token);
                evaluator.admits(plan, token)
            };
            admitted.push(tokens.iter().map(admits).collect::<Vec<bool>>());
        }
        for (number, plan) in program.nodes.iter().enumerate() {
            if let (Some(edge), Some(plan)) = (&self.nodes[number].edge, &plan.edge) {
                let children = ends(&tokens(program.nodes[number].place), &admitted[number], |token, admitted, end| {
                    evaluator.load_token(&program.nodes[number].known, token);
                    evaluator.child_end(plan, token, admitted, end);
                });
                let parents =
                    ends(&tokens(program.nodes[plan.parent].place), &admitted[plan.parent], |token, admitted, end| {
                        evaluator.load_token(&program.nodes[plan.parent].known, token);
                        evaluator.parent_end(plan, admitted, end);
                    });
                edge.verify(&children, &parents, |seat| self.nodes[number].counts.weight(seat as usize))
                    .map_err(|error| format!("{error}, node {number}"))?;
                self.verify_matches(program, &mut evaluator, number, &admitted[plan.parent])?;
            }
        }
        admitted.iter().enumerate().try_for_each(|(number, admitted)| self.verify_counts(program, number, admitted))
    }

    fn verify_node(&self, plan: &NodeProgram, node: &Node, tokens: &[&[u64]]) -> Verified {
        node.counts.verify()?;
        let seats = node.counts.len();
        ensure(seats == tokens.len(), "seats", || format!("{seats} of {} tokens", tokens.len()))?;
        ensure(node.changes.is_empty(), "settled", || format!("{:?}", node.changes))?;
        let known = |token: &&[u64]| plan.known.iter().map(|(slot, _)| token[*slot as usize]).collect::<Vec<_>>();
        let values: Vec<u64> = tokens.iter().filter(|_| plan.tested).flat_map(known).collect();
        ensure(node.values == values, "values", || format!("{:?} instead of {values:?}", node.values))
    }

    fn verify_matches(
        &self,
        program: &JoinTreeProgram,
        evaluator: &mut Evaluator,
        child: usize,
        admitted: &[bool],
    ) -> Verified {
        let (Some(edge), Some(plan)) = (&self.nodes[child].edge, &program.nodes[child].edge) else { return Ok(()) };
        if plan.is_plain() {
            return Ok(());
        }
        for parent in (0..admitted.len() as u32).filter(|&parent| admitted[parent as usize]) {
            let count = |&&seat: &&u32| holds(program, &self.nodes, evaluator, child, parent, seat);
            let matching = edge.members(parent).iter().filter(count);
            let sum: u128 = matching.map(|&seat| self.nodes[child].counts.weight(seat as usize)).sum();
            let found = edge.matched[parent as usize];
            ensure(found == sum, "matched", || format!("{found} of seat {parent} instead of {sum}, node {child}"))?;
        }
        Ok(())
    }

    fn verify_counts(&self, program: &JoinTreeProgram, number: usize, admitted: &[bool]) -> Verified {
        for (seat, &admitted) in admitted.iter().enumerate() {
            let sum = |&child: &usize| u64::try_from(self.sum(program, child, seat as u32)).unwrap_or(u64::MAX);
            let all = program.nodes[number].children.iter().map(sum).fold(1, u64::saturating_mul);
            let count = u128::from(if admitted { all } else { 0 });
            let found = self.nodes[number].counts.weight(seat);
            ensure(found == count, "counts", || format!("{found} of seat {seat} of node {number} instead of {count}"))?;
        }
        Ok(())
    }
}

fn ends(tokens: &[&[u64]], admitted: &[bool], mut fill: impl FnMut(&[u64], bool, &mut Ends)) -> Vec<Ends> {
    let end = |(token, &admitted): (&&[u64], &bool)| {
        let mut end = Ends::default();
        fill(token, admitted, &mut end);
        end
    };
    tokens.iter().zip(admitted).map(end).collect()
}

/// Whether a token of a child and one of its parent, of one key, match.
#[inline]
fn holds(
    program: &JoinTreeProgram,
    nodes: &[Node],
    evaluator: &mut Evaluator,
    child: usize,
    parent_seat: u32,
    seat: u32,
) -> bool {
    let (Some(edge), Some(plan)) = (&nodes[child].edge, &program.nodes[child].edge) else { return false };
    if (plan.distinct && seat == parent_seat) || !edge.reaches(plan, parent_seat, seat) {
        return false;
    }
    if plan.test.is_none() {
        return true;
    }
    for (node, seat) in [(plan.parent, parent_seat), (child, seat)] {
        let known = &program.nodes[node];
        evaluator.load(&known.known, values_of(known, &nodes[node], seat));
    }
    evaluator.holds(plan.test.as_ref())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::base::ids::JoinTreeId;
    use crate::base::invariant::broken;
    use crate::program::transition::Selection;
    use crate::program::Program;

    /// The tokens of places a, b, c and d, of two slots each.
    type Rows = [Vec<[u64; 2]>; 4];

    /// `a(u, v), b(v, w), c(u, m), d(w, n) when m >= v and (v + n) mod 3 != 1 and n != 2`: the arcs are not in the order of the
    /// tree, a condition on c and a is a comparison, and one on d is not. `d` is keyed by b, which knows v, too.
    fn program() -> Program {
        let slots = r#"{"slots":[{"name":"x","low":0,"high":3},{"name":"y","low":0,"high":3}]}"#;
        let place = |name: &str| format!(r#"{{"name":"{name}","colour":{slots}}}"#);
        let places = ["a", "b", "c", "d"].map(place).join(",");
        let variable = |number: u32| format!(r#"{{"op":"var","kind":"int","value":{number}}}"#);
        let int = |value: u32| format!(r#"{{"op":"const","kind":"int","value":{value}}}"#);
        let op =
            |op: &str, kind: &str, a: String, b: String| format!(r#"{{"op":"{op}","kind":"{kind}","args":[{a},{b}]}}"#);
        let bind = |number: u32| format!(r#"{{"bind":{number}}}"#);
        let is = |number: u32| format!(r#"{{"equal":{}}}"#, variable(number));
        let arc =
            |place: u32, first: String, second: String| format!(r#"{{"place":{place},"pattern":[{first},{second}]}}"#);
        let inputs = [arc(0, bind(0), bind(1)), arc(1, is(1), bind(2)), arc(2, is(0), bind(3)), arc(3, is(2), bind(4))];
        let reaches = op("ge", "bool", variable(3), variable(1));
        let sum = op("add", "int", variable(1), variable(4));
        let tested = op("ne", "bool", op("mod", "int", sum, int(3)), int(1));
        let own = op("ne", "bool", variable(4), int(2));
        let guard = op("and", "bool", op("and", "bool", reaches, tested), own);
        let variables =
            |names: &[&str]| names.iter().map(|name| format!(r#"{{"name":"{name}"}}"#)).collect::<Vec<_>>().join(",");
        let drawn = op("uniform_int", "int", int(0), int(3));
        let gives = |place: u32| format!(r#"{{"places":[{place}],"values":[{},{}]}}"#, variable(0), variable(0));
        let text = format!(
            r#"{{"places":[{places}],"transitions":[
            {{"name":"t","variables":[{}],"inputs":[{}],"guard":{guard}}},
            {{"name":"s","variables":[{}],"draws":[{{"variable":0,"expression":{drawn}}}],"outputs":[{}]}}]}}"#,
            variables(&["u", "v", "w", "m", "n"]),
            inputs.join(","),
            variables(&["x"]),
            [0, 1, 2, 3].map(gives).join(",")
        );
        Program::from_json(&text).expect("a net")
    }

    /// The bindings in order (E7), by looking at all tokens.
    fn bindings([a, b, c, d]: &Rows) -> Vec<[u64; 4]> {
        let mut found = Vec::new();
        for (i, x) in a.iter().enumerate() {
            for (j, y) in b.iter().enumerate().filter(|(_, y)| y[0] == x[1]) {
                for (k, _) in c.iter().enumerate().filter(|(_, z)| z[0] == x[0] && z[1] >= x[1]) {
                    let fits = |w: &[u64; 2]| w[0] == y[1] && (x[1] + w[1]) % 3 != 1 && w[1] != 2;
                    let last = d.iter().enumerate().filter(|(_, w)| fits(w));
                    found.extend(last.map(|(l, _)| [i as u64, j as u64, k as u64, l as u64]));
                }
            }
        }
        found
    }

    struct Run {
        program: Program,
        tree: JoinTree,
        rows: Rows,
    }

    impl Run {
        fn new() -> Self {
            let program = program();
            let selection = &program.transitions[TransitionId(0)].selection;
            assert_eq!(selection, &Selection::Tree(JoinTreeId(0)));
            let tree = JoinTree::new(&program.join_trees[JoinTreeId(0)]);
            Run { program, tree, rows: Rows::default() }
        }

        fn plan(&self) -> &JoinTreeProgram {
            &self.program.join_trees[JoinTreeId(0)]
        }

        fn add(&mut self, place: usize, token: [u64; 2]) {
            self.rows[place].push(token);
            let plan = &self.program.join_trees[JoinTreeId(0)];
            self.tree.arrives(plan, PlaceId(place as u32), &token);
        }

        fn remove(&mut self, place: usize, seat: usize) {
            let plan = &self.program.join_trees[JoinTreeId(0)];
            self.tree.leaves(plan, PlaceId(place as u32), seat as u32);
            self.rows[place].swap_remove(seat);
        }

        fn verify(&self) -> Verified {
            self.tree.verify(self.plan(), |place| self.rows[place.at()].iter().map(|token| &token[..]).collect())
        }

        fn chosen(&mut self, k: usize) -> [u64; 4] {
            let (plan, places) = (&self.program.join_trees[JoinTreeId(0)], Table::default());
            let mut chosen = [0; 4];
            self.tree.choose(plan, &places, k as u128, &mut chosen);
            chosen
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(60))]
        /// Tokens come and go; compared with all combinations of tokens.
        #[test]
        fn bindings_are_those_of_a_search(
            steps in prop::collection::vec((0..4usize, 0..9u8, any::<prop::sample::Index>(), 0..4u64, 0..4u64), 0..80),
        ) {
            let mut run = Run::new();
            for (place, action, at, x, y) in steps {
                if action < 6 || run.rows[place].is_empty() {
                    run.add(place, [x, y]);
                } else {
                    run.remove(place, at.index(run.rows[place].len()));
                }
                prop_assert_eq!(run.verify(), Ok(()));
                let expected = bindings(&run.rows);
                let plan = &run.program.join_trees[JoinTreeId(0)];
                prop_assert_eq!(run.tree.bindings(plan, &Table::default()), expected.len() as u128);
                prop_assert_eq!(run.tree.has_choices(), !expected.is_empty());
                for (k, seats) in expected.iter().enumerate().step_by(5) {
                    prop_assert_eq!(&run.chosen(k), seats);
                }
            }
        }
    }

    #[test]
    fn damage_is_found() {
        let damaged = |damage: fn(&mut JoinTree)| {
            let mut run = Run::new();
            for value in 0..12 {
                (0..4).for_each(|place| run.add(place, [value % 4, value / 4]));
            }
            (0..4).for_each(|place| run.remove(place, 3));
            assert_eq!(run.verify(), Ok(()));
            damage(&mut run.tree);
            broken(run.verify())
        };
        assert_eq!(damaged(|tree| tree.nodes[0].counts.push(0)), "seats");
        assert_eq!(damaged(|tree| tree.nodes[0].counts.set(0, 77)), "counts");
        assert_eq!(damaged(|tree| tree.nodes[1].changes.push(Change { seat: 0, more: 1 })), "settled");
        assert_eq!(damaged(|tree| tree.nodes[3].values[0] += 1), "values");
        assert_eq!(damaged(|tree| tree.nodes[2].edge.iter_mut().for_each(|edge| edge.matched[0] += 1)), "matched");
    }
}
