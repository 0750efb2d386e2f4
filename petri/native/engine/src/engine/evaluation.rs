//! What a firing computes when it starts: draws, time, and outputs (I5).

use crate::base::fault::{Fault, Outcome};
use crate::base::ids::{PlaceId, SpanId};
use crate::base::ticks::{whole, Ticks, HORIZON, NEVER};
use crate::engine::run::Engine;
use crate::program::arc::{OutputForm, OutputProgram, Take};
use crate::program::time::Time;
use crate::program::transition::TransitionProgram;
use crate::program::Program;

impl Engine {
    /// Draws, time and outputs, in this order (I5). Nothing has changed when one of them fails.
    /// Returns the firing time and how many tokens the firing will deposit.
    #[inline(always)]
    pub(super) fn evaluate(&mut self, program: &Program, plan: &TransitionProgram) -> Outcome<(Ticks, u64)> {
        if !plan.sets.is_empty() {
            self.find_sets(program, plan)?;
        }
        for (variable, value) in &plan.draws {
            let bits = value.bits(&mut self.scope(program, self.now))?;
            self.variables[variable.at()] = bits;
        }
        let duration = self.ticks(program, &plan.time, plan.time_span, self.now)?;
        Ok((duration, self.outputs(program, plan, self.now + duration)?))
    }

    /// What the arcs of a firing that ends then will deposit comes into the record. Returns how many tokens it is.
    #[inline(always)]
    pub(crate) fn outputs(&mut self, program: &Program, plan: &TransitionProgram, end: Ticks) -> Outcome<u64> {
        self.record.clear();
        self.arrivals.clear();
        let taken = self.taken(plan);
        let given = match plan.given {
            Some(given) => given,
            None => {
                let mut given = 0;
                for (number, output) in plan.outputs.iter().enumerate() {
                    given += match output.each {
                        None => self.output(program, output, end, taken)?,
                        Some(_) => self.output_each(program, plan, number, end, taken)?,
                    };
                }
                given
            }
        };
        self.check_tokens(taken, given)?;
        Ok(given)
    }

    /// A firing time, or a delay.
    #[inline(always)]
    fn ticks(&mut self, program: &Program, time: &Time, span: SpanId, end: Ticks) -> Outcome<Ticks> {
        let duration = match time {
            Time::Immediate => 0,
            Time::Const(duration) => *duration,
            Time::Of(expression) => {
                let duration = expression.value(&mut self.scope(program, end))?;
                if duration <= -1.0 {
                    let fault = Fault::new("negative-time", span);
                    return Err(fault.with_real("duration", program.tick.time(duration)));
                }
                whole(duration)
            }
        };
        Ok(self.lasting(duration))
    }

    /// The time of a firing that starts now: one that would end beyond the horizon does not end (S1).
    #[inline(always)]
    pub(super) fn lasting(&self, duration: Ticks) -> Ticks {
        if duration > HORIZON - self.now {
            return NEVER - self.now;
        }
        duration
    }

    /// How many tokens the arcs of a firing take.
    #[inline(always)]
    fn taken(&self, plan: &TransitionProgram) -> u64 {
        let count = |take: &Take| match *take {
            Take::Black { count, .. } => count,
            Take::Chosen { arc, .. } => self.scratch.chosen[arc],
            Take::Head { .. } | Take::Seat { .. } | Take::Shown { .. } => 1,
        };
        plan.takes.iter().map(count).chain(self.sets[..plan.sets.len()].iter().map(|set| set.count)).sum()
    }

    /// Evaluates an output arc of a firing that takes `taken` tokens, and appends what it gives to the record. Returns the
    /// number of tokens that it gives.
    #[inline(always)]
    pub(super) fn output(&mut self, program: &Program, arc: &OutputProgram, end: Ticks, taken: u64) -> Outcome<u64> {
        let (place, count) = match arc.form() {
            OutputForm::Black(count) => (arc.place(), count),
            OutputForm::Token => (arc.place(), 1),
            OutputForm::Open => {
                let (place, count) = arc.destination().of(&mut self.scope(program, end))?;
                self.record.extend([u64::from(place.0), count]);
                if count == 0 {
                    self.record.resize(self.record.len() + arc.width, 0);
                    self.arrivals.extend(arc.delay.as_ref().map(|_| self.now));
                    return Ok(0);
                }
                (place, count)
            }
        };
        self.check_tokens(taken, count)?;
        self.delay(program, arc, end)?;
        if arc.width > 0 {
            self.values(program, arc, place, end)?;
        }
        Ok(count)
    }

    /// When the tokens of an arc with a delay arrive.
    #[inline(always)]
    pub(super) fn delay(&mut self, program: &Program, arc: &OutputProgram, end: Ticks) -> Outcome<()> {
        if let Some(delay) = &arc.delay {
            let duration = self.ticks(program, &delay.time, delay.span, end)?;
            self.arrivals.push(self.now + duration);
        }
        Ok(())
    }

    #[inline(always)]
    pub(super) fn values(&mut self, program: &Program, arc: &OutputProgram, place: PlaceId, end: Ticks) -> Outcome<()> {
        let start = self.record.len();
        for value in &arc.values {
            let bits = value.bits(&mut self.scope(program, end))?;
            self.record.push(bits);
        }
        let target = &program.places[place];
        for &slot in &arc.checks {
            let (bound, bits) = (&target.bounds[slot], self.record[start + slot]);
            if !bound.holds(bits) {
                let fault = Fault::new("colour-range", arc.spans[slot]);
                let fault = match bound.real {
                    true => fault.with_real("value", f64::from_bits(bits)),
                    false => fault.with_int("value", bits as i64),
                };
                return Err(fault.with_text("slot", &bound.name).with_text("place", &target.name));
            }
        }
        if let (Some(key), true) = (&target.key, target.key_fails) {
            self.marking.rank(key, &self.record[start..])?;
        }
        if target.weight.as_ref().is_some_and(|weight| weight.fails) {
            self.marking.weigh_token(target, &self.record[start..])?;
        }
        Ok(())
    }
}
