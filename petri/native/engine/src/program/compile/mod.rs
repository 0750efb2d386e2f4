//! From the flat net to the program.
//!
//! May import: what `program` may, and the rest of `program`.
//!
//! - [`net`]: the whole net: where to begin
//! - [`compiler`]: indices, joins, gauges and watches, each made when first asked for
//! - [`transition`]: one transition: its arcs, and what it watches
//! - [`outputs`]: the output arcs of a transition, and what delivers those with a delay
//! - [`clock`]: the clock of a transition
//! - [`one_clock`]: whether the common clock is all that happens in a net
//! - [`selection`]: how the bindings of a transition are counted and drawn
//! - [`ranking`]: pairs that one comparison matches, and tokens that are preferred
//! - [`fronts`]: bags behind the places of the net, for what places with `per` show
//! - [`join_tree`]: arcs that are keyed one by another
//! - [`lanes`]: which transitions share a lane of the agenda
//! - [`probes`]: declared measures
//! - [`prefetch_targets`]: the memory that deposited tokens will touch

pub mod clock;
pub mod compiler;
pub mod fronts;
pub mod join_tree;
pub mod lanes;
pub mod net;
pub mod one_clock;
pub mod outputs;
pub mod prefetch_targets;
pub mod probes;
pub mod ranking;
pub mod selection;
pub mod transition;
