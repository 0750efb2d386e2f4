//! The content of a place: the sum of a value over its tokens, and the integral of that sum over time. A value of the marking
//! that is watched ([`Watched`]) has such an integral, too.
//!
//! Sums are of whole numbers, so none is rounded and their order does not matter. Real values are rounded to whole parts
//! ([`PARTS`]). A sum of 2³² values is below 2¹²⁶ parts, and its integral over 2⁶³ ticks below 2¹⁸⁹ ([`Wide`]).

use crate::base::saved::{fits, number, wide, wide_of, Fit, SavedContent, SavedWatched};
use crate::base::ticks::Ticks;

/// Parts of 1 for real values: 2⁴⁰.
const PARTS: f64 = (1_u64 << 40) as f64;
/// A real value counts as no more than this, and as no less than its negative: 2⁵³.
const MOST: f64 = (1_u64 << 53) as f64;

/// A real value in parts, the even one of two that are equally near.
pub fn in_parts(value: f64) -> i128 {
    (value.clamp(-MOST, MOST) * PARTS).round_ties_even() as i128
}

#[derive(Clone, Debug)]
pub struct Content {
    /// Of the tokens in the place, in parts where the values are real; and since when it is that.
    sum: i128,
    since: Ticks,
    integral: Wide,
    greatest: i128,
    /// The length of a part.
    unit: f64,
}

impl Content {
    pub fn new(real: bool) -> Self {
        let unit = if real { 1.0 / PARTS } else { 1.0 };
        Content { sum: 0, since: 0, integral: Wide::default(), greatest: 0, unit }
    }

    /// Adds a token of this value, or removes one of its negative.
    pub fn add(&mut self, value: i128, now: Ticks) {
        self.become_sum(self.sum + value, now);
    }

    /// All tokens go.
    pub fn empty(&mut self, now: Ticks) {
        self.become_sum(0, now);
    }

    fn become_sum(&mut self, sum: i128, now: Ticks) {
        self.integral.add(self.sum, (now - self.since) as u64);
        self.since = now;
        self.sum = sum;
        self.greatest = self.greatest.max(sum);
    }

    /// Restarts the statistics and keeps the tokens.
    pub fn restart(&mut self, now: Ticks) {
        self.integral = Wide::default();
        self.since = now;
        self.greatest = self.sum;
    }

    /// The integral up to `now` [value × ticks], rounded once.
    pub fn integral(&self, now: Ticks) -> f64 {
        let mut integral = self.integral;
        integral.add(self.sum, (now - self.since) as u64);
        integral.nearest() * self.unit
    }

    pub fn save(&self, now: Ticks) -> SavedContent {
        let mut integral = self.integral;
        integral.add(self.sum, (now - self.since) as u64);
        let integral = wide_of(integral.high, integral.low);
        SavedContent { sum: wide(self.sum), integral, greatest: wide(self.greatest) }
    }

    pub fn resume(&mut self, saved: &SavedContent, now: Ticks) -> Fit<()> {
        (self.sum, self.since, self.greatest) = (number(saved.sum)?, now, number(saved.greatest)?);
        let [low, middle, high] = saved.integral;
        self.integral = Wide { high: i128::from(high as i64) << 64 | i128::from(middle), low };
        Ok(())
    }

    /// The greatest sum at any instant.
    pub fn greatest(&self) -> f64 {
        self.greatest as f64 * self.unit
    }
}

/// A value of the marking, read at the end of each instant at which it may have changed (M6).
#[derive(Clone, Debug)]
pub struct Watched {
    value: Content,
    /// The least value since the statistics began; none before it was read for the first time.
    least: Option<i128>,
    /// When the statistics began, and when the value was not 0 for the first time since.
    window: Ticks,
    first: Option<Ticks>,
    /// Whether the value may have changed at this instant.
    pub unsettled: bool,
}

impl Watched {
    pub fn new(real: bool) -> Self {
        Watched { value: Content::new(real), least: None, window: 0, first: None, unsettled: false }
    }

    /// The instant is over, and this is the value of the marking.
    pub fn read(&mut self, value: i128, now: Ticks) {
        if value != self.value.sum {
            self.value.become_sum(value, now);
        }
        if self.least.is_none() {
            self.value.greatest = value;
        }
        self.least = Some(self.least.map_or(value, |least| least.min(value)));
        if value != 0 && self.first.is_none() {
            self.first = Some(now);
        }
    }

    /// The value when it was read last, in parts where it is real.
    pub fn value(&self) -> i128 {
        self.value.sum
    }

    /// Restarts the statistics and keeps the value.
    pub fn restart(&mut self, now: Ticks) {
        self.value.restart(now);
        self.window = now;
        self.least = self.least.map(|_| self.value.sum);
        self.first = (self.least.is_some() && self.value.sum != 0).then_some(now);
    }

    pub fn save(&self, now: Ticks) -> SavedWatched {
        let SavedContent { sum, integral, greatest } = self.value.save(now);
        let (least, greatest) = (self.least.map(wide), self.least.map(|_| greatest));
        SavedWatched { value: sum, integral, least, greatest, first: self.first }
    }

    pub fn resume(&mut self, saved: &SavedWatched, window: Ticks, now: Ticks) -> Fit<()> {
        let &SavedWatched { value: sum, integral, least, greatest, first } = saved;
        fits(least.is_some() == greatest.is_some(), "a measure of the marking has one extreme and not the other")?;
        self.value.resume(&SavedContent { sum, integral, greatest: greatest.unwrap_or_default() }, now)?;
        self.least = least.map(number).transpose()?;
        (self.window, self.first) = (window, first);
        Ok(())
    }

    pub fn integral(&self, now: Ticks) -> f64 {
        self.value.integral(now)
    }

    /// The least and the greatest value.
    pub fn extremes(&self) -> [f64; 2] {
        match self.least {
            Some(least) => [least as f64 * self.value.unit, self.value.greatest()],
            None => [f64::NAN; 2],
        }
    }

    /// How long it took until the value was not 0; not a number if it always was.
    pub fn first(&self) -> f64 {
        self.first.map_or(f64::NAN, |first| (first - self.window) as f64)
    }
}

/// The whole number `high` · 2⁶⁴ + `low`.
#[derive(Clone, Copy, Debug, Default)]
struct Wide {
    high: i128,
    low: u64,
}

impl Wide {
    /// Adds a product.
    fn add(&mut self, number: i128, time: u64) {
        let product = u128::from(number as u64) * u128::from(time);
        let (low, carry) = self.low.overflowing_add(product as u64);
        self.low = low;
        self.high += (number >> 64) * i128::from(time) + (product >> 64) as i128 + i128::from(carry);
    }

    /// The nearest double, the even one of two.
    fn nearest(self) -> f64 {
        if self.high == i128::from(self.high as i64) {
            return ((self.high << 64) | i128::from(self.low)) as f64;
        }
        let negative = self.high < 0;
        let low = if negative { self.low.wrapping_neg() } else { self.low };
        let high = self.high.unsigned_abs() - u128::from(negative && low != 0);
        let shift = 64 - high.leading_zeros().min(64);
        // The first 128 bits. The last of them is also set if one of the bits after it is, so that rounding is right.
        let first = if shift == 64 { high } else { (high << (64 - shift)) | u128::from(low >> shift) };
        let rest = if shift == 64 { low } else { low & ((1 << shift) - 1) };
        let size = (first | u128::from(rest != 0)) as f64 * 2_f64.powi(shift as i32);
        if negative {
            -size
        } else {
            size
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_integral_is_the_sum_times_how_long_it_lasts() {
        let mut content = Content::new(false);
        content.add(64, 0);
        content.add(1500, 10);
        content.add(-64, 30);
        assert_eq!((content.integral(40), content.greatest()), (64.0 * 30.0 + 1500.0 * 30.0, 1564.0));
        content.restart(40);
        content.empty(45);
        assert_eq!((content.integral(100), content.greatest()), (7500.0, 1500.0));
    }

    #[test]
    fn what_is_watched_has_extremes_and_a_first_time() {
        let mut watched = Watched::new(false);
        assert!(watched.extremes()[0].is_nan() && watched.first().is_nan());
        watched.read(-3, 0);
        watched.read(0, 4);
        assert_eq!((watched.integral(10), watched.extremes(), watched.first()), (-12.0, [-3.0, 0.0], 0.0));
        watched.restart(10);
        assert!(watched.first().is_nan());
        watched.read(2, 13);
        assert_eq!((watched.integral(15), watched.extremes(), watched.first()), (4.0, [0.0, 2.0], 3.0));
    }

    #[test]
    fn real_values_have_an_end() {
        assert_eq!(in_parts(1e300), 1 << 93);
        assert_eq!(in_parts(-0.1), -(109951162778));
        let mut content = Content::new(true);
        content.add(in_parts(0.75), 0);
        assert_eq!(content.integral(3), 2.25);
    }

    proptest! {
        /// Products below 2¹²⁶ have the same sum in words that the machine knows; one times 2⁶² is rounded alike.
        #[test]
        fn wide_numbers_are_rounded_once(terms in prop::collection::vec((any::<i64>(), 0_u64..1 << 60), 1..8)) {
            let (mut wide, mut far) = (Wide::default(), Wide::default());
            let mut plain = 0_i128;
            for &(number, time) in &terms {
                wide.add(i128::from(number), time);
                far.add(i128::from(number) << 62, time);
                plain += i128::from(number) * i128::from(time);
            }
            prop_assert_eq!(wide.nearest(), plain as f64);
            prop_assert_eq!(far.nearest(), plain as f64 * 2_f64.powi(62));
        }
    }
}
