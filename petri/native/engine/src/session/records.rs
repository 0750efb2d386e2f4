//! Observers whose findings a caller can ask for.

use crate::observe::levels::Levels;
use crate::observe::observer::Observer;
use crate::observe::probes::Probes;
use crate::observe::trace::Trace;

/// An observer whose findings a caller can ask for.
pub trait Record: Observer {
    fn probes(&mut self) -> Option<&mut Probes> {
        None
    }

    fn trace(&mut self) -> Option<&mut Trace> {
        None
    }

    fn levels(&self) -> Option<&Levels> {
        None
    }
}

impl Record for () {}

impl Record for Probes {
    fn probes(&mut self) -> Option<&mut Probes> {
        Some(self)
    }
}

impl Record for (Probes, Levels) {
    fn probes(&mut self) -> Option<&mut Probes> {
        Some(&mut self.0)
    }

    fn levels(&self) -> Option<&Levels> {
        Some(&self.1)
    }
}

/// What a traced run keeps.
pub type Extras = (Trace, Option<Levels>);

impl Record for (Probes, Extras) {
    fn probes(&mut self) -> Option<&mut Probes> {
        Some(&mut self.0)
    }

    fn trace(&mut self) -> Option<&mut Trace> {
        Some(&mut self.1 .0)
    }

    fn levels(&self) -> Option<&Levels> {
        self.1 .1.as_ref()
    }
}
