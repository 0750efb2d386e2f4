//! Which clocks over black tokens have lost their tokens, and which tokens a firing takes (C2, C3).

use std::borrow::Cow;

use crate::base::fault::Outcome;
use crate::base::ids::{PlaceId, TransitionId};
use crate::engine::limits::RunError;
use crate::engine::raced::Raced;
use crate::engine::run::Engine;
use crate::program::arc::Find;
use crate::program::clock::ClockProgram;
use crate::program::compile::transition::add;
use crate::program::Program;
use crate::state::clocks::Of;

impl Engine {
    /// How many clocks of a transition over black tokens have lost their tokens since the instant began: of those that run, or of all
    /// where each token has a clock, the ones that were set first.
    pub(super) fn lost(&mut self, raced: Raced) -> Outcome<usize> {
        let clock = raced.clock;
        if clock.contested.is_empty() {
            return Ok(0);
        }
        if clock.place.is_some() {
            return Ok(self.tokens_gone(clock).min(self.own(raced).count));
        }
        let degree = self.degree_of_old_tokens(raced)?;
        Ok(self.own(raced).running().saturating_sub(degree) as usize)
    }

    /// Forgets the clocks of tokens that have gone, where each has one: so many, the ones set first. Returns how many of all that have
    /// lost their tokens since the instant began ran.
    pub(super) fn forget_lost(&mut self, raced: Raced, lost: usize) -> u64 {
        let has_place = raced.clock.place.is_some();
        let own = self.own(raced);
        let gone: Vec<u32> = own.in_order().take(if has_place { lost } else { 0 }).collect();
        let running = gone.iter().filter(|&&clock| own.runs(clock)).count() as u64;
        gone.iter().for_each(|&clock| own.remove(clock));
        let [stopped, ran] = std::mem::take(&mut self.clocks.of[raced.clock.number].lost);
        self.clocks.kept -= gone.len() as u64 + stopped + ran;
        running + ran
    }

    /// Of a transition with a clock for each token of a place: how many of these have gone since the instant began, the oldest first.
    pub(crate) fn tokens_gone(&self, clock: &ClockProgram) -> usize {
        let place = clock.place.filter(|place| clock.contested.contains(place));
        place.map_or(0, |place| self.clocks.turnover.gone(place, &self.marking.places[place]) as usize)
    }

    /// The enabling degree that the tokens allow which have been there since the last end of an instant.
    fn degree_of_old_tokens(&mut self, raced: Raced) -> Outcome<u64> {
        let finds = self.counts(raced, false)?;
        let needs = self.counts(raced, true)?;
        let contested = &raced.clock.contested;
        let old = |place: PlaceId| {
            let counters = &self.marking.places[place];
            let is_contested = contested.contains(&place);
            if is_contested {
                self.clocks.turnover.old(place, counters)
            } else {
                counters.tokens
            }
        };
        if finds.iter().any(|&(place, count)| old(place) < count) {
            return Ok(0);
        }
        Ok(needs.iter().map(|&(place, count)| old(place) / count).min().unwrap_or(1))
    }

    /// The black tokens that a firing would find now, or only those that it would take, place by place.
    pub(super) fn counts<'p>(&mut self, raced: Raced<'p>, taken: bool) -> Outcome<Cow<'p, [(PlaceId, u64)]>> {
        let known = if taken { &raced.clock.needs } else { &raced.clock.finds };
        if let Some(known) = known {
            return Ok(Cow::Borrowed(known));
        }
        let mut counts = Vec::new();
        for arc in raced.plan.inputs.iter().filter(|arc| !(taken && arc.keep)) {
            if let Find::Black(count) = &arc.find {
                add(&mut counts, arc.place, count.value(&mut self.scope(raced.program, self.now))?);
            }
        }
        counts.retain(|(_, count)| *count > 0);
        Ok(Cow::Owned(counts))
    }

    /// The token of a clock is about to be taken, as its transition fires.
    pub(super) fn token_of_clock_goes(&mut self, raced: Raced, place: PlaceId, clock: u32) {
        if raced.clock.contested.is_empty() {
            return;
        }
        let gone = self.tokens_gone(raced.clock);
        let at = self.own(raced).in_order().position(|other| other == clock).unwrap_or(0);
        let position = (at - gone.min(at)) as u64;
        self.clock_of_token_goes(raced.program, place, position, Some(raced.clock.number));
        self.clocks.turnover.choose(place, &self.marking.places[place], &[position]);
    }

    /// The common clock has run down for a transition: it takes any of the tokens that its clocks are for, where these have clocks.
    pub(super) fn choose_black_tokens(&mut self, raced: Raced) {
        let Some(needs) = &raced.clock.needs else { return };
        let running = u64::try_from(self.clocks.of[raced.clock.number].running).unwrap_or(u64::MAX);
        for &(place, count) in needs.iter().filter(|(place, _)| raced.program.clocks_of_tokens.contains_key(place)) {
            let first = self.marking.places[place].tokens.min(count.saturating_mul(running));
            let mut positions = Vec::new();
            for taken in 0..count.min(first) {
                let position = self.random.equal_choice(first - taken);
                self.clock_of_token_goes(raced.program, place, position, None);
                positions.push(position);
            }
            self.clocks.turnover.choose(place, &self.marking.places[place], &positions);
        }
    }

    /// The clocks for the token at a position of a place are lost, but for that of one transition.
    fn clock_of_token_goes(&mut self, program: &Program, place: PlaceId, position: u64, but: Option<usize>) {
        let Some(numbers) = program.clocks_of_tokens.get(&place) else { return };
        for &number in numbers.iter().filter(|&&number| Some(number) != but) {
            let Some(clock) = &program.transitions[program.racing[number]].clock else { continue };
            let gone = self.tokens_gone(clock);
            let clocks = &mut self.clocks.of[number];
            let Of::Own(own) = &mut clocks.of else { continue };
            let Some(lost) = own.in_order().nth(gone + position as usize) else { continue };
            clocks.lost[usize::from(own.runs(lost))] += 1;
            own.remove(lost);
        }
    }

    /// Whether the clocks of a transition have been looked at since something happened. Those behind one with a fault have not.
    pub(crate) fn has_settled(&self, transition: TransitionId) -> bool {
        let clocks = &self.clocks;
        let before = |error: &RunError| transition <= error.transition;
        clocks.settled && clocks.settled_after == self.firings && self.error.as_ref().is_none_or(before)
    }

    /// The instant is over, or a run goes on from the end of one.
    pub(super) fn look_at_black_tokens(&mut self, program: &Program) {
        let clocks = program.racing.iter().filter_map(|&id| program.transitions[id].clock.as_ref());
        for &place in clocks.flat_map(|clock| &*clock.contested) {
            self.clocks.turnover.look(place, &self.marking.places[place]);
        }
    }
}
