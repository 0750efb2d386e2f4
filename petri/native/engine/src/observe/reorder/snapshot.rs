//! What an order has counted up to an instant.

use std::sync::Arc;

use crate::observe::reorder::tail::Tail;
use crate::observe::reorder::tally::Tally;

/// Flows whose packets that wait are copied, and counted when that is asked for. Those of more flows would take much memory,
/// and are counted at once.
pub(super) const MOST_TAILS: usize = 64;

/// The counts up to an instant, and the packets that waited then. Of most snapshots of a run, no figure is ever wanted.
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
