//! The loop of the semantics: look, choose, start; or let time move on.
//!
//! May import: `base`, `collections`, `net`, `program`, `state`, `observe`.
//!
//! - [`run`]: the engine and its loop, rule by rule
//! - [`tokens`]: tokens leave places, have room kept for them, and arrive
//! - [`choice`]: which of the enabled transitions of a priority fires
//! - [`limits`]: the limits of a run, and the error of a run that broke a rule
//! - [`checks`]: checks a run against its limits and the horizon, and reports the faults of its firings
//! - [`binding`]: chooses one binding of a transition
//! - [`search`]: looks for bindings through the input arcs
//! - [`saving`]: the state of an engine as data, and an engine that goes on from it
//! - [`copying`]: an engine becomes as another one is
//! - [`raced`]: a transition that races
//! - [`racing`]: clocks are looked at when an instant is over, and run down
//! - [`clock_rates`]: the number of clocks and their rates, and clocks that bindings share
//! - [`one_clock`]: what machine code asks of the engine where all transitions share a clock
//! - [`black_tokens`]: clocks that lose their black tokens
//! - [`own_clocks`]: clocks of bindings are set, stop, go on and are forgotten
//! - [`due_bindings`]: the bindings whose clocks have run down
//! - [`decisions`]: what somebody decides while the run waits
//! - [`evaluation`]: what a firing computes when it starts
//! - [`simple`]: firings that move constant numbers of black tokens
//! - [`refill`]: rows of files that arrive
//! - [`ports`]: what comes from outside, and what goes there
//! - [`prefetch`]: fetches the memory that the next firings will touch
//! - [`upcoming`]: the firings that will end soon
//! - [`sets`]: the sets of a firing: what they find, what is given for them, and how they leave
//! - [`code`]: machine code, as the engine sees it
//! - [`verify`]: checks the invariants of all data structures

pub mod binding;
pub mod black_tokens;
pub mod checks;
pub mod choice;
pub mod clock_rates;
pub mod code;
pub mod copying;
pub mod decisions;
pub mod due_bindings;
pub mod evaluation;
pub mod limits;
pub mod one_clock;
pub mod own_clocks;
pub mod ports;
pub mod prefetch;
pub mod raced;
pub mod racing;
pub mod refill;
pub mod run;
pub mod saving;
pub mod search;
pub mod sets;
pub mod simple;
pub mod tokens;
pub mod upcoming;
pub mod verify;
