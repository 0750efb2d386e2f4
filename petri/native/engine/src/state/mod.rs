//! What changes while a net runs: tokens, enabled transitions, firings in progress.
//!
//! May import: `base`, `collections`, `net`, `program`.
//!
//! - [`counters`]: the numbers of tokens and of firings in progress, with their statistics: a line of the cache for each
//! - [`integrals`]: integrals over time that have outgrown a word
//! - [`value`]: the values of expressions
//! - [`destination`]: where output arcs put tokens, and how many
//! - [`store`]: the tokens of one place
//! - [`lines`]: the tokens of one place with `per`
//! - [`index`]: which tokens of a place have given values
//! - [`join`]: the numbers of bindings of a join
//! - [`join_edge`]: which tokens of two arcs of a join tree have the same key
//! - [`join_links`]: which seats of a join's pivot wait for which tokens
//! - [`join_tree`]: the numbers of bindings of arcs that are keyed one by another
//! - [`evaluator`]: conditions on the tokens of joins
//! - [`ranker`]: the values by which tokens are ranked
//! - [`matching`]: the numbers of bindings of a match by ranks
//! - [`ranking`]: the tokens that a transition prefers
//! - [`enabling`]: which transitions are enabled
//! - [`marking`]: the tokens of all places, with their indices and joins
//! - [`fetch`]: prefetches what arriving tokens will touch
//! - [`lane`]: firings of one duration
//! - [`identities`]: which tokens are which
//! - [`clocks`]: the clocks of the transitions that race
//! - [`turnover`]: how many black tokens have left since the last end of an instant
//! - [`common_clock`]: one exponential clock for many transitions
//! - [`agenda`]: the firings in progress, in order of their end
//! - [`bundles`]: the tokens that arcs give for those of sets
//! - [`streams`]: rows of files that have not arrived yet
//! - [`arrivals`]: what comes into ports from outside, and has not arrived yet
//! - [`outputs`]: what has left through ports, until somebody takes it
//! - [`arena`]: one block of memory for an engine and its tables

pub mod agenda;
pub mod arena;
pub mod arrivals;
pub mod bundles;
pub mod clocks;
pub mod common_clock;
pub mod counters;
pub mod destination;
pub mod enabling;
pub mod evaluator;
pub mod fetch;
pub mod identities;
pub mod index;
pub mod integrals;
pub mod join;
pub mod join_edge;
pub mod join_links;
pub mod join_tree;
pub mod lane;
pub mod lines;
pub mod marking;
pub mod matching;
pub mod outputs;
pub mod ranker;
pub mod ranking;
pub mod store;
pub mod streams;
pub mod turnover;
pub mod value;
