//! From the flat net to the program.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::base::fault::{LoadError, Loaded};
use crate::base::ids::{PlaceId, SpanId, TransitionId};
use crate::base::long_stack::on_long_stack;
use crate::net::check::{check, DEEPEST};
use crate::net::{Discipline, Net, Place, Port, Table, Transition, DECISION};
use crate::program::arc::{Give, Take};
use crate::program::compile::compiler::Compiler;
use crate::program::compile::one_clock::has_one_clock;
use crate::program::compile::prefetch_targets::prefetch_targets;
use crate::program::compile::transition::TransitionCompiler;
use crate::program::compile::{fronts, lanes, probes};
use crate::program::conservation::{most_tokens, takes_turns};
use crate::program::distribution::FINITE_MEAN;
use crate::program::expression::{cumulative, DrawTable, Real};
use crate::program::place::PlaceProgram;
use crate::program::ranges::slot_ranges;
use crate::program::time::Time;
use crate::program::transition::{Level, Move, Simple, SimpleTime, TransitionProgram, Weights};
use crate::program::without::Without;
use crate::program::Program;

impl Program {
    /// Reads a net from the JSON that `petri/codec.py` writes.
    pub fn from_json(text: &str) -> Loaded<Program> {
        if depth(text) > DEEPEST {
            return Err(LoadError("an expression of the net is nested too deeply".into()));
        }
        on_long_stack(|| {
            let mut decoder = serde_json::Deserializer::from_str(text);
            decoder.disable_recursion_limit();
            let net: Net = serde::Deserialize::deserialize(&mut decoder).map_err(|e| LoadError(e.to_string()))?;
            Program::new(net)
        })?
    }

    /// Checks and compiles a net. It recurses as deeply as the net's expressions nest.
    pub fn new(net: Net) -> Loaded<Program> {
        Program::without(net, Without::default())
    }

    /// The same, without some optimisations.
    pub fn without(net: Net, without: Without) -> Loaded<Program> {
        Program::compile(net, without, false)
    }

    /// The same for trials, which read the values that are watched by themselves ([`ProbesProgram::asked`]).
    ///
    /// [`ProbesProgram::asked`]: crate::program::probes::ProbesProgram::asked
    pub fn for_trials(net: Net, without: Without) -> Loaded<Program> {
        Program::compile(net, without, true)
    }

    /// The net goes as the program comes: both of a large net together would take half as much memory again.
    fn compile(mut net: Net, without: Without, for_trials: bool) -> Loaded<Program> {
        check(&net)?;
        let own_places = net.places.len();
        let mut slot_ranges = slot_ranges(&net)?;
        let lined = fronts::add(&mut net)?;
        slot_ranges.extend(lined.iter().map(|place| slot_ranges[place.at()].clone()).collect::<Vec<_>>());
        let of_files = net.places.iter().map(|place| place.stream && place.port == Port::None).collect::<Vec<bool>>();
        let ports = |port| places_where(&net.places, |place| place.port == port);
        let (inputs, outputs) = (ports(Port::In), ports(Port::Out));
        let fed = places_where(&net.places, |place| place.stream && place.port == Port::In);
        let (own, delays) = (net.transitions.len(), net.transitions.iter().map(|transition| delays(transition)));
        let (delayed, most_sent) = (delays.clone().sum::<usize>(), delays.max().unwrap_or(0));
        let sizes = [own, net.tables.len()];
        let mut compiler = Compiler::new(std::mem::take(&mut net.places), sizes, &lined, slot_ranges, without)?;
        compiler.note_takers(&net.transitions);
        compiler.lists_decisions = net.stops_at_decisions;
        let (levels, homes) = levels(&net, &mut compiler)?;
        let waits = net.stops_at_decisions && net.transitions.iter().any(|one| one.priority == DECISION);
        let decisions = if waits { levels.len() - 1 } else { usize::MAX };
        let mut transitions = Vec::with_capacity(own);
        let (mut clocked, mut racing, mut variables) = (Vec::new(), Vec::new(), 0);
        let before_shadows = own + delayed;
        for (i, (transition, home)) in std::mem::take(&mut net.transitions).into_iter().zip(homes).enumerate() {
            let id = TransitionId(i as u32);
            let shadow = TransitionId((before_shadows + racing.len()) as u32);
            variables = variables.max(compiler.variables_of(&transition));
            let (mut program, facts) =
                TransitionCompiler::new(&mut compiler, id, &transition)?.compile(shadow, home.0)?;
            (program.level, program.position) = home;
            if facts.reads_clock {
                clocked.push(id);
            }
            if let Some(clock) = &mut program.clock {
                clock.number = racing.len();
                racing.push(id);
                if facts.reads_clock {
                    clocked.push(shadow);
                }
            }
            transitions.push(program);
        }
        let shadows = before_shadows + racing.len();
        let probes = probes::compile(&net, &transitions, &mut compiler, shadows, for_trials)?;
        transitions.append(&mut compiler.deliveries);
        let streams = streams(&compiler.places[..own_places], &of_files)?;
        let open = [&streams[..], &inputs].concat();
        let most = most_tokens(&transitions, &compiler.places, &open);
        compiler.places.iter_mut().zip(most).for_each(|(place, most)| place.most = most);
        for transition in &mut transitions {
            transition.takes_turns = transition.clock.is_none() && takes_turns(transition, &compiler.places);
        }
        let lanes = if without.lanes { 0 } else { lanes::assign(&mut transitions, &compiler.places) };
        let mut moves = Vec::new();
        let simple = transitions.iter().map(|transition| simple(transition, &mut moves)).collect();
        let record = transitions.iter().map(|t| t.held).max().unwrap_or(0);
        let tables = net.tables.iter().map(draw_table).collect::<Loaded<Vec<_>>>()?;
        compiler.drop_unused_indices();
        let (gauges, watches, dependents) = compiler.wire();
        let mut program = Program {
            places: compiler.places.into_iter().collect(),
            own_places,
            lines: compiler.lines.into_iter().collect(),
            transitions: transitions.into_iter().collect(),
            simple,
            moves,
            gauges: gauges.into_iter().collect(),
            watches,
            dependents,
            levels,
            indices: compiler.indices.into_iter().collect(),
            joins: compiler.joins,
            matches: compiler.matches.into_iter().collect(),
            join_trees: compiler.join_trees.into_iter().collect(),
            rankings: compiler.rankings.into_iter().collect(),
            called_numbers: compiler.called_numbers,
            tables,
            own_streams: net.own_streams,
            decisions,
            streams,
            inputs,
            fed,
            outputs,
            spans: compiler.spans,
            tick: net.tick,
            clocked,
            clocks_of_tokens: BTreeMap::new(),
            racing,
            probes: Arc::new(probes),
            lanes,
            own,
            parts: usize::BITS - most_sent.leading_zeros(),
            variables,
            record,
            without,
            prefetch_targets: Default::default(),
            one_clock: false,
        };
        program.clocks_of_tokens = clocks_of_tokens(&program);
        program.one_clock = !without.one_clock && has_one_clock(&program);
        let targets = program.transitions.iter().map(|transition| prefetch_targets(&program, transition)).collect();
        program.prefetch_targets = targets;
        Ok(program)
    }
}

/// For each place whose black tokens have clocks, the transitions with these, by their numbers among the clocks.
fn clocks_of_tokens(program: &Program) -> BTreeMap<PlaceId, Vec<usize>> {
    let mut clocks: BTreeMap<PlaceId, Vec<usize>> = BTreeMap::new();
    for clock in program.racing.iter().filter_map(|&id| program.transitions[id].clock.as_ref()) {
        clock.place.into_iter().for_each(|place| clocks.entry(place).or_default().push(clock.number));
    }
    clocks
}

/// How deeply brackets nest, outside strings.
fn depth(text: &str) -> usize {
    let (mut depth, mut deepest, mut quoted, mut escaped) = (0usize, 0, false, false);
    for byte in text.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            b'[' | b'{' if !quoted => {
                depth += 1;
                deepest = deepest.max(depth);
            }
            b']' | b'}' if !quoted => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    deepest
}

/// The line of a transition for simple firings.
fn simple(transition: &TransitionProgram, moves: &mut Vec<Move>) -> Simple {
    let start = moves.len();
    let mut simple =
        Simple { time: SimpleTime::Other, takes: 0, gives: 0, end: 0, lane: transition.lane, taken: 0, given: 0 };
    let time = match &transition.time {
        Time::Immediate => SimpleTime::Const(0),
        Time::Const(time) => SimpleTime::Const(*time),
        Time::Of(Real::ConstExponential(mean, _)) if *mean < FINITE_MEAN => SimpleTime::Exponential(*mean),
        _ => return simple,
    };
    let taken = transition.takes.iter().map(|take| match *take {
        Take::Black { place, count } => Some(Move { place, count: u32::try_from(count).ok()? }),
        _ => None,
    });
    let given = transition.gives.iter().map(|give| match *give {
        Give::Black { place, count } => Some(Move { place, count: u32::try_from(count).ok()? }),
        _ => None,
    });
    let (Some(taken), Some(given)) = (taken.collect::<Option<Vec<_>>>(), given.collect::<Option<Vec<_>>>()) else {
        return simple;
    };
    let free = !transition.binds
        && !transition.reserves
        && transition.resets.is_empty()
        && transition.sets.is_empty()
        && transition.sends.is_empty()
        && transition.delivers.is_none();
    if free && transition.variables.is_empty() {
        simple.time = time;
        simple.takes = start as u32;
        simple.gives = (start + taken.len()) as u32;
        simple.end = (start + taken.len() + given.len()) as u32;
        let sum = |moves: &[Move]| moves.iter().map(|m| u64::from(m.count)).sum();
        (simple.taken, simple.given) = (sum(&taken), sum(&given));
        moves.extend(taken);
        moves.extend(given);
    }
    simple
}

/// The level of each transition, and its position there.
type Homes = Vec<(u32, u32)>;

/// The transitions of each priority, and where each transition is.
fn levels(net: &Net, compiler: &mut Compiler) -> Loaded<(Vec<Level>, Homes)> {
    let mut by_priority: BTreeMap<i64, Vec<TransitionId>> = BTreeMap::new();
    for (i, transition) in net.transitions.iter().enumerate() {
        by_priority.entry(transition.priority).or_default().push(TransitionId(i as u32));
    }
    let mut homes = vec![(0, 0); net.transitions.len()];
    let mut levels = Vec::new();
    for (level, transitions) in by_priority.into_values().rev().enumerate() {
        for (position, id) in transitions.iter().enumerate() {
            homes[id.at()] = (level as u32, position as u32);
        }
        let mut lowering = compiler.lowering(Vec::new());
        let mut weights = Vec::with_capacity(transitions.len());
        for id in &transitions {
            weights.push(match &net.transitions[id.at()].weight {
                Some(weight) => (lowering.real(weight)?, lowering.span(&weight.span)),
                None => (Real::Const(1.0), SpanId::NONE),
            });
        }
        let constant = |(weight, _): &(Real, SpanId)| if let Real::Const(value) = weight { Some(*value) } else { None };
        let weights = match weights.iter().map(constant).collect::<Option<Vec<f64>>>() {
            Some(all) if all.iter().all(|&w| w == all[0]) && power_of_two(all[0]) => Weights::Equal,
            // Weights that are computed from constants may be none, and a choice among such is an error.
            Some(all) if all.iter().all(|&w| w > 0.0) && all.iter().sum::<f64>().is_finite() => Weights::Constant(all),
            _ => Weights::Open(weights),
        };
        levels.push(Level { transitions, weights });
    }
    Ok((levels, homes))
}

fn power_of_two(weight: f64) -> bool {
    weight.is_normal() && weight > 0.0 && weight.to_bits() & ((1 << 52) - 1) == 0 && (1e-30..1e30).contains(&weight)
}

pub fn draw_table(table: &Table) -> Loaded<DrawTable> {
    if table.values.len() != table.weights.len() || table.values.is_empty() {
        return Err(LoadError("a table needs a weight for each value".into()));
    }
    let sums = cumulative(&table.weights).ok_or_else(|| LoadError("the weights of a table are no weights".into()))?;
    Ok(DrawTable {
        ints: table.values.iter().map(|v| v.as_int().unwrap_or(0)).collect(),
        reals: table.values.iter().map(|v| v.as_real() + 0.0).collect(),
        sums,
    })
}

/// How many outputs of a transition have a delay.
fn delays(transition: &Transition) -> usize {
    transition.outputs.iter().filter(|arc| arc.delay.is_some()).count()
}

fn places_where(places: &[Place], wanted: impl Fn(&Place) -> bool) -> Vec<PlaceId> {
    (0..).map(PlaceId).zip(places).filter(|(_, place)| wanted(place)).map(|(id, _)| id).collect()
}

/// The places that get the rows of a file. A row is a coloured token that arrives at the end of a queue.
fn streams(places: &[PlaceProgram], of_files: &[bool]) -> Loaded<Vec<PlaceId>> {
    let mut found = Vec::new();
    for (i, (place, _)) in places.iter().zip(of_files).enumerate().filter(|(_, (_, of_file))| **of_file) {
        if place.width == 0 || place.discipline != Discipline::Fifo {
            return Err(LoadError(format!("a stream needs a coloured fifo place, and `{}` is none", place.name)));
        }
        found.push(PlaceId(i as u32));
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::depth;

    #[test]
    fn brackets_nest_outside_strings() {
        assert_eq!(depth(r#"{"a": [[1], [2]], "b": []}"#), 3);
        assert_eq!(depth(r#"{"a[[[[": "b{{\"}"#), 1);
        assert_eq!(depth(r#"["a\"[[[[", "\\", [0]]"#), 2);
        assert_eq!(depth("]][["), 2);
    }
}
