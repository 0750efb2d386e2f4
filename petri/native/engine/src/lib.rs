//! Simulates flat timed coloured Petri nets. It is the twin of the reference engine in `petri/engine/reference.py`: the same
//! draws in the same order, the same trajectory bit for bit.
//!
//! A tour, room by room. Each room may import those above it, and never one below; within a room, no file imports another in
//! a circle. `tests/rooms.rs` reads the imports and checks both rules.
//!
//! ```text
//! base          numbers of places and transitions, tables, faults, random streams, the hash of a trajectory
//!   │ rows, bits
//!   ▼
//! collections   tournament, weights, sum tree, rank set, key table: independent of nets (and `net` of them)
//!   │
//!   │  net      the flat net, as it is read
//!   ▼   ▼ is compiled
//! program       everything that can be decided before the first firing
//!   │ is read by
//!   ▼
//! state         tokens, enabled transitions, firings in progress
//!   │ is shown to
//!   ▼
//! observe       declared measures, levels, the trace
//!   │ are called by
//!   ▼
//! engine        the loop: look, choose, start; or let time move on
//!   ├── exact   all states that a net reaches, and long-run averages of their chain
//!   │ its memory is laid out for, and `engine::code` is made by
//!   ▼
//! jit           machine code that does the same on the same memory
//!   │ is handed to the engine by
//!   ▼
//! session       a replication: interpreted at first, compiled when that pays
//! ```
//!
//! Where to begin: [`program::compile::net`] is the compiler, [`engine::run`] the loop, [`jit::unit`] the generator, and
//! [`session::replication`] one run of a net.

// What only machine code uses.
#![cfg_attr(target_family = "wasm", allow(dead_code))]

pub mod base;
mod collections;
pub mod engine;
pub mod exact;
#[cfg_attr(target_family = "wasm", path = "jit/without.rs")]
mod jit;
pub mod net;
pub mod observe;
pub mod program;
pub mod session;
mod state;
