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
use crate::jit::emit::emitter::{Emitter, Lost, Owner, Source, Writer};
use crate::jit::emit::place::Way;
use crate::jit::emit::subjects::{EnablingCode, Subjects};
use crate::jit::holes::Hole;
use crate::state::counters::{TransitionCounters, UNMET};

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
        let free = |s: &mut Self, take: &Take<_>| match *take {
            Take::Black { place, count } => s.places().crosses_freely(id, place, count),
            // The runtime counts what a front loses, for it may show another token at once.
            Take::Seat { place, .. } if s.e.blueprint[place].fronts => false,
            Take::Head { place, .. } | Take::Seat { place, .. } | Take::Shown { place, .. } => {
                s.places().crosses_freely(id, place, 1)
            }
            Take::Chosen { .. } => false,
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
    pub fn is_told_later(
        &self,
        watch: &Watch<TransitionRef>,
        way: Way,
        crossed: Option<Value>,
        lost: Option<&mut Lost>,
    ) -> bool {
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
    pub fn cross(&mut self, watch: &Watch<TransitionRef>, way: Way, seen: Option<Value>, lost: Option<&mut Lost>) {
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
        if !self.is_plain(transition) {
            let look = self.change_condition(transition, -TransitionCounters::ONE_UNMET);
            let all = self.e.equals(look, 0);
            let all = seen.map_or(all, |seen| self.e.b.ins().band(all, seen));
            self.when(all, |s| s.list(transition));
            return;
        }
        let one = self.e.b.ins().iconst(I32, -1);
        let unmet = self.change_unmet(transition, one);
        if self.e.blueprint.settles() {
            return; // its clock runs
        }
        let all = self.e.equals(unmet, 0);
        if let Some(member) = self.member(transition) {
            // Whether this was the last condition is mostly unpredictable.
            self.include(&member, all);
        } else {
            self.when(all, |s| s.tell_enabled(transition, true));
        }
    }

    pub fn violated(&mut self, transition: TransitionRef) {
        let unmet = if self.is_plain(transition) {
            let one = self.e.b.ins().iconst(I32, 1);
            self.change_unmet(transition, one)
        } else {
            let look = self.change_condition(transition, TransitionCounters::ONE_UNMET);
            self.e.b.ins().ushr_imm_s(look, UNMET as i64)
        };
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

    /// Whether watches alone decide about a transition, or its clock runs on.
    fn is_plain(&self, transition: TransitionRef) -> bool {
        self.e.blueprint[transition].plain || self.e.blueprint.settles()
    }

    /// A condition of a transition that is not plain starts or stops holding, so that no look has found it enabled since.
    fn change_condition(&mut self, transition: TransitionRef, change: i64) -> Value {
        let state = self.e.transition(transition);
        self.change_look(state, |e, look| {
            let look = e.b.ins().iadd_imm_s(look, change);
            e.b.ins().band_imm_s(look, !TransitionCounters::FOUND)
        })
    }

    /// Changes `TransitionCounters::LOOK`, and returns it.
    pub fn change_look(&mut self, state: Value, change: impl FnOnce(&mut Emitter<'a, 'b>, Value) -> Value) -> Value {
        let look = self.e.load(I64, state, TransitionCounters::LOOK);
        let look = change(self.e, look);
        self.e.store(look, state, TransitionCounters::LOOK);
        look
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
        Some(self.member_of(sets, offset, set, number))
    }

    /// A member of the set whose `word` is at an offset of an address; the set is not large.
    fn member_of(&mut self, sets: Value, offset: usize, size: SetSize, number: Value) -> Member {
        if size == SetSize::Small {
            return Member { address: sets, offset, number, summary: None };
        }
        let words = self.e.load(I64, sets, offset - offset_of!(RankSet, word) + RankSet::WORDS);
        let word = self.e.b.ins().ushr_imm_s(number, 6);
        let address = self.e.row(words, word, size_of::<u64>() as i64);
        Member { address, offset: 0, number, summary: Some((sets, offset, word)) }
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

    /// A look has found the transition with this state enabled where it was not before, or the other way round (`Enabling::set`).
    /// `size` is that of the sets of all priorities, and not large.
    pub fn turn(&mut self, state: Value, found: Value, size: SetSize) {
        self.e.store(found, state, TransitionCounters::LOOK);
        let level = self.e.load_half(state, offset_of!(TransitionCounters, level));
        let number = self.e.load_half(state, offset_of!(TransitionCounters, position));
        let (sets, offset) = self.e.enabled(0);
        let set = self.e.row(sets, level, size_of::<RankSet>() as i64);
        let set = self.e.owned(set, Owner::Enabled);
        let member = self.member_of(set, offset, size, number);
        let bit = self.bit(number, None);
        let word = self.e.load(I64, member.address, member.offset);
        let word = self.e.b.ins().bxor(word, bit);
        self.e.store(word, member.address, member.offset);
        if let Some((set, offset, number)) = member.summary {
            let (bit, any) = (self.bit(number, None), self.e.b.ins().icmp_imm_s(IntCC::NotEqual, word, 0));
            let any = self.bit(number, Some(any));
            let summary = self.e.load(I64, set, offset);
            let others = self.e.b.ins().band_not(summary, bit);
            let summary = self.e.b.ins().bor(others, any);
            self.e.store(summary, set, offset);
        }
    }

    fn tell_enabled(&mut self, transition: TransitionRef, enabled: bool) {
        let (id, enabled) = (self.e.transition_id(transition), self.e.int(u64::from(enabled)));
        self.e.call(self.e.runtime.set_enabled, &[self.e.engine, id, enabled], None);
    }

    /// Whether a transition can use an arriving token, if it cannot use every token.
    pub fn is_seen(&mut self, dependent: &Dependent<TransitionRef>, arriving: &[Source]) -> Option<Value> {
        let (slot, bits) = dependent.only?;
        let value = self.slots().word_in(*arriving.get(slot as usize)?);
        Some(self.e.b.ins().icmp_imm_s(IntCC::Equal, value, bits as i64))
    }

    pub fn look_again(&mut self, dependent: &Dependent<TransitionRef>, before: Value, way: Way, seen: Option<Value>) {
        let asks = way == Way::Up && dependent.depth != u64::MAX;
        let near = asks.then(|| self.e.b.ins().icmp_imm_u(IntCC::UnsignedLessThan, before, dependent.depth as i64));
        let turns_if = match (dependent.enabled_by, way) {
            (EnabledBy::Either, _) => None,
            (EnabledBy::More, Way::Up) | (EnabledBy::Fewer, Way::Down) => Some(false),
            _ => Some(true),
        };
        match [near, seen].into_iter().flatten().reduce(|one, other| self.e.b.ins().band(one, other)) {
            Some(both) => self.when(both, |s| s.touch(dependent.transition, turns_if)),
            None => self.touch(dependent.transition, turns_if),
        }
    }

    /// `Enabling::touch`, where it may turn out otherwise than at the last look (`Enabling::may_turn`): if that has found it enabled,
    /// or not, or in any case.
    fn touch(&mut self, transition: TransitionRef, turns_if: Option<bool>) {
        let state = self.e.transition(transition);
        let fresh = if self.e.blueprint[transition].of_clock {
            let listed = self.e.load(I8, state, offset_of!(TransitionCounters, listed));
            self.e.equals(listed, 0)
        } else {
            let look = self.e.load(I64, state, TransitionCounters::LOOK);
            match turns_if {
                Some(found) => self.e.equals(look, u64::from(found)),
                None => {
                    let others = self.e.b.ins().band_imm_s(look, !TransitionCounters::FOUND);
                    self.e.equals(others, 0)
                }
            }
        };
        self.when(fresh, |s| s.list(transition));
    }

    /// The transition is on the list of those to look at again.
    fn list(&mut self, transition: TransitionRef) {
        let state = self.e.transition(transition);
        let layout = self.e.layout;
        let (list, len) = if self.e.blueprint[transition].of_clock {
            let yes = self.e.b.ins().iconst(I8, 1);
            self.e.store(yes, state, offset_of!(TransitionCounters, listed));
            (layout.clocks, layout.unsettled)
        } else {
            self.change_look(state, |e, look| e.b.ins().bor_imm_s(look, TransitionCounters::LISTED));
            (layout.list, layout.listed)
        };
        let listed = self.e.load(I64, self.e.engine, len);
        let list = self.e.table(list);
        let end = self.e.row(list, listed, size_of::<u32>() as i64);
        let id = self.e.transition_id(transition);
        self.e.store_half(id, end, 0);
        let listed = self.e.b.ins().iadd_imm_s(listed, 1);
        self.e.store(listed, self.e.engine, len);
    }
}
