//! From the flat net to the program.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use crate::base::fault::LoadError;
use crate::base::ids::{GaugeId, IndexId, JoinId, PlaceId, TransitionId};
use crate::collections::key_table::{Extent, DIRECT_LIMIT, DIRECT_SHARE};
use crate::net::{Discipline, Expr, Kind, Net, Place, Scalar, Slot, Span, Table};
use crate::observe::probes;
use crate::program::analysis::{Facts, Range, Ranges};
use crate::program::compile::lanes;
use crate::program::compile::transition::TransitionCompiler;
use crate::program::conservation::{most_tokens, takes_turns};
use crate::program::distribution::FINITE_MEAN;
use crate::program::expression::{cumulative, DrawTable, Real};
use crate::program::lower::Lowering;
use crate::program::prefetch_target::Lead;
use crate::program::ranges::slot_ranges;
use crate::program::{
    Bound, Dependent, Gauge, Give, Level, Move, PlaceProgram, Program, Simple, SimpleTime, Take, Time,
    TransitionProgram, Watch,
};
use crate::state::index::{IndexProgram, MOST_LINKS};
use crate::state::join::JoinProgram;

pub type Compiled<T> = Result<T, LoadError>;

/// Nesting of the text of a net beyond which it is refused.
const DEEPEST: usize = 4000;
const LOADER_STACK: usize = 256 << 20;

/// Collects what transitions need while they are compiled.
pub struct Compiler<'a> {
    pub net: &'a Net,
    pub spans: Vec<Span>,
    pub places: Vec<PlaceProgram>,
    /// The values that a token may have in each slot of each place.
    pub slot_ranges: Vec<Vec<Range>>,
    indices: Vec<IndexProgram>,
    index_of: HashMap<(PlaceId, Vec<u32>), IndexId>,
    pub joins: Vec<JoinProgram>,
    gauges: usize,
    /// The gauge of the load of each place, or `GaugeId::NONE`.
    loads: Vec<GaugeId>,
    watches: Vec<(GaugeId, Watch)>,
    dependents: BTreeMap<(GaugeId, TransitionId), Dependent>,
}

impl Program {
    /// Reads a net from the JSON that `petri/codec.py` writes.
    pub fn from_json(text: &str) -> Compiled<Program> {
        if depth(text) > DEEPEST {
            return Err(LoadError("an expression of the net is nested too deeply".into()));
        }
        let load = || {
            let mut decoder = serde_json::Deserializer::from_str(text);
            decoder.disable_recursion_limit();
            let net: Net = serde::Deserialize::deserialize(&mut decoder).map_err(|e| LoadError(e.to_string()))?;
            Program::new(&net)
        };
        on_long_stack(load)
    }

    /// Compiles a net, whose expressions may be as deep as they like.
    pub fn of(net: Net) -> Compiled<Program> {
        on_long_stack(move || Program::new(&net))
    }

    /// Compiles a net.
    pub fn new(net: &Net) -> Compiled<Program> {
        let mut compiler = Compiler::new(net)?;
        let (levels, homes) = levels(net);
        let mut transitions = Vec::with_capacity(net.transitions.len());
        let mut clocked = Vec::new();
        for (i, (transition, home)) in net.transitions.iter().zip(homes).enumerate() {
            let id = TransitionId(i as u32);
            let (mut program, facts) = TransitionCompiler::new(&mut compiler, id, transition)?.compile()?;
            (program.level, program.position) = home;
            if facts.reads_clock {
                clocked.push(id);
            }
            transitions.push(program);
        }
        let probes = probes::compile(net, &mut compiler)?;
        let streams = streams(net)?;
        let most = most_tokens(&transitions, &compiler.places, &streams);
        compiler.places.iter_mut().zip(most).for_each(|(place, most)| place.most = most);
        for transition in &mut transitions {
            transition.takes_turns = takes_turns(transition, &compiler.places);
        }
        let lanes = lanes::assign(&mut transitions, &compiler.places);
        let mut moves = Vec::new();
        let simple = transitions.iter().map(|transition| simple(transition, &mut moves)).collect();
        let variables = net.transitions.iter().map(|t| t.variables.len()).max().unwrap_or(0);
        let record = transitions.iter().map(|t| t.held).max().unwrap_or(0);
        let tables = net.tables.iter().map(draw_table).collect::<Compiled<Vec<_>>>()?;
        let (gauges, watches, dependents) = compiler.wire();
        let mut program = Program {
            places: compiler.places.into_iter().collect(),
            transitions: transitions.into_iter().collect(),
            simple,
            moves,
            gauges: gauges.into_iter().collect(),
            watches,
            dependents,
            levels,
            indices: compiler.indices.into_iter().collect(),
            joins: compiler.joins,
            tables,
            streams,
            spans: compiler.spans,
            clocked,
            probes: Arc::new(probes),
            lanes,
            variables,
            record,
            leads: Default::default(),
        };
        let leads = program.transitions.iter().map(|transition| Lead::of(&program, transition)).collect();
        program.leads = leads;
        Ok(program)
    }
}

/// Decoding, compiling and dropping recurse over expressions: they get a stack of their own.
fn on_long_stack(load: impl FnOnce() -> Compiled<Program> + Send) -> Compiled<Program> {
    std::thread::scope(|scope| {
        let loader = std::thread::Builder::new().stack_size(LOADER_STACK).spawn_scoped(scope, load);
        match loader.map(|thread| thread.join()) {
            Ok(Ok(result)) => result,
            Ok(Err(panic)) => std::panic::resume_unwind(panic),
            Err(error) => Err(LoadError(error.to_string())),
        }
    })
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
        Time::Immediate => SimpleTime::Const(0.0),
        Time::Const(time) if *time > 0.0 => SimpleTime::Const(*time),
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
    let free = !transition.binds && !transition.reserves && transition.resets.is_empty();
    if free && transition.variable_names.is_empty() {
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

/// The transitions of each priority, and where each transition stands.
fn levels(net: &Net) -> (Vec<Level>, Vec<(u32, u32)>) {
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
        let weights: Vec<f64> = transitions.iter().map(|id| net.transitions[id.at()].weight).collect();
        let alike = weights.iter().all(|&w| w == weights[0]) && power_of_two(weights[0]);
        levels.push(Level { transitions, weights: (!alike).then_some(weights) });
    }
    (levels, homes)
}

fn power_of_two(weight: f64) -> bool {
    weight.is_normal() && weight > 0.0 && weight.to_bits() & ((1 << 52) - 1) == 0 && (1e-30..1e30).contains(&weight)
}

fn draw_table(table: &Table) -> Compiled<DrawTable> {
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

impl<'a> Compiler<'a> {
    fn new(net: &'a Net) -> Compiled<Self> {
        let mut compiler = Compiler {
            net,
            spans: Vec::new(),
            places: Vec::new(),
            slot_ranges: slot_ranges(net)?,
            indices: Vec::new(),
            index_of: HashMap::new(),
            joins: Vec::new(),
            gauges: net.places.len(),
            loads: vec![GaugeId::NONE; net.places.len()],
            watches: Vec::new(),
            dependents: BTreeMap::new(),
        };
        for (i, place) in net.places.iter().enumerate() {
            let program = compiler.place(i, place)?;
            compiler.places.push(program);
        }
        Ok(compiler)
    }

    pub fn lowering(&mut self, kinds: Vec<Kind>) -> Lowering<'_> {
        let (places, tables) = (self.net.places.len(), self.net.tables.len());
        Lowering { spans: &mut self.spans, places, tables, kinds, ranges: Ranges(&[]) }
    }

    fn place(&mut self, index: usize, place: &Place) -> Compiled<PlaceProgram> {
        let slots = &place.colour.slots;
        let (key, key_fails) = match &place.key {
            Some(key) if place.discipline == Discipline::Key && !slots.is_empty() => {
                let facts = Ranges(&self.slot_ranges[index]).facts(key);
                let mut lowering = self.lowering(slots.iter().map(|slot| slot.kind).collect());
                (Some(lowering.value(key, key.kind)?), facts.fails)
            }
            None if place.discipline == Discipline::Key && !slots.is_empty() => {
                return Err(LoadError(format!("place `{}` lacks its key", place.name)));
            }
            _ => (None, false),
        };
        let bound = |slot: &Slot| Bound {
            name: slot.name.clone(),
            real: slot.kind == Kind::Real,
            low: slot.low,
            high: slot.high,
        };
        let capacity = place.capacity.map(|c| u64::try_from(c).map_err(|_| LoadError("a negative capacity".into())));
        Ok(PlaceProgram {
            name: place.name.clone(),
            width: slots.len(),
            reals: slots.iter().map(|slot| slot.kind == Kind::Real).collect(),
            discipline: place.discipline,
            key,
            key_fails,
            capacity: capacity.transpose()?,
            indices: Vec::new(),
            pivots: Vec::new(),
            bounds: slots.iter().map(bound).collect(),
            initial: initial_tokens(place)?,
            most: None,
        })
    }

    /// An index over some slots of a place; made when first asked for.
    pub fn index(&mut self, place: PlaceId, slots: Vec<u32>) -> IndexId {
        if let Some(&id) = self.index_of.get(&(place, slots.clone())) {
            return id;
        }
        self.new_index(place, slots)
    }

    fn new_index(&mut self, place: PlaceId, slots: Vec<u32>) -> IndexId {
        let kinds = &self.net.places[place.at()].colour.slots;
        let ranges: Vec<Range> = slots.iter().map(|&slot| self.slot_ranges[place.at()][slot as usize]).collect();
        let most = DIRECT_LIMIT.max(DIRECT_SHARE * self.places[place.at()].initial.len() as u64);
        let size = ranges.iter().try_fold(1u64, |size, (low, high)| {
            size.checked_mul(u64::try_from(high - low + 1).ok()?).filter(|&size| size <= most)
        });
        let whole = slots.iter().all(|&slot| kinds[slot as usize].kind != Kind::Real);
        let extent = |&(low, high): &Range| Extent { low: low as i64, size: (high - low + 1) as u64 };
        let extents = (whole && size.is_some()).then(|| ranges.iter().map(extent).collect());
        let id = IndexId(self.indices.len() as u32);
        let seated = self.places[place.at()].discipline == Discipline::Bag;
        self.indices.push(IndexProgram { place, slots: slots.clone(), extents, seated, links: Vec::new() });
        self.places[place.at()].indices.push(id);
        self.index_of.insert((place, slots), id);
        id
    }

    /// Has an index serve a link of a join; another like it where it serves as many as it can. Returns which, and the
    /// number of the link there.
    pub fn serve(&mut self, place: PlaceId, index: IndexId, join: JoinId, link: usize) -> (IndexId, usize) {
        let slots = self.indices[index.at()].slots.clone();
        let mut index = self.index(place, slots.clone());
        if self.indices[index.at()].links.len() == MOST_LINKS {
            index = self.new_index(place, slots);
        }
        let links = &mut self.indices[index.at()].links;
        links.push((join, link));
        (index, links.len() - 1)
    }

    /// The gauge of a place's load; made when first asked for.
    pub fn load_gauge(&mut self, place: PlaceId) -> GaugeId {
        let load = &mut self.loads[place.at()];
        if *load == GaugeId::NONE {
            *load = GaugeId(self.gauges as u32);
            self.gauges += 1;
        }
        *load
    }

    pub fn watch(&mut self, gauge: GaugeId, watch: Watch) {
        self.watches.push((gauge, watch));
    }

    /// Looks at a transition again when a gauge changes, unless by an arrival that it does not see.
    pub fn depend(&mut self, gauge: GaugeId, dependent: Dependent) {
        let entry = self.dependents.entry((gauge, dependent.transition)).or_insert(dependent);
        entry.depth = entry.depth.max(dependent.depth);
        entry.only = entry.only.filter(|only| Some(*only) == dependent.only);
    }

    /// Sorts watches and dependents by gauge.
    fn wire(&mut self) -> (Vec<Gauge>, Vec<Watch>, Vec<Dependent>) {
        let nothing = Gauge { top: 0, watches: (0, 0), dependents: (0, 0), load: GaugeId::NONE };
        let mut gauges = vec![nothing; self.gauges];
        for (gauge, load) in gauges.iter_mut().zip(&self.loads) {
            gauge.load = *load;
        }
        self.watches.sort_by_key(|(gauge, watch)| (*gauge, watch.threshold, watch.transition));
        let mut watches = Vec::with_capacity(self.watches.len());
        for (gauge, watch) in std::mem::take(&mut self.watches) {
            let gauge = &mut gauges[gauge.at()];
            if gauge.watches.1 == 0 {
                gauge.watches.0 = watches.len() as u32;
            }
            watches.push(watch);
            gauge.watches.1 = watches.len() as u32;
            gauge.top = gauge.top.max(watch.threshold);
        }
        let mut dependents = Vec::with_capacity(self.dependents.len());
        for ((gauge, _), dependent) in std::mem::take(&mut self.dependents) {
            let gauge = &mut gauges[gauge.at()];
            if gauge.dependents.1 == 0 {
                gauge.dependents.0 = dependents.len() as u32;
            }
            dependents.push(dependent);
            gauge.top = u64::MAX;
            gauge.dependents.1 = dependents.len() as u32;
        }
        (gauges, watches, dependents)
    }

    /// What is known of an expression whose variables have these ranges.
    pub fn facts(&self, e: &Expr, ranges: &[Range]) -> Facts {
        Ranges(ranges).facts(e)
    }
}

/// The bits of a value that is stored in a slot.
pub fn slot_bits(value: Scalar, kind: Kind) -> Compiled<u64> {
    match kind {
        Kind::Real => Ok((value.as_real() + 0.0).to_bits()),
        _ => value.as_int().map(|v| v as u64).ok_or_else(|| LoadError("a real value in an int slot".into())),
    }
}

/// Refuses tokens that have not one value for each slot.
pub fn check_initial(place: &Place) -> Compiled<()> {
    let (width, slots) = (place.initial.width(), place.colour.slots.len());
    if place.initial.is_empty() || width == slots {
        return Ok(());
    }
    Err(LoadError(format!("a token of `{}` has {width} values, where {slots} belong", place.name)))
}

fn initial_tokens(place: &Place) -> Compiled<Vec<(u64, Vec<u64>)>> {
    let slots = &place.colour.slots;
    let mut tokens = Vec::with_capacity(place.initial.len());
    for (count, values) in place.initial.iter() {
        let mut token = Vec::with_capacity(slots.len());
        for (&value, slot) in values.iter().zip(&**slots) {
            token.push(slot_bits(value, slot.kind)?);
        }
        tokens.push((count, token));
    }
    Ok(tokens)
}

/// The places that get the rows of a file. A row is a coloured token that arrives at the end of a queue.
fn streams(net: &Net) -> Compiled<Vec<PlaceId>> {
    let mut found = Vec::new();
    for (i, place) in net.places.iter().enumerate().filter(|(_, place)| place.stream) {
        if place.colour.slots.is_empty() || place.discipline != Discipline::Fifo {
            return Err(LoadError(format!("a stream needs a coloured fifo place, and `{}` is none", place.name)));
        }
        found.push(PlaceId(i as u32));
    }
    Ok(found)
}
