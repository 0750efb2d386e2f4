//! How far the packets of a flow arrive out of order; the twin of `petri/measure/reorder.py`, which explains the terms.
//!
//! An arrival in order touches a few numbers and allocates nothing. Sequence numbers are expected within ±2^61; others
//! are taken as the nearest of these.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use crate::observe::reorder::flow::{Flow, Missing};
use crate::observe::reorder::receiver::{Acknowledger, Answers};
use crate::observe::reorder::settings::{Settings, FAST_RETRANSMIT, NONE, YOUNG};

mod displacement;
mod flow;
mod receiver;
pub mod settings;

const EXTENT_LIMIT: usize = 256;
const DEGREE_LIMIT: usize = 64;
const SEQUENCE_LIMIT: i64 = 1 << 61;

#[derive(Clone, Default)]
struct Counts {
    packets: u64,
    received: u64,
    duplicates: u64,
    beyond_window: u64,
    flows: u64,
    lost: i128,
    reordered: u64,
    total_extent: u64,
    total_late_time: f64,
    total_overtaken: u64,
    discontinuities: u64,
    total_discontinuity: i128,
    runs: u64,
    run_packets: u64,
    run_squares: u128,
    gaps: u64,
    total_gap: u64,
    three_reordered: u64,
    retransmit_overtaken: u64,
    max_extent: u64,
    max_late_time: f64,
    max_overtaken: u64,
}

/// The figures of all flows together.
pub struct Order {
    settings: Settings,
    flows: Vec<Flow>,
    by_key: HashMap<Box<[u64]>, u32, BuildHasherDefault<KeyHasher>>,
    oldest: u32,
    newest: u32,
    count: Counts,
    extent: Vec<u64>,
    degree: Vec<u64>,
    displacement: Vec<u64>,
    answers: Answers,
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
            oldest: NONE,
            newest: NONE,
            count: Counts::default(),
            extent: vec![0; EXTENT_LIMIT + 1],
            degree: vec![0; DEGREE_LIMIT + 1],
            displacement: vec![0; 2 * settings.displacement_threshold + 1],
            answers: Answers::new(settings.buffer_threshold),
        }
    }

    /// Set all figures to zero (the warm-up is over). What is remembered of the flows stays.
    pub fn restart(&mut self) {
        self.count = Counts::default();
        self.extent.fill(0);
        self.degree.fill(0);
        self.displacement.fill(0);
        self.answers = Answers::new(self.settings.buffer_threshold);
        for young in self.flows.iter_mut().filter_map(|flow| flow.young.as_mut()) {
            young.answers = Answers::new(self.settings.buffer_threshold);
            young.counted_from = young.arrivals.len();
        }
    }

    /// The packet `sequence` of flow `key` arrives at `time`.
    #[inline]
    pub fn arrive(&mut self, key: &[u64], sequence: i64, time: f64) {
        let sequence = sequence.clamp(-SEQUENCE_LIMIT, SEQUENCE_LIMIT);
        self.count.packets += 1;
        let index = self.flow(key, sequence, time);
        let next = self.flows[index].next;
        if sequence < next - self.settings.window as i64 {
            self.count.beyond_window += 1;
            return;
        }
        if sequence >= next {
            self.in_order(index, sequence, time);
        } else if let Some((interval, missing_above)) = self.flows[index].find(sequence) {
            self.reordered(index, sequence, time, interval, missing_above);
        } else {
            self.count.duplicates += 1;
            self.acknowledge(index, sequence);
            return;
        }
        self.count.received += 1;
        self.flows[index].displacements.accept(sequence, &mut self.displacement);
        self.acknowledge(index, sequence);
    }

    /// The index of a key's flow, which becomes the one heard last.
    #[inline]
    fn flow(&mut self, key: &[u64], sequence: i64, time: f64) -> usize {
        if let Some(newest) = self.flows.get(self.newest as usize) {
            if *newest.key == *key {
                return self.newest as usize;
            }
        }
        if let Some(&index) = self.by_key.get(key) {
            self.unchain(index);
            self.chain(index);
            return index as usize;
        }
        self.begin(Flow::new(key, sequence, time, &self.settings), sequence)
    }

    /// Start to follow a flow, in the place of the longest silent one when there are too many.
    fn begin(&mut self, flow: Flow, sequence: i64) -> usize {
        self.count.flows += 1;
        self.count.lost += i128::from(sequence - flow.least);
        let key = flow.key.clone();
        let index = if self.flows.len() >= self.settings.flows {
            let index = self.oldest;
            self.unchain(index);
            let mut retired = std::mem::replace(&mut self.flows[index as usize], flow);
            self.by_key.remove(&retired.key);
            retired.displacements.drain(&mut self.displacement);
            if let Some(young) = retired.young {
                self.answers.add(&young.answers);
            }
            index
        } else {
            self.flows.push(flow);
            (self.flows.len() - 1) as u32
        };
        self.by_key.insert(key, index);
        self.chain(index);
        index as usize
    }

    fn chain(&mut self, index: u32) {
        let before = self.newest;
        self.flows[index as usize].older = before;
        self.flows[index as usize].newer = NONE;
        match self.flows.get_mut(before as usize) {
            Some(flow) => flow.newer = index,
            None => self.oldest = index,
        }
        self.newest = index;
    }

    fn unchain(&mut self, index: u32) {
        let Flow { older, newer, .. } = self.flows[index as usize];
        match self.flows.get_mut(older as usize) {
            Some(flow) => flow.newer = newer,
            None => self.oldest = newer,
        }
        match self.flows.get_mut(newer as usize) {
            Some(flow) => flow.older = older,
            None => self.newest = older,
        }
    }

    #[inline]
    fn in_order(&mut self, index: usize, sequence: i64, time: f64) {
        let flow = &mut self.flows[index];
        flow.position += 1;
        flow.run += 1;
        self.count.run_packets += 1;
        let floor = sequence + 1 - self.settings.window as i64;
        if sequence > flow.next {
            let passed = sequence - flow.next;
            self.count.discontinuities += 1;
            self.count.total_discontinuity += i128::from(passed);
            self.count.lost += i128::from(passed);
            flow.missing.push_back(Missing { low: flow.next, high: sequence - 1, position: flow.position, time });
            while flow.missing.front().is_some_and(|oldest| oldest.high < floor) {
                flow.missing.pop_front();
            }
        }
        flow.next = sequence + 1;
        self.degree[flow.climb(sequence, floor) as usize] += 1;
    }

    fn reordered(&mut self, index: usize, sequence: i64, time: f64, interval: usize, missing_above: i64) {
        let flow = &mut self.flows[index];
        let count = &mut self.count;
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
        self.degree[(degree as usize).min(DEGREE_LIMIT)] += 1;
        self.extent[(extent as usize).min(EXTENT_LIMIT)] += 1;
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
            None => flow.acknowledger.accept(sequence, &mut self.answers),
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
            self.answers.add(&young.answers);
            flow.young = None;
        }
    }

    // ------------------------------------------------------------ results

    fn all_answers(&self) -> Answers {
        let mut answers = self.answers.clone();
        for young in self.flows.iter().filter_map(|flow| flow.young.as_ref()) {
            answers.add(&young.answers);
        }
        answers
    }

    /// Counts of packets; those that still wait to be assessed are included as if no more came.
    ///
    /// `extent[e]`, `degree[n]` and `buffer[b]` count from 0, `displacement[d + DT]` from -DT.
    pub fn distributions(&self) -> Vec<(&'static str, Vec<u64>)> {
        let mut displacement = self.displacement.clone();
        for flow in &self.flows {
            flow.displacements.count_rest(&mut displacement);
        }
        vec![
            ("extent", self.extent.clone()),
            ("degree", self.degree.clone()),
            ("displacement", displacement),
            ("buffer", self.all_answers().buffer),
        ]
    }

    /// Every figure since the start, in the order of `FIELDS` of the Python twin.
    pub fn figures(&self) -> Vec<(&'static str, f64)> {
        let answers = self.all_answers();
        let distributions = self.distributions();
        let threshold = self.settings.displacement_threshold;
        let displacement = &distributions[2].1;
        let displaced: u64 = displacement.iter().sum();
        let away = |(index, n): (usize, &u64)| index.abs_diff(threshold) as u128 * u128::from(*n);
        let held = |(held, n): (usize, &u64)| held as u128 * u128::from(*n);
        let count = &self.count;
        let mut figures = vec![
            ("packets", count.packets as f64),
            ("received", count.received as f64),
            ("duplicates", count.duplicates as f64),
            ("beyond_window", count.beyond_window as f64),
            ("flows", count.flows as f64),
            ("lost", count.lost as f64),
            ("reordered", count.reordered as f64),
            ("total_extent", count.total_extent as f64),
            ("total_late_time", count.total_late_time),
            ("total_overtaken", count.total_overtaken as f64),
            ("discontinuities", count.discontinuities as f64),
            ("total_discontinuity", count.total_discontinuity as f64),
            ("runs", count.runs as f64),
            ("run_packets", count.run_packets as f64),
            ("run_squares", count.run_squares as f64),
            ("gaps", count.gaps as f64),
            ("total_gap", count.total_gap as f64),
            ("three_reordered", count.three_reordered as f64),
            ("duplicate_acks", answers.duplicate_acks as f64),
            ("retransmit_per_run", answers.per_run as f64),
            ("retransmit_per_duplicate", answers.per_duplicate as f64),
            ("retransmit_per_hole", answers.per_hole as f64),
            ("retransmit_missing", answers.missing as f64),
            ("retransmit_overtaken", count.retransmit_overtaken as f64),
            ("displacement_packets", displaced as f64),
            ("displaced", (displaced - displacement[threshold]) as f64),
            ("total_displacement", displacement.iter().enumerate().map(away).sum::<u128>() as f64),
            ("buffer_packets", answers.buffer.iter().sum::<u64>() as f64),
            ("total_buffer", answers.buffer.iter().enumerate().map(held).sum::<u128>() as f64),
            ("max_extent", count.max_extent as f64),
            ("max_late_time", count.max_late_time),
            ("max_overtaken", count.max_overtaken as f64),
            ("max_buffer", answers.buffer.iter().rposition(|&n| n > 0).unwrap_or(0) as f64),
        ];
        for (name, above, below) in RATIOS {
            let value = quotient(&figures, above, below);
            figures.push((name, value));
        }
        figures
    }
}

impl Counts {
    /// Sum up how late a reordered packet is.
    fn late(&mut self, extent: u64, late_time: f64, overtaken: u64) {
        self.reordered += 1;
        self.total_extent += extent;
        self.total_overtaken += overtaken;
        self.retransmit_overtaken += u64::from(overtaken >= FAST_RETRANSMIT);
        self.total_late_time += late_time;
        self.max_extent = self.max_extent.max(extent);
        self.max_late_time = self.max_late_time.max(late_time);
        self.max_overtaken = self.max_overtaken.max(overtaken);
    }
}

/// Figures that are the quotient of two counters.
const RATIOS: [(&str, &str, &str); 17] = [
    ("reordered_share", "reordered", "received"),
    ("three_reordered_share", "three_reordered", "received"),
    ("retransmit_overtaken_share", "retransmit_overtaken", "received"),
    ("displaced_share", "displaced", "displacement_packets"),
    ("duplicate_ack_share", "duplicate_acks", "packets"),
    ("retransmit_per_run_share", "retransmit_per_run", "packets"),
    ("retransmit_per_duplicate_share", "retransmit_per_duplicate", "packets"),
    ("retransmit_per_hole_share", "retransmit_per_hole", "packets"),
    ("retransmit_missing_share", "retransmit_missing", "packets"),
    ("mean_extent", "total_extent", "reordered"),
    ("mean_late_time", "total_late_time", "reordered"),
    ("mean_overtaken", "total_overtaken", "reordered"),
    ("mean_discontinuity", "total_discontinuity", "discontinuities"),
    ("mean_run", "run_packets", "runs"),
    ("mean_gap", "total_gap", "gaps"),
    ("mean_displacement", "total_displacement", "displacement_packets"),
    ("mean_buffer", "total_buffer", "buffer_packets"),
];

/// The quotient of two figures; NaN where the divisor is 0.
fn quotient(figures: &[(&'static str, f64)], above: &str, below: &str) -> f64 {
    let value = |name| figures.iter().find(|figure| figure.0 == name).map_or(f64::NAN, |figure| figure.1);
    if value(below) == 0.0 {
        f64::NAN
    } else {
        value(above) / value(below)
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
        let bounds: Vec<usize> = settings[2..].iter().map(|word| word.parse().unwrap()).collect();
        Order::with(Settings {
            first: settings[1].parse().ok(),
            window: bounds[0],
            flows: bounds[1],
            displacement_threshold: bounds[2],
            buffer_threshold: bounds[3],
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
            let mut outcome: Vec<String> = order.figures().iter().map(|&(_, value)| digits(value)).collect();
            let distributions = order.distributions();
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
                assert_eq!(watched.distributions(), fresh.distributions(), "{settings:?} after {done} events");
            }
        }
    }

    #[test]
    fn wild_sequence_numbers_do_no_harm() {
        let mut order = Order::new(8);
        for sequence in [0, i64::MAX, i64::MIN, i64::MAX, 7, i64::MAX - 1] {
            order.arrive(&[], sequence, 0.0);
        }
        assert_eq!(order.figures()[0], ("packets", 6.0));
    }
}
