//! Code for places with `per`: their lines, and the fronts that show the first token of each (`Lines`).
//!
//! A front is a bag, so its tokens come and go as those of any bag. The runtime keeps the order in the lines. The routines are those
//! of places, as fronts have many neighbours, and many transitions move their tokens.

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
use crate::state::lines::Lines;

impl LineCode<'_, '_, '_> {
    // ------------------------------------------------------------ room

    /// The record of the line of a key, where lines are numbered directly. `inside`: the key lies in the ranges.
    fn line(&mut self, place: PlaceRef, key: &[Source], inside: bool) -> Option<Value> {
        let plan = self.e.blueprint[place].lines.as_ref()?;
        let extents = plan.extents.as_deref()?;
        let slots: Vec<KeySlot> = (0..key.len() as u32).map(|slot| KeySlot { slot, inside }).collect();
        let group = self.tokens().group_in(extents, groups(extents) - 1, &slots, key);
        let (all, at) = (self.e.table(self.e.layout.lines), self.e.hole(Hole::Word(plan.at)));
        let lines = self.e.b.ins().iadd(all, at);
        let records = self.e.load_lasting(lines, Lines::RECORDS);
        Some(self.e.row(records, group, Lines::RECORD as i64))
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
        let Some(lines) = &self.e.blueprint[place].lines else { return false };
        let key: Vec<Source> = lines.slots.iter().map(|&slot| given.slots[slot as usize]).collect();
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
        let (place, reserved) = (self.e.place_id(plan.place), self.e.int(u64::from(reserved)));
        let arguments = [self.e.engine, place, address, reserved];
        let Some(first) = self.e.call(self.e.runtime.line_up, &arguments, Some(I64)) else { return };
        self.when(first, |s| s.show(plan, address));
    }

    /// Calls what makes the token in a seat of a front leave, given the number of the front.
    pub fn depart(&mut self, front: Value, seat: Value) {
        let routines = self.places().routines(front);
        self.e.call_routine(LEAF, routines, 0, &[seat]);
    }

    /// A function by which the token in a seat of a front, its last parameter, leaves the place that it belongs to.
    pub fn departs(&mut self, plan: &Fronted) {
        let (id, seat) = (self.e.place_id(plan.front), self.e.parameter(2));
        let next = self.e.call(self.e.runtime.step_up, &[self.e.engine, id, seat], Some(I64)).unwrap_or(seat);
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
