//! The bindings of a transition with clocks of its own, the tokens that identify them, and those that are due (C1, C3).

use crate::base::fault::Outcome;
use crate::engine::binding::{bind, bind_arc, position};
use crate::engine::raced::Raced;
use crate::engine::run::Engine;
use crate::engine::search::{Goal, Scratch};
use crate::program::arc::{Count, Find, InputProgram};
use crate::state::clocks::Of;

impl Engine {
    /// All bindings, in order: the tokens of each, arc by arc.
    pub(super) fn list(&mut self, raced: Raced) -> Outcome<Vec<u64>> {
        let Raced { program, plan, .. } = raced;
        self.search(program, plan, Goal::Each)?;
        Ok(self.scratch.take_listed())
    }

    /// Whether the only binding there may be is enabled, where watches hold.
    pub(super) fn holds(&mut self, raced: Raced) -> Outcome<bool> {
        let Raced { program, plan, clock } = raced;
        let goal = if plan.exhaustive { Goal::All } else { Goal::First };
        Ok(clock.watched || self.search(program, plan, goal)? > 0)
    }

    /// Appends the numbers of the coloured tokens of this binding.
    pub(super) fn append_shown(&self, raced: Raced, key: &mut Vec<u64>) {
        key.extend(raced.plan.inputs.iter().filter_map(|arc| match arc.find {
            Find::Head { depth } => Some(self.marking.identities.at(arc.place, depth)),
            _ => None,
        }));
    }

    /// Gives the variables the values of this binding, and 0 to those that are drawn.
    pub(super) fn load_shown(&mut self, raced: Raced) {
        self.variables.fill(0);
        for arc in &raced.plan.inputs {
            bind_arc(arc, &self.marking, &mut self.variables, position(arc, 0));
        }
    }

    /// Whether its clock has run down.
    fn is_single_due(&mut self, raced: Raced) -> Outcome<bool> {
        if !self.holds(raced)? {
            return Ok(false);
        }
        let mut key = std::mem::take(&mut self.scratch.key);
        key.clear();
        self.append_shown(raced, &mut key);
        let now = self.now;
        let own = self.own(raced);
        let due = own.that_run().any(|clock| own.is_due(clock, now) && own.key(clock).eq(key.iter().copied()));
        self.scratch.key = key;
        Ok(due)
    }

    /// Appends the numbers of the coloured tokens of a binding.
    pub(super) fn append_key(&self, raced: Raced, row: &[u64], key: &mut Vec<u64>) {
        let Raced { program, plan, .. } = raced;
        let arcs = plan.inputs.iter().zip(row).filter(|(arc, _)| program.places[arc.place].width > 0);
        key.extend(arcs.map(|(arc, &token)| self.marking.identities.at(arc.place, position(arc, token))));
    }

    /// The clock of a binding.
    fn clock_of(&mut self, raced: Raced, row: &[u64]) -> Option<u32> {
        let mut key = std::mem::take(&mut self.scratch.key);
        key.clear();
        self.append_key(raced, row, &mut key);
        let clock = self.own(raced).of(&key);
        self.scratch.key = key;
        clock
    }

    /// The clock of the binding in `scratch.chosen`.
    pub(super) fn clock_of_chosen(&mut self, raced: Raced) -> Option<u32> {
        if raced.clock.single {
            return self.own(raced).that_run().next();
        }
        if let (Some(_), &[clock]) = (raced.clock.lone, &self.scratch.clocks[..]) {
            return Some(clock); // the only one that `find_due_alone` found
        }
        let chosen = std::mem::take(&mut self.scratch.chosen);
        let clock = self.clock_of(raced, &chosen[..raced.plan.inputs.len()]);
        self.scratch.chosen = chosen;
        clock
    }

    /// Gives the variables the values of a binding, and 0 to those that are drawn.
    pub(super) fn load(&mut self, raced: Raced, row: &[u64]) {
        self.variables.fill(0);
        bind(raced.plan, &self.marking, &mut self.variables, row);
    }

    /// The same where one arc alone has a coloured token.
    pub(super) fn load_alone(&mut self, raced: Raced, arc: usize, position: usize) {
        self.variables.fill(0);
        bind_arc(&raced.plan.inputs[arc], &self.marking, &mut self.variables, position);
    }

    /// Whether the clock of a binding has run down.
    pub(super) fn is_any_due(&mut self, raced: Raced) -> Outcome<bool> {
        if raced.clock.single {
            return self.is_single_due(raced);
        }
        if let Some(arc) = has_turns(raced) {
            return Ok(self.next_in_turn(raced, arc).is_some());
        }
        self.find_due(raced)?;
        Ok(!self.scratch.due.is_empty())
    }

    /// Finds the bindings whose clock has run down, in order (C3); the tokens of each are in `scratch.due`, arc by arc.
    fn find_due(&mut self, raced: Raced) -> Outcome<()> {
        let (arcs, now) = (raced.plan.inputs.len(), self.now);
        if let Some(arc) = raced.clock.lone {
            self.find_due_alone(raced, arc);
            return Ok(());
        }
        let rows = self.list(raced)?;
        self.scratch.due.clear();
        for row in rows.chunks(arcs) {
            if self.clock_of(raced, row).is_some_and(|clock| self.own(raced).is_due(clock, now)) {
                self.scratch.due.extend_from_slice(row);
            }
        }
        Ok(())
    }

    /// The same where a clock belongs to a token of one arc.
    fn find_due_alone(&mut self, raced: Raced, arc: usize) {
        let Raced { plan, .. } = raced;
        let Of::Own(own) = &self.clocks.of[raced.clock.number].of else { return };
        let Scratch { clocks, tokens, due, .. } = &mut self.scratch;
        clocks.clear();
        own.due(self.now, clocks);
        let (input, identities) = (&plan.inputs[arc], &self.marking.identities);
        tokens.clear();
        for token in clocks.iter().flat_map(|&clock| own.key(clock)) {
            tokens.extend(identities.position(input.place, token).map(|position| (position, token)));
        }
        tokens.sort_unstable();
        due.clear();
        for &(position, _) in &*tokens {
            let row = due.len();
            due.extend(plan.inputs.iter().map(fixed));
            due[row + arc] = position as u64;
        }
    }

    /// Where the due token of an arc is whose turn it is. No clock runs down later at the instant, so that the order is found once.
    fn next_in_turn(&mut self, raced: Raced, arc: usize) -> Option<usize> {
        let (place, now) = (raced.plan.inputs[arc].place, self.now);
        if self.own(raced).turns.is_none() {
            self.find_due_alone(raced, arc);
            let turns = self.scratch.tokens.iter().rev().map(|&(_, number)| number).collect();
            self.own(raced).turns = Some(turns);
        }
        let Of::Own(own) = &mut self.clocks.of[raced.clock.number].of else { return None };
        let mut turns = own.turns.take()?;
        let due = |number| own.of(&[number]).is_some_and(|clock| own.is_due(clock, now));
        let position = |number| self.marking.identities.position(place, number).filter(|_| due(number));
        while turns.last().is_some_and(|&number| position(number).is_none()) {
            turns.pop();
        }
        let next = turns.last().and_then(|&number| position(number));
        own.turns = Some(turns);
        next
    }

    /// Chooses one of the due bindings (I4); its tokens are in `scratch.chosen`.
    pub(super) fn bind_due(&mut self, raced: Raced) -> Outcome<()> {
        let Raced { program, plan, clock } = raced;
        if clock.single {
            return Ok(()); // its arcs say which tokens
        }
        let arcs = plan.inputs.len();
        if let Some((arc, position)) = has_turns(raced).and_then(|arc| Some((arc, self.next_in_turn(raced, arc)?))) {
            self.scratch.clocks.clear();
            self.scratch.chosen.iter_mut().zip(&plan.inputs).for_each(|(chosen, input)| *chosen = fixed(input));
            self.scratch.chosen[arc] = position as u64;
            return Ok(());
        }
        self.find_due(raced)?;
        let mut due = std::mem::take(&mut self.scratch.due);
        if let (Some(prefer), true) = (&plan.prefer, due.len() > arcs) {
            let mut ranks = Vec::new();
            for row in due.chunks(arcs) {
                self.load(raced, row);
                ranks.push(prefer.rank(&mut self.scope(program, self.now))?);
            }
            let best = ranks.iter().min().copied();
            let preferred = due.chunks(arcs).zip(&ranks).filter(|(_, rank)| Some(**rank) == best);
            due = preferred.flat_map(|(row, _)| row.iter().copied()).collect();
        }
        if plan.in_turn {
            let others = due.chunks(arcs).position(|row| row[0] != due[0]);
            due.truncate(others.map_or(due.len(), |rows| rows * arcs));
        }
        let chosen = self.random.equal_choice((due.len() / arcs) as u64) as usize;
        self.scratch.chosen[..arcs].copy_from_slice(&due[chosen * arcs..(chosen + 1) * arcs]);
        self.scratch.due = due;
        Ok(())
    }
}

/// The only arc with coloured tokens, if the first of those whose clock has run down fires, and none is preferred.
fn has_turns(raced: Raced) -> Option<usize> {
    raced.clock.lone.filter(|_| raced.plan.in_turn && raced.plan.prefer.is_none())
}

/// What a binding says of an arc with black tokens, whose number is constant.
fn fixed(input: &InputProgram) -> u64 {
    if let Find::Black(Count::Const(count)) = &input.find {
        *count
    } else {
        0
    }
}
