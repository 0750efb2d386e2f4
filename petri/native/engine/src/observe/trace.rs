//! A trace: every firing, kept until it is fetched.

use crate::base::ids::TransitionId;
use crate::base::ticks::Ticks;
use crate::state::value::Scope;

/// Firings in the order in which they started, by columns. `variables` has those of one firing after the other.
#[derive(Clone, Debug, Default)]
pub struct Trace {
    pub starts: Vec<Ticks>,
    pub ends: Vec<Ticks>,
    pub transitions: Vec<TransitionId>,
    pub variables: Vec<u64>,
}

impl Trace {
    pub fn started(&mut self, transition: TransitionId, scope: &Scope) {
        self.starts.push(scope.now);
        self.ends.push(scope.end);
        self.transitions.push(transition);
        self.variables.extend_from_slice(scope.variables);
    }
}
