//! Code for draws: the random stream, and the values made from its words (`random`).

use std::mem::{offset_of, size_of};

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::{F64, I64};
use cranelift_codegen::ir::{InstBuilder, Value};

use crate::base::random::{ziggurat, Layer, LEAST, UNIT, UPPER};
use crate::jit::emit::emitter::{Draw, Emitter, Writer};
use crate::jit::emit::subjects::ChanceCode;
use crate::jit::runtime::Rare;

impl<'a, 'b> ChanceCode<'_, 'a, 'b> {
    fn store_words(&mut self, draw: Draw, address: Value, at: usize) {
        for (i, variable) in self.e.stream(draw).words.into_iter().enumerate() {
            let word = self.e.b.use_var(variable);
            self.e.store(word, address, at + 8 * i);
        }
    }

    /// The code takes over the engine's random stream, for choices.
    pub fn take(&mut self) {
        self.e.load_stream(Draw::Choice);
    }

    /// The code's draws become final: it gives the random streams back to the engine.
    pub fn give_back(&mut self) {
        for draw in self.e.streams_used() {
            let (address, at) = self.e.home_of(draw);
            self.store_words(draw, address, at);
        }
    }

    /// Stores the state of a random stream, so that the runtime can go on drawing (see `Engine::drawn`).
    pub fn lend(&mut self, draw: Draw) {
        self.e.stream(draw).is_used = true;
        self.store_words(draw, self.e.engine, self.e.layout.drawn);
    }

    /// Loads the state of the random stream after the runtime has drawn.
    pub fn regain(&mut self, draw: Draw) {
        self.e.load_words(draw, self.e.engine, self.e.layout.drawn);
    }

    /// The next word of the stream (`Random::word`).
    pub fn word(&mut self, draw: Draw) -> Value {
        let stream = self.e.stream(draw);
        stream.is_used = true;
        let words = stream.words;
        let [a, b, c, counter] = words.map(|variable| self.e.b.use_var(variable));
        let sum = self.e.b.ins().iadd(a, b);
        let word = self.e.b.ins().iadd(sum, counter);
        let shifted = self.e.b.ins().ushr_imm_s(b, 11);
        let first = self.e.b.ins().bxor(b, shifted);
        let shifted = self.e.b.ins().ishl_imm_s(c, 3);
        let second = self.e.b.ins().iadd(c, shifted);
        let rotated = self.e.b.ins().rotl_imm_s(c, 24);
        let third = self.e.b.ins().iadd(rotated, word);
        let fourth = self.e.b.ins().iadd_imm_s(counter, 1);
        for (variable, value) in words.into_iter().zip([first, second, third, fourth]) {
            self.e.b.def_var(variable, value);
        }
        word
    }

    fn upper_bits(&mut self, word: Value) -> Value {
        let bits = self.e.b.ins().ushr_imm_s(word, 11);
        self.e.b.ins().fcvt_from_sint(F64, bits)
    }

    /// `Random::uniform`.
    pub fn uniform(&mut self, draw: Draw) -> Value {
        let word = self.word(draw);
        let bits = self.upper_bits(word);
        let unit = self.e.real(UNIT);
        self.e.b.ins().fmul(bits, unit)
    }

    /// `Random::equal_choice`.
    pub fn equal_choice(&mut self, draw: Draw, n: Value) -> Value {
        let alone = self.e.equals(n, 1);
        self.either(alone, I64, |s| s.e.int(0), |s| s.choice_of_several(draw, n))
    }

    /// The same for a number that is not 1.
    pub fn choice_of_several(&mut self, draw: Draw, n: Value) -> Value {
        let word = self.word(draw);
        self.scaled(word, n)
    }

    /// The same without a branch, where it is unpredictable whether the number is 1. If it is, nothing is drawn.
    pub fn equal_choice_free(&mut self, n: Value) -> Value {
        let words = self.e.stream(Draw::Choice).words;
        let before = words.map(|variable| self.e.b.use_var(variable));
        let position = self.choice_of_several(Draw::Choice, n);
        let alone = self.e.equals(n, 1);
        for (variable, before) in words.into_iter().zip(before) {
            let after = self.e.b.use_var(variable);
            let word = self.e.b.ins().select(alone, before, after);
            self.e.b.def_var(variable, word);
        }
        position
    }

    /// `random::scaled`.
    fn scaled(&mut self, word: Value, n: Value) -> Value {
        let bits = self.e.b.ins().band_imm_s(word, UPPER as i64);
        self.e.b.ins().umulhi(bits, n)
    }

    /// `Random::exponential`.
    pub fn exponential(&mut self, draw: Draw) -> Value {
        self.draw_exponential(draw, |_, _| {})
    }

    /// The same. Rare values, such as 0, are passed to `check` first.
    pub fn draw_exponential(&mut self, draw: Draw, check: impl FnOnce(&mut Emitter<'a, 'b>, Value)) -> Value {
        let word = self.word(draw);
        let layer = self.e.b.ins().band_imm_s(word, 0xFF);
        let layers = self.e.int(ziggurat().layers.as_ptr() as u64);
        let row = self.e.row(layers, layer, size_of::<Layer>() as i64);
        let scale = self.e.load(F64, row, offset_of!(Layer, scale));
        let bound = self.e.load(I64, row, offset_of!(Layer, inside));
        let bits = self.upper_bits(word);
        let x = self.e.b.ins().fmul(bits, scale);
        let beyond_least = self.e.b.ins().iadd_imm_s(word, -(LEAST as i64));
        let inside = self.e.b.ins().icmp(IntCC::UnsignedLessThan, beyond_least, bound);
        let (rest, next) = (self.e.b.create_block(), self.e.b.create_block());
        self.e.b.set_cold_block(rest);
        let result = self.e.b.append_block_param(next, F64);
        self.e.b.ins().brif(inside, next, &[x.into()], rest, &[]);
        self.e.b.switch_to_block(rest);
        self.lend(draw);
        self.e.call_rarely(Rare::ExponentialRest, &[layer, x]);
        self.regain(draw);
        let drawn = self.e.load(F64, self.e.engine, self.e.layout.value);
        check(self.e, drawn);
        self.e.jump(next, &[drawn]);
        self.e.b.switch_to_block(next);
        result
    }
}
