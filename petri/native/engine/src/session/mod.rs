//! The interface for callers outside: replications of a compiled net.
//!
//! May import: all rooms.
//!
//! - [`compiled`]: a net that engines can run: its program, and its machine code
//! - [`replication`]: an engine that is interpreted at first, and runs machine code once that pays
//! - [`component`]: a net that stands in a program, which puts tokens in and takes others
//! - [`ensemble`]: many replications, one after the other
//! - [`trials`]: short runs that ask which of two things happens first, and splitting
//! - [`clock_states`]: the clocks, for tests and for people
//! - [`observed`]: the statistics up to an instant

pub mod clock_states;
pub mod compiled;
pub mod component;
pub mod ensemble;
pub mod observed;
pub mod replication;
pub mod trials;
