//! Makes the blueprints of a program's transitions, of places, and of the loop. Whatever code depends on is added
//! here.
//!
//! - `places`: places, and what tokens that move there lead to
//! - `transitions`: the transition itself
//! - `expressions`: expressions

mod expressions;
mod places;
mod transitions;

use crate::base::ids::{LinesId, PlaceId, TransitionId};
use crate::jit::blueprint::expression::Expression;
use crate::jit::blueprint::interpreted::has_routine;
use crate::jit::blueprint::names::{Names, Naming};
use crate::jit::blueprint::place::{IndexPlan, JoinPlan, Neighbour, PlacePlan};
use crate::jit::blueprint::rate::{Bindings, EachRate, RatePlan, Settle};
use crate::jit::blueprint::{Blueprint, LoopPlan, Subject};
use crate::jit::profile::Profile;
use crate::program::clock::ClockKind;
use crate::program::{expression, transition, Program};
use crate::state::clocks::Clocks;
use crate::state::common_clock::CommonClock;

/// How the expressions of a transition are in its blueprint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expressions {
    /// Inlined, with their constants.
    Written,
    /// Inlined, and constants are holes.
    Open,
    /// Called, where that pays, and constants are holes: transitions that differ only in expressions have equal
    /// blueprints.
    Called,
}

/// A blueprint, and what its names refer to; and the same for the functions that it calls.
pub struct Planned {
    pub blueprint: Blueprint,
    pub names: Names,
    pub calls: Vec<(Blueprint, Names)>,
}

/// Makes one blueprint.
pub struct Planner<'a> {
    program: &'a Program,
    profile: Option<&'a Profile>,
    expressions: Expressions,
    calls: Vec<(Blueprint, Names)>,
    /// One more than the last variable that an expression has named.
    variables: usize,
    /// No expression has drawn anything, or is evaluated by the runtime.
    computes: bool,
    names: Naming,
    places: Vec<PlacePlan>,
    transitions: Vec<Neighbour>,
    joins: Vec<JoinPlan>,
    indices: Vec<IndexPlan>,
}

impl<'a> Planner<'a> {
    /// The blueprint of a transition.
    pub fn transition(program: &'a Program, profile: Option<&'a Profile>, id: TransitionId) -> (Blueprint, Names) {
        let Planned { blueprint, names, .. } = Planner::planned(program, profile, id, Expressions::Written);
        (blueprint, names)
    }

    /// The same, with its expressions inlined or called.
    pub fn planned(
        program: &'a Program,
        profile: Option<&'a Profile>,
        id: TransitionId,
        expressions: Expressions,
    ) -> Planned {
        let mut planner = Planner { expressions, ..Planner::new(program, profile) };
        planner.neighbour(id);
        let plan = planner.plan(id, &program.transitions[id]);
        let calls = std::mem::take(&mut planner.calls);
        let (blueprint, names) = planner.end(Subject::Transition(Box::new(plan)));
        Planned { blueprint, names, calls }
    }

    /// The blueprint of what happens as tokens arrive in a place.
    pub fn arrival(
        program: &'a Program,
        profile: Option<&'a Profile>,
        id: PlaceId,
        reserved: bool,
    ) -> (Blueprint, Names) {
        let mut planner = Planner::new(program, profile);
        planner.moved(id);
        let lines = program.places[id].lines.filter(|_| has_routine(program, id));
        let fronted = lines.map(|lines| planner.fronted(lines));
        planner.end(Subject::Arrival { reserved, fronted })
    }

    /// The blueprint of what happens as a token leaves a front.
    pub fn departure(program: &'a Program, profile: Option<&'a Profile>, lines: LinesId) -> (Blueprint, Names) {
        let mut planner = Planner::new(program, profile);
        let fronted = planner.fronted(lines);
        planner.end(Subject::Departure(fronted))
    }

    /// The blueprint of what computes the rate in the common clock of the transition with this shadow, if its firings leave no
    /// choice of tokens.
    pub fn rate(
        program: &'a Program,
        profile: Option<&'a Profile>,
        shadow: TransitionId,
    ) -> Option<(Blueprint, Names)> {
        let mut planner = Planner::new(program, profile);
        let plan = planner.rate_plan(program.number_of_shadow(shadow)?)?;
        Some(planner.end(Subject::Rate(plan)))
    }

    /// What computes the rate of a transition, by its number among those that race.
    fn rate_plan(&mut self, number: usize) -> Option<RatePlan> {
        let program = self.program;
        let transition = &program.transitions[program.racing[number]];
        let clock = transition.clock.as_ref().filter(|clock| clock.kind == ClockKind::Shared)?;
        let bindings = match &transition.selection {
            transition::Selection::Single => Bindings::One,
            transition::Selection::Bag(arc) => Bindings::Bag(self.place(transition.inputs[*arc].place)),
            transition::Selection::Join(id) if program.joins[id.at()].free.is_empty() => Bindings::Join(self.join(*id)),
            _ => return None,
        };
        let guard = match &transition.guard {
            Some(guard) if transition.waits_for_guard() => Some(self.condition(guard)),
            _ if transition.plain => None,
            _ => return None,
        };
        if bindings != Bindings::One && clock.servers != Some(1) {
            return None;
        }
        let needs = if clock.servers == Some(1) { &[][..] } else { clock.needs.as_deref()? };
        let each = match (clock.mean.as_ref()?, &clock.speed) {
            (expression::Real::Const(mean), None) if *mean > 0.0 => EachRate::Const(self.word((1.0 / mean).to_bits())),
            (mean, speed) => {
                EachRate::Of { mean: self.real(mean), speed: speed.as_ref().map(|(speed, _)| self.real(speed)) }
            }
        };
        Some(RatePlan {
            bindings,
            guard,
            needs: needs.iter().map(|&(place, count)| (self.place(place), count)).collect(),
            // What takes nothing has one clock (C1).
            servers: clock.servers.filter(|_| !needs.is_empty()),
            each,
        })
    }

    /// The rates that a firing of a transition with the common clock changes, its own first.
    fn settles(&mut self, number: usize) -> Vec<Settle> {
        let program = self.program;
        let mut changed = program.changed_rates(number);
        let own = changed.remove(&number);
        let (first, depth) = CommonClock::shape(program.racing.len());
        let settle = |(number, changes): (usize, bool)| Settle {
            transition: self.neighbour(program.racing[number]),
            clocks: self.word((number * size_of::<Clocks>()) as u64),
            leaf: self.word(((first + number) * size_of::<f64>()) as u64),
            levels: if CommonClock::adds_up_at_once(first) { depth } else { 0 },
            rate: self.rate_plan(number).filter(|_| changes),
        };
        [(number, own)].into_iter().chain(changed.into_iter().map(|number| (number, true))).map(settle).collect()
    }

    /// The blueprint of an expression that is evaluated as tokens come and go, if it is worth a call.
    pub fn told(program: &'a Program, value: &expression::Value) -> Option<(Blueprint, Names)> {
        let mut planner = Planner { expressions: Expressions::Open, ..Planner::new(program, None) };
        let expression = match value {
            expression::Value::Int(expression::Int::Truth(condition)) => Expression::Bool(planner.condition(condition)),
            expression::Value::Int(value) => Expression::Int(planner.int(value)),
            expression::Value::Real(value) => Expression::Real(planner.real(value)),
        };
        if !planner.computes || !planner.places.is_empty() || expression.is_short() {
            return None;
        }
        let variables = planner.variables;
        Some(planner.end(Subject::Expression { expression, variables, alone: true }))
    }

    /// The blueprint of the loop.
    pub fn main_loop(program: &'a Program, profile: Option<&'a Profile>) -> (Blueprint, Names) {
        let mut planner = Planner::new(program, profile);
        let plan = LoopPlan {
            streams: program.streams.iter().map(|&place| planner.place(place)).collect(),
            levels: program.levels.iter().map(|level| planner.level(level)).collect(),
            looks: program.transitions.iter().any(|plan| !plan.plain) || !program.probes.watched.is_empty(),
            watches: !program.probes.watched.is_empty(),
            has_clocked: !program.clocked.is_empty(),
            races: !program.racing.is_empty(),
            one_clock: program.one_clock.then_some(program.racing.len()),
            has_lanes: program.lanes > 0,
        };
        planner.end(Subject::Loop(plan))
    }

    fn new(program: &'a Program, profile: Option<&'a Profile>) -> Self {
        let (places, transitions, joins, indices) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let (names, expressions, calls) = (Naming::default(), Expressions::Written, Vec::new());
        let (variables, computes) = (0, true);
        Planner {
            program,
            profile,
            expressions,
            calls,
            variables,
            computes,
            names,
            places,
            transitions,
            joins,
            indices,
        }
    }

    fn end(self, subject: Subject) -> (Blueprint, Names) {
        let Planner { names, places, transitions, joins, indices, .. } = self;
        (Blueprint { subject, places, transitions, joins, indices }, names.into())
    }
}
