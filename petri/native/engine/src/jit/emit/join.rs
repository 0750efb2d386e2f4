//! Code for indices and joins: the choice of a pair, and tokens that arrive or leave. Keys that few tokens share are
//! handled inline; the runtime does the rest.

use std::mem::{offset_of, size_of};

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::{I32, I32X4, I64, I8X16};
use cranelift_codegen::ir::{Block, Endianness, InstBuilder, MemFlagsData, Value};

use crate::base::row::Row;
use crate::collections::tournament::MANY;
use crate::collections::weights::{Weights, HIGHEST, ONES};
use crate::jit::blueprint::names::{IndexRef, JoinRef, PlaceRef};
use crate::jit::blueprint::place::{IndexPlan, IndexUse, KeySlot, Link as LinkPlan, PivotUse, Serves};
use crate::jit::emit::emitter::{Owner, Source, Writer};
use crate::jit::emit::place::Way;
use crate::jit::emit::subjects::{JoinCode, Subjects};
use crate::jit::holes::Hole;
use crate::jit::runtime::Rare;
use crate::state::index::{Index, BUCKET_SEATS, NONE};
use crate::state::join::Join;
use crate::state::join_links::{Link, Seat};

const TOTAL: usize = Join::WEIGHTS + Weights::TOTAL;
const ROOM: usize = Join::WEIGHTS + Weights::ROOM;
const LIMIT: usize = Join::WEIGHTS + Weights::LIMIT;
const AS_BYTES: usize = Join::WEIGHTS + Weights::AS_BYTES;
const BLOCKS: usize = Join::WEIGHTS + Weights::BLOCKS;
const SEEN: usize = Join::WEIGHTS + Weights::SEEN;
const BYTES: usize = Join::WEIGHTS + Weights::BYTES;
/// There are as many weights as seats.
const WEIGHTS: usize = Join::WEIGHTS + Weights::LEN;
/// The seats of the only link, and the first one of each group.
const SEATS: usize = Join::LINK + offset_of!(Link, seats);
const HEADS: usize = Join::LINK + offset_of!(Link, heads) + Row::<u32>::START;
const SEAT: i64 = size_of::<Seat>() as i64;
/// Both neighbours of a seat in its list, as one word, and the word that means none.
const NEIGHBOURS: usize = offset_of!(Seat, next);
const ALONE: i64 = -1;
const _: () = assert!(offset_of!(Seat, previous) == NEIGHBOURS + 4 && NONE == u32::MAX);
/// The group of a seat, and in the upper half whether its token passes the filter.
const GROUP: usize = offset_of!(Seat, group);
const _: () = assert!(offset_of!(Seat, admitted) == GROUP + 4);

/// How lanes of a vector are numbered.
const LANES: MemFlagsData = MemFlagsData::new().with_endianness(Endianness::Little);

/// Shuffles of four numbers, by position: the number at the position goes, and those behind it move up.
pub static WITHOUT: [[u8; 16]; BUCKET_SEATS] = patterns([[1, 2, 3, 3], [0, 2, 3, 3], [0, 1, 3, 3], [0, 1, 2, 3]]);
/// Shuffles of four numbers, by position: a new number is to come there, and those from there on move back.
pub static AROUND: [[u8; 16]; BUCKET_SEATS] = patterns([[NO, 0, 1, 2], [0, NO, 1, 2], [0, 1, NO, 2], [0, 1, 2, NO]]);
/// Masks of four numbers, by position: the bits of the number there.
pub static ONLY: [[u32; 4]; BUCKET_SEATS] = [[!0, 0, 0, 0], [0, !0, 0, 0], [0, 0, !0, 0], [0, 0, 0, !0]];
/// From nowhere.
const NO: u8 = 0x80;

/// The bytes from which those of four numbers come.
const fn patterns(lanes: [[u8; 4]; BUCKET_SEATS]) -> [[u8; 16]; BUCKET_SEATS] {
    let mut patterns = [[NO; 16]; BUCKET_SEATS];
    let mut i = 0;
    while i < 16 * BUCKET_SEATS {
        let lane = lanes[i / 16][i % 16 / 4];
        if lane != NO {
            patterns[i / 16][i % 16] = 4 * lane + (i % 4) as u8;
        }
        i += 1;
    }
    patterns
}

/// The seats of a join's only link.
struct Seats {
    join: Value,
    start: Value,
}

impl<'a> JoinCode<'_, 'a, '_> {
    // ------------------------------------------------------------ where things are

    fn join(&mut self, id: JoinRef) -> Value {
        let distance = self.e.hole(Hole::Join(id));
        let join = self.e.b.ins().iadd(self.e.engine, distance);
        self.e.owned(join, Owner::Join)
    }

    pub fn index(&mut self, id: IndexRef) -> Value {
        let distance = self.e.hole(Hole::Index(id));
        let index = self.e.b.ins().iadd(self.e.engine, distance);
        self.e.owned(index, Owner::Index)
    }

    fn seats(&mut self, id: JoinRef) -> Seats {
        let join = self.join(id);
        let may_grow = self.e.blueprint[id].may_grow;
        let start = self.e.load_table(join, SEATS + Row::<Seat>::START, may_grow);
        Seats { join, start }
    }

    /// The record of a group.
    pub fn bucket(&mut self, id: IndexRef, index: Value, group: Value) -> Value {
        let hashed = self.e.blueprint[id].extents.is_none();
        let records = self.e.load_table(index, Index::RECORDS, hashed);
        self.e.row(records, group, Index::RECORD as i64)
    }

    /// Where an index has the group of each seat.
    fn groups(&mut self, id: IndexRef, index: Value) -> Value {
        let may_grow = self.e.may_grow(self.e.blueprint[id].place);
        self.e.load_table(index, Index::GROUPS + Row::<u32>::START, may_grow)
    }

    /// Where a join's only link has the first seat of a group, where groups are numbered directly.
    fn head(&mut self, join: Value, group: Value) -> Value {
        let heads = self.e.load_lasting(join, HEADS);
        self.e.row(heads, group, size_of::<u32>() as i64)
    }

    fn lower_half(&mut self, word: Value) -> Value {
        let half = self.e.b.ins().ireduce(I32, word);
        self.e.b.ins().uextend(I64, half)
    }

    /// The number of choices that the weights of a join allow.
    pub fn choices(&mut self, id: JoinRef) -> Value {
        let join = self.join(id);
        self.e.load(I64, join, TOTAL)
    }

    /// Does something inline, or calls the runtime for it: `at_once` jumps to the block that it is given before it has
    /// changed anything.
    fn at_once(&mut self, at_once: impl FnOnce(&mut Self, Block), function: Rare, arguments: &[Value]) {
        let (rest, next) = (self.e.b.create_block(), self.e.b.create_block());
        at_once(self, rest);
        self.e.jump(next, &[]);
        self.e.b.switch_to_block(rest);
        self.e.call_rarely(function, arguments);
        self.e.jump(next, &[]);
        self.e.b.switch_to_block(next);
    }

    /// Goes on if the first of two numbers is less than the second.
    fn unless_less(&mut self, number: Value, other: Value, rest: Block) {
        let less = self.e.b.ins().icmp(IntCC::UnsignedLessThan, number, other);
        self.e.unless(less, rest);
    }

    // ------------------------------------------------------------ the choice of a pair

    /// `Join::choose_pair`: the seats of the pivot and of the link.
    pub fn choose_pair(&mut self, id: JoinRef, looked_up: IndexRef, k: Value) -> [Value; 2] {
        let (rest, next) = (self.e.b.create_block(), self.e.b.create_block());
        let chosen = [0; 2].map(|_| self.e.b.append_block_param(next, I64));
        let seats = self.seats(id);
        let [seat, unit] = self.select(id, seats.join, k, rest);
        let own = self.e.row(seats.start, seat, SEAT);
        let group = self.e.load_half(own, GROUP);
        let index = self.index(looked_up);
        let record = self.bucket(looked_up, index, group);
        let (len, most) = (self.e.load_half(record, Index::GROUP_LEN), self.e.int(BUCKET_SEATS as u64 + 1));
        self.unless_less(len, most, rest);
        let entry = self.e.row(record, unit, size_of::<u32>() as i64);
        let other = self.e.load_half(entry, Index::SEATS);
        self.e.jump(next, &[seat, other]);
        self.e.b.switch_to_block(rest);
        let number = self.e.hole(Hole::JoinNumber(id));
        self.e.call_rarely(Rare::ChoosePair, &[number, k]);
        let pair = self.e.load(I64, self.e.engine, self.e.layout.value);
        let pivot = self.lower_half(pair);
        let other = self.e.b.ins().ushr_imm_s(pair, 32);
        self.e.jump(next, &[pivot, other]);
        self.e.b.switch_to_block(next);
        chosen
    }

    /// `Weights::select`.
    fn select(&mut self, id: JoinRef, join: Value, k: Value, rest: Block) -> [Value; 2] {
        let (ones, bytes, found) = (self.e.b.create_block(), self.e.b.create_block(), self.e.b.create_block());
        let selected = [0; 2].map(|_| self.e.b.append_block_param(found, I64));
        let (total, len) = (self.e.load(I64, join, TOTAL), self.e.load(I64, join, WEIGHTS));
        let full = self.e.b.ins().icmp(IntCC::Equal, total, len);
        self.e.b.ins().brif(full, ones, &[], bytes, &[]);
        self.e.b.switch_to_block(ones);
        let seen = self.e.load(I64, join, SEEN);
        let small = self.e.b.ins().icmp_imm_u(IntCC::UnsignedLessThanOrEqual, seen, 1);
        let zero = self.e.int(0);
        self.e.b.ins().brif(small, found, &[k.into(), zero.into()], bytes, &[]);
        self.e.b.switch_to_block(bytes);
        let as_bytes = self.e.load(I64, join, AS_BYTES);
        self.e.unless(as_bytes, rest);
        if !self.fit_a_block(id) {
            let blocks = self.e.load(I64, join, BLOCKS);
            let none = self.e.equals(blocks, 0);
            self.e.unless(none, rest);
        }
        let start = self.e.load(I64, join, BYTES);
        let [word, left, sums] = self.select_word(start, k);
        let [shift, unit] = self.select_byte(left, sums);
        let address = self.e.b.ins().isub(word, start);
        let byte = self.e.b.ins().ushr_imm_s(shift, 3);
        let position = self.e.b.ins().iadd(address, byte);
        self.e.jump(found, &[position, unit]);
        self.e.b.switch_to_block(found);
        selected
    }

    /// The address of the word in whose weights unit `k` lies, the units before it there, and the sums of its bytes up to each.
    fn select_word(&mut self, start: Value, k: Value) -> [Value; 3] {
        let (turn, found) = (self.e.b.create_block(), self.e.b.create_block());
        let [address, left] = [0; 2].map(|_| self.e.b.append_block_param(turn, I64));
        self.e.jump(turn, &[start, k]);
        self.e.b.switch_to_block(turn);
        let (word, ones) = (self.e.load(I64, address, 0), self.e.int(ONES));
        let sums = self.e.b.ins().imul(word, ones);
        let all = self.e.b.ins().ushr_imm_s(sums, 56);
        let here = self.e.b.ins().icmp(IntCC::UnsignedLessThan, left, all);
        let next = self.e.b.ins().iadd_imm_s(address, 8);
        let less = self.e.b.ins().isub(left, all);
        self.e.b.ins().brif(here, found, &[], turn, &[next.into(), less.into()]);
        self.e.b.switch_to_block(found);
        [address, left, sums]
    }

    /// Where in a word the byte of a unit begins, and the units before it in that byte.
    fn select_byte(&mut self, left: Value, sums: Value) -> [Value; 2] {
        let (highest, ones) = (self.e.int(HIGHEST), self.e.int(ONES));
        let raised = self.e.b.ins().bor(sums, highest);
        let wanted = self.e.b.ins().iadd_imm_s(left, 1);
        let wanted = self.e.b.ins().imul(wanted, ones);
        let more = self.e.b.ins().isub(raised, wanted);
        let more = self.e.b.ins().band(more, highest);
        let bit = self.e.b.ins().ctz(more);
        let shift = self.e.b.ins().band_imm_s(bit, !7);
        let shifted = self.e.b.ins().ishl_imm_s(sums, 8);
        let shifted = self.e.b.ins().ushr(shifted, shift);
        let below = self.e.b.ins().band_imm_s(shifted, 0xFF);
        [shift, self.e.b.ins().isub(left, below)]
    }

    // ------------------------------------------------------------ the pivots of joins

    /// `Marking::leave_pivot`.
    pub fn leave_pivot(&mut self, pivot: &PivotUse, seat: Value) {
        let number = self.e.hole(Hole::JoinNumber(pivot.join));
        match &pivot.link {
            Some(link) => {
                let at_once = |s: &mut Self, rest| s.leave_pivot_at_once(pivot.join, link, seat, rest);
                self.at_once(at_once, Rare::LeavePivot, &[number, seat]);
            }
            None => {
                self.e.call(self.e.runtime.leave_pivot, &[self.e.engine, number, seat], None);
            }
        }
    }

    /// The same where neither the seat nor the last one, which moves there, shares its key with another.
    fn leave_pivot_at_once(&mut self, id: JoinRef, link: &LinkPlan, seat: Value, rest: Block) {
        let seats = self.seats(id);
        let len = self.e.load(I64, seats.join, SEATS + Row::<Seat>::LEN);
        let last = self.e.b.ins().iadd_imm_s(len, -1);
        let (own, moved) = (self.e.row(seats.start, seat, SEAT), self.e.row(seats.start, last, SEAT));
        let (ours, others) = (self.e.load(I64, own, NEIGHBOURS), self.e.load(I64, moved, NEIGHBOURS));
        let both = self.e.b.ins().band(ours, others);
        self.unless_alone(seats.join, both, rest);
        let (group, moving) = (self.e.load_half(own, GROUP), self.e.load(I64, moved, GROUP));
        // In this order, since the seat may be the last one itself.
        let moving_group = self.lower_half(moving);
        let head = self.head(seats.join, moving_group);
        self.e.store_half(seat, head, 0);
        let (head, none) = (self.head(seats.join, group), self.e.int(u64::from(NONE)));
        self.e.store_half(none, head, 0);
        self.e.store(others, own, NEIGHBOURS);
        self.e.store(moving, own, GROUP);
        self.e.store(last, seats.join, SEATS + Row::<Seat>::LEN);
        let index = self.index(link.index);
        let record = self.bucket(link.index, index, group);
        let waiting = self.e.load_half(record, Index::LINKS);
        let bit = self.e.hole(Hole::Word(link.bit));
        let waiting = self.e.b.ins().band_not(waiting, bit);
        self.e.store_half(waiting, record, Index::LINKS);
        self.remove_weight(id, seats.join, seat, last);
    }

    /// Continues if there are no neighbours and weights are bytes: one test for both.
    fn unless_alone(&mut self, join: Value, neighbours: Value, rest: Block) {
        let as_bytes = self.e.load(I64, join, AS_BYTES);
        let both = self.e.b.ins().band(neighbours, as_bytes);
        let alone = self.e.b.ins().icmp_imm_s(IntCC::Equal, both, ALONE);
        self.e.unless(alone, rest);
    }

    /// Whether a join never has more weights than fit one block.
    fn fit_a_block(&self, id: JoinRef) -> bool {
        self.e.blueprint[id].fits_a_block
    }

    /// Updates the block sums of the weights, if there are several blocks: seats, and their weights before and after.
    fn note(&mut self, id: JoinRef, join: Value, changes: &[[Value; 3]]) {
        if self.fit_a_block(id) {
            return;
        }
        let blocks = self.e.load(I64, join, BLOCKS);
        self.when(blocks, |s| {
            for &[seat, before, after] in changes {
                let changed = s.e.b.ins().icmp(IntCC::NotEqual, before, after);
                s.when(changed, |s| {
                    let number = s.e.hole(Hole::JoinNumber(id));
                    s.e.call_rarely(Rare::Note, &[number, seat, before, after]);
                });
            }
        });
    }

    /// `Weights::swap_remove` where weights are bytes.
    fn remove_weight(&mut self, id: JoinRef, join: Value, seat: Value, last: Value) {
        let bytes = self.e.load(I64, join, BYTES);
        let (from, to) = (self.e.b.ins().iadd(bytes, last), self.e.b.ins().iadd(bytes, seat));
        let (moved, gone) = (self.e.load_byte(from), self.e.load_byte(to));
        self.e.store_byte(moved, to);
        self.e.store(last, join, WEIGHTS);
        let before = self.e.load(I64, join, TOTAL);
        let total = self.e.b.ins().isub(before, gone);
        self.e.store(total, join, TOTAL);
        let zero = self.e.int(0);
        self.note(id, join, &[[last, moved, zero], [seat, gone, moved]]);
        self.tell(id, before, total, Way::Down);
    }

    /// Prefetches what an arriving token of a pivot will touch, where keys are many. With many firings in progress,
    /// `Engine::prefetch` does this.
    pub fn fetch_pivots(&mut self, place: PlaceRef, slots: &[Source]) {
        for pivot in &self.e.moves(place).pivots {
            let Some((link, key)) = pivot.keyed() else { continue };
            let key: Vec<KeySlot> = key.iter().map(|slot| KeySlot { inside: false, ..*slot }).collect();
            let index = &self.e.blueprint[link.index];
            self.fetch_far(index, |s| {
                let group = s.tokens().group(index, &key, slots);
                let (seats, index) = (s.seats(pivot.join), s.index(link.index));
                [s.bucket(link.index, index, group), s.head(seats.join, group)]
            });
        }
    }

    /// Prefetches what an arriving token will touch because joins look it up by several links, where keys are many.
    pub fn fetch_waiting(&mut self, place: PlaceRef, slots: &[Source]) {
        for of in self.e.moves(place).indices.iter().filter(|of| of.serves == Serves::Several) {
            let index = &self.e.blueprint[of.index];
            if index.extents.is_none() || index.outside < MANY {
                continue;
            }
            let key: Vec<KeySlot> = of.key.iter().map(|slot| KeySlot { inside: false, ..*slot }).collect();
            let group = self.tokens().group(index, &key, slots);
            let number = self.e.hole(Hole::IndexNumber(of.index));
            self.e.call(self.e.runtime.fetch_waiting, &[self.e.engine, number, group], None);
        }
    }

    /// Fetches what an index leads to, where its keys are many and firings in progress few.
    fn fetch_far(&mut self, index: &IndexPlan, records: impl Fn(&mut Self) -> [Value; 2]) {
        if index.outside < MANY {
            return;
        }
        let active = self.e.load(I64, self.e.engine, self.e.layout.slots);
        let few = self.e.b.ins().icmp_imm_u(IntCC::UnsignedLessThan, active, MANY as i64);
        self.when(few, |s| {
            let records = records(s);
            s.e.call(s.e.runtime.fetch, &records, None);
        });
    }

    /// `Marking::enter_pivot`, where groups are numbered directly.
    pub fn enter_pivot(&mut self, id: JoinRef, link: &LinkPlan, group: Value) {
        let number = self.e.hole(Hole::JoinNumber(id));
        let at_once = |s: &mut Self, rest| s.enter_pivot_at_once(id, link, group, rest);
        self.at_once(at_once, Rare::EnterPivot, &[number, group]);
    }

    /// The same where there is room, and few tokens have the key.
    fn enter_pivot_at_once(&mut self, id: JoinRef, link: &LinkPlan, group: Value, rest: Block) {
        let seats = self.seats(id);
        let seat = self.e.load(I64, seats.join, SEATS + Row::<Seat>::LEN);
        if self.e.blueprint[id].may_grow {
            let room = self.e.load(I64, seats.join, SEATS + Row::<Seat>::ROOM);
            self.unless_less(seat, room, rest);
        }
        if !self.fit_a_block(id) {
            let room = self.e.load(I64, seats.join, ROOM);
            self.unless_less(seat, room, rest);
        }
        let index = self.index(link.index);
        let record = self.bucket(link.index, index, group);
        let (weight, limit) = (self.e.load_half(record, Index::GROUP_LEN), self.e.load(I64, seats.join, LIMIT));
        self.unless_less(weight, limit, rest);
        let waiting = self.e.load_half(record, Index::LINKS);
        let bit = self.e.hole(Hole::Word(link.bit));
        let waiting = self.e.b.ins().bor(waiting, bit);
        self.e.store_half(waiting, record, Index::LINKS);
        let head = self.head(seats.join, group);
        let next = self.e.load_half(head, 0);
        self.e.store_half(seat, head, 0);
        let several = self.e.b.ins().icmp_imm_s(IntCC::NotEqual, next, i64::from(NONE));
        let other = |s: &mut Self| {
            let next = s.e.row(seats.start, next, SEAT);
            s.e.store_half(seat, next, offset_of!(Seat, previous));
        };
        self.when(several, |s| s.aside(true, other));
        let own = self.e.row(seats.start, seat, SEAT);
        let neighbours = self.e.b.ins().bor_imm_s(next, ALONE << 32);
        self.e.store(neighbours, own, NEIGHBOURS);
        let admitted = self.e.b.ins().bor_imm_s(group, 1 << 32);
        self.e.store(admitted, own, GROUP);
        let len = self.e.b.ins().iadd_imm_s(seat, 1);
        self.e.store(len, seats.join, SEATS + Row::<Seat>::LEN);
        self.e.store(len, seats.join, WEIGHTS);
        let zero = self.e.int(0);
        self.set_weight(id, seats.join, seat, zero, weight, Way::Up);
    }

    /// `Weights::set` where weights are bytes, for a weight that does not shrink, or does not grow.
    fn set_weight(&mut self, id: JoinRef, join: Value, seat: Value, before: Value, after: Value, way: Way) {
        let bytes = self.e.load(I64, join, BYTES);
        let byte = self.e.b.ins().iadd(bytes, seat);
        self.e.store_byte(after, byte);
        if way == Way::Up {
            let seen = self.e.load(I64, join, SEEN);
            let seen = self.e.b.ins().bor(seen, after);
            self.e.store(seen, join, SEEN);
        }
        let change = self.e.b.ins().isub(after, before);
        let sum = self.e.load(I64, join, TOTAL);
        let total = self.e.b.ins().iadd(sum, change);
        self.e.store(total, join, TOTAL);
        self.note(id, join, &[[seat, before, after]]);
        self.tell(id, sum, total, way);
    }

    /// Tells the enabling whether a join has bindings.
    fn tell(&mut self, id: JoinRef, before: Value, after: Value, way: Way) {
        let transition = self.e.blueprint[id].transition;
        let (few, many) = if way == Way::Up { (before, after) } else { (after, before) };
        let none = self.e.equals(few, 0);
        self.when(none, |s| {
            let changed = s.e.b.ins().icmp_imm_s(IntCC::NotEqual, many, 0);
            s.when(changed, |s| {
                if way == Way::Up {
                    s.enabling().met(transition, None)
                } else {
                    s.enabling().violated(transition)
                }
            });
        });
    }

    // ------------------------------------------------------------ indices

    /// `Marking::leave_index`.
    pub fn leave_index(&mut self, of: &IndexUse, seat: Value) {
        let id = of.index;
        let number = self.e.hole(Hole::IndexNumber(id));
        if self.e.blueprint[id].extents.is_some() {
            let at_once = |s: &mut Self, rest| s.leave_index_at_once(of, seat, rest);
            self.at_once(at_once, Rare::LeaveIndex, &[number, seat]);
        } else {
            self.e.call(self.e.runtime.leave_index, &[self.e.engine, number, seat], None);
        }
    }

    /// The same where few tokens share the key of the one that leaves, or of the last one, which moves to its seat.
    fn leave_index_at_once(&mut self, of: &IndexUse, seat: Value, rest: Block) {
        let id = of.index;
        let index = self.index(id);
        let groups = self.groups(id, index);
        let len = self.e.load(I64, index, Index::GROUPS + Row::<u32>::LEN);
        let last = self.e.b.ins().iadd_imm_s(len, -1);
        let own = self.e.row(groups, seat, size_of::<u32>() as i64);
        let moved = self.e.row(groups, last, size_of::<u32>() as i64);
        let (group, moving) = (self.e.load_half(own, 0), self.e.load_half(moved, 0));
        let (record, other) = (self.bucket(id, index, group), self.bucket(id, index, moving));
        let lens = [record, other].map(|record| self.e.load_half(record, Index::GROUP_LEN));
        let either = self.e.b.ins().bor(lens[0], lens[1]);
        let single = self.e.equals(either, 1);
        self.when_or(
            single,
            |s| s.e.store_half(seat, other, Index::SEATS),
            |s| {
                let (longer, most) = (s.e.b.ins().umax(lens[0], lens[1]), s.e.int(BUCKET_SEATS as u64 + 1));
                s.unless_less(longer, most, rest);
                let apart = s.e.b.ins().icmp(IntCC::NotEqual, group, moving);
                // If both are of one group, the last seat is replaced by itself.
                s.when(apart, |s| {
                    s.drop_seat(record, seat);
                    s.replace_last_seat(other, seat);
                });
            },
        );
        self.e.store_half(moving, own, 0);
        self.e.store(last, index, Index::GROUPS + Row::<u32>::LEN);
        let after = self.e.b.ins().iadd_imm_s(lens[0], -1);
        self.e.store_half(after, record, Index::GROUP_LEN);
        self.weigh(of, group, record, [lens[0], after], Way::Down);
    }

    /// `Bucket::drop`: those behind a seat move up, all at once.
    fn drop_seat(&mut self, record: Value, seat: Value) {
        let (bytes, seats, wanted) = self.seats_beside(record, seat);
        let found = self.e.b.ins().icmp(IntCC::Equal, seats, wanted);
        let found = self.e.b.ins().vhigh_bits(I32, found);
        let position = self.e.b.ins().ctz(found);
        let order = self.pattern(&WITHOUT, position);
        let left = self.e.b.ins().swizzle(bytes, order);
        self.e.store(left, record, Index::SEATS);
    }

    /// `Bucket::replace_last`: those from the first that is greater than a seat move down by one, and the last is gone.
    fn replace_last_seat(&mut self, record: Value, seat: Value) {
        let (bytes, seats, new) = self.seats_beside(record, seat);
        let less = self.e.b.ins().icmp(IntCC::SignedLessThan, seats, new);
        let less = self.e.b.ins().vhigh_bits(I32, less);
        let others = self.e.b.ins().bnot(less);
        let position = self.e.b.ins().ctz(others);
        let (order, place) = (self.pattern(&AROUND, position), self.pattern(&ONLY, position));
        let around = self.e.b.ins().swizzle(bytes, order);
        let new = self.e.b.ins().bitcast(I8X16, LANES, new);
        let new = self.e.b.ins().band(new, place);
        let all = self.e.b.ins().bor(around, new);
        self.e.store(all, record, Index::SEATS);
    }

    /// The few seats of a group as bytes and as numbers, and another seat as many times.
    fn seats_beside(&mut self, record: Value, seat: Value) -> (Value, Value, Value) {
        let bytes = self.e.load(I8X16, record, Index::SEATS);
        let seats = self.e.b.ins().bitcast(I32X4, LANES, bytes);
        let seat = self.e.b.ins().ireduce(I32, seat);
        (bytes, seats, self.e.b.ins().splat(I32X4, seat))
    }

    /// One of some patterns, as bytes.
    fn pattern<T>(&mut self, patterns: &'static [T; BUCKET_SEATS], position: Value) -> Value {
        let start = self.e.int(std::ptr::from_ref(patterns) as u64);
        let position = self.e.b.ins().uextend(I64, position);
        let pattern = self.e.row(start, position, size_of::<T>() as i64);
        self.e.load(I8X16, pattern, 0)
    }

    /// `Marking::enter_index`, where groups are numbered directly.
    pub fn enter_index(&mut self, of: &IndexUse, group: Value) {
        let number = self.e.hole(Hole::IndexNumber(of.index));
        let at_once = |s: &mut Self, rest| s.enter_index_at_once(of, group, rest);
        self.at_once(at_once, Rare::EnterIndex, &[number, group]);
    }

    /// The same where there is room, and few tokens have the key.
    fn enter_index_at_once(&mut self, of: &IndexUse, group: Value, rest: Block) {
        let id = of.index;
        let index = self.index(id);
        let record = self.bucket(id, index, group);
        let (len, few) = (self.e.load_half(record, Index::GROUP_LEN), self.e.int(BUCKET_SEATS as u64));
        self.unless_less(len, few, rest);
        let seat = self.e.load(I64, index, Index::GROUPS + Row::<u32>::LEN);
        if self.e.may_grow(self.e.blueprint[id].place) {
            let room = self.e.load(I64, index, Index::GROUPS + Row::<u32>::ROOM);
            self.unless_less(seat, room, rest);
        }
        let entry = self.e.row(record, len, size_of::<u32>() as i64);
        self.e.store_half(seat, entry, Index::SEATS);
        let after = self.e.b.ins().iadd_imm_s(len, 1);
        self.e.store_half(after, record, Index::GROUP_LEN);
        let groups = self.groups(id, index);
        let entry = self.e.row(groups, seat, size_of::<u32>() as i64);
        self.e.store_half(group, entry, 0);
        let seats = self.e.b.ins().iadd_imm_s(seat, 1);
        self.e.store(seats, index, Index::GROUPS + Row::<u32>::LEN);
        self.weigh(of, group, record, [len, after], Way::Up);
    }

    /// `Marking::weigh`.
    fn weigh(&mut self, of: &IndexUse, group: Value, record: Value, [before, after]: [Value; 2], way: Way) {
        if of.serves == Serves::None {
            return;
        }
        let number = self.e.hole(Hole::IndexNumber(of.index));
        let waiting = self.e.load_half(record, Index::LINKS);
        self.when(waiting, |s| match of.serves {
            Serves::One(join) => {
                let at_once = |s: &mut Self, rest| s.weigh_at_once(join, group, before, after, way, rest);
                s.at_once(at_once, Rare::Weigh, &[number, group, before, after]);
            }
            _ => s.e.call_rarely(Rare::Weigh, &[number, group, before, after]),
        });
    }

    /// The same for the only link that an index serves, where one token of the pivot waits.
    fn weigh_at_once(&mut self, id: JoinRef, group: Value, before: Value, after: Value, way: Way, rest: Block) {
        let seats = self.seats(id);
        let head = self.head(seats.join, group);
        let seat = self.e.load_half(head, 0);
        let own = self.e.row(seats.start, seat, SEAT);
        let neighbours = self.e.load(I64, own, NEIGHBOURS);
        self.unless_alone(seats.join, neighbours, rest);
        let (before, after) = if self.e.blueprint[id].filtered {
            let admitted = self.e.load_half(own, offset_of!(Seat, admitted));
            (self.e.b.ins().imul(before, admitted), self.e.b.ins().imul(after, admitted))
        } else {
            (before, after)
        };
        self.set_weight(id, seats.join, seat, before, after, way);
    }
}
