//! Code for stored tokens: they are shown, leave, and arrive, with the indices and joins of their place.

use std::mem::offset_of;

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::I64;
use cranelift_codegen::ir::{InstBuilder, Value};

use crate::collections::key_table::Extent;
use crate::jit::blueprint::names::PlaceRef;
use crate::jit::blueprint::place::{Discipline, Entry, IndexPlan, KeySlot};
use crate::jit::emit::emitter::{Lost, Owner, Source, TokenCount, Writer, RING};
use crate::jit::emit::place::Way;
use crate::jit::emit::slots::slots_at;
use crate::jit::emit::subjects::{Subjects, TokenCode};
use crate::jit::runtime::Rare;
use crate::state::store::Ring;

impl<'a> TokenCode<'_, 'a, '_> {
    /// The address of the token that a queue, stack or keyed place shows at a position.
    pub fn shown(&mut self, place: PlaceRef, position: usize) -> Value {
        match self.e.blueprint[place].discipline {
            Discipline::Fifo => {
                let position = self.e.int(position as u64);
                self.queued(place, position)
            }
            Discipline::Lifo => {
                let tokens = self.e.tokens_in(place);
                let seat = self.e.b.ins().iadd_imm_s(tokens, -(position as i64) - 1);
                self.e.seat(place, seat)
            }
            Discipline::Bag | Discipline::Key => {
                let position = self.e.int(position as u64);
                self.shown_at(place, position)
            }
        }
    }

    /// The token at a position of a queue.
    pub fn queued(&mut self, place: PlaceRef, position: Value) -> Value {
        let seat = self.e.ring_seat(place, position);
        self.e.seat(place, seat)
    }

    /// The same as `shown` at a position that is known only now.
    pub fn shown_at(&mut self, place: PlaceRef, position: Value) -> Value {
        let id = self.e.place_id(place);
        let token = self.e.call(self.e.runtime.shown, &[self.e.engine, id, position], Some(I64));
        self.e.owned(token.unwrap_or(position), Owner::Tokens)
    }

    /// The coloured token at a position leaves.
    pub fn take(&mut self, place: PlaceRef, position: TokenCount, lost: Option<&mut Lost>) {
        let id = self.e.place_id(place);
        if self.e.blueprint[place].departures_probed {
            let position = self.e.number(position);
            self.e.call(self.e.runtime.departs, &[self.e.engine, id, position], None);
        }
        if self.e.blueprint[place].weighed {
            let position = self.e.number(position);
            self.e.call(self.e.runtime.weight_leaves, &[self.e.engine, id, position], None);
        }
        if self.e.blueprint[place].identified {
            let position = self.e.number(position);
            self.e.call(self.e.runtime.identity_leaves, &[self.e.engine, id, position], None);
        }
        let before = self.places().tokens_before(place, TokenCount::Const(1), Way::Down);
        if self.e.moves(place).entry != Entry::Unknown {
            let position = self.e.number(position);
            self.leave_indices(place, position);
        }
        match (self.e.blueprint[place].discipline, position) {
            (Discipline::Bag, _) if self.e.holds_one(place) => {}
            (Discipline::Bag, _) => {
                let position = self.e.number(position);
                self.fill_seat(place, position, before);
            }
            (Discipline::Fifo, TokenCount::Const(0)) => {
                let one = self.e.int(1);
                let head = self.e.ring_seat(place, one);
                let state = self.e.place(place);
                self.e.store_half(head, state, RING + offset_of!(Ring, head));
            }
            (Discipline::Lifo, TokenCount::Const(0)) => {}
            _ => {
                let position = self.e.number(position);
                self.e.call(self.e.runtime.remove, &[self.e.engine, id, position], None);
            }
        }
        self.places().lose(place, before, TokenCount::Const(1), lost);
    }

    /// The token in a seat of a front leaves the place that it belongs to.
    pub fn take_first(&mut self, place: PlaceRef, seat: Value) {
        let id = self.e.place_id(place);
        if self.e.blueprint[place].has_routine {
            return self.lines().depart(id, seat);
        }
        self.e.call(self.e.runtime.take_first, &[self.e.engine, id, seat], None);
    }

    /// The last of the `tokens` tokens of a bag moves into a seat.
    fn fill_seat(&mut self, place: PlaceRef, seat: Value, tokens: Value) {
        let last = self.e.b.ins().iadd_imm_s(tokens, -1);
        let (from, to) = (self.e.seat(place, last), self.e.seat(place, seat));
        let slots = slots_at(from, self.e.blueprint[place].width);
        self.slots().store(&slots, to, 0);
    }

    /// One coloured token arrives. `slots` are its values; `address` is theirs, if they are in memory.
    pub fn give(&mut self, place: PlaceRef, slots: &[Source], address: Value, reserved: bool) {
        let id = self.e.place_id(place);
        let before = self.places().tokens_before(place, TokenCount::Const(1), Way::Up);
        if let Some(fronted) = self.e.blueprint.fronted().filter(|fronted| fronted.place == place) {
            self.lines().line_up(fronted, address, reserved);
        } else if self.e.blueprint[place].discipline == Discipline::Key || self.e.blueprint[place].lines.is_some() {
            let reserved = self.e.int(u64::from(reserved));
            self.e.call(self.e.runtime.push, &[self.e.engine, id, address, reserved], None);
        } else {
            if self.e.may_grow(place) {
                let mask = self.e.mask(place);
                let full = self.e.b.ins().icmp(IntCC::UnsignedGreaterThan, before, mask);
                self.when(full, |s| s.e.call_rarely(Rare::Grow, &[id]));
            }
            let seat = match self.e.blueprint[place].discipline {
                Discipline::Fifo => self.e.ring_seat(place, before),
                _ => before,
            };
            let to = self.e.seat(place, seat);
            self.slots().store(slots, to, 0);
            if self.e.blueprint[place].identified {
                self.e.call(self.e.runtime.identity_arrives, &[self.e.engine, id], None);
            }
        }
        self.places().gain(place, before, TokenCount::Const(1), reserved, slots);
        match self.e.moves(place).entry {
            Entry::Unknown => {}
            Entry::ByGroups => self.enter_groups(place, slots),
            Entry::ByRuntime => drop(self.e.call(self.e.runtime.enter, &[self.e.engine, id, address, before], None)),
        }
    }

    /// The token in a seat of a bag, or at a position, leaves indices and joins.
    fn leave_indices(&mut self, place: PlaceRef, position: Value) {
        let moves = self.e.moves(place);
        if self.e.blueprint[place].discipline != Discipline::Bag || moves.ranked {
            let id = self.e.place_id(place);
            self.e.call(self.e.runtime.leave, &[self.e.engine, id, position], None);
            return;
        }
        for pivot in &moves.pivots {
            self.joins().leave_pivot(pivot, position);
        }
        for index in &moves.indices {
            self.joins().leave_index(index, position);
        }
    }

    /// A token has been added at the end of a bag whose indices and joins find it by groups.
    fn enter_groups(&mut self, place: PlaceRef, slots: &[Source]) {
        let moves = self.e.moves(place);
        for index in &moves.indices {
            let group = self.group(&self.e.blueprint[index.index], &index.key, slots);
            self.joins().enter_index(index, group);
        }
        for pivot in &moves.pivots {
            let Some((link, key)) = pivot.keyed() else { continue };
            let group = self.group(&self.e.blueprint[link.index], key, slots);
            self.joins().enter_pivot(pivot.join, link, group);
        }
    }

    /// The group of the key in some slots of a token, where groups are numbered directly.
    pub fn group(&mut self, index: &IndexPlan, key: &[KeySlot], slots: &[Source]) -> Value {
        self.group_in(index.extents.as_deref().unwrap_or(&[]), index.outside, key, slots)
    }

    /// The same in the ranges of a key; `outside`: the group of all keys that lie elsewhere.
    pub fn group_in(&mut self, extents: &[Extent], outside: usize, key: &[KeySlot], slots: &[Source]) -> Value {
        let mut group = self.e.int(0);
        let mut inside = None;
        for (extent, &KeySlot { slot, inside: known }) in extents.iter().zip(key) {
            let value = self.slots().word_in(slots[slot as usize]);
            let offset = self.e.b.ins().iadd_imm_s(value, extent.low.wrapping_neg());
            if !known {
                let fits = self.e.b.ins().icmp_imm_u(IntCC::UnsignedLessThan, offset, extent.size as i64);
                inside = Some(inside.map_or(fits, |inside| self.e.b.ins().band(inside, fits)));
            }
            group = self.e.b.ins().imul_imm_s(group, extent.size as i64);
            group = self.e.b.ins().iadd(group, offset);
        }
        let Some(inside) = inside else { return group };
        let outside = self.e.int(outside as u64);
        self.e.b.ins().select(inside, group, outside)
    }

    /// Notifies the probes of arrived tokens of one value.
    pub fn tell_arrival(&mut self, place: PlaceRef, count: Value, address: Value) {
        let id = self.e.place_id(place);
        let status = self.e.call(self.e.runtime.arrived, &[self.e.engine, id, count, address], Some(I64));
        self.e.leave_on_fault(status);
    }
}
