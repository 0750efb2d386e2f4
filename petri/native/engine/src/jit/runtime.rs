//! What the machine code of a net calls: the parts of a firing that are rare, or long enough that a call costs nothing.
//!
//! Each function takes the engine that runs the code. Their addresses are constants of the code, which hands over words: a
//! function that takes the number of a place reads the lower half of one.

use std::mem::swap;
use std::ptr::{from_ref, null};

use cranelift_codegen::ir::types::{F64, I64};
use cranelift_codegen::ir::Type;

use crate::base::cache::fetch;
use crate::base::fault::Outcome;
use crate::base::ids::{GaugeId, IndexId, JoinId, PlaceId, ProbeId, TransitionId};
use crate::base::ticks::{after, Ticks};
use crate::engine::code::{Routine, DONE, FAULT, GENERAL, NO_TRANSITION, STOPPED};
use crate::engine::limits::RunError;
use crate::engine::run::Engine;
use crate::program::expression::{Int, Rank, Real};
use crate::program::Program;
use crate::state::index::Bucket;
use crate::state::lines::Arrived;
use crate::state::value::Scope;

macro_rules! runtime {
    ($($function:ident),*) => {
        /// Addresses of functions.
        #[derive(Clone, Copy, Debug)]
        pub struct Runtime {
            /// The routines by which tokens arrive in places: for each place one for tokens without reserved room, and one for
            /// others. Where tokens leave a front by a routine, it is the first one of the front.
            pub arrivals: usize,
            pub fetch: usize,
            $(pub $function: usize),*
        }

        impl Runtime {
            pub fn of(arrivals: *const Routine) -> Self {
                Runtime {
                    arrivals: arrivals as usize,
                    fetch: fetch_both as *const () as usize,
                    $($function: $function as *const () as usize),*
                }
            }

            /// The name of what begins at an address.
            pub fn name(&self, address: usize) -> Option<&'static str> {
                let named = [("arrivals", self.arrivals), ("fetch", self.fetch), $((stringify!($function), self.$function)),*];
                named.into_iter().find(|&(_, start)| start == address).map(|(name, _)| name)
            }
        }
    };
}

runtime! {
    choose, has_room, load_of_line, integer, real, started, sampled, arrived, departs, weight_leaves, identity_leaves, identity_arrives,
    shown, bucket_of, seats, choose_of, leave, enter, leave_index, leave_pivot, remove, take_first, line_up, step_up, push, reset, find_sets, take_sets, take_set, open_set, close_set, bundle, open_bundle, words_of_bundle, hold_bundle, free_bundle, put_bundle, deposit, deliver, reserve, moved, set_enabled, look, pick, finish, refill, touch_clocked,
    prefetch, fired, part_fired, read_marking, pass_races, settle,
    fetch_waiting, later, rests, rings, is_due, settle_fired
}

macro_rules! rare {
    ($($name:ident: $function:ident($($ty:expr),*);)*) => {
        /// Functions that are called so rarely that the code around their calls should not suffer: they change no register,
        /// and return nothing. The code calls them through small functions of its own.
        #[derive(Clone, Copy, Debug)]
        pub enum Rare {
            $($name),*
        }

        impl Rare {
            /// The addresses of all, in their order, and the types of their parameters behind the engine.
            pub fn all() -> Vec<(usize, &'static [Type])> {
                vec![$(($function as *const () as usize, &[$($ty),*])),*]
            }
        }
    };
}

rare! {
    ExponentialRest: exponential_rest(I64, F64);
    Grow: grow(I64);
    MakeRoom: make_room();
    Lengthen: lengthen(I64);
    LengthenLines: lengthen_lines(I64);
    Play: play(I64, I64, I64);
    LookBeside: look_beside(I64);
    ChoosePair: choose_pair(I64, I64);
    LeaveIndex: leave_index(I64, I64);
    EnterIndex: enter_index(I64, I64);
    LeavePivot: leave_pivot(I64, I64);
    EnterPivot: enter_pivot(I64, I64);
    Weigh: weigh(I64, I64, I64, I64);
    Note: note(I64, I64, I64, I64);
}

/// The engine that runs the code and its program, which is not changed by what happens to the engine.
#[inline(always)]
fn parts(engine: &mut Engine) -> (&mut Engine, &Program) {
    let program = from_ref::<Program>(&engine.program);
    // SAFETY: the engine holds its program as long as it lives.
    (engine, unsafe { &*program })
}

/// The status of what the interpreter repeats if it has failed.
fn general<E>(outcome: Result<(), E>) -> u64 {
    match outcome {
        Ok(()) => DONE,
        Err(_) => GENERAL,
    }
}

/// The `width` slots of a token.
///
/// # Safety
/// There are `width` words at `token`.
#[inline(always)]
unsafe fn slots<'a>(token: *const u64, width: usize) -> &'a [u64] {
    if width == 0 {
        &[]
    } else {
        // SAFETY: the caller guarantees it.
        unsafe { std::slice::from_raw_parts(token, width) }
    }
}

impl Engine {
    /// Keeps an error. Returns 0 if there is one.
    fn fine(&mut self, outcome: Result<(), Box<RunError>>) -> u64 {
        self.error = outcome.err().map(|error| *error);
        u64::from(self.error.is_none())
    }

    /// Does something whose draws continue those of the code (see `Engine::drawn`).
    fn drawing<T>(&mut self, draw: impl FnOnce(&mut Self) -> T) -> T {
        swap(&mut self.random, &mut self.drawn);
        let result = draw(self);
        swap(&mut self.random, &mut self.drawn);
        result
    }

    #[inline(always)]
    fn held(&mut self, outcome: Outcome<()>) -> u64 {
        match outcome {
            Ok(()) => DONE,
            Err(fault) => {
                self.fault = Some(fault);
                FAULT
            }
        }
    }
}

/// The rest of the draw of an exponential.
extern "C" fn exponential_rest(engine: &mut Engine, layer: u64, x: f64) {
    engine.value = engine.drawn.exponential_rest(layer as usize, x).to_bits();
}

/// Draws the tokens of one binding into `scratch.chosen`.
extern "C" fn choose(engine: &mut Engine, transition: TransitionId) -> u64 {
    let (engine, program) = parts(engine);
    general(engine.drawing(|engine| engine.choose(program, &program.transitions[transition])))
}

/// Whether there is room for what the binding in `scratch.chosen` and `variables` would give.
extern "C" fn has_room(engine: &mut Engine, transition: TransitionId) -> u64 {
    let (engine, program) = parts(engine);
    match engine.has_room(program, &program.transitions[transition]) {
        Ok(room) => u64::from(room),
        Err(_) => GENERAL,
    }
}

/// The tokens in, and those that firings in progress will give to, the line with a key.
unsafe extern "C" fn load_of_line(engine: &mut Engine, place: PlaceId, key: *const u64) -> u64 {
    let (engine, program) = parts(engine);
    let Some(lines) = program.places[place].lines else { return 0 };
    // SAFETY: the key has a word for each of the slots that tell lines apart.
    let key = unsafe { slots(key, program.lines[lines].slots.len()) };
    engine.marking.lines[lines].load(key)
}

/// Writes the tokens of binding `k` of a join into `scratch.chosen`.
extern "C" fn choose_of(engine: &mut Engine, join: JoinId, k: u64) {
    let (engine, program) = parts(engine);
    engine.marking.choose(program, join, k, &mut engine.scratch.chosen);
}

/// The same for a join of one link and no arc that takes any token: the seat for the pivot is the lower half of `value`, the
/// link's is the upper.
extern "C" fn choose_pair(engine: &mut Engine, join: JoinId, k: u64) {
    let (pivot, other) = engine.marking.choose_pair(join, k);
    engine.value = u64::from(pivot) | u64::from(other) << 32;
}

/// The value of an expression of the program.
unsafe extern "C" fn integer(engine: &mut Engine, expression: *const Int, end: Ticks) -> u64 {
    // SAFETY: the expression is part of the program.
    let expression = unsafe { &*expression };
    evaluated(engine, end, |scope| Ok(expression.value(scope)? as u64))
}

unsafe extern "C" fn real(engine: &mut Engine, expression: *const Real, end: Ticks) -> u64 {
    // SAFETY: the same.
    let expression = unsafe { &*expression };
    evaluated(engine, end, |scope| Ok(expression.value(scope)?.to_bits()))
}

fn evaluated(engine: &mut Engine, end: Ticks, value: impl FnOnce(&mut Scope) -> Outcome<u64>) -> u64 {
    let (engine, program) = parts(engine);
    let value = engine.drawing(|engine| value(&mut engine.scope(program, end)));
    general(value.map(|value| engine.value = value))
}

extern "C" fn started(engine: &mut Engine, transition: TransitionId, end: Ticks) -> u64 {
    let (engine, program) = parts(engine);
    let scope = &mut Scope {
        variables: &engine.variables[..program.transitions[transition].variables.len()],
        places: &engine.marking.places,
        tables: &program.tables,
        random: &mut engine.random,
        now: engine.now,
        end,
    };
    let outcome = engine.observers.started(transition, scope);
    engine.held(outcome)
}

/// A probe gets a value of a firing that starts.
extern "C" fn sampled(engine: &mut Engine, probe: ProbeId, value: u64) {
    engine.observers.probes.sampled(probe, f64::from_bits(value));
}

unsafe extern "C" fn arrived(engine: &mut Engine, place: PlaceId, count: u64, token: *const u64) -> u64 {
    let (engine, program) = parts(engine);
    let scope = &mut Scope {
        // SAFETY: the token that arrives has as many slots as its place says.
        variables: unsafe { slots(token, program.places[place].width) },
        places: &engine.marking.places,
        tables: &program.tables,
        random: &mut engine.random,
        now: engine.now,
        end: engine.now,
    };
    let outcome = engine.observers.arrived(place, count, scope);
    engine.held(outcome)
}

/// The token at a position is about to leave a place whose content is measured.
extern "C" fn departs(engine: &mut Engine, place: PlaceId, position: u64) {
    engine.tell_departure(place, position);
}

/// The token at a position leaves a place whose capacity is one of weight.
extern "C" fn weight_leaves(engine: &mut Engine, place: PlaceId, position: u64) {
    let (engine, program) = parts(engine);
    engine.weight_leaves(program, place, position as usize);
}

/// The token at a position leaves a place whose tokens clocks tell apart.
extern "C" fn identity_leaves(engine: &mut Engine, place: PlaceId, position: u64) {
    engine.marking.identities.leaves(place, position as usize);
}

/// A token arrives in such a place, which has no key.
extern "C" fn identity_arrives(engine: &mut Engine, place: PlaceId) {
    engine.marking.identities.arrives(place, Rank::default());
}

/// The token that a place shows at a position.
extern "C" fn shown(engine: &mut Engine, place: PlaceId, position: u64) -> *const u64 {
    engine.marking.token(place, position as usize).as_ptr()
}

/// The bucket of a key in an index.
unsafe extern "C" fn bucket_of(engine: &mut Engine, index: IndexId, key: *const u64) -> *const Bucket {
    let (engine, program) = parts(engine);
    // SAFETY: the key has a word for each slot of the index.
    let key = unsafe { slots(key, program.indices[index].slots.len()) };
    engine.marking.bucket_of(index, key)
}

/// The seats in a bucket.
unsafe extern "C" fn seats(engine: &mut Engine, index: IndexId, bucket: *const Bucket) -> *const u32 {
    // SAFETY: the bucket is one of the index, or an empty one.
    let bucket = unsafe { &*bucket };
    engine.marking.seats_in(index, bucket).as_ptr()
}

/// A token, still in its place, leaves indices and joins.
extern "C" fn leave(engine: &mut Engine, place: PlaceId, position: u64) {
    let (engine, program) = parts(engine);
    let before = engine.marking.places[place].tokens as usize;
    engine.marking.leave(program, &mut engine.enabling, place, position as usize, before);
}

/// A token that has arrived in a seat is entered in indices and joins.
unsafe extern "C" fn enter(engine: &mut Engine, place: PlaceId, token: *const u64, seat: u64) {
    let (engine, program) = parts(engine);
    // SAFETY: the token has as many slots as its place says.
    let token = unsafe { slots(token, program.places[place].width) };
    engine.marking.enter(program, &mut engine.enabling, place, token, seat as usize);
}

/// A token, still in its seat of a bag, leaves an index.
extern "C" fn leave_index(engine: &mut Engine, index: IndexId, seat: u32) {
    let (engine, program) = parts(engine);
    engine.marking.leave_index(program, &mut engine.enabling, index, seat);
}

/// A token of a group comes to the end of the bag of an index.
extern "C" fn enter_index(engine: &mut Engine, index: IndexId, group: u32) {
    let (engine, program) = parts(engine);
    engine.marking.enter_index(program, &mut engine.enabling, index, group);
}

/// A token, still in its seat of a bag, leaves the join whose pivot the bag is.
extern "C" fn leave_pivot(engine: &mut Engine, join: JoinId, seat: u32) {
    engine.marking.leave_pivot(&mut engine.enabling, join, seat);
}

extern "C" fn enter_pivot(engine: &mut Engine, join: JoinId, group: u32) {
    engine.marking.enter_pivot(&mut engine.enabling, join, group);
}

/// The number of tokens in a group has changed.
extern "C" fn weigh(engine: &mut Engine, index: IndexId, group: u32, before: u64, after: u64) {
    let (engine, program) = parts(engine);
    let (index, before, after) = (index, before as usize, after as usize);
    engine.marking.weigh(program, &mut engine.enabling, index, group, before, after);
}

/// The weight of a seat of a join has changed.
extern "C" fn note(engine: &mut Engine, join: JoinId, seat: u32, before: u64, after: u64) {
    engine.marking.joins[join].note(seat, before, after);
}

/// Removes a token from its store.
extern "C" fn remove(engine: &mut Engine, place: PlaceId, position: u64) {
    let state = &mut engine.marking.places[place];
    engine.marking.stores[place].remove(&mut state.ring, position as usize, state.tokens as usize);
}

/// Takes a token from a place with lines, by its seat in the front.
extern "C" fn take_first(engine: &mut Engine, front: PlaceId, seat: u64) {
    let (engine, program) = parts(engine);
    if let Some(lines) = program.places[front].fronts {
        engine.take_first(program, lines, seat);
        // The code has counted what the firing takes.
        engine.marking.total += 1;
    }
}

/// A token joins its line, a queue. Returns whether the front is to show it, as its last token.
unsafe extern "C" fn line_up(engine: &mut Engine, place: PlaceId, token: *const u64, reserved: u64) -> u64 {
    let (engine, program) = parts(engine);
    let target = &program.places[place];
    let Some(lines) = target.lines else { return 0 };
    // SAFETY: the token has as many slots as its place says.
    let token = unsafe { slots(token, target.width) };
    let lines = &mut engine.marking.lines[lines];
    match lines.arrives(token, Rank::default(), reserved != 0 && target.capacity.is_some()) {
        Arrived::First(line) => {
            lines.show(line);
            1
        }
        _ => 0,
    }
}

/// The token that a front shows in a seat leaves its line. Returns where the next one is, if there is one: the front is to show
/// it as its last token.
extern "C" fn step_up(engine: &mut Engine, front: PlaceId, seat: u32) -> *const u64 {
    let (engine, program) = parts(engine);
    let Some(lines) = program.places[front].fronts else { return null() };
    let lines = &mut engine.marking.lines[lines];
    match lines.leaves(seat) {
        Some(line) => {
            lines.show(line);
            lines.shown(line).as_ptr()
        }
        None => null(),
    }
}

/// Adds a token to the store of a keyed place, or to its line. Its key raised no fault when the firing started.
unsafe extern "C" fn push(engine: &mut Engine, place: PlaceId, token: *const u64, reserved: u64) {
    let (engine, program) = parts(engine);
    let target = &program.places[place];
    // SAFETY: the token has as many slots as its place says.
    let token = unsafe { slots(token, target.width) };
    let rank = target.key.as_ref().map(|key| engine.marking.rank(key, token).unwrap_or_default()).unwrap_or_default();
    if let Some(lines) = target.lines {
        engine.line_up(program, lines, token, reserved != 0, |engine| {
            engine.marking.line_up(program, &mut engine.enabling, lines, token, rank, engine.now);
        });
        return;
    }
    let state = &mut engine.marking.places[place];
    engine.marking.stores[place].push(&mut state.ring, token, rank, state.tokens as usize);
    if target.identified {
        engine.marking.identities.arrives(place, rank);
    }
}

/// Makes room in the store of a place that is full.
extern "C" fn grow(engine: &mut Engine, place: PlaceId) {
    let state = &mut engine.marking.places[place];
    engine.marking.stores[place].grow(&mut state.ring, state.tokens as usize);
}

/// Makes room for one token more in the lines of a place.
extern "C" fn lengthen_lines(engine: &mut Engine, place: PlaceId) {
    let (engine, program) = parts(engine);
    if let Some(lines) = program.places[place].lines {
        engine.marking.lines[lines].lengthen();
    }
}

/// Empties a place.
extern "C" fn reset(engine: &mut Engine, place: PlaceId) {
    let (engine, program) = parts(engine);
    engine.reset(program, place);
}

/// Finds the sets of a binding, whose tokens are in `scratch.chosen`, and gives their variables values.
extern "C" fn find_sets(engine: &mut Engine, transition: TransitionId) -> u64 {
    let (engine, program) = parts(engine);
    general(engine.find_sets(program, &program.transitions[transition]))
}

/// The tokens of sets leave, when the binding has taken its own.
extern "C" fn take_sets(engine: &mut Engine, transition: TransitionId) {
    let (engine, program) = parts(engine);
    leave_counted(engine, |engine| engine.take_sets(program, &program.transitions[transition]));
}

/// The tokens of one set leave.
extern "C" fn take_set(engine: &mut Engine, transition: TransitionId, set: u64) {
    let (engine, program) = parts(engine);
    leave_counted(engine, |engine| engine.take_set(program, &program.transitions[transition], set as usize));
}

/// Lets tokens leave that the code has taken off the total already, so that there may be fewer in it than leave.
fn leave_counted(engine: &mut Engine, leave: impl FnOnce(&mut Engine)) {
    let total = std::mem::replace(&mut engine.marking.total, u64::MAX);
    leave(engine);
    engine.marking.total = total;
}

/// Room for what a set may find among some candidates. Returns where their positions go; `value` is where their slots do.
extern "C" fn open_set(engine: &mut Engine, transition: TransitionId, set: u64, candidates: u64) -> *mut u64 {
    let (engine, program) = parts(engine);
    let plan = &program.transitions[transition];
    let width = program.places[plan.sets[set as usize].place].width;
    let found = engine.open_set(plan, set as usize, candidates as usize, width);
    let (positions, words) = (found.positions.as_mut_ptr(), found.words.as_mut_ptr());
    engine.value = words as u64;
    positions
}

/// Machine code has found `count` tokens of a set.
extern "C" fn close_set(engine: &mut Engine, transition: TransitionId, set: u64, count: u64) {
    let (engine, program) = parts(engine);
    engine.close_set(program, &program.transitions[transition], set as usize, count);
}

/// Where the words of a loose bundle go.
extern "C" fn open_bundle(engine: &mut Engine, number: u64, words: u64) -> *mut u64 {
    engine.bundles.open(number, words as usize)
}

/// Where the words of a bundle are.
extern "C" fn words_of_bundle(engine: &mut Engine, number: u64) -> *const u64 {
    engine.bundles.words(number).as_ptr()
}

/// The tokens of a held bundle have arrived.
extern "C" fn free_bundle(engine: &mut Engine, number: u64) {
    let words = engine.bundles.take(number);
    engine.bundles.put_back(number, words);
}

/// The tokens that an output gives to a place, one for each of a set, come into its loose bundle.
extern "C" fn bundle(engine: &mut Engine, transition: TransitionId, output: u64, place: PlaceId, end: Ticks) -> u64 {
    let (engine, program) = parts(engine);
    general(engine.bundle(program, &program.transitions[transition], output as usize, place, end))
}

/// The number of a held bundle with the tokens of a loose one.
extern "C" fn hold_bundle(engine: &mut Engine, loose: u64) -> u64 {
    engine.bundles.hold(loose)
}

/// The tokens of a bundle arrive.
extern "C" fn put_bundle(
    engine: &mut Engine,
    transition: TransitionId,
    place: PlaceId,
    number: u64,
    reserved: u64,
) -> u64 {
    let (engine, program) = parts(engine);
    let plan = &program.transitions[transition];
    let outcome = engine.put_bundle(program, plan, place, number, reserved != 0);
    engine.held(outcome)
}

/// Tokens arrive in a place that is known only now, or several at once.
unsafe extern "C" fn deposit(
    engine: &mut Engine,
    place: PlaceId,
    count: u64,
    token: *const u64,
    transition: TransitionId,
    reserved: u64,
) -> u64 {
    let (engine, program) = parts(engine);
    // SAFETY: the token has as many slots as its place says.
    let token = unsafe { slots(token, program.places[place].width) };
    let plan = &program.transitions[transition];
    let outcome = engine.put(program, plan, place, count, token, reserved != 0);
    engine.held(outcome)
}

/// The tokens of an output with a delay are on the way.
unsafe extern "C" fn deliver(
    engine: &mut Engine,
    delivery: TransitionId,
    arrival: Ticks,
    part: u64,
    words: *const u64,
) {
    let (engine, program) = parts(engine);
    // SAFETY: the code has written as many words as the delivery holds.
    let words = unsafe { slots(words, program.transitions[delivery].held) };
    engine.deliver(program, delivery, arrival, part, words);
}

/// Keeps room for tokens of one value in a place that is known only now, or in one of its lines.
unsafe extern "C" fn reserve(engine: &mut Engine, place: PlaceId, count: u64, token: *const u64) {
    let (engine, program) = parts(engine);
    // SAFETY: the token has as many slots as its place says.
    let token = unsafe { slots(token, program.places[place].width) };
    engine.reserve_for(program, place, count, token);
}

/// A gauge that many transitions watch has changed.
extern "C" fn moved(engine: &mut Engine, gauge: GaugeId, old: u64, new: u64) {
    let (engine, program) = parts(engine);
    engine.enabling.moved(program, gauge, old, new);
}

/// A transition becomes enabled, or stops being enabled.
extern "C" fn set_enabled(engine: &mut Engine, transition: TransitionId, enabled: u64) {
    engine.enabling.set(transition, enabled != 0);
}

/// Memory for one more firing in progress.
extern "C" fn make_room(engine: &mut Engine) {
    engine.agenda.make_room();
}

/// Notes whether another firing ends at the time of the one that has left a slot.
extern "C" fn look_beside(engine: &mut Engine, slot: u64) {
    engine.agenda.tournament.look_beside(slot as usize, engine.now);
}

/// Memory for one more firing in the lane of a transition.
extern "C" fn lengthen(engine: &mut Engine, transition: TransitionId) {
    let (engine, program) = parts(engine);
    let lane = program.transitions[transition].lane;
    engine.agenda.lanes[lane as usize].make_room();
}

/// Plays the matches of a slot.
extern "C" fn play(engine: &mut Engine, slot: u64, number: u64, time: Ticks) {
    engine.agenda.tournament.succeed(slot as usize, time, number);
}

// ------------------------------------------------------------ the loop

/// Looks again at transitions. Returns 0 if that has failed.
unsafe extern "C" fn look(engine: &mut Engine) -> u64 {
    let (engine, program) = parts(engine);
    // SAFETY: the engine keeps the code that runs it.
    let code = engine.code.as_deref().map(|code| unsafe { &*from_ref(code) });
    let outcome = engine.look(program, code);
    engine.fine(outcome)
}

/// Chooses one of the enabled transitions of a priority.
extern "C" fn pick(engine: &mut Engine, level: u64) -> u64 {
    let (engine, program) = parts(engine);
    match engine.choose_transition(program, level as usize) {
        Ok(transition) => u64::from(transition.0),
        Err(error) => {
            engine.error = Some(*error);
            NO_TRANSITION
        }
    }
}

/// A transition with a part in the common clock fires.
extern "C" fn part_fired(engine: &mut Engine, transition: TransitionId, number: u64) {
    engine.part_fired(transition, number as usize);
}

/// A transition with a clock fires: the clock is over.
extern "C" fn fired(engine: &mut Engine, transition: TransitionId) {
    let (engine, program) = parts(engine);
    engine.note_race(program, transition);
}

/// Ends a firing of a transition that has no code.
unsafe extern "C" fn finish(engine: &mut Engine, transition: TransitionId, record: *const u64) -> u64 {
    let (engine, program) = parts(engine);
    // SAFETY: the record is that of a firing of the transition.
    let outcome = unsafe { engine.end(program, transition, record) };
    engine.held(outcome)
}

/// Rows arrive in the places of streams. Returns 0 if that has failed, or the next block is needed first.
extern "C" fn refill(engine: &mut Engine) -> u64 {
    let (engine, program) = parts(engine);
    match engine.refill(program) {
        Ok(known) => u64::from(known),
        Err(error) => engine.fine(Err(error)),
    }
}

/// The instant is over, and measures watch the marking. Returns 0 if that has failed, or the run stops for what was put out.
extern "C" fn read_marking(engine: &mut Engine) -> u64 {
    let (engine, program) = parts(engine);
    match engine.read_marking(program) {
        Ok(goes_on) => u64::from(goes_on),
        Err(error) => engine.fine(Err(error)),
    }
}

/// The instant is over, and transitions race.
extern "C" fn pass_races(engine: &mut Engine, until: Ticks) -> u64 {
    let (engine, program) = parts(engine);
    match engine.pass_races(program, until) {
        Ok(next) => next,
        Err(error) => {
            engine.error = Some(*error);
            STOPPED
        }
    }
}

/// The instant is over, and transitions race: clocks are looked at. Returns 0 if that has failed.
extern "C" fn settle(engine: &mut Engine) -> u64 {
    let (engine, program) = parts(engine);
    let outcome = engine.settle(program);
    engine.fine(outcome)
}

/// `after` now, for a time that is not short.
extern "C" fn later(engine: &mut Engine, time: f64) -> Ticks {
    after(engine.now, time)
}

extern "C" fn rests(engine: &mut Engine) {
    engine.rests();
}

extern "C" fn rings(engine: &mut Engine) {
    engine.rings();
}

extern "C" fn is_due(engine: &mut Engine, transition: TransitionId) {
    engine.is_due(transition);
}

/// Returns 0 if it has failed.
extern "C" fn settle_fired(engine: &mut Engine, transition: TransitionId) -> u64 {
    let (engine, program) = parts(engine);
    let outcome = engine.settle_fired(program, transition);
    engine.fine(outcome)
}

/// The time has moved.
extern "C" fn touch_clocked(engine: &mut Engine) {
    let (engine, program) = parts(engine);
    engine.set_time(program, engine.now);
}

/// Brings two records to the cache.
extern "C" fn fetch_both(one: *const u8, other: *const u8) {
    fetch(one);
    fetch(other);
}

/// Brings memory to the cache for a token of a group that is about to arrive in the place of an index.
extern "C" fn fetch_waiting(engine: &mut Engine, index: IndexId, group: u32) {
    engine.marking.fetch_waiting(index, group);
}

/// Brings memory to the cache for firings that will end soon.
extern "C" fn prefetch(engine: &mut Engine) {
    let (engine, program) = parts(engine);
    engine.prefetch(program);
}
