//! The net as the engine runs it: everything that can be decided before the first firing is decided here. A program does not
//! change, and knows neither the state of a run nor machine code.
//!
//! May import: `base`, `collections`, `net`.
//!
//! - [`place`]: a place
//! - [`arc`]: the arcs of a transition
//! - [`transition`]: a transition, and the transitions of one priority
//! - [`watch`]: which transitions a change of a number concerns
//! - [`index`]: an index over the tokens of a place
//! - [`join`]: a transition whose bindings are counted and not searched for
//! - [`probes`]: what events do to declared measures
//! - [`prefetch_target`]: what the tokens that a firing will deposit lead to
//! - [`expression`]: expressions, as typed trees
//! - [`distribution`]: distributions whose parameters are expressions
//! - [`variates`]: random variates that need a loop
//! - [`lower`]: from the expressions of the flat net to those trees
//! - [`analysis`]: what is known of an expression before it is evaluated
//! - [`ranges`]: which values the slots of places may have
//! - [`initial`]: the tokens of the initial marking
//! - [`conservation`]: which places never have more tokens than at first
//! - [`compile`]: from the flat net to the program

pub mod analysis;
pub mod arc;
pub mod compile;
pub mod conservation;
pub mod distribution;
pub mod expression;
pub mod index;
pub mod initial;
pub mod join;
pub mod lower;
pub mod place;
pub mod prefetch_target;
pub mod probes;
pub mod ranges;
pub mod transition;
pub mod variates;
pub mod watch;

use std::sync::Arc;

use crate::base::ids::{GaugeId, IndexId, PlaceId, TransitionId};
use crate::base::table::Table;
use crate::net::{Span, Tick};
use crate::program::expression::DrawTable;
use crate::program::index::IndexProgram;
use crate::program::join::JoinProgram;
use crate::program::place::PlaceProgram;
use crate::program::prefetch_target::PrefetchTarget;
use crate::program::probes::ProbesProgram;
use crate::program::transition::{Level, Move, Simple, TransitionProgram};
use crate::program::watch::{Dependent, Gauge, Watch};

/// A net compiled for running. Replications share it.
pub struct Program {
    pub places: Table<PlaceId, PlaceProgram>,
    pub transitions: Table<TransitionId, TransitionProgram>,
    pub simple: Table<TransitionId, Simple>,
    pub moves: Vec<Move>,
    /// The tokens of each place, then the loads of places with a capacity.
    pub gauges: Table<GaugeId, Gauge>,
    pub watches: Vec<Watch>,
    pub dependents: Vec<Dependent>,
    /// Priorities, the highest first.
    pub levels: Vec<Level>,
    pub indices: Table<IndexId, IndexProgram>,
    pub joins: Vec<JoinProgram>,
    pub tables: Vec<DrawTable>,
    /// The places that get the rows of a file.
    pub streams: Vec<PlaceId>,
    pub spans: Vec<Span>,
    pub tick: Tick,
    /// Transitions whose enabling depends on the time itself.
    pub clocked: Vec<TransitionId>,
    pub probes: Arc<ProbesProgram>,
    /// Lanes of the agenda.
    pub lanes: usize,
    /// What the tokens that firings of each transition deposit lead to.
    pub prefetch_targets: Table<TransitionId, Box<[PrefetchTarget]>>,
    /// The most variables that a transition has.
    pub variables: usize,
    /// The words of the longest record of a firing in progress.
    pub record: usize,
}

impl Program {
    /// What concerns a gauge.
    pub fn watching(&self, gauge: &Gauge) -> (&[Watch], &[Dependent]) {
        let of = |(first, end): (u32, u32)| first as usize..end as usize;
        (&self.watches[of(gauge.watches)], &self.dependents[of(gauge.dependents)])
    }
}
