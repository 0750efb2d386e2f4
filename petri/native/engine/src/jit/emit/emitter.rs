//! The vocabulary of the code generator: the few operations that everything else is made of.

use std::borrow::Cow;
use std::cell::Cell;
use std::collections::HashMap;
use std::mem::{offset_of, size_of};
use std::ops::Range;

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::immediates::Offset32;
use cranelift_codegen::ir::types::{F64, I64};
use cranelift_codegen::ir::{
    AbiParam, AliasRegionData, Block, BlockArg, FuncRef, InstBuilder, MemFlagsData, Signature, Type, Value,
};
use cranelift_codegen::isa::CallConv;
use cranelift_frontend::{FunctionBuilder, Variable};

use crate::base::random::Random;
use crate::collections::rank_set::RankSet;
use crate::engine::code::{Routine, Routines, DONE, FAULT, GENERAL};
use crate::jit::blueprint::names::{PlaceRef, TransitionRef, WordRef, OWN};
use crate::jit::blueprint::place::Moves;
use crate::jit::blueprint::transition::SetSize;
use crate::jit::blueprint::Blueprint;
use crate::jit::holes::{Filling, Hole, ROW_BITS};
use crate::jit::layout::EngineLayout;
use crate::jit::profile::Events;
use crate::jit::runtime::{Rare, Runtime};
use crate::state::counters::{PlaceCounters, TransitionCounters};
use crate::state::store::Ring;

/// A number of tokens: known when the code is made, or only when it runs.
#[derive(Clone, Copy)]
pub enum TokenCount {
    Const(u64),
    Known(Value),
}

/// How the loop calls the functions that start and end firings: they preserve no registers, since the loop keeps
/// nothing in them.
pub const LEAF: CallConv = CallConv::Winch;

/// Where to read a value.
#[derive(Clone, Copy)]
pub enum Source {
    /// In a register.
    Known(Value),
    /// In memory that does not change before the value is used: bytes from an address.
    At(Value, usize),
    /// One of two that share a register.
    Half(Value, u8),
}

/// What a set has found: how many tokens, and of a coloured place the addresses of their positions and of their slots.
#[derive(Clone, Copy)]
pub struct FoundSet {
    pub count: Value,
    pub positions: Value,
    pub words: Value,
}

/// The watched conditions that a transition loses by what its own firing takes. It had them all, so that their number is that of
/// those which do not hold.
#[derive(Default)]
pub struct Lost {
    /// The number in any case.
    pub always: u64,
    /// Conditions, each of which adds one if it holds.
    pub perhaps: Vec<Value>,
}

/// The structure that memory belongs to. A write to a field of one owner, say a place, changes no other field and
/// nothing that belongs to another owner. So all code must reach the same memory by an address of the same owner.
#[derive(Clone, Copy)]
pub enum Owner {
    /// Everything without a region of its own, as one region.
    Other,
    /// The values of all tokens.
    Tokens,
    /// The sets of enabled transitions of all priorities.
    Enabled,
    Engine,
    Place,
    Transition,
    Lane,
    Index,
    Join,
}

impl Owner {
    /// A field, or all that belongs to the owner.
    fn region(self, offset: usize) -> AliasRegionData {
        let field = match self {
            Owner::Other | Owner::Tokens | Owner::Enabled => 0,
            Owner::Transition if LOOK.contains(&offset) => LOOK.start as u32,
            _ => offset as u32,
        };
        AliasRegionData { user_id: (self as u32) << OFFSET_BITS | field, description: Cow::Borrowed(self.name()) }
    }

    /// As listings call it.
    fn name(self) -> &'static str {
        match self {
            Owner::Other => "memory",
            Owner::Tokens => "tokens",
            Owner::Enabled => "enabled",
            Owner::Engine => "engine",
            Owner::Place => "place",
            Owner::Transition => "transition",
            Owner::Lane => "lane",
            Owner::Index => "index",
            Owner::Join => "join",
        }
    }
}

/// The fields of a transition that are read and written as one word.
const LOOK: Range<usize> = TransitionCounters::LOOK..TransitionCounters::LOOK + size_of::<u64>();

/// Rounds of the tournament that are unrolled.
const MOST_ROUNDS: u32 = 24;

/// Where a place keeps the changing part of its store.
pub const RING: usize = offset_of!(PlaceCounters, ring);

/// More bits than any offset of a field has.
const OFFSET_BITS: u32 = 24;

/// Where code goes when it leaves with a status.
#[derive(Clone, Copy)]
pub enum Exit {
    /// Back to its caller.
    Return,
    /// To a block of the loop that it is inlined in, with the status and the transition.
    Loop { block: Block, transition: Value },
}

/// What all functions of a net's code depend on.
#[derive(Clone)]
pub struct Scene<'a> {
    /// The firings in progress, as far as the interpreter has seen.
    pub events: Events,
    /// The words of the longest record of a firing in progress.
    pub record: usize,
    /// Bits of the number of a firing that tell its parts apart (`Program::parts`).
    pub parts: u32,
    pub layout: &'a EngineLayout,
    pub runtime: &'a Runtime,
    /// How each shape has its holes.
    pub known: &'a [Vec<Filling>],
    /// The calls of rarely called functions.
    pub rare: Vec<FuncRef>,
    /// Which of them there are, as bits.
    pub called_rarely: &'a Cell<u64>,
    /// How functions of the runtime are called.
    pub convention: CallConv,
}

/// What a function, or a part of the loop, is made from; the number of its parameters; and its shape, from which follows how its
/// holes are known. Without a shape, all holes are read.
#[derive(Clone, Copy)]
pub struct FunctionForm<'a> {
    pub blueprint: &'a Blueprint,
    pub parameters: usize,
    pub shape: Option<usize>,
}

/// What is drawn: a choice (R2), or a value of an expression (R3), for which each transition may have a stream of its own (R5).
#[derive(Clone, Copy)]
pub enum Draw {
    Choice,
    Value,
}

/// A random stream of a function, or of a part of the loop: its four words, and whether the code draws or lends it.
/// If it does, the entry loads the words.
pub struct Stream {
    pub words: [Variable; 4],
    pub is_used: bool,
}

/// Writes one function, or a part of the loop, with the operations that all code is made of. The subjects borrow it and
/// write what the code does.
pub struct Emitter<'a, 'b> {
    pub b: &'a mut FunctionBuilder<'b>,
    scene: Scene<'a>,
    pub blueprint: &'a Blueprint,
    pub layout: &'a EngineLayout,
    pub runtime: &'a Runtime,
    pub engine: Value,
    /// The addresses of what has an owner.
    owners: HashMap<Value, Owner>,
    /// The time, in ticks.
    pub now: Value,
    holes: Value,
    /// How holes are known, unless all are read.
    known: Option<&'a [Filling]>,
    exit: Exit,
    /// What the row of holes holds.
    row: Vec<Hole>,
    /// The firing's variables; those not known yet are none.
    pub variables: Vec<Option<Source>>,
    /// What its sets have found, so far.
    pub sets: Vec<FoundSet>,
    /// That of choices, and where each transition has a stream, that of the transition.
    streams: [Stream; 2],
    entry: Block,
    body: Block,
    /// Where code goes to leave a firing to the interpreter.
    general: Block,
}

pub const FLAGS: MemFlagsData = MemFlagsData::new().with_notrap();

/// What writes code: the emitter, and each subject.
pub trait Writer<'a, 'b: 'a> {
    /// The operations that all code is made of; a subject also has them as `self.e`.
    fn emitter(&mut self) -> &mut Emitter<'a, 'b>;

    // ------------------------------------------------------------ branches

    /// Emits `then` for when the condition holds; what follows is for either case.
    fn when(&mut self, condition: Value, then: impl FnOnce(&mut Self)) {
        let [yes, next] = self.emitter().new_blocks();
        self.emitter().b.ins().brif(condition, yes, &[], next, &[]);
        self.emitter().b.switch_to_block(yes);
        then(self);
        self.emitter().b.ins().jump(next, &[]);
        self.emitter().b.switch_to_block(next);
    }

    /// The same, with `otherwise` for when it does not hold.
    fn when_or(&mut self, condition: Value, then: impl FnOnce(&mut Self), otherwise: impl FnOnce(&mut Self)) {
        let then = |s: &mut Self| {
            then(s);
            Vec::new()
        };
        let otherwise = |s: &mut Self| {
            otherwise(s);
            Vec::new()
        };
        self.branch(condition, &[], then, otherwise);
    }

    /// The value of either branch.
    fn either(
        &mut self,
        condition: Value,
        ty: Type,
        then: impl FnOnce(&mut Self) -> Value,
        otherwise: impl FnOnce(&mut Self) -> Value,
    ) -> Value {
        self.branch(condition, &[ty], |s| vec![then(s)], |s| vec![otherwise(s)])[0]
    }

    /// The values of either branch, as many as there are types.
    fn branch(
        &mut self,
        condition: Value,
        types: &[Type],
        then: impl FnOnce(&mut Self) -> Vec<Value>,
        otherwise: impl FnOnce(&mut Self) -> Vec<Value>,
    ) -> Vec<Value> {
        let [yes, no, next] = self.emitter().new_blocks();
        let results = types.iter().map(|&ty| self.emitter().b.append_block_param(next, ty)).collect();
        self.emitter().b.ins().brif(condition, yes, &[], no, &[]);
        self.emitter().b.switch_to_block(yes);
        let values = then(self);
        self.emitter().jump(next, &values);
        self.emitter().b.switch_to_block(no);
        let values = otherwise(self);
        self.emitter().jump(next, &values);
        self.emitter().b.switch_to_block(next);
        results
    }

    /// If `seldom`, what is emitted from here on in this block runs rarely, and is placed behind the rest.
    fn aside<T>(&mut self, seldom: bool, emit: impl FnOnce(&mut Self) -> T) -> T {
        let (here, first) = (self.emitter().b.current_block(), self.emitter().b.func.dfg.num_blocks());
        let emitted = emit(self);
        let within = (first..self.emitter().b.func.dfg.num_blocks()).map(|number| Block::from_u32(number as u32));
        for block in here.into_iter().chain(within).filter(|_| seldom) {
            self.emitter().b.set_cold_block(block);
        }
        emitted
    }
}

impl<'a, 'b> Writer<'a, 'b> for Emitter<'a, 'b> {
    fn emitter(&mut self) -> &mut Emitter<'a, 'b> {
        self
    }
}

impl<'a, 'b> Emitter<'a, 'b> {
    /// Begins a function whose first parameters are the engine and the holes.
    pub fn begin(b: &'a mut FunctionBuilder<'b>, scene: Scene<'a>, form: FunctionForm<'a>) -> Self {
        let entry = b.create_block();
        b.append_block_params_for_function_params(entry);
        // The entry is written last, but comes first.
        b.func.layout.append_block(entry);
        Self::within(b, scene, form, entry, Exit::Return, None)
    }

    /// Begins a part of the loop that another emitter writes. Returns its entry, too.
    pub fn part<'s>(&'s mut self, form: FunctionForm<'s>, exit: Exit, now: Value) -> (Block, Emitter<'s, 'b>) {
        let entry = self.b.create_block();
        for _ in 0..form.parameters {
            self.b.append_block_param(entry, I64);
        }
        let scene = self.scene.clone();
        (entry, Emitter::within(self.b, scene, form, entry, exit, Some(now)))
    }

    fn within(
        b: &'a mut FunctionBuilder<'b>,
        scene: Scene<'a>,
        form: FunctionForm<'a>,
        entry: Block,
        exit: Exit,
        now: Option<Value>,
    ) -> Self {
        let Scene { layout, runtime, known, .. } = scene;
        let (engine, holes) = (b.block_params(entry)[0], b.block_params(entry)[1]);
        let body = b.create_block();
        b.switch_to_block(body);
        let streams = [0; 2].map(|_| Stream { words: [0; 4].map(|_| b.declare_var(I64)), is_used: false });
        let general = b.create_block();
        b.set_cold_block(general);
        let mut emitter = Emitter {
            owners: HashMap::from([(engine, Owner::Engine)]),
            now: engine,
            b,
            scene,
            blueprint: form.blueprint,
            layout,
            runtime,
            engine,
            holes,
            known: form.shape.map(|shape| &known[shape][..]),
            exit,
            row: Vec::new(),
            variables: vec![None; form.blueprint.variables()],
            sets: Vec::new(),
            streams,
            entry,
            body,
            general,
        };
        if form.blueprint.has_engine() {
            emitter.now = now.unwrap_or_else(|| emitter.load(I64, engine, layout.now));
        }
        emitter
    }

    /// A parameter of the function.
    pub fn parameter(&self, position: usize) -> Value {
        self.b.block_params(self.entry)[position]
    }

    /// Finishes the function: writes the exit to the interpreter. Returns the holes.
    pub fn end(mut self) -> Vec<Hole> {
        self.b.switch_to_block(self.general);
        self.leave(GENERAL);
        self.b.switch_to_block(self.entry);
        for draw in self.streams_used() {
            self.load_stream(draw);
        }
        self.jump(self.body, &[]);
        if let Exit::Return = self.exit {
            self.b.seal_all_blocks();
        }
        self.row
    }

    /// Leaves with a status, which says what is left to do.
    pub fn leave(&mut self, status: u64) {
        let word = self.int(status);
        match self.exit {
            Exit::Return => {
                self.b.ins().return_(&[word]);
            }
            Exit::Loop { block, transition } => self.jump(block, &[word, transition]),
        }
    }

    /// Leaves to the interpreter where a call has met a fault before anything has changed.
    pub fn require_done(&mut self, status: Option<Value>) {
        let Some(status) = status else { return };
        let done = self.equals(status, DONE);
        self.require(done);
    }

    /// Leaves with a fault where a call has met one.
    pub fn leave_on_fault(&mut self, status: Option<Value>) {
        let Some(status) = status else { return };
        let fault = self.b.create_block();
        self.b.set_cold_block(fault);
        let done = self.equals(status, DONE);
        self.unless(done, fault);
        let here = self.b.current_block();
        self.b.switch_to_block(fault);
        self.leave(FAULT);
        here.into_iter().for_each(|here| self.b.switch_to_block(here));
    }

    // ------------------------------------------------------------ constants, memory, branches

    pub fn int(&mut self, value: u64) -> Value {
        self.b.ins().iconst(I64, value as i64)
    }

    pub fn real(&mut self, value: f64) -> Value {
        self.b.ins().f64const(value)
    }

    pub fn number(&mut self, number: TokenCount) -> Value {
        match number {
            TokenCount::Const(value) => self.int(value),
            TokenCount::Known(value) => value,
        }
    }

    pub fn load(&mut self, ty: Type, address: Value, offset: usize) -> Value {
        let flags = self.flags(address, offset);
        self.b.ins().load(ty, flags, address, Offset32::new(offset as i32))
    }

    pub fn store(&mut self, value: Value, address: Value, offset: usize) {
        let flags = self.flags(address, offset);
        self.b.ins().store(flags, value, address, Offset32::new(offset as i32));
    }

    pub fn flags(&mut self, address: Value, offset: usize) -> MemFlagsData {
        let owner = self.owners.get(&address).copied().unwrap_or(Owner::Other);
        let region = self.b.func.dfg.alias_regions.insert(owner.region(offset));
        FLAGS.with_alias_region(Some(region))
    }

    /// A word that does not change before it is used: it is read where it is used.
    pub fn load_lasting(&mut self, address: Value, offset: usize) -> Value {
        let flags = FLAGS.with_readonly().with_can_move();
        self.b.ins().load(I64, flags, address, offset as i32)
    }

    /// The address of a table that moves when it grows, if it may.
    pub fn load_table(&mut self, owner: Value, offset: usize, may_grow: bool) -> Value {
        if may_grow {
            self.load(I64, owner, offset)
        } else {
            self.load_lasting(owner, offset)
        }
    }

    /// The address of a table of the engine, which does not change while the code runs.
    pub fn table(&mut self, offset: usize) -> Value {
        self.load_lasting(self.engine, offset)
    }

    /// The address of the table that begins `offset` bytes from the engine, in the same arena.
    pub fn rows(&mut self, offset: usize) -> Value {
        self.b.ins().iadd_imm_s(self.engine, offset as i64)
    }

    /// An address of something that belongs to an owner.
    pub fn owned(&mut self, address: Value, owner: Owner) -> Value {
        self.owners.insert(address, owner);
        address
    }

    /// Half a word, as a whole one.
    pub fn load_half(&mut self, address: Value, offset: usize) -> Value {
        let flags = self.flags(address, offset);
        self.b.ins().uload32(flags, address, offset as i32)
    }

    pub fn store_half(&mut self, value: Value, address: Value, offset: usize) {
        let flags = self.flags(address, offset);
        self.b.ins().istore32(flags, value, address, offset as i32);
    }

    /// A byte, as a word.
    pub fn load_byte(&mut self, address: Value) -> Value {
        let flags = self.flags(address, 0);
        self.b.ins().uload8(I64, flags, address, 0)
    }

    pub fn store_byte(&mut self, value: Value, address: Value) {
        let flags = self.flags(address, 0);
        self.b.ins().istore8(flags, value, address, 0);
    }

    /// Adds to a word in memory; returns the sum.
    pub fn add_at(&mut self, address: Value, offset: usize, number: i64) -> Value {
        let value = self.load(I64, address, offset);
        let sum = self.b.ins().iadd_imm_s(value, number);
        self.store(sum, address, offset);
        sum
    }

    /// New blocks, as many as the array has.
    pub fn new_blocks<const N: usize>(&mut self) -> [Block; N] {
        [0; N].map(|_| self.b.create_block())
    }

    pub fn jump(&mut self, to: Block, arguments: &[Value]) {
        let arguments: Vec<BlockArg> = arguments.iter().map(|&value| value.into()).collect();
        self.b.ins().jump(to, &arguments);
    }

    /// Goes on in a new block if the condition holds, and leaves for `other` if not.
    pub fn unless(&mut self, condition: Value, other: Block) {
        let next = self.b.create_block();
        self.b.ins().brif(condition, next, &[], other, &[]);
        self.b.switch_to_block(next);
    }

    pub fn convention(&self) -> CallConv {
        self.scene.convention
    }

    /// The transition whose code is written, if any. It comes first among those that watch a number, so that
    /// transitions which watch a place together have one shape.
    pub fn own(&self) -> Option<TransitionRef> {
        self.blueprint.transition().map(|_| OWN)
    }

    /// Whether it is unpredictable that a place is empty.
    pub fn is_unpredictable(&self, place: PlaceRef) -> bool {
        self.blueprint[place].is_unpredictable()
    }

    /// Whether a place has one token at most.
    pub fn holds_one(&self, place: PlaceRef) -> bool {
        self.blueprint[place].holds_one
    }

    /// What a token changes when it arrives or leaves.
    pub fn moves(&self, place: PlaceRef) -> &'a Moves {
        self.blueprint[place].moves()
    }

    /// Whether a place may get more tokens than it has at first. If not, its store has room for all that arrive.
    pub fn may_grow(&self, place: PlaceRef) -> bool {
        self.blueprint[place].may_grow
    }

    /// Whether the set of enabled transitions that a transition belongs to is not a large one.
    pub fn has_member(&self, transition: TransitionRef) -> bool {
        self.blueprint[transition].set != SetSize::Large
    }

    /// The block that leaves to the interpreter.
    pub fn general(&self) -> Block {
        self.general
    }

    /// Where the code goes from here on that leaves to the interpreter. Returns where it went before.
    pub fn leave_for(&mut self, block: Block) -> Block {
        std::mem::replace(&mut self.general, block)
    }

    /// Leaves to the interpreter, unless the condition holds.
    pub fn require(&mut self, condition: Value) {
        self.unless(condition, self.general);
    }

    pub fn equals(&mut self, value: Value, constant: u64) -> Value {
        self.b.ins().icmp_imm_s(IntCC::Equal, value, constant as i64)
    }

    /// Calls a function of the runtime. An argument's type is its own.
    pub fn call(&mut self, function: usize, arguments: &[Value], result: Option<Type>) -> Option<Value> {
        let address = self.int(function as u64);
        let convention = self.scene.convention;
        self.call_address(convention, address, arguments, result)
    }

    /// Calls a function whose address is known only when the code runs.
    pub fn call_address(
        &mut self,
        convention: CallConv,
        address: Value,
        arguments: &[Value],
        result: Option<Type>,
    ) -> Option<Value> {
        let mut signature = Signature::new(convention);
        signature.params = arguments.iter().map(|&value| AbiParam::new(self.b.func.dfg.value_type(value))).collect();
        signature.returns = result.into_iter().map(AbiParam::new).collect();
        let signature = self.b.import_signature(signature);
        let call = self.b.ins().call_indirect(signature, address, arguments);
        self.b.inst_results(call).first().copied()
    }

    /// The address of the routines of a transition.
    pub fn routines_of(&mut self, routines: Value, transition: Value) -> Value {
        self.row(routines, transition, size_of::<Routines>() as i64)
    }

    /// Calls the routine at an address. Returns its status.
    pub fn call_routine(&mut self, convention: CallConv, address: Value, offset: usize, more: &[Value]) -> Value {
        let (function, holes) = (self.function_of(address, offset), self.holes_of(address, offset));
        let arguments = [&[self.engine, holes], more].concat();
        self.call_address(convention, function, &arguments, Some(I64)).unwrap_or(holes)
    }

    /// The function of a routine.
    pub fn function_of(&mut self, address: Value, offset: usize) -> Value {
        self.load(I64, address, offset + offset_of!(Routine, function))
    }

    /// The holes of a routine.
    pub fn holes_of(&mut self, address: Value, offset: usize) -> Value {
        self.load(I64, address, offset + offset_of!(Routine, holes))
    }

    /// Calls a rarely called function, and marks this block as rare. The first argument is the engine.
    pub fn call_rarely(&mut self, function: Rare, arguments: &[Value]) {
        let called = self.scene.called_rarely;
        called.set(called.get() | 1 << function as u32);
        let function = self.scene.rare[function as usize];
        self.aside(true, |s| s.b.ins().call(function, &[&[s.engine], arguments].concat()));
    }

    // ------------------------------------------------------------ where things are

    /// A number that differs between otherwise equal transitions.
    pub fn hole(&mut self, hole: Hole) -> Value {
        let position = self.position(hole);
        self.hole_at(I64, position)
    }

    /// The same for a real constant.
    pub fn real_hole(&mut self, bits: WordRef) -> Value {
        let position = self.position(Hole::Constant(bits));
        self.hole_at(F64, position)
    }

    /// The position of a hole.
    pub fn position(&mut self, hole: Hole) -> usize {
        // Some may be equal by coincidence in one transition and not in another of its shape; and reading the position
        // of a join or an index again costs less than keeping it.
        let shared = !matches!(
            hole,
            Hole::Join(_)
                | Hole::Index(_)
                | Hole::JoinNumber(_)
                | Hole::IndexNumber(_)
                | Hole::Offset(_)
                | Hole::Word(_)
                | Hole::Address(_)
        );
        let known = self.row.iter().position(|other| shared && *other == hole);
        if known.is_none() {
            self.row.push(hole);
        }
        known.unwrap_or(self.row.len() - 1)
    }

    /// The hole at a position, if it is a constant of the code.
    pub fn constant_at(&self, position: usize) -> Option<u64> {
        match self.known?[position] {
            Filling::Constant(word) => Some(word),
            _ => None,
        }
    }

    /// The hole at a position.
    pub fn hole_at(&mut self, ty: Type, position: usize) -> Value {
        let read = || Filling::Read(self.row[..position].iter().map(|hole| hole.cells()).sum());
        match self.known.map_or_else(read, |known| known[position]) {
            Filling::Constant(word) if ty == F64 => self.real(f64::from_bits(word)),
            Filling::Constant(word) => self.int(word),
            Filling::Above(other, 0) => self.hole_at(ty, other),
            Filling::Above(other, distance) => {
                let other = self.hole_at(ty, other);
                self.b.ins().iadd_imm_s(other, distance as i64)
            }
            Filling::Read(cell) => {
                let flags = FLAGS.with_readonly().with_can_move();
                let offset = (size_of::<u32>() * cell) as i32;
                match self.row[position].cells() {
                    1 => self.b.ins().uload32(flags, self.holes, offset),
                    _ => self.b.ins().load(ty, flags, self.holes, offset),
                }
            }
        }
    }

    /// The address of the counters of a place.
    pub fn place(&mut self, place: PlaceRef) -> Value {
        let offset = self.hole(Hole::Place(place));
        let address = self.b.ins().iadd(self.engine, offset);
        self.owned(address, Owner::Place)
    }

    /// The address of the counters of a transition.
    pub fn transition(&mut self, transition: TransitionRef) -> Value {
        let offset = self.hole(Hole::Transition(transition));
        let address = self.b.ins().iadd(self.engine, offset);
        self.owned(address, Owner::Transition)
    }

    /// A lane whose address has been found.
    pub fn lane_at(&mut self, address: Value) -> Value {
        self.owned(address, Owner::Lane)
    }

    pub fn number_parts(&self) -> u32 {
        self.scene.parts
    }

    /// The words of the longest record of a firing in progress.
    pub fn record_words(&self) -> usize {
        self.scene.record
    }

    /// Rounds of the tournament that are unrolled.
    pub fn rounds(&self) -> u32 {
        self.scene.events.rounds.min(MOST_ROUNDS)
    }

    /// Whether several firings often end in one tick. Then ties are not noted: the nodes beside a firing that ends are always
    /// compared.
    pub fn often_tie(&self) -> bool {
        self.scene.events.often_tie
    }

    /// The state of a transition whose number is known only when the code runs.
    pub fn transition_at(&mut self, number: Value) -> Value {
        let transitions = self.rows(self.layout.arena.transitions);
        let address = self.row(transitions, number, size_of::<TransitionCounters>() as i64);
        self.owned(address, Owner::Transition)
    }

    /// The address of a row of a table.
    pub fn row(&mut self, table: Value, row: Value, size: i64) -> Value {
        let offset = self.b.ins().imul_imm_s(row, size);
        self.b.ins().iadd(table, offset)
    }

    /// The numbers of places and transitions, as the runtime knows them.
    pub fn place_id(&mut self, place: PlaceRef) -> Value {
        let distance = self.hole(Hole::Place(place));
        self.row_number(distance, self.layout.arena.places)
    }

    pub fn transition_id(&mut self, transition: TransitionRef) -> Value {
        let distance = self.hole(Hole::Transition(transition));
        self.row_number(distance, self.layout.arena.transitions)
    }

    fn row_number(&mut self, distance: Value, start: usize) -> Value {
        let offset = self.b.ins().iadd_imm_s(distance, -(start as i64));
        self.b.ins().ushr_imm_s(offset, ROW_BITS)
    }

    /// The number of tokens of a place.
    pub fn tokens_in(&mut self, place: PlaceRef) -> Value {
        let place = self.place(place);
        self.load(I64, place, offset_of!(PlaceCounters, tokens))
    }

    /// The address of the token in a seat (of a queue: a seat of its ring, see `ring_seat`).
    pub fn seat(&mut self, place: PlaceRef, seat: Value) -> Value {
        let state = self.place(place);
        let slots = self.load(I64, state, RING + offset_of!(Ring, slots));
        let width = self.blueprint[place].width as i64;
        let offset = self.b.ins().imul_imm_s(seat, 8 * width);
        let token = self.b.ins().iadd(slots, offset);
        self.owned(token, Owner::Tokens)
    }

    /// The seat, in the ring of a queue, that is `behind` seats behind the head.
    pub fn ring_seat(&mut self, place: PlaceRef, behind: Value) -> Value {
        let state = self.place(place);
        let head = self.load_half(state, RING + offset_of!(Ring, head));
        let mask = self.mask(place);
        let sum = self.b.ins().iadd(head, behind);
        self.b.ins().band(sum, mask)
    }

    /// The number of tokens that a place has room for, less one.
    pub fn mask(&mut self, place: PlaceRef) -> Value {
        let state = self.place(place);
        self.load_half(state, RING + offset_of!(Ring, mask))
    }

    /// The token that has been chosen for an arc.
    pub fn chosen(&mut self, arc: usize) -> Value {
        let chosen = self.table(self.layout.chosen);
        self.load(I64, chosen, 8 * arc)
    }

    /// The stream from which the code draws.
    pub fn stream(&mut self, draw: Draw) -> &mut Stream {
        let own = matches!(draw, Draw::Value) && self.layout.own_streams.is_some();
        &mut self.streams[usize::from(own)]
    }

    /// The streams that the code draws or lends.
    pub fn streams_used(&self) -> Vec<Draw> {
        let used = |(stream, draw): (&Stream, Draw)| stream.is_used.then_some(draw);
        self.streams.iter().zip([Draw::Choice, Draw::Value]).filter_map(used).collect()
    }

    /// Where the engine has the stream: an address, and an offset.
    pub fn home_of(&mut self, draw: Draw) -> (Value, usize) {
        match (draw, self.layout.own_streams) {
            (Draw::Value, Some(table)) => {
                let (streams, transition) = (self.table(table), self.transition_id(OWN));
                (self.row(streams, transition, size_of::<Random>() as i64), offset_of!(Random, state))
            }
            _ => (self.engine, self.layout.random),
        }
    }

    /// Loads the words of a random stream of the engine.
    pub fn load_stream(&mut self, draw: Draw) {
        let (address, at) = self.home_of(draw);
        self.load_words(draw, address, at);
    }

    pub fn load_words(&mut self, draw: Draw, address: Value, at: usize) {
        for (i, variable) in self.stream(draw).words.into_iter().enumerate() {
            let word = self.load(I64, address, at + 8 * i);
            self.b.def_var(variable, word);
        }
    }

    /// The address of the set of enabled transitions of a priority.
    pub fn enabled(&mut self, level: u32) -> (Value, usize) {
        let levels = self.rows(self.layout.arena.levels);
        let levels = self.owned(levels, Owner::Enabled);
        (levels, level as usize * size_of::<RankSet>() + offset_of!(RankSet, word))
    }
}
