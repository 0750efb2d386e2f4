//! The interface for callers outside: replications of a compiled net.
//!
//! May import: all rooms.
//!
//! - [`compiled`]: a net that engines can run: its program, and its machine code
//! - [`replication`]: an engine that is interpreted at first, and runs machine code once that pays
//! - [`observed`]: the statistics up to an instant

pub mod compiled;
pub mod observed;
pub mod replication;
