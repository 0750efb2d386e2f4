//! Which tokens are which: a number for each token of the places whose tokens clocks tell apart (C1).
//!
//! **Problem.** A clock belongs to the tokens of its binding. A token in a row has a seat only, which changes as others leave.
//!
//! **Idea.** Each token gets the next number as it arrives. A place keeps the numbers in the order of positions, as its store
//! keeps the tokens, and changes them in the same way.
//!
//! Invariants:
//! - *rows*: the row of a place has as many numbers as the place has tokens.
//! - *present*: `present` has exactly the numbers of all rows.

use std::collections::HashSet;

use crate::base::ids::PlaceId;
use crate::base::invariant::{ensure, Verified};
use crate::net::Discipline;
use crate::program::Program;
use crate::state::counters::PlaceCounters;

/// The tokens of one place by position: number, and rank in a keyed place.
#[derive(Default)]
struct Row {
    tokens: Vec<(u64, u64)>,
}

/// The numbers of the tokens of all places whose tokens are told apart.
pub struct Identities {
    /// A row for each place, or none.
    rows: Vec<Option<(Discipline, Row)>>,
    present: HashSet<u64>,
    next: u64,
}

impl Identities {
    pub fn new(program: &Program) -> Self {
        let row =
            |place: &crate::program::place::PlaceProgram| place.identified.then(|| (place.discipline, Row::default()));
        let rows = program.places.iter().map(row).collect();
        Identities { rows, present: HashSet::new(), next: 0 }
    }

    /// A token arrives; `rank` is that of a keyed place.
    pub fn arrives(&mut self, place: PlaceId, rank: u64) {
        let Some((discipline, row)) = &mut self.rows[place.at()] else { return };
        let entry = (rank, self.next);
        let position = match discipline {
            Discipline::Bag | Discipline::Fifo | Discipline::Lifo => row.tokens.len(),
            Discipline::Key => row.tokens.partition_point(|other| *other < entry),
        };
        row.tokens.insert(position, entry);
        self.present.insert(self.next);
        self.next += 1;
    }

    /// The token at a position leaves.
    pub fn leaves(&mut self, place: PlaceId, position: usize) {
        let Some((discipline, row)) = &mut self.rows[place.at()] else { return };
        let (_, number) = match discipline {
            Discipline::Bag => row.tokens.swap_remove(position),
            Discipline::Fifo | Discipline::Key => row.tokens.remove(position),
            Discipline::Lifo => row.tokens.remove(row.tokens.len() - 1 - position),
        };
        self.present.remove(&number);
    }

    /// All tokens of a place leave.
    pub fn cleared(&mut self, place: PlaceId) {
        let Some((_, row)) = &mut self.rows[place.at()] else { return };
        row.tokens.drain(..).for_each(|(_, number)| {
            self.present.remove(&number);
        });
    }

    /// The number of the token at a position.
    pub fn at(&self, place: PlaceId, position: usize) -> u64 {
        let (discipline, row) = self.rows[place.at()].as_ref().expect("a place whose tokens are told apart");
        let seat = if *discipline == Discipline::Lifo { row.tokens.len() - 1 - position } else { position };
        row.tokens[seat].1
    }

    /// Whether a token is in its place.
    pub fn is_present(&self, number: u64) -> bool {
        self.present.contains(&number)
    }

    /// Checks the invariants.
    pub fn verify(&self, places: &[PlaceCounters]) -> Verified {
        let mut all = 0;
        for (row, place) in self.rows.iter().zip(places) {
            let Some((_, row)) = row else { continue };
            all += row.tokens.len();
            let found = || format!("{} numbers of {} tokens", row.tokens.len(), place.tokens);
            ensure(row.tokens.len() as u64 == place.tokens, "rows", found)?;
            let present = row.tokens.iter().all(|(_, number)| self.present.contains(number));
            ensure(present, "present", || "a token is not present".to_owned())?;
        }
        ensure(all == self.present.len(), "present", || format!("{} instead of {all}", self.present.len()))
    }
}
