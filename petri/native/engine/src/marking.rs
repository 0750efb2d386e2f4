//! The marking: the tokens of all places, with their indices and the room that firings in progress have reserved.

use crate::expression::{Scope, Value};
use crate::fault::Outcome;
use crate::ids::{IndexId, PlaceId};
use crate::index::{Bucket, Index, KeyTable};
use crate::net::Discipline;
use crate::program::{PlaceProgram, Program};
use crate::random::Random;
use crate::store::{int_rank, real_rank, Store};

pub struct Marking {
    /// Tokens of each place.
    pub counts: Vec<u64>,
    /// Tokens that firings in progress will deposit, for places with a capacity.
    pub reserved: Vec<u64>,
    /// Tokens in places, and tokens that firings in progress will deposit.
    pub total: u64,
    stores: Vec<Store>,
    indices: Vec<Index>,
    tables: Vec<KeyTable>,
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
        let places = program.places.len();
        let mut marking = Marking {
            counts: vec![0; places],
            reserved: vec![0; places],
            total: 0,
            stores: program.places.iter().map(store).collect(),
            indices: program.indices.iter().map(|i| Index::new(i.slots.clone(), i.table, i.seated)).collect(),
            tables: program.key_tables.clone(),
            silent: Random::new([0; 3]),
        };
        for (i, place) in program.places.iter().enumerate() {
            for (count, token) in &place.initial {
                if place.width == 0 {
                    marking.counts[i] += count;
                } else {
                    for _ in 0..*count {
                        marking.add(PlaceId(i as u32), place, token)?;
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
    pub fn add(&mut self, place: PlaceId, program: &PlaceProgram, token: &[u64]) -> Outcome<()> {
        let rank = match &program.key {
            Some(key) => self.rank(key, token)?,
            None => 0,
        };
        self.stores[place.at()].push(token, rank);
        self.counts[place.at()] += 1;
        for index in &program.indices {
            self.indices[index.at()].insert(&mut self.tables, token);
        }
        Ok(())
    }

    /// The coloured token at a position leaves.
    #[inline(always)]
    pub fn remove(&mut self, place: PlaceId, program: &PlaceProgram, position: usize) {
        for index in &program.indices {
            let index = &mut self.indices[index.at()];
            if program.discipline == Discipline::Bag {
                index.remove_seat(&mut self.tables, position);
            } else {
                index.remove_token(&mut self.tables, self.stores[place.at()].token(position));
            }
        }
        self.stores[place.at()].remove(position);
        self.counts[place.at()] -= 1;
    }

    /// The place is emptied.
    pub fn clear(&mut self, place: PlaceId, program: &PlaceProgram) {
        if program.indices.is_empty() {
            self.stores[place.at()].clear();
            self.counts[place.at()] = 0;
        } else {
            while self.counts[place.at()] > 0 {
                let last = match program.discipline {
                    Discipline::Bag => self.counts[place.at()] as usize - 1,
                    _ => 0,
                };
                self.remove(place, program, last);
            }
        }
    }

    /// The tokens of a place: by seat in a bag, else in order of arrival. Black tokens are not listed.
    pub fn listed(&self, place: PlaceId) -> Vec<&[u64]> {
        self.stores[place.at()].listed()
    }
}
