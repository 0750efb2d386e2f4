//! Code for firings that begin to last: `Agenda::begin`. The start of a firing writes its record, and the loop enters it among
//! the events.

use std::mem::{offset_of, size_of};

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::{I64, I64X2, I8X16};
use cranelift_codegen::ir::{BlockArg, ConstantData, InstBuilder, MemFlagsData, Value};

use crate::agenda::{Ending, NO_LANE};
use crate::code::cycle::Asked;
use crate::code::emitter::{Emitter, Exit};
use crate::code::operand::Operand;
use crate::code::runtime::Rare;
use crate::events::{Key, NONE};
use crate::ids::TransitionId;
use crate::lane::{Lane, Waiting};
use crate::program::TransitionProgram;
use crate::records::Records;

/// Bytes of a node, as a power of two.
const NODE_BITS: i64 = 4;
const _: () = assert!(size_of::<Key>() == 1 << NODE_BITS);
const _: () = assert!(offset_of!(Key, order) == 0 && offset_of!(Key, time) == 8);

/// Where a firing that begins to last stands.
pub struct Begun {
    /// Where its record is, if it has one.
    pub record: Value,
    /// Of a firing in a lane: how many are before it.
    before: Option<Value>,
}

/// How far a tournament has been played: up to a node, and its key. If two events met that have one time, the second lane of
/// `ties` is not zero, and the matches must be played again by the runtime, which asks which of the two began first.
#[derive(Clone, Copy)]
struct Played {
    node: Value,
    key: Value,
    ties: Value,
}

impl Emitter<'_, '_> {
    // ------------------------------------------------------------ the start of a firing

    /// A firing begins to last (`Agenda::begin`).
    pub fn begin_to_last(&mut self, id: TransitionId, plan: &TransitionProgram, end: Value) -> Begun {
        if plan.lane == NO_LANE {
            self.open_gap();
            let ending = self.take_slot(id);
            return Begun { record: self.b.ins().iadd_imm_s(ending, Records::<Ending>::HEAD as i64), before: None };
        }
        let lane = self.lane(id);
        let before = self.load(I64, lane, offset_of!(Lane, firings));
        let mask = self.load(I64, lane, offset_of!(Lane, mask));
        let full = self.b.ins().icmp(IntCC::UnsignedGreaterThan, before, mask);
        self.when(full, |s| {
            let transition = s.transition_id(id);
            s.call_rarely(Rare::Lengthen, &[transition]);
        });
        let mask = self.load(I64, lane, offset_of!(Lane, mask));
        let head = self.load(I64, lane, offset_of!(Lane, head));
        let position = self.b.ins().iadd(head, before);
        let position = self.b.ins().band(position, mask);
        let waiting = self.waiting(lane, position);
        let firings = self.b.ins().iadd_imm_s(before, 1);
        self.store(firings, lane, offset_of!(Lane, firings));
        self.store(end, waiting, offset_of!(Waiting, end));
        let number = self.number_of_last();
        self.store(number, waiting, offset_of!(Waiting, number));
        let transition = self.transition_id(id);
        self.store_half(transition, waiting, offset_of!(Waiting, transition));
        Begun { record: self.b.ins().iadd_imm_s(waiting, Records::<Waiting>::HEAD as i64), before: Some(before) }
    }

    /// Leaves after a firing has begun to last. The loop enters it among the events, unless it waits in its lane.
    pub fn hand_over(&mut self, id: TransitionId, begun: Begun, end: Value) {
        if let Some(before) = begun.before {
            let (waits, first) = (self.b.create_block(), self.b.create_block());
            self.b.ins().brif(before, waits, &[], first, &[]);
            self.b.switch_to_block(waits);
            self.leave(crate::code::runtime::DONE);
            self.b.switch_to_block(first);
            self.open_gap();
            self.take_slot(id);
        }
        let end = self.b.ins().bitcast(I64, MemFlagsData::new(), end);
        match self.exit {
            Exit::Start { lasts, transition, .. } => self.jump(lasts, &[end, transition]),
            _ => {
                self.b.ins().return_(&[end]);
            }
        }
    }

    /// Sees to it that there is a gap, which the next event takes (`Events::insert`).
    fn open_gap(&mut self) {
        let gap = self.load(I64, self.engine, self.layout.gap);
        let none = self.equals(gap, NONE as u64);
        self.when(none, |s| {
            let frees = s.load(I64, s.engine, s.layout.frees);
            let room = |s: &mut Self| {
                s.call_rarely(Rare::MakeRoom, &[]);
                s.load(I64, s.engine, s.layout.frees)
            };
            let frees = s.either(frees, I64, |_| frees, room);
            let fewer = s.b.ins().iadd_imm_s(frees, -1);
            s.store(fewer, s.engine, s.layout.frees);
            let free = s.load(I64, s.engine, s.layout.free);
            let entry = s.row(free, frees, size_of::<u32>() as i64);
            let slot = s.load_half(entry, 0);
            s.store(slot, s.engine, s.layout.gap);
        });
    }

    /// The slot that is the gap is for a firing of a transition. Returns the address of what is known of it.
    fn take_slot(&mut self, id: TransitionId) -> Value {
        let slot = self.load(I64, self.engine, self.layout.gap);
        let ending = self.ending(slot);
        let who = self.operand(Operand::Ending(id));
        self.store(who, ending, offset_of!(Ending, transition));
        ending
    }

    /// The address of what is known of the firing of a slot.
    pub fn ending(&mut self, slot: Value) -> Value {
        let endings = self.load(I64, self.engine, self.layout.endings);
        self.row(endings, slot, 8 << Records::<Ending>::bits(self.program.record))
    }

    /// The lane of a transition.
    pub fn lane(&mut self, id: TransitionId) -> Value {
        let (lanes, offset) = (self.table(self.layout.lanes), self.operand(Operand::Lane(id)));
        let lane = self.b.ins().iadd(lanes, offset);
        self.lane_at(lane)
    }

    /// The address of a firing in the ring of a lane.
    fn waiting(&mut self, lane: Value, position: Value) -> Value {
        let ring = self.load(I64, lane, offset_of!(Lane, ring) + Records::<Waiting>::START);
        self.row(ring, position, 8 << Records::<Waiting>::bits(self.program.record))
    }

    /// The number of the firing that has started last.
    fn number_of_last(&mut self) -> Value {
        let firings = self.load(I64, self.engine, self.layout.firings);
        self.b.ins().iadd_imm_s(firings, -1)
    }

    // ------------------------------------------------------------ the loop

    /// The firing of the gap is entered among the events. It ends at a time that its bits tell.
    pub fn enter_begun(&mut self, asked: &Asked, transition: Value, end: Value) {
        let slot = self.load(I64, self.engine, self.layout.gap);
        let none = self.int(NONE as u64);
        self.store(none, self.engine, self.layout.gap);
        if asked.written.finishes_differ() {
            let ending = self.ending(slot);
            self.store_finish(asked, ending, transition);
        }
        let number = self.number_of_last();
        self.enter(slot, Some(number), end);
    }

    /// Notes how the firing of a slot is ended.
    fn store_finish(&mut self, asked: &Asked, ending: Value, transition: Value) {
        if asked.written.finishes.is_empty() {
            let function = self.function_of(asked.finishes, transition);
            self.store(function, ending, offset_of!(Ending, function));
        }
        if asked.written.finishes_differ() {
            let operands = self.operands_of(asked.finishes, transition);
            self.store(operands, ending, offset_of!(Ending, operands));
        }
    }

    /// The first firing of a lane leaves (`Lane::pop`). Returns where its record is, and how many are left.
    pub fn pop(&mut self, lane: Value) -> [Value; 2] {
        let head = self.load(I64, lane, offset_of!(Lane, head));
        let mask = self.load(I64, lane, offset_of!(Lane, mask));
        let first = self.waiting(lane, head);
        let next = self.b.ins().iadd_imm_s(head, 1);
        let next = self.b.ins().band(next, mask);
        self.store(next, lane, offset_of!(Lane, head));
        let left = self.add_at(lane, offset_of!(Lane, firings), -1);
        [self.b.ins().iadd_imm_s(first, Records::<Waiting>::HEAD as i64), left]
    }

    /// The next firing of a lane takes the slot of the one that has left.
    pub fn succeed(&mut self, asked: &Asked, lane: Value, slot: Value, ending: Value) {
        let head = self.load(I64, lane, offset_of!(Lane, head));
        let first = self.waiting(lane, head);
        let transition = self.load_half(first, offset_of!(Waiting, transition));
        self.store_half(transition, ending, offset_of!(Ending, transition));
        self.store_finish(asked, ending, transition);
        let number = self.load(I64, first, offset_of!(Waiting, number));
        let end = self.load(I64, first, offset_of!(Waiting, end));
        self.enter(slot, Some(number), end);
    }

    // ------------------------------------------------------------ the tournament

    /// Enters a firing with a number in the tournament, or nobody with a time after all others (`Events::enter`).
    ///
    /// The rounds are written out for as many slots as the interpreter has seen. A loop over them would end after the same
    /// number of rounds each time, and still be mispredicted: the branches before it are what chance makes them, and so is the
    /// history by which processors predict.
    pub fn enter(&mut self, slot: Value, number: Option<Value>, time: Value) {
        let number = number.unwrap_or_else(|| self.int(0));
        let rounds = self.rounds();
        let nodes = self.load(I64, self.engine, self.layout.nodes);
        let slots = self.load(I64, self.engine, self.layout.slots);
        let usual = self.equals(slots, 1 << rounds);
        let written_out = |s: &mut Self| {
            let order = s.b.ins().ishl_imm_s(number, i64::from(rounds));
            let offset = s.b.ins().ishl_imm_s(slot, NODE_BITS);
            let leaf = s.b.ins().iadd_imm_s(offset, 1 << (i64::from(rounds) + NODE_BITS));
            let mut played = s.first_key(nodes, leaf, order, slot, time);
            (0..rounds).for_each(|_| played = s.play(nodes, played));
            vec![played.ties]
        };
        let in_a_loop = |s: &mut Self| {
            let bits = s.b.ins().ctz(slots);
            let order = s.b.ins().ishl(number, bits);
            let leaf = s.b.ins().iadd(slots, slot);
            let leaf = s.b.ins().ishl_imm_s(leaf, NODE_BITS);
            let played = s.first_key(nodes, leaf, order, slot, time);
            vec![s.play_all(nodes, played)]
        };
        let ties = self.branch(usual, &[I64X2], written_out, in_a_loop)[0];
        let tied = self.b.ins().extractlane(ties, 1);
        self.when(tied, |s| s.call_rarely(Rare::Play, &[slot, number, time]));
    }

    /// The leaf of a slot has a new key.
    fn first_key(&mut self, nodes: Value, leaf: Value, order: Value, slot: Value, time: Value) -> Played {
        let order = self.b.ins().bor(order, slot);
        let key = self.b.ins().scalar_to_vector(I64X2, order);
        let key = self.b.ins().insertlane(key, time, 1);
        self.store_key(nodes, leaf, key);
        let none = self.b.func.dfg.constants.insert(ConstantData::from([0; 16].as_slice()));
        Played { node: leaf, key, ties: self.b.ins().vconst(I64X2, none) }
    }

    /// Plays one match (`Events::play`). A key is a vector, so that the earlier of two is chosen whole.
    fn play(&mut self, nodes: Value, played: Played) -> Played {
        let Played { node, key, ties } = played;
        let beside = self.b.ins().bxor_imm_s(node, 1 << NODE_BITS);
        let beside = self.b.ins().iadd(nodes, beside);
        let other = self.load(I64X2, beside, 0);
        let same = self.b.ins().icmp(IntCC::Equal, key, other);
        let ties = self.b.ins().bor(ties, same);
        let key = self.earlier(key, other);
        let half = self.b.ins().ushr_imm_s(node, 1);
        let node = self.b.ins().band_imm_s(half, -1 << NODE_BITS);
        self.store_key(nodes, node, key);
        Played { node, key, ties }
    }

    /// Plays all matches up to the first node. Returns the ties.
    fn play_all(&mut self, nodes: Value, first: Played) -> Value {
        let (again, done) = (self.b.create_block(), self.b.create_block());
        let node = self.b.append_block_param(again, I64);
        let [key, ties] = [0; 2].map(|_| self.b.append_block_param(again, I64X2));
        self.jump(again, &[first.node, first.key, first.ties]);
        self.b.switch_to_block(again);
        let Played { node, key, ties } = self.play(nodes, Played { node, key, ties });
        let first = self.equals(node, 1 << NODE_BITS);
        let next: [BlockArg; 3] = [node.into(), key.into(), ties.into()];
        self.b.ins().brif(first, done, &[], again, &next);
        self.b.switch_to_block(done);
        ties
    }

    /// The earlier of two keys at different times. Times are in order as signed numbers, too: none is negative.
    fn earlier(&mut self, key: Value, other: Value) -> Value {
        let later = self.b.ins().icmp(IntCC::SignedGreaterThan, key, other);
        let bytes = MemFlagsData::new();
        let later = self.b.ins().bitcast(I8X16, bytes, later);
        let times = [8, 9, 10, 11, 12, 13, 14, 15].repeat(2);
        let times = self.b.func.dfg.immediates.push(ConstantData::from(times.as_slice()));
        let later = self.b.ins().shuffle(later, later, times);
        let later = self.b.ins().bitcast(I64X2, bytes, later);
        self.b.ins().blendv(later, other, key)
    }

    fn store_key(&mut self, nodes: Value, node: Value, key: Value) {
        let entry = self.b.ins().iadd(nodes, node);
        self.store(key, entry, 0);
    }

    /// The address of a row of a table.
    pub fn row(&mut self, table: Value, row: Value, size: i64) -> Value {
        let offset = self.b.ins().imul_imm_s(row, size);
        self.b.ins().iadd(table, offset)
    }
}
