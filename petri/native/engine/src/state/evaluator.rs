//! Expressions that are evaluated as tokens come and go ([`Called`]).
//!
//! **Problem.** An expression of a token of many slots costs thousands of instructions where it is interpreted, and so more than all
//! else that a firing does.
//!
//! **Idea.** Machine code has a function for each that is worth one. Its value depends on the variables alone, so it does not matter
//! which code an engine runs, or whether it runs any: from the moment that the functions exist, they are called.

use std::any::Any;
use std::ffi::c_void;
use std::mem::{replace, transmute};
use std::ptr::null_mut;
use std::sync::Arc;

use crate::base::fault::Outcome;
use crate::base::ids::VariableId;
use crate::base::random::Random;
use crate::base::ticks::Ticks;
use crate::program::called::Called;
use crate::state::value::Scope;

/// Evaluates an expression. The parameters are an engine, which none of these reads, the holes, the variables, of which the
/// first one becomes the value, and the end of a firing. Returns 0 if there is a value.
type Evaluate = unsafe extern "C" fn(*mut c_void, *const u32, *mut u64, Ticks) -> u64;

/// The function of an expression.
#[derive(Clone, Copy)]
pub struct Function {
    evaluate: Evaluate,
    holes: *const u32,
}

impl Function {
    /// # Safety
    /// There is such a function at this address, for these holes.
    pub unsafe fn at(address: *const u8, holes: *const u32) -> Self {
        // SAFETY: the caller guarantees it.
        Function { evaluate: unsafe { transmute::<*const u8, Evaluate>(address) }, holes }
    }
}

/// The functions of the numbered expressions of a program.
pub struct CalledCode {
    /// By the number of the expression.
    pub of: Vec<Option<Function>>,
    /// Owns the memory of the functions and of their holes.
    pub memory: Box<dyn Any + Send + Sync>,
}

// SAFETY: what the pointers lead to does not change, and lasts as long as the memory that is kept with them.
unsafe impl Send for CalledCode {}
// SAFETY: the same.
unsafe impl Sync for CalledCode {}

/// Evaluates the expressions of one structure.
#[derive(Clone)]
pub struct Evaluator {
    variables: Vec<u64>,
    chance: Random,
    functions: Option<Arc<CalledCode>>,
}

impl Evaluator {
    /// An evaluator of expressions of this many variables.
    pub fn new(variables: usize) -> Self {
        Evaluator { variables: vec![0; variables.max(1)], chance: Random::new([0; 3]), functions: None }
    }

    /// From now on, these functions are called.
    pub fn call(&mut self, functions: Option<&Arc<CalledCode>>) {
        self.functions = functions.cloned();
    }

    /// Gives variables their values.
    #[inline]
    pub fn load(&mut self, bound: &[(u32, VariableId)], values: impl Iterator<Item = u64>) {
        bound.iter().zip(values).for_each(|((_, variable), value)| self.variables[variable.at()] = value);
    }

    /// Gives variables the values that slots of a token have.
    #[inline]
    pub fn load_token(&mut self, bound: &[(u32, VariableId)], token: &[u64]) {
        self.load(bound, bound.iter().map(|(slot, _)| token[*slot as usize]));
    }

    /// What expressions see.
    #[inline]
    pub fn scope(&mut self) -> Scope<'_> {
        let (variables, random) = (&self.variables[..], &mut self.chance);
        Scope { variables, places: &[], tables: &[], random, now: 0, end: 0 }
    }

    /// Whether a condition holds, if there is one.
    #[inline]
    pub fn holds(&mut self, condition: Option<&Called>) -> bool {
        let Some(condition) = condition else { return true };
        let told = self.function(condition).and_then(|function| self.told_by(function));
        // It was found unable to fail.
        told.unwrap_or_else(|| condition.of.bits(&mut self.scope()).unwrap_or(0)) != 0
    }

    /// The bits of a value of the token whose slots are the variables of the scope.
    pub fn of_token(&mut self, value: &Called, scope: &mut Scope) -> Outcome<u64> {
        let told = self.function(value).and_then(|function| {
            self.variables.clear();
            self.variables.extend_from_slice(scope.variables);
            self.told_by(function)
        });
        told.map_or_else(|| value.of.bits(scope), Ok)
    }

    fn function(&self, of: &Called) -> Option<Function> {
        self.functions.as_ref().and_then(|functions| functions.of[of.number])
    }

    /// None where the function leaves the expression to the interpreter.
    fn told_by(&mut self, Function { evaluate, holes }: Function) -> Option<u64> {
        let first = self.variables[0];
        // SAFETY: the function was made for an expression of these variables, and reads nothing else.
        let status = unsafe { evaluate(null_mut(), holes, self.variables.as_mut_ptr(), 0) };
        let value = replace(&mut self.variables[0], first);
        (status == 0).then_some(value)
    }
}
