//! Makes the blueprints of a program's transitions, of places, and of the loop. Whatever code depends on is added
//! here.

use std::ptr::from_ref;

use crate::base::ids::{GaugeId, IndexId, JoinId, LinesId, PlaceId, TransitionId, VariableId};
use crate::base::random::RECTANGLES;
use crate::base::ticks::SHORT;
use crate::collections::weights::Weights;
use crate::jit::blueprint::expression::{Bool, Expression, Int, Leaf, Mean, Real, SlotValue, Value, Variable};
use crate::jit::blueprint::interpreted::{evaluates_bundle, finds_sets, has_routine, interpreted_place, why_search};
use crate::jit::blueprint::names::{CallRef, IndexRef, JoinRef, Names, PlaceRef, TransitionRef, WordRef};
use crate::jit::blueprint::place::{
    Dependent, Entry, Fronted, Gauge, IndexPlan, IndexUse, JoinPlan, KeySlot, LinesPlan, Link, Moves, Neighbour,
    PivotUse, PlacePlan, Serves, Shown, Watch,
};
use crate::jit::blueprint::rate::{Bindings, EachRate, RatePlan, Settle};
use crate::jit::blueprint::transition::{
    Bundle, Check, Count, Delay, Find, Inhibitor, Input, JoinSelection, Level, Limit, OfSet, OneOf, Output, Prefer,
    Races, Room, Rooms, Selection, SetPlan, SetSize, Sets, Take, Time, TransitionPlan,
};
use crate::jit::blueprint::{Blueprint, LoopPlan, Subject};
use crate::jit::profile::{Occupancy, Profile};
use crate::net::Discipline;
use crate::program::clock::ClockKind;
use crate::program::distribution::{FINITE_MEAN, POSITIVE_MEAN};
use crate::program::join::{ArcChoice, JoinProgram, LinkKey, LinkProgram};
use crate::program::place::{Bound, LinesProgram, PlaceProgram};
use crate::program::transition::{TransitionProgram, NO_LANE};
use crate::program::watch::MOST_WATCHES;
use crate::program::{arc, expression, time, transition, Program};
use crate::state::clocks::Clocks;
use crate::state::common_clock::CommonClock;
use crate::state::lines::Lines;

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
    names: Names,
    places: Vec<PlacePlan>,
    transitions: Vec<Neighbour>,
    joins: Vec<JoinPlan>,
    indices: Vec<IndexPlan>,
}

/// The position of a name among others. A new name is added, and has to be described next.
fn named<T: Copy + PartialEq>(names: &mut Vec<T>, id: T) -> (u32, bool) {
    let known = names.iter().position(|&other| other == id);
    if known.is_none() {
        names.push(id);
    }
    (known.unwrap_or(names.len() - 1) as u32, known.is_none())
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
        if !transition.plain || bindings != Bindings::One && clock.servers != Some(1) {
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
        let (names, expressions, calls) = (Names::default(), Expressions::Written, Vec::new());
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
        (Blueprint { subject, places, transitions, joins, indices }, names)
    }

    // ------------------------------------------------------------ names

    fn word(&mut self, word: u64) -> WordRef {
        self.names.words.push(word);
        WordRef(self.names.words.len() as u32 - 1)
    }

    fn place(&mut self, id: PlaceId) -> PlaceRef {
        let (number, is_new) = named(&mut self.names.places, id);
        if is_new {
            let place = &self.program.places[id];
            let lines = place.lines.map(|lines| self.lines(lines));
            self.places.push(PlacePlan {
                width: place.width,
                discipline: place.discipline,
                lines,
                fronts: place.fronts.is_some(),
                has_routine: has_routine(self.program, id),
                weighed: place.weight.is_some(),
                holds_one: place.holds_one(),
                may_grow: place.most.is_none(),
                has_capacity: place.capacity.is_some(),
                probed: self.program.probes.hears_arrivals(id),
                departures_probed: self.program.probes.hears_departures(id),
                identified: place.identified,
                occupancy: self.profile.map_or(Occupancy::Seldom, |profile| profile.place(id)),
                moves: None,
            });
        }
        PlaceRef(number)
    }

    fn lines(&mut self, id: LinesId) -> LinesPlan {
        let lines = &self.program.lines[id];
        let at = self.word((id.at() * size_of::<Lines>()) as u64);
        LinesPlan { at, slots: lines.slots.clone(), extents: lines.extents.clone() }
    }

    /// A place with `per` whose tokens the code moves, with its front.
    fn fronted(&mut self, id: LinesId) -> Fronted {
        let LinesProgram { place, front, ref values, .. } = self.program.lines[id];
        let shown = values.as_ref().map(|values| Shown {
            slot: values.slot,
            least: values.least,
            first: self.word((values.first * size_of::<u64>()) as u64),
            gauges: values.gauges().map(|gauge| self.gauge(gauge)).collect(),
        });
        Fronted { place: self.moved(place), front: self.moved(front), shown }
    }

    /// A place whose tokens the code moves.
    fn moved(&mut self, id: PlaceId) -> PlaceRef {
        let name = self.place(id);
        if self.places[name.at()].moves.is_none() {
            self.places[name.at()].moves = Some(Box::new(self.moves(id)));
        }
        name
    }

    fn neighbour(&mut self, id: TransitionId) -> TransitionRef {
        let (number, is_new) = named(&mut self.names.transitions, id);
        if is_new {
            let owner = self.program.owner(id);
            let TransitionProgram { plain, level, .. } = self.program.transitions[owner];
            let plain = plain && owner == id;
            let set = SetSize::of(self.program.levels[level as usize].transitions.len());
            let of_clock = self.program.number_of_shadow(id).is_some();
            self.transitions.push(Neighbour { plain, of_clock, level, set });
        }
        TransitionRef(number)
    }

    fn join(&mut self, id: JoinId) -> JoinRef {
        let (number, is_new) = named(&mut self.names.joins, id);
        if is_new {
            let join = &self.program.joins[id.at()];
            let (transition, most) = (self.neighbour(join.transition), self.program.places[join.place].most);
            self.joins.push(JoinPlan {
                transition,
                filtered: join.filter.is_some(),
                may_grow: most.is_none(),
                fits_a_block: Weights::fit_a_block(most),
            });
        }
        JoinRef(number)
    }

    fn index(&mut self, id: IndexId) -> IndexRef {
        let (number, is_new) = named(&mut self.names.indices, id);
        if is_new {
            let index = &self.program.indices[id];
            let place = self.place(index.place);
            let (extents, outside) = (index.extents.clone(), index.outside());
            self.indices.push(IndexPlan { place, extents, outside });
        }
        IndexRef(number)
    }

    // ------------------------------------------------------------ what tokens that move lead to

    fn moves(&mut self, id: PlaceId) -> Moves {
        let program = self.program;
        let place = &program.places[id];
        let gauge = GaugeId::tokens(id);
        let load = program.gauges[gauge].load;
        Moves {
            tokens: self.gauge(gauge),
            // The runtime knows what tokens weigh.
            load: (load != GaugeId::NONE && place.weight.is_none()).then(|| self.gauge(load)),
            indices: place.indices.iter().map(|&index| self.index_use(index)).collect(),
            pivots: place.pivots.iter().map(|&join| self.pivot_use(place, join)).collect(),
            ranked: !place.ranked.is_empty(),
            entry: self.entry(place),
        }
    }

    fn gauge(&mut self, id: GaugeId) -> Gauge {
        let program = self.program;
        let (watches, dependents) = program.watching(&program.gauges[id]);
        // In a net of one clock, code tells dependents nothing.
        let dependents = if program.one_clock { &[] } else { dependents };
        if watches.len() + dependents.len() > MOST_WATCHES {
            return Gauge::Many(self.word(u64::from(id.0)));
        }
        let watch = |s: &mut Self, of: &crate::program::watch::Watch| Watch {
            threshold: of.threshold,
            transition: s.neighbour(of.transition),
            below: of.below,
        };
        let dependent = |s: &mut Self, of: &crate::program::watch::Dependent| Dependent {
            transition: s.neighbour(of.transition),
            depth: of.depth,
            only: of.only,
            enabled_by: of.enabled_by,
        };
        let watches = watches.iter().map(|of| watch(self, of)).collect();
        Gauge::Few { watches, dependents: dependents.iter().map(|of| dependent(self, of)).collect() }
    }

    fn entry(&self, place: &PlaceProgram) -> Entry {
        let program = self.program;
        let is_grouped = |index: &IndexId| program.indices[*index].extents.is_some();
        let is_keyed = |join: &JoinId| {
            let join = &program.joins[join.at()];
            only_link(program, join).is_some_and(|link| key_slots(join, link).is_some())
        };
        if place.indices.is_empty() && place.pivots.is_empty() && place.ranked.is_empty() {
            Entry::Unknown
        } else if place.discipline == Discipline::Bag
            && place.ranked.is_empty()
            && place.indices.iter().all(is_grouped)
            && place.pivots.iter().all(is_keyed)
        {
            Entry::ByGroups
        } else {
            Entry::ByRuntime
        }
    }

    fn index_use(&mut self, id: IndexId) -> IndexUse {
        let index = &self.program.indices[id];
        let serves = match index.links[..] {
            [] => Serves::None,
            [(join, _)] => {
                let JoinProgram { links, crowded, .. } = &self.program.joins[join.at()];
                if links.len() == 1 && !crowded {
                    Serves::One(self.join(join))
                } else {
                    Serves::Several
                }
            }
            _ => Serves::Several,
        };
        let key = index.slots.iter().map(|&slot| KeySlot { slot, inside: true }).collect();
        IndexUse { index: self.index(id), key, serves }
    }

    fn pivot_use(&mut self, place: &PlaceProgram, id: JoinId) -> PivotUse {
        let program = self.program;
        let join = &program.joins[id.at()];
        let link = only_link(program, join).map(|link| {
            let extents = program.indices[link.index].extents.as_deref().unwrap_or(&[]);
            let slot =
                |(extent, &slot): (_, &u32)| KeySlot { slot, inside: place.bounds[slot as usize].lies_in(extent) };
            let key = key_slots(join, link).map(|slots| extents.iter().zip(slots).map(slot).collect());
            Link { index: self.index(link.index), bit: self.word(u64::from(link.bit)), key }
        });
        PivotUse { join: self.join(id), link }
    }

    // ------------------------------------------------------------ the transition itself

    fn plan(&mut self, id: TransitionId, plan: &TransitionProgram) -> TransitionPlan {
        TransitionPlan {
            variables: plan.variable_names.len(),
            inputs: plan.inputs.iter().map(|arc| self.input(arc)).collect(),
            takes: plan.takes.iter().map(|take| self.take(take)).collect(),
            inhibitors: plan.inhibitors.iter().map(|arc| self.inhibitor(arc)).collect(),
            guard: plan.guard.as_ref().map(|guard| self.condition(guard)),
            prefer: plan.prefer.as_ref().map(|prefer| self.prefer(prefer)),
            known: plan.known.clone(),
            rooms: self.rooms(plan),
            resets: plan.resets.iter().map(|&place| self.place(place)).collect(),
            draws: plan.draws.iter().map(|(variable, value)| (variable.at(), self.value(value))).collect(),
            time: self.time(&plan.time),
            takes_turns: plan.takes_turns,
            in_lane: plan.lane != NO_LANE,
            sets: self.sets(plan),
            outputs: (0..plan.outputs.len()).map(|number| self.output(plan, number)).collect(),
            selection: match why_search(plan) {
                Some(_) => Selection::ByRuntime,
                None => self.selection(&plan.selection),
            },
            counted: plan.counted,
            counts: plan.counts.to_vec(),
            exhaustive: plan.exhaustive,
            watched: plan.watched,
            activity: self.profile.map_or(Occupancy::Seldom, |profile| profile.transition(id)),
            hears_starts: plan.delivers.is_none() && self.program.probes.hears_starts(id),
            fires: interpreted_place(self.program, plan).is_none(),
            races: plan.clock.as_ref().map(|clock| match clock.kind {
                ClockKind::Shared => Races::Part(self.word(clock.number as u64)),
                _ => Races::Own,
            }),
            settles: match &plan.clock {
                Some(clock) if self.program.one_clock => self.settles(clock.number),
                _ => Vec::new(),
            },
            delivers: plan.delivers.is_some(),
            cold: false,
        }
    }

    fn input(&mut self, arc: &arc::InputProgram) -> Input {
        Input {
            place: self.place(arc.place),
            find: match &arc.find {
                arc::Find::Black(count) => Find::Black(self.count(count)),
                arc::Find::Head { depth } => Find::Head { depth: *depth },
                arc::Find::Any => Find::Any,
                arc::Find::Shown { .. } => Find::Shown,
                arc::Find::Keyed(index) => Find::Keyed(self.index(*index)),
            },
            equals: self.slots(&arc.equals),
            binds: arc.binds.iter().map(|(slot, variable)| (*slot, variable.at())).collect(),
            before: arc.before.to_vec(),
            after: arc.after.to_vec(),
            decides: arc.decides,
        }
    }

    fn slots(&mut self, equals: &[(u32, expression::Value)]) -> Vec<(u32, SlotValue)> {
        equals.iter().map(|(slot, value)| (*slot, self.slot(value))).collect()
    }

    fn take(&mut self, take: &arc::Take) -> Take {
        match *take {
            arc::Take::Black { place, count } => Take::Black { place: self.moved(place), count },
            arc::Take::Chosen { place, arc } => Take::Chosen { place: self.moved(place), arc: arc as usize },
            arc::Take::Head { place, position } => Take::Head { place: self.moved(place), position },
            arc::Take::Seat { place, arc } => Take::Seat { place: self.moved(place), arc: arc as usize },
            arc::Take::Shown { place, arc } => Take::Shown { place: self.moved(place), arc: arc as usize },
            arc::Take::Twin { place, of, arc } => {
                Take::Twin { place: self.place(place), of: self.place(of), arc: arc as usize }
            }
        }
    }

    fn inhibitor(&mut self, arc: &arc::InhibitorProgram) -> Inhibitor {
        Inhibitor {
            place: self.place(arc.place),
            equals: self.slots(&arc.equals),
            index: arc.index.map(|index| self.index(index)),
            threshold: self.count(&arc.threshold),
        }
    }

    fn rooms(&mut self, plan: &TransitionProgram) -> Rooms {
        let &[output] = &plan.rooms[..] else {
            return if plan.rooms.is_empty() { Rooms::Watched } else { Rooms::ByRuntime };
        };
        let (program, id) = (self.program, plan.outputs[output].place());
        let place = &program.places[id];
        let shown = place.lines.map(|lines| program.lines[lines].front);
        let takes = plan.inputs.iter().any(|arc| !arc.keep && (arc.place == id || Some(arc.place) == shown));
        let is_one = plan.outputs[output].places.len() == 1 && place.weight.is_none();
        match place.capacity {
            Some(capacity) if is_one && !takes && !plan.resets.contains(&id) => {
                let (place, capacity, per) = (self.place(id), self.word(capacity), place.per.to_vec());
                Rooms::One(Room { output, place, capacity, per })
            }
            _ => Rooms::ByRuntime,
        }
    }

    fn sets(&mut self, plan: &TransitionProgram) -> Sets {
        if !finds_sets(self.program, plan) {
            let numbers: Vec<Variable> = plan.sets.iter().map(|set| set.number.at()).collect();
            let totals = plan.sets.iter().flat_map(|set| &set.totals).map(|(variable, _)| variable.at());
            let variables = numbers.iter().copied().chain(totals).collect();
            return Sets::ByRuntime { numbers, variables };
        }
        let set = |set: &arc::SetProgram| SetPlan {
            place: self.moved(set.place),
            number: set.number.at(),
            condition: set.condition.as_ref().map(|condition| self.condition(condition)),
            key: set.key.as_ref().map(|(index, values)| {
                let slots = self.program.indices[*index].slots.iter().copied();
                (self.index(*index), slots.zip(values.iter().map(|value| self.slot(value))).collect())
            }),
            totals: set.totals.iter().map(|(variable, value)| (variable.at(), self.value(value))).collect(),
        };
        Sets::Here(plan.sets.iter().map(set).collect())
    }

    fn bundle(&mut self, plan: &TransitionProgram, number: usize) -> Option<Bundle> {
        let (program, arc) = (self.program, &plan.outputs[number]);
        let set = arc.each.filter(|_| arc.gives_bundle())?;
        let of_set = plan.sets.get(set).filter(|_| evaluates_bundle(program, plan, arc));
        let place = &program.places[arc.place()];
        Some(Bundle {
            number: number as u64,
            width: arc.width,
            of_set: of_set.map(|of| OfSet { number: set, width: program.places[of.place].width }),
            // Measures see the first token when all are there.
            puts_here: arc.places.len() == 1 && place.weight.is_none() && !program.probes.hears_arrivals(arc.place()),
        })
    }

    fn prefer(&mut self, prefer: &transition::Preference) -> Prefer {
        let key = [Some(&prefer.key.first), prefer.key.then.as_ref()].into_iter().flatten();
        Prefer { key: key.map(|e| self.value(e)).collect(), most: prefer.most }
    }

    fn count(&mut self, count: &arc::Count) -> Count {
        match count {
            arc::Count::Const(count) => Count::Const(*count),
            arc::Count::Of(of) => Count::Of(self.int(&of.0)),
        }
    }

    fn time(&mut self, time: &time::Time) -> Time {
        match time {
            time::Time::Immediate => Time::Immediate,
            time::Time::Const(ticks) => Time::Const { ticks: self.word(*ticks as u64), long: time.is_long() },
            time::Time::Of(expression::Real::ConstExponential(mean, _)) => match self.mean(*mean) {
                known @ (Mean::One | Mean::Usual(_)) if *mean < SHORT / RECTANGLES => Time::ShortExponential(known),
                known => Time::Of(Real::ConstExponential(known)),
            },
            time::Time::Of(duration) => Time::Of(self.real(duration)),
        }
    }

    fn output(&mut self, plan: &TransitionProgram, number: usize) -> Output {
        let (program, arc, bundle) = (self.program, &plan.outputs[number], self.bundle(plan, number));
        let several = arc.places.len() > 1;
        let of = |place: &PlaceId| &program.places[*place];
        let probed = |place: &PlaceId| program.probes.hears_arrivals(*place);
        let reads_memory = |place: &PlaceId| {
            self.entry(of(place)) == Entry::ByRuntime
                || probed(place)
                || of(place).discipline == Discipline::Key
                || of(place).lines.is_some()
        };
        let here = bundle.as_ref().is_none_or(|bundle| bundle.of_set.is_some());
        let written = || [arc].into_iter().filter(|_| here);
        let any_reads_memory = arc.places.iter().any(reads_memory);
        // Room is kept here also for what the runtime puts there.
        let moves_here = bundle.as_ref().is_none_or(|bundle| bundle.puts_here) || of(&arc.place()).capacity.is_some();
        Output {
            place: if several || !moves_here { self.place(arc.place()) } else { self.moved(arc.place()) },
            form: arc.form,
            width: if arc.gives_bundle() { 0 } else { arc.width },
            one_of: arc.index.as_ref().map(|index| OneOf {
                position: self.int(&index.0),
                places: arc.places.len(),
                list: self.word(arc.places.as_ptr() as u64),
            }),
            several,
            is_choice: arc.is_choice(),
            count: self.count(&arc.count),
            condition: arc.condition.as_ref().map(|condition| self.condition(condition)),
            values: written().flat_map(|arc| &arc.values).map(|value| self.slot(value)).collect(),
            checks: written()
                .flat_map(|arc| &arc.checks)
                .map(|&slot| self.check(slot, &of(&arc.place()).bounds[slot]))
                .collect(),
            any_capacity: arc.places.iter().any(|place| of(place).capacity.is_some()),
            any_weighed: arc.places.iter().any(|place| of(place).weight.is_some()),
            any_lines: arc.places.iter().any(|place| of(place).lines.is_some()),
            any_probed: arc.places.iter().any(probed),
            any_reads_memory,
            delay: arc.delay.as_ref().map(|delay| self.delay(delay)),
            bundle,
        }
    }

    fn delay(&mut self, delay: &arc::Delay) -> Delay {
        Delay {
            time: self.time(&delay.time),
            delivery: self.neighbour(delay.delivery),
            in_lane: self.program.transitions[delay.delivery].lane != NO_LANE,
        }
    }

    fn check(&mut self, slot: usize, bound: &Bound) -> Check {
        let mut limit = |limit: crate::net::Scalar| {
            let bits = match bound.real {
                true => limit.as_real().to_bits(),
                false => limit.as_int().unwrap_or(0) as u64,
            };
            match self.expressions {
                Expressions::Written => Limit::Const(bits),
                Expressions::Open | Expressions::Called => Limit::Held(self.word(bits)),
            }
        };
        Check { slot, real: bound.real, low: bound.low.map(&mut limit), high: bound.high.map(limit) }
    }

    fn selection(&mut self, selection: &transition::Selection) -> Selection {
        match *selection {
            transition::Selection::Single => Selection::Single,
            transition::Selection::Bag(arc) => Selection::Bag(arc),
            transition::Selection::Product => Selection::Product,
            transition::Selection::Join(join) => Selection::Join(self.join_selection(join)),
            transition::Selection::Match(_) => Selection::Match,
            transition::Selection::Tree(_) => Selection::Tree,
            transition::Selection::Preferred(..) => Selection::Preferred,
            transition::Selection::Search => Selection::Search,
        }
    }

    fn join_selection(&mut self, id: JoinId) -> JoinSelection {
        let program = self.program;
        let join = &program.joins[id.at()];
        let pair = match (&join.choices[..], &join.links[..]) {
            ([ArcChoice::Keyed { arc, .. }], [link, ..]) if !join.crowded => Some((*arc, self.index(link.index))),
            _ => None,
        };
        JoinSelection {
            join: self.join(id),
            pivot: join.pivot,
            free: join.free.iter().map(|arc| (self.place(arc.place), arc.used())).collect(),
            choices: join.choices.iter().map(ArcChoice::arc).collect(),
            pair,
        }
    }

    fn level(&mut self, level: &transition::Level) -> Level {
        let first = level.transitions[0].0;
        let in_order = level.transitions.iter().zip(first..).all(|(transition, number)| transition.0 == number);
        Level {
            size: SetSize::of(level.transitions.len()),
            weighted: !matches!(level.weights, transition::Weights::Equal),
            is_open: matches!(level.weights, transition::Weights::Open(_)),
            first: in_order.then_some(first),
            list: self.word(level.transitions.as_ptr() as u64),
        }
    }

    // ------------------------------------------------------------ expressions

    /// A function for an expression, which `write` describes in its blueprint, if expressions are called and this one pays: it
    /// draws nothing, does not call the runtime, and does more than to hand over a value.
    fn call(&mut self, write: impl FnOnce(&mut Planner<'a>) -> Expression) -> Option<CallRef> {
        if self.expressions != Expressions::Called {
            return None;
        }
        let mut planner = Planner { expressions: Expressions::Open, ..Planner::new(self.program, self.profile) };
        let expression = write(&mut planner);
        if !planner.computes || expression.is_simple() {
            return None;
        }
        let variables = planner.variables;
        self.calls.push(planner.end(Subject::Expression { expression, variables, alone: false }));
        self.names.calls.push(0);
        Some(CallRef(self.calls.len() as u32 - 1))
    }

    fn variable(&mut self, variable: VariableId) -> Variable {
        self.variables = self.variables.max(variable.at() + 1);
        variable.at()
    }

    /// The address of an expression that the runtime evaluates.
    fn evaluated<T>(&mut self, e: &T) -> WordRef {
        self.draws().word(from_ref(e) as u64)
    }

    /// An expression draws.
    fn draws(&mut self) -> &mut Self {
        self.computes = false;
        self
    }

    fn leaf<T: Copy>(&mut self, leaf: expression::Leaf<T>, bits: impl Fn(T) -> u64) -> Leaf {
        match (leaf, self.expressions) {
            (expression::Leaf::Const(value), Expressions::Written) => Leaf::Const(bits(value)),
            (expression::Leaf::Const(value), _) => Leaf::Held(self.word(bits(value))),
            (expression::Leaf::Var(variable), _) => Leaf::Var(self.variable(variable)),
        }
    }

    /// The value of a slot. Constants are holes, so that transitions that differ only in them share their code.
    fn slot(&mut self, value: &expression::Value) -> SlotValue {
        match value {
            expression::Value::Int(expression::Int::Var(variable))
            | expression::Value::Real(expression::Real::Var(variable)) => SlotValue::Variable(variable.at()),
            expression::Value::Int(expression::Int::Const(value)) => SlotValue::Constant(self.word(*value as u64)),
            expression::Value::Real(expression::Real::Const(value)) => SlotValue::Constant(self.word(value.to_bits())),
            value => SlotValue::Of(self.value(value)),
        }
    }

    fn value(&mut self, value: &expression::Value) -> Value {
        match value {
            expression::Value::Int(value) => Value::Int(self.int(value)),
            expression::Value::Real(value) => Value::Real(self.real(value)),
        }
    }

    fn condition(&mut self, e: &expression::Bool) -> Bool {
        use expression::Bool as Of;
        if let Some(call) = self.call(|planner| Expression::Bool(planner.condition(e))) {
            return Bool::Called(call);
        }
        match e {
            Of::Const(value) => Bool::Const(*value),
            Of::Truth(a) => Bool::Truth(Box::new(self.int(a))),
            Of::Ints(comparison, operands) => Bool::Ints(*comparison, self.ints(operands)),
            Of::Reals(comparison, operands) => Bool::Reals(*comparison, self.reals(operands)),
            Of::And(operands) => Bool::And(self.conditions(operands)),
            Of::Or(operands) => Bool::Or(self.conditions(operands)),
            Of::Not(a) => Bool::Not(Box::new(self.condition(a))),
            Of::If(of) => Bool::If(Box::new((self.condition(&of.0), self.condition(&of.1), self.condition(&of.2)))),
        }
    }

    fn ints(&mut self, of: &(expression::Int, expression::Int)) -> Box<(Int, Int)> {
        Box::new((self.int(&of.0), self.int(&of.1)))
    }

    fn reals(&mut self, of: &(expression::Real, expression::Real)) -> Box<(Real, Real)> {
        Box::new((self.real(&of.0), self.real(&of.1)))
    }

    fn conditions(&mut self, of: &(expression::Bool, expression::Bool)) -> Box<(Bool, Bool)> {
        Box::new((self.condition(&of.0), self.condition(&of.1)))
    }

    fn int(&mut self, e: &expression::Int) -> Int {
        use expression::Int as Of;
        if let Some(call) = self.call(|planner| Expression::Int(planner.int(e))) {
            return Int::Called(call);
        }
        match e {
            Of::Const(value) if self.expressions == Expressions::Written => Int::Const(*value),
            Of::Const(value) => Int::Held(self.word(*value as u64)),
            Of::Var(variable) => Int::Var(self.variable(*variable)),
            Of::Tokens(place) => Int::Tokens(self.place(*place)),
            Of::Neg(a, _) => Int::Neg(Box::new(self.int(a))),
            Of::Abs(a, _) => Int::Abs(Box::new(self.int(a))),
            Of::Binary(operation, operands, _) => Int::Binary(*operation, self.ints(operands)),
            Of::Chain(first, steps) => {
                let first = self.leaf(*first, |value| value as u64);
                Int::Chain(first, steps.iter().map(|of| (of.0, self.leaf(of.1, |value| value as u64))).collect())
            }
            Of::Rounded(rounding, a, _) => Int::Rounded(*rounding, Box::new(self.real(a))),
            Of::If(of) => Int::If(Box::new((self.condition(&of.0), self.int(&of.1), self.int(&of.2)))),
            Of::Truth(condition) => Int::Truth(Box::new(self.condition(condition))),
            Of::Uniform(bounds, _) => Int::Uniform(self.draws().ints(bounds)),
            Of::Choice(_) | Of::Table(_) | Of::Drawn(..) => Int::Evaluated(self.evaluated(e)),
        }
    }

    fn real(&mut self, e: &expression::Real) -> Real {
        use expression::{Real as Of, RealFunction, RealOperation};
        if let Some(call) = self.call(|planner| Expression::Real(planner.real(e))) {
            return Real::Called(call);
        }
        match e {
            Of::Const(value) => Real::Const { bits: self.word(value.to_bits()), is_zero: *value == 0.0 },
            Of::Var(variable) => Real::Var(self.variable(*variable)),
            Of::Now => Real::Now,
            Of::End => Real::End,
            Of::FromInt(a) => Real::FromInt(Box::new(self.int(a))),
            Of::Unary(function, a, _) if *function != RealFunction::Ln => {
                Real::Unary(*function, Box::new(self.real(a)))
            }
            Of::Binary(operation, operands, _) if *operation != RealOperation::Pow => {
                Real::Binary(*operation, self.reals(operands))
            }
            Of::Chain(first, steps) if steps.iter().all(|step| step.0 != RealOperation::Pow) => {
                let first = self.leaf(*first, f64::to_bits);
                Real::Chain(first, steps.iter().map(|of| (of.0, self.leaf(of.1, f64::to_bits))).collect())
            }
            Of::If(of) => Real::If(Box::new((self.condition(&of.0), self.real(&of.1), self.real(&of.2)))),
            Of::ConstExponential(mean, _) => Real::ConstExponential(self.draws().mean(*mean)),
            Of::Exponential(mean, _) => Real::Exponential(Box::new(self.draws().real(mean))),
            Of::Uniform(bounds, _) => Real::Uniform(self.draws().reals(bounds)),
            Of::Unary(..) | Of::Binary(..) | Of::Chain(..) => Real::Evaluated(self.evaluated(e)),
            Of::Erlang(..) | Of::Drawn(..) | Of::Choice(_) | Of::Table(_) | Of::Empirical(..) => {
                Real::Evaluated(self.evaluated(e))
            }
        }
    }

    fn mean(&mut self, mean: f64) -> Mean {
        if mean == 1.0 {
            Mean::One
        } else if mean > POSITIVE_MEAN && mean < FINITE_MEAN {
            Mean::Usual(self.word(mean.to_bits()))
        } else {
            Mean::Other(mean.to_bits())
        }
    }
}

/// The link of a join that has only one, if its arcs are of different places and groups are numbered directly.
fn only_link<'a>(program: &Program, join: &'a JoinProgram) -> Option<&'a LinkProgram> {
    match &join.links[..] {
        [link] if !join.crowded && program.indices[link.index].extents.is_some() => Some(link),
        _ => None,
    }
}

/// The slots of a pivot's token that are the key of a link, if they are all that decides.
fn key_slots<'a>(join: &JoinProgram, link: &'a LinkProgram) -> Option<&'a [u32]> {
    match &link.key {
        LinkKey::Slots(slots) if join.filter.is_none() => Some(slots),
        _ => None,
    }
}
