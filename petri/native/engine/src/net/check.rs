//! Checks the meaning of a flat net, beyond its shape, before anything is compiled. The compiler, the engine and
//! machine code rely on it, and a net that was written or changed by hand may contain anything.
//!
//! Checked here: the size of the net, its initial tokens, its weights, the number of operands, that variables are bound
//! once and before they are used, and where draws are allowed. The compiler (`program/compile`) finds references that
//! lead nowhere, wrong kinds, and arcs that do not fit their places.

use crate::base::fault::{LoadError, Loaded};
use crate::base::ids::{PlaceId, TransitionId, VariableId};
use crate::net::{
    Clock, Discipline, Event, Expr, InputArc, Kind, Match, Net, Op, OutputArc, Place, Port, Probe, Scalar, SetArc,
    Table, Transition,
};

/// Brackets within brackets of the net's text, beyond which it is refused. An operation within an operation has two.
pub const DEEPEST: usize = 4000;
/// Arcs on the input side of a transition: a search goes one call deep for each. (`MOST_ARCS` of `petri/net.py`)
pub const MOST_ARCS: usize = 1_000;
/// Initial tokens of a place, and of all coloured places. (`MOST_TOKENS` of `petri/net.py`)
pub const MOST_TOKENS: u64 = 10_000_000;
/// Operations of all expressions, where one that is shared counts as often as it occurs: that is how it is compiled.
const MOST_OPERATIONS: u64 = 100_000_000;
/// The weights of a net's transitions, or of a table, have a sum below this.
const GREATEST_WEIGHT: f64 = 1e300;

/// Refuses a net that cannot be compiled or run.
pub fn check(net: &Net) -> Loaded<()> {
    if operations(net) > MOST_OPERATIONS {
        return refuse("the expressions of the net are too large".into());
    }
    check_tokens(net)?;
    for place in &net.places {
        check_place(place).map_err(|what| LoadError(format!("place `{}` {what}", place.name)))?;
    }
    for transition in &net.transitions {
        check_transition(net, transition)
            .and_then(|()| check_weighed(net, transition))
            .and_then(|()| check_turns(net, transition))
            .map_err(|what| LoadError(format!("transition `{}` {what}", transition.name)))?;
    }
    let constants =
        net.transitions.iter().map(|t| t.weight.as_ref().map_or(Some(1.0), |weight| weight.constant_real()));
    check_weights(constants.flatten(), "the transitions")?;
    for probe in &net.probes {
        check_probe(net, probe).map_err(|what| LoadError(format!("a probe {what}")))?;
    }
    net.tables.iter().try_for_each(check_table)
}

fn refuse(what: String) -> Loaded<()> {
    Err(LoadError(what))
}

// ------------------------------------------------------------ sizes

/// The number of operations of all expressions of a net.
fn operations(net: &Net) -> u64 {
    let keys = net.places.iter().flat_map(Place::keys);
    let of_transitions = net.transitions.iter().flat_map(|transition| expressions(transition));
    let of_probes = net.probes.iter().flat_map(|probe| match probe {
        Probe::Counter(counter) => counter.quantity.iter().collect::<Vec<_>>(),
        Probe::Sample(sample) => sample.all().flat_map(|one| one.condition.iter().chain([&one.value])).collect(),
        Probe::Passage(passage) => passage.start.all().chain(passage.end.all()).flat_map(|event| &event.key).collect(),
        Probe::Order(order) => order.event.key.iter().chain([&order.sequence]).collect(),
        Probe::Content(content) => vec![&content.value],
        Probe::Watched(watched) => vec![&watched.value],
    });
    keys.chain(of_transitions).chain(of_probes).fold(0, |sum: u64, e| sum.saturating_add(e.size()))
}

/// All but those of its clock.
pub fn expressions(t: &Transition) -> impl Iterator<Item = &Expr> {
    let inputs = t.inputs.iter().flat_map(|arc| equals(&arc.pattern).chain(&arc.count));
    let inhibitors = t.inhibitors.iter().flat_map(|arc| equals(&arc.pattern).chain(&arc.threshold));
    let outputs = t.outputs.iter().flat_map(of_output);
    let draws = t.draws.iter().map(|draw| &draw.expression);
    let sets = t
        .sets
        .iter()
        .flat_map(|arc| arc.most.iter().chain(&arc.condition).chain(arc.totals.iter().map(|total| &total.value)));
    inputs
        .chain(sets)
        .chain(inhibitors)
        .chain(outputs)
        .chain(draws)
        .chain(&t.guard)
        .chain(&t.time)
        .chain(&t.weight)
        .chain(t.prefer.iter().flat_map(|prefer| prefer.keys()))
}

/// What the slots of tokens must equal.
fn equals(pattern: &[Match]) -> impl Iterator<Item = &Expr> {
    pattern.iter().filter_map(|matching| matching.equal.as_ref())
}

fn of_output(arc: &OutputArc) -> impl Iterator<Item = &Expr> {
    arc.values.iter().chain(&arc.index).chain(&arc.count).chain(&arc.condition).chain(&arc.delay)
}

/// Checks that there is room for the initial markings. Entries with a count of 0 take room, too.
fn check_tokens(net: &Net) -> Loaded<()> {
    let mut coloured = 0u64;
    for place in &net.places {
        let kept = place.initial.held().max(place.initial.len() as u64);
        if kept > MOST_TOKENS {
            return refuse(format!("place `{}` starts with more than {MOST_TOKENS} tokens", place.name));
        }
        coloured += if place.colour.slots.is_empty() { 0 } else { kept };
    }
    if coloured > MOST_TOKENS {
        return refuse(format!("the coloured places start with more than {MOST_TOKENS} tokens"));
    }
    Ok(())
}

// ------------------------------------------------------------ places and tables

fn check_place(place: &Place) -> Result<(), String> {
    let slots = &place.colour.slots;
    if place.capacity.is_some_and(|capacity| capacity.as_real().is_nan() || capacity.as_real() < 0.0) {
        return Err("has a negative capacity".into());
    }
    if let Some(weight) = &place.weight {
        if slots.is_empty() || place.open() {
            return Err("has weights, and is a black place or has a stream".into());
        }
        let whole = place.capacity.map(|capacity| capacity.as_int().is_some());
        if weight.kind == Kind::Bool || whole != Some(weight.kind == Kind::Int) {
            return Err("has a capacity of another kind than its weights".into());
        }
        Scope { bound: vec![true; slots.len()], draws: false, marking: false }.check(weight)?;
    }
    let grouped = !place.per.is_empty();
    if grouped
        && ((place.stream && place.port == Port::None) || place.weight.is_some() || place.discipline == Discipline::Bag)
    {
        return Err("has a key for its discipline, and is a bag, has a stream or weights".into());
    }
    if place.per.iter().any(|&slot| slot as usize >= slots.len()) {
        return Err("has a key of slots that its tokens lack".into());
    }
    let plain = place.discipline == Discipline::Fifo && place.initial.is_empty() && place.capacity.is_none();
    if place.port == Port::Out && !plain {
        return Err("is a port out, and is not a fifo place without initial tokens and capacity".into());
    }
    if place.port == Port::In && place.capacity.is_some() {
        return Err("is a port in, and has a capacity".into());
    }
    if place.stream && place.port == Port::None && (slots.is_empty() || !plain) {
        return Err("has a stream, and is not a coloured fifo place without initial tokens and capacity".into());
    }
    let scope = Scope { bound: vec![true; slots.len()], draws: false, marking: false };
    scope.check_all(place.keys())
}

fn check_table(table: &Table) -> Loaded<()> {
    if table.values.len() != table.weights.len() || table.values.is_empty() {
        return refuse("a table needs a weight for each value".into());
    }
    let not_negative = |weight: &f64| *weight >= 0.0;
    if !table.weights.iter().all(not_negative) || table.weights.iter().all(|&weight| weight == 0.0) {
        return refuse("the weights of a table are negative or all 0".into());
    }
    check_sum(table.weights.iter().copied(), "the values of a table")
}

fn check_weights(weights: impl Iterator<Item = f64> + Clone, of_what: &str) -> Loaded<()> {
    if !weights.clone().all(|weight| weight > 0.0) {
        return refuse(format!("a weight of {of_what} is not above 0"));
    }
    check_sum(weights, of_what)
}

fn check_sum(weights: impl Iterator<Item = f64>, of_what: &str) -> Loaded<()> {
    if weights.sum::<f64>() < GREATEST_WEIGHT {
        return Ok(());
    }
    refuse(format!("the weights of {of_what} have a sum that is too great"))
}

// ------------------------------------------------------------ transitions and probes

fn check_transition(net: &Net, t: &Transition) -> Result<(), String> {
    if t.inputs.len() > MOST_ARCS {
        return Err("has too many input arcs".into());
    }
    let mut scope = Scope { bound: vec![false; t.variables.len()], draws: false, marking: true };
    for arc in &t.inputs {
        scope.check_all(&arc.count)?;
        scope.check_all(equals(&arc.pattern))?;
        for variable in arc.pattern.iter().filter_map(|matching| matching.bind) {
            scope.bind(variable)?;
        }
    }
    for arc in &t.inhibitors {
        if arc.pattern.iter().any(|matching| matching.bind.is_some()) {
            return Err("has an inhibitor arc that binds a variable".into());
        }
        scope.check_all(equals(&arc.pattern))?;
        scope.check_all(&arc.threshold)?;
    }
    scope.check_all(&t.guard)?;
    if let Some(prefer) = &t.prefer {
        if prefer.keys().any(|key| key.kind == Kind::Bool) {
            return Err("prefers bindings by a key that is no number".into());
        }
        scope.check_all(prefer.keys())?;
    }
    for arc in &t.sets {
        check_set(net, t, arc, &scope)?;
        scope.bind(arc.number)?;
        arc.totals.iter().try_for_each(|total| scope.bind(total.variable))?;
    }
    scope.draws = true;
    for draw in &t.draws {
        scope.check(&draw.expression)?;
        scope.bind(draw.variable)?;
    }
    scope.check_all(&t.time)?;
    if let Some(clock) = &t.clock {
        check_clock(clock, t)?;
    }
    if let Some(weight) = &t.weight {
        check_weight(weight, t)?;
    }
    scope.draws = false;
    t.outputs.iter().try_for_each(|arc| match arc.each {
        None => check_output(arc, &scope),
        Some(set) => check_each(net, t, arc, t.sets.get(set).ok_or("gives for each token of no set")?, &scope),
    })
}

/// A set's number and totals are read once the set is known, and its condition before.
fn check_set(net: &Net, t: &Transition, arc: &SetArc, scope: &Scope) -> Result<(), String> {
    let place = net.places.get(arc.place.at()).ok_or("names a place that is not there")?;
    let others = t.sets.iter().filter(|other| other.place == arc.place).count();
    if others > 1 || t.resets.contains(&arc.place) || !place.per.is_empty() {
        return Err("takes all tokens of a place twice, or of one with a key for its discipline".into());
    }
    if arc.most.is_some() && place.discipline == Discipline::Bag && !place.colour.slots.is_empty() {
        return Err("takes the first tokens of a bag, which has no order".into());
    }
    let kind = |variable: VariableId| t.variables.get(variable.at()).map(|variable| variable.kind);
    if kind(arc.number) != Some(Kind::Int)
        || arc.most.as_ref().is_some_and(|e| e.kind != Kind::Int)
        || arc.condition.as_ref().is_some_and(|e| e.kind != Kind::Bool)
    {
        return Err("has a set whose number or condition is of another kind".into());
    }
    scope.check_all(&arc.most)?;
    let mut own = scope.of_token(t, place);
    own.check_all(&arc.condition)?;
    own.bind(arc.number)?;
    for total in &arc.totals {
        if kind(total.variable) != Some(total.value.kind) {
            return Err("has a total of another kind than its variable".into());
        }
        own.bind(total.variable)?;
        own.check(&total.value)?;
    }
    Ok(())
}

/// What `each` gives is as many tokens as the set has. Places have room for them if they have no capacity, or if these take the room
/// of the set's own (E6).
fn check_each(net: &Net, t: &Transition, arc: &OutputArc, set: &SetArc, scope: &Scope) -> Result<(), String> {
    let number = |e: &Expr| e.op == Op::Var && e.value.and_then(Scalar::as_int) == Some(i64::from(set.number.0));
    let limited = |place: &PlaceId| net.places.get(place.at()).is_none_or(|place| place.capacity.is_some());
    let back = || t.outputs.iter().filter(|other| other.each == arc.each && other.places.contains(&set.place));
    let plain = net.places.get(set.place.at()).is_some_and(|place| place.weight.is_none() && place.per.is_empty());
    let returns = plain && *arc.places == [set.place] && back().count() == 1;
    if !arc.count.as_ref().is_some_and(number) || arc.places.iter().any(limited) && !returns {
        return Err("gives for each token of a set what it may not".into());
    }
    let place = net.places.get(set.place.at()).ok_or("names a place that is not there")?;
    scope.of_token(t, place).check_all(&arc.values)?;
    check_output(&OutputArc { values: Box::default(), ..arc.clone() }, scope)
}

/// A clock uses no draws of the firing, which happen later, and its speed no variables (C2, C5).
fn check_clock(clock: &Clock, t: &Transition) -> Result<(), String> {
    let mut scope = Scope { bound: vec![false; t.variables.len()], draws: false, marking: true };
    scope.check_all(&clock.speed)?;
    for variable in t.inputs.iter().flat_map(|arc| arc.pattern.iter()).filter_map(|matching| matching.bind) {
        scope.bind(variable)?;
    }
    scope.draws = true;
    scope.check(&clock.time)?;
    if clock.time.kind != Kind::Real || clock.speed.as_ref().is_some_and(|speed| speed.kind != Kind::Real) {
        return Err("has a clock whose time or speed is no real number".into());
    }
    if clock.servers == Some(0) {
        return Err("has a clock of no servers".into());
    }
    if clock.servers != Some(1) && t.inputs.iter().any(|arc| !arc.pattern.is_empty()) {
        return Err("has several clocks for each of its coloured tokens".into());
    }
    if clock.speed.as_ref().is_some_and(|speed| !speed.mentioned(&mut Vec::new())) {
        return Err("has a clock whose speed reads the time".into());
    }
    Ok(())
}

/// The bindings of a transition share one weight, which draws nothing (I3).
fn check_weight(weight: &Expr, t: &Transition) -> Result<(), String> {
    Scope { bound: vec![false; t.variables.len()], draws: false, marking: true }.check(weight)?;
    if weight.kind != Kind::Real || !weight.mentioned(&mut Vec::new()) {
        return Err("has a weight that is not a real number, or reads the time".into());
    }
    Ok(())
}

/// The weight of a token must be known before the firing starts (E6).
fn check_weighed(net: &Net, t: &Transition) -> Result<(), String> {
    for arc in &t.outputs {
        for weight in arc.places.iter().filter_map(|place| net.places.get(place.at())?.weight.as_ref()) {
            let mut slots = Vec::new();
            weight.mentioned(&mut slots);
            for value in slots.into_iter().filter_map(|slot| arc.values.get(slot)) {
                let mut variables = Vec::new();
                let is_known = value.mentioned(&mut variables);
                if !is_known || t.draws.iter().any(|draw| variables.contains(&draw.variable.at())) {
                    return Err("gives a token whose weight is not known before".into());
                }
            }
        }
    }
    Ok(())
}

/// Bindings are in the order of the first arc's tokens, so that those whose turn it is come first (I4).
fn check_turns(net: &Net, t: &Transition) -> Result<(), String> {
    let has_order = |arc: &InputArc| {
        let place = net.places.get(arc.place.at());
        arc.any && place.is_some_and(|place| place.discipline != Discipline::Bag && !place.colour.slots.is_empty())
    };
    let suits = |(position, arc): (usize, &InputArc)| !arc.in_turn || position == 0 && has_order(arc);
    if t.inputs.iter().enumerate().all(suits) {
        return Ok(());
    }
    Err("takes tokens in turn by an arc that cannot".into())
}

fn check_output(arc: &OutputArc, scope: &Scope) -> Result<(), String> {
    if arc.places.len() != 1 && arc.index.is_none() {
        return Err("has an output arc to several places or none, and nothing that tells which".into());
    }
    if arc.delay.as_ref().is_some_and(|delay| delay.kind != Kind::Real) {
        return Err("has an output arc whose delay is no real number".into());
    }
    scope.check_all(of_output(arc))
}

fn check_probe(net: &Net, probe: &Probe) -> Result<(), String> {
    match probe {
        Probe::Counter(counter) => {
            let event = Event { transition: Some(counter.transition), ..Event::default() };
            check_event(net, &event, &counter.quantity)
        }
        Probe::Sample(sample) => {
            for one in sample.all() {
                check_event(net, &one.event(), one.condition.iter().chain([&one.value]))?;
            }
            if sample.others.iter().any(|one| !one.others.is_empty()) {
                return Err("has samples within samples".into());
            }
            Ok(())
        }
        Probe::Passage(passage) => {
            for event in passage.start.all().chain(passage.end.all()) {
                check_event(net, event, [])?;
            }
            let nested = |event: &Event| event.others.iter().any(|one| !one.others.is_empty());
            if nested(&passage.start) || nested(&passage.end) {
                return Err("has events within events".into());
            }
            Ok(())
        }
        Probe::Order(order) => check_event(net, &order.event, [&order.sequence]),
        Probe::Content(content) => {
            let place = net.places.get(content.place.at()).ok_or("names a place that is not there")?;
            let slots = place.colour.slots.len();
            if slots == 0 || content.value.kind == Kind::Bool {
                return Err("sums values that are no numbers".into());
            }
            Scope { bound: vec![true; slots], draws: false, marking: false }.check(&content.value)
        }
        Probe::Watched(watched) => {
            if !watched.value.mentioned(&mut Vec::new()) {
                return Err("watches the time".into());
            }
            let counts = |id: &TransitionId| net.transitions.get(id.at()).is_some_and(|t| t.clock.is_none());
            if !watched.firings.iter().all(counts) {
                return Err("counts firings of a transition that has a clock, or is not there".into());
            }
            let bound = vec![true; watched.firings.len()];
            Scope { bound, draws: false, marking: true }.check(&watched.value)
        }
    }
}

/// The keys of an event, and what is noted when it happens.
fn check_event<'e>(net: &Net, event: &'e Event, noted: impl IntoIterator<Item = &'e Expr>) -> Result<(), String> {
    let names = match (event.transition, event.place) {
        (Some(transition), None) => net.transitions.get(transition.at()).map(|t| t.variables.len()),
        (None, Some(place)) => net.places.get(place.at()).map(|place| place.colour.slots.len()),
        _ => None,
    };
    let names = names.ok_or("names an event that is not there")?;
    let scope = Scope { bound: vec![true; names], draws: false, marking: true };
    scope.check_all(event.key.iter().chain(noted))
}

// ------------------------------------------------------------ expressions

/// What expressions may name.
struct Scope {
    /// Whether each variable (or slot) has its value.
    bound: Vec<bool>,
    /// Whether they may draw.
    draws: bool,
    /// Whether they may read the marking and the clock.
    marking: bool,
}

impl Scope {
    /// With the slots of a token of a set behind the variables of the transition.
    fn of_token(&self, t: &Transition, place: &Place) -> Scope {
        let mut bound = self.bound.clone();
        bound.resize(t.variables.len() + place.colour.slots.len(), true);
        Scope { bound, draws: false, marking: self.marking }
    }

    fn bind(&mut self, variable: VariableId) -> Result<(), String> {
        match self.bound.get_mut(variable.at()) {
            None => Err("binds a variable that is not there".into()),
            Some(true) => Err("binds a variable twice".into()),
            Some(bound) => {
                *bound = true;
                Ok(())
            }
        }
    }

    fn check_all<'e>(&self, expressions: impl IntoIterator<Item = &'e Expr>) -> Result<(), String> {
        expressions.into_iter().try_for_each(|e| self.check(e))
    }

    fn check(&self, e: &Expr) -> Result<(), String> {
        let operands = e.args.len();
        let operands_fit = e.op.takes(operands) && (e.op != Op::Choice || operands.is_multiple_of(2));
        if !operands_fit {
            return Err(format!("has an operation `{}` with {operands} operands", e.op));
        }
        match e.op {
            Op::Const if e.value.is_none() => return Err("has a constant without a value".into()),
            Op::Var if !self.has(e.value) => return Err("uses a variable that has no value there".into()),
            op @ (Op::Tokens | Op::Now | Op::End) if !self.marking => return Err(format!("has `{op}` in its key")),
            op if !self.draws && op.draws() => return Err(format!("draws (`{op}`) where it may not")),
            _ => {}
        }
        self.check_all(&e.args)
    }

    fn has(&self, variable: Option<Scalar>) -> bool {
        let position = variable.and_then(Scalar::as_int).and_then(|value| usize::try_from(value).ok());
        position.and_then(|position| self.bound.get(position)).copied().unwrap_or(false)
    }
}
