//! Whether a core of the machine is free: threads that run engines take one each, and other programs take some.

use std::sync::atomic::{AtomicU8, AtomicUsize, Ordering::Relaxed};
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

/// For tests: what is answered about the cores, whatever the machine does: 1 more than the answer, or 0 to look.
static ASSUMED: AtomicU8 = AtomicU8::new(0);

/// For tests: whether a core is free from now on, or None to look at the machine.
pub fn assume_free_core(free: Option<bool>) {
    ASSUMED.store(free.map_or(0, |free| 1 + u8::from(free)), Relaxed);
}

/// Whether there are more cores for this process than threads that run engines, and than threads that run at all, where the system
/// tells. Takes some microseconds.
pub fn has_free_core() -> bool {
    static CORES: OnceLock<usize> = OnceLock::new();
    if let assumed @ 1.. = ASSUMED.load(Relaxed) {
        return assumed == 2;
    }
    let cores = *CORES.get_or_init(|| available_parallelism().map_or(1, usize::from));
    cores > BUSY.load(Relaxed) && running().is_none_or(|threads| cores > threads)
}

/// The threads of all programs that run now, this one among them: the fourth field is "2/315", of all that there are.
fn running() -> Option<usize> {
    let told = std::fs::read_to_string("/proc/loadavg").ok()?;
    told.split(' ').nth(3)?.split_once('/')?.0.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_thread_runs() {
        assert!(running().is_none_or(|threads| threads >= 1));
    }
}
