//! Conditions on the tokens of joins, join trees and rankings, which are evaluated as tokens come, and not for each firing.

use crate::program::expression::Bool;

/// A condition that cannot fail, draws nothing, and reads variables alone.
#[derive(Clone, Debug)]
pub struct Condition {
    /// By which machine code has a function for it, perhaps. Copies have one number.
    pub number: usize,
    pub of: Bool,
}

impl Condition {
    /// All of some conditions, from the first to the last. `count`: of the conditions that have a number.
    pub fn all_of(conditions: Vec<Bool>, count: &mut usize) -> Option<Self> {
        let of = conditions.into_iter().reduce(|first, next| Bool::And(Box::new((first, next))))?;
        *count += 1;
        Some(Condition { number: *count - 1, of })
    }
}
