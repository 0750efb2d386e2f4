//! Code for a firing that begins to last: `Agenda::begin`.

use std::mem::{offset_of, size_of};

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::{I32, I64};
use cranelift_codegen::ir::{InstBuilder, MemFlagsData, Value};

use crate::agenda::{Ending, Lane, NO_CELL, NO_LANE};
use crate::code::emitter::{Emitter, Operand};
use crate::code::runtime::Rare;
use crate::events::{Key, NONE};
use crate::ids::TransitionId;
use crate::program::TransitionProgram;

/// Bytes of a node, as a power of two.
const NODE_BITS: i64 = 4;
const _: () = assert!(size_of::<Key>() == 1 << NODE_BITS);

/// Where one more firing fits in.
pub struct Room {
    /// The slot of a firing that has ended, or none.
    gap: Value,
    /// The number of free slots.
    frees: Value,
    /// The number of vacant cells, where the firing needs one.
    vacancies: Option<Value>,
}

impl Room {
    fn values(&self) -> Vec<Value> {
        [self.gap, self.frees].into_iter().chain(self.vacancies).collect()
    }
}

impl Emitter<'_, '_> {
    /// Room for one more firing (`Agenda::make_room`).
    pub fn room(&mut self, plan: &TransitionProgram) -> Room {
        let room = self.present_room(plan);
        let none = self.equals(room.gap, NONE as u64);
        let full = self.equals(room.frees, 0);
        let mut short = self.b.ins().band(none, full);
        if let Some(vacancies) = room.vacancies {
            let full = self.equals(vacancies, 0);
            short = self.b.ins().bor(short, full);
        }
        let more = |s: &mut Self| {
            s.call_rarely(Rare::MakeRoom, &[]);
            s.present_room(plan).values()
        };
        let values = self.branch(short, &vec![I64; room.values().len()], more, |_| room.values());
        Room { gap: values[0], frees: values[1], vacancies: values.get(2).copied() }
    }

    fn present_room(&mut self, plan: &TransitionProgram) -> Room {
        Room {
            gap: self.load(I64, self.engine, self.layout.gap),
            frees: self.load(I64, self.engine, self.layout.frees),
            vacancies: (plan.held > 0).then(|| self.load(I64, self.engine, self.layout.vacancies)),
        }
    }

    /// A cell for what a firing will deposit, and its address, if that is anything.
    pub fn cell(&mut self, room: &Room) -> (Value, Value) {
        match room.vacancies {
            Some(vacancies) => self.take_cell(vacancies),
            None => (self.b.ins().iconst(I32, i64::from(NO_CELL)), self.engine),
        }
    }

    /// A firing begins to last (`Agenda::insert`).
    pub fn insert(&mut self, id: TransitionId, plan: &TransitionProgram, room: &Room, cell: Value, end: Value) {
        if plan.lane == NO_LANE {
            self.take_slot(id, plan, room, cell, end);
            return;
        }
        let lane = self.lane(plan);
        let others = self.load(I64, lane, offset_of!(Lane, firings));
        let first = self.equals(others, 0);
        let enter = |s: &mut Self| {
            let one = s.int(1);
            s.store(one, lane, offset_of!(Lane, firings));
            s.take_slot(id, plan, room, cell, end);
            Vec::new()
        };
        let wait = |s: &mut Self| {
            let lane = s.operand(Operand::Word(u64::from(plan.lane)));
            let (transition, cell) = (s.transition_id(id), s.b.ins().uextend(I64, cell));
            s.call(s.runtime.wait, &[s.engine, end, transition, lane, cell], None);
            Vec::new()
        };
        self.branch(first, &[], enter, wait);
    }

    fn lane(&mut self, plan: &TransitionProgram) -> Value {
        let lanes = self.load(I64, self.engine, self.layout.lanes);
        let lane = self.operand(Operand::Word(u64::from(plan.lane)));
        self.row(lanes, lane, size_of::<Lane>() as i64)
    }

    /// A vacant cell for a record (`Records::take`), and its address.
    fn take_cell(&mut self, vacancies: Value) -> (Value, Value) {
        let vacancies = self.b.ins().iadd_imm_s(vacancies, -1);
        self.store(vacancies, self.engine, self.layout.vacancies);
        let vacant = self.load(I64, self.engine, self.layout.vacant);
        let entry = self.row(vacant, vacancies, size_of::<u32>() as i64);
        let cell = self.load(I32, entry, 0);
        (cell, self.record(cell))
    }

    /// The address of a record.
    pub fn record(&mut self, cell: Value) -> Value {
        let words = self.load(I64, self.engine, self.layout.records);
        let position = self.b.ins().uextend(I64, cell);
        self.row(words, position, 8 * self.program.record as i64)
    }

    /// Puts a firing where another has ended, or in a free slot (`Events::insert`).
    fn take_slot(&mut self, id: TransitionId, plan: &TransitionProgram, room: &Room, cell: Value, end: Value) {
        let Room { gap, frees, .. } = *room;
        let free = self.load(I64, self.engine, self.layout.free);
        let last = self.row(free, frees, size_of::<u32>() as i64);
        let last = self.load(I32, last, 0);
        let last = self.b.ins().uextend(I64, last);
        let none = self.equals(gap, NONE as u64);
        let slot = self.b.ins().select(none, last, gap);
        let taken = self.b.ins().uextend(I64, none);
        let frees = self.b.ins().isub(frees, taken);
        self.store(frees, self.engine, self.layout.frees);
        let none = self.int(NONE as u64);
        self.store(none, self.engine, self.layout.gap);
        let endings = self.load(I64, self.engine, self.layout.endings);
        let ending = self.row(endings, slot, size_of::<Ending>() as i64);
        let own = self.transition_id(id);
        let own = self.b.ins().ireduce(I32, own);
        let lane = self.operand(Operand::Word(u64::from(plan.lane)));
        let lane = self.b.ins().ireduce(I32, lane);
        self.store(own, ending, offset_of!(Ending, transition));
        self.store(cell, ending, offset_of!(Ending, cell));
        self.store(lane, ending, offset_of!(Ending, lane));
        let slots = self.load(I64, self.engine, self.layout.slots);
        let bits = self.b.ins().ctz(slots);
        let firings = self.load(I64, self.engine, self.layout.firings);
        let number = self.b.ins().iadd_imm_s(firings, -1);
        let number = self.b.ins().ishl(number, bits);
        let order = self.b.ins().bor(number, slot);
        let time = self.b.ins().bitcast(I64, MemFlagsData::new(), end);
        let leaf = self.b.ins().iadd(slots, slot);
        self.play(leaf, order, time);
    }

    /// Plays the matches of a leaf (`Events::play`). Nodes are told by their offsets in bytes.
    pub fn play(&mut self, leaf: Value, order: Value, time: Value) {
        let nodes = self.load(I64, self.engine, self.layout.nodes);
        let leaf = self.b.ins().ishl_imm_s(leaf, NODE_BITS);
        self.store_key(nodes, leaf, order, time);
        let (turn, done) = (self.b.create_block(), self.b.create_block());
        let parameters = [0; 3].map(|_| self.b.append_block_param(turn, I64));
        self.jump(turn, &[leaf, order, time]);
        self.b.switch_to_block(turn);
        let [node, order, time] = parameters;
        let beside = self.b.ins().bxor_imm_s(node, 1 << NODE_BITS);
        let beside = self.b.ins().iadd(nodes, beside);
        let other_order = self.load(I64, beside, offset_of!(Key, order));
        let other_time = self.load(I64, beside, offset_of!(Key, time));
        let other = [other_order, other_time];
        let (tie, no_tie) = (self.b.create_block(), self.b.create_block());
        self.b.set_cold_block(tie);
        let equal = self.b.ins().icmp(IntCC::Equal, other_time, time);
        self.b.ins().brif(equal, tie, &[], no_tie, &[]);
        let win = |s: &mut Self, earlier: Value| {
            let order = s.b.ins().select(earlier, other[0], order);
            let time = s.b.ins().select(earlier, other[1], time);
            let half = s.b.ins().ushr_imm_s(node, 1);
            let parent = s.b.ins().band_imm_s(half, -1 << NODE_BITS);
            s.store_key(nodes, parent, order, time);
            let more = s.b.ins().icmp_imm_u(IntCC::UnsignedGreaterThan, parent, 1 << NODE_BITS);
            s.b.ins().brif(more, turn, &[parent.into(), order.into(), time.into()], done, &[]);
        };
        self.b.switch_to_block(no_tie);
        let earlier = self.b.ins().icmp(IntCC::UnsignedLessThan, other_time, time);
        win(self, earlier);
        self.b.switch_to_block(tie);
        let latest = self.load(I64, self.engine, self.layout.tie);
        let latest = self.b.ins().umax(latest, time);
        self.store(latest, self.engine, self.layout.tie);
        let earlier = self.b.ins().icmp(IntCC::UnsignedLessThan, other_order, order);
        win(self, earlier);
        self.b.switch_to_block(done);
    }

    fn store_key(&mut self, nodes: Value, node: Value, order: Value, time: Value) {
        let entry = self.b.ins().iadd(nodes, node);
        self.store(order, entry, offset_of!(Key, order));
        self.store(time, entry, offset_of!(Key, time));
    }

    /// The address of a row of a table.
    pub fn row(&mut self, table: Value, row: Value, size: i64) -> Value {
        let offset = self.b.ins().imul_imm_s(row, size);
        self.b.ins().iadd(table, offset)
    }
}
