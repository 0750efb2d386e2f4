//! A flat net of a few places runs interpreted and compiled. With the environment variable PNSIM_FUZZ_SHOW, it is printed.

#![no_main]

use libfuzzer_sys::{fuzz_target, Corpus};
use pnsim_fuzz::modes::{compare, Run};
use pnsim_fuzz::nets::net;

/// Optimisations to do without, more often none.
const WITHOUT: [&str; 16] =
    ["", "joins", "", "preferences", "", "lanes", "", "shapes", "", "profile", "", "footprints", "", "inlining", "", ""];

fuzz_target!(|bytes: &[u8]| -> Corpus {
    let [seed, firings, body @ ..] = bytes else { return Corpus::Reject };
    let without = WITHOUT[usize::from(seed >> 2 & 15)];
    let run = Run { seed: u64::from(seed % 4), firings: u64::from(firings % 60) + 1, levels: seed & 64 != 0, without };
    let text = net(body).to_string();
    if std::env::var_os("PNSIM_FUZZ_SHOW").is_some() {
        println!("{run:?}\n{text}");
    }
    compare(&text, run);
    Corpus::Keep
});
