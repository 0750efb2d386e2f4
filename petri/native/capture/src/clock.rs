//! Time stamps: what a tick is worth.

const BILLION: i128 = 1_000_000_000;

/// How long a tick of a time stamp is, and when ticks begin.
#[derive(Clone, Copy)]
pub struct Clock {
    ticks_per_second: u128,
    /// Added to every time stamp [s].
    offset: i64,
}

impl Clock {
    pub const MICROSECONDS: Clock = Clock { ticks_per_second: 1_000_000, offset: 0 };
    pub const NANOSECONDS: Clock = Clock { ticks_per_second: 1_000_000_000, offset: 0 };

    /// As pcapng describes it: `resolution` is a negative power of ten, or of two with the upper bit set; `offset` is in
    /// seconds. None where a tick is too short to be true.
    pub fn new(resolution: u8, offset: i64) -> Option<Self> {
        let exponent = u32::from(resolution & 0x7f);
        let base: u128 = if resolution & 0x80 == 0 { 10 } else { 2 };
        base.checked_pow(exponent).map(|ticks_per_second| Clock { ticks_per_second, offset })
    }

    /// The ticks of a time stamp in seconds and ticks, as pcap files have it.
    pub fn ticks(&self, seconds: u32, rest: u32) -> u64 {
        (u128::from(seconds) * self.ticks_per_second + u128::from(rest)) as u64
    }

    /// Time since 1970 [ns], rounded down.
    pub fn instant(&self, ticks: u64) -> i128 {
        // A tick count of 64 bits times 10⁹ fits.
        (u128::from(ticks) * BILLION as u128 / self.ticks_per_second) as i128 + i128::from(self.offset) * BILLION
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_of_any_resolution() {
        let instant = |resolution, ticks| Clock::new(resolution, 0).map(|clock| clock.instant(ticks));
        assert_eq!(instant(6, 1_500_000), Some(1_500_000_000));
        assert_eq!(instant(9, u64::MAX), Some(i128::from(u64::MAX)));
        assert_eq!(instant(0x80 | 1, 3), Some(1_500_000_000));
        assert_eq!(instant(12, 1_999), Some(1));
        assert_eq!(Clock::new(100, 0).map(|clock| clock.ticks_per_second), None);
        assert_eq!(Clock::new(6, -2).map(|clock| clock.instant(0)), Some(-2_000_000_000));
    }
}
