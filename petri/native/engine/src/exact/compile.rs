//! From the flat net to the model that is explored.
//!
//! Draws with finitely many values become variables of their own, which take each of their values in turn.

use std::collections::BTreeMap;

use crate::base::ids::{PlaceId, SpanId, TableId, TransitionId, VariableId};
use crate::base::random::Random;
use crate::exact::model::{Branch, Clock, Inhibitor, Input, Model, Output, Step, Transition};
use crate::exact::stages::Form;
use crate::exact::trouble::{Found, Trouble};
use crate::net::check::check;
use crate::net::{self, Colour, Discipline, Expr, Kind, Match, Memory, Net, Op, Operation, Scalar};
use crate::program::arc::{Count, SetProgram};
use crate::program::compile::compiler::Compiler;
use crate::program::compile::net::draw_table;
use crate::program::expression::{Real, Value};
use crate::program::lower::Lowering;
use crate::program::ranges::slot_ranges;
use crate::program::transition::Preference;
use crate::program::without::Without;
use crate::state::value::Scope;

impl Model {
    pub fn new(net: &Net) -> Found<Model> {
        check(net)?;
        let mut compiler = {
            let sizes = [net.transitions.len(), net.tables.len()];
            Compiler::new(net.places.clone(), sizes, &[], slot_ranges(net)?, Without::default())?
        };
        if net.places.iter().any(|place| place.stream) {
            return Err(Trouble::Unsolvable("stream", None));
        }
        if let Some(late) = net.transitions.iter().position(|t| t.outputs.iter().any(|arc| arc.delay.is_some())) {
            return Err(Trouble::Unsolvable("delay", Some(TransitionId(late as u32))));
        }
        let mut transitions = Vec::with_capacity(net.transitions.len());
        for (number, transition) in net.transitions.iter().enumerate() {
            let id = TransitionId(number as u32);
            transitions.push(TransitionCompiler::new(&mut compiler, id, transition).compile()?);
        }
        let timed = |test: fn(&Form) -> bool| {
            let test = move |t: &Transition| t.clock.is_none() && test(&t.time);
            transitions.iter().position(test)
        };
        let clocked = transitions.iter().position(|t| t.clock.is_some());
        let (fixed, exponential) = (timed(Form::may_be_fixed), timed(Form::may_be_exponential).or(clocked));
        if let (Some(fixed), Some(_)) = (fixed, exponential) {
            return Err(Trouble::Unsolvable("mixed-times", Some(TransitionId(fixed as u32))));
        }
        let mut levels: BTreeMap<i64, Vec<usize>> = BTreeMap::new();
        for (number, transition) in net.transitions.iter().enumerate().filter(|(_, t)| t.clock.is_none()) {
            levels.entry(-transition.priority).or_default().push(number);
        }
        Ok(Model {
            places: compiler.places,
            transitions,
            immediate: levels.into_values().collect(),
            tables: net.tables.iter().map(draw_table).collect::<Result<_, _>>()?,
            spans: compiler.spans,
            tick: net.tick,
            in_ticks: fixed.is_some(),
        })
    }
}

struct TransitionCompiler<'c, 'n> {
    compiler: &'c mut Compiler,
    id: TransitionId,
    transition: &'n net::Transition,
    kinds: Vec<Kind>,
    steps: Vec<Step>,
}

impl<'c, 'n> TransitionCompiler<'c, 'n> {
    fn new(compiler: &'c mut Compiler, id: TransitionId, transition: &'n net::Transition) -> Self {
        let mut kinds: Vec<Kind> = transition.variables.iter().map(|variable| variable.kind).collect();
        kinds.resize(compiler.variables_of(transition), Kind::Int); // those of tokens differ from set to set
        TransitionCompiler { compiler, id, transition, kinds, steps: Vec::new() }
    }

    fn refuse<T>(&self, why: &'static str) -> Found<T> {
        Err(Trouble::Unsolvable(why, Some(self.id)))
    }

    fn lowering(&mut self) -> Lowering<'_> {
        self.compiler.lowering(self.kinds.clone())
    }

    /// For expressions of one token of a set.
    fn of_token(&mut self, place: PlaceId) -> Lowering<'_> {
        let mut kinds = self.kinds.clone();
        let slots = &self.compiler.colours[place.at()].slots;
        for (kind, slot) in kinds[self.transition.variables.len()..].iter_mut().zip(slots.iter()) {
            *kind = slot.kind;
        }
        self.compiler.lowering(kinds)
    }

    fn compile(mut self) -> Found<Transition> {
        let t = self.transition;
        self.check()?;
        let mut inputs = Vec::with_capacity(t.inputs.len());
        for arc in &t.inputs {
            inputs.push(self.input(arc)?);
        }
        let mut inhibitors = Vec::with_capacity(t.inhibitors.len());
        for arc in &t.inhibitors {
            let threshold = self.count(&arc.threshold)?;
            inhibitors.push(Inhibitor { place: arc.place, equals: self.equals(arc.place, &arc.pattern)?, threshold });
        }
        let mut sets = Vec::with_capacity(t.sets.len());
        for arc in &t.sets {
            let condition = match &arc.condition {
                Some(condition) => Some(self.of_token(arc.place).bool(condition)?),
                None => None,
            };
            let mut totals = Vec::with_capacity(arc.totals.len());
            for total in &arc.totals {
                let kind = self.kinds[total.variable.at()];
                totals.push((total.variable, self.of_token(arc.place).value(&total.value, kind)?));
            }
            sets.push(SetProgram { place: arc.place, number: arc.number, condition, key: None, totals });
        }
        let guard = t.guard.as_ref().map(|guard| self.lowering().bool(guard)).transpose()?;
        let prefer = match &t.prefer {
            Some(prefer) => {
                let key = self.lowering().key(&prefer.key, &prefer.then)?;
                Some(Preference { key, most: prefer.most })
            }
            None => None,
        };
        let zero = Expr::new(Operation::constant(Scalar::Real(0.0)));
        let mut time = t.time.clone().unwrap_or(zero);
        for draw in &t.draws {
            let is_continuous = draw.expression.op.draws() && !has_outcomes(draw.expression.op);
            if is_continuous && !self.is_used(draw.variable) {
                time = replaced(&time, draw.variable, &draw.expression);
                continue;
            }
            let expression = self.taken_apart(&draw.expression)?;
            let kind = self.kinds[draw.variable.at()];
            let value = self.lowering().value(&expression, kind)?;
            self.steps.push(Step::Set(draw.variable, value));
        }
        let time_span = self.lowering().span(&time.span);
        let time = self.form(&time)?;
        let clock = t.clock.as_ref().map(|clock| self.clock(clock)).transpose()?;
        let weight = t.weight.as_ref().map_or(Ok(Real::Const(1.0)), |weight| self.lowering().real(weight))?;
        let weight_span = t.weight.as_ref().map_or(SpanId::NONE, |weight| self.lowering().span(&weight.span));
        let mut outputs = Vec::with_capacity(t.outputs.len());
        for arc in &t.outputs {
            outputs.push(self.output(arc)?);
        }
        let has_capacity = |place: &PlaceId| self.compiler.places[place.at()].capacity.is_some();
        Ok(Transition {
            inputs,
            inhibitors,
            resets: t.resets.to_vec(),
            sets,
            token: t.variables.len(),
            guard,
            prefer,
            time,
            time_span,
            weight,
            weight_span,
            clock,
            variables: self.kinds.len(),
            has_room_to_ask: t.outputs.iter().any(|arc| arc.places.iter().any(has_capacity)),
            steps: self.steps,
            outputs,
        })
    }

    /// References that lead nowhere, and what no chain can have.
    fn check(&self) -> Found<()> {
        let t = self.transition;
        let colours = &self.compiler.colours;
        let places = t.inputs.iter().map(|arc| arc.place).chain(t.inhibitors.iter().map(|arc| arc.place));
        let given = t.outputs.iter().flat_map(|arc| arc.places.iter().copied());
        let wrong =
            |what: &str| Err(Trouble::Load(crate::base::fault::LoadError(format!("transition `{}` {what}", t.name))));
        let emptied = t.resets.iter().copied().chain(t.sets.iter().map(|arc| arc.place));
        if places.chain(given).chain(emptied).any(|place| place.at() >= colours.len()) {
            return wrong("names a place that is not there");
        }
        let width = |place: PlaceId| colours[place.at()].slots.len();
        let patterns = t.inputs.iter().map(|arc| (arc.place, &arc.pattern));
        let patterns = patterns.chain(t.inhibitors.iter().map(|arc| (arc.place, &arc.pattern)));
        if patterns.into_iter().any(|(place, pattern)| pattern.len() > width(place)) {
            return wrong("has an arc that does not suit its place");
        }
        if t.outputs.iter().any(|arc| arc.places.is_empty() || arc.places.iter().any(|&p| width(p) != arc.values.len()))
        {
            return wrong("has an output arc that does not suit its place");
        }
        if self.expressions().any(reads_time) {
            return self.refuse("reads-now");
        }
        Ok(())
    }

    /// Expressions of the transition.
    fn expressions(&self) -> impl Iterator<Item = &'n Expr> {
        let t = self.transition;
        let equals = |pattern: &'n [Match]| pattern.iter().filter_map(|one| one.equal.as_ref());
        let inputs = t.inputs.iter().flat_map(move |arc| equals(&arc.pattern).chain(&arc.count));
        let inhibitors = t.inhibitors.iter().flat_map(move |arc| equals(&arc.pattern).chain(&arc.threshold));
        let draws = t.draws.iter().map(|draw| &draw.expression);
        let clock = t.clock.iter().flat_map(|clock| clock.speed.iter().chain([&clock.time]));
        let prefer = t.prefer.iter().flat_map(|prefer| [&prefer.key].into_iter().chain(&prefer.then));
        let totals = |arc: &'n net::SetArc| arc.totals.iter().map(|total| &total.value);
        let sets = t.sets.iter().flat_map(move |arc| arc.condition.iter().chain(totals(arc)));
        let choice = prefer.chain(&t.weight);
        let rest =
            t.guard.iter().chain(&t.time).chain(self.given()).chain(draws).chain(clock).chain(choice).chain(sets);
        inputs.chain(inhibitors).chain(rest)
    }

    fn given(&self) -> impl Iterator<Item = &'n Expr> {
        let outputs = self.transition.outputs.iter();
        outputs.flat_map(|arc| arc.values.iter().chain(&arc.index).chain(&arc.count).chain(&arc.condition))
    }

    /// Whether outputs or other draws use the variable.
    fn is_used(&self, variable: VariableId) -> bool {
        let draws = self.transition.draws.iter().map(|draw| &draw.expression);
        let mut mentioned = Vec::new();
        self.given().chain(draws).for_each(|expression| {
            expression.mentioned(&mut mentioned);
        });
        mentioned.contains(&variable.at())
    }

    fn count(&mut self, expression: &Option<Expr>) -> Found<Count> {
        Ok(match expression {
            None => Count::Const(1),
            Some(expression) => {
                let mut lowering = self.lowering();
                let span = lowering.span(&expression.span);
                match lowering.int(expression)? {
                    crate::program::expression::Int::Const(count) if count >= 0 => Count::Const(count as u64),
                    count => Count::Of(Box::new((count, span))),
                }
            }
        })
    }

    fn equals(&mut self, place: PlaceId, pattern: &[Match]) -> Found<Vec<(u32, Value)>> {
        let Colour { slots } = self.compiler.colours[place.at()].clone();
        let mut found = Vec::new();
        for (i, (one, slot)) in pattern.iter().zip(&*slots).enumerate() {
            if let Some(expression) = &one.equal {
                found.push((i as u32, self.lowering().value(expression, slot.kind)?));
            }
        }
        Ok(found)
    }

    fn input(&mut self, arc: &net::InputArc) -> Found<Input> {
        let place = &self.compiler.places[arc.place.at()];
        let (black, bag) = (place.width == 0, place.discipline == Discipline::Bag);
        let binds = arc.pattern.iter().enumerate().filter_map(|(slot, one)| Some((slot as u32, one.bind?)));
        Ok(Input {
            place: arc.place,
            count: if black { Some(self.count(&arc.count)?) } else { None },
            equals: self.equals(arc.place, &arc.pattern)?,
            binds: binds.collect(),
            keep: arc.keep,
            twin: arc.twin,
            sees_all: bag || arc.any,
            in_turn: arc.in_turn,
        })
    }

    fn output(&mut self, arc: &net::OutputArc) -> Found<Output> {
        let Colour { slots } = self.compiler.colours[arc.places[0].at()].clone();
        let mut values = Vec::with_capacity(slots.len());
        let mut spans = Vec::with_capacity(slots.len());
        for (slot, expression) in slots.iter().zip(&arc.values) {
            let mut lowering = match arc.each {
                Some(set) => self.of_token(self.transition.sets[set].place),
                None => self.lowering(),
            };
            spans.push(lowering.span(&expression.span));
            values.push(lowering.value(expression, slot.kind)?);
        }
        let index = match &arc.index {
            Some(index) => {
                let mut lowering = self.lowering();
                Some((lowering.int(index)?, lowering.span(&index.span)))
            }
            None => None,
        };
        let condition = arc.condition.as_ref().map(|condition| self.lowering().bool(condition)).transpose()?;
        Ok(Output {
            places: arc.places.clone(),
            index,
            count: self.count(&arc.count)?,
            condition,
            values,
            spans,
            each: arc.each,
        })
    }

    fn clock(&mut self, clock: &net::Clock) -> Found<Clock> {
        let keeps = clock.memory != Memory::Restart;
        let mean = self.form(&clock.time)?;
        if !mean.is_one_exponential() || (keeps && (mean.constant_mean().is_none() || clock.memory == Memory::Repeat)) {
            return self.refuse("clock-with-memory");
        }
        let speed = clock.speed.as_ref().map(|speed| self.lowering().real(speed)).transpose()?;
        let span = self.lowering().span(&clock.time.span);
        Ok(Clock { mean, speed, servers: clock.servers, span })
    }

    // -------------------------------------------------------- draws and times

    /// The expression with a variable in place of each draw; the draws become steps.
    fn taken_apart(&mut self, e: &Expr) -> Found<Expr> {
        let mut args = Vec::with_capacity(e.args.len());
        for arg in &e.args {
            args.push(self.taken_apart(arg)?);
        }
        let e = Expr::new(Operation { args: args.into(), ..(**e).clone() });
        if !e.op.draws() {
            return Ok(e);
        }
        let branch = self.branch(&e)?;
        let variable = VariableId(self.kinds.len() as u32);
        let kind = if e.kind == Kind::Real { Kind::Real } else { Kind::Int };
        self.kinds.push(kind);
        self.steps.push(Step::Branch(variable, branch));
        let value = Some(Scalar::Int(i64::from(variable.0)));
        Ok(Expr::new(Operation { op: Op::Var, args: Box::default(), value, ..(*e).clone() }))
    }

    fn branch(&mut self, e: &Expr) -> Found<Branch> {
        let is_real = e.kind == Kind::Real;
        let kind = if is_real { Kind::Real } else { Kind::Int };
        let mut lowering = self.compiler.lowering(self.kinds.clone());
        let span = lowering.span(&e.span);
        Ok(match e.op {
            Op::Bernoulli => Branch::Bernoulli(lowering.real(&e.args[0])?, span),
            Op::UniformInt => Branch::Uniform(lowering.int(&e.args[0])?, lowering.int(&e.args[1])?, span),
            Op::Choice => {
                let values = e.args.iter().step_by(2).map(|value| lowering.value(value, kind));
                let values = values.collect::<Result<Vec<_>, _>>()?;
                let weights = e.args.iter().skip(1).step_by(2).map(|weight| lowering.real(weight));
                Branch::Choice(values, weights.collect::<Result<_, _>>()?, span)
            }
            Op::Table => {
                let table = e.value.and_then(Scalar::as_int).unwrap_or(-1);
                if usize::try_from(table).is_ok_and(|table| table < self.compiler.tables) {
                    Branch::Table(TableId(table as u32), is_real)
                } else {
                    return self.refuse("draw");
                }
            }
            _ => return self.refuse("draw"),
        })
    }

    /// A time as exponential stages.
    fn form(&mut self, e: &Expr) -> Found<Form> {
        if !draws_time(e) {
            let e = self.taken_apart(e)?;
            return Ok(Form::Fixed(self.lowering().real(&e)?));
        }
        let span = self.lowering().span(&e.span);
        Ok(match e.op {
            Op::Exp => Form::Exponential(self.part(&e.args[0])?, span),
            Op::Erlang => {
                let number = self.taken_apart(&e.args[0])?;
                Form::Erlang(self.lowering().int(&number)?, self.part(&e.args[1])?, span)
            }
            Op::Hyperexponential => Form::Hyperexponential(self.part(&e.args[0])?, self.part(&e.args[1])?, span),
            Op::Ticks | Op::Units => {
                let factor = e.value.map_or(1.0, Scalar::as_real);
                let by = if e.op == Op::Ticks { factor } else { 1.0 / factor };
                Form::Scaled(Real::Const(by), Box::new(self.form(&e.args[0])?))
            }
            Op::Mul if !draws_time(&e.args[0]) => {
                Form::Scaled(self.part(&e.args[0])?, Box::new(self.form(&e.args[1])?))
            }
            Op::Mul if !draws_time(&e.args[1]) => {
                Form::Scaled(self.part(&e.args[1])?, Box::new(self.form(&e.args[0])?))
            }
            Op::Div if !draws_time(&e.args[1]) => {
                let one = Expr::new(Operation::constant(Scalar::Real(1.0)));
                let args = [one, self.taken_apart(&e.args[1])?].into();
                let inverse = Expr::new(Operation { args, ..(**e).clone() });
                let inverse = folded(self.lowering().real(&inverse)?, &inverse);
                Form::Scaled(inverse, Box::new(self.form(&e.args[0])?))
            }
            Op::Add => Form::Sum(Box::new((self.form(&e.args[0])?, self.form(&e.args[1])?))),
            Op::If if !draws_time(&e.args[0]) => {
                let condition = self.taken_apart(&e.args[0])?;
                let condition = self.lowering().bool(&condition)?;
                Form::If(Box::new((condition, self.form(&e.args[1])?, self.form(&e.args[2])?)))
            }
            _ => return self.refuse("time"),
        })
    }

    /// A part of a time, without continuous draws.
    fn part(&mut self, e: &Expr) -> Found<Real> {
        let e = self.taken_apart(e)?;
        Ok(folded(self.lowering().real(&e)?, &e))
    }
}

/// The value, if it is arithmetic on constants, such as `1 / rate`; a fault is left to the firing.
fn folded(real: Real, e: &Expr) -> Real {
    if !is_arithmetic(e) {
        return real;
    }
    let random = &mut Random::new([0; 3]);
    let value = real.value(&mut Scope { variables: &[], places: &[], tables: &[], random, now: 0, end: 0 });
    value.map_or(real, Real::Const)
}

fn is_arithmetic(e: &Expr) -> bool {
    let is_known =
        matches!(e.op, Op::Const | Op::Add | Op::Sub | Op::Mul | Op::Div | Op::Neg | Op::Real | Op::Ticks | Op::Units);
    is_known && e.args.iter().all(is_arithmetic)
}

/// Whether a draw has finitely many values.
fn has_outcomes(op: Op) -> bool {
    matches!(op, Op::Bernoulli | Op::UniformInt | Op::Choice | Op::Table)
}

/// Whether the expression draws anything else than from finitely many values.
fn draws_time(e: &Expr) -> bool {
    (e.op.draws() && !has_outcomes(e.op)) || e.args.iter().any(draws_time)
}

fn reads_time(e: &Expr) -> bool {
    matches!(e.op, Op::Now | Op::End) || e.args.iter().any(reads_time)
}

/// The expression with another one in place of a variable.
fn replaced(e: &Expr, variable: VariableId, by: &Expr) -> Expr {
    if e.op == Op::Var && e.value.and_then(Scalar::as_int) == Some(i64::from(variable.0)) {
        return by.clone();
    }
    let args = e.args.iter().map(|arg| replaced(arg, variable, by)).collect();
    Expr::new(Operation { args, ..(**e).clone() })
}

impl Operation {
    fn constant(value: Scalar) -> Self {
        let kind = if matches!(value, Scalar::Real(_)) { Kind::Real } else { Kind::Int };
        Operation { op: Op::Const, kind, args: Box::default(), value: Some(value), span: None }
    }
}
