//! Random flat nets, as `tests/engine/nets.py` makes them: tokens of few small colours, guards that often hold, times of
//! every distribution. Here bytes make the choices, so that libFuzzer can learn which choices lead to new code.

use serde_json::{json, Map, Value};

use crate::choices::Choices;
use crate::expressions::{int, operation, real, Scope};

/// The slots of each colour: kind, and the range if there is one.
type Slots = &'static [(&'static str, Option<i64>)];
const COLOURS: [Slots; 7] = [
    &[],
    &[("int", Some(3))],
    &[],
    &[("int", None)],
    &[("int", Some(3)), ("int", Some(2))],
    &[("int", Some(3)), ("real", None)],
    &[("real", Some(50)), ("int", None)],
];

/// The bytes behind those of the run make one net, which may stand there several times, so that its parts are shared.
pub fn net(bytes: &[u8]) -> Value {
    let mut head = Choices::new(bytes);
    let copies = head.one(&[1, 1, 1, 2, 4]);
    let (mut places, mut transitions, mut probes) = (Vec::new(), Vec::new(), Vec::new());
    for copy in 0..copies {
        let mut maker = Maker::new(Choices::new(bytes.get(1..).unwrap_or_default()), copy);
        maker.make();
        places.extend(maker.places);
        transitions.extend(maker.transitions);
        probes.extend(maker.probes);
    }
    let tick = head.one(&[(1, 1), (5, 3), (1, 1 << 20)]);
    let sizes = json!({"values": [1, 2, 5], "weights": [7.0, 4.0, 1.0]});
    let times = json!({"values": [0.5, 1.5], "weights": [0.25, 0.75]});
    json!({
        "places": places, "transitions": transitions, "probes": probes, "tables": [sizes, times],
        "tick": {"numerator": tick.0, "denominator": tick.1},
    })
}

/// Makes one copy of a net.
struct Maker<'a> {
    choose: Choices<'a>,
    copy: usize,
    /// The number of the first place and of the first transition in the whole net.
    first_place: usize,
    first_transition: usize,
    colours: Vec<Slots>,
    places: Vec<Value>,
    transitions: Vec<Value>,
    /// The kinds of the variables of each transition.
    variables: Vec<Vec<&'static str>>,
    probes: Vec<Value>,
}

fn scope(kinds: &[&'static str]) -> Scope {
    let of = |kind| (0..kinds.len()).filter(|&i| kinds[i] == kind).collect();
    Scope { ints: of("int"), reals: of("real"), ..Scope::default() }
}

impl<'a> Maker<'a> {
    fn new(choose: Choices<'a>, copy: usize) -> Self {
        let (colours, places, transitions, variables, probes) = Default::default();
        Maker { choose, copy, first_place: 0, first_transition: 0, colours, places, transitions, variables, probes }
    }

    fn make(&mut self) {
        let places = self.choose.number(2, 5);
        let transitions = self.choose.number(1, 4);
        let probes = self.choose.number(0, 2);
        (self.first_place, self.first_transition) = (self.copy * places, self.copy * transitions);
        self.colours = (0..places).map(|_| self.choose.one(&COLOURS)).collect();
        for number in 0..places {
            let place = self.place(number);
            self.places.push(place);
        }
        for number in 0..transitions {
            let transition = self.transition(number);
            self.transitions.push(transition);
        }
        for _ in 0..probes {
            let probe = self.probe();
            self.probes.push(probe);
        }
    }

    /// One of this copy's places, without the copy's offset; seldom one that is not there.
    fn any_place(&mut self) -> usize {
        self.choose.number(0, self.colours.len() - 1)
    }

    fn id(&mut self, place: usize) -> usize {
        self.first_place + place + if self.choose.rare() { 1000 } else { 0 }
    }

    fn with_places(&self, mut scope: Scope) -> Scope {
        scope.places = (self.first_place, self.colours.len());
        scope
    }

    // -------------------------------------------------------- places

    fn place(&mut self, number: usize) -> Value {
        let slots = self.colours[number];
        let kinds: Vec<&str> = slots.iter().map(|slot| slot.0).collect();
        let mut place = Map::new();
        place.insert("name".into(), json!(format!("p{number}[{}]", self.copy)));
        let described = slots.iter().map(|slot| match slot.1 {
            Some(high) => json!({"name": "s", "kind": slot.0, "low": 0, "high": high}),
            None => json!({"name": "s", "kind": slot.0}),
        });
        place.insert("colour".into(), json!({"slots": described.collect::<Vec<_>>()}));
        let mut discipline = self.choose.one(&["bag", "bag", "fifo", "lifo", "key"]);
        if discipline == "key" && slots.is_empty() {
            discipline = "bag";
        }
        place.insert("discipline".into(), json!(discipline));
        if discipline == "key" {
            place.insert("key".into(), self.of_slots(&kinds));
        }
        if discipline == "fifo" && !slots.is_empty() && self.choose.chance(2) {
            place.insert("stream".into(), json!({}));
        } else {
            place.insert("initial".into(), self.initial(&kinds));
        }
        if self.choose.chance(3) && !place.contains_key("stream") {
            self.limit(&mut place, &kinds);
        }
        Value::Object(place)
    }

    /// An expression of a token's slots.
    fn of_slots(&mut self, kinds: &[&'static str]) -> Value {
        let scope = scope(kinds);
        if scope.ints.is_empty() {
            scope.real(&mut self.choose, 1)
        } else {
            scope.whole(&mut self.choose, 1)
        }
    }

    fn initial(&mut self, kinds: &[&str]) -> Value {
        let mut tokens = Vec::new();
        for _ in 0..self.choose.number(0, 3) {
            let few = self.choose.number(0, 3) as u64;
            let count = if self.choose.rare() { self.choose.one(&[1 << 31, 20_000_000, u64::MAX]) } else { few };
            let values: Vec<Value> = kinds
                .iter()
                .map(|kind| match *kind {
                    "int" => json!(self.choose.number(0, 2)),
                    _ => json!(self.choose.number(0, 2) as f64),
                })
                .collect();
            tokens.push(json!([count, values]));
        }
        json!(tokens)
    }

    fn limit(&mut self, place: &mut Map<String, Value>, kinds: &[&'static str]) {
        place.insert("capacity".into(), json!(self.choose.number(1, 12)));
        if kinds.is_empty() || place.contains_key("stream") || !self.choose.chance(4) {
            return;
        }
        let weight = self.of_slots(kinds);
        if weight["kind"] == "real" {
            place.insert("capacity".into(), json!(self.choose.number(1, 100) as f64 / 8.0));
        }
        place.insert("weight".into(), weight);
    }

    // -------------------------------------------------------- transitions

    fn transition(&mut self, number: usize) -> Value {
        let mut kinds = Vec::new();
        let arcs = self.choose.number(1, 3);
        let inputs: Vec<Value> = (0..arcs).map(|arc| self.input(arc, &mut kinds)).collect();
        let bound = kinds.clone();
        let mut t = Map::new();
        let known = self.with_places(scope(&kinds));
        if self.choose.chance(2) {
            t.insert("inhibitors".into(), json!([self.inhibitor(&known)]));
        }
        if self.choose.chance(4) {
            t.insert("guard".into(), self.clocked(&known).truth(&mut self.choose, 2));
        }
        if self.choose.chance(3) {
            let key =
                if self.choose.chance(5) { known.real(&mut self.choose, 1) } else { known.whole(&mut self.choose, 1) };
            t.insert("prefer".into(), json!({"key": key, "most": self.choose.chance(5)}));
        }
        if self.choose.chance(4) {
            let kind = self.choose.one(&["int", "real"]);
            let mut drawing = self.clocked(&known);
            drawing.draws = true;
            let value =
                if kind == "int" { drawing.whole(&mut self.choose, 2) } else { drawing.real(&mut self.choose, 2) };
            t.insert("draws".into(), json!([{"variable": kinds.len(), "expression": value}]));
            kinds.push(kind);
        }
        let after = self.with_places(scope(&kinds));
        if self.choose.chance(7) {
            t.insert("time".into(), self.time(&after));
        }
        let outputs: Vec<Value> = (0..self.choose.number(0, 3)).map(|_| self.output(&bound, &after)).collect();
        if self.choose.chance(1) {
            let place = self.any_place();
            t.insert("resets".into(), json!([self.id(place)]));
        }
        let variables: Vec<Value> = kinds.iter().map(|kind| json!({"name": "v", "kind": kind})).collect();
        t.insert("name".into(), json!(format!("t{number}[{}]", self.copy)));
        t.insert("variables".into(), json!(variables));
        t.insert("inputs".into(), json!(inputs));
        t.insert("outputs".into(), json!(outputs));
        t.insert("priority".into(), json!(self.choose.one(&[0, 0, 0, 1, -2])));
        t.insert("weight".into(), json!(self.choose.one(&[1.0, 1.0, 2.0, 0.3])));
        self.variables.push(kinds);
        Value::Object(t)
    }

    fn clocked(&mut self, scope: &Scope) -> Scope {
        Scope { clock: self.choose.chance(3), ..scope.clone() }
    }

    fn input(&mut self, number: usize, kinds: &mut Vec<&'static str>) -> Value {
        let place = self.any_place();
        let slots = self.colours[place];
        let known = self.with_places(scope(kinds));
        let mut pattern = Vec::new();
        for (kind, _) in slots {
            let mut of_slot = Map::new();
            if self.choose.chance(3) {
                let equal =
                    if *kind == "int" { known.whole(&mut self.choose, 1) } else { known.real(&mut self.choose, 0) };
                of_slot.insert("equal".into(), equal);
            }
            if self.choose.chance(7) {
                of_slot.insert("bind".into(), json!(kinds.len()));
                kinds.push(kind);
            }
            pattern.push(Value::Object(of_slot));
        }
        let mut arc = json!({"place": self.id(place), "pattern": pattern, "keep": number > 0 && self.choose.chance(3)});
        if slots.is_empty() && self.choose.chance(3) {
            arc["count"] = self.count(&known);
        }
        arc
    }

    fn count(&mut self, known: &Scope) -> Value {
        if self.choose.chance(6) {
            return int(self.choose.one(&[1, 2, 0, 3, -1, i64::MAX]));
        }
        operation("mod", "int", vec![known.whole(&mut self.choose, 1), int(3)])
    }

    fn inhibitor(&mut self, known: &Scope) -> Value {
        let place = self.any_place();
        let pattern: Vec<Value> = self.colours[place]
            .iter()
            .map(|(kind, _)| match *kind {
                "int" if self.choose.chance(3) => json!({"equal": known.whole(&mut self.choose, 0)}),
                _ => json!({}),
            })
            .collect();
        let high = self.choose.number(1, 3) as i64;
        let threshold = if self.choose.chance(8) { int(high) } else { known.whole(&mut self.choose, 1) };
        json!({"place": self.id(place), "pattern": pattern, "threshold": threshold})
    }

    /// `bound`: the variables of input arcs. What a place with a capacity gets may depend on no others.
    fn output(&mut self, bound: &[&'static str], after: &Scope) -> Value {
        let place = self.any_place();
        let slots = self.colours[place];
        let plain = self.with_places(scope(bound));
        let alike: Vec<usize> = (0..self.colours.len()).filter(|&other| self.colours[other] == slots).collect();
        let several = alike.len() > 1 && self.choose.chance(3);
        let chosen = if several { alike } else { vec![place] };
        let places: Vec<usize> = chosen.iter().map(|&one| self.id(one)).collect();
        let values_of = if self.choose.chance(5) { self.clocked(after) } else { plain.clone() };
        let values: Vec<Value> = slots.iter().map(|&(kind, high)| self.within(&values_of, kind, high)).collect();
        let mut arc = json!({"places": places, "values": values});
        if several {
            let modulus = int(chosen.len() as i64);
            arc["index"] = operation("mod", "int", vec![plain.whole(&mut self.choose, 1), modulus]);
        }
        if self.choose.chance(2) {
            arc["count"] = self.count(&plain);
        }
        if self.choose.chance(1) {
            arc["condition"] = plain.truth(&mut self.choose, 1);
        }
        arc
    }

    /// A value for a slot, nearly always within its range.
    fn within(&mut self, scope: &Scope, kind: &str, high: Option<i64>) -> Value {
        let as_it_is = high.is_none() || self.choose.rare();
        match (kind, high) {
            ("int", Some(high)) if !as_it_is => {
                operation("mod", "int", vec![scope.whole(&mut self.choose, 1), int(high + 1)])
            }
            ("real", Some(high)) if !as_it_is => {
                let positive = operation("abs", "real", vec![scope.real(&mut self.choose, 1)]);
                operation("min", "real", vec![positive, real(high as f64)])
            }
            ("int", _) => scope.whole(&mut self.choose, 1),
            _ => scope.real(&mut self.choose, 1),
        }
    }

    /// In ticks: fractions of them, which the engine rounds, and numbers up to the horizon and beyond.
    fn time(&mut self, after: &Scope) -> Value {
        if self.choose.chance(4) {
            return real(self.choose.one(&[1.0, 2.0, 0.5, 0.0, 2.5, 0.01, 1e6, 2251799813685248.0, 7e15, -1.0]));
        }
        let drawing = Scope { draws: true, ..self.clocked(after) };
        let time = drawing.real(&mut self.choose, 2);
        let time = if self.choose.chance(7) { operation("abs", "real", vec![time]) } else { time };
        let factor = self.choose.one(&[1.0, 1.75, 1000.0, 1048576.0, 562949953421312.0]);
        json!({"op": "ticks", "kind": "real", "args": [time], "value": factor})
    }

    // -------------------------------------------------------- measures

    fn event(&mut self) -> (Value, Scope) {
        let place = self.any_place();
        let transition = self.choose.number(0, self.variables.len() - 1);
        let at_place = self.choose.chance(5);
        let known = if at_place {
            let kinds: Vec<&str> = self.colours[place].iter().map(|slot| slot.0).collect();
            scope(&kinds)
        } else {
            self.with_places(scope(&self.variables[transition]))
        };
        let key = if self.choose.chance(5) { vec![known.whole(&mut self.choose, 1)] } else { Vec::new() };
        let event = if at_place {
            json!({"place": self.id(place), "key": key})
        } else {
            json!({"transition": self.first_transition + transition, "key": key})
        };
        (event, known)
    }

    fn probe(&mut self) -> Value {
        let transition = self.choose.number(0, self.variables.len() - 1);
        let known = Scope { clock: true, ..self.with_places(scope(&self.variables[transition])) };
        let id = self.first_transition + transition;
        match self.choose.one(&["Counter", "Sample", "Passage", "Order"]) {
            "Counter" => json!({"is": "Counter", "transition": id, "quantity": known.real(&mut self.choose, 2)}),
            "Sample" => {
                let value = known.real(&mut self.choose, 2);
                json!({"is": "Sample", "transition": id, "value": value, "condition": known.truth(&mut self.choose, 1)})
            }
            "Passage" => json!({"is": "Passage", "start": self.event().0, "end": self.event().0}),
            _ => {
                let (event, known) = self.event();
                let number = operation("mod", "int", vec![known.whole(&mut self.choose, 1), int(64)]);
                json!({"is": "Order", "event": event, "sequence": number})
            }
        }
    }
}
