//! A net that engines can run: its program, and the machine code made of it.

use std::sync::Arc;

pub use crate::jit::blueprint::interpreted::{WhyPlace, WhySearch};
pub use crate::jit::speed::{Choice, Interpreted, Speed};

use crate::base::fault::LoadError;
use crate::base::ids::TransitionId;
use crate::jit::cache::Cache;
use crate::net::Net;
use crate::program::without::Without;
use crate::program::Program;

/// A compiled net. Replications on any number of threads share it.
pub struct Compiled {
    pub program: Arc<Program>,
    pub cache: Cache,
}

impl Compiled {
    /// Checks and compiles a net. It recurses as deeply as the net's expressions nest.
    pub fn of(net: Net) -> Result<Self, LoadError> {
        Program::new(net).map(Compiled::from)
    }

    /// The same, without some optimisations.
    pub fn without(net: Net, without: Without) -> Result<Self, LoadError> {
        Program::without(net, without).map(Compiled::from)
    }

    /// The same for trials of a net.
    pub fn for_trials(net: Net, without: Without) -> Result<Self, LoadError> {
        Program::for_trials(net, without).map(Compiled::from)
    }

    /// Reads a net from the JSON that `petri/codec.py` writes.
    pub fn from_json(text: &str) -> Result<Self, LoadError> {
        Program::from_json(text).map(Compiled::from)
    }

    /// How each transition is run.
    pub fn speed(&self) -> impl Iterator<Item = Speed> + '_ {
        (0..self.program.own as u32).map(|number| Speed::of(&self.program, TransitionId(number)))
    }
}

impl From<Program> for Compiled {
    fn from(program: Program) -> Self {
        Compiled { program: Arc::new(program), cache: Cache::default() }
    }
}
