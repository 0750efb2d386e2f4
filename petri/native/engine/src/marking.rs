//! The marking: the tokens of all places, with their indices and the room that firings in progress have reserved.

use crate::expression::{Scope, Value};
use crate::fault::Outcome;
use crate::ids::{IndexId, JoinId, PlaceId};
use crate::index::{Bucket, Index, KeyTable};
use crate::join::{Join, Role};
use crate::net::Discipline;
use crate::program::{PlaceProgram, Program};
use crate::random::Random;
use crate::store::{int_rank, real_rank, Store};
use crate::table::Table;

pub struct Marking {
    /// Tokens of each place.
    pub counts: Table<PlaceId, u64>,
    /// Tokens that firings in progress will deposit, for places with a capacity.
    pub reserved: Table<PlaceId, u64>,
    /// Tokens in places, and tokens that firings in progress will deposit.
    pub total: u64,
    stores: Vec<Store>,
    indices: Vec<Index>,
    tables: Vec<KeyTable>,
    joins: Vec<Join>,
    /// Keys may not draw; a scope needs a stream all the same.
    silent: Random,
}

fn store(place: &PlaceProgram) -> Store {
    match place.discipline {
        _ if place.width == 0 => Store::Black,
        Discipline::Bag => Store::bag(place.width),
        Discipline::Fifo => Store::fifo(place.width),
        Discipline::Lifo => Store::lifo(place.width),
        Discipline::Key => Store::key(place.width),
    }
}

impl Marking {
    /// The initial marking. A key may raise a fault.
    pub fn new(program: &Program) -> Outcome<Self> {
        let mut marking = Marking {
            counts: program.places.iter().map(|_| 0).collect(),
            reserved: program.places.iter().map(|_| 0).collect(),
            total: 0,
            stores: program.places.iter().map(store).collect(),
            indices: program.indices.iter().map(|i| Index::new(i.slots.clone(), i.table, i.seated)).collect(),
            tables: program.key_tables.clone(),
            joins: program.joins.iter().map(Join::new).collect(),
            silent: Random::new([0; 3]),
        };
        for (i, place) in program.places.iter().enumerate() {
            for (count, token) in &place.initial {
                if place.width == 0 {
                    marking.counts[PlaceId(i as u32)] += count;
                } else {
                    for _ in 0..*count {
                        marking.add(program, PlaceId(i as u32), token)?;
                    }
                }
                marking.total += count;
            }
        }
        Ok(marking)
    }

    /// The token at a position of a place's store.
    #[inline(always)]
    pub fn token(&self, place: PlaceId, position: usize) -> &[u64] {
        self.stores[place.at()].token(position)
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
            Scope { variables: token, counts: &[], tables: &[], random: &mut self.silent, now: 0.0, end: 0.0 };
        Ok(match key {
            Value::Int(key) => int_rank(key.value(&mut scope)?),
            Value::Real(key) => real_rank(key.value(&mut scope)?),
        })
    }

    /// A coloured token arrives.
    #[inline(always)]
    pub fn add(&mut self, program: &Program, place: PlaceId, token: &[u64]) -> Outcome<()> {
        let target = &program.places[place];
        let rank = match &target.key {
            Some(key) => self.rank(key, token)?,
            None => 0,
        };
        self.stores[place.at()].push(token, rank);
        let seat = self.counts[place] as usize;
        self.counts[place] += 1;
        for index in &target.indices {
            self.indices[index.at()].insert(&mut self.tables, token);
        }
        for role in &target.roles {
            match *role {
                Role::Pivot(id) => {
                    let join = &program.joins[id.at()];
                    self.joins[id.at()].pivot_arrives(join, &mut self.tables, &self.indices, token);
                }
                Role::Keyed(id, link) => {
                    let join = &program.joins[id.at()];
                    let (group, tokens) = self.group(join.links[link].index, seat);
                    self.joins[id.at()].keyed_changed(join, &self.indices, link, group, tokens - 1, tokens);
                }
            }
        }
        Ok(())
    }

    /// The group of the token of a seat, and how many tokens it has.
    #[inline(always)]
    fn group(&self, index: IndexId, seat: usize) -> (u32, usize) {
        let index = &self.indices[index.at()];
        let group = index.group_of(seat);
        (group, index.bucket(group).map_or(0, Bucket::len))
    }

    /// The coloured token at a position leaves.
    #[inline(always)]
    pub fn remove(&mut self, program: &Program, place: PlaceId, position: usize) {
        let source = &program.places[place];
        for role in &source.roles {
            match *role {
                Role::Pivot(id) => {
                    let join = &program.joins[id.at()];
                    self.joins[id.at()].pivot_leaves(join, &mut self.tables, &self.indices, position);
                }
                Role::Keyed(id, link) => {
                    let join = &program.joins[id.at()];
                    let (group, tokens) = self.group(join.links[link].index, position);
                    self.joins[id.at()].keyed_changed(join, &self.indices, link, group, tokens, tokens - 1);
                }
            }
        }
        for index in &source.indices {
            let index = &mut self.indices[index.at()];
            if source.discipline == Discipline::Bag {
                index.remove_seat(&mut self.tables, position);
            } else {
                index.remove_token(&mut self.tables, self.stores[place.at()].token(position));
            }
        }
        self.stores[place.at()].remove(position);
        self.counts[place] -= 1;
    }

    /// The place is emptied.
    pub fn clear(&mut self, program: &Program, place: PlaceId) {
        let source = &program.places[place];
        if source.indices.is_empty() && source.roles.is_empty() {
            self.stores[place.at()].clear();
            self.counts[place] = 0;
        } else {
            while self.counts[place] > 0 {
                let last = match source.discipline {
                    Discipline::Bag => self.counts[place] as usize - 1,
                    _ => 0,
                };
                self.remove(program, place, last);
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
        self.stores[place.at()].listed()
    }
}
