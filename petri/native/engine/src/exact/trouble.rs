//! Why a state space, or a chain, cannot be had.

use crate::base::fault::{Fault, LoadError};
use crate::base::ids::TransitionId;

/// Each reason has an id, which `petri/wording` words.
#[derive(Clone, Debug, PartialEq)]
pub enum Trouble {
    /// The net cannot be run, either.
    Load(LoadError),
    /// A firing cannot be evaluated (X1, X2): of which transition, if it is one.
    Fault(Box<Fault>, Option<TransitionId>),
    /// The net has no chain that this engine can make, because of a transition.
    Unsolvable(&'static str, Option<TransitionId>),
}

impl From<LoadError> for Trouble {
    fn from(error: LoadError) -> Self {
        Trouble::Load(error)
    }
}

pub type Found<T> = Result<T, Trouble>;
