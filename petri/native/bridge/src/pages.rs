//! Puts large blocks of memory in huge pages, gives those of large nets back as soon as they are free, and reports why the process
//! ends when memory runs out.
//!
//! A firing in a large net touches memory here and there. With pages of 4 KiB nearly each touch also misses the
//! processor's table of pages; Linux gives larger pages to those who ask for them.

use std::alloc::{GlobalAlloc, Layout, System};

/// The size of a huge page on most processors. Where it is another, nothing is gained or lost.
const HUGE: usize = 2 << 20;
/// Blocks from this size on begin on such a page.
const LARGE: usize = 2 * HUGE;

/// Blocks from this size on are apart from all others in the process of a large net: that from which the C library begins.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const APART: libc::c_int = 128 << 10;

/// From now on, the system gets the memory of a block of 128 KiB or more back as soon as it is free, and all threads share the rest.
///
/// By itself the C library gives blocks back only until the first one is free: larger and larger blocks are then among the small ones,
/// and what they leave stays with the process. That saves the time to get memory again. But a large net is compiled, and its code
/// made, in blocks that are soon free, and the run would go on with them. And each thread has memory of its own, so that what the net
/// leaves when it is compiled could not become code on another thread.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub fn spare_memory() {
    // SAFETY: these are numbers that the allocator reads.
    unsafe {
        libc::mallopt(libc::M_MMAP_THRESHOLD, APART);
        libc::mallopt(libc::M_ARENA_MAX, 1);
    }
}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub fn spare_memory() {}

pub struct Pages;

/// `petri/wording/command.txt` has the same sentence for what Python cannot have.
const NO_MEMORY: &[u8] = b"error[out-of-memory]: there is not enough memory for this run\n";
/// The exit status of a run that stopped (`cli/terminal/exits.py`).
const STOPPED: i32 = 3;

/// A block, if the system had one. Rust can only end the process where memory is over; this says why, and in which words.
fn granted(block: *mut u8) -> *mut u8 {
    if block.is_null() {
        // SAFETY: the bytes are there; the process ends without running anything else.
        unsafe {
            libc::write(libc::STDERR_FILENO, NO_MEMORY.as_ptr().cast(), NO_MEMORY.len());
            libc::_exit(STOPPED);
        }
    }
    block
}

/// How to request a block of this layout from the system.
fn placed(layout: Layout) -> Layout {
    match layout.align_to(HUGE) {
        Ok(aligned) if layout.size() >= LARGE => aligned,
        _ => layout,
    }
}

#[cfg(target_os = "linux")]
fn ask_for_huge_pages(block: *mut u8, size: usize) {
    if size >= LARGE {
        // SAFETY: the block is of this size. A refusal changes nothing.
        unsafe { libc::madvise(block.cast(), size, libc::MADV_HUGEPAGE) };
    }
}

#[cfg(not(target_os = "linux"))]
fn ask_for_huge_pages(_: *mut u8, _: usize) {}

// SAFETY: blocks come from the system and go back to it by the same layout.
unsafe impl GlobalAlloc for Pages {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller guarantees it.
        let block = granted(unsafe { System.alloc(placed(layout)) });
        ask_for_huge_pages(block, layout.size());
        block
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: the caller guarantees it.
        unsafe { System.dealloc(block, placed(layout)) };
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller guarantees it, and that the new size is valid.
        unsafe {
            let new = Layout::from_size_align_unchecked(size, layout.align());
            if layout.size().max(size) < LARGE {
                return granted(System.realloc(block, layout, size));
            }
            let moved = self.alloc(new);
            moved.copy_from_nonoverlapping(block, layout.size().min(size));
            self.dealloc(block, layout);
            moved
        }
    }
}
