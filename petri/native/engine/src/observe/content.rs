//! The content of a place: the sum of a value over its tokens, and the integral of that sum over time. A value of the marking
//! that is watched ([`Watched`]) has such an integral, too.
//!
//! Sums are of whole numbers, so none is rounded and their order does not matter. Real values are rounded to whole parts
//! ([`PARTS`]). A sum of 2³² values is below 2¹⁸⁹ parts, and its integral over 2⁶³ ticks below 2²⁵².

use crate::base::saved::{fits, Fit, SavedContent, SavedWatched};
use crate::base::ticks::Ticks;
use crate::base::whole::Whole;

/// Parts of 1 for real values: 2¹⁰⁴.
const PARTS: f64 = 20_282_409_603_651_670_423_947_251_286_016.0;
/// A real value counts as no more than this, and as no less than its negative: 2⁵³.
const MOST: f64 = (1_u64 << 53) as f64;
/// Parts of 1 for what trials ask: 2⁴⁰.
const PARTS_OF_TRIALS: f64 = (1_u64 << 40) as f64;

/// A real value in parts, the even one of two that are equally near.
pub fn in_parts(value: f64) -> Whole {
    Whole::nearest_to(value.clamp(-MOST, MOST) * PARTS)
}

/// The same, for trials.
pub fn in_parts_of_trials(value: f64) -> i128 {
    (value.clamp(-MOST, MOST) * PARTS_OF_TRIALS).round_ties_even() as i128
}

/// A number of a saved state, which is below 2²⁵³ unless the state is damaged.
fn number(words: [u64; 4]) -> Fit<Whole> {
    let bound = Whole::nearest_to(2_f64.powi(253));
    let number = Whole::of_words(words);
    fits(-bound < number && number < bound, "a sum is too large")?;
    Ok(number)
}

#[derive(Clone, Debug)]
pub struct Content {
    /// Of the tokens in the place, in parts where the values are real; and since when it is that.
    sum: Whole,
    since: Ticks,
    integral: Whole,
    greatest: Whole,
    /// The length of a part.
    unit: f64,
}

impl Content {
    pub fn new(real: bool) -> Self {
        let unit = if real { 1.0 / PARTS } else { 1.0 };
        Content { sum: Whole::default(), since: 0, integral: Whole::default(), greatest: Whole::default(), unit }
    }

    /// Adds a token of this value, or removes one of its negative.
    pub fn add(&mut self, value: Whole, now: Ticks) {
        self.become_sum(self.sum + value, now);
    }

    /// All tokens go.
    pub fn empty(&mut self, now: Ticks) {
        self.become_sum(Whole::default(), now);
    }

    fn become_sum(&mut self, sum: Whole, now: Ticks) {
        self.integral = self.integral_at(now);
        self.since = now;
        self.sum = sum;
        self.greatest = self.greatest.max(sum);
    }

    /// Restarts the statistics and keeps the tokens.
    pub fn restart(&mut self, now: Ticks) {
        self.integral = Whole::default();
        self.since = now;
        self.greatest = self.sum;
    }

    fn integral_at(&self, now: Ticks) -> Whole {
        self.integral + self.sum.times((now - self.since) as u64)
    }

    /// The integral up to `now` [value × ticks], rounded once.
    pub fn integral(&self, now: Ticks) -> f64 {
        self.integral_at(now).nearest() * self.unit
    }

    pub fn save(&self, now: Ticks) -> SavedContent {
        let [sum, integral, greatest] = [self.sum, self.integral_at(now), self.greatest].map(Whole::words);
        SavedContent { sum, integral, greatest }
    }

    pub fn resume(&mut self, saved: &SavedContent, now: Ticks) -> Fit<()> {
        (self.sum, self.since, self.greatest) = (number(saved.sum)?, now, number(saved.greatest)?);
        self.integral = number(saved.integral)?;
        Ok(())
    }

    /// The greatest sum at any instant.
    pub fn greatest(&self) -> f64 {
        self.greatest.nearest() * self.unit
    }
}

/// A value of the marking, read at the end of each instant at which it may have changed (M6).
#[derive(Clone, Debug)]
pub struct Watched {
    value: Content,
    /// The least value since the statistics began; none before it was read for the first time.
    least: Option<Whole>,
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
    pub fn read(&mut self, value: Whole, now: Ticks) {
        if value != self.value.sum {
            self.value.become_sum(value, now);
        }
        if self.least.is_none() {
            self.value.greatest = value;
        }
        self.least = Some(self.least.map_or(value, |least| least.min(value)));
        if value != Whole::default() && self.first.is_none() {
            self.first = Some(now);
        }
    }

    /// Restarts the statistics and keeps the value.
    pub fn restart(&mut self, now: Ticks) {
        self.value.restart(now);
        self.window = now;
        self.least = self.least.map(|_| self.value.sum);
        self.first = (self.least.is_some() && self.value.sum != Whole::default()).then_some(now);
    }

    pub fn save(&self, now: Ticks) -> SavedWatched {
        let SavedContent { sum, integral, greatest } = self.value.save(now);
        let (least, greatest) = (self.least.map(Whole::words), self.least.map(|_| greatest));
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
            Some(least) => [least.nearest() * self.value.unit, self.value.greatest()],
            None => [f64::NAN; 2],
        }
    }

    /// How long it took until the value was not 0; not a number if it always was.
    pub fn first(&self) -> f64 {
        self.first.map_or(f64::NAN, |first| (first - self.window) as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn whole(number: i128) -> Whole {
        Whole::from(number)
    }

    #[test]
    fn the_integral_is_the_sum_times_how_long_it_lasts() {
        let mut content = Content::new(false);
        content.add(whole(64), 0);
        content.add(whole(1500), 10);
        content.add(whole(-64), 30);
        assert_eq!((content.integral(40), content.greatest()), (64.0 * 30.0 + 1500.0 * 30.0, 1564.0));
        content.restart(40);
        content.empty(45);
        assert_eq!((content.integral(100), content.greatest()), (7500.0, 1500.0));
    }

    #[test]
    fn what_is_watched_has_extremes_and_a_first_time() {
        let mut watched = Watched::new(false);
        assert!(watched.extremes()[0].is_nan() && watched.first().is_nan());
        watched.read(whole(-3), 0);
        watched.read(whole(0), 4);
        assert_eq!((watched.integral(10), watched.extremes(), watched.first()), (-12.0, [-3.0, 0.0], 0.0));
        watched.restart(10);
        assert!(watched.first().is_nan());
        watched.read(whole(2), 13);
        assert_eq!((watched.integral(15), watched.extremes(), watched.first()), (4.0, [0.0, 2.0], 3.0));
    }

    #[test]
    fn real_values_have_an_end() {
        assert_eq!(in_parts(1e300).nearest(), 2_f64.powi(157));
        assert_eq!((in_parts_of_trials(1e300), in_parts_of_trials(-0.1)), (1 << 93, -109951162778));
        let mut content = Content::new(true);
        content.add(in_parts(0.75), 0);
        assert_eq!(content.integral(3), 2.25);
        content.add(in_parts(-0.75 + 2_f64.powi(-53)), 3);
        assert_eq!(content.integral(1 << 52), 2.25 + 0.5 - 3.0 * 2_f64.powi(-53));
    }
}
