//! The transition whose code is made.

use crate::base::ids::{JoinId, PlaceId, ProbeId, TransitionId};
use crate::base::random::RECTANGLES;
use crate::base::ticks::SHORT;
use crate::jit::blueprint::expression::{Mean, Real, SlotValue, Variable};
use crate::jit::blueprint::interpreted::{
    evaluates_bundle, finds_sets, interpreted_place, searches_in_turn, why_search,
};
use crate::jit::blueprint::place::Entry;
use crate::jit::blueprint::planner::Planner;
use crate::jit::blueprint::transition::{
    Bundle, Check, Count, Delay, Find, Heard, Inhibitor, Input, JoinSelection, Level, OfSet, OneOf, Output, Prefer,
    Races, Room, Rooms, Sampled, Selection, SetPlan, SetSize, Sets, Time, TransitionPlan,
};
use crate::jit::profile::Occupancy;
use crate::net::Discipline;
use crate::program::clock::ClockKind;
use crate::program::join::ArcChoice;
use crate::program::place::Bound;
use crate::program::probes::Action;
use crate::program::transition::{TransitionProgram, NO_LANE};
use crate::program::{arc, expression, time, transition};

impl<'a> Planner<'a> {
    pub(super) fn plan(&mut self, id: TransitionId, plan: &TransitionProgram) -> TransitionPlan {
        TransitionPlan {
            variables: plan.variables.len(),
            inputs: plan.inputs.iter().map(|arc| self.input(arc, searches_in_turn(self.program, plan))).collect(),
            takes: plan.takes.iter().map(|take| take.map(|place| self.moved(place))).collect(),
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
            selection: match why_search(self.program, plan) {
                Some(_) => Selection::ByRuntime,
                None if plan.clock.as_ref().is_some_and(|clock| clock.single) => Selection::Single,
                None => self.selection(&plan.selection),
            },
            counted: plan.counted,
            counts: plan.counts.to_vec(),
            exhaustive: plan.exhaustive,
            watched: plan.watched,
            activity: self.profile.map_or(Occupancy::Seldom, |profile| profile.transition(id)),
            heard: if plan.delivers.is_some() { Heard::Here(Vec::new()) } else { self.heard(id) },
            fires: interpreted_place(self.program, plan).is_none(),
            races: plan.clock.as_ref().map(|clock| match clock.kind {
                ClockKind::Shared => Races::Part(self.word(clock.number as u64)),
                _ => Races::Own { lost: clock.single || !clock.contested.is_empty() },
            }),
            settles: match &plan.clock {
                Some(clock) if self.program.one_clock => self.settles(clock.number),
                _ => Vec::new(),
            },
            delivers: plan.delivers.is_some(),
            cold: false,
        }
    }

    /// Where the runtime has to evaluate a value, it does all.
    fn heard(&mut self, id: TransitionId) -> Heard {
        self.computes = true;
        let starts = &self.program.probes.starts[id.at()];
        let sampled = |(probe, action): &(ProbeId, Action)| {
            let (condition, value) = match action {
                Action::Sample(condition, value) => (condition.as_ref(), Some(value)),
                Action::Count(quantity) => (None, quantity.as_ref()),
                _ => return None,
            };
            Some(Sampled {
                probe: self.word(u64::from(probe.0)),
                condition: condition.map(|condition| self.condition(condition)),
                value: value.map(|value| self.real(value)),
            })
        };
        let sampled: Option<Vec<Sampled>> = starts.iter().map(sampled).collect();
        sampled.filter(|_| self.computes).map_or(Heard::ByRuntime, Heard::Here)
    }

    pub(super) fn input(&mut self, arc: &arc::InputProgram, in_turn: bool) -> Input {
        Input {
            place: self.place(arc.place),
            find: match &arc.find {
                arc::Find::Black(count) => Find::Black(self.count(count)),
                arc::Find::Head { depth } => Find::Head { depth: *depth },
                arc::Find::Any => Find::Any,
                arc::Find::Shown { .. } if in_turn => Find::InTurn,
                arc::Find::Shown { .. } => Find::Shown,
                arc::Find::Keyed(index) => Find::Keyed(self.index(*index)),
                arc::Find::Tested => unreachable!("a net without upkeep does not run"),
            },
            equals: self.slots(&arc.equals),
            binds: arc.binds.iter().map(|(slot, variable)| (*slot, variable.at())).collect(),
            before: arc.before.to_vec(),
            after: arc.after.to_vec(),
            decides: arc.decides,
        }
    }

    pub(super) fn slots(&mut self, equals: &[(u32, expression::Value)]) -> Vec<(u32, SlotValue)> {
        equals.iter().map(|(slot, value)| (*slot, self.slot(value))).collect()
    }

    pub(super) fn inhibitor(&mut self, arc: &arc::InhibitorProgram) -> Inhibitor {
        Inhibitor {
            place: self.place(arc.place),
            equals: self.slots(&arc.equals),
            index: arc.index.map(|index| self.index(index)),
            threshold: self.count(&arc.threshold),
        }
    }

    pub(super) fn rooms(&mut self, plan: &TransitionProgram) -> Rooms {
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

    pub(super) fn sets(&mut self, plan: &TransitionProgram) -> Sets {
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

    pub(super) fn bundle(&mut self, plan: &TransitionProgram, number: usize) -> Option<Bundle> {
        let (program, arc) = (self.program, &plan.outputs[number]);
        let set = arc.each.filter(|_| arc.gives_bundle())? as usize;
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

    pub(super) fn prefer(&mut self, prefer: &transition::Preference) -> Prefer {
        let key = [Some(&prefer.key.first), prefer.key.then.as_ref()].into_iter().flatten();
        Prefer { key: key.map(|e| self.value(e)).collect(), most: prefer.most }
    }

    pub(super) fn count(&mut self, count: &arc::Count) -> Count {
        match count {
            arc::Count::Const(count) => Count::Const(*count),
            arc::Count::Of(of) => Count::Of(self.int(&of.0)),
        }
    }

    pub(super) fn time(&mut self, time: &time::Time) -> Time {
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

    pub(super) fn output(&mut self, plan: &TransitionProgram, number: usize) -> Output {
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
            form: arc.form(),
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

    pub(super) fn delay(&mut self, delay: &arc::Delay) -> Delay {
        Delay {
            time: self.time(&delay.time),
            delivery: self.neighbour(delay.delivery),
            in_lane: self.program.transitions[delay.delivery].lane != NO_LANE,
        }
    }

    pub(super) fn check(&mut self, slot: usize, bound: &Bound) -> Check {
        let mut limit = |limit: crate::net::Scalar| {
            self.constant(match bound.real {
                true => limit.as_real().to_bits(),
                false => limit.as_int().unwrap_or(0) as u64,
            })
        };
        Check { slot, real: bound.real, low: bound.low.map(&mut limit), high: bound.high.map(limit) }
    }

    pub(super) fn selection(&mut self, selection: &transition::Selection) -> Selection {
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

    pub(super) fn join_selection(&mut self, id: JoinId) -> JoinSelection {
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

    pub(super) fn level(&mut self, level: &transition::Level) -> Level {
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
}
