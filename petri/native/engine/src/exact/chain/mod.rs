//! The Markov chain of the tangible states of a graph: firings that take no time are gone through at once.
//!
//! May import, of `exact`: `space`.
//!
//! - [`classes`]: the closed classes of a chain
//! - [`gains`]: long-run averages with bounds
//! - [`krylov`]: cycles of GMRES
//! - [`matrix`]: the rates of a chain
//! - [`stationary`]: stationary distributions with bounds
//! - [`uniform`]: a chain up to an instant
//! - [`vanishing`]: firings that take no time, one after the other or in circles

pub mod classes;
pub mod gains;
pub mod krylov;
pub mod matrix;
pub mod stationary;
pub mod uniform;
pub mod vanishing;

use std::collections::BTreeMap;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, OnceLock};

use crate::collections::narrow::Narrow;
use crate::exact::chain::classes::closed_classes;
use crate::exact::chain::gains::Effort;
use crate::exact::chain::matrix::{Labelled, Matrix, Rows};
use crate::exact::chain::stationary::{stationary, Stationary};
use crate::exact::chain::uniform::{uniformised, Times};
use crate::exact::chain::vanishing::Vanishing;
use crate::exact::space::graph::Graph;

/// Rates [1/net time unit] between the tangible states, or, in ticks, probabilities, by rows. Arcs of a state to itself are left
/// out of rates, and kept in those of ticks.
pub struct Chain {
    pub graph: Arc<Graph>,
    /// The tangible states, by their numbers in the graph.
    pub numbers: Vec<u32>,
    vanishing: Vanishing,
    /// None: the arcs of the graph are the rates as they stand.
    own: Option<Rows>,
    /// States in which it begins, and their probabilities.
    pub initial: Vec<(u32, f64)>,
    closed: OnceLock<Vec<Vec<u32>>>,
}

/// Runs an expression on the matrix of a chain, whatever its arrays are.
macro_rules! on_matrix {
    ($chain:expr, $matrix:ident => $work:expr) => {{
        let graph = &$chain.graph;
        let values: Vec<f64> = graph.labels.all.iter().map(|label| label.value).collect();
        let singles: Vec<f32> = values.iter().map(|&value| value as f32).collect();
        match (&$chain.own, &graph.arc_labels) {
            (Some(rows), _) => on_rows!(rows.offsets, rows.columns, &rows.rates[..], $matrix => $work),
            (_, Narrow::Bytes(labels)) => {
                on_rows!(graph.offsets, graph.targets, Labelled(labels, &values, &singles), $matrix => $work)
            }
            (_, Narrow::Halves(labels)) => {
                on_rows!(graph.offsets, graph.targets, Labelled(labels, &values, &singles), $matrix => $work)
            }
            (_, Narrow::Words(labels)) => {
                on_rows!(graph.offsets, graph.targets, Labelled(labels, &values, &singles), $matrix => $work)
            }
        }
    }};
}

macro_rules! on_rows {
    ($offsets:expr, $columns:expr, $rates:expr, $matrix:ident => $work:expr) => {{
        let $matrix = Matrix::new(&$offsets, &$columns, $rates);
        $work
    }};
}

/// The number among the tangible states, of each state of a graph; MAX of vanishing ones.
fn places(graph: &Graph, numbers: &[u32]) -> Vec<u32> {
    let mut places = vec![u32::MAX; graph.states.len()];
    numbers.iter().enumerate().for_each(|(at, &state)| places[state as usize] = at as u32);
    places
}

/// Sums by column, of one row at a time.
struct Gathered {
    sums: Vec<f64>,
    known: Vec<bool>,
    columns: Vec<u32>,
}

impl Gathered {
    fn add(&mut self, column: u32, weight: f64) {
        if !std::mem::replace(&mut self.known[column as usize], true) {
            self.columns.push(column);
        }
        self.sums[column as usize] += weight;
    }

    /// The row, in the order of its columns; the next begins.
    fn take(&mut self) -> impl Iterator<Item = (u32, f64)> + '_ {
        self.columns.sort_unstable();
        let (sums, known) = (&mut self.sums, &mut self.known);
        let row = self.columns.drain(..).map(|column| {
            known[column as usize] = false;
            (column, std::mem::take(&mut sums[column as usize]))
        });
        row.filter(|&(_, weight)| weight > 0.0)
    }

    /// Appends the row.
    fn finish(&mut self, rows: &mut Rows) {
        for (column, weight) in self.take() {
            rows.columns.push(column);
            rows.rates.push(weight);
        }
        rows.offsets.push(rows.columns.len() as u64);
    }
}

impl Chain {
    /// The chain of a graph that was explored to its end. The error: vanishing states that nothing leaves, so that time stands still.
    pub fn new(graph: Arc<Graph>) -> Result<Self, Vec<u32>> {
        let vanishing = Vanishing::of(&graph)?;
        let numbers: Vec<u32> = (0..graph.states.len() as u32).filter(|&s| !graph.is_vanishing(s as usize)).collect();
        let loops = |state: usize| graph.targets[graph.arcs(state)].contains(&(state as u32));
        let stands = vanishing.is_empty() && !graph.model.in_ticks && !(0..graph.states.len()).any(loops);
        let (own, initial) = match stands {
            true => (None, vec![(0, 1.0)]),
            false => eliminated(&graph, &numbers, &vanishing),
        };
        Ok(Chain { graph, numbers, vanishing, own, initial, closed: OnceLock::new() })
    }

    pub fn states(&self) -> usize {
        self.numbers.len()
    }

    /// The rows as plain numbers.
    pub fn rows(&self) -> Rows {
        on_matrix!(self, matrix => matrix.to_rows())
    }

    /// The sum of each row.
    pub fn exits(&self) -> Vec<f64> {
        on_matrix!(self, matrix => matrix.exits)
    }

    /// The sets of states that it does not leave, each in the order of the states.
    pub fn closed(&self) -> &[Vec<u32>] {
        self.closed.get_or_init(|| on_matrix!(self, matrix => closed_classes(matrix.offsets, matrix.columns)))
    }

    /// The stationary distribution of a closed class of at least two states.
    pub fn stationary(&self, class: usize, effort: Effort, stop: &AtomicU64) -> Stationary {
        let states = &self.closed()[class];
        if states.len() == self.states() && !self.graph.model.in_ticks {
            return on_matrix!(self, matrix => stationary(&matrix, effort, stop));
        }
        let rows = self.rates_in(states);
        stationary(&Matrix::new(&rows.offsets, &rows.columns, &rows.rates[..]), effort, stop)
    }

    /// The rates [1/net time unit] in a closed class.
    pub fn rates_in(&self, states: &[u32]) -> Rows {
        let time = |state: u32| match self.graph.model.in_ticks {
            true => self.graph.model.program.tick.time(self.graph.ticks[self.numbers[state as usize] as usize] as f64),
            false => 1.0,
        };
        on_matrix!(self, matrix => matrix.among(states, time))
    }

    /// The most arcs into a state.
    pub fn most_into(&self) -> u32 {
        let mut into = vec![0u32; self.states()];
        on_matrix!(self, matrix => matrix.columns.iter().for_each(|&column| into[column as usize] += 1));
        into.into_iter().max().unwrap_or(0)
    }

    /// Times and probabilities of a continuous chain, by its steps at the rate `rate`; see `uniformised`.
    pub fn uniformised(&self, start: Vec<f64>, rate: f64, first: usize, chances: &[f64], stop: &AtomicU64) -> Times {
        on_matrix!(self, matrix => uniformised(&matrix, start, rate, first, chances, stop))
    }

    // -------------------------------------------------------- what arcs bring

    /// What arcs bring, a weighted amount each, in each tangible state until time passes again; and before it begins to pass.
    pub fn brought(&self, amount: impl Fn(usize, usize) -> f64) -> (Vec<f64>, f64) {
        let graph = &*self.graph;
        let values: Vec<f64> = graph.labels.all.iter().map(|label| label.value).collect();
        let weight = |arc: usize| values[graph.arc_labels.get(arc) as usize];
        let own = |state: usize| graph.arcs(state).map(|arc| weight(arc) * amount(state, arc)).sum::<f64>();
        if self.vanishing.is_empty() {
            return (self.numbers.iter().map(|&state| own(state as usize)).collect(), 0.0);
        }
        let mut after = vec![0.0; graph.states.len()];
        let later = |after: &[f64], state: usize| -> f64 {
            let vanishing = graph.arcs(state).filter(|&arc| graph.is_vanishing(graph.targets[arc] as usize));
            vanishing.map(|arc| weight(arc) * after[graph.targets[arc] as usize]).sum()
        };
        for (states, circle) in self.vanishing.parts() {
            let follows = |&state: &u32| own(state as usize) + later(&after, state as usize);
            let mut found: Vec<f64> = states.iter().map(follows).collect();
            if let Some(circle) = circle {
                circle.solve(&mut found, |to, share, from| *to += share * from, |to, by| *to *= by);
            }
            states.iter().zip(found).for_each(|(&state, found)| after[state as usize] = found);
        }
        let brought = self.numbers.iter().map(|&state| own(state as usize) + later(&after, state as usize));
        (brought.collect(), after[0])
    }

    /// The firings of a transition that start.
    pub fn firings(&self, transition: usize) -> (Vec<f64>, f64) {
        let labels = &self.graph.labels.all;
        let counts: Vec<f64> = labels
            .iter()
            .map(|label| f64::from(label.transition as usize == transition && label.role.starts()))
            .collect();
        self.brought(|_, arc| counts[self.graph.arc_labels.get(arc) as usize])
    }

    /// The tokens that firings give to places, together. `taken`: how many a start of each transition takes, and the places
    /// of these that it empties besides.
    pub fn arrivals(&self, places: &[usize], taken: &[(f64, Vec<usize>)]) -> (Vec<f64>, f64) {
        let graph = &*self.graph;
        let counts = self.counts_together(places);
        let emptied: Vec<Vec<u32>> = taken.iter().map(|(_, emptied)| self.counts_together(emptied)).collect();
        let labels = &graph.labels.all;
        self.brought(|state, arc| {
            let (before, now) = (f64::from(counts[state]), f64::from(counts[graph.targets[arc] as usize]));
            let label = &labels[graph.arc_labels.get(arc) as usize];
            if !label.role.starts() {
                return now - before;
            }
            let lost = emptied[label.transition as usize].get(state).map_or(0.0, |&count| f64::from(count));
            now - before + taken[label.transition as usize].0 + lost
        })
    }

    /// The tokens of places in each state; nothing of no places.
    fn counts_together(&self, places: &[usize]) -> Vec<u32> {
        let mut together = Vec::new();
        for &place in places {
            let counts = self.graph.counts(place);
            together.resize(counts.len(), 0);
            together.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count as u32);
        }
        together
    }
}

/// The rows of the tangible states, and where the chain begins.
fn eliminated(graph: &Graph, numbers: &[u32], vanishing: &Vanishing) -> (Option<Rows>, Vec<(u32, f64)>) {
    let places = places(graph, numbers);
    let mut gathered =
        Gathered { sums: vec![0.0; numbers.len()], known: vec![false; numbers.len()], columns: Vec::new() };
    let mut through = Rows::default(); // of vanishing states, in their order
    let mut row_of = vec![u32::MAX; graph.states.len()];
    let add = |gathered: &mut Gathered, through: &Rows, row_of: &[u32], state: usize, leaves_out: u32| {
        for arc in graph.arcs(state) {
            let (target, weight) = (graph.targets[arc] as usize, graph.label(arc).value);
            let row = row_of[target];
            if row == u32::MAX {
                if places[target] != leaves_out {
                    gathered.add(places[target], weight);
                }
                continue;
            }
            for at in through.row(row as usize) {
                if through.columns[at] != leaves_out {
                    gathered.add(through.columns[at], weight * through.rates[at]);
                }
            }
        }
    };
    for (states, circle) in vanishing.parts() {
        let mut found: Vec<BTreeMap<u32, f64>> = Vec::new();
        for &state in states {
            // Targets within a circle have neither a place nor a row yet.
            add(&mut gathered, &through, &row_of, state as usize, u32::MAX);
            if circle.is_some() {
                found.push(gathered.take().collect());
            }
        }
        if let Some(circle) = circle {
            let add = |to: &mut BTreeMap<u32, f64>, share: f64, from: &BTreeMap<u32, f64>| {
                from.iter().for_each(|(&column, weight)| *to.entry(column).or_default() += share * weight);
            };
            circle.solve(&mut found, add, |to, by| to.values_mut().for_each(|weight| *weight *= by));
        }
        let mut found = found.iter();
        for &state in states {
            found.next().into_iter().flatten().for_each(|(&column, &weight)| gathered.add(column, weight));
            row_of[state as usize] = through.offsets.len() as u32 - 1;
            gathered.finish(&mut through);
        }
    }
    let mut rows = Rows::default();
    for (at, &state) in numbers.iter().enumerate() {
        let leaves_out = if graph.model.in_ticks { u32::MAX } else { at as u32 };
        add(&mut gathered, &through, &row_of, state as usize, leaves_out);
        gathered.finish(&mut rows);
    }
    let initial = match row_of[0] {
        u32::MAX => vec![(places[0], 1.0)],
        row => through.row(row as usize).map(|at| (through.columns[at], through.rates[at])).collect(),
    };
    (Some(rows), initial)
}
