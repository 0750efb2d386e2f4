//! Code for transitions: the start of a firing (I4 to I6), and its end (I1).

use std::mem::offset_of;

use cranelift_codegen::ir::condcodes::{FloatCC, IntCC};
use cranelift_codegen::ir::types::{F64, I64};
use cranelift_codegen::ir::{InstBuilder, MemFlagsData, Value};

use crate::base::ticks::{HORIZON, ROUNDER, SHORT};
use crate::base::trajectory::{FIRINGS, WORDS};
use crate::collections::records::Records;
use crate::engine::code::{Routine, DONE, GENERAL};
use crate::jit::blueprint::expression::Mean;
use crate::jit::blueprint::names::{PlaceRef, OWN};
use crate::jit::blueprint::transition::{
    Count, Delay, Find, Heard, Input, JoinSelection, Output, OutputForm, Races, Sampled, Selection, Take, Time,
    TransitionPlan,
};
use crate::jit::emit::emitter::{Draw, Emitter, Lost, Source, TokenCount, Writer, LEAF};
use crate::jit::emit::main_loop::{FinishWays, StartWays};
use crate::jit::emit::output::Given;
use crate::jit::emit::place::Way;
use crate::jit::emit::search::can_search;
use crate::jit::emit::slots::slots_at;
use crate::jit::emit::subjects::{Subjects, TransitionCode};
use crate::jit::holes::Hole;
use crate::state::agenda::Ending;
use crate::state::counters::TransitionCounters;

/// Whether a firing takes time.
pub enum Lasts {
    Always,
    Never,
    If(Value),
}

impl TransitionCode<'_, '_, '_> {
    // ------------------------------------------------------------ without generated code

    /// Looks at a transition, or starts a firing: neither is done.
    pub fn leave_to_engine(&mut self) {
        self.e.leave(GENERAL);
    }

    /// The end of a firing that lasted.
    pub fn finish_by_engine(&mut self) {
        let (transition, record) = (self.e.transition_id(OWN), self.e.parameter(2));
        let status = self.e.call(self.e.runtime.finish, &[self.e.engine, transition, record], Some(I64));
        self.e.leave_on_fault(status);
        self.e.leave(DONE);
    }

    // ------------------------------------------------------------ the start of a firing

    /// A firing starts: in a function, or in the loop, which has ways for it to go on.
    pub fn start(&mut self, plan: &TransitionPlan, ways: Option<StartWays>) {
        let now = self.e.now;
        let mut chosen = self.choose(plan);
        for (i, arc) in plan.inputs.iter().enumerate().filter(|(_, arc)| !arc.binds.is_empty()) {
            let token = match (&arc.find, chosen[i]) {
                (Find::Head { depth }, _) => self.tokens().shown(arc.place, *depth),
                (Find::Shown, Some(position)) => self.tokens().shown_at(arc.place, position),
                (Find::InTurn, Some(position)) => self.tokens().queued(arc.place, position),
                (_, Some(seat)) => self.e.seat(arc.place, seat),
                (_, None) => continue,
            };
            for (slot, variable) in &arc.binds {
                self.e.variables[*variable] = Some(Source::At(token, 8 * *slot as usize));
            }
        }
        if !plan.selection.counts() {
            for &arc in &plan.counts {
                if let Find::Black(Count::Of(count)) = &plan.inputs[arc].find {
                    chosen[arc] = Some(self.expressions().integer(count, now));
                }
            }
        }
        self.sets().find(plan, &chosen);
        for (variable, value) in &plan.draws {
            let bits = self.expressions().bits(value, now);
            self.e.variables[*variable] = Some(Source::Known(bits));
        }
        let now = self.e.now;
        let (lasts, end) = self.instant(&plan.time, now);
        let mut given: Vec<Given> = plan.outputs.iter().map(|arc| self.outputs().given(arc, end)).collect();
        given.iter_mut().for_each(|given| self.slots().hold(&mut given.slots));
        self.fetch_given(plan, &given, &lasts);
        let total = self.room_in_net(plan, &given, &chosen);
        self.tell_start(&plan.heard, end);
        self.enter_hash(end);
        let state = self.e.transition(OWN);
        self.e.add_at(state, offset_of!(TransitionCounters, firings), 1);
        if let Some(races) = plan.races.filter(|_| plan.settles.is_empty()) {
            let transition = self.e.transition_id(OWN);
            match races {
                Races::Part(number) => {
                    let number = self.e.hole(Hole::Constant(number));
                    self.e.call(self.e.runtime.part_fired, &[self.e.engine, transition, number], None);
                }
                Races::Own { .. } => {
                    self.e.call(self.e.runtime.fired, &[self.e.engine, transition], None);
                }
            }
        }
        if let Some(total) = total {
            self.e.store(total, self.e.engine, self.e.layout.total);
        }
        self.enabling().lose_conditions(OWN, plan, |e, lost| e.transitions().take(plan, &mut chosen, lost));
        self.e.add_at(self.e.engine, self.e.layout.firings, 1);
        self.follow(plan, given, lasts, end, ways);
    }

    /// Tells probes that a firing starts. First all values are computed: there ends what the engine can do again from the beginning.
    fn tell_start(&mut self, heard: &Heard, end: Value) {
        let Heard::Here(sampled) = heard else {
            self.chance().give_back();
            self.expressions().spill_variables();
            let transition = self.e.transition_id(OWN);
            let status = self.e.call(self.e.runtime.started, &[self.e.engine, transition, end], Some(I64));
            return self.e.leave_on_fault(status);
        };
        let samples: Vec<(Option<Value>, Value)> = sampled.iter().map(|one| self.sample(one, end)).collect();
        self.chance().give_back();
        for (one, (condition, value)) in sampled.iter().zip(samples) {
            let probe = self.e.hole(Hole::Word(one.probe));
            let tell = |s: &mut Self| {
                s.e.call(s.e.runtime.sampled, &[s.e.engine, probe, value], None);
            };
            match condition {
                Some(condition) => self.when(condition, tell),
                None => tell(self),
            }
        }
    }

    /// Whether a probe gets a value, if that is not certain, and its bits.
    fn sample(&mut self, one: &Sampled, end: Value) -> (Option<Value>, Value) {
        let value = |s: &mut Self| match &one.value {
            Some(value) => s.expressions().real_value(value, end),
            None => s.e.real(1.0),
        };
        let condition = one.condition.as_ref().map(|condition| self.expressions().condition(condition, end));
        let value = match condition {
            Some(condition) => self.either(condition, F64, value, |s| s.e.real(0.0)),
            None => value(self),
        };
        (condition, self.e.b.ins().bitcast(I64, MemFlagsData::new(), value))
    }

    /// After the start the firing lasts, or deposits what it gives at once.
    fn follow(&mut self, plan: &TransitionPlan, given: Vec<Given>, lasts: Lasts, end: Value, ways: Option<StartWays>) {
        match lasts {
            Lasts::Always => {
                self.send(plan, &given);
                return self.last(plan, &given, end, ways);
            }
            Lasts::If(lasts) => {
                let at_once = self.e.b.create_block();
                self.e.b.set_cold_block(at_once);
                self.e.unless(lasts, at_once);
                self.send(plan, &given);
                self.last(plan, &given, end, ways);
                self.e.b.switch_to_block(at_once);
            }
            Lasts::Never => {}
        }
        self.deposit(plan, given, false);
        if !plan.settles.is_empty() {
            self.rates().settle(&plan.settles);
        }
        self.agenda().done(ways);
    }

    /// An arc's variables have the values of its token.
    pub fn bind(&mut self, arc: &Input, token: Value) {
        for (slot, variable) in &arc.binds {
            let value = self.e.load(I64, token, 8 * *slot as usize);
            self.e.variables[*variable] = Some(Source::Known(value));
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
                let mut bindings = self.joins().choices(join.join);
                for &(place, used) in &join.free {
                    let tokens = self.e.tokens_in(place);
                    let tokens = match used {
                        0 => tokens,
                        used => self.e.b.ins().iadd_imm_s(tokens, -(used as i64)),
                    };
                    bindings = self.e.b.ins().imul(bindings, tokens);
                }
                let k = self.chance().equal_choice(Draw::Choice, bindings);
                self.choose_of(join, k, &mut chosen);
            }
            Selection::Search if can_search(plan) => self.searches().choose(plan, &mut chosen),
            Selection::Product
            | Selection::Match
            | Selection::Tree
            | Selection::Preferred
            | Selection::Search
            | Selection::ByRuntime => {
                let open = |arc: &Input| !matches!(arc.find, Find::Black(Count::Const(_)) | Find::Head { .. });
                self.chance().lend(Draw::Choice);
                let transition = self.e.transition_id(OWN);
                let status = self.e.call(self.e.runtime.choose, &[self.e.engine, transition], Some(I64));
                self.chance().regain(Draw::Choice);
                if let Some(status) = status {
                    let done = self.e.equals(status, DONE);
                    self.e.require(done);
                }
                for (i, _) in plan.inputs.iter().enumerate().filter(|(_, arc)| open(arc)) {
                    chosen[i] = Some(self.e.chosen(i));
                }
            }
            Selection::Single => {}
        }
        chosen
    }

    /// Any token of a bag.
    fn any_of(&mut self, place: PlaceRef) -> Value {
        if self.e.holds_one(place) {
            return self.e.int(0);
        }
        let tokens = self.e.tokens_in(place);
        if self.e.is_unpredictable(place) {
            self.chance().equal_choice_free(tokens)
        } else {
            self.chance().equal_choice(Draw::Choice, tokens)
        }
    }

    /// The tokens of binding `k` of a join.
    fn choose_of(&mut self, join: &JoinSelection, k: Value, chosen: &mut [Option<Value>]) {
        if let Some((arc, index)) = join.pair {
            let [pivot, other] = self.joins().choose_pair(join.join, index, k);
            (chosen[join.pivot], chosen[arc]) = (Some(pivot), Some(other));
            return;
        }
        let id = self.e.hole(Hole::JoinNumber(join.join));
        self.e.call(self.e.runtime.choose_of, &[self.e.engine, id, k], None);
        for arc in join.choices.iter().copied().chain([join.pivot]) {
            chosen[arc] = Some(self.e.chosen(arc));
        }
    }

    /// Whether a firing lasts, and its end; or the same of the delay of an output, where the end of the firing is known. Code only
    /// runs at times early enough for a firing with a short time to end before the horizon.
    pub fn instant(&mut self, time: &Time, end: Value) -> (Lasts, Value) {
        let (duration, lasts) = match time {
            Time::Immediate => return (Lasts::Never, self.e.now),
            &Time::Const { ticks, long } => {
                let duration = self.e.hole(Hole::Constant(ticks));
                if long {
                    let end = self.e.b.ins().iadd(self.e.now, duration);
                    let within = self.e.b.ins().icmp_imm_u(IntCC::UnsignedLessThanOrEqual, end, HORIZON);
                    self.e.require(within);
                }
                (duration, Lasts::Always)
            }
            &Time::ShortExponential(mean) => (self.short_exponential(mean), Lasts::Always),
            Time::Of(e) => {
                let duration = self.expressions().real_value(e, end);
                let duration = self.whole_ticks(duration);
                (duration, Lasts::If(duration))
            }
        };
        (lasts, self.e.b.ins().iadd(self.e.now, duration))
    }

    /// An exponential firing time, which is 1 tick at least.
    fn short_exponential(&mut self, mean: Mean) -> Value {
        let scaled = |e: &mut Emitter, standard: Value| match mean {
            Mean::Usual(mean) => e.expressions().times_mean(standard, mean),
            _ => standard,
        };
        // It is almost never 0 or long.
        let standard = self.chance().draw_exponential(Draw::Value, |e, drawn| {
            let (zero, long) = (e.real(0.0), e.real(SHORT));
            let lasts = e.b.ins().fcmp(FloatCC::GreaterThan, drawn, zero);
            e.require(lasts);
            let duration = scaled(e, drawn);
            let short = e.b.ins().fcmp(FloatCC::LessThan, duration, long);
            e.require(short);
        });
        let duration = scaled(self.e, standard);
        let nearest = self.nearest(duration);
        self.either(nearest, I64, |_| nearest, |s| s.aside(true, |s| s.e.int(1)))
    }

    /// `ticks::whole` of a firing time that is short, and not negative but by rounding.
    fn whole_ticks(&mut self, duration: Value) -> Value {
        let nearest = self.nearest(duration);
        let short = self.e.b.ins().icmp_imm_u(IntCC::UnsignedLessThan, nearest, SHORT as i64);
        self.e.require(short);
        let least = |s: &mut Self| {
            let zero = s.e.real(0.0);
            let lasts = s.e.b.ins().fcmp(FloatCC::GreaterThan, duration, zero);
            s.e.b.ins().uextend(I64, lasts)
        };
        self.either(nearest, I64, |_| nearest, least)
    }

    /// The nearest whole number of a short time; for a long or negative time, a number that no short time gives.
    pub fn nearest(&mut self, duration: Value) -> Value {
        let rounder = self.e.real(ROUNDER);
        let sum = self.e.b.ins().fadd(duration, rounder);
        let bits = self.e.b.ins().bitcast(I64, MemFlagsData::new(), sum);
        let rounder = self.e.int(ROUNDER.to_bits());
        self.e.b.ins().isub(bits, rounder)
    }

    /// Checks that the net may hold its tokens after the firing (X3). Returns their number, if it may have changed.
    fn room_in_net(&mut self, plan: &TransitionPlan, given: &[Given], chosen: &[Option<Value>]) -> Option<Value> {
        let mut constant = 0i64;
        let mut known = None;
        let mut add = |s: &mut Self, count: Value| match known {
            None => known = Some(count),
            Some(sum) => known = Some(s.e.b.ins().iadd(sum, count)),
        };
        for given in given {
            match given.count {
                TokenCount::Const(count) => constant += count as i64,
                TokenCount::Known(count) => {
                    let most = self.e.load(I64, self.e.engine, self.e.layout.most_tokens);
                    let few = self.e.b.ins().icmp(IntCC::UnsignedLessThanOrEqual, count, most);
                    self.e.require(few);
                    add(self, count);
                }
            }
        }
        for take in &plan.takes {
            match *take {
                Take::Black { count, .. } => constant -= count as i64,
                Take::Chosen { arc, .. } => {
                    if let Some(count) = chosen[arc] {
                        let less = self.e.b.ins().ineg(count);
                        add(self, less);
                    }
                }
                Take::Head { .. } | Take::Seat { .. } | Take::Shown { .. } => constant -= 1,
            }
        }
        for number in plan.sets.numbers() {
            let less = self.set_number(number);
            let less = self.e.b.ins().ineg(less);
            add(self, less);
        }
        if known.is_none() && constant == 0 {
            return None;
        }
        let mut total = self.e.load(I64, self.e.engine, self.e.layout.total);
        if let Some(known) = known {
            total = self.e.b.ins().iadd(total, known);
        }
        let total = self.e.b.ins().iadd_imm_s(total, constant);
        if known.is_some() || constant > 0 {
            let most = self.e.load(I64, self.e.engine, self.e.layout.most_tokens);
            let few = self.e.b.ins().icmp(IntCC::UnsignedLessThanOrEqual, total, most);
            self.e.require(few);
        }
        Some(total)
    }

    /// `TrajectoryHash::add`.
    fn enter_hash(&mut self, end: Value) {
        let [start, end] = [self.e.now, end];
        let base = self.e.int(WORDS);
        let own = self.e.hole(Hole::HashPart(OWN));
        let mut word = self.e.b.ins().iadd(own, start);
        let digits: Vec<Option<Source>> =
            [Some(Source::Known(end))].into_iter().chain(self.e.variables.iter().copied()).collect();
        for digit in digits {
            word = self.e.b.ins().imul(word, base);
            if let Some(digit) = digit {
                let digit = self.slots().word_at_use(digit);
                word = self.e.b.ins().iadd(word, digit);
            }
        }
        let hash = self.e.load(I64, self.e.engine, self.e.layout.hash);
        let rotated = self.e.b.ins().rotl_imm_s(hash, 23);
        let mixed = self.e.b.ins().bxor(rotated, word);
        let base = self.e.int(FIRINGS);
        let hash = self.e.b.ins().imul(mixed, base);
        self.e.store(hash, self.e.engine, self.e.layout.hash);
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
                    self.tokens().take(place, TokenCount::Const(u64::from(position)), lost.as_deref_mut());
                }
                Take::Seat { place, arc } => {
                    let Some(seat) = chosen[arc] else { continue };
                    let after = &plan.inputs[arc].after;
                    let before = (!after.is_empty()).then(|| self.e.tokens_in(place));
                    if self.e.blueprint[place].fronts {
                        self.tokens().take_first(place, seat);
                    } else {
                        self.tokens().take(place, TokenCount::Known(seat), lost.as_deref_mut());
                    }
                    let Some(before) = before else { continue };
                    let last = self.e.b.ins().iadd_imm_s(before, -1);
                    for &later in after {
                        if let Some(other) = chosen[later] {
                            let moved = self.e.b.ins().icmp(IntCC::Equal, other, last);
                            chosen[later] = Some(self.e.b.ins().select(moved, seat, other));
                        }
                    }
                }
                Take::Shown { place, arc } => {
                    let Some(position) = chosen[arc] else { continue };
                    self.tokens().take(place, TokenCount::Known(position), lost.as_deref_mut());
                    for &later in &plan.inputs[arc].after {
                        if let Some(other) = chosen[later] {
                            let behind = self.e.b.ins().icmp(IntCC::UnsignedGreaterThan, other, position);
                            let behind = self.e.b.ins().uextend(I64, behind);
                            chosen[later] = Some(self.e.b.ins().isub(other, behind));
                        }
                    }
                }
            }
        }
        self.sets().take(plan);
        for &place in &plan.resets {
            let id = self.e.place_id(place);
            self.e.call(self.e.runtime.reset, &[self.e.engine, id], None);
        }
    }

    /// How many tokens a set has.
    fn set_number(&mut self, variable: usize) -> Value {
        match self.e.variables[variable] {
            Some(number) => self.slots().word_in(number),
            None => self.e.int(0),
        }
    }

    pub fn lose_black(&mut self, place: PlaceRef, count: TokenCount, lost: Option<&mut Lost>) {
        let before = self.places().tokens_before(place, count, Way::Down);
        self.places().lose(place, before, count, lost);
    }

    /// The firing lasts: it keeps room and holds what it will deposit. Leaves.
    fn last(&mut self, plan: &TransitionPlan, given: &[Given], end: Value, ways: Option<StartWays>) {
        self.places().in_progress(plan, Way::Up);
        let own = || plan.outputs.iter().zip(given).filter(|(arc, _)| arc.delay.is_none());
        for (arc, given) in own() {
            self.keep_rooms(arc, given);
        }
        let begun = self.agenda().begin(OWN, plan, end);
        let record = begun.record;
        let mut cursor = 0;
        for (arc, given) in own() {
            if arc.form == OutputForm::Open {
                let place = match given.place {
                    Some(place) => place,
                    None => self.e.place_id(arc.place),
                };
                let count = self.e.number(given.count);
                self.e.store(place, record, cursor);
                self.e.store(count, record, cursor + 8);
                cursor += 16;
            }
            if let Some(loose) = given.bundle {
                let held = self.held(given.count, loose);
                self.e.store(held, record, cursor);
                cursor += 8;
            }
            self.slots().store(&given.slots, record, cursor);
            cursor += 8 * given.slots.len();
        }
        self.agenda().hand_over(OWN, begun, end, ways);
    }

    /// A bundle that holds what a loose one has, if there are tokens.
    fn held(&mut self, count: TokenCount, loose: Value) -> Value {
        let count = self.e.number(count);
        let any = self.e.b.ins().icmp_imm_s(IntCC::NotEqual, count, 0);
        let hold = |s: &mut Self| s.e.call(s.e.runtime.hold_bundle, &[s.e.engine, loose], Some(I64)).unwrap_or(loose);
        self.either(any, I64, hold, |_| loose)
    }

    /// Prefetches the memory that the output tokens will touch, as soon as they are known: the firing may stall on its
    /// inputs meanwhile.
    fn fetch_given(&mut self, plan: &TransitionPlan, given: &[Given], lasts: &Lasts) {
        for (arc, given) in plan.outputs.iter().zip(given).filter(|(arc, _)| arc.form == OutputForm::Token) {
            if matches!(lasts, Lasts::Never) {
                self.joins().fetch_waiting(arc.place, &given.slots);
            } else {
                self.joins().fetch_pivots(arc.place, &given.slots);
            }
        }
    }

    fn keep_rooms(&mut self, arc: &Output, given: &Given) {
        if !arc.any_capacity {
            return;
        }
        let place = match given.place {
            None if matches!(given.count, TokenCount::Const(0)) => return,
            None if !arc.any_weighed && self.lines().keep_room(arc.place, given) => return,
            None if !arc.any_lines && !arc.any_weighed => return self.places().keep_room(arc.place, given.count),
            None => self.e.place_id(arc.place),
            Some(place) => place,
        };
        let count = self.e.number(given.count);
        let address = if arc.width > 0 { self.slots().spill(&given.slots) } else { self.e.int(0) };
        self.e.call(self.e.runtime.reserve, &[self.e.engine, place, count, address], None);
    }

    // ------------------------------------------------------------ the end of a firing

    /// The end of a firing that lasted; the last parameter is its record, or in the loop, which has ways for it to go on, what is
    /// known of it in its slot.
    pub fn finish(&mut self, plan: &TransitionPlan, ways: Option<FinishWays>) {
        let (record, others) = self.leave_lane(plan, ways.is_some());
        if !plan.delivers {
            self.places().in_progress(plan, Way::Down);
        }
        let mut cursor = 0;
        let mut all = Vec::new();
        for arc in &plan.outputs {
            if arc.delay.is_some() {
                all.push(Given::nothing());
                continue;
            }
            let mut given = Given { count: TokenCount::Const(1), ..Given::nothing() };
            match arc.form {
                OutputForm::Black(count) => given.count = TokenCount::Const(count),
                OutputForm::Token => {}
                OutputForm::Open => {
                    if arc.several {
                        given.place = Some(self.e.load(I64, record, cursor));
                    }
                    given.count = match (&arc.count, &arc.condition) {
                        (Count::Const(count), None) => TokenCount::Const(*count),
                        _ => TokenCount::Known(self.e.load(I64, record, cursor + 8)),
                    };
                    cursor += 16;
                }
            }
            if arc.bundle.is_some() {
                given.bundle = Some(self.e.load(I64, record, cursor));
                cursor += 8;
            }
            let address = self.e.b.ins().iadd_imm_s(record, cursor as i64);
            (given.address, given.slots) = (Some(address), slots_at(address, arc.width));
            cursor += 8 * arc.width;
            all.push(given);
        }
        self.deposit(plan, all, true);
        match (ways, others) {
            (Some(FinishWays { left, .. }), None) => self.e.jump(left, &[]),
            (Some(FinishWays { left, succeeds }), Some(others)) => {
                let lane = self.agenda().lane(OWN);
                self.e.b.ins().brif(others, succeeds, &[lane.into()], left, &[]);
            }
            _ => self.e.leave(DONE),
        }
    }

    /// The record of a firing that ends, and for one of a lane how many others are left there. Where functions are called, the
    /// loop has seen to the lane; it is named all the same, so that their holes are those of a part of the loop.
    fn leave_lane(&mut self, plan: &TransitionPlan, in_loop: bool) -> (Value, Option<Value>) {
        let given = self.e.parameter(2);
        let lane = plan.in_lane.then(|| self.agenda().lane(OWN));
        match (in_loop, lane) {
            (true, Some(lane)) => {
                let [record, others] = self.agenda().pop(lane);
                (record, Some(others))
            }
            (true, None) => (self.e.b.ins().iadd_imm_s(given, Records::<Ending>::HEAD as i64), None),
            _ => (given, None),
        }
    }

    /// Deposits what a firing gives, arc after arc. Tokens that arrive later go on their way.
    fn deposit(&mut self, plan: &TransitionPlan, given: Vec<Given>, reserved: bool) {
        let mut part = 0;
        for (arc, mut given) in plan.outputs.iter().zip(given) {
            if let (Some(delay), Some(arrival)) = (&arc.delay, given.arrival) {
                part += 1;
                self.send_one(arc, delay, given, arrival, part);
                continue;
            }
            let count = given.count;
            if given.address.is_none() && Self::needs_address(arc, &given) {
                given.address = Some(self.slots().spill(&given.slots));
            }
            match count {
                TokenCount::Const(0) => {}
                TokenCount::Const(_) => self.put(arc, &given, reserved),
                TokenCount::Known(count) => {
                    let any = self.e.b.ins().icmp_imm_s(IntCC::NotEqual, count, 0);
                    self.when(any, |s| s.put(arc, &given, reserved));
                }
            }
        }
    }

    /// What a firing that lasts gives after a time of its own goes on its way.
    fn send(&mut self, plan: &TransitionPlan, given: &[Given]) {
        let mut part = 0;
        for (arc, given) in plan.outputs.iter().zip(given) {
            if let (Some(delay), Some(arrival)) = (&arc.delay, given.arrival) {
                part += 1;
                self.send_one(arc, delay, given.clone(), arrival, part);
            }
        }
    }

    /// The tokens of an arc with a delay: they arrive at once, or are on the way (I11).
    fn send_one(&mut self, arc: &Output, delay: &Delay, mut given: Given, arrival: Value, part: u64) {
        let any = match given.count {
            TokenCount::Const(0) => return,
            TokenCount::Const(_) => None,
            TokenCount::Known(count) => Some(self.e.b.ins().icmp_imm_s(IntCC::NotEqual, count, 0)),
        };
        if given.address.is_none() && arc.width > 0 {
            given.address = Some(self.slots().spill(&given.slots));
        }
        let send = |s: &mut Self| {
            if !matches!(delay.time, Time::Immediate) {
                let later = s.e.b.ins().icmp(IntCC::NotEqual, arrival, s.e.now);
                s.when(later, |s| s.begin_delivery(arc, delay, &given, arrival, part));
            }
            if !matches!(delay.time, Time::Const { .. }) {
                let now = s.e.b.ins().icmp(IntCC::Equal, arrival, s.e.now);
                s.when(now, |s| s.put(arc, &given, false));
            }
        };
        match any {
            Some(any) => self.when(any, send),
            None => send(self),
        }
    }

    fn begin_delivery(&mut self, arc: &Output, delay: &Delay, given: &Given, arrival: Value, part: u64) {
        let mut words = given.slots.clone();
        if arc.form == OutputForm::Open {
            let place = given.place.unwrap_or_else(|| self.e.place_id(arc.place));
            let count = self.e.number(given.count);
            words.splice(0..0, [Source::Known(place), Source::Known(count)]);
        }
        if let Some(loose) = given.bundle {
            words.push(Source::Known(self.held(given.count, loose)));
        }
        if delay.in_lane {
            self.keep_rooms(arc, given);
            return self.agenda().begin_delivery(delay.delivery, arrival, part, &words);
        }
        let address = self.slots().spill(&words);
        let (delivery, part) = (self.e.transition_id(delay.delivery), self.e.int(part));
        self.e.call(self.e.runtime.deliver, &[self.e.engine, delivery, arrival, part, address], None);
    }

    /// One token whose place is known, and does not weigh it: no call is needed.
    fn is_single(arc: &Output, given: &Given) -> bool {
        given.place.is_none() && !arc.any_weighed && (arc.width == 0 || matches!(arc.count, Count::Const(1)))
    }

    fn needs_address(arc: &Output, given: &Given) -> bool {
        arc.width > 0 && (!Self::is_single(arc, given) || arc.any_reads_memory)
    }

    fn put(&mut self, arc: &Output, given: &Given, reserved: bool) {
        if let (Some(plan), Some(bundle)) = (&arc.bundle, given.bundle) {
            return self.sets().put(arc, (plan, bundle), (given.place, given.count), reserved);
        }
        let address = match given.address {
            Some(address) => address,
            None => self.e.int(0),
        };
        match given.place {
            None if Self::is_single(arc, given) && self.e.blueprint[arc.place].has_routine => {
                let place = self.e.place_id(arc.place);
                self.put_in_one(arc, place, given, address, reserved);
            }
            None if Self::is_single(arc, given) => self.put_in(arc.place, given, address, reserved),
            Some(place) if arc.is_choice && !arc.any_weighed => self.put_in_one(arc, place, given, address, reserved),
            place => {
                let place = match place {
                    Some(place) => place,
                    None => self.e.place_id(arc.place),
                };
                let (count, transition) = (self.e.number(given.count), self.e.transition_id(OWN));
                let reserved = self.e.int(u64::from(reserved));
                let arguments = [self.e.engine, place, count, address, transition, reserved];
                let status = self.e.call(self.e.runtime.deposit, &arguments, Some(I64));
                self.e.leave_on_fault(status);
            }
        }
    }

    /// Tokens for the one of an arc's places that has a number. The places of an array most often share the code by which
    /// tokens arrive, so that the processor knows where the call goes before it knows the place.
    fn put_in_one(&mut self, arc: &Output, number: Value, given: &Given, address: Value, reserved: bool) {
        let routines = self.places().routines(number);
        let which = usize::from(reserved) * size_of::<Routine>();
        let count = self.e.number(given.count);
        let status = self.e.call_routine(LEAF, routines, which, &[address, count]);
        if arc.any_probed {
            self.e.leave_on_fault(Some(status));
        }
    }

    /// A function by which one token, or black ones, arrive in a place. The last parameters are where the token's values
    /// stand, and the number of tokens.
    pub fn arrive(&mut self, reserved: bool) {
        let place = PlaceRef(0);
        let [address, count] = [2, 3].map(|position| self.e.parameter(position));
        let width = self.e.blueprint[place].width;
        let slots = slots_at(address, width);
        let given = Given { count: TokenCount::Known(count), slots, address: Some(address), ..Given::nothing() };
        self.put_in(place, &given, address, reserved);
        self.e.leave(DONE);
    }

    /// One token, or black ones, for a place.
    fn put_in(&mut self, place: PlaceRef, given: &Given, address: Value, reserved: bool) {
        let number = if self.e.blueprint[place].width == 0 {
            let before = self.places().tokens_before(place, given.count, Way::Up);
            self.places().gain(place, before, given.count, reserved, &[]);
            given.count
        } else {
            self.tokens().give(place, &given.slots, address, reserved);
            TokenCount::Const(1)
        };
        if self.e.blueprint[place].probed {
            let count = self.e.number(number);
            self.tokens().tell_arrival(place, count, address);
        }
    }
}
