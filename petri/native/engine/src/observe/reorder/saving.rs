//! The figures of reordering as data, and back (`petri/engine/saved_order.py` is the twin).

use std::sync::OnceLock;

use crate::base::saved::{
    fits, number, wide, Fit, SavedAnswers, SavedFlow, SavedOrder, SavedReceiver, SavedYoung, Wide,
};
use crate::observe::reorder::displacement::Displacements;
use crate::observe::reorder::flow::{Flow, Missing, Stair, Voice, Young};
use crate::observe::reorder::receiver::{Acknowledger, Answers, Receiver};
use crate::observe::reorder::settings::Settings;
use crate::observe::reorder::tally::{Counts, Tally};
use crate::observe::reorder::{Order, RETIRED};

impl Order {
    pub fn save(&self) -> SavedOrder {
        let mut flows = Vec::with_capacity(self.flows.len());
        let mut index = self.heard.oldest;
        while let Some(flow) = self.flows.get(index as usize) {
            flows.push(flow.save());
            index = self.neighbours[index as usize].newer;
        }
        let Tally { count, extent, degree, displacement, answers } = &self.tally;
        SavedOrder {
            counts: count.save(),
            total_late_time: count.total_late_time,
            max_extent: count.max_extent,
            max_late_time: count.max_late_time,
            max_overtaken: count.max_overtaken,
            extent: extent.clone(),
            degree: degree.clone(),
            displacement: displacement.clone(),
            answers: answers.save(),
            flows,
            retired: self.retired_keys(),
        }
    }

    /// Goes on from a state, before anything has arrived. Keys have `width` words.
    pub fn resume(&mut self, saved: &SavedOrder, width: usize) -> Fit<()> {
        let lengths = |tally: &Tally| [tally.extent.len(), tally.degree.len(), tally.displacement.len()];
        let tally = Tally {
            count: Counts::of(saved)?,
            extent: saved.extent.clone(),
            degree: saved.degree.clone(),
            displacement: saved.displacement.clone(),
            answers: Answers::of(&saved.answers, &self.settings)?,
        };
        fits(lengths(&tally) == lengths(&self.tally), "a distribution of a measure of order has another length")?;
        fits(saved.flows.len() <= self.settings.flows, "a measure of order follows too many flows")?;
        for flow in &saved.flows {
            fits(flow.key.len() == width, "the key of a flow is not one of the measure")?;
            let sequence = flow.next;
            self.begin(Flow::of(flow, &self.settings)?, sequence);
        }
        fits(saved.retired.len() <= self.settings.retired, "a measure of order remembers too many keys")?;
        for key in &saved.retired {
            fits(key.len() == width, "the key of a flow is not one of the measure")?;
            let known = self.by_key.insert(key.as_slice().into(), RETIRED).is_some();
            fits(!known, "a measure of order has a key twice")?;
        }
        self.retired = saved.retired.len();
        self.tally = tally;
        Ok(())
    }

    /// The keys of retired flows, in order.
    fn retired_keys(&self) -> Vec<Vec<u64>> {
        let retired = self.by_key.iter().filter(|&(_, &index)| index == RETIRED);
        let mut keys: Vec<Vec<u64>> = retired.map(|(key, _)| key.to_vec()).collect();
        keys.sort_unstable();
        keys
    }
}

impl Counts {
    fn save(&self) -> Vec<Wide> {
        let all = [
            self.packets.into(),
            self.received.into(),
            self.duplicates.into(),
            self.beyond_window.into(),
            self.flows.into(),
            self.forgotten.into(),
            self.wraps.into(),
            self.lost,
            self.reordered.into(),
            self.total_extent.into(),
            self.total_overtaken.into(),
            self.discontinuities.into(),
            self.total_discontinuity,
            self.runs.into(),
            self.run_packets.into(),
            self.run_squares as i128,
            self.gaps.into(),
            self.total_gap.into(),
            self.three_reordered.into(),
            self.retransmit_overtaken.into(),
        ];
        all.map(wide).to_vec()
    }

    fn of(saved: &SavedOrder) -> Fit<Self> {
        let counts = saved.counts.iter().map(|&words| number(words)).collect::<Fit<Vec<i128>>>()?;
        let mut wanted = Counts::default();
        fits(counts.len() == wanted.save().len(), "a measure of order has another number of counts")?;
        let count = |index: usize| u64::try_from(counts[index]).unwrap_or(0);
        wanted = Counts {
            packets: count(0),
            received: count(1),
            duplicates: count(2),
            beyond_window: count(3),
            flows: count(4),
            forgotten: count(5),
            wraps: count(6),
            lost: counts[7],
            reordered: count(8),
            total_extent: count(9),
            total_overtaken: count(10),
            discontinuities: count(11),
            total_discontinuity: counts[12],
            runs: count(13),
            run_packets: count(14),
            run_squares: counts[15].unsigned_abs(),
            gaps: count(16),
            total_gap: count(17),
            three_reordered: count(18),
            retransmit_overtaken: count(19),
            total_late_time: saved.total_late_time,
            max_extent: saved.max_extent,
            max_late_time: saved.max_late_time,
            max_overtaken: saved.max_overtaken,
        };
        fits(wanted.save() == saved.counts, "a count of a measure of order is negative or too large")?;
        Ok(wanted)
    }
}

impl Answers {
    fn save(&self) -> SavedAnswers {
        let counts = [self.duplicate_acks, self.per_run, self.per_duplicate, self.per_hole, self.missing];
        SavedAnswers { counts, buffer: self.buffer.clone() }
    }

    fn of(saved: &SavedAnswers, settings: &Settings) -> Fit<Self> {
        let fresh = Answers::new(settings.buffer_threshold);
        fits(saved.buffer.len() == fresh.buffer.len(), "the occupancies of a reorder buffer are not as many")?;
        let [duplicate_acks, per_run, per_duplicate, per_hole, missing] = saved.counts;
        Ok(Answers { duplicate_acks, per_run, per_duplicate, per_hole, missing, buffer: saved.buffer.clone() })
    }
}

impl Flow {
    fn save(&self) -> SavedFlow {
        let young = self.young.as_deref().map(|young| SavedYoung {
            arrivals: young.arrivals.clone(),
            counted_from: young.counted_from,
            answers: young.answers.save(),
        });
        let (index, waiting, early) = self.displacements.save();
        SavedFlow {
            key: self.key.to_vec(),
            first: self.first,
            least: self.least,
            next: self.next,
            position: self.position,
            run: self.run,
            missing: self.missing.iter().map(|gap| (gap.low, gap.high, gap.position, gap.time)).collect(),
            found: self.found.clone(),
            fallen: (self.fallen, self.fallen_to),
            stairs: self.stairs.iter().map(|stair| (stair.sequence, stair.position, stair.length)).collect(),
            below: self.below,
            index,
            waiting,
            early,
            young,
            receiver: self.acknowledger.receiver.save(),
            buffer: self.acknowledger.buffer.save(),
            duplicates: self.acknowledger.run,
            hole_counted: self.acknowledger.hole_counted,
            resent: self.acknowledger.resent,
        }
    }

    fn of(saved: &SavedFlow, settings: &Settings) -> Fit<Self> {
        let young = saved.young.as_ref().map(|young| {
            let answers = Answers::of(&young.answers, settings)?;
            Ok(Box::new(Young { arrivals: young.arrivals.clone(), counted_from: young.counted_from, answers }))
        });
        let gap = |&(low, high, position, time): &(i64, i64, u64, f64)| Missing { low, high, position, time };
        let stair = |&(sequence, position, length): &(i64, u64, u64)| Stair { sequence, position, length };
        Ok(Flow {
            key: saved.key.as_slice().into(),
            voice: Voice::Heard,
            first: saved.first,
            least: saved.least,
            next: saved.next,
            position: saved.position,
            run: saved.run,
            missing: saved.missing.iter().map(gap).collect(),
            found: saved.found.clone(),
            fallen: saved.fallen.0,
            fallen_to: saved.fallen.1,
            stairs: saved.stairs.iter().map(stair).collect(),
            below: saved.below,
            displacements: Displacements::of(saved, settings),
            young: young.transpose()?,
            acknowledger: Acknowledger {
                receiver: Receiver::of(&saved.receiver, settings.window),
                buffer: Receiver::of(&saved.buffer, settings.buffer_threshold),
                run: saved.duplicates,
                hole_counted: saved.hole_counted,
                resent: saved.resent,
            },
        })
    }
}

impl Displacements {
    /// The receive index, the packets that wait, and those that were early, in order.
    fn save(&self) -> (Option<i64>, Vec<i64>, Vec<i64>) {
        let steady = self.index..self.index + self.steady as i64;
        let waiting = if self.waiting.is_empty() { steady.collect() } else { self.waiting.iter().copied().collect() };
        let mut early = self.early.clone();
        early.sort_unstable();
        (self.started.then_some(self.index), waiting, early)
    }

    fn of(saved: &SavedFlow, settings: &Settings) -> Self {
        let in_row = saved.waiting.windows(2).rev().take_while(|pair| pair[0] == pair[1].wrapping_sub(1)).count() + 1;
        Displacements {
            threshold: settings.displacement_threshold,
            index: saved.index.unwrap_or_else(|| saved.waiting.iter().copied().min().unwrap_or(0)),
            started: saved.index.is_some(),
            steady: 0,
            waiting: saved.waiting.iter().copied().collect(),
            in_row: in_row.min(saved.waiting.len()),
            early: saved.early.clone(),
            tail: OnceLock::new(),
        }
    }
}

impl Receiver {
    fn save(&self) -> SavedReceiver {
        SavedReceiver { expected: self.expected, blocks: self.blocks.iter().copied().collect() }
    }

    fn of(saved: &SavedReceiver, threshold: usize) -> Self {
        let held = saved.blocks.iter().map(|(low, high)| high.abs_diff(*low) + 1).sum();
        Receiver {
            expected: saved.expected,
            threshold: threshold as u64,
            held,
            blocks: saved.blocks.iter().copied().collect(),
        }
    }
}
