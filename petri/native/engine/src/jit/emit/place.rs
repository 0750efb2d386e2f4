//! Code for the number of a place's tokens: it changes, with statistics and with what watches it.

use std::mem::offset_of;

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::{I32, I64};
use cranelift_codegen::ir::{InstBuilder, Value};

use crate::jit::blueprint::names::{PlaceRef, TransitionRef, OWN};
use crate::jit::blueprint::place::{Dependent, Gauge, Moves, Watch};
use crate::jit::blueprint::transition::TransitionPlan;
use crate::jit::emit::emitter::{Emitter, Lost, Source, TokenCount};
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

/// A number changes by so much.
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

/// Where the spells of a number are told: the address of its place or transition, and where that has the integral and the
/// beginning of the last spell.
#[derive(Clone, Copy)]
struct Spells {
    address: Value,
    integral: usize,
    since: usize,
}

impl<'a> Emitter<'a, '_> {
    // ------------------------------------------------------------ numbers and statistics

    /// `Levels::changes`.
    fn lengthen_level(&mut self, place: PlaceRef, tokens: Value) {
        let Some(times) = self.layout.levels_times else { return };
        let times = self.load(I64, self.engine, times);
        let place = self.place_id(place);
        let row = self.row(times, place, 8 * levels::ROW as i64);
        let told = self.load(I64, row, 8 * LEVELS);
        let elapsed = self.b.ins().isub(self.now, told);
        let last = self.int(LEVELS as u64 - 1);
        let level = self.b.ins().umin(tokens, last);
        let entry = self.row(row, level, 8);
        self.add_time(entry, 0, elapsed);
        self.store(self.now, row, 8 * LEVELS);
    }

    fn add_time(&mut self, address: Value, offset: usize, time: Value) {
        let sum = self.load(I64, address, offset);
        let sum = self.b.ins().iadd(sum, time);
        self.store(sum, address, offset);
    }

    /// The time that the busy period of a number has lasted: since it last rose above zero.
    fn spell(&mut self, of: Spells) -> Value {
        let since = self.load(I64, of.address, of.since);
        self.b.ins().isub(self.now, since)
    }

    /// The time of a busy period times the change of the number.
    fn weighted(&mut self, spell: Value, count: TokenCount) -> Value {
        match count {
            TokenCount::Const(1) => spell,
            TokenCount::Const(count) => self.b.ins().imul_imm_s(spell, count as i64),
            TokenCount::Known(count) => self.b.ins().imul(count, spell),
        }
    }

    /// A number that was not zero rises: its integral is less by the time that its spell has lasted.
    fn lessen(&mut self, of: Spells, count: TokenCount) {
        // Of two numbers that are read, an operation can read the last itself.
        let sum = self.load(I64, of.address, of.integral);
        let spell = self.spell(of);
        self.lessen_by(of, sum, spell, count);
    }

    fn lessen_by(&mut self, of: Spells, sum: Value, spell: Value, count: TokenCount) {
        let less = self.weighted(spell, count);
        let sum = self.b.ins().isub(sum, less);
        self.store(sum, of.address, of.integral);
    }

    /// A number falls. Returns the time that its spell has lasted.
    fn lengthen(&mut self, of: Spells, count: TokenCount) -> Value {
        let spell = self.spell(of);
        let more = self.weighted(spell, count);
        self.add_time(of.address, of.integral, more);
        spell
    }

    /// A firing that takes time starts, or ends (`state::Transition::begin` and `end`).
    pub fn in_progress(&mut self, plan: &TransitionPlan, way: Way) {
        let state = self.transition(OWN);
        let of = Spells {
            address: state,
            integral: offset_of!(TransitionCounters, integral),
            since: offset_of!(TransitionCounters, busy_since),
        };
        let (active, now) = (offset_of!(TransitionCounters, active), self.now);
        if plan.takes_turns {
            let number = self.int(u64::from(way == Way::Up));
            self.store(number, state, offset_of!(TransitionCounters, in_progress));
            if way == Way::Up {
                self.store(now, state, of.since);
            } else {
                self.lengthen(of, TokenCount::Const(1));
            }
            return;
        }
        let before = self.load(I64, state, offset_of!(TransitionCounters, in_progress));
        let after = self.b.ins().iadd_imm_s(before, if way == Way::Up { 1 } else { -1 });
        self.store(after, state, offset_of!(TransitionCounters, in_progress));
        let occupancy = plan.activity;
        let (seldom, mostly) = (occupancy == Occupancy::Seldom, occupancy == Occupancy::Mostly);
        if way == Way::Up {
            let more = |s: &mut Self| s.aside(seldom, |s| s.lessen(of, TokenCount::Const(1)));
            self.when_or(before, more, |s| s.aside(mostly, |s| s.store(now, state, of.since)));
        } else {
            let spell = self.lengthen(of, TokenCount::Const(1));
            let idle = self.equals(after, 0);
            self.when(idle, |s| s.aside(mostly, |s| s.add_time(state, active, spell)));
        }
    }

    /// Whether a place has one token at most.
    pub fn holds_one(&self, place: PlaceRef) -> bool {
        self.blueprint[place].holds_one
    }

    /// What a token that comes or goes leads to.
    pub fn moves(&self, place: PlaceRef) -> &'a Moves {
        self.blueprint[place].moves()
    }

    /// Whether a place may have more tokens than at first. If not, there is room for all that come.
    pub fn may_grow(&self, place: PlaceRef) -> bool {
        self.blueprint[place].may_grow
    }

    /// Whether these tokens are all that a place can have, so that it has none before they come, and none after they go.
    fn is_only(&self, place: PlaceRef, count: TokenCount) -> bool {
        self.holds_one(place) && matches!(count, TokenCount::Const(1))
    }

    /// The spells of tokens of a place.
    fn spells(&mut self, place: PlaceRef) -> Spells {
        let address = self.place(place);
        Spells { address, integral: offset_of!(PlaceCounters, integral), since: offset_of!(PlaceCounters, busy_since) }
    }

    /// How many tokens a place has where so many are about to arrive, or to leave.
    pub fn tokens_before(&mut self, place: PlaceRef, count: TokenCount, way: Way) -> Value {
        if self.is_only(place, count) {
            self.int(u64::from(way == Way::Down))
        } else {
            self.tokens(place)
        }
    }

    /// Tokens leave a place, which had more before: `state::Place::lose`, and what watches it. `lost`: where conditions are
    /// noted that the transition loses, if they are told later.
    pub fn lose(&mut self, place: PlaceRef, before: Value, count: TokenCount, mut lost: Option<&mut Lost>) {
        self.lengthen_level(place, before);
        let after = match count {
            TokenCount::Const(count) => self.b.ins().iadd_imm_s(before, -(count as i64)),
            TokenCount::Known(count) => self.b.ins().isub(before, count),
        };
        let of = self.spells(place);
        self.lengthen(of, count);
        self.store(after, of.address, offset_of!(PlaceCounters, tokens));
        let change = Change { before, after, count, way: Way::Down };
        self.moved(&self.moves(place).tokens, Some(place), change, &[], lost.as_deref_mut());
        if let Some(load) = &self.moves(place).load {
            let reserved = self.reserved(place);
            let (before, after) = (self.b.ins().iadd(before, reserved), self.b.ins().iadd(after, reserved));
            self.moved(load, None, Change { before, after, ..change }, &[], lost);
        }
    }

    /// Tokens arrive in a place, which had others before: `state::Place::gain`, and what watches it. `reserved`: room was kept for
    /// them. `arriving` are the values of one that has any.
    pub fn gain(&mut self, place: PlaceRef, before: Value, count: TokenCount, reserved: bool, arriving: &[Source]) {
        let state = self.place(place);
        self.lengthen_level(place, before);
        let (number, after) = match count {
            TokenCount::Const(count) => (self.int(count), self.b.ins().iadd_imm_s(before, count as i64)),
            TokenCount::Known(count) => (count, self.b.ins().iadd(before, count)),
        };
        self.store(after, state, offset_of!(PlaceCounters, tokens));
        let arrivals = self.load(I64, state, offset_of!(PlaceCounters, arrivals));
        let arrivals = self.b.ins().iadd(arrivals, number);
        self.store(arrivals, state, offset_of!(PlaceCounters, arrivals));
        if self.is_only(place, count) {
            self.store(after, state, offset_of!(PlaceCounters, maximum));
        } else {
            let maximum = self.load(I64, state, offset_of!(PlaceCounters, maximum));
            let more = self.b.ins().icmp(IntCC::UnsignedGreaterThan, after, maximum);
            self.when(more, |s| s.aside(true, |s| s.store(after, state, offset_of!(PlaceCounters, maximum))));
        }
        let change = Change { before, after, count, way: Way::Up };
        self.moved(&self.moves(place).tokens, Some(place), change, arriving, None);
        if self.blueprint[place].has_capacity {
            self.fill_room(place, before, after, count, reserved);
        }
    }

    fn reserved(&mut self, place: PlaceRef) -> Value {
        let store = self.store_of(place);
        self.load(I64, store, offset_of!(Store, reserved))
    }

    fn set_reserved(&mut self, place: PlaceRef, reserved: Value) {
        let store = self.store_of(place);
        self.store(reserved, store, offset_of!(Store, reserved));
    }

    /// Reserved room becomes tokens, or else the load grows.
    fn fill_room(&mut self, place: PlaceRef, before: Value, after: Value, count: TokenCount, reserved: bool) {
        let room = self.reserved(place);
        if reserved {
            let count = self.number(count);
            let left = self.b.ins().isub(room, count);
            self.set_reserved(place, left);
            return;
        }
        if let Some(load) = &self.moves(place).load {
            let (before, after) = (self.b.ins().iadd(before, room), self.b.ins().iadd(after, room));
            self.moved(load, None, Change { before, after, count, way: Way::Up }, &[], None);
        }
    }

    /// Keeps room in a place with a capacity for tokens that a firing in progress will deposit.
    pub fn keep_room(&mut self, place: PlaceRef, count: TokenCount) {
        let room = self.reserved(place);
        let number = self.number(count);
        let kept = self.b.ins().iadd(room, number);
        self.set_reserved(place, kept);
        if let Some(load) = &self.moves(place).load {
            let tokens = self.tokens(place);
            let (before, after) = (self.b.ins().iadd(tokens, room), self.b.ins().iadd(tokens, kept));
            self.moved(load, None, Change { before, after, count, way: Way::Up }, &[], None);
        }
    }

    // ------------------------------------------------------------ what watches a number

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
            let id = self.hole(Hole::Word(number));
            self.call(self.runtime.moved, &[self.engine, id, before, after], None);
            return;
        }
        let wavering = place.filter(|place| self.is_unpredictable(*place));
        for group in watches.chunk_by(|a, b| a.threshold == b.threshold) {
            let crossed = self.crossed(group[0].threshold, place, high, count);
            if let (Some(place), Crossed::If(crossed)) = (wavering, crossed) {
                if self.is_single_watch(group) {
                    self.cross_free(crossed, place, change, &group[0], lost.as_deref_mut());
                    continue;
                }
            }
            self.when_turned(crossed, place.filter(|_| group[0].threshold == 1), count, way, |s| {
                let own = |watch: &&Watch| Some(watch.transition) == s.own();
                let (first, others): (Vec<&Watch>, Vec<&Watch>) = group.iter().partition(own);
                for watch in first.into_iter().chain(others) {
                    let dependent = dependents.iter().find(|dependent| dependent.transition == watch.transition);
                    let seen = dependent.and_then(|dependent| s.is_seen(dependent, arriving));
                    s.cross(watch, way, seen, lost.as_deref_mut());
                }
            });
        }
        let own = |dependent: &&Dependent| Some(dependent.transition) == self.own();
        let (first, others): (Vec<&Dependent>, Vec<&Dependent>) = dependents.iter().partition(own);
        for dependent in first.into_iter().chain(others) {
            let seen = self.is_seen(dependent, arriving);
            self.look_again(dependent, before, way, seen);
        }
    }

    /// Emits `then` for when a threshold is crossed. If it is that of a place, which gets its first tokens or loses its last, so
    /// does its spell begin or end; where it does not begin, more tokens come.
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
        let (rises, occupancy) = (way == Way::Up, self.blueprint[place].occupancy);
        let turn = |s: &mut Self| {
            if rises {
                s.store(s.now, of.address, of.since);
            } else if !s.holds_one(place) {
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

    /// The same without a branch, and for one transition that watches the place.
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
            let since = self.load(I64, of.address, of.since);
            let since = self.b.ins().select(crossed, self.now, since);
            self.store(since, of.address, of.since);
            let spell = self.b.ins().isub(self.now, since);
            let sum = self.load(I64, of.address, of.integral);
            self.lessen_by(of, sum, spell, count);
        } else {
            let (spell, zero) = (self.spell(of), self.int(0));
            let spell = self.b.ins().select(crossed, spell, zero);
            self.add_time(of.address, offset_of!(PlaceCounters, nonempty), spell);
        }
        if self.is_told_later(watch, way, Some(crossed), lost) {
            return;
        }
        let Some(member) = self.member(watch.transition) else { return };
        let change = self.b.ins().uextend(I32, crossed);
        if (way == Way::Up) != watch.below {
            let change = self.b.ins().ineg(change);
            let unmet = self.change_unmet(watch.transition, change);
            let all = self.equals(unmet, 0);
            self.include(&member, all);
        } else {
            self.change_unmet(watch.transition, change);
            self.exclude(&member, Some(crossed));
        }
    }

    /// Whether these are all that watch a place for its first token, and need no more than a bit each.
    fn is_single_watch(&self, group: &[Watch]) -> bool {
        let simple = |id: TransitionRef| self.blueprint[id].plain && self.has_member(id);
        matches!(group, [watch] if watch.threshold == 1 && simple(watch.transition))
    }

    /// Whether it needs no branch to tell which of its conditions a transition loses when so many tokens of a place are taken.
    pub fn crosses_freely(&self, id: TransitionRef, place: PlaceRef, count: u64) -> bool {
        let Gauge::Few { watches, .. } = &self.moves(place).tokens else { return false };
        let free = |group: &[Watch]| {
            let concerned = group.iter().any(|watch| watch.transition == id);
            !concerned
                || self.is_only(place, TokenCount::Const(count))
                || self.is_unpredictable(place) && self.is_single_watch(group)
        };
        watches.chunk_by(|a, b| a.threshold == b.threshold).all(free)
    }

    /// Whether a threshold lies above the lower and not above the higher of two numbers that are `count` apart.
    fn crossed(&mut self, threshold: u64, place: Option<PlaceRef>, high: Value, count: TokenCount) -> Crossed {
        if place.is_some_and(|place| self.is_only(place, count)) {
            return if threshold == 1 { Crossed::Always } else { Crossed::Never };
        }
        Crossed::If(match count {
            TokenCount::Const(1) => self.equals(high, threshold),
            count => {
                let distance = self.b.ins().iadd_imm_s(high, (threshold as i64).wrapping_neg());
                let count = self.number(count);
                self.b.ins().icmp(IntCC::UnsignedLessThan, distance, count)
            }
        })
    }
}
