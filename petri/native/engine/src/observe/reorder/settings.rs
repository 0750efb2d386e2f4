//! The settings of the figures.

/// First arrivals of a flow, before which its first number may still turn out to be lower.
pub(super) const YOUNG: usize = 64;
/// Later arrivals after which a receiver asks for a packet again.
pub(super) const FAST_RETRANSMIT: u64 = 3;
/// Numbers below this are not examined for wraps.
pub(super) const LEAST_RANGE: i64 = 64;
/// Successive ascending arrivals, all more than half a range late, that are counted as a wrap.
pub(super) const WRAPPED: u64 = 8;

/// The bounds on memory, the number that flows start with (`None`: found out for each), and that at which numbers wrap around
/// (`None`: they do not).
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    pub first: Option<i64>,
    pub modulo: Option<i64>,
    pub window: usize,
    pub flows: usize,
    /// Keys of retired flows that are remembered.
    pub retired: usize,
    pub displacement_threshold: usize,
    pub buffer_threshold: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            first: None,
            modulo: None,
            window: 8192,
            flows: 1 << 16,
            retired: 1 << 20,
            displacement_threshold: 64,
            buffer_threshold: 64,
        }
    }
}
