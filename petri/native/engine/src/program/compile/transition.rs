//! Compiles one transition: its arcs, what it watches, and how its bindings are drawn.

use std::sync::Arc;

use crate::base::fault::{LoadError, Loaded};
use crate::base::ids::{GaugeId, IndexId, PlaceId, SpanId, TransitionId, VariableId};
use crate::base::seldom::Seldom;
use crate::base::ticks::whole;
use crate::net::{
    Discipline, Expr, InhibitorArc, InputArc, Kind, Match, Op, OutputArc, Scalar, SetArc, Transition, DECISION,
};
use crate::program::analysis::{Facts, Range, Ranges, ANY};
use crate::program::arc::{
    Count, Find, InhibitorProgram, InputDetails, InputProgram, OutputForm, OutputProgram, SetProgram, Take,
};
use crate::program::clock::ClockKind;
use crate::program::compile::compiler::Compiler;
use crate::program::expression::{Int, Real, Value};
use crate::program::lower::Lowering;
use crate::program::time::Time;
use crate::program::transition::{Known, Preference, Selection, TransitionDetails, TransitionProgram};
use crate::program::transition::{MOST_HELD, NO_LANE};
use crate::program::watch::{Dependent, EnabledBy, Watch};

/// Constant numbers of tokens above this are replaced by it. No place ever holds that many (`MOST_HELD`), so no
/// condition changes, and no sum over the arcs of a transition overflows.
const MOST_COUNTED: u64 = 2 * MOST_HELD;

/// Of at most this many tokens, looking at all finds a set sooner than an index.
const FEW_TOKENS: u64 = 16;

pub struct TransitionCompiler<'a> {
    pub compiler: &'a mut Compiler,
    pub id: TransitionId,
    pub transition: &'a Transition,
    pub kinds: Vec<Kind>,
    ranges: Vec<Range>,
    /// The known properties of the expressions that enabling depends on.
    pub enabling: Facts,
    /// Watches alone decide.
    pub plain: bool,
    /// How many input arcs, and how many inhibitors, are reached before anything can have raised a fault: the first `safe.0` and
    /// `safe.1`.
    safe: (usize, usize),
}

/// The number of black tokens that arcs of one transition move, where it is constant.
pub fn constant(count: &Count) -> Option<u64> {
    match count {
        Count::Const(count) => Some(*count),
        Count::Of(..) => None,
    }
}

impl<'a> TransitionCompiler<'a> {
    pub fn new(compiler: &'a mut Compiler, id: TransitionId, transition: &'a Transition) -> Loaded<Self> {
        let enabling = Facts {
            fails: false,
            range: ANY,
            never_negative: false,
            variables: Vec::new(),
            tokens: Vec::new(),
            reads_clock: false,
        };
        let mut this = TransitionCompiler {
            kinds: transition.variables.iter().map(|v| v.kind).collect(),
            ranges: vec![ANY; compiler.variables_of(transition)],
            compiler,
            id,
            transition,
            enabling,
            plain: true,
            safe: (0, 0),
        };
        this.check()?;
        Ok(this)
    }

    /// References that lead nowhere are errors here, so that nothing later has to check.
    fn check(&mut self) -> Loaded<()> {
        let t = self.transition;
        let outputs = t.outputs.iter().flat_map(|arc| arc.places.iter());
        let places = t.inputs.iter().map(|arc| &arc.place).chain(t.inhibitors.iter().map(|arc| &arc.place));
        let known = self.compiler.colours.len();
        let emptied = t.resets.iter().chain(t.sets.iter().map(|set| &set.place));
        if places.chain(outputs).chain(emptied).any(|place| place.at() >= known) {
            return Err(self.error("names a place that is not there"));
        }
        if t.outputs.iter().any(|arc| arc.places.is_empty()) {
            return Err(self.error("has an output arc without a place"));
        }
        let slots = |place: PlaceId| &self.compiler.colours[place.at()].slots;
        if t.inhibitors.iter().any(|arc| arc.pattern.len() > slots(arc.place).len()) {
            return Err(self.error("has an inhibitor that does not suit its place"));
        }
        for arc in &t.inputs {
            let slots = slots(arc.place);
            if arc.pattern.len() > slots.len() || (!slots.is_empty() && arc.count.is_some()) {
                return Err(self.error("has an input arc that does not suit its place"));
            }
            for (slot, variable) in arc.pattern.iter().enumerate().filter_map(|(i, m)| m.bind.map(|v| (i, v))) {
                let kind = self.kinds.get(variable.at()).copied();
                if kind.map(|kind| kind == Kind::Real) != Some(slots[slot].kind == Kind::Real) {
                    return Err(self.error("binds a variable of another kind"));
                }
                self.ranges[variable.at()] = self.compiler.places[arc.place.at()].ranges[slot];
            }
        }
        for arc in &t.inhibitors {
            if arc.pattern.len() > self.compiler.colours[arc.place.at()].slots.len() {
                return Err(self.error("has an inhibitor arc that does not suit its place"));
            }
        }
        for draw in &t.draws {
            self.ranges[draw.variable.at()] = self.facts(&draw.expression).range;
        }
        Ok(())
    }

    pub fn error(&self, what: &str) -> LoadError {
        LoadError(format!("transition `{}` {what}", self.transition.name))
    }

    pub fn facts(&self, e: &Expr) -> Facts {
        self.compiler.facts(e, &self.ranges)
    }

    /// For expressions of the transition's variables.
    pub fn lowering(&mut self) -> Lowering<'_> {
        Lowering { ranges: Ranges(&self.ranges), ..self.compiler.lowering(self.kinds.clone()) }
    }

    /// For expressions of the transition's variables, and of one token of a place, of which it takes a set.
    pub fn lowering_of_token(&mut self, place: PlaceId) -> Lowering<'_> {
        let mut kinds = self.kinds.clone();
        kinds.extend(self.compiler.colours[place.at()].slots.iter().map(|slot| slot.kind));
        Lowering { ranges: Ranges(&self.ranges), ..self.compiler.lowering(kinds) }
    }

    fn set(&mut self, arc: &SetArc) -> Loaded<SetProgram> {
        let most = arc.most.as_ref().map(|_| self.count(&arc.most)).transpose()?;
        let mut lowering = self.lowering_of_token(arc.place);
        let condition = arc.condition.as_ref().map(|e| lowering.bool(e)).transpose()?;
        let mut totals = Vec::with_capacity(arc.totals.len());
        for total in &arc.totals {
            let kind = lowering.kinds[total.variable.at()];
            totals.push((total.variable, lowering.value(&total.value, kind)?));
        }
        Ok(SetProgram { place: arc.place, number: arc.number, most, condition, key: self.key_of_set(arc)?, totals })
    }

    /// The values that the tokens of a set must have for its condition to go on, where they are looked up in an index. Only places
    /// with many tokens at first have one for it: elsewhere it would cost more than looking at all of them.
    fn key_of_set(&mut self, arc: &SetArc) -> Loaded<Option<(IndexId, Vec<Value>)>> {
        let place = &self.compiler.places[arc.place.at()];
        let tokens: u64 = place.initial.iter().map(|(count, _)| count).sum();
        let mut key = Vec::new();
        let pays = tokens > FEW_TOKENS && !self.compiler.without.upkeep;
        if let (Some(condition), Discipline::Bag, true) = (&arc.condition, place.discipline, pays) {
            self.required(arc, condition, &mut key);
        }
        if key.is_empty() {
            return Ok(None);
        }
        let slots = key.iter().map(|(slot, _)| *slot).collect();
        let kinds: Vec<Kind> = self.compiler.colours[arc.place.at()].slots.iter().map(|one| one.kind).collect();
        let mut lowering = self.lowering();
        let values =
            key.iter().map(|(slot, e)| lowering.value(e, kinds[*slot as usize])).collect::<Loaded<Vec<_>>>()?;
        Ok(Some((self.compiler.index(arc.place, slots), values)))
    }

    /// The slots that a condition first compares with variables and constants, one after the other. Returns whether it does nothing
    /// else: what comes behind is evaluated only of tokens with these values.
    fn required<'e>(&self, arc: &SetArc, e: &'e Expr, key: &mut Vec<(u32, &'e Expr)>) -> bool {
        let first = self.transition.variables.len() as i64;
        let variable = |e: &Expr| e.value.and_then(Scalar::as_int).filter(|_| e.op == Op::Var);
        match (e.op, &e.args[..]) {
            (Op::And, [one, other]) => self.required(arc, one, key) && self.required(arc, other, key),
            (Op::Eq, [token, value]) => {
                let slot =
                    variable(token).filter(|&variable| variable >= first).map(|variable| (variable - first) as u32);
                let known = value.op == Op::Const || variable(value).is_some_and(|variable| variable < first);
                let kinds = &self.compiler.colours[arc.place.at()].slots;
                // Reals may be equal and have other bits: 0.0 and -0.0.
                let same = value.kind != Kind::Real && token.kind == value.kind;
                let same = same && slot.is_some_and(|slot| kinds[slot as usize].kind == value.kind);
                let fresh = !key.iter().any(|(other, _)| Some(*other) == slot);
                match slot.filter(|_| known && same && fresh) {
                    Some(slot) => key.push((slot, value)),
                    None => return false,
                }
                true
            }
            _ => false,
        }
    }

    /// Registers an expression that enabling depends on; returns its known properties.
    fn decides(&mut self, e: &Expr) -> Facts {
        let facts = self.facts(e);
        self.enabling.fails |= facts.fails;
        self.enabling.reads_clock |= facts.reads_clock;
        self.enabling.tokens.extend(&facts.tokens);
        self.enabling.variables.extend(&facts.variables);
        facts
    }

    pub fn compile(mut self, shadow: TransitionId, level: u32) -> Loaded<(TransitionProgram, Facts)> {
        let t = self.transition;
        let mut inputs = self.inputs()?;
        let inhibitors = t.inhibitors.iter().map(|arc| self.inhibitor(arc)).collect::<Loaded<Vec<_>>>()?;
        let guard = t.guard.as_ref().map(|guard| self.guard(guard)).transpose()?;
        let sets = t.sets.iter().map(|arc| self.set(arc)).collect::<Loaded<Vec<_>>>()?;
        let outputs = t.outputs.iter().map(|arc| self.output(arc, level)).collect::<Loaded<Vec<_>>>()?;
        let (limited, open) = self.rooms(&inputs, &outputs);
        let exhaustive = self.enabling.fails;
        let rooms = if open || exhaustive || self.compiler.without.upkeep { limited } else { Vec::new() };
        self.plain &= !exhaustive && rooms.is_empty();
        let any = self.only_choice(&inputs);
        let searched = inputs.iter().any(|arc| matches!(arc.find, Find::Shown { .. })) && any.is_none()
            || t.clock.as_ref().is_some_and(|clock| self.clock_kind(clock, &inputs) == ClockKind::Coloured);
        self.plain &= !searched;
        let listed = self.compiler.lists_decisions && t.priority == DECISION;
        // Only patterns and the guard matter, and neither reads anything beyond the binding.
        let simple = !exhaustive
            && !searched
            && !listed
            && rooms.is_empty()
            && self.enabling.tokens.is_empty()
            && !self.enabling.reads_clock
            && inhibitors.iter().all(InhibitorProgram::is_watchable)
            && inputs.iter().all(|arc| !matches!(arc.find, Find::Black(Count::Of(..))));
        inputs.iter_mut().for_each(|arc| arc.decides = self.decides_by(arc) || self.lightens(arc, &rooms));
        let free = !searched
            && inputs.iter().all(|arc| !is_bag(arc) || matches!(arc.find, Find::Any) && !arc.decides)
            && inhibitors.iter().all(InhibitorProgram::is_watchable);
        let selection = match any {
            _ if searched => Selection::Search,
            Some(arc) => Selection::Bag(arc),
            None => self.selection(&inputs, guard.as_ref(), simple, free),
        };
        let joins = matches!(selection, Selection::Join(_) | Selection::Match(_) | Selection::Tree(_));
        self.plain |= joins;
        // What comes before the first possible fault can be watched all the same: nothing else is evaluated without it.
        let watched = self.safe;
        // The join itself follows the tokens that it counts.
        let uncounted = self.uncounted(&inputs, &selection);
        let is_free = |i: usize| uncounted.contains(&i);
        let leaves_free = |i: usize| is_free(i) || inputs[i].after.iter().any(|&later| is_free(later));
        let counted_here = (0..watched.0).filter(|&i| !joins || !is_bag(&inputs[i]) || leaves_free(i));
        let mut impossible = self.watch_tokens(counted_here.map(|i| &inputs[i]), &inhibitors[..watched.1]);
        if !exhaustive && rooms.is_empty() {
            impossible += self.watch_rooms(&inputs, &outputs);
        }
        if joins {
            // That there is a binding is one more condition, which does not hold yet.
            impossible += 1;
        }
        let mut clock = t.clock.as_ref().map(|clock| self.clock(clock, &inputs, shadow)).transpose()?;
        if let Some(clock) = clock.as_ref().filter(|clock| !clock.contested.is_empty()) {
            // A clock that has run down may lose its tokens to another transition.
            self.plain = false;
            let any = Dependent::on_any_change(self.id);
            clock.contested.iter().for_each(|&place| self.compiler.depend(GaugeId::tokens(place), any));
        }
        if !self.plain {
            self.depend(&inputs, &inhibitors, &outputs, &rooms);
        }
        if let Some(clock) = &mut clock {
            let coloured: Vec<usize> =
                (0..inputs.len()).filter(|&i| !matches!(inputs[i].find, Find::Black(_))).collect();
            let watched = !exhaustive
                && rooms.is_empty()
                && self.enabling.tokens.is_empty()
                && !self.enabling.reads_clock
                && inhibitors.iter().all(InhibitorProgram::is_watchable)
                && inputs.iter().all(|arc| !matches!(arc.find, Find::Black(Count::Of(..))));
            clock.lone = (watched && coloured.len() == 1 && !clock.mean_changes).then(|| coloured[0]);
            let shown = |arc: &InputProgram| matches!(arc.find, Find::Head { .. } | Find::Black(Count::Const(_)));
            clock.single = clock.kind == ClockKind::Coloured && inputs.iter().all(shown);
            clock.watched = watched && guard.is_none() && inputs.iter().all(|arc| arc.equals.is_empty());
        }
        if clock.is_some() {
            // So is that a clock has run down.
            impossible += 1;
        }
        let reserves = outputs.iter().any(|arc| self.has_capacity(arc));
        let known = self.known(&inputs, exhaustive);
        let mut lowering = self.lowering();
        let prefer = match &t.prefer {
            Some(prefer) => Some(Preference { key: lowering.key(&prefer.key, &prefer.then)?, most: prefer.most }),
            None => None,
        };
        let mut draws = Vec::new();
        for draw in &t.draws {
            let kind = lowering.kinds[draw.variable.at()];
            draws.push((draw.variable, lowering.value(&draw.expression, kind)?));
        }
        let time = t.time.as_ref().map_or(Ok(Time::Immediate), |e| time_of(&mut lowering, e))?;
        let time_span = t.time.as_ref().map_or(SpanId::NONE, |e| lowering.span(&e.span));
        let counts = (0..inputs.len()).filter(|&i| matches!(inputs[i].find, Find::Black(Count::Of(..)))).collect();
        let counted = self.counted(&inputs, simple);
        let mut constants = outputs.iter().map(|arc| match arc.form() {
            OutputForm::Black(count) if arc.delay.is_none() => Some(count),
            _ => None,
        });
        let delivery = |arc: &OutputProgram| arc.delay.as_ref().map(|delay| delay.delivery);
        let sends: Vec<_> = outputs.iter().map(|arc| (arc.give(), delivery(arc))).collect();
        let own = || outputs.iter().filter(|arc| arc.delay.is_none());
        let given = constants.try_fold(0u64, |sum, count| Some(sum.saturating_add(count?)));
        let takes = (0..inputs.len()).filter(|&i| !inputs[i].keep).map(|i| take(&inputs, i)).collect();
        let sends = if sends.iter().any(|send| send.1.is_some()) { sends } else { Vec::new() };
        let (resets, inhibitors, sets) = (t.resets.clone(), inhibitors.into(), sets.into());
        let (rooms, sends) = (rooms.into(), sends.into());
        let in_turn = t.inputs.iter().any(|arc| arc.in_turn);
        let more = TransitionDetails {
            inhibitors,
            guard,
            prefer,
            in_turn,
            known,
            rooms,
            resets,
            sets,
            sends,
            counted,
            counts,
        };
        let program = TransitionProgram {
            more: more.shared(),
            takes,
            gives: own().map(OutputProgram::give).collect(),
            delivers: None,
            given,
            binds: selection != Selection::Single
                || !t.draws.is_empty()
                || inputs.iter().any(|arc| !arc.binds.is_empty() || matches!(arc.find, Find::Black(Count::Of(..)))),
            name: t.name.clone(),
            variables: Arc::clone(&t.variables),
            inputs: inputs.into(),
            clock: clock.map(Box::new),
            draws: draws.into(),
            time,
            time_span,
            takes_turns: false,
            lane: NO_LANE,
            held: own().map(|arc| arc.give().held_words()).sum(),
            outputs: outputs.into(),
            reserves,
            selection,
            free,
            plain: self.plain,
            exhaustive,
            watched,
            impossible,
            level: 0,
            position: 0,
        };
        Ok((program, self.enabling))
    }

    fn known(&self, inputs: &[InputProgram], exhaustive: bool) -> Known {
        let behind = |expressions: &mut dyn Iterator<Item = &Expr>| {
            let variables: Vec<VariableId> = expressions.flat_map(|e| self.facts(e).variables).collect();
            let binds = |arc: &InputProgram| arc.binds.iter().any(|(_, variable)| variables.contains(variable));
            inputs.iter().rposition(binds).map_or(0, |last| last + 1)
        };
        let safely = |known: usize| if exhaustive { inputs.len() } else { known };
        let t = self.transition;
        let of_inhibitor = |arc: &InhibitorArc| {
            safely(behind(&mut arc.pattern.iter().filter_map(|m| m.equal.as_ref()).chain(&arc.threshold)))
        };
        Known {
            inhibitors: t.inhibitors.iter().map(of_inhibitor).collect(),
            guard: safely(behind(&mut t.guard.iter())),
            preference: behind(&mut t.prefer.iter().flat_map(|prefer| prefer.keys())),
        }
    }

    fn guard(&mut self, guard: &Expr) -> Loaded<crate::program::expression::Bool> {
        self.plain = false;
        self.decides(guard);
        self.lowering().bool(guard)
    }

    pub fn count(&mut self, e: &Option<Expr>) -> Loaded<Count> {
        let Some(e) = e else { return Ok(Count::Const(1)) };
        if let (Op::Const, Some(count)) = (e.op, e.value.and_then(Scalar::as_int)) {
            if let Ok(count) = u64::try_from(count) {
                return Ok(Count::Const(count.min(MOST_COUNTED)));
            }
        }
        let mut lowering = self.lowering();
        let count = lowering.int(e)?;
        let span = lowering.span(&e.span);
        Ok(Count::Of(Box::new((count, span))))
    }

    /// A number that enabling depends on.
    fn deciding_count(&mut self, e: &Option<Expr>) -> Loaded<Count> {
        let count = self.count(e)?;
        if let (Count::Of(..), Some(e)) = (&count, e) {
            let facts = self.decides(e);
            self.enabling.fails |= facts.range.0 < 0;
            self.plain = false;
        }
        Ok(count)
    }

    /// The slots of a pattern that must equal something, with the values.
    fn equals(&mut self, place: PlaceId, pattern: &[Match]) -> Loaded<Vec<(u32, crate::program::expression::Value)>> {
        let mut equals = Vec::new();
        for (slot, matching) in pattern.iter().enumerate() {
            if let Some(e) = &matching.equal {
                self.plain = false;
                self.decides(e);
                let kind = self.compiler.colours[place.at()].slots[slot].kind;
                equals.push((slot as u32, self.lowering().value(e, kind)?));
            }
        }
        Ok(equals)
    }

    fn inputs(&mut self) -> Loaded<Vec<InputProgram>> {
        let arcs: &'a [InputArc] = &self.transition.inputs;
        let mut inputs = Vec::with_capacity(arcs.len());
        for (position, arc) in arcs.iter().enumerate() {
            if !self.enabling.fails {
                // An arc needs tokens before it compares them with anything.
                self.safe.0 = position + 1;
            }
            let before: Vec<usize> = (0..position).filter(|&i| arcs[i].place == arc.place).collect();
            let after: Vec<usize> = (position + 1..arcs.len()).filter(|&i| arcs[i].place == arc.place).collect();
            let place = &self.compiler.places[arc.place.at()];
            let (black, bag) = (place.width == 0, place.discipline == Discipline::Bag);
            let equals = self.equals(arc.place, &arc.pattern)?;
            let shown = |other: &InputArc| other.place == arc.place && other.any;
            let find = if black {
                Find::Black(self.deciding_count(&arc.count)?)
            } else if !bag && arcs.iter().any(shown) {
                Find::Shown { first: !arc.any }
            } else if !bag {
                Find::Head { depth: before.len() }
            } else if equals.is_empty() {
                Find::Any
            } else if self.compiler.without.upkeep {
                Find::Tested
            } else {
                Find::Keyed(self.compiler.index(arc.place, equals.iter().map(|(slot, _)| *slot).collect()))
            };
            let reseats = !matches!(find, Find::Black(_) | Find::Head { .. });
            let more = InputDetails {
                equals: equals.into(),
                binds: binds(&arc.pattern),
                before: before.into(),
                after: if reseats { after.into() } else { Seldom::default() },
            };
            inputs.push(InputProgram { place: arc.place, find, keep: arc.keep, decides: true, more: more.shared() });
        }
        Ok(inputs)
    }

    fn inhibitor(&mut self, arc: &InhibitorArc) -> Loaded<InhibitorProgram> {
        let equals = self.equals(arc.place, &arc.pattern)?;
        let threshold = self.deciding_count(&arc.threshold)?;
        if !self.enabling.fails {
            self.safe.1 += 1;
        }
        let slots: Vec<u32> = equals.iter().map(|(slot, _)| *slot).collect();
        let indexed = !slots.is_empty() && !self.compiler.without.upkeep;
        let index = indexed.then(|| self.compiler.index(arc.place, slots));
        Ok(InhibitorProgram { place: arc.place, equals: equals.into(), index, threshold })
    }

    /// The outputs to places with a capacity, and whether there is more to them than constants, which watches handle.
    fn rooms(&mut self, inputs: &[InputProgram], outputs: &[OutputProgram]) -> (Vec<usize>, bool) {
        let places = &self.compiler.places;
        // What is given for each token of a set takes the room of that one.
        let limited = |i: &usize| {
            outputs[*i].each.is_none() && outputs[*i].places.iter().any(|p| places[p.at()].capacity.is_some())
        };
        let rooms: Vec<usize> = (0..outputs.len()).filter(limited).collect();
        let open = rooms.iter().any(|&i| {
            let arc = &outputs[i];
            arc.form() == OutputForm::Open
                || arc
                    .places
                    .iter()
                    .any(|place| places[place.at()].weight.is_some() || places[place.at()].lines.is_some())
                || self.transition.resets.contains(&arc.place())
                || inputs.iter().any(|input| input.place == arc.place() && taken(input).is_none())
        });
        for &i in rooms.iter().filter(|_| open) {
            let arc: &'a OutputArc = &self.transition.outputs[i];
            let expressions = [&arc.condition, &arc.count, &arc.index];
            for e in expressions.into_iter().flatten() {
                self.decides(e);
            }
            let negative = arc.count.as_ref().is_some_and(|e| self.facts(e).range.0 < 0);
            let outside = arc.index.as_ref().is_some_and(|e| {
                let range = self.facts(e).range;
                range.0 < 0 || range.1 >= arc.places.len() as i128
            });
            self.enabling.fails |= negative || outside;
            for &place in arc.places.iter() {
                let place_program = &self.compiler.places[place.at()];
                if let (Some(lines), Some(_)) = (place_program.lines, place_program.capacity) {
                    let slots = self.compiler.lines[lines.at()].slots.clone();
                    slots.iter().for_each(|&slot| drop(self.decides(&arc.values[slot as usize])));
                }
                let Some(weight) = &self.compiler.places[place.at()].weight else { continue };
                let (slots, fails) = (weight.slots.clone(), weight.fails);
                self.enabling.fails |= fails;
                for slot in slots {
                    self.decides(&arc.values[slot]);
                }
            }
        }
        (rooms, open)
    }

    /// Whether the room in a place may depend on which token an arc takes: on its weight, or on the line that it leaves.
    fn lightens(&self, arc: &InputProgram, rooms: &[usize]) -> bool {
        let source = &self.compiler.places[arc.place.at()];
        let place =
            source.fronts.map_or(source, |lines| &self.compiler.places[self.compiler.lines[lines.at()].place.at()]);
        let tells_apart = place.weight.is_some() || place.lines.is_some() && place.capacity.is_some();
        !rooms.is_empty() && !arc.keep && tells_apart
    }

    /// Watches for the conditions that the tokens of places decide. Returns how many conditions can never hold.
    fn watch_tokens<'i>(
        &mut self,
        inputs: impl Iterator<Item = &'i InputProgram>,
        inhibitors: &[InhibitorProgram],
    ) -> u32 {
        let mut impossible = 0;
        let mut needs: Vec<(PlaceId, u64)> = Vec::new();
        for arc in inputs {
            let count = if let Find::Black(count) = &arc.find { constant(count).unwrap_or(0) } else { 1 };
            add(&mut needs, arc.place, count);
        }
        for (place, threshold) in needs.into_iter().filter(|need| need.1 > 0) {
            self.compiler.watch(GaugeId::tokens(place), Watch { threshold, transition: self.id, below: false });
        }
        for arc in inhibitors.iter().filter(|arc| arc.index.is_none()) {
            match constant(&arc.threshold) {
                Some(0) => impossible += 1,
                Some(threshold) => {
                    self.compiler
                        .watch(GaugeId::tokens(arc.place), Watch { threshold, transition: self.id, below: true });
                }
                None => {}
            }
        }
        impossible
    }

    /// Room for a constant number of tokens: the load is below a threshold.
    fn watch_rooms(&mut self, inputs: &[InputProgram], outputs: &[OutputProgram]) -> u32 {
        let mut impossible = 0;
        let mut given: Vec<(PlaceId, u64)> = Vec::new();
        for arc in outputs {
            match arc.form() {
                OutputForm::Black(count) => add(&mut given, arc.place(), count),
                OutputForm::Token => add(&mut given, arc.place(), 1),
                OutputForm::Open => {}
            }
        }
        for (place, given) in given {
            let Some(capacity) = self.compiler.places[place.at()].capacity.filter(|_| given > 0) else { continue };
            let arcs = inputs.iter().filter(|arc| arc.place == place);
            let taken: u64 = arcs.filter_map(taken).sum();
            match (capacity + taken + 1).checked_sub(given) {
                None | Some(0) => impossible += 1,
                Some(threshold) => {
                    let gauge = self.compiler.load_gauge(place);
                    self.compiler.watch(gauge, Watch { threshold, transition: self.id, below: true });
                }
            }
        }
        impossible
    }

    /// The places of an output arc that the range of its index allows.
    fn reachable(&self, output: usize) -> std::ops::Range<usize> {
        let arc = &self.transition.outputs[output];
        let (low, high) = arc.index.as_ref().map_or((0, 0), |e| self.facts(e).range);
        let within = |at: i128| at.clamp(0, arc.places.len() as i128) as usize;
        within(low)..within(high.saturating_add(1))
    }

    /// The changes after which a transition that is not decided by watches alone is looked at again.
    fn depend(
        &mut self,
        inputs: &[InputProgram],
        inhibitors: &[InhibitorProgram],
        outputs: &[OutputProgram],
        rooms: &[usize],
    ) {
        let transition = self.id;
        let any = Dependent::on_any_change(transition);
        // Where something may fail, or tokens have clocks, more matters than whether there is a binding.
        let by = |enabled_by| match self.enabling.fails || self.transition.clock.is_some() {
            true => any,
            false => Dependent { enabled_by, ..any },
        };
        let (more, fewer) = (by(EnabledBy::More), by(EnabledBy::Fewer));
        for (i, arc) in inputs.iter().enumerate() {
            let seen = match &arc.find {
                Find::Black(Count::Const(_)) if i < self.safe.0 => continue,
                Find::Head { .. } if self.compiler.places[arc.place.at()].discipline == Discipline::Fifo => {
                    let depth = inputs.iter().filter(|other| other.place == arc.place).count() as u64;
                    Dependent { depth, ..any }
                }
                Find::Any | Find::Keyed(_) | Find::Tested => {
                    Dependent { only: arc.equals.iter().find_map(constant_slot), ..more }
                }
                Find::Black(_) => more,
                _ => any,
            };
            self.compiler.depend(GaugeId::tokens(arc.place), seen);
        }
        for (i, arc) in inhibitors.iter().enumerate() {
            if i >= self.safe.1 || arc.index.is_some() || constant(&arc.threshold).is_none() {
                self.compiler.depend(GaugeId::tokens(arc.place), fewer);
            }
        }
        for place in self.enabling.tokens.clone() {
            self.compiler.depend(GaugeId::tokens(place), any);
        }
        for &i in rooms {
            for &place in &outputs[i].places[self.reachable(i)] {
                if self.compiler.places[place.at()].capacity.is_some() {
                    let gauge = self.compiler.load_gauge(place);
                    self.compiler.depend(gauge, fewer);
                    if self.transition.resets.contains(&place) {
                        // Only the reserved room counts then, and a deposit shrinks it without a change of the load.
                        self.compiler.depend(GaugeId::tokens(place), any);
                    }
                }
            }
        }
    }
}

/// The bits that a slot must have, if they are always the same.
pub fn constant_slot((slot, value): &(u32, Value)) -> Option<(u32, u64)> {
    let bits = match value {
        Value::Int(Int::Const(value)) => *value as u64,
        Value::Real(Real::Const(value)) => value.to_bits(),
        _ => return None,
    };
    Some((*slot, bits))
}

fn take(inputs: &[InputProgram], arc: usize) -> Take {
    let InputProgram { place, find, more, .. } = &inputs[arc];
    match find {
        Find::Black(Count::Const(count)) => Take::Black { place: *place, count: *count },
        Find::Black(Count::Of(..)) => Take::Chosen { place: *place, arc },
        Find::Head { .. } => {
            // Those in front of it have been taken by then, but for those that read arcs keep.
            let kept = more.before.iter().filter(|&&i| inputs[i].keep).count();
            Take::Head { place: *place, position: kept as u32 }
        }
        Find::Any | Find::Keyed(_) | Find::Tested => Take::Seat { place: *place, arc },
        Find::Shown { .. } => Take::Shown { place: *place, arc },
    }
}

/// A firing time, or a delay.
pub fn time_of(lowering: &mut Lowering, e: &Expr) -> Loaded<Time> {
    Ok(match lowering.real(e)? {
        Real::Const(time) if time > 0.0 => Time::Const(whole(time)),
        Real::Const(time) if time > -1.0 => Time::Immediate,
        time => Time::Of(time),
    })
}

pub fn is_bag(arc: &InputProgram) -> bool {
    matches!(arc.find, Find::Any | Find::Keyed(_) | Find::Tested)
}

fn binds(pattern: &[Match]) -> Box<[(u32, VariableId)]> {
    pattern.iter().enumerate().filter_map(|(slot, m)| m.bind.map(|variable| (slot as u32, variable))).collect()
}

pub fn add(sums: &mut Vec<(PlaceId, u64)>, place: PlaceId, count: u64) {
    match sums.iter_mut().find(|entry| entry.0 == place) {
        Some(entry) => entry.1 = entry.1.saturating_add(count),
        None => sums.push((place, count)),
    }
}

/// The tokens that an arc takes out of its place, where that is constant.
fn taken(arc: &InputProgram) -> Option<u64> {
    match &arc.find {
        _ if arc.keep => Some(0),
        Find::Black(count) => constant(count),
        _ => Some(1),
    }
}

#[cfg(test)]
mod tests {
    use crate::program::Program;

    #[test]
    fn room_matters_only_where_an_index_can_lead() {
        // A token x of 0..1 goes to buffer x + 2 of six.
        let buffer = r#"{"name":"buffer","colour":{"slots":[{"low":0,"high":1}]},"capacity":1}"#;
        let waiting = r#"{"name":"waiting","colour":{"slots":[{"low":0,"high":1}]},"initial":[[1,[0]]]}"#;
        let x = r#"{"op":"var","kind":"int","value":0}"#;
        let index = format!(r#"{{"op":"add","kind":"int","args":[{x},{{"op":"const","kind":"int","value":2}}]}}"#);
        let text = format!(
            r#"{{"places":[{},{waiting}],"transitions":[{{"name":"give","variables":[{{"name":"x","kind":"int"}}],
            "inputs":[{{"place":6,"pattern":[{{"bind":0}}]}}],
            "outputs":[{{"places":[0,1,2,3,4,5],"values":[{x}],"index":{index}}}]}}]}}"#,
            [buffer; 6].join(",")
        );
        let program = Program::from_json(&text).expect("a net");
        let loads = program.gauges.iter().skip(program.places.len());
        let followed = loads.filter(|gauge| !program.watching(gauge).1.is_empty());
        assert_eq!(followed.count(), 2);
    }
}
