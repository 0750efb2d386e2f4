//! How far the packets of a flow arrive out of order; the twin of `petri/measure/reorder.py`, which explains the terms.
//!
//! An arrival in order touches a few numbers and allocates nothing. Sequence numbers are expected within ±2^61; others
//! are taken as the nearest of these.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::Arc;

use crate::collections::chain::{Chain, Neighbours, ALONE, EMPTY};
use crate::observe::reorder::flow::{Flow, Missing, Voice};
use crate::observe::reorder::quiet::Quiet;
use crate::observe::reorder::receiver::{Acknowledger, Answers};
use crate::observe::reorder::settings::{Settings, FAST_RETRANSMIT, YOUNG};
use crate::observe::reorder::snapshot::{Snapshot, MOST_TAILS};
use crate::observe::reorder::tally::{Tally, DEGREE_LIMIT, EXTENT_LIMIT};

mod displacement;
mod flow;
mod quiet;
mod receiver;
mod saving;
pub mod settings;
pub mod snapshot;
mod tail;
pub mod tally;

const SEQUENCE_LIMIT: i64 = 1 << 61;
/// The index of a key whose flow is not followed any more.
const RETIRED: u32 = u32::MAX;

/// The figures of all flows together.
#[derive(Clone)]
pub struct Order {
    settings: Settings,
    flows: Vec<Flow>,
    by_key: HashMap<Box<[u64]>, u32, BuildHasherDefault<KeyHasher>>,
    /// How many keys of retired flows are in `by_key`.
    retired: usize,
    /// The flows by when they were heard last.
    heard: Chain,
    neighbours: Vec<Neighbours>,
    tally: Tally,
    /// The counts of quiet flows, and of all others.
    quiet: Quiet,
    stirred: Vec<u32>,
}

impl Order {
    /// At most `window` missing numbers below the highest one are remembered for a flow.
    pub fn new(window: usize) -> Self {
        Self::with(Settings { window, ..Settings::default() })
    }

    /// All of the settings but `first` must be at least 1.
    pub fn with(settings: Settings) -> Self {
        Self {
            settings,
            flows: Vec::new(),
            by_key: HashMap::default(),
            retired: 0,
            heard: EMPTY,
            neighbours: Vec::new(),
            tally: Tally::new(&settings),
            quiet: Quiet::new(&settings),
            stirred: Vec::new(),
        }
    }

    /// Set all figures to zero (the warm-up is over). The state of the flows is kept.
    pub fn restart(&mut self) {
        self.stir_all();
        self.tally = Tally::new(&self.settings);
        for young in self.flows.iter_mut().filter_map(|flow| flow.young.as_mut()) {
            young.answers = Answers::new(self.settings.buffer_threshold);
            young.counted_from = young.arrivals.len();
        }
    }

    /// The packet `sequence` of flow `key` arrives at `time`.
    #[inline]
    pub fn arrive(&mut self, key: &[u64], sequence: i64, time: f64) {
        let mut sequence = sequence.clamp(-SEQUENCE_LIMIT, SEQUENCE_LIMIT);
        self.tally.count.packets += 1;
        let index = self.flow(key, sequence, time);
        if let Some(modulo) = self.settings.modulo {
            sequence = self.flows[index].unwrapped(sequence, modulo).clamp(-SEQUENCE_LIMIT, SEQUENCE_LIMIT);
        }
        if self.flows[index].wraps(sequence) {
            self.tally.count.wraps += 1;
        }
        if self.flows[index].voice != Voice::Heard {
            self.hear(index);
        }
        let next = self.flows[index].next;
        if sequence < next - self.settings.window as i64 {
            self.tally.count.beyond_window += 1;
            return;
        }
        if sequence >= next {
            self.in_order(index, sequence, time);
        } else if let Some((interval, missing_above)) = self.flows[index].find(sequence) {
            self.reordered(index, sequence, time, interval, missing_above);
        } else {
            self.tally.count.duplicates += 1;
            self.acknowledge(index, sequence);
            return;
        }
        self.tally.count.received += 1;
        self.flows[index].displacements.accept(sequence, &mut self.tally.displacement);
        self.acknowledge(index, sequence);
    }

    /// The index of a key's flow, which becomes the one heard last.
    #[inline]
    fn flow(&mut self, key: &[u64], sequence: i64, time: f64) -> usize {
        if let Some(newest) = self.flows.get(self.heard.newest as usize) {
            if *newest.key == *key {
                return self.heard.newest as usize;
            }
        }
        if let Some(&index) = self.by_key.get(key).filter(|&&index| index != RETIRED) {
            self.heard.remove(&mut self.neighbours, index);
            self.heard.push(&mut self.neighbours, index);
            return index as usize;
        }
        self.begin(Flow::new(key, sequence, time, &self.settings), sequence)
    }

    /// Start to follow a flow, in the place of the longest silent one when there are too many. A flow counts as forgotten if its key
    /// comes again, or at once if that would not be noticed.
    fn begin(&mut self, flow: Flow, sequence: i64) -> usize {
        self.tally.count.flows += 1;
        self.tally.count.lost += i128::from(sequence - flow.least);
        let key = flow.key.clone();
        let index = if self.flows.len() >= self.settings.flows {
            let index = self.heard.oldest;
            self.heard.remove(&mut self.neighbours, index);
            self.hear(index as usize);
            let retired = std::mem::replace(&mut self.flows[index as usize], flow);
            if self.retired < self.settings.retired {
                self.by_key.insert(retired.key, RETIRED);
                self.retired += 1;
            } else {
                self.by_key.remove(&retired.key);
                self.tally.count.forgotten += 1;
            }
            retired.displacements.count_rest(&mut self.tally.displacement);
            if let Some(young) = retired.young {
                self.tally.answers.add(&young.answers);
            }
            index
        } else {
            self.flows.push(flow);
            self.neighbours.push(ALONE);
            self.stirred.push((self.flows.len() - 1) as u32);
            (self.flows.len() - 1) as u32
        };
        if self.by_key.insert(key, index) == Some(RETIRED) {
            self.retired -= 1;
            self.tally.count.forgotten += 1;
        }
        self.heard.push(&mut self.neighbours, index);
        index as usize
    }

    #[inline]
    fn in_order(&mut self, index: usize, sequence: i64, time: f64) {
        let flow = &mut self.flows[index];
        flow.position += 1;
        flow.run += 1;
        self.tally.count.run_packets += 1;
        let floor = sequence + 1 - self.settings.window as i64;
        if sequence > flow.next {
            let passed = sequence - flow.next;
            self.tally.count.discontinuities += 1;
            self.tally.count.total_discontinuity += i128::from(passed);
            self.tally.count.lost += i128::from(passed);
            flow.missing.push_back(Missing { low: flow.next, high: sequence - 1, position: flow.position, time });
            while flow.missing.front().is_some_and(|oldest| oldest.high < floor) {
                flow.missing.pop_front();
            }
        }
        flow.next = sequence + 1;
        self.tally.degree[flow.climb(sequence, floor) as usize] += 1;
    }

    fn reordered(&mut self, index: usize, sequence: i64, time: f64, interval: usize, missing_above: i64) {
        let flow = &mut self.flows[index];
        let count = &mut self.tally.count;
        flow.position += 1;
        let passed = flow.missing[interval];
        let extent = flow.position - passed.position;
        let overtaken = (flow.next - 1 - sequence - missing_above) as u64;
        flow.fill(interval, sequence);
        if let Some(gap) = flow.gap(passed.position) {
            count.gaps += 1;
            count.total_gap += gap;
        }
        let degree = flow.climb(sequence, flow.next - self.settings.window as i64);
        self.tally.degree[(degree as usize).min(DEGREE_LIMIT)] += 1;
        self.tally.extent[(extent as usize).min(EXTENT_LIMIT)] += 1;
        count.three_reordered += u64::from(degree >= FAST_RETRANSMIT);
        count.runs += 1;
        count.run_squares += u128::from(flow.run) * u128::from(flow.run);
        flow.run = 0;
        if sequence < flow.least {
            count.lost += i128::from(flow.least - sequence - 1);
            flow.least = sequence;
        } else {
            count.lost -= 1;
        }
        count.late(extent, time - passed.time, overtaken);
    }

    /// Pass a packet to the flow's receiver, which starts again when a young flow's first number turns out lower.
    #[inline]
    fn acknowledge(&mut self, index: usize, sequence: i64) {
        let flow = &mut self.flows[index];
        match &flow.young {
            None => flow.acknowledger.accept(sequence, &mut self.tally.answers),
            Some(_) => self.acknowledge_young(index, sequence),
        }
    }

    fn acknowledge_young(&mut self, index: usize, sequence: i64) {
        let flow = &mut self.flows[index];
        let Some(young) = flow.young.as_deref_mut() else { return };
        young.arrivals.push(sequence);
        if self.settings.first.is_none() && sequence < flow.first {
            flow.first = sequence;
            flow.acknowledger = Acknowledger::new(sequence, &self.settings);
            young.answers = Answers::new(self.settings.buffer_threshold);
            let mut before = young.answers.clone();
            for (index, &earlier) in young.arrivals.iter().enumerate() {
                let answers = if index >= young.counted_from { &mut young.answers } else { &mut before };
                flow.acknowledger.accept(earlier, answers);
            }
        } else {
            flow.acknowledger.accept(sequence, &mut young.answers);
        }
        if young.arrivals.len() == YOUNG {
            self.tally.answers.add(&young.answers);
            flow.young = None;
        }
    }

    /// All that has been counted so far. A flow that has not been heard since the last snapshot is counted among the quiet
    /// ones from now on: most flows of a long run have ended.
    pub fn snapshot(&mut self) -> Snapshot {
        let mut stirred = std::mem::take(&mut self.stirred);
        stirred.retain(|&index| {
            let flow = &mut self.flows[index as usize];
            flow.voice = if flow.voice == Voice::Heard { Voice::Silent } else { Voice::Quiet };
            if flow.voice == Voice::Quiet {
                self.quiet.add(flow);
            }
            flow.voice != Voice::Quiet
        });
        self.stirred = stirred;
        let mut tally = self.tally.clone();
        self.quiet.count(&mut tally);
        let mut tails = Vec::new();
        for Flow { displacements, young, .. } in self.stirred.iter().map(|&index| &self.flows[index as usize]) {
            tally.displacement[self.settings.displacement_threshold] += displacements.steady();
            match displacements.tail() {
                Some(tail) if tails.len() < MOST_TAILS => tails.push(Arc::clone(tail)),
                Some(tail) => tail.count(&mut tally.displacement),
                None => {}
            }
            if let Some(young) = young {
                tally.answers.add(&young.answers);
            }
        }
        Snapshot { tally, tails }
    }

    /// A flow is heard for the first time since the last snapshot.
    #[cold]
    fn hear(&mut self, index: usize) {
        let flow = &mut self.flows[index];
        if flow.voice == Voice::Quiet {
            self.quiet.remove(flow);
            self.stirred.push(index as u32);
        }
        flow.voice = Voice::Heard;
    }

    /// No flow is quiet.
    fn stir_all(&mut self) {
        (0..self.flows.len()).for_each(|index| self.hear(index));
    }
}

/// Mixes the words of a key; keys come from the model, so nobody can choose them to collide.
#[derive(Default)]
struct KeyHasher(u64);

impl Hasher for KeyHasher {
    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.write_u64(u64::from_le_bytes(word));
        }
    }

    #[inline]
    fn write_u64(&mut self, word: u64) {
        let mixed = (self.0 ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        self.0 = mixed ^ (mixed >> 32);
    }

    fn write_usize(&mut self, word: usize) {
        self.write_u64(word as u64);
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::observe::shared_cases::{cases, digits};

    fn measure(settings: &[&str]) -> Order {
        let bounds: Vec<usize> = settings[3..].iter().map(|word| word.parse().unwrap()).collect();
        Order::with(Settings {
            first: settings[1].parse().ok(),
            modulo: settings[2].parse().ok(),
            window: bounds[0],
            flows: bounds[1],
            retired: bounds[2],
            displacement_threshold: bounds[3],
            buffer_threshold: bounds[4],
        })
    }

    fn happen(order: &mut Order, event: &str) {
        if event == "restart" {
            return order.restart();
        }
        let words: Vec<&str> = event.split(':').collect();
        order.arrive(&[words[0].parse().unwrap()], words[1].parse().unwrap(), words[2].parse().unwrap());
    }

    fn sparse(counts: &[u64]) -> String {
        let filled = counts.iter().enumerate().filter(|(_, &count)| count > 0);
        filled.map(|(index, count)| format!("{index}:{count}")).collect::<Vec<_>>().join(",")
    }

    #[test]
    fn agrees_with_its_twin() {
        let cases = cases("order");
        assert!(!cases.is_empty());
        for [settings, events, expected] in cases {
            let mut order = measure(&settings);
            events.iter().for_each(|event| happen(&mut order, event));
            let tally = order.snapshot().tally();
            let mut outcome: Vec<String> = tally.figures().iter().map(|&(_, value)| digits(value)).collect();
            let distributions = tally.distributions();
            outcome.extend(distributions.iter().map(|(name, counts)| format!("{name}={}", sparse(counts))));
            assert_eq!(outcome, expected, "{settings:?}");
        }
    }

    /// Snapshots on the way keep what they have counted; they must not see it when it has changed.
    #[test]
    fn figures_on_the_way_change_nothing() {
        for [settings, events, _] in cases("order") {
            let mut watched = measure(&settings);
            for (done, event) in events.iter().enumerate() {
                happen(&mut watched, event);
                let mut fresh = measure(&settings);
                events[..=done].iter().for_each(|event| happen(&mut fresh, event));
                assert_eq!(
                    watched.snapshot().tally().distributions(),
                    fresh.snapshot().tally().distributions(),
                    "{settings:?} after {done} events"
                );
            }
        }
    }

    /// More flows than are assessed later, most of which are silent between two snapshots, and more than are followed.
    #[test]
    fn figures_of_many_flows_on_the_way_change_nothing() {
        let settings = ["order", "", "", "64", "150", "1000", "8", "4"];
        let (mut watched, mut fresh) = (measure(&settings), measure(&settings));
        for round in 0..24u64 {
            for flow in 0..if round % 4 == 0 { 200 } else { 3 } {
                for step in 0..20 {
                    let sequence = (20 * round + (7 * step) % 20) as i64;
                    for order in [&mut watched, &mut fresh] {
                        order.arrive(&[flow], sequence, round as f64);
                    }
                }
            }
            watched.snapshot();
            if round == 17 {
                watched.restart();
                fresh.restart();
            }
        }
        let [watched, fresh] = [watched, fresh].map(|mut order| order.snapshot().tally());
        assert_eq!(watched.distributions(), fresh.distributions());
        assert_eq!(watched.figures(), fresh.figures());
    }

    #[test]
    fn wild_sequence_numbers_do_no_harm() {
        let mut order = Order::new(8);
        for sequence in [0, i64::MAX, i64::MIN, i64::MAX, 7, i64::MAX - 1] {
            order.arrive(&[], sequence, 0.0);
        }
        assert_eq!(order.snapshot().tally().figures()[0], ("packets", 6.0));
    }
}
