//! The state of the probes at an instant, copied without evaluating any figure: most snapshots are never evaluated.

use crate::base::ticks::Ticks;
use crate::observe::histogram;
use crate::observe::probes::Probe;
use crate::observe::reorder;

pub enum ProbeSnapshot {
    Counter(f64),
    Sample(histogram::Snapshot),
    Passage { times: histogram::Snapshot, counts: [u64; 3], open: [f64; 2] },
    Order(Box<reorder::snapshot::Snapshot>),
    Content { integral: f64, greatest: f64 },
    Watched { integral: f64, extremes: [f64; 2], first: f64 },
}

impl ProbeSnapshot {
    pub fn of(probe: &mut Probe, now: Ticks) -> Self {
        match probe {
            Probe::Counter(sum) => ProbeSnapshot::Counter(*sum),
            Probe::Sample(values) => ProbeSnapshot::Sample(values.snapshot()),
            Probe::Passage(passages) => ProbeSnapshot::Passage {
                times: passages.times().snapshot(),
                counts: [passages.unmatched(), passages.forgotten(), passages.waiting() as u64],
                open: [passages.open(now), passages.open_before()],
            },
            Probe::Content(content) => {
                ProbeSnapshot::Content { integral: content.integral(now), greatest: content.greatest() }
            }
            Probe::Watched(watched) => ProbeSnapshot::Watched {
                integral: watched.integral(now),
                extremes: watched.extremes(),
                first: watched.first(),
            },
            Probe::Order(order) => ProbeSnapshot::Order(Box::new(order.snapshot())),
        }
    }
}
