//! Firings that move constant numbers of black tokens: nearly all of most nets. Compiled for a layout, such a move is a
//! comparison and an addition for each word that it touches.

use crate::exact::model::stages::Form;
use crate::exact::model::Model;
use crate::exact::space::graph::Role;
use crate::exact::state::layout::Layout;
use crate::exact::state::{Deposit, Fields, Kept};
use crate::program::arc::{Count, Find, InhibitorProgram};
use crate::program::clock::ClockProgram;
use crate::program::expression::{Bool, Comparison, Int};

/// How a move's value comes about.
#[derive(Debug)]
pub enum Pace {
    /// A weight among the firings that may start.
    Weight,
    /// A rate.
    Rate(f64),
    /// A rate for each of the servers that are busy: those that the tokens of each field suffice for, in numbers of so many.
    Servers { fields: Vec<(usize, u64)>, most: u64, rate: f64 },
    /// A rate for each that the field counts.
    Each(usize, f64),
    /// The speed and mean of the clock, on the marking, for as many servers.
    Open { fields: Vec<(usize, u64)>, most: u64 },
}

/// A firing, or the end of one, of a transition.
#[derive(Debug)]
pub struct Move {
    pub transition: usize,
    pub role: Role,
    /// The least numbers of fields.
    pub needs: Vec<(usize, u64)>,
    /// The greatest.
    pub limits: Vec<(usize, u64)>,
    pub changes: Vec<(usize, i64)>,
    /// Whether the guard is to be asked.
    pub guarded: bool,
    pub pace: Pace,
}

/// A number for a field, added to what is there.
fn add<T: Copy + std::ops::AddAssign>(numbers: &mut Vec<(usize, T)>, field: usize, number: T) {
    match numbers.iter_mut().find(|(other, _)| *other == field) {
        Some((_, sum)) => *sum += number,
        None => numbers.push((field, number)),
    }
}

/// A least number for a field: the greatest of them counts.
fn need(needs: &mut Vec<(usize, u64)>, field: usize, least: u64) {
    match needs.iter_mut().find(|(other, _)| *other == field) {
        Some((_, most)) => *most = least.max(*most),
        None => needs.push((field, least)),
    }
}

/// A greatest number for a field: the least of them counts.
fn limit(limits: &mut Vec<(usize, u64)>, field: usize, most: u64) {
    match limits.iter_mut().find(|(other, _)| *other == field) {
        Some((_, least)) => *least = most.min(*least),
        None => limits.push((field, most)),
    }
}

/// What an inhibitor arc asks for, if it compares a number of black tokens with a constant.
fn inhibit(
    model: &Model,
    arc: &InhibitorProgram,
    needs: &mut Vec<(usize, u64)>,
    limits: &mut Vec<(usize, u64)>,
) -> Option<()> {
    let Count::Const(threshold) = arc.threshold else { return None };
    if !arc.equals.is_empty() || model.place(arc.place.at()).width > 0 {
        return None;
    }
    match threshold.checked_sub(1) {
        Some(most) => limit(limits, arc.place.at(), most),
        // It never fires.
        None => need(needs, arc.place.at(), u64::MAX),
    }
    Some(())
}

/// What the capacity of a place asks for, of which a firing takes some tokens before it gives others. None if room may be
/// reserved there.
fn keep_room(
    model: &Model,
    place: usize,
    [taken, given]: [u64; 2],
    needs: &mut Vec<(usize, u64)>,
    limits: &mut Vec<(usize, u64)>,
) -> Option<()> {
    let Some(capacity) = model.place(place).capacity.filter(|_| given > 0) else { return Some(()) };
    if may_be_reserved(model, place) {
        return None;
    }
    match (capacity + taken).checked_sub(given) {
        Some(most) => limit(limits, place, most),
        None => need(needs, place, u64::MAX),
    }
    Some(())
}

impl Move {
    /// The start of a firing, if it is a plain move.
    pub fn start(model: &Model, fields: &Fields, number: usize) -> Option<Move> {
        let transition = model.transition(number);
        let deposits = Deposit::constant(transition)?;
        let is_plain = transition.resets.is_empty()
            && transition.sets.is_empty()
            && transition.draws.is_empty()
            && transition.prefer.is_none();
        let kept = fields.kept[number];
        let is_counted = kept == Kept::Not && model.times[number].is_always_zero() || matches!(kept, Kept::Number(..));
        if !is_plain || !is_counted {
            return None;
        }
        let (mut needs, mut limits, mut changes, mut taken) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for arc in &transition.inputs {
            let Find::Black(Count::Const(count)) = arc.find else { return None };
            add(&mut needs, arc.place.at(), count);
            if !arc.keep {
                add(&mut taken, arc.place.at(), count);
                add(&mut changes, arc.place.at(), -i64::try_from(count).ok()?);
            }
        }
        for arc in &transition.inhibitors {
            inhibit(model, arc, &mut needs, &mut limits)?;
        }
        let mut given = Vec::new();
        for deposit in &deposits {
            add(&mut given, deposit.place.at(), deposit.count);
        }
        for &(place, count) in &given {
            let taken = taken.iter().find(|(other, _)| *other == place).map_or(0, |(_, taken)| *taken);
            keep_room(model, place, [taken, count], &mut needs, &mut limits)?;
        }
        match kept {
            Kept::Number(field, _) => add(&mut changes, field, 1),
            _ => {
                for (place, count) in given {
                    add(&mut changes, place, i64::try_from(count).ok()?);
                }
            }
        }
        let mut guarded = transition.guard.is_some();
        let mut asked = (Vec::new(), Vec::new());
        if transition.guard.as_ref().is_some_and(|guard| compares(model, guard, &mut asked.0, &mut asked.1)) {
            guarded = false;
            asked.0.into_iter().for_each(|(field, least)| need(&mut needs, field, least));
            asked.1.into_iter().for_each(|(field, most)| limit(&mut limits, field, most));
        }
        let role = if transition.clock.is_some() { Role::Fire } else { Role::Start };
        let pace = match &transition.clock {
            None => Pace::Weight,
            Some(clock) => of_clock(model, number, clock, taken),
        };
        changes.retain(|(_, change)| *change != 0);
        Some(Move { transition: number, role, needs, limits, changes, guarded, pace })
    }

    /// The end of a firing of which only the number in progress is kept.
    pub fn end(model: &Model, fields: &Fields, number: usize) -> Option<Move> {
        let Kept::Number(field, kind) = fields.kept[number] else { return None };
        let kind = &fields.kinds.all[kind as usize];
        let mut changes = vec![(field, -1)];
        for deposit in &kind.deposits {
            add(&mut changes, deposit.place.at(), i64::try_from(deposit.count).ok()?);
        }
        let pace = Pace::Each(field, model.rate(1.0, kind.means[0]));
        let (needs, limits) = (vec![(field, 1)], Vec::new());
        Some(Move { transition: number, role: Role::End, needs, limits, changes, guarded: false, pace })
    }
}

/// Whether a guard only compares numbers of black tokens with constants, all of which must hold: then these are what it asks for.
fn compares(model: &Model, guard: &Bool, needs: &mut Vec<(usize, u64)>, limits: &mut Vec<(usize, u64)>) -> bool {
    if let Bool::And(both) = guard {
        return compares(model, &both.0, needs, limits) && compares(model, &both.1, needs, limits);
    }
    let Bool::Ints(comparison, operands) = guard else { return false };
    let (place, number, comparison) = match **operands {
        (Int::Tokens(place), Int::Const(number)) => (place.at(), number, *comparison),
        (Int::Const(number), Int::Tokens(place)) => (place.at(), number, mirrored(*comparison)),
        _ => return false,
    };
    let Ok(number) = u64::try_from(number) else { return false };
    if model.place(place).width > 0 {
        return false;
    }
    match comparison {
        Comparison::NotEqual => return false,
        Comparison::Less if number == 0 => needs.push((place, u64::MAX)),
        Comparison::Less => limits.push((place, number - 1)),
        Comparison::LessOrEqual => limits.push((place, number)),
        Comparison::Greater => needs.push((place, number + 1)),
        Comparison::GreaterOrEqual => needs.push((place, number)),
        Comparison::Equal => {
            needs.push((place, number));
            limits.push((place, number));
        }
    }
    true
}

fn mirrored(comparison: Comparison) -> Comparison {
    match comparison {
        Comparison::Less => Comparison::Greater,
        Comparison::LessOrEqual => Comparison::GreaterOrEqual,
        Comparison::Greater => Comparison::Less,
        Comparison::GreaterOrEqual => Comparison::LessOrEqual,
        same => same,
    }
}

/// Whether firings in progress may have tokens for the place.
fn may_be_reserved(model: &Model, place: usize) -> bool {
    let lasting = (0..model.times.len()).filter(|&transition| model.lasts(transition));
    let outputs = lasting.flat_map(|transition| model.transition(transition).outputs.iter());
    outputs.into_iter().any(|output| output.places.iter().any(|one| one.at() == place))
}

fn of_clock(model: &Model, transition: usize, clock: &ClockProgram, taken: Vec<(usize, u64)>) -> Pace {
    let alone = clock.servers == Some(1) || model.transition(transition).inputs.iter().all(|arc| arc.keep);
    let fields = if alone { Vec::new() } else { taken.into_iter().filter(|(_, count)| *count > 0).collect() };
    let most = clock.servers.unwrap_or(u64::MAX);
    let mean = model.clocks[transition].as_ref().and_then(Form::constant_mean);
    match (mean, &clock.speed) {
        (Some(mean), None) if fields.is_empty() => Pace::Rate(model.rate(1.0, mean)),
        (Some(mean), None) => Pace::Servers { fields, most, rate: model.rate(1.0, mean) },
        _ => Pace::Open { fields, most },
    }
}

/// What a move does with a word.
#[derive(Clone, Copy, Debug)]
pub struct Part {
    pub word: usize,
    pub needs: u64,
    pub limits: u64,
    /// The guard bits of the fields that have limits.
    pub limited: u64,
    pub change: u64,
}

/// A move in a layout.
#[derive(Debug)]
pub struct Packed {
    /// It cannot happen in this layout: a number that it needs fits no field.
    pub never: bool,
    pub parts: Vec<Part>,
}

impl Packed {
    pub fn new(of: &Move, layout: &Layout) -> Self {
        let mut packed = Packed { never: false, parts: Vec::new() };
        for &(field, needed) in &of.needs {
            let place = layout.fields[field];
            packed.never |= needed > place.most;
            packed.part(place.word).needs += needed.min(place.most) << place.shift;
        }
        for &(field, limit) in &of.limits {
            let place = layout.fields[field];
            if limit < place.most {
                let part = packed.part(place.word);
                part.limits |= limit << place.shift;
                part.limited |= (place.most + 1) << place.shift;
            }
        }
        for &(field, change) in &of.changes {
            let place = layout.fields[field];
            let part = packed.part(place.word);
            part.change = part.change.wrapping_add((change as u64).wrapping_mul(1 << place.shift));
        }
        packed
    }

    fn part(&mut self, word: u32) -> &mut Part {
        let word = word as usize;
        let at = self.parts.iter().position(|part| part.word == word).unwrap_or_else(|| {
            self.parts.push(Part { word, needs: 0, limits: 0, limited: 0, change: 0 });
            self.parts.len() - 1
        });
        &mut self.parts[at]
    }

    /// Whether the numbers allow the move.
    #[inline(always)]
    pub fn may(&self, state: &[u64], guards: &[u64]) -> bool {
        !self.never
            && self.parts.iter().all(|part| {
                let (state, guards) = (state[part.word], guards[part.word]);
                let enough = (state | guards).wrapping_sub(part.needs) & guards == guards;
                let few = (part.limits | guards).wrapping_sub(state) & part.limited == part.limited;
                enough && few
            })
    }
}
