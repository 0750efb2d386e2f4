//! Code for rates in the common clock (C4).

use cranelift_codegen::ir::condcodes::{FloatCC, IntCC};
use cranelift_codegen::ir::types::{F64, I64};
use cranelift_codegen::ir::{InstBuilder, MemFlagsData, Value};

use crate::jit::blueprint::{Bindings, EachRate, RatePlan};
use crate::jit::emit::subjects::{RateCode, Subjects};
use crate::state::common_clock::GREATEST_RATE;

impl RateCode<'_, '_, '_> {
    /// Returns the number of clocks of a transition whose conditions hold, and leaves the sum of their rates to the engine. The
    /// interpreter does it where something is out of the ordinary.
    pub fn rate(&mut self, plan: &RatePlan) {
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
        let clocks = clocks.unwrap_or_else(|| self.e.int(1));
        let few = self.e.b.ins().icmp_imm_s(IntCC::SignedGreaterThan, clocks, 0);
        self.e.require(few);
        let each = self.each(&plan.each);
        let number = self.e.b.ins().fcvt_from_sint(F64, clocks);
        let rate = self.e.b.ins().fmul(number, each);
        let greatest = self.e.real(GREATEST_RATE);
        let rate = self.e.b.ins().fmin(rate, greatest);
        let bits = self.e.b.ins().bitcast(I64, MemFlagsData::new(), rate);
        self.e.store(bits, self.e.engine, self.e.layout.value);
        self.e.b.ins().return_(&[clocks]);
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
