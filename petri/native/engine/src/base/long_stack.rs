//! Work that recurses deeply: reading, compiling and dropping expressions.

/// Address space only: memory is taken as it is used.
const STACK: usize = 256 << 20;

/// Runs a function on a stack of its own. Fails where the system has no room for another thread.
pub fn on_long_stack<T: Send>(work: impl FnOnce() -> T + Send) -> std::io::Result<T> {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work)?;
        thread.join().map_err(|panic| std::panic::resume_unwind(panic))
    })
}
