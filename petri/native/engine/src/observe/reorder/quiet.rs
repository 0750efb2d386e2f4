//! The counts of flows if no more packets came, summed over the flows that have been silent for a while.

use crate::observe::reorder::flow::Flow;
use crate::observe::reorder::receiver::Answers;
use crate::observe::reorder::settings::Settings;
use crate::observe::reorder::tally::Tally;

#[derive(Clone)]
pub(super) struct Quiet {
    displacement: Vec<u64>,
    answers: Answers,
    /// For one flow.
    own: Vec<u64>,
}

impl Quiet {
    pub(super) fn new(settings: &Settings) -> Self {
        let displacement = vec![0; 2 * settings.displacement_threshold + 1];
        Quiet { own: displacement.clone(), displacement, answers: Answers::new(settings.buffer_threshold) }
    }

    /// A flow becomes quiet.
    pub(super) fn add(&mut self, flow: &Flow) {
        flow.displacements.count_rest(&mut self.displacement);
        if let Some(young) = &flow.young {
            self.answers.add(&young.answers);
        }
    }

    /// A flow that has not changed since stops being quiet.
    pub(super) fn remove(&mut self, flow: &Flow) {
        self.own.fill(0);
        flow.displacements.count_rest(&mut self.own);
        self.displacement.iter_mut().zip(&self.own).for_each(|(all, own)| *all -= own);
        if let Some(young) = &flow.young {
            self.answers.subtract(&young.answers);
        }
    }

    /// Adds what all of them count.
    pub(super) fn count(&self, tally: &mut Tally) {
        tally.displacement.iter_mut().zip(&self.displacement).for_each(|(all, quiet)| *all += quiet);
        tally.answers.add(&self.answers);
    }
}
