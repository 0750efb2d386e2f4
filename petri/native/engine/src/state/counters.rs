//! What changes while a net runs, one cache line for each place and each transition, with its statistics (M1 to M3).

use std::mem::offset_of;

use crate::base::saved::{SavedPlace, SavedTransition};
use crate::base::ticks::Ticks;
use crate::state::store::Ring;

/// What a number that changes in time adds up to: its integral, and the time that it is above zero.
///
/// Both are sums of instants. One that comes at t and leaves at u adds u − t to the integral: a change by +n at t adds −n · t, a
/// change by −n adds n · t, and those that are present add the instant at which the sum is read. No change needs to know the last.
/// Times are whole ticks, so sums are exact. They may wrap around 64 bits on their way, as the integral that is read does not
/// (`integrals`).
///
/// For a number that is never above one, both are the same sum, and machine code only keeps the integral.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct Sums {
    /// The instants at which ones left, less those at which they came: since the last fold.
    pub integral: Ticks,
    /// The instants at which the number fell to zero, less those at which it rose above.
    pub above_zero: Ticks,
}

impl Sums {
    /// The sums of a number that counts from now on.
    fn since(now: Ticks, number: u64) -> Self {
        let mut sums = Sums::default();
        sums.rise(0, number, now);
        sums
    }

    #[inline(always)]
    fn rise(&mut self, before: u64, count: u64, now: Ticks) {
        self.integral = self.integral.wrapping_sub(times(count, now));
        if before == 0 && count > 0 {
            self.above_zero -= now;
        }
    }

    #[inline(always)]
    fn fall(&mut self, before: u64, count: u64, now: Ticks) {
        self.integral = self.integral.wrapping_add(times(count, now));
        if before == count && count > 0 {
            self.above_zero += now;
        }
    }

    /// The integral since the last fold up to `now`.
    pub fn integral(&self, number: u64, now: Ticks) -> i128 {
        self.integral.wrapping_add(times(number, now)).into()
    }

    /// The integral since the last fold up to an instant before which nothing changes, and at which it restarts.
    pub fn fold(&mut self, number: u64, instant: Ticks) -> i128 {
        let integral = self.integral(number, instant);
        self.integral = times(number, instant).wrapping_neg();
        integral
    }

    /// The time above zero up to `now`; `one`: the number is never above one.
    pub fn above_zero(&self, number: u64, now: Ticks, one: bool) -> Ticks {
        if one {
            return self.integral(number, now) as Ticks;
        }
        self.above_zero + if number > 0 { now } else { 0 }
    }

    /// The integral had this value before these sums began.
    pub fn add(&mut self, integral: Ticks) {
        self.integral = self.integral.wrapping_add(integral);
    }

    /// The sums of a number that counts from now on, and has been above zero for `busy` before. Its integral is elsewhere.
    fn resumed(now: Ticks, number: u64, busy: Ticks) -> Self {
        let sums = Sums::since(now, number);
        Sums { above_zero: sums.above_zero + busy, ..sums }
    }
}

/// A number times an instant, which may wrap around.
#[inline(always)]
fn times(number: u64, instant: Ticks) -> Ticks {
    (number as i64).wrapping_mul(instant)
}

/// The tokens of a place, and their statistics.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C, align(64))]
pub struct PlaceCounters {
    pub tokens: u64,
    pub sums: Sums,
    pub maximum: u64,
    pub arrivals: u64,
    /// Tokens that firings in progress will deposit, where the place has a capacity.
    pub reserved: u64,
    /// Where its store keeps them.
    pub ring: Ring,
}

/// The bits before the number of conditions that do not hold in `TransitionCounters::LOOK`.
pub const UNMET: usize = 8 * (offset_of!(TransitionCounters, unmet) - TransitionCounters::LOOK);

/// The firings in progress of a transition, their statistics, and the state of its enabling.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C, align(64))]
pub struct TransitionCounters {
    pub in_progress: u64,
    pub sums: Sums,
    /// Firings that started.
    pub firings: u64,
    /// Where not only watches decide: a look has found it enabled, and no condition has failed since.
    pub found: bool,
    /// It is on the list of those to look at again.
    pub listed: bool,
    /// Watches alone decide whether it is enabled.
    pub plain: bool,
    /// It is the shadow of a transition with a clock, which is looked at when the instant is over.
    pub of_clock: bool,
    /// Watched conditions that do not hold.
    pub unmet: u32,
    pub level: u32,
    pub position: u32,
}

impl PlaceCounters {
    /// Tokens arrive. Returns how many there were.
    #[inline(always)]
    pub fn gain(&mut self, count: u64, now: Ticks) -> u64 {
        let before = self.tokens;
        self.sums.rise(before, count, now);
        self.tokens = before + count;
        self.arrivals += count;
        self.maximum = self.maximum.max(self.tokens);
        before
    }

    /// Tokens leave. Returns how many there were.
    #[inline(always)]
    pub fn lose(&mut self, count: u64, now: Ticks) -> u64 {
        let before = self.tokens;
        self.sums.fall(before, count, now);
        self.tokens = before - count;
        before
    }

    /// The integral of the tokens since the last fold up to `now`.
    pub fn integral(&self, now: Ticks) -> i128 {
        self.sums.integral(self.tokens, now)
    }

    /// `Sums::fold`.
    pub fn fold(&mut self, instant: Ticks) -> i128 {
        self.sums.fold(self.tokens, instant)
    }

    /// The time with any token up to `now`; `one`: there is never more than one.
    pub fn nonempty(&self, now: Ticks, one: bool) -> Ticks {
        self.sums.above_zero(self.tokens, now, one)
    }

    /// Goes on with these statistics, but for the integral.
    pub fn resume(&mut self, saved: &SavedPlace, now: Ticks) {
        self.sums = Sums::resumed(now, self.tokens, saved.busy);
        (self.maximum, self.arrivals) = (saved.maximum, saved.arrivals);
    }

    /// Restarts the statistics.
    pub fn restart(&mut self, now: Ticks) {
        self.sums = Sums::since(now, self.tokens);
        (self.maximum, self.arrivals) = (self.tokens, 0);
    }
}

impl TransitionCounters {
    /// The word from `found` to `unmet`, as machine code reads it of transitions that are not plain: `FOUND` or 0 exactly if the
    /// transition is not listed, and all its watched conditions hold.
    pub const LOOK: usize = offset_of!(TransitionCounters, found);
    pub const FOUND: i64 = 1;
    pub const LISTED: i64 = 1 << 8;
    /// A watched condition that does not hold.
    pub const ONE_UNMET: i64 = 1 << UNMET;

    /// A firing that takes time starts.
    #[inline(always)]
    pub fn begin(&mut self, now: Ticks) {
        self.sums.rise(self.in_progress, 1, now);
        self.in_progress += 1;
    }

    /// A firing that took time ends.
    #[inline(always)]
    pub fn end(&mut self, now: Ticks) {
        self.sums.fall(self.in_progress, 1, now);
        self.in_progress -= 1;
    }

    /// The integral of the firings in progress since the last fold up to `now`.
    pub fn integral(&self, now: Ticks) -> i128 {
        self.sums.integral(self.in_progress, now)
    }

    /// `Sums::fold`.
    pub fn fold(&mut self, instant: Ticks) -> i128 {
        self.sums.fold(self.in_progress, instant)
    }

    /// The time with any firing in progress up to `now`; `one`: there is never more than one.
    pub fn active(&self, now: Ticks, one: bool) -> Ticks {
        self.sums.above_zero(self.in_progress, now, one)
    }

    /// Goes on with these statistics, but for the integral.
    pub fn resume(&mut self, in_progress: u64, saved: &SavedTransition, now: Ticks) {
        self.sums = Sums::resumed(now, in_progress, saved.busy);
        (self.in_progress, self.firings) = (in_progress, saved.firings);
    }

    /// Restarts the statistics.
    pub fn restart(&mut self, now: Ticks) {
        self.sums = Sums::since(now, self.in_progress);
        self.firings = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::random::Random;

    #[test]
    fn m1_sums_of_instants_give_the_integral() {
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
