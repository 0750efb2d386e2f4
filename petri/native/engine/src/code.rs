//! Machine code for a net: what the engine does by interpreting a transition's program, written out for that
//! transition alone, with every number that does not change in it.
//!
//! The code works on the same memory as the engine, so either may do the next step. It knows no faults: what would raise one
//! leaves the firing to the engine before anything has changed. A transition that the generator does not know stays with
//! the engine altogether.
//!
//! [`emitter`] has the vocabulary, [`expressions`], [`places`], [`agenda`] and [`transitions`] what there is to say in it, and [`runtime`] the
//! functions that the code calls.

mod agenda;
mod emitter;
mod expressions;
mod places;
mod runtime;
mod transitions;

use std::collections::HashMap;
use std::ffi::c_void;
use std::mem::ManuallyDrop;

use cranelift_codegen::ir::types::I64;
use cranelift_codegen::ir::{AbiParam, InstBuilder, Signature, Type, Value};
use cranelift_codegen::isa::CallConv;
use cranelift_codegen::settings::{self, Configurable};
use cranelift_codegen::Context;
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use cranelift_jit::{JITBuilder, JITModule};
use cranelift_module::{default_libcall_names, FuncId, Module, ModuleError};

pub use runtime::{DONE, ENABLED, FAULT};

use crate::engine::Engine;
use crate::ids::TransitionId;
use crate::observer::Observer;
use crate::program::Program;
use crate::table::Table;
use emitter::{Emitter, Layout};
use runtime::{Rare, Runtime};

/// Looks at a transition, or starts a firing. The parameters are the engine and the operands.
type Step = unsafe extern "C" fn(*mut c_void, *const u64) -> u64;
/// Ends a firing. The last parameter is the record of the firing.
type Finish = unsafe extern "C" fn(*mut c_void, *const u64, *const u64) -> u64;

/// A function, and what distinguishes one of the transitions that share it.
pub struct Routine<F> {
    function: F,
    operands: Box<[u64]>,
}

impl Routine<Step> {
    /// # Safety
    /// The routine is part of the code of the program that the engine runs.
    #[inline(always)]
    pub unsafe fn step<O>(&self, engine: &mut Engine<O>) -> u64 {
        // SAFETY: asked of the caller.
        unsafe { (self.function)(std::ptr::from_mut(engine).cast(), self.operands.as_ptr()) }
    }
}

impl Routine<Finish> {
    /// # Safety
    /// The same, and `record` is that of a firing of the routine's transition.
    #[inline(always)]
    pub unsafe fn finish<O>(&self, engine: &mut Engine<O>, record: *const u64) -> u64 {
        // SAFETY: asked of the caller.
        unsafe { (self.function)(std::ptr::from_mut(engine).cast(), self.operands.as_ptr(), record) }
    }
}

/// The code of a net's transitions, as far as there is any.
pub struct Code {
    pub looks: Table<TransitionId, Option<Routine<Step>>>,
    pub starts: Table<TransitionId, Option<Routine<Step>>>,
    pub finishes: Table<TransitionId, Option<Routine<Finish>>>,
    module: ManuallyDrop<JITModule>,
}

const GENERATOR_STACK: usize = 256 << 20;
/// Nets with more transitions are not compiled.
const MOST_TRANSITIONS: usize = 10_000;

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

/// Generates the functions of one net.
struct Generator<'a> {
    module: JITModule,
    context: Context,
    functions: FunctionBuilderContext,
    /// Functions by their text.
    shapes: HashMap<String, FuncId>,
    program: &'a Program,
    layout: Layout,
    runtime: Runtime,
    rare: Rare<FuncId>,
}

impl Code {
    /// The code of a program for engines with observers of a kind. None where this machine, or the size of the net, has
    /// none.
    pub fn new<O: Observer>(program: &Program) -> Option<Code> {
        if program.transitions.len() > MOST_TRANSITIONS {
            return None;
        }
        // The generator recurses over expressions: it gets a stack of its own, as the loader does.
        let generate = || Generator::new::<O>(program)?.generate().ok();
        std::thread::scope(|scope| {
            let thread = std::thread::Builder::new().stack_size(GENERATOR_STACK).spawn_scoped(scope, generate).ok()?;
            thread.join().ok()?
        })
    }
}

impl<'a> Generator<'a> {
    fn new<O: Observer>(program: &'a Program) -> Option<Self> {
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
        let rare =
            Rare::of::<O>().map(|(address, types)| way(&mut module, &mut context, &mut functions, address, types));
        Some(Generator {
            module,
            context,
            functions,
            shapes: HashMap::new(),
            program,
            layout: Layout::of::<O>(),
            runtime: Runtime::of::<O>(),
            rare: rare.ok()?,
        })
    }

    fn generate(mut self) -> Generated<Code> {
        let program = self.program;
        let ids = || (0..program.transitions.len() as u32).map(TransitionId);
        let (mut looks, mut starts, mut finishes) = (Vec::new(), Vec::new(), Vec::new());
        for id in ids() {
            let plan = &program.transitions[id];
            let looked = transitions::can_look(plan).then(|| self.function(id, 2, |e, _| e.look(plan)));
            looks.push(looked.transpose()?);
            let fires = transitions::can_fire(program, plan);
            let started = fires.then(|| self.function(id, 2, |e, _| e.start(id, plan)));
            starts.push(started.transpose()?);
            let ended = fires.then(|| self.function(id, 3, |e, record| e.finish(id, plan, record)));
            finishes.push(ended.transpose()?);
        }
        self.module.finalize_definitions().map_err(Box::new)?;
        // SAFETY: the functions were made with these parameters and results.
        let step = |at| unsafe { std::mem::transmute::<*const u8, Step>(at) };
        // SAFETY: the same.
        let finish = |at| unsafe { std::mem::transmute::<*const u8, Finish>(at) };
        Ok(Code {
            looks: routines(&self.module, looks, step),
            starts: routines(&self.module, starts, step),
            finishes: routines(&self.module, finishes, finish),
            module: ManuallyDrop::new(self.module),
        })
    }

    /// A function of so many words that returns one, with the operands for a transition. Transitions whose functions
    /// differ in nothing but their operands share one.
    fn function(
        &mut self,
        id: TransitionId,
        parameters: usize,
        emit: impl FnOnce(Emitter, Value) -> Vec<u64>,
    ) -> Generated<(FuncId, Vec<u64>)> {
        let signature = &mut self.context.func.signature;
        signature.call_conv = self.module.isa().default_call_conv();
        signature.params = vec![AbiParam::new(I64); parameters];
        signature.returns = vec![AbiParam::new(I64)];
        let rare = self.rare.map(|id| self.module.declare_func_in_func(id, &mut self.context.func));
        let mut builder = FunctionBuilder::new(&mut self.context.func, &mut self.functions);
        let variables = self.program.transitions[id].variable_names.len();
        let emitter = Emitter::begin(&mut builder, self.program, &self.layout, &self.runtime, rare, variables);
        let last = emitter.last_parameter();
        let operands = emit(emitter, last);
        builder.finalize(self.module.target_config());
        let text = self.context.func.display().to_string();
        let function = match self.shapes.get(&text) {
            Some(&function) => function,
            None => {
                let signature = &self.context.func.signature;
                let function = self.module.declare_anonymous_function(signature).map_err(Box::new)?;
                self.module.define_function(function, &mut self.context).map_err(Box::new)?;
                self.shapes.insert(text, function);
                function
            }
        };
        self.module.clear_context(&mut self.context);
        Ok((function, operands))
    }
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

fn routines<F>(
    module: &JITModule,
    made: Vec<Option<(FuncId, Vec<u64>)>>,
    function: impl Fn(*const u8) -> F,
) -> Table<TransitionId, Option<Routine<F>>> {
    let routine = |(id, operands): (FuncId, Vec<u64>)| Routine {
        function: function(module.get_finalized_function(id)),
        operands: operands.into_boxed_slice(),
    };
    made.into_iter().map(|made| made.map(routine)).collect()
}
