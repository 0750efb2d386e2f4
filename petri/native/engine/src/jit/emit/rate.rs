//! Code for rates in the common clock (C4).

use std::mem::{offset_of, size_of};

use cranelift_codegen::ir::condcodes::{FloatCC, IntCC};
use cranelift_codegen::ir::types::{F64, I32, I64};
use cranelift_codegen::ir::{InstBuilder, MemFlagsData, Value};

use crate::engine::code::UNSETTLED;
use crate::jit::blueprint::rate::{Bindings, EachRate, RatePlan, Settle};
use crate::jit::emit::emitter::Writer;
use crate::jit::emit::subjects::{RateCode, Subjects};
use crate::jit::holes::Hole;
use crate::state::clocks::Clocks;
use crate::state::common_clock::GREATEST_RATE;
use crate::state::counters::TransitionCounters;

impl RateCode<'_, '_, '_> {
    /// Returns the number of clocks of a transition whose conditions hold, and leaves the sum of their rates to the engine. The
    /// interpreter does it where something is out of the ordinary.
    pub fn rate(&mut self, plan: &RatePlan) {
        let [clocks, rate] = self.clocks_and_rate(plan);
        let bits = self.e.b.ins().bitcast(I64, MemFlagsData::new(), rate);
        self.e.store(bits, self.e.engine, self.e.layout.value);
        self.e.b.ins().return_(&[clocks]);
    }

    /// The number of clocks of a transition whose watches hold, and the sum of their rates.
    fn clocks_and_rate(&mut self, plan: &RatePlan) -> [Value; 2] {
        let Some(guard) = &plan.guard else { return self.of_enabled(plan) };
        let now = self.e.now;
        let holds = self.expressions().condition(guard, now);
        self.some_or_none(holds, |s| s.of_enabled(plan))
    }

    /// A number of clocks and the sum of their rates if a condition holds; none otherwise.
    fn some_or_none(&mut self, condition: Value, some: impl FnOnce(&mut Self) -> [Value; 2]) -> [Value; 2] {
        let found = self.branch(condition, &[I64, F64], |s| some(s).to_vec(), |s| vec![s.e.int(0), s.e.real(0.0)]);
        [found[0], found[1]]
    }

    fn of_enabled(&mut self, plan: &RatePlan) -> [Value; 2] {
        let mut clocks = match plan.bindings {
            Bindings::One => plan.servers.map(|servers| self.e.int(servers)),
            Bindings::Bag(place) => Some(self.e.tokens_in(place)),
            Bindings::Join(join) => Some(self.joins().choices(join)),
        };
        for &(place, count) in &plan.needs {
            let mut degree = self.e.tokens_in(place);
            if count > 1 {
                let count = self.e.int(count);
                degree = self.e.b.ins().udiv(degree, count);
            }
            clocks = Some(clocks.map_or(degree, |clocks| self.e.b.ins().umin(clocks, degree)));
        }
        let each = self.each(&plan.each);
        let (clocks, rate) = match clocks {
            None => (self.e.int(1), each),
            Some(clocks) => {
                let few = self.e.b.ins().icmp_imm_s(IntCC::SignedGreaterThan, clocks, 0);
                self.e.require(few);
                let number = self.e.b.ins().fcvt_from_sint(F64, clocks);
                (clocks, self.e.b.ins().fmul(number, each))
            }
        };
        let greatest = self.e.real(GREATEST_RATE);
        let usual = self.e.b.ins().fcmp(FloatCC::LessThanOrEqual, rate, greatest);
        self.e.require(usual);
        [clocks, rate]
    }

    /// A firing has changed these rates, and is all that happens at its instant (`Clocks::share`, `CommonClock::set_rate`). Leaves
    /// with `UNSETTLED` where something is out of the ordinary.
    pub fn settle(&mut self, settles: &[Settle]) {
        let [unsettled] = self.e.new_blocks();
        self.e.b.set_cold_block(unsettled);
        let general = self.e.leave_for(unsettled);
        let rates = self.e.table(self.e.layout.rates);
        let all = self.e.table(self.e.layout.all_clocks);
        // All are computed before the first is changed.
        let computed: Vec<Option<[Value; 2]>> =
            settles.iter().map(|settle| settle.rate.as_ref().map(|plan| self.compute(settle, plan))).collect();
        self.e.leave_for(general);
        for (position, (settle, computed)) in settles.iter().zip(computed).enumerate() {
            let offset = self.e.hole(Hole::Constant(settle.clocks));
            let clocks = self.e.b.ins().iadd(all, offset);
            let Some([number, rate]) = computed else {
                self.set_another(clocks);
                continue;
            };
            self.enter_rate(settle, rates, rate);
            let before = self.e.load(I64, clocks, offset_of!(Clocks, running));
            let changed = self.e.b.ins().icmp(IntCC::NotEqual, number, before);
            if position > 0 {
                self.when(changed, |s| s.change_number(clocks, before, before, number));
                continue;
            }
            let change = |s: &mut Self| {
                let others = s.e.b.ins().iadd_imm_s(before, -1);
                s.change_number(clocks, before, others, number);
            };
            self.when_or(changed, change, |s| s.set_another(clocks));
        }
        let here = self.e.b.current_block();
        self.e.b.switch_to_block(unsettled);
        self.e.leave(UNSETTLED);
        here.into_iter().for_each(|here| self.e.b.switch_to_block(here));
    }

    /// The clock that has run down is set again, so that as many run as before.
    fn set_another(&mut self, clocks: Value) {
        self.e.add_at(clocks, offset_of!(Clocks, set), 1);
    }

    /// How many clocks of a transition run, and the sum of their rates.
    fn compute(&mut self, settle: &Settle, plan: &RatePlan) -> [Value; 2] {
        let state = self.e.transition(settle.transition);
        let unmet = self.e.load(I32, state, offset_of!(TransitionCounters, unmet));
        // It lacks nothing but that its clock has run down.
        let possible = self.e.equals(unmet, 1);
        self.some_or_none(possible, |s| s.clocks_and_rate(plan))
    }

    fn enter_rate(&mut self, settle: &Settle, rates: Value, rate: Value) {
        let mut node = self.e.hole(Hole::Constant(settle.leaf));
        let address = self.e.b.ins().iadd(rates, node);
        self.e.store(rate, address, 0);
        for _ in 0..settle.levels {
            node = self.node_above(node);
            self.add_up(rates, node);
        }
    }

    /// `Clocks::change`: `number` clocks run, and not `before`, of which `kept` have not run down.
    fn change_number(&mut self, clocks: Value, before: Value, kept: Value, number: Value) {
        let since = self.e.load(I64, clocks, offset_of!(Clocks, since));
        let (spell, zero) = (self.e.b.ins().isub(self.e.now, since), self.e.int(0));
        self.e.store(self.e.now, clocks, offset_of!(Clocks, since));
        self.e.store(number, clocks, offset_of!(Clocks, running));
        let low = self.e.load(I64, clocks, offset_of!(Clocks, integral));
        let (more, more_high) = (self.e.b.ins().imul(before, spell), self.e.b.ins().umulhi(before, spell));
        let sum = self.e.b.ins().iadd(low, more);
        self.e.store(sum, clocks, offset_of!(Clocks, integral));
        let carry = self.e.b.ins().icmp(IntCC::UnsignedLessThan, sum, more);
        let carry = self.e.b.ins().uextend(I64, carry);
        let high = self.e.load(I64, clocks, offset_of!(Clocks, integral) + size_of::<u64>());
        let high = self.e.b.ins().iadd(high, more_high);
        let high = self.e.b.ins().iadd(high, carry);
        self.e.store(high, clocks, offset_of!(Clocks, integral) + size_of::<u64>());
        let is_idle = self.e.equals(before, 0);
        let busy = self.e.b.ins().select(is_idle, zero, spell);
        self.add(clocks, offset_of!(Clocks, busy), busy);
        let change = self.e.b.ins().isub(number, kept);
        let set = self.e.b.ins().smax(change, zero);
        self.add(clocks, offset_of!(Clocks, set), set);
        let dropped = self.e.b.ins().isub(set, change);
        self.add(clocks, offset_of!(Clocks, dropped), dropped);
    }

    fn add(&mut self, address: Value, offset: usize, more: Value) {
        let sum = self.e.load(I64, address, offset);
        let sum = self.e.b.ins().iadd(sum, more);
        self.e.store(sum, address, offset);
    }

    /// Sums are known by their distance from the root. The four below one begin at 4 times its distance, and a number more.
    fn node_above(&mut self, node: Value) -> Value {
        let from_first = self.e.b.ins().iadd_imm_s(node, -8);
        let number = self.e.b.ins().ushr_imm_s(from_first, 5);
        self.e.b.ins().ishl_imm_s(number, 3)
    }

    /// The four rates or sums below a sum, and where they are.
    pub fn below(&mut self, rates: Value, node: Value) -> ([Value; 4], Value) {
        let offset = self.e.b.ins().ishl_imm_s(node, 2);
        let offset = self.e.b.ins().iadd_imm_s(offset, 8);
        let first = self.e.b.ins().iadd(rates, offset);
        ([0, 1, 2, 3].map(|number| self.e.load(F64, first, 8 * number)), offset)
    }

    /// `CommonClock::add_up`.
    pub fn add_up(&mut self, rates: Value, node: Value) -> Value {
        let ([a, b, c, d], _) = self.below(rates, node);
        let sum = self.sum([a, b, c, d]);
        let address = self.e.b.ins().iadd(rates, node);
        self.e.store(sum, address, 0);
        sum
    }

    pub fn sum(&mut self, [a, b, c, d]: [Value; 4]) -> Value {
        let (first, second) = (self.e.b.ins().fadd(a, b), self.e.b.ins().fadd(c, d));
        self.e.b.ins().fadd(first, second)
    }

    fn each(&mut self, rate: &EachRate) -> Value {
        let (mean, speed) = match rate {
            EachRate::Const(rate) => return self.e.real_hole(*rate),
            EachRate::Of { mean, speed } => (mean, speed),
        };
        let (now, zero) = (self.e.now, self.e.real(0.0));
        let mut pace = self.e.real(1.0);
        if let Some(speed) = speed {
            pace = self.expressions().real_value(speed, now);
            let runs = self.e.b.ins().fcmp(FloatCC::GreaterThanOrEqual, pace, zero);
            self.e.require(runs);
        }
        let mean = self.expressions().real_value(mean, now);
        let lasts = self.e.b.ins().fcmp(FloatCC::GreaterThan, mean, zero);
        self.e.require(lasts);
        self.e.b.ins().fdiv(pace, mean)
    }
}
