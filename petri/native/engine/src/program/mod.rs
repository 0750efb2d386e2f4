//! The net as the engine runs it: everything that can be decided before the first firing is decided here. A program does not
//! change, and refers neither to the state of a run nor to machine code.
//!
//! May import: `base`, `collections`, `net`.
//!
//! - [`place`]: a place
//! - [`clock`]: the clock of a transition
//! - [`arc`]: the arcs of a transition
//! - [`time`]: how long something lasts
//! - [`transition`]: a transition, and the transitions of one priority
//! - [`watch`]: which transitions a change of a number affects
//! - [`index`]: an index over the tokens of a place
//! - [`join`]: a transition whose bindings are counted and not searched for
//! - [`join_tree`]: one whose arcs are keyed one by another
//! - [`called`]: expressions that are evaluated as tokens come and go
//! - [`probes`]: what events do to declared measures
//! - [`prefetch_target`]: the memory that deposited tokens will touch
//! - [`expression`]: expressions, as typed trees
//! - [`distribution`]: distributions whose parameters are expressions
//! - [`variates`]: random variates that need a loop
//! - [`lower`]: from the expressions of the flat net to those trees
//! - [`analysis`]: properties of an expression that are known before it is evaluated
//! - [`ranking`]: the values by which tokens are ranked
//! - [`ranges`]: which values the slots of places may have
//! - [`initial`]: the tokens of the initial marking
//! - [`conservation`]: which places never have more tokens than at first
//! - [`without`]: optimisations that can be switched off, for tests
//! - [`compile`]: from the flat net to the program

pub mod analysis;
pub mod arc;
pub mod called;
pub mod clock;
pub mod compile;
pub mod conservation;
pub mod distribution;
pub mod expression;
pub mod index;
pub mod initial;
pub mod join;
pub mod join_tree;
pub mod lower;
pub mod place;
pub mod prefetch_target;
pub mod probes;
pub mod ranges;
pub mod ranking;
pub mod time;
pub mod transition;
pub mod variates;
pub mod watch;
pub mod without;

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::base::ids::{GaugeId, IndexId, JoinTreeId, LinesId, MatchId, PlaceId, RankingId, TransitionId};
use crate::base::table::Table;
use crate::net::{Span, Tick};
use crate::program::arc::Find;
use crate::program::called::Called;
use crate::program::compile::transition::is_bag;
use crate::program::expression::DrawTable;
use crate::program::index::IndexProgram;
use crate::program::join::JoinProgram;
use crate::program::join_tree::JoinTreeProgram;
use crate::program::place::{LinesProgram, PlaceProgram};
use crate::program::prefetch_target::PrefetchTarget;
use crate::program::probes::ProbesProgram;
use crate::program::ranking::{MatchProgram, RankingProgram};
use crate::program::transition::{Level, Move, Selection, Simple, TransitionProgram};
use crate::program::watch::{Dependent, Gauge, Watch};
use crate::program::without::Without;

/// A net compiled for running. Replications share it.
pub struct Program {
    /// Those of the net, `own_places` of them, and then the fronts of places with `per`.
    pub places: Table<PlaceId, PlaceProgram>,
    pub own_places: usize,
    pub lines: Table<LinesId, LinesProgram>,
    /// Those of the net, `own` of them, and then what delivers the tokens of outputs with a delay.
    pub transitions: Table<TransitionId, TransitionProgram>,
    pub own: usize,
    /// The agenda numbers what a firing puts there: with this number of bits in the number of a firing, 0 without delays.
    pub parts: u32,
    pub simple: Table<TransitionId, Simple>,
    pub moves: Vec<Move>,
    /// The tokens of each place, then the loads of places with a capacity, then the values shown by fronts.
    pub gauges: Table<GaugeId, Gauge>,
    pub watches: Vec<Watch>,
    pub dependents: Vec<Dependent>,
    /// Priorities, the highest first.
    pub levels: Vec<Level>,
    pub indices: Table<IndexId, IndexProgram>,
    pub joins: Vec<JoinProgram>,
    pub matches: Table<MatchId, MatchProgram>,
    pub join_trees: Table<JoinTreeId, JoinTreeProgram>,
    pub rankings: Table<RankingId, RankingProgram>,
    /// How many expressions have a number ([`Called`]).
    pub called_numbers: usize,
    pub tables: Vec<DrawTable>,
    /// Whether each transition draws values from a stream of its own (R5).
    pub own_streams: bool,
    /// The level at which a run waits for a decision (I13), or a number that no level has.
    pub decisions: usize,
    /// The places that get the rows of a file.
    pub streams: Vec<PlaceId>,
    /// The ports in, those of them that get the rows of a file with times, and the ports out (I12).
    pub inputs: Vec<PlaceId>,
    pub fed: Vec<PlaceId>,
    pub outputs: Vec<PlaceId>,
    pub spans: Vec<Span>,
    pub tick: Tick,
    /// Transitions whose enabling depends on the time itself, and shadows of such with a clock.
    pub clocked: Vec<TransitionId>,
    /// The transitions with a clock, in order. Behind all transitions, each of them has a shadow in the enabling.
    pub racing: Vec<TransitionId>,
    /// For each place whose black tokens have clocks, the transitions with these, by their numbers among the clocks (C1).
    pub clocks_of_tokens: BTreeMap<PlaceId, Vec<usize>>,
    /// Each instant is one firing of a transition that has a part in the common clock.
    pub one_clock: bool,
    pub probes: Arc<ProbesProgram>,
    /// Lanes of the agenda.
    pub lanes: usize,
    /// The memory that the tokens of each transition will touch.
    pub prefetch_targets: Table<TransitionId, Box<[PrefetchTarget]>>,
    /// The most variables that a transition has.
    pub variables: usize,
    /// The words of the longest record of a firing in progress.
    pub record: usize,
    pub without: Without,
}

/// The input arcs whose tokens a transition looks through: all their combinations, or all tokens of each.
pub struct Looks {
    pub arcs: Vec<usize>,
    pub combined: bool,
}

/// Combinations of tokens that a search may look through at nearly every firing before it is reported.
const MANY: u64 = 1_000;

impl Program {
    /// The expressions that are evaluated as tokens come and go, and the transition whose conditions they are, if they are some. Copies
    /// of one are all among them.
    pub fn called(&self) -> impl Iterator<Item = (Option<TransitionId>, &Called)> {
        let of_joins = self.joins.iter().flat_map(|join| join.filter.iter().map(|filter| (join.transition, filter)));
        let of_trees = self.join_trees.iter().flat_map(|tree| {
            let tests = tree.nodes.iter().filter_map(|node| node.edge.as_ref()?.test.as_ref());
            let filters = tree.nodes.iter().filter_map(|node| node.filter.as_ref());
            filters.chain(tests).map(|condition| (tree.transition, condition))
        });
        let of_matches = self.matches.iter().flat_map(|of| {
            let ranks = std::iter::once(&of.reach).chain(&of.beyond).flat_map(|reach| [&reach.pivot, &reach.other]);
            ranks.filter_map(|rank| rank.filter.as_ref()).map(|filter| (of.transition, filter))
        });
        let conditions = of_joins.chain(of_trees).chain(of_matches).map(|(id, condition)| (Some(id), condition));
        conditions.chain(self.probes.departures.iter().flatten().map(|(_, value)| (None, value)))
    }

    /// The tokens that a transition looks through at nearly every firing, where they may be many.
    pub fn looks(&self, transition: &TransitionProgram) -> Option<Looks> {
        match transition.selection {
            Selection::Search => self.searched(transition),
            Selection::Tree(id) => self.tested(transition, &self.join_trees[id]),
            _ => None,
        }
    }

    /// Whether places get the rows of files.
    pub fn refills(&self) -> bool {
        !self.streams.is_empty()
    }

    /// Transitions, shadows of those with a clock, and shadows of values that are watched.
    pub fn with_shadows(&self) -> usize {
        self.transitions.len() + self.racing.len() + self.probes.watched.len()
    }

    /// The shadow of a transition with a clock, by its number among them.
    pub fn shadow(&self, number: usize) -> TransitionId {
        TransitionId((self.transitions.len() + number) as u32)
    }

    /// The number among the transitions with a clock of the one whose shadow this is.
    pub fn number_of_shadow(&self, id: TransitionId) -> Option<usize> {
        id.at().checked_sub(self.transitions.len()).filter(|&number| number < self.racing.len())
    }

    /// The transition itself, or that whose shadow it is; the first one for a value that is watched.
    pub fn owner(&self, id: TransitionId) -> TransitionId {
        match self.number_of_shadow(id) {
            Some(number) => self.racing[number],
            None if id.at() < self.transitions.len() => id,
            None => TransitionId(0),
        }
    }

    /// The most tokens that an arc may find.
    fn most(&self, transition: &TransitionProgram, arc: usize) -> u64 {
        self.places[transition.inputs[arc].place].most.unwrap_or(u64::MAX)
    }

    /// The arcs of a join tree whose tokens are all tested against one of another arc.
    fn tested(&self, transition: &TransitionProgram, tree: &JoinTreeProgram) -> Option<Looks> {
        let pairs = tree.nodes.iter().filter_map(|node| {
            let edge = node.edge.as_ref().filter(|edge| edge.slots.is_empty() && !edge.is_plain())?;
            Some([tree.nodes[edge.parent].arc, node.arc])
        });
        let mut arcs: Vec<usize> = pairs.flatten().collect();
        arcs.sort_unstable();
        arcs.dedup();
        let all = arcs.iter().map(|&arc| self.most(transition, arc)).fold(0, u64::saturating_add);
        (all > MANY).then_some(Looks { arcs, combined: false })
    }

    /// The arcs whose combinations a transition looks through, if these may be many.
    fn searched(&self, transition: &TransitionProgram) -> Option<Looks> {
        let looks = |&arc: &usize| {
            let input = &transition.inputs[arc];
            is_bag(input) && (transition.prefer.is_some() || (input.decides && transition.counted != Some(arc)))
        };
        let arcs: Vec<usize> = (0..transition.inputs.len()).filter(looks).collect();
        // How many tokens have one key is not known; one, if all is well.
        let many = |&&arc: &&usize| matches!(transition.inputs[arc].find, Find::Any);
        let most = |&arc: &usize| self.most(transition, arc);
        let all = arcs.iter().filter(many).map(most).fold(1, u64::saturating_mul);
        (all > MANY).then_some(Looks { arcs, combined: true })
    }

    /// The watches and dependents of a gauge.
    pub fn watching(&self, gauge: &Gauge) -> (&[Watch], &[Dependent]) {
        let of = |(first, end): (u32, u32)| first as usize..end as usize;
        (&self.watches[of(gauge.watches)], &self.dependents[of(gauge.dependents)])
    }
}
