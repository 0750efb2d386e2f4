//! Code for what output arcs give: places, numbers, and the values of tokens (`Engine::evaluate`).

use cranelift_codegen::ir::condcodes::{FloatCC, IntCC};
use cranelift_codegen::ir::types::{F64, I64};
use cranelift_codegen::ir::{InstBuilder, MemFlagsData, Value};

use crate::jit::blueprint::expression::{Constant, SlotValue};
use crate::jit::blueprint::transition::{Check, Count, OneOf, Output, OutputForm};
use crate::jit::emit::emitter::{Source, TokenCount, Writer};
use crate::jit::emit::subjects::{OutputCode, Subjects};
use crate::jit::holes::Hole;

/// What an output arc of a firing gives.
#[derive(Clone)]
pub struct Given {
    /// Where the place is known only when the code runs: its number.
    pub place: Option<Value>,
    pub count: TokenCount,
    pub slots: Vec<Source>,
    /// The address of the slots, if they are in memory.
    pub address: Option<Value>,
    /// The bundle with the values of tokens that have different ones.
    pub bundle: Option<Value>,
    /// When the tokens of an arc with a delay arrive.
    pub arrival: Option<Value>,
}

impl Given {
    pub fn nothing() -> Self {
        Given {
            place: None,
            count: TokenCount::Const(0),
            slots: Vec::new(),
            address: None,
            bundle: None,
            arrival: None,
        }
    }
}

/// What an arc gives whose place or number is known only when the firing starts: the number of the place, and the rest.
struct Opened {
    place: Value,
    count: TokenCount,
    arrival: Option<Value>,
    slots: Vec<Source>,
}

impl OutputCode<'_, '_, '_> {
    /// Evaluates an output arc.
    pub fn given(&mut self, arc: &Output, end: Value) -> Given {
        let nothing = Given::nothing();
        match arc.form {
            OutputForm::Black(count) => {
                Given { count: TokenCount::Const(count), arrival: self.arrival(arc, end), ..nothing }
            }
            OutputForm::Token => {
                let (arrival, slots) = (self.arrival(arc, end), self.values(arc, end));
                Given { count: TokenCount::Const(1), arrival, slots, ..nothing }
            }
            OutputForm::Open => {
                let (chosen, bundle) = (arc.several, arc.bundle.as_ref().map(|bundle| self.e.int(bundle.number)));
                let Some(condition) = &arc.condition else {
                    let Opened { place, count, arrival, slots } = self.open(arc, end);
                    return Given { place: chosen.then_some(place), count, arrival, slots, bundle, ..nothing };
                };
                let condition = self.expressions().condition(condition, end);
                let (first, late) = (arc.place, usize::from(arc.delay.is_some()));
                let values = self.branch(
                    condition,
                    &vec![I64; 2 + late + arc.width],
                    |s| s.open_words(arc, end),
                    |s| [vec![s.e.place_id(first)], vec![s.e.int(0); late + arc.width + 1]].concat(),
                );
                Given {
                    place: chosen.then_some(values[0]),
                    count: TokenCount::Known(values[1]),
                    arrival: (late > 0).then(|| values[2]),
                    bundle,
                    slots: values[2 + late..].iter().copied().map(Source::Known).collect(),
                    ..nothing
                }
            }
        }
    }

    /// Place, number and values of an open arc whose condition holds.
    fn open(&mut self, arc: &Output, end: Value) -> Opened {
        let count = match &arc.count {
            Count::Const(count) => TokenCount::Const(*count),
            Count::Of(e) => {
                let count = self.expressions().integer(e, end);
                let natural = self.e.b.ins().icmp_imm_s(IntCC::SignedGreaterThanOrEqual, count, 0);
                self.e.require(natural);
                TokenCount::Known(count)
            }
        };
        let place = match &arc.one_of {
            None => self.e.place_id(arc.place),
            Some(OneOf { position, places, list }) => {
                let index = self.expressions().integer(position, end);
                let inside = self.e.b.ins().icmp_imm_u(IntCC::UnsignedLessThan, index, *places as i64);
                self.e.require(inside);
                let places = self.e.hole(Hole::Word(*list));
                let offset = self.e.b.ins().ishl_imm_s(index, 2);
                let entry = self.e.b.ins().iadd(places, offset);
                self.e.load_half(entry, 0)
            }
        };
        // Delays and values of tokens that are not given may not be evaluated: they may fail.
        let late = usize::from(arc.delay.is_some());
        let (arrival, slots) = match count {
            TokenCount::Known(count) if late + arc.width > 0 || arc.bundle.is_some() => {
                let any = self.e.b.ins().icmp_imm_s(IntCC::NotEqual, count, 0);
                let types = vec![I64; late + arc.width];
                let words = self.branch(any, &types, |s| s.words(arc, place, end), |s| vec![s.e.int(0); types.len()]);
                ((late > 0).then(|| words[0]), words[late..].iter().copied().map(Source::Known).collect())
            }
            TokenCount::Const(0) => {
                (arc.delay.as_ref().map(|_| self.e.now), vec![Source::Known(self.e.int(0)); arc.width])
            }
            _ => (self.arrival(arc, end), self.values(arc, end)),
        };
        Opened { place, count, arrival, slots }
    }

    /// When the tokens of an arc with a delay arrive.
    fn arrival(&mut self, arc: &Output, end: Value) -> Option<Value> {
        let delay = arc.delay.as_ref()?;
        Some(self.transitions().instant(&delay.time, end).1)
    }

    /// The same as words.
    fn open_words(&mut self, arc: &Output, end: Value) -> Vec<Value> {
        let Opened { place, count, arrival, slots } = self.open(arc, end);
        let count = self.e.number(count);
        let known = [place, count].into_iter().chain(arrival);
        known.chain(slots.into_iter().map(|slot| self.slots().word_in(slot))).collect()
    }

    /// The values of a token that an arc gives, each within the range of its slot (X2).
    pub fn values(&mut self, arc: &Output, end: Value) -> Vec<Source> {
        let slots: Vec<Source> = arc.values.iter().map(|value| self.slot_value(value, end)).collect();
        for &check in &arc.checks {
            if let Some(low) = check.low {
                let word = self.slots().word_in(slots[check.slot]);
                self.require_bound(check, word, low, true);
            }
            if let Some(high) = check.high {
                let word = self.slots().word_in(slots[check.slot]);
                self.require_bound(check, word, high, false);
            }
        }
        slots
    }

    /// When the tokens arrive, if that is a time of its own, and their values.
    fn words(&mut self, arc: &Output, place: Value, end: Value) -> Vec<Value> {
        let arrival = self.arrival(arc, end);
        if let Some(bundle) = &arc.bundle {
            self.sets().bundle(arc, bundle, place, end);
            return arrival.into_iter().collect();
        }
        let values = self.values(arc, end);
        arrival.into_iter().chain(values.into_iter().map(|slot| self.slots().word_in(slot))).collect()
    }

    /// The value of a slot. Constants are holes, so that transitions that differ only in them share their code.
    pub fn slot_value(&mut self, value: &SlotValue, end: Value) -> Source {
        match value {
            SlotValue::Variable(variable) => {
                self.e.variables[*variable].unwrap_or_else(|| Source::Known(self.e.int(0)))
            }
            SlotValue::Constant(word) => Source::Known(self.e.hole(Hole::Constant(*word))),
            SlotValue::Of(value) => Source::Known(self.expressions().bits(value, end)),
        }
    }

    fn require_bound(&mut self, check: Check, bits: Value, limit: Constant, low: bool) {
        let holds = if check.real {
            let value = self.e.b.ins().bitcast(F64, MemFlagsData::new(), bits);
            let limit = match limit {
                Constant::Written(limit) => self.e.real(f64::from_bits(limit)),
                Constant::Held(word) => self.e.real_hole(word),
            };
            let comparison = if low { FloatCC::GreaterThanOrEqual } else { FloatCC::LessThanOrEqual };
            self.e.b.ins().fcmp(comparison, value, limit)
        } else {
            let comparison = if low { IntCC::SignedGreaterThanOrEqual } else { IntCC::SignedLessThanOrEqual };
            match limit {
                Constant::Written(limit) => self.e.b.ins().icmp_imm_s(comparison, bits, limit as i64),
                Constant::Held(word) => {
                    let limit = self.e.hole(Hole::Constant(word));
                    self.e.b.ins().icmp(comparison, bits, limit)
                }
            }
        };
        self.e.require(holds);
    }
}
