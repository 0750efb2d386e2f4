//! Machine code for a net: what the engine does by interpreting a transition's program, written out for that transition alone,
//! with every number that does not change in it.
//!
//! The code works on the same memory as the engine, so either may do the next step. Generated code never raises faults: it
//! returns to the interpreter before anything has changed. A transition that the generator cannot handle is always
//! interpreted.
//!
//! The engine does not import this room: it is handed a `Code` (`engine/code.rs`), which `unit` makes.
//!
//! May import: all rooms but `session`.
//!
//! - [`cache`]: the code of one program: when it is made, and by which thread
//! - [`unit`]: the code of one net: which functions there are
//! - `called_tests`: tests of the functions of expressions that are evaluated as tokens come and go
//! - [`shapes`]: which of them are alike
//! - [`sharing`]: which transitions share their code although they compute something else
//! - [`verify`]: checks that functions taken for equal are equal, for tests
//! - [`blueprint`]: what the code of a transition is made from, and so the key by which code is shared
//! - [`profile`]: what a run has shown of its places before its code is made
//! - [`holes`]: the numbers in which transitions that share code differ
//! - [`layout`]: where machine code finds the fields of an engine
//! - [`listing`]: the code of a transition for people to read, and its size
//! - [`runtime`]: the functions that machine code calls
//! - [`footprint`]: which memory the end of a firing touches
//! - [`speed`]: how each transition is run, for people to read
//! - [`emit`]: writes the code

pub mod blueprint;
pub mod cache;
#[cfg(test)]
mod called_tests;
pub mod emit;
pub mod footprint;
pub mod holes;
pub mod layout;
pub mod listing;
pub mod profile;
pub mod runtime;
pub mod shapes;
pub mod sharing;
pub mod speed;
pub mod unit;
pub mod verify;
