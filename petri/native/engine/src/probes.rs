//! Declared measures (rule M4): counters, samples, passages and orders.

/// A compiled probe.
pub struct ProbeProgram;
