//! Simulates flat timed coloured Petri nets. It is the twin of the reference engine in `petri/engine/reference.py`: the same
//! draws in the same order, the same trajectory bit for bit.
//!
//! A guided tour, in the order of the data's way:
//!
//! 1. [`net`] decodes the flat net; [`compile`], [`compile_transition`], [`compile_selection`] and [`compile_lanes`] make a
//!    [`program`] of it, with expressions compiled by [`lower`] and understood by [`analysis`]; [`ranges`] tells which values
//!    tokens may have, and [`conservation`] which places never have more tokens than at first. Everything that can be decided
//!    before the first firing is decided there.
//! 2. [`engine`] is the loop: look, choose, start; or let time move on. It fits on a screen.
//! 3. The loop stands on four structures, each of its own kind of speed: the [`marking`] ([`store`]s of tokens and
//!    [`index`]es over them, each with a [`key_table`]), [`enabling`] (which transitions are enabled, by looking only next to
//!    what changed), the [`search`] for bindings (or the [`weights`] of a [`join`]), and the [`agenda`] of firings in progress (a
//!    tournament of [`events`], behind which those of one duration wait in a [`lane`], and the [`records`] of what they will
//!    deposit). An engine and their tables stand in one [`block`] of memory.
//! 4. The [`state`] of places and transitions keeps their statistics. An [`observer`] is told what happens: declared measures
//!    ([`probes`], with [`histogram`], [`passage`] and [`reorder`]), and the [`trace`].
//! 5. A net that runs long gets [`code`]: machine code that does what the engine would do for each of its transitions, on the
//!    same memory. Where thousands of firings are in progress, the engine fetches what the next ones will touch (the
//!    footprints that the code knows, and what tokens [`lead`] to) into the [`cache`], which such a net does not fit.
//! 6. Chance is in [`random`], portable functions in [`portable`], the hash that tells trajectories apart in
//!    [`trajectory`], and what goes wrong in [`fault`]. A [`session`] is an engine whose observer is chosen at run time.

pub mod agenda;
pub mod analysis;
pub mod bits;
pub mod block;
pub mod cache;
pub mod code;
pub mod compile;
pub mod compile_lanes;
pub mod compile_selection;
pub mod compile_transition;
pub mod conservation;
pub mod distribution;
pub mod enabling;
pub mod engine;
pub mod events;
pub mod expression;
pub mod fault;
mod few;
pub mod histogram;
pub mod ids;
pub mod index;
pub mod join;
pub mod key_table;
pub mod lane;
pub mod lead;
pub mod levels;
pub mod lower;
pub mod marking;
pub mod net;
pub mod observer;
pub mod passage;
pub mod portable;
pub mod probes;
pub mod program;
pub mod random;
pub mod ranges;
pub mod rank_set;
pub mod records;
pub mod reorder;
pub mod row;
pub mod search;
pub mod session;
pub mod state;
pub mod store;
pub mod stream;
pub mod sum_tree;
pub mod table;
pub mod trace;
pub mod trajectory;
#[cfg(test)]
mod twins;
pub mod weights;
