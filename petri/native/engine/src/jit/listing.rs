//! The machine code of a transition, for people to read: Cranelift's intermediate representation, and assembly.
//!
//! It is the code that all transitions of a shape share, with every hole read. In the intermediate representation,
//! constants and holes are shown where they are used, and memory has names: `engine.now`, `place(p).tokens`,
//! `transition(v7).unmet`, `hole(bit of t)`. So it has no addresses, and is the same on every machine.

use std::collections::{HashMap, HashSet};
use std::mem::offset_of;
use std::ptr::from_ref;

use crate::base::ids::TransitionId;
use crate::base::random::ziggurat;
use crate::engine::run::Engine;
use crate::jit::blueprint::names::{Names, TransitionRef};
use crate::jit::blueprint::planner::Planner;
use crate::jit::emit::join::{AROUND, ONLY, WITHOUT};
use crate::jit::holes::Hole;
use crate::jit::layout::EngineLayout;
use crate::jit::runtime::{Rare, Runtime};
use crate::jit::shapes::Piece;
use crate::jit::unit::{on_large_stack, Generator, Request};
use crate::program::Program;
use crate::state::counters::{PlaceCounters, TransitionCounters};
use crate::state::lane::Lane;

/// One function of a transition.
pub struct Listing {
    /// "look", "start" or "finish".
    pub name: &'static str,
    pub code: String,
    pub assembly: String,
}

/// What looks at a transition, starts a firing of it, and ends one. None where there is no code for this machine,
/// or for engines with such observers.
pub fn listings(engine: &Engine, id: TransitionId) -> Option<Vec<Listing>> {
    if !engine.observers.compile() {
        return None;
    }
    let request = Request::of(engine, HashSet::new());
    on_large_stack(|| {
        let program = &*request.program;
        let mut generator = Generator::new(&request)?;
        let layout = request.layout();
        let (blueprint, names) = Planner::transition(program, Some(&request.profile), id);
        let list = |&piece: &Piece| {
            let (text, holes) = generator.text(&blueprint, piece);
            let code = Reader::new(program, &layout, generator.runtime(), &names, holes).read(&text);
            Some(Listing { name: piece.name(), code, assembly: generator.assembly(&blueprint, piece)? })
        };
        Piece::all_of(&blueprint).iter().map(list).collect()
    })
}

/// Names that a derived `Debug` gives to numbers: "now: 8" and the like, those of fields within fields as well.
fn named(debug: &str) -> impl Iterator<Item = (&str, i64)> {
    debug.split([',', '{', '}']).filter_map(|field| {
        let (name, number) = field.split_once(':')?;
        Some((name.trim(), number.trim().parse().ok()?))
    })
}

/// The tables that code finds by address.
fn tables() -> [(&'static str, usize); 4] {
    [
        ("ziggurat", ziggurat().layers.as_ptr() as usize),
        ("without", from_ref(&WITHOUT) as usize),
        ("around", from_ref(&AROUND) as usize),
        ("only", from_ref(&ONLY) as usize),
    ]
}

macro_rules! fields {
    ($of:ty: $($($field:ident).+),*) => { vec![$((offset_of!($of, $($field).+), stringify!($($field).+))),*] };
}

/// The fields of what machine code knows by its owner, by their offsets.
fn fields_of(owner: &str) -> Vec<(usize, &'static str)> {
    match owner {
        "place" => fields!(PlaceCounters: tokens, sums.integral, sums.above_zero, maximum, arrivals, reserved, ring),
        "transition" => fields!(
            TransitionCounters: in_progress, sums.integral, sums.above_zero, firings, found, unmet, level, position
        ),
        "lane" => fields!(Lane: ring, mask, head, firings),
        _ => Vec::new(),
    }
}

/// Reads the text of a function as Cranelift prints it, and rewrites it with names.
struct Reader<'a> {
    program: &'a Program,
    names: &'a Names,
    row: Vec<Hole>,
    /// The functions of the runtime and the tables that never change, by address.
    addresses: HashMap<i64, String>,
    /// Where the engine has its tables, forth and back.
    arena: HashMap<i64, String>,
    /// The fields of the engine.
    engine: HashMap<i64, String>,
    /// The owner of each region.
    regions: HashMap<String, String>,
    /// Values that are constants.
    constants: HashMap<String, String>,
}

impl<'a> Reader<'a> {
    fn new(program: &'a Program, layout: &EngineLayout, runtime: &Runtime, names: &'a Names, row: Vec<Hole>) -> Self {
        let mut arena = HashMap::new();
        for (name, offset) in named(&format!("{:?}", layout.arena)) {
            arena.entry(offset).or_insert(format!("arena.{name}"));
            arena.entry(-offset).or_insert(format!("-arena.{name}"));
        }
        let runtime = format!("{runtime:?}");
        let runtime = named(&runtime).map(|(name, address)| (address, format!("runtime.{name}")));
        let tables = tables().map(|(name, address)| (address as i64, name.to_owned()));
        let addresses = runtime.chain(tables).collect();
        let engine = named(&format!("{layout:?}")).map(|(name, offset)| (offset, format!("engine.{name}"))).collect();
        Reader { program, names, row, addresses, arena, engine, regions: HashMap::new(), constants: HashMap::new() }
    }

    fn read(mut self, text: &str) -> String {
        let mut code = String::new();
        for line in text.lines() {
            let line = line.split("  ;").next().unwrap_or(line);
            if !self.declares(line) {
                code += &self.told(line);
                code.push('\n');
            }
        }
        code.trim_end().to_owned() + "\n"
    }

    /// Whether a line only says what later ones name.
    fn declares(&mut self, line: &str) -> bool {
        if line.starts_with("function") || line == "}" {
            return true;
        }
        if let Some((name, other)) = line.trim_start().split_once(" -> ") {
            let other = self.constants.get(other).cloned().unwrap_or_else(|| other.to_owned());
            self.constants.insert(name.to_owned(), other);
            return true;
        }
        let Some((name, rest)) = line.trim_start().split_once(" = ") else { return false };
        if name.starts_with("region") {
            let owner = rest.split('"').nth(1).unwrap_or_default();
            self.regions.insert(name.to_owned(), owner.to_owned());
            return true;
        }
        let (operation, constant) = rest.split_once(' ').unwrap_or((rest, ""));
        if operation.starts_with("iconst") || operation.starts_with("f64const") {
            let value = number(constant).and_then(|number| self.addresses.get(&number).cloned());
            self.constants.insert(name.to_owned(), value.unwrap_or_else(|| constant.to_owned()));
            return true;
        }
        if let Some(value) = self.place_of(operation, constant) {
            self.constants.insert(name.to_owned(), value);
            return true;
        }
        name.starts_with("sig") || name.starts_with("fn")
    }

    /// The name of a hole, and of what begins at the distance from the engine that a hole or a constant gives.
    fn place_of(&self, operation: &str, operands: &str) -> Option<String> {
        if let Some(address) = operands.strip_prefix("notrap readonly can_move v1") {
            let offset = if address.is_empty() { 0 } else { number(address.strip_prefix('+')?)? };
            return self.hole(offset as usize, operation.contains("f64"));
        }
        let distance = self.constants.get(operands.strip_prefix("v0, ")?).filter(|_| operation == "iadd.i64")?;
        if let Some(name) = number(distance).and_then(|number| self.arena.get(&number)) {
            return name.strip_prefix("arena.").map(str::to_owned);
        }
        let hole = distance.strip_prefix("hole(")?.strip_suffix(')')?;
        hole.split_once(' ').map(|(_, name)| name.trim_start_matches("of ").to_owned())
    }

    fn told(&self, line: &str) -> String {
        let operation = line.split(" = ").last().unwrap_or(line).trim_start();
        let reaches = ["load", "store", "uload", "sload", "istore"].iter().any(|name| operation.starts_with(name));
        let line = match line.rsplit_once(' ').filter(|_| reaches) {
            Some((rest, address)) => self.memory(rest, address),
            None => line.to_owned(),
        };
        self.values(&line, operation.starts_with("iadd"))
    }

    /// An instruction that reads or writes at an address.
    fn memory(&self, rest: &str, address: &str) -> String {
        let flags = ["notrap", "aligned", "readonly", "can_move"];
        let indent = &rest[..rest.len() - rest.trim_start().len()];
        let mut region = None;
        let kept = rest.split_whitespace().filter(|word| {
            region = region.or(self.regions.get(*word));
            !flags.contains(word) && !self.regions.contains_key(*word)
        });
        let kept: Vec<&str> = kept.collect();
        let (base, offset) = address.split_once('+').unwrap_or((address, "0"));
        let offset = number(offset).unwrap_or(0);
        let told = match (base, region) {
            // A random stream has four words.
            ("v0", _) => (0..4).find_map(|word| {
                let name = self.engine.get(&(offset - 8 * word))?;
                Some(if word == 0 { name.clone() } else { format!("{name}+{}", 8 * word) })
            }),
            (_, Some(owner)) => {
                let field = fields_of(owner).into_iter().rfind(|field| field.0 <= offset as usize);
                let rest = |from: usize| {
                    if from == offset as usize {
                        String::new()
                    } else {
                        format!("+{}", offset as usize - from)
                    }
                };
                Some(match field {
                    Some((from, name)) => format!("{owner}({base}).{name}{}", rest(from)),
                    None => format!("{owner}({base}){}", rest(0)),
                })
            }
            _ => None,
        };
        format!("{indent}{} {}", kept.join(" "), told.unwrap_or_else(|| address.to_owned()))
    }

    /// The hole that begins `offset` bytes from the start of the row.
    fn hole(&self, offset: usize, real: bool) -> Option<String> {
        let mut start = 0;
        let hole = self.row.iter().find(|hole| {
            let here = start == offset;
            start += size_of::<u32>() * hole.cells();
            here
        })?;
        let transition =
            |of: TransitionRef| &self.program.transitions[self.program.owner(self.names.transition(of))].name;
        let name = match *hole {
            Hole::Place(id) => format!("place {}", self.program.places[self.names.place(id)].name),
            Hole::Transition(id) => format!("transition {}", transition(id)),
            Hole::Join(id) | Hole::JoinNumber(id) => format!("join j{}", self.names.join(id).0),
            Hole::Index(id) | Hole::IndexNumber(id) => format!("index i{}", self.names.index(id).0),
            Hole::Lane(id) => format!("lane of {}", transition(id)),
            Hole::Ending(id) => format!("ending of {}", transition(id)),
            Hole::HashPart(id) => format!("hash of {}", transition(id)),
            Hole::Position(id) => format!("position of {}", transition(id)),
            Hole::Offset(offset) => format!("offset {offset}"),
            Hole::Constant(bits) if real => format!("{:?}", f64::from_bits(self.names.word(bits))),
            Hole::Constant(bits) => format!("{}", self.names.word(bits) as i64),
            Hole::Word(_) | Hole::Address(_) => "word".to_owned(),
            Hole::Function(_) => "expression".to_owned(),
            Hole::Row(_) => "row of expression".to_owned(),
        };
        Some(format!("hole({name})"))
    }

    /// Constants for the values that are, and the names of functions. A sum may be with where a table begins.
    fn values(&self, line: &str, sum: bool) -> String {
        let mut told = String::new();
        let mut rest = line;
        while !rest.is_empty() {
            let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
            let len = rest.find(|c| !is_name(c)).unwrap_or(rest.len()).max(1);
            let word = &rest[..len];
            let rare = word.strip_prefix("fn").and_then(|number| number.parse::<usize>().ok());
            match (self.constants.get(word), rare.and_then(|number| Rare::NAMED.get(number))) {
                (Some(constant), _) => {
                    let table = number(constant).filter(|_| sum).and_then(|number| self.arena.get(&number));
                    told += table.unwrap_or(constant);
                }
                (None, Some(rare)) => told += &format!("{rare:?}"),
                (None, None) if word.starts_with("sig") && rest[len..].starts_with(", ") => {
                    rest = &rest[len + 2..];
                    continue;
                }
                (None, None) => told += word,
            }
            rest = &rest[len..];
        }
        told
    }
}

/// A number as Cranelift prints it: "-1", "0x7f12_3456".
fn number(text: &str) -> Option<i64> {
    let text = text.replace('_', "");
    match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok().map(|number| number as i64),
        None => text.parse().ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_that_are_called_rarely_have_their_own_names() {
        assert!(Rare::NAMED.iter().enumerate().all(|(number, &rare)| rare as usize == number));
    }

    #[test]
    fn numbers_are_read_as_they_are_printed() {
        assert_eq!([number("-12"), number("0x7f12_3456"), number("v7")], [Some(-12), Some(0x7f12_3456), None]);
        assert_eq!(number("0xffff_ffff_ffff_ffff"), Some(-1));
        let told: Vec<_> = named("Runtime { look: 3, arena: Arena { size: 64 }, levels: None }").collect();
        assert_eq!(told, [("look", 3), ("size", 64)]);
    }
}
