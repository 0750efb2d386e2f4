//! The values by which the tokens of a bag are ranked.

use crate::base::random::Random;
use crate::program::expression::Value;
use crate::program::ranking::RankProgram;
use crate::state::store::{int_rank, real_rank};
use crate::state::value::Scope;

/// Evaluates ranks.
#[derive(Clone)]
pub struct Ranker {
    variables: Vec<u64>,
    chance: Random,
}

impl Ranker {
    pub fn new(program: &RankProgram) -> Self {
        Ranker { variables: vec![0; program.variables], chance: Random::new([0; 3]) }
    }

    /// The rank of a token, if it passes the filters. Neither these nor the value can fail.
    pub fn rank(&mut self, program: &RankProgram, token: &[u64]) -> Option<u64> {
        for (slot, variable) in &program.binds {
            self.variables[variable.at()] = token[*slot as usize];
        }
        let (variables, random) = (&self.variables[..], &mut self.chance);
        let scope = &mut Scope { variables, places: &[], tables: &[], random, now: 0, end: 0 };
        let passes = program.filters.iter().all(|filter| filter.value(scope).unwrap_or(false));
        let rank = passes.then(|| rank_of(&program.value, scope))?;
        Some(if program.reversed { !rank } else { rank })
    }

    /// The ranks of a token by both of its values, as one number.
    pub fn rank_by_both(&mut self, program: &RankProgram, token: &[u64]) -> Option<u128> {
        let first = self.rank(program, token)?;
        let (variables, random) = (&self.variables[..], &mut self.chance);
        let scope = &mut Scope { variables, places: &[], tables: &[], random, now: 0, end: 0 };
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
