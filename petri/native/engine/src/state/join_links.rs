//! The links of a join: which seats of the pivot wait for which group of a keyed arc's tokens. `state/join.rs` explains joins.
//!
//! **Problem.** When the number of tokens in a group changes, all seats of the pivot that wait for the group are weighed anew. Seats
//! come and go at the end of the row; the last one moves to the seat of one that leaves (S4).
//!
//! **Idea.** The seats of a group are a doubly linked list through the row, with a head for each group: all that is known of a seat is
//! in one record, and machine code follows the list where there is one link and no arcs share a place. But such a list is
//! read one record after the other. Where the pivot's token stays (it is only read), seats hardly ever come or go, while
//! the weights depend on the groups of several links: there each group *lists* its seats in one piece ([`Membership`]), and
//! what is known of them is fetched for all of them together. How many of its groups are empty is a byte of each seat. So most
//! changes do not have to look at the groups of other links, which lie far apart: as long as one of them is empty, the weight
//! stays 0, and where no group has more than one token, it is 1 otherwise.
//!
//! Invariants:
//! - *lists*: the list of each group has exactly the seats of this group, and its backward links mirror its forward links.
//! - *waiting*: the index knows a link to wait for a group exactly if the list of this group is not empty.
//! - *empty*: each admitted seat knows how many of its groups are empty, if links are listed; a seat that is not admitted has 0.
//! - *most*: no group that is waited for by a listed link has more tokens than the link says.
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

/// The index that a link looks tokens up in, and the bit by which the index knows the link.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Target {
    pub index: IndexId,
    pub bit: u32,
}

impl Target {
    fn of(program: &LinkProgram) -> Self {
        Target { index: program.index, bit: program.bit }
    }

    /// No seat waits for a group any more.
    #[inline(always)]
    fn unwant(self, indices: &mut Table<IndexId, Index>, group: u32) {
        indices[self.index].unwant(group, self.bit);
    }
}

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
    pub target: Target,
}

impl Link {
    fn new(program: &LinkProgram, indices: &Table<IndexId, Index>) -> Self {
        let heads = Row::of(NONE, indices[program.index].groups());
        Link { seats: Row::default(), heads, target: Target::of(program) }
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

/// A link that lists the seats of each group.
#[derive(Clone, Debug)]
pub struct ListedLink {
    /// The groups of the pivot's seats. A seat whose token does not pass the filter has none.
    pub seats: Membership,
    target: Target,
    /// The most tokens that a group had while seats waited for it.
    pub most: usize,
}

/// The links of a join. The first is in the join itself, since most joins have only one.
#[derive(Clone, Debug)]
#[repr(C)]
pub struct Links {
    /// Not used if there are no links, or if they are listed.
    pub first: Link,
    /// There is exactly one link, and no arcs share their place.
    pub alone: bool,
    /// The number of links that are not listed.
    linked: u32,
    others: Vec<Link>,
    pub listed: Vec<ListedLink>,
    /// How many groups of each seat are empty, if links are listed.
    pub empty: Row<u8>,
}

impl Links {
    pub const FIRST: usize = offset_of!(Links, first);

    pub fn new(program: &JoinProgram, indices: &Table<IndexId, Index>) -> Self {
        let listed = |link| ListedLink { seats: Membership::default(), target: Target::of(link), most: 0 };
        if program.is_listed() {
            let listed = program.links.iter().map(listed).collect();
            return Links {
                first: Link::default(),
                others: Vec::new(),
                listed,
                linked: 0,
                alone: false,
                empty: Row::default(),
            };
        }
        let mut links = program.links.iter().map(|link| Link::new(link, indices));
        let first = links.next().unwrap_or_default();
        let alone = program.links.len() == 1 && !program.crowded;
        let others = links.collect();
        Links { first, others, listed: Vec::new(), linked: program.links.len() as u32, alone, empty: Row::default() }
    }

    #[inline(always)]
    fn all_linked(&self) -> impl Iterator<Item = &Link> {
        std::iter::once(&self.first).chain(&self.others).take(self.linked as usize)
    }

    #[inline(always)]
    pub fn at(&self, link: usize) -> &Link {
        if link == 0 {
            &self.first
        } else {
            &self.others[link - 1]
        }
    }

    /// The group that a seat waits for by a link. If it is listed, and its token does not pass the filter, it is `NONE`.
    #[inline(always)]
    pub fn group(&self, link: usize, seat: u32) -> u32 {
        match self.listed.get(link) {
            Some(link) => link.seats.group(seat),
            None => self.at(link).seats[seat].group,
        }
    }

    /// Whether the token of a seat passes the filter, as far as links know.
    #[inline(always)]
    pub fn admitted(&self, seat: u32) -> bool {
        match self.listed.first() {
            Some(link) => link.seats.group(seat) != NONE,
            None => self.linked == 0 || self.first.seats[seat].admitted == 1,
        }
    }

    // ------------------------------------------------------------ seats

    /// A seat of the pivot comes to the end of the row, by one link after the other. Its group has that many tokens.
    #[inline(always)]
    pub fn push(&mut self, link: usize, group: u32, admitted: bool, tokens: usize) {
        match (self.listed.get_mut(link), link) {
            (Some(listed), _) => {
                listed.seats.push(if admitted { group } else { NONE });
                listed.most = listed.most.max(tokens);
                if link == 0 {
                    self.empty.push(0);
                }
                let seat = self.empty.len() as u32 - 1;
                self.empty[seat] += u8::from(admitted && tokens == 0);
            }
            (None, 0) => self.first.push(group, u32::from(admitted)),
            _ => self.others[link - 1].push(group, u32::from(admitted)),
        }
    }

    /// The last seat moves to one whose token has left.
    #[inline(always)]
    pub fn swap_remove(&mut self, indices: &mut Table<IndexId, Index>, seat: u32) {
        if let Some(&last) = self.empty.all().last() {
            self.empty[seat] = last;
            self.empty.pop();
        }
        for link in &mut self.listed {
            let group = link.seats.swap_remove(seat);
            if group != NONE && link.seats.seats(group).is_empty() {
                link.target.unwant(indices, group);
            }
        }
        for link in std::iter::once(&mut self.first).chain(&mut self.others).take(self.linked as usize) {
            if let Some(group) = link.swap_remove(seat) {
                link.target.unwant(indices, group);
            }
        }
    }

    // ------------------------------------------------------------ prefetching

    /// Fetches what leads to a group's seats into the cache.
    #[inline(always)]
    pub fn fetch_head(&self, link: usize, group: u32) {
        match self.listed.get(link) {
            Some(link) => link.seats.fetch_list(group),
            None => self.at(link).heads.fetch(group),
        }
    }

    /// The seat that comes first in a group's list, and the one behind a seat, or `NONE`. There may be no such group or seat.
    #[inline(always)]
    pub fn first_seat(&self, link: usize, group: u32) -> u32 {
        let found = match self.listed.get(link) {
            Some(link) => link.seats.seats(group).first(),
            None => self.at(link).heads.all().get(group as usize),
        };
        found.copied().unwrap_or(NONE)
    }

    #[inline(always)]
    pub fn next_seat(&self, link: usize, seat: u32) -> u32 {
        match self.listed.get(link) {
            Some(link) => link.seats.next(seat).unwrap_or(NONE),
            None => self.at(link).seats.all().get(seat as usize).map_or(NONE, |seat| seat.next),
        }
    }

    #[inline(always)]
    pub fn fetch_seat(&self, link: usize, seat: u32) {
        match self.listed.get(link) {
            Some(link) => link.seats.fetch(seat),
            None => self.at(link).seats.fetch(seat),
        }
    }

    /// Fetches what a seat chooses from, by all links that are listed at once: it lies far apart.
    #[inline(always)]
    pub fn fetch_choices(&self, indices: &Table<IndexId, Index>, seat: u32) {
        self.listed.iter().for_each(|link| link.seats.fetch(seat));
        self.listed.iter().for_each(|link| indices[link.target.index].fetch_bucket(link.seats.group(seat)));
    }

    // ------------------------------------------------------------ counts

    /// The number of choices with the token of a seat, if it passes the filter.
    #[inline]
    pub fn choices(&self, program: &JoinProgram, indices: &Table<IndexId, Index>, seat: u32) -> u64 {
        if !self.admitted(seat) {
            return 0;
        }
        let choices = |plan: &LinkProgram, group: u32| {
            let used = if program.crowded { self.used(indices, plan, seat, group) } else { 0 };
            (indices[plan.index].len(group) as u64).saturating_sub(used)
        };
        if self.listed.is_empty() {
            let linked = self.all_linked().zip(&program.links);
            return linked.map(|(link, plan)| choices(plan, link.seats[seat].group)).product();
        }
        let listed = self.listed.iter().zip(&program.links);
        listed.map(|(link, plan)| choices(plan, link.seats.group(seat))).product()
    }

    /// How many tokens of a link's group the arcs before it have found for a seat: those of the same place and group (E1).
    pub fn used(&self, indices: &Table<IndexId, Index>, link: &LinkProgram, seat: u32, group: u32) -> u64 {
        let own = link.beside_pivot && indices[link.index].group_of(seat) == group;
        // Links to one place are not listed.
        let alike = link.beside.iter().filter(|&&other| self.at(other).seats[seat].group == group);
        u64::from(own) + alike.count() as u64
    }
}

/// What the links other than one, of those that are listed, say of seats all of whose groups have tokens.
#[derive(Clone, Copy)]
pub struct Others<'l> {
    listed: &'l [ListedLink],
    link: usize,
    /// No group of theirs has more than one token.
    pub are_single: bool,
}

impl<'l> Others<'l> {
    pub fn of(listed: &'l [ListedLink], link: usize) -> Self {
        let mut others = Others { listed, link, are_single: false };
        others.are_single = others.all().all(|other| other.most <= 1);
        others
    }

    #[inline(always)]
    fn all(self) -> impl Iterator<Item = &'l ListedLink> {
        self.listed.iter().enumerate().filter(move |(number, _)| *number != self.link).map(|(_, other)| other)
    }

    /// Fetches the groups of a seat.
    #[inline(always)]
    pub fn fetch_groups(self, seat: u32) {
        self.all().for_each(|other| other.seats.fetch(seat));
    }

    /// Fetches the buckets of these groups.
    #[inline(always)]
    pub fn fetch_buckets(self, indices: &Table<IndexId, Index>, seat: u32) {
        self.all().for_each(|other| fetch(indices[other.target.index].bucket(other.seats.group(seat))));
    }

    /// The number of choices that they have with the token of a seat.
    #[inline(always)]
    pub fn choices(self, indices: &Table<IndexId, Index>, seat: u32) -> u64 {
        if self.are_single {
            return 1;
        }
        self.all().map(|other| indices[other.target.index].len(other.seats.group(seat)) as u64).product()
    }
}

// ------------------------------------------------------------ invariants

impl Links {
    /// The number of seats of each link.
    pub fn lens(&self, program: &JoinProgram) -> Vec<usize> {
        let len = |link: usize| match self.listed.get(link) {
            Some(link) => link.seats.len(),
            None => self.at(link).seats.len(),
        };
        let empty = program.is_listed().then_some(self.empty.len());
        (0..program.links.len()).map(len).chain(empty).collect()
    }

    /// Checks the lists against the groups of seats, and both against the index.
    pub fn verify(&self, programs: &[LinkProgram], indices: &Table<IndexId, Index>) -> Verified {
        programs.iter().enumerate().try_for_each(|(number, plan)| {
            let target = self.listed.get(number).map_or_else(|| self.at(number).target, |link| link.target);
            ensure(target == Target::of(plan), "waiting", || format!("link {number} has {target:?}"))?;
            let index = &indices[plan.index];
            let found = match self.listed.get(number) {
                Some(link) => link.verify(index),
                None => self.at(number).verify(index),
            };
            found.map_err(|error| format!("{error}, link {number}"))
        })
    }
}

impl ListedLink {
    fn verify(&self, index: &Index) -> Verified {
        self.seats.verify()?;
        (0..index.groups() as u32).try_for_each(|group| {
            let waiting = index.waiting(group) & self.target.bit != 0;
            let right = waiting != self.seats.seats(group).is_empty();
            ensure(right, "waiting", || format!("group {group} is waited for: {waiting}"))?;
            let few = !waiting || index.len(group) <= self.most;
            ensure(few, "most", || format!("group {group} has {} tokens, and not {}", index.len(group), self.most))
        })
    }
}

impl Link {
    /// Checks lists against groups, and both against the index.
    fn verify(&self, index: &Index) -> Verified {
        let mut listed = 0;
        for group in 0..index.groups() as u32 {
            let (mut previous, mut seat) = (NONE, self.heads.all().get(group as usize).copied().unwrap_or(NONE));
            let waiting = index.waiting(group) & self.target.bit != 0;
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
