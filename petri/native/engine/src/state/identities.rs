//! Which tokens are which: a number for each token of the places whose tokens clocks tell apart (C1).
//!
//! **Problem.** A clock belongs to the tokens of its binding. A token in a row has a seat only, which changes as others leave.
//!
//! **Idea.** Each token gets the next number as it arrives. A place keeps the numbers in the order of positions, as its store
//! keeps the tokens, and changes them in the same way. The numbers of a queue or a stack ascend; where those of other places are is
//! noted beside.
//!
//! Invariants:
//! - *rows*: the row of a place has as many numbers as the place has tokens; those of a queue or a stack ascend.
//! - *present*: `present` has exactly the numbers of all other rows; with its seat in a bag, and its rank in a keyed place.
//! - *changed*: the rows with numbers that have come or gone are in `changed`.

use std::collections::VecDeque;

use crate::base::ids::PlaceId;
use crate::base::invariant::{ensure, Verified};
use crate::collections::key_table::KeyTable;
use crate::net::Discipline;
use crate::program::expression::Rank;
use crate::program::Program;
use crate::state::counters::PlaceCounters;

/// The tokens of one place by position: number, and rank in a keyed place.
#[derive(Clone, Default)]
struct Row {
    tokens: VecDeque<(Rank, u64)>,
    /// Those that have come and gone since clocks were looked at.
    came: Vec<u64>,
    went: Vec<u64>,
}

impl Row {
    /// A number is about to come or go.
    fn changes(&mut self, place: PlaceId, changed: &mut Vec<usize>) {
        if self.came.is_empty() && self.went.is_empty() {
            changed.push(place.at());
        }
    }
}

/// Whether the numbers of a place are not in order, so that it is noted where each is.
fn is_noted(discipline: Discipline) -> bool {
    matches!(discipline, Discipline::Bag | Discipline::Key)
}

/// A token is gone.
fn forget(present: &mut KeyTable<Rank>, discipline: Discipline, number: u64) {
    if !is_noted(discipline) {
        return;
    }
    if let Some(group) = present.find(&[number][..]) {
        present.forget(group);
    }
}

/// What is noted of a token of a bag: its seat.
fn seated(seat: usize) -> Rank {
    (seat as u64, 0)
}

/// The numbers of the tokens of all places whose tokens are told apart.
#[derive(Clone)]
pub struct Identities {
    /// A row for each place, or none.
    rows: Vec<Option<Box<(Discipline, Row)>>>,
    present: KeyTable<Rank>,
    next: u64,
    changed: Vec<usize>,
}

impl Identities {
    pub fn new(program: &Program) -> Self {
        let row = |place: &crate::program::place::PlaceProgram| {
            place.identified.then(|| Box::new((place.discipline, Row::default())))
        };
        let rows = program.places.iter().map(row).collect();
        Identities { rows, present: KeyTable::hashed(1), next: 0, changed: Vec::new() }
    }

    /// No token has ever had a number.
    pub fn is_new(&self) -> bool {
        self.next == 0
    }

    /// A token arrives; `rank` is that of a keyed place.
    pub fn arrives(&mut self, place: PlaceId, rank: Rank) {
        let Some((discipline, row)) = self.rows[place.at()].as_deref_mut() else { return };
        row.changes(place, &mut self.changed);
        let entry = (rank, self.next);
        let position = match discipline {
            Discipline::Bag | Discipline::Fifo | Discipline::Lifo => row.tokens.len(),
            Discipline::Key => row.tokens.partition_point(|other| *other < entry),
        };
        row.tokens.insert(position, entry);
        row.came.push(self.next);
        if is_noted(*discipline) {
            let group = self.present.enter(&[self.next][..]);
            self.present[group] = if *discipline == Discipline::Bag { seated(position) } else { rank };
        }
        self.next += 1;
    }

    /// The token at a position leaves.
    pub fn leaves(&mut self, place: PlaceId, position: usize) {
        let Some((discipline, row)) = self.rows[place.at()].as_deref_mut() else { return };
        row.changes(place, &mut self.changed);
        let gone = match discipline {
            Discipline::Fifo if position == 0 => row.tokens.pop_front(),
            Discipline::Bag => row.tokens.swap_remove_back(position),
            Discipline::Fifo | Discipline::Key => row.tokens.remove(position),
            Discipline::Lifo => row.tokens.remove(row.tokens.len() - 1 - position),
        };
        let (_, number) = gone.expect("a token");
        forget(&mut self.present, *discipline, number);
        row.went.push(number);
        if let (Discipline::Bag, Some((_, moved))) = (discipline, row.tokens.get(position)) {
            let group = self.present.enter(&[*moved][..]);
            self.present[group] = seated(position);
        }
    }

    /// The tokens at some positions, in order, leave a place that is not a bag.
    pub fn leave_all(&mut self, place: PlaceId, positions: &[u64]) {
        let Some((discipline, row)) = self.rows[place.at()].as_deref_mut() else { return };
        if positions.is_empty() {
            return;
        }
        row.changes(place, &mut self.changed);
        let last = row.tokens.len().saturating_sub(1);
        let seat = |&position: &u64| match discipline {
            Discipline::Lifo => last - position as usize,
            _ => position as usize,
        };
        for number in positions.iter().map(|position| row.tokens[seat(position)].1) {
            forget(&mut self.present, *discipline, number);
            row.went.push(number);
        }
        let mut gone: Vec<usize> = positions.iter().map(seat).collect();
        gone.sort_unstable();
        let (mut gone, mut at) = (gone.into_iter().peekable(), 0);
        row.tokens.retain(|_| {
            at += 1;
            gone.next_if_eq(&(at - 1)).is_none()
        });
    }

    /// All tokens of a place leave.
    pub fn cleared(&mut self, place: PlaceId) {
        let Some((discipline, row)) = self.rows[place.at()].as_deref_mut() else { return };
        if row.tokens.is_empty() {
            return;
        }
        row.changes(place, &mut self.changed);
        for (_, number) in row.tokens.drain(..) {
            forget(&mut self.present, *discipline, number);
            row.went.push(number);
        }
    }

    /// The number of the token at a position.
    pub fn at(&self, place: PlaceId, position: usize) -> u64 {
        let (discipline, row) = self.rows[place.at()].as_deref().expect("a place whose tokens are told apart");
        let seat = if *discipline == Discipline::Lifo { row.tokens.len() - 1 - position } else { position };
        row.tokens[seat].1
    }

    /// The position of a token in its place, if it is there.
    pub fn position(&self, place: PlaceId, number: u64) -> Option<usize> {
        let (discipline, row) = self.rows[place.at()].as_deref()?;
        let noted = || self.present.find(&[number][..]).map(|group| self.present[group]);
        let in_order = |entry| row.tokens.binary_search(&entry).ok();
        match discipline {
            Discipline::Bag => Some(noted()?.0 as usize),
            Discipline::Key => in_order((noted()?, number)),
            Discipline::Fifo => in_order((Rank::default(), number)),
            Discipline::Lifo => in_order((Rank::default(), number)).map(|seat| row.tokens.len() - 1 - seat),
        }
    }

    /// The tokens that have come to a place since clocks were looked at, perhaps gone again, and those that have gone.
    pub fn changes(&self, place: PlaceId) -> (&[u64], &[u64]) {
        self.rows[place.at()].as_deref().map_or((&[], &[]), |(_, row)| (&row.came, &row.went))
    }

    /// The numbers of the tokens of a place, as `Store::listed` has them.
    pub fn listed(&self, place: PlaceId) -> Vec<u64> {
        let Some((discipline, row)) = self.rows[place.at()].as_deref() else { return Vec::new() };
        let mut numbers: Vec<u64> = row.tokens.iter().map(|(_, number)| *number).collect();
        if *discipline == Discipline::Key {
            numbers.sort_unstable(); // in order of arrival
        }
        numbers
    }

    /// Clocks have been looked at.
    pub fn forget_changes(&mut self) {
        for place in self.changed.drain(..) {
            let Some((_, row)) = self.rows[place].as_deref_mut() else { continue };
            row.came.clear();
            row.went.clear();
        }
    }

    /// Checks the invariants.
    pub fn verify(&self, places: &[PlaceCounters]) -> Verified {
        let mut all = 0;
        for (row, place) in self.rows.iter().zip(places) {
            let Some((discipline, row)) = row.as_deref() else { continue };
            let ascend = row.tokens.iter().zip(row.tokens.iter().skip(1)).all(|(one, next)| one < next);
            let found = || format!("{} numbers of {} tokens", row.tokens.len(), place.tokens);
            let noted = is_noted(*discipline);
            ensure(row.tokens.len() as u64 == place.tokens && (noted || ascend), "rows", found)?;
            if !noted {
                continue;
            }
            all += row.tokens.len();
            let noted = |(seat, (rank, number)): (usize, &(Rank, u64))| {
                let expected = if *discipline == Discipline::Bag { seated(seat) } else { *rank };
                self.present.find(&[*number][..]).map(|group| self.present[group]) == Some(expected)
            };
            let present = row.tokens.iter().enumerate().all(noted);
            ensure(present, "present", || "a token is elsewhere, or not present".to_owned())?;
        }
        self.present.verify()?;
        let known = |at: usize| self.changed.contains(&at);
        let changed = |row: &Row| !row.came.is_empty() || !row.went.is_empty();
        let mut rows = self.rows.iter().enumerate().filter_map(|(at, row)| Some((at, &row.as_deref()?.1)));
        let right = rows.all(|(at, row)| changed(row) == known(at));
        ensure(right, "changed", || format!("{:?}", self.changed))?;
        let present = self.present.in_use().len();
        ensure(all == present, "present", || format!("{present} instead of {all}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::invariant::broken;
    use crate::base::random::Random;

    const DISCIPLINES: [Discipline; 4] = [Discipline::Bag, Discipline::Fifo, Discipline::Lifo, Discipline::Key];

    /// A place of each discipline.
    fn identities() -> Identities {
        let rows = DISCIPLINES.iter().map(|&discipline| Some(Box::new((discipline, Row::default())))).collect();
        Identities { rows, present: KeyTable::hashed(1), next: 0, changed: Vec::new() }
    }

    fn counters(model: &[Vec<(Rank, u64)>]) -> Vec<PlaceCounters> {
        model.iter().map(|row| PlaceCounters { tokens: row.len() as u64, ..PlaceCounters::default() }).collect()
    }

    #[test]
    fn numbers_follow_their_tokens() {
        let (mut random, mut identities) = (Random::new([4, 5, 6]), identities());
        // (Rank, number) by position: seats of a bag, else in the order in which the place shows its tokens.
        let mut model: Vec<Vec<(Rank, u64)>> = vec![Vec::new(); DISCIPLINES.len()];
        for number in 0..4000 {
            let kind = random.equal_choice(4) as usize;
            let rank = if DISCIPLINES[kind] == Discipline::Key {
                (random.equal_choice(3), random.equal_choice(2))
            } else {
                (0, 0)
            };
            let place = PlaceId(kind as u32);
            identities.arrives(place, rank);
            let row = &mut model[kind];
            match DISCIPLINES[kind] {
                Discipline::Bag | Discipline::Fifo => row.push((rank, number)),
                Discipline::Lifo => row.insert(0, (rank, number)),
                Discipline::Key => {
                    row.push((rank, number));
                    row.sort_unstable();
                }
            }
            if random.equal_choice(2) == 0 {
                let position = random.equal_choice(row.len() as u64) as usize;
                identities.leaves(place, position);
                let (_, gone) = match DISCIPLINES[kind] {
                    Discipline::Bag => row.swap_remove(position),
                    _ => row.remove(position),
                };
                assert_eq!(identities.position(place, gone), None);
                assert!(identities.changes(place).1.contains(&gone));
            }
            if random.equal_choice(300) == 0 {
                identities.cleared(place);
                row.clear();
            }
            if random.equal_choice(40) == 0 && DISCIPLINES[kind] != Discipline::Bag {
                let goes: Vec<bool> = row.iter().map(|_| random.equal_choice(3) == 0).collect();
                let gone: Vec<u64> = (0..row.len()).filter(|&one| goes[one]).map(|one| one as u64).collect();
                identities.leave_all(place, &gone);
                let mut goes = goes.into_iter();
                row.retain(|_| !goes.next().unwrap_or(false));
            }
            if random.equal_choice(50) == 0 {
                identities.forget_changes();
            }
            for (position, &(_, number)) in row.iter().enumerate() {
                assert_eq!(
                    (identities.at(place, position), identities.position(place, number)),
                    (number, Some(position))
                );
            }
            assert_eq!(identities.verify(&counters(&model)), Ok(()));
        }
    }

    #[test]
    fn damage_is_found() {
        let place = PlaceId(0);
        let mut identities = identities();
        (0..3).for_each(|_| identities.arrives(place, (0, 0)));
        let mut model = vec![vec![((0, 0), 0); 3], Vec::new(), Vec::new(), Vec::new()];
        assert_eq!(identities.verify(&counters(&model)), Ok(()));
        model[0].pop();
        assert_eq!(broken(identities.verify(&counters(&model))), "rows");
        model[0].push(((0, 0), 0));
        identities.present.enter(&[7][..]);
        assert_eq!(broken(identities.verify(&counters(&model))), "present");
        forget(&mut identities.present, Discipline::Bag, 7);
        let first = identities.present.find(&[0][..]).expect("a token");
        identities.present[first] = (1, 0);
        assert_eq!(broken(identities.verify(&counters(&model))), "present");
        identities.present[first] = (0, 0);
        identities.changed.clear();
        assert_eq!(broken(identities.verify(&counters(&model))), "changed");
    }
}
