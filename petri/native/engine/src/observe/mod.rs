//! The events that an engine reports while it runs, and the observers.
//!
//! May import: `base`, `collections`, `net`, `program`, `state`.
//!
//! - [`observers`]: all that observe a run
//! - [`probes`]: declared measures
//! - [`content`]: the sum of a value over the tokens of a place, and its integral
//! - [`histogram`]: the distribution of a sample
//! - [`passages`]: times from one event to another of the same key
//! - [`reorder`]: how far the packets of a flow arrive out of order
//! - [`snapshot`]: what the probes have observed up to an instant
//! - [`saving`]: the states of all probes as data
//! - [`levels`]: how long each place has how many tokens
//! - [`trace`]: every firing
//! - [`shared_cases`]: cases that the measures here and those in Python must both pass

pub mod content;
pub mod histogram;
pub mod levels;
pub mod observers;
pub mod passages;
pub mod probes;
pub mod reorder;
pub mod saving;
#[cfg(test)]
mod shared_cases;
pub mod snapshot;
pub mod trace;
