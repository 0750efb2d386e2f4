//! Compiles the clock of a transition, and what it depends on.

use crate::base::fault::Loaded;
use crate::base::ids::{GaugeId, PlaceId, TransitionId};
use crate::net::{Clock, Discipline, Expr, Memory, Op};
use crate::program::arc::{Count, Find, InputProgram};
use crate::program::clock::{ClockKind, ClockProgram};
use crate::program::compile::transition::{add, TransitionCompiler};
use crate::program::watch::Dependent;

/// The mean of an exponential time whose clock has no memory (C4).
fn memoryless(clock: &Clock) -> Option<&Expr> {
    let mean = clock.time.args.first()?;
    let forgets = clock.time.op == Op::Exp && clock.memory == Memory::Restart && is_steady(mean);
    forgets.then_some(mean)
}

/// The black tokens that a firing finds, or only those that it takes, place by place, if their numbers are constants.
fn needs(inputs: &[InputProgram], taken: bool) -> Option<Vec<(PlaceId, u64)>> {
    let mut needs = Vec::new();
    for arc in inputs.iter().filter(|arc| !(taken && arc.keep)) {
        match &arc.find {
            Find::Black(Count::Const(count)) => add(&mut needs, arc.place, *count),
            Find::Black(Count::Of(..)) => return None,
            _ => {}
        }
    }
    needs.retain(|(_, count)| *count > 0);
    Some(needs)
}

/// The place each of whose tokens has a clock, of a transition with clocks over black tokens alone (C1).
fn place_of_clocks(clock: &Clock, inputs: &[InputProgram]) -> Option<PlaceId> {
    let mut taking = inputs.iter().filter(|arc| !arc.keep);
    let (arc, None, None) = (taking.next()?, taking.next(), clock.servers) else { return None };
    matches!(arc.find, Find::Black(Count::Const(1))).then_some(arc.place)
}

/// Whether an expression neither draws nor reads the time.
fn is_steady(e: &Expr) -> bool {
    !e.op.draws() && !matches!(e.op, Op::Now | Op::End) && e.args.iter().all(is_steady)
}

impl TransitionCompiler<'_> {
    /// Which clocks the transition has.
    pub fn clock_kind(&self, clock: &Clock, arcs: &[InputProgram]) -> ClockKind {
        let mut variables = Vec::new();
        let shared = memoryless(clock).is_some_and(|mean| {
            mean.mentioned(&mut variables);
            variables.is_empty() && self.transition.prefer.is_none()
        });
        let coloured = arcs.iter().any(|arc| self.compiler.places[arc.place.at()].width > 0);
        match (shared, coloured) {
            (true, _) => ClockKind::Shared,
            (false, true) => ClockKind::Coloured,
            (false, false) => ClockKind::Black,
        }
    }

    /// The places of input arcs whose tokens clocks may lose: other transitions take them, firings of its own empty them or leave fewer
    /// than the clocks need, or the clocks need more than before. Where each token of a place has a clock, only this place counts.
    fn contested(&self, inputs: &[InputProgram], place: Option<PlaceId>) -> Box<[PlaceId]> {
        let takes = |place: PlaceId| inputs.iter().any(|arc| !arc.keep && arc.place == place);
        let is_read = |place: PlaceId| inputs.iter().any(|arc| arc.keep && arc.place == place);
        let varies = needs(inputs, false).is_none();
        let is_contested = |place: PlaceId| {
            let of_others = self.compiler.takers[place.at()].is_some_and(|taker| taker != self.id);
            of_others || varies || takes(place) && is_read(place)
        };
        let all = inputs.iter().map(|arc| arc.place);
        let mut places: Vec<PlaceId> = place.map_or_else(|| all.collect(), |one| vec![one]);
        places.retain(|&place| is_contested(place));
        places.sort_unstable();
        places.dedup();
        places.into()
    }

    /// The clock, and dependents that touch its shadow whenever its bindings, its mean or its speed may change.
    pub fn clock(&mut self, clock: &Clock, inputs: &[InputProgram], shadow: TransitionId) -> Loaded<ClockProgram> {
        let t = self.transition;
        let kind = self.clock_kind(clock, inputs);
        let mean = memoryless(clock);
        let mean_changes = mean.is_some_and(|mean| !self.facts(mean).tokens.is_empty());
        let any = Dependent::on_any_change;
        let read = mean.iter().copied().chain(&clock.speed).flat_map(|e| self.facts(e).tokens).collect::<Vec<_>>();
        for arc in inputs {
            // What comes behind the tokens that a queue shows does not matter.
            let shows = matches!(arc.find, Find::Head { .. });
            let is_queue = self.compiler.places[arc.place.at()].discipline == Discipline::Fifo;
            let depth = inputs.iter().filter(|other| other.place == arc.place).count() as u64;
            let seen = if shows && is_queue { Dependent { depth, ..any(shadow) } } else { any(shadow) };
            self.compiler.depend(GaugeId::tokens(arc.place), seen);
        }
        let inhibitors = t.inhibitors.iter().map(|arc| arc.place);
        let places: Vec<_> = inhibitors.chain(read).chain(self.enabling.tokens.iter().copied()).collect();
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
            for arc in inputs {
                let place = &mut self.compiler.places[arc.place.at()];
                place.identified = place.width > 0 && !self.compiler.without.upkeep;
            }
        }
        let place = place_of_clocks(clock, inputs).filter(|_| kind == ClockKind::Black);
        let contested = if kind == ClockKind::Black { self.contested(inputs, place) } else { Box::default() };
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
            needs: needs(inputs, true),
            finds: needs(inputs, false),
            place,
            contested,
            lone: None,
            single: false,
            watched: false,
            lasts: !self.enabling.fails && !self.enabling.reads_clock,
            speed,
            shadow,
        })
    }
}
