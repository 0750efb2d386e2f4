//! Times from a start to the next end of equal key, in bounded memory; the twin of `petri/measure/passage.py`.
//!
//! An end takes the oldest start of its key that still waits. At most `limit` starts wait at once: when one more comes,
//! the oldest of all is forgotten. Starts live in a pool and are chained twice: with all others by age, and with those
//! of their bucket of a hash table by age, so every operation takes constant time and none allocates for a key.

use crate::base::saved::{fits, Fit, SavedPassage, SavedWaiting};
use crate::base::ticks::Ticks;
use crate::collections::chain::{Chain, Neighbours, ALONE, EMPTY, NONE};
use crate::net::Tick;
use crate::observe::histogram::Histogram;

/// The number of values of a key of this shape.
fn values(shape: u64) -> usize {
    shape.checked_ilog2().unwrap_or(0) as usize
}

pub const LIMIT: usize = 1 << 18;

/// The passages that have ended, as a histogram of their times [net's unit], and the starts that wait.
#[derive(Clone)]
pub struct Passages {
    limit: usize,
    /// Words in a key.
    width: usize,
    tick: Tick,
    times: Histogram,
    unmatched: u64,
    forgotten: u64,
    waiting: usize,
    /// The sum of the instants of waiting starts.
    instants: i128,
    /// How long those that waited at the last restart had waited, together [ticks].
    open_before: f64,
    /// By node: key, time, and place in the chains.
    keys: Vec<u64>,
    starts: Vec<Ticks>,
    by_age: Vec<Neighbours>,
    in_bucket: Vec<Neighbours>,
    free: Vec<u32>,
    all: Chain,
    /// A power of two.
    buckets: Vec<Chain>,
}

impl Passages {
    /// Keys have `width` words; `limit` is at least 1 and at most 2^31.
    pub fn new(width: usize, limit: usize, tick: Tick) -> Self {
        Self {
            limit,
            width,
            tick,
            times: Histogram::new(),
            unmatched: 0,
            forgotten: 0,
            waiting: 0,
            instants: 0,
            open_before: 0.0,
            keys: Vec::new(),
            starts: Vec::new(),
            by_age: Vec::new(),
            in_bucket: Vec::new(),
            free: Vec::new(),
            all: EMPTY,
            buckets: vec![EMPTY; 16],
        }
    }

    /// Set all figures to zero. Starts keep waiting: a passage counts when it ends.
    pub fn restart(&mut self, now: Ticks) {
        self.open_before = self.open(now);
        self.times = Histogram::new();
        self.unmatched = 0;
        self.forgotten = 0;
    }

    pub fn times(&self) -> &Histogram {
        &self.times
    }

    /// shape: that of all keys, if it is not their first word.
    pub fn save(&self, shape: Option<u64>) -> SavedPassage {
        let mut waiting = Vec::with_capacity(self.waiting);
        let mut node = self.all.oldest;
        while node != NONE {
            let (shape, key) = match shape {
                Some(shape) => (shape, self.key(node)),
                None => (self.key(node)[0], &self.key(node)[1..]),
            };
            let key = key[..values(shape)].to_vec();
            waiting.push(SavedWaiting { shape, key, start: self.starts[node as usize] });
            node = self.by_age[node as usize].newer;
        }
        SavedPassage {
            times: self.times.save(),
            unmatched: self.unmatched,
            forgotten: self.forgotten,
            waiting,
            open_before: self.open_before,
        }
    }

    /// Goes on from a state, before anything has started.
    pub fn resume(&mut self, saved: &SavedPassage, shape: Option<u64>) -> Fit<()> {
        fits(saved.waiting.len() <= self.limit, "more passages have started than are followed")?;
        for start in &saved.waiting {
            let is_key =
                start.shape > 0 && start.key.len() == values(start.shape) && shape.is_none_or(|s| s == start.shape);
            let mut key: Vec<u64> = shape.map_or(vec![start.shape], |_| Vec::new());
            key.extend(&start.key);
            fits(is_key && key.len() <= self.width, "the key of a passage is not one of the measure")?;
            key.resize(self.width, 0);
            self.start(&key, start.start);
        }
        self.times = Histogram::of(&saved.times)?;
        (self.unmatched, self.forgotten) = (saved.unmatched, saved.forgotten);
        self.open_before = saved.open_before;
        Ok(())
    }

    /// Words in a key.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Ends without a start.
    pub fn unmatched(&self) -> u64 {
        self.unmatched
    }

    /// Starts that made room for others.
    pub fn forgotten(&self) -> u64 {
        self.forgotten
    }

    /// Starts that wait for their end.
    pub fn waiting(&self) -> usize {
        self.waiting
    }

    /// How long waiting starts have waited, together [ticks].
    pub fn open(&self, now: Ticks) -> f64 {
        (self.waiting as i128 * i128::from(now) - self.instants) as f64
    }

    /// The same at the last restart, of those that waited then.
    pub fn open_before(&self) -> f64 {
        self.open_before
    }

    pub fn start(&mut self, key: &[u64], now: Ticks) {
        if self.waiting >= self.limit {
            self.take(self.all.oldest);
            self.forgotten += 1;
        } else if self.waiting >= self.buckets.len() {
            self.spread();
        }
        let node = self.node(key, now);
        self.all.push(&mut self.by_age, node);
        let bucket = self.bucket(key);
        self.buckets[bucket].push(&mut self.in_bucket, node);
        self.waiting += 1;
        self.instants += i128::from(now);
    }

    pub fn end(&mut self, key: &[u64], now: Ticks) {
        let mut node = self.buckets[self.bucket(key)].oldest;
        while node != NONE && self.key(node) != key {
            node = self.in_bucket[node as usize].newer;
        }
        if node == NONE {
            self.unmatched += 1;
        } else {
            let start = self.take(node);
            self.times.add(self.tick.time((now - start) as f64));
        }
    }

    fn key(&self, node: u32) -> &[u64] {
        &self.keys[node as usize * self.width..][..self.width]
    }

    /// A free node, filled in.
    fn node(&mut self, key: &[u64], now: Ticks) -> u32 {
        if let Some(node) = self.free.pop() {
            self.keys[node as usize * self.width..][..self.width].copy_from_slice(key);
            self.starts[node as usize] = now;
            return node;
        }
        self.keys.extend_from_slice(key);
        self.starts.push(now);
        self.by_age.push(ALONE);
        self.in_bucket.push(ALONE);
        (self.starts.len() - 1) as u32
    }

    /// Remove a start; returns when it was.
    fn take(&mut self, node: u32) -> Ticks {
        let bucket = self.bucket(self.key(node));
        self.buckets[bucket].remove(&mut self.in_bucket, node);
        self.all.remove(&mut self.by_age, node);
        self.free.push(node);
        self.waiting -= 1;
        self.instants -= i128::from(self.starts[node as usize]);
        self.starts[node as usize]
    }

    fn bucket(&self, key: &[u64]) -> usize {
        let mix = |hash: u64, word: &u64| {
            let mixed = (hash ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15);
            mixed ^ (mixed >> 32)
        };
        key.iter().fold(0, mix) as usize & (self.buckets.len() - 1)
    }

    /// Four times as many buckets. Oldest first, so that every bucket keeps its order.
    fn spread(&mut self) {
        self.buckets = vec![EMPTY; self.buckets.len() * 4];
        let mut node = self.all.oldest;
        while node != NONE {
            let bucket = self.bucket(self.key(node));
            self.buckets[bucket].push(&mut self.in_bucket, node);
            node = self.by_age[node as usize].newer;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::observe::shared_cases::{cases, digits};

    #[test]
    fn agrees_with_its_twin() {
        let cases = cases("passage");
        assert!(!cases.is_empty());
        for [settings, events, expected] in cases {
            let mut passages = Passages::new(1, settings[1].parse().unwrap(), Tick::default());
            for (n, event) in events.iter().enumerate() {
                let (key, now) = ([event[1..].parse().unwrap()], (n * n) as Ticks);
                if event.starts_with('s') {
                    passages.start(&key, now);
                } else {
                    passages.end(&key, now);
                }
            }
            let times = passages.times().snapshot();
            let outcome = [passages.unmatched(), passages.waiting() as u64, passages.forgotten(), times.count];
            let mut words: Vec<String> = outcome.iter().map(u64::to_string).collect();
            words.extend([times.origin, times.first_moment].map(digits));
            assert_eq!(words, expected);
        }
    }

    #[test]
    fn nodes_are_used_again() {
        let mut passages = Passages::new(1, LIMIT, Tick::default());
        for n in 0..10_000 {
            passages.start(&[n], n as Ticks);
            passages.end(&[n], n as Ticks);
        }
        assert_eq!((passages.starts.len(), passages.buckets.len()), (1, 16));
    }
}
