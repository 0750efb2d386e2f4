//! Model time: a whole number of ticks (rule S1).

/// An instant, or a span of model time.
pub type Ticks = i64;

/// Model time ends here: every whole number up to it is a 64-bit float, too.
pub const HORIZON: Ticks = 1 << 53;
/// The end of a firing that would end beyond the horizon, and of a run that would.
pub const NEVER: Ticks = 2 * HORIZON;
/// A float below this is rounded to a whole number by one addition, …
pub const SHORT: f64 = (1u64 << 51) as f64;
/// … of this one: from here to twice as far, floats are the whole numbers, in the order of their bits.
pub const ROUNDER: f64 = (3u64 << 51) as f64;

/// A firing time above −1 as the nearest whole number, the even one of two, and at least 1 if it is positive. What is less than a
/// tick below 0 is 0. What is beyond any horizon may become another number beyond it.
#[inline(always)]
pub fn whole(time: f64) -> Ticks {
    nearest(time).max(Ticks::from(time > 0.0))
}

/// The nearest whole number, the even one of two.
#[inline(always)]
pub fn nearest(time: f64) -> Ticks {
    if time.abs() < SHORT {
        (time + ROUNDER).to_bits().wrapping_sub(ROUNDER.to_bits()) as Ticks
    } else {
        time.round_ties_even() as Ticks
    }
}

/// The tick that is nearest to a time after an instant; `NEVER` beyond the horizon.
#[inline(always)]
pub fn after(instant: Ticks, time: f64) -> Ticks {
    let end = if time <= HORIZON as f64 { instant + nearest(time) } else { NEVER };
    if end <= HORIZON {
        end
    } else {
        NEVER
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn s1_firing_times_are_rounded_once() {
        let cases = [
            (0.0, 0),
            (-0.0, 0),
            (-0.3, 0),
            (-0.5, 0),
            (-0.9, 0),
            (1e-300, 1),
            (0.5, 1),
            (1.5, 2),
            (2.5, 2),
            (2.5000001, 3),
            (7.0, 7),
        ];
        for (time, ticks) in cases {
            assert_eq!(whole(time), ticks, "{time}");
        }
        let long = (1u64 << 51) as f64;
        for time in [long - 1.5, long - 0.5, long - 0.25, long, long + 1.5, 4.0 * long, 1e300] {
            assert_eq!(whole(time), time.round_ties_even() as Ticks, "{time}");
        }
        assert!(whole(1e300) > HORIZON && whole(5.0 * long) > HORIZON);
    }
}
