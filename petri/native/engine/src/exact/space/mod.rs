//! The states that a net reaches: an engine is put into each, and says what may happen there.
//!
//! May import, of `exact`: `model`, `state`, `symmetry`.
//!
//! - [`clocks`]: how many clocks run in each state
//! - [`explore`]: the exploration
//! - [`graph`]: states and arcs
//! - [`moves`]: firings that move constant numbers of black tokens
//! - [`seat`]: an engine in a state, which says what may happen there
//! - [`variables`]: the variables of firings

pub mod clocks;
pub mod explore;
pub mod graph;
pub mod moves;
pub mod seat;
pub mod variables;
