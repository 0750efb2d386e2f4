//! Code for what output arcs give: places, numbers, and the values of tokens (`Engine::evaluate`).

use cranelift_codegen::ir::condcodes::{FloatCC, IntCC};
use cranelift_codegen::ir::types::{F64, I64};
use cranelift_codegen::ir::{InstBuilder, MemFlagsData, Value};

use crate::jit::emit::emitter::{Emitter, Source, TokenCount};
use crate::jit::holes::Hole;
use crate::net::Scalar;
use crate::program::arc::{Count, OutputForm, OutputProgram};
use crate::program::expression::{self, Int, Real};
use crate::program::place::Bound;

/// What an output arc of a firing gives.
pub struct Given {
    /// Where the place is known only when the code runs: its number.
    pub place: Option<Value>,
    pub count: TokenCount,
    pub slots: Vec<Source>,
    /// Where the slots stand in memory, if they do.
    pub address: Option<Value>,
}

/// What an arc gives whose place or number is known only when the firing starts: the number of the place, and the rest.
struct Opened {
    place: Value,
    count: TokenCount,
    slots: Vec<Source>,
}

impl Emitter<'_, '_> {
    /// Evaluates an output arc.
    pub fn given(&mut self, arc: &OutputProgram, end: Value) -> Given {
        let nothing = Given { place: None, count: TokenCount::Const(0), slots: Vec::new(), address: None };
        match arc.form {
            OutputForm::Black(count) => Given { count: TokenCount::Const(count), ..nothing },
            OutputForm::Token => Given { count: TokenCount::Const(1), slots: self.slots(arc, end), ..nothing },
            OutputForm::Open => {
                let chosen = arc.places.len() > 1;
                let Some(condition) = &arc.condition else {
                    let Opened { place, count, slots } = self.open(arc, end);
                    return Given { place: chosen.then_some(place), count, slots, ..nothing };
                };
                let condition = self.condition(condition, end);
                let first = arc.place();
                let values = self.branch(
                    condition,
                    &vec![I64; 2 + arc.width],
                    |s| s.open_words(arc, end),
                    |s| [vec![s.place_id(first)], vec![s.int(0); arc.width + 1]].concat(),
                );
                Given {
                    place: chosen.then_some(values[0]),
                    count: TokenCount::Known(values[1]),
                    slots: values[2..].iter().copied().map(Source::Known).collect(),
                    ..nothing
                }
            }
        }
    }

    /// Place, number and values of an open arc whose condition holds.
    fn open(&mut self, arc: &OutputProgram, end: Value) -> Opened {
        let count = match &arc.count {
            Count::Const(count) => TokenCount::Const(*count),
            Count::Of(e, _) => {
                let count = self.integer(e, end);
                let natural = self.b.ins().icmp_imm_s(IntCC::SignedGreaterThanOrEqual, count, 0);
                self.require(natural);
                TokenCount::Known(count)
            }
        };
        let place = match &arc.index {
            None => self.place_id(arc.place()),
            Some((index, _)) => {
                let index = self.integer(index, end);
                let inside = self.b.ins().icmp_imm_u(IntCC::UnsignedLessThan, index, arc.places.len() as i64);
                self.require(inside);
                let places = self.hole(Hole::Word(arc.places.as_ptr() as u64));
                let offset = self.b.ins().ishl_imm_s(index, 2);
                let entry = self.b.ins().iadd(places, offset);
                self.load_half(entry, 0)
            }
        };
        // Values of tokens that are not given may not be evaluated: they may fail.
        let slots = match count {
            TokenCount::Known(count) if arc.width > 0 => {
                let any = self.b.ins().icmp_imm_s(IntCC::NotEqual, count, 0);
                let types = vec![I64; arc.width];
                let words = self.branch(any, &types, |s| s.words(arc, end), |s| vec![s.int(0); arc.width]);
                words.into_iter().map(Source::Known).collect()
            }
            TokenCount::Const(0) => vec![Source::Known(self.int(0)); arc.width],
            _ => self.slots(arc, end),
        };
        Opened { place, count, slots }
    }

    /// The same as words.
    fn open_words(&mut self, arc: &OutputProgram, end: Value) -> Vec<Value> {
        let Opened { place, count, slots } = self.open(arc, end);
        let count = self.number(count);
        [place, count].into_iter().chain(slots.into_iter().map(|slot| self.word_in(slot))).collect()
    }

    /// The values of a token that an arc gives, each within the range of its slot (X2).
    fn slots(&mut self, arc: &OutputProgram, end: Value) -> Vec<Source> {
        let slots: Vec<Source> = arc.values.iter().map(|value| self.slot_value(value, end)).collect();
        for &slot in &arc.checks {
            let program = self.program;
            let bound = &program.places[arc.place()].bounds[slot];
            if let Some(low) = bound.low {
                let word = self.word_in(slots[slot]);
                self.require_bound(bound, word, low, true);
            }
            if let Some(high) = bound.high {
                let word = self.word_in(slots[slot]);
                self.require_bound(bound, word, high, false);
            }
        }
        slots
    }

    fn words(&mut self, arc: &OutputProgram, end: Value) -> Vec<Value> {
        self.slots(arc, end).into_iter().map(|slot| self.word_in(slot)).collect()
    }

    /// The value of a slot. Constants are holes, so that transitions which differ in them alone share their code.
    pub fn slot_value(&mut self, value: &expression::Value, end: Value) -> Source {
        let variable = match value {
            expression::Value::Int(Int::Var(variable)) | expression::Value::Real(Real::Var(variable)) => {
                self.variables[variable.at()]
            }
            _ => None,
        };
        variable.unwrap_or_else(|| {
            Source::Known(match value {
                expression::Value::Int(Int::Const(value)) => self.hole(Hole::constant(value, *value as u64)),
                expression::Value::Real(Real::Const(value)) => self.hole(Hole::constant(value, value.to_bits())),
                value => self.bits(value, end),
            })
        })
    }

    fn require_bound(&mut self, bound: &Bound, bits: Value, limit: Scalar, low: bool) {
        let holds = if bound.real {
            let value = self.b.ins().bitcast(F64, MemFlagsData::new(), bits);
            let limit = self.real(limit.as_real());
            let comparison = if low { FloatCC::GreaterThanOrEqual } else { FloatCC::LessThanOrEqual };
            self.b.ins().fcmp(comparison, value, limit)
        } else {
            let comparison = if low { IntCC::SignedGreaterThanOrEqual } else { IntCC::SignedLessThanOrEqual };
            self.b.ins().icmp_imm_s(comparison, bits, limit.as_int().unwrap_or(0))
        };
        self.require(holds);
    }
}
