//! A net in a program: the trajectory for any steps of time, states to return to, and calls that are refused.

use std::sync::Arc;

use engine::base::ticks::{Ticks, HORIZON, NEVER};
use engine::session::compiled::Compiled;
use engine::session::component::{Component, Refused};

/// Two servers with exponential times, fed by a port.
const NET: &str = r#"{"tick": {"numerator": 1, "denominator": 1}, "places": [
    {"name": "a", "port": "in", "colour": {"slots": [{"name": "x", "low": 0, "high": 9}]}},
    {"name": "z", "port": "out", "discipline": "fifo", "colour": {"slots": [{"name": "x"}]}},
    {"name": "idle", "initial": [[2, []]]}],
    "transitions": [{"name": "t", "variables": [{"name": "x"}],
        "inputs": [{"place": 0, "pattern": [{"bind": 0}]}, {"place": 2}],
        "time": {"op": "exp", "kind": "real", "args": [{"op": "const", "kind": "real", "value": 50.0}]},
        "outputs": [{"places": [1], "values": [{"op": "var", "kind": "int", "value": 0}]}, {"places": [2]}]}],
    "probes": [{"is": "Watched", "value": {"op": "tokens", "kind": "int", "value": 1}}]}"#;
const END: Ticks = 5_000;

fn component() -> Component {
    let compiled = Arc::new(Compiled::from_json(NET).expect("a net"));
    Component::new(&compiled, 1).expect("a component")
}

/// Time goes on to the end, in steps; tokens are put as late as they may be. Returns what has left.
fn step(component: &mut Component, step: Ticks, stops: bool) -> Vec<(Ticks, u64)> {
    let [a, z] = ["a", "z"].map(|name| component.place(name).expect("a port"));
    let (mut left, mut coming) = (Vec::new(), (0..100).map(|number: Ticks| number * 31 % 4_000).collect::<Vec<_>>());
    coming.sort_unstable();
    let now = component.now();
    let mut coming = coming.into_iter().skip_while(move |&time| time < now).peekable();
    while component.now() < END {
        let until = (component.now() + step).min(END);
        while let Some(time) = coming.next_if(|&time| time < until) {
            component.put(a, time, &[time as u64 % 10]).expect("in time");
        }
        while component.advance(until, stops).expect("no fault") < until {}
        while let Some((time, token)) = component.take(z).expect("a port out") {
            left.push((time, token[0]));
        }
    }
    left
}

#[test]
fn steps_of_time_do_not_matter() {
    let mut whole = component();
    let expected = step(&mut whole, END, false);
    assert_eq!(expected.len(), 100);
    for (length, stops) in [(1, false), (7, true), (333, false), (END, true)] {
        let mut component = component();
        assert_eq!(step(&mut component, length, stops), expected);
        assert_eq!(component.engine().hash.0, whole.engine().hash.0);
    }
}

#[test]
fn a_state_is_returned_to() {
    let mut component = component();
    component.advance(1, false).expect("no fault");
    let kept = component.snapshot().expect("a copy");
    let first = (step(&mut component, 10, false), component.engine().hash.0);
    for length in [1, 100] {
        component.restore(&kept).expect("the same net");
        assert_eq!((step(&mut component, length, false), component.engine().hash.0), first);
    }
    let rows = component.observe();
    assert_eq!(rows.elapsed, END);
}

#[test]
fn wrong_calls_are_refused() {
    let mut component = component();
    let [a, z] = ["a", "z"].map(|name| component.place(name).expect("a port"));
    component.advance(10, false).expect("no fault");
    assert_eq!(component.put(a, 9, &[1]), Err(Refused::Past));
    assert_eq!(component.put(a, HORIZON + 1, &[1]), Err(Refused::Horizon));
    assert_eq!(component.put(a, 10, &[10]), Err(Refused::Token));
    assert_eq!(component.put(a, 10, &[]), Err(Refused::Token));
    assert_eq!(component.put(z, 10, &[1]), Err(Refused::Port));
    assert_eq!(component.advance(9, false), Err(Refused::Past));
    assert_eq!(component.take(a), Err(Refused::Port));
    assert_eq!((component.now(), component.next_event()), (10, NEVER));
}
