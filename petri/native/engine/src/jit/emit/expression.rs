//! Code for expressions. If one would raise a fault, the code returns to the interpreter, which raises it.

use cranelift_codegen::ir::condcodes::{FloatCC, IntCC};
use cranelift_codegen::ir::types::{F64, I64, I8};
use cranelift_codegen::ir::{InstBuilder, MemFlagsData, Value};

use crate::engine::code::DONE;
use crate::jit::blueprint::expression::{
    self, Bool, Comparison, Constant, Expression, Int, IntOperation, Leaf, Mean, Real, RealFunction, RealOperation,
    Rounding, WIDEST,
};
use crate::jit::blueprint::names::{CallRef, WordRef};
use crate::jit::emit::emitter::{Draw, Writer};
use crate::jit::emit::slots::slots_at;
use crate::jit::emit::subjects::{ExpressionCode, Subjects};
use crate::jit::holes::Hole;

/// A real, and whether it was tested: it is finite then, and not −0.
#[derive(Clone, Copy)]
struct Open {
    value: Value,
    is_tested: bool,
}

impl Open {
    fn tested(value: Value) -> Self {
        Open { value, is_tested: true }
    }
}

impl ExpressionCode<'_, '_, '_> {
    /// The 64 bits of a value. `end` is the end of the firing, as far as it is known.
    pub fn bits(&mut self, value: &expression::Value, end: Value) -> Value {
        match value {
            expression::Value::Int(Int::Leaf(Leaf::Var(variable))) | expression::Value::Real(Real::Var(variable)) => {
                self.variable(*variable)
            }
            expression::Value::Int(e) => self.integer(e, end),
            expression::Value::Real(e) => {
                let value = self.real_value(e, end);
                self.bits_of(value)
            }
        }
    }

    /// `Value::rank` of a value, reversed if the greatest is to have the least.
    pub fn rank(&mut self, value: &expression::Value, reversed: bool, end: Value) -> Value {
        let bits = self.bits(value, end);
        let positive = self.e.b.ins().bxor_imm_s(bits, i64::MIN);
        let rank = match value {
            expression::Value::Int(_) => positive,
            expression::Value::Real(_) => {
                let negative = self.e.b.ins().bnot(bits);
                let sign = self.e.b.ins().icmp_imm_s(IntCC::SignedLessThan, bits, 0);
                self.e.b.ins().select(sign, negative, positive)
            }
        };
        if reversed {
            self.e.b.ins().bnot(rank)
        } else {
            rank
        }
    }

    fn variable(&mut self, variable: usize) -> Value {
        match self.e.variables[variable] {
            Some(slot) => self.slots().word_in(slot),
            None => self.e.int(0),
        }
    }

    /// Writes the variables that are known to the engine's, for expressions and probes that run outside of the code.
    pub fn spill_variables(&mut self) {
        let variables = self.e.table(self.e.layout.variables);
        for i in 0..self.e.variables.len() {
            let value = self.variable(i);
            self.e.store(value, variables, 8 * i);
        }
    }

    /// An exponential, from a standard one and a mean.
    pub fn times_mean(&mut self, standard: Value, mean: WordRef) -> Value {
        let mean = self.e.real_hole(mean);
        self.e.b.ins().fmul(mean, standard)
    }

    fn bits_of(&mut self, real: Value) -> Value {
        self.e.b.ins().bitcast(I64, MemFlagsData::new(), real)
    }

    fn real_of(&mut self, bits: Value) -> Value {
        self.e.b.ins().bitcast(F64, MemFlagsData::new(), bits)
    }

    // ------------------------------------------------------------ functions of expressions

    /// A function that evaluates an expression. The last parameters are the address of its variables, and the end of
    /// the firing, as far as it is known. The value replaces the first variable.
    pub fn evaluate(&mut self, expression: &Expression) {
        let [variables, end] = [2, 3].map(|position| self.e.parameter(position));
        self.e.variables = slots_at(variables, self.e.variables.len()).into_iter().map(Some).collect();
        let bits = match expression {
            Expression::Bool(e) => {
                let holds = self.condition(e, end);
                self.e.b.ins().uextend(I64, holds)
            }
            Expression::Int(e) => self.integer(e, end),
            Expression::Real(e) => {
                let value = self.real_value(e, end);
                self.bits_of(value)
            }
        };
        self.e.store(bits, variables, 0);
        self.e.leave(DONE);
    }

    /// The value of an expression that a function evaluates, as 64 bits.
    fn called(&mut self, call: CallRef, end: Value) -> Value {
        let variables = self.variables_on_stack();
        let (function, row) = (self.e.hole(Hole::Function(call)), self.e.hole(Hole::Row(call)));
        let (convention, arguments) = (self.e.convention(), [self.e.engine, row, variables, end]);
        if let Some(status) = self.e.call_address(convention, function, &arguments, Some(I64)) {
            let done = self.e.equals(status, DONE);
            self.e.require(done);
        }
        self.e.load(I64, variables, 0)
    }

    /// The variables that are known, on the stack, with room for a value.
    fn variables_on_stack(&mut self) -> Value {
        let words = self.e.variables.len().max(1);
        let address = self.slots().room(words);
        for i in 0..self.e.variables.len() {
            if let Some(variable) = self.e.variables[i] {
                let value = self.slots().word_in(variable);
                self.e.store(value, address, 8 * i);
            }
        }
        address
    }

    /// The value of an integer that is a constant of the code.
    fn constant(&mut self, e: &Int) -> Option<i64> {
        match *e {
            Int::Leaf(leaf) => self.whole_leaf(leaf).1,
            _ => None,
        }
    }

    // ------------------------------------------------------------ conditions

    /// A condition as an integer of 8 bits.
    pub fn condition(&mut self, e: &Bool, end: Value) -> Value {
        match e {
            Bool::Const(value) => self.e.b.ins().iconst(I8, i64::from(*value)),
            Bool::Truth(a) => {
                let a = self.integer(a, end);
                self.e.b.ins().icmp_imm_s(IntCC::NotEqual, a, 0)
            }
            Bool::Ints(comparison, operands) => {
                let (a, b) = (self.integer(&operands.0, end), self.integer(&operands.1, end));
                self.e.b.ins().icmp(whole(*comparison), a, b)
            }
            Bool::Reals(comparison, operands) => {
                let (a, b) = (self.real_value(&operands.0, end), self.real_value(&operands.1, end));
                self.e.b.ins().fcmp(real(*comparison), a, b)
            }
            Bool::And(operands) => {
                let first = self.condition(&operands.0, end);
                let no = |s: &mut Self| s.e.b.ins().iconst(I8, 0);
                self.either(first, I8, |s| s.condition(&operands.1, end), no)
            }
            Bool::Or(operands) => {
                let first = self.condition(&operands.0, end);
                let yes = |s: &mut Self| s.e.b.ins().iconst(I8, 1);
                self.either(first, I8, yes, |s| s.condition(&operands.1, end))
            }
            Bool::Not(a) => {
                let a = self.condition(a, end);
                self.e.b.ins().icmp_imm_s(IntCC::Equal, a, 0)
            }
            Bool::If(parts) => {
                let first = self.condition(&parts.0, end);
                let branch = |e| move |s: &mut Self| s.condition(e, end);
                self.either(first, I8, branch(&parts.1), branch(&parts.2))
            }
            Bool::Called(call) => {
                let value = self.called(*call, end);
                self.e.b.ins().icmp_imm_s(IntCC::NotEqual, value, 0)
            }
        }
    }

    // ------------------------------------------------------------ integers

    pub fn integer(&mut self, e: &Int, end: Value) -> Value {
        match e {
            Int::Leaf(leaf) => self.whole_leaf(*leaf).0,
            Int::Tokens(place) => self.e.tokens_in(*place),
            Int::Neg(a) => {
                let a = self.integer(a, end);
                let zero = self.e.int(0);
                self.int_operation(IntOperation::Sub, zero, a, None)
            }
            Int::Abs(a) => {
                let a = self.integer(a, end);
                let least = self.e.b.ins().icmp_imm_s(IntCC::NotEqual, a, i64::MIN);
                self.e.require(least);
                self.e.b.ins().iabs(a)
            }
            Int::Binary(operation, operands) => {
                let (a, b) = (self.integer(&operands.0, end), self.integer(&operands.1, end));
                let known = self.constant(&operands.1);
                self.int_operation(*operation, a, b, known)
            }
            Int::Chain(first, steps) => {
                let (mut value, _) = self.whole_leaf(*first);
                for (operation, operand) in steps {
                    let (operand, known) = self.whole_leaf(*operand);
                    value = self.int_operation(*operation, value, operand, known);
                }
                value
            }
            Int::Rounded(rounding, a) => {
                let a = self.real_value(a, end);
                self.rounded(*rounding, a)
            }
            Int::If(parts) => {
                let condition = self.condition(&parts.0, end);
                let branch = |e| move |s: &mut Self| s.integer(e, end);
                self.either(condition, I64, branch(&parts.1), branch(&parts.2))
            }
            Int::Truth(condition) => {
                let condition = self.condition(condition, end);
                self.e.b.ins().uextend(I64, condition)
            }
            Int::Uniform(bounds) => self.uniform_int(bounds, end),
            Int::Called(call) => self.called(*call, end),
            Int::Evaluated(address) => self.evaluated(self.e.runtime.integer, *address, end),
        }
    }

    /// `distribution::uniform_int`.
    fn uniform_int(&mut self, bounds: &(Int, Int), end: Value) -> Value {
        let known = match (self.constant(&bounds.0), self.constant(&bounds.1)) {
            (Some(low), Some(high)) => high.checked_sub(low),
            _ => None,
        };
        let (low, high) = (self.integer(&bounds.0, end), self.integer(&bounds.1, end));
        let position = if let Some(width @ 1..WIDEST) = known {
            let number = self.e.int(width as u64 + 1);
            self.chance().choice_of_several(Draw::Value, number)
        } else {
            let ascending = self.e.b.ins().icmp(IntCC::SignedLessThanOrEqual, low, high);
            self.e.require(ascending);
            let width = self.e.b.ins().isub(high, low);
            let narrow = self.e.b.ins().icmp_imm_u(IntCC::UnsignedLessThan, width, WIDEST);
            self.e.require(narrow);
            let number = self.e.b.ins().iadd_imm_s(width, 1);
            self.chance().equal_choice(Draw::Value, number)
        };
        self.e.b.ins().iadd(low, position)
    }

    fn whole_leaf(&mut self, leaf: Leaf) -> (Value, Option<i64>) {
        match leaf {
            Leaf::Const(Constant::Written(value)) => (self.e.int(value), Some(value as i64)),
            Leaf::Const(Constant::Held(word)) => {
                let position = self.e.position(Hole::Constant(word));
                let known = self.e.constant_at(position);
                (self.e.hole_at(I64, position), known.map(|word| word as i64))
            }
            Leaf::Var(variable) => (self.variable(variable), None),
        }
    }

    /// `IntOperation::apply`; `known` is `b` where it is a constant.
    fn int_operation(&mut self, operation: IntOperation, a: Value, b: Value, known: Option<i64>) -> Value {
        match operation {
            IntOperation::Add => {
                let (sum, over) = self.e.b.ins().sadd_overflow(a, b);
                self.no_overflow(over);
                sum
            }
            IntOperation::Sub => {
                let (difference, over) = self.e.b.ins().ssub_overflow(a, b);
                self.no_overflow(over);
                difference
            }
            IntOperation::Mul => {
                let (product, over) = self.e.b.ins().smul_overflow(a, b);
                self.no_overflow(over);
                product
            }
            IntOperation::PlainAdd => self.e.b.ins().iadd(a, b),
            IntOperation::PlainSub => self.e.b.ins().isub(a, b),
            IntOperation::PlainMul => self.e.b.ins().imul(a, b),
            IntOperation::PlainDivide => self.e.b.ins().udiv(a, b),
            IntOperation::PlainModulo => self.e.b.ins().urem(a, b),
            IntOperation::Min => self.e.b.ins().smin(a, b),
            IntOperation::Max => self.e.b.ins().smax(a, b),
            IntOperation::Within => {
                let least = self.e.b.ins().icmp_imm_s(IntCC::SignedGreaterThanOrEqual, a, 0);
                self.e.require(least);
                let most = self.e.b.ins().icmp(IntCC::SignedLessThan, a, b);
                self.e.require(most);
                a
            }
            IntOperation::FloorDivide | IntOperation::Modulo => {
                let whole = operation == IntOperation::FloorDivide;
                match known {
                    Some(power) if power > 0 && power & (power - 1) == 0 => {
                        if whole {
                            self.e.b.ins().sshr_imm_s(a, i64::from(power.trailing_zeros()))
                        } else {
                            self.e.b.ins().band_imm_s(a, power - 1)
                        }
                    }
                    _ => self.floored(whole, a, b, known),
                }
            }
        }
    }

    fn no_overflow(&mut self, over: Value) {
        let fine = self.e.equals(over, 0);
        self.e.require(fine);
    }

    /// Quotient and remainder, rounded down. Divisors 0 and −1 are left to the interpreter.
    fn floored(&mut self, whole: bool, a: Value, b: Value, known: Option<i64>) -> Value {
        if known.is_none_or(|b| b == 0 || b == -1) {
            let shifted = self.e.b.ins().iadd_imm_s(b, 1);
            let usual = self.e.b.ins().icmp_imm_u(IntCC::UnsignedGreaterThan, shifted, 1);
            self.e.require(usual);
        }
        let quotient = self.e.b.ins().sdiv(a, b);
        let product = self.e.b.ins().imul(quotient, b);
        let rest = self.e.b.ins().isub(a, product);
        let inexact = self.e.b.ins().icmp_imm_s(IntCC::NotEqual, rest, 0);
        let signs = self.e.b.ins().bxor(rest, b);
        let opposite = self.e.b.ins().icmp_imm_s(IntCC::SignedLessThan, signs, 0);
        let adjust = self.e.b.ins().band(inexact, opposite);
        if whole {
            let adjust = self.e.b.ins().uextend(I64, adjust);
            self.e.b.ins().isub(quotient, adjust)
        } else {
            let raised = self.e.b.ins().iadd(rest, b);
            self.e.b.ins().select(adjust, raised, rest)
        }
    }

    /// `Rounding::apply`.
    fn rounded(&mut self, rounding: Rounding, a: Value) -> Value {
        let rounded = match rounding {
            Rounding::Floor => self.e.b.ins().floor(a),
            Rounding::Ceil => self.e.b.ins().ceil(a),
            Rounding::Round => self.e.b.ins().nearest(a),
        };
        let (low, high) = (self.e.real(-9_223_372_036_854_775_808.0), self.e.real(9_223_372_036_854_775_808.0));
        let above = self.e.b.ins().fcmp(FloatCC::GreaterThanOrEqual, rounded, low);
        self.e.require(above);
        let below = self.e.b.ins().fcmp(FloatCC::LessThan, rounded, high);
        self.e.require(below);
        self.e.b.ins().fcvt_to_sint(I64, rounded)
    }

    /// The value of an expression that the runtime evaluates, as 64 bits.
    fn evaluated(&mut self, function: usize, expression: WordRef, end: Value) -> Value {
        let draws = self.e.blueprint.draws();
        self.spill_variables();
        if draws {
            self.chance().lend(Draw::Value);
        }
        let expression = self.e.hole(Hole::Word(expression));
        let status = self.e.call(function, &[self.e.engine, expression, end], Some(I64));
        if draws {
            self.chance().regain(Draw::Value);
        }
        if let Some(status) = status {
            let done = self.e.equals(status, DONE);
            self.e.require(done);
        }
        self.e.load(I64, self.e.engine, self.e.layout.value)
    }

    // ------------------------------------------------------------ reals

    pub fn real_value(&mut self, e: &Real, end: Value) -> Value {
        let found = self.open_value(e, end);
        self.closed(found)
    }

    /// A value that is tested when it is closed.
    fn closed(&mut self, of: Open) -> Value {
        if of.is_tested {
            of.value
        } else {
            self.finite(of.value)
        }
    }

    /// What is not finite stays so in sums and products, and is looked for at the end; the sign of 0 changes nothing before.
    fn open_value(&mut self, e: &Real, end: Value) -> Open {
        let value = match e {
            Real::Const { bits, .. } => self.e.real_hole(*bits),
            Real::Var(variable) => {
                let bits = self.variable(*variable);
                self.real_of(bits)
            }
            Real::Now => self.e.b.ins().fcvt_from_sint(F64, self.e.now),
            Real::End => self.e.b.ins().fcvt_from_sint(F64, end),
            Real::FromInt(a) => {
                let a = self.integer(a, end);
                self.e.b.ins().fcvt_from_sint(F64, a)
            }
            Real::Unary(function, a) => {
                let a = self.real_value(a, end);
                self.real_function(*function, a)
            }
            Real::Binary(operation, operands) => {
                let (a, b) = (self.open_value(&operands.0, end), self.open_value(&operands.1, end));
                let not_zero = matches!(operands.1, Real::Const { is_zero: false, .. });
                return self.real_operation(*operation, a, b, not_zero);
            }
            Real::Chain(first, steps) => {
                let mut found = Open::tested(self.real_leaf(*first).0);
                for (operation, operand) in steps {
                    let (operand, known) = self.real_leaf(*operand);
                    let not_zero = known.is_some_and(|bits| f64::from_bits(bits) != 0.0);
                    found = self.real_operation(*operation, found, Open::tested(operand), not_zero);
                }
                return found;
            }
            Real::If(parts) => {
                let condition = self.condition(&parts.0, end);
                let branch = |e| move |s: &mut Self| s.real_value(e, end);
                self.either(condition, F64, branch(&parts.1), branch(&parts.2))
            }
            Real::ConstExponential(mean) => self.exponential(mean),
            Real::Exponential(mean) => {
                let mean = self.real_value(mean, end);
                let zero = self.e.real(0.0);
                let fine = self.e.b.ins().fcmp(FloatCC::GreaterThanOrEqual, mean, zero);
                self.e.require(fine);
                self.scaled_exponential(mean)
            }
            Real::Uniform(bounds) => {
                let (low, high) = (self.real_value(&bounds.0, end), self.real_value(&bounds.1, end));
                self.uniform(low, high)
            }
            Real::Called(call) => {
                let bits = self.called(*call, end);
                self.real_of(bits)
            }
            Real::Evaluated(address) => {
                let bits = self.evaluated(self.e.runtime.real, *address, end);
                self.real_of(bits)
            }
        };
        Open::tested(value)
    }

    /// A draw from the exponential distribution with a constant mean.
    fn exponential(&mut self, mean: &Mean) -> Value {
        match *mean {
            Mean::One => self.chance().exponential(Draw::Value),
            Mean::Usual(mean) => {
                let standard = self.chance().exponential(Draw::Value);
                self.times_mean(standard, mean)
            }
            Mean::Other(mean) => {
                let mean = self.e.real(f64::from_bits(mean));
                self.scaled_exponential(mean)
            }
        }
    }

    /// A draw from the uniform distribution.
    fn uniform(&mut self, low: Value, high: Value) -> Value {
        let fine = self.e.b.ins().fcmp(FloatCC::LessThanOrEqual, low, high);
        self.e.require(fine);
        let width = self.e.b.ins().fsub(high, low);
        let u = self.chance().uniform(Draw::Value);
        let above = self.e.b.ins().fmul(width, u);
        let value = self.e.b.ins().fadd(low, above);
        self.finite(value)
    }

    /// An operand, and its bits if it is a constant of the code.
    fn real_leaf(&mut self, leaf: Leaf) -> (Value, Option<u64>) {
        match leaf {
            Leaf::Const(Constant::Written(bits)) => (self.e.real(f64::from_bits(bits)), Some(bits)),
            Leaf::Const(Constant::Held(word)) => {
                let value = self.e.real_hole(word);
                let position = self.e.position(Hole::Constant(word));
                (value, self.e.constant_at(position))
            }
            Leaf::Var(variable) => {
                let bits = self.variable(variable);
                (self.real_of(bits), None)
            }
        }
    }

    fn scaled_exponential(&mut self, mean: Value) -> Value {
        let standard = self.chance().exponential(Draw::Value);
        let value = self.e.b.ins().fmul(mean, standard);
        self.finite(value)
    }

    /// `expression::finite`.
    fn finite(&mut self, value: Value) -> Value {
        let finite = self.is_finite(value);
        self.e.require(finite);
        let zero = self.e.real(0.0);
        self.e.b.ins().fadd(value, zero)
    }

    /// Whether a real is finite: subtracted from itself it gives 0 then, and NaN otherwise.
    fn is_finite(&mut self, value: Value) -> Value {
        let rest = self.e.b.ins().fsub(value, value);
        self.e.b.ins().fcmp(FloatCC::Ordered, rest, rest)
    }

    fn real_function(&mut self, function: RealFunction, a: Value) -> Value {
        match function {
            RealFunction::Neg => {
                let (negated, zero) = (self.e.b.ins().fneg(a), self.e.real(0.0));
                self.e.b.ins().fadd(negated, zero)
            }
            RealFunction::Abs => self.e.b.ins().fabs(a),
            RealFunction::Sqrt | RealFunction::Ln => {
                let zero = self.e.real(0.0);
                let fine = self.e.b.ins().fcmp(FloatCC::GreaterThanOrEqual, a, zero);
                self.e.require(fine);
                let root = self.e.b.ins().sqrt(a);
                self.finite(root)
            }
        }
    }

    /// The result of an operation. `not_zero`: the second number is known not to be 0.
    fn real_operation(&mut self, operation: RealOperation, a: Open, b: Open, not_zero: bool) -> Open {
        let value = match operation {
            RealOperation::Add => self.e.b.ins().fadd(a.value, b.value),
            RealOperation::Sub => self.e.b.ins().fsub(a.value, b.value),
            RealOperation::Mul => self.e.b.ins().fmul(a.value, b.value),
            RealOperation::Div | RealOperation::Pow => {
                let divisor = self.tested(b);
                if !not_zero {
                    let zero = self.e.real(0.0);
                    let fine = self.e.b.ins().fcmp(FloatCC::NotEqual, divisor, zero);
                    self.e.require(fine);
                }
                self.e.b.ins().fdiv(a.value, divisor)
            }
            RealOperation::Min | RealOperation::Max => {
                let (a, b) = (self.tested(a), self.tested(b));
                let comparison = match operation {
                    RealOperation::Min => FloatCC::LessThan,
                    _ => FloatCC::GreaterThan,
                };
                let second = self.e.b.ins().fcmp(comparison, b, a);
                self.e.b.ins().select(second, b, a)
            }
        };
        Open { value, is_tested: false }
    }

    /// A finite value, perhaps −0.
    fn tested(&mut self, of: Open) -> Value {
        if !of.is_tested {
            let finite = self.is_finite(of.value);
            self.e.require(finite);
        }
        of.value
    }
}

fn whole(comparison: Comparison) -> IntCC {
    match comparison {
        Comparison::Equal => IntCC::Equal,
        Comparison::NotEqual => IntCC::NotEqual,
        Comparison::Less => IntCC::SignedLessThan,
        Comparison::LessOrEqual => IntCC::SignedLessThanOrEqual,
        Comparison::Greater => IntCC::SignedGreaterThan,
        Comparison::GreaterOrEqual => IntCC::SignedGreaterThanOrEqual,
    }
}

fn real(comparison: Comparison) -> FloatCC {
    match comparison {
        Comparison::Equal => FloatCC::Equal,
        Comparison::NotEqual => FloatCC::NotEqual,
        Comparison::Less => FloatCC::LessThan,
        Comparison::LessOrEqual => FloatCC::LessThanOrEqual,
        Comparison::Greater => FloatCC::GreaterThan,
        Comparison::GreaterOrEqual => FloatCC::GreaterThanOrEqual,
    }
}
