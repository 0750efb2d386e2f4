//! State spaces and Markov chains for Python.

use std::sync::Arc;

use engine::base::fault::LoadError;
use engine::base::long_stack::on_long_stack;
use engine::exact::chain;
use engine::exact::chain::gains::{self, Effort};
use engine::exact::chain::matrix::{Matrix, Rows};
use engine::exact::chain::stationary::{stationary as stationary_of, Stationary};
use engine::exact::model::trouble::Trouble;
use engine::exact::model::watch::{Bounds, Ended};
use engine::exact::space::explore::{explore as explored, Failure};
use engine::exact::space::graph::Graph;
use engine::exact::state::Kind;
use engine::exact::symmetry::values::ValueSymmetry;
use engine::exact::symmetry::{Element, Symmetries, Symmetry};
use engine::net::check::DEEPEST;
use engine::net::Net;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList};

use crate::arrays::words;
use crate::{reading, told, SpanParts, Stop};

/// A state space.
#[pyclass(frozen, module = "petri._native")]
pub struct Explored(pub Arc<Graph>);

/// Why there is none: an id, the file and the span of the expression, details, and the transition.
type Refusal<'py> = (String, Option<(String, SpanParts)>, Bound<'py, PyDict>, Option<u32>);

/// Whether elements rotate; and of each, its places and its transitions whose firings last.
type Exchange = (bool, Vec<(Vec<usize>, Vec<usize>)>);

/// Whether values rotate; the values, and the slots where they are, as (place, slot).
type ValueExchange = (bool, Vec<i64>, Vec<(usize, usize)>);

/// Explores the states of a net, one of those that its symmetries, of elements and of values, map to one another, up to numbers of
/// states and of bytes. Returns them, or why it cannot. Raises ValueError for an object that is not a flat net, or one that cannot be
/// run.
#[pyfunction]
#[pyo3(signature = (net, symmetries, states, memory, stop=None))]
pub fn explore<'py>(
    py: Python<'py>,
    net: &Bound<'py, PyAny>,
    symmetries: (Vec<Exchange>, Vec<ValueExchange>),
    states: usize,
    memory: usize,
    stop: Option<&Stop>,
) -> PyResult<(Option<Explored>, Option<Refusal<'py>>)> {
    let stop = stop.map(|stop| stop.0.clone()).unwrap_or_default();
    let bounds = Bounds { states, memory };
    let work = |net: Net| {
        let exchanges = exchanges(&net, &symmetries)?;
        explored(net, exchanges, bounds, &stop)
    };
    let read = match reading::read(net, reading::SHALLOW) {
        Err(failure) if failure.is_too_deep() => {
            let net = net.clone().unbind();
            let read = || Python::attach(|py| reading::read(net.bind(py), DEEPEST));
            py.detach(|| on_long_stack(|| read().map(|(net, files)| (work(net), files)))).map_err(unable)?
        }
        Err(failure) => Err(failure),
        Ok((net, files)) => py.detach(|| with_room(|| Ok((work(net), files)))).map_err(unable)?,
    };
    let (found, files) = read.map_err(|failure| refused(failure.into()))?;
    match found {
        Ok(graph) => Ok((Some(Explored(Arc::new(graph))), None)),
        Err((Trouble::Load(error), _)) => Err(refused(error)),
        Err(failure) => Ok((None, Some(refusal(py, failure, &files)?))),
    }
}

/// Runs a function of a net that does not nest too deeply on a long stack; in WebAssembly, which has one thread and explores no
/// others, on the stack that there is.
fn with_room<T: Send>(work: impl FnOnce() -> T + Send) -> std::io::Result<T> {
    if cfg!(target_family = "wasm") {
        Ok(work())
    } else {
        on_long_stack(work)
    }
}

/// The symmetries, if they fit the net.
fn exchanges(net: &Net, (symmetries, values): &(Vec<Exchange>, Vec<ValueExchange>)) -> Result<Symmetries, Failure> {
    let fits = |rows: &[(Vec<usize>, Vec<usize>)]| {
        rows.iter().all(|(places, transitions)| {
            let sizes = |other: &(Vec<usize>, Vec<usize>)| (other.0.len(), other.1.len());
            sizes(&rows[0]) == (places.len(), transitions.len())
                && places.iter().all(|&place| place < net.places.len())
                && transitions.iter().all(|&transition| transition < net.transitions.len())
        })
    };
    let has =
        |&(place, slot): &(usize, usize)| net.places.get(place).is_some_and(|place| slot < place.colour.slots.len());
    let values_fit = values.iter().all(|(_, values, slots)| !values.is_empty() && slots.iter().all(has));
    if !(values_fit && symmetries.iter().all(|(_, rows)| fits(rows))) {
        let error = LoadError("the elements or values of a symmetry do not fit the net".to_owned());
        return Err((Trouble::Load(error), Vec::new()));
    }
    let of = |(rotates, rows): &Exchange| {
        let element = |(places, transitions): &(Vec<usize>, Vec<usize>)| Element {
            places: places.clone(),
            transitions: transitions.clone(),
        };
        Symmetry { rotates: *rotates, elements: rows.iter().map(element).collect() }
    };
    let of_values = values.iter().map(|(rotates, values, slots)| ValueSymmetry {
        rotates: *rotates,
        values: values.clone(),
        slots: slots.clone(),
    });
    Ok(Symmetries { of_elements: symmetries.iter().map(of).collect(), of_values: of_values.collect() })
}

fn unable(error: std::io::Error) -> PyErr {
    refused(error.into())
}

fn refused(error: LoadError) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// The clocks of a transition cannot be counted in some state: those of states that were explored can.
fn uncounted(trouble: &Trouble, transition: usize) -> PyErr {
    let why = match trouble {
        Trouble::Fault(fault, _) => fault.id,
        Trouble::Unsolvable(why, _) => why,
        Trouble::Load(error) => return refused(error.clone()),
    };
    PyValueError::new_err(format!("the clocks of transition number {transition} cannot be counted: {why}"))
}

fn refusal<'py>(py: Python<'py>, (trouble, spans): Failure, files: &[String]) -> PyResult<Refusal<'py>> {
    Ok(match trouble {
        Trouble::Fault(fault, transition) => {
            let (id, parts, details) = told(py, &fault, &spans)?;
            let file = |parts: SpanParts| files.get(parts.0 as usize).map(|file| (file.clone(), parts));
            (id, parts.and_then(file), details, transition.map(|transition| transition.0))
        }
        Trouble::Unsolvable(why, transition) => {
            (why.to_owned(), None, PyDict::new(py), transition.map(|transition| transition.0))
        }
        Trouble::Load(error) => return Err(refused(error)),
    })
}

/// The ticks that are left of a time (0 if it is exponential), the ticks and chances of geometric stages, the first of which is under way,
/// and the means of exponential ones.
type Stages = (u64, Vec<(u64, f64)>, Vec<f64>);

/// A token: its words, slot after slot. A firing in progress: its stages, its transition, and for each arc that gives tokens the place,
/// their number and their words.
type Running<'py> = (Stages, usize, Vec<(u32, u64, Bound<'py, PyBytes>)>);

/// The rows of a matrix, from bytes: 64-bit offsets, 32-bit columns, 64-bit reals.
fn rows((offsets, columns, rates): (&[u8], &[u8], &[u8])) -> PyResult<Rows> {
    let offsets: Vec<u64> = numbers(offsets, u64::from_ne_bytes);
    let columns: Vec<u32> = numbers(columns, u32::from_ne_bytes);
    let rates: Vec<f64> = numbers(rates, f64::from_ne_bytes);
    let rises = offsets.windows(2).all(|pair| pair[0] < pair[1]);
    let is_whole = offsets.len() > 2 && offsets[0] == 0 && offsets.last() == Some(&(columns.len() as u64));
    let states = offsets.len().saturating_sub(1);
    let fits = columns.len() == rates.len() && columns.iter().all(|&column| (column as usize) < states);
    if !(rises && is_whole && fits) {
        return Err(PyValueError::new_err("the arrays are not an irreducible chain"));
    }
    Ok(Rows { offsets, columns, rates })
}

/// The bounds of the long-run average of rewards (64-bit reals), one for each state, in an irreducible chain: rates by rows,
/// without any of a state to itself. `effort`: the width of the bounds that is enough, the most sweeps through the rates, and the
/// vectors of a basis. Raises ValueError for arrays that do not fit.
#[pyfunction]
#[pyo3(signature = (rates, rewards, effort, stop=None))]
pub fn long_run(
    py: Python<'_>,
    rates: (&[u8], &[u8], &[u8]),
    rewards: &[u8],
    effort: (f64, usize, usize),
    stop: Option<&Stop>,
) -> PyResult<(f64, f64)> {
    let (rows, rewards) = (rows(rates)?, numbers(rewards, f64::from_ne_bytes));
    if rewards.len() + 1 != rows.offsets.len() {
        return Err(PyValueError::new_err("there must be a reward for each state"));
    }
    let stop = stop.map(|stop| stop.0.clone()).unwrap_or_default();
    let gain = py.detach(|| {
        let matrix = Matrix::new(&rows.offsets, &rows.columns, &rows.rates[..]);
        gains::gain(&matrix, &rewards, &mut vec![0.0; rewards.len()], effort_of(effort), &stop)
    });
    Ok((gain.low, gain.high))
}

/// Shares of states as 64-bit reals, and the error of an average over them, relative to the span of what is averaged.
type Shares<'py> = (Bound<'py, PyBytes>, f64);

/// The stationary distribution of such a chain. `effort`: as of `long_run`, the width as relative to the span.
#[pyfunction]
#[pyo3(signature = (rates, effort, stop=None))]
pub fn stationary<'py>(
    py: Python<'py>,
    rates: (&[u8], &[u8], &[u8]),
    effort: (f64, usize, usize),
    stop: Option<&Stop>,
) -> PyResult<Shares<'py>> {
    let rows = rows(rates)?;
    let stop = stop.map(|stop| stop.0.clone()).unwrap_or_default();
    let found = py.detach(|| {
        let matrix = Matrix::new(&rows.offsets, &rows.columns, &rows.rates[..]);
        stationary_of(&matrix, effort_of(effort), &stop)
    });
    shares(py, &found)
}

fn shares<'py>(py: Python<'py>, found: &Stationary) -> PyResult<Shares<'py>> {
    Ok((reals(py, &found.shares)?, found.error))
}

fn reals<'py>(py: Python<'py>, items: &[f64]) -> PyResult<Bound<'py, PyBytes>> {
    words(py, items, |item| item.to_ne_bytes())
}

fn integers<'py>(py: Python<'py>, items: &[u32]) -> PyResult<Bound<'py, PyBytes>> {
    PyBytes::new_with(py, 4 * items.len(), |bytes| {
        bytes.chunks_exact_mut(4).zip(items).for_each(|(chunk, item)| chunk.copy_from_slice(&item.to_ne_bytes()));
        Ok(())
    })
}

fn effort_of((tolerance, sweeps, basis): (f64, usize, usize)) -> Effort {
    Effort { tolerance, sweeps, basis: basis.clamp(1, 200) }
}

/// The numbers that bytes are.
fn numbers<T, const N: usize>(bytes: &[u8], number: impl Fn([u8; N]) -> T) -> Vec<T> {
    bytes.chunks_exact(N).filter_map(|chunk| chunk.try_into().ok()).map(number).collect()
}

#[pymethods]
impl Explored {
    /// The chain of the tangible states, if the exploration has ended; or the transitions of firings that take no time and never end.
    fn chain(&self, py: Python<'_>) -> PyResult<(Option<Chain>, Vec<u32>)> {
        if !matches!(self.0.ended, Ended::Complete) {
            return Err(PyValueError::new_err("the exploration did not end"));
        }
        let graph = self.0.clone();
        Ok(match py.detach(|| chain::Chain::new(graph)) {
            Ok(chain) => (Some(Chain(chain)), Vec::new()),
            Err(stuck) => {
                let arcs = stuck.into_iter().flat_map(|state| self.0.arcs(state as usize));
                (None, arcs.map(|arc| self.0.label(arc).transition).collect())
            }
        })
    }

    fn __len__(&self) -> usize {
        self.0.states.len()
    }

    /// "complete", "states", "memory", "bindings" or "stopped".
    #[getter]
    fn ended(&self) -> &'static str {
        match self.0.ended {
            Ended::Complete => "complete",
            Ended::States => "states",
            Ended::Memory => "memory",
            Ended::Bindings(_) => "bindings",
            Ended::Stopped => "stopped",
        }
    }

    /// The transition that has too many bindings, if they ended it.
    #[getter]
    fn crowded(&self) -> Option<u32> {
        match self.0.ended {
            Ended::Bindings(transition) => Some(transition.0),
            _ => None,
        }
    }

    /// The number of states whose arcs are known.
    #[getter]
    fn expanded(&self) -> usize {
        self.0.expanded()
    }

    #[getter]
    fn in_ticks(&self) -> bool {
        self.0.model.in_ticks
    }

    /// Whether constants and exponential times take turns.
    #[getter]
    fn takes_turns(&self) -> bool {
        self.0.model.takes_turns
    }

    /// For how many states each stands, as 64-bit reals; empty if none was left out for being like another.
    fn alike<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        reals(py, &self.0.alike)
    }

    /// The number of arcs.
    #[getter]
    fn arcs(&self) -> usize {
        self.0.targets.len()
    }

    #[getter]
    fn bytes(&self) -> usize {
        self.0.bytes()
    }

    /// The first arc of each expanded state, then the number of arcs, as 64-bit integers.
    fn offsets<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        words(py, &self.0.offsets, |offset| offset.to_ne_bytes())
    }

    /// The states that arcs lead to, as 32-bit integers.
    fn targets<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        integers(py, &self.0.targets)
    }

    /// The labels of arcs, as 32-bit integers.
    fn arc_labels<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let labels = &self.0.arc_labels;
        PyBytes::new_with(py, 4 * labels.len(), |bytes| {
            let chunks = bytes.chunks_exact_mut(4).enumerate();
            chunks.for_each(|(arc, chunk)| chunk.copy_from_slice(&labels.get(arc).to_ne_bytes()));
            Ok(())
        })
    }

    /// The labels: transition (-1: time passes), whether it starts, and the rate or probability.
    fn labels(&self) -> Vec<(i64, bool, f64)> {
        let transition = |label: u32| if label == u32::MAX { -1 } else { i64::from(label) };
        self.0.labels.all.iter().map(|label| (transition(label.transition), label.role.starts(), label.value)).collect()
    }

    /// Whether a transition fires at once in each expanded state, as bytes.
    fn vanishing<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        PyBytes::new_with(py, self.0.expanded(), |bytes| {
            bytes.iter_mut().enumerate().for_each(|(state, byte)| *byte = self.0.is_vanishing(state).into());
            Ok(())
        })
    }

    /// Of each expanded state the ticks up to the next end, if times are constant, as 64-bit integers.
    fn ticks<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        words(py, &self.0.ticks, |ticks| ticks.to_ne_bytes())
    }

    /// The tokens of a place in each state, as 64-bit integers.
    fn counts<'py>(&self, py: Python<'py>, place: usize) -> PyResult<Bound<'py, PyBytes>> {
        let counts = self.0.counts(place);
        words(py, &counts, |count| count.to_ne_bytes())
    }

    /// The firings of a transition without a clock in progress in each state, as 64-bit integers.
    fn in_progress<'py>(&self, py: Python<'py>, transition: usize) -> PyResult<Bound<'py, PyBytes>> {
        let counts = self.0.in_progress(transition);
        words(py, &counts, |count| count.to_ne_bytes())
    }

    /// The clocks of a transition that run in each state, as 64-bit integers; 0 in vanishing states, and in those not expanded.
    fn clocks_running<'py>(&self, py: Python<'py>, transition: usize) -> PyResult<Bound<'py, PyBytes>> {
        let counts = py.detach(|| self.0.clocks_running(transition));
        let counts = counts.map_err(|trouble| uncounted(&trouble, transition))?;
        words(py, &counts, |count| count.to_ne_bytes())
    }

    /// The variables of the firing that each of these arcs starts, as words.
    fn variables(&self, py: Python<'_>, arcs: Vec<usize>) -> PyResult<Vec<Vec<u64>>> {
        let starts = |&arc: &usize| arc < self.0.targets.len() && self.0.label(arc).role.starts();
        if !arcs.iter().all(starts) {
            return Err(PyValueError::new_err("an arc starts no firing"));
        }
        let found = py.detach(|| with_room(|| self.0.variables(&arcs))).map_err(unable)?;
        found.map_err(|_| PyValueError::new_err("a firing that was explored cannot start again"))
    }

    /// The tokens of each place, as `Session.marking` has them, and the firings in progress.
    fn state<'py>(&self, py: Python<'py>, number: usize) -> PyResult<(Bound<'py, PyList>, Vec<Running<'py>>)> {
        if number >= self.0.states.len() {
            return Err(PyValueError::new_err("there is no such state"));
        }
        let numbers = self.0.numbers(number);
        let (model, fields) = (&self.0.model, &self.0.fields);
        let marking = PyList::empty(py);
        for (place, &number) in numbers[..model.places()].iter().enumerate() {
            if model.place(place).width == 0 {
                marking.append(number)?;
            } else {
                let row = fields.contents[place].row(number);
                marking.append(words(py, row, |word| word.to_ne_bytes())?)?;
            }
        }
        let mut running = Vec::new();
        for (kind, alike, ticks) in fields.running(&numbers) {
            let Kind { transition, rounds, means, deposits } = &fields.kinds.all[kind as usize];
            for _ in 0..alike {
                let deposit = deposits.iter().map(|deposit| {
                    Ok((deposit.place.0, deposit.count, words(py, &deposit.token, |word| word.to_ne_bytes())?))
                });
                let stages = (ticks, rounds.clone(), means.clone());
                running.push((stages, *transition, deposit.collect::<PyResult<Vec<_>>>()?));
            }
        }
        Ok((marking, running))
    }
}

/// The Markov chain of the tangible states of a state space.
#[pyclass(frozen, module = "petri._native")]
pub struct Chain(chain::Chain);

/// Rows of a matrix as bytes: 64-bit offsets, 32-bit columns, 64-bit reals.
type Parts<'py> = (Bound<'py, PyBytes>, Bound<'py, PyBytes>, Bound<'py, PyBytes>);

fn parts<'py>(py: Python<'py>, rows: &Rows) -> PyResult<Parts<'py>> {
    let offsets = words(py, &rows.offsets, |offset| offset.to_ne_bytes())?;
    Ok((offsets, integers(py, &rows.columns)?, reals(py, &rows.rates)?))
}

#[pymethods]
impl Chain {
    /// The numbers of its states in the state space, as 32-bit integers.
    fn numbers<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        integers(py, &self.0.numbers)
    }

    /// Rates, or, in ticks, probabilities.
    fn rows<'py>(&self, py: Python<'py>) -> PyResult<Parts<'py>> {
        parts(py, &py.detach(|| self.0.rows()))
    }

    /// The states in which it begins, with their probabilities.
    fn initial(&self) -> Vec<(u32, f64)> {
        self.0.initial.clone()
    }

    /// The sum of the rates of each state, as 64-bit reals.
    fn exits<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        reals(py, &py.detach(|| self.0.exits()))
    }

    /// The states of each closed class, as 32-bit integers.
    fn closed<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyBytes>>> {
        py.detach(|| self.0.closed()).iter().map(|class| integers(py, class)).collect()
    }

    /// The rates [1/net time unit] in a closed class.
    fn rates_in<'py>(&self, py: Python<'py>, class: usize) -> PyResult<Parts<'py>> {
        let states = self.class(class)?;
        parts(py, &py.detach(|| self.0.rates_in(states)))
    }

    /// The stationary distribution of a closed class of at least two states, as `stationary` finds it.
    #[pyo3(signature = (class, effort, stop=None))]
    fn stationary<'py>(
        &self,
        py: Python<'py>,
        class: usize,
        effort: (f64, usize, usize),
        stop: Option<&Stop>,
    ) -> PyResult<Shares<'py>> {
        if self.class(class)?.len() < 2 {
            return Err(PyValueError::new_err("a chain has at least two states"));
        }
        let stop = stop.map(|stop| stop.0.clone()).unwrap_or_default();
        shares(py, &py.detach(|| self.0.stationary(class, effort_of(effort), &stop)))
    }

    /// The most arcs into a state.
    fn most_into(&self, py: Python<'_>) -> u32 {
        py.detach(|| self.0.most_into())
    }

    /// From probabilities at the start, those after as many steps at a rate as chances tell, from the step `first` on, and the
    /// expected steps in each state, all as 64-bit reals.
    #[pyo3(signature = (start, rate, first, chances, stop=None))]
    fn uniformised<'py>(
        &self,
        py: Python<'py>,
        start: &[u8],
        rate: f64,
        first: usize,
        chances: &[u8],
        stop: Option<&Stop>,
    ) -> PyResult<(Bound<'py, PyBytes>, Bound<'py, PyBytes>)> {
        let (start, chances): (Vec<f64>, Vec<f64>) =
            (numbers(start, f64::from_ne_bytes), numbers(chances, f64::from_ne_bytes));
        if start.len() != self.0.states() {
            return Err(PyValueError::new_err("there must be a probability for each state"));
        }
        let stop = stop.map(|stop| stop.0.clone()).unwrap_or_default();
        let times = py.detach(|| self.0.uniformised(start, rate, first, &chances, &stop));
        Ok((reals(py, &times.at)?, reals(py, &times.during)?))
    }

    /// What arcs bring, amounts as 64-bit reals, in each state until time passes again, and before it begins to pass.
    fn brought<'py>(&self, py: Python<'py>, amounts: &[u8]) -> PyResult<Shares<'py>> {
        let amounts: Vec<f64> = numbers(amounts, f64::from_ne_bytes);
        if amounts.len() != self.0.graph.targets.len() {
            return Err(PyValueError::new_err("there must be an amount for each arc"));
        }
        let (brought, at_once) = py.detach(|| self.0.brought(|_, arc| amounts[arc]));
        Ok((reals(py, &brought)?, at_once))
    }

    /// The same of firings of a transition that start.
    fn firings<'py>(&self, py: Python<'py>, transition: usize) -> PyResult<Shares<'py>> {
        let (brought, at_once) = py.detach(|| self.0.firings(transition));
        Ok((reals(py, &brought)?, at_once))
    }

    /// The same of tokens that firings give to places, together. `taken`: by transition, what a start takes, and the places
    /// of these that it empties besides.
    fn arrivals<'py>(
        &self,
        py: Python<'py>,
        places: Vec<usize>,
        taken: Vec<(f64, Vec<usize>)>,
    ) -> PyResult<Shares<'py>> {
        let model = &self.0.graph.model;
        let mut named = places.iter().chain(taken.iter().flat_map(|(_, emptied)| emptied));
        if named.any(|&place| place >= model.places()) || taken.len() != model.times.len() {
            return Err(PyValueError::new_err("there must be an amount for each transition, and such places"));
        }
        let (brought, at_once) = py.detach(|| self.0.arrivals(&places, &taken));
        Ok((reals(py, &brought)?, at_once))
    }
}

impl Chain {
    fn class(&self, class: usize) -> PyResult<&[u32]> {
        let found = self.0.closed().get(class);
        found.map(Vec::as_slice).ok_or_else(|| PyValueError::new_err("there is no such class"))
    }
}
