//! Exact answers: the states that a net reaches, and the Markov chain that it is.
//!
//! May import: `base`, `net`, `collections`, `program`, `state`, `observe`, `engine`. A room of `exact` imports only those before it:
//!
//! - [`model`]: the net as it is explored
//! - [`state`]: what the numbers of a state mean, and how states are kept
//! - [`symmetry`]: elements, and values, that may be exchanged
//! - [`space`]: states and arcs, and how they are found
//! - [`chain`]: the chain of the tangible states of a graph

pub mod chain;
pub mod model;
pub mod space;
pub mod state;
pub mod symmetry;
