//! The tokens of a place with `per`: a line for each key, of which the place shows the first token (rule S7).
//!
//! **Problem.** A transition takes the oldest token of some key, and the next one of this key is to be shown, whatever number of keys
//! and of tokens there is. Searches, joins and machine code know bags, queues, stacks and heaps.
//!
//! **Idea.** The tokens that are shown are a bag of their own, the *front*: a place behind those of the net, from which the
//! transitions take. The lines have all tokens. The line of a queue or a stack is a list. The line of a keyed place is a pairing heap
//! (Fredman, Sedgewick, Sleator and Tarjan, 1986), by rank and arrival, whose root is the token that is shown: one that arrives is
//! compared with the root alone, and whichever comes later becomes a child of the other; when the root leaves, its children are joined
//! in pairs, and then from the last pair to the first.
//!
//! ```text
//! per flow, fifo: a0 b0 a1 a2 b1 have arrived        front (seats)   a0  b0
//! a0 → a1 → a2    b0 → b1                            lines           0   1
//! the firing takes a0: b0 moves to seat 0, and a1 goes to the end        b0  a1
//! ```
//!
//! Invariants:
//! - *seats*: seat s of the front has the root of line `seats[s]`, whose seat is s; all lines with tokens have a seat.
//! - *counts*: each line counts its tokens, and `nodes` without those that are free are all of them.
//! - *room*: there is room for as many seats as nodes, so that machine code, which takes free nodes only, finds it.
//! - *order*: no token comes before its parent, or before the one ahead of it in a list; the first of a queue knows the last.
//! - *lines*: a key has a group as long as it has tokens or reserved room.
//! - *reserved*: a line has no more tokens and reserved room than the capacity, if it has reserved room.

use std::mem::{offset_of, replace, size_of, take};

use crate::base::invariant::{ensure, Verified};
use crate::base::reuse::clone_into_fields;
use crate::base::row::Row;
use crate::collections::key_table::{Key, KeyTable, SlotsOf};
use crate::net::Discipline;
use crate::program::expression::Rank;
use crate::program::place::LinesProgram;

/// No node, or no line.
pub const NONE: u32 = u32::MAX;

#[derive(Clone, Copy, Debug)]
#[repr(C)]
struct Line {
    /// The first token.
    root: u32,
    /// Where the front has it.
    seat: u32,
    count: u32,
    /// Tokens that firings in progress will deposit, where the place has a capacity.
    reserved: u32,
}

impl Default for Line {
    fn default() -> Self {
        Line { root: NONE, seat: NONE, count: 0, reserved: 0 }
    }
}

/// A token: its place in the order, and the next one in its list. In a heap, its first child, and the next child of its parent. The
/// `child` of the first token of a queue is the last one. Of a free node, only `next` counts: the next free one.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
struct Node {
    rank: Rank,
    arrival: u64,
    child: u32,
    next: u32,
}

/// What becomes of the front when a token has arrived.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrived {
    /// The token stands behind others.
    Behind,
    /// It is the only one of this line.
    First(u32),
    /// It stands before the one that was shown in a seat.
    Before(u32, u32),
}

#[repr(C)]
pub struct Lines {
    lines: KeyTable<Line>,
    slots: Vec<u32>,
    width: usize,
    discipline: Discipline,
    nodes: Row<Node>,
    /// The tokens of the nodes.
    tokens: Row<u64>,
    /// The first node without a token.
    free: u32,
    /// The line of each seat of the front.
    seats: Row<u32>,
    arrivals: u64,
}

clone_into_fields!(Lines { lines, slots, width, discipline, nodes, tokens, free, seats, arrivals });

impl Lines {
    /// The offset of the address of the records of lines, and the size of a record; offsets in it of the first token, its seat, the
    /// number of tokens, and the reserved room.
    pub const RECORDS: usize = offset_of!(Lines, lines) + KeyTable::<Line>::RECORDS;
    pub const RECORD: usize = KeyTable::<Line>::RECORD;
    pub const ROOT: usize = KeyTable::<Line>::OF + offset_of!(Line, root);
    pub const SEAT: usize = KeyTable::<Line>::OF + offset_of!(Line, seat);
    pub const COUNT: usize = KeyTable::<Line>::OF + offset_of!(Line, count);
    pub const RESERVED: usize = KeyTable::<Line>::OF + offset_of!(Line, reserved);
    /// The same of nodes; the first free node, and how many tokens have arrived.
    pub const NODES: usize = offset_of!(Lines, nodes) + Row::<Node>::START;
    pub const NODE: usize = size_of::<Node>();
    pub const ARRIVAL: usize = offset_of!(Node, arrival);
    pub const CHILD: usize = offset_of!(Node, child);
    pub const NEXT: usize = offset_of!(Node, next);
    pub const FREE: usize = offset_of!(Lines, free);
    pub const ARRIVALS: usize = offset_of!(Lines, arrivals);
    /// The offsets of the addresses of tokens and of seats, and of the number of these.
    pub const TOKENS: usize = offset_of!(Lines, tokens) + Row::<u64>::START;
    pub const SEATS: usize = offset_of!(Lines, seats) + Row::<u32>::START;
    pub const SEATED: usize = offset_of!(Lines, seats) + Row::<u32>::LEN;

    pub fn new(program: &LinesProgram, width: usize) -> Self {
        let lines = match &program.extents {
            Some(extents) => KeyTable::direct(extents),
            None => KeyTable::hashed(program.slots.len()),
        };
        Lines {
            lines,
            slots: program.slots.clone(),
            width,
            discipline: program.discipline,
            nodes: Row::default(),
            tokens: Row::default(),
            free: NONE,
            seats: Row::default(),
            arrivals: 0,
        }
    }

    fn token_of(&self, node: u32) -> &[u64] {
        &self.tokens.all()[node as usize * self.width..][..self.width]
    }

    /// The token of a line that is shown.
    pub fn shown(&self, line: u32) -> &[u64] {
        self.token_of(self.lines[line].root)
    }

    /// The tokens of a key, and those that firings in progress will give to it.
    pub fn load(&self, key: impl Key) -> u64 {
        self.lines.find(key).map_or(0, |line| u64::from(self.lines[line].count) + u64::from(self.lines[line].reserved))
    }

    /// The tokens that firings in progress will give to a key.
    pub fn reserved(&self, key: impl Key) -> u64 {
        self.lines.find(key).map_or(0, |line| u64::from(self.lines[line].reserved))
    }

    /// Firings in progress will deposit `count` tokens more with the key of this one, or less.
    pub fn reserve(&mut self, token: &[u64], count: u32, more: bool) {
        let line = self.lines.enter(SlotsOf { token, slots: &self.slots });
        let reserved = &mut self.lines[line].reserved;
        *reserved = if more { *reserved + count } else { *reserved - count };
        self.forget_empty(line);
    }

    fn forget_empty(&mut self, line: u32) {
        if self.lines[line].count == 0 && self.lines[line].reserved == 0 {
            self.lines.forget(line);
        }
    }

    // ------------------------------------------------------------ tokens

    /// A token arrives, for which room has been reserved, or not.
    pub fn arrives(&mut self, token: &[u64], rank: Rank, reserved: bool) -> Arrived {
        let line = self.lines.enter(SlotsOf { token, slots: &self.slots });
        let node = self.new_node(token, rank);
        let before = self.lines[line].root;
        let root = self.with(before, node);
        let state = &mut self.lines[line];
        state.root = root;
        state.count += 1;
        state.reserved -= u32::from(reserved);
        match before {
            NONE => Arrived::First(line),
            _ if root == before => Arrived::Behind,
            _ => Arrived::Before(line, state.seat),
        }
    }

    /// The token that is shown in a seat leaves its line, and the front. Returns the line, if it has others.
    pub fn leaves(&mut self, seat: u32) -> Option<u32> {
        let line = self.seats[seat];
        self.hide(seat);
        let root = self.lines[line].root;
        let next = self.without(root);
        self.nodes[root].next = replace(&mut self.free, root);
        let state = &mut self.lines[line];
        state.root = next;
        state.count -= 1;
        if state.count > 0 {
            return Some(line);
        }
        self.forget_empty(line);
        None
    }

    /// The root of a line is at the end of the front.
    pub fn show(&mut self, line: u32) {
        self.lines[line].seat = self.seats.len() as u32;
        self.seats.push(line);
    }

    /// The token in a seat of the front is no longer there: the last one has its seat (S7).
    pub fn hide(&mut self, seat: u32) {
        let (line, last) = (self.seats[seat], self.seats.len() as u32 - 1);
        let moved = self.seats[last];
        self.seats[seat] = moved;
        self.seats.pop();
        self.lines[moved].seat = seat;
        self.lines[line].seat = NONE;
    }

    /// All tokens leave; reserved room stays.
    pub fn clear(&mut self) {
        for &line in take(&mut self.seats).all() {
            let reserved = self.lines[line].reserved;
            self.lines[line] = Line { reserved, ..Line::default() };
            self.forget_empty(line);
        }
        (self.nodes, self.tokens, self.free) = (Row::default(), Row::default(), NONE);
    }

    /// All tokens: line after line, as the front has them, and each line in order of arrival.
    pub fn listed(&self) -> Vec<&[u64]> {
        let lines = self.seats.all().iter().flat_map(|&line| {
            let mut nodes = self.nodes_of(line);
            nodes.sort_unstable_by_key(|&node| self.nodes[node].arrival);
            nodes
        });
        lines.map(|node| self.token_of(node)).collect()
    }

    /// All tokens: line after line by their keys. If they arrive in this order, they form the same lines.
    pub fn by_key(&self) -> Vec<&[u64]> {
        let mut lines = self.seats.all().to_vec();
        let key = |line: u32| self.slots.iter().map(move |&slot| self.shown(line)[slot as usize]);
        lines.sort_unstable_by(|&one, &other| key(one).cmp(key(other)));
        let nodes = lines.into_iter().flat_map(|line| {
            let mut nodes = self.nodes_of(line);
            nodes.sort_unstable_by_key(|&node| (self.nodes[node].rank, self.nodes[node].arrival));
            nodes
        });
        nodes.map(|node| self.token_of(node)).collect()
    }

    // ------------------------------------------------------------ lists and heaps

    /// The first token of a line that a new one has joined. `root` is the first one before, NONE of an empty line.
    fn with(&mut self, root: u32, node: u32) -> u32 {
        match self.discipline {
            Discipline::Key => self.join(root, node),
            Discipline::Lifo => {
                self.nodes[node].next = root;
                node
            }
            _ if root == NONE => {
                self.nodes[node].child = node;
                node
            }
            _ => {
                let last = replace(&mut self.nodes[root].child, node);
                self.nodes[last].next = node;
                root
            }
        }
    }

    /// The first token of a line that its first one has left, or NONE.
    fn without(&mut self, root: u32) -> u32 {
        let Node { next, child, .. } = self.nodes[root];
        match self.discipline {
            Discipline::Key => return self.join_children(child),
            Discipline::Lifo => {}
            _ if next == NONE => {}
            _ => self.nodes[next].child = child,
        }
        next
    }

    fn new_node(&mut self, token: &[u64], rank: Rank) -> u32 {
        if self.free == NONE {
            self.lengthen();
        }
        let node = self.free;
        let state = &mut self.nodes[node];
        self.free = state.next;
        *state = Node { rank, arrival: self.arrivals, child: NONE, next: NONE };
        self.arrivals += 1;
        for (slot, &word) in (node * self.width as u32..).zip(token) {
            self.tokens[slot] = word;
        }
        node
    }

    /// Makes room for one token more, where no node is free.
    #[cold]
    pub fn lengthen(&mut self) {
        let node = self.nodes.len();
        self.nodes.push(Node { rank: Rank::default(), arrival: 0, child: NONE, next: self.free });
        self.free = node as u32;
        self.tokens.reach((node + 1) * self.width, 0);
        self.seats.make_room(node + 1);
    }

    fn is_before(&self, one: u32, other: u32) -> bool {
        let (one, other) = (&self.nodes[one], &self.nodes[other]);
        if self.discipline == Discipline::Lifo {
            one.arrival > other.arrival
        } else {
            (one.rank, one.arrival) < (other.rank, other.arrival)
        }
    }

    /// The root of two heaps, either of which may be empty.
    fn join(&mut self, one: u32, other: u32) -> u32 {
        if one == NONE || other == NONE {
            return if one == NONE { other } else { one };
        }
        let (root, child) = if self.is_before(one, other) { (one, other) } else { (other, one) };
        self.nodes[child].next = self.nodes[root].child;
        self.nodes[root].child = child;
        self.nodes[root].next = NONE;
        root
    }

    /// The root of the heaps of a node and of those next to it, joined in pairs.
    fn join_children(&mut self, first: u32) -> u32 {
        let (mut pairs, mut rest) = (NONE, first);
        while rest != NONE {
            let one = rest;
            let other = self.nodes[one].next;
            rest = if other == NONE { NONE } else { self.nodes[other].next };
            let pair = self.join(one, other);
            self.nodes[pair].next = pairs;
            pairs = pair;
        }
        let mut root = NONE;
        while pairs != NONE {
            let next = self.nodes[pairs].next;
            root = self.join(root, pairs);
            pairs = next;
        }
        if root != NONE {
            self.nodes[root].next = NONE;
        }
        root
    }

    fn nodes_of(&self, line: u32) -> Vec<u32> {
        let (mut found, mut open) = (Vec::new(), vec![self.lines[line].root]);
        while let Some(node) = open.pop() {
            if node != NONE {
                found.push(node);
                open.push(self.nodes[node].next);
                open.extend((self.discipline == Discipline::Key).then_some(self.nodes[node].child));
            }
        }
        found
    }

    // ------------------------------------------------------------ invariants

    /// Checks the invariants, given the tokens of the front, and the most that a key may have and be about to get.
    pub fn verify(&self, front: &[&[u64]], capacity: Option<u64>) -> Verified {
        self.lines.verify()?;
        let seated = |(seat, &line): (usize, &u32)| self.lines[line].seat == seat as u32;
        let same = front.iter().zip(self.seats.all()).all(|(token, &line)| *token == self.shown(line));
        let right = self.seats.len() == front.len() && self.seats.all().iter().enumerate().all(seated) && same;
        ensure(right, "seats", || format!("{:?} of {front:?}", self.seats))?;
        let mut all = 0;
        for &line in self.seats.all() {
            let (state, nodes) = (&self.lines[line], self.nodes_of(line));
            all += nodes.len();
            ensure(nodes.len() == state.count as usize, "counts", || format!("{state:?} of {nodes:?}"))?;
            let ordered = nodes.iter().all(|&node| self.children(node).all(|child| self.is_before(node, child)));
            let queue = !matches!(self.discipline, Discipline::Key | Discipline::Lifo);
            let last = nodes.last() == Some(&self.nodes[state.root].child);
            ensure(ordered && (last || !queue), "order", || format!("{nodes:?}"))?;
            let key = SlotsOf { token: self.shown(line), slots: &self.slots };
            ensure(self.lines.find(key) == Some(line), "lines", || format!("line {line}"))?;
            let room = capacity.is_none_or(|most| state.reserved == 0 || self.load(key) <= most);
            ensure(room, "reserved", || format!("{state:?}, capacity {capacity:?}"))?;
        }
        let next = |&node: &u32| Some(self.nodes[node].next).filter(|&next| next != NONE);
        let free = std::iter::successors(Some(self.free).filter(|&free| free != NONE), next).take(self.nodes.len() + 1);
        ensure(all + free.count() == self.nodes.len(), "counts", || format!("{all} of {}", self.nodes.len()))?;
        ensure(self.seats.room() >= self.nodes.len(), "room", || format!("for {} seats", self.seats.room()))
    }

    /// The children of a token; in a list, the one behind it.
    fn children(&self, node: u32) -> impl Iterator<Item = u32> + '_ {
        let some = |node: u32| (node != NONE).then_some(node);
        let Node { child, next, .. } = self.nodes[node];
        let (first, most) = if self.discipline == Discipline::Key { (child, usize::MAX) } else { (next, 1) };
        std::iter::successors(some(first), move |&child| some(self.nodes[child].next)).take(most)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::base::ids::PlaceId;
    use crate::base::invariant::broken;
    use crate::collections::key_table::Extent;

    /// Tokens `[key, rank, number]`.
    fn lines(discipline: Discipline, direct: bool) -> Lines {
        let extents = direct.then(|| vec![Extent { low: 0, size: 4 }]);
        Lines::new(
            &LinesProgram { place: PlaceId(0), front: PlaceId(1), discipline, slots: vec![0], extents, values: None },
            3,
        )
    }

    /// A token arrives, and the front follows as the marking has it. Only keyed places have ranks.
    fn push(lines: &mut Lines, token: [u64; 3], discipline: Discipline) {
        let rank = if discipline == Discipline::Key { (token[1], 0) } else { Rank::default() };
        match lines.arrives(&token, rank, false) {
            Arrived::Behind => {}
            Arrived::First(line) => lines.show(line),
            Arrived::Before(line, seat) => {
                lines.hide(seat);
                lines.show(line);
            }
        }
    }

    fn pop(lines: &mut Lines, seat: u32) {
        if let Some(line) = lines.leaves(seat) {
            lines.show(line);
        }
    }

    /// Rows of lines, as S7 says it.
    #[derive(Default)]
    struct Model(Vec<Vec<[u64; 3]>>);

    impl Model {
        fn shown(line: &[[u64; 3]], discipline: Discipline) -> [u64; 3] {
            match discipline {
                Discipline::Lifo => line[line.len() - 1],
                Discipline::Key => *line.iter().min_by_key(|token| (token[1], token[2])).expect("a token"),
                _ => line[0],
            }
        }

        fn push(&mut self, token: [u64; 3], discipline: Discipline) {
            let Some(at) = self.0.iter().position(|line| line[0][0] == token[0]) else {
                self.0.push(vec![token]);
                return;
            };
            let before = Model::shown(&self.0[at], discipline);
            self.0[at].push(token);
            if Model::shown(&self.0[at], discipline) != before {
                let line = self.0.swap_remove(at);
                self.0.push(line);
            }
        }

        fn pop(&mut self, seat: usize, discipline: Discipline) {
            let mut line = self.0.swap_remove(seat);
            let gone = Model::shown(&line, discipline);
            line.retain(|token| *token != gone);
            if !line.is_empty() {
                self.0.push(line);
            }
        }

        fn front(&self, discipline: Discipline) -> Vec<[u64; 3]> {
            self.0.iter().map(|line| Model::shown(line, discipline)).collect()
        }
    }

    proptest! {
        #[test]
        fn s7_lines_against_rows_of_lists(
            discipline in prop::sample::select(vec![Discipline::Fifo, Discipline::Lifo, Discipline::Key]),
            direct in any::<bool>(),
            steps in prop::collection::vec((0..20u8, any::<prop::sample::Index>(), 0..4u64, 0..4u64), 0..150),
        ) {
            let (mut lines, mut model) = (lines(discipline, direct), Model::default());
            for (number, (action, at, key, rank)) in steps.into_iter().enumerate() {
                let token = [key, rank, number as u64];
                if action < 11 {
                    push(&mut lines, token, discipline);
                    model.push(token, discipline);
                } else if action < 19 && !model.0.is_empty() {
                    let seat = at.index(model.0.len());
                    pop(&mut lines, seat as u32);
                    model.pop(seat, discipline);
                } else if action == 19 {
                    lines.clear();
                    model.0.clear();
                }
                let front = model.front(discipline);
                let front: Vec<&[u64]> = front.iter().map(|token| &token[..]).collect();
                prop_assert_eq!(lines.verify(&front, None), Ok(()));
                prop_assert_eq!(lines.listed().concat(), model.0.concat().concat());
                let mut rows = model.0.clone();
                rows.sort_unstable_by_key(|line| line[0][0]);
                if discipline == Discipline::Key {
                    rows.iter_mut().for_each(|line| line.sort_unstable_by_key(|token| (token[1], token[2])));
                }
                prop_assert_eq!(lines.by_key().concat(), rows.concat().concat());
                let there = model.0.iter().find(|line| line[0][0] == key).map_or(0, |line| line.len() as u64);
                prop_assert_eq!(lines.load(&[key][..]), there);
            }
        }
    }

    #[test]
    fn reserved_room_counts_as_load_and_outlives_tokens() {
        for direct in [false, true] {
            let mut lines = lines(Discipline::Fifo, direct);
            lines.reserve(&[2, 0, 0], 3, true);
            push(&mut lines, [2, 0, 0], Discipline::Fifo);
            assert_eq!((lines.load(&[2][..]), lines.reserved(&[2][..])), (4, 3));
            lines.reserve(&[2, 0, 0], 1, false);
            pop(&mut lines, 0);
            assert_eq!((lines.load(&[2][..]), lines.load(&[1][..])), (2, 0));
            lines.clear();
            assert_eq!(lines.reserved(&[2][..]), 2);
        }
    }

    #[test]
    fn damage_is_found() {
        let damaged = |damage: fn(&mut Lines)| {
            let mut lines = lines(Discipline::Fifo, false);
            (0..6).for_each(|n| push(&mut lines, [n % 2, 0, n], Discipline::Fifo));
            let front: [&[u64]; 2] = [&[0, 0, 0], &[1, 0, 1]];
            assert_eq!(lines.verify(&front, Some(3)), Ok(()));
            damage(&mut lines);
            broken(lines.verify(&front, Some(3)))
        };
        assert_eq!(damaged(|lines| (lines.seats[0], lines.seats[1]) = (lines.seats[1], lines.seats[0])), "seats");
        assert_eq!(damaged(|lines| lines.lines[0].count = 7), "counts");
        assert_eq!(damaged(|lines| lines.nodes[2].arrival = 0), "order");
        assert_eq!(damaged(|lines| lines.nodes[0].child = 2), "order");
        assert_eq!(damaged(|lines| lines.lines[0].reserved = 1), "reserved");
        assert_eq!(damaged(|lines| lines.free = 3), "counts");
        assert_eq!(damaged(|lines| lines.seats = lines.seats.all().iter().copied().collect()), "room");
    }
}
