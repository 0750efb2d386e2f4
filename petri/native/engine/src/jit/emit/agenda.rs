//! Code for firings that begin to last: `Agenda::begin`. The start of a firing writes its record, and the loop enters it among
//! the events.

use std::mem::{offset_of, size_of};

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::{I64, I8};
use cranelift_codegen::ir::{Block, BlockArg, InstBuilder, Value};

use crate::collections::records::Records;
use crate::collections::tournament::{Key, FAR, NEAR, NONE};
use crate::engine::code::{Routines, DONE};
use crate::jit::blueprint::names::TransitionRef;
use crate::jit::blueprint::transition::TransitionPlan;
use crate::jit::emit::emitter::{Source, Writer};
use crate::jit::emit::main_loop::{LoopContext, StartWays};
use crate::jit::emit::subjects::{AgendaCode, Subjects};
use crate::jit::holes::Hole;
use crate::jit::runtime::Rare;
use crate::state::agenda::Ending;
use crate::state::lane::{Lane, Waiting};

/// Bytes of a node, as a power of two.
const NODE_BITS: i64 = 4;
const _: () = assert!(size_of::<Key>() == 1 << NODE_BITS);

/// Where a firing that has just begun is stored.
pub struct Begun {
    /// Where its record is, if it has one.
    pub record: Value,
    place: Stand,
}

enum Stand {
    Slot(Value),
    /// In a lane, behind this number of others.
    Lane(Value),
}

impl AgendaCode<'_, '_, '_> {
    // ------------------------------------------------------------ the start of a firing

    /// A firing begins to last (`Agenda::begin`).
    pub fn begin(&mut self, id: TransitionRef, plan: &TransitionPlan, end: Value) -> Begun {
        if !plan.in_lane {
            let slot = self.next_slot();
            let ending = self.take_slot(id, slot);
            let record = self.e.b.ins().iadd_imm_s(ending, Records::<Ending>::HEAD as i64);
            return Begun { record, place: Stand::Slot(slot) };
        }
        let number = self.number_of_last();
        let (record, before) = self.join_lane(id, end, number);
        Begun { record, place: Stand::Lane(before) }
    }

    /// What an output with a delay gives is on the way in its lane, and has a number among all that its firing gives.
    pub fn begin_delivery(&mut self, id: TransitionRef, arrival: Value, part: u64, words: &[Source]) {
        let firing = self.number_of_last();
        let number = self.e.b.ins().bor_imm_s(firing, part as i64);
        let (record, before) = self.join_lane(id, arrival, number);
        self.slots().store(words, record, 0);
        let first = self.e.equals(before, 0);
        self.when(first, |s| {
            let slot = s.next_slot();
            let ending = s.take_slot(id, slot);
            // The loop looks up how it ends.
            let zero = s.e.int(0);
            s.e.store(zero, ending, offset_of!(Ending, function));
            s.e.store(zero, ending, offset_of!(Ending, holes));
            let none = s.e.int(NONE as u64);
            s.e.store(none, s.e.engine, s.e.layout.gap);
            s.enter(slot, Some(number), arrival);
        });
    }

    /// A firing comes to the end of a lane (`Lane::push`). Returns where its record is, and how many were there before.
    fn join_lane(&mut self, id: TransitionRef, end: Value, number: Value) -> (Value, Value) {
        let lane = self.lane(id);
        let before = self.e.load(I64, lane, offset_of!(Lane, firings));
        let mask = self.e.load(I64, lane, offset_of!(Lane, mask));
        let full = self.e.b.ins().icmp(IntCC::UnsignedGreaterThan, before, mask);
        self.when(full, |s| {
            let transition = s.e.transition_id(id);
            s.e.call_rarely(Rare::Lengthen, &[transition]);
        });
        let mask = self.e.load(I64, lane, offset_of!(Lane, mask));
        let head = self.e.load(I64, lane, offset_of!(Lane, head));
        let position = self.e.b.ins().iadd(head, before);
        let position = self.e.b.ins().band(position, mask);
        let waiting = self.waiting(lane, position);
        let firings = self.e.b.ins().iadd_imm_s(before, 1);
        self.e.store(firings, lane, offset_of!(Lane, firings));
        self.e.store(end, waiting, offset_of!(Waiting, end));
        self.e.store(number, waiting, offset_of!(Waiting, number));
        let transition = self.e.transition_id(id);
        self.e.store_half(transition, waiting, offset_of!(Waiting, transition));
        (self.e.b.ins().iadd_imm_s(waiting, Records::<Waiting>::HEAD as i64), before)
    }

    /// Leaves after a firing has begun to last. The loop enters it among the events, unless it waits in its lane.
    pub fn hand_over(&mut self, id: TransitionRef, begun: Begun, end: Value, ways: Option<StartWays>) {
        let slot = match begun.place {
            Stand::Slot(slot) => slot,
            Stand::Lane(before) => {
                let (waits, first) = (self.e.b.create_block(), self.e.b.create_block());
                self.e.b.ins().brif(before, waits, &[], first, &[]);
                self.e.b.switch_to_block(waits);
                self.done(ways);
                self.e.b.switch_to_block(first);
                let slot = self.next_slot();
                self.take_slot(id, slot);
                slot
            }
        };
        if let Some(StartWays { lasts, transition, .. }) = ways {
            self.e.jump(lasts, &[end, transition, slot]);
        } else {
            self.e.store(slot, self.e.engine, self.e.layout.gap);
            self.e.b.ins().return_(&[end]);
        }
    }

    /// Leaves a start after which nothing is left to do.
    pub fn done(&mut self, ways: Option<StartWays>) {
        match ways {
            Some(ways) => self.e.jump(ways.done, &[]),
            None => self.e.leave(DONE),
        }
    }

    /// The slot of the next event: the gap, or else a free one.
    fn next_slot(&mut self) -> Value {
        let gap = self.e.load(I64, self.e.engine, self.e.layout.gap);
        let none = self.e.equals(gap, NONE as u64);
        let free = |s: &mut Self| {
            let frees = s.e.load(I64, s.e.engine, s.e.layout.frees);
            let room = |s: &mut Self| {
                s.e.call_rarely(Rare::MakeRoom, &[]);
                s.e.load(I64, s.e.engine, s.e.layout.frees)
            };
            let frees = s.either(frees, I64, |_| frees, room);
            let fewer = s.e.b.ins().iadd_imm_s(frees, -1);
            s.e.store(fewer, s.e.engine, s.e.layout.frees);
            let free = s.e.load(I64, s.e.engine, s.e.layout.free);
            let entry = s.e.row(free, frees, size_of::<u32>() as i64);
            s.e.load_half(entry, 0)
        };
        self.either(none, I64, |s| s.aside(true, free), |_| gap)
    }

    /// A slot is for a firing of a transition. Returns the address of what is known of it.
    fn take_slot(&mut self, id: TransitionRef, slot: Value) -> Value {
        let ending = self.ending(slot);
        let who = self.e.hole(Hole::Ending(id));
        self.e.store(who, ending, offset_of!(Ending, transition));
        ending
    }

    /// The address of what is known of the firing of a slot.
    pub fn ending(&mut self, slot: Value) -> Value {
        let endings = self.e.load(I64, self.e.engine, self.e.layout.endings);
        self.e.row(endings, slot, 8 << Records::<Ending>::bits(self.e.record_words()))
    }

    /// The lane of a transition.
    pub fn lane(&mut self, id: TransitionRef) -> Value {
        let distance = self.e.hole(Hole::Lane(id));
        let lane = self.e.b.ins().iadd(self.e.engine, distance);
        self.e.lane_at(lane)
    }

    /// The address of a firing in the ring of a lane.
    fn waiting(&mut self, lane: Value, position: Value) -> Value {
        let ring = self.e.load(I64, lane, offset_of!(Lane, ring) + Records::<Waiting>::START);
        self.e.row(ring, position, 8 << Records::<Waiting>::bits(self.e.record_words()))
    }

    /// The number of the firing that has started last, as the agenda has it.
    fn number_of_last(&mut self) -> Value {
        let firings = self.e.load(I64, self.e.engine, self.e.layout.firings);
        match self.e.number_parts() {
            0 => firings,
            parts => self.e.b.ins().ishl_imm_s(firings, i64::from(parts)),
        }
    }

    // ------------------------------------------------------------ the loop

    /// The firing of a slot is entered among the events.
    pub fn enter_begun(&mut self, asked: &LoopContext, transition: Value, slot: Value, end: Value) {
        let none = self.e.int(NONE as u64);
        self.e.store(none, self.e.engine, self.e.layout.gap);
        if asked.written.finishes_differ() {
            let ending = self.ending(slot);
            self.store_finish(asked, ending, transition);
        }
        let number = self.number_of_last();
        self.enter(slot, Some(number), end);
    }

    /// Notes how the firing of a slot is ended.
    fn store_finish(&mut self, asked: &LoopContext, ending: Value, transition: Value) {
        let routines = self.e.routines_of(asked.routines, transition);
        if asked.written.finishes.is_empty() {
            let function = self.e.function_of(routines, offset_of!(Routines, finish));
            self.e.store(function, ending, offset_of!(Ending, function));
        }
        if asked.written.finishes_differ() {
            let holes = self.e.holes_of(routines, offset_of!(Routines, finish));
            self.e.store(holes, ending, offset_of!(Ending, holes));
        }
    }

    /// The first firing of a lane leaves (`Lane::pop`). Returns where its record is, and how many are left.
    pub fn pop(&mut self, lane: Value) -> [Value; 2] {
        let head = self.e.load(I64, lane, offset_of!(Lane, head));
        let mask = self.e.load(I64, lane, offset_of!(Lane, mask));
        let first = self.waiting(lane, head);
        let next = self.e.b.ins().iadd_imm_s(head, 1);
        let next = self.e.b.ins().band(next, mask);
        self.e.store(next, lane, offset_of!(Lane, head));
        let left = self.e.add_at(lane, offset_of!(Lane, firings), -1);
        [self.e.b.ins().iadd_imm_s(first, Records::<Waiting>::HEAD as i64), left]
    }

    /// The next firing of a lane takes the slot of the one that has left.
    pub fn succeed(&mut self, asked: &LoopContext, lane: Value, slot: Value, ending: Value) {
        let head = self.e.load(I64, lane, offset_of!(Lane, head));
        let first = self.waiting(lane, head);
        let transition = self.e.load_half(first, offset_of!(Waiting, transition));
        self.e.store_half(transition, ending, offset_of!(Ending, transition));
        self.store_finish(asked, ending, transition);
        let number = self.e.load(I64, first, offset_of!(Waiting, number));
        let end = self.e.load(I64, first, offset_of!(Waiting, end));
        self.enter(slot, Some(number), end);
    }

    // ------------------------------------------------------------ the tournament

    /// Enters a firing with a number in the tournament, or an empty slot with a time after all others
    /// (`Tournament::enter`).
    ///
    /// The rounds are unrolled for as many slots as the interpreter has seen. A loop over them would end after the same
    /// number of rounds each time, and still be mispredicted: the branches before it are random, and so is the
    /// history by which processors predict. A large tournament that has grown since is left to the runtime.
    pub fn enter(&mut self, slot: Value, number: Option<Value>, time: Value) {
        let number = number.unwrap_or_else(|| self.e.int(0));
        let rounds = self.e.rounds();
        let nodes = self.e.load(I64, self.e.engine, self.e.layout.nodes);
        let slots = self.e.load(I64, self.e.engine, self.e.layout.slots);
        let usual = self.e.equals(slots, 1 << rounds);
        let [written, unusual, tied, done] = [0; 4].map(|_| self.e.b.create_block());
        self.e.b.ins().brif(usual, written, &[], unusual, &[]);

        self.e.b.switch_to_block(written);
        let order = self.e.b.ins().ishl_imm_s(number, i64::from(rounds));
        let offset = self.e.b.ins().ishl_imm_s(slot, NODE_BITS);
        let leaf = self.e.b.ins().iadd_imm_s(offset, 1 << (i64::from(rounds) + NODE_BITS));
        let order = self.e.b.ins().bor(order, slot);
        let mut key = [order, time];
        self.store_key(nodes, leaf, key);
        let far = rounds.saturating_sub(NEAR).div_ceil(2);
        let (mut node, mut below) = (leaf, 0);
        for round in 0..rounds - far {
            let levels = if round < far { 2 } else { 1 };
            key = self.play(nodes, node, key, levels, tied);
            below += levels;
            node = self.node_above(leaf, below, rounds);
            self.store_key(nodes, node, key);
        }
        self.e.jump(done, &[]);

        self.e.b.switch_to_block(unusual);
        self.aside(true, |s| {
            let few = s.e.b.ins().icmp_imm_u(IntCC::UnsignedLessThanOrEqual, slots, FAR as i64 / 2);
            s.e.unless(few, tied);
            let bits = s.e.b.ins().ctz(slots);
            let order = s.e.b.ins().ishl(number, bits);
            let leaf = s.e.b.ins().iadd(slots, slot);
            let leaf = s.e.b.ins().ishl_imm_s(leaf, NODE_BITS);
            let order = s.e.b.ins().bor(order, slot);
            s.store_key(nodes, leaf, [order, time]);
            s.play_near(nodes, [leaf, order, time], tied, done);
        });

        self.e.b.switch_to_block(tied);
        self.e.call_rarely(Rare::Play, &[slot, number, time]);
        self.e.jump(done, &[]);
        self.e.b.switch_to_block(done);
    }

    /// Plays all rounds from a node that is near and has a key.
    fn play_near(&mut self, nodes: Value, first: [Value; 3], tied: Block, done: Block) {
        let again = self.e.b.create_block();
        let [node, order, time] = [0; 3].map(|_| self.e.b.append_block_param(again, I64));
        let root = self.is_root(first[0]);
        self.e.b.ins().brif(root, done, &[], again, &first.map(BlockArg::from));
        self.e.b.switch_to_block(again);
        let key = self.play(nodes, node, [order, time], 1, tied);
        let above = self.e.b.ins().ushr_imm_s(node, 1);
        let above = self.e.b.ins().band_imm_s(above, -1 << NODE_BITS);
        self.store_key(nodes, above, key);
        let root = self.is_root(above);
        let next = [above, key[0], key[1]].map(BlockArg::from);
        self.e.b.ins().brif(root, done, &[], again, &next);
    }

    fn is_root(&mut self, node: Value) -> Value {
        self.e.b.ins().icmp_imm_u(IntCC::UnsignedLessThan, node, 2 << NODE_BITS)
    }

    /// The node `levels` levels above a leaf, in a tree of `rounds` rounds. Rotating and masking the bits takes one
    /// instruction less than shifting them.
    fn node_above(&mut self, leaf: Value, levels: u32, rounds: u32) -> Value {
        if levels == rounds {
            return self.e.int(1 << NODE_BITS);
        }
        let turned = self.e.b.ins().rotr_imm_s(leaf, i64::from(levels));
        let nodes = (2 << (rounds - levels)) - 1;
        self.e.b.ins().band_imm_s(turned, nodes << NODE_BITS)
    }

    /// One round of a node that has a key (`Tournament::round`): two meet, or four where the next node is two levels above. Returns
    /// the key of the earliest. Where two are at one time, the runtime plays all matches again.
    fn play(&mut self, nodes: Value, node: Value, key: [Value; 2], levels: u32, tied: Block) -> [Value; 2] {
        let one = self.key_beside(nodes, node, 1);
        if levels == 1 {
            return self.earlier(key, one, tied);
        }
        let [two, three] = [2, 3].map(|other| self.key_beside(nodes, node, other));
        let others = self.earlier(two, three, tied);
        let key = self.earlier(key, one, tied);
        self.earlier(key, others, tied)
    }

    /// The key of a node that meets a node.
    fn key_beside(&mut self, nodes: Value, node: Value, other: i64) -> [Value; 2] {
        let beside = self.e.b.ins().bxor_imm_s(node, other << NODE_BITS);
        let beside = self.e.b.ins().iadd(nodes, beside);
        [offset_of!(Key, order), offset_of!(Key, time)].map(|offset| self.e.load(I64, beside, offset))
    }

    /// The earlier of two keys. Where ties are usual, their orders are compared too, without a branch; else the runtime
    /// handles the rare tie.
    fn earlier(&mut self, [order, time]: [Value; 2], [other_order, other_time]: [Value; 2], tied: Block) -> [Value; 2] {
        // Both halves of a key at once: one comparison serves both.
        let (key, other) = (self.e.b.ins().iconcat(order, time), self.e.b.ins().iconcat(other_order, other_time));
        let earlier = if self.e.often_tie() {
            // Times are far from overflow, so the sign of the difference says which is less.
            let difference = self.e.b.ins().isub(other, key);
            let (_, time) = self.e.b.ins().isplit(difference);
            self.e.b.ins().icmp_imm_s(IntCC::SignedLessThan, time, 0)
        } else {
            let apart = self.e.b.ins().icmp(IntCC::NotEqual, other_time, time);
            self.e.unless(apart, tied);
            self.e.b.ins().icmp(IntCC::UnsignedLessThan, other_time, time)
        };
        let first = self.e.b.ins().select(earlier, other, key);
        self.e.b.ins().isplit(first).into()
    }

    /// Whether a firing other than that of a slot ends now (`Tournament::look_beside`). In a tournament of other than the usual
    /// number of rounds, the runtime looks.
    pub fn is_due_beside(&mut self, slot: Value, now: Value) -> Value {
        let by_runtime = |s: &mut Self| {
            s.e.call_rarely(Rare::LookBeside, &[slot]);
            s.e.load(I8, s.e.engine, s.e.layout.more)
        };
        if !self.e.often_tie() {
            return by_runtime(self);
        }
        let slots = self.e.load(I64, self.e.engine, self.e.layout.slots);
        let usual = self.e.equals(slots, 1 << self.e.rounds());
        self.either(usual, I8, |s| s.look_beside(slot, now), |s| s.aside(true, by_runtime))
    }

    /// Compares the times of all that a slot meets on its way to the root.
    fn look_beside(&mut self, slot: Value, now: Value) -> Value {
        let rounds = self.e.rounds();
        let nodes = self.e.load(I64, self.e.engine, self.e.layout.nodes);
        let offset = self.e.b.ins().ishl_imm_s(slot, NODE_BITS);
        let leaf = self.e.b.ins().iadd_imm_s(offset, 1 << (i64::from(rounds) + NODE_BITS));
        let far = rounds.saturating_sub(NEAR).div_ceil(2);
        let (mut node, mut below, mut due) = (leaf, 0, self.e.b.ins().iconst(I8, 0));
        for round in 0..rounds - far {
            let levels = if round < far { 2 } else { 1 };
            for other in 1..1 << levels {
                let [_, time] = self.key_beside(nodes, node, other);
                let same = self.e.b.ins().icmp(IntCC::Equal, time, now);
                due = self.e.b.ins().bor(due, same);
            }
            below += levels;
            node = self.node_above(leaf, below, rounds);
        }
        due
    }

    /// Stores the key of a node; `node` is its offset from `nodes`.
    fn store_key(&mut self, nodes: Value, node: Value, [order, time]: [Value; 2]) {
        let entry = self.e.b.ins().iadd(nodes, node);
        self.e.store(order, entry, offset_of!(Key, order));
        self.e.store(time, entry, offset_of!(Key, time));
    }
}
