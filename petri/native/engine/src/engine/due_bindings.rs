//! The bindings of a transition with clocks of its own, the tokens that identify them, and those that are due (C1, C3).

use std::collections::HashSet;

use crate::base::fault::Outcome;
use crate::engine::binding::{bind, position};
use crate::engine::raced::Raced;
use crate::engine::run::Engine;
use crate::engine::search::Goal;
use crate::program::arc::{Count, Find};

impl Engine {
    /// All bindings, in order: the tokens of each, arc by arc.
    pub(super) fn list(&mut self, raced: Raced) -> Outcome<Vec<u64>> {
        let Raced { program, plan, .. } = raced;
        self.search(program, plan, Goal::Each)?;
        Ok(self.scratch.take_listed())
    }

    /// The numbers of the coloured tokens of a binding.
    pub(super) fn key(&self, raced: Raced, row: &[u64]) -> Box<[u64]> {
        let Raced { program, plan, .. } = raced;
        let arcs = plan.inputs.iter().zip(row).filter(|(arc, _)| program.places[arc.place].width > 0);
        arcs.map(|(arc, &token)| self.marking.identities.at(arc.place, position(arc, token))).collect()
    }

    /// The clock of the binding in `scratch.chosen`.
    pub(super) fn clock_of_chosen(&mut self, raced: Raced) -> Option<u64> {
        let key = self.key(raced, &self.scratch.chosen[..raced.plan.inputs.len()]);
        self.own(raced).of(&key)
    }

    /// Gives the variables the values of a binding, and 0 to those that are drawn.
    pub(super) fn load(&mut self, raced: Raced, row: &[u64]) {
        self.variables.fill(0);
        bind(raced.plan, &self.marking, &mut self.variables, row);
    }

    /// The bindings whose clock has run down, in order (C3).
    pub(super) fn due(&mut self, raced: Raced) -> Outcome<Vec<u64>> {
        let Raced { plan, clock, .. } = raced;
        let now = self.now;
        if let Some(arc) = clock.lone {
            return Ok(self.due_alone(raced, arc));
        }
        let rows = self.list(raced)?;
        let due: HashSet<u64> = self.own(raced).due(now).collect();
        let mut found = Vec::new();
        for row in rows.chunks(plan.inputs.len()) {
            let key = self.key(raced, row);
            if self.own(raced).of(&key).is_some_and(|number| due.contains(&number)) {
                found.extend_from_slice(row);
            }
        }
        Ok(found)
    }

    /// The same where a clock belongs to a token of one arc.
    fn due_alone(&mut self, raced: Raced, arc: usize) -> Vec<u64> {
        let Raced { plan, .. } = raced;
        let now = self.now;
        let own = self.own(raced);
        let tokens: Vec<u64> = own.due(now).map(|number| own.clocks[&number].key[0]).collect();
        let input = &plan.inputs[arc];
        let place = input.place;
        let positions = tokens.into_iter().filter_map(|token| self.marking.identities.position(place, token));
        let visible = |&position: &usize| !matches!(input.find, Find::Head { depth } if depth != position);
        let mut positions: Vec<usize> = positions.filter(visible).collect();
        positions.sort_unstable();
        let mut found = vec![0; positions.len() * plan.inputs.len()];
        for (row, position) in found.chunks_mut(plan.inputs.len()).zip(positions) {
            for (token, input) in row.iter_mut().zip(&plan.inputs) {
                *token = if let Find::Black(Count::Const(count)) = &input.find { *count } else { 0 };
            }
            row[arc] = position as u64;
        }
        found
    }

    /// Chooses one of the due bindings (I4); its tokens are in `scratch.chosen`.
    pub(super) fn bind_due(&mut self, raced: Raced) -> Outcome<()> {
        let Raced { program, plan, .. } = raced;
        let arcs = plan.inputs.len();
        let mut due = self.due(raced)?;
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
        let chosen = self.random.equal_choice((due.len() / arcs) as u64) as usize;
        self.scratch.chosen[..arcs].copy_from_slice(&due[chosen * arcs..(chosen + 1) * arcs]);
        Ok(())
    }
}
