//! Code for stored tokens: they are shown, leave, and arrive, with the indices and joins of their place.

use std::mem::offset_of;

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::I64;
use cranelift_codegen::ir::{InstBuilder, Value};

use crate::engine::code::{DONE, FAULT};
use crate::jit::blueprint::names::PlaceRef;
use crate::jit::blueprint::place::{Discipline, Entry, IndexPlan, KeySlot};
use crate::jit::emit::emitter::{Emitter, Lost, Owner, Source, TokenCount, RING};
use crate::jit::emit::place::Way;
use crate::jit::runtime::Rare;
use crate::state::store::Ring;

impl<'a> Emitter<'a, '_> {
    /// The address of the token that a place which is no bag shows at a position.
    pub fn shown(&mut self, place: PlaceRef, position: usize) -> Value {
        match self.blueprint[place].discipline {
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
                self.owned(token.unwrap_or(position), Owner::Tokens)
            }
        }
    }

    /// The coloured token at a position leaves.
    pub fn take_token(&mut self, place: PlaceRef, position: TokenCount, lost: Option<&mut Lost>) {
        let id = self.place_id(place);
        if self.blueprint[place].departures_probed {
            let position = self.number(position);
            self.call(self.runtime.departs, &[self.engine, id, position], None);
        }
        let before = self.tokens_before(place, TokenCount::Const(1), Way::Down);
        if self.moves(place).entry != Entry::Unknown {
            let position = self.number(position);
            self.leave_indices(place, position);
        }
        match (self.blueprint[place].discipline, position) {
            (Discipline::Bag, _) if self.holds_one(place) => {}
            (Discipline::Bag, _) => {
                let position = self.number(position);
                self.fill_seat(place, position, before);
            }
            (Discipline::Fifo, TokenCount::Const(0)) => {
                let one = self.int(1);
                let head = self.ring_seat(place, one);
                let state = self.place(place);
                self.store_half(head, state, RING + offset_of!(Ring, head));
            }
            (Discipline::Lifo, TokenCount::Const(0)) => {}
            _ => {
                let position = self.number(position);
                self.call(self.runtime.remove, &[self.engine, id, position], None);
            }
        }
        self.lose(place, before, TokenCount::Const(1), lost);
    }

    /// The last of so many tokens of a bag moves into a seat.
    fn fill_seat(&mut self, place: PlaceRef, seat: Value, tokens: Value) {
        let last = self.b.ins().iadd_imm_s(tokens, -1);
        let (from, to) = (self.seat(place, last), self.seat(place, seat));
        self.store_slots(&Self::slots_at(from, self.blueprint[place].width), to, 0);
    }

    /// One coloured token arrives. `slots` are its values; `address` is where they stand, if they stand anywhere.
    pub fn give_token(&mut self, place: PlaceRef, slots: &[Source], address: Value, reserved: bool) {
        let id = self.place_id(place);
        let before = self.tokens_before(place, TokenCount::Const(1), Way::Up);
        if self.blueprint[place].discipline == Discipline::Key {
            self.call(self.runtime.push, &[self.engine, id, address], None);
        } else {
            if self.may_grow(place) {
                let mask = self.mask(place);
                let full = self.b.ins().icmp(IntCC::UnsignedGreaterThan, before, mask);
                self.when(full, |s| s.call_rarely(Rare::Grow, &[id]));
            }
            let seat = match self.blueprint[place].discipline {
                Discipline::Fifo => self.ring_seat(place, before),
                _ => before,
            };
            let to = self.seat(place, seat);
            self.store_slots(slots, to, 0);
        }
        self.gain(place, before, TokenCount::Const(1), reserved, slots);
        match self.moves(place).entry {
            Entry::Unknown => {}
            Entry::ByGroups => self.enter_groups(place, slots),
            Entry::ByRuntime => drop(self.call(self.runtime.enter, &[self.engine, id, address, before], None)),
        }
    }

    /// The token in a seat of a bag, or at a position, leaves indices and joins.
    fn leave_indices(&mut self, place: PlaceRef, position: Value) {
        let moves = self.moves(place);
        if self.blueprint[place].discipline != Discipline::Bag || moves.ranked {
            let id = self.place_id(place);
            self.call(self.runtime.leave, &[self.engine, id, position], None);
            return;
        }
        for pivot in &moves.pivots {
            self.leave_pivot(pivot, position);
        }
        for index in &moves.indices {
            self.leave_index(index, position);
        }
    }

    /// A token has come to the end of a bag whose indices and joins know it by groups.
    fn enter_groups(&mut self, place: PlaceRef, slots: &[Source]) {
        let moves = self.moves(place);
        for index in &moves.indices {
            let group = self.group(&self.blueprint[index.index], &index.key, slots);
            self.enter_index(index, group);
        }
        for pivot in &moves.pivots {
            let Some((link, key)) = pivot.keyed() else { continue };
            let group = self.group(&self.blueprint[link.index], key, slots);
            self.enter_pivot(pivot.join, link, group);
        }
    }

    /// The group of the key that stands in some slots of a token, where groups are numbered directly.
    pub fn group(&mut self, index: &IndexPlan, key: &[KeySlot], slots: &[Source]) -> Value {
        let mut group = self.int(0);
        let mut inside = None;
        let extents = index.extents.as_deref().unwrap_or(&[]);
        for (extent, &KeySlot { slot, inside: known }) in extents.iter().zip(key) {
            let value = self.word_in(slots[slot as usize]);
            let offset = self.b.ins().iadd_imm_s(value, extent.low.wrapping_neg());
            if !known {
                let fits = self.b.ins().icmp_imm_u(IntCC::UnsignedLessThan, offset, extent.size as i64);
                inside = Some(inside.map_or(fits, |inside| self.b.ins().band(inside, fits)));
            }
            group = self.b.ins().imul_imm_s(group, extent.size as i64);
            group = self.b.ins().iadd(group, offset);
        }
        let Some(inside) = inside else { return group };
        let outside = self.int(index.outside as u64);
        self.b.ins().select(inside, group, outside)
    }

    /// Tells the probes of tokens of one value that have arrived.
    pub fn tell_arrival(&mut self, place: PlaceRef, count: Value, address: Value) {
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
}
