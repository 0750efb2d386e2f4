//! From the flat net to the model that is explored.

use std::sync::Arc;

use crate::base::ids::{SpanId, TransitionId, VariableId};
use crate::base::random::Random;
use crate::exact::model::stages::Form;
use crate::exact::model::trouble::{Found, Trouble};
use crate::exact::model::Model;
use crate::net::check::{check, expressions};
use crate::net::{Clock, Expr, Kind, Memory, Net, Op, Operation, Scalar, Transition};
use crate::program::analysis::Ranges;
use crate::program::expression::{Int, Real};
use crate::program::lower::Lowering;
use crate::program::without::Without;
use crate::program::Program;
use crate::state::value::Scope;

impl Model {
    pub fn new(mut net: Net) -> Found<Model> {
        check(&net)?;
        if net.places.iter().any(|place| place.stream) {
            return Err(Trouble::Unsolvable("stream", None));
        }
        let late = net.transitions.iter().position(|t| t.outputs.iter().any(|arc| arc.delay.is_some()));
        if let Some(late) = late {
            return Err(Trouble::Unsolvable("delay", Some(TransitionId(late as u32))));
        }
        net.probes.clear();
        // Of several reasons, that of the first transition is given.
        let mut refused = net.transitions.iter_mut().map(|one| prepare(one).err()).collect::<Vec<_>>().into_iter();
        let of_transition = |one: &Transition| (one.time.clone(), one.clock.clone(), one.weight.clone());
        let parts: Vec<_> = net.transitions.iter().map(|one| of_transition(one)).collect();
        let mut program = Program::without(net, Without::upkeep())?;
        let (mut times, mut clocks, mut weights) = (Vec::new(), Vec::new(), Vec::new());
        for (number, (time, clock, weight)) in parts.into_iter().enumerate() {
            let id = TransitionId(number as u32);
            let kinds: Vec<Kind> = program.transitions[id].variables.iter().map(|variable| variable.kind).collect();
            let mut compiler = TimeCompiler { program: &mut program, id, kinds };
            if let Some(why) = refused.next().flatten() {
                return compiler.refuse(why);
            }
            let zero = Expr::new(Operation::constant(Scalar::Real(0.0)));
            times.push(compiler.form(time.as_ref().unwrap_or(&zero))?);
            clocks.push(clock.map(|clock| compiler.clock(&clock)).transpose()?);
            weights.push(compiler.weight(weight.as_ref())?);
        }
        let timed = |test: fn(&Form) -> bool| {
            let mut without_clock = times.iter().zip(&clocks);
            without_clock.any(|(time, clock)| clock.is_none() && test(time))
        };
        let has_clocks = clocks.iter().any(Option::is_some);
        let (fixed, exponential) = (timed(Form::may_be_fixed), timed(Form::may_be_exponential) || has_clocks);
        let immediate = program.levels.iter().map(|level| {
            level.transitions.iter().map(|id| id.at()).filter(|&id| clocks[id].is_none()).collect::<Vec<_>>()
        });
        let immediate = immediate.filter(|level| !level.is_empty()).collect();
        let (in_ticks, takes_turns) = (fixed && !exponential, fixed && exponential);
        Ok(Model { immediate, times, clocks, weights, in_ticks, takes_turns, program: Arc::new(program) })
    }
}

/// Draws with any values belong into the time, where nothing else uses them. Returns why a transition has no chain, if it has none.
fn prepare(t: &mut Transition) -> Result<(), &'static str> {
    let of_clock = t.clock.iter().flat_map(|clock| clock.speed.iter().chain([&clock.time]));
    if expressions(t).chain(of_clock).any(reads_time) {
        return Err("reads-now");
    }
    let mut draws = Vec::with_capacity(t.draws.len());
    for draw in &t.draws {
        if draw.expression.op.draws() && !has_outcomes(draw.expression.op) && !is_used(t, draw.variable) {
            t.time = t.time.as_ref().map(|time| replaced(time, draw.variable, &draw.expression));
        } else if draws_time(&draw.expression) {
            return Err("draw");
        } else {
            draws.push(draw.clone());
        }
    }
    t.draws = draws.into();
    Ok(())
}

/// Whether outputs or other draws use the variable.
fn is_used(t: &Transition, variable: VariableId) -> bool {
    let given = t.outputs.iter();
    let given = given.flat_map(|arc| arc.values.iter().chain(&arc.index).chain(&arc.count).chain(&arc.condition));
    let mut mentioned = Vec::new();
    given.chain(t.draws.iter().map(|draw| &draw.expression)).for_each(|expression| {
        expression.mentioned(&mut mentioned);
    });
    mentioned.contains(&variable.at())
}

struct TimeCompiler<'p> {
    program: &'p mut Program,
    id: TransitionId,
    kinds: Vec<Kind>,
}

impl TimeCompiler<'_> {
    fn refuse<T>(&self, why: &'static str) -> Found<T> {
        Err(Trouble::Unsolvable(why, Some(self.id)))
    }

    fn lowering(&mut self) -> Lowering<'_> {
        let Program { spans, places, tables, .. } = &mut *self.program;
        let (places, tables) = (places.len(), tables.len());
        Lowering { spans, places, tables, kinds: self.kinds.clone(), ranges: Ranges(&[]) }
    }

    fn weight(&mut self, weight: Option<&Expr>) -> Found<(Real, SpanId)> {
        let Some(weight) = weight else { return Ok((Real::Const(1.0), SpanId::NONE)) };
        let mut lowering = self.lowering();
        Ok((lowering.real(weight)?, lowering.span(&weight.span)))
    }

    fn clock(&mut self, clock: &Clock) -> Found<Form> {
        let keeps = clock.memory != Memory::Restart;
        let mean = self.form(&clock.time)?;
        if !mean.is_one_exponential() || (keeps && (mean.constant_mean().is_none() || clock.memory == Memory::Repeat)) {
            return self.refuse("clock-with-memory");
        }
        Ok(mean)
    }

    /// A time as exponential stages.
    fn form(&mut self, e: &Expr) -> Found<Form> {
        if !draws_time(e) {
            return Ok(Form::Fixed(self.lowering().real(e)?));
        }
        let span = self.lowering().span(&e.span);
        Ok(match e.op {
            Op::Exp => Form::Exponential(self.part(&e.args[0])?, span),
            Op::Geometric => Form::Geometric(self.part(&e.args[0])?, span),
            Op::Weibull if constant(&e.args[0]) == Some(1.0) => Form::Exponential(self.part(&e.args[1])?, span),
            Op::Gamma if constant(&e.args[0]).is_some_and(|shape| shape >= 1.0 && shape.fract() == 0.0) => {
                let shape = constant(&e.args[0]).map_or(1, |shape| shape as i64);
                Form::Erlang(Int::Const(shape), self.part(&e.args[1])?, span)
            }
            Op::Erlang if draws_time(&e.args[0]) => return self.refuse("draw"),
            Op::Erlang => Form::Erlang(self.lowering().int(&e.args[0])?, self.part(&e.args[1])?, span),
            Op::Hyperexponential => Form::Hyperexponential(self.part(&e.args[0])?, self.part(&e.args[1])?, span),
            Op::Real => self.form(&e.args[0])?,
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
                let inverse = Expr::new(Operation { args: [one, e.args[1].clone()].into(), ..(**e).clone() });
                Form::Scaled(self.part(&inverse)?, Box::new(self.form(&e.args[0])?))
            }
            Op::Add => Form::Sum(Box::new((self.form(&e.args[0])?, self.form(&e.args[1])?))),
            Op::If if !draws_time(&e.args[0]) => {
                let condition = self.lowering().bool(&e.args[0])?;
                Form::If(Box::new((condition, self.form(&e.args[1])?, self.form(&e.args[2])?)))
            }
            _ => return self.refuse("time"),
        })
    }

    /// A part of a time, without continuous draws. If it is arithmetic on constants, such as `1 / rate`, its value; a fault is left to
    /// the firing.
    fn part(&mut self, e: &Expr) -> Found<Real> {
        if draws_time(e) {
            return self.refuse("draw");
        }
        let real = self.lowering().real(e)?;
        if !is_arithmetic(e) {
            return Ok(real);
        }
        let random = &mut Random::new([0; 3]);
        let value = real.value(&mut Scope { variables: &[], places: &[], tables: &[], random, now: 0, end: 0 });
        Ok(value.map_or(real, Real::Const))
    }
}

fn is_arithmetic(e: &Expr) -> bool {
    let is_known =
        matches!(e.op, Op::Const | Op::Add | Op::Sub | Op::Mul | Op::Div | Op::Neg | Op::Real | Op::Ticks | Op::Units);
    is_known && e.args.iter().all(is_arithmetic)
}

fn constant(e: &Expr) -> Option<f64> {
    e.value.filter(|_| e.op == Op::Const).map(Scalar::as_real)
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
