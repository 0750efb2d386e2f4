//! Compiles the output arcs of a transition, and what delivers the tokens of those with a delay (I11).

use std::sync::Arc;

use crate::base::fault::Loaded;
use crate::base::ids::{PlaceId, SpanId, TransitionId};
use crate::net::{Expr, Kind, OutputArc};
use crate::program::arc::{Count, Delay, OutputDetails, OutputProgram};
use crate::program::compile::transition::{time_of, TransitionCompiler};
use crate::program::expression::{Int, Real};
use crate::program::time::Time;
use crate::program::transition::{Selection, TransitionDetails, TransitionProgram, NO_LANE};

impl TransitionCompiler<'_> {
    /// level: of the transition.
    pub fn output(&mut self, arc: &OutputArc, level: u32) -> Loaded<OutputProgram> {
        let first = arc.places[0];
        let width = self.compiler.places[first.at()].width;
        if arc.places.iter().any(|p| self.compiler.places[p.at()].width != width) || arc.values.len() != width {
            return Err(self.error("has an output arc that does not suit its places"));
        }
        let count = self.count(&arc.count)?;
        let slot_kinds: Vec<Kind> = self.compiler.colours[first.at()].slots.iter().map(|s| s.kind).collect();
        let mut lowering = self.lowering();
        let index = match &arc.index {
            Some(e) => Some((lowering.int(e)?, lowering.span(&e.span))),
            None => None,
        };
        let condition = arc.condition.as_ref().map(|e| lowering.bool(e)).transpose()?;
        if let Some(set) = arc.each {
            let place = self.transition.sets[set].place;
            lowering = self.lowering_of_token(place);
        }
        let (mut values, mut spans) = (Vec::new(), Vec::new());
        for (e, kind) in arc.values.iter().zip(slot_kinds) {
            values.push(lowering.value(e, kind)?);
            spans.push(lowering.span(&e.span));
        }
        let fixed = arc.places.len() == 1 && index.is_none() && condition.is_none() && arc.each.is_none();
        let checks = (0..width).filter(|&slot| arc.places.iter().any(|p| self.may_leave(*p, slot, &arc.values[slot])));
        let (places, checks) = (arc.places.clone(), checks.collect());
        let each = arc.each.map(|set| set as u32);
        let delay = match &arc.delay {
            Some(delay) => {
                let mut lowering = self.lowering();
                let (time, span) = (time_of(&mut lowering, delay)?, lowering.span(&delay.span));
                let delivery = TransitionId((self.compiler.own_transitions + self.compiler.deliveries.len()) as u32);
                let more = OutputDetails { width, each, ..OutputDetails::default() }.shared();
                let output = OutputProgram { places: places.clone(), count: decided(&count), fixed, more };
                let program = self.delivery(output, &time, span, level);
                self.compiler.deliveries.push(program);
                Some(Box::new(Delay { time, span, delivery }))
            }
            None => None,
        };
        let (values, spans) = (values.into(), spans.into());
        let (index, condition) = (index.map(Box::new), condition.map(Box::new));
        let more = OutputDetails { width, index, condition, values, spans, checks, delay, each }.shared();
        Ok(OutputProgram { places, count, fixed, more })
    }

    /// What deposits the tokens of an output with a delay: a transition that is never enabled.
    fn delivery(&self, output: OutputProgram, delay: &Time, span: SpanId, level: u32) -> TransitionProgram {
        let reserves = self.has_capacity(&output);
        let time = match *delay {
            Time::Const(delay) => Time::Const(delay),
            _ => Time::Of(Real::Const(1.0)),
        };
        TransitionProgram {
            name: self.transition.name.clone(),
            variables: Arc::default(),
            inputs: Box::default(),
            takes: Box::default(),
            binds: false,
            clock: None,
            draws: Box::default(),
            time,
            time_span: span,
            takes_turns: false,
            lane: NO_LANE,
            held: output.give().held_words(),
            gives: [output.give()].into(),
            delivers: Some((self.id, span)),
            given: None,
            outputs: [output].into(),
            reserves,
            selection: Selection::Single,
            free: false,
            plain: true,
            exhaustive: false,
            watched: (0, 0),
            impossible: 1,
            level,
            position: 0,
            more: TransitionDetails::default().shared(),
        }
    }

    /// Whether some of the places have a capacity.
    pub fn has_capacity(&self, arc: &OutputProgram) -> bool {
        arc.places.iter().any(|place| self.compiler.places[place.at()].capacity.is_some())
    }

    /// Whether a value may lie outside the range of the slot that should receive it.
    fn may_leave(&self, place: PlaceId, slot: usize, e: &Expr) -> bool {
        let target = &self.compiler.colours[place.at()].slots[slot];
        if target.low.is_none() && target.high.is_none() {
            return false;
        }
        let range = self.facts(e).range;
        let below = target.low.is_some_and(|low| low.as_int().is_none_or(|low| range.0 < i128::from(low)));
        let above = target.high.is_some_and(|high| high.as_int().is_none_or(|high| range.1 > i128::from(high)));
        target.kind == Kind::Real || below || above
    }
}

/// What a firing gives was decided when it started.
fn decided(count: &Count) -> Count {
    match count {
        Count::Const(count) => Count::Const(*count),
        Count::Of(..) => Count::Of(Box::new((Int::Const(0), SpanId::NONE))),
    }
}
