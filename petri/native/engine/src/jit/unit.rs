//! The code of one net: writes one function of each shape, and the hole rows of each shape.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::iter;
use std::mem::ManuallyDrop;
use std::ops::{Deref, DerefMut};
use std::ptr::null;
use std::rc::Rc;
use std::sync::Arc;

use cranelift_codegen::ir::types::I64;
use cranelift_codegen::ir::{self, AbiParam, InstBuilder, Signature, Type};
use cranelift_codegen::isa::CallConv;
use cranelift_codegen::settings::{self, Configurable};
use cranelift_codegen::Context;
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use cranelift_jit::{ArenaMemoryProvider, JITBuilder, JITModule};
use cranelift_module::{default_libcall_names, FuncId, Module};

use crate::base::ids::{PlaceId, TransitionId};
use crate::engine::code::{Code, Routine, Routines};
use crate::engine::run::Engine;
use crate::jit::blueprint::interpreted::has_routine;
use crate::jit::blueprint::names::{Names, OWN};
use crate::jit::blueprint::planner::{Expressions, Planned, Planner};
use crate::jit::blueprint::{Blueprint, Subject};
use crate::jit::emit::emitter::{Emitter, FunctionForm, Scene, LEAF};
use crate::jit::emit::main_loop::{InlinePiece, InlinePieces};
use crate::jit::emit::search::can_look;
use crate::jit::emit::subjects::Subjects;
use crate::jit::footprint::footprints;
use crate::jit::holes::{Filling, Hole, HoleRow, HoleRows, Line};
use crate::jit::layout::EngineLayout;
use crate::jit::profile::Profile;
use crate::jit::runtime::{Rare, Runtime};
use crate::jit::shapes::{Described, Owner, Part, Piece, Shape, Shapes};
use crate::jit::sharing::Sharing;
use crate::program::arc::OutputProgram;
use crate::program::called::Called;
use crate::program::time::Time;
use crate::program::Program;
use crate::state::arena::ArenaLayout;
use crate::state::evaluator::{CalledCode, Function};

/// What code is made of. It has no part of an engine, so that another thread may make the code while the engine runs.
pub struct Request {
    pub program: Arc<Program>,
    pub profile: Profile,
    /// Whether engines keep the time at each number of tokens.
    keeps_levels: bool,
    /// The transitions that have code; if none is named, all.
    hot: HashSet<TransitionId>,
}

impl Request {
    /// Code for engines of a program that observe what this one does, as far as it has come.
    pub fn of(engine: &Engine, hot: HashSet<TransitionId>) -> Self {
        let keeps_levels = engine.observers.levels.are_kept();
        Request { program: Arc::clone(&engine.program), profile: Profile::of(engine), keeps_levels, hot }
    }

    pub fn layout(&self) -> EngineLayout {
        EngineLayout::of(&self.program, self.keeps_levels)
    }
}

/// Frees the memory of the functions, also where a generator gives up.
struct OwnedModule(ManuallyDrop<JITModule>);

impl Deref for OwnedModule {
    type Target = JITModule;

    fn deref(&self) -> &JITModule {
        &self.0
    }
}

impl DerefMut for OwnedModule {
    fn deref_mut(&mut self) -> &mut JITModule {
        &mut self.0
    }
}

impl Drop for OwnedModule {
    fn drop(&mut self) {
        // SAFETY: the functions can no longer be called, and the module is not used again.
        unsafe { ManuallyDrop::take(&mut self.0).free_memory() };
    }
}

/// Owns the machine code, and the tables that it finds by address.
struct Memory {
    _module: OwnedModule,
    /// See `Runtime::arrivals`.
    _arrivals: Box<[Routine]>,
    /// The holes of the functions of expressions, and of all other routines.
    _holes: [Box<[Line]>; 2],
}

// SAFETY: the module is only kept to be freed; its code may run on any thread. Arrivals and holes do not change.
unsafe impl Send for Memory {}
// SAFETY: the same.
unsafe impl Sync for Memory {}

/// The generator recurses over expressions: it gets a stack of its own, as the loader does.
pub const GENERATOR_STACK: usize = 256 << 20;
/// Addresses that are reserved for the code of a net [bytes], and for each of its transitions, at most `MOST_ADDRESSED` of them.
const CODE: usize = 64 << 20;
const CODE_OF_TRANSITION: usize = 64 << 10;
const MOST_ADDRESSED: usize = 10_000;
/// Pieces that start or end firings are inlined in the loop if there are at most this many.
const MOST_WRITTEN: usize = 8;
/// Where the loop looks for one of several pieces by the number of its transition, it does so for no more transitions than this.
const MOST_NUMBERS: usize = 64;

/// The functions of a net, and their shapes.
struct Shaped {
    shapes: Vec<Shape>,
    /// Transitions, with shadows. Each has a function that looks, one that starts firings, and one that ends them.
    transitions: Vec<Owner>,
    /// Places whose tokens a routine moves.
    places: Vec<Owner>,
    expressions: Vec<Owner>,
    /// Of the expressions with a number, which of these they are.
    numbered: Vec<Option<usize>>,
}

impl Shaped {
    /// The functions of all but expressions, in the order in which their rows of holes are placed.
    fn routines(&self) -> impl Iterator<Item = Part<'_>> {
        self.transitions.iter().chain(&self.places).flat_map(Owner::parts)
    }

    fn of_expressions(&self) -> impl Iterator<Item = Part<'_>> {
        self.expressions.iter().flat_map(Owner::parts)
    }
}

/// Generates the functions of one net.
pub struct Generator<'a> {
    module: OwnedModule,
    context: Context,
    functions: FunctionBuilderContext,
    program: &'a Program,
    profile: &'a Profile,
    layout: EngineLayout,
    runtime: Runtime,
    /// Places whose tokens a routine moves.
    arriving: BTreeSet<(PlaceId, bool)>,
    arrivals: Box<[Routine]>,
    /// How each shape has its holes.
    known: Vec<Vec<Filling>>,
    /// The calls of rarely called functions, and of which of them there are any, as bits.
    rare: Vec<FuncId>,
    called_rarely: Cell<u64>,
    /// The transitions that have code; if none is named, all.
    hot: &'a HashSet<TransitionId>,
    /// Asked between two functions.
    is_wanted: &'a dyn Fn() -> bool,
}

/// The code that is requested. None where this machine, or the size of the net, has none, and once it is not wanted any more. Needs
/// a large stack.
pub fn generate(request: &Request, sharing: &Sharing, is_wanted: &dyn Fn() -> bool) -> Option<Arc<Code>> {
    if request.layout().arena.size > i32::MAX as usize {
        return None;
    }
    let generator = Generator { is_wanted, ..Generator::new(request)? };
    generator.generate(sharing).map(Arc::new)
}

/// Does work for which the stack of this thread may not be large enough.
pub fn on_large_stack<T: Send>(work: impl FnOnce() -> Option<T> + Send) -> Option<T> {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(GENERATOR_STACK).spawn_scoped(scope, work).ok()?;
        thread.join().ok()?
    })
}

impl<'a> Generator<'a> {
    pub fn new(request: &'a Request) -> Option<Self> {
        let Request { program, profile, hot, .. } = request;
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
        let mut builder = JITBuilder::with_isa(isa, default_libcall_names());
        // Functions call each other over 32 bits: they share one range of addresses. Memory is taken as it is used.
        let addresses = CODE + CODE_OF_TRANSITION * program.transitions.len().min(MOST_ADDRESSED);
        if let Ok(memory) = ArenaMemoryProvider::new_with_size(addresses) {
            builder.memory_provider(Box::new(memory));
        }
        let mut module = OwnedModule(ManuallyDrop::new(JITModule::new(builder)));
        let context = module.make_context();
        let mut declare =
            |(_, types): (usize, &[Type])| module.declare_anonymous_function(&way(types, CallConv::PreserveAll)).ok();
        let rare = Rare::all().into_iter().map(&mut declare).collect::<Option<Vec<FuncId>>>()?;
        let arriving = places_with_routines(program);
        // Up to the last of these places; one at least, so that the table has an address of its own.
        let rows = arriving.last().map_or(1, |(place, _)| 2 * (place.at() + 1));
        let arrivals: Box<[Routine]> = (0..rows).map(|_| Routine::none()).collect();
        Some(Generator {
            module,
            context,
            functions: FunctionBuilderContext::new(),
            program,
            profile,
            layout: request.layout(),
            runtime: Runtime::of(arrivals.as_ptr()),
            arriving,
            arrivals,
            known: Vec::new(),
            rare,
            called_rarely: Cell::new(0),
            hot,
            is_wanted: &|| true,
        })
    }

    fn generate(mut self, sharing: &Sharing) -> Option<Code> {
        let program = self.program;
        let arriving = std::mem::take(&mut self.arriving);
        let mut shaped = self.shapes(&arriving, sharing)?;
        self.known = known(program, &self.layout.arena, &shaped);
        let of_loop =
            OfLoop { starting: program.own, ending: program.transitions.len(), transitions: &shaped.transitions };
        let in_loop = of_loop.inlined(&shaped.shapes);
        // A blueprint goes when its function is made: a large net has as many as unlike transitions.
        let functions = std::mem::take(&mut shaped.shapes)
            .into_iter()
            .enumerate()
            .map(|(shape, made_from)| match in_loop.contains_key(&shape) {
                true => Some(None),
                false => self.define(&made_from, shape).map(Some),
            })
            .collect::<Option<Vec<Option<FuncId>>>>()?;
        let (blueprint, names) = Planner::main_loop(program, Some(self.profile));
        let written = of_loop.written(&in_loop, &self.known);
        let cycle = self.write_loop(&blueprint, &written);
        let cycle = (Some(self.compile()?), cycle);
        self.define_ways()?;
        self.module.finalize_definitions().ok()?;
        let arena = self.layout.arena;
        let known = &self.known;
        let filled = |part| of_part(part, &functions, known);
        let (holes_of_expressions, called) = self.routines(shaped.of_expressions().map(filled), &[]);
        let known = Filling::read(&cycle.1);
        let cycle = (cycle.0, HoleRow { holes: &cycle.1, names: &names }, &known[..]);
        let (holes, made) = self.routines(iter::once(cycle).chain(shaped.routines().map(filled)), &called);
        let (main_loop, made) = (made[0], &made[1..]);
        let (of_transitions, others) = made.split_at(3 * program.with_shadows());
        for ((place, reserved), &routine) in arriving.into_iter().zip(others) {
            self.arrivals[2 * place.at() + usize::from(reserved)] = routine;
        }
        let of_transitions = || of_transitions.chunks_exact(3);
        let routines = of_transitions().map(|of| Routines { start: of[1], finish: of[2] }).collect();
        let row = |id: TransitionId, which: usize| {
            let part = shaped.transitions[id.at()].part(which);
            (part.row(), &self.known[part.shape()][..])
        };
        // SAFETY: it is the function of an expression, made with these parameters.
        let function = |Routine { function, holes }| unsafe { Function::at(function, holes) };
        Some(Code {
            footprints: footprints(program, &arena, &routines, |id| row(id, 2), |id| row(id, 1)),
            routines,
            looks: of_transitions().map(|of| of[0]).collect(),
            main_loop,
            called: Arc::new(CalledCode {
                of: shaped.numbered.iter().map(|number| number.map(|number| function(called[number]))).collect(),
                memory: Box::new(Memory {
                    _arrivals: self.arrivals,
                    _holes: [holes_of_expressions, holes],
                    _module: self.module,
                }),
            }),
        })
    }

    /// The routines of functions with their rows of holes, given those of expressions, and what holds these rows.
    fn routines<'r>(
        &self,
        filled: impl Iterator<Item = (Option<FuncId>, HoleRow<'r>, &'r [Filling])>,
        called: &[Routine],
    ) -> (Box<[Line]>, Vec<Routine>) {
        let (program, arena, mut holes) = (self.program, &self.layout.arena, HoleRows::default());
        let mut place = |row: HoleRow, known: &[Filling]| holes.place(row.cells(known, program, arena, called));
        let placed: Vec<_> = filled.map(|(id, row, known)| (id, place(row, known))).collect();
        let holes = holes.lines.into_boxed_slice();
        let routine = |(id, start): (Option<FuncId>, usize)| Routine {
            function: id.map_or(null(), |id| self.module.get_finalized_function(id)),
            holes: holes.as_ptr().cast::<u32>().wrapping_add(start),
        };
        let routines = placed.into_iter().map(routine).collect();
        (holes, routines)
    }

    fn convention(&self) -> CallConv {
        self.module.isa().default_call_conv()
    }

    /// All functions, each with its shape and its holes.
    fn shapes(&mut self, arriving: &BTreeSet<(PlaceId, bool)>, sharing: &Sharing) -> Option<Shaped> {
        let (program, profile, hot) = (self.program, Some(self.profile), self.hot);
        let mut shapes = Shapes::new(program.without.shapes);
        let (mut transitions, mut called) = (Vec::with_capacity(program.with_shadows()), Vec::new());
        for shadow in (0..program.with_shadows() as u32).map(TransitionId) {
            (self.is_wanted)().then_some(())?;
            let id = program.owner(shadow);
            if let Some(planned) =
                Planner::rate(program, profile, shadow).filter(|_| hot.is_empty() || hot.contains(&id))
            {
                transitions.push(self.owner(&mut shapes, planned));
                continue;
            }
            // The interpreter looks at other shadows.
            let is_cold = (!hot.is_empty() && !hot.contains(&id)) || id != shadow;
            let expressions = if is_cold { Expressions::Written } else { sharing.expressions(id) };
            let Planned { mut blueprint, mut names, calls } = Planner::planned(program, profile, id, expressions);
            if is_cold {
                blueprint.leave_to_engine();
            }
            names.call_from(called.len());
            called.extend(calls.into_iter().map(|expression| self.owner(&mut shapes, expression)));
            transitions.push(self.owner(&mut shapes, (blueprint, names)));
        }
        let of_places = arriving.iter().map(|&(place, reserved)| match program.places[place].fronts {
            Some(lines) => Planner::departure(program, profile, lines),
            None => Planner::arrival(program, profile, place, reserved),
        });
        let places = of_places.map(|planned| self.owner(&mut shapes, planned)).collect();
        let mut numbered = vec![None; program.called_numbers];
        let is_hot = |id: &Option<TransitionId>| hot.is_empty() || id.is_none_or(|id| hot.contains(&id));
        for (_, Called { number, of }) in program.called().filter(|(id, _)| is_hot(id)) {
            (self.is_wanted)().then_some(())?;
            if let (None, Some(planned)) = (numbered[*number], Planner::told(program, of)) {
                numbered[*number] = Some(called.len());
                called.push(self.owner(&mut shapes, planned));
            }
        }
        Some(Shaped { shapes: shapes.all, transitions, places, expressions: called, numbered })
    }

    /// The functions of a transition, or a place. They are written unless those of its blueprint exist.
    fn owner(&mut self, shapes: &mut Shapes, (blueprint, names): (Blueprint, Names)) -> Owner {
        let functions = shapes.known(&blueprint).unwrap_or_else(|| {
            let blueprint = Rc::new(blueprint);
            let functions = self.describe(shapes, &blueprint);
            shapes.keep(blueprint, functions)
        });
        Owner { functions, names }
    }

    /// Writes the functions of a blueprint to see what shapes they have.
    pub fn describe(&mut self, shapes: &mut Shapes, blueprint: &Rc<Blueprint>) -> Vec<Described> {
        let described = |&piece: &Piece| {
            let holes = self.write_piece(blueprint, piece, None);
            let shape = shapes.of(blueprint, piece, &self.context.func.stencil);
            self.module.clear_context(&mut self.context);
            Described { shape, holes: holes.into() }
        };
        Piece::all_of(blueprint).iter().map(described).collect()
    }

    /// Writes a function with all holes read, and compiles it by itself. Returns what `read` sees in it as it was written, its length in
    /// bytes, and its assembly.
    pub fn listed<T>(
        &mut self,
        blueprint: &Blueprint,
        piece: Piece,
        read: impl FnOnce(&ir::Function, &Runtime) -> T,
    ) -> Option<(T, usize, String)> {
        self.write_piece(blueprint, piece, None);
        let written = read(&self.context.func, &self.runtime);
        self.context.set_disasm(true);
        let compiled = self.context.compile(self.module.isa(), &mut Default::default()).ok()?;
        let (bytes, assembly) = (compiled.code_info().total_size as usize, compiled.vcode.clone()?);
        self.module.clear_context(&mut self.context);
        self.context.set_disasm(false);
        Some((written, bytes, assembly))
    }

    /// The function of a shape.
    fn define(&mut self, (blueprint, piece): &Shape, shape: usize) -> Option<FuncId> {
        (self.is_wanted)().then_some(())?;
        self.write_piece(blueprint, *piece, Some(shape));
        self.compile()
    }

    /// Writes a function, for itself or for all of its shape. Returns its holes.
    fn write_piece(&mut self, blueprint: &Blueprint, piece: Piece, shape: Option<usize>) -> Vec<Hole> {
        let normal = self.convention();
        let form = |parameters| FunctionForm { blueprint, parameters, shape };
        match (piece, &blueprint.subject) {
            (Piece::Look, Subject::Transition(plan)) => {
                let searches = !blueprint[OWN].plain && can_look(plan);
                self.write(normal, form(2), |e| match searches {
                    true => e.searches().look(plan),
                    false => e.transitions().leave_to_engine(),
                })
            }
            (Piece::Start, Subject::Transition(plan)) => {
                self.write(LEAF, form(2), |e| match plan.fires && !plan.delivers {
                    true => e.transitions().start(plan, None),
                    false => e.transitions().leave_to_engine(),
                })
            }
            (Piece::Finish, Subject::Transition(plan)) => self.write(LEAF, form(3), |e| match plan.fires {
                true => e.transitions().finish(plan, None),
                false => e.transitions().finish_by_engine(),
            }),
            (Piece::Look, Subject::Rate(plan)) => self.write(normal, form(2), |e| e.rates().rate(plan)),
            (Piece::Start | Piece::Finish, Subject::Rate(_)) => {
                self.write(LEAF, form(3), |e| e.transitions().leave_to_engine())
            }
            (Piece::Depart, Subject::Departure(fronted)) => self.write(LEAF, form(3), |e| e.lines().departs(fronted)),
            (Piece::Arrive, Subject::Arrival { reserved, .. }) => {
                self.write(LEAF, form(4), |e| e.transitions().arrive(*reserved))
            }
            (Piece::Evaluate, Subject::Expression { expression, .. }) => {
                self.write(normal, form(4), |e| e.expressions().evaluate(expression))
            }
            (piece, subject) => unreachable!("{piece:?} of {subject:?}"),
        }
    }

    /// Writes the loop. Returns its holes.
    fn write_loop(&mut self, blueprint: &Blueprint, written: &InlinePieces) -> Vec<Hole> {
        let Subject::Loop(plan) = &blueprint.subject else { unreachable!("{blueprint:?}") };
        let form = FunctionForm { blueprint, parameters: 6, shape: None };
        self.write(self.convention(), form, |e| e.main_loop().write(plan, written))
    }

    /// Writes a function of words that returns one. Returns the holes.
    fn write(&mut self, convention: CallConv, form: FunctionForm, emit: impl FnOnce(&mut Emitter)) -> Vec<Hole> {
        let normal = self.convention();
        let signature = &mut self.context.func.signature;
        signature.call_conv = convention;
        signature.params = vec![AbiParam::new(I64); form.parameters];
        signature.returns = vec![AbiParam::new(I64)];
        let declare = |&id: &FuncId| self.module.declare_func_in_func(id, &mut self.context.func);
        let scene = Scene {
            events: self.profile.events,
            record: self.program.record,
            parts: self.program.parts,
            layout: &self.layout,
            runtime: &self.runtime,
            known: &self.known,
            rare: self.rare.iter().map(declare).collect(),
            called_rarely: &self.called_rarely,
            convention: normal,
        };
        let mut builder = FunctionBuilder::new(&mut self.context.func, &mut self.functions);
        let mut emitter = Emitter::begin(&mut builder, scene, form);
        emit(&mut emitter);
        let holes = emitter.end();
        builder.finalize(self.module.target_config());
        holes
    }

    /// Compiles the function that has been written.
    fn compile(&mut self) -> Option<FuncId> {
        let function = self.module.declare_anonymous_function(&self.context.func.signature).ok()?;
        self.module.define_function(function, &mut self.context).ok()?;
        self.module.clear_context(&mut self.context);
        Some(function)
    }

    /// Writes those of the functions that call rarely called ones, and preserve all registers, to which there is a call.
    fn define_ways(&mut self) -> Option<()> {
        for (number, (address, types)) in Rare::all().into_iter().enumerate() {
            if self.called_rarely.get() >> number & 1 == 1 {
                self.define_way(self.rare[number], address, types)?;
            }
        }
        Some(())
    }

    fn define_way(&mut self, function: FuncId, address: usize, types: &[Type]) -> Option<()> {
        let normal = self.convention();
        self.context.func.signature = way(types, CallConv::PreserveAll);
        let mut builder = FunctionBuilder::new(&mut self.context.func, &mut self.functions);
        let block = builder.create_block();
        builder.append_block_params_for_function_params(block);
        builder.switch_to_block(block);
        let callee = builder.import_signature(way(types, normal));
        let address = builder.ins().iconst(I64, address as i64);
        let arguments = builder.block_params(block).to_vec();
        builder.ins().call_indirect(callee, address, &arguments);
        builder.ins().return_(&[]);
        builder.seal_all_blocks();
        builder.finalize(self.module.target_config());
        self.module.define_function(function, &mut self.context).ok()?;
        self.module.clear_context(&mut self.context);
        Some(())
    }
}

/// The signature of a rarely called function, which has parameters of these types behind the engine.
fn way(types: &[Type], call_conv: CallConv) -> Signature {
    let params = [I64].iter().chain(types).map(|&ty| AbiParam::new(ty)).collect();
    Signature { params, returns: Vec::new(), call_conv }
}

/// The function of a part, and its row of holes, with how the code knows them.
fn of_part<'p>(
    part: Part<'p>,
    functions: &[Option<FuncId>],
    known: &'p [Vec<Filling>],
) -> (Option<FuncId>, HoleRow<'p>, &'p [Filling]) {
    (functions[part.shape()], part.row(), &known[part.shape()])
}

/// How the code of each shape knows its holes.
fn known(program: &Program, arena: &ArenaLayout, shaped: &Shaped) -> Vec<Vec<Filling>> {
    let mut rows: Vec<Vec<Part>> = vec![Vec::new(); shaped.shapes.len()];
    shaped.routines().chain(shaped.of_expressions()).for_each(|part| rows[part.shape()].push(part));
    rows.iter().map(|rows| Filling::of(rows.iter().map(|part| part.row()), program, arena)).collect()
}

/// What the loop starts and ends firings of: the first `starting` and the first `ending` of these transitions.
struct OfLoop<'w> {
    starting: usize,
    ending: usize,
    transitions: &'w [Owner],
}

impl<'w> OfLoop<'w> {
    /// The functions that start firings, and those that end them.
    fn parts(&self) -> [impl Iterator<Item = Part<'w>> + 'w; 2] {
        [(1, self.starting), (2, self.ending)]
            .map(|(which, number)| self.transitions[..number].iter().map(move |owner| owner.part(which)))
    }

    /// The shapes of the functions that are inlined in the loop, and what these are made from. None unless they are few.
    fn inlined(&self, shapes: &[Shape]) -> BTreeMap<usize, Rc<Blueprint>> {
        let [starts, finishes] = self.parts().map(|parts| parts.map(Part::shape).collect::<BTreeSet<usize>>());
        let most = starts.len().max(finishes.len());
        let found = || starts.union(&finishes).map(|&shape| (shape, &shapes[shape].0));
        let few = starts.len() + finishes.len() <= MOST_WRITTEN && (most <= 1 || self.starting <= MOST_NUMBERS);
        if !few || !found().all(|(_, blueprint)| blueprint.transition().is_some_and(|plan| plan.fires)) {
            return BTreeMap::new();
        }
        found().map(|(shape, blueprint)| (shape, Rc::clone(blueprint))).collect()
    }

    /// The functions that are inlined, which are of these shapes.
    fn written(&self, inlined: &'w BTreeMap<usize, Rc<Blueprint>>, known: &[Vec<Filling>]) -> InlinePieces<'w> {
        let piece = |part: Part<'w>| {
            let (blueprint, row) = (&**inlined.get(&part.shape())?, part.row());
            let reads = Hole::read(row.holes, &known[part.shape()]).next().is_some();
            Some(InlinePiece {
                shape: part.shape(),
                blueprint,
                plan: blueprint.transition()?,
                holes: row.holes.len(),
                reads,
            })
        };
        // With more, all are of one shape, and the first stands for them.
        let most = if self.starting > MOST_NUMBERS { 1 } else { usize::MAX };
        let [starts, finishes] = self.parts().map(|parts| parts.take(most).filter_map(piece).collect());
        InlinePieces { starts, finishes }
    }
}

/// The places of arcs that give to one of several, and those with `per` whose tokens a routine moves, and whether room was kept
/// there for the tokens, as it is for firings that last; and the fronts of the latter.
fn places_with_routines(program: &Program) -> BTreeSet<(PlaceId, bool)> {
    let fronts = program.lines.iter().map(|lines| lines.front).filter(|&front| has_routine(program, front));
    let mut places: BTreeSet<(PlaceId, bool)> = fronts.map(|front| (front, false)).collect();
    for plan in program.transitions.iter() {
        let is_moved = |arc: &&OutputProgram| arc.is_choice() || has_routine(program, arc.place());
        for arc in plan.outputs.iter().filter(is_moved) {
            let lasts: &[bool] = match plan.time {
                Time::Immediate => &[false],
                Time::Const(_) => &[true],
                Time::Of(_) => &[false, true],
            };
            let lasts = if arc.delay.is_some() { &[false] } else { lasts };
            places.extend(arc.places.iter().flat_map(|&place| lasts.iter().map(move |&lasts| (place, lasts))));
        }
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::ticks::HORIZON;
    use crate::engine::limits::{Compile, Limits};
    use crate::jit::verify::verify_shapes;
    use crate::observe::observers::ExtraObservers;
    use crate::program::without::Without;
    use crate::state::arena::Housed;
    use crate::state::counters::{PlaceCounters, TransitionCounters};

    /// A ring of stations, of which one may be another.
    fn ring(stations: usize, other: &str) -> Program {
        let places: Vec<String> =
            (0..2 * stations).map(|i| format!(r#"{{"name":"p{i}","initial":[[1,[]]]}}"#)).collect();
        let transition = |i: usize| {
            let (server, next) = (stations + i, (i + 1) % stations);
            let time = r#"{"op":"exp","kind":"real","args":[{"op":"const","kind":"real","value":2.0}]}"#;
            let rest = if i == 5 { other } else { "" };
            format!(
                r#"{{"name":"t{i}","inputs":[{{"place":{i}}},{{"place":{server}}}],"time":{time},
                "outputs":[{{"places":[{next}]}},{{"places":[{server}]}}]{rest}}}"#
            )
        };
        let transitions: Vec<String> = (0..stations).map(transition).collect();
        let text = format!(r#"{{"places":[{}],"transitions":[{}]}}"#, places.join(","), transitions.join(","));
        Program::from_json(&text).expect("a net")
    }

    fn engine(program: Program) -> Housed<Engine> {
        let limits = Limits { firings_at_an_instant: 1000, tokens: 1000, compile: Compile::After(150) };
        let engine = Engine::new(Arc::new(program), [1, 2, 3], limits, ExtraObservers::default(), Arc::default());
        engine.expect("an engine")
    }

    fn code(program: Program) -> Option<Arc<Code>> {
        code_for(&engine(program), HashSet::new())
    }

    fn code_for(engine: &Engine, hot: HashSet<TransitionId>) -> Option<Arc<Code>> {
        generate(&Request::of(engine, hot), &Sharing::of(&engine.program), &|| true)
    }

    #[test]
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    fn what_is_not_wanted_any_more_is_given_up() {
        let engine = engine(ring(30, ""));
        let (request, sharing) = (Request::of(&engine, HashSet::new()), Sharing::of(&engine.program));
        let made = |times: usize| {
            let left = Cell::new(times);
            let is_wanted = || left.replace(left.get().saturating_sub(1)) > 0;
            generate(&request, &sharing, &is_wanted).is_some()
        };
        assert_eq!([0, 1, 30, 1000].map(made), [false, false, false, true]);
    }

    /// With code for some transitions, or for all, a run is the one that is interpreted.
    #[test]
    fn those_that_are_not_hot_are_left_to_the_engine() {
        let hot = [HashSet::new(), HashSet::from([TransitionId(2)]), (0..6).map(TransitionId).collect()];
        let runs = hot.map(|hot| {
            let mut coded = engine(ring(7, ""));
            let code = code_for(&coded, hot).expect("code");
            // SAFETY: the code is of the engine's program, for such an engine.
            unsafe { coded.run_code(&code, HORIZON, 500) };
            (coded.firings, coded.hash.0)
        });
        let mut interpreted = engine(ring(7, ""));
        interpreted.interpret(HORIZON, 500);
        assert_eq!(runs, [(interpreted.firings, interpreted.hash.0); 3]);
    }

    /// The number of transitions no two of which have one blueprint.
    fn unlike(program: &Program) -> usize {
        Sharing::of(program).unlike
    }

    /// How many transitions have the blueprint of another, and the same code.
    fn shared(program: Program) -> usize {
        verify_shapes(&engine(program)).expect("one code for one blueprint")
    }

    #[test]
    fn footprints_lead_to_what_an_end_and_the_next_starts_touch() {
        let (stations, at) = (1000, 7);
        let program = ring(stations, "");
        let arena = ArenaLayout::of(&program, size_of::<Engine>());
        let made = code(program).expect("code");
        let footprint = &made.footprints[TransitionId(at as u32)];
        let place = |place: usize| footprint.has(arena.places + size_of::<PlaceCounters>() * place);
        let transition =
            |transition: usize| footprint.has(arena.transitions + size_of::<TransitionCounters>() * transition);
        assert!(place(at) && place(at + 1) && place(stations + at) && place(stations + at + 1));
        assert!(transition(at) && transition(at + 1));
        assert!(!place(at + 2) && !transition(at + 2));
        assert!(code(ring(5, "")).expect("code").footprints.is_empty());
    }

    #[test]
    fn stations_that_are_alike_have_one_blueprint() {
        assert_eq!(unlike(&ring(200, "")), 1);
        assert!(code(ring(100, "")).is_some());
        assert_eq!(shared(ring(100, "")), 99);
    }

    #[test]
    fn one_that_is_another_is_seen_by_its_neighbours() {
        // The station before it watches its priority, or that it must be looked at.
        assert_eq!(unlike(&ring(200, r#","priority":1"#)), 3);
        assert_eq!(unlike(&ring(200, r#","guard":{"op":"const","kind":"bool","value":true}"#)), 3);
        // Inhibited by a queue: those before and behind that queue see it, too.
        assert!((3..=5).contains(&unlike(&ring(200, r#","inhibitors":[{"place":100}]"#))));
        assert!(code(ring(50, r#","priority":1"#)).is_some());
        assert_eq!(shared(ring(50, r#","priority":1"#)), 47);
        assert_eq!(shared(ring(50, r#","guard":{"op":"const","kind":"bool","value":true}"#)), 47);
    }

    /// A ring of stations that pass on a number: each adds or takes a maximum, step by step, as the bits of its own number say, or
    /// else the constants differ alone.
    fn computing_ring(stations: usize, constants_alone: bool, without: &str) -> Program {
        let place = |i: usize| {
            let colour = r#"{"name":"0..99","slots":[{"low":0,"high":99}]}"#;
            format!(r#"{{"name":"p{i}","colour":{colour},"discipline":"fifo","initial":[[2,[{}]]]}}"#, i % 100)
        };
        let operation = |name: &str, args: String, constant: usize| {
            let constant = format!(r#"{{"op":"const","kind":"int","value":{constant}}}"#);
            format!(r#"{{"op":"{name}","kind":"int","args":[{args},{constant}]}}"#)
        };
        let transition = |i: usize| {
            let (bits, added) = if constants_alone { (0, i) } else { (i, 1) };
            let name = |bit: usize| if bits >> bit & 1 == 0 { "add" } else { "max" };
            let variable = r#"{"op":"var","kind":"int","value":0}"#.to_owned();
            let value = (0..8).fold(variable, |value, bit| operation(name(bit), value, bit + added));
            let time = r#"{"op":"exp","kind":"real","args":[{"op":"const","kind":"real","value":2.0}]}"#;
            format!(
                r#"{{"name":"t{i}","variables":[{{"name":"x","kind":"int"}}],"inputs":[{{"place":{i},"pattern":[{{"bind":0}}]}}],
                "time":{time},"outputs":[{{"places":[{}],"values":[{}]}}]}}"#,
                (i + 1) % stations,
                operation("mod", value, 100)
            )
        };
        let [places, transitions] = [(0..stations).map(place).collect(), (0..stations).map(transition).collect()]
            .map(|parts: Vec<String>| parts.join(","));
        let net = serde_json::from_str(&format!(r#"{{"places":[{places}],"transitions":[{transitions}]}}"#));
        Program::without(net.expect("a net"), Without::of(without).expect("names")).expect("a net that runs")
    }

    /// The number of functions that are compiled for a program before it has run.
    fn functions(program: Program) -> usize {
        let (sharing, engine) = (Sharing::of(&program), engine(program));
        let request = Request::of(&engine, HashSet::new());
        let shapes = Generator::new(&request).and_then(|mut generator| generator.shapes(&BTreeSet::new(), &sharing));
        shapes.map_or(0, |shaped| shaped.shapes.len())
    }

    #[test]
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    fn unlike_transitions_have_all_but_their_expressions_in_common() {
        // What looks at any of them is the same in any case.
        assert_eq!(functions(computing_ring(200, false, "calls")), 1 + 200 + 1);
        assert_eq!(functions(computing_ring(200, false, "")), 1 + 1 + 1 + 200);
        assert_eq!(functions(computing_ring(200, true, "")), 1 + 1 + 1 + 1);
        // Few have code of their own, unless they may not.
        assert_eq!(functions(computing_ring(50, false, "")), 1 + 50 + 1);
        assert_eq!(functions(computing_ring(50, false, "inlining")), 1 + 1 + 1 + 50);
    }

    #[test]
    fn code_that_is_shared_pays_sooner() {
        assert_eq!(unlike(&computing_ring(200, false, "calls")), 200);
        assert!(unlike(&computing_ring(200, false, "")) < 20);
    }

    #[test]
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    fn expressions_that_are_called_have_the_values_of_those_that_are_interpreted() {
        for constants_alone in [false, true] {
            let mut coded = engine(computing_ring(200, constants_alone, ""));
            let code = code_for(&coded, HashSet::new()).expect("code");
            // SAFETY: the code is of the engine's program, for such an engine.
            unsafe { coded.run_code(&code, HORIZON, 2_000) };
            let mut interpreted = engine(computing_ring(200, constants_alone, ""));
            interpreted.interpret(HORIZON, 2_000);
            assert_eq!((coded.firings, coded.hash.0), (interpreted.firings, interpreted.hash.0));
        }
    }
}
