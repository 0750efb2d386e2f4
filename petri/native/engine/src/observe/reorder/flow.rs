//! The state of one flow.

use std::collections::VecDeque;

use crate::observe::reorder::displacement::Displacements;
use crate::observe::reorder::receiver::{Acknowledger, Answers};
use crate::observe::reorder::settings::{Settings, LEAST_RANGE, WRAPPED, YOUNG};

/// Numbers `low` to `high` that were passed over by the arrival at `position` (from 1) and `time`.
#[derive(Clone, Copy)]
pub(super) struct Missing {
    pub(super) low: i64,
    pub(super) high: i64,
    pub(super) position: u64,
    pub(super) time: f64,
}

/// Packets of successive numbers and positions.
#[derive(Clone)]
pub(super) struct Stair {
    pub(super) sequence: i64,
    pub(super) position: u64,
    pub(super) length: u64,
}

/// The first arrivals of a flow: until there are 64, its first number may still turn out to be lower.
#[derive(Clone)]
pub(super) struct Young {
    pub(super) arrivals: Vec<i64>,
    pub(super) counted_from: usize,
    pub(super) answers: Answers,
}

/// When a flow was heard last: after the last snapshot, before it, or before that.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Voice {
    Heard,
    Silent,
    Quiet,
}

/// The state of one key.
#[derive(Clone)]
pub(super) struct Flow {
    pub(super) key: Box<[u64]>,
    pub(super) voice: Voice,
    pub(super) first: i64,
    pub(super) least: i64,
    pub(super) next: i64,
    pub(super) position: u64,
    pub(super) run: u64,
    pub(super) missing: VecDeque<Missing>,
    pub(super) found: Vec<u64>,
    /// How many successive ascending arrivals came more than half a range late, and the last of them.
    pub(super) fallen: u64,
    pub(super) fallen_to: i64,
    pub(super) stairs: VecDeque<Stair>,
    pub(super) below: u64,
    pub(super) displacements: Displacements,
    pub(super) young: Option<Box<Young>>,
    pub(super) acknowledger: Acknowledger,
}

impl Flow {
    pub(super) fn new(key: &[u64], sequence: i64, time: f64, settings: &Settings) -> Self {
        let first = settings.first.unwrap_or(sequence);
        let before = Missing { low: sequence - settings.window as i64, high: sequence - 1, position: 1, time };
        Self {
            key: key.into(),
            voice: Voice::Heard,
            first,
            least: first.min(sequence),
            next: sequence,
            position: 0,
            run: 0,
            missing: VecDeque::from([before]),
            found: Vec::new(),
            fallen: 0,
            fallen_to: 0,
            stairs: VecDeque::new(),
            below: 0,
            displacements: Displacements::new(settings.displacement_threshold),
            young: Some(Box::new(Young {
                arrivals: Vec::with_capacity(YOUNG),
                counted_from: 0,
                answers: Answers::new(settings.buffer_threshold),
            })),
            acknowledger: Acknowledger::new(first, settings),
        }
    }

    /// Note an arrival; returns how many packets directly before it have greater numbers (its degree).
    #[inline]
    pub(super) fn climb(&mut self, sequence: i64, floor: i64) -> u64 {
        while self.stairs.back().is_some_and(|top| top.sequence > sequence) {
            self.stairs.pop_back();
        }
        let mut last = self.below;
        if let Some(top) = self.stairs.back_mut() {
            last = top.position + top.length - 1;
            if last + 1 == self.position && top.sequence + top.length as i64 == sequence {
                top.length += 1;
                return 0;
            }
        }
        self.stairs.push_back(Stair { sequence, position: self.position, length: 1 });
        while self.stairs[0].sequence + self.stairs[0].length as i64 <= floor {
            self.below = self.stairs[0].position + self.stairs[0].length - 1;
            self.stairs.pop_front();
        }
        self.position - last - 1
    }

    /// Where a number is missing: the index of its interval and how many greater numbers are missing too.
    pub(super) fn find(&self, sequence: i64) -> Option<(usize, i64)> {
        let mut above = 0;
        for (index, interval) in self.missing.iter().enumerate().rev() {
            if interval.low <= sequence {
                return (sequence <= interval.high).then(|| (index, above + interval.high - sequence));
            }
            above += interval.high - interval.low + 1;
        }
        None
    }

    /// Take a number out of its interval.
    pub(super) fn fill(&mut self, index: usize, sequence: i64) {
        let interval = self.missing[index];
        let upper = Missing { low: sequence + 1, ..interval };
        match (interval.low < sequence, sequence < interval.high) {
            (true, true) => {
                self.missing[index].high = sequence - 1;
                self.missing.insert(index + 1, upper);
            }
            (true, false) => self.missing[index].high = sequence - 1,
            (false, true) => self.missing[index] = upper,
            (false, false) => {
                self.missing.remove(index);
            }
        }
    }

    /// Note a reordering discontinuity; by how much all gaps together grow, `None` if there is no new gap. One that is met
    /// between two others divides their gap into two.
    pub(super) fn gap(&mut self, position: u64) -> Option<u64> {
        let mut below = self.found.len();
        while below > 0 && self.found[below - 1] > position {
            below -= 1;
        }
        if below > 0 && self.found[below - 1] == position {
            return None;
        }
        let ends = self.found.first().zip(self.found.last());
        let grown = ends.map(|(&first, &last)| first.saturating_sub(position).max(position.saturating_sub(last)));
        self.found.insert(below, position);
        let oldest = self.missing.front().map_or(self.position, |interval| interval.position);
        let forgotten = self.found.iter().skip(1).take_while(|&&other| other <= oldest).count();
        self.found.drain(..forgotten);
        grown
    }

    /// The number nearest to the highest one that equals `sequence` modulo `modulo` (RFC 1982, section 3.2). Of two numbers
    /// that are equally near, the lower one.
    pub(super) fn unwrapped(&self, sequence: i64, modulo: i64) -> i64 {
        let (half, highest) = (modulo / 2, self.next - 1);
        highest + (sequence - highest + half).rem_euclid(modulo) - half
    }

    /// Whether the numbers seem to have restarted: the last arrivals ascend, all far below the highest number. The range of a
    /// flow is the least power of two above its highest number.
    pub(super) fn wraps(&mut self, sequence: i64) -> bool {
        let known = self.fallen;
        let late = self.next > LEAST_RANGE && self.next - sequence > 1 << (self.next - 1).ilog2();
        (self.fallen, self.fallen_to) = match known {
            _ if !late => (0, 0),
            WRAPPED => (WRAPPED, sequence),
            1.. if sequence > self.fallen_to => (known + 1, sequence),
            _ => (1, sequence),
        };
        known < self.fallen && self.fallen == WRAPPED
    }
}
