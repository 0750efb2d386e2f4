//! The links of a join: which seats of the pivot wait for which group of a keyed arc's tokens. `state/join.rs` explains joins.
//!
//! **Problem.** When the number of tokens in a group changes, all seats of the pivot that wait for the group are weighed anew. Seats
//! come and go at the end of the row; the last one moves to the seat of one that leaves (S4).
//!
//! **Idea.** Most joins have one link, to another place. Its seats are a doubly linked list through the row, with a head for each
//! group, which machine code follows: all that is known of a seat is in one record. Elsewhere the weight of a seat depends on its
//! groups by other links too. These are fetched for all seats of a list together, so each group has its seats in one piece
//! ([`Membership`]).
//!
//! Invariants:
//! - *lists*: the list of each group has exactly the seats of this group, and its backward links mirror its forward links.
//! - *waiting*: the index knows a link to wait for a group exactly if the list of this group is not empty.
//! - [`Membership`] holds its own.

use std::mem::offset_of;

use crate::base::cache::fetch;
use crate::base::ids::IndexId;
use crate::base::invariant::{ensure, Verified};
use crate::base::row::Row;
use crate::base::table::Table;
use crate::collections::membership::Membership;
use crate::program::join::{JoinProgram, LinkProgram};
use crate::state::index::{Index, NONE};

/// A seat of the pivot as a link knows it, in a list of those that have the same key.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(8))]
pub struct Seat {
    pub next: u32,
    pub previous: u32,
    pub group: u32,
    /// Whether its token passes the filter: 1 or 0.
    pub admitted: u32,
}

/// The pivot's seats, for one link.
#[derive(Clone, Debug, Default)]
#[repr(C)]
pub struct Link {
    pub seats: Row<Seat>,
    /// The first seat of each group.
    pub heads: Row<u32>,
    pub index: IndexId,
    /// The bit by which the index knows the link.
    pub bit: u32,
}

impl Link {
    fn new(program: &LinkProgram, indices: &Table<IndexId, Index>) -> Self {
        let heads = Row::of(NONE, indices[program.index].groups());
        Link { seats: Row::default(), heads, index: program.index, bit: program.bit }
    }

    /// A seat at the end of the row.
    #[inline(always)]
    pub fn push(&mut self, group: u32, admitted: u32) {
        self.heads.reach(group as usize + 1, NONE);
        let seat = self.seats.len() as u32;
        let next = std::mem::replace(&mut self.heads[group], seat);
        if next != NONE {
            self.seats[next].previous = seat;
        }
        self.seats.push(Seat { group, next, previous: NONE, admitted });
    }

    /// The last seat moves to one whose token has left. Returns the group of that token, if it has no seats left.
    #[inline(always)]
    fn swap_remove(&mut self, seat: u32) -> Option<u32> {
        let Seat { group, next, previous, .. } = self.seats[seat];
        self.connect(group, previous, next);
        if next != NONE {
            self.seats[next].previous = previous;
        }
        let last = self.seats.len() as u32 - 1;
        if seat != last {
            let moved = self.seats[last];
            self.seats[seat] = moved;
            self.connect(moved.group, moved.previous, seat);
            if moved.next != NONE {
                self.seats[moved.next].previous = seat;
            }
        }
        self.seats.pop();
        (previous == NONE && next == NONE).then_some(group)
    }

    /// The seat behind a seat of a group, or its first.
    #[inline(always)]
    fn connect(&mut self, group: u32, previous: u32, next: u32) {
        if previous == NONE {
            self.heads[group] = next;
        } else {
            self.seats[previous].next = next;
        }
    }
}

/// A link that is not alone.
#[derive(Debug)]
pub struct Several {
    /// The groups of the pivot's seats. A seat whose token does not pass the filter has none.
    pub seats: Membership,
    index: IndexId,
    /// The bit by which the index knows the link.
    bit: u32,
}

/// The links of a join: one that is alone, in the join itself, or several.
#[derive(Debug)]
#[repr(C)]
pub struct Links {
    /// Empty, and not used, unless the link is alone.
    pub only: Link,
    pub several: Vec<Several>,
    alone: bool,
}

impl Links {
    pub const ONLY: usize = offset_of!(Links, only);

    /// `crowded`: arcs share their place.
    pub fn of(programs: &[LinkProgram], crowded: bool, indices: &Table<IndexId, Index>) -> Self {
        let one = |link: &LinkProgram| Several { seats: Membership::default(), index: link.index, bit: link.bit };
        match programs {
            [link] if !crowded => Links { only: Link::new(link, indices), several: Vec::new(), alone: true },
            _ => Links { only: Link::default(), several: programs.iter().map(one).collect(), alone: false },
        }
    }

    /// Whether there is exactly one, and no arcs share their place.
    #[inline(always)]
    pub fn alone(&self) -> bool {
        self.alone
    }

    /// The group that a seat waits for by a link, or `NONE`.
    #[inline(always)]
    pub fn group(&self, link: usize, seat: u32) -> u32 {
        if self.alone {
            self.only.seats[seat].group
        } else {
            self.several[link].seats.group(seat)
        }
    }

    /// A seat of the pivot comes to the end of the row.
    #[inline(always)]
    pub fn push(&mut self, link: usize, group: u32, admitted: bool) {
        if self.alone {
            self.only.push(group, u32::from(admitted));
        } else {
            self.several[link].seats.push(if admitted { group } else { NONE });
        }
    }

    /// The last seat moves to one whose token has left.
    #[inline(always)]
    pub fn swap_remove(&mut self, indices: &mut Table<IndexId, Index>, seat: u32) {
        if self.alone {
            if let Some(group) = self.only.swap_remove(seat) {
                indices[self.only.index].unwant(group, self.only.bit);
            }
        }
        for link in &mut self.several {
            let group = link.seats.swap_remove(seat);
            if group != NONE && link.seats.seats(group).is_empty() {
                indices[link.index].unwant(group, link.bit);
            }
        }
    }

    /// Fetches what leads to a group's seats into the cache.
    #[inline(always)]
    pub fn fetch_head(&self, link: usize, group: u32) {
        if self.alone {
            self.only.heads.fetch(group);
        } else {
            self.several[link].seats.fetch_list(group);
        }
    }
}

impl Links {
    /// The seat that comes first in a group's list, and the one behind a seat, or `NONE`. There may be no such group or seat.
    #[inline(always)]
    pub fn first_seat(&self, link: usize, group: u32) -> u32 {
        let found = match self.several.get(link) {
            Some(link) => link.seats.seats(group).first(),
            None => self.only.heads.all().get(group as usize),
        };
        found.copied().unwrap_or(NONE)
    }

    #[inline(always)]
    pub fn next_seat(&self, link: usize, seat: u32) -> u32 {
        match self.several.get(link) {
            Some(link) => link.seats.next(seat).unwrap_or(NONE),
            None => self.only.seats.all().get(seat as usize).map_or(NONE, |seat| seat.next),
        }
    }

    #[inline(always)]
    pub fn fetch_seat(&self, link: usize, seat: u32) {
        match self.several.get(link) {
            Some(link) => link.seats.fetch(seat),
            None => self.only.seats.fetch(seat),
        }
    }

    /// The links but one, with their plans. None is alone.
    #[inline(always)]
    fn others<'a>(
        &'a self,
        program: &'a JoinProgram,
        link: usize,
    ) -> impl Iterator<Item = (&'a Several, &'a LinkProgram)> {
        let all = self.several.iter().zip(&program.links).enumerate();
        all.filter(move |(number, _)| *number != link).map(|(_, other)| other)
    }

    /// Fetches the groups that some seats of a link wait for by the others, and then their buckets.
    #[inline(always)]
    pub fn fetch_others(&self, program: &JoinProgram, indices: &Table<IndexId, Index>, link: usize, seats: &[u32]) {
        for (other, _) in self.others(program, link) {
            seats.iter().for_each(|&seat| other.seats.fetch(seat));
        }
        for (other, plan) in self.others(program, link) {
            let groups = seats.iter().map(|&seat| other.seats.group(seat)).filter(|&group| group != NONE);
            groups.for_each(|group| fetch(indices[plan.index].bucket(group)));
        }
    }

    /// The number of choices of the other links with the token of a seat of one, where all arcs are of different places.
    #[inline(always)]
    pub fn choices_of_others(
        &self,
        program: &JoinProgram,
        indices: &Table<IndexId, Index>,
        link: usize,
        seat: u32,
    ) -> u64 {
        let others = self.others(program, link);
        others.map(|(other, plan)| indices[plan.index].len(other.seats.group(seat)) as u64).product()
    }

    /// The number of choices with the token of a seat whose links are not alone.
    #[inline]
    pub fn choices(&self, program: &JoinProgram, indices: &Table<IndexId, Index>, seat: u32) -> u64 {
        let mut number = 1;
        for (link, plan) in self.several.iter().zip(&program.links) {
            let group = link.seats.group(seat);
            if group == NONE {
                return 0;
            }
            let used = if program.crowded { self.used(indices, plan, seat, group) } else { 0 };
            number *= (indices[plan.index].len(group) as u64).saturating_sub(used);
        }
        number
    }

    /// How many tokens of a link's group the arcs before it have found for a seat: those of the same place and group (E1).
    pub fn used(&self, indices: &Table<IndexId, Index>, link: &LinkProgram, seat: u32, group: u32) -> u64 {
        let own = link.beside_pivot && indices[link.index].group_of(seat) == group;
        let alike = link.beside.iter().filter(|&&other| self.group(other, seat) == group);
        u64::from(own) + alike.count() as u64
    }
}

// ------------------------------------------------------------ invariants

impl Links {
    /// The number of seats of each link.
    pub fn lens(&self) -> impl Iterator<Item = usize> + '_ {
        let only = self.alone.then(|| self.only.seats.len());
        only.into_iter().chain(self.several.iter().map(|link| link.seats.len()))
    }

    /// Checks the lists against the groups of seats, and both against the index.
    pub fn verify(&self, programs: &[LinkProgram], indices: &Table<IndexId, Index>) -> Verified {
        programs.iter().enumerate().try_for_each(|(number, plan)| {
            let index = &indices[plan.index];
            let (own, bit) = match self.several.get(number) {
                Some(link) => (link.index, link.bit),
                None => (self.only.index, self.only.bit),
            };
            let same = (own, bit) == (plan.index, plan.bit);
            ensure(same, "waiting", || format!("link {number} has bit {bit:#b} of {own:?}"))?;
            let found = if self.alone { self.only.verify(index) } else { self.several[number].verify(index) };
            found.map_err(|error| format!("{error}, link {number}"))
        })
    }
}

impl Several {
    fn verify(&self, index: &Index) -> Verified {
        self.seats.verify()?;
        (0..index.groups() as u32).try_for_each(|group| {
            let waiting = index.waiting(group) & self.bit != 0;
            let right = waiting != self.seats.seats(group).is_empty();
            ensure(right, "waiting", || format!("group {group} is waited for: {waiting}"))
        })
    }
}

impl Link {
    /// Checks lists against groups, and both against the index.
    fn verify(&self, index: &Index) -> Verified {
        let mut listed = 0;
        for group in 0..index.groups() as u32 {
            let (mut previous, mut seat) = (NONE, self.heads.all().get(group as usize).copied().unwrap_or(NONE));
            let waiting = index.waiting(group) & self.bit != 0;
            ensure(waiting == (seat != NONE), "waiting", || format!("group {group} is waited for: {waiting}"))?;
            while seat != NONE {
                let found = || format!("group {group} leads to seat {seat} behind {previous}");
                let state = self.seats.all().get(seat as usize);
                let right = state.is_some_and(|state| (state.group, state.previous) == (group, previous));
                listed += 1;
                ensure(right && listed <= self.seats.len(), "lists", found)?;
                (previous, seat) = (seat, self.seats[seat].next);
            }
        }
        ensure(listed == self.seats.len(), "lists", || format!("{listed} of {} seats", self.seats.len()))
    }
}
