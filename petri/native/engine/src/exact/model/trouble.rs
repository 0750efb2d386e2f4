//! Why a state space, or a chain, cannot be had.

use crate::base::fault::{Fault, LoadError};
use crate::base::ids::TransitionId;
use crate::exact::model::watch::Ended;

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

/// Why the successors of a state are not all there.
pub enum Interrupted {
    Trouble(Trouble),
    /// A limit was reached, or someone stopped it.
    Ended(Ended),
    Outgrown(Outgrown),
}

/// A field has outgrown its bits.
pub struct Outgrown {
    pub field: usize,
    pub number: u64,
}

impl Trouble {
    /// The same, of a transition if it is a fault that has none.
    pub fn of(self, transition: usize) -> Self {
        match self {
            Trouble::Fault(fault, None) => Trouble::Fault(fault, Some(TransitionId(transition as u32))),
            other => other,
        }
    }
}

impl From<Trouble> for Interrupted {
    fn from(trouble: Trouble) -> Self {
        Interrupted::Trouble(trouble)
    }
}

impl From<Box<Fault>> for Interrupted {
    fn from(fault: Box<Fault>) -> Self {
        Trouble::from(fault).into()
    }
}

impl From<Box<Fault>> for Trouble {
    fn from(fault: Box<Fault>) -> Self {
        Trouble::Fault(fault, None)
    }
}

impl From<LoadError> for Trouble {
    fn from(error: LoadError) -> Self {
        Trouble::Load(error)
    }
}

pub type Found<T> = Result<T, Trouble>;
