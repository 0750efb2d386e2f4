//! Code for firings that begin to last: `Agenda::begin`. The start of a firing writes its record, and the loop enters it among
//! the events.

use std::mem::{offset_of, size_of};

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::{I32, I64};
use cranelift_codegen::ir::{Block, BlockArg, InstBuilder, JumpTableData, MemFlagsData, Value};

use crate::agenda::{Ending, NO_CELL, NO_LANE};
use crate::code::cycle::Asked;
use crate::code::emitter::{Emitter, Exit};
use crate::code::operand::Operand;
use crate::code::runtime::Rare;
use crate::events::{Key, NONE};
use crate::ids::TransitionId;
use crate::lane::{Lane, Position, Waiting};
use crate::program::TransitionProgram;
use crate::table::Table;

/// Bytes of a node, as a power of two.
const NODE_BITS: i64 = 4;
const _: () = assert!(size_of::<Key>() == 1 << NODE_BITS);

/// Rounds of a tournament that are written out one after the other: those of 256 slots.
const ROUNDS: usize = 8;

/// A firing that begins to last, its end in bits.
pub struct Begun {
    pub transition: Value,
    pub end: Value,
    pub lane: Value,
    pub cell: Value,
}

impl Emitter<'_, '_> {
    // ------------------------------------------------------------ the start of a firing

    /// A cell for what a firing will deposit, and the address of its record, if that is anything (`Records::take`).
    pub fn take_record(&mut self, plan: &TransitionProgram) -> [Value; 2] {
        if plan.held == 0 {
            return [self.b.ins().iconst(I32, i64::from(NO_CELL)), self.engine];
        }
        let cell = self.take_last(self.layout.vacancies, self.layout.vacant, 0);
        [cell, self.record(cell)]
    }

    /// The address of a record.
    pub fn record(&mut self, cell: Value) -> Value {
        let words = self.load(I64, self.engine, self.layout.records);
        let position = self.b.ins().uextend(I64, cell);
        self.row(words, position, 8 * self.program.record as i64)
    }

    /// Leaves, and tells the loop of a firing that begins to last.
    pub fn hand_over(&mut self, id: TransitionId, end: Value, cell: Value) {
        let lane = self.operand(Operand::Lane(id));
        let lane = self.b.ins().ireduce(I32, lane);
        let end = self.b.ins().bitcast(I64, MemFlagsData::new(), end);
        if let Exit::Loop { lasts, transition, .. } = self.exit {
            self.jump(lasts, &[end, transition, lane, cell]);
            return;
        }
        if self.program.lanes > 0 {
            self.store(lane, self.engine, self.layout.begun_lane);
        }
        if self.program.record > 0 {
            self.store(cell, self.engine, self.layout.begun_cell);
        }
        self.b.ins().return_(&[end]);
    }

    // ------------------------------------------------------------ the loop

    /// What a start that was called has handed over besides the end of its firing: the lane and the cell.
    pub fn handed_over(&mut self) -> [Value; 2] {
        let none = |s: &mut Self, number: u32| s.b.ins().iconst(I32, i64::from(number));
        let lane = match self.program.lanes {
            0 => none(self, NO_LANE),
            _ => self.load(I32, self.engine, self.layout.begun_lane),
        };
        let cell = match self.program.record {
            0 => none(self, NO_CELL),
            _ => self.load(I32, self.engine, self.layout.begun_cell),
        };
        [lane, cell]
    }

    /// A firing begins to last, until a time that its bits tell (`Agenda::insert`).
    pub fn insert(&mut self, asked: &Asked, begun: &Begun) {
        if self.program.lanes == 0 {
            self.take_slot(asked, begun);
            return;
        }
        let [enter, done] = [0; 2].map(|_| self.b.create_block());
        let (in_lane, wait) = (self.b.create_block(), self.b.create_block());
        let outside = self.b.ins().icmp_imm_u(IntCC::Equal, begun.lane, i64::from(NO_LANE));
        self.b.ins().brif(outside, enter, &[], in_lane, &[]);
        self.b.switch_to_block(in_lane);
        let lanes = self.table(self.layout.lanes);
        let number = self.b.ins().uextend(I64, begun.lane);
        let entry = self.row(lanes, number, size_of::<Lane>() as i64);
        let firings = self.add_at(entry, offset_of!(Lane, firings), 1);
        let first = self.equals(firings, 1);
        self.b.ins().brif(first, enter, &[], wait, &[]);
        self.b.switch_to_block(wait);
        self.wait(entry, firings, begun);
        self.jump(done, &[]);
        self.b.switch_to_block(enter);
        self.take_slot(asked, begun);
        self.jump(done, &[]);
        self.b.switch_to_block(done);
    }

    /// A firing waits in a lane that has so many with it (`Lane::push`).
    fn wait(&mut self, lane: Value, firings: Value, begun: &Begun) {
        let &Begun { transition, end, lane: number, cell } = begun;
        let others = self.b.ins().iadd_imm_s(firings, -2);
        let mask = self.load(I64, lane, offset_of!(Lane, mask));
        let full = self.b.ins().icmp(IntCC::UnsignedGreaterThan, others, mask);
        let grow = |s: &mut Self| {
            s.call(s.runtime.wait, &[s.engine, transition, end, number, cell], None);
            Vec::new()
        };
        let push = |s: &mut Self| {
            let head = s.load(I64, lane, offset_of!(Lane, head));
            let position = s.b.ins().iadd(head, others);
            let position = s.b.ins().band(position, mask);
            let entry = s.waiting(lane, position);
            s.store(end, entry, offset_of!(Waiting, end));
            let firings = s.load(I64, s.engine, s.layout.firings);
            let number = s.b.ins().iadd_imm_s(firings, -1);
            s.store(number, entry, offset_of!(Waiting, number));
            s.store_half(transition, entry, offset_of!(Waiting, transition));
            s.store(cell, entry, offset_of!(Waiting, cell));
            Vec::new()
        };
        self.branch(full, &[], grow, push);
    }

    fn waiting(&mut self, lane: Value, position: Value) -> Value {
        let ring = self.load(I64, lane, offset_of!(Lane, ring) + Table::<Position, Waiting>::START);
        self.row(ring, position, size_of::<Waiting>() as i64)
    }

    /// The next firing of a lane takes the slot of one that has ended (`Lane::pop`, `Events::succeed`).
    pub fn succeed(&mut self, asked: &Asked, lane: Value, slot: Value) {
        let head = self.load(I64, lane, offset_of!(Lane, head));
        let first = self.waiting(lane, head);
        let mask = self.load(I64, lane, offset_of!(Lane, mask));
        let next = self.b.ins().iadd_imm_s(head, 1);
        let next = self.b.ins().band(next, mask);
        self.store(next, lane, offset_of!(Lane, head));
        let endings = self.load(I64, self.engine, self.layout.endings);
        let ending = self.row(endings, slot, size_of::<Ending>() as i64);
        let transition = self.load_half(first, offset_of!(Waiting, transition));
        self.store_finish(asked, ending, transition);
        let cell = self.load(I32, first, offset_of!(Waiting, cell));
        self.store(cell, ending, offset_of!(Ending, cell));
        let number = self.load(I64, first, offset_of!(Waiting, number));
        let end = self.load(I64, first, offset_of!(Waiting, end));
        self.enter(slot, number, end);
    }

    /// Notes how the firing of a slot is ended.
    fn store_finish(&mut self, asked: &Asked, ending: Value, transition: Value) {
        self.store_half(transition, ending, offset_of!(Ending, transition));
        if asked.written.finishes.is_empty() {
            let function = self.function_of(asked.finishes, transition);
            self.store(function, ending, offset_of!(Ending, function));
        }
        if asked.written.finishes_differ() {
            let operands = self.operands_of(asked.finishes, transition);
            self.store(operands, ending, offset_of!(Ending, operands));
        }
    }

    /// Enters a firing in the tournament (`Events::succeed`).
    fn enter(&mut self, slot: Value, number: Value, end: Value) {
        let slots = self.load(I64, self.engine, self.layout.slots);
        let bits = self.b.ins().ctz(slots);
        let number = self.b.ins().ishl(number, bits);
        let order = self.b.ins().bor(number, slot);
        let leaf = self.b.ins().iadd(slots, slot);
        self.play(leaf, bits, order, end);
    }

    /// Puts a firing where another has ended, or in a free slot (`Events::insert`).
    fn take_slot(&mut self, asked: &Asked, begun: &Begun) {
        let &Begun { transition, end, lane, cell } = begun;
        let gap = self.load(I64, self.engine, self.layout.gap);
        let none = self.equals(gap, NONE as u64);
        let slot = self.either(none, I64, |s| s.free_slot(), |_| gap);
        let none = self.int(NONE as u64);
        self.store(none, self.engine, self.layout.gap);
        let endings = self.load(I64, self.engine, self.layout.endings);
        let ending = self.row(endings, slot, size_of::<Ending>() as i64);
        self.store_finish(asked, ending, transition);
        self.store(lane, ending, offset_of!(Ending, lane));
        self.store(cell, ending, offset_of!(Ending, cell));
        let firings = self.load(I64, self.engine, self.layout.firings);
        let number = self.b.ins().iadd_imm_s(firings, -1);
        self.enter(slot, number, end);
    }

    /// `Events::free_slot`.
    fn free_slot(&mut self) -> Value {
        let slot = self.take_last(self.layout.frees, self.layout.free, 1);
        self.b.ins().uextend(I64, slot)
    }

    /// The last of a list of slots or cells that nobody has, after more have been made if there are none. The list begins at a
    /// position.
    fn take_last(&mut self, left: usize, list: usize, first: usize) -> Value {
        let number = self.load(I64, self.engine, left);
        let more = |s: &mut Self| {
            s.call_rarely(Rare::MakeRoom, &[]);
            s.load(I64, s.engine, left)
        };
        let number = self.either(number, I64, |_| number, more);
        let fewer = self.b.ins().iadd_imm_s(number, -1);
        self.store(fewer, self.engine, left);
        let list = self.load(I64, self.engine, list);
        let entry = self.row(list, fewer, size_of::<u32>() as i64);
        self.load(I32, entry, first * size_of::<u32>())
    }

    // ------------------------------------------------------------ the tournament

    /// Plays the matches of a leaf (`Events::play`), in so many rounds. Nodes are told by their offsets in bytes.
    ///
    /// A loop over the rounds would end after the same number of them each time, and still be mispredicted: the branches
    /// before it are what chance makes them, and so is the history by which processors predict.
    pub fn play(&mut self, leaf: Value, rounds: Value, order: Value, time: Value) {
        let nodes = self.load(I64, self.engine, self.layout.nodes);
        let leaf = self.b.ins().ishl_imm_s(leaf, NODE_BITS);
        self.store_key(nodes, leaf, order, time);
        let blocks: Vec<Block> = (0..=ROUNDS).map(|_| self.b.create_block()).collect();
        let parameters: Vec<[Value; 3]> =
            blocks.iter().map(|&block| [0; 3].map(|_| self.b.append_block_param(block, I64))).collect();
        let (many, turn) = (self.b.create_block(), self.b.create_block());
        let [node, left, first_order, first_time] = [0; 4].map(|_| self.b.append_block_param(turn, I64));
        let key: [BlockArg; 3] = [leaf.into(), order.into(), time.into()];
        let mut calls = |block: Block| self.b.func.dfg.block_call(block, &key);
        let few: Vec<_> = blocks.iter().map(|&block| calls(block)).collect();
        let otherwise = self.b.func.dfg.block_call(many, &[]);
        let table = self.b.create_jump_table(JumpTableData::new(otherwise, &few));
        let index = self.b.ins().ireduce(I32, rounds);
        self.b.ins().br_table(index, table);

        self.b.switch_to_block(many);
        self.b.set_cold_block(many);
        self.jump(turn, &[leaf, rounds, order, time]);
        self.b.switch_to_block(turn);
        let key = self.play_round(nodes, node, first_order, first_time);
        let fewer = self.b.ins().iadd_imm_s(left, -1);
        let more = self.b.ins().icmp_imm_u(IntCC::UnsignedGreaterThan, fewer, ROUNDS as i64);
        let again: [BlockArg; 4] = [key[0].into(), fewer.into(), key[1].into(), key[2].into()];
        self.b.ins().brif(more, turn, &again, blocks[ROUNDS], &key.map(BlockArg::from));

        for round in (1..=ROUNDS).rev() {
            self.b.switch_to_block(blocks[round]);
            let [node, order, time] = parameters[round];
            let key = self.play_round(nodes, node, order, time);
            self.jump(blocks[round - 1], &key);
        }
        self.b.switch_to_block(blocks[0]);
    }

    /// One match of a node that has a key. Returns the node above, and its key.
    fn play_round(&mut self, nodes: Value, node: Value, order: Value, time: Value) -> [Value; 3] {
        let beside = self.b.ins().bxor_imm_s(node, 1 << NODE_BITS);
        let beside = self.b.ins().iadd(nodes, beside);
        let other_order = self.load(I64, beside, offset_of!(Key, order));
        let other_time = self.load(I64, beside, offset_of!(Key, time));
        let earlier = self.b.ins().icmp(IntCC::UnsignedLessThan, other_time, time);
        let winner = self.b.ins().select(earlier, other_order, order);
        let equal = self.b.ins().icmp(IntCC::Equal, other_time, time);
        let tie = |s: &mut Self| {
            s.settle_tie(time);
            let earlier = s.b.ins().icmp(IntCC::UnsignedLessThan, other_order, order);
            s.b.ins().select(earlier, other_order, order)
        };
        let winner = self.either(equal, I64, tie, |_| winner);
        let first = self.b.ins().umin(other_time, time);
        let half = self.b.ins().ushr_imm_s(node, 1);
        let parent = self.b.ins().band_imm_s(half, -1 << NODE_BITS);
        self.store_key(nodes, parent, winner, first);
        [parent, winner, first]
    }

    /// Takes note of a time at which several firings end.
    fn settle_tie(&mut self, time: Value) {
        self.b.current_block().into_iter().for_each(|block| self.b.set_cold_block(block));
        let latest = self.load(I64, self.engine, self.layout.tie);
        let latest = self.b.ins().umax(latest, time);
        self.store(latest, self.engine, self.layout.tie);
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
