//! What the code of a transition depends on, as words. Transitions with the same words have the same code, which need not be
//! written to see it. What may differ between them is listed apart, in the same order for all: the places and transitions
//! that are named, by first mention, and the constants that are holes.
//!
//! Where a key goes through a record of the program it names all fields, so that none can be overlooked. Whether the key has
//! all that code depends on is tested: `verify` writes the code of every transition, and compares that of those with one
//! key. `tests/engine/test_shared_code.py` has it do so on the nets of the library, and on small nets whose copies differ in
//! one thing each. A transition that has to do with what is not described here (indices, joins, expressions that the
//! runtime evaluates) has no key.

use std::collections::HashSet;
use std::ptr::from_ref;

use crate::base::ids::{GaugeId, PlaceId, TransitionId};
use crate::collections::rank_set::{MEDIUM, SMALL};
use crate::jit::emit::expression::Mean;
use crate::jit::emit::place::has_many_watches;
use crate::jit::emit::transition::short_mean;
use crate::jit::holes::Hole;
use crate::jit::profile::Profile;
use crate::net::Scalar;
use crate::program::arc::{Count, Find, InhibitorProgram, InputProgram, OutputForm, OutputProgram, Take};
use crate::program::expression::{Bool, Int, Leaf, Real, Value};
use crate::program::place::{Bound, PlaceProgram};
use crate::program::transition::NO_LANE;
use crate::program::transition::{Selection, Time, TransitionProgram};
use crate::program::watch::{Dependent, Watch};
use crate::program::Program;

/// Places or transitions that a key names at most.
const MOST_NAMES: usize = 64;

pub struct ShapeKey<'a> {
    program: &'a Program,
    profile: Option<&'a Profile>,
    words: Vec<u64>,
    places: Vec<PlaceId>,
    transitions: Vec<TransitionId>,
    /// Where each constant stands in the program, and its bits.
    constants: Vec<(usize, u64)>,
    /// Something was met that is not described.
    open: bool,
}

impl<'a> ShapeKey<'a> {
    /// The key of a transition, if it has one.
    pub fn of(program: &'a Program, profile: Option<&'a Profile>, id: TransitionId) -> Option<Self> {
        let (places, transitions, constants) = (Vec::new(), Vec::new(), Vec::new());
        let mut key = ShapeKey { program, profile, words: Vec::new(), places, transitions, constants, open: false };
        key.transition(id);
        key.flag(program.probes.hears_starts(id));
        key.number(profile.map_or(0, |profile| profile.transition(id) as usize));
        key.plan(&program.transitions[id]);
        (!key.open).then_some(key)
    }

    /// All that the code depends on.
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    /// An hole as one of all transitions with these words: its place, transition or constant is told by its position here.
    pub fn general(&self, hole: Hole) -> Option<Hole> {
        let at = |position: usize| u32::try_from(position).ok();
        hole.of_another(
            |place| self.places.iter().position(|&other| other == place).and_then(at).map(PlaceId),
            |id| self.transitions.iter().position(|&other| other == id).and_then(at).map(TransitionId),
            |address, bits| Some((self.constants.iter().position(|constant| constant.0 == address)?, bits)),
        )
    }

    /// The hole of this transition that `general` makes of another's.
    pub fn special(&self, hole: Hole) -> Option<Hole> {
        hole.of_another(
            |place| self.places.get(place.at()).copied(),
            |id| self.transitions.get(id.at()).copied(),
            |position, _| self.constants.get(position).copied(),
        )
    }

    // ------------------------------------------------------------ words and names

    fn word(&mut self, word: u64) {
        self.words.push(word);
    }

    fn number(&mut self, number: usize) {
        self.word(number as u64);
    }

    fn numbers(&mut self, numbers: &[usize]) {
        self.each(numbers, |s, &number| s.number(number));
    }

    fn flag(&mut self, flag: bool) {
        self.word(u64::from(flag));
    }

    /// A list, with its length.
    fn each<T>(&mut self, list: &[T], tell: impl Fn(&mut Self, &T)) {
        self.number(list.len());
        list.iter().for_each(|entry| tell(self, entry));
    }

    fn maybe<T>(&mut self, value: Option<&T>, tell: impl Fn(&mut Self, &T)) {
        self.each(value.map_or(&[], std::slice::from_ref), tell);
    }

    /// A constant that is an hole.
    fn constant<T>(&mut self, constant: &T, bits: u64) {
        self.constants.push((from_ref(constant) as usize, bits));
    }

    /// A place, with what code for it depends on where it is mentioned first.
    fn place(&mut self, id: PlaceId) {
        let known = self.places.iter().position(|&place| place == id);
        self.number(known.unwrap_or(self.places.len()));
        if known.is_none() {
            self.open |= self.places.len() == MOST_NAMES;
            if !self.open {
                self.places.push(id);
                self.describe(id);
            }
        }
    }

    fn describe(&mut self, id: PlaceId) {
        let program = self.program;
        let PlaceProgram {
            name: _,
            width,
            reals: _,
            discipline,
            key,
            key_fails,
            capacity,
            weight,
            indices,
            pivots,
            ranked,
            bounds,
            initial: _,
            most,
        } = &program.places[id];
        self.open |= !indices.is_empty() || !pivots.is_empty() || !ranked.is_empty();
        self.number(*width);
        self.number(*discipline as usize);
        self.flag(key.is_some());
        self.flag(*key_fails);
        self.flag(capacity.is_some());
        self.flag(weight.is_some());
        self.flag(most.is_some());
        self.flag(program.places[id].holds_one());
        self.each(bounds, Self::bound);
        self.flag(program.probes.hears_arrivals(id));
        self.number(self.profile.map_or(0, |profile| profile.place(id) as usize));
        self.gauge(GaugeId::tokens(id));
        let load = program.gauges[GaugeId::tokens(id)].load;
        self.flag(load != GaugeId::NONE);
        if load != GaugeId::NONE {
            self.gauge(load);
        }
    }

    fn bound(&mut self, bound: &Bound) {
        let Bound { name: _, real, low, high } = bound;
        self.flag(*real);
        for limit in [low, high] {
            self.maybe(limit.as_ref(), |s, limit| {
                let (kind, bits) = match *limit {
                    Scalar::Int(value) => (0, value as u64),
                    Scalar::Real(value) => (1, value.to_bits()),
                    Scalar::Bool(value) => (2, u64::from(value)),
                };
                s.word(kind);
                s.word(bits);
            });
        }
    }

    /// Who watches a gauge.
    fn gauge(&mut self, id: GaugeId) {
        let gauge = &self.program.gauges[id];
        if has_many_watches(gauge) {
            self.open = true;
            return;
        }
        let (watches, dependents) = self.program.watching(gauge);
        self.each(watches, |s, &Watch { threshold, transition, below }| {
            s.word(threshold);
            s.flag(below);
            s.transition(transition);
        });
        self.each(dependents, |s, &Dependent { transition, depth, only }| {
            s.word(depth);
            s.maybe(only.as_ref(), |s, &(slot, bits)| s.words.extend([u64::from(slot), bits]));
            s.transition(transition);
        });
    }

    /// A transition, with what code that enables it depends on where it is mentioned first.
    fn transition(&mut self, id: TransitionId) {
        let known = self.transitions.iter().position(|&transition| transition == id);
        self.number(known.unwrap_or(self.transitions.len()));
        if known.is_none() {
            self.open |= self.transitions.len() == MOST_NAMES;
            self.transitions.push(id);
            let plan = &self.program.transitions[id];
            self.flag(plan.plain);
            self.word(u64::from(plan.level));
            let alike = self.program.levels[plan.level as usize].transitions.len();
            self.flag(alike <= SMALL);
            self.flag(alike <= MEDIUM);
        }
    }

    // ------------------------------------------------------------ the transition itself

    fn plan(&mut self, plan: &TransitionProgram) {
        let TransitionProgram {
            name: _,
            variable_names,
            variable_reals: _,
            inputs,
            takes,
            binds,
            inhibitors,
            guard,
            prefer,
            rooms,
            resets,
            draws,
            time,
            time_span: _,
            takes_turns,
            lane,
            outputs,
            gives: _,
            given,
            held,
            reserves,
            selection,
            counted,
            counts,
            free,
            plain: _,
            exhaustive,
            watched,
            impossible: _,
            level: _,
            position: _,
        } = plan;
        self.number(variable_names.len());
        self.each(inputs, Self::input);
        self.each(takes, Self::take);
        self.each(inhibitors, Self::inhibitor);
        self.maybe(guard.as_ref(), Self::condition);
        self.flag(prefer.is_some());
        self.numbers(rooms);
        self.each(resets, |s, &place| s.place(place));
        self.each(draws, |s, (variable, value)| {
            s.number(variable.at());
            s.value(value);
        });
        self.time(time);
        self.each(outputs, Self::output);
        self.maybe(given.as_ref(), |s, &given| s.word(given));
        self.numbers(&[*held, watched.0, watched.1]);
        self.selection(selection);
        self.maybe(counted.as_ref(), |s, &arc| s.number(arc));
        self.numbers(counts);
        self.flag(*lane == NO_LANE);
        [binds, reserves, free, exhaustive, takes_turns].into_iter().for_each(|&flag| self.flag(flag));
    }

    fn input(&mut self, arc: &InputProgram) {
        let InputProgram { place, find, equals, binds, keep, before, after, decides } = arc;
        self.place(*place);
        match find {
            Find::Black(count) => {
                self.word(0);
                self.count(count);
            }
            Find::Head { depth } => self.words.extend([1, *depth as u64]),
            Find::Any => self.word(2),
            Find::Keyed(_) => self.open = true,
        }
        self.each(equals, Self::slot);
        self.each(binds, |s, (slot, variable)| s.words.extend([u64::from(*slot), variable.at() as u64]));
        self.numbers(before);
        self.numbers(after);
        self.flag(*keep);
        self.flag(*decides);
    }

    fn slot(&mut self, (slot, value): &(u32, Value)) {
        self.word(u64::from(*slot));
        self.given(value);
    }

    fn take(&mut self, take: &Take) {
        let (kind, place, number) = match *take {
            Take::Black { place, count } => (0, place, count),
            Take::Chosen { place, arc } => (1, place, u64::from(arc)),
            Take::Head { place, position } => (2, place, u64::from(position)),
            Take::Seat { place, arc } => (3, place, u64::from(arc)),
        };
        self.words.extend([kind, number]);
        self.place(place);
    }

    fn inhibitor(&mut self, arc: &InhibitorProgram) {
        let InhibitorProgram { place, equals, index, threshold } = arc;
        self.open |= index.is_some();
        self.place(*place);
        self.each(equals, Self::slot);
        self.count(threshold);
    }

    fn count(&mut self, count: &Count) {
        match count {
            Count::Const(count) => self.words.extend([0, *count]),
            Count::Of(count, _) => {
                self.word(1);
                self.int(count);
            }
        }
    }

    fn time(&mut self, time: &Time) {
        match time {
            Time::Immediate => self.word(0),
            Time::Const(duration) => {
                self.word(1);
                self.flag(time.is_long());
                self.constant(duration, *duration as u64);
            }
            Time::Of(duration) => {
                self.word(2);
                self.flag(short_mean(duration).is_some());
                self.real(duration);
            }
        }
    }

    fn output(&mut self, arc: &OutputProgram) {
        let OutputProgram { places, form, width, index, count, condition, values, spans: _, checks } = arc;
        self.open |= index.is_some();
        self.each(places, |s, &place| s.place(place));
        match *form {
            OutputForm::Black(count) => self.words.extend([0, count]),
            OutputForm::Token => self.word(1),
            OutputForm::Open => self.word(2),
        }
        self.number(*width);
        self.count(count);
        self.maybe(condition.as_ref(), Self::condition);
        self.each(values, Self::given);
        self.numbers(checks);
    }

    /// The value of a slot that an arc asks for or gives (`Emitter::slot_value`).
    fn given(&mut self, value: &Value) {
        match value {
            Value::Int(Int::Const(value)) => {
                self.word(0);
                self.constant(value, *value as u64);
            }
            value => {
                self.word(1);
                self.value(value);
            }
        }
    }

    fn selection(&mut self, selection: &Selection) {
        match selection {
            Selection::Single => self.word(0),
            Selection::Bag(arc) => self.words.extend([1, *arc as u64]),
            Selection::Product => self.word(2),
            Selection::Search => self.word(3),
            Selection::Join(_) | Selection::Match(_) | Selection::Tree(_) | Selection::Preferred(..) => {
                self.open = true;
            }
        }
    }

    // ------------------------------------------------------------ expressions

    fn value(&mut self, value: &Value) {
        match value {
            Value::Int(value) => {
                self.word(0);
                self.int(value);
            }
            Value::Real(value) => {
                self.word(1);
                self.real(value);
            }
        }
    }

    fn ints(&mut self, kind: u64, holes: &(Int, Int)) {
        self.word(kind);
        self.int(&holes.0);
        self.int(&holes.1);
    }

    fn reals(&mut self, kind: u64, holes: &(Real, Real)) {
        self.word(kind);
        self.real(&holes.0);
        self.real(&holes.1);
    }

    fn conditions(&mut self, kind: u64, holes: &(Bool, Bool)) {
        self.word(kind);
        self.condition(&holes.0);
        self.condition(&holes.1);
    }

    fn condition(&mut self, e: &Bool) {
        match e {
            Bool::Const(value) => self.words.extend([0, u64::from(*value)]),
            Bool::Truth(a) => {
                self.word(1);
                self.int(a);
            }
            Bool::Ints(comparison, holes) => self.ints(2 + ((*comparison as u64) << 8), holes),
            Bool::Reals(comparison, holes) => self.reals(3 + ((*comparison as u64) << 8), holes),
            Bool::And(holes) => self.conditions(4, holes),
            Bool::Or(holes) => self.conditions(5, holes),
            Bool::Not(a) => {
                self.word(6);
                self.condition(a);
            }
            Bool::If(parts) => {
                self.word(7);
                self.condition(&parts.0);
                self.condition(&parts.1);
                self.condition(&parts.2);
            }
        }
    }

    fn int(&mut self, e: &Int) {
        match e {
            Int::Const(value) => self.words.extend([0, *value as u64]),
            Int::Var(variable) => self.words.extend([1, variable.at() as u64]),
            Int::Tokens(place) => {
                self.word(2);
                self.place(*place);
            }
            Int::Neg(a, _) => {
                self.word(3);
                self.int(a);
            }
            Int::Abs(a, _) => {
                self.word(4);
                self.int(a);
            }
            Int::Binary(operation, holes, _) => self.ints(5 + ((*operation as u64) << 8), holes),
            Int::Chain(first, steps) => {
                self.word(6);
                self.leaf(*first, |value| value as u64);
                self.each(steps, |s, &(operation, hole, _)| {
                    s.word(operation as u64);
                    s.leaf(hole, |value| value as u64);
                });
            }
            Int::Rounded(rounding, a, _) => {
                self.word(7 + ((*rounding as u64) << 8));
                self.real(a);
            }
            Int::If(parts) => {
                self.word(8);
                self.condition(&parts.0);
                self.int(&parts.1);
                self.int(&parts.2);
            }
            Int::Truth(condition) => {
                self.word(9);
                self.condition(condition);
            }
            Int::Uniform(bounds, _) => self.ints(10, bounds),
            Int::Choice(_) | Int::Table(_) | Int::Drawn(..) => self.open = true,
        }
    }

    fn leaf<T>(&mut self, leaf: Leaf<T>, bits: impl Fn(T) -> u64) {
        let words = match leaf {
            Leaf::Const(value) => [0, bits(value)],
            Leaf::Var(variable) => [1, variable.at() as u64],
        };
        self.words.extend(words);
    }

    fn real(&mut self, e: &Real) {
        match e {
            Real::Const(value) => {
                self.word(0);
                self.flag(*value != 0.0);
                self.constant(value, value.to_bits());
            }
            Real::Var(variable) => self.words.extend([1, variable.at() as u64]),
            Real::Now => self.word(2),
            Real::End => self.word(3),
            Real::FromInt(a) => {
                self.word(4);
                self.int(a);
            }
            Real::Unary(function, a, _) => {
                self.word(5 + ((*function as u64) << 8));
                self.real(a);
            }
            Real::Binary(operation, holes, _) => self.reals(6 + ((*operation as u64) << 8), holes),
            Real::Chain(first, steps) => {
                self.word(7);
                self.leaf(*first, f64::to_bits);
                self.each(steps, |s, &(operation, hole, _)| {
                    s.word(operation as u64);
                    s.leaf(hole, f64::to_bits);
                });
            }
            Real::If(parts) => {
                self.word(8);
                self.condition(&parts.0);
                self.real(&parts.1);
                self.real(&parts.2);
            }
            Real::ConstExponential(mean, _) => match Mean::of(mean) {
                Mean::One => self.word(9),
                Mean::Usual(mean) => {
                    self.word(10);
                    self.constant(mean, mean.to_bits());
                }
                Mean::Other(mean) => self.words.extend([11, mean.to_bits()]),
            },
            Real::Exponential(mean, _) => {
                self.word(12);
                self.real(mean);
            }
            Real::Uniform(bounds, _) => self.reals(13, bounds),
            Real::Erlang(..) | Real::Drawn(..) | Real::Choice(_) | Real::Table(_) | Real::Empirical(..) => {
                self.open = true;
            }
        }
    }
}

/// The number of transitions no two of which have the same key, whatever their profile.
pub fn unlike(program: &Program) -> usize {
    let (mut keys, mut others) = (HashSet::new(), 0);
    for number in 0..program.transitions.len() as u32 {
        match ShapeKey::of(program, None, TransitionId(number)) {
            Some(key) if keys.contains(key.words()) => {}
            Some(key) => drop(keys.insert(key.words().to_vec())),
            None => others += 1,
        }
    }
    keys.len() + others
}
