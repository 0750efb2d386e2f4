//! The Python module `petri._native`: the engine behind two classes. `petri/engine/native.py` gives them the
//! interface of the reference engine; nothing else imports this module.
//!
//! Arrays cross as bytes of native 64-bit numbers, which numpy reads without copying. A fault crosses as data.

mod arrays;
mod ensemble;
mod episodes;
mod exact;
mod pages;
mod reading;
mod recordings;
mod snapshot;
mod trials;

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Arc;

use engine::base::cores;
use engine::base::fault::{Detail, Fault, LoadError, Loaded};
use engine::base::ids::{PlaceId, SpanId, TransitionId};
use engine::base::long_stack::on_long_stack;
use engine::base::saved::Unfit;
use engine::base::ticks::{Ticks, HORIZON, NEVER};
use engine::engine::limits::{Compile, Limits, RunError};
use engine::engine::run::{Engine, Reason};
use engine::net::check::DEEPEST;
use engine::net::{FileNumber, Kind, Net, Span};
use engine::observe::observers::ExtraObservers;
use engine::program::transition::MOST_HELD;
use engine::program::without::Without;
use engine::session::clock_states::{clock_states, ClockState};
use engine::session::compiled::{Choice, Compiled, Interpreted, Speed, WhyPlace, WhySearch};
use engine::session::observed::Observed;
use engine::session::replication::Replication;
use pyo3::exceptions::{PyOverflowError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PyTuple};

use crate::arrays::words;
use crate::snapshot::Snapshot;

/// A function of a transition: name, numbers, intermediate representation, and assembly.
type Listed = (&'static str, [usize; 5], String, String);

#[global_allocator]
static MEMORY: pages::Pages = pages::Pages;

/// The environment variable that names optimisations to do without, with commas between them. For tests.
const WITHOUT: &str = "PNSIM_WITHOUT";

/// Places and transitions. Beyond, a net is large: memory matters more than the time to get it again (`LARGE_NET` in
/// `petri/run/replications.py`).
const LARGE: usize = 5_000;

/// A net compiled for running. Sessions on any number of threads may share it.
#[pyclass(frozen, module = "petri._native")]
struct Program {
    compiled: Arc<Compiled>,
    /// The files that its spans point into, by number.
    #[pyo3(get)]
    files: Vec<String>,
}

#[pymethods]
impl Program {
    /// lanes: whether firings of one constant time end in the order in which they start. trials: whether `Trials` run it. Raises
    /// ValueError for an object that is not a flat net, or one that cannot be run.
    #[new]
    #[pyo3(signature = (net, lanes=true, trials=false))]
    fn new(py: Python<'_>, net: &Bound<'_, PyAny>, lanes: bool, trials: bool) -> PyResult<Self> {
        if is_large(net) {
            pages::spare_memory();
        }
        let compile = |(net, files): (Net, Vec<String>)| -> Loaded<Program> {
            let mut without = Without::of(&std::env::var(WITHOUT).unwrap_or_default())?;
            without.lanes |= !lanes;
            let compile = if trials { Compiled::for_trials } else { Compiled::without };
            Ok(Program { compiled: Arc::new(compile(net, without)?), files })
        };
        let loaded = match reading::read(net, reading::SHALLOW) {
            Err(failure) if failure.is_too_deep() => {
                let net = net.clone().unbind();
                let read = || Python::attach(|py| reading::read(net.bind(py), DEEPEST));
                py.detach(|| on_long_stack(|| compile(read()?)))
            }
            Err(failure) => Ok(Err(failure.into())),
            // On this thread, the program gets the memory that the net leaves.
            Ok(read) => Ok(py.detach(|| compile(read))),
        };
        let loaded = loaded.map_err(LoadError::from).flatten();
        loaded.map_err(|error| PyValueError::new_err(error.to_string()))
    }

    /// How each transition is run: how its bindings are found; the input arcs whose tokens it looks through at nearly every
    /// firing, and whether through all combinations of them; what is interpreted, with its place or output arc.
    fn speed(&self) -> Vec<SpeedParts> {
        self.compiled.speed().map(speed_parts).collect()
    }
}

/// Whether a flat net has many places and transitions.
fn is_large(net: &Bound<'_, PyAny>) -> bool {
    let number = |name| net.getattr(name).and_then(|all| all.len()).unwrap_or(0);
    number("places") + number("transitions") > LARGE
}

type SpeedParts = (&'static str, Option<(Vec<usize>, bool)>, Vec<(&'static str, usize)>);

fn speed_parts(speed: Speed) -> SpeedParts {
    let choice = match speed.choice {
        Choice::One => "one",
        Choice::Any => "any",
        Choice::Counted => "counted",
        Choice::Ranked => "ranked",
        Choice::Searched => "searched",
    };
    let interpreted = |of: Interpreted| match of {
        Interpreted::Search(WhySearch::Clocks) => ("clocks", 0),
        Interpreted::Search(WhySearch::Queue(place)) => ("queue", place.at()),
        Interpreted::Place(place, WhyPlace::Weight) => ("weight", place.at()),
        Interpreted::Place(place, WhyPlace::Key) => ("key", place.at()),
        Interpreted::Place(place, WhyPlace::Ranges) => ("ranges", place.at()),
        Interpreted::Loops => ("loops", 0),
    };
    let looks = speed.looks.map(|looks| (looks.arcs, looks.combined));
    (choice, looks, speed.interpreted.into_iter().map(interpreted).collect())
}

/// Asks sessions on other threads to end long searches for bindings.
#[pyclass(frozen, module = "petri._native")]
struct Stop(Arc<AtomicU64>);

#[pymethods]
impl Stop {
    #[new]
    fn new() -> Self {
        Stop(Arc::default())
    }

    fn set(&self) {
        self.0.store(1, Ordering::Relaxed);
    }
}

/// One replication under way.
#[pyclass(module = "petri._native")]
struct Session {
    /// Empty when the initial marking raised a fault.
    replication: Option<Replication>,
    fault: Option<Fault>,
    program: Arc<engine::program::Program>,
}

/// Limits on firings at one instant and on tokens; and the number of firings after which machine code is made, if not when it pays.
type LimitParts = (u64, u64, Option<u64>);

fn limits_of((firings_at_an_instant, tokens, compile_after): LimitParts) -> Limits {
    let compile = compile_after.map_or(Compile::WhenItPays, Compile::After);
    Limits { firings_at_an_instant, tokens: tokens.min(MOST_HELD), compile }
}

type SpanParts = (u32, u32, u32, u32, u32);
/// A fault: its id, its span, its details.
type Told<'py> = (String, Option<SpanParts>, Bound<'py, PyDict>);

/// A clock, as `petri.engine.interface.ClockState` has it.
type ClockParts<'py> = (u32, Bound<'py, PyTuple>, u128, f64, Option<f64>, Option<f64>);

#[pymethods]
impl Session {
    /// Once `stop` is set, the initial marking and searches for bindings end with the fault "stopped".
    ///
    /// `start` is a state to go on from: `petri.engine.checkpoint.SavedEngine` as MessagePack. Raises ValueError where it is not
    /// one of the net, and OverflowError where the program was compiled for fewer tokens, or others.
    #[new]
    #[pyo3(signature = (program, seed, limits, trace, levels, stop=None, start=None))]
    #[allow(clippy::too_many_arguments)]
    fn new(
        py: Python<'_>,
        program: &Program,
        seed: (u64, u64, u64),
        limits: LimitParts,
        trace: bool,
        levels: bool,
        stop: Option<&Stop>,
        start: Option<&[u8]>,
    ) -> PyResult<Self> {
        let limits = limits_of(limits);
        let compiled = Arc::clone(&program.compiled);
        let program = Arc::clone(&compiled.program);
        let (seed, extra) = ([seed.0, seed.1, seed.2], ExtraObservers { trace, levels });
        let stop = stop.map(|stop| Arc::clone(&stop.0)).unwrap_or_default();
        let begun = match start {
            None => py.detach(|| Replication::new(compiled, seed, limits, extra, stop)),
            Some(state) => {
                let saved = rmp_serde::from_slice(state).map_err(|error| PyValueError::new_err(error.to_string()))?;
                match py.detach(|| Replication::resume(compiled, &saved, limits, extra, stop)) {
                    Ok(replication) => Ok(replication),
                    Err(Unfit::Wrong(wrong)) => return Err(PyValueError::new_err(wrong)),
                    Err(Unfit::Beyond) => return Err(PyOverflowError::new_err("compiled for other tokens")),
                    Err(Unfit::Stopped) => Err(Fault::new("stopped", SpanId::NONE)),
                }
            }
        };
        let (replication, fault) = match begun {
            Ok(replication) => (Some(replication), None),
            Err(fault) => (None, Some(*fault)),
        };
        Ok(Session { replication, fault, program })
    }

    #[getter]
    fn now(&self) -> PyResult<f64> {
        Ok(self.engine()?.now as f64)
    }

    #[getter]
    fn firings(&self) -> PyResult<u64> {
        Ok(self.engine()?.firings)
    }

    #[getter]
    fn hash(&self) -> PyResult<u64> {
        Ok(self.engine()?.hash.0)
    }

    #[getter]
    fn drew(&self) -> PyResult<bool> {
        Ok(self.engine()?.drew())
    }

    /// Runs up to a whole number of ticks, without the interpreter's lock. Returns the name of the reason.
    fn advance(&mut self, py: Python<'_>, until: f64, firings: u64) -> PyResult<&'static str> {
        let replication = self.replication.as_mut().ok_or_else(unbegun)?;
        let reason = py.detach(|| replication.advance(until.clamp(0.0, NEVER as f64) as Ticks, firings));
        Ok(reason_name(reason))
    }

    /// The place that waits for rows, after `advance` returned "input".
    #[getter]
    fn wanted(&self) -> PyResult<Option<u32>> {
        Ok(self.engine()?.streams.wanted.map(|place| place.0))
    }

    /// The next rows of a place as native 64-bit words, slot after slot; none are the end. Those of a port begin with the
    /// instant, a float. Raises ValueError for what are not whole rows, and for an instant that has passed, or a value
    /// outside the place's colour set: the engine relies on these.
    fn feed(&mut self, place: u32, block: &[u8]) -> PyResult<()> {
        feed(self.engine_mut()?, place, block)
    }

    /// A token is to come into a port at an instant. Raises ValueError where the place is no port in, the token is none of
    /// its colour, or the instant has passed.
    fn put(&mut self, place: u32, time: f64, token: &[u8]) -> PyResult<()> {
        let words = words_of(token);
        let port = PlaceId(place);
        if !self.program.inputs.contains(&port) || !self.program.places[port].may_have(&words) {
            return Err(PyValueError::new_err("the token is none of a port in"));
        }
        let engine = self.engine_mut()?;
        if !(engine.now as f64..=HORIZON as f64).contains(&time) {
            return Err(PyValueError::new_err("the instant has passed"));
        }
        engine.streams.arrivals.put(port, time as Ticks, &words);
        Ok(())
    }

    /// Keeps from now on what leaves through ports out. stops: `advance` returns "output" once something has.
    fn keep_outputs(&mut self, stops: bool) -> PyResult<()> {
        let program = Arc::clone(&self.program);
        self.engine_mut()?.outputs.keep(&program, stops);
        Ok(())
    }

    /// What has left through the port out of a place since the last call, as 64-bit words: the instant and the slots of each token.
    fn outputs<'py>(&mut self, py: Python<'py>, place: u32) -> PyResult<Bound<'py, PyBytes>> {
        let number = self.program.outputs.iter().position(|one| one.0 == place);
        let engine = self.engine_mut()?;
        let kept = number.and_then(|number| engine.outputs.kept.get_mut(number)).map(std::mem::take);
        words(py, &kept.unwrap_or_default(), |word| word.to_ne_bytes())
    }

    /// What may be decided after `advance` returned "decision": transitions, and the values of their variables.
    fn choices<'py>(&mut self, py: Python<'py>) -> PyResult<Vec<(u32, Bound<'py, PyTuple>)>> {
        let mut found = Vec::new();
        self.engine_mut()?.decidable(|transition, values| found.push((transition, values.to_vec())));
        let told = |(transition, values): (TransitionId, Vec<u64>)| {
            let variables = self.program.transitions[transition].variables.iter();
            let reals: Vec<bool> = variables.map(|variable| variable.kind == Kind::Real).collect();
            Ok((transition.0, scalars(py, &values, &reals)?))
        };
        found.into_iter().map(told).collect()
    }

    /// One of them fires. wanted: variables and their values as 64-bit words. False where there is none such.
    fn decide(&mut self, transition: u32, wanted: Vec<(usize, u64)>) -> PyResult<bool> {
        let engine = self.engine_mut()?;
        Ok((transition as usize) < engine.program.own && engine.decide(TransitionId(transition), &wanted))
    }

    /// Nothing more is decided at this instant.
    fn pass_over(&mut self) -> PyResult<()> {
        self.engine_mut()?.pass_over();
        Ok(())
    }

    /// Time passes up to a whole number of ticks, after `advance` returned "dead".
    fn rest(&mut self, until: f64) -> PyResult<()> {
        self.engine_mut()?.rest(until.clamp(0.0, NEVER as f64) as Ticks);
        Ok(())
    }

    fn begin_window(&mut self) -> PyResult<()> {
        self.engine_mut()?.begin_window();
        Ok(())
    }

    /// The state, after `advance` has returned "until" or "dead", as `start` of another session.
    fn save<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let saved = self.engine_mut()?.save();
        let packed = py.detach(|| rmp_serde::to_vec(&saved));
        Ok(PyBytes::new(py, &packed.map_err(|error| PyValueError::new_err(error.to_string()))?))
    }

    /// For tests: whether the replication has run machine code.
    #[getter]
    fn ran_code(&self) -> PyResult<bool> {
        Ok(self.running()?.ran_code())
    }

    /// For tests: how many transitions share the machine code of another. Raises ValueError where one would have other code
    /// by itself.
    fn verify_shapes(&self, py: Python<'_>) -> PyResult<usize> {
        let replication = self.running()?;
        py.detach(|| replication.verify_shapes()).map_err(PyValueError::new_err)
    }

    /// For people: the functions of a transition as (name, numbers of loads, stores, branches, calls and bytes, intermediate
    /// representation, assembly). Empty where there is no machine code.
    fn listings(&self, py: Python<'_>, transition: u32) -> PyResult<Vec<Listed>> {
        if transition as usize >= self.program.transitions.len() {
            return Err(PyValueError::new_err("there is no such transition"));
        }
        let replication = self.running()?;
        let listings = py.detach(|| replication.listings(TransitionId(transition))).unwrap_or_default();
        Ok(listings.into_iter().map(|of| (of.name, of.counts.all(), of.code, of.assembly)).collect())
    }

    /// The statistics up to now; or up to an instant behind it, before which nothing happens.
    #[pyo3(signature = (until=None))]
    fn observe(&mut self, until: Option<f64>) -> PyResult<Snapshot> {
        let engine = self.engine_mut()?;
        let now = engine.now;
        engine.now = until.map_or(now, |until| now.max(until as Ticks));
        let observed = Observed::of(engine);
        engine.now = now;
        Ok(Snapshot(observed))
    }

    /// When something will happen next, once an instant is over.
    #[getter]
    fn next_event(&mut self) -> PyResult<f64> {
        let engine = self.engine_mut()?;
        Ok(engine.next_end().min(engine.streams.arrivals.next()) as f64)
    }

    /// Another session in the same state; this one's `stop` ends it, too. Not for a net with streams.
    fn copied(&self) -> PyResult<Self> {
        let replication = self.running()?.copied().map_err(|_| unbegun())?;
        Ok(Session { replication: Some(replication), fault: None, program: Arc::clone(&self.program) })
    }

    /// The clocks: (transition, the coloured tokens of the binding, number, end, time to which it was set, what it has to run).
    fn clocks<'py>(&self, py: Python<'py>) -> PyResult<Vec<ClockParts<'py>>> {
        let tell = |clock: ClockState| {
            let ClockState { transition, tokens, clocks, ends, time, left } = clock;
            let tokens = tokens.iter().map(|(place, token)| {
                let reals: Vec<bool> = self.program.places[*place].bounds.iter().map(|bound| bound.real).collect();
                scalars(py, token, &reals)
            });
            let tokens = PyTuple::new(py, tokens.collect::<PyResult<Vec<_>>>()?)?;
            Ok((transition.0, tokens, clocks, ends, time, left))
        };
        clock_states(self.engine()?).into_iter().map(tell).collect()
    }

    /// The time at each number of tokens, place after place, as bytes; empty when it was not asked for.
    fn levels<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        words(py, &self.running()?.levels(), |time| (*time as f64).to_ne_bytes())
    }

    /// The tokens of each place, by seat in a bag, else in order of arrival: their words as bytes, slot after slot, or of
    /// a black place their number.
    fn marking<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let marking = &self.engine()?.marking;
        let rows = PyList::empty(py);
        for (i, place) in self.program.places.iter().take(self.program.own_places).enumerate() {
            if place.width == 0 {
                rows.append(marking.places[PlaceId(i as u32)].tokens)?;
            } else {
                let row = marking.listed(&self.program, PlaceId(i as u32)).concat();
                rows.append(words(py, &row, |word| word.to_ne_bytes())?)?;
            }
        }
        Ok(rows)
    }

    /// The firings since the last call, as bytes: starts, ends, transitions, and the variables of one firing after the
    /// other.
    fn trace<'py>(&mut self, py: Python<'py>) -> PyResult<[Bound<'py, PyBytes>; 4]> {
        let trace = self.engine_mut()?.observers.take_trace();
        Ok([
            words(py, &trace.starts, |start| (*start as f64).to_ne_bytes())?,
            words(py, &trace.ends, |end| (*end as f64).to_ne_bytes())?,
            words(py, &trace.transitions, |transition| u64::from(transition.0).to_ne_bytes())?,
            words(py, &trace.variables, |variable| variable.to_ne_bytes())?,
        ])
    }

    /// Why the run stopped: (id, span, details, transition, variables, time), or None.
    #[getter]
    fn error<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyTuple>>> {
        error_parts(py, self.engine()?, &self.program)
    }

    /// The fault of a key of the initial marking: (id, span, details). There is no replication then.
    #[getter]
    fn initial_fault<'py>(&self, py: Python<'py>) -> PyResult<Option<Told<'py>>> {
        self.fault.as_ref().map(|fault| told(py, fault, &self.program.spans)).transpose()
    }
}

fn reason_name(reason: Reason) -> &'static str {
    match reason {
        Reason::Until => "until",
        Reason::Dead => "dead",
        Reason::Budget => "budget",
        Reason::Input => "input",
        Reason::Output => "output",
        Reason::Decision => "decision",
        Reason::Error => "error",
    }
}

fn words_of(bytes: &[u8]) -> Vec<u64> {
    let word = |bytes: &[u8]| u64::from_ne_bytes(bytes.try_into().unwrap_or_default());
    bytes.chunks_exact(8).map(word).collect()
}

/// The next rows of a place: see `Session::feed`.
fn feed(engine: &mut Engine, place: u32, block: &[u8]) -> PyResult<()> {
    let program = Arc::clone(&engine.program);
    let timed = usize::from(program.fed.contains(&PlaceId(place)));
    let row = |width: usize| width + timed;
    let whole = program.places.get(place as usize);
    let whole = whole.filter(|p| row(p.width) > 0 && block.len().is_multiple_of(8 * row(p.width)));
    let of_place = whole.ok_or_else(|| PyValueError::new_err("a block must be whole rows of a coloured place"))?;
    let words = words_of(block);
    let mut rows = words.chunks_exact(row(of_place.width));
    let mut last = engine.now as f64;
    let times_rise = rows.clone().filter_map(|row| row[..timed].first()).all(|&word| {
        let before = std::mem::replace(&mut last, f64::from_bits(word));
        before <= last && last <= HORIZON as f64
    });
    if !times_rise {
        return Err(PyValueError::new_err(format!("the times of a block of `{}` do not rise", of_place.name)));
    }
    if !rows.all(|row| of_place.may_have(&row[timed..])) {
        return Err(PyValueError::new_err(format!("a row is not of the colour of `{}`", of_place.name)));
    }
    engine.streams.feed(PlaceId(place), words);
    Ok(())
}

fn unbegun() -> PyErr {
    PyValueError::new_err("the initial marking raised a fault")
}

impl Session {
    fn running(&self) -> PyResult<&Replication> {
        self.replication.as_ref().ok_or_else(unbegun)
    }

    fn engine(&self) -> PyResult<&Engine> {
        self.running().map(|replication| &*replication.engine)
    }

    fn engine_mut(&mut self) -> PyResult<&mut Engine> {
        self.replication.as_mut().map(|replication| &mut *replication.engine).ok_or_else(unbegun)
    }
}

/// Why an engine stopped: (id, span, details, transition, variables, time), or None.
fn error_parts<'py>(
    py: Python<'py>,
    engine: &Engine,
    program: &engine::program::Program,
) -> PyResult<Option<Bound<'py, PyTuple>>> {
    engine.error.as_ref().map(|error| failure_parts(py, error, program)).transpose()
}

/// The same of an error.
fn failure_parts<'py>(
    py: Python<'py>,
    error: &RunError,
    program: &engine::program::Program,
) -> PyResult<Bound<'py, PyTuple>> {
    let RunError { fault, transition, variables, time } = error;
    let variables_of = program.transitions[*transition].variables.iter();
    let kinds: Vec<bool> = variables_of.map(|variable| variable.kind == Kind::Real).collect();
    let (id, span, details) = told(py, fault, &program.spans)?;
    let error = (id, span, details, transition.0, scalars(py, variables, &kinds)?, *time as f64);
    error.into_pyobject(py)
}

/// A fault as data.
fn told<'py>(py: Python<'py>, fault: &Fault, spans: &[Span]) -> PyResult<Told<'py>> {
    let details = PyDict::new(py);
    for (name, detail) in &fault.details {
        match detail {
            Detail::Int(value) => details.set_item(name, value)?,
            Detail::Real(value) => details.set_item(name, value)?,
            Detail::Text(text) => details.set_item(name, text)?,
            Detail::Names(names) => details.set_item(name, names)?,
        }
    }
    let span = (fault.span != SpanId::NONE).then(|| spans[fault.span.at()]);
    let parts = span.map(|Span { file: FileNumber(file), line, column, end_line, end_column }| {
        (file, line, column, end_line, end_column)
    });
    Ok((fault.id.to_owned(), parts, details))
}

/// A token or the variables of a firing.
fn scalars<'py>(py: Python<'py>, words: &[u64], reals: &[bool]) -> PyResult<Bound<'py, PyTuple>> {
    let values = words.iter().zip(reals).map(|(&word, &real)| {
        Ok(if real {
            f64::from_bits(word).into_pyobject(py)?.into_any()
        } else {
            (word as i64).into_pyobject(py)?.into_any()
        })
    });
    PyTuple::new(py, values.collect::<PyResult<Vec<_>>>()?)
}

/// For tests: whether a core is free on which machine code is made, whatever the machine does; None to look at it.
#[pyfunction]
#[pyo3(signature = (free))]
fn assume_free_core(free: Option<bool>) {
    cores::assume_free_core(free);
}

#[pymodule]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Program>()?;
    module.add_function(wrap_pyfunction!(assume_free_core, module)?)?;
    module.add_class::<ensemble::Ensemble>()?;
    module.add_class::<episodes::Episodes>()?;
    module.add_class::<exact::Explored>()?;
    module.add_function(wrap_pyfunction!(exact::explore, module)?)?;
    module.add_class::<exact::Chain>()?;
    module.add_function(wrap_pyfunction!(exact::long_run, module)?)?;
    module.add_function(wrap_pyfunction!(exact::stationary, module)?)?;
    module.add_class::<recordings::Capture>()?;
    module.add_class::<recordings::Slots>()?;
    module.add_class::<recordings::Text>()?;
    module.add_class::<Snapshot>()?;
    module.add_function(wrap_pyfunction!(snapshot::statistics, module)?)?;
    module.add_class::<Stop>()?;
    module.add_class::<trials::Trials>()?;
    module.add_class::<Session>()
}
