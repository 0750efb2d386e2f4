//! One exponential clock for all transitions whose bindings share one, at the sum of their rates (C4).
//!
//! **Problem.** A firing changes a few of many rates. The clock needs their sum, and when it has run down one of them, each with a
//! chance in proportion. A sum of floats depends on the order of additions, and must not depend on which rates have changed.
//!
//! **Idea.** A tree of sums of two, whose leaves are the rates. So all sums are functions of the rates alone. A choice goes down
//! from the root, and subtracts the sums to the left of its way.
//!
//! ```text
//! 4.5 ─┬─ 1.5 ─┬─ 1.0   the rates 1.0, 0.5, 3.0
//!      │       └─ 0.5
//!      └─ 3.0 ─┬─ 3.0
//!              └─ 0
//! choose 1.2: 1.2 < 1.5, so the first; 1.2 ≥ 1.0, so the second, with 0.2 left
//! ```
//!
//! Every other level is left out: a node is (a + b) + (c + d) of the four below it, half a line of the cache. Zeros behind the last
//! rate change no sum, so they may be as many as there is room for. A few rates are added up once when the instant is over; of
//! many, only the sums above a rate that changes.
//!
//! Invariants:
//! - *sums*: each node is the sum of the four below it.
//! - *set*: a clock that runs was set for the sum of now, unless the instant is under way.

use crate::base::invariant::{ensure, Verified};
use crate::base::random::Random;
use crate::base::reuse::clone_into_fields;
use crate::base::table::Table;
use crate::base::ticks::{after, Ticks};
use crate::collections::tournament::NEVER;

/// Up to this number of sums all are computed anew.
const FEW: usize = 5;
/// Per tick (C4): the sum of all rates of a net is finite.
pub const GREATEST_RATE: f64 = f64::from_bits((1023 + 900) << 52);

#[repr(C)]
pub struct CommonClock {
    /// The root is number 0, and below node n are those from 4 · n + 1 on. The last are the leaves.
    pub nodes: Table<usize, f64>,
    /// The number of the first leaf: that of the nodes above.
    first: usize,
    /// The transition of each rate, by its number among the clocks.
    numbers: Vec<usize>,
    /// The sum for which it was set.
    sum: f64,
    pub end: Ticks,
    /// It has run down and was not set since then; a transition is due.
    rung: bool,
}

clone_into_fields!(CommonClock { nodes, first, numbers, sum, end, rung });

impl CommonClock {
    /// It does not run. `numbers`: the transitions that have a part in it, by their numbers among the clocks.
    pub fn new(numbers: Vec<usize>) -> Self {
        let (first, depth) = CommonClock::shape(numbers.len());
        let leaves = 1 << (2 * depth);
        let nodes = vec![0.0; first + leaves].into_iter().collect();
        CommonClock { nodes, first, numbers, sum: 0.0, end: NEVER, rung: false }
    }

    /// The number of the first leaf, and how many levels are above the leaves. `parts`: the transitions that have a part.
    pub fn shape(parts: usize) -> (usize, u32) {
        let (mut first, mut depth) = (0, 0);
        while 1 << (2 * depth) < parts {
            first += 1 << (2 * depth);
            depth += 1;
        }
        (first, depth)
    }

    /// Whether the sums above a rate are added up when it changes: there are many. A few are added up once for all.
    pub fn adds_up_at_once(first: usize) -> bool {
        first > FEW
    }

    /// The rate of a transition, by its number among those that have a part.
    pub fn rate(&self, part: usize) -> f64 {
        self.nodes[self.first + part]
    }

    /// The four nodes below one.
    #[inline(always)]
    fn below(&self, node: usize) -> &[f64; 4] {
        self.nodes.get(4 * node + 1..).and_then(<[f64]>::first_chunk).expect("a node above leaves")
    }

    #[inline(always)]
    fn add_up(&mut self, node: usize) -> f64 {
        let [a, b, c, d] = self.below(node);
        let sum = (a + b) + (c + d);
        self.nodes[node] = sum;
        sum
    }

    #[inline(always)]
    pub fn set_rate(&mut self, part: usize, rate: f64) {
        let mut node = self.first + part;
        self.nodes[node] = rate;
        while CommonClock::adds_up_at_once(self.first) && node > 0 {
            node = (node - 1) / 4;
            self.add_up(node);
        }
    }

    /// The instant is over, and the rates are those of now: it is set anew if it has run down, or their sum has changed.
    #[inline(always)]
    pub fn settle(&mut self, now: Ticks, random: &mut Random) {
        match self.first {
            0 => {}
            1 => _ = self.add_up(0),
            FEW => {
                // The sums do not have to be read again.
                let sums = [1, 2, 3, 4].map(|node| self.add_up(node));
                self.nodes[0] = (sums[0] + sums[1]) + (sums[2] + sums[3]);
            }
            _ => {}
        }
        let sum = self.nodes[0];
        if sum != self.sum || self.rung {
            (self.sum, self.rung) = (sum, false);
            self.end = if sum > 0.0 { after(now, random.exponential() / sum) } else { NEVER };
        }
    }

    /// Machine code has settled it, at the sum of now.
    pub fn was_settled(&mut self) {
        (self.sum, self.rung) = (self.nodes[0], false);
    }

    /// Machine code has chosen the transition that is due.
    pub fn was_rung(&mut self) {
        self.rung = true;
    }

    /// Goes on with these rates, as it was between two instants. Whether it ran exactly if there is a rate.
    pub fn resume(&mut self, rates: &[f64], end: Ticks) -> bool {
        self.nodes.iter_mut().skip(self.first).zip(rates).for_each(|(leaf, rate)| *leaf = *rate);
        (0..self.first).rev().for_each(|node| _ = self.add_up(node));
        (self.sum, self.end) = (self.nodes[0], end);
        (end < NEVER) == (self.sum > 0.0)
    }

    /// It has run down: chooses the transition that is due, by its number among the clocks.
    #[inline(always)]
    pub fn ring(&mut self, random: &mut Random) -> usize {
        self.rung = true;
        let mut node = 0;
        let mut left = if self.numbers.len() > 1 { random.uniform() * self.sum } else { 0.0 };
        // The way is unpredictable: no branch depends on it.
        let mut is_second = |first: f64, second: f64| {
            let is_second = u8::from(left >= first) & u8::from(second > 0.0);
            left -= first * f64::from(is_second);
            usize::from(is_second)
        };
        while node < self.first {
            let four = self.below(node);
            let half = 2 * is_second(four[0] + four[1], four[2] + four[3]);
            node = 4 * node + 1 + half + is_second(four[half], four[half + 1]);
        }
        self.numbers[node - self.first]
    }

    /// Whether a transition was chosen since it was set.
    pub fn has_rung(&self) -> bool {
        self.rung
    }

    /// The transition that was due has fired.
    pub fn fired(&mut self) {
        self.end = NEVER;
    }

    /// Checks the invariants.
    pub fn verify(&self) -> Verified {
        let is_sum = |node: usize| {
            let [a, b, c, d] = self.below(node);
            self.nodes[node] == (a + b) + (c + d)
        };
        ensure((0..self.first).all(is_sum), "sums", || format!("{:?}", &*self.nodes))?;
        let runs = self.end < NEVER && !self.rung;
        ensure(!runs || self.sum > 0.0, "set", || format!("ends at {} with the sum {}", self.end, self.sum))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::invariant::broken;

    fn clock(rates: &[f64]) -> CommonClock {
        let mut clock = CommonClock::new((10..10 + rates.len()).collect());
        rates.iter().enumerate().for_each(|(part, &rate)| clock.set_rate(part, rate));
        clock
    }

    #[test]
    fn c4_sums_depend_on_the_rates_alone() {
        let mut random = Random::new([1, 2, 3]);
        for count in [1, 2, 5, 16, 17, 100] {
            let mut changing = clock(&vec![0.0; count]);
            let mut rates = vec![0.0; count];
            for _ in 0..200 {
                let part = random.equal_choice(count as u64) as usize;
                rates[part] = if random.equal_choice(3) == 0 { 0.0 } else { random.exponential() };
                changing.set_rate(part, rates[part]);
                let mut fresh = clock(&rates);
                let mut other = random.clone();
                fresh.settle(7, &mut other);
                changing.settle(7, &mut random);
                assert_eq!((&*fresh.nodes, fresh.sum), (&*changing.nodes, changing.sum));
                assert_eq!(changing.verify(), Ok(()));
                assert_eq!(changing.end < NEVER, rates.iter().any(|&rate| rate > 0.0));
            }
        }
    }

    #[test]
    fn c4_transitions_are_chosen_in_proportion_to_their_rates() {
        let rates = [1.0, 0.0, 4.0, 0.0, 0.0, 3.0, GREATEST_RATE.recip()];
        let (mut random, mut clock) = (Random::new([1, 2, 3]), clock(&rates));
        clock.settle(0, &mut random);
        let mut chosen = [0; 7];
        (0..80_000).for_each(|_| chosen[clock.ring(&mut random) - 10] += 1);
        let expected = [10_000, 0, 40_000, 0, 0, 30_000, 0];
        for (chosen, expected) in chosen.into_iter().zip(expected) {
            assert!(i32::abs_diff(chosen, expected) < 500 && (chosen > 0) == (expected > 0), "{chosen} of {expected}");
        }
    }

    #[test]
    fn c4_it_is_set_anew_when_it_has_run_down_or_the_sum_has_changed() {
        let (mut random, mut clock) = (Random::new([1, 2, 3]), clock(&[1e-9, 2e-9]));
        let mut settled = |clock: &mut CommonClock| {
            clock.settle(0, &mut random);
            clock.end
        };
        let first = settled(&mut clock);
        assert_eq!(settled(&mut clock), first);
        clock.set_rate(0, 2e-9);
        clock.set_rate(1, 1e-9);
        assert_eq!(settled(&mut clock), first, "the sum is the same");
        clock.set_rate(1, 2e-9);
        let second = settled(&mut clock);
        assert_ne!(second, first);
        clock.ring(&mut Random::new([4, 5, 6]));
        assert_ne!(settled(&mut clock), second);
    }

    #[test]
    fn damage_is_found() {
        let mut damaged = clock(&[1.0, 2.0, 3.0]);
        damaged.settle(0, &mut Random::new([1, 2, 3]));
        assert_eq!(damaged.verify(), Ok(()));
        damaged.nodes[0] = 4.0;
        assert_eq!(broken(damaged.verify()), "sums");
        let mut damaged = clock(&[0.0]);
        damaged.end = 7;
        assert_eq!(broken(damaged.verify()), "set");
    }
}
