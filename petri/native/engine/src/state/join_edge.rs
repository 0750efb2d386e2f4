//! An edge of a join tree: which tokens of a child and of its parent have the same key.
//!
//! **Problem.** A token that arrives at a child, or whose count changes, affects the tokens of the parent that want its key, and
//! vice versa. Tokens of bags change their seats: the last one moves to the seat of one that leaves (S4).
//!
//! **Idea.** Tokens of both sides with the same key are a *group*: the child's are its *members*, in ascending order of their seats,
//! the order of bindings (E7); those of the parent are *wanting*, in no order. Each seat of the parent knows its position
//! there. A token that does not pass its filters has no group. Both sides of a group lie in one record: with the parent's in a
//! `Membership` of its own, as the listed links of joins have it, the benchmark `deliveries` took 4 % longer.
//!
//! If the guard also compares tokens, each seat has its ranks, or thresholds, so that two tokens are compared by two
//! numbers.
//!
//! ```text
//! a(x, y), b(y, z): keys are y       a   seat 0 (1, 7)   seat 1 (2, 8)   seat 2 (3, 7)
//!                                    b   seat 0 (7, 4)   seat 1 (9, 4)   seat 2 (7, 5)
//! group of 7: members 0 2, wanting 0 2      group of 8: wanting 1      group of 9: members 1
//! ```
//!
//! Invariants:
//! - *groups*: each seat has the group of its key, or none if its token does not pass its filters.
//! - *members*: the members of a group are exactly the child's seats of the group, in ascending order.
//! - *wanting*: those that want a group are exactly the parent's seats of the group, and each seat knows its place among them.
//! - *idle*: a key is in use exactly if its group has members, or is wanted.
//! - *ranks*: each seat has the ranks, or thresholds, of its token.
//! - *sums*: the sum of a group is that of the counts of its members.
//! - The [`KeyTable`] holds its own.

use std::collections::BTreeSet;

use crate::base::invariant::{ensure, Verified};
use crate::collections::key_table::KeyTable;
use crate::program::join_tree::EdgeProgram;

/// No group.
const NONE: u32 = u32::MAX;

#[derive(Clone, Debug, Default)]
struct Group {
    members: Vec<u32>,
    wanting: Vec<u32>,
    /// The sum of the counts of its members, modulo 2^128 while they change.
    sum: u128,
}

impl Group {
    fn is_idle(&self) -> bool {
        self.members.is_empty() && self.wanting.is_empty()
    }
}

/// The group that a token of the parent wants, and its position there.
#[derive(Clone, Copy, Debug)]
struct Wish {
    group: u32,
    at: u32,
}

/// The data of a token on one side of an edge.
#[derive(Clone, Debug, Default)]
pub struct Ends {
    /// Whether the token passes its filters; otherwise its key means nothing.
    pub admitted: bool,
    pub key: Vec<u64>,
    /// Ranks or thresholds, one for each comparison.
    pub ranks: Vec<u64>,
}

#[derive(Clone, Debug)]
pub struct Edge {
    /// None where keys have no words: group 0 is that of all tokens.
    keys: Option<KeyTable<()>>,
    groups: Vec<Group>,
    /// The group of each seat of the child.
    homes: Vec<u32>,
    wishes: Vec<Wish>,
    /// For each comparison, by seat of the child, and of the parent.
    ranks: Vec<Vec<u64>>,
    thresholds: Vec<Vec<u64>>,
    /// Of each seat of the parent, where there are conditions: the sum of the counts of the child's tokens that match
    /// it.
    pub matched: Vec<u128>,
}

impl Edge {
    pub fn new(plan: &EdgeProgram) -> Self {
        let columns = vec![Vec::new(); plan.orders.len()];
        Edge {
            keys: (!plan.slots.is_empty()).then(|| KeyTable::hashed(plan.slots.len())),
            groups: Vec::new(),
            homes: Vec::new(),
            wishes: Vec::new(),
            ranks: columns.clone(),
            thresholds: columns,
            matched: Vec::new(),
        }
    }

    /// The group of a key that is in use from now on.
    fn enter(&mut self, end: &Ends) -> u32 {
        if !end.admitted {
            return NONE;
        }
        let group = self.keys.as_mut().map_or(0, |keys| keys.enter(&end.key[..]));
        if group as usize >= self.groups.len() {
            self.groups.resize_with(group as usize + 1, Group::default);
        }
        group
    }

    /// A group without members that no token wants returns its number.
    fn release(&mut self, group: u32) {
        let Some(keys) = self.keys.as_mut().filter(|_| group != NONE) else { return };
        if self.groups[group as usize].is_idle() {
            keys.forget(group);
        }
    }

    // ------------------------------------------------------------ the child

    /// A token is added at the end of the child's row.
    pub fn child_arrives(&mut self, end: &Ends) {
        let (group, seat) = (self.enter(end), self.homes.len() as u32);
        self.homes.push(group);
        self.ranks.iter_mut().zip(&end.ranks).for_each(|(column, &rank)| column.push(rank));
        if group != NONE {
            self.groups[group as usize].members.push(seat);
        }
    }

    /// The token of a seat of the child leaves, and the last one moves there.
    pub fn child_leaves(&mut self, seat: u32) {
        let last = self.homes.len() as u32 - 1;
        let (gone, moved) = (self.homes[seat as usize], self.homes[last as usize]);
        if gone != moved {
            self.drop_member(gone, seat);
            self.move_last(moved, seat);
        } else if gone != NONE {
            self.groups[gone as usize].members.pop();
        }
        self.homes.swap_remove(seat as usize);
        self.ranks.iter_mut().for_each(|column| _ = column.swap_remove(seat as usize));
        self.release(gone);
    }

    fn drop_member(&mut self, group: u32, seat: u32) {
        if group != NONE {
            let members = &mut self.groups[group as usize].members;
            let at = members.partition_point(|&other| other < seat);
            members.remove(at);
        }
    }

    /// The greatest seat of a group becomes a smaller one.
    fn move_last(&mut self, group: u32, seat: u32) {
        if group != NONE {
            let members = &mut self.groups[group as usize].members;
            members.pop();
            let at = members.partition_point(|&other| other < seat);
            members.insert(at, seat);
        }
    }

    /// The group of a seat of the child, whose token passes its filters.
    pub fn home(&self, seat: u32) -> u32 {
        self.homes[seat as usize]
    }

    // ------------------------------------------------------------ the parent

    /// A token is added at the end of the parent's row.
    pub fn parent_arrives(&mut self, end: &Ends) {
        let (group, seat) = (self.enter(end), self.wishes.len() as u32);
        self.thresholds.iter_mut().zip(&end.ranks).for_each(|(column, &threshold)| column.push(threshold));
        self.matched.push(0);
        let mut at = 0;
        if group != NONE {
            let wanting = &mut self.groups[group as usize].wanting;
            at = wanting.len() as u32;
            wanting.push(seat);
        }
        self.wishes.push(Wish { group, at });
    }

    /// The token of a seat of the parent leaves, and the last one moves there.
    pub fn parent_leaves(&mut self, seat: u32) {
        let Wish { group: gone, at } = self.wishes[seat as usize];
        if gone != NONE {
            let wanting = &mut self.groups[gone as usize].wanting;
            wanting.swap_remove(at as usize);
            if let Some(&moved) = wanting.get(at as usize) {
                self.wishes[moved as usize].at = at;
            }
        }
        let last = self.wishes[self.wishes.len() - 1];
        if seat as usize != self.wishes.len() - 1 && last.group != NONE {
            self.groups[last.group as usize].wanting[last.at as usize] = seat;
        }
        self.wishes.swap_remove(seat as usize);
        self.matched.swap_remove(seat as usize);
        self.thresholds.iter_mut().for_each(|column| _ = column.swap_remove(seat as usize));
        self.release(gone);
    }

    /// The child's seats with the key that a seat of the parent wants, in ascending order.
    pub fn members(&self, parent: u32) -> &[u32] {
        match self.wishes[parent as usize].group {
            NONE => &[],
            group => &self.groups[group as usize].members,
        }
    }

    /// The parent's seats that want a group.
    pub fn wanting(&self, group: u32) -> &[u32] {
        &self.groups[group as usize].wanting
    }

    // ------------------------------------------------------------ counts

    /// The count of a member of a group has become greater by `more`, modulo 2^128.
    pub fn add(&mut self, group: u32, more: u128) {
        let sum = &mut self.groups[group as usize].sum;
        *sum = sum.wrapping_add(more);
    }

    /// The child's tokens for a seat of the parent, each as often as it counts.
    #[inline]
    pub fn count(&self, plan: &EdgeProgram, parent: u32) -> u128 {
        match self.wishes[parent as usize].group {
            NONE => 0,
            group if plan.is_plain() => self.groups[group as usize].sum,
            _ => self.matched[parent as usize],
        }
    }

    /// Whether the ranks of a token of the child reach the thresholds of one of the parent.
    #[inline]
    pub fn reaches(&self, plan: &EdgeProgram, parent: u32, child: u32) -> bool {
        plan.orders.iter().zip(self.ranks.iter().zip(&self.thresholds)).all(|(order, (ranks, thresholds))| {
            let (rank, threshold) = (ranks[child as usize], thresholds[parent as usize]);
            rank > threshold || (rank == threshold && !order.strict)
        })
    }

    // ------------------------------------------------------------ invariants

    /// Checks the invariants, given the data that tokens of the child and of the parent must have, by seat, and the
    /// counts of the child's tokens.
    pub fn verify(&self, children: &[Ends], parents: &[Ends], counts: impl Fn(u32) -> u128) -> Verified {
        self.keys.as_ref().map_or(Ok(()), KeyTable::verify)?;
        let group = |end: &Ends| match &self.keys {
            _ if !end.admitted => Some(NONE),
            Some(keys) => keys.find(&end.key[..]),
            None => Some(0),
        };
        let homes: Option<Vec<u32>> = children.iter().map(group).collect();
        let wishes: Option<Vec<u32>> = parents.iter().map(group).collect();
        let found: Vec<u32> = self.wishes.iter().map(|wish| wish.group).collect();
        let same = homes.as_ref() == Some(&self.homes) && wishes.as_ref() == Some(&found);
        ensure(same, "groups", || format!("{:?} and {found:?} instead of {homes:?} and {wishes:?}", self.homes))?;
        if let Some(keys) = &self.keys {
            let in_use: BTreeSet<u32> = keys.in_use().into_iter().collect();
            let wanted = |group: &u32| !self.groups[*group as usize].is_idle();
            let right = in_use.iter().copied().eq((0..self.groups.len() as u32).filter(wanted));
            ensure(right, "idle", || format!("{in_use:?} are in use"))?;
        }
        for group in 0..self.groups.len() as u32 {
            self.verify_group(group, &counts)?;
        }
        for (columns, ends) in [(&self.ranks, children), (&self.thresholds, parents)] {
            for (number, column) in columns.iter().enumerate() {
                let right = ends.iter().zip(column).all(|(ends, &rank)| ends.ranks.get(number) == Some(&rank));
                ensure(right && column.len() == ends.len(), "ranks", || format!("{column:?}"))?;
            }
        }
        Ok(())
    }

    fn verify_group(&self, group: u32, counts: &impl Fn(u32) -> u128) -> Verified {
        let Group { members, wanting, sum } = &self.groups[group as usize];
        let homes = (0..self.homes.len() as u32).filter(|&seat| self.homes[seat as usize] == group);
        ensure(members.iter().copied().eq(homes), "members", || format!("{members:?} of group {group}"))?;
        let wishes = self.wishes.iter().enumerate().filter(|(_, wish)| wish.group == group);
        let mut number = 0;
        for (seat, wish) in wishes {
            let right = wanting.get(wish.at as usize) == Some(&(seat as u32));
            ensure(right, "wanting", || format!("seat {seat} is not at {} of group {group}", wish.at))?;
            number += 1;
        }
        ensure(number == wanting.len(), "wanting", || format!("{wanting:?} want group {group}, not {number}"))?;
        let total: u128 = members.iter().map(|&seat| counts(seat)).sum();
        ensure(*sum == total, "sums", || format!("{sum} of group {group} instead of {total}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::invariant::broken;
    use crate::program::expression::{Int, Value};
    use crate::program::join_tree::OrderProgram;

    fn plan() -> EdgeProgram {
        let zero = || Value::Int(Int::Const(0));
        let order = OrderProgram { threshold: zero(), rank: zero(), reversed: false, strict: true };
        EdgeProgram {
            parent: 0,
            slots: vec![0],
            wanted: vec![zero()],
            orders: vec![order],
            test: None,
            distinct: false,
        }
    }

    fn end(number: u64) -> Ends {
        Ends { admitted: number != 4, key: vec![number % 3], ranks: vec![number] }
    }

    #[test]
    fn ranks_reach_thresholds() {
        let mut edge = Edge::new(&plan());
        let end = |number| Ends { admitted: true, key: vec![7], ranks: vec![number] };
        (0..3).for_each(|number| edge.child_arrives(&end(number)));
        edge.parent_arrives(&end(1));
        let reaching = edge.members(0).iter().filter(|&&child| edge.reaches(&plan(), 0, child));
        assert_eq!(reaching.collect::<Vec<_>>(), [&2]);
    }

    #[test]
    fn damage_is_found() {
        let damaged = |damage: fn(&mut Edge)| {
            let mut edge = Edge::new(&plan());
            let (children, parents): (Vec<Ends>, Vec<Ends>) = ((0..9).map(end).collect(), (0..7).map(end).collect());
            children.iter().for_each(|end| edge.child_arrives(end));
            parents.iter().for_each(|end| edge.parent_arrives(end));
            edge.groups.iter_mut().for_each(|group| group.sum = group.members.len() as u128);
            assert_eq!(edge.verify(&children, &parents, |_| 1), Ok(()));
            damage(&mut edge);
            broken(edge.verify(&children, &parents, |_| 1))
        };
        assert_eq!(damaged(|edge| edge.homes[2] = 0), "groups");
        assert_eq!(damaged(|edge| edge.wishes[2].group = 0), "groups");
        assert_eq!(damaged(|edge| edge.groups[0].members.swap(0, 1)), "members");
        assert_eq!(damaged(|edge| edge.groups[0].wanting.swap(0, 1)), "wanting");
        assert_eq!(damaged(|edge| _ = edge.keys.as_mut().map(|keys| keys.enter(&[9][..]))), "idle");
        assert_eq!(damaged(|edge| edge.ranks[0][1] = 5), "ranks");
        assert_eq!(damaged(|edge| edge.thresholds[0][1] = 5), "ranks");
        assert_eq!(damaged(|edge| edge.groups[0].sum = 1), "sums");
    }
}
