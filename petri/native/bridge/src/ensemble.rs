//! Many replications (`engine::session::ensemble`) for Python: what they have seen crosses as columns.

use std::sync::Arc;
use std::time::Duration;

use engine::base::fault::Fault;
use engine::base::ticks::{Ticks, NEVER};
use engine::engine::run::Engine;
use engine::session::ensemble::{Course, Ended, Ensemble as Running, Pause, Ran};
use engine::session::observed::Observed;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::arrays::words;
use crate::snapshot::{Columns, Snapshot};
use crate::{failure_parts, feed, limits_of, told, unbegun, LimitParts, Program, Stop, Told};

/// The ends of warm-up and run [ticks]; whether the latter is an instant; the most firings; the most batches, and the firings of one;
/// whether the caller looks at each; whether times at each number of tokens are wanted.
type CourseParts = (f64, f64, bool, Option<u64>, usize, u64, bool, bool);
/// The model time [ticks] and firings of the replication under way.
type UnderWay = (f64, u64);

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
        let (warmup, until, rests, firings, batches, batch, watched, levels) = course;
        let (warmup, until, firings) = (instant(warmup), instant(until), firings.unwrap_or(u64::MAX));
        let course = Course { warmup, until, rests, firings, batches, batch, watched };
        let word = |bytes: &[u8]| u64::from_ne_bytes(bytes.try_into().unwrap_or_default());
        let seeds = seeds.chunks_exact(24).map(|of| [word(&of[..8]), word(&of[8..16]), word(&of[16..])]).collect();
        let compiled = Arc::clone(&program.compiled);
        let program = Arc::clone(&compiled.program);
        let running = Running::new(compiled, course, limits_of(limits), levels, seeds, Arc::clone(&stop.0));
        Ensemble { running, fault: None, program }
    }

    /// Runs for about as many seconds, without the interpreter's lock. begin: whether replications may begin. Returns how many have
    /// ended since `take`, how far the one under way is, and for what it waits: "rows", or to be looked at as it has "begun", or an
    /// "instant" or the "firings" of `look` have come.
    fn advance(
        &mut self,
        py: Python<'_>,
        seconds: f64,
        begin: bool,
    ) -> (usize, Option<UnderWay>, Option<&'static str>) {
        let running = &mut self.running;
        let pause = match py.detach(|| running.advance(Duration::from_secs_f64(seconds), begin)) {
            Ok(pause) => pause,
            Err(fault) => {
                self.fault = Some(*fault);
                None
            }
        };
        let pause = pause.map(|pause| match pause {
            Pause::Rows => "rows",
            Pause::Begun => "begun",
            Pause::Instant => "instant",
            Pause::Firings => "firings",
        });
        let under_way = self.running.engine().map(|engine| (engine.now as f64, engine.firings));
        (self.running.ran.len(), under_way, pause)
    }

    /// The place that waits for rows, after `advance` returned "rows".
    #[getter]
    fn wanted(&mut self) -> PyResult<Option<u32>> {
        Ok(self.engine()?.streams.wanted.map(|place| place.0))
    }

    /// The next rows of a place, as of a session.
    fn feed(&mut self, place: u32, block: &[u8]) -> PyResult<()> {
        feed(self.engine()?, place, block)
    }

    /// What the replication under way has seen.
    fn observe(&mut self) -> PyResult<Snapshot> {
        Ok(Snapshot(Observed::of(self.engine()?)))
    }

    /// When `advance` returns "instant" [ticks], and after how many firings of the replication it returns "firings".
    #[pyo3(signature = (at, after=None))]
    fn look(&mut self, at: f64, after: Option<u64>) {
        self.running.look(instant(at), after.unwrap_or(u64::MAX));
    }

    /// Ends the replication under way: as planned, or with an error that the caller knows.
    fn conclude(&mut self, planned: bool) {
        self.running.conclude(if planned { Ended::Until } else { Ended::Error });
    }

    /// The fault of a key of the initial marking, as of a session.
    #[getter]
    fn initial_fault<'py>(&self, py: Python<'py>) -> PyResult<Option<Told<'py>>> {
        self.fault.as_ref().map(|fault| told(py, fault, &self.program.spans)).transpose()
    }

    /// The columns of the replications that have ended since the last call.
    fn take<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let mut ran = std::mem::take(&mut self.running.ran);
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
        let batches: Vec<_> = ran.iter_mut().map(|one| std::mem::take(&mut one.batches)).collect();
        let number = batches.iter().map(Vec::len).sum();
        read.set_item("batches", columns(py, number, batches.into_iter().flatten())?)?;
        read.set_item("windows", columns(py, ran.len(), ran.into_iter().map(|one| one.window))?)?;
        Ok(read)
    }
}

impl Ensemble {
    fn engine(&mut self) -> PyResult<&mut Engine> {
        self.running.engine().ok_or_else(unbegun)
    }
}

fn instant(ticks: f64) -> Ticks {
    ticks.clamp(0.0, NEVER as f64) as Ticks
}

/// The columns of what has been seen, each of which goes once it is read: long histograms are not there twice.
fn columns(py: Python<'_>, number: usize, seen: impl Iterator<Item = Observed> + Send) -> PyResult<Bound<'_, PyDict>> {
    let columns = py.detach(|| {
        let mut columns = Columns::new(number);
        seen.for_each(|one| columns.add(&one));
        columns
    });
    columns.read(py)
}
