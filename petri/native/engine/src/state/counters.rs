//! What changes while a net runs, one cache line for each place and each transition, with its statistics (M1 to M3).
//!
//! A number that changes in time has an integral and a time above zero. Both are counted in busy periods, from the
//! instant t₀ at which the number rises above zero until it returns there. A change takes one addition: integral −= n ·
//! (now − t₀) when the number rises by n, and integral += n · (now − t₀) when it falls. Times are whole ticks, so all
//! sums are exact; `integrals` explains why 64 bits are enough.
//!
//! For a number that is never above one, both are the same sum, and machine code only keeps the integral.

use crate::base::saved::{SavedPlace, SavedTransition};
use crate::base::ticks::Ticks;
use crate::state::store::Ring;

/// The tokens of a place, and their statistics.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C, align(64))]
pub struct PlaceCounters {
    pub tokens: u64,
    /// The integral, as if the present tokens had been absent since the busy period began.
    pub integral: Ticks,
    /// The time with at least one token, up to the end of the last busy period.
    pub nonempty: Ticks,
    /// The start of the busy period, if there are tokens.
    pub busy_since: Ticks,
    pub maximum: u64,
    pub arrivals: u64,
    /// Where its store keeps them.
    pub ring: Ring,
}

/// The firings in progress of a transition, their statistics, and the state of its enabling.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C, align(64))]
pub struct TransitionCounters {
    pub in_progress: u64,
    /// The integral, as if the present firings had not been in progress since the busy period began.
    pub integral: Ticks,
    /// The time with at least one firing in progress, up to the end of the last busy period.
    pub active: Ticks,
    /// The start of the busy period, if there are firings in progress.
    pub busy_since: Ticks,
    /// Firings that started.
    pub firings: u64,
    /// Watched conditions that do not hold.
    pub unmet: u32,
    pub level: u32,
    pub position: u32,
    /// Watches alone decide whether it is enabled.
    pub plain: bool,
    /// It is on the list of those to look at again.
    pub listed: bool,
    /// Where not only watches decide: a look has found it enabled, and no condition has failed since.
    pub found: bool,
    /// It is the shadow of a transition with a clock, which is looked at when the instant is over.
    pub of_clock: bool,
}

impl PlaceCounters {
    /// Tokens arrive. Returns how many there were.
    #[inline(always)]
    pub fn gain(&mut self, count: u64, now: Ticks) -> u64 {
        let before = self.tokens;
        if before == 0 {
            self.busy_since = now;
        } else {
            self.integral -= count as i64 * (now - self.busy_since);
        }
        self.tokens = before + count;
        self.arrivals += count;
        self.maximum = self.maximum.max(self.tokens);
        before
    }

    /// Tokens leave. Returns how many there were.
    #[inline(always)]
    pub fn lose(&mut self, count: u64, now: Ticks) -> u64 {
        let before = self.tokens;
        let spell = now - self.busy_since;
        self.integral += count as i64 * spell;
        self.tokens = before - count;
        if before > 0 && self.tokens == 0 {
            self.nonempty += spell;
        }
        before
    }

    /// The integral of the tokens since the last fold up to `now`.
    pub fn integral(&self, now: Ticks) -> i128 {
        i128::from(self.integral) + i128::from(self.tokens) * i128::from(now - self.busy_since)
    }

    /// The integral since the last fold up to an instant before which nothing changes, and at which it restarts.
    pub fn fold(&mut self, instant: Ticks) -> i128 {
        let integral = self.integral(instant);
        self.nonempty = self.nonempty(instant, false);
        (self.integral, self.busy_since) = (0, instant);
        integral
    }

    /// The time with any token up to `now`; `one`: there is never more than one.
    pub fn nonempty(&self, now: Ticks, one: bool) -> Ticks {
        if one {
            return self.integral(now) as Ticks;
        }
        self.nonempty + if self.tokens > 0 { now - self.busy_since } else { 0 }
    }

    /// Goes on with these statistics, but for the integral.
    pub fn resume(&mut self, saved: &SavedPlace, now: Ticks) {
        self.restart(now);
        (self.nonempty, self.maximum, self.arrivals) = (saved.busy, saved.maximum, saved.arrivals);
    }

    /// Restarts the statistics.
    pub fn restart(&mut self, now: Ticks) {
        let PlaceCounters { tokens, ring, .. } = *self;
        *self = PlaceCounters { tokens, ring, busy_since: now, maximum: tokens, ..PlaceCounters::default() };
    }
}

impl TransitionCounters {
    /// A firing that takes time starts.
    #[inline(always)]
    pub fn begin(&mut self, now: Ticks) {
        if self.in_progress == 0 {
            self.busy_since = now;
        } else {
            self.integral -= now - self.busy_since;
        }
        self.in_progress += 1;
    }

    /// A firing that took time ends.
    #[inline(always)]
    pub fn end(&mut self, now: Ticks) {
        let spell = now - self.busy_since;
        self.integral += spell;
        self.in_progress -= 1;
        if self.in_progress == 0 {
            self.active += spell;
        }
    }

    /// The integral of the firings in progress since the last fold up to `now`.
    pub fn integral(&self, now: Ticks) -> i128 {
        i128::from(self.integral) + i128::from(self.in_progress) * i128::from(now - self.busy_since)
    }

    /// The integral since the last fold up to an instant before which nothing changes, and at which it restarts.
    pub fn fold(&mut self, instant: Ticks) -> i128 {
        let integral = self.integral(instant);
        self.active = self.active(instant, false);
        (self.integral, self.busy_since) = (0, instant);
        integral
    }

    /// The time with any firing in progress up to `now`; `one`: there is never more than one.
    pub fn active(&self, now: Ticks, one: bool) -> Ticks {
        if one {
            return self.integral(now) as Ticks;
        }
        self.active + if self.in_progress > 0 { now - self.busy_since } else { 0 }
    }

    /// Goes on with these statistics, but for the integral.
    pub fn resume(&mut self, in_progress: u64, saved: &SavedTransition, now: Ticks) {
        self.restart(now);
        (self.in_progress, self.active, self.firings) = (in_progress, saved.busy, saved.firings);
    }

    /// Restarts the statistics.
    pub fn restart(&mut self, now: Ticks) {
        *self = TransitionCounters { busy_since: now, integral: 0, active: 0, firings: 0, ..*self };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::random::Random;

    #[test]
    fn m1_spells_add_up_to_the_integral() {
        let mut random = Random::new([7, 8, 9]);
        let mut place = PlaceCounters::default();
        let (mut now, mut integral, mut nonempty, mut folded) = (0, 0, 0, 0);
        for step in 0..100_000 {
            let elapsed = random.equal_choice(1 << 40) as Ticks;
            integral += i128::from(place.tokens) * i128::from(elapsed);
            nonempty += if place.tokens > 0 { elapsed } else { 0 };
            now += elapsed;
            if random.equal_choice(100) == 0 {
                folded += place.fold(now);
            }
            let count = random.equal_choice(3);
            if random.uniform() < 0.5 {
                place.gain(count, now);
            } else {
                place.lose(count.min(place.tokens), now);
            }
            if step == 30_000 {
                place.restart(now);
                (integral, nonempty, folded) = (0, 0, 0);
            }
        }
        assert_eq!((folded + place.integral(now), place.nonempty(now, false)), (integral, nonempty));
    }

    #[test]
    fn m1_tokens_that_leave_at_once_have_no_integral() {
        let mut place = PlaceCounters::default();
        for now in 0..1000 {
            place.gain(2, now);
            place.gain(1, now);
            place.lose(3, now);
        }
        assert_eq!((place.integral(5000), place.nonempty(5000, false), place.arrivals), (0, 0, 3000));
    }

    #[test]
    fn m1_of_one_token_both_are_one_sum() {
        let (mut random, mut place, mut transition) =
            (Random::new([7, 8, 9]), PlaceCounters::default(), TransitionCounters::default());
        let mut now = 0;
        for step in 0..1000 {
            now += random.equal_choice(100) as Ticks;
            match place.tokens {
                0 => (_ = place.gain(1, now), transition.begin(now)),
                _ => (_ = place.lose(1, now), transition.end(now)),
            };
            if step == 300 {
                place.restart(now);
                transition.restart(now);
            }
            assert_eq!(place.nonempty(now + 3, true), place.nonempty(now + 3, false));
            assert_eq!(transition.active(now + 3, true), transition.active(now + 3, false));
        }
    }

    #[test]
    fn m2_so_do_those_of_firings() {
        let mut transition = TransitionCounters::default();
        for (now, begins) in [(10, true), (20, true), (25, false), (40, false), (70, true), (90, false)] {
            if begins {
                transition.begin(now);
            } else {
                transition.end(now);
            }
        }
        assert_eq!((transition.integral(100), transition.active(100, false)), (55, 50));
    }
}
