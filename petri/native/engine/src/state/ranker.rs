//! The values by which the tokens of a bag are ranked.

use std::sync::Arc;

use crate::program::expression::Value;
use crate::program::ranking::RankProgram;
use crate::state::evaluator::{CalledCode, Evaluator};
use crate::state::store::{int_rank, real_rank};
use crate::state::value::Scope;

/// Evaluates ranks.
#[derive(Clone)]
pub struct Ranker {
    evaluator: Evaluator,
}

impl Ranker {
    pub fn new(program: &RankProgram) -> Self {
        Ranker { evaluator: Evaluator::new(program.variables) }
    }

    /// From now on, these functions tell which tokens have a rank.
    pub fn call(&mut self, functions: Option<&Arc<CalledCode>>) {
        self.evaluator.call(functions);
    }

    /// The rank of a token, if it passes the filter. The value cannot fail.
    pub fn rank(&mut self, program: &RankProgram, token: &[u64]) -> Option<u64> {
        self.evaluator.load_token(&program.binds, token);
        let passes = self.evaluator.holds(program.filter.as_ref());
        let rank = passes.then(|| rank_of(&program.value, &mut self.evaluator.scope()))?;
        Some(if program.reversed { !rank } else { rank })
    }

    /// The ranks of a token by both of its values, as one number.
    pub fn rank_by_both(&mut self, program: &RankProgram, token: &[u64]) -> Option<u128> {
        let first = self.rank(program, token)?;
        let scope = &mut self.evaluator.scope();
        let then = program.then.as_ref().map_or(0, |then| rank_of(then, scope));
        Some(u128::from(first) << 64 | u128::from(if program.reversed { !then } else { then }))
    }
}

/// A value that cannot fail as a number without sign, in the same order.
#[inline]
pub fn rank_of(value: &Value, scope: &mut Scope) -> u64 {
    match value {
        Value::Int(value) => value.value(scope).map_or(0, int_rank),
        // There is one zero.
        Value::Real(value) => value.value(scope).map_or(0, |value| real_rank(value + 0.0)),
    }
}
