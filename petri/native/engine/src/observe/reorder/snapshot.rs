//! The counts of an order up to an instant.

use std::sync::Arc;

use crate::observe::reorder::tail::Tail;
use crate::observe::reorder::tally::Tally;

/// The number of flows whose waiting packets are copied, and counted on demand. Copies of more flows would take much
/// memory, so these are counted at once.
pub(super) const MOST_TAILS: usize = 64;

/// The counts up to an instant, and the packets that waited then. Most snapshots are never evaluated.
pub struct Snapshot {
    pub(super) tally: Tally,
    pub(super) tails: Vec<Arc<Tail>>,
}

impl Snapshot {
    /// All counts. Packets that wait are included as if no more came.
    pub fn tally(&self) -> Tally {
        let mut tally = self.tally.clone();
        self.tails.iter().for_each(|tail| tail.count(&mut tally.displacement));
        tally
    }
}
