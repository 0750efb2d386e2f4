//! Code for draws: the stream of chance, and what comes from its words (`random`).

use std::mem::offset_of;

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::{F64, I64};
use cranelift_codegen::ir::{InstBuilder, Value};

use crate::base::random::{ziggurat, Ziggurat, LEAST, UNIT, UPPER};
use crate::jit::emit::emitter::Emitter;
use crate::jit::runtime::Rare;

impl Emitter<'_, '_> {
    fn store_words(&mut self, at: usize) {
        for (i, variable) in self.random.into_iter().enumerate() {
            let word = self.b.use_var(variable);
            self.store(word, self.engine, at + 8 * i);
        }
    }

    fn load_words(&mut self, at: usize) {
        for (i, variable) in self.random.into_iter().enumerate() {
            let word = self.load(I64, self.engine, at + 8 * i);
            self.b.def_var(variable, word);
        }
    }

    /// The engine's stream of chance is the code's.
    pub fn take_chance(&mut self) {
        self.load_words(self.layout.random);
    }

    /// What the code has drawn counts: it gives the stream of chance back to the engine.
    pub fn return_chance(&mut self) {
        if self.drew {
            self.store_words(self.layout.random);
        }
    }

    /// Stores the state of the random stream, so that the runtime can go on drawing (see `Engine::drawn`).
    pub fn lend_chance(&mut self) {
        self.drew = true;
        self.store_words(self.layout.drawn);
    }

    /// Loads the state of the random stream as the runtime has left it.
    pub fn regain_chance(&mut self) {
        self.load_words(self.layout.drawn);
    }

    /// The next word of the stream (`Random::word`).
    pub fn word(&mut self) -> Value {
        self.drew = true;
        let [a, b, c, counter] = self.random.map(|variable| self.b.use_var(variable));
        let sum = self.b.ins().iadd(a, b);
        let word = self.b.ins().iadd(sum, counter);
        let shifted = self.b.ins().ushr_imm_s(b, 11);
        let first = self.b.ins().bxor(b, shifted);
        let shifted = self.b.ins().ishl_imm_s(c, 3);
        let second = self.b.ins().iadd(c, shifted);
        let rotated = self.b.ins().rotl_imm_s(c, 24);
        let third = self.b.ins().iadd(rotated, word);
        let fourth = self.b.ins().iadd_imm_s(counter, 1);
        for (variable, value) in self.random.into_iter().zip([first, second, third, fourth]) {
            self.b.def_var(variable, value);
        }
        word
    }

    fn upper_bits(&mut self, word: Value) -> Value {
        let bits = self.b.ins().ushr_imm_s(word, 11);
        self.b.ins().fcvt_from_sint(F64, bits)
    }

    /// `Random::uniform`.
    pub fn uniform(&mut self) -> Value {
        let word = self.word();
        let bits = self.upper_bits(word);
        let unit = self.real(UNIT);
        self.b.ins().fmul(bits, unit)
    }

    /// `Random::equal_choice`.
    pub fn equal_choice(&mut self, n: Value) -> Value {
        let alone = self.equals(n, 1);
        self.either(alone, I64, |s| s.int(0), |s| s.choice_of_several(n))
    }

    /// The same for a number that is not 1.
    pub fn choice_of_several(&mut self, n: Value) -> Value {
        let word = self.word();
        self.scaled(word, n)
    }

    /// The same without a branch, where it cannot be foreseen whether the number is 1. Then nothing has been drawn.
    pub fn equal_choice_free(&mut self, n: Value) -> Value {
        let before = self.random.map(|variable| self.b.use_var(variable));
        let position = self.choice_of_several(n);
        let alone = self.equals(n, 1);
        for (variable, before) in self.random.into_iter().zip(before) {
            let after = self.b.use_var(variable);
            let word = self.b.ins().select(alone, before, after);
            self.b.def_var(variable, word);
        }
        position
    }

    /// `random::scaled`.
    fn scaled(&mut self, word: Value, n: Value) -> Value {
        let bits = self.b.ins().band_imm_s(word, UPPER as i64);
        self.b.ins().umulhi(bits, n)
    }

    /// `Random::exponential`.
    pub fn exponential(&mut self) -> Value {
        self.draw_exponential(|_, _| {})
    }

    /// The same. What it rarely is, 0 among it, is shown to `check` first.
    pub fn draw_exponential(&mut self, check: impl FnOnce(&mut Self, Value)) -> Value {
        let word = self.word();
        let layer = self.b.ins().band_imm_s(word, 0xFF);
        let offset = self.b.ins().ishl_imm_s(layer, 3);
        let tables = self.int(std::ptr::from_ref(ziggurat()) as u64);
        let row = self.b.ins().iadd(tables, offset);
        let scale = self.load(F64, row, offset_of!(Ziggurat, scale));
        let bound = self.load(I64, row, offset_of!(Ziggurat, inside));
        let bits = self.upper_bits(word);
        let x = self.b.ins().fmul(bits, scale);
        let beyond_least = self.b.ins().iadd_imm_s(word, -(LEAST as i64));
        let inside = self.b.ins().icmp(IntCC::UnsignedLessThan, beyond_least, bound);
        let (rest, next) = (self.b.create_block(), self.b.create_block());
        self.b.set_cold_block(rest);
        let result = self.b.append_block_param(next, F64);
        self.b.ins().brif(inside, next, &[x.into()], rest, &[]);
        self.b.switch_to_block(rest);
        self.lend_chance();
        self.call_rarely(Rare::ExponentialRest, &[layer, x]);
        self.regain_chance();
        let drawn = self.load(F64, self.engine, self.layout.value);
        check(self, drawn);
        self.jump(next, &[drawn]);
        self.b.switch_to_block(next);
        result
    }
}
