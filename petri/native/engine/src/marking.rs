//! The marking: the tokens of all places, with their indices and the room that firings in progress have reserved.

use crate::expression::{Scope, Value};
use crate::fault::Outcome;
use crate::ids::{IndexId, JoinId, PlaceId};
use crate::index::{Bucket, Index, KeyTable};
use crate::join::Join;
use crate::net::Discipline;
use crate::program::Program;
use crate::random::Random;
use crate::state::Place;
use crate::store::{int_rank, real_rank, Store};
use crate::table::Table;

pub struct Marking {
    pub places: Table<PlaceId, Place>,
    /// Tokens in places, and tokens that firings in progress will deposit.
    pub total: u64,
    pub stores: Table<PlaceId, Store>,
    indices: Vec<Index>,
    tables: Vec<KeyTable>,
    joins: Vec<Join>,
    /// Joins whose last binding has gone, or first one come; some more than once.
    turned: Vec<JoinId>,
    /// Whether there may be such joins.
    pub has_turned: bool,
    /// Keys may not draw; a scope needs a stream all the same.
    silent: Random,
}

impl Marking {
    /// The initial marking. A key may raise a fault.
    pub fn new(program: &Program) -> Outcome<Self> {
        let mut marking = Marking {
            places: program.places.iter().map(|_| Place::default()).collect(),
            total: 0,
            stores: program.places.iter().map(|place| Store::new(place.width, place.discipline)).collect(),
            indices: program.indices.iter().map(|i| Index::new(i.slots.clone(), i.table, i.seated)).collect(),
            tables: program.key_tables.clone(),
            joins: program.joins.iter().map(Join::new).collect(),
            turned: Vec::new(),
            has_turned: false,
            silent: Random::new([0; 3]),
        };
        for (i, place) in program.places.iter().enumerate() {
            let id = PlaceId(i as u32);
            for (count, token) in &place.initial {
                if place.width == 0 {
                    marking.places[id].gain(*count, 0.0);
                } else {
                    for _ in 0..*count {
                        marking.add(program, id, token, 0.0)?;
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
        self.stores[place].token(position, self.places[place].tokens as usize)
    }

    /// The tokens whose indexed slots have the values of `key`.
    #[inline(always)]
    pub fn bucket(&self, index: IndexId, key: &[u64]) -> Option<&Bucket> {
        let index = &self.indices[index.at()];
        let group = self.tables[index.table].find(key)?;
        index.bucket(group).filter(|bucket| !bucket.is_empty())
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
    pub fn add(&mut self, program: &Program, place: PlaceId, token: &[u64], now: f64) -> Outcome<()> {
        let target = &program.places[place];
        let rank = match &target.key {
            Some(key) => self.rank(key, token)?,
            None => 0,
        };
        let seat = self.places[place].gain(1, now) as usize;
        self.stores[place].push(token, rank, seat);
        self.enter(program, place, token, seat);
        Ok(())
    }

    /// A token that has come to a seat is entered in the indices and joins of its place.
    #[inline(always)]
    pub fn enter(&mut self, program: &Program, place: PlaceId, token: &[u64], seat: usize) {
        let target = &program.places[place];
        for entry in &target.indices {
            let (group, tokens) = self.indices[entry.index.at()].insert(&mut self.tables, token);
            for &(id, link) in &entry.links {
                let join = &program.joins[id.at()];
                self.joins[id.at()].keyed_changed(join, &self.indices, link, group, tokens - 1, tokens);
                self.note(id);
            }
        }
        for id in &target.pivots {
            self.joins[id.at()].pivot_arrives(&program.joins[id.at()], &mut self.tables, &self.indices, token);
            self.note(*id);
        }
        debug_assert!(target.indices.iter().all(|entry| self.indices[entry.index.at()].knows(seat)));
    }

    #[inline(always)]
    fn note(&mut self, id: JoinId) {
        if self.joins[id.at()].has_turned() {
            self.turned.push(id);
            self.has_turned = true;
        }
    }

    /// A join that has bindings now, or none any more, and whether it has.
    #[inline(always)]
    pub fn next_turned(&mut self) -> Option<(JoinId, bool)> {
        while let Some(id) = self.turned.pop() {
            let join = &mut self.joins[id.at()];
            if join.has_turned() {
                return Some((id, join.tell()));
            }
        }
        self.has_turned = false;
        None
    }

    /// The coloured token at a position leaves.
    #[inline(always)]
    pub fn remove(&mut self, program: &Program, place: PlaceId, position: usize, now: f64) {
        let before = self.places[place].lose(1, now) as usize;
        self.leave(program, place, position, before);
        self.stores[place].remove(position, before);
    }

    /// The token at a position, one of `before`, leaves the indices and joins of its place.
    #[inline(always)]
    pub fn leave(&mut self, program: &Program, place: PlaceId, position: usize, before: usize) {
        let source = &program.places[place];
        for id in &source.pivots {
            self.joins[id.at()].pivot_leaves(&program.joins[id.at()], &mut self.tables, &self.indices, position);
            self.note(*id);
        }
        for entry in &source.indices {
            if !entry.links.is_empty() {
                let index = &self.indices[entry.index.at()];
                let group = index.group_of(position);
                let tokens = index.bucket(group).map_or(0, Bucket::len);
                for &(id, link) in &entry.links {
                    let join = &program.joins[id.at()];
                    self.joins[id.at()].keyed_changed(join, &self.indices, link, group, tokens, tokens - 1);
                    self.note(id);
                }
            }
            let index = &mut self.indices[entry.index.at()];
            if source.discipline == Discipline::Bag {
                index.remove_seat(&mut self.tables, position);
            } else {
                index.remove_token(&mut self.tables, self.stores[place].token(position, before));
            }
        }
    }

    /// The place is emptied.
    pub fn clear(&mut self, program: &Program, place: PlaceId, now: f64) {
        let source = &program.places[place];
        if source.indices.is_empty() && source.pivots.is_empty() {
            self.stores[place].clear();
            let tokens = self.places[place].tokens;
            self.places[place].lose(tokens, now);
        } else {
            while self.places[place].tokens > 0 {
                let last = match source.discipline {
                    Discipline::Bag => self.places[place].tokens as usize - 1,
                    _ => 0,
                };
                self.remove(program, place, last, now);
            }
        }
    }

    /// The number of bindings of a join.
    #[inline(always)]
    pub fn bindings(&self, join: JoinId) -> u64 {
        self.joins[join.at()].bindings()
    }

    /// The tokens of binding number `k` of a join, by arc.
    #[inline(always)]
    pub fn choose(&self, program: &Program, join: JoinId, k: u64, chosen: &mut [u64]) {
        self.joins[join.at()].choose(&program.joins[join.at()], &self.indices, k, chosen);
    }

    /// The tokens of a place: by seat in a bag, else in order of arrival. Black tokens are not listed.
    pub fn listed(&self, place: PlaceId) -> Vec<&[u64]> {
        self.stores[place].listed(self.places[place].tokens as usize)
    }
}
