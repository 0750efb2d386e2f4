//! Code for sets (E11): which tokens they have, what is counted of these and given for each, and how they leave.
//!
//! The runtime has the room for what a set has found, and for bundles; it takes sets of queues, and large ones.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::I64;
use cranelift_codegen::ir::{Block, InstBuilder, Value};

use crate::engine::sets::FEW;
use crate::jit::blueprint::expression::Value as Expression;
use crate::jit::blueprint::names::{PlaceRef, OWN};
use crate::jit::blueprint::place::Discipline;
use crate::jit::blueprint::transition::{Bundle, Output, SetPlan, Sets, Take, TransitionPlan};
use crate::jit::emit::emitter::{FoundSet, Source, TokenCount, Writer};
use crate::jit::emit::slots::slots_at;
use crate::jit::emit::subjects::{SetCode, Subjects};

impl SetCode<'_, '_, '_> {
    // ------------------------------------------------------------ who belongs to it

    /// The sets that the binding leaves: their variables get values.
    pub fn find(&mut self, plan: &TransitionPlan, chosen: &[Option<Value>]) {
        match &plan.sets {
            Sets::Here(sets) => {
                if sets.iter().any(|set| self.width(set.place) > 0) {
                    self.store_chosen(chosen);
                }
                for (number, set) in sets.iter().enumerate() {
                    self.find_one(plan, number, set, chosen);
                }
            }
            Sets::ByRuntime { variables, .. } => {
                self.expressions().spill_variables();
                self.store_chosen(chosen);
                let transition = self.e.transition_id(OWN);
                let status = self.e.call(self.e.runtime.find_sets, &[self.e.engine, transition], Some(I64));
                self.e.require_done(status);
                let table = self.e.table(self.e.layout.variables);
                for &variable in variables {
                    let value = self.e.load(I64, table, 8 * variable);
                    self.e.variables[variable] = Some(Source::Known(value));
                }
            }
        }
    }

    /// The runtime finds the tokens of the binding where a search would have left them.
    fn store_chosen(&mut self, chosen: &[Option<Value>]) {
        let table = self.e.table(self.e.layout.chosen);
        for (arc, chosen) in chosen.iter().enumerate().filter_map(|(arc, chosen)| Some((arc, (*chosen)?))) {
            self.e.store(chosen, table, 8 * arc);
        }
    }

    fn find_one(&mut self, plan: &TransitionPlan, number: usize, set: &SetPlan, chosen: &[Option<Value>]) {
        let found = match self.width(set.place) {
            0 => {
                let (count, none) = (self.count_black(plan, set, chosen), self.e.int(0));
                FoundSet { count, positions: none, words: none }
            }
            _ => self.list(plan, number, set, chosen),
        };
        self.e.sets.push(found);
        self.e.variables[set.number] = Some(Source::Known(found.count));
        for (variable, value) in &set.totals {
            self.total(set.place, found, *variable, value);
        }
    }

    /// How many black tokens the binding leaves, if the condition of their set holds.
    fn count_black(&mut self, plan: &TransitionPlan, set: &SetPlan, chosen: &[Option<Value>]) -> Value {
        let mut left = self.e.tokens_in(set.place);
        for take in &plan.takes {
            match *take {
                Take::Black { place, count } if place == set.place => {
                    left = self.e.b.ins().iadd_imm_s(left, -(count as i64));
                }
                Take::Chosen { place, arc } if place == set.place => {
                    left = chosen[arc].map_or(left, |taken| self.e.b.ins().isub(left, taken));
                }
                _ => {}
            }
        }
        let Some(condition) = &set.condition else { return left };
        let any = self.e.b.ins().icmp_imm_s(IntCC::NotEqual, left, 0);
        let now = self.e.now;
        let holds = |s: &mut Self| {
            let holds = s.expressions().condition(condition, now);
            let none = s.e.int(0);
            s.e.b.ins().select(holds, left, none)
        };
        self.either(any, I64, holds, |_| left)
    }

    /// The tokens of a coloured set: those of a group, or of the whole place, for which the condition holds.
    fn list(&mut self, plan: &TransitionPlan, number: usize, set: &SetPlan, chosen: &[Option<Value>]) -> FoundSet {
        let group = set.key.as_ref().map(|(index, key)| self.searches().group_of(*index, key));
        let (candidates, seats) = match group {
            Some(group) => (self.searches().tokens_of(group), Some(self.searches().seats_of(group))),
            None => (self.e.tokens_in(set.place), None),
        };
        let (transition, set_number) = (self.e.transition_id(OWN), self.e.int(number as u64));
        let arguments = [self.e.engine, transition, set_number, candidates];
        let positions = self.e.call(self.e.runtime.open_set, &arguments, Some(I64)).unwrap_or(candidates);
        let words = self.e.load(I64, self.e.engine, self.e.layout.value);
        let count = self.e.b.declare_var(I64);
        let none = self.e.int(0);
        self.e.b.def_var(count, none);
        let (gone, now) = (self.gone(plan, set.place, chosen), self.e.now);
        self.for_each(none, candidates, |s, at, next| {
            let position = seats.map_or(at, |seats| s.searches().listed_seat(seats, at));
            for &taken in &gone {
                let stays = s.e.b.ins().icmp(IntCC::NotEqual, position, taken);
                s.e.unless(stays, next);
            }
            let (token, width) = (s.token_at(set.place, position), s.width(set.place));
            if let Some(condition) = &set.condition {
                let holds = s.of_token(token, width, |s| s.expressions().condition(condition, now));
                s.e.unless(holds, next);
            }
            let found = s.e.b.use_var(count);
            let (own, to) = (s.e.row(positions, found, 8), s.e.row(words, found, 8 * width as i64));
            s.e.store(position, own, 0);
            s.slots().store(&slots_at(token, width), to, 0);
            let more = s.e.b.ins().iadd_imm_s(found, 1);
            s.e.b.def_var(count, more);
        });
        let count = self.e.b.use_var(count);
        let arguments = [self.e.engine, transition, set_number, count];
        self.e.call(self.e.runtime.close_set, &arguments, None);
        FoundSet { count, positions, words }
    }

    /// The positions of the tokens that the binding takes from a place.
    fn gone(&mut self, plan: &TransitionPlan, from: PlaceRef, chosen: &[Option<Value>]) -> Vec<Value> {
        let mut heads = 0;
        let mut gone = Vec::new();
        for take in &plan.takes {
            match *take {
                Take::Seat { place, arc } | Take::Shown { place, arc } if place == from => gone.extend(chosen[arc]),
                Take::Head { place, position } if place == from => {
                    gone.push(self.e.int(u64::from(position) + heads));
                    heads += 1; // those in front of it are there yet
                }
                _ => {}
            }
        }
        gone
    }

    /// The address of the token at a position.
    fn token_at(&mut self, place: PlaceRef, position: Value) -> Value {
        let seat = match self.e.blueprint[place].discipline {
            Discipline::Fifo => self.e.ring_seat(place, position),
            Discipline::Lifo => {
                let tokens = self.e.tokens_in(place);
                let last = self.e.b.ins().iadd_imm_s(tokens, -1);
                self.e.b.ins().isub(last, position)
            }
            Discipline::Bag | Discipline::Key => position,
        };
        self.e.seat(place, seat)
    }

    // ------------------------------------------------------------ what is counted of it, and given for each

    /// A total of a set: for each token, what it was before becomes a new value.
    fn total(&mut self, place: PlaceRef, found: FoundSet, variable: usize, value: &Expression) {
        let (sum, none, now) = (self.e.b.declare_var(I64), self.e.int(0), self.e.now);
        self.e.b.def_var(sum, none);
        self.for_each(none, found.count, |s, at, _| {
            let before = s.e.b.use_var(sum);
            s.e.variables[variable] = Some(Source::Known(before));
            let width = s.width(place);
            let token = s.e.row(found.words, at, 8 * width as i64);
            let bits = s.of_token(token, width, |s| s.expressions().bits(value, now));
            s.e.b.def_var(sum, bits);
        });
        let sum = self.e.b.use_var(sum);
        self.e.variables[variable] = Some(Source::Known(sum));
    }

    /// The tokens that an output gives for those of a set come into its loose bundle.
    pub fn bundle(&mut self, arc: &Output, bundle: &Bundle, place: Value, end: Value) {
        let number = self.e.int(bundle.number);
        let Some(of_set) = bundle.of_set else {
            self.expressions().spill_variables();
            let transition = self.e.transition_id(OWN);
            let arguments = [self.e.engine, transition, number, place, end];
            let status = self.e.call(self.e.runtime.bundle, &arguments, Some(I64));
            return self.e.require_done(status);
        };
        let (found, none, size) = (self.e.sets[of_set.number], self.e.int(0), 8 * bundle.width as i64);
        let words = self.e.b.ins().imul_imm_s(found.count, bundle.width as i64);
        let room = self.e.call(self.e.runtime.open_bundle, &[self.e.engine, number, words], Some(I64)).unwrap_or(none);
        self.for_each(none, found.count, |s, at, _| {
            let token = s.e.row(found.words, at, 8 * of_set.width as i64);
            let to = s.e.row(room, at, size);
            s.of_token(token, of_set.width, |s| {
                let slots = s.outputs().values(arc, end);
                s.slots().store(&slots, to, 0);
            });
        });
    }

    /// The tokens of a bundle arrive. A held one is free then.
    pub fn put(&mut self, arc: &Output, bundle: (&Bundle, Value), given: (Option<Value>, TokenCount), reserved: bool) {
        let ((plan, number), (place, count)) = (bundle, given);
        if !plan.puts_here {
            let place = place.unwrap_or_else(|| self.e.place_id(arc.place));
            let (transition, reserved) = (self.e.transition_id(OWN), self.e.int(u64::from(reserved)));
            let arguments = [self.e.engine, transition, place, number, reserved];
            let status = self.e.call(self.e.runtime.put_bundle, &arguments, Some(I64));
            return self.e.leave_on_fault(status);
        }
        let (none, count) = (self.e.int(0), self.e.number(count));
        let words = self.e.call(self.e.runtime.words_of_bundle, &[self.e.engine, number], Some(I64)).unwrap_or(none);
        self.for_each(none, count, |s, at, _| {
            let token = s.e.row(words, at, 8 * plan.width as i64);
            s.tokens().give(arc.place, &slots_at(token, plan.width), token, reserved);
        });
        if reserved {
            self.e.call(self.e.runtime.free_bundle, &[self.e.engine, number], None);
        }
    }

    // ------------------------------------------------------------ how it leaves

    /// The tokens of all sets leave, when the binding has taken its own.
    pub fn take(&mut self, plan: &TransitionPlan) {
        let Sets::Here(sets) = &plan.sets else {
            let transition = self.e.transition_id(OWN);
            self.e.call(self.e.runtime.take_sets, &[self.e.engine, transition], None);
            return;
        };
        for (number, set) in sets.iter().enumerate() {
            let found = self.e.sets[number];
            if self.width(set.place) == 0 {
                self.transitions().lose_black(set.place, TokenCount::Known(found.count), None);
            } else if self.e.blueprint[set.place].discipline == Discipline::Bag {
                let few = self.e.b.ins().icmp_imm_u(IntCC::UnsignedLessThanOrEqual, found.count, FEW as i64);
                self.when_or(few, |s| s.take_seats(set.place, found), |s| s.take_by_runtime(number));
            } else {
                self.take_by_runtime(number);
            }
        }
    }

    fn take_by_runtime(&mut self, number: usize) {
        let (transition, number) = (self.e.transition_id(OWN), self.e.int(number as u64));
        self.e.call(self.e.runtime.take_set, &[self.e.engine, transition, number], None);
    }

    /// The tokens in some seats of a bag leave, in this order. Each time, the last of all moves, which may be one of them.
    fn take_seats(&mut self, place: PlaceRef, found: FoundSet) {
        let none = self.e.int(0);
        self.for_each(none, found.count, |s, at, _| {
            let own = s.e.row(found.positions, at, 8);
            let (seat, before) = (s.e.load(I64, own, 0), s.e.tokens_in(place));
            s.tokens().take(place, TokenCount::Known(seat), None);
            let (last, later) = (s.e.b.ins().iadd_imm_s(before, -1), s.e.b.ins().iadd_imm_s(at, 1));
            s.for_each(later, found.count, |s, at, _| {
                let own = s.e.row(found.positions, at, 8);
                let other = s.e.load(I64, own, 0);
                let moved = s.e.b.ins().icmp(IntCC::Equal, other, last);
                let other = s.e.b.ins().select(moved, seat, other);
                s.e.store(other, own, 0);
            });
        });
    }

    // ------------------------------------------------------------ loops

    fn width(&self, place: PlaceRef) -> usize {
        self.e.blueprint[place].width
    }

    /// Emits what is done for each number from one on and below another; it goes on with the next one in the block that it is given.
    fn for_each(&mut self, from: Value, to: Value, body: impl FnOnce(&mut Self, Value, Block)) {
        let [turn, next, done] = self.e.new_blocks();
        let at = self.e.b.append_block_param(turn, I64);
        self.e.jump(turn, &[from]);
        self.e.b.switch_to_block(turn);
        let more = self.e.b.ins().icmp(IntCC::UnsignedLessThan, at, to);
        self.e.unless(more, done);
        body(self, at, next);
        self.e.jump(next, &[]);
        self.e.b.switch_to_block(next);
        let following = self.e.b.ins().iadd_imm_s(at, 1);
        self.e.jump(turn, &[following]);
        self.e.b.switch_to_block(done);
    }

    /// What is evaluated of one token of a set, whose slots are the variables behind those of the transition.
    fn of_token<T>(&mut self, token: Value, width: usize, evaluate: impl FnOnce(&mut Self) -> T) -> T {
        let own = self.e.variables.len();
        self.e.variables.extend(slots_at(token, width).into_iter().map(Some));
        let value = evaluate(self);
        self.e.variables.truncate(own);
        value
    }
}
