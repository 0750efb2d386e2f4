//! The number of clocks and their rates, and clocks that bindings share (C1, C4, C5).

use std::ptr::{from_mut, from_ref};
use std::sync::Arc;

use crate::base::fault::{Fault, Outcome};
use crate::base::ids::TransitionId;
use crate::engine::code::{Code, GENERAL};
use crate::engine::raced::Raced;
use crate::engine::run::Engine;
use crate::engine::search::Goal;
use crate::program::expression::Real;
use crate::program::transition::Selection;
use crate::program::Program;
use crate::state::clocks::Of;
use crate::state::common_clock::GREATEST_RATE;

impl Engine {
    /// Settles all clocks by code, if all that are to be looked at have a part in the common clock that code computes.
    #[inline(always)]
    pub(super) fn settle_by_code(&mut self, program: &Program) -> bool {
        let (first, listed) = (program.transitions.len(), self.enabling.unsettled);
        self.clocks.computed.clear();
        for at in 0..listed {
            let shadow = self.enabling.clocks[TransitionId(at as u32)];
            let clocks = &self.clocks.of[shadow.at() - first];
            let is_possible = self.enabling.transitions[clocks.transition].unmet == u32::from(!clocks.due);
            let computed = match clocks.of {
                Of::Shared { .. } if is_possible => self.shared_by_code(shadow),
                Of::Shared { .. } => Some((0, 0.0)),
                Of::Own(_) => None,
            };
            let Some(computed) = computed else { return false };
            self.clocks.computed.push(computed);
        }
        for at in 0..listed {
            let (running, rate) = self.clocks.computed[at];
            let shadow = self.enabling.clocks[TransitionId(at as u32)];
            self.enabling.transitions[shadow].listed = false;
            let clocks = &mut self.clocks.of[shadow.at() - first];
            let Of::Shared { part } = clocks.of else { continue };
            self.clocks.common.set_rate(part, rate);
            clocks.share(u128::from(running), self.now);
            if std::mem::take(&mut clocks.due) {
                self.enabling.violated(clocks.transition);
            }
        }
        self.enabling.unsettled = 0;
        true
    }

    /// The number of clocks of a transition whose watches hold, and the sum of their rates, if machine code computes them and nothing
    /// is out of the ordinary.
    #[inline(always)]
    fn shared_by_code(&mut self, shadow: TransitionId) -> Option<(u64, f64)> {
        let code = self.code.as_deref().map(from_ref::<Code>)?;
        // SAFETY: the engine keeps the code, which is for its program.
        let running = unsafe { (&*code).looks[shadow].look(from_mut(self).cast()) };
        (running < GENERAL).then(|| (running, f64::from_bits(self.value)))
    }

    /// A transition whose part in the common clock was due fires.
    #[inline(always)]
    pub(crate) fn part_fired(&mut self, transition: TransitionId, number: usize) {
        if !self.program.clocks_of_tokens.is_empty() {
            let program = Arc::clone(&self.program);
            Raced::of(&program, &program.transitions[transition])
                .into_iter()
                .for_each(|one| self.choose_black_tokens(one));
        }
        let clocks = &mut self.clocks.of[number];
        clocks.fires += 1;
        clocks.due = false;
        self.clocks.settled = false;
        self.clocks.common.fired();
        self.enabling.touch(self.program.shadow(number));
        self.enabling.violated(transition);
    }

    /// The rate of the transition in the common clock may have changed.
    pub(super) fn settle_shared(&mut self, raced: Raced) -> Outcome<()> {
        let (running, rate) = if self.is_possible(raced) { self.shared(raced)? } else { (0, 0.0) };
        let clocks = &mut self.clocks.of[raced.clock.number];
        let Of::Shared { part } = clocks.of else { return Ok(()) };
        self.clocks.common.set_rate(part, rate);
        clocks.share(running, self.now);
        Ok(())
    }

    /// The number of clocks of a transition whose watches hold, and the sum of their rates.
    fn shared(&mut self, raced: Raced) -> Outcome<(u128, f64)> {
        if let Some((running, rate)) = self.shared_by_code(raced.clock.shadow) {
            return Ok((running.into(), rate));
        }
        let bindings = self.bindings(raced)?;
        let running = if bindings == 0 { 0 } else { self.wanted(raced)?.saturating_mul(bindings) };
        Ok((running, if running == 0 { 0.0 } else { self.rate(raced, running)? }))
    }

    /// The number of bindings of a transition whose watches hold.
    pub(super) fn bindings(&mut self, raced: Raced) -> Outcome<u128> {
        let Raced { program, plan, .. } = raced;
        let of_bag = |engine: &Engine, arc: usize| u128::from(engine.marking.places[plan.inputs[arc].place].tokens);
        let all = match plan.selection {
            Selection::Join(join) => return Ok(u128::from(self.marking.bindings(program, join))),
            Selection::Match(id) => return Ok(u128::from(self.marking.matches[id].bindings())),
            Selection::Tree(id) => {
                return Ok(self.marking.join_trees[id].bindings(&program.join_trees[id], &self.marking.places));
            }
            Selection::Search | Selection::Preferred(..) => {
                return Ok(u128::from(self.search(program, plan, Goal::All)?))
            }
            Selection::Single => 1,
            Selection::Bag(arc) => of_bag(self, arc),
            Selection::Product => self.products(plan),
        };
        if plan.plain {
            return Ok(all);
        }
        let goal = if plan.exhaustive { Goal::All } else { Goal::First };
        let enabled = self.search(program, plan, goal)? > 0;
        Ok(if enabled { all } else { 0 })
    }

    /// The number of clocks of each binding (C1).
    pub(crate) fn wanted(&mut self, raced: Raced) -> Outcome<u128> {
        let clock = raced.clock;
        if clock.servers == Some(1) {
            return Ok(1);
        }
        let needs = self.counts(raced, true)?;
        let degrees = needs.iter().map(|&(place, count)| self.marking.places[place].tokens / count);
        let degree = degrees.min().unwrap_or(1);
        Ok(u128::from(clock.servers.map_or(degree, |servers| servers.min(degree))))
    }

    /// The sum of the rates of this many clocks, per tick.
    fn rate(&mut self, raced: Raced, clocks: u128) -> Outcome<f64> {
        let pace = self.pace(raced)?;
        let mean = self.mean(raced).inspect_err(|_| self.variables.fill(0))?;
        let clocks = real(clocks);
        Ok(if mean > 0.0 {
            (clocks * (pace / mean)).min(GREATEST_RATE)
        } else if pace > 0.0 {
            GREATEST_RATE
        } else {
            0.0
        })
    }

    /// How fast clocks run now (C5).
    pub(crate) fn pace(&mut self, raced: Raced) -> Outcome<f64> {
        let Raced { program, clock, .. } = raced;
        let Some((speed, span)) = &clock.speed else { return Ok(1.0) };
        let pace = speed.value(&mut self.scope(program, self.now)).and_then(|pace| match pace < 0.0 {
            true => Err(Fault::new("negative-speed", *span).with_real("speed", pace)),
            false => Ok(pace),
        });
        pace.inspect_err(|_| self.variables.fill(0))
    }

    /// The mean of an exponential time, in ticks, for the variables of a binding.
    pub(super) fn mean(&mut self, raced: Raced) -> Outcome<f64> {
        let Raced { program, clock, .. } = raced;
        let Some(mean) = &clock.mean else { return Ok(0.0) };
        let mean = match mean {
            Real::Const(mean) => *mean,
            mean => mean.value(&mut self.scope(program, self.now))?,
        };
        if mean < 0.0 {
            let fault = Fault::new("bad-parameter", clock.time_span).with_text("distribution", "exp");
            return Err(fault.with_real("mean", mean));
        }
        Ok(mean)
    }
}

/// A number as a float. A conversion of fewer bits is faster, and gives the same.
fn real(number: u128) -> f64 {
    #[cold]
    fn wide(number: u128) -> f64 {
        number as f64
    }
    i64::try_from(number).map_or_else(|_| wide(number), |few| few as f64)
}
