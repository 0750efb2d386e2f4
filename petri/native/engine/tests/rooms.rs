//! Reads the imports of this crate, and holds them against the rooms that `lib.rs` shows: arrows lead one way, and no file
//! imports another in a circle.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The rooms, and which others each may import.
const ROOMS: [(&str, &[&str]); 10] = [
    ("base", &[]),
    ("net", &["base"]),
    ("collections", &["base"]),
    ("program", &["base", "net", "collections"]),
    ("state", &["base", "net", "collections", "program"]),
    ("observe", &["base", "net", "collections", "program", "state"]),
    ("engine", &["base", "net", "collections", "program", "state", "observe"]),
    ("exact", &["base", "net", "collections", "program", "state", "observe", "engine"]),
    ("jit", &["base", "net", "collections", "program", "state", "observe", "engine"]),
    ("session", &["base", "net", "collections", "program", "state", "observe", "engine", "jit"]),
];

/// A part of a room that must not know what its room may: emission reads blueprints, and no program. What it read past them
/// would be no part of the key by which code is shared.
const KEPT_FROM: [(&str, &[&str]); 1] = [("jit::emit", &["program", "net"])];

/// Crates that only one room may import.
const FOREIGN: [(&str, &str); 1] = [("cranelift", "jit")];

/// The text of each module that has a file: `state::join`, or `state` for `state/mod.rs`.
type Sources = BTreeMap<String, String>;

// ------------------------------------------------------------ reading

fn sources() -> Sources {
    let mut found = Sources::new();
    read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), "", &mut found);
    found.remove("lib");
    found
}

fn read(folder: &Path, module: &str, found: &mut Sources) {
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        let stem = path.file_stem().and_then(|stem| stem.to_str()).expect("a name").to_owned();
        let inner = if module.is_empty() { stem.clone() } else { format!("{module}::{stem}") };
        if path.is_dir() {
            read(&path, &inner, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let name = if stem == "mod" { module.to_owned() } else { inner };
            found.insert(name, std::fs::read_to_string(&path).expect("a file"));
        }
    }
}

/// A file without comments: its code, and its tests.
fn parts(source: &str) -> (String, String) {
    let code: String = source.lines().map(|line| line.split("//").next().unwrap_or("").to_owned() + "\n").collect();
    let starts = ["", "pub(crate) ", "pub(super) "].map(|seen| format!("#[cfg(test)]\n{seen}mod tests {{"));
    match starts.iter().find_map(|start| code.split_once(start)) {
        Some((code, tests)) => (code.to_owned(), tests.to_owned()),
        None => (code, String::new()),
    }
}

/// Names, `::`, and single other characters.
fn tokens(code: &str) -> Vec<&str> {
    let (mut tokens, mut rest) = (Vec::new(), code.trim_start());
    while let Some(first) = rest.chars().next() {
        let is_name = |c: char| c.is_alphanumeric() || c == '_';
        let len = match first {
            c if is_name(c) => rest.find(|c| !is_name(c)).unwrap_or(rest.len()),
            _ if rest.starts_with("::") => 2,
            c => c.len_utf8(),
        };
        tokens.push(&rest[..len]);
        rest = rest[len..].trim_start();
    }
    tokens
}

/// The paths that begin at a token, with all branches of braces. Returns the number of tokens read, too.
fn branches(tokens: &[&str], prefix: &[String], paths: &mut Vec<Vec<String>>) -> usize {
    let mut path = prefix.to_vec();
    path.push(tokens[0].to_owned());
    let mut at = 1;
    while at + 1 < tokens.len() && tokens[at] == "::" {
        match tokens[at + 1] {
            "{" => {
                at += 2;
                while at < tokens.len() && tokens[at] != "}" {
                    at += if tokens[at] == "," { 1 } else { branches(&tokens[at..], &path, paths) };
                }
                return at + 1;
            }
            name if name.starts_with(|c: char| c.is_alphabetic() || c == '_') => path.push(name.to_owned()),
            _ => break,
        }
        at += 2;
    }
    if tokens.get(at) == Some(&"as") {
        at += 2;
    }
    paths.push(path);
    at
}

/// The modules of this crate that code names. `module` is where the code stands.
fn named(code: &str, module: &[&str], sources: &Sources) -> BTreeSet<String> {
    let tokens = tokens(code);
    let child = |name: &str| sources.contains_key(&[module, &[name]].concat().join("::"));
    let (mut paths, mut at) = (Vec::new(), 0);
    while at < tokens.len() {
        let begins = (at == 0 || tokens[at - 1] != "::") && tokens.get(at + 1) == Some(&"::");
        let own = matches!(tokens[at], "crate" | "self" | "super") || child(tokens[at]);
        at += if begins && own { branches(&tokens[at..], &[], &mut paths) } else { 1 };
    }
    paths.iter().filter_map(|path| resolve(path, module, sources)).collect()
}

/// The module with a file that a path leads into.
fn resolve(path: &[String], module: &[&str], sources: &Sources) -> Option<String> {
    let mut from: Vec<&str> = if path[0] == "crate" { Vec::new() } else { module.to_vec() };
    for name in path {
        match &name[..] {
            "crate" | "self" => {}
            "super" => drop(from.pop()),
            name => from.push(name),
        }
    }
    (1..=from.len()).rev().map(|len| from[..len].join("::")).find(|name| sources.contains_key(name))
}

// ------------------------------------------------------------ rules

fn room(module: &str) -> &str {
    module.split("::").next().unwrap_or(module)
}

/// Imports that lead backward, and foreign crates in the wrong room.
fn backward(sources: &Sources) -> Vec<String> {
    let mut wrong = Vec::new();
    for (name, source) in sources {
        let Some((_, allowed)) = ROOMS.iter().find(|(of, _)| *of == room(name)) else {
            wrong.push(format!("{name} is in no room"));
            continue;
        };
        let module: Vec<&str> = name.split("::").collect();
        let (code, tests) = parts(source);
        let in_tests = named(&tests, &[&module[..], &["tests"]].concat(), sources);
        for other in named(&code, &module, sources).union(&in_tests) {
            let is_kept = |(part, from): &(&str, &[&str])| name.starts_with(part) && from.contains(&room(other));
            if (room(other) != room(name) && !allowed.contains(&room(other))) || KEPT_FROM.iter().any(is_kept) {
                wrong.push(format!("{name} imports {other}"));
            }
        }
        for (foreign, home) in FOREIGN {
            if code.contains(foreign) && room(name) != home {
                wrong.push(format!("{name} imports {foreign}"));
            }
        }
    }
    wrong
}

/// A circle of files, outside their tests.
fn circle(sources: &Sources) -> Option<Vec<String>> {
    let imports = |(name, source): (&String, &String)| {
        let module: Vec<&str> = name.split("::").collect();
        let mut others = named(&parts(source).0, &module, sources);
        others.remove(name);
        (name.clone(), others)
    };
    let mut left: BTreeMap<String, BTreeSet<String>> = sources.iter().map(imports).collect();
    // Whoever imports nobody that is left is in no circle.
    while let Some(name) = left.iter().find(|(_, others)| !others.iter().any(|o| left.contains_key(o))) {
        let name = name.0.clone();
        left.remove(&name);
    }
    let mut way = vec![left.keys().next()?.clone()];
    loop {
        let next = left[&way[way.len() - 1]].iter().find(|other| left.contains_key(*other))?.clone();
        if let Some(start) = way.iter().position(|name| *name == next) {
            way.push(next);
            return Some(way.split_off(start));
        }
        way.push(next);
    }
}

#[test]
fn imports_lead_one_way() {
    assert_eq!(backward(&sources()), Vec::<String>::new());
}

#[test]
fn no_files_import_each_other_in_a_circle() {
    assert_eq!(circle(&sources()), None);
}

#[test]
fn a_room_lists_its_files() {
    for (name, source) in sources() {
        let files: BTreeSet<&str> =
            source.lines().filter_map(|line| line.strip_prefix("pub mod ")?.strip_suffix(";")).collect();
        if files.is_empty() || name == "observe::reorder" {
            continue;
        }
        for file in files {
            assert!(source.contains(&format!("//! - [`{file}`]: ")), "{name}/mod.rs does not say what {file} is");
        }
    }
}

// ------------------------------------------------------------ the rules see what they should

fn made_up(files: &[(&str, &str)]) -> Sources {
    files.iter().map(|(name, source)| ((*name).to_owned(), (*source).to_owned())).collect()
}

#[test]
fn an_import_that_leads_backward_is_found() {
    let ways = [
        "use crate::jit::unit::Code;",
        "use crate::{base::ids, jit::{unit::Code, cache}};",
        "use crate::base::ids as numbers;\nfn f() { crate::jit::unit::f::<u8>() }",
        "use super::super::jit::unit;",
        "fn f() {}\n#[cfg(test)]\nmod tests {\n    use super::super::super::jit::unit;\n}",
        "pub(in crate::jit::unit) fn f() {}",
    ];
    for way in ways {
        let files = made_up(&[("base::ids", ""), ("engine::run", way), ("jit::unit", ""), ("jit::cache", "")]);
        assert!(backward(&files).contains(&"engine::run imports jit::unit".to_owned()), "{way}");
    }
    let forward = "// crate::jit\nuse crate::base::ids;\n#[cfg(test)]\nmod tests {\n    use super::*;\n}";
    let files = made_up(&[("base::ids", ""), ("engine::run", forward), ("jit::unit", "use crate::engine::run::f;")]);
    assert_eq!(backward(&files), Vec::<String>::new());
    let emission = made_up(&[("jit::emit::place", "use crate::program::Program;"), ("program", ""), ("jit", "")]);
    assert_eq!(backward(&emission), ["jit::emit::place imports program"]);
    let foreign = made_up(&[("engine::run", "use cranelift_codegen::ir;"), ("attic", "")]);
    assert_eq!(backward(&foreign), ["attic is in no room", "engine::run imports cranelift"]);
}

#[test]
fn a_circle_is_found() {
    let files = |last| {
        made_up(&[("a", "pub mod x;"), ("a::x", "use crate::a::y::f;"), ("a::y", "use super::z;"), ("a::z", last)])
    };
    assert_eq!(circle(&files("fn f() {}\n#[cfg(test)]\nmod tests {\n    use crate::a::x;\n}")), None);
    assert_eq!(circle(&files("fn f() { crate::a::x::f() }")).expect("a circle").len(), 4);
    // A module and its own child.
    assert!(circle(&made_up(&[("a", "mod x;\nuse x::f;"), ("a::x", "use super::g;")])).is_some());
}
