//! Decides how the bindings of a transition are counted and drawn.

use crate::base::ids::{JoinId, VariableId};
use crate::net::{Expr, InputArc};
use crate::program::arc::{Find, InputProgram};
use crate::program::compile::transition::{is_bag, TransitionCompiler};
use crate::program::expression::{Bool, Int, Real, Value};
use crate::program::index::MOST_LINKS;
use crate::program::join::{ArcChoice, FreeArc, JoinProgram, LinkKey, LinkProgram};
use crate::program::transition::Selection;

/// Whether arcs before a link on its place leave a number of choices that the pivot's token decides: those of equal slots find
/// tokens of one group, or of others; an arc that accepts any token chooses among the others.
fn can_share(inputs: &[InputProgram], pivot: usize, link: usize) -> bool {
    let alike = |&other: &usize| match (&inputs[link].find, &inputs[other].find) {
        (Find::Any, _) => true,
        (Find::Keyed(own), Find::Keyed(index)) => own == index,
        _ => other == pivot,
    };
    inputs[link].before.iter().all(alike) && inputs.len() <= MOST_LINKS
}

impl TransitionCompiler<'_> {
    pub fn selection(&mut self, inputs: &[InputProgram], guard: Option<&Bool>, simple: bool, free: bool) -> Selection {
        let bags: Vec<usize> = (0..inputs.len()).filter(|&i| is_bag(&inputs[i])).collect();
        let without = self.compiler.without;
        if self.transition.prefer.is_some() && !bags.is_empty() {
            let ranking = match bags.as_slice() {
                &[arc] if (self.plain || free) && !without.preferences => self.preference(&inputs[arc], arc),
                _ => None,
            };
            return ranking.unwrap_or(Selection::Search);
        }
        if let (&[pivot, other], true) = (bags.as_slice(), simple && !without.joins) {
            if let Some(selection) = self.match_by_rank(inputs, [pivot, other]) {
                return selection;
            }
        }
        if !self.plain {
            return match bags.as_slice() {
                [] if free => Selection::Single,
                &[arc] if free => Selection::Bag(arc),
                [pivot, links @ ..] if simple && !without.joins && self.can_join(inputs, *pivot, links) => {
                    Selection::Join(self.join(inputs, guard, *pivot, links))
                }
                _ if simple && !without.joins => self.join_tree(inputs).unwrap_or(Selection::Search),
                _ => Selection::Search,
            };
        }
        match bags.as_slice() {
            [] => Selection::Single,
            [arc] => Selection::Bag(*arc),
            _ => Selection::Product,
        }
    }

    /// The arc that sees all tokens of a place with a discipline, if any of them will do and nothing else is to be chosen.
    pub fn only_choice(&self, inputs: &[InputProgram]) -> Option<usize> {
        let is_shown = |arc: &InputProgram| matches!(arc.find, Find::Shown { .. });
        let arc = inputs.iter().position(is_shown)?;
        let t = self.transition;
        let decided = self.plain
            && t.prefer.is_none()
            && t.sets.is_empty()
            && !t.inputs[arc].in_turn
            && inputs[arc].before.is_empty()
            && inputs[arc].after.is_empty()
            && inputs.iter().filter(|arc| is_bag(arc) || is_shown(arc)).count() == 1;
        decided.then_some(arc)
    }

    /// The arcs whose tokens are not counted: that there are some is a condition of its own.
    pub fn uncounted(&self, inputs: &[InputProgram], selection: &Selection) -> Vec<usize> {
        let pivot = inputs.iter().position(is_bag);
        let any = |&arc: &usize| matches!(inputs[arc].find, Find::Any);
        match selection {
            Selection::Tree(id) => self.compiler.join_trees[id.at()].uncounted().collect(),
            _ => (0..inputs.len()).filter(any).filter(|&arc| Some(arc) != pivot).collect(),
        }
    }

    /// Whether enabling may depend on which of its tokens an arc finds, and not only on whether it finds one.
    pub fn decides_by(&self, arc: &InputProgram) -> bool {
        !arc.before.is_empty()
            || !arc.after.is_empty()
            || arc.binds.iter().any(|(_, variable)| self.enabling.variables.contains(variable))
    }

    /// Whether the guard and the keys of the other bags depend on the pivot's token and nothing else.
    fn can_join(&self, inputs: &[InputProgram], pivot: usize, links: &[usize]) -> bool {
        let arcs: &[InputArc] = &self.transition.inputs;
        let variables: Vec<VariableId> = inputs[pivot].binds.iter().map(|(_, variable)| *variable).collect();
        let known = |e: &Expr| self.facts(e).variables.iter().all(|v| variables.contains(v));
        let keyed = |&link: &usize| {
            can_share(inputs, pivot, link) && arcs[link].pattern.iter().filter_map(|m| m.equal.as_ref()).all(known)
        };
        matches!(inputs[pivot].find, Find::Any)
            && links.iter().all(keyed)
            && inputs.iter().filter(|arc| !is_bag(arc)).all(|arc| arc.equals.is_empty())
            && self.transition.guard.as_ref().is_none_or(known)
    }

    fn join(&mut self, inputs: &[InputProgram], guard: Option<&Bool>, pivot: usize, others: &[usize]) -> JoinId {
        let id = JoinId(self.compiler.joins.len() as u32);
        let slot = |value: &Value| match value {
            Value::Int(Int::Var(variable)) | Value::Real(Real::Var(variable)) => {
                inputs[pivot].binds.iter().find(|(_, bound)| bound == variable).map(|(slot, _)| *slot)
            }
            _ => None,
        };
        let crowded = others.iter().any(|&arc| !inputs[arc].before.is_empty());
        let (mut links, mut choices, mut free): (Vec<LinkProgram>, _, _) = (Vec::new(), Vec::new(), Vec::new());
        for &arc in others {
            let InputProgram { place, ref more, .. } = inputs[arc];
            let (equals, before) = (&more.equals, &more.before);
            let Find::Keyed(index) = inputs[arc].find else {
                let used = before.len() as u64;
                free.push(FreeArc { arc, place, before: before.to_vec() });
                choices.push(ArcChoice::Any { arc, place, used });
                continue;
            };
            if before.iter().all(|&other| other == pivot) {
                self.compiler.reserve(place, index, others.len());
            }
            let beside = (0..links.len()).filter(|&link| before.contains(&links[link].arc)).collect();
            let slots: Option<Box<[u32]>> = equals.iter().map(|(_, value)| slot(value)).collect();
            let values = || equals.iter().map(|(_, value)| value.clone()).collect();
            let key = slots.map_or_else(|| LinkKey::Values(values()), LinkKey::Slots);
            let (index, number) = self.compiler.serve(place, index, id, links.len());
            choices.push(ArcChoice::Keyed { arc, link: links.len() });
            let beside_pivot = before.contains(&pivot);
            links.push(LinkProgram { index, arc, beside_pivot, beside, bit: 1 << number, key });
        }
        choices.reverse();
        self.compiler.places[inputs[pivot].place.at()].pivots.push(id);
        let filter = self.compiler.condition(guard.cloned().into_iter().collect());
        self.compiler.joins.push(JoinProgram {
            pivot,
            place: inputs[pivot].place,
            binds: inputs[pivot].binds.to_vec(),
            transition: self.id,
            filter,
            links,
            choices,
            free,
            crowded,
            width: self.compiler.places[inputs[pivot].place.at()].width,
            stays: inputs[pivot].keep,
            variables: self.kinds.len(),
        });
        id
    }

    /// The last arc that leaves a choice, when nothing behind it can reject a choice.
    pub fn counted(&self, inputs: &[InputProgram], simple: bool) -> Option<usize> {
        let last = (0..inputs.len()).rev().find(|&i| is_bag(&inputs[i]))?;
        let free = inputs[last].before.is_empty() && inputs[last + 1..].iter().all(|arc| arc.equals.is_empty());
        (simple && free && self.transition.guard.is_none()).then_some(last)
    }
}
