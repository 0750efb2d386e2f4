//! Code for what happens to a place: tokens leave it or arrive, with statistics, watches and stored tokens.

use std::mem::offset_of;

use cranelift_codegen::ir::condcodes::{FloatCC, IntCC};
use cranelift_codegen::ir::types::{F64, I32, I64, I64X2, I8};
use cranelift_codegen::ir::{InstBuilder, MemFlagsData, Type, Value};

use crate::code::emitter::{Emitter, Number};
use crate::code::operand::Operand;
use crate::code::runtime::{Rare, DONE, FAULT};
use crate::ids::{GaugeId, JoinId, PlaceId, TransitionId};
use crate::index::IndexProgram;
use crate::join::{LinkKey, LinkProgram};
use crate::key_table::Extent;
use crate::levels::{self, LEVELS};
use crate::net::Discipline;
use crate::program::{Dependent, Gauge, Watch};
use crate::rank_set::{RankSet, MEDIUM, SMALL};
use crate::state::{Place, Transition};
use crate::store::Store;

/// Beyond so many watches and dependents a gauge is left to the runtime: the code would be long, and seldom in the cache.
const MOST_WATCHES: usize = 24;

/// Whether a gauge is left to the runtime.
pub fn has_many_watches(gauge: &Gauge) -> bool {
    let number = |(first, end): (u32, u32)| (end - first) as usize;
    number(gauge.watches) + number(gauge.dependents) > MOST_WATCHES
}

/// Which way a number of tokens changes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Way {
    Up,
    Down,
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

/// Where a set has the bit of a member: the word's address and an offset, and the bit; and the same of the summary above.
struct Member {
    address: Value,
    offset: usize,
    bit: Value,
    summary: Option<(Value, usize, Value)>,
}

impl<'a> Emitter<'a, '_> {
    // ------------------------------------------------------------ numbers and statistics

    /// `Levels::changes`.
    fn lengthen_level(&mut self, place: PlaceId, tokens: Value) {
        let Some(times) = self.layout.levels_times else { return };
        let times = self.load(I64, self.engine, times);
        let place = self.place_id(place);
        let row = self.row(times, place, 8 * levels::ROW as i64);
        let told = self.load(F64, row, 8 * LEVELS);
        let elapsed = self.b.ins().fsub(self.now, told);
        let last = self.int(LEVELS as u64 - 1);
        let level = self.b.ins().umin(tokens, last);
        let entry = self.row(row, level, 8);
        self.add_time(entry, 0, elapsed);
        self.store(self.now, row, 8 * LEVELS);
    }

    fn add_time(&mut self, address: Value, offset: usize, time: Value) {
        let sum = self.load(F64, address, offset);
        let sum = self.b.ins().fadd(sum, time);
        self.store(sum, address, offset);
    }

    /// The time that the spell of a number has lasted, …
    fn spell(&mut self, of: Spells) -> Value {
        let since = self.load(F64, of.address, of.since);
        self.b.ins().fsub(self.now, since)
    }

    /// … as many times as the number changes by.
    fn weighted(&mut self, spell: Value, count: Number) -> Value {
        let count = match count {
            Number::Const(1) => return spell,
            Number::Const(count) => self.real(count as f64),
            Number::Known(count) => self.b.ins().fcvt_from_sint(F64, count),
        };
        self.b.ins().fmul(count, spell)
    }

    /// A number that was not zero rises: its integral is less by the time that its spell has lasted.
    fn lessen(&mut self, of: Spells, count: Number) {
        let spell = self.spell(of);
        self.lessen_by(of, spell, count);
    }

    fn lessen_by(&mut self, of: Spells, spell: Value, count: Number) {
        let less = self.weighted(spell, count);
        let sum = self.load(F64, of.address, of.integral);
        let sum = self.b.ins().fsub(sum, less);
        self.store(sum, of.address, of.integral);
    }

    /// A number falls. Returns the time that its spell has lasted.
    fn lengthen(&mut self, of: Spells, count: Number) -> Value {
        let spell = self.spell(of);
        let more = self.weighted(spell, count);
        self.add_time(of.address, of.integral, more);
        spell
    }

    /// A firing that takes time starts, or ends (`state::Transition::begin` and `end`).
    pub fn in_progress(&mut self, transition: TransitionId, way: Way) {
        let state = self.transition(transition);
        let of = Spells {
            address: state,
            integral: offset_of!(Transition, integral),
            since: offset_of!(Transition, busy_since),
        };
        let (active, now) = (offset_of!(Transition, active), self.now);
        if self.program.transitions[transition].takes_turns {
            let number = self.int(u64::from(way == Way::Up));
            self.store(number, state, offset_of!(Transition, in_progress));
            if way == Way::Up {
                self.store(now, state, of.since);
            } else {
                let spell = self.lengthen(of, Number::Const(1));
                self.add_time(state, active, spell);
            }
            return;
        }
        let before = self.load(I64, state, offset_of!(Transition, in_progress));
        let after = self.b.ins().iadd_imm_s(before, if way == Way::Up { 1 } else { -1 });
        self.store(after, state, offset_of!(Transition, in_progress));
        if way == Way::Up {
            self.when_or(before, |s| s.lessen(of, Number::Const(1)), |s| s.store(now, state, of.since));
        } else {
            let spell = self.lengthen(of, Number::Const(1));
            let idle = self.equals(after, 0);
            self.when(idle, |s| s.add_time(state, active, spell));
        }
    }

    /// Whether a place has one token at most.
    pub fn holds_one(&self, place: PlaceId) -> bool {
        self.program.places[place].most == Some(1)
    }

    /// Whether a place may have more tokens than at first. If not, there is room for all that come.
    pub fn may_grow(&self, place: PlaceId) -> bool {
        self.program.places[place].most.is_none()
    }

    /// Whether these tokens are all that a place can have, so that it has none before they come, and none after they go.
    fn is_only(&self, place: PlaceId, count: Number) -> bool {
        self.holds_one(place) && matches!(count, Number::Const(1))
    }

    /// The spells of tokens of a place.
    fn spells(&mut self, place: PlaceId) -> Spells {
        let address = self.place(place);
        Spells { address, integral: offset_of!(Place, integral), since: offset_of!(Place, busy_since) }
    }

    /// Tokens leave a place: `state::Place::lose`, and what watches it.
    pub fn lose(&mut self, place: PlaceId, count: Number) {
        let before = if self.is_only(place, count) { self.int(1) } else { self.tokens(place) };
        self.lengthen_level(place, before);
        let after = match count {
            Number::Const(count) => self.b.ins().iadd_imm_s(before, -(count as i64)),
            Number::Known(count) => self.b.ins().isub(before, count),
        };
        let of = self.spells(place);
        self.lengthen(of, count);
        self.store(after, of.address, offset_of!(Place, tokens));
        self.moved(GaugeId::tokens(place), before, after, count, Way::Down);
        let load = self.program.gauges[GaugeId::tokens(place)].load;
        if load != GaugeId::NONE {
            let reserved = self.reserved(place);
            let (before, after) = (self.b.ins().iadd(before, reserved), self.b.ins().iadd(after, reserved));
            self.moved(load, before, after, count, Way::Down);
        }
    }

    /// Tokens arrive in a place: `state::Place::gain`, and what watches it. `reserved`: room was kept for them.
    pub fn gain(&mut self, place: PlaceId, count: Number, reserved: bool) -> Value {
        let state = self.place(place);
        let before = if self.is_only(place, count) { self.int(0) } else { self.tokens(place) };
        self.lengthen_level(place, before);
        let (number, after) = match count {
            Number::Const(count) => (self.int(count), self.b.ins().iadd_imm_s(before, count as i64)),
            Number::Known(count) => (count, self.b.ins().iadd(before, count)),
        };
        self.store(after, state, offset_of!(Place, tokens));
        let arrivals = self.load(I64, state, offset_of!(Place, arrivals));
        let arrivals = self.b.ins().iadd(arrivals, number);
        self.store(arrivals, state, offset_of!(Place, arrivals));
        if self.is_only(place, count) {
            self.store(after, state, offset_of!(Place, maximum));
        } else {
            let maximum = self.load(I64, state, offset_of!(Place, maximum));
            let more = self.b.ins().icmp(IntCC::UnsignedGreaterThan, after, maximum);
            self.when(more, |s| {
                s.b.current_block().into_iter().for_each(|block| s.b.set_cold_block(block));
                s.store(after, state, offset_of!(Place, maximum));
            });
        }
        self.moved(GaugeId::tokens(place), before, after, count, Way::Up);
        if self.program.places[place].capacity.is_some() {
            self.fill_room(place, before, after, count, reserved);
        }
        before
    }

    fn reserved(&mut self, place: PlaceId) -> Value {
        let state = self.place(place);
        self.load(I64, state, offset_of!(Place, reserved))
    }

    fn set_reserved(&mut self, place: PlaceId, reserved: Value) {
        let state = self.place(place);
        self.store(reserved, state, offset_of!(Place, reserved));
    }

    /// Reserved room becomes tokens, or else the load grows.
    fn fill_room(&mut self, place: PlaceId, before: Value, after: Value, count: Number, reserved: bool) {
        let room = self.reserved(place);
        if reserved {
            let count = self.number(count);
            let left = self.b.ins().isub(room, count);
            self.set_reserved(place, left);
            return;
        }
        let load = self.program.gauges[GaugeId::tokens(place)].load;
        if load != GaugeId::NONE {
            let (before, after) = (self.b.ins().iadd(before, room), self.b.ins().iadd(after, room));
            self.moved(load, before, after, count, Way::Up);
        }
    }

    /// Keeps room in a place with a capacity for tokens that a firing in progress will deposit.
    pub fn keep_room(&mut self, place: PlaceId, count: Number) {
        let room = self.reserved(place);
        let number = self.number(count);
        let kept = self.b.ins().iadd(room, number);
        self.set_reserved(place, kept);
        let load = self.program.gauges[GaugeId::tokens(place)].load;
        if load != GaugeId::NONE {
            let tokens = self.tokens(place);
            let (before, after) = (self.b.ins().iadd(tokens, room), self.b.ins().iadd(tokens, kept));
            self.moved(load, before, after, count, Way::Up);
        }
    }

    // ------------------------------------------------------------ what watches a number

    /// `Enabling::moved`. The number of tokens of a place also has a time above zero.
    fn moved(&mut self, gauge: GaugeId, before: Value, after: Value, count: Number, way: Way) {
        let program = self.program;
        let entry = &program.gauges[gauge];
        let (watches, dependents) = program.watching(entry);
        let high = if way == Way::Up { after } else { before };
        let place = (gauge.at() < program.places.len()).then_some(PlaceId(gauge.0));
        let many = has_many_watches(entry);
        let watches = if many { &[] } else { watches };
        if let Some(place) = place.filter(|_| watches.iter().all(|watch| watch.threshold != 1)) {
            let crossed = self.crossed(1, Some(place), high, count);
            self.when_turned(crossed, Some(place), count, way, |_| {});
        }
        if many {
            let id = self.operand(Operand::Word(u64::from(gauge.0)));
            self.call(self.runtime.moved, &[self.engine, id, before, after], None);
            return;
        }
        let wavering = place.filter(|place| self.wavers(*place));
        for group in watches.chunk_by(|a, b| a.threshold == b.threshold) {
            let crossed = self.crossed(group[0].threshold, place, high, count);
            if let ([watch], Some(place), Crossed::If(crossed), 1) = (group, wavering, crossed, group[0].threshold) {
                let member = program.transitions[watch.transition].plain.then(|| self.member(watch.transition));
                if let Some(member) = member.flatten() {
                    self.cross_free(crossed, place, count, watch, &member, way);
                    continue;
                }
            }
            self.when_turned(crossed, place.filter(|_| group[0].threshold == 1), count, way, |s| {
                let own = |watch: &&Watch| Some(watch.transition) == s.own;
                let (first, others): (Vec<&Watch>, Vec<&Watch>) = group.iter().partition(own);
                first.into_iter().chain(others).for_each(|watch| s.cross(watch, way));
            });
        }
        for dependent in dependents {
            self.look_again(dependent, before, way);
        }
    }

    /// Emits `then` for when a threshold is crossed. If it is that of a place, which gets its first tokens or loses its last, so
    /// does its spell begin or end; where it does not begin, more tokens come.
    fn when_turned(
        &mut self,
        crossed: Crossed,
        place: Option<PlaceId>,
        count: Number,
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
        let rises = way == Way::Up;
        let turned = |s: &mut Self| {
            if rises {
                s.store(s.now, of.address, of.since);
            } else {
                let spell = s.spell(of);
                s.add_time(of.address, offset_of!(Place, nonempty), spell);
            }
            then(s);
        };
        match crossed {
            Crossed::Always => turned(self),
            Crossed::Never => {}
            Crossed::If(crossed) if rises => self.when_or(crossed, turned, |s| s.lessen(of, count)),
            Crossed::If(crossed) => self.when(crossed, turned),
        }
    }

    /// The same without a branch, and for one transition that watches the place.
    fn cross_free(&mut self, crossed: Value, place: PlaceId, count: Number, watch: &Watch, member: &Member, way: Way) {
        let of = self.spells(place);
        let bits = |s: &mut Self, time: Value| s.b.ins().bitcast(I64, MemFlagsData::new(), time);
        if way == Way::Up {
            let (since, now) = (self.load(I64, of.address, of.since), bits(self, self.now));
            let since = self.b.ins().select(crossed, now, since);
            self.store(since, of.address, of.since);
            let since = self.b.ins().bitcast(F64, MemFlagsData::new(), since);
            let spell = self.b.ins().fsub(self.now, since);
            self.lessen_by(of, spell, count);
        } else {
            let spell = self.spell(of);
            let (spell, zero) = (bits(self, spell), self.int(0));
            let spell = self.b.ins().select(crossed, spell, zero);
            let spell = self.b.ins().bitcast(F64, MemFlagsData::new(), spell);
            self.add_time(of.address, offset_of!(Place, nonempty), spell);
        }
        let change = self.b.ins().uextend(I32, crossed);
        if (way == Way::Up) != watch.below {
            let change = self.b.ins().ineg(change);
            let unmet = self.change_unmet(watch.transition, change);
            let all = self.equals(unmet, 0);
            self.include(member, all);
        } else {
            self.change_unmet(watch.transition, change);
            self.exclude(member, Some(crossed));
        }
    }

    /// Whether a threshold lies above the lower and not above the higher of two numbers that are `count` apart.
    fn crossed(&mut self, threshold: u64, place: Option<PlaceId>, high: Value, count: Number) -> Crossed {
        if place.is_some_and(|place| self.is_only(place, count)) {
            return if threshold == 1 { Crossed::Always } else { Crossed::Never };
        }
        Crossed::If(match count {
            Number::Const(1) => self.equals(high, threshold),
            count => {
                let distance = self.b.ins().iadd_imm_s(high, (threshold as i64).wrapping_neg());
                let count = self.number(count);
                self.b.ins().icmp(IntCC::UnsignedLessThan, distance, count)
            }
        })
    }

    fn cross(&mut self, watch: &Watch, way: Way) {
        if (way == Way::Up) != watch.below {
            self.met(watch.transition);
        } else {
            self.violated(watch.transition);
        }
    }

    fn change_unmet(&mut self, transition: TransitionId, change: Value) -> Value {
        let state = self.transition(transition);
        let unmet = self.load(I32, state, offset_of!(Transition, unmet));
        let unmet = self.b.ins().iadd(unmet, change);
        self.store(unmet, state, offset_of!(Transition, unmet));
        unmet
    }

    pub fn met(&mut self, transition: TransitionId) {
        let one = self.b.ins().iconst(I32, -1);
        let unmet = self.change_unmet(transition, one);
        let all = self.equals(unmet, 0);
        if !self.program.transitions[transition].plain {
            self.when(all, |s| s.touch(transition));
        } else if let Some(member) = self.member(transition) {
            // Whether this was the last condition can seldom be foreseen.
            self.include(&member, all);
        } else {
            self.when(all, |s| s.tell_enabled(transition, true));
        }
    }

    pub fn violated(&mut self, transition: TransitionId) {
        let one = self.b.ins().iconst(I32, 1);
        let unmet = self.change_unmet(transition, one);
        if let Some(member) = self.member(transition) {
            self.exclude(&member, None);
        } else {
            let first = self.equals(unmet, 1);
            self.when(first, |s| s.tell_enabled(transition, false));
        }
    }

    // ------------------------------------------------------------ sets of enabled transitions

    /// Where the set of enabled transitions has a transition, unless it is a large one.
    fn member(&mut self, transition: TransitionId) -> Option<Member> {
        let plan = &self.program.transitions[transition];
        let level = plan.level;
        let size = self.program.levels[level as usize].transitions.len();
        if size > MEDIUM {
            return None;
        }
        let (sets, offset) = self.enabled(level);
        let bit = self.operand(Operand::Bit(transition));
        if size <= SMALL {
            return Some(Member { address: sets, offset, bit, summary: None });
        }
        let words = self.load(I64, sets, offset - offset_of!(RankSet, word) + RankSet::WORDS);
        let word = self.operand(Operand::WordOffset(transition));
        let address = self.b.ins().iadd(words, word);
        let above = self.operand(Operand::WordBit(transition));
        Some(Member { address, offset: 0, bit, summary: Some((sets, offset, above)) })
    }

    /// A transition is in the set if a condition holds, or it has been before.
    fn include(&mut self, member: &Member, condition: Value) {
        let add = |s: &mut Self, address, offset, bit| {
            let none = s.int(0);
            let bit = s.b.ins().select(condition, bit, none);
            let word = s.load(I64, address, offset);
            let word = s.b.ins().bor(word, bit);
            s.store(word, address, offset);
        };
        add(self, member.address, member.offset, member.bit);
        if let Some((set, offset, bit)) = member.summary {
            add(self, set, offset, bit);
        }
    }

    /// A transition is not in the set, if a condition holds.
    fn exclude(&mut self, member: &Member, condition: Option<Value>) {
        let remove = |s: &mut Self, address, offset, bit, condition: Option<Value>| {
            let none = s.int(0);
            let bit = condition.map_or(bit, |condition| s.b.ins().select(condition, bit, none));
            let word = s.load(I64, address, offset);
            let word = s.b.ins().band_not(word, bit);
            s.store(word, address, offset);
            word
        };
        let word = remove(self, member.address, member.offset, member.bit, condition);
        if let Some((set, offset, bit)) = member.summary {
            let empty = self.equals(word, 0);
            remove(self, set, offset, bit, Some(empty));
        }
    }

    fn tell_enabled(&mut self, transition: TransitionId, enabled: bool) {
        let (id, enabled) = (self.transition_id(transition), self.int(u64::from(enabled)));
        self.call(self.runtime.set_enabled, &[self.engine, id, enabled], None);
    }

    fn look_again(&mut self, dependent: &Dependent, before: Value, way: Way) {
        if way == Way::Down || dependent.depth == u64::MAX {
            self.touch(dependent.transition);
        } else {
            let seen = self.b.ins().icmp_imm_u(IntCC::UnsignedLessThan, before, dependent.depth as i64);
            self.when(seen, |s| s.touch(dependent.transition));
        }
    }

    /// `Enabling::touch`.
    fn touch(&mut self, transition: TransitionId) {
        let state = self.transition(transition);
        let unmet = self.load(I32, state, offset_of!(Transition, unmet));
        let listed = self.load(I8, state, offset_of!(Transition, listed));
        let listed = self.b.ins().uextend(I32, listed);
        let either = self.b.ins().bor(unmet, listed);
        let fresh = self.equals(either, 0);
        self.when(fresh, |s| {
            let yes = s.b.ins().iconst(I8, 1);
            s.store(yes, state, offset_of!(Transition, listed));
            let len = s.load(I64, s.engine, s.layout.listed);
            let list = s.table(s.layout.list);
            let offset = s.b.ins().ishl_imm_s(len, 2);
            let end = s.b.ins().iadd(list, offset);
            let id = s.transition_id(transition);
            s.store_half(id, end, 0);
            let len = s.b.ins().iadd_imm_s(len, 1);
            s.store(len, s.engine, s.layout.listed);
        });
    }

    // ------------------------------------------------------------ stored tokens

    /// Whether tokens of the place are known to indices or joins.
    fn entered(&self, place: PlaceId) -> bool {
        let place = &self.program.places[place];
        !place.indices.is_empty() || !place.pivots.is_empty()
    }

    /// The address of the token that a place which is no bag shows at a position.
    pub fn shown(&mut self, place: PlaceId, position: usize) -> Value {
        match self.program.places[place].discipline {
            Discipline::Fifo => {
                let behind = self.int(position as u64);
                let seat = self.ring_seat(place, behind);
                self.seat(place, seat)
            }
            Discipline::Lifo => {
                let tokens = self.tokens(place);
                let seat = self.b.ins().iadd_imm_s(tokens, -(position as i64) - 1);
                self.seat(place, seat)
            }
            Discipline::Bag | Discipline::Key => {
                let (id, position) = (self.place_id(place), self.int(position as u64));
                let token = self.call(self.runtime.shown, &[self.engine, id, position], Some(I64));
                token.unwrap_or(position)
            }
        }
    }

    /// The coloured token at a position leaves.
    pub fn take_token(&mut self, place: PlaceId, position: Number) {
        let id = self.place_id(place);
        if self.entered(place) {
            let position = self.number(position);
            self.leave_indices(place, position);
        }
        match (self.program.places[place].discipline, position) {
            (Discipline::Bag, _) if self.holds_one(place) => {}
            (Discipline::Bag, _) => {
                let position = self.number(position);
                self.fill_seat(place, position);
            }
            (Discipline::Fifo, Number::Const(0)) => {
                let one = self.int(1);
                let head = self.ring_seat(place, one);
                let store = self.store_of(place);
                self.store(head, store, offset_of!(Store, head));
            }
            (Discipline::Lifo, Number::Const(0)) => {}
            _ => {
                let position = self.number(position);
                self.call(self.runtime.remove, &[self.engine, id, position], None);
            }
        }
        self.lose(place, Number::Const(1));
    }

    /// The last token of a bag moves into a seat.
    fn fill_seat(&mut self, place: PlaceId, seat: Value) {
        let tokens = self.tokens(place);
        let last = self.b.ins().iadd_imm_s(tokens, -1);
        let (from, to) = (self.seat(place, last), self.seat(place, seat));
        self.copy(from, to, self.program.places[place].width);
    }

    /// Copies so many words, two at a time. They may be the same.
    fn copy(&mut self, from: Value, to: Value, words: usize) {
        let flags = MemFlagsData::new().with_notrap();
        let pieces: Vec<(usize, Type)> =
            (0..words).step_by(2).map(|i| (8 * i, if i + 1 < words { I64X2 } else { I64 })).collect();
        let values: Vec<Value> =
            pieces.iter().map(|&(offset, ty)| self.b.ins().load(ty, flags, from, offset as i32)).collect();
        for ((offset, _), value) in pieces.into_iter().zip(values) {
            self.b.ins().store(flags, value, to, offset as i32);
        }
    }

    /// One coloured token arrives. `slots` are its values; `address` is where they stand, if they stand anywhere.
    pub fn give_token(&mut self, place: PlaceId, slots: &[Value], address: Value, reserved: bool) {
        let id = self.place_id(place);
        if self.program.places[place].discipline == Discipline::Key {
            self.call(self.runtime.push, &[self.engine, id, address], None);
        } else {
            let tokens = if self.holds_one(place) { self.int(0) } else { self.tokens(place) };
            if self.may_grow(place) {
                let store = self.store_of(place);
                let mask = self.load(I64, store, offset_of!(Store, mask));
                let full = self.b.ins().icmp(IntCC::UnsignedGreaterThan, tokens, mask);
                self.when(full, |s| s.call_rarely(Rare::Grow, &[id]));
            }
            let seat = match self.program.places[place].discipline {
                Discipline::Fifo => self.ring_seat(place, tokens),
                _ => tokens,
            };
            let to = self.seat(place, seat);
            for (i, &slot) in slots.iter().enumerate() {
                self.store(slot, to, 8 * i);
            }
        }
        let before = self.gain(place, Number::Const(1), reserved);
        if self.enters_by_group(place) {
            self.enter_groups(place, slots);
        } else if self.entered(place) {
            self.call(self.runtime.enter, &[self.engine, id, address, before], None);
        }
    }

    /// The token in a seat of a bag, or at a position, leaves indices and joins.
    fn leave_indices(&mut self, place: PlaceId, position: Value) {
        let program = self.program;
        let plan = &program.places[place];
        if plan.discipline != Discipline::Bag {
            let id = self.place_id(place);
            self.call(self.runtime.leave, &[self.engine, id, position], None);
            return;
        }
        for &id in &plan.pivots {
            self.leave_pivot(id, position);
        }
        for &id in &plan.indices {
            self.leave_index(id, position);
        }
    }

    /// A token has come to the end of a bag whose indices and joins know it by groups.
    fn enter_groups(&mut self, place: PlaceId, slots: &[Value]) {
        let program = self.program;
        let plan = &program.places[place];
        for &id in &plan.indices {
            let index = &program.indices[id];
            let group = self.group(index, &index.slots, slots, |_, _| true);
            self.enter_index(id, group);
        }
        for &id in &plan.pivots {
            let Some((link, key)) = self.only_link(id) else { continue };
            let holds = |extent: &Extent, slot: u32| extent.holds(&plan.bounds[slot as usize]);
            let group = self.group(&program.indices[link.index], key, slots, holds);
            self.enter_pivot(id, link, group);
        }
    }

    /// The group of the key that stands in some slots of a token, where groups are numbered directly. `holds` tells whether
    /// no value of a slot can lie outside.
    pub fn group(
        &mut self,
        index: &IndexProgram,
        key: &[u32],
        slots: &[Value],
        holds: impl Fn(&Extent, u32) -> bool,
    ) -> Value {
        let mut group = self.int(0);
        let mut inside = None;
        let extents = index.extents.as_deref().unwrap_or(&[]);
        for (extent, &slot) in extents.iter().zip(key) {
            let offset = self.b.ins().iadd_imm_s(slots[slot as usize], extent.low.wrapping_neg());
            if !holds(extent, slot) {
                let fits = self.b.ins().icmp_imm_u(IntCC::UnsignedLessThan, offset, extent.size as i64);
                inside = Some(inside.map_or(fits, |inside| self.b.ins().band(inside, fits)));
            }
            group = self.b.ins().imul_imm_s(group, extent.size as i64);
            group = self.b.ins().iadd(group, offset);
        }
        let Some(inside) = inside else { return group };
        let outside = self.int(index.outside() as u64);
        self.b.ins().select(inside, group, outside)
    }

    /// The link of a join that has only one, and the slots of its key, if it is keyed by slots, without a filter, and groups
    /// are numbered directly.
    pub fn only_link(&self, id: JoinId) -> Option<(&'a LinkProgram, &'a [u32])> {
        let program = self.program;
        let join = &program.joins[id.at()];
        match join.links.as_slice() {
            [link @ LinkProgram { key: LinkKey::Slots(slots), .. }] if join.filter.is_none() => {
                program.indices[link.index].extents.as_ref().map(|_| (link, &slots[..]))
            }
            _ => None,
        }
    }

    /// Whether indices and joins ask for no more of an arriving token than the groups of its keys.
    fn enters_by_group(&self, place: PlaceId) -> bool {
        let plan = &self.program.places[place];
        self.entered(place)
            && plan.discipline == Discipline::Bag
            && plan.indices.iter().all(|id| self.program.indices[*id].extents.is_some())
            && plan.pivots.iter().all(|id| self.only_link(*id).is_some())
    }

    /// Whether a token that arrives in the place must stand in memory.
    pub fn reads_memory(&self, place: PlaceId) -> bool {
        let enters = self.entered(place) && !self.enters_by_group(place);
        enters || self.is_probed(place) || self.program.places[place].discipline == Discipline::Key
    }

    /// Whether probes want to know of arrivals in a place.
    pub fn is_probed(&self, place: PlaceId) -> bool {
        self.program.probes.hears_arrivals(place)
    }

    /// Tells the probes of tokens of one value that have arrived.
    pub fn tell_arrival(&mut self, place: PlaceId, count: Value, address: Value) {
        let id = self.place_id(place);
        let status = self.call(self.runtime.arrived, &[self.engine, id, count, address], Some(I64));
        self.leave_on_fault(status);
    }

    /// Leaves with a fault where a call has met one.
    pub fn leave_on_fault(&mut self, status: Option<Value>) {
        let Some(status) = status else { return };
        let fault = self.b.create_block();
        self.b.set_cold_block(fault);
        let done = self.equals(status, DONE);
        self.unless(done, fault);
        let here = self.b.current_block();
        self.b.switch_to_block(fault);
        self.leave(FAULT);
        here.into_iter().for_each(|here| self.b.switch_to_block(here));
    }

    /// Whether a real is finite.
    pub fn is_finite(&mut self, value: Value) -> Value {
        let magnitude = self.b.ins().fabs(value);
        let infinity = self.real(f64::INFINITY);
        self.b.ins().fcmp(FloatCC::LessThan, magnitude, infinity)
    }
}
