//! The firings that will end soon, for which memory is fetched step by step.

use crate::base::ids::TransitionId;
use crate::collections::tournament::EventSlot;
use crate::state::index::NONE;

/// Firings that pass before the first step, since some take less time than a line to come; and the most steps.
const PAUSE: usize = 2;
pub const STEPS: usize = 6;
/// Firings that are remembered: a power of two, more than pass up to the last step.
const REMEMBERED: usize = 16;
const _: () = assert!(PAUSE + STEPS < REMEMBERED && REMEMBERED.is_power_of_two());
/// Prefetch targets of a firing that are followed.
const TARGETS: usize = 4;

/// The firings that will end soon, the latest found last.
#[derive(Default)]
pub struct Upcoming {
    firings: [Soon; REMEMBERED],
    last: usize,
}

/// A firing that will end soon.
#[derive(Clone, Copy)]
pub struct Soon {
    pub slot: u32,
    /// What was in the slot when the first step was done: another firing may be there by now.
    pub transition: TransitionId,
    /// Where its prefetch targets have led to: groups, and then seats.
    pub found: [u32; TARGETS],
}

impl Default for Soon {
    fn default() -> Self {
        Soon { slot: 0, transition: TransitionId(0), found: [NONE; TARGETS] }
    }
}

impl Upcoming {
    /// One more is found, in a slot of the tournament.
    pub fn add(&mut self, slot: EventSlot) {
        self.last += 1;
        self.firings[self.last % REMEMBERED] = Soon { slot: slot.0 as u32, ..Soon::default() };
    }

    /// The one that has come to a step.
    pub fn at_step(&mut self, step: usize) -> &mut Soon {
        &mut self.firings[self.last.wrapping_sub(PAUSE + step) % REMEMBERED]
    }
}
