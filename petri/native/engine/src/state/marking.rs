//! The marking: the tokens of all places, with their indices and joins, and the room that firings in progress have reserved.
//!
//! **Problem.** One token that comes or goes changes a count, a store, the indices of its place, the joins that look tokens up
//! in these, and whether transitions are enabled. All of them must agree before the next question.
//!
//! **Idea.** Tokens come by [`Marking::add`] and go by [`Marking::remove`] only, which change everything in a fixed order:
//!
//! ```text
//! add     counters → store → each index → joins whose pivots wait for the group → joins whose pivot this is → ranks → enabling
//! remove  counters → joins whose pivot this is → each index → joins whose pivots wait for the group → ranks → enabling → store
//! ```
//!
//! A token that leaves is looked up in its seat, so the store is last. Machine code takes the same steps, partly by itself.
//!
//! Invariants:
//! - *most*: a place has no more tokens than its program says.
//! - *ranges*: each value lies in the range of its slot. Indices over small ranges depend on it.
//! - *total*: `total` is at least the number of all tokens.
//! - *reserved*: only places with a capacity have reserved room, and not more than the capacity leaves.
//! - *held*: where the capacity is by weight, `held` is the weight of the tokens.
//! - Each [`Store`], [`Index`], [`Join`], [`Match`], [`JoinTree`] and [`Ranking`] holds its own, given the tokens of its place.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Arc;

use crate::base::fault::{Fault, Outcome};
use crate::base::ids::{
    GaugeId, IndexId, JoinId, JoinTreeId, LinesId, MatchId, PlaceId, RankingId, SpanId, TransitionId,
};
use crate::base::invariant::{ensure, Verified};
use crate::base::random::Random;
use crate::base::table::Table;
use crate::base::ticks::Ticks;
use crate::net::{Discipline, Scalar};
use crate::program::expression::{OrderKey, Rank, Value};
use crate::program::place::{whole_weight, LinesProgram, PlaceProgram, Weight};
use crate::program::ranking::Ranked;
use crate::program::Program;
use crate::state::arena::{Arena, ArenaTable};
use crate::state::counters::PlaceCounters;
use crate::state::enabling::Enabling;
use crate::state::evaluator::CalledCode;
use crate::state::identities::Identities;
use crate::state::index::{Bucket, Index, EMPTY};
use crate::state::join::Join;
use crate::state::join_tree::JoinTree;
use crate::state::lines::{Arrived, Lines};
use crate::state::matching::Match;
use crate::state::ranking::Ranking;
use crate::state::store::Store;
use crate::state::value::Scope;

/// The weight of the tokens of a place, and of those that firings in progress will deposit.
#[derive(Clone, Copy, Default)]
pub struct Weights {
    pub held: u64,
    pub kept: u64,
}

impl Weights {
    pub fn load(self) -> u64 {
        self.held + self.kept
    }
}

#[repr(C)]
pub struct Marking {
    pub places: ArenaTable<PlaceId, PlaceCounters>,
    pub stores: Table<PlaceId, Store>,
    /// The tokens of places with `per`, which have none in their stores.
    pub lines: Table<LinesId, Lines>,
    /// Tokens in places, and tokens that firings in progress will deposit.
    pub total: u64,
    pub indices: ArenaTable<IndexId, Index>,
    pub joins: ArenaTable<JoinId, Join>,
    pub matches: Table<MatchId, Match>,
    pub join_trees: Table<JoinTreeId, JoinTree>,
    pub rankings: Table<RankingId, Ranking>,
    pub identities: Identities,
    /// Of each place, in a net where some place has a capacity of weight.
    weights: Vec<Weights>,
    /// A token that goes to a front.
    shown: Vec<u64>,
    /// The token that has left a front in the last change of its place; nothing if none has.
    pub hidden: Vec<u64>,
    /// From now on machine code tests the conditions for which it has functions.
    functions: Option<Arc<CalledCode>>,
    /// Keys may not draw; a scope needs a stream all the same.
    silent: Random,
}

impl Marking {
    /// The initial marking. A key may raise a fault.
    pub fn new(program: &Program, arena: &Arc<Arena>, enabling: &mut Enabling, stop: &AtomicU64) -> Outcome<Self> {
        let mut marking = Marking::empty(program, arena);
        for (i, place) in program.places.iter().take(program.own_places).enumerate() {
            let tokens = place.initial.iter().map(|(count, token)| (*count, &token[..]));
            marking.fill(program, enabling, PlaceId(i as u32), tokens, stop)?;
        }
        Ok(marking)
    }

    /// No tokens.
    pub fn empty(program: &Program, arena: &Arc<Arena>) -> Self {
        let layout = arena.layout;
        let weighs = program.places.iter().any(|place| place.weight.is_some());
        let stores = program.places.iter().map(|place| Store::new(place.width, place.discipline));
        let stores: Table<PlaceId, Store> = stores.collect();
        let empty = |store: &Store| PlaceCounters { ring: store.ring(), ..PlaceCounters::default() };
        let places = ArenaTable::new(arena, layout.places, stores.iter().map(empty));
        let indices = ArenaTable::new(arena, layout.indices, program.indices.iter().map(Index::new));
        let joins = program.joins.iter().map(|join| Join::new(join, &indices, program.places[join.place].most));
        Marking {
            places,
            weights: if weighs { vec![Weights::default(); program.places.len()] } else { Vec::new() },
            total: 0,
            stores,
            lines: program.lines.iter().map(|lines| Lines::new(lines, program.places[lines.place].width)).collect(),
            joins: ArenaTable::new(arena, layout.joins, joins),
            indices,
            matches: program.matches.iter().map(Match::new).collect(),
            join_trees: program.join_trees.iter().map(JoinTree::new).collect(),
            rankings: program.rankings.iter().map(Ranking::new).collect(),
            identities: Identities::new(program),
            shown: Vec::new(),
            hidden: Vec::new(),
            functions: None,
            silent: Random::new([0; 3]),
        }
    }

    /// From now on, these functions tell whether conditions on tokens hold.
    pub fn call(&mut self, functions: &Arc<CalledCode>) {
        self.functions = Some(Arc::clone(functions));
        self.keep_calling();
    }

    /// The same after joins have become as others are.
    pub fn keep_calling(&mut self) {
        let functions = self.functions.as_ref();
        self.joins.iter_mut().for_each(|join| join.call(functions));
        self.matches.iter_mut().for_each(|state| state.call(functions));
        self.join_trees.iter_mut().for_each(|tree| tree.call(functions));
    }

    /// A place without tokens begins with these: numbers of equal ones.
    pub fn fill<'t>(
        &mut self,
        program: &Program,
        enabling: &mut Enabling,
        id: PlaceId,
        tokens: impl Iterator<Item = (u64, &'t [u64])>,
        stop: &AtomicU64,
    ) -> Outcome<()> {
        let place = &program.places[id];
        for (count, token) in tokens {
            if place.width == 0 {
                self.places[id].gain(count, 0);
            } else {
                for _ in 0..count {
                    // A token may be tested against all of another place.
                    if stop.load(Ordering::Relaxed) != 0 {
                        return Err(Fault::new("stopped", SpanId::NONE));
                    }
                    self.add(program, enabling, id, token, 0)?;
                }
                if place.weight.is_some() {
                    let weight = self.weigh_token(place, token)?.checked_mul(count);
                    let held = weight.and_then(|weight| weight.checked_add(self.weights(id).held));
                    self.weights_mut(id).held = held.ok_or_else(|| Fault::new("int-overflow", SpanId::NONE))?;
                }
            }
            self.total += count;
        }
        self.places[id].restart(0);
        Ok(())
    }

    /// Makes room for the most tokens that a place may have, where code relies on it: at time 0 all of them have been there.
    /// Tokens come and go again, as all that grows with them is to grow.
    pub fn make_room(&mut self, program: &Program, enabling: &mut Enabling, id: PlaceId) -> Outcome<()> {
        let place = &program.places[id];
        let (Some(most), Some((_, token))) = (place.most, place.initial.iter().find(|(count, _)| *count > 0)) else {
            return Ok(());
        };
        if place.width == 0 || place.discipline == Discipline::Key || place.lines.is_some() {
            return Ok(());
        }
        let tokens = self.places[id].tokens;
        for _ in tokens..most {
            self.add(program, enabling, id, token, 0)?;
        }
        for last in (tokens..most).rev() {
            let position = if place.discipline == Discipline::Lifo { 0 } else { last as usize };
            self.remove(program, enabling, id, position, 0);
        }
        self.places[id].restart(0);
        Ok(())
    }

    /// The token at a position of a place's store.
    #[inline(always)]
    pub fn token(&self, place: PlaceId, position: usize) -> &[u64] {
        let state = &self.places[place];
        self.stores[place].token(&state.ring, position, state.tokens as usize)
    }

    /// The seats of the tokens whose indexed slots have the values of `key`.
    #[inline(always)]
    pub fn matching(&self, index: IndexId, key: &[u64]) -> &[u32] {
        let index = &self.indices[index];
        index.find(key).map_or(&[], |group| index.seats(group))
    }

    /// The number of the tokens whose indexed slots have the values of `key`.
    #[inline(always)]
    pub fn count(&self, index: IndexId, key: &[u64]) -> u64 {
        let index = &self.indices[index];
        index.find(key).map_or(0, |group| index.len(group) as u64)
    }

    /// The bucket of the tokens whose indexed slots have the values of `key`.
    #[inline(always)]
    pub fn bucket_of(&self, index: IndexId, key: &[u64]) -> &Bucket {
        let index = &self.indices[index];
        index.find(key).map_or(&EMPTY, |group| index.bucket(group))
    }

    /// The seats in a bucket.
    #[inline(always)]
    pub fn seats_in<'a>(&'a self, index: IndexId, bucket: &'a Bucket) -> &'a [u32] {
        self.indices[index].seats_in(bucket)
    }

    /// The rank of a token in a keyed place.
    #[inline(always)]
    pub fn rank(&mut self, key: &OrderKey, token: &[u64]) -> Outcome<Rank> {
        let mut scope = Scope { variables: token, places: &[], tables: &[], random: &mut self.silent, now: 0, end: 0 };
        key.rank(&mut scope)
    }

    /// The weight of a token of a place; 0 where it does not matter. May raise a fault.
    pub fn weigh_token(&mut self, place: &PlaceProgram, token: &[u64]) -> Outcome<u64> {
        place.weight.as_ref().map_or(Ok(0), |weight| weigh(weight, token, &mut self.silent))
    }

    /// All 0 without a capacity of weight.
    pub fn weights(&self, place: PlaceId) -> Weights {
        self.weights.get(place.at()).copied().unwrap_or_default()
    }

    /// Of a place with a capacity of weight.
    pub fn weights_mut(&mut self, place: PlaceId) -> &mut Weights {
        &mut self.weights[place.at()]
    }

    pub fn copy_weights(&mut self, other: &Self) {
        self.weights.copy_from_slice(&other.weights);
    }

    /// The weight of all tokens of a place, evaluated again.
    fn weight_of_all(&self, program: &Program, place: PlaceId) -> u64 {
        let Some(weight) = &program.places[place].weight else { return 0 };
        let random = &mut self.silent.clone();
        let tokens = self.listed(program, place);
        let weights = tokens.into_iter().map(|token| weigh(weight, token, random).unwrap_or(0));
        weights.sum()
    }

    /// The weight of the token at a position, which has been weighed before.
    pub fn weight_at(&mut self, program: &Program, place: PlaceId, position: usize) -> u64 {
        let plan = &program.places[place];
        if plan.weight.is_none() {
            return 0;
        }
        let token = self.token(place, position).to_vec();
        self.weigh_token(plan, &token).unwrap_or(0)
    }

    /// A coloured token arrives. A key may raise a fault.
    #[inline(always)]
    pub fn add(
        &mut self,
        program: &Program,
        enabling: &mut Enabling,
        place: PlaceId,
        token: &[u64],
        now: Ticks,
    ) -> Outcome<()> {
        let target = &program.places[place];
        let rank = match &target.key {
            Some(key) => self.rank(key, token)?,
            None => Rank::default(),
        };
        let state = &mut self.places[place];
        let seat = state.gain(1, now) as usize;
        if let Some(lines) = target.lines {
            self.line_up(program, enabling, lines, token, rank, now);
        } else {
            self.stores[place].push(&mut state.ring, token, rank, seat);
        }
        if target.identified {
            self.identities.arrives(place, rank);
        }
        self.enter(program, enabling, place, token, seat);
        Ok(())
    }

    /// A token goes to its line, and to the front if it is shown. What is no longer shown leaves the front. Keys of fronts do not
    /// fail: they have none.
    pub fn line_up(
        &mut self,
        program: &Program,
        enabling: &mut Enabling,
        lines: LinesId,
        token: &[u64],
        rank: Rank,
        now: Ticks,
    ) {
        match self.lines[lines].arrives(token, rank, false) {
            Arrived::Behind => {}
            Arrived::First(line) => self.show(program, enabling, lines, line, now),
            Arrived::Before(line, seat) => {
                self.lines[lines].hide(seat);
                self.conceal(program, enabling, program.lines[lines].front, seat as usize, now);
                self.show(program, enabling, lines, line, now);
            }
        }
    }

    /// The first token of a line goes to the end of the front.
    fn show(&mut self, program: &Program, enabling: &mut Enabling, lines: LinesId, line: u32, now: Ticks) {
        let mut token = std::mem::take(&mut self.shown);
        token.clear();
        token.extend_from_slice(self.lines[lines].shown(line));
        self.lines[lines].show(line);
        let _ = self.add(program, enabling, program.lines[lines].front, &token, now);
        self.shown = token;
    }

    /// The token in a seat leaves the front.
    fn conceal(&mut self, program: &Program, enabling: &mut Enabling, front: PlaceId, seat: usize, now: Ticks) {
        let (ring, tokens) = (&self.places[front].ring, self.places[front].tokens as usize);
        self.hidden.clear();
        self.hidden.extend_from_slice(self.stores[front].token(ring, seat, tokens));
        self.remove(program, enabling, front, seat, now);
    }

    /// The token in a seat of a front leaves the place that it belongs to; the next of its line is shown.
    pub fn step_up(&mut self, program: &Program, enabling: &mut Enabling, lines: LinesId, seat: usize, now: Ticks) {
        let LinesProgram { place, front, .. } = program.lines[lines];
        self.places[place].lose(1, now);
        for &id in &program.places[place].indices {
            self.indices[id].leave_token(self.stores[front].token(
                &self.places[front].ring,
                seat,
                self.places[front].tokens as usize,
            ));
        }
        self.conceal(program, enabling, front, seat, now);
        if let Some(line) = self.lines[lines].leaves(seat as u32) {
            self.show(program, enabling, lines, line, now);
        }
    }

    /// Enters a token that has got a seat in the indices and joins of its place.
    #[inline(always)]
    pub fn enter(&mut self, program: &Program, enabling: &mut Enabling, place: PlaceId, token: &[u64], seat: usize) {
        let target = &program.places[place];
        for &id in &target.indices {
            let group = self.indices[id].enter(token);
            let after = self.indices[id].len(group);
            self.weigh(program, enabling, id, group, after - 1, after);
        }
        for &id in &target.pivots {
            self.change(enabling, id, |join, indices| join.pivot_arrives(&program.joins[id.at()], indices, token));
        }
        for &ranked in &target.ranked {
            self.enter_ranked(program, enabling, ranked, place, token);
        }
        debug_assert!(target.indices.iter().all(|id| self.indices[*id].knows(seat)));
    }

    /// A token has been added at the end of a bag whose tokens are ranked, or counted.
    #[inline(never)]
    fn enter_ranked(
        &mut self,
        program: &Program,
        enabling: &mut Enabling,
        ranked: Ranked,
        place: PlaceId,
        token: &[u64],
    ) {
        match ranked {
            Ranked::Pivot(id) => {
                self.change_match(enabling, id, |state| state.pivot_arrives(&program.matches[id], token));
            }
            Ranked::Other(id) => {
                self.change_match(enabling, id, |state| state.other_arrives(&program.matches[id], token));
            }
            Ranked::Tree(id) => {
                self.change_tree(enabling, id, |tree| tree.arrives(&program.join_trees[id], place, token));
            }
            Ranked::Preferred(id) => self.rankings[id].arrives(&program.rankings[id], token),
        }
    }

    /// The token in a seat of a bag leaves its ranking.
    #[inline(never)]
    fn leave_ranked(
        &mut self,
        program: &Program,
        enabling: &mut Enabling,
        ranked: Ranked,
        place: PlaceId,
        seat: usize,
    ) {
        match ranked {
            Ranked::Pivot(id) => self.change_match(enabling, id, |state| state.pivot_leaves(seat)),
            Ranked::Other(id) => {
                self.change_match(enabling, id, |state| state.other_leaves(&program.matches[id], seat));
            }
            Ranked::Tree(id) => {
                self.change_tree(enabling, id, |tree| tree.leaves(&program.join_trees[id], place, seat as u32));
            }
            Ranked::Preferred(id) => self.rankings[id].leaves(seat),
        }
    }

    /// Changes a match, and tells the enabling if it starts or stops having bindings.
    fn change_match(&mut self, enabling: &mut Enabling, id: MatchId, change: impl FnOnce(&mut Match)) {
        let state = &mut self.matches[id];
        let before = state.bindings() > 0;
        change(state);
        if (state.bindings() > 0) != before {
            enabling.turned(state.transition, !before);
        }
    }

    /// The same for a join tree.
    fn change_tree(&mut self, enabling: &mut Enabling, id: JoinTreeId, change: impl FnOnce(&mut JoinTree)) {
        let tree = &mut self.join_trees[id];
        let before = tree.has_choices();
        change(tree);
        if tree.has_choices() != before {
            enabling.turned(tree.transition, !before);
        }
    }

    /// A token of a group has been added at the end of a bag.
    #[inline(always)]
    pub fn enter_index(&mut self, program: &Program, enabling: &mut Enabling, id: IndexId, group: u32) {
        self.indices[id].enter_group(group);
        let after = self.indices[id].len(group);
        self.weigh(program, enabling, id, group, after - 1, after);
    }

    /// The token in a seat of a bag leaves an index.
    #[inline(always)]
    pub fn leave_index(&mut self, program: &Program, enabling: &mut Enabling, id: IndexId, seat: u32) {
        let group = self.indices[id].leave_seat(seat);
        let after = self.indices[id].len(group);
        self.weigh(program, enabling, id, group, after + 1, after);
    }

    /// A token whose key has a group has been added at the end of the bag of a pivot. The join has one link and no
    /// filter.
    #[inline(always)]
    pub fn enter_pivot(&mut self, enabling: &mut Enabling, id: JoinId, group: u32) {
        self.change(enabling, id, |join, indices| join.pivot_arrives_alone(indices, group));
    }

    /// The token in a seat of a pivot leaves.
    #[inline(always)]
    pub fn leave_pivot(&mut self, enabling: &mut Enabling, id: JoinId, seat: u32) {
        self.change(enabling, id, |join, indices| join.pivot_leaves(indices, seat));
    }

    /// The number of tokens in a group of an index has changed: updates joins whose pivots wait for them.
    #[inline(always)]
    pub fn weigh(
        &mut self,
        program: &Program,
        enabling: &mut Enabling,
        index: IndexId,
        group: u32,
        before: usize,
        after: usize,
    ) {
        let mut waiting = self.indices[index].waiting(group);
        while waiting != 0 {
            let (id, link) = self.indices[index].link(waiting.trailing_zeros());
            let plan = &program.joins[id.at()];
            self.change(enabling, id, |join, indices| join.keyed_changed(plan, indices, link, group, before, after));
            waiting &= waiting - 1;
        }
    }

    /// Changes a join, and tells the enabling if it starts or stops having bindings.
    #[inline(always)]
    fn change(
        &mut self,
        enabling: &mut Enabling,
        id: JoinId,
        change: impl FnOnce(&mut Join, &mut Table<IndexId, Index>),
    ) {
        let join = &mut self.joins[id];
        let before = join.has_choices();
        change(join, &mut self.indices);
        if join.has_choices() != before {
            enabling.turned(join.transition, !before);
        }
    }

    /// The coloured token at a position leaves.
    #[inline(always)]
    pub fn remove(&mut self, program: &Program, enabling: &mut Enabling, place: PlaceId, position: usize, now: Ticks) {
        let before = self.places[place].lose(1, now) as usize;
        self.leave(program, enabling, place, position, before);
        self.stores[place].remove(&mut self.places[place].ring, position, before);
        if program.places[place].identified {
            self.identities.leaves(place, position);
        }
    }

    /// The tokens at some positions, in order, and with these slots, leave a place that is not a bag.
    pub fn remove_all(&mut self, program: &Program, place: PlaceId, positions: &[u64], slots: &[u64], now: Ticks) {
        let source = &program.places[place];
        debug_assert!(source.pivots.is_empty() && source.ranked.is_empty(), "these are of bags");
        let before = self.places[place].lose(positions.len() as u64, now) as usize;
        for token in slots.chunks_exact(source.width) {
            source.indices.iter().for_each(|&id| _ = self.indices[id].leave_token(token));
        }
        self.stores[place].remove_all(&mut self.places[place].ring, positions, before);
        self.identities.leave_all(place, positions);
    }

    /// The token at a position, one of `before`, leaves the indices and joins of its place.
    #[inline(always)]
    pub fn leave(
        &mut self,
        program: &Program,
        enabling: &mut Enabling,
        place: PlaceId,
        position: usize,
        before: usize,
    ) {
        let source = &program.places[place];
        for &id in &source.pivots {
            self.leave_pivot(enabling, id, position as u32);
        }
        for &id in &source.indices {
            if source.discipline == Discipline::Bag {
                self.leave_index(program, enabling, id, position as u32);
                continue;
            }
            let index = &mut self.indices[id];
            index.leave_token(self.stores[place].token(&self.places[place].ring, position, before));
        }
        for &ranked in &source.ranked {
            self.leave_ranked(program, enabling, ranked, place, position);
        }
    }

    /// Empties a place.
    pub fn clear(&mut self, program: &Program, enabling: &mut Enabling, place: PlaceId, now: Ticks) {
        let source = &program.places[place];
        if let Some(lines) = source.lines {
            self.clear_lines(program, enabling, lines, now);
        } else if source.indices.is_empty() && source.pivots.is_empty() && source.ranked.is_empty() {
            let state = &mut self.places[place];
            self.stores[place].clear(&mut state.ring);
            state.lose(state.tokens, now);
            self.identities.cleared(place);
        } else {
            // The statistics of a place that is already empty are complete.
            self.places[place].lose(0, now);
            while self.places[place].tokens > 0 {
                let last = match source.discipline {
                    Discipline::Bag => self.places[place].tokens as usize - 1,
                    _ => 0,
                };
                self.remove(program, enabling, place, last, now);
            }
        }
    }

    fn clear_lines(&mut self, program: &Program, enabling: &mut Enabling, lines: LinesId, now: Ticks) {
        let LinesProgram { place, front, .. } = program.lines[lines];
        for token in self.lines[lines].listed() {
            program.places[place].indices.iter().for_each(|&id| _ = self.indices[id].leave_token(token));
        }
        self.lines[lines].clear();
        let tokens = self.places[place].tokens;
        self.places[place].lose(tokens, now);
        self.clear(program, enabling, front, now);
    }

    /// The number of bindings of a join.
    #[inline(always)]
    pub fn bindings(&self, program: &Program, join: JoinId) -> u64 {
        self.joins[join].bindings(&program.joins[join.at()], &self.places)
    }

    /// Fetches what a token of a group will touch that arrives in the place of an index: the group, and the seats that wait for it.
    pub fn fetch_waiting(&self, index: IndexId, group: u32) {
        let index = &self.indices[index];
        index.fetch_bucket(group);
        index.links().iter().for_each(|&(join, link)| self.joins[join].fetch_head(link, group));
    }

    /// The tokens of binding number `k` of a join, by arc.
    #[inline(always)]
    pub fn choose(&self, program: &Program, join: JoinId, k: u64, chosen: &mut [u64]) {
        self.joins[join].choose(&program.joins[join.at()], &self.indices, &self.places, k, chosen);
    }

    /// The seats of binding number `k` of a join, for its pivot and its one link.
    #[inline(always)]
    pub fn choose_pair(&self, join: JoinId, k: u64) -> (u32, u32) {
        self.joins[join].choose_pair(&self.indices, k)
    }

    /// The tokens of a place: by seat in a bag, line after line, else in order of arrival. Black tokens are not listed.
    pub fn listed(&self, program: &Program, place: PlaceId) -> Vec<&[u64]> {
        if let Some(lines) = program.places[place].lines {
            return self.lines[lines].listed();
        }
        let state = &self.places[place];
        self.stores[place].listed(&state.ring, state.tokens as usize)
    }

    /// The slots of all tokens of a coloured place, token after token, in the order in which the place would show them.
    pub fn in_order(&self, place: PlaceId) -> Vec<u64> {
        let state = &self.places[place];
        self.stores[place].in_order(&state.ring, state.tokens as usize)
    }

    /// The slots of all tokens of a coloured place, in an order in which they may arrive again: the same of any two places between
    /// whose tokens no firing can tell a difference. Those of a bag are sorted, and lines are in the order of their keys.
    pub fn content(&self, program: &Program, place: PlaceId) -> Vec<u64> {
        let plan = &program.places[place];
        let state = &self.places[place];
        match (plan.lines, plan.discipline) {
            (Some(lines), _) => self.lines[lines].by_key().concat(),
            (None, Discipline::Key) => self.in_order(place),
            (None, Discipline::Bag) => {
                sorted(self.stores[place].by_seat(&state.ring, state.tokens as usize), plan.width)
            }
            _ => self.stores[place].by_seat(&state.ring, state.tokens as usize),
        }
    }

    // ------------------------------------------------------------ invariants

    /// The value of each gauge of a program.
    pub fn gauges(&self, program: &Program) -> Vec<u64> {
        let mut values = vec![0; program.gauges.len()];
        for (place, state) in self.places.iter().enumerate() {
            let id = PlaceId(place as u32);
            values[place] = state.tokens;
            if let Some(load) = values.get_mut(program.gauges[GaugeId::tokens(id)].load.at()) {
                *load = match program.places[id].weight {
                    Some(_) => self.weights(id).load(),
                    None => state.tokens + state.reserved,
                };
            }
        }
        for lines in program.lines.iter() {
            let gauges = |token| lines.values.as_ref().and_then(|values| values.gauge(token));
            let shown = self.listed(program, lines.front).into_iter().filter_map(gauges);
            shown.for_each(|gauge| values[gauge.at()] += 1);
        }
        values
    }

    /// The transition of each join, match and join tree, and whether this has bindings.
    pub fn joined(&self) -> Vec<(TransitionId, bool)> {
        let joins = self.joins.iter().map(|join| (join.transition, join.has_choices()));
        let matches = self.matches.iter().map(|state| (state.transition, state.bindings() > 0));
        let trees = self.join_trees.iter().map(|tree| (tree.transition, tree.has_choices()));
        joins.chain(matches).chain(trees).collect()
    }

    /// Checks the invariants.
    pub fn verify(&self, program: &Program) -> Verified {
        for place in 0..self.places.len() {
            self.verify_place(program, PlaceId(place as u32))
                .map_err(|error| format!("{error}, place `{}`", program.places[PlaceId(place as u32)].name))?;
        }
        for (id, plan) in program.indices.iter().enumerate().map(|(id, plan)| (IndexId(id as u32), plan)) {
            if !program.places[plan.place].indices.contains(&id) {
                continue;
            }
            self.indices[id].verify(&self.listed(program, plan.place))?;
        }
        for (join, plan) in self.joins.iter().zip(&program.joins) {
            join.verify(plan, &self.indices, &self.listed(program, plan.place))?;
        }
        for (state, plan) in self.matches.iter().zip(program.matches.iter()) {
            state.verify(
                plan,
                [&self.listed(program, plan.reach.pivot.place), &self.listed(program, plan.reach.other.place)],
            )?;
        }
        for (tree, plan) in self.join_trees.iter().zip(program.join_trees.iter()) {
            tree.verify(plan, |place| self.listed(program, place))?;
        }
        for (ranking, plan) in self.rankings.iter().zip(program.rankings.iter()) {
            ranking.verify(plan, &self.listed(program, plan.by.place))?;
        }
        let tokens: u64 = self.places.iter().take(program.own_places).map(|place| place.tokens).sum();
        ensure(self.total >= tokens, "total", || format!("{} in all, {tokens} in places", self.total))
    }

    fn verify_place(&self, program: &Program, id: PlaceId) -> Verified {
        let (plan, state, store) = (&program.places[id], &self.places[id], &self.stores[id]);
        if let Some(lines) = plan.lines {
            let front = self.listed(program, program.lines[lines].front);
            self.lines[lines].verify(&front, plan.capacity)?;
        } else {
            store.verify(&state.ring, if plan.width > 0 { state.tokens as usize } else { 0 })?;
        }
        let few = plan.most.is_none_or(|most| state.tokens <= most);
        ensure(few, "most", || format!("{} tokens, at most {:?}", state.tokens, plan.most))?;
        let Weights { held, kept } = self.weights(id);
        let (load, kept) = match plan.weight {
            Some(_) => (held, kept),
            None => (state.tokens, state.reserved),
        };
        ensure(held == self.weight_of_all(program, id), "held", || format!("{held}"))?;
        let room = match plan.capacity {
            Some(_) if plan.lines.is_some() => u64::MAX,
            capacity => capacity.map_or(0, |capacity| capacity.saturating_sub(load)),
        };
        ensure(kept <= room, "reserved", || format!("{kept} of {room}"))?;
        let tokens = if plan.width > 0 { self.listed(program, id) } else { Vec::new() };
        tokens.iter().try_for_each(|token| {
            let holds = plan.bounds.iter().zip(token.iter()).all(|(bound, &value)| bound.holds(value));
            ensure(holds, "ranges", || format!("{token:?}"))
        })
    }
}

/// Sorts tokens of `width` slots, nearly all of which are in order.
fn sorted(mut slots: Vec<u64>, width: usize) -> Vec<u64> {
    match width {
        1 => slots.sort(),
        2 => slots.as_chunks_mut::<2>().0.sort(),
        3 => slots.as_chunks_mut::<3>().0.sort(),
        _ => {
            let mut tokens: Vec<&[u64]> = slots.chunks_exact(width).collect();
            tokens.sort();
            return tokens.concat();
        }
    }
    slots
}

/// The weight of a token. It draws nothing.
pub fn weigh(weight: &Weight, token: &[u64], random: &mut Random) -> Outcome<u64> {
    let mut scope = Scope { variables: token, places: &[], tables: &[], random, now: 0, end: 0 };
    Ok(whole_weight(match &weight.value {
        Value::Int(weight) => Scalar::Int(weight.value(&mut scope)?),
        Value::Real(weight) => Scalar::Real(weight.value(&mut scope)?),
    }))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::base::invariant::broken;
    use crate::net::Scalar;

    /// Three transitions with joins: one link; two links and an arc that takes any token; one link and a filter. The first slot of
    /// each colour has a small range, or none.
    fn program(small: bool) -> Program {
        let range = if small { r#","low":0,"high":3"# } else { "" };
        let place =
            |name: &str| format!(r#"{{"name":"{name}","colour":{{"slots":[{{"name":"x"{range}}},{{"name":"y"}}]}}}}"#);
        let places = ["a", "b", "c", "d"].map(place).join(",");
        let bind = |variable: u32| format!(r#"{{"bind":{variable}}}"#);
        let is = |variable: u32| format!(r#"{{"equal":{{"op":"var","kind":"int","value":{variable}}}}}"#);
        let arc =
            |place: u32, pattern: [String; 2]| format!(r#"{{"place":{place},"pattern":[{}]}}"#, pattern.join(","));
        let transitions = [
            vec![arc(0, [bind(0), bind(1)]), arc(1, [is(0), bind(2)])],
            vec![
                arc(0, [bind(0), bind(1)]),
                arc(1, [is(0), bind(2)]),
                arc(2, [bind(3), is(1)]),
                r#"{"place":3}"#.into(),
            ],
            vec![arc(0, [bind(0), bind(1)]), arc(1, [is(0), bind(2)])],
        ];
        let variables = ["u", "v", "w", "z"].map(|name| format!(r#"{{"name":"{name}"}}"#)).join(",");
        let equal = r#""op":"eq","kind":"bool""#;
        let args = r#"{"op":"var","kind":"int","value":1},{"op":"const","kind":"int","value":1}"#;
        let guard = format!(r#"{{{equal},"args":[{args}]}}"#);
        let transition = |(i, inputs): (usize, &Vec<String>)| {
            let guard = if i == 2 { &guard } else { "null" };
            let inputs = inputs.join(",");
            format!(r#"{{"name":"t","variables":[{variables}],"inputs":[{inputs}],"guard":{guard}}}"#)
        };
        let transitions: Vec<String> = transitions.iter().enumerate().map(transition).collect();
        // Tokens of all these values may come to every place. A wide range is not numbered directly.
        let high = if small { 3 } else { 1 << 40 };
        let bound = |value: u64| format!(r#"{{"op":"const","kind":"int","value":{value}}}"#);
        let drawn = format!(r#"{{"op":"uniform_int","kind":"int","args":[{},{}]}}"#, bound(0), bound(high));
        let draw = format!(r#""variables":[{{"name":"x"}}],"draws":[{{"variable":0,"expression":{drawn}}}]"#);
        let value = r#"{"op":"var","kind":"int","value":0}"#;
        let output = |place: u32| format!(r#"{{"places":[{place}],"values":[{value},{value}]}}"#);
        let source = format!(r#"{{"name":"s",{draw},"outputs":[{}]}}"#, [0, 1, 2, 3].map(output).join(","));
        let text = format!(r#"{{"places":[{places}],"transitions":[{},{source}]}}"#, transitions.join(","));
        Program::from_json(&text).expect("a net")
    }

    type Places = [Vec<[u64; 2]>; 4];

    /// The bindings of each transition, in order (E7), by looking at all tokens.
    fn bindings(places: &Places, transition: usize) -> Vec<Vec<u64>> {
        let [a, b, c, d] = places;
        let mut found = Vec::new();
        for (i, pivot) in a.iter().enumerate().filter(|(_, pivot)| transition < 2 || pivot[1] == 1) {
            for (j, _) in b.iter().enumerate().filter(|(_, token)| token[0] == pivot[0]) {
                if transition != 1 {
                    found.push(vec![i as u64, j as u64]);
                    continue;
                }
                for (k, _) in c.iter().enumerate().filter(|(_, token)| token[1] == pivot[1]) {
                    found.extend((0..d.len()).map(|l| vec![i as u64, j as u64, k as u64, l as u64]));
                }
            }
        }
        found
    }

    struct Run {
        program: Program,
        marking: Marking,
        enabling: Enabling,
    }

    impl Run {
        fn new(small: bool) -> Self {
            let program = program(small);
            assert_eq!(program.joins.len(), 3);
            let arena = Arena::new(&program, 0);
            let mut enabling = Enabling::new(&program, &arena);
            let marking = Marking::new(&program, &arena, &mut enabling, &AtomicU64::new(0)).expect("a marking");
            Run { program, marking, enabling }
        }

        fn add(&mut self, place: PlaceId, token: [u64; 2]) {
            self.marking.add(&self.program, &mut self.enabling, place, &token, 0).expect("no key");
            self.marking.total += 1;
            self.moved(place, self.marking.places[place].tokens - 1);
        }

        fn remove(&mut self, place: PlaceId, seat: usize) {
            self.marking.remove(&self.program, &mut self.enabling, place, seat, 0);
            self.marking.total -= 1;
            self.moved(place, self.marking.places[place].tokens + 1);
        }

        fn moved(&mut self, place: PlaceId, before: u64) {
            let after = self.marking.places[place].tokens;
            self.enabling.moved(&self.program, GaugeId::tokens(place), before, after);
        }

        fn verify(&self) -> Verified {
            self.marking.verify(&self.program)?;
            self.enabling.verify(&self.program, &self.marking.gauges(&self.program), &self.marking.joined())
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(60))]
        /// Tokens come and go; the bindings of joins are compared with all combinations of tokens.
        #[test]
        fn bindings_of_joins_are_those_of_a_search(
            small in any::<bool>(),
            steps in prop::collection::vec((0..4usize, 0..9u8, any::<prop::sample::Index>(), 0..3u64, 0..3u64), 0..70),
        ) {
            let (mut run, mut model) = (Run::new(small), Places::default());
            for (place, action, at, x, y) in steps {
                let (id, row) = (PlaceId(place as u32), &mut model[place]);
                if action < 6 || row.is_empty() {
                    run.add(id, [x, y]);
                    row.push([x, y]);
                } else {
                    let seat = at.index(row.len());
                    run.remove(id, seat);
                    row.swap_remove(seat);
                }
                prop_assert_eq!(run.verify(), Ok(()));
                for (number, plan) in run.program.joins.iter().enumerate() {
                    let (id, expected) = (JoinId(number as u32), bindings(&model, plan.transition.at()));
                    prop_assert_eq!(run.marking.bindings(&run.program, id), expected.len() as u64, "join {}, {:?}", number, model);
                    for (k, seats) in expected.iter().enumerate().step_by(7) {
                        let mut chosen = vec![0; seats.len()];
                        run.marking.choose(&run.program, id, k as u64, &mut chosen);
                        prop_assert_eq!(&chosen, seats);
                    }
                }
            }
        }
    }

    #[test]
    fn damage_is_found() {
        let damaged = |damage: fn(&mut Run)| {
            let mut run = Run::new(true);
            (0..5).for_each(|i| run.add(PlaceId(i % 2), [0, 1]));
            assert_eq!(run.verify(), Ok(()));
            damage(&mut run);
            broken(run.verify())
        };
        assert_eq!(damaged(|run| run.marking.total -= 1), "total");
        assert_eq!(damaged(|run| run.program.places[PlaceId(0)].most = Some(2)), "most");
        assert_eq!(damaged(|run| run.marking.places[PlaceId(2)].reserved = 1), "reserved");
        assert_eq!(damaged(|run| run.program.places[PlaceId(1)].bounds[0].low = Some(Scalar::Int(1))), "ranges");
        assert_eq!(damaged(|run| run.marking.places[PlaceId(1)].tokens += 1), "groups");
        assert_eq!(damaged(|run| run.marking.places[PlaceId(0)].ring.head = 1), "head");
    }
}
