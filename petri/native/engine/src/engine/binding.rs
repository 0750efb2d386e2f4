//! Choosing one binding of a transition (I4).

use crate::base::fault::Outcome;
use crate::base::ids::{JoinTreeId, MatchId, VariableId};
use crate::base::table::Table;
use crate::base::wide::{divided, product};
use crate::engine::raced::Raced;
use crate::engine::run::Engine;
use crate::engine::search::{Bounds, Goal, Search};
use crate::program::arc::{Find, InputProgram};
use crate::program::clock::ClockKind;
use crate::program::transition::{Selection, TransitionProgram};
use crate::program::Program;
use crate::state::marking::Marking;

impl Engine {
    /// Chooses one binding (I4); its tokens are in `scratch.chosen`, its values in `variables`.
    #[inline(always)]
    pub(super) fn bind(&mut self, program: &Program, plan: &TransitionProgram) -> Outcome<()> {
        self.choose(program, plan)?;
        bind(plan, &self.marking, &mut self.variables, &self.scratch.chosen);
        for (variable, _) in &plan.draws {
            self.variables[variable.at()] = 0;
        }
        if plan.selection != Selection::Search {
            for &arc in &plan.counts {
                if let Find::Black(count) = &plan.inputs[arc].find {
                    let count = count.value(&mut self.scope(program, self.now))?;
                    self.scratch.chosen[arc] = count;
                }
            }
        }
        Ok(())
    }

    /// The tokens of one binding.
    #[inline(always)]
    pub(crate) fn choose(&mut self, program: &Program, plan: &TransitionProgram) -> Outcome<()> {
        if let Some(raced) = Raced::of(program, plan).filter(|raced| raced.clock.kind == ClockKind::Coloured) {
            return self.bind_due(raced);
        }
        match &plan.selection {
            Selection::Single => {}
            Selection::Bag(arc) => {
                let tokens = self.marking.places[plan.inputs[*arc].place].tokens;
                self.scratch.chosen[*arc] = self.random.equal_choice(tokens);
            }
            Selection::Product => self.bind_product(plan),
            Selection::Join(join) => {
                let chosen = self.random.equal_choice(self.marking.bindings(program, *join));
                self.marking.choose(program, *join, chosen, &mut self.scratch.chosen);
            }
            Selection::Match(id) => self.bind_match(program, *id),
            Selection::Tree(id) => self.bind_tree(program, *id),
            Selection::Preferred(id, arc) => {
                let (ranking, random) = (&mut self.marking.rankings[*id], &mut self.random);
                self.scratch.chosen[*arc] = ranking.draw(|number| random.equal_choice(number)) as u64;
            }
            Selection::Search => self.bind_by_search(program, plan)?,
        }
        Ok(())
    }

    /// A pair of tokens of which one's rank reaches the other's.
    fn bind_match(&mut self, program: &Program, id: MatchId) {
        let (state, plan) = (&mut self.marking.matches[id], &program.matches[id]);
        let k = self.random.equal_choice(state.bindings());
        let seats = state.choose(plan, k);
        for (arc, seat) in [plan.reach.pivot.arc, plan.reach.other.arc].into_iter().zip(seats) {
            self.scratch.chosen[arc] = seat as u64;
        }
    }

    /// Tokens of arcs that are keyed one by another.
    fn bind_tree(&mut self, program: &Program, id: JoinTreeId) {
        let (marking, plan) = (&mut self.marking, &program.join_trees[id]);
        let tree = &mut marking.join_trees[id];
        let k = self.random.wide_choice(tree.bindings(plan, &marking.places));
        tree.choose(plan, &marking.places, k, &mut self.scratch.chosen);
    }

    /// Tokens of several bags: the number of the binding is read in mixed radix, the last arc changing fastest.
    pub(super) fn bind_product(&mut self, plan: &TransitionProgram) {
        let all = self.products(plan);
        let mut number = self.random.wide_choice(all);
        let bags = || (0..plan.inputs.len()).filter(|&i| matches!(plan.inputs[i].find, Find::Any));
        for i in bags().rev() {
            let (rest, chosen) = divided(number, self.choices(plan, i));
            self.scratch.chosen[i] = chosen as u64;
            number = rest;
        }
        for i in bags().filter(|&i| !plan.inputs[i].before.is_empty()) {
            self.skip_used(plan, i);
        }
    }

    /// The number of bindings of a transition of independent bags.
    pub(super) fn products(&self, plan: &TransitionProgram) -> u128 {
        let bags = (0..plan.inputs.len()).filter(|&i| matches!(plan.inputs[i].find, Find::Any));
        product(bags.map(|i| self.choices(plan, i)))
    }

    /// The tokens that arcs before one leave it.
    fn choices(&self, plan: &TransitionProgram, arc: usize) -> u128 {
        let arc = &plan.inputs[arc];
        u128::from(self.marking.places[arc.place].tokens) - arc.before.len() as u128
    }

    /// Turns a rank among the seats that earlier arcs have left into a seat.
    pub(super) fn skip_used(&mut self, plan: &TransitionProgram, arc: usize) {
        let mut seat = self.scratch.chosen[arc];
        let mut below = 0;
        loop {
            let used = plan.inputs[arc].before.iter().filter(|&&i| self.scratch.chosen[i] <= seat).count() as u64;
            if used == below {
                break;
            }
            seat += used - below;
            below = used;
        }
        self.scratch.chosen[arc] = seat;
    }

    pub(super) fn bind_by_search(&mut self, program: &Program, plan: &TransitionProgram) -> Outcome<()> {
        let one_turn = plan.in_turn && plan.prefer.is_none();
        let all = self.search(program, plan, if one_turn { Goal::Turn } else { Goal::All })?;
        if all > 1 && plan.prefer.is_some() {
            let (best, arcs) = (self.search(program, plan, Goal::Best)?, plan.inputs.len());
            let best = if plan.in_turn { self.scratch.best_in_turn(arcs) } else { best };
            let chosen = self.random.equal_choice(best) as usize;
            self.scratch.take_best(arcs, chosen);
            return Ok(());
        }
        let chosen = self.random.equal_choice(all);
        if chosen == 0 {
            std::mem::swap(&mut self.scratch.chosen, &mut self.scratch.first);
        } else {
            self.search(program, plan, Goal::Nth(chosen))?;
        }
        Ok(())
    }

    pub(super) fn search(&mut self, program: &Program, plan: &TransitionProgram, goal: Goal) -> Outcome<u64> {
        self.search_for(program, plan, goal).run()
    }

    /// Whether there is room for what a binding would give: its tokens are in `scratch.chosen`, its values in `variables`.
    pub(crate) fn has_room(&mut self, program: &Program, plan: &TransitionProgram) -> Outcome<bool> {
        self.search_for(program, plan, Goal::First).has_room()
    }

    pub(crate) fn search_for<'s>(
        &'s mut self,
        program: &'s Program,
        plan: &'s TransitionProgram,
        goal: Goal,
    ) -> Search<'s> {
        Search {
            program,
            transition: plan,
            marking: &self.marking,
            variables: &mut self.variables[..plan.variables.len()],
            scratch: &mut self.scratch,
            random: &mut self.random,
            now: self.now,
            goal,
            found: 0,
            distinct: false,
            stop: &self.stop,
            bounds: Bounds::NONE,
            tried: 0,
        }
    }
}

/// The position of the token that an arc finds in its place, given what a binding says for the arc.
pub(super) fn position(arc: &InputProgram, token: u64) -> usize {
    match arc.find {
        Find::Head { depth } => depth,
        _ => token as usize,
    }
}

/// Gives the variables that arcs bind the values of a binding: what it says for each arc.
#[inline(always)]
pub(crate) fn bind(
    plan: &TransitionProgram,
    marking: &Marking,
    variables: &mut Table<VariableId, u64>,
    chosen: &[u64],
) {
    for (arc, &token) in plan.inputs.iter().zip(chosen) {
        bind_arc(arc, marking, variables, position(arc, token));
    }
}

/// Gives the variables that an arc binds the values of the token at a position.
#[inline(always)]
pub(super) fn bind_arc(arc: &InputProgram, marking: &Marking, variables: &mut Table<VariableId, u64>, position: usize) {
    if !arc.binds.is_empty() {
        let values = marking.token(arc.place, position);
        for (slot, variable) in &arc.binds {
            variables[variable.at()] = values[*slot as usize];
        }
    }
}
