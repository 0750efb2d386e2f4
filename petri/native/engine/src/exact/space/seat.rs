//! An engine that is put into states: it says what may happen there, and where that leads.
//!
//! **Problem.** What firings a state allows, and what they take and give, follows from the rules that the engine obeys. An
//! exploration asks for all of them, in states that come in any order.
//!
//! **Idea.** The state is *seated* in the marking of an engine, `home`, whose search lists the bindings of a transition. Another
//! one, `away`, has the same marking: it fires, tells what has become of the places that the firing touched, and these become again
//! as they are at home. Where a firing draws, it fires again for each outcome ([`Branching`]).
//!
//! The programs are without upkeep: indices and watches would be made for each state anew.

use std::sync::Arc;

use crate::base::fault::{Fault, Outcome};
use crate::base::ids::{PlaceId, TransitionId};
use crate::base::random::Draws;
use crate::base::ticks::whole;
use crate::engine::binding::bind;
use crate::engine::limits::{Compile, Limits};
use crate::engine::raced::Raced;
use crate::engine::run::Engine;
use crate::engine::search::{Bounds, Goal};
use crate::engine::tokens::next_deposit;
use crate::exact::model::branching::Branching;
use crate::exact::model::stages::Stages;
use crate::exact::model::trouble::{Found, Interrupted, Trouble};
use crate::exact::model::watch::{Ended, Watch};
use crate::exact::model::Model;
use crate::exact::space::graph::Role;
use crate::exact::state::{insert, Deposit, Fields, Kept, Kind};
use crate::net::check::MOST_TOKENS;
use crate::observe::observers::ExtraObservers;
use crate::program::arc::{self, Find, Take};
use crate::program::transition::TransitionProgram;
use crate::program::Program;
use crate::state::arena::Housed;
use crate::state::value::{weight_of_choice, Scope};

/// Bindings of a transition that do the same, as they take equal tokens.
#[derive(Clone, Debug)]
pub struct Class {
    /// What the engine's search says of one of them: for each input arc the position of its token, or the number of black ones.
    pub chosen: Vec<u64>,
    /// How many bindings these are.
    pub ways: f64,
}

/// What a firing in progress does: the role, the transition, the rate, and the numbers of the state after it.
pub type Progress = (Role, usize, f64, Vec<u64>);

/// Ticks that pass, and the numbers of the states then with their probabilities.
pub type Passed = (u64, Vec<(f64, Vec<u64>)>);

/// Takes a state to which a firing may lead: its probability, its numbers, and the variables of the firing.
type Give<'a> = dyn FnMut(&mut Fields, f64, &[u64], &[u64]) -> Result<(), Interrupted> + 'a;

/// Tokens that are tried for the bindings of a transition in one state: half a second. Where tokens multiply, the next states have
/// more still.
const MOST_TRIED: u32 = 10_000_000;

pub struct Seat {
    program: Arc<Program>,
    home: Housed<Engine>,
    away: Housed<Engine>,
    branching: Branching,
    /// The numbers of the state.
    numbers: Vec<u64>,
    /// The places that the firing away has changed.
    touched: Vec<PlaceId>,
    has_capacities: bool,
}

impl Seat {
    /// In the initial state, whose places have no numbers yet.
    pub fn new(model: &Model, fields: usize) -> Outcome<Self> {
        let engine = || {
            let limits = Limits { firings_at_an_instant: u64::MAX, tokens: MOST_TOKENS, compile: Compile::WhenItPays };
            Engine::new(Arc::clone(&model.program), [0; 3], limits, ExtraObservers::default(), Arc::default())
        };
        let mut numbers = vec![u64::MAX; model.places()];
        numbers.resize(fields, 0);
        Ok(Seat {
            program: Arc::clone(&model.program),
            home: engine()?,
            away: engine()?,
            branching: Branching::default(),
            numbers,
            touched: Vec::new(),
            has_capacities: model.program.places.iter().any(|place| place.capacity.is_some()),
        })
    }

    /// The numbers of the initial state.
    pub fn initial(&mut self, fields: &mut Fields) -> Vec<u64> {
        let mut numbers = self.numbers.clone();
        self.touched = (0..self.program.own_places as u32).map(PlaceId).collect();
        self.return_home(fields, &mut numbers);
        numbers
    }

    /// Puts the engines into a state.
    pub fn sit(&mut self, fields: &Fields, numbers: &[u64]) -> Outcome<()> {
        let places = self.program.own_places;
        for (at, &number) in numbers[..places].iter().enumerate() {
            if self.numbers[at] != number {
                self.fill(PlaceId(at as u32), number, fields)?;
            }
        }
        let is_reserved = self.has_capacities && self.numbers[places..] != numbers[places..];
        if is_reserved {
            self.reserve(fields, false)?;
        }
        self.numbers.copy_from_slice(numbers);
        if is_reserved {
            self.reserve(fields, true)?;
        }
        Ok(())
    }

    fn fill(&mut self, place: PlaceId, number: u64, fields: &Fields) -> Outcome<()> {
        let program = &*self.program;
        let plan = &program.places[place];
        let Engine { marking, enabling, stop, .. } = &mut *self.home;
        marking.total -= marking.places[place].tokens;
        marking.clear(program, enabling, place, 0);
        if plan.weight.is_some() {
            marking.weights_mut(place).held = 0;
        }
        if plan.width == 0 {
            marking.fill(program, enabling, place, [(number, &[][..])].into_iter(), stop)?;
        } else {
            let tokens = fields.contents[place.at()].row(number).chunks_exact(plan.width);
            marking.fill(program, enabling, place, tokens.map(|token| (1, token)), stop)?;
        }
        self.away.marking.assume_place(program, place, marking);
        self.away.marking.total = marking.total;
        Ok(())
    }

    /// Keeps room at home for what the firings in progress will deposit, or gives it up.
    fn reserve(&mut self, fields: &Fields, more: bool) -> Outcome<()> {
        let marking = &mut self.home.marking;
        for (kind, times, _) in fields.running(&self.numbers) {
            for Deposit { place, count, token } in &fields.kinds.all[kind as usize].deposits {
                let (plan, count) = (&self.program.places[*place], times * count);
                let changed = |room: u64, by: u64| if more { room + by } else { room - by };
                match plan.lines {
                    _ if plan.capacity.is_none() => {}
                    Some(lines) => marking.lines[lines].reserve(token, count as u32, more),
                    None if plan.weight.is_some() => {
                        let weight = marking.weigh_token(plan, token)?;
                        let weights = marking.weights_mut(*place);
                        weights.kept = changed(weights.kept, weight * count);
                    }
                    None => marking.places[*place].reserved = changed(marking.places[*place].reserved, count),
                }
            }
        }
        Ok(())
    }

    // -------------------------------------------------------- what may happen

    /// The classes of bindings of a transition; without a clock, of those that are preferred, or whose turn it is (I4).
    pub fn classes(&mut self, model: &Model, transition: usize, watch: Watch) -> Result<Vec<Class>, Interrupted> {
        let plan = model.transition(transition);
        let mut found = self.list(model, transition, Goal::Each, watch)?;
        if plan.clock.is_some() {
            return Ok(found);
        }
        let bindings: f64 = found.iter().map(|class| class.ways).sum();
        if plan.prefer.is_some() && bindings > 1.0 {
            found = self.list(model, transition, Goal::Best, watch)?;
        }
        if let (true, Some(first)) = (plan.in_turn, found.first().map(|class| class.chosen[0])) {
            found.retain(|class| class.chosen[0] == first);
        }
        Ok(found)
    }

    fn list(&mut self, model: &Model, transition: usize, goal: Goal, watch: Watch) -> Result<Vec<Class>, Interrupted> {
        let plan = model.transition(transition);
        let mut search = self.home.search_for(&model.program, plan, goal);
        search.distinct = true;
        search.stop = watch.stop;
        search.bounds = Bounds { tried: MOST_TRIED, listed: watch.bounds.memory };
        let found = search.run().map_err(|fault| match fault.id {
            "stopped" => Interrupted::Ended(Ended::Stopped),
            "listed" => Interrupted::Ended(Ended::Memory),
            "tried" => Interrupted::Ended(Ended::Bindings(TransitionId(transition as u32))),
            _ => Trouble::from(fault).of(transition).into(),
        })?;
        let (listed, arcs) = (self.home.scratch.take_listed(), plan.inputs.len());
        let class = |at: usize| {
            let chosen = listed[at * arcs..(at + 1) * arcs].to_vec();
            Class { ways: self.ways(plan, &chosen), chosen }
        };
        Ok((0..found as usize).map(class).collect())
    }

    /// How many bindings take tokens that equal those of this one, which has the first of these that are left.
    fn ways(&self, plan: &TransitionProgram, chosen: &[u64]) -> f64 {
        let marking = &self.home.marking;
        let mut ways = 1.0;
        for (arc, &position) in plan.inputs.iter().zip(chosen) {
            if matches!(arc.find, Find::Any | Find::Tested | Find::Shown { first: false }) {
                let (first, behind) = (position as usize, marking.places[arc.place].tokens as usize);
                let token = |position: usize| marking.token(arc.place, position);
                let alike = (first + 1..behind).take_while(|&other| token(other) == token(first)).count();
                ways *= (1 + alike) as f64;
            }
        }
        ways
    }

    /// Whether the guard of a transition without variables holds.
    pub fn holds(&mut self, model: &Model, transition: usize) -> Outcome<bool> {
        let guard = model.transition(transition).guard.as_ref();
        guard.map_or(Ok(true), |guard| guard.value(&mut self.home.scope(&model.program, 0)))
    }

    /// The weight of a transition among those of its priority.
    pub fn weight(&mut self, model: &Model, transition: usize) -> Outcome<f64> {
        let (weight, span) = &model.weights[transition];
        weight_of_choice(weight, *span, &mut self.home.scope(&model.program, 0))
    }

    // -------------------------------------------------------- clocks

    /// The clocks of each binding of a transition.
    pub fn servers(&mut self, model: &Model, transition: usize) -> Outcome<u64> {
        let raced = Raced::of(&model.program, model.transition(transition));
        raced.map_or(Ok(0), |raced| Ok(self.home.wanted(raced)? as u64))
    }

    /// The rate of so many clocks of a binding [1/net time unit]; 0 if they do not run now.
    pub fn rate(&mut self, model: &Model, transition: usize, chosen: &[u64], clocks: f64) -> Found<f64> {
        let rate = self.rate_of(model, transition, chosen, clocks);
        let rate = rate.map_err(|fault| Trouble::from(fault).of(transition))?;
        let at_once = || Trouble::Unsolvable("clock-at-once", Some(TransitionId(transition as u32)));
        Some(rate).filter(|rate| rate.is_finite()).ok_or_else(at_once)
    }

    fn rate_of(&mut self, model: &Model, transition: usize, chosen: &[u64], clocks: f64) -> Outcome<f64> {
        let (plan, home) = (model.transition(transition), &mut *self.home);
        let (Some(raced), Some(mean)) = (Raced::of(&model.program, plan), &model.clocks[transition]) else {
            return Ok(0.0);
        };
        let speed = home.pace(raced)?;
        bind(plan, &home.marking, &mut home.variables, chosen);
        let mean = mean.mean(&mut scope(home, &model.program, &mut self.branching))?;
        Ok(model.rate(clocks * speed, mean))
    }

    // -------------------------------------------------------- firings

    /// Gives the states to which a firing with these bindings may lead, one by one, with the probability of each.
    pub fn fire(
        &mut self,
        model: &Model,
        fields: &mut Fields,
        transition: usize,
        class: &Class,
        give: &mut Give<'_>,
    ) -> Result<(), Interrupted> {
        self.branching.begin();
        loop {
            let mut numbers = self.numbers.clone();
            let fired = self.start(model, fields, transition, class, &mut numbers);
            if self.branching.refused {
                return Err(Trouble::Unsolvable("draw", Some(TransitionId(transition as u32))).into());
            }
            fired.map_err(|fault| Trouble::from(fault).of(transition))?;
            let variables = &self.away.variables[..model.transition(transition).variables.len()];
            give(fields, self.branching.chance(), &numbers, variables)?;
            if !self.branching.advance() {
                return Ok(());
            }
        }
    }

    /// A firing starts away, with one outcome of its draws. `numbers` become those of the state after it.
    fn start(
        &mut self,
        model: &Model,
        fields: &mut Fields,
        transition: usize,
        class: &Class,
        numbers: &mut [u64],
    ) -> Outcome<()> {
        let (program, plan) = (&*model.program, model.transition(transition));
        let stages = self.evaluate(model, transition, class)?;
        let deposits = self.deposits(plan);
        self.take(program, plan);
        let rounds = stages.rounds.iter().map(|&(ticks, chance)| (whole(ticks) as u64, chance));
        let rounds: Vec<(u64, f64)> = rounds.collect();
        let left = whole(stages.fixed) as u64 + rounds.first().map_or(0, |round| round.0);
        if stages.means.is_empty() && left == 0 {
            self.deposit(&deposits)?;
        } else {
            let kind = fields.kinds.number(Kind { transition, rounds, means: stages.means, deposits }, model);
            begin(fields, fields.kept[transition], kind, left, numbers);
        }
        self.return_home(fields, numbers);
        Ok(())
    }

    /// Sets, draws, the firing time, and outputs, which come into the record of the engine.
    fn evaluate(&mut self, model: &Model, transition: usize, class: &Class) -> Outcome<Stages> {
        let (program, plan) = (&*model.program, model.transition(transition));
        let away = &mut *self.away;
        away.scratch.chosen.iter_mut().zip(&class.chosen).for_each(|(to, &from)| *to = from);
        bind(plan, &away.marking, &mut away.variables, &class.chosen);
        plan.draws.iter().for_each(|(variable, _)| away.variables[variable.at()] = 0);
        if !plan.sets.is_empty() {
            away.find_sets(program, plan)?;
        }
        for (variable, value) in &plan.draws {
            let bits = value.bits(&mut scope(away, program, &mut self.branching))?;
            away.variables[variable.at()] = bits;
        }
        let stages = model.times[transition].stages(&mut scope(away, program, &mut self.branching))?;
        if stages.fixed <= -1.0 {
            let fault = Fault::new("negative-time", plan.time_span);
            return Err(fault.with_real("duration", program.tick.time(stages.fixed)));
        }
        away.outputs(program, plan, 0)?;
        Ok(stages)
    }

    /// What the record says that the firing will deposit.
    fn deposits(&self, plan: &TransitionProgram) -> Vec<Deposit> {
        let (mut cursor, mut deposits) = (0, Vec::with_capacity(plan.gives.len()));
        let record = &self.away.record;
        for give in &plan.gives {
            let (place, count, values) = next_deposit(record, give, &mut cursor);
            match give {
                _ if count == 0 => {}
                arc::Give::Each => {
                    let words = self.away.bundles.words(record[values.start]);
                    let tokens = words.chunks_exact(self.program.places[place].width);
                    deposits.extend(tokens.map(|token| Deposit { place, count: 1, token: token.to_vec() }));
                }
                _ => deposits.push(Deposit { place, count, token: record[values].to_vec() }),
            }
        }
        deposits
    }

    /// The firing takes its tokens away, and empties the places that it resets.
    fn take(&mut self, program: &Program, plan: &TransitionProgram) {
        let sets = plan.sets.iter().map(|set| set.place);
        let taken = plan.takes.iter().map(Take::place).chain(sets).chain(plan.resets.iter().copied());
        taken.for_each(|place| self.touch(place));
        self.away.take(program, plan);
    }

    fn deposit(&mut self, deposits: &[Deposit]) -> Outcome<()> {
        for Deposit { place, count, token } in deposits {
            self.touch(*place);
            let Engine { marking, enabling, stop, .. } = &mut *self.away;
            marking.fill(&self.program, enabling, *place, [(*count, &token[..])].into_iter(), stop)?;
        }
        Ok(())
    }

    fn touch(&mut self, place: PlaceId) {
        let place = self.program.places[place].fronts.map_or(place, |lines| self.program.lines[lines].place);
        if !self.touched.contains(&place) {
            self.touched.push(place);
        }
    }

    /// Tells the numbers of the places that have changed away, which become again as they are at home.
    fn return_home(&mut self, fields: &mut Fields, numbers: &mut [u64]) {
        let (program, away, home) = (&*self.program, &mut self.away.marking, &self.home.marking);
        for place in self.touched.drain(..) {
            numbers[place.at()] = match program.places[place].width {
                0 => away.places[place].tokens,
                _ => fields.contents[place.at()].number(&away.content(program, place)),
            };
            away.assume_place(program, place, home);
        }
        away.total = home.total;
    }

    // -------------------------------------------------------- firings in progress

    /// What firings in progress do whose times are exponential.
    pub fn progress(&mut self, model: &Model, fields: &mut Fields) -> Found<Vec<Progress>> {
        let mut found = Vec::new();
        let of_kinds = fields.kept.iter().filter_map(|kept| match kept {
            Kept::Kinds(field) => Some((*field, 1)),
            _ => None,
        });
        // Of an agenda, each kind is followed by 0 ticks.
        let racing: Vec<(usize, usize)> = of_kinds.chain(fields.agenda.map(|field| (field, 2))).collect();
        for (field, width) in racing {
            let row = fields.contents[field].row(self.numbers[field]).to_vec();
            let (race, wait) = row.split_at(if width == 1 { row.len() } else { constants(&row) });
            let race: Vec<u64> = race.iter().copied().step_by(width).collect();
            for alike in race.chunk_by(|one, other| one == other) {
                let mut numbers = self.numbers.clone();
                let mut others = race.clone();
                others.remove(race.partition_point(|&kind| kind < alike[0]));
                let kind = fields.kinds.all[alike[0] as usize].clone();
                let (transition, rate) = (kind.transition, model.rate(alike.len() as f64, kind.means[0]));
                let means = kind.means[1..].to_vec();
                let role = if means.is_empty() { Role::End } else { Role::Stage };
                if means.is_empty() {
                    self.end(fields, &kind, &mut numbers)?;
                } else {
                    insert(&mut others, fields.kinds.number(Kind { means, ..kind }, model));
                }
                let others = others.iter().flat_map(|&kind| [kind, 0].into_iter().take(width));
                let content: Vec<u64> = others.chain(wait.iter().copied()).collect();
                numbers[field] = fields.contents[field].number(&content);
                found.push((role, transition, rate, numbers));
            }
        }
        Ok(found)
    }

    fn end(&mut self, fields: &mut Fields, kind: &Kind, numbers: &mut [u64]) -> Found<()> {
        self.deposit(&kind.deposits).map_err(|fault| Trouble::from(fault).of(kind.transition))?;
        self.return_home(fields, numbers);
        Ok(())
    }

    /// The transition of the firing in progress whose constant time ends first.
    pub fn next_constant(&self, fields: &Fields) -> Option<usize> {
        let row = fields.contents[fields.agenda?].row(self.numbers[fields.agenda?]);
        row.get(constants(row)).map(|&kind| fields.kinds.all[kind as usize].transition)
    }

    /// Time passes to the next end: how many ticks, and the states then with their probabilities.
    pub fn pass(&mut self, model: &Model, fields: &mut Fields) -> Found<Option<Passed>> {
        let Some(field) = fields.agenda else { return Ok(None) };
        let row = fields.contents[field].row(self.numbers[field]).to_vec();
        let Some(&next) = row.get(constants(&row) + 1) else { return Ok(None) };
        let mut found = Vec::new();
        self.branching.begin();
        loop {
            let mut numbers = self.numbers.clone();
            let mut agenda = Vec::with_capacity(row.len());
            for pair in row.chunks_exact(2) {
                match pair[1] - next {
                    0 => agenda.extend(self.come_to_end(model, fields, pair[0])?),
                    left => agenda.push((pair[0], left)),
                }
            }
            agenda.sort_by_key(|&(_, left)| left);
            let mut agenda: Vec<u64> = agenda.into_iter().flat_map(|(kind, left)| [kind, left]).collect();
            fields.kinds.arrange(&mut agenda);
            numbers[field] = fields.contents[field].number(&agenda);
            self.return_home(fields, &mut numbers);
            found.push((self.branching.chance(), numbers));
            if !self.branching.advance() {
                return Ok(Some((next, found)));
            }
        }
    }

    /// The ticks of a firing have passed: it ends, or goes on as a firing of some kind with so many ticks left.
    fn come_to_end(&mut self, model: &Model, fields: &mut Fields, number: u64) -> Found<Option<(u64, u64)>> {
        let mut kind = fields.kinds.all[number as usize].clone();
        if let Some(&(ticks, chance)) = kind.rounds.first() {
            if !self.branching.happens(chance) {
                return Ok(Some((number, ticks)));
            }
            kind.rounds.remove(0);
        }
        if kind.rounds.is_empty() && kind.means.is_empty() {
            self.deposit(&kind.deposits).map_err(|fault| Trouble::from(fault).of(kind.transition))?;
            return Ok(None);
        }
        let left = kind.rounds.first().map_or(0, |round| round.0);
        Ok(Some((fields.kinds.number(kind, model), left)))
    }
}

/// Where the firings of an agenda begin whose times are constant.
fn constants(agenda: &[u64]) -> usize {
    2 * agenda.chunks_exact(2).take_while(|pair| pair[1] == 0).count()
}

/// A firing that lasts begins: of some kind, with so many ticks left.
fn begin(fields: &mut Fields, kept: Kept, kind: u64, left: u64, numbers: &mut [u64]) {
    match (kept, fields.agenda) {
        (Kept::Number(field, _), _) => numbers[field] += 1,
        (Kept::Kinds(field), _) => {
            let mut row = fields.contents[field].row(numbers[field]).to_vec();
            insert(&mut row, kind);
            numbers[field] = fields.contents[field].number(&row);
        }
        (Kept::Agenda, Some(field)) => {
            let mut row = fields.contents[field].row(numbers[field]).to_vec();
            let at = row.chunks_exact(2).take_while(|pair| pair[1] <= left).count();
            row.splice(2 * at..2 * at, [kind, left]);
            fields.kinds.arrange(&mut row);
            numbers[field] = fields.contents[field].number(&row);
        }
        _ => {}
    }
}

/// What expressions see that may draw.
fn scope<'s>(engine: &'s Engine, program: &'s Program, branching: &'s mut Branching) -> Scope<'s, Branching> {
    let places = &engine.marking.places;
    Scope { variables: &engine.variables, places, tables: &program.tables, random: branching, now: 0, end: 0 }
}
