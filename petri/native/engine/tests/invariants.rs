//! Runs nets of every kind, interpreted and compiled, and checks the invariants of all data structures on the way.
//!
//! `make test-slow` runs many more: it writes random nets and those of the library to a folder (`tests/engine/test_invariants.py`).

use std::sync::Arc;

use engine::base::ticks::HORIZON;
use engine::engine::limits::Limits;
use engine::engine::run::Reason;
use engine::session::compiled::Compiled;
use engine::session::replication::Replication;

/// Machine code from the start, after some firings, and never.
const COMPILE_AFTER: [u64; 3] = [0, 40, u64::MAX];

/// Runs a net, and checks all invariants after each `every` firings, or a tenth as many as there are tokens if these
/// are more: a check looks at each token. Returns the hash and the firings.
fn run(name: &str, text: &str, every: u64, firings: u64, compile_after: u64) -> (u64, u64) {
    let compiled = Arc::new(Compiled::from_json(text).unwrap_or_else(|error| panic!("{name}: {}", error.0)));
    let limits = Limits { firings_at_an_instant: 5000, tokens: 5000, compile_after };
    let Ok(mut replication) = Replication::new(compiled, [1, 2, 3], limits, Arc::default(), |_, _| ()) else {
        return (0, 0);
    };
    let mut blocks = 3;
    loop {
        let done = replication.engine.firings;
        let until_check = every.max(replication.engine.marking.total / 10);
        let reason = replication.advance(HORIZON, until_check.min(firings - done));
        let engine = &mut replication.engine;
        if reason == Reason::Error {
            return (engine.hash.0, engine.firings);
        }
        if let Err(broken) = engine.verify() {
            panic!(
                "{name}, compiled after {compile_after}: {broken}, at {} after {} firings",
                engine.now, engine.firings
            );
        }
        if matches!(reason, Reason::Dead | Reason::Until) || engine.firings == firings {
            return (engine.hash.0, engine.firings);
        }
        if let (Reason::Input, Some(place)) = (reason, engine.streams.wanted) {
            let bounds = engine.program.places[place].bounds.iter();
            let row: Vec<u64> = bounds.map(|bound| bound.low.map_or(0, |low| bits(bound.real, low))).collect();
            engine.streams.feed(place, row.repeat(blocks));
            blocks = blocks.saturating_sub(1);
        }
    }
}

/// The lower end of a range, as a slot has it.
fn bits(real: bool, value: engine::net::Scalar) -> u64 {
    match value.as_int() {
        Some(value) if !real => value as u64,
        _ => value.as_real().to_bits(),
    }
}

/// All ways to run a net have the same trajectory. Returns the number of firings.
fn check(name: &str, text: &str, every: u64, firings: u64) -> u64 {
    let runs = COMPILE_AFTER.map(|compile_after| run(name, text, every, firings, compile_after));
    assert!(runs.iter().all(|run| *run == runs[0]), "{name}: {runs:?}");
    runs[0].1
}

// ------------------------------------------------------------ nets, in the JSON of `petri/codec.py`

fn constant(value: f64) -> String {
    format!(r#"{{"op":"const","kind":"real","value":{value:?}}}"#)
}

fn int(value: i64) -> String {
    format!(r#"{{"op":"const","kind":"int","value":{value}}}"#)
}

fn exponential(mean: f64) -> String {
    format!(r#"{{"op":"exp","kind":"real","args":[{}]}}"#, constant(mean))
}

fn variable(number: u32) -> String {
    format!(r#"{{"op":"var","kind":"int","value":{number}}}"#)
}

fn draw(number: u32, high: i64) -> String {
    let values = format!(r#"{{"op":"uniform_int","kind":"int","args":[{},{}]}}"#, int(0), int(high));
    format!(r#"{{"variable":{number},"expression":{values}}}"#)
}

/// A place of coloured tokens with two slots, of which the first has a small range.
fn coloured(name: &str, discipline: &str, more: &str) -> String {
    let slots = r#"{"slots":[{"name":"k","low":0,"high":5},{"name":"n"}]}"#;
    format!(r#"{{"name":"{name}","colour":{slots},"discipline":"{discipline}"{more}}}"#)
}

fn net(places: &[String], transitions: &[String]) -> String {
    format!(r#"{{"places":[{}],"transitions":[{}]}}"#, places.join(","), transitions.join(","))
}

/// The variables of a transition that binds or draws two. One that is neither would have any value, and so any hash.
const TWO: &str = r#""variables":[{"name":"k"},{"name":"n"}]"#;
const THREE: &str = r#""variables":[{"name":"k"},{"name":"n"},{"name":"m"}]"#;

/// Fills a place of two slots, while it has fewer than `most` tokens; the second slot is at most `high`.
fn source(place: usize, high: i64, mean: f64, most: i64) -> String {
    format!(
        r#"{{"name":"source{place}",{TWO},"draws":[{},{}],"inputs":[{{"place":0}}],"time":{},
        "inhibitors":[{{"place":{place},"threshold":{}}}],
        "outputs":[{{"places":[{place}],"values":[{},{}]}},{{"places":[0]}}]}}"#,
        draw(0, 5),
        draw(1, high),
        exponential(mean),
        int(most),
        variable(0),
        variable(1)
    )
}

/// Empties a place now and then.
fn flush(place: usize, mean: f64) -> String {
    format!(
        r#"{{"name":"flush","inputs":[{{"place":0}}],"resets":[{place}],"time":{},"outputs":[{{"places":[0]}}]}}"#,
        exponential(mean)
    )
}

/// Stations in a ring, some of a constant duration (they share a lane), some of an exponential one.
fn ring(stations: usize) -> String {
    let places: Vec<String> =
        (0..2 * stations).map(|i| format!(r#"{{"name":"p{i}","initial":[[{},[]]]}}"#, 1 + i % 3)).collect();
    let transition = |i: usize| {
        let (server, next) = (stations + i, (i + 1) % stations);
        let time = if i.is_multiple_of(3) { constant(1.5) } else { exponential(2.0) };
        format!(
            r#"{{"name":"t{i}","inputs":[{{"place":{i}}},{{"place":{server}}}],"time":{time},
            "outputs":[{{"places":[{next}]}},{{"places":[{server}]}}]}}"#
        )
    };
    net(&places, &(0..stations).map(transition).collect::<Vec<_>>())
}

/// A source fills a place of a discipline and a capacity, and a server empties it.
fn buffer(discipline: &str) -> String {
    let key = if discipline == "key" { format!(r#","key":{}"#, variable(0)) } else { String::new() };
    let places = [
        r#"{"name":"idle","initial":[[2,[]]]}"#.to_owned(),
        coloured("buffer", discipline, &format!(r#","capacity":7{key}"#)),
    ];
    let source = format!(
        r#"{{"name":"source",{TWO},"draws":[{},{}],"inputs":[{{"place":0}}],"time":{},
        "outputs":[{{"places":[1],"values":[{},{}]}},{{"places":[0]}}]}}"#,
        draw(0, 5),
        draw(1, 1 << 40),
        exponential(1.0),
        variable(0),
        variable(1)
    );
    let serve = format!(
        r#"{{"name":"serve",{TWO},"inputs":[{{"place":1,"pattern":[{{"bind":0}},{{"bind":1}}]}}],"time":{}}}"#,
        exponential(0.4)
    );
    net(&places, &[source, serve])
}

/// The same with a capacity of weight: a source, a line before the place, a server that prefers heavy tokens, and a reset.
fn weighed(discipline: &str) -> String {
    let key = if discipline == "key" { format!(r#","key":{}"#, variable(1)) } else { String::new() };
    let places = [
        r#"{"name":"idle","initial":[[3,[]]]}"#.to_owned(),
        coloured("line", "bag", ""),
        coloured("buffer", discipline, &format!(r#","capacity":12,"weight":{}{key}"#, variable(0))),
    ];
    let source = source(1, 1 << 40, 1.0, 20);
    let bound = r#""pattern":[{"bind":0},{"bind":1}]"#;
    let given = format!(r#""outputs":[{{"places":[2],"values":[{},{}]}}]"#, variable(0), variable(1));
    let store = |name: &str, time: String| {
        format!(r#"{{"name":"{name}",{TWO},"inputs":[{{"place":1,{bound}}}],{given},"time":{time}}}"#)
    };
    let serve = format!(
        r#"{{"name":"serve",{TWO},"inputs":[{{"place":2,{bound}}}],"time":{},"prefer":{{"key":{},"most":true}}}}"#,
        exponential(0.4),
        variable(0)
    );
    let flush = flush(2, 15.0);
    net(&places, &[source, store("slowly", exponential(1.0)), store("at_once", constant(0.0)), serve, flush])
}

/// Requests and answers of a few keys (numbered by range) and numbers (hashed) are matched; a request may be read as well.
fn matching(slot: usize, keep: bool) -> String {
    let places = [
        r#"{"name":"clock","initial":[[3,[]]]}"#.to_owned(),
        coloured("request", "bag", ""),
        coloured("answer", "bag", ""),
    ];
    let source = |place: usize| source(place, 8, 1.0, 40);
    let equal = format!(r#"{{"equal":{}}}"#, variable(slot as u32));
    let mut pattern = [r#"{"bind":2}"#.to_owned(), r#"{"bind":2}"#.to_owned()];
    pattern[slot] = equal;
    let matched = format!(
        r#"{{"name":"match",{THREE},"inputs":[{{"place":1,"pattern":[{{"bind":0}},{{"bind":1}}],"keep":{keep}}},
        {{"place":2,"pattern":[{}]}}],"time":{}}}"#,
        pattern.join(","),
        constant(0.25)
    );
    let flush = flush(1, 15.0);
    net(&places, &[source(1), source(2), matched, flush])
}

/// Two bags that sources fill, and a transition that takes a token of the first and others of the second.
fn meeting(inputs: &[&str], more: &str) -> String {
    // Each variable is bound once.
    let variables = inputs.join(" ").matches("bind").count();
    let variables: Vec<String> = (0..variables).map(|number| format!(r#"{{"name":"v{number}"}}"#)).collect();
    let places = [
        r#"{"name":"clock","initial":[[3,[]]]}"#.to_owned(),
        coloured("first", "bag", ""),
        coloured("second", "bag", ""),
    ];
    let source = |place: usize| source(place, 40, 0.5, 90);
    let meet = format!(
        r#"{{"name":"meet","variables":[{}],
        "inputs":[{}],"time":{}{more}}}"#,
        variables.join(","),
        inputs.join(","),
        constant(1.5)
    );
    let flush = flush(2, 25.0);
    net(&places, &[source(1), source(2), meet, flush])
}

/// Transitions of several priorities and weights, of which some are immediate, some have a guard.
fn priorities() -> String {
    let place = |name: &str, tokens: u32| format!(r#"{{"name":"{name}","initial":[[{tokens},[]]]}}"#);
    let tokens = r#"{"op":"tokens","kind":"int","value":1}"#;
    let guard = format!(r#"{{"op":"lt","kind":"bool","args":[{tokens},{}]}}"#, int(3));
    let moves = |name: &str, from: usize, to: usize, more: &str| {
        format!(r#"{{"name":"{name}","inputs":[{{"place":{from}}}],"outputs":[{{"places":[{to}]}}]{more}}}"#)
    };
    let transitions = [
        moves("a", 0, 1, &format!(r#","time":{},"weight":2.0"#, exponential(1.0))),
        moves("b", 0, 2, &format!(r#","time":{}"#, exponential(3.0))),
        moves("c", 1, 2, &format!(r#","priority":2,"guard":{guard}"#)),
        moves("d", 1, 0, &format!(r#","time":{}"#, constant(2.0))),
        moves("e", 2, 0, &format!(r#","time":{},"priority":-1"#, constant(2.0))),
    ];
    net(&[place("p", 9), place("q", 0), place("r", 0)], &transitions)
}

/// Rows of a file come, and are served one after the other.
fn rows() -> String {
    let places = [coloured("rows", "fifo", r#","stream":{}"#)];
    let serve = format!(
        r#"{{"name":"serve",{TWO},"inputs":[{{"place":0,"pattern":[{{"bind":0}},{{"bind":1}}]}}],"time":{}}}"#,
        exponential(0.4)
    );
    net(&places, &[serve])
}

// ------------------------------------------------------------ tests

#[test]
fn rings_of_stations() {
    for stations in [1, 3, 70] {
        assert_eq!(check(&format!("ring of {stations}"), &ring(stations), 7, 400), 400);
    }
}

#[test]
fn places_with_a_capacity_of_weight() {
    for discipline in ["bag", "fifo", "lifo", "key"] {
        assert_eq!(check(discipline, &weighed(discipline), 3, 400), 400);
    }
}

#[test]
fn places_of_each_discipline() {
    for discipline in ["bag", "fifo", "lifo", "key"] {
        assert_eq!(check(discipline, &buffer(discipline), 3, 400), 400);
    }
}

#[test]
fn joins_of_requests_and_answers() {
    for (slot, keep) in [(0, false), (0, true), (1, false), (1, true)] {
        assert_eq!(check(&format!("slot {slot}, kept: {keep}"), &matching(slot, keep), 3, 400), 400);
    }
}

#[test]
fn several_arcs_on_one_place() {
    let first = r#"{"place":1,"pattern":[{"bind":0},{"bind":1}]}"#;
    let second = |key: &str, bind: u32| format!(r#"{{"place":2,"pattern":[{{"equal":{key}}},{{"bind":{bind}}}]}}"#);
    let next = format!(r#"{{"op":"add","kind":"int","args":[{},{}]}}"#, variable(0), int(1));
    let (same, other) = (second(&variable(0), 2), second(&next, 3));
    let (again, any) = (second(&variable(0), 3), r#"{"place":2}"#);
    let own = format!(r#"{{"place":1,"pattern":[{{"equal":{}}},{{"bind":2}}]}}"#, variable(0));
    for inputs in [&[first, &same, &other][..], &[first, &same, &again], &[first, &same, any], &[first, &own]] {
        assert_eq!(check(&inputs.join(" "), &meeting(inputs, ""), 3, 400), 400);
    }
}

#[test]
fn comparisons_and_preferences() {
    let arcs = [1, 2].map(|place| {
        let first = 2 * (place - 1);
        format!(r#"{{"place":{place},"pattern":[{{"bind":{first}}},{{"bind":{}}}]}}"#, first + 1)
    });
    let inputs = [arcs[0].as_str(), arcs[1].as_str()];
    for op in ["lt", "le", "gt", "ge"] {
        let guard = format!(r#","guard":{{"op":"{op}","kind":"bool","args":[{},{}]}}"#, variable(1), variable(3));
        assert_eq!(check(op, &meeting(&inputs, &guard), 20, 400), 400);
    }
    for most in [false, true] {
        let prefer = format!(r#","prefer":{{"key":{},"most":{most}}}"#, variable(1));
        assert_eq!(check("preference", &meeting(&inputs[..1], &prefer), 20, 400), 400);
    }
}

#[test]
fn priorities_weights_and_guards() {
    assert_eq!(check("priorities", &priorities(), 1, 400), 400);
}

#[test]
fn rows_of_a_file() {
    assert_eq!(check("rows", &rows(), 1, 400), 3 + 2 + 1);
}

#[test]
#[ignore = "takes minutes; `make test-slow` writes the nets, and names their folder in PNSIM_NETS"]
fn nets_of_a_folder() {
    let folder = std::env::var("PNSIM_NETS").expect("a folder of flat nets in PNSIM_NETS");
    let mut nets = 0;
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        let text = std::fs::read_to_string(&path).expect("a file");
        // Tokens of a random net may multiply, and a search for a binding looks at pairs of them: fewer firings.
        let random = path.file_stem().is_some_and(|name| name.to_string_lossy().starts_with("random-"));
        check(&path.display().to_string(), &text, 20, if random { 200 } else { 2000 });
        nets += 1;
    }
    println!("{nets} nets");
    assert!(nets > 0);
}
