//! The values of a sample in logarithmic buckets; the twin of `petri/measure/histogram.py`.
//!
//! A bucket is the leading bits of a double: sign, exponent, 7 bits of the significand. Both twins do the same
//! operations in the same order, so every result is equal bit for bit. Mean, deviation and quantiles are made there.

use crate::base::saved::{fits, Fit, SavedHistogram};

const SIGNIFICAND_BITS: u32 = 7;
const DROPPED_BITS: u32 = 52 - SIGNIFICAND_BITS;
/// Cells are added to a row in steps of one octave.
const STEP: i64 = 1 << SIGNIFICAND_BITS;

/// The number of the bucket with the greatest doubles.
const MOST_BUCKET: u64 = f64::MAX.to_bits() >> DROPPED_BITS;

/// The bucket of a finite value; 0 holds zero and what is closer to it than 2^-1029.
pub fn bucket(value: f64) -> i64 {
    let magnitude = (value.abs().to_bits() >> DROPPED_BITS) as i64;
    if value > 0.0 {
        magnitude
    } else {
        -magnitude
    }
}

/// The value in a bucket that is nearest to zero.
pub fn edge(number: i64) -> f64 {
    let magnitude = f64::from_bits(number.unsigned_abs() << DROPPED_BITS);
    if number < 0 {
        -magnitude
    } else {
        magnitude
    }
}

/// How many values a bucket has, and the sum of their distances from its edge.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Cell {
    count: u64,
    excess: f64,
}

/// The buckets of one sign, from the least to the greatest magnitude seen: at most 2^18 cells.
#[derive(Clone, Debug, Default)]
struct SignBuckets {
    /// Magnitude of the first cell's bucket, a multiple of `STEP`.
    base: i64,
    cells: Vec<Cell>,
}

impl SignBuckets {
    #[inline]
    fn cell(&mut self, magnitude: i64) -> &mut Cell {
        let index = magnitude - self.base;
        if index < 0 || index >= self.cells.len() as i64 {
            self.reach(magnitude);
        }
        &mut self.cells[(magnitude - self.base) as usize]
    }

    #[cold]
    fn reach(&mut self, magnitude: i64) {
        let low = magnitude & !(STEP - 1);
        if self.cells.is_empty() {
            self.base = low;
        }
        if low < self.base {
            let more = (self.base - low) as usize;
            self.cells.splice(0..0, std::iter::repeat_n(Cell::default(), more));
            self.base = low;
        }
        let needed = (low + STEP - self.base) as usize;
        if needed > self.cells.len() {
            self.cells.resize(needed, Cell::default());
        }
    }

    /// The buckets with values, by ascending magnitude.
    fn filled(&self) -> impl DoubleEndedIterator<Item = (i64, Cell)> + '_ {
        let numbered = self.cells.iter().enumerate();
        numbered.filter(|(_, cell)| cell.count > 0).map(|(index, cell)| (self.base + index as i64, *cell))
    }
}

/// The whole state of a histogram as plain numbers; of the buckets, those with values, ascending.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Snapshot {
    pub count: u64,
    pub origin: f64,
    pub first_moment: f64,
    pub second_moment: f64,
    pub min: f64,
    pub max: f64,
    pub buckets: Vec<i64>,
    pub counts: Vec<i64>,
    pub excesses: Vec<f64>,
}

/// A sample. Sums are of differences from the first value (`origin`), so that no digits cancel in the variance.
#[derive(Clone, Debug)]
pub struct Histogram {
    count: u64,
    origin: f64,
    first_moment: f64,
    second_moment: f64,
    minimum: f64,
    maximum: f64,
    zero: Cell,
    positive: SignBuckets,
    negative: SignBuckets,
    /// How many buckets have values: a snapshot need not look beyond the last of them.
    used: usize,
}

impl Default for Histogram {
    fn default() -> Self {
        Self::new()
    }
}

impl Histogram {
    pub fn new() -> Self {
        Self {
            count: 0,
            origin: 0.0,
            first_moment: 0.0,
            second_moment: 0.0,
            minimum: f64::INFINITY,
            maximum: f64::NEG_INFINITY,
            zero: Cell::default(),
            positive: SignBuckets::default(),
            negative: SignBuckets::default(),
            used: 0,
        }
    }

    /// Take in one finite value.
    #[inline]
    pub fn add(&mut self, value: f64) {
        if self.count == 0 {
            self.origin = value;
        }
        self.count += 1;
        let difference = value - self.origin;
        self.first_moment += difference;
        self.second_moment += difference * difference;
        if value < self.minimum {
            self.minimum = value;
        }
        if value > self.maximum {
            self.maximum = value;
        }
        let number = bucket(value);
        self.put(number, 1, value - edge(number));
    }

    /// Values, one at least, come into a bucket. The distances from its edge have this sum.
    #[inline]
    fn put(&mut self, number: i64, count: u64, excess: f64) {
        let cell = self.cell(number);
        let first = cell.count == 0;
        cell.count += count;
        cell.excess += excess;
        self.used += usize::from(first);
    }

    #[inline]
    fn cell(&mut self, number: i64) -> &mut Cell {
        match number {
            0 => &mut self.zero,
            1.. => self.positive.cell(number),
            _ => self.negative.cell(-number),
        }
    }

    /// Take in another sample.
    pub fn merge(&mut self, other: &Histogram) {
        if other.count == 0 {
            return;
        }
        if self.count == 0 {
            self.origin = other.origin;
        }
        let shift = other.origin - self.origin;
        let moved = other.count as f64 * shift;
        self.second_moment += other.second_moment + shift * (2.0 * other.first_moment + moved);
        self.first_moment += other.first_moment + moved;
        self.count += other.count;
        self.minimum = self.minimum.min(other.minimum);
        self.maximum = self.maximum.max(other.maximum);
        for (number, theirs) in other.filled() {
            self.put(number, theirs.count, theirs.excess);
        }
    }

    /// The buckets with values, ascending.
    fn filled(&self) -> impl Iterator<Item = (i64, Cell)> + '_ {
        let below = self.negative.filled().rev().map(|(magnitude, cell)| (-magnitude, cell));
        let zero = (self.zero.count > 0).then_some((0, self.zero));
        below.chain(zero).chain(self.positive.filled())
    }

    pub fn save(&self) -> SavedHistogram {
        let Snapshot { count, origin, first_moment, second_moment, min, max, buckets, counts, excesses } =
            self.snapshot();
        let counts = counts.into_iter().map(|count| count as u64).collect();
        let (minimum, maximum) = (min, max);
        SavedHistogram { count, origin, first_moment, second_moment, minimum, maximum, buckets, counts, excesses }
    }

    pub fn of(saved: &SavedHistogram) -> Fit<Self> {
        let cells = [saved.counts.len(), saved.excesses.len()];
        fits(cells == [saved.buckets.len(); 2], "the buckets of a sample lack a count or a sum")?;
        let mut histogram = Self {
            count: saved.count,
            origin: saved.origin,
            first_moment: saved.first_moment,
            second_moment: saved.second_moment,
            minimum: saved.minimum,
            maximum: saved.maximum,
            ..Self::new()
        };
        for (index, &number) in saved.buckets.iter().enumerate() {
            fits(number.unsigned_abs() <= MOST_BUCKET, "a bucket of a sample has a number that none has")?;
            *histogram.cell(number) = Cell { count: saved.counts[index], excess: saved.excesses[index] };
        }
        histogram.used = histogram.filled().count();
        Ok(histogram)
    }

    pub fn snapshot(&self) -> Snapshot {
        let mut snapshot = Snapshot {
            buckets: Vec::with_capacity(self.used),
            counts: Vec::with_capacity(self.used),
            excesses: Vec::with_capacity(self.used),
            count: self.count,
            origin: self.origin,
            first_moment: self.first_moment,
            second_moment: self.second_moment,
            min: self.minimum,
            max: self.maximum,
        };
        self.filled().take(self.used).for_each(|(number, cell)| {
            snapshot.buckets.push(number);
            snapshot.counts.push(cell.count as i64);
            snapshot.excesses.push(cell.excess);
        });
        snapshot
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::observe::shared_cases::{cases, digits};

    fn number(word: &str) -> f64 {
        f64::from_bits(u64::from_str_radix(word, 16).unwrap())
    }

    #[test]
    fn of_a_bucket_that_is_saved_twice_the_last_counts() {
        let mut histogram = Histogram::new();
        [1.0, 1.0, 3.0].into_iter().for_each(|value| histogram.add(value));
        let mut saved = histogram.save();
        (saved.buckets[1], saved.counts[1]) = (saved.buckets[0], 5);
        let state = Histogram::of(&saved).expect("a histogram").snapshot();
        assert_eq!((state.buckets, state.counts), (vec![bucket(1.0)], vec![5]));
    }

    fn outcome(events: &[&str]) -> Vec<String> {
        let mut parts = events.split(|&event| event == "merge").map(|values| {
            let mut histogram = Histogram::new();
            values.iter().for_each(|value| histogram.add(number(value)));
            histogram
        });
        let mut histogram = parts.next().unwrap();
        histogram.merge(&parts.next().unwrap());
        let state = histogram.snapshot();
        let figures = [state.origin, state.first_moment, state.second_moment, state.min, state.max];
        let mut words = vec![state.count.to_string()];
        words.extend(figures.map(digits));
        for (index, bucket) in state.buckets.iter().enumerate() {
            words.push(format!("{bucket}:{}:{}", state.counts[index], digits(state.excesses[index])));
        }
        words
    }

    #[test]
    fn agrees_with_its_twin() {
        let cases = cases("histogram");
        assert!(!cases.is_empty());
        for [_, events, expected] in cases {
            assert_eq!(outcome(&events), expected);
        }
    }

    #[test]
    fn memory_is_bounded_by_the_range_of_doubles() {
        let mut histogram = Histogram::new();
        for value in [f64::MAX, f64::MIN, f64::MIN_POSITIVE, -f64::MIN_POSITIVE, 1.0] {
            histogram.add(value);
        }
        assert!(histogram.positive.cells.len() <= 1 << 18 && histogram.negative.cells.len() <= 1 << 18);
        assert_eq!(histogram.snapshot().counts, [1; 5]);
    }
}
