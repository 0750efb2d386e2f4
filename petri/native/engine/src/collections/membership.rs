//! The groups of a row of seats, and the seats of each group.
//!
//! **Problem.** Each seat of a row belongs to one group. All seats of a group are wanted at once, and any seat may leave; the last
//! one then moves there.
//!
//! **Idea.** Each group has a list of its seats, in no order, and each seat knows its place in the list. A list lies in one piece, so
//! that what is known of its seats can be fetched for all of them together; a chain from seat to seat could not.
//!
//! ```text
//! seats     0      1      2         lists   group 7: 2 0    group 8: 1
//! group     7      8      7
//! at        1      0      0         seat 0 leaves: seat 2, the last, becomes seat 0 of group 7
//! ```
//!
//! Invariants:
//! - *listed*: the list of a group has exactly the seats of this group, and each seat knows its place there.

use smallvec::SmallVec;

use crate::base::cache::{fetch, LINE};
use crate::base::invariant::{ensure, Verified};
use crate::base::row::Row;

/// The group of a seat that belongs to none.
pub const NONE: u32 = u32::MAX;

/// The seats of a group. A line of the cache has a list of up to `FEW` of them.
#[derive(Clone, Debug, Default)]
#[repr(align(64))]
struct List(SmallVec<[u32; FEW]>);

const FEW: usize = 14;
const _: () = assert!(size_of::<List>() == LINE);

/// The group of a seat, and the place of the seat in its list.
#[derive(Clone, Copy, Debug)]
struct Member {
    group: u32,
    at: u32,
}

#[derive(Clone, Debug, Default)]
pub struct Membership {
    members: Row<Member>,
    lists: Vec<List>,
}

impl Membership {
    /// The number of seats.
    pub fn len(&self) -> usize {
        self.members.len()
    }

    /// The group of a seat, or `NONE`.
    #[inline(always)]
    pub fn group(&self, seat: u32) -> u32 {
        self.members[seat].group
    }

    /// The seats of a group, in no order.
    #[inline(always)]
    pub fn seats(&self, group: u32) -> &[u32] {
        self.lists.get(group as usize).map_or(&[], |list| &list.0)
    }

    /// The seat behind another in the list of its group, if there are such seats.
    #[inline(always)]
    pub fn next(&self, seat: u32) -> Option<u32> {
        let Member { group, at } = self.members.all().get(seat as usize)?;
        self.seats(*group).get(*at as usize + 1).copied()
    }

    /// A seat at the end of the row.
    #[inline]
    pub fn push(&mut self, group: u32) {
        let seat = self.members.len() as u32;
        let mut at = 0;
        if group != NONE {
            if group as usize >= self.lists.len() {
                self.lists.resize_with(group as usize + 1, List::default);
            }
            let List(list) = &mut self.lists[group as usize];
            at = list.len() as u32;
            list.push(seat);
        }
        self.members.push(Member { group, at });
    }

    /// The last seat moves to one that leaves. Returns the group of the latter.
    #[inline]
    pub fn swap_remove(&mut self, seat: u32) -> u32 {
        let Member { group, at } = self.members[seat];
        if group != NONE {
            let List(list) = &mut self.lists[group as usize];
            list.swap_remove(at as usize);
            if let Some(&moved) = list.get(at as usize) {
                self.members[moved].at = at;
            }
        }
        let last = self.members.len() as u32 - 1;
        if seat != last {
            let moved = self.members[last];
            if moved.group != NONE {
                self.lists[moved.group as usize].0[moved.at as usize] = seat;
            }
            self.members[seat] = moved;
        }
        self.members.pop();
        group
    }

    /// Fetches the group of a seat into the cache.
    #[inline(always)]
    pub fn fetch(&self, seat: u32) {
        self.members.fetch(seat);
    }

    /// Fetches the list of a group, or what says where it lies.
    #[inline(always)]
    pub fn fetch_list(&self, group: u32) {
        fetch(self.lists.as_ptr().wrapping_add(group as usize));
    }

    pub fn verify(&self) -> Verified {
        self.members.verify()?;
        let mut listed = 0;
        for (group, List(list)) in self.lists.iter().enumerate() {
            for (at, &seat) in list.iter().enumerate() {
                let found = self.members.all().get(seat as usize);
                let right = found.is_some_and(|found| (found.group as usize, found.at as usize) == (group, at));
                ensure(right, "listed", || format!("seat {seat} is at {at} of group {group}, and has {found:?}"))?;
            }
            listed += list.len();
        }
        let members = self.members.all().iter().filter(|member| member.group != NONE).count();
        ensure(listed == members, "listed", || format!("{listed} of {members} seats"))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::base::invariant::broken;

    proptest! {
        #[test]
        fn a_row_of_groups(steps in prop::collection::vec((any::<bool>(), 0..6u32), 0..120)) {
            let (mut membership, mut model) = (Membership::default(), Vec::new());
            for (comes, number) in steps {
                if comes || model.is_empty() {
                    let group = if number == 5 { NONE } else { number };
                    membership.push(group);
                    model.push(group);
                } else {
                    let seat = number % model.len() as u32;
                    prop_assert_eq!(membership.swap_remove(seat), model.swap_remove(seat as usize));
                }
                prop_assert_eq!(membership.verify(), Ok(()));
                let found: Vec<u32> = (0..model.len() as u32).map(|seat| membership.group(seat)).collect();
                prop_assert_eq!(&found, &model);
                for group in 0..5 {
                    let mut seats = membership.seats(group).to_vec();
                    seats.sort_unstable();
                    let wanted: Vec<u32> = (0..model.len() as u32).filter(|&seat| model[seat as usize] == group).collect();
                    prop_assert_eq!(seats, wanted);
                }
            }
        }
    }

    #[test]
    fn damage_is_found() {
        let damaged = |damage: fn(&mut Membership)| {
            let mut membership = Membership::default();
            [7, 8, 7, NONE].iter().for_each(|&group| membership.push(group));
            assert_eq!(membership.verify(), Ok(()));
            damage(&mut membership);
            broken(membership.verify())
        };
        assert_eq!(damaged(|membership| membership.members[1].group = 7), "listed");
        assert_eq!(damaged(|membership| membership.lists[7].0.swap(0, 1)), "listed");
        assert_eq!(damaged(|membership| _ = membership.lists[7].0.pop()), "listed");
    }
}
