//! State spaces and Markov chains for Python.

use engine::base::fault::LoadError;
use engine::base::long_stack::on_long_stack;
use engine::exact::explore::{explore as explored, Bounds, Failure};
use engine::exact::gains::{self, Effort};
use engine::exact::graph::{Ended, Graph};
use engine::exact::matrix::Matrix;
use engine::exact::rules::Role;
use engine::exact::state::{Kept, Kind};
use engine::exact::trouble::Trouble;
use engine::net::check::DEEPEST;
use engine::net::Net;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList};

use crate::arrays::words;
use crate::{reading, told, SpanParts, Stop};

/// A state space.
#[pyclass(frozen, module = "petri._native")]
pub struct Explored(pub Graph);

/// Why there is none: an id, the file and the span of the expression, details, and the transition.
type Refusal<'py> = (String, Option<(String, SpanParts)>, Bound<'py, PyDict>, Option<u32>);

/// Explores the states of a net, up to numbers of states and of bytes. Returns them, or why it cannot. Raises ValueError for
/// an object that is not a flat net, or one that cannot be run.
#[pyfunction]
#[pyo3(signature = (net, states, memory, stop=None))]
pub fn explore<'py>(
    py: Python<'py>,
    net: &Bound<'py, PyAny>,
    states: usize,
    memory: usize,
    stop: Option<&Stop>,
) -> PyResult<(Option<Explored>, Option<Refusal<'py>>)> {
    let stop = stop.map(|stop| stop.0.clone()).unwrap_or_default();
    let bounds = Bounds { states, memory };
    let work = |net: &Net| explored(net, bounds, &stop);
    let read = match reading::read(net, reading::SHALLOW) {
        Err(failure) if failure.is_too_deep() => {
            let net = net.clone().unbind();
            let read = || Python::attach(|py| reading::read(net.bind(py), DEEPEST));
            py.detach(|| on_long_stack(|| read().map(|(net, files)| (work(&net), files)))).map_err(unable)?
        }
        Err(failure) => Err(failure),
        Ok((net, files)) => py.detach(|| on_long_stack(|| Ok((work(&net), files)))).map_err(unable)?,
    };
    let (found, files) = read.map_err(|failure| refused(failure.into()))?;
    match found {
        Ok(graph) => Ok((Some(Explored(graph)), None)),
        Err((Trouble::Load(error), _)) => Err(refused(error)),
        Err(failure) => Ok((None, Some(refusal(py, failure, &files)?))),
    }
}

fn unable(error: std::io::Error) -> PyErr {
    refused(error.into())
}

fn refused(error: LoadError) -> PyErr {
    PyValueError::new_err(error.to_string())
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

/// A token: its words, slot after slot. A firing in progress: the means of its stages, the ticks left (0 if its times are
/// exponential), its transition, and for each arc that gives tokens the place, their number and their words.
type Running<'py> = (Vec<f64>, u64, usize, Vec<(u32, u64, Bound<'py, PyBytes>)>);

/// The bounds of the long-run average of rewards, one for each state, in an irreducible chain: rates by rows, without any of a
/// state to itself. Arrays are bytes: 64-bit offsets, 32-bit columns, 64-bit reals. `effort`: the width of the bounds that is
/// enough, the most sweeps through the rates, and the vectors of a basis. Raises ValueError for arrays that do not fit.
#[pyfunction]
#[pyo3(signature = (offsets, columns, rates, rewards, effort, stop=None))]
pub fn long_run(
    py: Python<'_>,
    offsets: &[u8],
    columns: &[u8],
    rates: &[u8],
    rewards: &[u8],
    effort: (f64, usize, usize),
    stop: Option<&Stop>,
) -> PyResult<(f64, f64)> {
    let offsets: Vec<u64> = numbers(offsets, u64::from_ne_bytes);
    let columns: Vec<u32> = numbers(columns, u32::from_ne_bytes);
    let rates: Vec<f64> = numbers(rates, f64::from_ne_bytes);
    let rewards: Vec<f64> = numbers(rewards, f64::from_ne_bytes);
    let states = rewards.len();
    let rises = offsets.windows(2).all(|pair| pair[0] < pair[1]);
    let is_whole = offsets.len() == states + 1 && states > 1 && offsets.last() == Some(&(columns.len() as u64));
    let fits = columns.len() == rates.len() && columns.iter().all(|&column| (column as usize) < states);
    if !(rises && is_whole && fits && offsets[0] == 0) {
        return Err(PyValueError::new_err("the arrays are no irreducible chain with rewards"));
    }
    let stop = stop.map(|stop| stop.0.clone()).unwrap_or_default();
    let gain = py.detach(|| {
        let matrix = Matrix::new(&offsets, &columns, &rates[..]);
        gains::gain(&matrix, &rewards, &mut vec![0.0; states], effort_of(effort), &stop)
    });
    Ok((gain.low, gain.high))
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
    /// The bounds of the long-run average of rewards (bytes of 64-bit reals, one for each state), as `long_run` finds them, on
    /// the arcs themselves. None if these are no irreducible chain without vanishing states.
    #[pyo3(signature = (rewards, effort, stop=None))]
    fn long_run(
        &self,
        py: Python<'_>,
        rewards: &[u8],
        effort: (f64, usize, usize),
        stop: Option<&Stop>,
    ) -> PyResult<Option<(f64, f64)>> {
        let rewards: Vec<f64> = numbers(rewards, f64::from_ne_bytes);
        if rewards.len() != self.0.states.len() {
            return Err(PyValueError::new_err("there must be a reward for each state"));
        }
        let stop = stop.map(|stop| stop.0.clone()).unwrap_or_default();
        let gain = py.detach(|| self.0.long_run(&rewards, effort_of(effort), &stop));
        Ok(gain.map(|gain| (gain.low, gain.high)))
    }

    /// The rate at which a transition starts to fire in each expanded state by arcs of its own, as 64-bit reals.
    fn rates<'py>(&self, py: Python<'py>, transition: usize) -> PyResult<Bound<'py, PyBytes>> {
        let rates = py.detach(|| self.0.rates_of(transition));
        words(py, &rates, |rate| rate.to_ne_bytes())
    }

    fn __len__(&self) -> usize {
        self.0.states.len()
    }

    /// "complete", "states", "memory" or "stopped".
    #[getter]
    fn ended(&self) -> &'static str {
        match self.0.ended {
            Ended::Complete => "complete",
            Ended::States => "states",
            Ended::Memory => "memory",
            Ended::Stopped => "stopped",
        }
    }

    /// The number of states whose arcs are known.
    #[getter]
    fn expanded(&self) -> usize {
        self.0.expanded()
    }

    #[getter]
    fn in_ticks(&self) -> bool {
        self.0.rules.model.in_ticks
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
        let targets = &self.0.targets;
        PyBytes::new_with(py, 4 * targets.len(), |bytes| {
            bytes
                .chunks_exact_mut(4)
                .zip(targets)
                .for_each(|(chunk, target)| chunk.copy_from_slice(&target.to_ne_bytes()));
            Ok(())
        })
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
        let starts = |role: Role| matches!(role, Role::Start | Role::Fire);
        let transition = |label: u32| if label == u32::MAX { -1 } else { i64::from(label) };
        self.0.labels.all.iter().map(|label| (transition(label.transition), starts(label.role), label.value)).collect()
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

    /// The tokens of each place, as `Session.marking` has them, and the firings in progress.
    fn state<'py>(&self, py: Python<'py>, number: usize) -> PyResult<(Bound<'py, PyList>, Vec<Running<'py>>)> {
        if number >= self.0.states.len() {
            return Err(PyValueError::new_err("there is no such state"));
        }
        let numbers = self.0.numbers(number);
        let rules = &self.0.rules;
        let marking = PyList::empty(py);
        for (place, plan) in rules.model.places.iter().enumerate() {
            if plan.width == 0 {
                marking.append(numbers[place])?;
            } else {
                let row = rules.fields.contents[place].row(numbers[place]);
                marking.append(words(py, row, |word| word.to_ne_bytes())?)?;
            }
        }
        let mut running = Vec::new();
        let mut add = |kind: u64, ticks: u64| -> PyResult<()> {
            let Kind { transition, means, deposits } = &rules.fields.kinds.all[kind as usize];
            let deposit = deposits.iter().map(|deposit| {
                Ok((deposit.place.0, deposit.count, words(py, &deposit.token, |word| word.to_ne_bytes())?))
            });
            running.push((means.clone(), ticks, *transition, deposit.collect::<PyResult<Vec<_>>>()?));
            Ok(())
        };
        for kept in &rules.fields.kept {
            match *kept {
                Kept::Number(field, kind) => (0..numbers[field]).try_for_each(|_| add(kind, 0))?,
                Kept::Kinds(field) => {
                    rules.fields.contents[field].row(numbers[field]).iter().try_for_each(|&kind| add(kind, 0))?;
                }
                Kept::Not | Kept::Agenda(_) => {}
            }
        }
        if rules.model.in_ticks {
            let field = rules.model.places.len();
            let row = rules.fields.contents[field].row(numbers[field]);
            row.chunks_exact(2).try_for_each(|pair| add(pair[0], pair[1]))?;
        }
        Ok((marking, running))
    }
}
