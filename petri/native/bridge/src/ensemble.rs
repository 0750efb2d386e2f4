//! Many replications (`engine::session::ensemble`) for Python: what they have seen crosses as columns.

use std::sync::Arc;
use std::time::Duration;

use engine::base::fault::Fault;
use engine::base::ticks::{Ticks, NEVER};
use engine::session::ensemble::{Course, Ended, Ensemble as Running, Ran};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::arrays::words;
use crate::snapshot::Columns;
use crate::{failure_parts, limits_of, told, LimitParts, Program, Stop, Told};

/// The ends of warm-up and run [ticks]; whether the latter is an instant; the most firings; the most batches; whether times at each
/// number of tokens are wanted.
type CourseParts = (f64, f64, bool, Option<u64>, usize, bool);

/// Replications of one net, one after the other.
#[pyclass(module = "petri._native")]
pub struct Ensemble {
    running: Running,
    fault: Option<Fault>,
    program: Arc<engine::program::Program>,
}

fn ended(of: Ended) -> &'static str {
    match of {
        Ended::Until => "until",
        Ended::Dead => "dead",
        Ended::Firings => "firings",
        Ended::Error => "error",
        Ended::Interrupted => "interrupted",
    }
}

#[pymethods]
impl Ensemble {
    /// seeds: three words for each replication. limits, stop: as of a session.
    #[new]
    fn new(program: &Program, course: CourseParts, limits: LimitParts, seeds: &[u8], stop: &Stop) -> Self {
        let (warmup, until, rests, firings, batches, levels) = course;
        let time = |ticks: f64| ticks.clamp(0.0, NEVER as f64) as Ticks;
        let firings = firings.unwrap_or(u64::MAX);
        let course = Course { warmup: time(warmup), until: time(until), rests, firings, batches };
        let word = |bytes: &[u8]| u64::from_ne_bytes(bytes.try_into().unwrap_or_default());
        let seeds = seeds.chunks_exact(24).map(|of| [word(&of[..8]), word(&of[8..16]), word(&of[16..])]).collect();
        let compiled = Arc::clone(&program.compiled);
        let program = Arc::clone(&compiled.program);
        let running = Running::new(compiled, course, limits_of(limits), levels, seeds, Arc::clone(&stop.0));
        Ensemble { running, fault: None, program }
    }

    /// Runs for about as many seconds, without the interpreter's lock. begin: whether replications may begin. Returns how many have
    /// ended since `take`, and the model time [ticks] and firings of the one under way.
    fn advance(&mut self, py: Python<'_>, seconds: f64, begin: bool) -> (usize, Option<(f64, u64)>) {
        let running = &mut self.running;
        self.fault = py.detach(|| running.advance(Duration::from_secs_f64(seconds), begin)).err().map(|fault| *fault);
        (self.running.ran.len(), self.running.under_way().map(|(now, firings)| (now as f64, firings)))
    }

    /// The fault of a key of the initial marking, as of a session.
    #[getter]
    fn initial_fault<'py>(&self, py: Python<'py>) -> PyResult<Option<Told<'py>>> {
        self.fault.as_ref().map(|fault| told(py, fault, &self.program.spans)).transpose()
    }

    /// The columns of the replications that have ended since the last call.
    fn take<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let ran = std::mem::take(&mut self.running.ran);
        let read = PyDict::new(py);
        read.set_item("ended", PyList::new(py, ran.iter().map(|one| ended(one.ended)))?)?;
        let real = |of: fn(&Ran) -> f64| words(py, &ran, |one| of(one).to_ne_bytes());
        let whole = |of: fn(&Ran) -> u64| words(py, &ran, |one| of(one).to_ne_bytes());
        read.set_item("time", real(|one| one.now as f64)?)?;
        read.set_item("seconds", real(|one| one.seconds)?)?;
        read.set_item("died", real(|one| one.died.map_or(f64::NAN, |died| died as f64))?)?;
        read.set_item("firings", whole(|one| one.firings)?)?;
        read.set_item("hash", whole(|one| one.hash)?)?;
        read.set_item("warm", whole(|one| u64::from(one.warm))?)?;
        read.set_item("drew", whole(|one| u64::from(one.drew))?)?;
        read.set_item("batch_count", whole(|one| one.batches.len() as u64)?)?;
        let levels: Vec<f64> = ran.iter().flat_map(|one| &one.levels).map(|ticks| *ticks as f64).collect();
        read.set_item("levels", words(py, &levels, |time| time.to_ne_bytes())?)?;
        let faults = PyDict::new(py);
        for (row, error) in ran.iter().enumerate().filter_map(|(row, one)| Some((row, one.error.as_ref()?))) {
            faults.set_item(row, failure_parts(py, error, &self.program)?)?;
        }
        read.set_item("faults", faults)?;
        let markings = PyList::empty(py);
        for place in 0..self.program.own_places {
            let lengths = words(py, &ran, |one| (one.marking[place].len() as u64).to_ne_bytes())?;
            let all: Vec<u64> = ran.iter().flat_map(|one| &one.marking[place]).copied().collect();
            markings.append((lengths, words(py, &all, |word| word.to_ne_bytes())?))?;
        }
        read.set_item("markings", markings)?;
        read.set_item("windows", columns(py, ran.iter().map(|one| &one.window))?)?;
        read.set_item("batches", columns(py, ran.iter().flat_map(|one| &one.batches))?)?;
        Ok(read)
    }
}

fn columns<'py, 'a>(
    py: Python<'py>,
    snapshots: impl Iterator<Item = &'a engine::session::observed::Observed> + Clone,
) -> PyResult<Bound<'py, PyDict>> {
    let mut columns = Columns::new(snapshots.clone().count());
    snapshots.for_each(|one| columns.add(one));
    columns.read(py)
}
