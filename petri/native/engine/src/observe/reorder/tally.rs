//! What has been counted of all flows together, and the figures made of it.

use crate::observe::reorder::receiver::Answers;
use crate::observe::reorder::settings::{Settings, FAST_RETRANSMIT};

pub(super) const EXTENT_LIMIT: usize = 256;
pub(super) const DEGREE_LIMIT: usize = 64;

#[derive(Clone, Default)]
pub(super) struct Counts {
    pub(super) packets: u64,
    pub(super) received: u64,
    pub(super) duplicates: u64,
    pub(super) beyond_window: u64,
    pub(super) flows: u64,
    pub(super) forgotten: u64,
    pub(super) wraps: u64,
    pub(super) lost: i128,
    pub(super) reordered: u64,
    pub(super) total_extent: u64,
    pub(super) total_late_time: f64,
    pub(super) total_overtaken: u64,
    pub(super) discontinuities: u64,
    pub(super) total_discontinuity: i128,
    pub(super) runs: u64,
    pub(super) run_packets: u64,
    pub(super) run_squares: u128,
    pub(super) gaps: u64,
    pub(super) total_gap: u64,
    pub(super) three_reordered: u64,
    pub(super) retransmit_overtaken: u64,
    pub(super) max_extent: u64,
    pub(super) max_late_time: f64,
    pub(super) max_overtaken: u64,
}

/// Counts of packets: `extent[e]`, `degree[n]` and `answers.buffer[b]` count from 0, `displacement[d + DT]` from -DT.
#[derive(Clone)]
pub struct Tally {
    pub(super) count: Counts,
    pub(super) extent: Vec<u64>,
    pub(super) degree: Vec<u64>,
    pub(super) displacement: Vec<u64>,
    pub(super) answers: Answers,
}

impl Tally {
    pub(super) fn new(settings: &Settings) -> Self {
        Self {
            count: Counts::default(),
            extent: vec![0; EXTENT_LIMIT + 1],
            degree: vec![0; DEGREE_LIMIT + 1],
            displacement: vec![0; 2 * settings.displacement_threshold + 1],
            answers: Answers::new(settings.buffer_threshold),
        }
    }

    /// The counts of packets by extent, degree, displacement, and occupancy of the buffer.
    pub fn distributions(&self) -> [(&'static str, &[u64]); 4] {
        [
            ("extent", &self.extent),
            ("degree", &self.degree),
            ("displacement", &self.displacement),
            ("buffer", &self.answers.buffer),
        ]
    }

    /// Every figure since the start, in the order of `FIELDS` of the Python twin.
    pub fn figures(&self) -> Vec<(&'static str, f64)> {
        let Tally { count, displacement, answers, .. } = self;
        let threshold = displacement.len() / 2;
        let displaced: u64 = displacement.iter().sum();
        let away = |(index, n): (usize, &u64)| index.abs_diff(threshold) as u128 * u128::from(*n);
        let held = |(held, n): (usize, &u64)| held as u128 * u128::from(*n);
        let mut figures = vec![
            ("packets", count.packets as f64),
            ("received", count.received as f64),
            ("duplicates", count.duplicates as f64),
            ("beyond_window", count.beyond_window as f64),
            ("flows", count.flows as f64),
            ("forgotten", count.forgotten as f64),
            ("wraps", count.wraps as f64),
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
    pub(super) fn late(&mut self, extent: u64, late_time: f64, overtaken: u64) {
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
