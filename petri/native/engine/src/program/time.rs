//! How long a firing lasts, or how long the tokens of an output are on the way.

use crate::base::ticks::{Ticks, SHORT};
use crate::program::expression::Real;

#[derive(PartialEq)]
pub enum Time {
    Immediate,
    /// Above 0.
    Const(Ticks),
    Of(Real),
}

impl Time {
    /// Whether a firing may end beyond the horizon, whenever it begins.
    pub fn is_long(&self) -> bool {
        matches!(self, Time::Const(duration) if *duration >= SHORT as Ticks)
    }
}
