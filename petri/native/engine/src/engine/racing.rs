//! Transitions with clocks race: clocks are looked at when an instant is over, and run down (C1 to C3).

use crate::base::fault::Outcome;
use crate::base::ids::TransitionId;
use crate::base::ticks::Ticks;
use crate::engine::code::{ENDS, FIRES, OVER, STARTS};
use crate::engine::limits::RunError;
use crate::engine::raced::Raced;
use crate::engine::run::Engine;
use crate::program::clock::ClockKind;
use crate::program::Program;
use crate::state::clocks::Of;

impl Engine {
    /// Ends an instant: sets the clocks, and moves the time to the next end unless that is after `until`. Returns `OVER`, `STARTS`,
    /// `ENDS`, or `FIRES` plus the number of a transition.
    pub(crate) fn pass_races(&mut self, program: &Program, until: Ticks) -> Result<u64, Box<RunError>> {
        self.settle(program)?;
        let end = self.next_end();
        if end > until {
            return Ok(OVER);
        }
        if end > self.now {
            self.instant_began = self.firings;
        }
        self.set_time(program, end);
        self.clocks.settled = false;
        let only = self.ring();
        if self.agenda.next_end() == end {
            return Ok(ENDS);
        }
        // Nothing else is enabled, as the instant before was over.
        let fires =
            |id: &TransitionId| self.enabling.is_enabled(*id) && self.enabling.listed == 0 && !program.refills();
        Ok(only.filter(fires).map_or(STARTS, |id| FIRES + u64::from(id.0)))
    }

    /// When the next firing in progress ends, or the first clock has run down (I8).
    pub fn next_end(&mut self) -> Ticks {
        let end = self.agenda.next_end();
        if self.clocks.of.is_empty() {
            return end;
        }
        end.min(self.clocks.next_end()).max(self.now)
    }

    /// Clocks that have run down now are due: they no longer keep their transitions from being enabled (C3). Returns the transition
    /// if there is only one.
    #[inline(always)]
    pub(super) fn ring(&mut self) -> Option<TransitionId> {
        let mut only = None;
        let mut count = 0;
        if self.clocks.common.end <= self.now && !self.clocks.common.has_rung() {
            let number = self.clocks.common.ring(&mut self.random);
            (count, only) = (1, Some(self.rings_of(number)));
        }
        if self.clocks.next_own_end() <= self.now {
            let mut due = std::mem::take(&mut self.scratch.clocks);
            due.clear();
            self.clocks.due(self.now, &mut due);
            for &number in &due {
                only = Some(self.rings_of(number as usize));
            }
            count += due.len();
            self.scratch.clocks = due;
        }
        only.filter(|_| count == 1)
    }

    /// A clock of the transition with this number among the clocks has run down.
    #[inline(always)]
    fn rings_of(&mut self, number: usize) -> TransitionId {
        let clocks = &mut self.clocks.of[number];
        clocks.due = true;
        let transition = clocks.transition;
        if let Of::Own(own) = &mut clocks.of {
            own.turns = None;
        }
        self.enabling.touch(self.program.shadow(number));
        // A clock that runs has a binding that was enabled when the last instant was over.
        match self.program.transitions[transition].clock.as_ref().is_some_and(|clock| clock.lasts) {
            true => self.enabling.met_for_certain(transition),
            false => self.enabling.met(transition),
        }
        transition
    }

    /// The instant is over: clocks are set, stopped and dropped, in the order of the flat net (C2).
    pub(crate) fn settle(&mut self, program: &Program) -> Result<(), Box<RunError>> {
        let firings = std::mem::replace(&mut self.clocks.settled_after, self.firings);
        if std::mem::replace(&mut self.clocks.settled, true) && firings == self.firings {
            return Ok(());
        }
        if !self.settle_by_code(program) {
            self.settle_each(program)?;
        }
        self.clocks.common.settle(self.now, &mut self.random);
        Ok(())
    }

    #[inline(never)]
    fn settle_each(&mut self, program: &Program) -> Result<(), Box<RunError>> {
        let listed = self.enabling.take_unsettled();
        for at in 0..listed {
            let number = self.enabling.clocks[TransitionId(at as u32)].at() - program.transitions.len();
            let id = program.racing[number];
            let Some(raced) = Raced::of(program, &program.transitions[id]) else { continue };
            self.settle_one(raced).map_err(|fault| {
                if raced.clock.kind == ClockKind::Black {
                    self.variables.fill(0);
                }
                self.run_error(program, id, *fault)
            })?;
            if std::mem::take(&mut self.clocks.of[number].due) {
                self.enabling.violated(id);
            }
            self.clocks.time(number);
        }
        let contesting = if self.clocks.turnover.has_places() { listed } else { 0 };
        for at in 0..contesting {
            let number = self.enabling.clocks[TransitionId(at as u32)].at() - program.transitions.len();
            let contested =
                program.transitions[program.racing[number]].clock.iter().flat_map(|clock| &*clock.contested);
            contested.for_each(|&place| self.clocks.turnover.look(place, &self.marking.places[place]));
        }
        self.marking.identities.forget_changes();
        Ok(())
    }

    fn settle_one(&mut self, raced: Raced) -> Outcome<()> {
        match raced.clock.kind {
            ClockKind::Shared => self.settle_shared(raced),
            ClockKind::Black => self.settle_black(raced),
            ClockKind::Coloured if raced.clock.single => self.settle_single(raced),
            ClockKind::Coloured => self.settle_coloured(raced),
        }
    }

    /// Whether nothing but the clock keeps watches from holding.
    pub(super) fn is_possible(&self, raced: Raced) -> bool {
        self.enabling.transitions[raced.id()].unmet == u32::from(!self.clocks.of[raced.clock.number].due)
    }

    /// A firing starts in a net with clocks, perhaps one of a transition that has a clock.
    pub(crate) fn note_race(&mut self, program: &Program, transition: TransitionId) {
        self.clocks.settled = false;
        if let Some(raced) = Raced::of(program, &program.transitions[transition]) {
            self.fired(raced);
        }
    }

    /// The clock that was set first, of those of a binding that have run down and have not lost their tokens since.
    pub(super) fn first_due(&mut self, raced: Raced) -> Outcome<Option<u32>> {
        let (now, lost) = (self.now, self.lost(raced)?);
        let mut due = std::mem::take(&mut self.scratch.clocks);
        due.clear();
        let own = self.own(raced);
        own.due(now, &mut due);
        if lost > 0 {
            let first = own.in_order().filter(|&clock| raced.clock.place.is_some() || own.runs(clock)).nth(lost);
            let first = first.and_then(|clock| own.key(clock).next()).unwrap_or(u64::MAX);
            due.retain(|&clock| own.key(clock).next() >= Some(first));
        }
        let first = match due[..] {
            [only] => Some(only),
            _ => due.iter().copied().min_by_key(|&clock| own.key(clock).next()),
        };
        self.scratch.clocks = due;
        Ok(first)
    }

    /// The clock of the binding in `scratch.chosen` is over, as the binding fires.
    fn fired(&mut self, raced: Raced) {
        let over = match raced.clock.kind {
            ClockKind::Shared => return self.part_fired(raced.id(), raced.clock.number),
            ClockKind::Black => {
                let first = self.first_due(raced).unwrap_or(None); // it had no fault when it was found to be due
                if let (Some(place), Some(clock)) = (raced.clock.place, first) {
                    self.token_of_clock_goes(raced, place, clock);
                }
                self.own_fired(raced, first)
            }
            ClockKind::Coloured => {
                let fired = self.clock_of_chosen(raced);
                if raced.clock.lone.is_some_and(|arc| raced.plan.inputs[arc].keep) {
                    // The token stays, and needs another clock: all bindings are listed.
                    self.clocks.of[raced.clock.number].possible = false;
                }
                self.own_fired(raced, fired)
            }
        };
        self.enabling.touch(raced.clock.shadow);
        if over {
            self.clocks.of[raced.clock.number].due = false;
            self.enabling.violated(raced.id());
        } else if !raced.plan.plain {
            self.enabling.touch(raced.id());
        }
    }
}
