//! Prefetching memory.

/// Bytes of a line of the cache.
pub const LINE: usize = 64;
/// What begins at a line of the cache.
#[derive(Clone, Copy, Default)]
#[repr(C, align(64))]
pub struct CacheLine<T>(pub T);

/// Prefetches a record into the processor's cache, where that is supported. Any address is allowed.
#[inline(always)]
pub fn fetch<T>(record: *const T) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_mm_prefetch, _MM_HINT_T0};
        // SAFETY: prefetching an invalid address is harmless.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(record.cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = record;
}
