//! Code for places with `per`: their lines, and the fronts that show the first token of each (`Lines`).
//!
//! A front is a bag, so its tokens come and go as those of any bag. The code keeps queues whose lines are numbered directly; the
//! runtime keeps the order in others. The routines are those of places, as fronts have many neighbours, and many transitions move
//! their tokens.

use std::mem::size_of;

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::I64;
use cranelift_codegen::ir::{InstBuilder, Value};
use cranelift_frontend::Switch;

use crate::collections::key_table::groups;
use crate::engine::code::DONE;
use crate::jit::blueprint::names::PlaceRef;
use crate::jit::blueprint::place::{Fronted, KeySlot, Shown};
use crate::jit::emit::emitter::{Source, TokenCount, Writer, LEAF};
use crate::jit::emit::output::Given;
use crate::jit::emit::place::Way;
use crate::jit::emit::slots::slots_at;
use crate::jit::emit::subjects::{LineCode, Subjects};
use crate::jit::holes::Hole;
use crate::jit::runtime::Rare;
use crate::state::lines::{Lines, NONE};

impl LineCode<'_, '_, '_> {
    // ------------------------------------------------------------ room

    /// The lines of a place, where they are numbered directly.
    fn lines(&mut self, place: PlaceRef) -> Option<Value> {
        let plan = self.e.blueprint[place].lines.as_ref().filter(|plan| plan.extents.is_some())?;
        let (all, at) = (self.e.table(self.e.layout.lines), self.e.hole(Hole::Word(plan.at)));
        Some(self.e.b.ins().iadd(all, at))
    }

    /// The number of the line of a key, where lines are numbered directly. `inside`: the key lies in the ranges.
    fn number(&mut self, place: PlaceRef, key: &[Source], inside: bool) -> Option<Value> {
        let extents = self.e.blueprint[place].lines.as_ref()?.extents.as_deref()?;
        let slots: Vec<KeySlot> = (0..key.len() as u32).map(|slot| KeySlot { slot, inside }).collect();
        Some(self.tokens().group_in(extents, groups(extents) - 1, &slots, key))
    }

    /// The record of a line.
    fn record(&mut self, lines: Value, number: Value) -> Value {
        let records = self.e.load_lasting(lines, Lines::RECORDS);
        self.e.row(records, number, Lines::RECORD as i64)
    }

    /// The record of the line of a key, where lines are numbered directly.
    fn line(&mut self, place: PlaceRef, key: &[Source], inside: bool) -> Option<Value> {
        let (number, lines) = (self.number(place, key, inside)?, self.lines(place)?);
        Some(self.record(lines, number))
    }

    /// The values of a token that tell lines apart.
    fn key_of(&self, place: PlaceRef, slots: &[Source]) -> Vec<Source> {
        let plan = self.e.blueprint[place].lines.as_ref();
        plan.map_or(Vec::new(), |plan| plan.slots.iter().map(|&slot| slots[slot as usize]).collect())
    }

    /// The tokens in the line of a key, and those that firings in progress will give to it.
    pub fn load(&mut self, place: PlaceRef, key: &[Source]) -> Value {
        if let Some(line) = self.line(place, key, false) {
            let [count, reserved] = [Lines::COUNT, Lines::RESERVED].map(|offset| self.e.load_half(line, offset));
            return self.e.b.ins().iadd(count, reserved);
        }
        let (place, key) = (self.e.place_id(place), self.slots().spill(key));
        self.e.call(self.e.runtime.load_of_line, &[self.e.engine, place, key], Some(I64)).unwrap_or(place)
    }

    /// Keeps room in the line of tokens that a firing in progress will deposit. Returns false, and does nothing, where the runtime has
    /// to look for the line.
    pub fn keep_room(&mut self, place: PlaceRef, given: &Given) -> bool {
        let key = self.key_of(place, &given.slots);
        // The values of tokens that are not given may lie anywhere.
        let inside = matches!(given.count, TokenCount::Const(_));
        let Some(line) = self.line(place, &key, inside) else { return false };
        let (reserved, count) = (self.e.load_half(line, Lines::RESERVED), self.e.number(given.count));
        let reserved = self.e.b.ins().iadd(reserved, count);
        self.e.store_half(reserved, line, Lines::RESERVED);
        self.places().keep_room(place, given.count);
        true
    }

    // ------------------------------------------------------------ tokens

    /// A token arrives in a place with `per`, apart from what this changes in the place itself.
    pub fn line_up(&mut self, plan: &Fronted, address: Value, reserved: bool) {
        let slots = slots_at(address, self.e.blueprint[plan.place].width);
        let key = self.key_of(plan.place, &slots);
        let (lines, number) = (self.lines(plan.place), self.number(plan.place, &key, true));
        if let (Some(lines), Some(number)) = (lines, number) {
            return self.join(plan, [lines, number], address, reserved);
        }
        let (place, reserved) = (self.e.place_id(plan.place), self.e.int(u64::from(reserved)));
        let arguments = [self.e.engine, place, address, reserved];
        let Some(first) = self.e.call(self.e.runtime.line_up, &arguments, Some(I64)) else { return };
        self.when(first, |s| s.show(plan, address));
    }

    /// A token joins the line with this number (`Lines::arrives`).
    fn join(&mut self, plan: &Fronted, [lines, number]: [Value; 2], address: Value, reserved: bool) {
        let (line, node) = (self.record(lines, number), self.new_node(plan.place, lines, address));
        self.change_half(line, Lines::COUNT, 1);
        if reserved && self.e.blueprint[plan.place].has_capacity {
            self.change_half(line, Lines::RESERVED, -1);
        }
        let root = self.e.load_half(line, Lines::ROOT);
        let is_first = self.e.equals(root, NONE.into());
        let first = |s: &mut Self| {
            let own = s.node(lines, node);
            s.e.store_half(node, own, Lines::CHILD);
            s.e.store_half(node, line, Lines::ROOT);
            s.seat(lines, number);
            s.show(plan, address);
        };
        self.when_or(is_first, first, |s| {
            let root = s.node(lines, root);
            let last = s.e.load_half(root, Lines::CHILD);
            s.e.store_half(node, root, Lines::CHILD);
            let last = s.node(lines, last);
            s.e.store_half(node, last, Lines::NEXT);
        });
    }

    /// A node with a token that is the last one of a queue.
    fn new_node(&mut self, place: PlaceRef, lines: Value, address: Value) -> Value {
        let (free, id) = (self.e.load_half(lines, Lines::FREE), self.e.place_id(place));
        let none = self.e.equals(free, NONE.into());
        self.when(none, |s| s.e.call_rarely(Rare::LengthenLines, &[id]));
        let number = self.e.load_half(lines, Lines::FREE);
        let node = self.node(lines, number);
        let next = self.e.load_half(node, Lines::NEXT);
        self.e.store_half(next, lines, Lines::FREE);
        let none = self.e.int(NONE.into());
        self.e.store_half(none, node, Lines::NEXT);
        let arrival = self.e.load(I64, lines, Lines::ARRIVALS);
        self.e.store(arrival, node, Lines::ARRIVAL);
        let arrivals = self.e.b.ins().iadd_imm_s(arrival, 1);
        self.e.store(arrivals, lines, Lines::ARRIVALS);
        let to = self.token(place, lines, number);
        let slots = slots_at(address, self.e.blueprint[place].width);
        self.slots().store(&slots, to, 0);
        number
    }

    fn node(&mut self, lines: Value, number: Value) -> Value {
        let nodes = self.e.load(I64, lines, Lines::NODES);
        self.e.row(nodes, number, Lines::NODE as i64)
    }

    /// Where the token of a node is.
    fn token(&mut self, place: PlaceRef, lines: Value, number: Value) -> Value {
        let tokens = self.e.load(I64, lines, Lines::TOKENS);
        self.e.row(tokens, number, 8 * self.e.blueprint[place].width as i64)
    }

    /// The first token of a line is at the end of the front (`Lines::show`).
    fn seat(&mut self, lines: Value, number: Value) {
        let line = self.record(lines, number);
        let seat = self.e.load(I64, lines, Lines::SEATED);
        self.e.store_half(seat, line, Lines::SEAT);
        let entry = self.seated(lines, seat);
        self.e.store_half(number, entry, 0);
        let seats = self.e.b.ins().iadd_imm_s(seat, 1);
        self.e.store(seats, lines, Lines::SEATED);
    }

    /// Where the number of the line in a seat is.
    fn seated(&mut self, lines: Value, seat: Value) -> Value {
        let seats = self.e.load(I64, lines, Lines::SEATS);
        self.e.row(seats, seat, size_of::<u32>() as i64)
    }

    fn change_half(&mut self, address: Value, offset: usize, change: i64) {
        let number = self.e.load_half(address, offset);
        let number = self.e.b.ins().iadd_imm_s(number, change);
        self.e.store_half(number, address, offset);
    }

    /// Calls what makes the token in a seat of a front leave, given the number of the front.
    pub fn depart(&mut self, front: Value, seat: Value) {
        let routines = self.places().routines(front);
        self.e.call_routine(LEAF, routines, 0, &[seat]);
    }

    /// A function by which the token in a seat of a front, its last parameter, leaves the place that it belongs to.
    pub fn departs(&mut self, plan: &Fronted) {
        let (id, seat) = (self.e.place_id(plan.front), self.e.parameter(2));
        let next = match self.lines(plan.place) {
            Some(lines) => self.step_up(plan, lines, seat),
            None => self.e.call(self.e.runtime.step_up, &[self.e.engine, id, seat], Some(I64)).unwrap_or(seat),
        };
        let before = self.places().tokens_before(plan.place, TokenCount::Const(1), Way::Down);
        self.places().lose(plan.place, before, TokenCount::Const(1), None);
        if let Some(shown) = &plan.shown {
            let token = self.e.seat(plan.front, seat);
            self.shows(shown, token, Way::Down);
        }
        self.tokens().take(plan.front, TokenCount::Known(seat), None);
        self.when(next, |s| s.show(plan, next));
        self.e.leave(DONE);
    }

    /// The token in a seat of a front leaves its line, and the next one gets the last seat (`Lines::leaves`). Returns where that one
    /// is, or 0.
    fn step_up(&mut self, plan: &Fronted, lines: Value, seat: Value) -> Value {
        let entry = self.seated(lines, seat);
        let number = self.e.load_half(entry, 0);
        self.hide(lines, seat, entry);
        let line = self.record(lines, number);
        self.change_half(line, Lines::COUNT, -1);
        let root = self.e.load_half(line, Lines::ROOT);
        let node = self.node(lines, root);
        let [next, last] = [Lines::NEXT, Lines::CHILD].map(|offset| self.e.load_half(node, offset));
        self.e.store_half(next, line, Lines::ROOT);
        let free = self.e.load_half(lines, Lines::FREE);
        self.e.store_half(free, node, Lines::NEXT);
        self.e.store_half(root, lines, Lines::FREE);
        let none = self.e.equals(next, NONE.into());
        let no_one = |s: &mut Self| {
            let none = s.e.int(NONE.into());
            s.e.store_half(none, line, Lines::SEAT);
            s.e.int(0)
        };
        self.either(none, I64, no_one, |s| {
            let first = s.node(lines, next);
            s.e.store_half(last, first, Lines::CHILD);
            s.seat(lines, number);
            s.token(plan.place, lines, next)
        })
    }

    /// The token in a seat of the front is no longer there: the last one has its seat (`Lines::hide`).
    fn hide(&mut self, lines: Value, seat: Value, entry: Value) {
        let seats = self.e.add_at(lines, Lines::SEATED, -1);
        let last = self.seated(lines, seats);
        let moved = self.e.load_half(last, 0);
        self.e.store_half(moved, entry, 0);
        let moved = self.record(lines, moved);
        self.e.store_half(seat, moved, Lines::SEAT);
    }

    /// The first token of a line comes to the end of the front.
    fn show(&mut self, plan: &Fronted, address: Value) {
        let slots = slots_at(address, self.e.blueprint[plan.front].width);
        self.tokens().give(plan.front, &slots, address, false);
        if let Some(shown) = &plan.shown {
            self.shows(shown, address, Way::Up);
        }
    }

    /// A front has one token more, or one less, with the value of this one that transitions look for.
    fn shows(&mut self, shown: &Shown, token: Value, way: Way) {
        let value = self.e.load(I64, token, 8 * shown.slot as usize);
        let number = self.e.b.ins().iadd_imm_s(value, (shown.least as i64).wrapping_neg());
        let wanted = self.e.b.ins().icmp_imm_u(IntCC::UnsignedLessThan, number, shown.gauges.len() as i64);
        self.when(wanted, |s| s.shows_one(shown, number, way));
    }

    /// The same for the one of the values that has this number.
    fn shows_one(&mut self, shown: &Shown, number: Value, way: Way) {
        let (all, first) = (self.e.table(self.e.layout.shown), self.e.hole(Hole::Word(shown.first)));
        let first = self.e.b.ins().iadd(all, first);
        let entry = self.e.row(first, number, size_of::<u64>() as i64);
        let before = self.e.load(I64, entry, 0);
        let after = self.e.b.ins().iadd_imm_s(before, if way == Way::Up { 1 } else { -1 });
        self.e.store(after, entry, 0);
        let [done] = self.e.new_blocks();
        let mut switch = Switch::new();
        let here = self.e.b.current_block();
        for (value, gauge) in shown.gauges.iter().enumerate() {
            let [arm] = self.e.new_blocks();
            switch.set_entry(value as u128, arm);
            self.e.b.switch_to_block(arm);
            self.places().moved_by_one(gauge, before, after, way);
            self.e.jump(done, &[]);
        }
        here.into_iter().for_each(|here| self.e.b.switch_to_block(here));
        switch.emit(self.e.b, number, done);
        self.e.b.switch_to_block(done);
    }
}
