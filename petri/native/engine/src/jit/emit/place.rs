//! Code for the number of a place's tokens: its changes, with statistics and watches.

use std::mem::offset_of;

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::{I32, I64};
use cranelift_codegen::ir::{InstBuilder, Value};

use crate::engine::code::Routine;
use crate::jit::blueprint::names::{PlaceRef, TransitionRef, OWN};
use crate::jit::blueprint::place::{Dependent, Gauge, Watch};
use crate::jit::blueprint::transition::TransitionPlan;
use crate::jit::emit::emitter::{Lost, Source, TokenCount, Writer};
use crate::jit::emit::subjects::{PlaceCode, Subjects};
use crate::jit::holes::Hole;
use crate::jit::profile::Occupancy;
use crate::observe::levels::{self, LEVELS};
use crate::state::counters::{PlaceCounters, Sums, TransitionCounters};

/// Which way a number of tokens changes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Way {
    Up,
    Down,
}

/// A number changes from `before` to `after`, by `count`.
#[derive(Clone, Copy)]
struct Change {
    before: Value,
    after: Value,
    count: TokenCount,
    way: Way,
}

/// Whether a threshold is crossed.
#[derive(Clone, Copy)]
enum Crossed {
    Always,
    Never,
    If(Value),
}

/// The number of a place's tokens, or of a transition's firings in progress: the address of its owner, the offset of its sums
/// there, and whether it is never above one.
#[derive(Clone, Copy)]
struct Summed {
    address: Value,
    sums: usize,
    one: bool,
}

impl<'a> PlaceCode<'_, 'a, '_> {
    // ------------------------------------------------------------ numbers and statistics

    /// `Levels::changes`.
    fn lengthen_level(&mut self, place: PlaceRef, tokens: Value) {
        // Nobody asks how full a front is.
        let Some(times) = self.e.layout.levels_times.filter(|_| !self.e.blueprint[place].fronts) else { return };
        let times = self.e.load(I64, self.e.engine, times);
        let place = self.e.place_id(place);
        let row = self.e.row(times, place, 8 * levels::ROW as i64);
        let told = self.e.load(I64, row, 8 * LEVELS);
        let elapsed = self.e.b.ins().isub(self.e.now, told);
        let last = self.e.int(LEVELS as u64 - 1);
        let level = self.e.b.ins().umin(tokens, last);
        let entry = self.e.row(row, level, 8);
        self.add_time(entry, 0, elapsed);
        self.e.store(self.e.now, row, 8 * LEVELS);
    }

    fn add_time(&mut self, address: Value, offset: usize, time: Value) {
        let sum = self.e.load(I64, address, offset);
        let sum = self.e.b.ins().iadd(sum, time);
        self.e.store(sum, address, offset);
    }

    /// Adds an instant to a sum when a number falls, and takes it away when it rises.
    fn sum(&mut self, way: Way, address: Value, offset: usize, instant: Value) {
        if way == Way::Down {
            return self.add_time(address, offset, instant);
        }
        let sum = self.e.load(I64, address, offset);
        let sum = self.e.b.ins().isub(sum, instant);
        self.e.store(sum, address, offset);
    }

    /// What a change of a number does to its integral (`state::Sums`).
    fn integrate(&mut self, summed: Summed, count: TokenCount, way: Way) {
        let now = self.e.now;
        let instants = match count {
            TokenCount::Const(1) => now,
            TokenCount::Const(count) => self.e.b.ins().imul_imm_s(now, count as i64),
            TokenCount::Known(count) => self.e.b.ins().imul(count, now),
        };
        self.sum(way, summed.address, summed.sums + offset_of!(Sums, integral), instants);
    }

    /// A number rises from zero, or falls to it.
    fn turn(&mut self, summed: Summed, way: Way) {
        if !summed.one {
            self.sum(way, summed.address, summed.sums + offset_of!(Sums, above_zero), self.e.now);
        }
    }

    /// A firing that takes time starts, or ends (`TransitionCounters::begin` and `end`).
    pub fn in_progress(&mut self, plan: &TransitionPlan, way: Way) {
        let address = self.e.transition(OWN);
        let summed = Summed { address, sums: offset_of!(TransitionCounters, sums), one: plan.takes_turns };
        self.integrate(summed, TokenCount::Const(1), way);
        if plan.takes_turns {
            let number = self.e.int(u64::from(way == Way::Up));
            self.e.store(number, address, offset_of!(TransitionCounters, in_progress));
            return;
        }
        let before = self.e.load(I64, address, offset_of!(TransitionCounters, in_progress));
        let after = self.e.b.ins().iadd_imm_s(before, if way == Way::Up { 1 } else { -1 });
        self.e.store(after, address, offset_of!(TransitionCounters, in_progress));
        let turned = self.e.equals(if way == Way::Up { before } else { after }, 0);
        self.when(turned, |s| s.aside(plan.activity == Occupancy::Mostly, |s| s.turn(summed, way)));
    }

    /// Whether these tokens are all that a place can have, so that it has none before they come, and none after they go.
    fn is_only(&self, place: PlaceRef, count: TokenCount) -> bool {
        self.e.holds_one(place) && matches!(count, TokenCount::Const(1))
    }

    fn tokens_of(&mut self, place: PlaceRef) -> Summed {
        Summed { address: self.e.place(place), sums: offset_of!(PlaceCounters, sums), one: self.e.holds_one(place) }
    }

    /// The routines of a place, given its number (`Runtime::arrivals`).
    pub fn routines(&mut self, number: Value) -> Value {
        let arrivals = self.e.hole(Hole::Address(self.e.runtime.arrivals as u64));
        self.e.row(arrivals, number, 2 * size_of::<Routine>() as i64)
    }

    /// The number of tokens of a place before `count` of them leave, or `count` others arrive.
    pub fn tokens_before(&mut self, place: PlaceRef, count: TokenCount, way: Way) -> Value {
        if self.is_only(place, count) {
            self.e.int(u64::from(way == Way::Down))
        } else {
            self.e.tokens_in(place)
        }
    }

    /// Tokens leave a place that had `before` of them: `state::Place::lose`, and its watches. `lost`: where to note the
    /// conditions that the transition loses, if they are counted later.
    pub fn lose(&mut self, place: PlaceRef, before: Value, count: TokenCount, mut lost: Option<&mut Lost>) {
        self.lengthen_level(place, before);
        let after = match count {
            TokenCount::Const(count) => self.e.b.ins().iadd_imm_s(before, -(count as i64)),
            TokenCount::Known(count) => self.e.b.ins().isub(before, count),
        };
        let summed = self.tokens_of(place);
        self.integrate(summed, count, Way::Down);
        self.e.store(after, summed.address, offset_of!(PlaceCounters, tokens));
        let change = Change { before, after, count, way: Way::Down };
        self.moved(&self.e.moves(place).tokens, Some(place), change, &[], lost.as_deref_mut());
        if let Some(load) = &self.e.moves(place).load {
            let reserved = self.reserved(place);
            let (before, after) = (self.e.b.ins().iadd(before, reserved), self.e.b.ins().iadd(after, reserved));
            self.moved(load, None, Change { before, after, ..change }, &[], lost);
        }
    }

    /// Tokens arrive in a place that had `before` of them: `state::Place::gain`, and its watches. `reserved`: room was
    /// kept for them. `arriving` are the values of one that has any.
    pub fn gain(&mut self, place: PlaceRef, before: Value, count: TokenCount, reserved: bool, arriving: &[Source]) {
        let summed = self.tokens_of(place);
        let state = summed.address;
        self.lengthen_level(place, before);
        self.integrate(summed, count, Way::Up);
        let (number, after) = match count {
            TokenCount::Const(count) => (self.e.int(count), self.e.b.ins().iadd_imm_s(before, count as i64)),
            TokenCount::Known(count) => (count, self.e.b.ins().iadd(before, count)),
        };
        self.e.store(after, state, offset_of!(PlaceCounters, tokens));
        let arrivals = self.e.load(I64, state, offset_of!(PlaceCounters, arrivals));
        let arrivals = self.e.b.ins().iadd(arrivals, number);
        self.e.store(arrivals, state, offset_of!(PlaceCounters, arrivals));
        if self.is_only(place, count) {
            self.e.store(after, state, offset_of!(PlaceCounters, maximum));
        } else {
            let maximum = self.e.load(I64, state, offset_of!(PlaceCounters, maximum));
            let more = self.e.b.ins().icmp(IntCC::UnsignedGreaterThan, after, maximum);
            self.when(more, |s| s.aside(true, |s| s.e.store(after, state, offset_of!(PlaceCounters, maximum))));
        }
        let change = Change { before, after, count, way: Way::Up };
        self.moved(&self.e.moves(place).tokens, Some(place), change, arriving, None);
        if self.e.blueprint[place].has_capacity {
            self.fill_room(place, before, after, count, reserved);
        }
    }

    pub fn reserved(&mut self, place: PlaceRef) -> Value {
        let state = self.e.place(place);
        self.e.load(I64, state, offset_of!(PlaceCounters, reserved))
    }

    fn set_reserved(&mut self, place: PlaceRef, reserved: Value) {
        let state = self.e.place(place);
        self.e.store(reserved, state, offset_of!(PlaceCounters, reserved));
    }

    /// Reserved room becomes tokens, or else the load grows.
    fn fill_room(&mut self, place: PlaceRef, before: Value, after: Value, count: TokenCount, reserved: bool) {
        let room = self.reserved(place);
        if reserved {
            let count = self.e.number(count);
            let left = self.e.b.ins().isub(room, count);
            self.set_reserved(place, left);
            return;
        }
        if let Some(load) = &self.e.moves(place).load {
            let (before, after) = (self.e.b.ins().iadd(before, room), self.e.b.ins().iadd(after, room));
            self.moved(load, None, Change { before, after, count, way: Way::Up }, &[], None);
        }
    }

    /// Keeps room in a place with a capacity for tokens that a firing in progress will deposit.
    pub fn keep_room(&mut self, place: PlaceRef, count: TokenCount) {
        let room = self.reserved(place);
        let number = self.e.number(count);
        let kept = self.e.b.ins().iadd(room, number);
        self.set_reserved(place, kept);
        if let Some(load) = &self.e.moves(place).load {
            let tokens = self.e.tokens_in(place);
            let (before, after) = (self.e.b.ins().iadd(tokens, room), self.e.b.ins().iadd(tokens, kept));
            self.moved(load, None, Change { before, after, count, way: Way::Up }, &[], None);
        }
    }

    // ------------------------------------------------------------ what watches a number

    /// A number of tokens that is not all of a place has become one more, or one less.
    pub fn moved_by_one(&mut self, gauge: &Gauge, before: Value, after: Value, way: Way) {
        self.moved(gauge, None, Change { before, after, count: TokenCount::Const(1), way }, &[], None);
    }

    /// `Enabling::moved`. The number of tokens of a place also has a time above zero.
    fn moved(
        &mut self,
        gauge: &Gauge,
        place: Option<PlaceRef>,
        change: Change,
        arriving: &[Source],
        mut lost: Option<&mut Lost>,
    ) {
        let Change { before, after, count, way } = change;
        let high = if way == Way::Up { after } else { before };
        let (watches, dependents) = gauge.seen();
        if let Some(place) = place.filter(|_| watches.iter().all(|watch| watch.threshold != 1)) {
            let crossed = self.crossed(1, Some(place), high, count);
            self.when_turned(crossed, Some(place), way, |_| {});
        }
        if let Gauge::Many(number) = *gauge {
            let id = self.e.hole(Hole::Word(number));
            self.e.call(self.e.runtime.moved, &[self.e.engine, id, before, after], None);
            return;
        }
        let wavering = place.filter(|place| self.e.is_unpredictable(*place));
        for group in watches.chunk_by(|a, b| a.threshold == b.threshold) {
            let crossed = self.crossed(group[0].threshold, place, high, count);
            if let (Some(place), Crossed::If(crossed)) = (wavering, crossed) {
                if self.is_single_watch(group) {
                    self.cross_free(crossed, place, way, &group[0], lost.as_deref_mut());
                    continue;
                }
            }
            self.when_turned(crossed, place.filter(|_| group[0].threshold == 1), way, |s| {
                let own = |watch: &&Watch<_>| Some(watch.transition) == s.e.own();
                let (first, others): (Vec<&Watch<_>>, Vec<&Watch<_>>) = group.iter().partition(own);
                for watch in first.into_iter().chain(others) {
                    let dependent = dependents.iter().find(|dependent| dependent.transition == watch.transition);
                    let seen = dependent.and_then(|dependent| s.enabling().is_seen(dependent, arriving));
                    s.enabling().cross(watch, way, seen, lost.as_deref_mut());
                }
            });
        }
        let own = |dependent: &&Dependent<_>| Some(dependent.transition) == self.e.own();
        let (first, others): (Vec<&Dependent<_>>, Vec<&Dependent<_>>) = dependents.iter().partition(own);
        for dependent in first.into_iter().chain(others) {
            let seen = self.enabling().is_seen(dependent, arriving);
            self.enabling().look_again(dependent, before, way, seen);
        }
    }

    /// Emits `then` for when a threshold is crossed, which may be the one between no tokens of a place and some.
    fn when_turned(&mut self, crossed: Crossed, place: Option<PlaceRef>, way: Way, then: impl FnOnce(&mut Self)) {
        let mostly = place.is_some_and(|place| self.e.blueprint[place].occupancy == Occupancy::Mostly);
        let turned = |s: &mut Self| {
            if let Some(place) = place {
                let summed = s.tokens_of(place);
                s.turn(summed, way);
            }
            then(s);
        };
        match crossed {
            Crossed::Always => turned(self),
            Crossed::Never => {}
            Crossed::If(crossed) => self.when(crossed, |s| s.aside(mostly, turned)),
        }
    }

    /// The same without a branch, for the only transition that watches the place.
    fn cross_free(
        &mut self,
        crossed: Value,
        place: PlaceRef,
        way: Way,
        watch: &Watch<TransitionRef>,
        lost: Option<&mut Lost>,
    ) {
        let (summed, never) = (self.tokens_of(place), self.e.int(0));
        let instant = self.e.b.ins().select(crossed, self.e.now, never);
        self.sum(way, summed.address, summed.sums + offset_of!(Sums, above_zero), instant);
        if self.enabling().is_told_later(watch, way, Some(crossed), lost) {
            return;
        }
        let member = self.enabling().member(watch.transition);
        let change = self.e.b.ins().uextend(I32, crossed);
        if (way == Way::Up) != watch.below {
            let change = self.e.b.ins().ineg(change);
            let unmet = self.enabling().change_unmet(watch.transition, change);
            let Some(member) = member else { return };
            let all = self.e.equals(unmet, 0);
            self.enabling().include(&member, all);
        } else {
            self.enabling().change_unmet(watch.transition, change);
            let Some(member) = member else { return };
            self.enabling().exclude(&member, Some(crossed));
        }
    }

    /// Whether these are all watches of a place for its first token, and each is decided by one bit.
    fn is_single_watch(&self, group: &[Watch<TransitionRef>]) -> bool {
        let simple = |id: TransitionRef| self.e.blueprint[id].plain && self.e.has_member(id);
        matches!(group, [watch] if watch.threshold == 1 && simple(watch.transition))
    }

    /// Whether the conditions that a transition loses when `count` tokens of a place are taken can be counted without a branch.
    pub fn crosses_freely(&self, id: TransitionRef, place: PlaceRef, count: u64) -> bool {
        let Gauge::Few { watches, .. } = &self.e.moves(place).tokens else { return false };
        let free = |group: &[Watch<TransitionRef>]| {
            let concerned = group.iter().any(|watch| watch.transition == id);
            !concerned
                || self.is_only(place, TokenCount::Const(count))
                || self.e.is_unpredictable(place) && self.is_single_watch(group)
        };
        watches.chunk_by(|a, b| a.threshold == b.threshold).all(free)
    }

    /// Whether a threshold lies above the lower and not above the higher of two numbers that are `count` apart.
    fn crossed(&mut self, threshold: u64, place: Option<PlaceRef>, high: Value, count: TokenCount) -> Crossed {
        if place.is_some_and(|place| self.is_only(place, count)) {
            return if threshold == 1 { Crossed::Always } else { Crossed::Never };
        }
        Crossed::If(match count {
            TokenCount::Const(1) => self.e.equals(high, threshold),
            count => {
                let distance = self.e.b.ins().iadd_imm_s(high, (threshold as i64).wrapping_neg());
                let count = self.e.number(count);
                self.e.b.ins().icmp(IntCC::UnsignedLessThan, distance, count)
            }
        })
    }
}
