//! Compiles the clock of a transition, and what it depends on.

use crate::base::fault::Loaded;
use crate::base::ids::{GaugeId, TransitionId};
use crate::net::{Clock, Expr, Memory, Op, Transition};
use crate::program::arc::InputProgram;
use crate::program::clock::{ClockKind, ClockProgram};
use crate::program::compile::transition::TransitionCompiler;
use crate::program::watch::Dependent;

/// The mean of an exponential time whose clock has no memory (C4).
fn memoryless(clock: &Clock) -> Option<&Expr> {
    let mean = clock.time.args.first()?;
    let forgets = clock.time.op == Op::Exp && clock.memory == Memory::Restart && is_steady(mean);
    forgets.then_some(mean)
}

/// Whether an expression neither draws nor reads the time.
fn is_steady(e: &Expr) -> bool {
    !e.op.draws() && !matches!(e.op, Op::Now | Op::End) && e.args.iter().all(is_steady)
}

/// Which clocks a transition has. `coloured`: one of its input arcs is.
pub fn kind(t: &Transition, clock: &Clock, coloured: bool) -> ClockKind {
    let mut variables = Vec::new();
    let shared = memoryless(clock).is_some_and(|mean| {
        mean.mentioned(&mut variables);
        variables.is_empty() && t.prefer.is_none()
    });
    match (shared, coloured) {
        (true, _) => ClockKind::Shared,
        (false, true) => ClockKind::Coloured,
        (false, false) => ClockKind::Black,
    }
}

impl TransitionCompiler<'_, '_> {
    pub fn is_coloured(&self, arcs: &[InputProgram]) -> bool {
        arcs.iter().any(|arc| self.compiler.places[arc.place.at()].width > 0)
    }

    /// The clock, and dependents that touch its shadow whenever its bindings, its mean or its speed may change.
    pub fn clock(&mut self, clock: &Clock, inputs: &[InputProgram], shadow: TransitionId) -> Loaded<ClockProgram> {
        let t = self.transition;
        let kind = kind(t, clock, self.is_coloured(inputs));
        let mean = memoryless(clock);
        let mean_changes = mean.is_some_and(|mean| !self.facts(mean).tokens.is_empty());
        let any = |transition| Dependent { transition, depth: u64::MAX, only: None };
        let read = mean.iter().copied().chain(&clock.speed).flat_map(|e| self.facts(e).tokens).collect::<Vec<_>>();
        let arcs = t.inputs.iter().map(|arc| arc.place).chain(t.inhibitors.iter().map(|arc| arc.place));
        let places: Vec<_> = arcs.chain(read).chain(self.enabling.tokens.iter().copied()).collect();
        for place in places {
            self.compiler.depend(GaugeId::tokens(place), any(shadow));
        }
        for place in t.outputs.iter().flat_map(|arc| arc.places.iter().copied()) {
            if self.compiler.places[place.at()].capacity.is_some() {
                let load = self.compiler.load_gauge(place);
                self.compiler.depend(load, any(shadow));
                self.compiler.depend(GaugeId::tokens(place), any(shadow));
            }
        }
        if kind == ClockKind::Coloured {
            inputs.iter().for_each(|arc| self.compiler.places[arc.place.at()].identified = true);
        }
        let mut lowering = self.lowering();
        let time_span = lowering.span(&clock.time.span);
        let speed = match &clock.speed {
            Some(e) => Some((lowering.real(e)?, lowering.span(&e.span))),
            None => None,
        };
        Ok(ClockProgram {
            number: 0,
            kind,
            time: lowering.real(&clock.time)?,
            time_span,
            mean: mean.map(|mean| lowering.real(mean)).transpose()?,
            mean_changes,
            memory: clock.memory,
            servers: clock.servers,
            speed,
            shadow,
        })
    }
}
