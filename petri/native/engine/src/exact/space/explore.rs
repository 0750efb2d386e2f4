//! Breadth-first exploration of the states of a net.
//!
//! States are expanded in the order of their numbers, a few together: all their successors are generated first, while the
//! memory is fetched in which each will be looked for, and then numbered one after the other.

use std::collections::HashSet;
use std::sync::atomic::AtomicU64;

use crate::base::ids::TransitionId;
use crate::collections::narrow::Narrow;
use crate::exact::model::trouble::{Found, Interrupted, Outgrown, Trouble};
use crate::exact::model::watch::{Bounds, Ended, Watch};
use crate::exact::model::Model;
use crate::exact::space::graph::{Graph, Labels, Role};
use crate::exact::space::moves::{Move, Pace, Packed};
use crate::exact::space::seat::{Class, Seat};
use crate::exact::state::layout::{bits_of, Layout};
use crate::exact::state::state_set::{mixed, StateSet, MOST_STATES};
use crate::exact::state::{Fields, Kept};
use crate::exact::symmetry::{Reduction, Symmetries};
use crate::net::{Net, Span};
use crate::program::expression::Real;
use crate::state::value::sum_of_weights;

/// Successors that are generated before they are numbered, about.
const BATCH: usize = 512;
/// Successors whose states are fetched ahead.
const AHEAD: usize = 8;

/// Why there is no graph, and the spans that a fault may point to.
pub type Failure = (Trouble, Vec<Span>);

/// Explores the states of a net; of those that its symmetries map to one another, one each.
pub fn explore(net: Net, symmetries: Symmetries, bounds: Bounds, stop: &AtomicU64) -> Result<Graph, Failure> {
    let model = Model::new(net).map_err(|trouble| (trouble, Vec::new()))?;
    let spans = model.program.spans.clone();
    let bounds = Bounds { states: bounds.states.min(MOST_STATES), ..bounds };
    let explored = Explorer::new(model, symmetries, Watch { bounds, stop }).and_then(|mut explorer| {
        explorer.run()?;
        explorer.count_alike();
        Ok(explorer.graph)
    });
    explored.map_err(|trouble| (trouble, spans))
}

/// How a transition is explored: by a plain move, or by the engine that is seated in states.
#[derive(Clone, Copy)]
enum Way {
    Move(usize),
    Seat(usize),
}

struct Explorer<'a> {
    watch: Watch<'a>,
    graph: Graph,
    seat: Seat,
    moves: Vec<Move>,
    packed: Vec<Packed>,
    /// The sums of products of the changes of moves.
    sums: Vec<u64>,
    /// The labels that the moves had last, by the number that decides.
    known: Vec<Vec<u32>>,
    /// For each priority, the highest first, how its transitions start.
    immediate: Vec<Vec<Way>>,
    /// What happens in tangible states.
    timed: Vec<Way>,
    /// Some firings in progress are explored by the engine.
    has_progress: bool,
    batch: Batch,
    /// Whether the engine has been put into the state that is expanded, and the numbers of the last such state.
    seated: bool,
    numbers: Vec<u64>,
}

/// Successors that have no numbers yet.
#[derive(Default)]
struct Batch {
    states: Vec<u64>,
    hashes: Vec<u64>,
    labels: Vec<u32>,
    /// For each state that was expanded: its number of successors so far, whether it is vanishing, and its ticks.
    sources: Vec<(usize, bool, u64)>,
}

impl Batch {
    /// Ends the successors of a state where there are too many.
    fn heed(&self, watch: Watch) -> Result<(), Interrupted> {
        if let Some(ended) = watch.ended(8 * (self.states.capacity() + self.hashes.capacity())) {
            return Err(Interrupted::Ended(ended));
        }
        let own = &self.hashes[self.sources.last().map_or(0, |&(end, ..)| end)..];
        if own.len() >= BATCH && own.len().is_power_of_two() {
            let different: HashSet<u64> = own.iter().copied().collect();
            if different.len() > watch.bounds.states {
                return Err(Interrupted::Ended(Ended::States));
            }
        }
        Ok(())
    }

    fn push(
        &mut self,
        (model, fields): (&Model, &mut Fields),
        (layout, states, reduction): (&Layout, &StateSet, &Reduction),
        numbers: &[u64],
        label: u32,
    ) -> Result<(), Interrupted> {
        let mut reduced = Vec::new();
        let numbers = if reduction.is_empty() {
            numbers
        } else {
            reduced.extend_from_slice(numbers);
            reduction.reduce(model, fields, &mut reduced);
            &reduced
        };
        let start = self.states.len();
        self.states.resize(start + layout.words(), 0);
        if let Err(field) = layout.pack(numbers, &mut self.states[start..]) {
            self.states.truncate(start);
            return Err(Interrupted::Outgrown(Outgrown { field, number: numbers[field] }));
        }
        let hash = mixed(states.sum(&self.states[start..]));
        states.fetch(hash);
        self.hashes.push(hash);
        self.labels.push(label);
        Ok(())
    }
}

/// The plain moves of a net, and by what its transitions start and what takes time happens.
struct Ways {
    moves: Vec<Move>,
    starts: Vec<Way>,
    timed: Vec<Way>,
}

impl Ways {
    fn of(model: &Model, fields: &Fields) -> Self {
        let count = model.times.len();
        let mut moves = Vec::new();
        let mut way = |of: Option<Move>, otherwise: usize| match of {
            Some(one) => {
                moves.push(one);
                Way::Move(moves.len() - 1)
            }
            None => Way::Seat(otherwise),
        };
        let start = |t: usize| Move::start(model, fields, t);
        let starts: Vec<Way> = (0..count).map(|t| way(start(t), t)).collect();
        let mut timed: Vec<Way> = (0..count).filter(|&t| model.clocks[t].is_some()).map(|t| starts[t]).collect();
        for transition in 0..count {
            if let Some(end) = Move::end(model, fields, transition) {
                timed.push(way(Some(end), transition));
            }
        }
        Ways { moves, starts, timed }
    }
}

impl<'a> Explorer<'a> {
    fn new(model: Model, symmetries: Symmetries, watch: Watch<'a>) -> Found<Self> {
        let mut fields = Fields::new(&model);
        let mut seat = Seat::new(&model, fields.fields)?;
        let mut numbers = seat.initial(&mut fields);
        let reduction = Reduction::new(symmetries, &model, &fields);
        reduction.reduce(&model, &mut fields, &mut numbers);
        let Ways { moves, starts, timed } = Ways::of(&model, &fields);
        let immediate = model.immediate.iter().map(|level| level.iter().map(|&t| starts[t]).collect()).collect();
        let has_progress = model.takes_turns || fields.kept.iter().any(|kept| matches!(kept, Kept::Kinds(_)));
        let bits = first_bits(&numbers, &moves);
        let layout = Layout::new(&bits);
        let states = StateSet::new(layout.words());
        let known = moves.iter().map(|_| Vec::new()).collect();
        let graph = Graph {
            model,
            fields,
            layout,
            states,
            offsets: vec![0],
            targets: Vec::new(),
            arc_labels: Narrow::default(),
            labels: Labels::default(),
            vanishing: Vec::new(),
            ticks: Vec::new(),
            ended: Ended::Complete,
            reduction,
            alike: Vec::new(),
        };
        let (packed, sums, batch) = (Vec::new(), Vec::new(), Batch::default());
        let mut explorer = Explorer {
            watch,
            graph,
            seat,
            moves,
            packed,
            sums,
            known,
            immediate,
            timed,
            has_progress,
            batch,
            seated: false,
            numbers: numbers.clone(),
        };
        explorer.pack_moves();
        let mut state = vec![0; explorer.graph.layout.words()];
        explorer.graph.layout.pack(&numbers, &mut state).expect("fields as wide as the first numbers");
        let hash = mixed(explorer.graph.states.sum(&state));
        explorer.graph.states.insert(&state, hash);
        Ok(explorer)
    }

    fn pack_moves(&mut self) {
        let Graph { layout, states, .. } = &self.graph;
        self.packed = self.moves.iter().map(|one| Packed::new(one, layout)).collect();
        let sum = |packed: &Packed| {
            let mut change = vec![0; layout.words()];
            packed.parts.iter().for_each(|part| change[part.word] = part.change);
            states.sum(&change)
        };
        self.sums = self.packed.iter().map(sum).collect();
    }

    fn run(&mut self) -> Found<()> {
        loop {
            let (outgrown, ended) = match self.generate() {
                Ok(()) if self.batch.sources.is_empty() => return Ok(()),
                Ok(()) => (None, None),
                Err(Interrupted::Outgrown(field)) => (Some(field), None),
                Err(Interrupted::Ended(ended)) => (None, Some(ended)),
                Err(Interrupted::Trouble(trouble)) => return Err(trouble),
            };
            if !self.number() {
                self.graph.ended = Ended::States;
                return Ok(());
            }
            if let Some(Outgrown { field, number }) = outgrown {
                self.widen(field, number);
            }
            if let Some(ended) = ended.or_else(|| self.watch.ended(self.graph.bytes())) {
                self.graph.ended = ended;
                return Ok(());
            }
        }
    }

    fn count_alike(&mut self) {
        let Graph { model, fields, layout, states, reduction, alike, .. } = &mut self.graph;
        if !reduction.is_empty() {
            let mut numbers = vec![0; fields.fields];
            let of = |state: usize| {
                layout.unpack(states.state(state), &mut numbers);
                reduction.reduce(model, fields, &mut numbers)
            };
            *alike = (0..states.len()).map(of).collect();
        }
    }

    /// Fields and states get another layout.
    fn widen(&mut self, field: usize, number: u64) {
        let layout = self.graph.layout.wider(field, number);
        let old = &self.graph.layout;
        let mut numbers = vec![0; old.fields.len()];
        self.graph.states = self.graph.states.repacked(layout.words(), |state, new| {
            old.unpack(state, &mut numbers);
            layout.pack(&numbers, new).expect("a wider layout");
        });
        self.graph.layout = layout;
        self.pack_moves();
    }

    // -------------------------------------------------------- successors

    /// Generates the successors of the next states, up to a batch.
    fn generate(&mut self) -> Result<(), Interrupted> {
        let first = self.graph.expanded();
        let mut next = first;
        while next < self.graph.states.len() && self.batch.hashes.len() < BATCH {
            let before = self.batch.hashes.len();
            match self.expand(next) {
                Ok((is_vanishing, ticks)) => {
                    self.batch.sources.push((self.batch.hashes.len(), is_vanishing, ticks));
                    next += 1;
                }
                Err(Interrupted::Ended(Ended::States)) => {
                    // More states than are allowed: they are numbered to be shown, and their arcs are left out.
                    self.batch.sources.push((self.batch.hashes.len(), false, 0));
                    return Ok(());
                }
                Err(interrupted) => {
                    let words = self.graph.layout.words();
                    self.batch.hashes.truncate(before);
                    self.batch.labels.truncate(before);
                    self.batch.states.truncate(before * words);
                    return Err(interrupted);
                }
            }
        }
        Ok(())
    }

    /// Generates the successors of a state. Returns whether it is vanishing, and the ticks up to the next end.
    fn expand(&mut self, state: usize) -> Result<(bool, u64), Interrupted> {
        self.seated = false;
        let first = self.batch.hashes.len();
        let words = self.graph.layout.words();
        let mut current = [0u64; 8];
        let current = if words <= 8 {
            current[..words].copy_from_slice(self.graph.states.state(state));
            &current[..words]
        } else {
            &self.graph.states.state(state).to_vec()[..]
        };
        let sum = self.graph.states.sum(current);
        for level in 0..self.immediate.len() {
            if self.start(level, current, sum)? {
                return Ok((true, 0));
            }
        }
        for at in 0..self.timed.len() {
            match self.timed[at] {
                Way::Move(number) => {
                    if self.may(number, current)? {
                        let label = self.rate_label(number, current)?;
                        if let Some(label) = label {
                            self.push_move(number, current, sum, label)?;
                        }
                    }
                }
                Way::Seat(transition) => self.race(transition, current)?,
            }
        }
        if self.has_progress {
            self.sit(current)?;
            for (role, transition, rate, numbers) in self.seat.progress(&self.graph.model, &mut self.graph.fields)? {
                let label = self.graph.labels.number(transition, role, rate);
                self.push_numbers(&numbers, label)?;
            }
        }
        if self.graph.fields.agenda.is_some() {
            self.sit(current)?;
            return Ok((false, self.pass(first)?));
        }
        Ok((false, 0))
    }

    /// Time passes to the next end of a constant time, unless an exponential one passes: then there are successors from `first` on.
    fn pass(&mut self, first: usize) -> Result<u64, Interrupted> {
        let Some(constant) = self.seat.next_constant(&self.graph.fields) else { return Ok(0) };
        if self.batch.hashes.len() > first {
            return Err(Trouble::Unsolvable("mixed-times", Some(TransitionId(constant as u32))).into());
        }
        let Graph { model, fields, .. } = &mut self.graph;
        let Some((ticks, outcomes)) = self.seat.pass(model, fields)? else { return Ok(0) };
        // Where an average over time is all that is asked for, a constant is as good as an exponential time of that mean.
        let each = if model.in_ticks { 1.0 } else { model.rate(1.0, ticks as f64) };
        for (chance, numbers) in outcomes {
            let label = self.graph.labels.number(u32::MAX as usize, Role::Time, chance * each);
            self.push_numbers(&numbers, label)?;
        }
        Ok(ticks)
    }

    /// Puts the engine into the state.
    fn sit(&mut self, current: &[u64]) -> Result<(), Interrupted> {
        if !self.seated {
            self.seated = true;
            self.graph.layout.unpack(current, &mut self.numbers);
            self.seat.sit(&self.graph.fields, &self.numbers)?;
        }
        Ok(())
    }

    /// Whether a move may happen.
    #[inline(always)]
    fn may(&mut self, number: usize, current: &[u64]) -> Result<bool, Interrupted> {
        if !self.packed[number].may(current, &self.graph.layout.guards) {
            return Ok(false);
        }
        if !self.moves[number].guarded {
            return Ok(true);
        }
        self.sit(current)?;
        let transition = self.moves[number].transition;
        let holds = self.seat.holds(&self.graph.model, transition);
        Ok(holds.map_err(|fault| Trouble::from(fault).of(transition))?)
    }

    /// The firings that start at once at a priority. False if there are none.
    fn start(&mut self, level: usize, current: &[u64], sum: u64) -> Result<bool, Interrupted> {
        let mut found = Vec::new();
        for at in 0..self.immediate[level].len() {
            let way = self.immediate[level][at];
            let (transition, classes) = match way {
                Way::Move(number) if self.may(number, current)? => (self.moves[number].transition, Vec::new()),
                Way::Move(_) => continue,
                Way::Seat(transition) => {
                    self.sit(current)?;
                    let classes = self.seat.classes(&self.graph.model, transition, self.watch)?;
                    if classes.is_empty() {
                        continue;
                    }
                    (transition, classes)
                }
            };
            found.push((way, transition, classes));
        }
        let is_any = !found.is_empty();
        let transitions: Vec<usize> = found.iter().map(|&(_, transition, _)| transition).collect();
        let shares = self.shares(&transitions, current)?;
        for ((way, transition, classes), share) in found.into_iter().zip(shares).filter(|(_, share)| *share > 0.0) {
            match way {
                Way::Move(number) => {
                    let label = self.graph.labels.number(transition, Role::Start, share);
                    self.push_move(number, current, sum, label)?;
                }
                Way::Seat(_) => {
                    let ways: f64 = classes.iter().map(|class| class.ways).sum();
                    for class in classes {
                        let chance = share * class.ways / ways;
                        self.fire(transition, &class, Role::Start, chance)?;
                    }
                }
            }
        }
        Ok(is_any)
    }

    /// How likely each of several transitions is the one to start (I3).
    fn shares(&mut self, transitions: &[usize], current: &[u64]) -> Result<Vec<f64>, Interrupted> {
        if transitions.len() < 2 {
            return Ok(vec![1.0; transitions.len()]);
        }
        let mut weights = Vec::with_capacity(transitions.len());
        for &transition in transitions {
            let weight = match &self.graph.model.weights[transition] {
                (Real::Const(weight), _) => Ok(*weight),
                _ => {
                    self.sit(current)?;
                    self.seat.weight(&self.graph.model, transition)
                }
            };
            weights.push(weight.map_err(|fault| Trouble::from(fault).of(transition))?);
        }
        let span = self.graph.model.weights[transitions[0]].1;
        let sum = sum_of_weights(&weights, span).map_err(|fault| Trouble::from(fault).of(transitions[0]))?;
        Ok(weights.into_iter().map(|weight| weight / sum).collect())
    }

    /// The firings of a transition with clocks.
    fn race(&mut self, transition: usize, current: &[u64]) -> Result<(), Interrupted> {
        self.sit(current)?;
        let classes = self.seat.classes(&self.graph.model, transition, self.watch)?;
        if classes.is_empty() {
            return Ok(());
        }
        let servers = self.seat.servers(&self.graph.model, transition);
        let servers = servers.map_err(|fault| Trouble::from(fault).of(transition))?;
        for class in classes {
            let clocks = servers as f64 * class.ways;
            let rate = self.seat.rate(&self.graph.model, transition, &class.chosen, clocks)?;
            if rate > 0.0 {
                self.fire(transition, &class, Role::Fire, rate)?;
            }
        }
        Ok(())
    }

    fn fire(&mut self, transition: usize, class: &Class, role: Role, value: f64) -> Result<(), Interrupted> {
        let Graph { model, fields, layout, states, labels, reduction, .. } = &mut self.graph;
        let (batch, watch) = (&mut self.batch, self.watch);
        self.seat.fire(model, fields, transition, class, &mut |fields, chance, numbers, _| {
            let label = labels.number(transition, role, value * chance);
            batch.push((model, fields), (layout, states, reduction), numbers, label)?;
            batch.heed(watch)
        })
    }

    /// The label of a timed move; none if its rate is 0.
    #[inline(always)]
    fn rate_label(&mut self, number: usize, current: &[u64]) -> Result<Option<u32>, Interrupted> {
        let layout = &self.graph.layout;
        let of = &self.moves[number];
        let servers = |fields: &[(usize, u64)], most: u64| {
            let times = fields.iter().map(|&(field, count)| layout.get(current, field) / count);
            times.fold(most, u64::min)
        };
        let (times, each) = match of.pace {
            Pace::Rate(rate) => (1, rate),
            Pace::Each(field, rate) => (layout.get(current, field), rate),
            Pace::Servers { ref fields, most, rate } => (servers(fields, most), rate),
            Pace::Weight | Pace::Open { .. } => return self.open_label(number, current),
        };
        let known = &mut self.known[number];
        if let Some(&label) = known.get(times as usize).filter(|&&label| label != u32::MAX) {
            return Ok(Some(label));
        }
        let (transition, role) = (of.transition, of.role);
        let label = self.graph.labels.number(transition, role, times as f64 * each);
        if times < 1 << 16 {
            if known.len() <= times as usize {
                known.resize(times as usize + 1, u32::MAX);
            }
            known[times as usize] = label;
        }
        Ok(Some(label))
    }

    /// The same for a clock whose speed or mean depends on the marking.
    fn open_label(&mut self, number: usize, current: &[u64]) -> Result<Option<u32>, Interrupted> {
        self.sit(current)?;
        let (transition, role) = (self.moves[number].transition, self.moves[number].role);
        let Pace::Open { fields, most } = &self.moves[number].pace else { return Ok(None) };
        let layout = &self.graph.layout;
        let times = fields.iter().map(|&(field, count)| layout.get(current, field) / count);
        let times = if fields.is_empty() { 1 } else { times.fold(*most, u64::min) };
        let value = self.seat.rate(&self.graph.model, transition, &[], times as f64)?;
        Ok((value > 0.0).then(|| self.graph.labels.number(transition, role, value)))
    }

    #[inline(always)]
    fn push_move(&mut self, number: usize, current: &[u64], sum: u64, label: u32) -> Result<(), Interrupted> {
        let packed = &self.packed[number];
        let batch = &mut self.batch;
        let start = batch.states.len();
        batch.states.extend_from_slice(current);
        for part in &packed.parts {
            let word = &mut batch.states[start + part.word];
            *word = word.wrapping_add(part.change);
            let outgrown = *word & self.graph.layout.guards[part.word];
            if outgrown != 0 {
                batch.states.truncate(start);
                let field = self.graph.layout.outgrown(part.word, outgrown);
                return Err(Interrupted::Outgrown(Outgrown { field, number: 0 }));
            }
        }
        if !self.graph.reduction.is_empty() {
            let mut numbers = vec![0; self.graph.fields.fields];
            self.graph.layout.unpack(&batch.states[start..], &mut numbers);
            batch.states.truncate(start);
            return self.push_numbers(&numbers, label);
        }
        let hash = mixed(sum.wrapping_add(self.sums[number]));
        self.graph.states.fetch(hash);
        batch.hashes.push(hash);
        batch.labels.push(label);
        Ok(())
    }

    fn push_numbers(&mut self, numbers: &[u64], label: u32) -> Result<(), Interrupted> {
        let Graph { model, fields, layout, states, reduction, .. } = &mut self.graph;
        self.batch.push((model, fields), (layout, states, reduction), numbers, label)
    }

    // -------------------------------------------------------- numbers

    /// Numbers the successors of the batch. False if there are more states than allowed.
    fn number(&mut self) -> bool {
        let words = self.graph.layout.words();
        let mut batch = std::mem::take(&mut self.batch);
        let graph = &mut self.graph;
        let mut at = 0;
        let mut fits = true;
        for &(end, is_vanishing, ticks) in &batch.sources {
            let first = graph.targets.len();
            while at < end {
                if let Some(&hash) = batch.hashes.get(at + AHEAD) {
                    graph.states.fetch_state(hash);
                }
                let target = graph.states.insert(&batch.states[at * words..(at + 1) * words], batch.hashes[at]);
                graph.targets.push(target);
                graph.arc_labels.push(batch.labels[at]);
                at += 1;
            }
            if graph.states.len() > self.watch.bounds.states {
                graph.targets.truncate(first);
                graph.arc_labels.truncate(first);
                fits = false;
                break;
            }
            graph.note(is_vanishing, graph.expanded());
            graph.offsets.push(graph.targets.len() as u64);
            if graph.model.in_ticks {
                graph.ticks.push(ticks);
            }
        }
        batch.states.clear();
        batch.hashes.clear();
        batch.labels.clear();
        batch.sources.clear();
        self.batch = batch;
        fits
    }
}

/// Bits for the first numbers, and for what moves add.
fn first_bits(numbers: &[u64], moves: &[Move]) -> Vec<u32> {
    let mut bits: Vec<u32> = numbers.iter().map(|&number| bits_of(number)).collect();
    for (field, change) in moves.iter().flat_map(|one| &one.changes) {
        bits[*field] = bits[*field].max(bits_of(change.unsigned_abs()));
    }
    bits
}
