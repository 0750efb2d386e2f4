//! Which transitions are enabled, kept up to date by looking only at those next to a place that changed.
//!
//! **Problem.** Every firing changes some places. Which transitions are enabled now? Looking at all of them costs their number;
//! looking at those next to the places costs their number of arcs, again and again.
//!
//! **Idea.** Conditions that a count decides ("at least 2 tokens", "room for 3 tokens") are *watched*: each transition
//! counts how many of them do not hold (`unmet`), and a change of a gauge adjusts the count of those whose threshold it
//! crosses. A transition that only watches decide is *plain*: it is enabled exactly if `unmet` is 0. Any other is put
//! on a list when something changes that it depends on, and is looked at before the next choice, but only while `unmet`
//! is 0. The existence of a binding of a join is one more condition that the count covers.
//! Most changes can turn a transition in one direction: more tokens for an input arc may enable it, fewer may disable it.
//! So one that is enabled is not looked at when such a token comes, nor one that is not when it goes.
//!
//! ```text
//! t needs 2 tokens of a, at least 1 of b, and at most 3 of c:   watches a ≥ 2, b ≥ 1, c < 4
//! a = 1, b = 5, c = 4: two do not hold, unmet = 2
//! a goes from 1 to 2:  crosses the threshold of a ≥ 2, unmet = 1;   a goes from 2 to 3: crosses none
//! ```
//!
//! Invariants:
//! - *unmet*: `unmet` of a transition is the number of its watches that do not hold, and of conditions that never do; that its
//!   join has bindings is one of them.
//! - *plain*: a plain transition is in the set of its priority exactly if `unmet` is 0.
//! - *enabled*: any other is in that set only if `unmet` is 0.
//! - *found*: of one that is not plain, and whose `unmet` is 0: `found` says whether it is in that set.
//! - *list*: the two lists have exactly the transitions that are marked `listed`, each once.
//! - *shown*: of each value that transitions look for in a front, `shown` has the number of tokens of the front with it.
//! - [`RankSet`] holds its own.

use std::sync::Arc;

use crate::base::ids::{GaugeId, TransitionId};
use crate::base::invariant::{ensure, Verified};
use crate::base::table::Table;
use crate::collections::rank_set::RankSet;
use crate::program::transition::TransitionProgram;
use crate::program::watch::{Dependent, EnabledBy, ShownValues};
use crate::program::Program;
use crate::state::arena::{Arena, ArenaTable};
use crate::state::counters::TransitionCounters;

/// Priorities, from the highest.
#[derive(Clone, Copy, Debug)]
pub struct LevelId(pub usize);

#[repr(C)]
pub struct Enabling {
    pub transitions: ArenaTable<TransitionId, TransitionCounters>,
    /// The enabled transitions of each priority.
    pub levels: ArenaTable<LevelId, RankSet>,
    /// Transitions to look at again, each at most once: the first `listed`.
    pub list: Table<TransitionId, TransitionId>,
    pub listed: usize,
    /// Shadows of transitions with clocks, which are looked at when the instant is over (C2), each at most once: the first
    /// `unsettled`.
    pub clocks: Table<TransitionId, TransitionId>,
    pub unsettled: usize,
    /// The tokens of fronts by their values, by the number of the gauge; empty without such.
    pub shown: Table<GaugeId, u64>,
}

impl Enabling {
    /// The conditions as they are when all gauges are 0: the initial values follow by `moved`.
    pub fn new(program: &Program, arena: &Arc<Arena>) -> Self {
        let counters = |t: &TransitionProgram| TransitionCounters {
            unmet: t.impossible,
            level: t.level,
            position: t.position,
            plain: t.plain,
            ..TransitionCounters::default()
        };
        let shadow = |i: usize| {
            let of_clock = program.number_of_shadow(TransitionId(i as u32)).is_some();
            TransitionCounters { of_clock, ..TransitionCounters::default() }
        };
        let of_all = |i: usize| program.transitions.get(i).map_or_else(|| shadow(i), counters);
        let transitions = (0..program.with_shadows()).map(of_all);
        let levels = program.levels.iter().map(|level| RankSet::new(level.transitions.len()));
        let mut enabling = Enabling {
            transitions: ArenaTable::new(arena, arena.layout.transitions, transitions),
            levels: ArenaTable::new(arena, arena.layout.levels, levels),
            list: vec![TransitionId(0); program.with_shadows()].into_iter().collect(),
            listed: 0,
            clocks: vec![TransitionId(0); program.racing.len()].into_iter().collect(),
            unsettled: 0,
            shown: if program.lines.iter().any(|lines| lines.values.is_some()) {
                program.gauges.iter().map(|_| 0).collect()
            } else {
                Table::default()
            },
        };
        for watch in program.watches.iter().filter(|watch| !watch.below) {
            enabling.transitions[watch.transition].unmet += 1;
        }
        for (i, t) in program.transitions.iter().enumerate() {
            let id = TransitionId(i as u32);
            if t.plain && enabling.transitions[id].unmet == 0 {
                enabling.levels[t.level as usize].insert(t.position as usize);
            } else if !t.plain {
                enabling.touch(id);
            }
        }
        let shadows = program.transitions.len()..program.with_shadows();
        shadows.for_each(|shadow| enabling.touch(TransitionId(shadow as u32)));
        enabling
    }

    /// A gauge went from `old` to `new`.
    #[inline(always)]
    pub fn moved(&mut self, program: &Program, gauge: GaugeId, old: u64, new: u64) {
        self.moved_by(program, gauge, old, new, None);
    }

    /// The same, where this token has arrived in a bag. What such tokens decide depends on the bag, and is looked at if it sees this one.
    #[inline(always)]
    pub fn moved_by(&mut self, program: &Program, gauge: GaugeId, old: u64, new: u64, token: Option<&[u64]>) {
        let sees = |dependent: &Dependent| match (token, dependent.only) {
            (Some(token), Some((slot, bits))) => token[slot as usize] == bits,
            _ => true,
        };
        let gauge = program.gauges[gauge];
        if old.min(new) < gauge.top {
            for watch in &program.watches[gauge.watches.0 as usize..gauge.watches.1 as usize] {
                let (before, after) = (old >= watch.threshold, new >= watch.threshold);
                if before != after {
                    if after == watch.below {
                        self.violated(watch.transition);
                    } else if token.is_some() && !self.transitions[watch.transition].plain {
                        self.meet(watch.transition);
                    } else {
                        self.met(watch.transition);
                    }
                }
            }
            for dependent in &program.dependents[gauge.dependents.0 as usize..gauge.dependents.1 as usize] {
                if (new < old || old < dependent.depth) && sees(dependent) && self.may_turn(dependent, old, new) {
                    self.touch(dependent.transition);
                }
            }
        }
    }

    /// A token has left a bag, and this one has come: its gauge is as before.
    pub fn replaced(&mut self, program: &Program, gauge: GaugeId, token: &[u64]) {
        let (first, end) = program.gauges[gauge].dependents;
        for dependent in &program.dependents[first as usize..end as usize] {
            let sees = dependent.only.is_none_or(|(slot, bits)| token[slot as usize] == bits);
            if sees || dependent.enabled_by != EnabledBy::More || self.transitions[dependent.transition].found {
                self.touch(dependent.transition);
            }
        }
    }

    /// A front has one token more with the value of this gauge, or one less.
    pub fn shows(&mut self, program: &Program, gauge: GaugeId, more: bool) {
        let old = self.shown[gauge];
        let new = if more { old + 1 } else { old - 1 };
        self.shown[gauge] = new;
        self.moved(program, gauge, old, new);
    }

    /// A front is empty.
    pub fn shows_none(&mut self, program: &Program, values: &ShownValues) {
        for gauge in values.gauges() {
            let old = std::mem::take(&mut self.shown[gauge]);
            self.moved(program, gauge, old, 0);
        }
    }

    /// Whether a change of a gauge can turn the last look at a transition to its opposite.
    #[inline(always)]
    fn may_turn(&self, dependent: &Dependent, old: u64, new: u64) -> bool {
        let found = self.transitions[dependent.transition].found;
        match dependent.enabled_by {
            EnabledBy::Either => true,
            EnabledBy::More => old == new || found != (old < new),
            EnabledBy::Fewer => old == new || found != (old > new),
        }
    }

    /// A condition holds now. Returns whether all do.
    #[inline(always)]
    fn meet(&mut self, transition: TransitionId) -> bool {
        let status = &mut self.transitions[transition];
        status.unmet -= 1;
        status.found = false;
        status.unmet == 0
    }

    #[inline(always)]
    pub fn met(&mut self, transition: TransitionId) {
        if self.meet(transition) {
            let status = &mut self.transitions[transition];
            if status.plain {
                self.levels[status.level as usize].insert(status.position as usize);
            } else {
                self.touch(transition);
            }
        }
    }

    /// The same where a look would find the transition enabled.
    #[inline(always)]
    pub fn met_for_certain(&mut self, transition: TransitionId) {
        if self.meet(transition) {
            self.set(transition, true);
        }
    }

    #[inline(always)]
    pub fn violated(&mut self, transition: TransitionId) {
        let status = &mut self.transitions[transition];
        status.unmet += 1;
        if status.unmet == 1 {
            self.levels[status.level as usize].remove(status.position as usize);
        }
    }

    /// The condition that a join has bindings starts or stops holding.
    #[inline(never)]
    pub fn turned(&mut self, transition: TransitionId, holds: bool) {
        if holds {
            self.met(transition);
        } else {
            self.violated(transition);
        }
    }

    /// The transition is to be looked at again.
    #[inline(always)]
    pub fn touch(&mut self, transition: TransitionId) {
        let status = &mut self.transitions[transition];
        if status.unmet == 0 && !status.listed {
            status.listed = true;
            let (list, listed) = match status.of_clock {
                false => (&mut self.list, &mut self.listed),
                true => (&mut self.clocks, &mut self.unsettled),
            };
            list[TransitionId(*listed as u32)] = transition;
            *listed += 1;
        }
    }

    /// Sorts the shadows of clocks to look at, and returns their number. They are listed anew from now on.
    pub fn take_unsettled(&mut self) -> usize {
        let (clocks, _) = self.clocks.split_at_mut(self.unsettled);
        clocks.sort_unstable();
        clocks.iter().for_each(|&shadow| self.transitions[shadow].listed = false);
        std::mem::take(&mut self.unsettled)
    }

    /// The next transition to look at, unless watches have decided about it meanwhile.
    #[inline(always)]
    pub fn next_touched(&mut self) -> Option<TransitionId> {
        while self.listed > 0 {
            self.listed -= 1;
            let transition = self.list[TransitionId(self.listed as u32)];
            let status = &mut self.transitions[transition];
            status.listed = false;
            if status.unmet == 0 {
                return Some(transition);
            }
        }
        None
    }

    /// Notes the result of a look at a transition.
    #[inline(always)]
    pub fn set(&mut self, transition: TransitionId, enabled: bool) {
        let status = &mut self.transitions[transition];
        status.found = enabled;
        let level = &mut self.levels[status.level as usize];
        if enabled {
            level.insert(status.position as usize);
        } else {
            level.remove(status.position as usize);
        }
    }

    /// Whether watches alone, or the last look, say that a transition is enabled.
    #[inline(always)]
    pub fn is_enabled(&self, transition: TransitionId) -> bool {
        let status = &self.transitions[transition];
        status.unmet == 0 && (status.plain || status.found)
    }

    /// The highest priority at which a transition is enabled (I2).
    #[inline(always)]
    pub fn highest(&self) -> Option<usize> {
        self.levels.iter().position(|level| !level.is_empty())
    }

    // ------------------------------------------------------------ invariants

    /// Checks the invariants, given the value of each gauge, and for each transition with a join or a clock whether this has
    /// bindings, or has run down.
    pub fn verify(&self, program: &Program, gauges: &[u64], joins: &[(TransitionId, bool)]) -> Verified {
        let mut unmet: Vec<u32> = program.transitions.iter().map(|t| t.impossible).collect();
        for (gauge, &value) in program.gauges.iter().zip(gauges) {
            let fails = program.watching(gauge).0.iter().filter(|watch| (value >= watch.threshold) == watch.below);
            fails.for_each(|watch| unmet[watch.transition.at()] += 1);
        }
        joins.iter().filter(|(_, has_bindings)| *has_bindings).for_each(|(id, _)| unmet[id.at()] -= 1);
        for (transition, (state, &unmet)) in self.transitions.iter().zip(&unmet).enumerate() {
            let found = || format!("{} of transition {transition} instead of {unmet}", state.unmet);
            ensure(state.unmet == unmet, "unmet", found)?;
        }
        let values = program.lines.iter().filter_map(|lines| lines.values.as_ref());
        for gauge in values.flat_map(ShownValues::gauges) {
            let (shown, tokens) = (self.shown[gauge], gauges[gauge.at()]);
            ensure(shown == tokens, "shown", || format!("{shown} for {tokens} tokens, gauge {}", gauge.at()))?;
        }
        self.verify_levels(program)?;
        self.verify_list()
    }

    fn verify_levels(&self, program: &Program) -> Verified {
        for (level, plan) in self.levels.iter().zip(program.levels.iter()) {
            level.verify()?;
            let mut members = level.iter().peekable();
            for (position, &transition) in plan.transitions.iter().enumerate() {
                let (state, is_member) = (&self.transitions[transition], members.next_if_eq(&position).is_some());
                let possible = state.unmet == 0;
                let found = || format!("transition {} is a member: {is_member}", transition.at());
                ensure(!state.plain || is_member == possible, "plain", found)?;
                ensure(possible || !is_member, "enabled", found)?;
                ensure(!possible || state.plain || state.found == is_member, "found", found)?;
            }
            ensure(members.next().is_none(), "enabled", || "a member is no transition".to_owned())?;
        }
        Ok(())
    }

    fn verify_list(&self) -> Verified {
        let clocks = self.clocks.iter().take(self.unsettled);
        let listed = self.list.iter().take(self.listed).chain(clocks);
        let mut listed: Vec<usize> = listed.map(|transition| transition.at()).collect();
        listed.sort_unstable();
        let marked = self.transitions.iter().enumerate().filter(|(_, state)| state.listed).map(|(id, _)| id);
        let marked: Vec<usize> = marked.collect();
        ensure(listed == marked, "list", || format!("{listed:?} are listed, {marked:?} are marked"))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::base::invariant::broken;

    /// What a transition asks of each place: the least number of tokens, and the number, if any, that they must stay below.
    type Demands = Vec<(u64, Option<u64>)>;

    fn program(demands: &[Demands]) -> Program {
        let number = |count: u64| format!(r#"{{"op":"const","kind":"int","value":{count}}}"#);
        let arcs = |demands: &Demands| {
            let inputs = demands.iter().enumerate().filter(|(_, demand)| demand.0 > 0);
            let inputs = inputs.map(|(i, demand)| format!(r#"{{"place":{i},"count":{}}}"#, number(demand.0)));
            let limit = |(i, demand): (usize, &(u64, Option<u64>))| {
                demand.1.map(|limit| format!(r#"{{"place":{i},"threshold":{}}}"#, number(limit)))
            };
            let inhibitors = demands.iter().enumerate().filter_map(limit);
            [inputs.collect::<Vec<_>>().join(","), inhibitors.collect::<Vec<_>>().join(",")]
        };
        let transition = |(i, demands): (usize, &Demands)| {
            let [inputs, inhibitors] = arcs(demands);
            format!(r#"{{"name":"t{i}","inputs":[{inputs}],"inhibitors":[{inhibitors}],"priority":{}}}"#, i % 2)
        };
        let places: Vec<String> = (0..PLACES).map(|i| format!(r#"{{"name":"p{i}"}}"#)).collect();
        let transitions: Vec<String> = demands.iter().enumerate().map(transition).collect();
        let text = format!(r#"{{"places":[{}],"transitions":[{}]}}"#, places.join(","), transitions.join(","));
        Program::from_json(&text).expect("a net")
    }

    const PLACES: usize = 3;

    fn demands() -> impl Strategy<Value = Vec<Demands>> {
        let demand = (0..4u64, prop::option::of(1..5u64));
        prop::collection::vec(prop::collection::vec(demand, PLACES), 1..6)
    }

    fn enabling(program: &Program) -> Enabling {
        Enabling::new(program, &Arena::new(program, 0))
    }

    proptest! {
        /// The numbers of tokens change; compared with all conditions.
        #[test]
        fn all_conditions_looked_at(
            demands in demands(),
            steps in prop::collection::vec((0..PLACES, 0..6u64), 0..60),
        ) {
            let program = program(&demands);
            let (mut enabling, mut tokens) = (enabling(&program), [0; PLACES]);
            for (place, count) in steps {
                enabling.moved(&program, GaugeId(place as u32), tokens[place], count);
                tokens[place] = count;
                prop_assert_eq!(enabling.verify(&program, &tokens, &[]), Ok(()));
                for (i, demands) in demands.iter().enumerate() {
                    let state = enabling.transitions[TransitionId(i as u32)];
                    let mut held = tokens.iter().zip(demands);
                    let expected = held.all(|(&tokens, demand)| tokens >= demand.0 && demand.1.is_none_or(|n| tokens < n));
                    let level = &enabling.levels[state.level as usize];
                    prop_assert_eq!(level.iter().any(|position| position == state.position as usize), expected);
                }
            }
        }
    }

    #[test]
    fn damage_is_found() {
        let program = program(&[vec![(1, None), (0, None), (2, Some(3))], vec![(0, None), (2, None), (0, None)]]);
        let damaged = |damage: fn(&mut Enabling)| {
            let mut enabling = enabling(&program);
            enabling.moved(&program, GaugeId(1), 0, 5);
            assert_eq!(enabling.verify(&program, &[0, 5, 0], &[]), Ok(()));
            damage(&mut enabling);
            broken(enabling.verify(&program, &[0, 5, 0], &[]))
        };
        assert_eq!(damaged(|enabling| enabling.transitions[TransitionId(0)].unmet += 1), "unmet");
        assert_eq!(damaged(|enabling| enabling.set(TransitionId(1), false)), "plain");
        let other = |enabling: &mut Enabling| {
            enabling.transitions[TransitionId(0)].plain = false;
            enabling.set(TransitionId(0), true);
        };
        assert_eq!(damaged(other), "enabled");
        let unknown = |enabling: &mut Enabling| enabling.transitions[TransitionId(1)].plain = false;
        assert_eq!(damaged(unknown), "found");
        assert_eq!(damaged(|enabling| enabling.transitions[TransitionId(0)].listed = true), "list");
        assert_eq!(damaged(|enabling| enabling.listed = 2), "list");
    }
}
