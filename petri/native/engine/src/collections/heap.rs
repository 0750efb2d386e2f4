//! A priority queue of numbered items, of which any can leave: a heap that knows where each item is.
//!
//! **Problem.** Many clocks run, and the first to run down is wanted. Clocks also stop before that, and most often when they were
//! set last. All that is known of an item is its small number.
//!
//! **Idea.** A heap in which each node has four children, which lie side by side (Knuth, The Art of Computer Programming, vol. 3,
//! 5.2.3; d-ary heaps are Johnson's, 1975). Beside it, a row says of each item where in the heap it is. An item that is far from
//! being first comes and goes in few steps. What is up to a limit is found from the top, without a look at the rest.
//!
//! ```text
//! nodes   2 (item 0) ─┬─ 5 (item 3)   places, by item: 0, none, 2, 1
//!                     └─ 9 (item 2)
//! ```
//!
//! Invariants:
//! - *heap*: no key is less than that of the node above, number (n − 1) / 4.
//! - *places*: each item that is in has the number of its node as its place, and no other item has one.

use std::ops::Range;

use crate::base::invariant::{ensure, Verified};

const CHILDREN: usize = 4;
/// The place of an item that is not in the heap.
const OUT: u32 = u32::MAX;

#[derive(Clone, Copy, Debug)]
struct Node {
    key: u64,
    item: u32,
}

#[derive(Clone, Debug, Default)]
pub struct Heap {
    nodes: Vec<Node>,
    places: Vec<u32>,
}

impl Heap {
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// An item of the least key.
    pub fn first(&self) -> Option<u32> {
        self.nodes.first().map(|node| node.item)
    }

    pub fn contains(&self, item: u32) -> bool {
        self.places.get(item as usize).is_some_and(|&place| place != OUT)
    }

    /// All items, in no order.
    pub fn items(&self) -> impl Iterator<Item = u32> + '_ {
        self.nodes.iter().map(|node| node.item)
    }

    /// An item comes that is not in.
    pub fn insert(&mut self, item: u32, key: u64) {
        if self.places.len() <= item as usize {
            self.places.resize(item as usize + 1, OUT);
        }
        self.nodes.push(Node { key, item });
        self.rise(self.nodes.len() - 1, Node { key, item });
    }

    /// An item leaves that is in.
    pub fn remove(&mut self, item: u32) {
        let place = std::mem::replace(&mut self.places[item as usize], OUT) as usize;
        let Some(last) = self.nodes.pop() else { return };
        if place < self.nodes.len() {
            self.sink(place, last);
        }
    }

    /// An item that is in gets another key.
    pub fn change(&mut self, item: u32, key: u64) {
        self.sink(self.places[item as usize] as usize, Node { key, item });
    }

    /// Finds the items that pass a test which, if an item passes, all of lesser keys do. They are appended in no order.
    pub fn up_to(&self, passes: impl Fn(u32) -> bool, found: &mut Vec<u32>) {
        let start = found.len();
        let look = |found: &mut Vec<u32>, nodes: Range<usize>| {
            let end = nodes.end.min(self.nodes.len());
            found.extend(
                (nodes.start.min(end)..end).filter(|&node| passes(self.nodes[node].item)).map(|node| node as u32),
            );
        };
        look(found, 0..1);
        let mut at = start;
        while let Some(&node) = found.get(at) {
            let below = CHILDREN * node as usize + 1;
            look(found, below..below + CHILDREN);
            at += 1;
        }
        found[start..].iter_mut().for_each(|node| *node = self.nodes[*node as usize].item);
    }

    fn put(&mut self, place: usize, node: Node) {
        self.nodes[place] = node;
        self.places[node.item as usize] = place as u32;
    }

    /// Puts a node where it belongs, at a place or above.
    fn rise(&mut self, mut place: usize, node: Node) {
        while place > 0 {
            let above = (place - 1) / CHILDREN;
            if self.nodes[above].key <= node.key {
                break;
            }
            self.put(place, self.nodes[above]);
            place = above;
        }
        self.put(place, node);
    }

    /// Puts a node where it belongs, at a place that is free, below or above.
    fn sink(&mut self, mut place: usize, node: Node) {
        loop {
            let below = CHILDREN * place + 1;
            let end = (below + CHILDREN).min(self.nodes.len());
            let Some(least) = (below..end).min_by_key(|&child| self.nodes[child].key) else { break };
            if self.nodes[least].key >= node.key {
                break;
            }
            self.put(place, self.nodes[least]);
            place = least;
        }
        self.rise(place, node);
    }

    /// Checks the invariants.
    pub fn verify(&self) -> Verified {
        let above = |place: usize| &self.nodes[place.saturating_sub(1) / CHILDREN];
        let in_order = self.nodes.iter().enumerate().all(|(place, node)| above(place).key <= node.key);
        ensure(in_order, "heap", || format!("{:?}", self.nodes))?;
        let known = |(place, node): (usize, &Node)| self.places.get(node.item as usize) == Some(&(place as u32));
        let inside = self.places.iter().filter(|&&place| place != OUT).count();
        let right = inside == self.nodes.len() && self.nodes.iter().enumerate().all(known);
        ensure(right, "places", || format!("{:?} of {:?}", self.places, self.nodes))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;
    use crate::base::invariant::broken;

    proptest! {
        #[test]
        fn items_by_key(steps in prop::collection::vec((0..30u32, 0..40u64), 0..300)) {
            let (mut heap, mut model) = (Heap::default(), BTreeMap::new());
            for (item, key) in steps {
                if key % 3 == 0 && model.contains_key(&item) {
                    heap.change(item, key);
                    model.insert(item, key);
                } else if model.remove(&item).is_some() {
                    heap.remove(item);
                } else {
                    heap.insert(item, key);
                    model.insert(item, key);
                }
                prop_assert_eq!(heap.verify(), Ok(()));
                prop_assert_eq!(heap.len(), model.len());
                prop_assert!((0..30).all(|item| heap.contains(item) == model.contains_key(&item)));
                prop_assert_eq!(heap.first().map(|item| model[&item]), model.values().min().copied());
                let mut found = vec![7];
                heap.up_to(|item| model[&item] <= key, &mut found);
                found[1..].sort_unstable();
                let expected = model.iter().filter(|(_, other)| **other <= key).map(|(item, _)| *item);
                prop_assert_eq!(found, std::iter::once(7).chain(expected).collect::<Vec<_>>());
            }
        }
    }

    #[test]
    fn damage_is_found() {
        let damaged = |damage: fn(&mut Heap)| {
            let mut heap = Heap::default();
            (0..10).for_each(|item| heap.insert(item, 100 - u64::from(item)));
            damage(&mut heap);
            broken(heap.verify())
        };
        assert_eq!(damaged(|heap| heap.nodes[9].key = 0), "heap");
        assert_eq!(damaged(|heap| heap.places.swap(1, 2)), "places");
        assert_eq!(damaged(|heap| heap.places.push(3)), "places");
    }
}
