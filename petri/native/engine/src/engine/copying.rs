//! An engine becomes as another one of the same program is, so that a run can go on from one instant more than once.
//!
//! **Problem.** Splitting returns to the same states over and over, after a few firings each time. To write a state as data
//! and to make an engine of it (`saving`) takes longer than those firings.
//!
//! **Idea.** Both engines have the same tables, so that each part is copied into its counterpart; what has no memory of its
//! own, such as the counters of places, is copied as it is. Only the addresses of the tokens of a place are its own.
//!
//! What is observed is not copied, and neither are the integrals: trials have no figures but what they ask about the marking.

use crate::base::ids::PlaceId;
use crate::engine::run::Engine;
use crate::engine::upcoming::Upcoming;
use crate::program::Program;
use crate::state::agenda::Agenda;
use crate::state::clocks::AllClocks;
use crate::state::enabling::Enabling;
use crate::state::marking::Marking;

impl Engine {
    /// Becomes as another engine of the same program is, between two instants.
    pub fn assume(&mut self, other: &Self) {
        (self.now, self.firings, self.window, self.hash) = (other.now, other.firings, other.window, other.hash);
        (self.instant_began, self.quiet) = (other.instant_began, other.quiet);
        self.random.state = other.random.state;
        self.enabling.assume(&other.enabling);
        self.marking.assume(&other.marking);
        self.agenda.assume(&other.agenda);
        if !other.clocks.of.is_empty() {
            self.clocks.assume(&other.clocks);
        }
        self.bundles.assume(&other.bundles);
        self.integrals.fold_after(&other.integrals);
        self.last_started.clone_from(&other.last_started);
        self.upcoming = Upcoming::default();
        (self.error, self.fault) = (None, None);
    }

    /// The same with all that is observed, and with what is to come from outside, or has gone there.
    pub fn assume_all(&mut self, other: &Self) {
        self.assume(other);
        self.integrals.clone_from(&other.integrals);
        self.observers.probes.assume(&other.observers.probes);
        self.own.iter_mut().zip(other.own.iter()).for_each(|(own, theirs)| own.state = theirs.state);
        self.streams.arrivals.clone_from(&other.streams.arrivals);
        self.outputs.clone_from(&other.outputs);
        (self.awaiting, self.passed_at) = (other.awaiting, other.passed_at);
        self.error.clone_from(&other.error);
    }
}

impl Enabling {
    fn assume(&mut self, other: &Self) {
        self.transitions.copy_from_slice(&other.transitions);
        for (level, theirs) in self.levels.iter_mut().zip(other.levels.iter()) {
            level.clone_from(theirs);
        }
        (self.listed, self.unsettled) = (other.listed, other.unsettled);
        self.list.copy_from_slice(&other.list);
        self.clocks.copy_from_slice(&other.clocks);
        self.shown.clone_from(&other.shown);
    }
}

impl Marking {
    /// A place becomes as it is in another marking, of a program without upkeep.
    pub(crate) fn assume_place(&mut self, program: &Program, place: PlaceId, other: &Self) {
        self.assume_tokens(place, other);
        if let Some(lines) = program.places[place].lines {
            self.lines[lines].clone_from(&other.lines[lines]);
            self.assume_tokens(program.lines[lines].front, other);
        }
        if program.places[place].weight.is_some() {
            *self.weights_mut(place) = other.weights(place);
        }
    }

    fn assume_tokens(&mut self, place: PlaceId, other: &Self) {
        self.stores[place].clone_from(&other.stores[place]);
        self.places[place] = other.places[place];
        self.places[place].ring = self.stores[place].same_ring(other.places[place].ring);
    }

    fn assume(&mut self, other: &Self) {
        self.total = other.total;
        self.copy_weights(other);
        (0..self.places.len() as u32).for_each(|place| self.assume_tokens(PlaceId(place), other));
        for (index, theirs) in self.indices.iter_mut().zip(other.indices.iter()) {
            index.clone_from(theirs);
        }
        for (join, theirs) in self.joins.iter_mut().zip(other.joins.iter()) {
            join.clone_from(theirs);
        }
        self.lines.clone_from(&other.lines);
        self.matches.clone_from(&other.matches);
        self.join_trees.clone_from(&other.join_trees);
        self.rankings.clone_from(&other.rankings);
        self.keep_calling();
        if !(self.identities.is_new() && other.identities.is_new()) {
            self.identities.clone_from(&other.identities);
        }
    }
}

impl Agenda {
    fn assume(&mut self, other: &Self) {
        self.tournament.clone_from(&other.tournament);
        self.endings.clone_from(&other.endings);
        for (lane, theirs) in self.lanes.iter_mut().zip(other.lanes.iter()) {
            lane.clone_from(theirs);
        }
    }
}

impl AllClocks {
    /// What a program gives all its engines, and room for rates, stay.
    fn assume(&mut self, other: &Self) {
        self.of.clone_from(&other.of);
        self.common.clone_from(&other.common);
        self.ends.clone_from(&other.ends);
        self.timers.clone_from(&other.timers);
        (self.settled, self.settled_after, self.kept) = (other.settled, other.settled_after, other.kept);
        self.turnover.clone_from(&other.turnover);
    }
}
