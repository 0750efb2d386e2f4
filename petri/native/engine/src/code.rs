//! Machine code for a net: what the engine does by interpreting a transition's program, written out for that
//! transition alone, with every number that does not change in it.
//!
//! The code works on the same memory as the engine, so either may do the next step. It knows no faults: what would raise one
//! leaves the firing to the engine before anything has changed. A transition that the generator does not know stays with
//! the engine altogether.
//!
//! [`emitter`] has the vocabulary, [`expressions`], [`places`], [`joins`], [`agenda`], [`search`], [`transitions`] and
//! [`cycle`] what there is to say in it, and [`runtime`] the functions that the code calls.

mod agenda;
mod cycle;
mod emitter;
mod expressions;
mod habits;
mod joins;
mod places;
mod runtime;
mod search;
mod transitions;

use std::collections::{BTreeSet, HashMap};
use std::ffi::c_void;
use std::mem::ManuallyDrop;
use std::ptr::null;

use cranelift_codegen::ir::types::I64;
use cranelift_codegen::ir::{AbiParam, InstBuilder, Signature, Type};
use cranelift_codegen::isa::CallConv;
use cranelift_codegen::settings::{self, Configurable};
use cranelift_codegen::Context;
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use cranelift_jit::{JITBuilder, JITModule};
use cranelift_module::{default_libcall_names, FuncId, Module, ModuleError};

pub use cycle::{OVER, STOPPED, USED_UP};
pub use habits::Habits;
pub use runtime::{ENABLED, FAULT, GENERAL};

use crate::engine::Engine;
use crate::ids::{PlaceId, TransitionId};
use crate::observer::Observer;
use crate::program::{Program, Time};
use crate::table::Table;
use cycle::{Part, Routines, Written};
use emitter::{Emitter, Layout};
use runtime::{Rare, Runtime};

/// Looks at a transition. The parameters are the engine and the operands.
type Look = unsafe extern "C" fn(*mut c_void, *const u64) -> u64;
/// How the loop calls what starts and ends firings: such functions preserve no registers, as the loop has nothing in them.
const LEAF: CallConv = CallConv::Winch;
/// The loop. The parameters are the engine, the operands, all routines, the bits of the last instant, and how many firings are
/// enough.
type Cycle = unsafe extern "C" fn(*mut c_void, *const u64, *const Routines, u64, u64) -> u64;

/// A function, and what distinguishes one of the transitions that share it.
#[repr(C)]
pub struct Routine {
    function: *const u8,
    operands: *const u64,
    /// Where the operands are.
    row: Box<[u64]>,
}

impl Routine {
    /// No function: the place of one that nobody calls.
    fn none() -> Self {
        Routine::new(null(), Vec::new())
    }

    fn new(function: *const u8, row: Vec<u64>) -> Self {
        let row = row.into_boxed_slice();
        Routine { function, operands: row.as_ptr(), row }
    }

    /// Looks at a transition.
    ///
    /// # Safety
    /// The routine is part of the code of the program that the engine runs, and looks.
    #[inline(always)]
    pub unsafe fn look<O>(&self, engine: &mut Engine<O>) -> u64 {
        // SAFETY: the function was made with these parameters; the rest is asked of the caller.
        unsafe {
            let function = std::mem::transmute::<*const u8, Look>(self.function);
            function(std::ptr::from_mut(engine).cast(), self.operands)
        }
    }
}

/// The code of a net's transitions, and the loop that runs them. A transition that the generator does not know has routines
/// that leave it to the engine.
pub struct Code {
    pub looks: Table<TransitionId, Routine>,
    starts: Table<TransitionId, Routine>,
    finishes: Table<TransitionId, Routine>,
    cycle: Routine,
    /// What the code finds by address: see `Runtime::arrivals`.
    _arrivals: Box<[Routine]>,
    module: ManuallyDrop<JITModule>,
}

impl Code {
    /// Runs the loop until an instant whose bits are known is over, or until so many firings have started since time 0.
    /// Returns why it ended.
    ///
    /// # Safety
    /// The code is of the program that the engine runs, and was made for engines with its observer.
    pub unsafe fn run<O>(&self, engine: &mut Engine<O>, until: u64, enough: u64) -> u64 {
        let routines =
            Routines { looks: self.looks.as_ptr(), starts: self.starts.as_ptr(), finishes: self.finishes.as_ptr() };
        // SAFETY: the function was made with these parameters; the rest is asked of the caller.
        unsafe {
            let cycle = std::mem::transmute::<*const u8, Cycle>(self.cycle.function);
            let engine = std::ptr::from_mut(engine).cast();
            cycle(engine, self.cycle.operands, &routines, until, enough)
        }
    }
}

/// Kinds of observers that code is made for.
pub const KINDS: usize = 2;

const GENERATOR_STACK: usize = 256 << 20;
/// Nets with more transitions are not compiled.
const MOST_TRANSITIONS: usize = 10_000;
/// Pieces that start and end firings are written out in the loop if there are no more than so many.
const MOST_WRITTEN: usize = 8;
const MOST_NUMBERS: usize = 64;

// SAFETY: the module is only kept to be freed; its code may run on any thread.
unsafe impl Send for Code {}
// SAFETY: the same.
unsafe impl Sync for Code {}

impl Drop for Code {
    fn drop(&mut self) {
        // SAFETY: nobody can call the functions any more, and the module is not used again.
        unsafe { ManuallyDrop::take(&mut self.module).free_memory() };
    }
}

type Generated<T> = Result<T, Box<ModuleError>>;

/// One of the functions of a net.
#[derive(Clone, Copy)]
enum Piece {
    Look(TransitionId),
    Start(TransitionId),
    Finish(TransitionId),
    /// Tokens arrive in a place; whether room was kept for them.
    Arrive(PlaceId, bool),
}

/// Pieces that differ in nothing but their operands.
struct Shape {
    first: Piece,
    pieces: usize,
}

/// Generates the functions of one net.
struct Generator<'a> {
    module: JITModule,
    context: Context,
    functions: FunctionBuilderContext,
    program: &'a Program,
    habits: &'a Habits,
    layout: Layout,
    runtime: Runtime,
    arrivals: Box<[Routine]>,
    /// The ways to functions that are called rarely.
    rare: Vec<FuncId>,
}

impl Code {
    /// The kind of an observer: the code for those that keep levels is another.
    pub fn kind<O: Observer>() -> usize {
        usize::from(O::LEVELS.is_some())
    }

    /// The code of a program for engines with observers of a kind. None where this machine, or the size of the net, has
    /// none.
    pub fn new<O: Observer>(program: &Program, habits: &Habits) -> Option<Code> {
        if program.transitions.len() > MOST_TRANSITIONS {
            return None;
        }
        // The generator recurses over expressions: it gets a stack of its own, as the loader does.
        let generate = || Generator::new::<O>(program, habits)?.generate().ok();
        std::thread::scope(|scope| {
            let thread = std::thread::Builder::new().stack_size(GENERATOR_STACK).spawn_scoped(scope, generate).ok()?;
            thread.join().ok()?
        })
    }
}

impl<'a> Generator<'a> {
    fn new<O: Observer>(program: &'a Program, habits: &'a Habits) -> Option<Self> {
        let mut flags = settings::builder();
        let verifies = if cfg!(debug_assertions) { "true" } else { "false" };
        let chosen = [
            ("opt_level", "speed"),
            ("use_colocated_libcalls", "false"),
            ("is_pic", "false"),
            ("enable_verifier", verifies),
        ];
        for (name, value) in chosen {
            flags.set(name, value).ok()?;
        }
        let isa = cranelift_native::builder().ok()?.finish(settings::Flags::new(flags)).ok()?;
        let mut module = JITModule::new(JITBuilder::with_isa(isa, default_libcall_names()));
        let mut context = module.make_context();
        let mut functions = FunctionBuilderContext::new();
        let way = |(address, types)| way(&mut module, &mut context, &mut functions, address, types).ok();
        let rare = Rare::all::<O>().into_iter().map(way).collect::<Option<Vec<FuncId>>>()?;
        let arrivals: Box<[Routine]> = (0..2 * program.places.len()).map(|_| Routine::none()).collect();
        Some(Generator {
            module,
            context,
            functions,
            program,
            habits,
            layout: Layout::of::<O>(),
            runtime: Runtime::of::<O>(arrivals.as_ptr()),
            arrivals,
            rare,
        })
    }

    fn generate(mut self) -> Generated<Code> {
        let program = self.program;
        let ids = || (0..program.transitions.len() as u32).map(TransitionId);
        let arriving = places_of_choices(program);
        let pieces: Vec<Piece> = ids()
            .flat_map(|id| [Piece::Look(id), Piece::Start(id), Piece::Finish(id)])
            .chain(arriving.iter().map(|&(place, reserved)| Piece::Arrive(place, reserved)))
            .collect();
        let (shapes, parts) = self.shapes(&pieces);
        let written = written(program, &shapes, &parts);
        let in_loop: BTreeSet<usize> = written.shapes().collect();
        let functions = (0..shapes.len())
            .map(|shape| (!in_loop.contains(&shape)).then(|| self.define(&shapes[shape])).transpose())
            .collect::<Generated<Vec<Option<FuncId>>>>()?;
        let cycle = self.write(self.convention(), 0, 5, false, |e| e.cycle(&written));
        let cycle = (Some(self.compile()?), cycle);
        self.module.finalize_definitions().map_err(Box::new)?;
        let address = |id| self.module.get_finalized_function(id);
        let made = |(id, row): (Option<FuncId>, Vec<u64>)| Routine::new(id.map_or(null(), address), row);
        let mut routines = parts.into_iter().map(|(shape, row)| made((functions[shape], row)));
        let (mut looks, mut starts, mut finishes) = (Vec::new(), Vec::new(), Vec::new());
        for _ in ids() {
            looks.extend(routines.next());
            starts.extend(routines.next());
            finishes.extend(routines.next());
        }
        for ((place, reserved), routine) in arriving.into_iter().zip(routines) {
            self.arrivals[2 * place.at() + usize::from(reserved)] = routine;
        }
        Ok(Code {
            looks: looks.into_iter().collect(),
            starts: starts.into_iter().collect(),
            finishes: finishes.into_iter().collect(),
            cycle: made(cycle),
            _arrivals: self.arrivals,
            module: ManuallyDrop::new(self.module),
        })
    }

    fn convention(&self) -> CallConv {
        self.module.isa().default_call_conv()
    }

    /// The shapes of pieces; and for each piece its shape and its operands.
    fn shapes(&mut self, pieces: &[Piece]) -> (Vec<Shape>, Vec<(usize, Vec<u64>)>) {
        let mut shapes: Vec<Shape> = Vec::new();
        let mut known: HashMap<String, usize> = HashMap::new();
        let parts = pieces.iter().map(|&piece| {
            let row = self.write_piece(piece, false);
            let text = self.context.func.display().to_string();
            self.module.clear_context(&mut self.context);
            let shape = *known.entry(text).or_insert(shapes.len());
            if shape == shapes.len() {
                shapes.push(Shape { first: piece, pieces: 0 });
            }
            shapes[shape].pieces += 1;
            (shape, row)
        });
        let parts = parts.collect();
        (shapes, parts)
    }

    /// The function of a shape. Where there is only one piece of it, operands are constants of the code.
    fn define(&mut self, shape: &Shape) -> Generated<FuncId> {
        self.write_piece(shape.first, shape.pieces == 1);
        self.compile()
    }

    /// Writes a piece. Returns its operands, of which there are none if they are constants.
    fn write_piece(&mut self, piece: Piece, constant: bool) -> Vec<u64> {
        let program = self.program;
        let normal = self.convention();
        let variables = |id: TransitionId| program.transitions[id].variable_names.len();
        match piece {
            Piece::Look(id) => {
                let plan = &program.transitions[id];
                let searches = !plan.plain && search::can_search(plan);
                self.write(normal, variables(id), 2, constant, |e| match searches {
                    true => e.look(plan),
                    false => e.leave_to_engine(),
                })
            }
            Piece::Start(id) => {
                let plan = &program.transitions[id];
                self.write(LEAF, variables(id), 2, constant, |e| match transitions::can_fire(program, plan) {
                    true => e.start(id, plan),
                    false => e.leave_to_engine(),
                })
            }
            Piece::Finish(id) => {
                let plan = &program.transitions[id];
                self.write(LEAF, variables(id), 3, constant, |e| match transitions::can_fire(program, plan) {
                    true => e.finish(id, plan),
                    false => e.finish_by_engine(id),
                })
            }
            Piece::Arrive(place, reserved) => self.write(LEAF, 0, 4, constant, |e| e.arrive(place, reserved)),
        }
    }

    /// Writes a function of so many words that returns one. `variables` are those of a transition. Returns the operands.
    fn write(
        &mut self,
        convention: CallConv,
        variables: usize,
        parameters: usize,
        constant: bool,
        emit: impl FnOnce(Emitter) -> Vec<u64>,
    ) -> Vec<u64> {
        let signature = &mut self.context.func.signature;
        signature.call_conv = convention;
        signature.params = vec![AbiParam::new(I64); parameters];
        signature.returns = vec![AbiParam::new(I64)];
        let declare = |&id: &FuncId| self.module.declare_func_in_func(id, &mut self.context.func);
        let rare = self.rare.iter().map(declare).collect();
        let mut builder = FunctionBuilder::new(&mut self.context.func, &mut self.functions);
        let normal = self.module.isa().default_call_conv();
        let emitter = Emitter::begin(
            &mut builder,
            self.program,
            self.habits,
            &self.layout,
            &self.runtime,
            rare,
            variables,
            normal,
            constant,
        );
        let operands = emit(emitter);
        builder.finalize(self.module.target_config());
        operands
    }

    /// Compiles the function that has been written.
    fn compile(&mut self) -> Generated<FuncId> {
        let signature = &self.context.func.signature;
        let function = self.module.declare_anonymous_function(signature).map_err(Box::new)?;
        self.module.define_function(function, &mut self.context).map_err(Box::new)?;
        self.module.clear_context(&mut self.context);
        Ok(function)
    }
}

/// The pieces to write out in the loop, if they are few.
fn written(program: &Program, shapes: &[Shape], parts: &[(usize, Vec<u64>)]) -> Written {
    let has_code = |plan| transitions::can_fire(program, plan);
    let mut written = Written::default();
    if !program.transitions.iter().all(has_code) {
        return written;
    }
    let part = |piece: usize, transition: TransitionId| {
        let shape = parts[piece].0;
        Part { shape, transition, alone: shapes[shape].pieces == 1 }
    };
    for number in 0..program.transitions.len() {
        let id = TransitionId(number as u32);
        written.starts.push(part(3 * number + 1, id));
        written.finishes.push(part(3 * number + 2, id));
    }
    let differ = |parts: &[Part]| parts.iter().map(|part| part.shape).collect::<BTreeSet<usize>>().len();
    let (starts, finishes) = (differ(&written.starts), differ(&written.finishes));
    // One of several is found by its transition's number.
    if starts + finishes > MOST_WRITTEN || (starts.max(finishes) > 1 && written.starts.len() > MOST_NUMBERS) {
        return Written::default();
    }
    written
}

/// The places of arcs that give to one of several, and whether room was kept there for the tokens, as it is for firings that
/// last.
fn places_of_choices(program: &Program) -> BTreeSet<(PlaceId, bool)> {
    let mut places = BTreeSet::new();
    for plan in program.transitions.iter() {
        for arc in plan.outputs.iter().filter(|arc| arc.is_choice()) {
            let lasts: &[bool] = match plan.time {
                Time::Immediate => &[false],
                Time::Const(_) => &[true],
                Time::Of(_) => &[false, true],
            };
            places.extend(arc.places.iter().flat_map(|&place| lasts.iter().map(move |&lasts| (place, lasts))));
        }
    }
    places
}

/// A function that calls another one and preserves all registers.
fn way(
    module: &mut JITModule,
    context: &mut Context,
    functions: &mut FunctionBuilderContext,
    address: usize,
    types: &[Type],
) -> Generated<FuncId> {
    let parameters: Vec<AbiParam> = [I64].iter().chain(types).map(|&ty| AbiParam::new(ty)).collect();
    let signature = |call_conv| Signature { params: parameters.clone(), returns: Vec::new(), call_conv };
    context.func.signature = signature(CallConv::PreserveAll);
    let mut builder = FunctionBuilder::new(&mut context.func, functions);
    let block = builder.create_block();
    builder.append_block_params_for_function_params(block);
    builder.switch_to_block(block);
    let callee = builder.import_signature(signature(module.isa().default_call_conv()));
    let address = builder.ins().iconst(I64, address as i64);
    let arguments = builder.block_params(block).to_vec();
    builder.ins().call_indirect(callee, address, &arguments);
    builder.ins().return_(&[]);
    builder.seal_all_blocks();
    builder.finalize(module.target_config());
    let function = module.declare_anonymous_function(&context.func.signature).map_err(Box::new)?;
    module.define_function(function, context).map_err(Box::new)?;
    module.clear_context(context);
    Ok(function)
}
