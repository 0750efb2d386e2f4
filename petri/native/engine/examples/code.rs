//! Prints the machine code of a transition of the flat net in a JSON file, which `pnsim flat NET` writes:
//!
//!     cargo run --release --example code -- NET.json TRANSITION [--asm]
//!
//! `jit/listing.rs` says how to read it. The engine has not run yet, so the code is that of a net whose profile is not known.

use std::process::ExitCode;
use std::sync::Arc;

use engine::base::ids::TransitionId;
use engine::engine::limits::{Compile, Limits};
use engine::observe::observers::ExtraObservers;
use engine::session::compiled::Compiled;
use engine::session::replication::Replication;

fn main() -> ExitCode {
    match print() {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("{problem}");
            ExitCode::FAILURE
        }
    }
}

fn print() -> Result<(), String> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (file, name, assembly) = match &arguments[..] {
        [file, name] => (file, name, false),
        [file, name, option] if option == "--asm" => (file, name, true),
        _ => return Err("use: code NET.json TRANSITION [--asm]".to_owned()),
    };
    let text = std::fs::read_to_string(file).map_err(|error| format!("{file}: {error}"))?;
    let compiled = Compiled::from_json(&text).map_err(|error| format!("{file}: {error}"))?;
    let names: Vec<&str> = compiled.program.transitions.iter().map(|plan| &plan.name[..]).collect();
    let Some(number) = names.iter().position(|other| other == name) else {
        return Err(format!("there is no transition `{name}`; there are {}", names.join(", ")));
    };
    let limits = Limits { firings_at_an_instant: 1 << 40, tokens: 1 << 40, compile: Compile::After(0) };
    let session = Replication::new(Arc::new(compiled), [1, 2, 3], limits, ExtraObservers::default(), Arc::default());
    let session = session.map_err(|_| "the initial marking raises a fault".to_owned())?;
    let listings = session.listings(TransitionId(number as u32)).ok_or("this machine has no machine code")?;
    for listing in listings {
        let text = if assembly { listing.assembly } else { listing.code };
        println!("; {} {name}: {} bytes\n{text}", listing.name, listing.counts.bytes);
    }
    Ok(())
}
