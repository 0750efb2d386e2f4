//! Tokens leave places, have room kept for them, and arrive: marking, gauges and weights change, and observers are
//! notified.

use std::ops::Range;

use crate::base::fault::Outcome;
use crate::base::ids::{GaugeId, LinesId, PlaceId, TransitionId};
use crate::base::ticks::Ticks;
use crate::engine::run::Engine;
use crate::engine::search::scope;
use crate::program::arc::{Give, Take};
use crate::program::place::LinesProgram;
use crate::program::transition::TransitionProgram;
use crate::program::Program;
use crate::state::counters::PlaceCounters;

impl Engine {
    /// Takes the tokens of the binding, arc after arc (S4), and then empties the places to reset.
    #[inline(always)]
    pub(crate) fn take(&mut self, program: &Program, plan: &TransitionProgram) {
        for take in &plan.takes {
            match *take {
                Take::Black { place, count } => self.take_black(program, place, count),
                Take::Chosen { place, arc } => self.take_black(program, place, self.scratch.chosen[arc]),
                Take::Head { place, position } => {
                    self.leaves(program, place, u64::from(position));
                    let before = self.changes(place).tokens;
                    self.marking.remove(program, &mut self.enabling, place, position as usize, self.now);
                    self.left(program, place, before, before - 1);
                }
                Take::Shown { place, arc } => self.take_shown(program, plan, place, arc),
                Take::Seat { place, arc } => {
                    let before = self.marking.places[place].tokens;
                    let seat = self.scratch.chosen[arc];
                    if let Some(lines) = program.places[place].fronts {
                        self.take_first(program, lines, seat);
                    } else {
                        self.changes(place);
                        self.leaves(program, place, seat);
                        self.marking.remove(program, &mut self.enabling, place, seat as usize, self.now);
                        self.left(program, place, before, before - 1);
                    }
                    for &later in &plan.inputs[arc].after {
                        if self.scratch.chosen[later] == before - 1 {
                            self.scratch.chosen[later] = seat;
                        }
                    }
                }
            }
        }
        if !plan.sets.is_empty() {
            self.take_sets(program, plan);
        }
        for &place in &plan.resets {
            self.reset(program, place);
        }
    }

    /// Takes the token in a seat of a front, from the place that this belongs to.
    pub(crate) fn take_first(&mut self, program: &Program, lines: LinesId, seat: u64) {
        let LinesProgram { place, front, .. } = program.lines[lines];
        if program.probes.hears_departures(place) {
            let token = self.marking.token(front, seat as usize);
            self.observers.probes.leaves(place, token, self.now);
        }
        let (before, shown) = (self.changes(place).tokens, self.marking.places[front].tokens);
        self.marking.step_up(program, &mut self.enabling, lines, seat as usize, self.now);
        self.left(program, place, before, before - 1);
        self.front_moved(program, lines, shown);
    }

    /// A front had a number of tokens, and `hidden` has left it, another has come behind the others, or both.
    fn front_moved(&mut self, program: &Program, lines: LinesId, before: u64) {
        let LinesProgram { front, ref values, .. } = program.lines[lines];
        let (gauge, after) = (GaugeId::tokens(front), self.marking.places[front].tokens);
        let come = (after >= before).then(|| self.marking.token(front, after as usize - 1));
        match come {
            Some(token) if after == before => self.enabling.replaced(program, gauge, token),
            _ => self.enabling.moved_by(program, gauge, before, after, come),
        }
        if let Some(values) = values {
            let gone = (!self.marking.hidden.is_empty()).then_some(&self.marking.hidden[..]);
            let gauges = [gone, come].map(|token| token.and_then(|token| values.gauge(token)));
            if gauges[0] != gauges[1] {
                gauges[0].into_iter().for_each(|gauge| self.enabling.shows(program, gauge, false));
                gauges[1].into_iter().for_each(|gauge| self.enabling.shows(program, gauge, true));
            } else if let Some(gauge) = gauges[0] {
                let count = self.enabling.shown[gauge];
                self.enabling.moved(program, gauge, count, count);
            }
        }
    }

    /// A token arrives in a place with lines, as `add` says: another one may be shown then.
    pub(crate) fn line_up(
        &mut self,
        program: &Program,
        lines: LinesId,
        token: &[u64],
        reserved: bool,
        add: impl FnOnce(&mut Self),
    ) {
        let LinesProgram { place, front, .. } = program.lines[lines];
        let shown = self.marking.places[front].tokens;
        self.marking.hidden.clear();
        if reserved && program.places[place].capacity.is_some() {
            self.marking.lines[lines].reserve(token, 1, false);
        }
        add(self);
        let now_shown = self.marking.places[front].tokens;
        if now_shown > shown || !self.marking.hidden.is_empty() {
            self.front_moved(program, lines, shown);
        }
    }

    /// Takes the token at the position that the binding says for an arc, in a place that is not a bag (E9).
    fn take_shown(&mut self, program: &Program, plan: &TransitionProgram, place: PlaceId, arc: usize) {
        let position = self.scratch.chosen[arc];
        self.take_at(program, place, position);
        for &later in &plan.inputs[arc].after {
            if self.scratch.chosen[later] > position {
                self.scratch.chosen[later] -= 1;
            }
        }
    }

    /// Takes the token at a position.
    pub(super) fn take_at(&mut self, program: &Program, place: PlaceId, position: u64) {
        let before = self.changes(place).tokens;
        self.leaves(program, place, position);
        self.marking.remove(program, &mut self.enabling, place, position as usize, self.now);
        self.left(program, place, before, before - 1);
    }

    /// Empties a place.
    pub(crate) fn reset(&mut self, program: &Program, place: PlaceId) {
        let before = self.changes(place).tokens;
        if program.places[place].weight.is_some() {
            let held = self.marking.weights(place).held;
            self.change_weight(program, place, held, false);
        }
        if program.probes.hears_departures(place) {
            self.observers.probes.emptied(place, self.now);
        }
        let front = program.places[place].lines.map(|lines| program.lines[lines].front);
        let shown = front.map_or(0, |front| self.marking.places[front].tokens);
        self.marking.clear(program, &mut self.enabling, place, self.now);
        self.left(program, place, before, 0);
        if let Some(front) = front {
            self.enabling.moved(program, GaugeId::tokens(front), shown, 0);
            if let Some(values) = program.places[place].lines.and_then(|lines| program.lines[lines].values.as_ref()) {
                self.enabling.shows_none(program, values);
            }
        }
    }

    /// The number of tokens of a place is about to change.
    #[inline(always)]
    pub(crate) fn changes(&mut self, place: PlaceId) -> &mut PlaceCounters {
        let state = &mut self.marking.places[place];
        self.observers.changes(place, state, self.now);
        state
    }

    #[inline(always)]
    pub(super) fn take_black(&mut self, program: &Program, place: PlaceId, count: u64) {
        let now = self.now;
        let before = self.changes(place).lose(count, now);
        self.left(program, place, before, before - count);
    }

    /// A place has lost tokens.
    #[inline(always)]
    pub(super) fn left(&mut self, program: &Program, place: PlaceId, before: u64, after: u64) {
        self.marking.total -= before - after;
        self.enabling.moved(program, GaugeId::tokens(place), before, after);
        let load = program.gauges[GaugeId::tokens(place)].load;
        if load != GaugeId::NONE && program.places[place].weight.is_none() {
            let reserved = self.marking.places[place].reserved;
            self.enabling.moved(program, load, before + reserved, after + reserved);
        }
    }

    /// The token at a position is about to leave: its weight does, and its value leaves the contents that measures watch.
    #[inline(always)]
    pub(super) fn leaves(&mut self, program: &Program, place: PlaceId, position: u64) {
        if program.probes.hears_departures(place) {
            self.tell_departure(place, position);
        }
        if program.places[place].weight.is_some() {
            self.weight_leaves(program, place, position as usize);
        }
    }

    /// The weight of the token at a position, which is about to leave, leaves the place.
    pub(crate) fn weight_leaves(&mut self, program: &Program, place: PlaceId, position: usize) {
        let weight = self.marking.weight_at(program, place, position);
        self.change_weight(program, place, weight, false);
    }

    /// Notifies the probes of the token at a position, which is about to leave.
    pub(crate) fn tell_departure(&mut self, place: PlaceId, position: u64) {
        let token = self.marking.token(place, position as usize);
        self.observers.probes.leaves(place, token, self.now);
    }

    /// The weight of the tokens of a place with a capacity of weight grows, or shrinks, by `by`.
    pub(super) fn change_weight(&mut self, program: &Program, place: PlaceId, by: u64, grows: bool) {
        let weights = self.marking.weights_mut(place);
        let before = weights.load();
        weights.held = if grows { weights.held + by } else { weights.held - by };
        let after = weights.load();
        let gauge = program.gauges[GaugeId::tokens(place)].load;
        if gauge != GaugeId::NONE {
            self.enabling.moved(program, gauge, before, after);
        }
    }

    /// Room in places with a capacity, until the firing ends (E6).
    pub(super) fn reserve(&mut self, program: &Program, plan: &TransitionProgram) {
        let (mut cursor, record) = (0, std::mem::take(&mut self.record));
        for give in &plan.gives {
            let (place, count, values) = next_deposit(&record, give, &mut cursor);
            self.reserve_for(program, place, count, &record[values]);
        }
        self.record = record;
    }

    /// Room for tokens of one value.
    pub(crate) fn reserve_for(&mut self, program: &Program, place: PlaceId, count: u64, token: &[u64]) {
        let target = &program.places[place];
        if target.weight.is_some() && count > 0 {
            // It was weighed without a fault when it was evaluated.
            let weight = self.marking.weigh_token(target, token).unwrap_or(0).saturating_mul(count);
            let kept = &mut self.marking.weights_mut(place).kept;
            *kept = kept.saturating_add(weight);
            self.change_weight(program, place, 0, true);
            self.marking.places[place].reserved += count;
            return;
        }
        if let (Some(lines), Some(_)) = (target.lines, target.capacity) {
            self.marking.lines[lines].reserve(token, count as u32, true);
        }
        self.keep_room(program, place, count);
    }

    /// A firing with outputs that have delays has started: its tokens are deposited now, if they arrive at once, or go on their
    /// way (I11). What it gives when it ends stays in the record.
    pub(super) fn send(&mut self, program: &Program, plan: &TransitionProgram, at_once: bool) -> Outcome<()> {
        self.record_sent.clear();
        std::mem::swap(&mut self.record, &mut self.record_sent);
        let (mut cursor, mut record) = (0, std::mem::take(&mut self.record_sent));
        let (mut part, arrivals) = (0, std::mem::take(&mut self.arrivals));
        for (give, delivery) in &plan.sends {
            let start = cursor;
            let (place, count, values) = next_deposit(&record, give, &mut cursor);
            part += usize::from(delivery.is_some());
            match *delivery {
                None if !at_once => self.record.extend_from_slice(&record[start..cursor]),
                _ if count == 0 => {}
                Some(delivery) if arrivals[part - 1] > self.now => {
                    self.hold_bundles(&[*give], &mut record[start..cursor]);
                    self.deliver(program, delivery, arrivals[part - 1], part as u64, &record[start..cursor]);
                }
                _ => self.put_given(program, plan, give, (place, count), &record[values], false)?,
            }
        }
        (self.record_sent, self.arrivals) = (record, arrivals);
        Ok(())
    }

    /// The tokens of output `part` of those with a delay, of the firing that has started last, are on the way.
    pub(crate) fn deliver(
        &mut self,
        program: &Program,
        delivery: TransitionId,
        arrival: Ticks,
        part: u64,
        words: &[u64],
    ) {
        let plan = &program.transitions[delivery];
        if plan.reserves {
            let (place, count, values) = next_deposit(words, &plan.gives[0], &mut 0);
            self.reserve_for(program, place, count, &words[values]);
        }
        let number = self.firings << program.parts | part;
        self.agenda.begin(arrival, number, delivery, plan.lane, words.len()).copy_from_slice(words);
    }

    /// Keeps room for tokens that a firing in progress will deposit, where the place has a capacity.
    fn keep_room(&mut self, program: &Program, place: PlaceId, count: u64) {
        if program.places[place].capacity.is_some() && count > 0 {
            let state = &mut self.marking.places[place];
            let load = state.tokens + state.reserved;
            state.reserved += count;
            let gauge = program.gauges[GaugeId::tokens(place)].load;
            if gauge != GaugeId::NONE {
                self.enabling.moved(program, gauge, load, load + count);
            }
        }
    }

    /// Deposits what the record holds, in the order of the arcs.
    #[inline(always)]
    pub(super) fn deposit(&mut self, program: &Program, plan: &TransitionProgram, reserved: bool) -> Outcome<()> {
        let mut cursor = 0;
        let record = std::mem::take(&mut self.record);
        for give in &plan.gives {
            let (place, count, values) = next_deposit(&record, give, &mut cursor);
            if count > 0 {
                self.put_given(program, plan, give, (place, count), &record[values], reserved)?;
            }
        }
        self.record = record;
        Ok(())
    }

    /// Tokens of an output arc arrive: all of one value, or a bundle of them.
    #[inline(always)]
    fn put_given(
        &mut self,
        program: &Program,
        plan: &TransitionProgram,
        give: &Give,
        (place, count): (PlaceId, u64),
        values: &[u64],
        reserved: bool,
    ) -> Outcome<()> {
        match *give {
            Give::Each => self.put_bundle(program, plan, place, values[0], reserved),
            _ => self.put(program, plan, place, count, values, reserved),
        }
    }

    /// Tokens of one value arrive in a place.
    #[inline(always)]
    pub(crate) fn put(
        &mut self,
        program: &Program,
        plan: &TransitionProgram,
        place: PlaceId,
        count: u64,
        token: &[u64],
        reserved: bool,
    ) -> Outcome<()> {
        let before = self.changes(place).tokens;
        if token.is_empty() {
            self.marking.places[place].gain(count, self.now);
        } else {
            for _ in 0..count {
                self.add(program, place, token, reserved);
            }
        }
        if program.places[place].weight.is_some() {
            let weight = self.marking.weigh_token(&program.places[place], token).unwrap_or(0).saturating_mul(count);
            if reserved {
                self.marking.weights_mut(place).kept -= weight;
            }
            self.change_weight(program, place, weight, true);
        }
        self.arrived(program, plan, place, before, count, reserved);
        let scope = &mut scope(token, &self.marking, program, &mut self.random, self.now);
        self.observers.arrived(place, count, scope)
    }

    /// A coloured token arrives. Its key was evaluated without a fault when the firing started.
    #[inline(always)]
    pub(super) fn add(&mut self, program: &Program, place: PlaceId, token: &[u64], reserved: bool) {
        let add = |engine: &mut Self| {
            let _ = engine.marking.add(program, &mut engine.enabling, place, token, engine.now);
        };
        match program.places[place].lines {
            Some(lines) => self.line_up(program, lines, token, reserved, add),
            None => add(self),
        }
    }

    /// A place has gained tokens.
    #[inline(always)]
    pub(super) fn arrived(
        &mut self,
        program: &Program,
        plan: &TransitionProgram,
        place: PlaceId,
        before: u64,
        count: u64,
        reserved: bool,
    ) {
        self.enabling.moved(program, GaugeId::tokens(place), before, before + count);
        if plan.reserves {
            self.fill_room(program, place, before, count, reserved);
        }
    }

    /// Tokens arrive, perhaps in a place with a capacity: reserved room becomes tokens, or else the load grows.
    pub(super) fn fill_room(&mut self, program: &Program, place: PlaceId, before: u64, count: u64, reserved: bool) {
        let load = program.gauges[GaugeId::tokens(place)].load;
        if reserved && program.places[place].capacity.is_some() {
            self.marking.places[place].reserved -= count;
        } else if load != GaugeId::NONE && program.places[place].weight.is_none() {
            let before = before + self.marking.places[place].reserved;
            self.enabling.moved(program, load, before, before + count);
        }
    }
}

/// Place and number of an arc's tokens, and where the record has their values, or their bundle; `cursor` moves behind them.
#[inline(always)]
pub(crate) fn next_deposit(record: &[u64], give: &Give, cursor: &mut usize) -> (PlaceId, u64, Range<usize>) {
    let (place, count, width) = match *give {
        Give::Black { place, count } => return (place, count, 0..0),
        Give::Token { place, width } => (place, 1, width),
        Give::Open { width } => {
            *cursor += 2;
            (PlaceId(record[*cursor - 2] as u32), record[*cursor - 1], width)
        }
        Give::Each => {
            *cursor += 2;
            (PlaceId(record[*cursor - 2] as u32), record[*cursor - 1], 1)
        }
    };
    let start = *cursor;
    *cursor += width as usize;
    (place, count, start..*cursor)
}
