//! Code for searches: whether a transition has a binding, and one of its bindings (E1 to E5, I4).
//!
//! `search` goes through the arcs of any transition; this is specialised for one: a nested loop for each arc whose
//! token matters, in their order (E7), with the inhibitors and the guard in the innermost.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::I64;
use cranelift_codegen::ir::{Block, BlockArg, InstBuilder, Value};
use cranelift_frontend::Variable;

use crate::engine::code::ENABLED;
use crate::jit::blueprint::expression::SlotValue;
use crate::jit::blueprint::interpreted::MOST_LOOPS;
use crate::jit::blueprint::names::{IndexRef, PlaceRef, OWN};
use crate::jit::blueprint::place::KeySlot;
use crate::jit::blueprint::transition::{
    Count, Find, Inhibitor, Input, Prefer, Races, Room, Rooms, Selection, TransitionPlan,
};
use crate::jit::emit::emitter::{Draw, Source, Writer, FLAGS};
use crate::jit::emit::subjects::{SearchCode, Subjects};
use crate::jit::holes::Hole;
use crate::state::index::{Bucket, Index, BUCKET_SEATS};

/// Whether there is code for the search of a transition.
pub fn can_search(plan: &TransitionPlan) -> bool {
    let loops = plan.inputs.iter().filter(|arc| arc.is_searched() && arc.decides).count();
    plan.selection != Selection::ByRuntime && loops <= MOST_LOOPS
}

/// Whether code looks at a transition that watches alone do not decide about.
pub fn can_look(plan: &TransitionPlan) -> bool {
    !plan.cold && can_search(plan) && plan.races != Some(Races::Own { lost: true })
}

/// The tokens of a bag that an arc may find: all, or those of a group.
#[derive(Clone, Copy)]
struct Choices {
    number: Value,
    group: Option<Group>,
}

/// Tokens of a bag that are alike in the slots of an index.
#[derive(Clone, Copy)]
pub struct Group {
    index: IndexRef,
    bucket: Value,
}

/// The state of a search in a loop.
struct Nest<'p> {
    plan: &'p TransitionPlan,
    /// Arcs that leave a choice, but whose choices only have to be counted.
    counted: Vec<bool>,
    /// What each arc has chosen: a seat, or a number of black tokens.
    chosen: Vec<Option<Value>>,
    /// The choices of the last arc whose choices are counted.
    choices: Option<Choices>,
    /// If some bindings are preferred: the words of the best rank that was found, and of the rank of this binding.
    best: Vec<Variable>,
    rank: Vec<Value>,
    /// How many bindings were found, where the tokens of the first arc have turns: the first that has any is the last one tried.
    in_turn: Option<Variable>,
}

/// What a search has found: how many bindings, how many of them at first, and what these are.
struct Tally {
    all: Variable,
    first: Variable,
    words: Vec<Variable>,
}

/// What to do with a binding; the search then continues in the block.
type Complete<'c, 'a, 'b> = &'c mut dyn FnMut(&mut SearchCode<'_, 'a, 'b>, &Nest, Block);

impl<'p> Nest<'p> {
    fn new(plan: &'p TransitionPlan, is_counted: impl Fn(usize) -> bool) -> Self {
        let arcs = 0..plan.inputs.len();
        let counted = arcs.clone().map(|i| plan.inputs[i].is_bag() && is_counted(i)).collect();
        let chosen = vec![None; arcs.len()];
        Nest { plan, counted, chosen, choices: None, best: Vec::new(), rank: Vec::new(), in_turn: None }
    }

    fn loops(&self, arc: usize) -> bool {
        self.plan.inputs[arc].is_searched() && !self.counted[arc]
    }

    fn has_loops(&self) -> bool {
        (0..self.counted.len()).any(|arc| self.loops(arc))
    }

    /// The arcs whose choice a search must remember.
    fn remembered(&self) -> Vec<usize> {
        (0..self.counted.len()).filter(|arc| self.loops(*arc) || self.plan.counts.contains(arc)).collect()
    }

    /// What a search has found, as words: the bucket of the counted choices, if there is one, and what was chosen.
    fn found(&self) -> Vec<Value> {
        let group = self.choices.and_then(|choices| choices.group);
        let bucket = group.map(|group| group.bucket);
        bucket.into_iter().chain(self.remembered().into_iter().filter_map(|arc| self.chosen[arc])).collect()
    }
}

impl<'a, 'b> SearchCode<'_, 'a, 'b> {
    // ------------------------------------------------------------ is there a binding?

    /// Whether a transition that watches do not exclude is enabled.
    pub fn look(&mut self, plan: &TransitionPlan) {
        let mut nest = Nest::new(plan, |arc| !plan.inputs[arc].decides);
        // A fault in any binding must be reported, so all are looked at.
        let goes_on = plan.exhaustive && nest.has_loops();
        let enabled = self.e.b.declare_var(I64);
        let no = self.e.int(0);
        self.e.b.def_var(enabled, no);
        let over = self.e.b.create_block();
        self.descend(&mut nest, 0, over, &mut |s, _, next| {
            if goes_on {
                let yes = s.e.int(ENABLED);
                s.e.b.def_var(enabled, yes);
                s.e.jump(next, &[]);
            } else {
                s.e.leave(ENABLED);
            }
        });
        self.e.b.switch_to_block(over);
        let found = self.e.b.use_var(enabled);
        self.e.b.ins().return_(&[found]);
    }

    // ------------------------------------------------------------ one of the bindings

    /// `Engine::bind_by_search`: counts the bindings, draws one, and sets `chosen` to the seats and numbers of its tokens.
    pub fn choose(&mut self, plan: &TransitionPlan, chosen: &mut [Option<Value>]) {
        let last = (0..plan.inputs.len()).rev().find(|&arc| plan.inputs[arc].is_bag());
        let counted = last.filter(|&arc| !plan.inputs[arc].decides && arc >= plan.known.preference);
        let mut nest = Nest::new(plan, |arc| Some(arc) == counted);
        let hit = self.e.b.create_block();
        let rank = self.e.b.append_block_param(hit, I64);
        let keyed =
            counted.and_then(|arc| if let Find::Keyed(index) = plan.inputs[arc].find { Some(index) } else { None });
        let bucket = keyed.map(|_| self.e.b.append_block_param(hit, I64));
        let remembered = nest.remembered();
        for &arc in &remembered {
            chosen[arc] = Some(self.e.b.append_block_param(hit, I64));
        }
        if nest.has_loops() {
            self.search(&mut nest, usize::from(bucket.is_some()) + remembered.len(), hit);
        } else {
            let general = self.e.general();
            self.descend(&mut nest, 0, general, &mut |s, nest, _| {
                // Tokens that differ in nothing are equally good, but their key may fail.
                s.ranks(nest.plan);
                let rank = match nest.choices {
                    Some(choices) => s.chance().equal_choice(Draw::Choice, choices.number),
                    None => s.e.int(0),
                };
                s.e.jump(hit, &[&[rank], &nest.found()[..]].concat());
            });
        }
        self.e.b.switch_to_block(hit);
        // What loops have bound is known only within them.
        self.e.variables.fill(None);
        if let Some(arc) = counted {
            chosen[arc] = Some(match (keyed, bucket) {
                (Some(index), Some(bucket)) => {
                    let seats = self.seats_of(Group { index, bucket });
                    self.listed_seat(seats, rank)
                }
                _ => rank,
            });
        }
    }

    /// Counts the bindings, draws the number of one, and goes to `hit` with it.
    /// Most often it is among those that came first, which are remembered; else all are gone through again.
    fn search(&mut self, nest: &mut Nest, words: usize, hit: Block) {
        let again = self.e.b.create_block();
        let wanted = self.e.b.append_block_param(again, I64);
        let none = self.e.int(u64::MAX);
        nest.best = nest.plan.prefer.iter().flat_map(|prefer| &prefer.key).map(|_| self.variable(none)).collect();
        self.e.jump(again, &[none]);
        self.e.b.switch_to_block(again);
        let tally = self.tally(words);
        nest.in_turn = matches!(nest.plan.inputs[0].find, Find::InTurn).then_some(tally.all);
        let over = self.e.b.create_block();
        self.descend(nest, 0, over, &mut |s, nest, next| s.count(nest, &tally, wanted, hit, next));
        self.e.b.switch_to_block(over);
        let all = self.e.b.use_var(tally.all);
        let any = self.e.b.ins().icmp_imm_s(IntCC::NotEqual, all, 0);
        self.e.require(any);
        let drawn = self.chance().equal_choice(Draw::Choice, all);
        let first = self.e.b.use_var(tally.first);
        let at_first = self.e.b.ins().icmp(IntCC::UnsignedLessThan, drawn, first);
        let words = tally.words.iter().map(|&variable| self.e.b.use_var(variable));
        let arguments: Vec<BlockArg> = [drawn].into_iter().chain(words).map(Into::into).collect();
        self.e.b.ins().brif(at_first, hit, &arguments, again, &[drawn.into()]);
    }

    /// Nothing is found yet.
    fn tally(&mut self, words: usize) -> Tally {
        let zero = self.e.int(0);
        Tally {
            all: self.variable(zero),
            first: self.variable(zero),
            words: (0..words).map(|_| self.variable(zero)).collect(),
        }
    }

    fn variable(&mut self, value: Value) -> Variable {
        let variable = self.e.b.declare_var(I64);
        self.e.b.def_var(variable, value);
        variable
    }

    /// Counts bindings that differ only in a choice that does not matter, unless the drawn one is among them.
    fn count(&mut self, nest: &Nest, tally: &Tally, wanted: Value, hit: Block, next: Block) {
        let number = match nest.choices {
            Some(choices) => choices.number,
            None => self.e.int(1),
        };
        let words = nest.found();
        let before = self.found_before(nest, tally);
        let rank = self.e.b.ins().isub(wanted, before);
        let here = self.e.b.ins().icmp(IntCC::UnsignedLessThan, rank, number);
        let other = self.e.b.create_block();
        let arguments: Vec<BlockArg> = [rank].iter().chain(&words).map(|&value| value.into()).collect();
        self.e.b.ins().brif(here, hit, &arguments, other, &[]);
        self.e.b.switch_to_block(other);
        let is_first = self.e.equals(before, 0);
        let variables = [tally.first].into_iter().chain(tally.words.iter().copied());
        for (variable, new) in variables.zip([number].into_iter().chain(words)) {
            let old = self.e.b.use_var(variable);
            let value = self.e.b.ins().select(is_first, new, old);
            self.e.b.def_var(variable, value);
        }
        let after = self.e.b.ins().iadd(before, number);
        self.e.b.def_var(tally.all, after);
        self.e.jump(next, &[]);
    }

    /// How many bindings as good as this one were found before it: none, if it is better than they are.
    fn found_before(&mut self, nest: &Nest, tally: &Tally) -> Value {
        let before = self.e.b.use_var(tally.all);
        if nest.rank.is_empty() {
            return before;
        }
        let best: Vec<Value> = nest.best.iter().map(|&word| self.e.b.use_var(word)).collect();
        let better = self.is_less(&nest.rank, &best);
        for (&variable, &word) in nest.best.iter().zip(&nest.rank) {
            // No binding that is worse comes here.
            self.e.b.def_var(variable, word);
        }
        let none = self.e.int(0);
        self.e.b.ins().select(better, none, before)
    }

    /// Leaves for `next` if a binding has been found that is better than all of this one's tokens are.
    fn require_preferred(&mut self, nest: &mut Nest, next: Block) {
        nest.rank = self.ranks(nest.plan);
        let best: Vec<Value> = nest.best.iter().map(|&word| self.e.b.use_var(word)).collect();
        let worse = self.is_less(&best, &nest.rank);
        let good = self.e.equals(worse, 0);
        self.e.unless(good, next);
    }

    /// The key of the preference, if there is one; the interpreter goes on where it fails.
    fn ranks(&mut self, plan: &TransitionPlan) -> Vec<Value> {
        let now = self.e.now;
        let of = |prefer: &Prefer| prefer.key.iter().map(|e| self.expressions().rank(e, prefer.most, now)).collect();
        plan.prefer.as_ref().map_or_else(Vec::new, of)
    }

    /// Whether a rank is less than another of as many words.
    fn is_less(&mut self, one: &[Value], other: &[Value]) -> Value {
        let mut less = self.e.int(0);
        for (&a, &b) in one.iter().zip(other).rev() {
            let [below, equal] = [IntCC::UnsignedLessThan, IntCC::Equal].map(|of| self.e.b.ins().icmp(of, a, b));
            let here = self.e.b.ins().uextend(I64, below);
            less = self.e.b.ins().select(equal, less, here);
        }
        less
    }

    // ------------------------------------------------------------ from arc to arc

    /// Tries all choices for an arc and those behind it; where one does not fit, it continues in `next`.
    fn descend(&mut self, nest: &mut Nest, position: usize, next: Block, complete: Complete<'_, 'a, 'b>) {
        let plan = nest.plan;
        self.test(nest, position, next);
        let Some(arc) = plan.inputs.get(position) else { return complete(self, nest, next) };
        match &arc.find {
            Find::Black(count) => self.find_black(nest, position, count, next),
            Find::Head { depth } => self.find_head(nest, position, *depth, next),
            Find::Any | Find::InTurn => {
                let number = self.e.tokens_in(arc.place);
                return self.try_each(nest, position, Choices { number, group: None }, next, complete);
            }
            Find::Keyed(index) => {
                let group = self.group_of(*index, &arc.equals);
                let number = self.tokens_of(group);
                return self.try_each(nest, position, Choices { number, group: Some(group) }, next, complete);
            }
            Find::Shown => unreachable!("the runtime chooses (`Selection::ByRuntime`)"),
        }
        self.descend(nest, position + 1, next, complete);
    }

    /// Black tokens for an arc, behind those of the arcs before it on its place.
    fn find_black(&mut self, nest: &mut Nest, position: usize, count: &Count, next: Block) {
        let plan = nest.plan;
        let arc = &plan.inputs[position];
        let open = plan.counts.contains(&position);
        if !open && position < plan.watched.0 && !arc.before.iter().any(|i| plan.counts.contains(i)) {
            return;
        }
        let count = self.natural(count);
        let mut left = self.e.tokens_in(arc.place);
        for &i in &arc.before {
            left = match (nest.chosen[i], &plan.inputs[i].find) {
                (Some(taken), _) => self.e.b.ins().isub(left, taken),
                (None, Find::Black(Count::Const(taken))) => {
                    self.e.b.ins().iadd_imm_s(left, (*taken as i64).wrapping_neg())
                }
                _ => left,
            };
        }
        let enough = self.e.b.ins().icmp(IntCC::UnsignedLessThanOrEqual, count, left);
        self.e.unless(enough, next);
        nest.chosen[position] = open.then_some(count);
    }

    /// The token that a place shows.
    fn find_head(&mut self, nest: &Nest, position: usize, depth: usize, next: Block) {
        let arc = &nest.plan.inputs[position];
        if position >= nest.plan.watched.0 {
            self.require_tokens(arc.place, depth, next);
        }
        if arc.equals.is_empty() && arc.binds.is_empty() {
            return;
        }
        let token = self.tokens().shown(arc.place, depth);
        self.require_equal(arc, token, next);
        self.transitions().bind(arc, token);
    }

    /// Leaves for `otherwise` if a token does not have the values that the arc asks for.
    fn require_equal(&mut self, arc: &Input, token: Value, otherwise: Block) {
        // All of them first: any may raise a fault.
        let wanted = self.key(&arc.equals);
        for ((slot, _), wanted) in arc.equals.iter().zip(wanted) {
            let wanted = self.slots().word_in(wanted);
            let found = self.e.load(I64, token, 8 * *slot as usize);
            let same = self.e.b.ins().icmp(IntCC::Equal, wanted, found);
            self.e.unless(same, otherwise);
        }
    }

    /// Goes on if a place has more than `number` tokens, and leaves for `otherwise` if not.
    fn require_tokens(&mut self, place: PlaceRef, number: usize, otherwise: Block) {
        let tokens = self.e.tokens_in(place);
        let enough = self.e.b.ins().icmp_imm_u(IntCC::UnsignedGreaterThan, tokens, number as i64);
        self.e.unless(enough, otherwise);
    }

    /// The tokens of a bag that an arc may find, one after the other, or all at once where they are only counted.
    fn try_each(
        &mut self,
        nest: &mut Nest,
        position: usize,
        choices: Choices,
        next: Block,
        complete: Complete<'_, 'a, 'b>,
    ) {
        let plan = nest.plan;
        let arc = &plan.inputs[position];
        if nest.counted[position] {
            if choices.group.is_some() || position >= plan.watched.0 {
                let any = self.e.b.ins().icmp_imm_s(IntCC::NotEqual, choices.number, 0);
                self.e.unless(any, next);
            }
            nest.choices = Some(choices);
            return self.descend(nest, position + 1, next, complete);
        }
        let seats = choices.group.map(|group| self.seats_of(group));
        let (turn, other) = (self.e.b.create_block(), self.e.b.create_block());
        let number = self.e.b.append_block_param(turn, I64);
        let zero = self.e.int(0);
        self.e.jump(turn, &[zero]);
        self.e.b.switch_to_block(turn);
        let more = self.e.b.ins().icmp(IntCC::UnsignedLessThan, number, choices.number);
        self.e.unless(more, next);
        if let Some(found) = nest.in_turn.filter(|_| position == 0) {
            let found = self.e.b.use_var(found);
            let none = self.e.equals(found, 0);
            self.e.unless(none, next);
        }
        if (position + 1..plan.inputs.len()).any(|arc| nest.loops(arc)) {
            self.require_wanted();
        }
        let seat = seats.map_or(number, |seats| self.listed_seat(seats, number));
        self.take_seat(nest, arc, seat, other);
        nest.chosen[position] = Some(seat);
        self.descend(nest, position + 1, other, complete);
        self.e.b.switch_to_block(other);
        let following = self.e.b.ins().iadd_imm_s(number, 1);
        self.e.jump(turn, &[following]);
    }

    /// The interpreter ends a cancelled search: nested loops may take hours.
    fn require_wanted(&mut self) {
        let address = self.e.table(self.e.layout.stop);
        let stop = self.e.b.ins().atomic_load(I64, FLAGS, address);
        let wanted = self.e.equals(stop, 0);
        self.e.require(wanted);
    }

    /// The token in a seat, unless an arc before has found it (E1).
    fn take_seat(&mut self, nest: &Nest, arc: &Input, seat: Value, otherwise: Block) {
        for used in arc.before.iter().filter_map(|&i| nest.chosen[i]) {
            let fresh = self.e.b.ins().icmp(IntCC::NotEqual, seat, used);
            self.e.unless(fresh, otherwise);
        }
        if !arc.binds.is_empty() || !arc.equals.is_empty() {
            let is_queue = matches!(arc.find, Find::InTurn);
            let token = if is_queue { self.tokens().queued(arc.place, seat) } else { self.e.seat(arc.place, seat) };
            if is_queue {
                self.require_equal(arc, token, otherwise);
            }
            self.transitions().bind(arc, token);
        }
    }

    /// What is known behind some arcs: the preference, inhibitors and the guard (E4, E5), and behind all of them the room (E6). Where
    /// nothing may fail, their order does not matter.
    fn test(&mut self, nest: &mut Nest, position: usize, next: Block) {
        let plan = nest.plan;
        if position == plan.known.preference && !nest.best.is_empty() {
            self.require_preferred(nest, next);
        }
        let told = |(i, arc): (usize, &Inhibitor)| {
            i < plan.watched.1 && arc.index.is_none() && matches!(arc.threshold, Count::Const(_))
        };
        let here = |i: usize| position == plan.known.inhibitors[i];
        for (_, arc) in plan.inhibitors.iter().enumerate().filter(|arc| here(arc.0) && !told(*arc)) {
            let tokens = match arc.index {
                None => self.e.tokens_in(arc.place),
                Some(index) => {
                    let group = self.group_of(index, &arc.equals);
                    self.tokens_of(group)
                }
            };
            let threshold = self.natural(&arc.threshold);
            let few = self.e.b.ins().icmp(IntCC::UnsignedLessThan, tokens, threshold);
            self.e.unless(few, next);
        }
        if let Some(guard) = plan.guard.as_ref().filter(|_| position == plan.known.guard) {
            let now = self.e.now;
            let holds = self.expressions().condition(guard, now);
            self.e.unless(holds, next);
        }
        if position == plan.inputs.len() {
            let fits = match &plan.rooms {
                Rooms::Watched => return,
                Rooms::One(room) => self.fits(plan, room),
                Rooms::ByRuntime => self.has_room(nest),
            };
            self.e.unless(fits, next);
        }
    }

    /// Whether a place, or a line of it, has room for what one arc would give.
    fn fits(&mut self, plan: &TransitionPlan, room: &Room) -> Value {
        let (arc, now) = (&plan.outputs[room.output], self.e.now);
        let mut count = self.natural(&arc.count);
        if let Some(condition) = &arc.condition {
            let (gives, none) = (self.expressions().condition(condition, now), self.e.int(0));
            count = self.e.b.ins().select(gives, count, none);
        }
        let load = if room.per.is_empty() {
            let (tokens, reserved) = (self.e.tokens_in(room.place), self.places().reserved(room.place));
            self.e.b.ins().iadd(tokens, reserved)
        } else {
            let key: Vec<Source> =
                room.per.iter().map(|&slot| self.outputs().slot_value(&arc.values[slot as usize], now)).collect();
            self.lines().load(room.place, &key)
        };
        let (after, capacity) = (self.e.b.ins().iadd(load, count), self.e.hole(Hole::Constant(room.capacity)));
        let fits = self.e.b.ins().icmp(IntCC::UnsignedLessThanOrEqual, after, capacity);
        if matches!(arc.count, Count::Const(1..)) && arc.condition.is_none() {
            return fits;
        }
        let nothing = self.e.equals(count, 0);
        self.e.b.ins().bor(fits, nothing)
    }

    /// Whether places with a capacity have room for what a binding would give (E6). A fault is left to the interpreter.
    fn has_room(&mut self, nest: &Nest) -> Value {
        self.expressions().spill_variables();
        let table = self.e.table(self.e.layout.chosen);
        for (i, arc) in nest.plan.inputs.iter().enumerate() {
            let chosen = match (&arc.find, nest.chosen[i]) {
                (_, Some(chosen)) => chosen,
                (Find::Black(Count::Const(count)), None) => self.e.int(*count),
                (Find::Head { depth }, None) => self.e.int(*depth as u64),
                _ => continue,
            };
            self.e.store(chosen, table, 8 * i);
        }
        let transition = self.e.transition_id(OWN);
        let status = self.e.call(self.e.runtime.has_room, &[self.e.engine, transition], Some(I64));
        let status = status.unwrap_or(transition);
        let known = self.e.b.ins().icmp_imm_u(IntCC::UnsignedLessThanOrEqual, status, ENABLED as i64);
        self.e.require(known);
        status
    }

    /// A number of tokens. A negative one is left to the interpreter, which decides whether it is a fault.
    fn natural(&mut self, count: &Count) -> Value {
        match count {
            Count::Const(count) => self.e.int(*count),
            Count::Of(count) => {
                let now = self.e.now;
                let count = self.expressions().integer(count, now);
                let natural = self.e.b.ins().icmp_imm_s(IntCC::SignedGreaterThanOrEqual, count, 0);
                self.e.require(natural);
                count
            }
        }
    }

    // ------------------------------------------------------------ tokens by key

    /// The values that a token must have in some slots.
    fn key(&mut self, equals: &[(u32, SlotValue)]) -> Vec<Source> {
        let now = self.e.now;
        equals.iter().map(|(_, value)| self.outputs().slot_value(value, now)).collect()
    }

    /// The tokens with some values in the slots of an index.
    pub fn group_of(&mut self, id: IndexRef, equals: &[(u32, SlotValue)]) -> Group {
        let key = self.key(equals);
        let index = &self.e.blueprint[id];
        let bucket = if index.extents.is_some() {
            let slots: Vec<KeySlot> = (0..key.len() as u32).map(|slot| KeySlot { slot, inside: false }).collect();
            let group = self.tokens().group(index, &slots, &key);
            let index = self.joins().index(id);
            let record = self.joins().bucket(id, index, group);
            self.e.b.ins().iadd_imm_s(record, Index::BUCKET as i64)
        } else {
            let (number, address) = (self.e.hole(Hole::IndexNumber(id)), self.slots().spill(&key));
            self.e.call(self.e.runtime.bucket_of, &[self.e.engine, number, address], Some(I64)).unwrap_or(number)
        };
        Group { index: id, bucket }
    }

    pub fn tokens_of(&mut self, group: Group) -> Value {
        self.e.load_half(group.bucket, Bucket::LEN)
    }

    /// The address of the seats of a group's tokens.
    pub fn seats_of(&mut self, group: Group) -> Value {
        let number = self.tokens_of(group);
        let few = self.e.b.ins().icmp_imm_u(IntCC::UnsignedLessThanOrEqual, number, BUCKET_SEATS as i64);
        let own = |s: &mut Self| s.e.b.ins().iadd_imm_s(group.bucket, Bucket::SEATS as i64);
        let listed = |s: &mut Self| {
            let index = s.e.hole(Hole::IndexNumber(group.index));
            s.e.call(s.e.runtime.seats, &[s.e.engine, index, group.bucket], Some(I64)).unwrap_or(index)
        };
        self.either(few, I64, own, listed)
    }

    pub fn listed_seat(&mut self, seats: Value, position: Value) -> Value {
        let entry = self.e.row(seats, position, 4);
        self.e.load_half(entry, 0)
    }
}
