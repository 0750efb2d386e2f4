//! The settings of the figures.

/// First arrivals of a flow, before which its first number may still turn out to be lower.
pub(super) const YOUNG: usize = 64;
/// Later arrivals after which a receiver asks for a packet again.
pub(super) const FAST_RETRANSMIT: u64 = 3;

/// The bounds on memory, and the number that flows start with (`None`: found out for each).
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    pub first: Option<i64>,
    pub window: usize,
    pub flows: usize,
    pub displacement_threshold: usize,
    pub buffer_threshold: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self { first: None, window: 8192, flows: 4096, displacement_threshold: 64, buffer_threshold: 64 }
    }
}
