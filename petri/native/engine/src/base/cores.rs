//! Whether a core of the machine is free, as far as this process knows: threads that run engines take one each.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::OnceLock;
use std::thread::available_parallelism;

/// Threads that have run an engine, and have not ended.
static BUSY: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    static THIS: Busy = Busy::new();
}

struct Busy;

impl Busy {
    fn new() -> Self {
        BUSY.fetch_add(1, Relaxed);
        Busy
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        BUSY.fetch_sub(1, Relaxed);
    }
}

/// This thread runs an engine, now or again.
#[inline(always)]
pub fn takes_a_core() {
    // A thread that is about to end does not count any more.
    let _ = THIS.try_with(|_| ());
}

/// Whether there are more cores than threads that run engines.
pub fn has_free_core() -> bool {
    static CORES: OnceLock<usize> = OnceLock::new();
    *CORES.get_or_init(|| available_parallelism().map_or(1, usize::from)) > BUSY.load(Relaxed)
}
