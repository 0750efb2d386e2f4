//! The marking: the tokens of all places, with their indices and the room that firings in progress have reserved.

use std::sync::Arc;

use crate::base::fault::Outcome;
use crate::base::ids::{IndexId, JoinId, PlaceId};
use crate::base::random::Random;
use crate::base::table::Table;
use crate::net::Discipline;
use crate::program::expression::Value;
use crate::program::Program;
use crate::state::arena::{Arena, ArenaTable};
use crate::state::counters::PlaceCounters;
use crate::state::enabling::Enabling;
use crate::state::index::{Bucket, Index, EMPTY};
use crate::state::join::Join;
use crate::state::store::{int_rank, real_rank, Store};
use crate::state::value::Scope;

#[repr(C)]
pub struct Marking {
    pub places: ArenaTable<PlaceId, PlaceCounters>,
    pub stores: ArenaTable<PlaceId, Store>,
    /// Tokens in places, and tokens that firings in progress will deposit.
    pub total: u64,
    pub indices: ArenaTable<IndexId, Index>,
    pub joins: ArenaTable<JoinId, Join>,
    /// Keys may not draw; a scope needs a stream all the same.
    silent: Random,
}

impl Marking {
    /// The initial marking. A key may raise a fault.
    pub fn new(program: &Program, arena: &Arc<Arena>, enabling: &mut Enabling) -> Outcome<Self> {
        let layout = arena.layout;
        let stores = program.places.iter().map(|place| Store::new(place.width, place.discipline));
        let stores = ArenaTable::new(arena, layout.stores, stores);
        let empty = |store: &Store| PlaceCounters { ring: store.ring(), ..PlaceCounters::default() };
        let places = ArenaTable::new(arena, layout.places, stores.iter().map(empty));
        let indices = ArenaTable::new(arena, layout.indices, program.indices.iter().map(Index::new));
        let joins = program.joins.iter().map(|join| Join::new(join, &indices, program.places[join.place].most));
        let mut marking = Marking {
            places,
            total: 0,
            stores,
            joins: ArenaTable::new(arena, layout.joins, joins),
            indices,
            silent: Random::new([0; 3]),
        };
        for (i, place) in program.places.iter().enumerate() {
            let id = PlaceId(i as u32);
            for (count, token) in &place.initial {
                if place.width == 0 {
                    marking.places[id].gain(*count, 0.0);
                } else {
                    for _ in 0..*count {
                        marking.add(program, enabling, id, token, 0.0)?;
                    }
                }
                marking.total += count;
            }
            marking.places[id].restart(0.0);
        }
        Ok(marking)
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

    /// The bucket of the tokens whose indexed slots have the values of `key`, …
    #[inline(always)]
    pub fn bucket_of(&self, index: IndexId, key: &[u64]) -> &Bucket {
        let index = &self.indices[index];
        index.find(key).map_or(&EMPTY, |group| index.bucket(group))
    }

    /// … and the seats in a bucket.
    #[inline(always)]
    pub fn seats_in<'a>(&'a self, index: IndexId, bucket: &'a Bucket) -> &'a [u32] {
        self.indices[index].seats_in(bucket)
    }

    /// The rank of a token in a keyed place.
    pub fn rank(&mut self, key: &Value, token: &[u64]) -> Outcome<u64> {
        let mut scope =
            Scope { variables: token, places: &[], tables: &[], random: &mut self.silent, now: 0.0, end: 0.0 };
        Ok(match key {
            Value::Int(key) => int_rank(key.value(&mut scope)?),
            Value::Real(key) => real_rank(key.value(&mut scope)?),
        })
    }

    /// A coloured token arrives. A key may raise a fault.
    #[inline(always)]
    pub fn add(
        &mut self,
        program: &Program,
        enabling: &mut Enabling,
        place: PlaceId,
        token: &[u64],
        now: f64,
    ) -> Outcome<()> {
        let target = &program.places[place];
        let rank = match &target.key {
            Some(key) => self.rank(key, token)?,
            None => 0,
        };
        let state = &mut self.places[place];
        let seat = state.gain(1, now) as usize;
        self.stores[place].push(&mut state.ring, token, rank, seat);
        self.enter(program, enabling, place, token, seat);
        Ok(())
    }

    /// A token that has come to a seat is entered in the indices and joins of its place.
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
        debug_assert!(target.indices.iter().all(|id| self.indices[*id].knows(seat)));
    }

    /// A token of a group has come to the end of a bag.
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

    /// A token whose key has a group has come to the end of the bag of a pivot. The join has one link and no filter.
    #[inline(always)]
    pub fn enter_pivot(&mut self, enabling: &mut Enabling, id: JoinId, group: u32) {
        self.change(enabling, id, |join, indices| join.pivot_arrives_alone(indices, group));
    }

    /// The token in a seat of a pivot leaves.
    #[inline(always)]
    pub fn leave_pivot(&mut self, enabling: &mut Enabling, id: JoinId, seat: u32) {
        self.change(enabling, id, |join, indices| join.pivot_leaves(indices, seat));
    }

    /// The number of tokens in a group of an index has changed: joins whose pivots wait for them must know.
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

    /// Changes a join, and has the enabling know if it has bindings now, or none any more.
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
    pub fn remove(&mut self, program: &Program, enabling: &mut Enabling, place: PlaceId, position: usize, now: f64) {
        let before = self.places[place].lose(1, now) as usize;
        self.leave(program, enabling, place, position, before);
        self.stores[place].remove(&mut self.places[place].ring, position, before);
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
    }

    /// The place is emptied.
    pub fn clear(&mut self, program: &Program, enabling: &mut Enabling, place: PlaceId, now: f64) {
        let source = &program.places[place];
        if source.indices.is_empty() && source.pivots.is_empty() {
            let state = &mut self.places[place];
            self.stores[place].clear(&mut state.ring);
            state.lose(state.tokens, now);
        } else {
            // The past of a place that is empty already has been noted, too.
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

    /// The number of bindings of a join.
    #[inline(always)]
    pub fn bindings(&self, program: &Program, join: JoinId) -> u64 {
        self.joins[join].bindings(&program.joins[join.at()], &self.places)
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

    /// The tokens of a place: by seat in a bag, else in order of arrival. Black tokens are not listed.
    pub fn listed(&self, place: PlaceId) -> Vec<&[u64]> {
        let state = &self.places[place];
        self.stores[place].listed(&state.ring, state.tokens as usize)
    }
}
