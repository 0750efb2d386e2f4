//! Code for the values of tokens: where to read them, and how to copy them.

use cranelift_codegen::ir::types::{I64, I64X2};
use cranelift_codegen::ir::{InstBuilder, StackSlotData, StackSlotKind, Type, Value};

use crate::jit::emit::emitter::{Owner, Source};
use crate::jit::emit::subjects::SlotCode;
use crate::jit::holes::Hole;

/// The type of two values that are moved together.
const BOTH: Type = I64X2;

/// Values that are consecutive in memory.
pub fn slots_at(address: Value, width: usize) -> Vec<Source> {
    (0..width).map(|slot| Source::At(address, 8 * slot)).collect()
}

impl SlotCode<'_, '_, '_> {
    /// The value as a word. One in memory is read where it is used, since many instructions take an operand from
    /// memory.
    pub fn word_in(&mut self, slot: Source) -> Value {
        match slot {
            Source::Known(value) => value,
            Source::At(address, offset) => self.e.load(I64, address, offset),
            Source::Half(both, half) => self.e.b.ins().extractlane(both, half),
        }
    }

    /// The same for a value that is used before any token is written. The code generator computes late, but reads early
    /// what may change, and the registers cannot hold all these values together. It may move this read, but not before
    /// the read of the token's address, which is part of each firing (`Emitter::seat`).
    pub fn word_at_use(&mut self, slot: Source) -> Value {
        match slot {
            Source::At(address, offset) => self.e.load_lasting(address, offset),
            slot => self.word_in(slot),
        }
    }

    /// Reads those values that are in memory, before it changes.
    pub fn hold(&mut self, slots: &mut [Source]) {
        for (pair, position) in slots.chunks_mut(2).zip((0..).step_by(16)) {
            match *pair {
                [one, other] => {
                    let held = match self.both(one, other) {
                        Some(both) => [Source::Half(both, 0), Source::Half(both, 1)],
                        None => [one, other].map(|slot| self.held(slot)),
                    };
                    pair.copy_from_slice(&held);
                }
                // The last is most often the same as in its own token.
                [last @ Source::At(_, offset)] if offset == position => pair[0] = Source::Known(self.word_in(last)),
                _ => pair.iter_mut().for_each(|slot| *slot = self.held(*slot)),
            }
        }
    }

    /// A value in a register. Its position in the token may differ between otherwise equal transitions.
    fn held(&mut self, slot: Source) -> Source {
        Source::Known(match slot {
            Source::At(address, offset) => {
                let position = self.e.position(Hole::Offset(offset as u64));
                if self.e.constant_at(position).is_some() {
                    return Source::Known(self.word_in(slot));
                }
                let offset = self.e.hole_at(I64, position);
                let address = self.e.b.ins().iadd(address, offset);
                let address = self.e.owned(address, Owner::Tokens);
                self.e.load(I64, address, 0)
            }
            slot => self.word_in(slot),
        })
    }

    /// Writes values to memory, in pairs where they are paired. The values of a token are always paired in the same
    /// way, since a processor forwards what has just been written only to reads of the same words.
    pub fn store(&mut self, slots: &[Source], to: Value, offset: usize) {
        for (pair, offset) in slots.chunks(2).zip((offset..).step_by(16)) {
            if let [one, other] = *pair {
                if let Some(both) = self.both(one, other) {
                    self.e.store(both, to, offset);
                    continue;
                }
            }
            for (&slot, offset) in pair.iter().zip((offset..).step_by(8)) {
                let word = self.word_in(slot);
                self.e.store(word, to, offset);
            }
        }
    }

    /// Two values in one register, if they are adjacent.
    fn both(&mut self, one: Source, other: Source) -> Option<Value> {
        match (one, other) {
            (Source::At(address, offset), Source::At(same, next)) if same == address && next == offset + 8 => {
                Some(self.e.load(BOTH, address, offset))
            }
            (Source::Half(both, 0), Source::Half(same, 1)) if same == both => Some(both),
            _ => None,
        }
    }

    /// Writes values to the stack.
    pub fn spill(&mut self, slots: &[Source]) -> Value {
        let address = self.room(slots.len());
        self.store(slots, address, 0);
        address
    }

    /// Room for `words` words on the stack.
    pub fn room(&mut self, words: usize) -> Value {
        let data = StackSlotData::new(StackSlotKind::ExplicitSlot, 8 * words as u32, 3);
        let slot = self.e.b.create_sized_stack_slot(data);
        self.e.b.ins().stack_addr(I64, slot, 0)
    }
}
