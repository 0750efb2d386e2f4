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
use crate::state::counters::{PlaceCounters, TransitionCounters};
use crate::state::store::Store;

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

/// Where the busy periods of a number are kept: the address of its place or transition, and the offsets there of the integral and
/// of the beginning of the last busy period.
#[derive(Clone, Copy)]
struct Spells {
    address: Value,
    integral: usize,
    since: usize,
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

    /// The time that the busy period of a number has lasted: since it last rose above zero.
    fn spell(&mut self, of: Spells) -> Value {
        let since = self.e.load(I64, of.address, of.since);
        self.e.b.ins().isub(self.e.now, since)
    }

    /// The time of a busy period times the change of the number.
    fn weighted(&mut self, spell: Value, count: TokenCount) -> Value {
        match count {
            TokenCount::Const(1) => spell,
            TokenCount::Const(count) => self.e.b.ins().imul_imm_s(spell, count as i64),
            TokenCount::Known(count) => self.e.b.ins().imul(count, spell),
        }
    }

    /// A number above zero rises by n: integral −= n · (now − t₀), where t₀ is the start of its busy period.
    fn lessen(&mut self, of: Spells, count: TokenCount) {
        // An instruction can take its last operand from memory.
        let sum = self.e.load(I64, of.address, of.integral);
        let spell = self.spell(of);
        self.lessen_by(of, sum, spell, count);
    }

    fn lessen_by(&mut self, of: Spells, sum: Value, spell: Value, count: TokenCount) {
        let less = self.weighted(spell, count);
        let sum = self.e.b.ins().isub(sum, less);
        self.e.store(sum, of.address, of.integral);
    }

    /// A number falls by n: integral += n · (now − t₀). Returns now − t₀.
    fn lengthen(&mut self, of: Spells, count: TokenCount) -> Value {
        let spell = self.spell(of);
        let more = self.weighted(spell, count);
        self.add_time(of.address, of.integral, more);
        spell
    }

    /// A firing that takes time starts, or ends (`state::Transition::begin` and `end`).
    pub fn in_progress(&mut self, plan: &TransitionPlan, way: Way) {
        let state = self.e.transition(OWN);
        let of = Spells {
            address: state,
            integral: offset_of!(TransitionCounters, integral),
            since: offset_of!(TransitionCounters, busy_since),
        };
        let (active, now) = (offset_of!(TransitionCounters, active), self.e.now);
        if plan.takes_turns {
            let number = self.e.int(u64::from(way == Way::Up));
            self.e.store(number, state, offset_of!(TransitionCounters, in_progress));
            if way == Way::Up {
                self.e.store(now, state, of.since);
            } else {
                self.lengthen(of, TokenCount::Const(1));
            }
            return;
        }
        let before = self.e.load(I64, state, offset_of!(TransitionCounters, in_progress));
        let after = self.e.b.ins().iadd_imm_s(before, if way == Way::Up { 1 } else { -1 });
        self.e.store(after, state, offset_of!(TransitionCounters, in_progress));
        let occupancy = plan.activity;
        let (seldom, mostly) = (occupancy == Occupancy::Seldom, occupancy == Occupancy::Mostly);
        if way == Way::Up {
            let more = |s: &mut Self| s.aside(seldom, |s| s.lessen(of, TokenCount::Const(1)));
            self.when_or(before, more, |s| s.aside(mostly, |s| s.e.store(now, state, of.since)));
        } else {
            let spell = self.lengthen(of, TokenCount::Const(1));
            let idle = self.e.equals(after, 0);
            self.when(idle, |s| s.aside(mostly, |s| s.add_time(state, active, spell)));
        }
    }

    /// Whether these tokens are all that a place can have, so that it has none before they come, and none after they go.
    fn is_only(&self, place: PlaceRef, count: TokenCount) -> bool {
        self.e.holds_one(place) && matches!(count, TokenCount::Const(1))
    }

    /// The busy periods of a place.
    fn spells(&mut self, place: PlaceRef) -> Spells {
        let address = self.e.place(place);
        Spells { address, integral: offset_of!(PlaceCounters, integral), since: offset_of!(PlaceCounters, busy_since) }
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
        let of = self.spells(place);
        self.lengthen(of, count);
        self.e.store(after, of.address, offset_of!(PlaceCounters, tokens));
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
        let state = self.e.place(place);
        self.lengthen_level(place, before);
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
        let store = self.e.store_of(place);
        self.e.load(I64, store, offset_of!(Store, reserved))
    }

    fn set_reserved(&mut self, place: PlaceRef, reserved: Value) {
        let store = self.e.store_of(place);
        self.e.store(reserved, store, offset_of!(Store, reserved));
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
            self.when_turned(crossed, Some(place), count, way, |_| {});
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
                    self.cross_free(crossed, place, change, &group[0], lost.as_deref_mut());
                    continue;
                }
            }
            self.when_turned(crossed, place.filter(|_| group[0].threshold == 1), count, way, |s| {
                let own = |watch: &&Watch| Some(watch.transition) == s.e.own();
                let (first, others): (Vec<&Watch>, Vec<&Watch>) = group.iter().partition(own);
                for watch in first.into_iter().chain(others) {
                    let dependent = dependents.iter().find(|dependent| dependent.transition == watch.transition);
                    let seen = dependent.and_then(|dependent| s.enabling().is_seen(dependent, arriving));
                    s.enabling().cross(watch, way, seen, lost.as_deref_mut());
                }
            });
        }
        let own = |dependent: &&Dependent| Some(dependent.transition) == self.e.own();
        let (first, others): (Vec<&Dependent>, Vec<&Dependent>) = dependents.iter().partition(own);
        for dependent in first.into_iter().chain(others) {
            let seen = self.enabling().is_seen(dependent, arriving);
            self.enabling().look_again(dependent, before, way, seen);
        }
    }

    /// Emits `then` for when a threshold is crossed. If it is the threshold between no tokens and some of a
    /// place, its busy period begins or ends there.
    fn when_turned(
        &mut self,
        crossed: Crossed,
        place: Option<PlaceRef>,
        count: TokenCount,
        way: Way,
        then: impl FnOnce(&mut Self),
    ) {
        let Some(place) = place else {
            return match crossed {
                Crossed::Always => then(self),
                Crossed::Never => {}
                Crossed::If(crossed) => self.when(crossed, then),
            };
        };
        let of = self.spells(place);
        let (rises, occupancy) = (way == Way::Up, self.e.blueprint[place].occupancy);
        let turn = |s: &mut Self| {
            if rises {
                s.e.store(s.e.now, of.address, of.since);
            } else if !s.e.holds_one(place) {
                let spell = s.spell(of);
                s.add_time(of.address, offset_of!(PlaceCounters, nonempty), spell);
            }
            then(s);
        };
        let turned = |s: &mut Self| s.aside(occupancy == Occupancy::Mostly, turn);
        match crossed {
            Crossed::Always => turned(self),
            Crossed::Never => {}
            Crossed::If(crossed) if rises => {
                self.when_or(crossed, turned, |s| s.aside(occupancy == Occupancy::Seldom, |s| s.lessen(of, count)));
            }
            Crossed::If(crossed) => self.when(crossed, turned),
        }
    }

    /// The same without a branch, for the only transition that watches the place.
    fn cross_free(
        &mut self,
        crossed: Value,
        place: PlaceRef,
        Change { count, way, .. }: Change,
        watch: &Watch,
        lost: Option<&mut Lost>,
    ) {
        let of = self.spells(place);
        if way == Way::Up {
            let since = self.e.load(I64, of.address, of.since);
            let since = self.e.b.ins().select(crossed, self.e.now, since);
            self.e.store(since, of.address, of.since);
            let spell = self.e.b.ins().isub(self.e.now, since);
            let sum = self.e.load(I64, of.address, of.integral);
            self.lessen_by(of, sum, spell, count);
        } else {
            let (spell, zero) = (self.spell(of), self.e.int(0));
            let spell = self.e.b.ins().select(crossed, spell, zero);
            self.add_time(of.address, offset_of!(PlaceCounters, nonempty), spell);
        }
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
    fn is_single_watch(&self, group: &[Watch]) -> bool {
        let simple = |id: TransitionRef| self.e.blueprint[id].plain && self.e.has_member(id);
        matches!(group, [watch] if watch.threshold == 1 && simple(watch.transition))
    }

    /// Whether the conditions that a transition loses when `count` tokens of a place are taken can be counted without a branch.
    pub fn crosses_freely(&self, id: TransitionRef, place: PlaceRef, count: u64) -> bool {
        let Gauge::Few { watches, .. } = &self.e.moves(place).tokens else { return false };
        let free = |group: &[Watch]| {
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
