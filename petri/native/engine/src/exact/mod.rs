//! Exact answers: the states that a net reaches, and the Markov chain that it is.
//!
//! May import: `base`, `net`, `collections`, `program`, `state`, `observe`, `engine`.
//!
//! - [`layout`]: how the numbers of a state are packed into words
//! - [`state_set`]: the states found so far
//! - [`narrow`]: rows of small numbers
//! - [`contents`]: what places hold, numbered
//! - [`model`]: the net as it is explored
//! - [`stages`]: times as exponential stages
//! - [`compile`]: from the flat net to the model
//! - [`watch`]: what may end an exploration
//! - [`trouble`]: why there is no state space, or no chain
//! - [`state`]: what the numbers of a state mean
//! - [`branching`]: takes each outcome of each draw
//! - [`seat`]: an engine in a state, which says what may happen there
//! - [`moves`]: firings that move constant numbers of black tokens
//! - [`orders`]: orders of items, and how many there are
//! - [`symmetry`]: elements that may be exchanged
//! - [`values`]: values of tokens that may be exchanged
//! - [`graph`]: states and arcs
//! - [`explore`]: the exploration
//! - [`clocks`]: how many clocks run in each state
//! - [`matrix`]: the rates of a chain
//! - [`classes`]: the closed classes of a chain
//! - [`krylov`]: cycles of GMRES
//! - [`gains`]: long-run averages with bounds
//! - [`stationary`]: stationary distributions with bounds
//! - [`uniform`]: a chain up to an instant
//! - [`chain`]: the chain of the tangible states of a graph

pub mod branching;
pub mod chain;
pub mod classes;
pub mod clocks;
pub mod compile;
pub mod contents;
pub mod explore;
pub mod gains;
pub mod graph;
pub mod krylov;
pub mod layout;
pub mod matrix;
pub mod model;
pub mod moves;
pub mod narrow;
pub mod orders;
pub mod seat;
pub mod stages;
pub mod state;
pub mod state_set;
pub mod stationary;
pub mod symmetry;
pub mod trouble;
pub mod uniform;
pub mod values;
pub mod watch;
