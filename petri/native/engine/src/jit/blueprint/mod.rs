//! Everything that code is generated from. Emission (`jit/emit`) reads a blueprint and nothing else of a net: it is not
//! given the program, and may not import its types. So two functions with the same blueprint have the same code, except
//! for the contents of their hole rows, and the blueprint itself is the key by which code is shared.
//!
//! A blueprint names places, transitions, joins and indices by the order in which it mentions them, and likewise the
//! constants and addresses that are not part of the code. [`Names`] say what these are for one transition: two stations of an
//! array share a blueprint, and each has its own names.
//!
//! A neighbour is described only as far as the transition's code depends on it. Otherwise a blueprint would contain
//! half the net, and no two would be equal.
//!
//! - [`expression`]: expressions, with names for constants that are holes
//! - [`transition`]: the transition whose code it is
//! - [`place`]: the places that it uses, and their neighbours
//! - [`rate`]: rates in the common clock
//! - [`names`]: what differs between transitions with the same blueprint
//! - [`planner`]: makes blueprints of a program
//! - [`interpreted`]: what has no code, and why
//! - [`quick_hash`]: the hash by which they are looked up

pub mod expression;
pub mod interpreted;
pub mod names;
pub mod place;
pub mod planner;
pub mod quick_hash;
pub mod rate;
pub mod transition;

use std::ops::Index;

use crate::jit::blueprint::expression::Expression;
use crate::jit::blueprint::names::{IndexRef, JoinRef, PlaceRef, TransitionRef};
use crate::jit::blueprint::place::{Fronted, IndexPlan, JoinPlan, Neighbour, PlacePlan};
use crate::jit::blueprint::rate::RatePlan;
use crate::jit::blueprint::transition::{Level, SetSize, TransitionPlan};

/// What the functions of a transition, of a place, or the loop are made from.
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct Blueprint {
    pub subject: Subject,
    pub places: Vec<PlacePlan>,
    pub transitions: Vec<Neighbour>,
    pub joins: Vec<JoinPlan>,
    pub indices: Vec<IndexPlan>,
}

/// What code is made for.
#[derive(Debug, PartialEq, Eq, Hash)]
pub enum Subject {
    /// A transition, the first one named.
    Transition(Box<TransitionPlan>),
    /// Tokens arrive in a place, the first one named. `reserved`: room was kept for them.
    Arrival {
        reserved: bool,
        /// Where its tokens form lines that are queues.
        fronted: Option<Fronted>,
    },
    /// A token of a front leaves the place with `per` that it belongs to.
    Departure(Fronted),
    /// An expression, given `variables` variables. The transitions that use it share all other code.
    Expression {
        expression: Expression,
        variables: usize,
        /// It reads nothing but these: it is given no engine.
        alone: bool,
    },
    /// The rate of a transition in the common clock (C4).
    Rate(RatePlan),
    Loop(LoopPlan),
}

/// What the main loop is made from.
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct LoopPlan {
    /// The places that get the rows of a file.
    pub streams: Vec<PlaceRef>,
    /// Priorities, the highest first.
    pub levels: Vec<Level>,
    /// Watches do not decide about all transitions.
    pub looks: bool,
    /// Measures watch values of the marking.
    pub watches: bool,
    /// The enabling of some transition depends on the time itself.
    pub has_clocked: bool,
    /// Transitions race.
    pub races: bool,
    /// In a net of one clock, where each instant is one firing: how many transitions share the clock.
    pub one_clock: Option<usize>,
    pub has_lanes: bool,
}

impl LoopPlan {
    /// The size of the sets of enabled transitions of all priorities, if it is one, and not large.
    pub fn size_of_sets(&self) -> Option<SetSize> {
        let (first, others) = self.levels.split_first()?;
        let one = first.size != SetSize::Large && others.iter().all(|level| level.size == first.size);
        one.then_some(first.size)
    }
}

impl Blueprint {
    /// Variables of the transition, or those that an expression is given.
    pub fn variables(&self) -> usize {
        match &self.subject {
            Subject::Transition(plan) => plan.variables,
            &Subject::Expression { variables, .. } => variables,
            Subject::Arrival { .. } | Subject::Departure(_) | Subject::Rate(_) | Subject::Loop(_) => 0,
        }
    }

    /// Whether its functions are given an engine.
    pub fn has_engine(&self) -> bool {
        !matches!(self.subject, Subject::Expression { alone: true, .. })
    }

    /// Whether its expressions may draw, with the random stream of a transition.
    pub fn draws(&self) -> bool {
        self.transition().is_some()
    }

    /// The transition gets no code.
    pub fn leave_to_engine(&mut self) {
        if let Subject::Transition(plan) = &mut self.subject {
            (plan.fires, plan.cold) = (false, true);
        }
    }

    /// The transition's firing is all that happens at its instant, and it settles the common clock.
    pub fn settles(&self) -> bool {
        self.transition().is_some_and(|plan| !plan.settles.is_empty())
    }

    /// The place with `per`, and its front, whose tokens the code moves.
    pub fn fronted(&self) -> Option<&Fronted> {
        match &self.subject {
            Subject::Arrival { fronted, .. } => fronted.as_ref(),
            Subject::Departure(fronted) => Some(fronted),
            _ => None,
        }
    }

    pub fn transition(&self) -> Option<&TransitionPlan> {
        match &self.subject {
            Subject::Transition(plan) => Some(plan),
            _ => None,
        }
    }
}

macro_rules! named {
    ($($name:ty => $of:ident: $plan:ty),*) => {
        $(impl Index<$name> for Blueprint {
            type Output = $plan;

            fn index(&self, name: $name) -> &$plan {
                &self.$of[name.at()]
            }
        })*
    };
}

named!(PlaceRef => places: PlacePlan, TransitionRef => transitions: Neighbour, JoinRef => joins: JoinPlan, IndexRef => indices: IndexPlan);
