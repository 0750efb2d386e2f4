//! Code for the loop of the semantics: choosing and starting firings until none is enabled (I3 to I6), then time, and the
//! ends of firings (I1, I8). What it does is `Engine::run`, and the runtime does what is rare.

use std::mem::{offset_of, size_of};

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::{F64, I32, I64, I8};
use cranelift_codegen::ir::{Block, InstBuilder, MemFlagsData, Value};

use crate::agenda::{Ending, NO_CELL, NO_LANE};
use crate::code::emitter::{Emitter, Operand};
use crate::code::runtime::{Rare, ENABLED};
use crate::code::{Routine, LEAF};
use crate::events::{Key, MANY, NEVER, NONE};
use crate::lane::Lane;
use crate::program::Level;
use crate::rank_set::{RankSet, SMALL};
use crate::state::Transition;

/// Why the loop ended: the firings asked for are used up, …
pub const USED_UP: u64 = 0;
/// … nothing more happens until the time asked for, …
pub const OVER: u64 = 1;
/// … or the engine holds an error, or waits for rows of a file.
pub const STOPPED: u64 = 2;

/// The routines of all transitions, by what they do.
#[repr(C)]
pub struct Routines {
    pub looks: *const Routine,
    pub starts: *const Routine,
    pub finishes: *const Routine,
}

/// Where the routines are, and the bits of the last instant.
struct Asked {
    looks: Value,
    starts: Value,
    until: Value,
}

/// Parts of the loop.
struct Parts {
    /// Looks for a firing to start.
    top: Block,
    /// Starts a firing of a transition.
    fire: Block,
    /// Nothing is enabled.
    idle: Block,
    /// Ends a firing.
    finish: Block,
}

impl Emitter<'_, '_> {
    pub fn cycle(mut self) -> Vec<u64> {
        let [routines, until, budget] = [2, 3, 4].map(|i| self.parameter(i));
        let asked = Asked {
            looks: self.load(I64, routines, offset_of!(Routines, looks)),
            starts: self.load(I64, routines, offset_of!(Routines, starts)),
            until,
        };
        self.finishes = self.load(I64, routines, offset_of!(Routines, finishes));
        let [top, fire, idle, finish] = [0; 4].map(|_| self.b.create_block());
        let parts = Parts { top, fire, idle, finish };
        let left = self.b.declare_var(I64);
        self.b.def_var(left, budget);
        self.jump(top, &[]);

        self.b.switch_to_block(top);
        let program = self.program;
        for &place in &program.streams {
            let empty = self.tokens(place);
            let empty = self.equals(empty, 0);
            self.when(empty, |s| s.refill());
        }
        self.look_where_needed(&asked);
        for (number, level) in program.levels.iter().enumerate() {
            let (some, none) = (self.b.create_block(), self.b.create_block());
            let (sets, offset) = self.enabled(number as u32);
            let word = self.load(I64, sets, offset);
            self.b.ins().brif(word, some, &[], none, &[]);
            self.b.switch_to_block(some);
            let any = self.b.use_var(left);
            self.leave_unless(any, USED_UP);
            let rest = self.b.ins().iadd_imm_s(any, -1);
            self.b.def_var(left, rest);
            let transition = self.pick(number, level, word);
            self.jump(fire, &[transition]);
            self.b.switch_to_block(none);
        }
        self.jump(idle, &[]);
        self.fire(&asked, &parts);
        self.pass_time(&asked, &parts);
        self.finish_first(&parts);
        self.end()
    }

    /// Rows of files arrive in empty places (`Engine::refill`).
    fn refill(&mut self) {
        let Some(fine) = self.call(self.runtime.refill, &[self.engine], Some(I64)) else { return };
        self.leave_unless(fine, STOPPED);
    }

    /// Leaves with a status unless a word is not zero.
    fn leave_unless(&mut self, word: Value, status: u64) {
        let (go, out) = (self.b.create_block(), self.b.create_block());
        self.b.set_cold_block(out);
        self.b.ins().brif(word, go, &[], out, &[]);
        self.b.switch_to_block(out);
        self.leave(status);
        self.b.switch_to_block(go);
    }

    /// `Engine::look`: looks at the transitions that are listed.
    fn look_where_needed(&mut self, asked: &Asked) {
        let (next, one, done) = (self.b.create_block(), self.b.create_block(), self.b.create_block());
        self.jump(next, &[]);
        self.b.switch_to_block(next);
        let listed = self.load(I64, self.engine, self.layout.listed);
        self.b.ins().brif(listed, one, &[], done, &[]);
        self.b.switch_to_block(one);
        let fewer = self.b.ins().iadd_imm_s(listed, -1);
        self.store(fewer, self.engine, self.layout.listed);
        let list = self.load(I64, self.engine, self.layout.list);
        let entry = self.row(list, fewer, size_of::<u32>() as i64);
        let transition = self.load_half(entry, 0);
        let state = self.row(self.transitions, transition, size_of::<Transition>() as i64);
        let no = self.b.ins().iconst(I8, 0);
        self.store(no, state, offset_of!(Transition, listed));
        let unmet = self.load(I32, state, offset_of!(Transition, unmet));
        let may_be = self.b.create_block();
        self.b.ins().brif(unmet, next, &[], may_be, &[]);
        self.b.switch_to_block(may_be);
        let found = self.call_routine(self.convention, asked.looks, transition, &[]);
        let known = self.b.ins().icmp_imm_u(IntCC::UnsignedLessThanOrEqual, found, ENABLED as i64);
        let (set, general) = (self.b.create_block(), self.b.create_block());
        self.b.ins().brif(known, set, &[], general, &[]);
        self.b.switch_to_block(set);
        self.set_found(transition, state, found);
        self.jump(next, &[]);
        self.b.switch_to_block(general);
        self.look_generally(listed, state);
        self.jump(next, &[]);
        self.b.switch_to_block(done);
    }

    /// The general way looks at a transition, which is listed again, and at the others that are.
    fn look_generally(&mut self, listed: Value, state: Value) {
        self.store(listed, self.engine, self.layout.listed);
        let yes = self.b.ins().iconst(I8, 1);
        self.store(yes, state, offset_of!(Transition, listed));
        self.look_by_engine();
    }

    fn look_by_engine(&mut self) {
        let Some(fine) = self.call(self.runtime.look, &[self.engine], Some(I64)) else { return };
        self.leave_unless(fine, STOPPED);
    }

    /// `Enabling::set`.
    fn set_found(&mut self, transition: Value, state: Value, found: Value) {
        if self.program.levels.iter().any(|level| level.transitions.len() > SMALL) {
            self.call(self.runtime.set_enabled, &[self.engine, transition, found], None);
            return;
        }
        let level = self.load_half(state, offset_of!(Transition, level));
        let position = self.load_half(state, offset_of!(Transition, position));
        let (sets, offset) = self.enabled(0);
        let set = self.row(sets, level, size_of::<RankSet>() as i64);
        let word = self.load(I64, set, offset);
        let one = self.int(1);
        let bit = self.b.ins().ishl(one, position);
        let without = self.b.ins().band_not(word, bit);
        let own = self.b.ins().ishl(found, position);
        let word = self.b.ins().bor(without, own);
        self.store(word, set, offset);
    }

    /// `Enabling::choose`: one of the enabled transitions of a priority.
    fn pick(&mut self, number: usize, level: &Level, word: Value) -> Value {
        if level.weights.is_some() || level.transitions.len() > SMALL {
            let number = self.int(number as u64);
            return self.call(self.runtime.pick, &[self.engine, number], Some(I64)).unwrap_or(number);
        }
        let less = self.b.ins().iadd_imm_s(word, -1);
        let others = self.b.ins().band(word, less);
        let several = |s: &mut Self| {
            s.take_chance();
            let number = s.b.ins().popcnt(word);
            let skipped = s.equal_choice(number);
            s.return_chance();
            s.without_lowest_bits(word, skipped)
        };
        let bits = self.either(others, I64, several, |_| word);
        let position = self.b.ins().ctz(bits);
        let first = level.transitions[0].0;
        if level.transitions.iter().zip(first..).all(|(transition, number)| transition.0 == number) {
            return self.b.ins().iadd_imm_s(position, i64::from(first));
        }
        let transitions = self.operand(Operand::Word(level.transitions.as_ptr() as u64));
        let entry = self.row(transitions, position, size_of::<u32>() as i64);
        self.load_half(entry, 0)
    }

    /// A word without so many of its lowest bits.
    fn without_lowest_bits(&mut self, word: Value, number: Value) -> Value {
        let (again, next, done) = (self.b.create_block(), self.b.create_block(), self.b.create_block());
        let [bits, left] = [0; 2].map(|_| self.b.append_block_param(again, I64));
        self.jump(again, &[word, number]);
        self.b.switch_to_block(again);
        self.b.ins().brif(left, next, &[], done, &[]);
        self.b.switch_to_block(next);
        let less = self.b.ins().iadd_imm_s(bits, -1);
        let fewer = self.b.ins().band(bits, less);
        let left = self.b.ins().iadd_imm_s(left, -1);
        self.jump(again, &[fewer, left]);
        self.b.switch_to_block(done);
        bits
    }

    fn fire(&mut self, asked: &Asked, parts: &Parts) {
        let transition = self.b.append_block_param(parts.fire, I64);
        self.b.switch_to_block(parts.fire);
        let status = self.call_routine(LEAF, asked.starts, transition, &[]);
        let (not_done, lasts, rest) = (self.b.create_block(), self.b.create_block(), self.b.create_block());
        self.b.set_cold_block(rest);
        self.b.ins().brif(status, not_done, &[], parts.top, &[]);
        self.b.switch_to_block(not_done);
        let begun = self.b.ins().icmp_imm_s(IntCC::SignedGreaterThan, status, 0);
        self.b.ins().brif(begun, lasts, &[], rest, &[]);
        self.b.switch_to_block(lasts);
        self.insert(transition, status);
        self.jump(parts.top, &[]);
        self.b.switch_to_block(rest);
        let fine = self.call(self.runtime.rest, &[self.engine, transition, status], Some(I64)).unwrap_or(status);
        self.leave_unless(fine, STOPPED);
        self.jump(parts.top, &[]);
    }

    /// Time moves to the next end.
    fn pass_time(&mut self, asked: &Asked, parts: &Parts) {
        self.b.switch_to_block(parts.idle);
        let gap = self.load(I64, self.engine, self.layout.gap);
        let open = self.b.ins().icmp_imm_s(IntCC::NotEqual, gap, NONE as i64);
        self.when(open, |s| s.close_gap(gap));
        let nodes = self.load(I64, self.engine, self.layout.nodes);
        let end = self.load(I64, nodes, size_of::<Key>() + offset_of!(Key, time));
        let within = self.b.ins().icmp(IntCC::UnsignedLessThanOrEqual, end, asked.until);
        self.leave_unless(within, OVER);
        self.store(end, self.engine, self.layout.now);
        self.store(end, self.engine, self.layout.due_time);
        let none = self.int(0);
        self.store(none, self.engine, self.layout.at_this_instant);
        if !self.program.clocked.is_empty() {
            self.call(self.runtime.touch_clocked, &[self.engine], None);
        }
        self.foresee();
        self.jump(parts.finish, &[]);
    }

    /// `Engine::foresee`, where there are many firings.
    fn foresee(&mut self) {
        let slots = self.load(I64, self.engine, self.layout.slots);
        let many = self.b.ins().icmp_imm_u(IntCC::UnsignedGreaterThanOrEqual, slots, MANY as i64);
        self.when(many, |s| {
            s.call(s.runtime.foresee, &[s.engine], None);
        });
    }

    /// `Events::close_gap`.
    fn close_gap(&mut self, gap: Value) {
        let none = self.int(NONE as u64);
        self.store(none, self.engine, self.layout.gap);
        let frees = self.add_at(self.engine, self.layout.frees, 1);
        let free = self.load(I64, self.engine, self.layout.free);
        let entry = self.row(free, frees, size_of::<u32>() as i64);
        self.store_half(gap, entry, 0);
        let slots = self.load(I64, self.engine, self.layout.slots);
        let leaf = self.b.ins().iadd(slots, gap);
        let order = self.int(0);
        let time = self.b.ins().iadd_imm_s(gap, NEVER as i64);
        let rounds = self.b.ins().ctz(slots);
        self.play(leaf, rounds, order, time);
    }

    /// Ends the first of the firings that end now, and goes on with the next one.
    fn finish_first(&mut self, parts: &Parts) {
        self.b.switch_to_block(parts.finish);
        let nodes = self.load(I64, self.engine, self.layout.nodes);
        let slots = self.load(I64, self.engine, self.layout.slots);
        let order = self.load(I64, nodes, size_of::<Key>() + offset_of!(Key, order));
        let mask = self.b.ins().iadd_imm_s(slots, -1);
        let slot = self.b.ins().band(order, mask);
        let endings = self.load(I64, self.engine, self.layout.endings);
        let ending = self.row(endings, slot, size_of::<Ending>() as i64);
        let transition = self.load_half(ending, offset_of!(Ending, transition));
        let cell = self.load(I32, ending, offset_of!(Ending, cell));
        let lane = self.load(I32, ending, offset_of!(Ending, lane));
        let [function, operands] = self.finish_of(ending, transition);
        self.leave_slot(slot, lane);
        let record = self.release(cell);
        let arguments = [self.engine, operands, record];
        let status = self.call_address(LEAF, function, &arguments, Some(I64)).unwrap_or(transition);
        let failed = self.b.create_block();
        self.b.set_cold_block(failed);
        let fine = self.equals(status, 0);
        self.unless(fine, failed);
        self.go_on(parts);
        self.b.switch_to_block(failed);
        self.call(self.runtime.tell, &[self.engine, transition], None);
        self.leave(STOPPED);
    }

    /// What ends a firing, and its operands. The interpreter does not note it.
    fn finish_of(&mut self, ending: Value, transition: Value) -> [Value; 2] {
        let function = self.load(I64, ending, offset_of!(Ending, function));
        let operands = self.load(I64, ending, offset_of!(Ending, operands));
        let finishes = self.finishes;
        let look_up = |s: &mut Self| {
            s.b.current_block().into_iter().for_each(|block| s.b.set_cold_block(block));
            s.routine(finishes, transition).to_vec()
        };
        let known = self.branch(function, &[I64, I64], |_| vec![function, operands], look_up);
        [known[0], known[1]]
    }

    /// The first firing leaves its slot, perhaps to the next one of its lane (`Agenda::end_next`).
    fn leave_slot(&mut self, slot: Value, lane: Value) {
        if self.program.lanes == 0 {
            self.leave_gap(slot);
            return;
        }
        let outside = self.b.ins().icmp_imm_u(IntCC::Equal, lane, i64::from(NO_LANE));
        let in_lane = |s: &mut Self| {
            let lanes = s.load(I64, s.engine, s.layout.lanes);
            let number = s.b.ins().uextend(I64, lane);
            let entry = s.row(lanes, number, size_of::<Lane>() as i64);
            let others = s.add_at(entry, offset_of!(Lane, firings), -1);
            let succeed = |s: &mut Self| {
                s.succeed(entry, slot);
                Vec::new()
            };
            let last = |s: &mut Self| {
                s.leave_gap(slot);
                Vec::new()
            };
            s.branch(others, &[], succeed, last);
            Vec::new()
        };
        let alone = |s: &mut Self| {
            s.leave_gap(slot);
            Vec::new()
        };
        self.branch(outside, &[], alone, in_lane);
    }

    /// The slot is a gap. Takes note whether another firing ends now, too (`Events::is_due_beside`).
    fn leave_gap(&mut self, slot: Value) {
        self.store(slot, self.engine, self.layout.gap);
        let now = self.load(I64, self.engine, self.layout.due_time);
        let tie = self.load(I64, self.engine, self.layout.tie);
        let none = self.b.ins().iconst(I8, 0);
        self.store(none, self.engine, self.layout.more);
        let may_be = self.b.ins().icmp(IntCC::UnsignedLessThanOrEqual, now, tie);
        self.when(may_be, |s| s.call_rarely(Rare::LookBeside, &[slot]));
    }

    /// `Agenda::release`: the address of a record, whose cell is vacant again.
    fn release(&mut self, cell: Value) -> Value {
        if self.program.record == 0 {
            return self.engine;
        }
        let none = self.b.ins().icmp_imm_u(IntCC::Equal, cell, i64::from(NO_CELL));
        let leave = |s: &mut Self| {
            let vacancies = s.load(I64, s.engine, s.layout.vacancies);
            let vacant = s.load(I64, s.engine, s.layout.vacant);
            let entry = s.row(vacant, vacancies, size_of::<u32>() as i64);
            s.store(cell, entry, 0);
            let vacancies = s.b.ins().iadd_imm_s(vacancies, 1);
            s.store(vacancies, s.engine, s.layout.vacancies);
            s.record(cell)
        };
        self.either(none, I64, |s| s.engine, leave)
    }

    /// To the next firing that ends now, or else to those that may start.
    fn go_on(&mut self, parts: &Parts) {
        let gap = self.load(I64, self.engine, self.layout.gap);
        let open = self.b.ins().icmp_imm_s(IntCC::NotEqual, gap, NONE as i64);
        let (left, succeeded) = (self.b.create_block(), self.b.create_block());
        self.b.ins().brif(open, left, &[], succeeded, &[]);
        self.b.switch_to_block(left);
        let more = self.load(I8, self.engine, self.layout.more);
        let close = self.b.create_block();
        self.b.ins().brif(more, close, &[], parts.top, &[]);
        self.b.switch_to_block(close);
        self.close_gap(gap);
        self.jump(parts.finish, &[]);
        self.b.switch_to_block(succeeded);
        let nodes = self.load(I64, self.engine, self.layout.nodes);
        let next = self.load(I64, nodes, size_of::<Key>() + offset_of!(Key, time));
        let now = self.load(F64, self.engine, self.layout.now);
        let now = self.b.ins().bitcast(I64, MemFlagsData::new(), now);
        let due = self.b.ins().icmp(IntCC::Equal, next, now);
        self.b.ins().brif(due, parts.finish, &[], parts.top, &[]);
    }
}
