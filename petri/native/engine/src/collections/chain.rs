//! Chains of numbered nodes by age: the oldest and the newest are known, and any node can leave. Who has the nodes keeps their
//! neighbours, one for each node.

use std::iter::successors;

/// No node.
pub const NONE: u32 = u32::MAX;

/// A doubly linked chain, from its oldest member to its newest.
#[derive(Clone, Copy)]
pub struct Chain {
    pub oldest: u32,
    pub newest: u32,
}

pub const EMPTY: Chain = Chain { oldest: NONE, newest: NONE };

#[derive(Clone, Copy)]
pub struct Neighbours {
    pub older: u32,
    pub newer: u32,
}

pub const ALONE: Neighbours = Neighbours { older: NONE, newer: NONE };

impl Chain {
    /// All members, the oldest first.
    pub fn oldest_first(self, links: &[Neighbours]) -> impl Iterator<Item = u32> + '_ {
        let member = |node: u32| (node != NONE).then_some(node);
        successors(member(self.oldest), move |&node| member(links[node as usize].newer))
    }

    /// All members, the newest first.
    pub fn newest_first(self, links: &[Neighbours]) -> impl Iterator<Item = u32> + '_ {
        let member = |node: u32| (node != NONE).then_some(node);
        successors(member(self.newest), move |&node| member(links[node as usize].older))
    }

    /// A node becomes the newest.
    pub fn push(&mut self, links: &mut [Neighbours], node: u32) {
        links[node as usize] = Neighbours { older: self.newest, newer: NONE };
        match links.get_mut(self.newest as usize) {
            Some(newest) => newest.newer = node,
            None => self.oldest = node,
        }
        self.newest = node;
    }

    pub fn remove(&mut self, links: &mut [Neighbours], node: u32) {
        let Neighbours { older, newer } = links[node as usize];
        match links.get_mut(older as usize) {
            Some(link) => link.newer = newer,
            None => self.oldest = newer,
        }
        match links.get_mut(newer as usize) {
            Some(link) => link.older = older,
            None => self.newest = older,
        }
    }
}
