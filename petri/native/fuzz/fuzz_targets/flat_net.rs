//! A flat net of a few places runs interpreted and compiled. The first two bytes say how; its text, in JSON, follows.

#![no_main]

use libfuzzer_sys::{fuzz_crossover, fuzz_mutator, fuzz_target, fuzzer_mutate, Corpus};
use pnsim_fuzz::changes::changed;
use pnsim_fuzz::modes::{compare, Run};

/// Bytes before the text.
const HEAD: usize = 2;
/// Optimisations to do without, more often none.
const WITHOUT: [&str; 16] = [
    "",
    "joins",
    "",
    "preferences",
    "",
    "lanes",
    "",
    "shapes",
    "",
    "profile",
    "",
    "footprints",
    "",
    "inlining",
    "",
    "",
];

fuzz_target!(|bytes: &[u8]| -> Corpus {
    let [seed, firings, body @ ..] = bytes else { return Corpus::Reject };
    let without = WITHOUT[usize::from(seed >> 2 & 15)];
    let run = Run { seed: u64::from(seed % 4), firings: u64::from(firings % 60) + 1, levels: seed & 64 != 0, without };
    match std::str::from_utf8(body).map(|text| compare(text, run)) {
        Ok(Some(_)) => Corpus::Keep,
        // Nets that are refused would soon be most of the corpus.
        _ => Corpus::Reject,
    }
});

fuzz_mutator!(|bytes: &mut [u8], size: usize, room: usize, seed: u32| {
    if size < HEAD || seed % 8 == 0 {
        return fuzzer_mutate(bytes, size.min(HEAD), room.min(HEAD)).max(size);
    }
    let old = bytes[..size].to_vec();
    crossed(&old, &old, bytes, seed)
});

fuzz_crossover!(|one: &[u8], other: &[u8], out: &mut [u8], seed: u32| { crossed(one, other, out, seed) });

/// Writes one net, with changes by parts of another, and returns the length; 0 if there is no room, or no net.
fn crossed(one: &[u8], other: &[u8], out: &mut [u8], seed: u32) -> usize {
    let net = |bytes: &[u8]| serde_json::from_slice(bytes.get(HEAD..)?).ok();
    let (Some(mut changing), Some(giving)) = (net(one), net(other)) else { return 0 };
    changed(&mut changing, &giving, seed);
    let text = changing.to_string();
    let size = HEAD + text.len();
    let Some(written) = out.get_mut(..size) else { return 0 };
    written[..HEAD].copy_from_slice(&one[..HEAD]);
    written[HEAD..].copy_from_slice(text.as_bytes());
    size
}
