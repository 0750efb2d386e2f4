//! Functions of machine code evaluate the conditions of joins, join trees and matches, and values that measures sum, as the
//! interpreter does.

use std::collections::HashSet;
use std::ffi::c_void;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::Arc;

use crate::base::ticks::{Ticks, HORIZON};
use crate::engine::code::Code;
use crate::engine::limits::{Compile, Limits};
use crate::engine::run::Engine;
use crate::jit::sharing::Sharing;
use crate::jit::unit::{generate, Request};
use crate::observe::observers::ExtraObservers;
use crate::observe::probes::Probe;
use crate::program::Program;
use crate::state::arena::Housed;
use crate::state::evaluator::{CalledCode, Function};

const FIRINGS: u64 = 2_000;

fn op(op: &str, kind: &str, args: [String; 2]) -> String {
    format!(r#"{{"op":"{op}","kind":"{kind}","args":[{}]}}"#, args.join(","))
}

fn constant(value: u64) -> String {
    format!(r#"{{"op":"const","kind":"int","value":{value}}}"#)
}

fn variable(number: u32) -> String {
    format!(r#"{{"op":"var","kind":"int","value":{number}}}"#)
}

fn compare(name: &str, left: String, right: u64) -> String {
    op(name, "bool", [left, constant(right)])
}

fn all(conditions: &[String]) -> String {
    conditions.iter().cloned().reduce(|first, next| op("and", "bool", [first, next])).expect("a condition")
}

/// The variable is `value`, or more than `least`.
fn either(number: u32, value: u64, least: u64) -> String {
    op("or", "bool", [compare("eq", variable(number), value), compare("gt", variable(number), least)])
}

/// Tokens of `a` have the values u and v, those of `b` the values w and z. Each transition puts both back with other values of v
/// and z.
fn transition(name: &str, keyed: bool, guard: &str) -> String {
    let pattern = |variables: [u32; 2]| variables.map(|number| format!(r#"{{"bind":{number}}}"#)).join(",");
    let second = if keyed { format!(r#"{{"equal":{}}},{{"bind":3}}"#, variable(0)) } else { pattern([2, 3]) };
    let key = if keyed { variable(0) } else { variable(2) };
    let other = |number: u32, more: String| op("mod", "int", [op("add", "int", [variable(number), more]), constant(5)]);
    let output = |place: u32, key: &str, value: String| format!(r#"{{"places":[{place}],"values":[{key},{value}]}}"#);
    let variables = ["u", "v", "w", "z"].map(|name| format!(r#"{{"name":"{name}","kind":"int"}}"#)).join(",");
    let time = r#"{"op":"exp","kind":"real","args":[{"op":"const","kind":"real","value":2.0}]}"#;
    format!(
        r#"{{"name":"{name}","variables":[{variables}],"guard":{guard},"time":{time},
        "inputs":[{{"place":0,"pattern":[{}]}},{{"place":1,"pattern":[{second}]}}],"outputs":[{},{}]}}"#,
        pattern([0, 1]),
        output(0, &variable(0), other(1, variable(3))),
        output(1, &key, other(3, constant(2)))
    )
}

fn program() -> Program {
    let slot = |name: &str| format!(r#"{{"name":"{name}","low":0,"high":4}}"#);
    let tokens: Vec<String> = (0..20).map(|number| format!("[1,[{},{}]]", number % 4, number % 5)).collect();
    let place = |name: &str| {
        let (slots, tokens) = ([slot("x"), slot("y")].join(","), tokens.join(","));
        format!(r#"{{"name":"{name}","colour":{{"slots":[{slots}]}},"initial":[{tokens}]}}"#)
    };
    let (v, z) = (variable(1), variable(3));
    let sum = op("add", "int", [v.clone(), z.clone()]);
    let rest = op("mod", "int", [sum, constant(3)]);
    let reaches = op("le", "bool", [v, z]);
    let transitions = [
        transition("filtered", true, &either(1, 0, 2)),
        transition("tested", true, &all(&[compare("ne", rest, 1), either(1, 1, 2), either(3, 0, 1)])),
        transition("ordered", true, &all(&[reaches.clone(), either(3, 2, 3)])),
        transition("ranked", false, &all(&[reaches.clone(), either(1, 0, 1), either(3, 1, 2)])),
        transition("short", true, &all(&[reaches, compare("gt", variable(3), 1)])),
    ];
    let value = op("add", "int", [op("mul", "int", [variable(0), constant(7)]), variable(1)]);
    let probe = format!(r#"{{"is":"Content","place":1,"value":{value}}}"#);
    let (places, transitions) = ([place("a"), place("b")].join(","), transitions.join(","));
    let text = format!(r#"{{"places":[{places}],"transitions":[{transitions}],"probes":[{probe}]}}"#);
    Program::from_json(&text).expect("a net")
}

fn engine() -> Housed<Engine> {
    let limits = Limits { firings_at_an_instant: 1000, tokens: 1000, compile: Compile::After(0) };
    let engine = Engine::new(Arc::new(program()), [1, 2, 3], limits, ExtraObservers::default(), Arc::default());
    engine.expect("an engine")
}

fn code(engine: &Engine) -> Arc<Code> {
    generate(&Request::of(engine, HashSet::new()), &Sharing::of(&engine.program), &|| true).expect("code")
}

/// Of the value that the measure sums.
fn integral(engine: &Engine) -> f64 {
    match &engine.observers.probes.probes[..] {
        [Probe::Content(content)] => content.integral(engine.now),
        _ => unreachable!("the net has another probe"),
    }
}

#[test]
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
fn functions_tell_what_the_interpreter_does() {
    let (mut coded, mut interpreted) = (engine(), engine());
    let code = code(&coded);
    for _ in 0..FIRINGS / 100 {
        // SAFETY: the code is of the engine's program, for such an engine.
        unsafe { coded.run_code(&code, HORIZON, 100) };
        interpreted.interpret(HORIZON, 100);
        assert_eq!((coded.firings, coded.hash.0), (interpreted.firings, interpreted.hash.0));
        assert_eq!(integral(&coded), integral(&interpreted));
        // All conditions are interpreted once more.
        assert_eq!(coded.verify(), Ok(()));
    }
    assert_eq!(coded.firings, FIRINGS);
    // An engine that has run code goes on without it, and still calls the functions.
    coded.interpret(HORIZON, 100);
    interpreted.interpret(HORIZON, 100);
    assert_eq!(coded.hash.0, interpreted.hash.0);
}

/// The numbers of the functions that were called, as bits.
static CALLED: AtomicU64 = AtomicU64::new(0);

/// Says that a condition holds, whose number is in the place of holes.
unsafe extern "C" fn holds(_: *mut c_void, number: *const u32, variables: *mut u64, _: Ticks) -> u64 {
    CALLED.fetch_or(1 << number as usize, Relaxed);
    // SAFETY: there is at least one variable.
    unsafe { *variables = 1 };
    0
}

#[test]
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
fn each_function_is_called() {
    let mut coded = engine();
    let code = code(&coded);
    // SAFETY: the code is of the engine's program, for such an engine.
    unsafe { coded.run_code(&code, HORIZON, 0) };
    assert!(Arc::strong_count(&code.called) > 1);
    let made = &code.called.of;
    let numbers = made.iter().enumerate().filter(|(_, function)| function.is_some()).map(|(number, _)| number);
    let numbers: Vec<usize> = numbers.collect();
    // A filter; a test and two filters; a filter; two filters; one that is not worth a function; the value of a measure.
    assert_eq!((made.len(), numbers.len()), (9, 8));
    // SAFETY: it is such a function.
    let told = |number: usize| unsafe { Function::at(holds as *const u8, number as *const u32) };
    let of = (0..made.len()).map(|number| numbers.contains(&number).then(|| told(number))).collect();
    let functions = Arc::new(CalledCode { of, memory: Box::new(()) });
    coded.marking.call(&functions);
    coded.observers.probes.call(&functions);
    // SAFETY: as before.
    unsafe { coded.run_code(&code, HORIZON, 100) };
    assert_eq!(CALLED.load(Relaxed), numbers.iter().map(|number| 1 << number).sum::<u64>());
    assert!(coded.verify().is_err());
}
