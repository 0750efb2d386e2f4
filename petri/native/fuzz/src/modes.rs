//! A net interpreted and compiled: states must be equal to the last bit, and all invariants hold.

use std::sync::Arc;

use engine::base::fault::Fault;
use engine::base::ids::PlaceId;
use engine::base::ticks::{Ticks, HORIZON};
use engine::engine::limits::{Compile, Limits, RunError};
use engine::engine::run::Reason;
use engine::net::Net;
use engine::observe::observers::ExtraObservers;
use engine::observe::probes::Probe;
use engine::program::without::Without;
use engine::session::compiled::Compiled;
use engine::session::replication::Replication;

/// Firings after which machine code is made.
const MODES: [u64; 3] = [u64::MAX, 0, 9];
/// Blocks of rows that a stream has.
const BLOCKS: u64 = 3;
/// Times at which statistics restart, in ticks.
const ENDS: [Ticks; 2] = [3, HORIZON];

/// How a net is to run.
#[derive(Clone, Copy, Debug)]
pub struct Run {
    pub seed: u64,
    /// Firings between two states that are compared.
    pub firings: u64,
    pub levels: bool,
    /// Optimisations that the net does without, as `PNSIM_WITHOUT` names them.
    pub without: &'static str,
}

/// Runs the flat net in each mode. Returns whether the net was refused, or else its firings.
///
/// # Panics
/// Where a mode differs, or an invariant does not hold.
pub fn compare(text: &str, run: Run) -> Option<u64> {
    let mut expected: Option<Vec<String>> = None;
    let mut firings = 0;
    for compile_after in MODES {
        // Machine code belongs to the compiled net: each mode needs its own.
        let compiled = Arc::new(compiled(text, run.without)?);
        let states = states(&compiled, run, compile_after, &mut firings);
        match &expected {
            None => expected = Some(states),
            Some(interpreted) => same(interpreted, &states, compile_after),
        }
    }
    Some(firings)
}

/// None for a net that is refused.
fn compiled(text: &str, without: &str) -> Option<Compiled> {
    if without.is_empty() {
        return Compiled::from_json(text).ok();
    }
    let net: Net = serde_json::from_str(text).ok()?;
    Compiled::without(net, Without::of(without).expect("names")).ok()
}

fn same(interpreted: &[String], states: &[String], compile_after: u64) {
    for (piece, (one, other)) in interpreted.iter().zip(states).enumerate() {
        assert_eq!(one, other, "code after {compile_after} firings differs in piece {piece}");
    }
    assert_eq!(interpreted.len(), states.len());
}

/// The state after each piece of a run.
fn states(compiled: &Arc<Compiled>, run: Run, compile_after: u64, firings: &mut u64) -> Vec<String> {
    let limits = Limits { firings_at_an_instant: 500, tokens: 60, compile: Compile::After(compile_after) };
    let extra = ExtraObservers { trace: false, levels: run.levels };
    let mut session = match Replication::new(Arc::clone(compiled), [run.seed, 1, 2], limits, extra, Arc::default()) {
        Ok(session) => session,
        Err(fault) => return vec![told(&fault)],
    };
    let mut found = Vec::new();
    let mut blocks = 0;
    for until in ENDS {
        for _ in 0..3 {
            let reason = advance(&mut session, until, run.firings, &mut blocks);
            if reason != Reason::Error {
                session
                    .engine
                    .verify()
                    .unwrap_or_else(|broken| panic!("after {} firings: {broken}", session.engine.firings));
            }
            found.push(format!("{reason:?} {}", state(&mut session)));
        }
        session.engine.begin_window();
    }
    *firings = session.engine.firings;
    assert!(compile_after != u64::MAX || !session.ran_code());
    if session.ran_code() && compile_after == 0 {
        session.verify_shapes().unwrap_or_else(|difference| panic!("{difference}"));
    }
    found
}

fn advance(session: &mut Replication, until: Ticks, firings: u64, blocks: &mut u64) -> Reason {
    loop {
        let reason = session.advance(until, firings);
        let Some(place) = session.engine.streams.wanted.filter(|_| reason == Reason::Input) else { return reason };
        let block = if *blocks < BLOCKS { rows(session, place, *blocks) } else { Vec::new() };
        session.engine.streams.feed(place, block);
        *blocks += 1;
    }
}

/// Rows of small numbers, which are in the range of every slot.
fn rows(session: &Replication, place: PlaceId, block: u64) -> Vec<u64> {
    let bounds = &session.engine.program.places[place].bounds;
    let row = |number: u64| bounds.iter().map(move |bound| if bound.real { (number as f64).to_bits() } else { number });
    (0..=block).flat_map(row).collect()
}

fn state(session: &mut Replication) -> String {
    let levels = session.levels();
    let engine = &mut *session.engine;
    let (now, program) = (engine.now, &engine.program);
    let mut text = format!("{now} {} {:x} {:?}", engine.firings, engine.hash.0, engine.error.as_ref().map(failure));
    for (number, counters) in engine.marking.places.iter().enumerate() {
        let place = PlaceId(number as u32);
        let nonempty = counters.nonempty(now, program.places[place].holds_one());
        let listed = engine.marking.listed(program, place);
        text += &format!(" | {} {} {} {nonempty} {listed:?}", counters.tokens, counters.maximum, counters.arrivals);
    }
    for (plan, counters) in program.transitions.iter().zip(engine.enabling.transitions.iter()) {
        text += &format!(" / {} {}", counters.firings, counters.active(now, plan.takes_turns));
    }
    text += &format!(" {:?} {:?}", engine.integrals(), levels);
    engine.observers.probes.probes.iter_mut().for_each(|probe| text += &measured(probe, now));
    text
}

fn failure(error: &RunError) -> String {
    format!("{} in {:?} at {} with {:?}", told(&error.fault), error.transition, error.time, error.variables)
}

fn told(fault: &Fault) -> String {
    format!("{} {:?}", fault.id, fault.details)
}

fn measured(probe: &mut Probe, now: Ticks) -> String {
    match probe {
        Probe::Counter(sum) => format!(" {sum:?}"),
        Probe::Sample(values) => format!(" {:?}", values.snapshot()),
        Probe::Passage(passages) => {
            let counts = (passages.unmatched(), passages.waiting(), passages.forgotten(), passages.open(now));
            format!(" {:?} {counts:?}", passages.times().snapshot())
        }
        Probe::Order(order) => {
            let tally = order.snapshot().tally();
            format!(" {:?} {:?}", tally.figures(), tally.distributions())
        }
        Probe::Content(content) => format!(" {} {}", content.integral(now), content.greatest()),
        Probe::Watched(watched) => {
            format!(" {} {:?} {}", watched.integral(now), watched.extremes(), watched.first())
        }
    }
}
