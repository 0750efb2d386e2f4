//! Expressions on tokens that are evaluated as these come and go, and not for each firing: the conditions of joins, join trees and
//! rankings, and the values whose sums measures are made of.

use crate::program::expression::{Bool, Int, Value};

/// An expression that draws nothing and reads variables alone. Machine code has a function for it, perhaps.
#[derive(Clone, Debug)]
pub struct Called {
    /// By which the function is found. Copies have one number.
    pub number: usize,
    pub of: Value,
}

impl Called {
    /// All of some conditions, from the first to the last, which cannot fail.
    pub fn all_of(conditions: Vec<Bool>, number: usize) -> Option<Self> {
        let all = conditions.into_iter().reduce(|first, next| Bool::And(Box::new((first, next))))?;
        Some(Called { number, of: Value::Int(Int::Truth(Box::new(all))) })
    }
}
