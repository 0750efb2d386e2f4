//! Trials (`engine::session::trials`) for Python.

use std::sync::Arc;

use engine::base::fault::Fault;
use engine::base::ticks::Ticks;
use engine::session::trials::{Chosen, Halt, Pilot, Question, Tally, Threshold, Trials as Running};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::{error_parts, limits_of, told, unbegun, LimitParts, Program, Stop, Told};

/// The numbers of the probes for what is asked (hit, stop, begin, importance), the time, and the window of a share [ticks].
type QuestionParts = (usize, Option<usize>, Option<usize>, Option<usize>, Option<f64>, Option<(f64, f64)>);
/// Trials, hits, the sum of their values and of the squares, hits at the first instant, firings.
type TallyParts = (u64, u64, f64, f64, u64, u64);
/// Thresholds, with how many paths reach them; the share of the last paths that hit; the firings of an average path of each
/// stage; why pilot runs ended early.
type PilotParts = (Vec<Chosen>, f64, Vec<f64>, Option<&'static str>);

/// Trials of a net that was compiled for them: its probes are the values of the marking that are asked for.
#[pyclass(module = "petri._native")]
pub struct Trials {
    /// Empty when the initial marking raised a fault.
    trials: Option<Running>,
    fault: Option<Fault>,
    program: Arc<engine::program::Program>,
}

fn halt(halted: Halt) -> &'static str {
    match halted {
        Halt::Error => "error",
        Halt::Stopped => "stopped",
        Halt::Endless => "endless",
    }
}

#[pymethods]
impl Trials {
    /// limits: as of a session. most_firings: of one trial.
    #[new]
    #[pyo3(signature = (program, question, limits, most_firings, stop=None))]
    fn new(
        py: Python<'_>,
        program: &Program,
        question: QuestionParts,
        limits: LimitParts,
        most_firings: u64,
        stop: Option<&Stop>,
    ) -> Self {
        let (hit, stop_at, begin, importance, within, window) = question;
        let window = window.map(|(start, end)| (start as Ticks, end as Ticks));
        let within = window.map_or(within.map(|time| time as Ticks), |window| Some(window.1));
        let question = Question { hit, stop: stop_at, begin, importance, within, window };
        let limits = limits_of(limits);
        let stop = stop.map(|stop| Arc::clone(&stop.0)).unwrap_or_default();
        let compiled = Arc::clone(&program.compiled);
        let program = Arc::clone(&compiled.program);
        let (trials, fault) = match py.detach(|| Running::new(compiled, question, limits, most_firings, stop)) {
            Ok(trials) => (Some(trials), None),
            Err(fault) => (None, Some(*fault)),
        };
        Trials { trials, fault, program }
    }

    /// The trials from number `first` on, without the interpreter's lock: what they have found, and why they ended early.
    /// thresholds: values of the importance in parts, and how many paths go on there.
    fn run(
        &mut self,
        py: Python<'_>,
        seed: (u64, u64, u64),
        first: u64,
        count: u64,
        thresholds: Vec<(i128, u64)>,
    ) -> PyResult<(TallyParts, Option<&'static str>)> {
        let trials = self.trials.as_mut().ok_or_else(unbegun)?;
        let thresholds: Vec<Threshold> =
            thresholds.into_iter().map(|(value, factor)| Threshold { value, factor: factor.max(1) }).collect();
        let mut tally = Tally::default();
        let ended = py.detach(|| trials.run([seed.0, seed.1, seed.2], first, count, &thresholds, &mut tally));
        let Tally { trials, hits, sum, squares, at_once, firings } = tally;
        Ok(((trials, hits, sum, squares, at_once, firings), ended.err().map(halt)))
    }

    /// Chooses thresholds.
    fn pilot(&mut self, py: Python<'_>, seed: (u64, u64, u64), paths: u64, wanted: f64) -> PyResult<PilotParts> {
        let trials = self.trials.as_mut().ok_or_else(unbegun)?;
        Ok(match py.detach(|| trials.pilot([seed.0, seed.1, seed.2], paths, wanted)) {
            Ok(Pilot { chosen, share, lengths }) => (chosen, share, lengths, None),
            Err(halted) => (Vec::new(), 0.0, Vec::new(), Some(halt(halted))),
        })
    }

    /// Why the last trial stopped, as of a session.
    #[getter]
    fn error<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyTuple>>> {
        let trials = self.trials.as_ref().ok_or_else(unbegun)?;
        error_parts(py, &trials.last().engine, &self.program)
    }

    /// The fault of a key of the initial marking, as of a session.
    #[getter]
    fn initial_fault<'py>(&self, py: Python<'py>) -> PyResult<Option<Told<'py>>> {
        self.fault.as_ref().map(|fault| told(py, fault, &self.program.spans)).transpose()
    }
}
