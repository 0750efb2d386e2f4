//! What may happen in a state: firings that start at once, clocks that run down, and firings in progress that go on or end.
//!
//! This is the slow way, for tokens with colours, numbers that depend on the marking, and draws. `moves` has the fast way.

use crate::base::fault::{Fault, Outcome};
use crate::base::ids::{SpanId, TransitionId};
use crate::base::ticks::whole;
use crate::exact::contents::Contents;
use crate::exact::model::{Branch, Clock, Model, Output, Step};
use crate::exact::search::{Class, Search, Taken};
use crate::exact::stages::{Alternatives, Stages};
use crate::exact::state::{arrive, Deposit, Fields, Kept, Kind, State};
use crate::exact::trouble::{Found, Interrupted, Trouble};
use crate::exact::watch::{Ended, Watch};
use crate::net::Discipline;
use crate::program::arc::Count;
use crate::program::distribution::require;
use crate::program::place::PlaceProgram;
use crate::state::value::Scope;

/// What an arc of the state graph is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// A firing without a clock: it starts, and ends at once unless it lasts. Its value is a probability.
    Start,
    /// A firing whose clock runs down. Its value is a rate, as are those of the next two.
    Fire,
    /// A firing in progress ends.
    End,
    /// A firing in progress comes to its next stage.
    Stage,
    /// Time passes until the next end; with probability 1.
    Time,
}

impl Role {
    /// Whether a firing starts.
    pub fn starts(self) -> bool {
        matches!(self, Role::Start | Role::Fire)
    }
}

/// What a firing in progress does: the role, the transition, the rate, and the numbers of the state after it.
pub type Progress = (Role, usize, f64, Vec<u64>);

/// Takes a state to which a firing may lead, with its probability.
pub type Give<'a, E> = dyn FnMut(&mut Rules, f64, &[u64]) -> Result<(), E> + 'a;

/// Tokens that one arc gives (X3).
const MOST_GIVEN: u64 = crate::net::check::MOST_TOKENS;

/// A draw from integers is not followed beyond so many values.
const MOST_OUTCOMES: i64 = 100_000;

/// Bindings that are tried of a transition in one state: half a second. Where tokens multiply, the next states have more still.
const MOST_TRIED: usize = 10_000_000;

pub struct Rules {
    pub model: Model,
    pub fields: Fields,
    pub state: State,
}

impl Model {
    /// What firings of a transition give, if it is always the same number of black tokens.
    pub fn constant_deposits(&self, transition: usize) -> Option<Vec<Deposit>> {
        let transition = &self.transitions[transition];
        let deposit = |output: &crate::exact::model::Output| match (&output.places[..], &output.count) {
            (&[place], &Count::Const(count)) if output.condition.is_none() && output.values.is_empty() => {
                output.index.is_none().then_some(Deposit { place, count, token: Vec::new() })
            }
            _ => None,
        };
        transition.outputs.iter().map(deposit).collect()
    }
}

impl Rules {
    pub fn new(model: Model) -> Self {
        let fields = Fields::new(&model);
        let state = State::new(&model, fields.fields);
        Rules { model, fields, state }
    }

    pub fn initial(&mut self) -> Found<Vec<u64>> {
        let Rules { model, fields, state, .. } = self;
        fields.initial(model, &mut state.random).map_err(|fault| Trouble::Fault(fault, None))
    }

    /// Makes the numbers of `state` known to expressions.
    pub fn look(&mut self) -> Outcome<()> {
        self.state.look(&self.model, &self.fields)
    }

    fn fault<T>(outcome: Outcome<T>, transition: usize) -> Found<T> {
        outcome.map_err(|fault| Trouble::Fault(fault, Some(TransitionId(transition as u32))))
    }

    /// The classes of bindings of a transition; without a clock, of those that are preferred.
    pub fn classes(&mut self, transition: usize, watch: Watch) -> Result<Vec<Class>, Interrupted> {
        let Rules { model, fields, state, .. } = self;
        let preferred = model.transitions[transition].clock.is_none();
        let heed = &mut |tried, bytes| {
            let too_many = (tried > MOST_TRIED).then_some(Ended::Bindings(TransitionId(transition as u32)));
            too_many.or_else(|| watch.ended(bytes)).map_or(Ok(()), |ended| Err(Interrupted::Ended(ended)))
        };
        let found = Search::new(model, transition, &fields.contents, state, heed).classes(preferred);
        found.map_err(|interrupted| interrupted.of(transition))
    }

    // -------------------------------------------------------- clocks

    /// The rates at which the bindings of a transition with a clock fire [1/net time unit] (C1, C4, C5).
    pub fn rates(&mut self, transition: usize, classes: &[Class]) -> Found<Vec<f64>> {
        let rates = self.rates_of(transition, classes);
        let rates = Rules::fault(rates, transition)?;
        if rates.iter().any(|rate| !rate.is_finite()) {
            return Err(Trouble::Unsolvable("clock-at-once", Some(TransitionId(transition as u32))));
        }
        Ok(rates)
    }

    fn rates_of(&mut self, transition: usize, classes: &[Class]) -> Outcome<Vec<f64>> {
        let Rules { model, state, .. } = self;
        let plan = &model.transitions[transition];
        let Some(clock) = &plan.clock else { return Ok(Vec::new()) };
        if classes.is_empty() {
            return Ok(Vec::new());
        }
        let nothing = vec![0; plan.variables];
        let speed = speed(clock, &mut state.scope(model, &nothing))?;
        let servers = servers(model, transition, clock, state)?;
        let mut rates = Vec::with_capacity(classes.len());
        for class in classes {
            let mean = mean(clock, &mut state.scope(model, &class.variables))?;
            rates.push(rate(model, servers as f64 * class.ways * speed, mean));
        }
        Ok(rates)
    }

    // -------------------------------------------------------- firings

    /// Gives the states to which a firing with these bindings may lead, one by one, with the probability of each.
    pub fn fire<E: From<Trouble>>(
        &mut self,
        transition: usize,
        class: &Class,
        give: &mut Give<'_, E>,
    ) -> Result<(), E> {
        let mut variables = class.variables.clone();
        if self.model.transitions[transition].sets.is_empty() {
            return self.draw(transition, class, &mut variables, 0, 1.0, give);
        }
        let found = self.sets(transition, class, &mut variables);
        let class = Class { sets: Rules::fault(found, transition)?, ..class.clone() };
        self.draw(transition, &class, &mut variables, 0, 1.0, give)
    }

    /// What the set arcs take; their numbers and totals are among the variables then (E11).
    fn sets(&mut self, transition: usize, class: &Class, variables: &mut [u64]) -> Outcome<Vec<Taken>> {
        let Rules { model, fields, state, .. } = self;
        let plan = &model.transitions[transition];
        let mut sets = Vec::with_capacity(plan.sets.len());
        for set in &plan.sets {
            let (at, width) = (set.place.at(), model.places[set.place.at()].width);
            let mut rows = Rows::new(state.numbers.clone());
            let gone: Vec<u64> = plan
                .inputs
                .iter()
                .zip(&class.chosen)
                .filter(|(arc, _)| !arc.keep && arc.place == set.place)
                .map(|(_, &chosen)| chosen)
                .collect();
            let mut taken = Taken::default();
            if width == 0 {
                taken.count = rows.numbers[at] - gone.iter().sum::<u64>();
                if let (Some(condition), 1..) = (&set.condition, taken.count) {
                    taken.count *= u64::from(condition.value(&mut state.scope(model, variables))?);
                }
            } else {
                let row = rows.row(at, &fields.contents).clone();
                let mut tokens: Vec<(usize, &[u64])> = row.chunks_exact(width).enumerate().collect();
                if model.places[at].discipline == Discipline::Lifo {
                    tokens.reverse(); // as the place would show them
                }
                for (position, token) in tokens {
                    if gone.contains(&(position as u64)) {
                        continue;
                    }
                    variables[plan.token..plan.token + width].copy_from_slice(token);
                    let belongs = match &set.condition {
                        Some(condition) => condition.value(&mut state.scope(model, variables))?,
                        None => true,
                    };
                    if belongs {
                        taken.positions.push(position);
                        taken.words.extend_from_slice(token);
                    }
                }
                taken.count = taken.positions.len() as u64;
            }
            variables[set.number.at()] = taken.count;
            for (variable, value) in &set.totals {
                variables[variable.at()] = 0;
                for one in 0..taken.count as usize {
                    variables[plan.token..plan.token + width]
                        .copy_from_slice(&taken.words[one * width..(one + 1) * width]);
                    let bits = value.bits(&mut state.scope(model, variables))?;
                    variables[variable.at()] = bits;
                }
            }
            sets.push(taken);
        }
        Ok(sets)
    }

    /// Follows the draws from a step on.
    fn draw<E: From<Trouble>>(
        &mut self,
        transition: usize,
        class: &Class,
        variables: &mut Vec<u64>,
        step: usize,
        chance: f64,
        give: &mut Give<'_, E>,
    ) -> Result<(), E> {
        let plan = &self.model.transitions[transition];
        let (variable, values) = match plan.steps.get(step) {
            None => return self.start(transition, class, variables, chance, give),
            Some(Step::Set(variable, value)) => {
                let bits = value.bits(&mut self.state.scope(&self.model, variables));
                (*variable, vec![(1.0, Rules::fault(bits, transition)?)])
            }
            Some(Step::Branch(variable, branch)) => {
                let values = outcomes(&self.model, branch, &mut self.state, variables);
                (*variable, Rules::fault(values, transition)?)
            }
        };
        if values.is_empty() {
            return Err(Trouble::Unsolvable("draw", Some(TransitionId(transition as u32))).into());
        }
        for (share, bits) in values.into_iter().filter(|(share, _)| *share > 0.0) {
            variables[variable.at()] = bits;
            self.draw(transition, class, variables, step + 1, chance * share, give)?;
        }
        Ok(())
    }

    /// A firing whose draws are made.
    fn start<E: From<Trouble>>(
        &mut self,
        transition: usize,
        class: &Class,
        variables: &[u64],
        chance: f64,
        give: &mut Give<'_, E>,
    ) -> Result<(), E> {
        let evaluated = self.evaluate(transition, class, variables);
        let (alternatives, deposits) = Rules::fault(evaluated, transition)?;
        for (share, stages) in alternatives {
            let mut rows = Rows::new(self.state.numbers.clone());
            rows.take(&self.model, &self.fields.contents, transition, class);
            if stages.is_zero() {
                let given = rows.give(&self.model, &self.fields.contents, &deposits, &mut self.state);
                Rules::fault(given, transition)?;
            } else {
                let time_span = self.model.transitions[transition].time_span;
                if stages.fixed <= -1.0 {
                    let time = self.model.tick.time(stages.fixed);
                    let fault = Fault::new("negative-time", time_span).with_real("duration", time);
                    return Err(Trouble::Fault(fault, Some(TransitionId(transition as u32))).into());
                }
                self.begin(&mut rows, transition, stages, deposits.clone());
            }
            let numbers = rows.numbers(&mut self.fields.contents);
            give(self, chance * share, &numbers)?;
        }
        Ok(())
    }

    fn evaluate(
        &mut self,
        transition: usize,
        class: &Class,
        variables: &[u64],
    ) -> Outcome<(Alternatives, Vec<Deposit>)> {
        let Rules { model, state, .. } = self;
        let plan = &model.transitions[transition];
        let scope = &mut state.scope(model, variables);
        let alternatives = plan.time.alternatives(scope)?;
        let mut deposits = Vec::with_capacity(plan.outputs.len());
        for output in &plan.outputs {
            let (place, count) = output.destination().of(scope)?;
            if count == 0 {
                continue;
            }
            if count > MOST_GIVEN {
                return Err(Fault::new("token-limit", output.spans.first().copied().unwrap_or(SpanId::NONE))
                    .with_int("limit", MOST_GIVEN as i64));
            }
            let target = &model.places[place.at()];
            let Some(set) = output.each.filter(|_| target.width > 0) else {
                deposits.push(Deposit { place, count, token: token(target, output, scope)? });
                continue;
            };
            let width = model.places[plan.sets[set].place.at()].width;
            let mut of_token = variables.to_vec();
            for at in 0..count as usize {
                let words = &class.sets[set].words[at * width..(at + 1) * width];
                of_token[plan.token..plan.token + width].copy_from_slice(words);
                let token =
                    token(target, output, &mut Scope { variables: &of_token, random: &mut *scope.random, ..*scope })?;
                deposits.push(Deposit { place, count: 1, token });
            }
        }
        Ok((alternatives, deposits))
    }

    /// A firing that lasts begins.
    fn begin(&mut self, rows: &mut Rows, transition: usize, stages: Stages, deposits: Vec<Deposit>) {
        let kind = self.fields.kinds.number(Kind { transition, means: stages.means, deposits }, &self.model);
        match self.fields.kept[transition] {
            Kept::Number(field, _) => rows.numbers[field] += 1,
            Kept::Kinds(field) => insert(rows.row(field, &self.fields.contents), kind),
            Kept::Agenda(field) => {
                let left = whole(stages.fixed) as u64;
                let row = rows.row(field, &self.fields.contents);
                let at = row.chunks_exact(2).take_while(|pair| pair[1] <= left).count();
                row.splice(2 * at..2 * at, [kind, left]);
                self.fields.kinds.arrange(row);
            }
            Kept::Not => {}
        }
    }

    /// What firings in progress do: the role, the transition, the rate, and the state after it.
    pub fn progress(&mut self) -> Found<Vec<Progress>> {
        let mut found = Vec::new();
        for transition in 0..self.model.transitions.len() {
            let Kept::Kinds(field) = self.fields.kept[transition] else { continue };
            let row = self.fields.contents[field].row(self.state.numbers[field]).to_vec();
            for (at, &number) in row.iter().enumerate().filter(|&(at, kind)| at == 0 || row[at - 1] != *kind) {
                let alike = row[at..].iter().take_while(|&&other| other == number).count();
                let kind = self.fields.kinds.all[number as usize].clone();
                let mut rows = Rows::new(self.state.numbers.clone());
                rows.row(field, &self.fields.contents).remove(at);
                let rate = rate(&self.model, alike as f64, kind.means[0]);
                let means = kind.means[1..].to_vec();
                let role = if means.is_empty() { Role::End } else { Role::Stage };
                if means.is_empty() {
                    let given = rows.give(&self.model, &self.fields.contents, &kind.deposits, &mut self.state);
                    Rules::fault(given, transition)?;
                } else {
                    let next = self.fields.kinds.number(Kind { means, ..kind }, &self.model);
                    insert(rows.row(field, &self.fields.contents), next);
                }
                found.push((role, transition, rate, rows.numbers(&mut self.fields.contents)));
            }
        }
        Ok(found)
    }

    /// Time passes to the next end: how many ticks, and the state then.
    pub fn pass(&mut self) -> Found<Option<(u64, Vec<u64>)>> {
        let field = self.model.places.len();
        let row = self.fields.contents[field].row(self.state.numbers[field]).to_vec();
        let Some(&next) = row.get(1) else { return Ok(None) };
        let mut rows = Rows::new(self.state.numbers.clone());
        let left = rows.row(field, &self.fields.contents);
        left.clear();
        left.extend(row.chunks_exact(2).filter(|pair| pair[1] > next).flat_map(|pair| [pair[0], pair[1] - next]));
        for pair in row.chunks_exact(2).filter(|pair| pair[1] == next) {
            let Kind { transition, deposits, .. } = self.fields.kinds.all[pair[0] as usize].clone();
            let given = rows.give(&self.model, &self.fields.contents, &deposits, &mut self.state);
            Rules::fault(given, transition)?;
        }
        Ok(Some((next, rows.numbers(&mut self.fields.contents))))
    }
}

/// The clocks of each binding of a transition: the enabling degree, or as many as there are servers (C1).
pub fn servers(model: &Model, transition: usize, clock: &Clock, state: &mut State) -> Outcome<u64> {
    if clock.servers == Some(1) {
        return Ok(1);
    }
    let plan = &model.transitions[transition];
    let nothing = vec![0; plan.variables];
    let mut wanted: Vec<(usize, u64)> = Vec::new();
    for arc in plan.inputs.iter().filter(|arc| !arc.keep) {
        let count = match &arc.count {
            Some(count) => count.value(&mut state.scope(model, &nothing))?,
            None => 1,
        };
        match wanted.iter_mut().find(|(place, _)| *place == arc.place.at()) {
            Some((_, sum)) => *sum += count,
            None => wanted.push((arc.place.at(), count)),
        }
    }
    let times = wanted.iter().filter(|(_, count)| *count > 0);
    let degree = times.map(|&(place, count)| state.places[place].tokens / count).min().unwrap_or(1);
    Ok(clock.servers.map_or(degree, |servers| servers.min(degree)))
}

/// The speed of a clock (C5).
pub fn speed(clock: &Clock, scope: &mut crate::state::value::Scope) -> Outcome<f64> {
    let Some(speed) = &clock.speed else { return Ok(1.0) };
    let speed = speed.value(scope)?;
    if speed < 0.0 {
        return Err(Fault::new("negative-speed", clock.span).with_real("speed", speed));
    }
    Ok(speed)
}

pub fn mean(clock: &Clock, scope: &mut crate::state::value::Scope) -> Outcome<f64> {
    Ok(clock.mean.single_mean(scope)?.unwrap_or(f64::NAN))
}

/// The rate of so many clocks or firings of this mean in ticks [1/net time unit]; not finite if it is not one.
pub fn rate(model: &Model, clocks: f64, mean: f64) -> f64 {
    if clocks == 0.0 {
        0.0
    } else {
        clocks / model.tick.time(mean)
    }
}

/// A kind of firings joins a row of them.
pub fn insert(row: &mut Vec<u64>, kind: u64) {
    let at = row.partition_point(|&other| other <= kind);
    row.insert(at, kind);
}

fn check_bound(target: &PlaceProgram, slot: usize, bits: u64, span: SpanId) -> Outcome<()> {
    let bound = &target.bounds[slot];
    if bound.holds(bits) {
        return Ok(());
    }
    let fault = Fault::new("colour-range", span);
    let fault = match bound.real {
        true => fault.with_real("value", f64::from_bits(bits)),
        false => fault.with_int("value", bits as i64),
    };
    Err(fault.with_text("slot", &bound.name).with_text("place", &target.name))
}

/// The values of a draw with their probabilities; none if there are too many.
fn outcomes(model: &Model, branch: &Branch, state: &mut State, variables: &[u64]) -> Outcome<Vec<(f64, u64)>> {
    let scope = &mut state.scope(model, variables);
    Ok(match branch {
        Branch::Bernoulli(p, span) => {
            let p = p.value(scope)?;
            require((0.0..=1.0).contains(&p), "bernoulli", *span, || vec![("p", p)])?;
            vec![(p, 1), (1.0 - p, 0)]
        }
        Branch::Uniform(low, high, span) => {
            let (low, high) = (low.value(scope)?, high.value(scope)?);
            if low > high {
                let fault = Fault::new("bad-parameter", *span).with_text("distribution", "uniform_int");
                return Err(fault.with_int("low", low).with_int("high", high));
            }
            match high.checked_sub(low) {
                Some(width) if width < MOST_OUTCOMES => {
                    (low..=high).map(|value| (1.0 / (width + 1) as f64, value as u64)).collect()
                }
                _ => Vec::new(),
            }
        }
        Branch::Choice(values, weights, span) => {
            let mut found = Vec::with_capacity(values.len());
            for (value, weight) in values.iter().zip(weights) {
                let bits = value.bits(scope)?;
                found.push((weight.value(scope)?, bits));
            }
            let sum: f64 = found.iter().map(|(weight, _)| weight).sum();
            if found.iter().any(|(weight, _)| *weight < 0.0) || sum <= 0.0 {
                return Err(Fault::new("bad-parameter", *span).with_text("distribution", "choice"));
            }
            merged(found.into_iter().map(|(weight, bits)| (weight / sum, bits)))
        }
        Branch::Table(table, is_real) => {
            let table = &model.tables[table.at()];
            let sum = table.sums.last().copied().unwrap_or(1.0);
            let before = |at: usize| if at == 0 { 0.0 } else { table.sums[at - 1] };
            let bits = |at: usize| if *is_real { table.reals[at].to_bits() } else { table.ints[at] as u64 };
            merged((0..table.sums.len()).map(|at| ((table.sums[at] - before(at)) / sum, bits(at))))
        }
    })
}

/// Equal values together.
fn merged(values: impl Iterator<Item = (f64, u64)>) -> Vec<(f64, u64)> {
    let mut found: Vec<(f64, u64)> = Vec::new();
    for (chance, bits) in values {
        match found.iter_mut().find(|(_, other)| *other == bits) {
            Some((sum, _)) => *sum += chance,
            None => found.push((chance, bits)),
        }
    }
    found
}

/// The slots of a token that an output gives.
fn token(target: &PlaceProgram, output: &Output, scope: &mut Scope) -> Outcome<Vec<u64>> {
    let mut token = Vec::with_capacity(output.values.len());
    for (slot, value) in output.values.iter().enumerate() {
        let bits = value.bits(scope)?;
        check_bound(target, slot, bits, output.spans[slot])?;
        token.push(bits);
    }
    Ok(token)
}

/// A state in the making: the contents that changed are rows yet.
struct Rows {
    numbers: Vec<u64>,
    changed: Vec<(usize, Vec<u64>)>,
}

impl Rows {
    fn new(numbers: Vec<u64>) -> Self {
        Rows { numbers, changed: Vec::new() }
    }

    fn row(&mut self, field: usize, contents: &[Contents]) -> &mut Vec<u64> {
        let at = match self.changed.iter().position(|(other, _)| *other == field) {
            Some(at) => at,
            None => {
                self.changed.push((field, contents[field].row(self.numbers[field]).to_vec()));
                self.changed.len() - 1
            }
        };
        &mut self.changed[at].1
    }

    /// A firing takes its tokens, and empties the places that it resets.
    fn take(&mut self, model: &Model, contents: &[Contents], transition: usize, class: &Class) {
        let plan = &model.transitions[transition];
        let mut gone: Vec<(usize, usize)> = Vec::new();
        for (arc, &chosen) in plan.inputs.iter().zip(&class.chosen).filter(|(arc, _)| !arc.keep) {
            match arc.count {
                Some(_) => self.numbers[arc.place.at()] -= chosen,
                None => {
                    gone.push((arc.place.at(), chosen as usize));
                    if let Some(twin) = arc.twin {
                        let token = self.token(model, contents, arc.place.at(), chosen as usize);
                        gone.extend(self.equal(model, contents, twin.at(), &token, &gone));
                    }
                }
            }
        }
        for (set, taken) in plan.sets.iter().zip(&class.sets) {
            if model.places[set.place.at()].width == 0 {
                self.numbers[set.place.at()] -= taken.count;
            }
            gone.extend(taken.positions.iter().map(|&position| (set.place.at(), position)));
        }
        gone.sort_unstable();
        for &(place, position) in gone.iter().rev() {
            let width = model.places[place].width;
            self.row(place, contents).drain(position * width..(position + 1) * width);
        }
        for place in &plan.resets {
            if model.places[place.at()].width == 0 {
                self.numbers[place.at()] = 0;
            } else {
                self.row(place.at(), contents).clear();
            }
        }
    }

    /// The token at a position, before a firing takes any.
    fn token(&mut self, model: &Model, contents: &[Contents], place: usize, position: usize) -> Vec<u64> {
        let width = model.places[place].width;
        self.row(place, contents)[position * width..(position + 1) * width].to_vec()
    }

    /// Place and position of the first token of a place that has a value, and is not among those that go already.
    fn equal(
        &mut self,
        model: &Model,
        contents: &[Contents],
        place: usize,
        token: &[u64],
        gone: &[(usize, usize)],
    ) -> Option<(usize, usize)> {
        let tokens = self.row(place, contents).chunks_exact(model.places[place].width);
        let found = |(at, one): (usize, &[u64])| (one == token && !gone.contains(&(place, at))).then_some((place, at));
        tokens.enumerate().find_map(found)
    }

    fn give(&mut self, model: &Model, contents: &[Contents], deposits: &[Deposit], state: &mut State) -> Outcome<()> {
        for Deposit { place, count, token } in deposits {
            if token.is_empty() {
                self.numbers[place.at()] += count;
                continue;
            }
            let row = self.row(place.at(), contents);
            for _ in 0..*count {
                arrive(model, place.at(), row, token, &mut state.random)?;
            }
        }
        Ok(())
    }

    fn numbers(mut self, contents: &mut [Contents]) -> Vec<u64> {
        for (field, row) in self.changed {
            self.numbers[field] = contents[field].number(&row);
        }
        self.numbers
    }
}
