//! Replications that stop at decisions, side by side on threads, for agents that learn (`petri/engine/episodes.py`).

use std::num::NonZero;
use std::thread::{available_parallelism, scope};

use engine::base::ids::{PlaceId, TransitionId};
use engine::base::ticks::{Ticks, NEVER};
use engine::engine::run::{Engine, Reason};
use engine::session::observed::Observed;
use engine::session::replication::Replication;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use crate::arrays::words;
use crate::snapshot::Columns;
use crate::{reason_name, unbegun, Session};

/// A number in mixed radix. Of each digit: where its value is, the least value, and how many there are.
type Digits = Vec<(usize, i64, usize)>;
/// The number of a first action, or a first entry of an observation; what it is about; and the values that tell others from it.
type Table = Vec<(usize, u32, Digits)>;

/// Firings between two looks at whether the program is to end.
const PIECE: u64 = 1 << 22;

/// The actions and observations of a net.
struct Tables {
    actions: Table,
    /// Of tokens in places, and of firings in progress.
    places: Table,
    firings: Table,
    /// How many actions there are, without the one that lets time go on.
    count: usize,
}

/// A replication, and what was seen of it last.
struct Episode {
    replication: Option<Replication>,
    reason: Reason,
    /// Nothing has been done since it began.
    fresh: bool,
    observed: Option<Observed>,
    observation: Vec<f32>,
    mask: Vec<u8>,
}

/// Replications of one net, each at a decision or at its end.
#[pyclass(module = "petri._native")]
pub struct Episodes {
    tables: Tables,
    until: Ticks,
    episodes: Vec<Episode>,
}

/// The number that values make, or None where one is outside its range.
fn number_of(digits: &Digits, value: impl Fn(usize) -> Option<u64>) -> Option<usize> {
    digits.iter().try_fold(0, |number, &(at, low, count)| {
        let digit = usize::try_from((value(at)? as i64).checked_sub(low)?).ok().filter(|&digit| digit < count)?;
        Some(number * count + digit)
    })
}

fn size(digits: &Digits) -> usize {
    digits.iter().fold(1, |size, digit| size.saturating_mul(digit.2))
}

impl Tables {
    /// The transition and the values of its variables that an action is.
    fn action(&self, number: usize) -> Option<(TransitionId, Vec<(usize, u64)>)> {
        let (first, transition, digits) = self.actions.iter().rev().find(|(first, ..)| *first <= number)?;
        let mut rest = number - first;
        let mut wanted = Vec::with_capacity(digits.len());
        for &(variable, low, count) in digits.iter().rev() {
            wanted.push((variable, (low + (rest % count) as i64) as u64));
            rest /= count;
        }
        Some((TransitionId(*transition), wanted))
    }

    fn observe(&self, engine: &Engine, observation: &mut [f32]) {
        observation.fill(0.0);
        for (first, place, digits) in &self.places {
            let place = PlaceId(*place);
            if digits.is_empty() {
                observation[*first] = engine.marking.places[place].tokens as f32;
                continue;
            }
            for token in engine.marking.listed(&engine.program, place) {
                if let Some(entry) = number_of(digits, |slot| token.get(slot).copied()) {
                    observation[first + entry] += 1.0;
                }
            }
        }
        for (entry, transition, _) in &self.firings {
            observation[*entry] = engine.enabling.transitions[TransitionId(*transition)].in_progress as f32;
        }
    }

    /// Marks the actions that are enabled.
    fn mark(&self, engine: &mut Engine, mask: &mut [u8]) {
        mask.fill(0);
        engine.decidable(|transition, values| {
            let table = self.actions.iter().find(|(_, of, _)| *of == transition.0);
            let entry = table.and_then(|(first, _, digits)| {
                Some(first + number_of(digits, |variable| values.get(variable).copied())?)
            });
            if let Some(marked) = entry.and_then(|entry| mask.get_mut(entry)) {
                *marked = 1;
            }
        });
        mask[self.count..].fill(1);
    }
}

impl Episode {
    /// Does an action that is enabled; it has yet to go on.
    fn act(&mut self, tables: &Tables, action: i64) {
        let action = usize::try_from(action).unwrap_or(usize::MAX);
        let is_enabled = self.reason == Reason::Decision && self.mask.get(action) == Some(&1);
        let Some(replication) = self.replication.as_mut().filter(|_| is_enabled) else { return };
        if !std::mem::take(&mut self.fresh) {
            replication.engine.begin_window();
        }
        match tables.action(action).filter(|_| action < tables.count) {
            Some((transition, wanted)) => {
                replication.engine.decide(transition, &wanted);
            }
            None => replication.engine.pass_over(),
        }
        self.reason = Reason::Budget;
    }

    /// Goes on towards the next decision, or the end, and looks.
    fn go_on(&mut self, tables: &Tables, until: Ticks) {
        let Some(replication) = &mut self.replication else { return };
        if self.reason == Reason::Budget {
            self.reason = replication.advance(until, PIECE);
        }
        if self.reason == Reason::Budget {
            return;
        }
        let engine = &mut *replication.engine;
        if self.reason == Reason::Dead && until < NEVER {
            engine.rest(until);
        }
        self.observed = Some(Observed::of(engine));
        tables.observe(engine, &mut self.observation);
        tables.mark(engine, &mut self.mask);
        if engine.error.is_some() {
            self.reason = Reason::Error;
        }
    }
}

#[pymethods]
impl Episodes {
    /// rows: how many episodes. tables: of actions, of places and of firings. sizes: how many actions there are, and how long an
    /// observation is. passes: whether one more action lets time go on. until: where episodes end [ticks].
    #[new]
    fn new(
        session: &Session,
        rows: usize,
        tables: (Table, Table, Table),
        sizes: (usize, usize),
        passes: bool,
        until: f64,
    ) -> PyResult<Self> {
        let ((actions, places, firings), (count, width)) = (tables, sizes);
        let fits = |table: &Table, limit: usize, of: usize| {
            table.iter().all(|(first, at, digits)| first.saturating_add(size(digits)) <= limit && (*at as usize) < of)
        };
        let program = &session.program;
        let known = fits(&places, width, program.own_places) && fits(&firings, width, program.own);
        if !known || !fits(&actions, count, program.own) {
            return Err(PyValueError::new_err("the tables do not fit the net"));
        }
        let episode = || Episode {
            replication: None,
            reason: Reason::Dead,
            fresh: true,
            observed: None,
            observation: vec![0.0; width],
            mask: vec![0; count + usize::from(passes)],
        };
        let until = until.clamp(0.0, NEVER as f64) as Ticks;
        let episodes = (0..rows).map(|_| episode()).collect();
        Ok(Episodes { tables: Tables { actions, places, firings, count }, until, episodes })
    }

    /// An episode is from now on where a session is.
    fn begin(&mut self, row: usize, session: &Session) -> PyResult<()> {
        let replication = session.running()?.copied().map_err(|_| unbegun())?;
        let episode = self.episodes.get_mut(row).ok_or_else(|| PyValueError::new_err("there is no such row"))?;
        (episode.replication, episode.reason, episode.fresh) = (Some(replication), Reason::Budget, true);
        Ok(())
    }

    /// A session where an episode is.
    fn session(&self, row: usize) -> PyResult<Session> {
        let kept = self.episodes.get(row).and_then(|episode| episode.replication.as_ref()).ok_or_else(unbegun)?;
        let replication = kept.copied().map_err(|_| unbegun())?;
        let program = std::sync::Arc::clone(&kept.compiled().program);
        Ok(Session { replication: Some(replication), fault: None, program })
    }

    /// Does an action in each episode where it is enabled, and goes on to the next decisions, on threads and without the interpreter's
    /// lock. Returns the reason, the time, the observation and the mask of each, and what was seen since the last action.
    fn step<'py>(&mut self, py: Python<'py>, actions: Vec<i64>) -> PyResult<Bound<'py, PyDict>> {
        if actions.len() != self.episodes.len() || self.episodes.iter().any(|episode| episode.replication.is_none()) {
            return Err(PyValueError::new_err("an action for each episode is needed"));
        }
        for (episode, &action) in self.episodes.iter_mut().zip(&actions) {
            episode.act(&self.tables, action);
        }
        loop {
            py.detach(|| self.go_on());
            py.check_signals()?;
            if self.episodes.iter().all(|episode| episode.reason != Reason::Budget) {
                break;
            }
        }
        self.told(py)
    }
}

impl Episodes {
    /// All go on, some on each core.
    fn go_on(&mut self) {
        let threads = available_parallelism().map_or(1, NonZero::get).min(self.episodes.len());
        let part = self.episodes.len().div_ceil(threads.max(1)).max(1);
        let (tables, until) = (&self.tables, self.until);
        let run = |episodes: &mut [Episode]| episodes.iter_mut().for_each(|episode| episode.go_on(tables, until));
        let mut parts = self.episodes.chunks_mut(part);
        let Some(own) = parts.next() else { return };
        scope(|scope| {
            parts.for_each(|part| {
                scope.spawn(move || run(part));
            });
            run(own);
        });
    }

    fn told<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let told = PyDict::new(py);
        let reasons: Vec<_> = self.episodes.iter().map(|episode| reason_name(episode.reason)).collect();
        told.set_item("reasons", reasons)?;
        let now = |episode: &Episode| episode.replication.as_ref().map_or(0.0, |one| one.engine.now as f64);
        told.set_item("times", words(py, &self.episodes, |episode| now(episode).to_ne_bytes())?)?;
        let entries = self.episodes.iter().flat_map(|episode| &episode.observation);
        let observations: Vec<u8> = entries.flat_map(|entry| entry.to_ne_bytes()).collect();
        told.set_item("observations", PyBytes::new(py, &observations))?;
        let masks: Vec<u8> = self.episodes.iter().flat_map(|episode| &episode.mask).copied().collect();
        told.set_item("masks", PyBytes::new(py, &masks))?;
        let mut columns = Columns::new(self.episodes.len());
        self.episodes.iter_mut().filter_map(|episode| episode.observed.take()).for_each(|seen| columns.add(&seen));
        told.set_item("seen", columns.read(py)?)?;
        Ok(told)
    }
}
