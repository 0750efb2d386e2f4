//! Code for enabling: conditions of transitions that start or stop holding, and the sets of enabled transitions
//! (`Enabling`).

use std::mem::{offset_of, size_of};

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::{I32, I64, I8};
use cranelift_codegen::ir::{InstBuilder, Value};

use crate::collections::rank_set::RankSet;
use crate::jit::blueprint::names::TransitionRef;
use crate::jit::blueprint::place::{Dependent, EnabledBy, Neighbour, Watch};
use crate::jit::blueprint::transition::{Selection, SetSize, Take, TransitionPlan};
use crate::jit::emit::emitter::{Emitter, Lost, Source, Writer};
use crate::jit::emit::place::Way;
use crate::jit::emit::subjects::{EnablingCode, Subjects};
use crate::jit::holes::Hole;
use crate::state::counters::TransitionCounters;

/// Where a set has the bit of a member: the word's address and an offset, and which bit it is, by the lowest six bits of a number;
/// and the same of the summary above.
pub struct Member {
    address: Value,
    offset: usize,
    number: Value,
    summary: Option<(Value, usize, Value)>,
}

impl<'a, 'b> EnablingCode<'_, 'a, 'b> {
    // ------------------------------------------------------------ conditions

    /// Emits `take`, which takes the tokens of a firing. If the conditions that the transition loses by it can be counted without
    /// a branch, `take` notes them in a `Lost`, and the code behind it counts them all at once.
    pub fn lose_conditions(
        &mut self,
        id: TransitionRef,
        plan: &TransitionPlan,
        take: impl FnOnce(&mut Emitter<'a, 'b>, Option<&mut Lost>),
    ) {
        let mut lost = (self.e.blueprint[id].plain && self.loses_freely(id, plan)).then(Lost::default);
        take(self.e, lost.as_mut());
        let Some(Lost { always, perhaps }) = lost else { return };
        let Some(member) = self.member(id) else { return };
        let any = perhaps.iter().copied().reduce(|one, other| self.e.b.ins().bor(one, other));
        if always == 0 && any.is_none() {
            return;
        }
        let mut unmet = self.e.b.ins().iconst(I32, always as i64);
        for lost in perhaps {
            let lost = self.e.b.ins().uextend(I32, lost);
            unmet = self.e.b.ins().iadd(unmet, lost);
        }
        let state = self.e.transition(id);
        self.e.store(unmet, state, offset_of!(TransitionCounters, unmet));
        self.exclude(&member, any.filter(|_| always == 0));
    }

    /// Whether the conditions of a transition that its own firing ends can be counted without a branch.
    fn loses_freely(&mut self, id: TransitionRef, plan: &TransitionPlan) -> bool {
        let free = |s: &mut Self, take: &Take| match *take {
            Take::Black { place, count } => s.places().crosses_freely(id, place, count),
            // The runtime counts what a front loses, for it may show another token at once.
            Take::Seat { place, .. } if s.e.blueprint[place].fronts => false,
            Take::Head { place, .. } | Take::Seat { place, .. } | Take::Shown { place, .. } => {
                s.places().crosses_freely(id, place, 1)
            }
            // The runtime counts what a twin loses.
            Take::Chosen { .. } | Take::Twin { .. } => false,
        };
        // A join counts the bindings that it loses as its tokens leave.
        let is_join = matches!(plan.selection, Selection::Join(_) | Selection::Match | Selection::Tree);
        !is_join
            && plan.races.is_none()
            && self.e.has_member(id)
            && plan.resets.is_empty()
            && plan.sets.is_empty()
            && plan.takes.iter().all(|take| free(self, take))
    }

    /// Notes in `lost` that the transition whose firing takes tokens loses a condition of its own, if `crossed`: the code behind
    /// counts it. Returns whether it was noted.
    pub fn is_told_later(&self, watch: &Watch, way: Way, crossed: Option<Value>, lost: Option<&mut Lost>) -> bool {
        let own = self.e.own() == Some(watch.transition) && way == Way::Down && !watch.below;
        let Some(lost) = lost.filter(|_| own) else { return false };
        match crossed {
            Some(crossed) => lost.perhaps.push(crossed),
            None => lost.always += 1,
        }
        true
    }

    /// A watched condition starts or stops holding. `seen`: whether the transition depends on the token that has
    /// changed, if that is not certain.
    pub fn cross(&mut self, watch: &Watch, way: Way, seen: Option<Value>, lost: Option<&mut Lost>) {
        if (way == Way::Up) != watch.below {
            self.met(watch.transition, seen);
        } else if !self.is_told_later(watch, way, None, lost) {
            self.violated(watch.transition);
        }
    }

    pub fn change_unmet(&mut self, transition: TransitionRef, change: Value) -> Value {
        let state = self.e.transition(transition);
        let unmet = self.e.load(I32, state, offset_of!(TransitionCounters, unmet));
        let unmet = self.e.b.ins().iadd(unmet, change);
        self.e.store(unmet, state, offset_of!(TransitionCounters, unmet));
        unmet
    }

    pub fn met(&mut self, transition: TransitionRef, seen: Option<Value>) {
        let one = self.e.b.ins().iconst(I32, -1);
        let unmet = self.change_unmet(transition, one);
        if self.e.blueprint.settles() {
            return; // its clock runs
        }
        let all = self.e.equals(unmet, 0);
        if !self.e.blueprint[transition].plain {
            let no = self.e.b.ins().iconst(I8, 0);
            let state = self.e.transition(transition);
            self.e.store(no, state, offset_of!(TransitionCounters, found));
            self.touch_if([Some(all), seen], transition, None);
        } else if let Some(member) = self.member(transition) {
            // Whether this was the last condition is mostly unpredictable.
            self.include(&member, all);
        } else {
            self.when(all, |s| s.tell_enabled(transition, true));
        }
    }

    pub fn violated(&mut self, transition: TransitionRef) {
        let one = self.e.b.ins().iconst(I32, 1);
        let unmet = self.change_unmet(transition, one);
        if self.e.blueprint.settles() {
            return;
        }
        if let Some(member) = self.member(transition) {
            self.exclude(&member, None);
        } else {
            let first = self.e.equals(unmet, 1);
            self.when(first, |s| s.tell_enabled(transition, false));
        }
    }

    // ------------------------------------------------------------ sets of enabled transitions

    /// Where the set of enabled transitions has a transition, unless it is a large one, or none becomes enabled.
    pub fn member(&mut self, transition: TransitionRef) -> Option<Member> {
        let Neighbour { level, set, .. } = self.e.blueprint[transition];
        if set == SetSize::Large || self.e.blueprint.settles() {
            return None;
        }
        let (sets, offset) = self.e.enabled(level);
        let number = self.e.hole(Hole::Position(transition));
        if set == SetSize::Small {
            return Some(Member { address: sets, offset, number, summary: None });
        }
        let words = self.e.load(I64, sets, offset - offset_of!(RankSet, word) + RankSet::WORDS);
        let word = self.e.b.ins().ushr_imm_s(number, 6);
        let address = self.e.row(words, word, size_of::<u64>() as i64);
        Some(Member { address, offset: 0, number, summary: Some((sets, offset, word)) })
    }

    /// A bit of a word, if a condition holds; no bit otherwise.
    fn bit(&mut self, number: Value, condition: Option<Value>) -> Value {
        let one = match condition {
            Some(condition) => self.e.b.ins().uextend(I64, condition),
            None => self.e.int(1),
        };
        self.e.b.ins().ishl(one, number)
    }

    /// A transition is in the set if a condition holds, or it has been before.
    pub fn include(&mut self, member: &Member, condition: Value) {
        let add = |s: &mut Self, address, offset, number| {
            let bit = s.bit(number, Some(condition));
            let word = s.e.load(I64, address, offset);
            let word = s.e.b.ins().bor(word, bit);
            s.e.store(word, address, offset);
        };
        add(self, member.address, member.offset, member.number);
        if let Some((set, offset, number)) = member.summary {
            add(self, set, offset, number);
        }
    }

    /// A transition is not in the set, if a condition holds.
    pub fn exclude(&mut self, member: &Member, condition: Option<Value>) {
        let remove = |s: &mut Self, address, offset, number, condition: Option<Value>| {
            let bit = s.bit(number, condition);
            let word = s.e.load(I64, address, offset);
            let word = s.e.b.ins().band_not(word, bit);
            s.e.store(word, address, offset);
            word
        };
        let word = remove(self, member.address, member.offset, member.number, condition);
        if let Some((set, offset, number)) = member.summary {
            let empty = self.e.equals(word, 0);
            remove(self, set, offset, number, Some(empty));
        }
    }

    fn tell_enabled(&mut self, transition: TransitionRef, enabled: bool) {
        let (id, enabled) = (self.e.transition_id(transition), self.e.int(u64::from(enabled)));
        self.e.call(self.e.runtime.set_enabled, &[self.e.engine, id, enabled], None);
    }

    /// Whether a transition can use an arriving token, if it cannot use every token.
    pub fn is_seen(&mut self, dependent: &Dependent, arriving: &[Source]) -> Option<Value> {
        let (slot, bits) = dependent.only?;
        let value = self.slots().word_in(*arriving.get(slot as usize)?);
        Some(self.e.b.ins().icmp_imm_s(IntCC::Equal, value, bits as i64))
    }

    pub fn look_again(&mut self, dependent: &Dependent, before: Value, way: Way, seen: Option<Value>) {
        let asks = way == Way::Up && dependent.depth != u64::MAX;
        let near = asks.then(|| self.e.b.ins().icmp_imm_u(IntCC::UnsignedLessThan, before, dependent.depth as i64));
        let turns_if = match (dependent.enabled_by, way) {
            (EnabledBy::Either, _) => None,
            (EnabledBy::More, Way::Up) | (EnabledBy::Fewer, Way::Down) => Some(false),
            _ => Some(true),
        };
        self.touch_if([near, seen], dependent.transition, turns_if);
    }

    /// Looks at a transition again if all its conditions hold.
    fn touch_if(&mut self, conditions: [Option<Value>; 2], transition: TransitionRef, turns_if: Option<bool>) {
        match conditions.into_iter().flatten().reduce(|one, other| self.e.b.ins().band(one, other)) {
            Some(all) => self.when(all, |s| s.touch(transition, turns_if)),
            None => self.touch(transition, turns_if),
        }
    }

    /// `Enabling::touch`, where it may turn out otherwise than at the last look (`Enabling::may_turn`): if that has found it enabled,
    /// or not, or in any case.
    fn touch(&mut self, transition: TransitionRef, turns_if: Option<bool>) {
        let state = self.e.transition(transition);
        let of_clock = self.e.blueprint[transition].of_clock;
        let layout = self.e.layout;
        let (list, len) = if of_clock { (layout.clocks, layout.unsettled) } else { (layout.list, layout.listed) };
        let listed = self.e.load(I8, state, offset_of!(TransitionCounters, listed));
        let fresh = if of_clock {
            self.e.equals(listed, 0)
        } else {
            let unmet = self.e.load(I32, state, offset_of!(TransitionCounters, unmet));
            let listed = self.e.b.ins().uextend(I32, listed);
            let mut either = self.e.b.ins().bor(unmet, listed);
            if let Some(enabled) = turns_if {
                let found = self.e.load(I8, state, offset_of!(TransitionCounters, found));
                let found = self.e.b.ins().bxor_imm_s(found, i64::from(enabled));
                let found = self.e.b.ins().uextend(I32, found);
                either = self.e.b.ins().bor(either, found);
            }
            self.e.equals(either, 0)
        };
        self.when(fresh, |s| {
            let yes = s.e.b.ins().iconst(I8, 1);
            s.e.store(yes, state, offset_of!(TransitionCounters, listed));
            let listed = s.e.load(I64, s.e.engine, len);
            let list = s.e.table(list);
            let offset = s.e.b.ins().ishl_imm_s(listed, 2);
            let end = s.e.b.ins().iadd(list, offset);
            let id = s.e.transition_id(transition);
            s.e.store_half(id, end, 0);
            let listed = s.e.b.ins().iadd_imm_s(listed, 1);
            s.e.store(listed, s.e.engine, len);
        });
    }
}
