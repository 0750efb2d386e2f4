//! Cumulative receivers: what they hold, and the ACKs that they send.

use std::collections::VecDeque;

use crate::observe::reorder::settings::{Settings, FAST_RETRANSMIT};

#[derive(Clone, Copy, PartialEq)]
enum Acceptance {
    Old,
    Held,
    Advanced,
}

/// Delivers in order and holds what comes early; gives the expected packet up when more than `threshold` are held.
#[derive(Clone)]
pub(super) struct Receiver {
    pub(super) expected: i64,
    pub(super) threshold: u64,
    pub(super) held: u64,
    /// Held numbers as (low, high), apart from each other, ascending.
    pub(super) blocks: VecDeque<(i64, i64)>,
}

impl Receiver {
    fn new(expected: i64, threshold: usize) -> Self {
        Self { expected, threshold: threshold as u64, held: 0, blocks: VecDeque::new() }
    }

    #[inline]
    fn accept(&mut self, sequence: i64) -> Acceptance {
        if sequence == self.expected {
            self.expected += 1;
            self.release();
            return Acceptance::Advanced;
        }
        if sequence < self.expected || !self.store(sequence) {
            return Acceptance::Old;
        }
        if self.held <= self.threshold {
            return Acceptance::Held;
        }
        self.expected = self.blocks[0].0;
        self.release();
        Acceptance::Advanced
    }

    /// How many packets from `number` on are missing below the greatest one that is held.
    fn missing_from(&self, number: i64) -> u64 {
        let start = number.max(self.expected);
        let Some(&(_, highest)) = self.blocks.back() else { return 0 };
        let mut missing = highest + 1 - start;
        for &(low, high) in self.blocks.iter().rev() {
            if high < start {
                break;
            }
            missing -= high + 1 - low.max(start);
        }
        missing.max(0) as u64
    }

    #[inline]
    fn release(&mut self) {
        if let Some(&(low, high)) = self.blocks.front() {
            if low == self.expected {
                self.blocks.pop_front();
                self.held -= (high - low + 1) as u64;
                self.expected = high + 1;
            }
        }
    }

    fn store(&mut self, sequence: i64) -> bool {
        let mut above = self.blocks.len();
        while above > 0 && self.blocks[above - 1].0 > sequence {
            above -= 1;
        }
        if above > 0 && self.blocks[above - 1].1 >= sequence {
            return false;
        }
        self.held += 1;
        let touches_below = above > 0 && self.blocks[above - 1].1 + 1 == sequence;
        let touches_above = above < self.blocks.len() && self.blocks[above].0 - 1 == sequence;
        match (touches_below, touches_above) {
            (true, true) => {
                self.blocks[above - 1].1 = self.blocks[above].1;
                self.blocks.remove(above);
            }
            (true, false) => self.blocks[above - 1].1 = sequence,
            (false, true) => self.blocks[above].0 = sequence,
            (false, false) => self.blocks.insert(above, (sequence, sequence)),
        }
        true
    }
}

/// Counts that depend on which number a flow starts with.
#[derive(Clone)]
pub(super) struct Answers {
    pub(super) duplicate_acks: u64,
    pub(super) per_run: u64,
    pub(super) per_duplicate: u64,
    pub(super) per_hole: u64,
    pub(super) missing: u64,
    pub(super) buffer: Vec<u64>,
}

impl Answers {
    pub(super) fn new(buffer_threshold: usize) -> Self {
        Self {
            duplicate_acks: 0,
            per_run: 0,
            per_duplicate: 0,
            per_hole: 0,
            missing: 0,
            buffer: vec![0; buffer_threshold + 1],
        }
    }

    pub(super) fn add(&mut self, other: &Answers) {
        self.combine(other, u64::wrapping_add);
    }

    /// Takes away what was added.
    pub(super) fn subtract(&mut self, other: &Answers) {
        self.combine(other, u64::wrapping_sub);
    }

    fn combine(&mut self, other: &Answers, combine: impl Fn(u64, u64) -> u64) {
        for (mine, theirs) in [
            (&mut self.duplicate_acks, other.duplicate_acks),
            (&mut self.per_run, other.per_run),
            (&mut self.per_duplicate, other.per_duplicate),
            (&mut self.per_hole, other.per_hole),
            (&mut self.missing, other.missing),
        ] {
            *mine = combine(*mine, theirs);
        }
        for (mine, theirs) in self.buffer.iter_mut().zip(&other.buffer) {
            *mine = combine(*mine, *theirs);
        }
    }
}

/// The cumulative ACKs that a TCP receiver sends, and the occupancy of a bounded reorder buffer.
#[derive(Clone)]
pub(super) struct Acknowledger {
    pub(super) receiver: Receiver,
    pub(super) buffer: Receiver,
    pub(super) run: u64,
    pub(super) hole_counted: bool,
    /// All numbers below, if still missing, have been counted as resent.
    pub(super) resent: i64,
}

impl Acknowledger {
    pub(super) fn new(first: i64, settings: &Settings) -> Self {
        Self {
            receiver: Receiver::new(first, settings.window),
            buffer: Receiver::new(first, settings.buffer_threshold),
            run: 0,
            hole_counted: false,
            resent: first,
        }
    }

    #[inline]
    pub(super) fn accept(&mut self, sequence: i64, answers: &mut Answers) {
        if self.buffer.accept(sequence) != Acceptance::Old {
            answers.buffer[self.buffer.held as usize] += 1;
        }
        if self.receiver.accept(sequence) == Acceptance::Advanced {
            self.run = 0;
            self.hole_counted = false;
        } else {
            self.run += 1;
            answers.duplicate_acks += 1;
            answers.per_run += u64::from(self.run == FAST_RETRANSMIT);
            answers.per_duplicate += u64::from(self.run >= FAST_RETRANSMIT);
            if self.run >= FAST_RETRANSMIT {
                self.resend(answers);
            }
        }
        if self.receiver.held >= FAST_RETRANSMIT && !self.hole_counted {
            self.hole_counted = true;
            answers.per_hole += 1;
        }
    }
    /// Counts what is missing and has not been counted before.
    fn resend(&mut self, answers: &mut Answers) {
        if let Some(&(_, highest)) = self.receiver.blocks.back() {
            answers.missing += self.receiver.missing_from(self.resent);
            self.resent = highest;
        }
    }
}
