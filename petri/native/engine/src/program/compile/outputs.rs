//! Compiles the output arcs of a transition, and what delivers the tokens of those with a delay (I11).

use crate::base::fault::Loaded;
use crate::base::ids::{PlaceId, SpanId, TransitionId};
use crate::net::{Expr, Kind, OutputArc};
use crate::program::arc::{Count, Delay, OutputForm, OutputProgram};
use crate::program::compile::transition::{constant, time_of, TransitionCompiler};
use crate::program::expression::{Int, Real};
use crate::program::time::Time;
use crate::program::transition::{Known, Selection, TransitionProgram, NO_LANE};

impl TransitionCompiler<'_, '_> {
    /// level: of the transition.
    pub fn output(&mut self, arc: &OutputArc, level: u32) -> Loaded<OutputProgram> {
        let first = arc.places[0];
        let width = self.compiler.places[first.at()].width;
        if arc.places.iter().any(|p| self.compiler.places[p.at()].width != width) || arc.values.len() != width {
            return Err(self.error("has an output arc that does not suit its places"));
        }
        let count = self.count(&arc.count)?;
        let slot_kinds: Vec<Kind> = self.compiler.net.places[first.at()].colour.slots.iter().map(|s| s.kind).collect();
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
        let fixed = arc.places.len() == 1 && index.is_none() && condition.is_none();
        let form = match constant(&count) {
            _ if arc.each.is_some() => OutputForm::Open,
            Some(count) if fixed && width == 0 && count > 0 => OutputForm::Black(count),
            Some(1) if fixed && width > 0 => OutputForm::Token,
            _ => OutputForm::Open,
        };
        let checks = (0..width).filter(|&slot| arc.places.iter().any(|p| self.may_leave(*p, slot, &arc.values[slot])));
        let (places, checks) = (arc.places.clone(), checks.collect());
        let mut output = OutputProgram {
            places,
            form,
            width,
            index: index.map(Box::new),
            count,
            condition,
            values: values.into(),
            spans: spans.into(),
            checks,
            delay: None,
            each: arc.each,
        };
        if let Some(delay) = &arc.delay {
            let mut lowering = self.lowering();
            let (time, span) = (time_of(&mut lowering, delay)?, lowering.span(&delay.span));
            let delivery = TransitionId((self.compiler.net.transitions.len() + self.compiler.deliveries.len()) as u32);
            let program = self.delivery(&output, &time, span, level);
            self.compiler.deliveries.push(program);
            output.delay = Some(Box::new(Delay { time, span, delivery }));
        }
        Ok(output)
    }

    /// What deposits the tokens of an output with a delay: a transition that is never enabled.
    fn delivery(&self, arc: &OutputProgram, delay: &Time, span: SpanId, level: u32) -> TransitionProgram {
        let reserves = self.has_capacity(arc);
        // What it gives was decided when the firing started.
        let count = match &arc.count {
            Count::Const(count) => Count::Const(*count),
            Count::Of(..) => Count::Of(Box::new((Int::Const(0), SpanId::NONE))),
        };
        let time = match *delay {
            Time::Const(delay) => Time::Const(delay),
            _ => Time::Of(Real::Const(1.0)),
        };
        let output = OutputProgram {
            places: arc.places.clone(),
            form: arc.form,
            width: arc.width,
            index: None,
            count,
            condition: None,
            values: Box::default(),
            spans: Box::default(),
            checks: Box::default(),
            delay: None,
            each: arc.each,
        };
        TransitionProgram {
            name: self.transition.name.clone(),
            variable_names: Box::default(),
            variable_reals: Box::default(),
            inputs: Box::default(),
            takes: Box::default(),
            binds: false,
            inhibitors: Box::default(),
            guard: None,
            prefer: None,
            known: Known::default(),
            clock: None,
            rooms: Box::default(),
            resets: Box::default(),
            sets: Box::default(),
            draws: Box::default(),
            time,
            time_span: span,
            takes_turns: false,
            lane: NO_LANE,
            held: output.give().held_words(),
            gives: [output.give()].into(),
            sends: Box::default(),
            delivers: Some((self.id, span)),
            given: None,
            outputs: [output].into(),
            reserves,
            selection: Selection::Single,
            counted: None,
            counts: Box::default(),
            free: false,
            plain: true,
            exhaustive: false,
            watched: (0, 0),
            impossible: 1,
            level,
            position: 0,
        }
    }

    /// Whether some of the places have a capacity.
    pub fn has_capacity(&self, arc: &OutputProgram) -> bool {
        arc.places.iter().any(|place| self.compiler.places[place.at()].capacity.is_some())
    }

    /// Whether a value may lie outside the range of the slot that should receive it.
    fn may_leave(&self, place: PlaceId, slot: usize, e: &Expr) -> bool {
        let target = &self.compiler.net.places[place.at()].colour.slots[slot];
        if target.low.is_none() && target.high.is_none() {
            return false;
        }
        let range = self.facts(e).range;
        let below = target.low.is_some_and(|low| low.as_int().is_none_or(|low| range.0 < i128::from(low)));
        let above = target.high.is_some_and(|high| high.as_int().is_none_or(|high| range.1 > i128::from(high)));
        target.kind == Kind::Real || below || above
    }
}
