//! The foundation of everything else. It does not know nets, except the numbers of their parts.
//!
//! May import: nothing.
//!
//! - [`ids`]: the number of a place, of a transition, … each of its own type
//! - [`invariant`]: what the `verify` of a data structure returns
//! - [`table`]: rows by such a number, looked up without a check
//! - [`row`]: rows that grow
//! - [`bits`]: positions of bits in a word
//! - [`cache`]: fetches a line of memory into the cache
//! - [`cores`]: whether a core of the machine is free
//! - [`fault`]: faults as data
//! - [`long_stack`]: work that recurses deeply
//! - [`random`]: random streams, and draws from them
//! - `reuse`: copies that take no memory of their own
//! - [`seeds`]: the words that begin random numbers
//! - [`seldom`]: lists that are nearly always empty
//! - [`saved`]: the state of a replication, as data
//! - [`portable`]: `exp`, `ln` and `pow` with the same bits on every machine
//! - [`ticks`]: model time
//! - [`trajectory`]: the hash that distinguishes trajectories
//! - [`whole`]: whole numbers of 256 bits
//! - [`wide`]: numbers of bindings

pub mod bits;
pub mod cache;
pub mod cores;
pub mod fault;
pub mod ids;
pub mod invariant;
pub mod long_stack;
pub mod portable;
pub mod random;
pub(crate) mod reuse;
pub mod row;
pub mod saved;
pub mod seeds;
pub mod seldom;
pub mod table;
pub mod ticks;
pub mod trajectory;
pub mod whole;
pub mod wide;
