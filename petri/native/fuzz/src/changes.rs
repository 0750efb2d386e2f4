//! Flat nets with random changes, as in `tests/engine/mutated.py`: libFuzzer alone would only spoil the text.

use engine::net::Op;
use serde_json::{json, Map, Value};

/// What an engine reads of a net.
const READ: [&str; 4] = ["places", "transitions", "probes", "tables"];
const DISCIPLINES: [&str; 4] = ["bag", "fifo", "lifo", "key"];
const KINDS: [&str; 3] = ["int", "real", "bool"];
const WHOLE: [i64; 14] = [-1, 0, 1, 2, 3, 4, 7, 60, 1000, (1 << 31) - 1, 1 << 31, 1 << 53, 1 << 62, i64::MAX];
const REAL: [f64; 14] = [-1.0, 0.0, -0.0, 0.25, 0.5, 1.0, 1.5, 15.9, 40.0, 1e-320, 1e-17, 1e9, 7e15, 1e300];

/// A net, changed in some places by what stands elsewhere in it or in another.
pub fn changed(net: &mut Value, other: &Value, seed: u32) {
    let mut random = Random(u64::from(seed));
    for _ in 0..=random.below(3) {
        let (parts, others) = (parts_of(net), parts_of(other));
        if !parts.is_empty() && !others.is_empty() {
            change(net, &parts[random.below(parts.len())], other, &others, &mut random);
        }
    }
}

/// Where a part of a net is: in what, and under which name or number. `role` is the last name on the way.
struct Part {
    parent: String,
    key: String,
    role: String,
}

impl Part {
    fn of<'a>(&self, net: &'a Value) -> &'a Value {
        net.pointer(&format!("{}/{}", self.parent, self.key)).unwrap_or(&Value::Null)
    }
}

fn parts_of(net: &Value) -> Vec<Part> {
    let mut found = Vec::new();
    READ.iter().for_each(|name| collect(&net[*name], &format!("/{name}"), name, &mut found));
    found
}

fn collect(value: &Value, path: &str, role: &str, found: &mut Vec<Part>) {
    let mut add = |key: String, role: &str, part: &Value| {
        collect(part, &format!("{path}/{key}"), role, found);
        found.push(Part { parent: path.to_owned(), key, role: role.to_owned() });
    };
    match value {
        Value::Object(fields) => fields.iter().for_each(|(name, part)| add(name.clone(), name, part)),
        Value::Array(items) => items.iter().enumerate().for_each(|(at, part)| add(at.to_string(), role, part)),
        _ => (),
    }
}

fn change(net: &mut Value, part: &Part, other: &Value, others: &[Part], random: &mut Random) {
    let old = part.of(net).clone();
    let alike: Vec<&Value> = others.iter().filter(|one| one.role == part.role).map(|one| one.of(other)).collect();
    let donor = if alike.is_empty() { &old } else { alike[random.below(alike.len())] };
    let new = match (random.below(4), &old, donor) {
        (0, Value::Object(fields), Value::Object(given)) => Value::Object(with_one_of(fields, given, random)),
        (0 | 1, Value::Number(number), _) => other_number(number.is_f64(), random),
        (0 | 1, Value::String(_), _) => word(&part.role, random).unwrap_or(old),
        (0, Value::Bool(truth), _) => json!(!truth),
        (0, Value::Array(_), _) if part.role == "per" => json!([random.below(3)]),
        _ => donor.clone(),
    };
    let at = part.key.parse().unwrap_or(0);
    match net.pointer_mut(&part.parent) {
        Some(Value::Array(items)) => match random.below(6) {
            0 => _ = items.remove(at),
            1 => items.insert(at, new),
            _ => items[at] = new,
        },
        Some(Value::Object(fields)) if random.below(10) == 0 => _ = fields.remove(&part.key),
        Some(Value::Object(fields)) => _ = fields.insert(part.key.clone(), new),
        _ => (),
    }
}

/// A place or transition, say, that has one thing as another has it.
fn with_one_of(fields: &Map<String, Value>, given: &Map<String, Value>, random: &mut Random) -> Map<String, Value> {
    let mut fields = fields.clone();
    let one = given.iter().nth(random.below(given.len().max(1)));
    fields.extend(one.map(|(name, value)| (name.clone(), value.clone())));
    fields
}

fn other_number(real: bool, random: &mut Random) -> Value {
    if real {
        json!(random.one(&REAL))
    } else {
        json!(random.one(&WHOLE))
    }
}

fn word(role: &str, random: &mut Random) -> Option<Value> {
    match role {
        "op" => Some(json!(random.one(Op::ALL).name())),
        "kind" => Some(json!(random.one(&KINDS))),
        "discipline" => Some(json!(random.one(&DISCIPLINES))),
        _ => None,
    }
}

/// SplitMix64.
struct Random(u64);

impl Random {
    fn below(&mut self, number: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((mixed ^ (mixed >> 31)) % number as u64) as usize
    }

    fn one<T: Copy>(&mut self, options: &[T]) -> T {
        options[self.below(options.len())]
    }
}
