//! Rates between the states of a chain, row by row.

use std::ops::Range;

/// The rates of arcs, by their positions.
pub trait Rates: Copy {
    fn of(self, arcs: Range<usize>) -> impl Iterator<Item = f64>;
    /// The same in single precision.
    fn singles(self, arcs: Range<usize>) -> impl Iterator<Item = f32>;
}

impl Rates for &[f64] {
    #[inline(always)]
    fn of(self, arcs: Range<usize>) -> impl Iterator<Item = f64> {
        self[arcs].iter().copied()
    }

    #[inline(always)]
    fn singles(self, arcs: Range<usize>) -> impl Iterator<Item = f32> {
        self.of(arcs).map(|rate| rate as f32)
    }
}

/// Rates of which there are few different ones: for each arc the number of its rate.
#[derive(Clone, Copy)]
pub struct Labelled<'a, T>(pub &'a [T], pub &'a [f64], pub &'a [f32]);

impl<T: Copy + Into<u32>> Rates for Labelled<'_, T> {
    #[inline(always)]
    fn of(self, arcs: Range<usize>) -> impl Iterator<Item = f64> {
        self.0[arcs].iter().map(move |&label| self.1[label.into() as usize])
    }

    #[inline(always)]
    fn singles(self, arcs: Range<usize>) -> impl Iterator<Item = f32> {
        self.0[arcs].iter().map(move |&label| self.2[label.into() as usize])
    }
}

/// Columns and rates of each row, in arrays of its own.
pub struct Rows {
    pub offsets: Vec<u64>,
    pub columns: Vec<u32>,
    pub rates: Vec<f64>,
}

impl Default for Rows {
    fn default() -> Self {
        Rows { offsets: vec![0], columns: Vec::new(), rates: Vec::new() }
    }
}

impl Rows {
    pub fn row(&self, state: usize) -> Range<usize> {
        self.offsets[state] as usize..self.offsets[state + 1] as usize
    }
}

/// Columns and rates of each row. No state has a rate to itself.
pub struct Matrix<'a, R> {
    pub offsets: &'a [u64],
    pub columns: &'a [u32],
    pub rates: R,
    /// The sum of each row.
    pub exits: Vec<f64>,
}

impl<'a, R: Rates> Matrix<'a, R> {
    pub fn new(offsets: &'a [u64], columns: &'a [u32], rates: R) -> Self {
        let row = |state: usize| offsets[state] as usize..offsets[state + 1] as usize;
        let exits =
            (0..offsets.len() - 1).map(|state| rates.of(row(state)).fold(0.0, |sum, rate| sum + rate)).collect();
        Matrix { offsets, columns, rates, exits }
    }

    pub fn states(&self) -> usize {
        self.exits.len()
    }

    #[inline(always)]
    pub fn row(&self, state: usize) -> Range<usize> {
        self.offsets[state] as usize..self.offsets[state + 1] as usize
    }

    /// The columns and rates of a row.
    #[inline(always)]
    pub fn arcs(&self, state: usize) -> impl Iterator<Item = (usize, f64)> + '_ {
        let row = self.row(state);
        self.columns[row.clone()].iter().map(|&column| column as usize).zip(self.rates.of(row))
    }

    /// The same in single precision.
    #[inline(always)]
    pub fn singles(&self, state: usize) -> impl Iterator<Item = (usize, f32)> + '_ {
        let row = self.row(state);
        self.columns[row.clone()].iter().map(|&column| column as usize).zip(self.rates.singles(row))
    }

    /// The same in arrays of its own.
    pub fn to_rows(&self) -> Rows {
        let rates = self.rates.of(0..self.columns.len()).collect();
        Rows { offsets: self.offsets.to_vec(), columns: self.columns.to_vec(), rates }
    }

    /// The rows of these states, which lead nowhere else, divided by a time each, without rates of a state to itself.
    pub fn among(&self, states: &[u32], time: impl Fn(u32) -> f64) -> Rows {
        let mut places = vec![u32::MAX; self.states()];
        states.iter().enumerate().for_each(|(at, &state)| places[state as usize] = at as u32);
        let mut rows = Rows::default();
        for &state in states {
            for (column, rate) in self.arcs(state as usize).filter(|&(column, _)| column != state as usize) {
                rows.columns.push(places[column]);
                rows.rates.push(rate / time(state));
            }
            rows.offsets.push(rows.columns.len() as u64);
        }
        rows
    }
}
