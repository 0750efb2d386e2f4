//! Code for transitions: the start of a firing (I4 to I6), and its end (I1).

use std::mem::offset_of;

use cranelift_codegen::ir::condcodes::{FloatCC, IntCC};
use cranelift_codegen::ir::types::I64;
use cranelift_codegen::ir::{InstBuilder, MemFlagsData, Value};

use crate::base::ticks::{HORIZON, ROUNDER, SHORT};
use crate::base::trajectory::{FIRINGS, WORDS};
use crate::collections::records::Records;
use crate::engine::code::{Routine, DONE, GENERAL};
use crate::jit::blueprint::expression::Mean;
use crate::jit::blueprint::names::{PlaceRef, OWN};
use crate::jit::blueprint::transition::{
    Count, Find, Input, JoinSelection, Output, OutputForm, Selection, Take, Time, TransitionPlan,
};
use crate::jit::emit::emitter::{Emitter, Exit, Lost, Source, TokenCount, LEAF};
use crate::jit::emit::output::Given;
use crate::jit::emit::place::Way;
use crate::jit::emit::search::can_search;
use crate::jit::holes::Hole;
use crate::state::agenda::Ending;
use crate::state::counters::TransitionCounters;

/// Whether a firing takes time.
enum Lasts {
    Always,
    Never,
    If(Value),
}

impl Emitter<'_, '_> {
    // ------------------------------------------------------------ what the generator does not know

    /// Looks at a transition, or starts a firing: neither is done.
    pub fn leave_to_engine(mut self) -> Vec<Hole> {
        self.leave(GENERAL);
        self.end()
    }

    /// The end of a firing that lasted.
    pub fn finish_by_engine(mut self) -> Vec<Hole> {
        let (transition, record) = (self.transition_id(OWN), self.parameter(2));
        let status = self.call(self.runtime.finish, &[self.engine, transition, record], Some(I64));
        self.leave_on_fault(status);
        self.leave(DONE);
        self.end()
    }

    // ------------------------------------------------------------ the start of a firing

    pub fn start(mut self, plan: &TransitionPlan) -> Vec<Hole> {
        let mut chosen = self.choose(plan);
        for (i, arc) in plan.inputs.iter().enumerate().filter(|(_, arc)| !arc.binds.is_empty()) {
            let token = match (&arc.find, chosen[i]) {
                (Find::Head { depth }, _) => self.shown(arc.place, *depth),
                (_, Some(seat)) => self.seat(arc.place, seat),
                (_, None) => continue,
            };
            for (slot, variable) in &arc.binds {
                self.variables[*variable] = Some(Source::At(token, 8 * *slot as usize));
            }
        }
        if plan.selection != Selection::Search {
            for &arc in &plan.counts {
                if let Find::Black(Count::Of(count)) = &plan.inputs[arc].find {
                    chosen[arc] = Some(self.integer(count, self.now));
                }
            }
        }
        for (variable, value) in &plan.draws {
            let bits = self.bits(value, self.now);
            self.variables[*variable] = Some(Source::Known(bits));
        }
        let (lasts, end) = self.duration(&plan.time);
        let mut given: Vec<Given> = plan.outputs.iter().map(|arc| self.given(arc, end)).collect();
        given.iter_mut().for_each(|given| self.hold(&mut given.slots));
        if !matches!(lasts, Lasts::Never) {
            self.fetch_given(plan, &given);
        }
        let total = self.room_in_net(plan, &given, &chosen);
        self.return_chance();
        if plan.hears_starts {
            self.spill_variables();
            let transition = self.transition_id(OWN);
            let status = self.call(self.runtime.started, &[self.engine, transition, end], Some(I64));
            self.leave_on_fault(status);
        }
        self.enter_hash(end);
        let state = self.transition(OWN);
        self.add_at(state, offset_of!(TransitionCounters, firings), 1);
        if let Some(total) = total {
            self.store(total, self.engine, self.layout.total);
        }
        self.lose_conditions(OWN, plan, |s, lost| s.take(plan, &mut chosen, lost));
        self.add_at(self.engine, self.layout.firings, 1);
        match lasts {
            Lasts::Always => {
                self.last(plan, &given, end);
                return self.end();
            }
            Lasts::If(lasts) => {
                let at_once = self.b.create_block();
                self.b.set_cold_block(at_once);
                self.unless(lasts, at_once);
                self.last(plan, &given, end);
                self.b.switch_to_block(at_once);
                self.deposit(plan, given, false);
            }
            Lasts::Never => self.deposit(plan, given, false),
        }
        self.leave(DONE);
        self.end()
    }

    /// An arc's variables have the values of its token.
    pub fn bind(&mut self, arc: &Input, token: Value) {
        for (slot, variable) in &arc.binds {
            let value = self.load(I64, token, 8 * *slot as usize);
            self.variables[*variable] = Some(Source::Known(value));
        }
    }

    /// The tokens of one binding: for arcs that leave a choice, a seat or a number.
    fn choose(&mut self, plan: &TransitionPlan) -> Vec<Option<Value>> {
        let mut chosen = vec![None; plan.inputs.len()];
        match &plan.selection {
            &Selection::Bag(arc) => {
                let place = plan.inputs[arc].place;
                chosen[arc] = Some(self.any_of(place));
            }
            Selection::Join(join) => {
                let mut bindings = self.choices(join.join);
                for &(place, used) in &join.free {
                    let tokens = self.tokens(place);
                    let tokens = match used {
                        0 => tokens,
                        used => self.b.ins().iadd_imm_s(tokens, -(used as i64)),
                    };
                    bindings = self.b.ins().imul(bindings, tokens);
                }
                let k = self.equal_choice(bindings);
                self.choose_of(join, k, &mut chosen);
            }
            Selection::Product if Self::is_pair(plan) => self.choose_product(plan, &mut chosen),
            Selection::Search if can_search(plan) && !plan.prefers => self.choose_by_search(plan, &mut chosen),
            Selection::Product | Selection::Match | Selection::Tree | Selection::Preferred | Selection::Search => {
                let open = |arc: &Input| !matches!(arc.find, Find::Black(Count::Const(_)) | Find::Head { .. });
                self.lend_chance();
                let transition = self.transition_id(OWN);
                let status = self.call(self.runtime.choose, &[self.engine, transition], Some(I64));
                self.regain_chance();
                if let Some(status) = status {
                    let done = self.equals(status, DONE);
                    self.require(done);
                }
                for (i, _) in plan.inputs.iter().enumerate().filter(|(_, arc)| open(arc)) {
                    chosen[i] = Some(self.chosen(i));
                }
            }
            Selection::Single => {}
        }
        chosen
    }

    /// Any token of a bag.
    fn any_of(&mut self, place: PlaceRef) -> Value {
        if self.holds_one(place) {
            return self.int(0);
        }
        let tokens = self.tokens(place);
        if self.is_unpredictable(place) {
            self.equal_choice_free(tokens)
        } else {
            self.equal_choice(tokens)
        }
    }

    /// Whether a product is of tokens of two bags.
    fn is_pair(plan: &TransitionPlan) -> bool {
        let bags = plan.inputs.iter().filter(|arc| matches!(arc.find, Find::Any));
        bags.clone().count() == 2 && bags.clone().all(|arc| arc.before.is_empty())
    }

    /// `Engine::bind_product` for two bags. The number of the binding is read in mixed radix, the last arc changing fastest.
    fn choose_product(&mut self, plan: &TransitionPlan, chosen: &mut [Option<Value>]) {
        let bags: Vec<usize> = (0..plan.inputs.len()).filter(|&i| matches!(plan.inputs[i].find, Find::Any)).collect();
        let [first, second] = bags[..] else { return };
        let (high, low) = (self.tokens(plan.inputs[first].place), self.tokens(plan.inputs[second].place));
        // The number of bindings fits a word.
        for tokens in [high, low] {
            let few = self.b.ins().icmp_imm_u(IntCC::UnsignedLessThan, tokens, 1 << 32);
            self.require(few);
        }
        let bindings = self.b.ins().imul(high, low);
        let k = self.equal_choice(bindings);
        let alone = self.equals(low, 1);
        let digits = self.branch(
            alone,
            &[I64, I64],
            |s| vec![k, s.int(0)],
            |s| vec![s.b.ins().udiv(k, low), s.b.ins().urem(k, low)],
        );
        (chosen[first], chosen[second]) = (Some(digits[0]), Some(digits[1]));
    }

    /// The tokens of binding `k` of a join.
    fn choose_of(&mut self, join: &JoinSelection, k: Value, chosen: &mut [Option<Value>]) {
        if let Some((arc, index)) = join.pair {
            let [pivot, other] = self.choose_pair(join.join, index, k);
            (chosen[join.pivot], chosen[arc]) = (Some(pivot), Some(other));
            return;
        }
        let id = self.hole(Hole::JoinNumber(join.join));
        self.call(self.runtime.choose_of, &[self.engine, id, k], None);
        for arc in join.choices.iter().copied().chain([join.pivot]) {
            chosen[arc] = Some(self.chosen(arc));
        }
    }

    /// Whether the firing lasts, and its end. Code runs at times so early that a firing whose time is short ends before the
    /// horizon.
    fn duration(&mut self, time: &Time) -> (Lasts, Value) {
        let (duration, lasts) = match time {
            Time::Immediate => return (Lasts::Never, self.now),
            &Time::Const { ticks, long } => {
                let duration = self.hole(Hole::Constant(ticks));
                if long {
                    let end = self.b.ins().iadd(self.now, duration);
                    let within = self.b.ins().icmp_imm_u(IntCC::UnsignedLessThanOrEqual, end, HORIZON);
                    self.require(within);
                }
                (duration, Lasts::Always)
            }
            &Time::ShortExponential(mean) => (self.short_exponential(mean), Lasts::Always),
            Time::Of(e) => {
                let duration = self.real_value(e, self.now);
                let duration = self.whole_ticks(duration);
                (duration, Lasts::If(duration))
            }
        };
        (lasts, self.b.ins().iadd(self.now, duration))
    }

    /// An exponential firing time, which is 1 tick at least.
    fn short_exponential(&mut self, mean: Mean) -> Value {
        let scaled = |s: &mut Self, standard: Value| match mean {
            Mean::Usual(mean) => s.times_mean(standard, mean),
            _ => standard,
        };
        // It may be 0, or long, but hardly ever is.
        let standard = self.draw_exponential(|s, drawn| {
            let (zero, long) = (s.real(0.0), s.real(SHORT));
            let lasts = s.b.ins().fcmp(FloatCC::GreaterThan, drawn, zero);
            s.require(lasts);
            let duration = scaled(s, drawn);
            let short = s.b.ins().fcmp(FloatCC::LessThan, duration, long);
            s.require(short);
        });
        let duration = scaled(self, standard);
        let nearest = self.nearest(duration);
        self.either(nearest, I64, |_| nearest, |s| s.aside(true, |s| s.int(1)))
    }

    /// `ticks::whole` of a firing time that is short, and not negative but by rounding.
    fn whole_ticks(&mut self, duration: Value) -> Value {
        let nearest = self.nearest(duration);
        let short = self.b.ins().icmp_imm_u(IntCC::UnsignedLessThan, nearest, SHORT as i64);
        self.require(short);
        let least = |s: &mut Self| {
            let zero = s.real(0.0);
            let lasts = s.b.ins().fcmp(FloatCC::GreaterThan, duration, zero);
            s.b.ins().uextend(I64, lasts)
        };
        self.either(nearest, I64, |_| nearest, least)
    }

    /// The nearest whole number of a short time; of another, and of a negative one, it is no number of a short one.
    fn nearest(&mut self, duration: Value) -> Value {
        let rounder = self.real(ROUNDER);
        let sum = self.b.ins().fadd(duration, rounder);
        let bits = self.b.ins().bitcast(I64, MemFlagsData::new(), sum);
        let rounder = self.int(ROUNDER.to_bits());
        self.b.ins().isub(bits, rounder)
    }

    /// Asks whether the net may hold its tokens after the firing (X3). Returns how many these are, if that may be another number.
    fn room_in_net(&mut self, plan: &TransitionPlan, given: &[Given], chosen: &[Option<Value>]) -> Option<Value> {
        let mut constant = 0i64;
        let mut known = None;
        let mut add = |s: &mut Self, count: Value| match known {
            None => known = Some(count),
            Some(sum) => known = Some(s.b.ins().iadd(sum, count)),
        };
        for given in given {
            match given.count {
                TokenCount::Const(count) => constant += count as i64,
                TokenCount::Known(count) => {
                    let most = self.load(I64, self.engine, self.layout.most_tokens);
                    let few = self.b.ins().icmp(IntCC::UnsignedLessThanOrEqual, count, most);
                    self.require(few);
                    add(self, count);
                }
            }
        }
        for take in &plan.takes {
            match *take {
                Take::Black { count, .. } => constant -= count as i64,
                Take::Chosen { arc, .. } => {
                    if let Some(count) = chosen[arc] {
                        let less = self.b.ins().ineg(count);
                        add(self, less);
                    }
                }
                Take::Head { .. } | Take::Seat { .. } => constant -= 1,
            }
        }
        if known.is_none() && constant == 0 {
            return None;
        }
        let mut total = self.load(I64, self.engine, self.layout.total);
        if let Some(known) = known {
            total = self.b.ins().iadd(total, known);
        }
        let total = self.b.ins().iadd_imm_s(total, constant);
        if known.is_some() || constant > 0 {
            let most = self.load(I64, self.engine, self.layout.most_tokens);
            let few = self.b.ins().icmp(IntCC::UnsignedLessThanOrEqual, total, most);
            self.require(few);
        }
        Some(total)
    }

    /// `TrajectoryHash::add`.
    fn enter_hash(&mut self, end: Value) {
        let [start, end] = [self.now, end];
        let base = self.int(WORDS);
        let own = self.hole(Hole::HashPart(OWN));
        let mut word = self.b.ins().iadd(own, start);
        let digits: Vec<Option<Source>> =
            [Some(Source::Known(end))].into_iter().chain(self.variables.iter().copied()).collect();
        for digit in digits {
            word = self.b.ins().imul(word, base);
            if let Some(digit) = digit {
                let digit = self.word_at_use(digit);
                word = self.b.ins().iadd(word, digit);
            }
        }
        let hash = self.load(I64, self.engine, self.layout.hash);
        let rotated = self.b.ins().rotl_imm_s(hash, 23);
        let mixed = self.b.ins().bxor(rotated, word);
        let base = self.int(FIRINGS);
        let hash = self.b.ins().imul(mixed, base);
        self.store(hash, self.engine, self.layout.hash);
    }

    /// Takes the tokens of the binding, arc after arc (S4), and then empties the places to reset.
    fn take(&mut self, plan: &TransitionPlan, chosen: &mut [Option<Value>], mut lost: Option<&mut Lost>) {
        for take in &plan.takes {
            match *take {
                Take::Black { place, count } => self.lose_black(place, TokenCount::Const(count), lost.as_deref_mut()),
                Take::Chosen { place, arc } => {
                    if let Some(count) = chosen[arc] {
                        self.lose_black(place, TokenCount::Known(count), lost.as_deref_mut());
                    }
                }
                Take::Head { place, position } => {
                    self.take_token(place, TokenCount::Const(u64::from(position)), lost.as_deref_mut());
                }
                Take::Seat { place, arc } => {
                    let Some(seat) = chosen[arc] else { continue };
                    let after = &plan.inputs[arc].after;
                    let before = (!after.is_empty()).then(|| self.tokens(place));
                    self.take_token(place, TokenCount::Known(seat), lost.as_deref_mut());
                    let Some(before) = before else { continue };
                    let last = self.b.ins().iadd_imm_s(before, -1);
                    for &later in after {
                        if let Some(other) = chosen[later] {
                            let moved = self.b.ins().icmp(IntCC::Equal, other, last);
                            chosen[later] = Some(self.b.ins().select(moved, seat, other));
                        }
                    }
                }
            }
        }
        for &place in &plan.resets {
            let id = self.place_id(place);
            self.call(self.runtime.reset, &[self.engine, id], None);
        }
    }

    fn lose_black(&mut self, place: PlaceRef, count: TokenCount, lost: Option<&mut Lost>) {
        let before = self.tokens_before(place, count, Way::Down);
        self.lose(place, before, count, lost);
    }

    /// The firing lasts: it keeps room and holds what it will deposit. Leaves.
    fn last(&mut self, plan: &TransitionPlan, given: &[Given], end: Value) {
        self.in_progress(plan, Way::Up);
        for (arc, given) in plan.outputs.iter().zip(given) {
            self.keep_rooms(arc, given);
        }
        let begun = self.begin_to_last(OWN, plan, end);
        let record = begun.record;
        let mut cursor = 0;
        for (arc, given) in plan.outputs.iter().zip(given) {
            if arc.form == OutputForm::Open {
                let place = match given.place {
                    Some(place) => place,
                    None => self.place_id(arc.place),
                };
                let count = self.number(given.count);
                self.store(place, record, cursor);
                self.store(count, record, cursor + 8);
                cursor += 16;
            }
            self.store_slots(&given.slots, record, cursor);
            cursor += 8 * given.slots.len();
        }
        self.hand_over(OWN, begun, end);
    }

    /// Fetches what the tokens that a firing will give lead to: as early as they are known, for what the firing takes may have to be
    /// waited for.
    fn fetch_given(&mut self, plan: &TransitionPlan, given: &[Given]) {
        for (arc, given) in plan.outputs.iter().zip(given).filter(|(arc, _)| arc.form == OutputForm::Token) {
            self.fetch_pivots(arc.place, &given.slots);
        }
    }

    fn keep_rooms(&mut self, arc: &Output, given: &Given) {
        if !arc.any_capacity {
            return;
        }
        match (given.place, given.count) {
            (Some(place), count) => {
                let count = self.number(count);
                self.call(self.runtime.reserve, &[self.engine, place, count], None);
            }
            (None, TokenCount::Const(0)) => {}
            (None, count) => self.keep_room(arc.place, count),
        }
    }

    // ------------------------------------------------------------ the end of a firing

    /// The end of a firing that lasted; the last parameter is its record, or in the loop what is known of it in its slot.
    pub fn finish(mut self, plan: &TransitionPlan) -> Vec<Hole> {
        let (record, others) = self.leave_lane(plan);
        self.in_progress(plan, Way::Down);
        let mut cursor = 0;
        let mut all = Vec::new();
        for arc in &plan.outputs {
            let mut given = Given { place: None, count: TokenCount::Const(1), slots: Vec::new(), address: None };
            match arc.form {
                OutputForm::Black(count) => given.count = TokenCount::Const(count),
                OutputForm::Token => {}
                OutputForm::Open => {
                    if arc.several {
                        given.place = Some(self.load(I64, record, cursor));
                    }
                    given.count = match (&arc.count, &arc.condition) {
                        (Count::Const(count), None) => TokenCount::Const(*count),
                        _ => TokenCount::Known(self.load(I64, record, cursor + 8)),
                    };
                    cursor += 16;
                }
            }
            let address = self.b.ins().iadd_imm_s(record, cursor as i64);
            (given.address, given.slots) = (Some(address), Self::slots_at(address, arc.width));
            cursor += 8 * arc.width;
            all.push(given);
        }
        self.deposit(plan, all, true);
        match (self.exit, others) {
            (Exit::Finish { left, .. }, None) => self.jump(left, &[]),
            (Exit::Finish { left, succeeds, .. }, Some(others)) => {
                let lane = self.lane(OWN);
                self.b.ins().brif(others, succeeds, &[lane.into()], left, &[]);
            }
            _ => self.leave(DONE),
        }
        self.end()
    }

    /// The record of a firing that ends, and for one of a lane how many others are left there. Where functions are called, the
    /// loop has seen to the lane; it is named all the same, so that their holes are those of a part of the loop.
    fn leave_lane(&mut self, plan: &TransitionPlan) -> (Value, Option<Value>) {
        let given = self.parameter(2);
        let lane = plan.in_lane.then(|| self.lane(OWN));
        match (self.exit, lane) {
            (Exit::Finish { .. }, Some(lane)) => {
                let [record, others] = self.pop(lane);
                (record, Some(others))
            }
            (Exit::Finish { .. }, None) => (self.b.ins().iadd_imm_s(given, Records::<Ending>::HEAD as i64), None),
            _ => (given, None),
        }
    }

    /// Deposits what a firing gives, arc after arc.
    fn deposit(&mut self, plan: &TransitionPlan, given: Vec<Given>, reserved: bool) {
        for (arc, mut given) in plan.outputs.iter().zip(given) {
            let count = given.count;
            if given.address.is_none() && Self::needs_address(arc, &given) {
                given.address = Some(self.spill(&given.slots));
            }
            match count {
                TokenCount::Const(0) => {}
                TokenCount::Const(_) => self.put(arc, &given, reserved),
                TokenCount::Known(count) => {
                    let any = self.b.ins().icmp_imm_s(IntCC::NotEqual, count, 0);
                    self.when(any, |s| s.put(arc, &given, reserved));
                }
            }
        }
    }

    /// One token whose place is known: no call is needed.
    fn is_single(arc: &Output, given: &Given) -> bool {
        given.place.is_none() && (arc.width == 0 || matches!(arc.count, Count::Const(1)))
    }

    fn needs_address(arc: &Output, given: &Given) -> bool {
        arc.width > 0 && (!Self::is_single(arc, given) || arc.any_reads_memory)
    }

    fn put(&mut self, arc: &Output, given: &Given, reserved: bool) {
        let address = match given.address {
            Some(address) => address,
            None => self.int(0),
        };
        match given.place {
            None if Self::is_single(arc, given) => self.put_in(arc.place, given, address, reserved),
            Some(place) if arc.is_choice => self.put_in_one(arc, place, given, address, reserved),
            place => {
                let place = match place {
                    Some(place) => place,
                    None => self.place_id(arc.place),
                };
                let (count, transition) = (self.number(given.count), self.transition_id(OWN));
                let reserved = self.int(u64::from(reserved));
                let arguments = [self.engine, place, count, address, transition, reserved];
                let status = self.call(self.runtime.deposit, &arguments, Some(I64));
                self.leave_on_fault(status);
            }
        }
    }

    /// Tokens for the one of an arc's places that has a number. The places of an array most often share the code by which
    /// tokens arrive, so that the processor knows where the call goes before it knows the place.
    fn put_in_one(&mut self, arc: &Output, number: Value, given: &Given, address: Value, reserved: bool) {
        let arrivals = self.hole(Hole::Address(self.runtime.arrivals as u64));
        let routines = self.row(arrivals, number, 2 * size_of::<Routine>() as i64);
        let which = usize::from(reserved) * size_of::<Routine>();
        let count = self.number(given.count);
        let status = self.call_routine(LEAF, routines, which, &[address, count]);
        if arc.any_probed {
            self.leave_on_fault(Some(status));
        }
    }

    /// A function by which one token, or black ones, arrive in a place. The last parameters are where the token's values
    /// stand, and the number of tokens.
    pub fn arrive(mut self, reserved: bool) -> Vec<Hole> {
        let place = PlaceRef(0);
        let [address, count] = [2, 3].map(|position| self.parameter(position));
        let width = self.blueprint[place].width;
        let slots = Self::slots_at(address, width);
        let given = Given { place: None, count: TokenCount::Known(count), slots, address: Some(address) };
        self.put_in(place, &given, address, reserved);
        self.leave(DONE);
        self.end()
    }

    /// One token, or black ones, for a place.
    fn put_in(&mut self, place: PlaceRef, given: &Given, address: Value, reserved: bool) {
        let number = if self.blueprint[place].width == 0 {
            let before = self.tokens_before(place, given.count, Way::Up);
            self.gain(place, before, given.count, reserved, &[]);
            given.count
        } else {
            self.give_token(place, &given.slots, address, reserved);
            TokenCount::Const(1)
        };
        if self.blueprint[place].probed {
            let count = self.number(number);
            self.tell_arrival(place, count, address);
        }
    }
}
