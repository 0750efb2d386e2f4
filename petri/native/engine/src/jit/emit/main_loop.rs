//! Code for the loop of the semantics: choosing and starting firings until none is enabled (I3 to I6), then time, and the
//! ends of firings (I1, I8). It does what `Engine::run` does, and calls the runtime for rare work.

use std::collections::BTreeMap;
use std::mem::{offset_of, size_of};

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::{I32, I64};
use cranelift_codegen::ir::{Block, InstBuilder, Value};
use cranelift_frontend::{Switch, Variable};

use crate::base::ticks::Ticks;
use crate::collections::rank_set::RankSet;
use crate::collections::records::Records;
use crate::collections::tournament::{Key, MANY, NEVER, NONE};
use crate::engine::code::{
    Routine, Routines, DONE, ENABLED, FIRES, GENERAL, NO_TRANSITION, OVER, STARTS, STOPPED, USED_UP,
};
use crate::jit::blueprint::transition::{Level, SetSize, TransitionPlan, NO_LANE};
use crate::jit::blueprint::{Blueprint, LoopPlan};
use crate::jit::emit::emitter::{Draw, Exit, FunctionForm, Writer, LEAF};
use crate::jit::emit::subjects::{MainLoopCode, Subjects};
use crate::jit::holes::Hole;
use crate::state::agenda::Ending;
use crate::state::counters::{TransitionCounters, UNMET};
use crate::state::lane::Lane;

/// A tournament of at most this number of rounds is far from having `MANY` slots.
const FEW_ROUNDS: u32 = MANY.ilog2() - 4;

/// What the loop is made from, its parts, and its arguments: where the routines are, and those that look; the last instant, the
/// number of firings to stop at, and which pieces are inlined in the loop.
pub struct LoopContext<'w> {
    plan: &'w LoopPlan,
    pub parts: Parts,
    pub routines: Value,
    looks: Value,
    pub until: Value,
    enough: Value,
    pub written: &'w InlinePieces<'w>,
    /// The time.
    pub now: Variable,
    /// Firings may start while fewer than this have started since time 0. Then the loop computes again how many may
    /// (`allow`).
    may_start: Variable,
}

/// For each transition the piece that starts its firings, and the one that ends them, where the pieces of a net are few
/// enough to be inlined in the loop. Otherwise there are none, and they are called.
#[derive(Default)]
pub struct InlinePieces<'w> {
    pub starts: Vec<InlinePiece<'w>>,
    pub finishes: Vec<InlinePiece<'w>>,
}

/// A piece that is inlined in the loop. Transitions of one shape share it.
#[derive(Clone, Copy)]
pub struct InlinePiece<'w> {
    pub shape: usize,
    /// What it is made from, with the transition.
    pub blueprint: &'w Blueprint,
    pub plan: &'w TransitionPlan,
    /// How many holes it has, and whether it reads any.
    pub holes: usize,
    pub reads: bool,
}

impl InlinePieces<'_> {
    /// Whether what ends firings has holes.
    pub fn finishes_differ(&self) -> bool {
        self.finishes.is_empty() || self.finishes.iter().any(|part| part.reads)
    }
}

/// Where the start of a firing goes that is inlined in the loop.
#[derive(Clone, Copy)]
pub struct StartWays {
    /// Here where nothing is left to do.
    pub done: Block,
    /// Here with the end of a firing that begins to last, the transition and its slot.
    pub lasts: Block,
    pub transition: Value,
}

/// Where the end of a firing goes that is inlined in the loop.
#[derive(Clone, Copy)]
pub struct FinishWays {
    /// Here where its slot is left.
    pub left: Block,
    /// Here with its lane, if the next firing of the lane takes the slot.
    pub succeeds: Block,
}

/// Parts of the loop.
pub struct Parts {
    /// Looks for a firing to start.
    top: Block,
    /// Starts a firing of a transition.
    pub fire: Block,
    /// A firing that lasts no time has started: the same as `top`, unless it was all that happens at its instant.
    pub done: Block,
    /// Nothing is enabled.
    pub idle: Block,
    /// Ends a firing.
    finish: Block,
}

impl MainLoopCode<'_, '_, '_> {
    pub fn write(&mut self, plan: &LoopPlan, written: &InlinePieces) {
        let [routines, looks, until, enough] = [2, 3, 4, 5].map(|i| self.e.parameter(i));
        let [now, may_start] = [0; 2].map(|_| self.e.b.declare_var(I64));
        let [top, fire, idle, finish] = [0; 4].map(|_| self.e.b.create_block());
        let done = if plan.one_clock.is_some() { self.e.b.create_block() } else { top };
        let parts = Parts { top, fire, done, idle, finish };
        let asked = LoopContext { plan, parts, routines, looks, until, enough, written, now, may_start };
        let time = self.e.load(I64, self.e.engine, self.e.layout.now);
        self.e.b.def_var(now, time);
        if self.e.often_tie() {
            let always = self.e.int(Ticks::MAX as u64);
            self.e.store(always, self.e.engine, self.e.layout.tie);
        }
        self.allow(&asked);
        self.e.jump(top, &[]);

        self.e.b.switch_to_block(top);
        for &place in &plan.streams {
            let empty = self.e.tokens_in(place);
            let empty = self.e.equals(empty, 0);
            self.when(empty, |s| s.refill());
        }
        if plan.looks {
            self.look_where_needed(&asked);
        }
        for (number, level) in plan.levels.iter().enumerate() {
            let (some, none) = (self.e.b.create_block(), self.e.b.create_block());
            let (sets, offset) = self.e.enabled(number as u32);
            let word = self.e.load(I64, sets, offset);
            self.e.b.ins().brif(word, some, &[], none, &[]);
            self.e.b.switch_to_block(some);
            self.leave_unless_allowed(&asked);
            let transition = self.pick(number, level, word);
            match plan.one_clock {
                // Its code begins where the common clock has been settled.
                Some(_) => {
                    let general = self.e.int(GENERAL);
                    self.leave_to_start(transition, general);
                }
                None => self.e.jump(fire, &[transition]),
            }
            self.e.b.switch_to_block(none);
        }
        self.e.jump(idle, &[]);
        self.fire(&asked);
        if let Some(parts) = plan.one_clock {
            return self.run_clock(&asked, parts);
        }
        self.pass_time(&asked);
        self.finish_first(&asked);
    }

    /// Firings may start as long as fewer than `enough` have started, and too few at this instant for the limit (X3) to
    /// matter.
    fn allow(&mut self, asked: &LoopContext) -> Value {
        let began = self.e.load(I64, self.e.engine, self.e.layout.instant_began);
        let quiet = self.e.load(I64, self.e.engine, self.e.layout.quiet);
        let loud = self.e.b.ins().iadd(began, quiet);
        let number = self.e.b.ins().umin(loud, asked.enough);
        self.e.b.def_var(asked.may_start, number);
        number
    }

    /// The number of firings that may start is often that of an earlier instant.
    fn leave_unless_allowed(&mut self, asked: &LoopContext) {
        let [used_up] = self.e.new_blocks();
        self.unless_allowed(asked, used_up);
        let here = self.e.b.current_block();
        self.e.b.set_cold_block(used_up);
        self.e.b.switch_to_block(used_up);
        self.e.leave(USED_UP);
        here.into_iter().for_each(|here| self.e.b.switch_to_block(here));
    }

    /// Goes on unless no firing may start.
    pub fn unless_allowed(&mut self, asked: &LoopContext, used_up: Block) {
        let (go, allow) = (self.e.b.create_block(), self.e.b.create_block());
        self.e.b.set_cold_block(allow);
        let firings = self.e.load(I64, self.e.engine, self.e.layout.firings);
        let few = self.e.b.use_var(asked.may_start);
        let may = self.e.b.ins().icmp(IntCC::UnsignedLessThan, firings, few);
        self.e.b.ins().brif(may, go, &[], allow, &[]);
        self.e.b.switch_to_block(allow);
        let few = self.allow(asked);
        let may = self.e.b.ins().icmp(IntCC::UnsignedLessThan, firings, few);
        self.e.b.ins().brif(may, go, &[], used_up, &[]);
        self.e.b.switch_to_block(go);
    }

    /// Measures read what has changed in the marking (`Engine::read_marking`).
    fn read_marking(&mut self) {
        let Some(fine) = self.e.call(self.e.runtime.read_marking, &[self.e.engine], Some(I64)) else { return };
        self.leave_unless(fine, STOPPED);
    }

    /// Rows of files arrive in empty places (`Engine::refill`).
    fn refill(&mut self) {
        let Some(fine) = self.e.call(self.e.runtime.refill, &[self.e.engine], Some(I64)) else { return };
        self.leave_unless(fine, STOPPED);
    }

    /// Leaves with a status unless a word is not zero.
    pub fn leave_unless(&mut self, word: Value, status: u64) {
        let (go, out) = (self.e.b.create_block(), self.e.b.create_block());
        self.e.b.set_cold_block(out);
        self.e.b.ins().brif(word, go, &[], out, &[]);
        self.e.b.switch_to_block(out);
        self.e.leave(status);
        self.e.b.switch_to_block(go);
    }

    /// `Engine::look`: looks at the transitions that are listed.
    fn look_where_needed(&mut self, asked: &LoopContext) {
        let (next, one, done) = (self.e.b.create_block(), self.e.b.create_block(), self.e.b.create_block());
        self.e.jump(next, &[]);
        self.e.b.switch_to_block(next);
        let listed = self.e.load(I64, self.e.engine, self.e.layout.listed);
        self.e.b.ins().brif(listed, one, &[], done, &[]);
        self.e.b.switch_to_block(one);
        let fewer = self.e.b.ins().iadd_imm_s(listed, -1);
        self.e.store(fewer, self.e.engine, self.e.layout.listed);
        let list = self.e.table(self.e.layout.list);
        let entry = self.e.row(list, fewer, size_of::<u32>() as i64);
        let transition = self.e.load_half(entry, 0);
        let state = self.e.transition_at(transition);
        let look =
            self.enabling().change_look(state, |e, look| e.b.ins().band_imm_s(look, !TransitionCounters::LISTED));
        let unmet = self.e.b.ins().ushr_imm_s(look, UNMET as i64);
        let may_be = self.e.b.create_block();
        self.e.b.ins().brif(unmet, next, &[], may_be, &[]);
        self.e.b.switch_to_block(may_be);
        let routine = self.e.row(asked.looks, transition, size_of::<Routine>() as i64);
        let found = self.e.call_routine(self.e.convention(), routine, 0, &[]);
        let known = self.e.b.ins().icmp_imm_u(IntCC::UnsignedLessThanOrEqual, found, ENABLED as i64);
        let (set, general) = (self.e.b.create_block(), self.e.b.create_block());
        self.e.b.ins().brif(known, set, &[], general, &[]);
        self.e.b.switch_to_block(set);
        // The word has no other bits now.
        let before = self.e.load(I64, state, TransitionCounters::LOOK);
        let turned = self.e.b.ins().icmp(IntCC::NotEqual, found, before);
        self.when(turned, |s| match asked.plan.size_of_sets() {
            Some(size) => s.enabling().turn(state, found, size),
            None => {
                s.e.call(s.e.runtime.set_enabled, &[s.e.engine, transition, found], None);
            }
        });
        self.e.jump(next, &[]);
        self.e.b.switch_to_block(general);
        self.look_generally(listed, state);
        self.e.jump(next, &[]);
        self.e.b.switch_to_block(done);
    }

    /// The interpreter looks at a transition, which is put back on the list, and at the others on it.
    fn look_generally(&mut self, listed: Value, state: Value) {
        self.e.store(listed, self.e.engine, self.e.layout.listed);
        self.enabling().change_look(state, |e, look| e.b.ins().bor_imm_s(look, TransitionCounters::LISTED));
        self.look_by_engine();
    }

    fn look_by_engine(&mut self) {
        let Some(fine) = self.e.call(self.e.runtime.look, &[self.e.engine], Some(I64)) else { return };
        self.leave_unless(fine, STOPPED);
    }

    /// `Enabling::choose`: one of the enabled transitions of a priority.
    fn pick(&mut self, number: usize, level: &Level, word: Value) -> Value {
        match level.size {
            _ if level.weighted => return self.pick_by_engine(number, level),
            SetSize::Large => return self.pick_by_engine(number, level),
            SetSize::Medium => return self.pick_of_words(number, level, word),
            SetSize::Small => {}
        }
        let several = |s: &mut Self| {
            s.chance().take();
            let number = s.e.b.ins().popcnt(word);
            let two = s.e.equals(number, 2);
            let bits = s.either(two, I64, |s| s.one_of_two(word), |s| s.one_of_several(word, number));
            s.chance().give_back();
            bits
        };
        let others = self.without_lowest_bit(word);
        let bits = self.either(others, I64, |s| s.aside(true, several), |_| word);
        let position = self.e.b.ins().ctz(bits);
        self.transition_in(level, position)
    }

    fn pick_by_engine(&mut self, number: usize, level: &Level) -> Value {
        let number = self.e.int(number as u64);
        let picked = self.e.call(self.e.runtime.pick, &[self.e.engine, number], Some(I64)).unwrap_or(number);
        if level.is_open {
            let fine = self.e.b.ins().icmp_imm_u(IntCC::NotEqual, picked, NO_TRANSITION as i64);
            self.leave_unless(fine, STOPPED);
        }
        picked
    }

    /// The same where the set is a medium one.
    fn pick_of_words(&mut self, number: usize, level: &Level, summary: Value) -> Value {
        let (sets, offset) = self.e.enabled(number as u32);
        let words = self.e.load(I64, sets, offset - offset_of!(RankSet, word) + RankSet::WORDS);
        let (node, word) = self.first_word(words, summary);
        let (above, here) = (self.without_lowest_bit(summary), self.without_lowest_bit(word));
        let others = self.e.b.ins().bor(above, here);
        let several = |s: &mut Self| {
            let number = s.members(words, summary);
            s.chance().take();
            let two = s.e.equals(number, 2);
            let of_two = |s: &mut Self| {
                let second = s.is_second();
                s.e.b.ins().uextend(I64, second)
            };
            let skipped = s.either(two, I64, of_two, |s| s.chance().choice_of_several(Draw::Choice, number));
            s.chance().give_back();
            s.word_of(words, summary, skipped)
        };
        let found = self.branch(others, &[I64, I64], |s| s.aside(true, several), |_| vec![node, word]);
        let (start, bit) = (self.e.b.ins().ishl_imm_s(found[0], 6), self.e.b.ins().ctz(found[1]));
        let position = self.e.b.ins().iadd(start, bit);
        self.transition_in(level, position)
    }

    /// The first of the words whose bits are set in a summary: its number, and the word.
    fn first_word(&mut self, words: Value, summary: Value) -> (Value, Value) {
        let node = self.e.b.ins().ctz(summary);
        let entry = self.e.row(words, node, size_of::<u64>() as i64);
        (node, self.e.load(I64, entry, 0))
    }

    /// The number of members in the words whose bits are set in a summary.
    fn members(&mut self, words: Value, summary: Value) -> Value {
        let (again, done) = (self.e.b.create_block(), self.e.b.create_block());
        let [left, before] = [0; 2].map(|_| self.e.b.append_block_param(again, I64));
        let all = self.e.b.append_block_param(done, I64);
        let none = self.e.int(0);
        self.e.jump(again, &[summary, none]);
        self.e.b.switch_to_block(again);
        let (_, word) = self.first_word(words, left);
        let here = self.e.b.ins().popcnt(word);
        let sum = self.e.b.ins().iadd(before, here);
        let left = self.without_lowest_bit(left);
        self.e.b.ins().brif(left, again, &[left.into(), sum.into()], done, &[sum.into()]);
        self.e.b.switch_to_block(done);
        all
    }

    /// The word with the member that follows the first `skipped` members: its number, and the word from that member on.
    fn word_of(&mut self, words: Value, summary: Value, skipped: Value) -> Vec<Value> {
        let (again, next, found) = (self.e.b.create_block(), self.e.b.create_block(), self.e.b.create_block());
        let [left, others] = [0; 2].map(|_| self.e.b.append_block_param(again, I64));
        self.e.jump(again, &[summary, skipped]);
        self.e.b.switch_to_block(again);
        let (node, word) = self.first_word(words, left);
        let here = self.e.b.ins().popcnt(word);
        let is_here = self.e.b.ins().icmp(IntCC::UnsignedLessThan, others, here);
        self.e.b.ins().brif(is_here, found, &[], next, &[]);
        self.e.b.switch_to_block(next);
        let (left, fewer) = (self.without_lowest_bit(left), self.e.b.ins().isub(others, here));
        self.e.jump(again, &[left, fewer]);
        self.e.b.switch_to_block(found);
        vec![node, self.without_lowest_bits(word, others)]
    }

    /// The number of the transition at a position of a priority.
    fn transition_in(&mut self, level: &Level, position: Value) -> Value {
        if let Some(first) = level.first {
            return self.e.b.ins().iadd_imm_s(position, i64::from(first));
        }
        let transitions = self.e.hole(Hole::Word(level.list));
        let entry = self.e.row(transitions, position, size_of::<u32>() as i64);
        self.e.load_half(entry, 0)
    }

    fn without_lowest_bit(&mut self, word: Value) -> Value {
        let less = self.e.b.ins().iadd_imm_s(word, -1);
        self.e.b.ins().band(word, less)
    }

    /// Draws one of two: whether it is the second. Half of all draws are below one half, so the highest bit of a draw decides.
    fn is_second(&mut self) -> Value {
        let drawn = self.chance().word(Draw::Choice);
        self.e.b.ins().icmp_imm_s(IntCC::SignedLessThan, drawn, 0)
    }

    /// Draws one of two bits: the word from that bit on.
    fn one_of_two(&mut self, word: Value) -> Value {
        let second = self.is_second();
        let upper = self.without_lowest_bit(word);
        self.e.b.ins().select(second, upper, word)
    }

    fn one_of_several(&mut self, word: Value, number: Value) -> Value {
        let skipped = self.chance().choice_of_several(Draw::Choice, number);
        self.without_lowest_bits(word, skipped)
    }

    /// A word without the `number` lowest of the bits that are set in it.
    fn without_lowest_bits(&mut self, word: Value, number: Value) -> Value {
        let (again, next, done) = (self.e.b.create_block(), self.e.b.create_block(), self.e.b.create_block());
        let [bits, left] = [0; 2].map(|_| self.e.b.append_block_param(again, I64));
        self.e.jump(again, &[word, number]);
        self.e.b.switch_to_block(again);
        self.e.b.ins().brif(left, next, &[], done, &[]);
        self.e.b.switch_to_block(next);
        let fewer = self.without_lowest_bit(bits);
        let left = self.e.b.ins().iadd_imm_s(left, -1);
        self.e.jump(again, &[fewer, left]);
        self.e.b.switch_to_block(done);
        bits
    }

    fn fire(&mut self, asked: &LoopContext) {
        let transition = self.e.b.append_block_param(asked.parts.fire, I64);
        self.e.b.switch_to_block(asked.parts.fire);
        let [lasts, rest] = [0; 2].map(|_| self.e.b.create_block());
        self.e.b.set_cold_block(rest);
        if asked.written.starts.is_empty() {
            self.call_start(asked, lasts, rest, transition);
        } else {
            self.start_by_part(asked, lasts, rest, transition);
        }
        let [end, transition, slot] = [0; 3].map(|_| self.e.b.append_block_param(lasts, I64));
        self.e.b.switch_to_block(lasts);
        self.agenda().enter_begun(asked, transition, slot, end);
        self.e.jump(asked.parts.top, &[]);
        let [status, transition] = [0; 2].map(|_| self.e.b.append_block_param(rest, I64));
        self.e.b.switch_to_block(rest);
        match asked.plan.one_clock {
            Some(_) => self.leave_clock(asked, status, transition),
            None => self.leave_to_start(transition, status),
        }
    }

    fn call_start(&mut self, asked: &LoopContext, lasts: Block, rest: Block, transition: Value) {
        let routines = self.e.routines_of(asked.routines, transition);
        let status = self.e.call_routine(LEAF, routines, offset_of!(Routines, start), &[]);
        let (not_done, begun) = (self.e.b.create_block(), self.e.b.create_block());
        self.e.b.ins().brif(status, not_done, &[], asked.parts.done, &[]);
        self.e.b.switch_to_block(not_done);
        let has_begun = self.e.b.ins().icmp_imm_s(IntCC::SignedGreaterThan, status, 0);
        self.e.b.ins().brif(has_begun, begun, &[], rest, &[status.into(), transition.into()]);
        self.e.b.switch_to_block(begun);
        let slot = self.e.load(I64, self.e.engine, self.e.layout.gap);
        self.e.jump(lasts, &[status, transition, slot]);
    }

    fn start_by_part(&mut self, asked: &LoopContext, lasts: Block, rest: Block, transition: Value) {
        let now = self.e.b.use_var(asked.now);
        let ways = StartWays { done: asked.parts.done, lasts, transition };
        let exit = Exit::Loop { block: rest, transition };
        self.go_to_part(
            &asked.written.starts,
            transition,
            |s, part| {
                let form = FunctionForm { blueprint: part.blueprint, parameters: 2, shape: Some(part.shape) };
                let (entry, mut e) = s.e.part(form, exit, now);
                e.transitions().start(part.plan, Some(ways));
                (entry, e.end())
            },
            |s, part| {
                let holes = match part.reads {
                    true => {
                        let routines = s.e.routines_of(asked.routines, transition);
                        s.e.holes_of(routines, offset_of!(Routines, start))
                    }
                    false => s.e.int(0),
                };
                vec![s.e.engine, holes]
            },
        );
    }

    /// Goes on with the piece of a transition. `write` writes one and returns its entry and its holes, which must be as many as
    /// those in the rows of its transitions; `arguments` are what it gets.
    fn go_to_part(
        &mut self,
        parts: &[InlinePiece],
        transition: Value,
        write: impl Fn(&mut Self, InlinePiece) -> (Block, Vec<Hole>),
        arguments: impl Fn(&mut Self, InlinePiece) -> Vec<Value>,
    ) {
        let mut ways: BTreeMap<usize, (InlinePiece, Block)> = BTreeMap::new();
        for &part in parts {
            ways.entry(part.shape).or_insert_with(|| (part, self.e.b.create_block()));
        }
        if let Some((&last, &(_, otherwise))) = ways.last_key_value() {
            let mut switch = Switch::new();
            for (number, part) in parts.iter().enumerate().filter(|(_, part)| part.shape != last) {
                switch.set_entry(number as u128, ways[&part.shape].1);
            }
            switch.emit(self.e.b, transition, otherwise);
        }
        for (part, way) in ways.into_values() {
            let (entry, holes) = write(self, part);
            assert_eq!(holes.len(), part.holes);
            self.e.b.switch_to_block(way);
            let arguments = arguments(self, part);
            self.e.jump(entry, &arguments);
        }
    }

    /// Time moves to the next end.
    fn pass_time(&mut self, asked: &LoopContext) {
        self.e.b.switch_to_block(asked.parts.idle);
        if asked.plan.watches {
            let pending = self.e.load(I64, self.e.engine, self.e.layout.pending);
            self.when(pending, |s| s.read_marking());
        }
        if asked.plan.races {
            return self.pass_races(asked);
        }
        let gap = self.e.load(I64, self.e.engine, self.e.layout.gap);
        let open = self.e.b.ins().icmp_imm_s(IntCC::NotEqual, gap, NONE as i64);
        self.when(open, |s| s.close_gap(gap));
        let nodes = self.e.load(I64, self.e.engine, self.e.layout.nodes);
        let end = self.e.load(I64, nodes, size_of::<Key>() + offset_of!(Key, time));
        let within = self.e.b.ins().icmp(IntCC::UnsignedLessThanOrEqual, end, asked.until);
        self.leave_unless(within, OVER);
        self.e.store(end, self.e.engine, self.e.layout.now);
        self.e.b.def_var(asked.now, end);
        let firings = self.e.load(I64, self.e.engine, self.e.layout.firings);
        self.e.store(firings, self.e.engine, self.e.layout.instant_began);
        if asked.plan.has_clocked {
            self.e.call(self.e.runtime.touch_clocked, &[self.e.engine], None);
        }
        if self.e.rounds() > FEW_ROUNDS {
            self.prefetch();
        }
        self.e.jump(asked.parts.finish, &[]);
    }

    /// The same where transitions race.
    fn pass_races(&mut self, asked: &LoopContext) {
        let Some(next) = self.e.call(self.e.runtime.pass_races, &[self.e.engine, asked.until], Some(I64)) else {
            return;
        };
        let [passed, stays, ends] = [0; 3].map(|_| self.e.b.create_block());
        self.e.b.set_cold_block(stays);
        let has_passed = self.e.b.ins().icmp_imm_u(IntCC::UnsignedGreaterThanOrEqual, next, STARTS as i64);
        self.e.b.ins().brif(has_passed, passed, &[], stays, &[]);
        self.e.b.switch_to_block(stays);
        self.e.b.ins().return_(&[next]);
        self.e.b.switch_to_block(passed);
        let now = self.e.load(I64, self.e.engine, self.e.layout.now);
        self.e.b.def_var(asked.now, now);
        let [fires, several] = [0; 2].map(|_| self.e.b.create_block());
        let is_one = self.e.b.ins().icmp_imm_u(IntCC::UnsignedGreaterThanOrEqual, next, FIRES as i64);
        self.e.b.ins().brif(is_one, fires, &[], several, &[]);
        self.e.b.switch_to_block(fires);
        self.leave_unless_allowed(asked);
        let transition = self.e.b.ins().iadd_imm_s(next, -(FIRES as i64));
        self.e.jump(asked.parts.fire, &[transition]);
        self.e.b.switch_to_block(several);
        let starts = self.e.equals(next, STARTS);
        self.e.b.ins().brif(starts, asked.parts.top, &[], ends, &[]);
        self.e.b.switch_to_block(ends);
        if self.e.rounds() > FEW_ROUNDS {
            self.prefetch();
        }
        self.e.jump(asked.parts.finish, &[]);
    }

    /// `Engine::prefetch`, where there are many firings.
    fn prefetch(&mut self) {
        let slots = self.e.load(I64, self.e.engine, self.e.layout.slots);
        let many = self.e.b.ins().icmp_imm_u(IntCC::UnsignedGreaterThanOrEqual, slots, MANY as i64);
        self.when(many, |s| {
            s.e.call(s.e.runtime.prefetch, &[s.e.engine], None);
        });
    }

    /// `Tournament::close_gap`.
    fn close_gap(&mut self, gap: Value) {
        let none = self.e.int(NONE as u64);
        self.e.store(none, self.e.engine, self.e.layout.gap);
        let frees = self.e.add_at(self.e.engine, self.e.layout.frees, 1);
        let free = self.e.load(I64, self.e.engine, self.e.layout.free);
        let entry = self.e.row(free, frees, size_of::<u32>() as i64);
        self.e.store_half(gap, entry, 0);
        let time = self.e.b.ins().iadd_imm_s(gap, NEVER);
        self.agenda().enter(gap, None, time);
    }

    /// Ends the first of the firings that end now, and goes on with the next one.
    fn finish_first(&mut self, asked: &LoopContext) {
        self.e.b.switch_to_block(asked.parts.finish);
        let nodes = self.e.load(I64, self.e.engine, self.e.layout.nodes);
        let slots = self.e.load(I64, self.e.engine, self.e.layout.slots);
        let order = self.e.load(I64, nodes, size_of::<Key>() + offset_of!(Key, order));
        let mask = self.e.b.ins().iadd_imm_s(slots, -1);
        let slot = self.e.b.ins().band(order, mask);
        let ending = self.agenda().ending(slot);
        let transition = self.e.load_half(ending, offset_of!(Ending, transition));
        let [left, succeeded, failed] = [0; 3].map(|_| self.e.b.create_block());
        self.e.b.set_cold_block(failed);
        if asked.written.finishes.is_empty() {
            self.call_finish(asked, slot, ending, transition, [left, succeeded, failed]);
        } else {
            self.finish_by_part(asked, slot, ending, transition, [left, succeeded, failed]);
        }
        self.e.b.switch_to_block(left);
        self.go_on_from_gap(asked, slot);
        self.e.b.switch_to_block(succeeded);
        self.go_on_in_order(asked);
        let [status, transition] = [0; 2].map(|_| self.e.b.append_block_param(failed, I64));
        self.e.b.switch_to_block(failed);
        self.leave_to_start(transition, status);
    }

    /// Leaves with the status of a firing that the engine must start, or whose fault it must report. A call would be
    /// simpler, but would cost the loop its registers.
    pub fn leave_to_start(&mut self, transition: Value, status: Value) {
        self.e.store(transition, self.e.engine, self.e.layout.value);
        self.e.b.ins().return_(&[status]);
    }

    fn call_finish(&mut self, asked: &LoopContext, slot: Value, ending: Value, transition: Value, ways: [Block; 3]) {
        let [left, succeeded, failed] = ways;
        let [function, holes] = self.finish_of(asked, ending, transition);
        let (record, others) = self.record_of(asked, slot, ending);
        let status = self.e.call_address(LEAF, function, &[self.e.engine, holes, record], Some(I64)).unwrap_or(record);
        let fine = self.e.equals(status, DONE);
        let done = self.e.b.create_block();
        self.e.b.ins().brif(fine, done, &[], failed, &[status.into(), transition.into()]);
        self.e.b.switch_to_block(done);
        match others {
            Some(others) => self.e.b.ins().brif(others, succeeded, &[], left, &[]),
            None => self.e.b.ins().jump(left, &[]),
        };
    }

    /// The record of the firing of a slot. If it is one of a lane, it leaves the lane, and the next takes the slot: returns how
    /// many others there are, where there are lanes.
    fn record_of(&mut self, asked: &LoopContext, slot: Value, ending: Value) -> (Value, Option<Value>) {
        let own = |s: &mut Self| s.e.b.ins().iadd_imm_s(ending, Records::<Ending>::HEAD as i64);
        if !asked.plan.has_lanes {
            return (own(self), None);
        }
        let lane = self.e.load(I32, ending, offset_of!(Ending, lane));
        let outside = self.e.b.ins().icmp_imm_u(IntCC::Equal, lane, i64::from(NO_LANE));
        let of_lane = |s: &mut Self| {
            let (lanes, number) = (s.e.rows(s.e.layout.arena.lanes), s.e.b.ins().uextend(I64, lane));
            let lane = s.e.row(lanes, number, size_of::<Lane>() as i64);
            let lane = s.e.lane_at(lane);
            let [record, others] = s.agenda().pop(lane);
            s.when(others, |s| s.agenda().succeed(asked, lane, slot, ending));
            vec![record, others]
        };
        let found = self.branch(outside, &[I64, I64], |s| vec![own(s), s.e.int(0)], of_lane);
        (found[0], Some(found[1]))
    }

    fn finish_by_part(&mut self, asked: &LoopContext, slot: Value, ending: Value, transition: Value, ways: [Block; 3]) {
        let [left, succeeded, failed] = ways;
        let holes = match asked.written.finishes_differ() {
            true => self.finish_of(asked, ending, transition)[1],
            false => self.e.int(0),
        };
        let now = self.e.b.use_var(asked.now);
        let succeeds = self.e.b.create_block();
        let lane = self.e.b.append_block_param(succeeds, I64);
        let ways = FinishWays { left, succeeds };
        let exit = Exit::Loop { block: failed, transition };
        self.go_to_part(
            &asked.written.finishes,
            transition,
            |s, part| {
                let form = FunctionForm { blueprint: part.blueprint, parameters: 3, shape: Some(part.shape) };
                let (entry, mut e) = s.e.part(form, exit, now);
                e.transitions().finish(part.plan, Some(ways));
                (entry, e.end())
            },
            |s, _| vec![s.e.engine, holes, ending],
        );
        self.e.b.switch_to_block(succeeds);
        let lane = self.e.lane_at(lane);
        self.agenda().succeed(asked, lane, slot, ending);
        self.e.jump(succeeded, &[]);
    }

    /// The function that ends a firing, and its holes. The interpreter does not store it.
    fn finish_of(&mut self, asked: &LoopContext, ending: Value, transition: Value) -> [Value; 2] {
        let called = asked.written.finishes.is_empty();
        let holes = self.e.load(I64, ending, offset_of!(Ending, holes));
        let function = if called { self.e.load(I64, ending, offset_of!(Ending, function)) } else { holes };
        let look_up = |s: &mut Self| {
            let routines = s.e.routines_of(asked.routines, transition);
            let holes = s.e.holes_of(routines, offset_of!(Routines, finish));
            let function = if called { s.e.function_of(routines, offset_of!(Routines, finish)) } else { holes };
            vec![function, holes]
        };
        let known = self.branch(function, &[I64, I64], |_| vec![function, holes], |s| s.aside(true, look_up));
        [known[0], known[1]]
    }

    /// A firing has left its slot: to the next that ends now, if there is one, or else to those that may start. There is none
    /// unless several were found to end at one time.
    fn go_on_from_gap(&mut self, asked: &LoopContext, slot: Value) {
        self.e.store(slot, self.e.engine, self.e.layout.gap);
        let now = self.e.b.use_var(asked.now);
        let close = self.e.b.create_block();
        if !self.e.often_tie() {
            let tie = self.e.load(I64, self.e.engine, self.e.layout.tie);
            let may_be = self.e.b.ins().icmp(IntCC::UnsignedLessThanOrEqual, now, tie);
            self.e.unless(may_be, asked.parts.top);
        }
        let more = self.agenda().is_due_beside(slot, now);
        self.e.b.ins().brif(more, close, &[], asked.parts.top, &[]);
        self.e.b.switch_to_block(close);
        self.close_gap(slot);
        if self.e.rounds() > FEW_ROUNDS {
            self.prefetch();
        }
        self.e.jump(asked.parts.finish, &[]);
    }

    /// The same where the next of a lane has taken the slot.
    fn go_on_in_order(&mut self, asked: &LoopContext) {
        let nodes = self.e.load(I64, self.e.engine, self.e.layout.nodes);
        let next = self.e.load(I64, nodes, size_of::<Key>() + offset_of!(Key, time));
        let now = self.e.b.use_var(asked.now);
        let due = self.e.b.ins().icmp(IntCC::Equal, next, now);
        self.e.b.ins().brif(due, asked.parts.finish, &[], asked.parts.top, &[]);
    }
}
