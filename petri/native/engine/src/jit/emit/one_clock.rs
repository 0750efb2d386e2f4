//! Code for the loop of a net of one clock: each instant is a firing of one of the transitions that share it (C4). The firing has
//! computed the rates that it changed; the loop adds them up, sets the clock, and chooses the next transition.

use cranelift_codegen::ir::condcodes::{FloatCC, IntCC};
use cranelift_codegen::ir::types::{F64, I64};
use cranelift_codegen::ir::{InstBuilder, MemFlagsData, Value};

use crate::base::ticks::SHORT;
use crate::collections::tournament::NEVER;
use crate::engine::code::{OVER, STOPPED, UNSETTLED, USED_UP};
use crate::jit::emit::emitter::{Draw, Writer};
use crate::jit::emit::main_loop::LoopContext;
use crate::jit::emit::subjects::{MainLoopCode, Subjects};
use crate::state::common_clock::CommonClock;

impl MainLoopCode<'_, '_, '_> {
    /// Nothing is enabled where the loop begins. The engine settles the clock, and then the code does. Between two firings, the loop
    /// has the random stream.
    pub fn run_clock(&mut self, asked: &LoopContext, parts: usize) {
        let [wait] = self.e.new_blocks();
        let end = self.e.b.append_block_param(wait, I64);
        self.e.b.switch_to_block(asked.parts.idle);
        if let Some(fine) = self.e.call(self.e.runtime.settle, &[self.e.engine], Some(I64)) {
            self.leave_unless(fine, STOPPED);
        }
        self.chance().take();
        let first = self.e.load(I64, self.e.engine, self.e.layout.common_end);
        self.e.jump(wait, &[first]);
        self.e.b.switch_to_block(asked.parts.done);
        self.chance().take();
        let next = self.set_clock(asked, parts);
        self.e.store(next, self.e.engine, self.e.layout.common_end);
        self.e.jump(wait, &[next]);
        self.e.b.switch_to_block(wait);
        self.wait(asked, end);
        let part = self.choose_part(parts);
        self.e.jump(asked.parts.fire, &[part]);
    }

    /// What the code could not do after all: a firing, or to settle the clock.
    pub fn leave_clock(&mut self, asked: &LoopContext, status: Value, transition: Value) {
        let [fired, not_fired] = self.e.new_blocks();
        let has_fired = self.e.equals(status, UNSETTLED);
        self.e.b.ins().brif(has_fired, fired, &[], not_fired, &[]);
        self.e.b.switch_to_block(not_fired);
        self.e.call(self.e.runtime.is_due, &[self.e.engine, transition], None);
        self.leave_to_start(transition, status);
        self.e.b.switch_to_block(fired);
        if let Some(fine) = self.e.call(self.e.runtime.settle_fired, &[self.e.engine], Some(I64)) {
            self.leave_unless(fine, STOPPED);
        }
        self.e.jump(asked.parts.idle, &[]);
    }

    /// `CommonClock::settle` after a firing: when the clock has run down again.
    fn set_clock(&mut self, asked: &LoopContext, parts: usize) -> Value {
        let rates = self.e.table(self.e.layout.rates);
        let root = self.e.int(0);
        let (first, depth) = CommonClock::shape(parts);
        let sum = match depth {
            _ if CommonClock::adds_up_at_once(first) => self.e.load(F64, rates, 0),
            0 => self.e.load(F64, rates, 0),
            1 => self.rates().add_up(rates, root),
            _ => {
                // The sums do not have to be read again.
                let sums = [1, 2, 3, 4].map(|node| {
                    let node = self.e.int(8 * node);
                    self.rates().add_up(rates, node)
                });
                let sum = self.rates().sum(sums);
                self.e.store(sum, rates, 0);
                sum
            }
        };
        let zero = self.e.real(0.0);
        let runs = self.e.b.ins().fcmp(FloatCC::GreaterThan, sum, zero);
        let never = |s: &mut Self| s.aside(true, |s| s.e.int(NEVER as u64));
        self.either(runs, I64, |s| s.next_end(asked, sum), never)
    }

    fn next_end(&mut self, asked: &LoopContext, sum: Value) -> Value {
        let standard = self.chance().exponential(Draw::Choice);
        let time = self.e.b.ins().fdiv(standard, sum);
        let short = self.e.real(SHORT);
        let is_short = self.e.b.ins().fcmp(FloatCC::LessThan, time, short);
        let soon = |s: &mut Self| {
            let (time, now) = (s.transitions().nearest(time), s.e.b.use_var(asked.now));
            s.e.b.ins().iadd(now, time)
        };
        let late = |s: &mut Self| s.e.call(s.e.runtime.later, &[s.e.engine, time], Some(I64)).unwrap_or(s.e.engine);
        self.either(is_short, I64, soon, |s| s.aside(true, late))
    }

    /// Time moves to the end of the clock, if that is not too late and firings may start.
    fn wait(&mut self, asked: &LoopContext, end: Value) {
        let [go, late, used_up] = self.e.new_blocks();
        let within = self.e.b.ins().icmp(IntCC::UnsignedLessThanOrEqual, end, asked.until);
        self.e.b.ins().brif(within, go, &[], late, &[]);
        self.e.b.set_cold_block(late);
        self.e.b.switch_to_block(late);
        self.chance().give_back();
        self.e.call(self.e.runtime.rests, &[self.e.engine], None);
        self.e.leave(OVER);
        self.e.b.switch_to_block(go);
        let before = self.e.b.use_var(asked.now);
        let firings = self.e.load(I64, self.e.engine, self.e.layout.firings);
        let began = self.e.load(I64, self.e.engine, self.e.layout.instant_began);
        let passes = self.e.b.ins().icmp(IntCC::NotEqual, end, before);
        let began = self.e.b.ins().select(passes, firings, began);
        self.e.store(began, self.e.engine, self.e.layout.instant_began);
        self.e.store(end, self.e.engine, self.e.layout.now);
        self.e.b.def_var(asked.now, end);
        self.unless_allowed(asked, used_up);
        let here = self.e.b.current_block();
        self.e.b.set_cold_block(used_up);
        self.e.b.switch_to_block(used_up);
        self.chance().give_back();
        self.e.call(self.e.runtime.rings, &[self.e.engine], None);
        self.e.leave(USED_UP);
        here.into_iter().for_each(|here| self.e.b.switch_to_block(here));
    }

    /// `CommonClock::ring`: the number of the transition that is due. Which one is unpredictable: no branch depends on it.
    fn choose_part(&mut self, parts: usize) -> Value {
        if parts == 1 {
            self.chance().give_back();
            return self.e.int(0);
        }
        let chance = self.chance().uniform(Draw::Choice);
        self.chance().give_back();
        let rates = self.e.table(self.e.layout.rates);
        let sum = self.e.load(F64, rates, 0);
        let mut left = self.e.b.ins().fmul(chance, sum);
        let (first, depth) = CommonClock::shape(parts);
        let mut node = self.e.int(0);
        for level in 1..=depth {
            let ([a, b, c, d], offset) = self.rates().below(rates, node);
            let (upper, lower) = (self.e.b.ins().fadd(a, b), self.e.b.ins().fadd(c, d));
            let is_lower = self.goes_on(left, upper, lower);
            let left_below = self.e.b.ins().fsub(left, upper);
            // Both are computed, and one is taken.
            let [of_upper, of_lower] = [(left, a, b), (left_below, c, d)].map(|(left, first, second)| {
                let is_second = self.goes_on(left, first, second);
                let rest = self.e.b.ins().fsub(left, first);
                (self.e.b.ins().uextend(I64, is_second), self.chosen(is_second, rest, left, level < depth))
            });
            let further = self.e.b.ins().iadd_imm_s(of_lower.0, 2);
            let position = self.e.b.ins().select(is_lower, further, of_upper.0);
            left = self.chosen(is_lower, of_lower.1, of_upper.1, level < depth);
            let distance = self.e.b.ins().ishl_imm_s(position, 3);
            node = self.e.b.ins().iadd(offset, distance);
        }
        let number = self.e.b.ins().ushr_imm_s(node, 3);
        self.e.b.ins().iadd_imm_s(number, -(first as i64))
    }

    /// Whether the second of two sums is chosen.
    fn goes_on(&mut self, left: Value, first: Value, second: Value) -> Value {
        let zero = self.e.real(0.0);
        let beyond = self.e.b.ins().fcmp(FloatCC::GreaterThanOrEqual, left, first);
        let some = self.e.b.ins().fcmp(FloatCC::GreaterThan, second, zero);
        self.e.b.ins().band(beyond, some)
    }

    /// One of two floats, without a branch; any where it is not used.
    fn chosen(&mut self, condition: Value, one: Value, other: Value, used: bool) -> Value {
        if !used {
            return other;
        }
        let [one, other] = [one, other].map(|value| self.e.b.ins().bitcast(I64, MemFlagsData::new(), value));
        let bits = self.e.b.ins().select(condition, one, other);
        self.e.b.ins().bitcast(F64, MemFlagsData::new(), bits)
    }
}
