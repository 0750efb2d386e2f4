//! Reorder density: the displacement of each packet from its receive index (RFC 5236, section 4).

use std::collections::VecDeque;
use std::sync::{Arc, OnceLock};

use crate::observe::reorder::tail::Tail;

/// Displacements from the receive index.
///
/// While packets come in order, those that wait are `index .. index + steady` and none is early: then `waiting` and
/// `early` stay empty and only these two numbers move.
#[derive(Clone)]
pub(super) struct Displacements {
    pub(super) threshold: usize,
    pub(super) index: i64,
    /// Whether a packet has been assessed; before, `index` is only the least number seen.
    pub(super) started: bool,
    pub(super) steady: usize,
    pub(super) waiting: VecDeque<i64>,
    /// How many packets at the back of `waiting` have successive numbers.
    pub(super) in_row: usize,
    pub(super) early: Vec<i64>,
    /// A copy of the waiting packets, made on demand and kept until they change: most flows of a long run have ended,
    /// and each snapshot contains all flows.
    pub(super) tail: OnceLock<Arc<Tail>>,
}

impl Displacements {
    pub(super) fn new(threshold: usize) -> Self {
        Self {
            threshold,
            index: 0,
            started: false,
            steady: 0,
            waiting: VecDeque::new(),
            in_row: 0,
            early: Vec::new(),
            tail: OnceLock::new(),
        }
    }

    #[inline]
    pub(super) fn accept(&mut self, sequence: i64, density: &mut [u64]) {
        if !self.waiting.is_empty() {
            self.accept_unsteady(sequence, density);
            return;
        }
        if self.steady == 0 {
            self.index = sequence;
        } else if self.steady > self.threshold {
            density[self.threshold] += 1;
            self.index += 1;
            self.steady -= 1;
            self.started = true;
        }
        if sequence == self.index + self.steady as i64 {
            self.steady += 1;
        } else if !self.started || sequence >= self.index {
            self.waiting.extend(self.index..self.index + self.steady as i64);
            self.in_row = self.steady;
            self.steady = 0;
            self.wait(sequence);
        }
    }

    fn wait(&mut self, sequence: i64) {
        self.tail.take();
        self.in_row = if self.waiting.back() == Some(&(sequence - 1)) { self.in_row + 1 } else { 1 };
        self.waiting.push_back(sequence);
        if !self.started {
            self.index = self.index.min(sequence);
        }
    }

    fn accept_unsteady(&mut self, sequence: i64, density: &mut [u64]) {
        if self.waiting.len() > self.threshold {
            self.assess(density);
        }
        if !self.started || sequence >= self.index {
            self.wait(sequence);
        }
        let in_order = self.in_row >= self.waiting.len() && self.early.is_empty();
        if in_order && self.started && self.waiting.front() == Some(&self.index) {
            self.steady = self.waiting.len();
            self.waiting.clear();
        }
    }

    fn assess(&mut self, density: &mut [u64]) {
        let Some(&sequence) = self.waiting.front() else { return };
        self.tail.take();
        let mut early = self.early.iter().position(|&number| number == self.index);
        if sequence != self.index && early.is_none() {
            let present = self.waiting.iter().chain(&self.early).copied();
            self.index = present.filter(|&number| number >= self.index).min().unwrap_or(self.index);
            early = self.early.iter().position(|&number| number == self.index);
        }
        self.waiting.pop_front();
        self.started = true;
        let displacement = self.index - sequence;
        if displacement.unsigned_abs() > self.threshold as u64 {
            return;
        }
        density[(displacement + self.threshold as i64) as usize] += 1;
        if let Some(seat) = early {
            self.early.swap_remove(seat);
        }
        if displacement < 0 {
            self.early.push(sequence);
        }
        self.index += 1;
    }

    /// How many packets wait and are as displaced as the index says: they have come in order.
    pub(super) fn steady(&self) -> u64 {
        self.steady as u64
    }

    /// The others that wait, if there are any.
    pub(super) fn tail(&self) -> Option<&Arc<Tail>> {
        let tail = || Arc::new(Tail::new(self.threshold, self.index, &self.waiting, &self.early));
        (!self.waiting.is_empty()).then(|| self.tail.get_or_init(tail))
    }

    /// Count the waiting packets as if no more came.
    pub(super) fn count_rest(&self, density: &mut [u64]) {
        density[self.threshold] += self.steady();
        if let Some(tail) = self.tail() {
            tail.count(density);
        }
    }
}
