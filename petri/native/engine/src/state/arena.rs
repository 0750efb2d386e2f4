//! One block of memory for an engine and for those of its tables that machine code goes through.
//!
//! **Problem.** A firing touches rows of many tables. If each table has memory of its own, machine code loads the address of each
//! table first, and keeps it in a register or loads it again.
//!
//! **Idea.** One allocation has the engine at its start and the tables behind it, in a fixed order. Each row is at a distance from the
//! engine that is known when code is made, so that the code needs one address to reach them all.
//!
//! ```text
//! 0        places              transitions   levels    lanes    joins    indices   size
//! │ engine │ PlaceCounters … │ counters … │ RankSet … │ Lane … │ Join … │ Index … │
//! ```
//!
//! Each table begins at a line of the cache. A table owns its rows and drops them; the memory lasts until the engine and the
//! last table are gone, whichever comes last.
//!
//! Invariants:
//! - *lines*: each table begins at a multiple of [`LINE`], and so does the end.
//! - *apart*: the engine and each table end before the next begins.

use std::alloc::{alloc, dealloc, handle_alloc_error, Layout};
use std::mem::{size_of, ManuallyDrop};
use std::ops::{Deref, DerefMut};
use std::ptr::NonNull;
use std::sync::Arc;

use crate::base::cache::LINE;
use crate::base::invariant::{ensure, Verified};
use crate::base::table::Table;
use crate::collections::rank_set::RankSet;
use crate::program::Program;
use crate::state::counters::{PlaceCounters, TransitionCounters};
use crate::state::index::Index;
use crate::state::join::Join;
use crate::state::lane::Lane;

/// Where each table begins, in bytes from the start of the arena, where the engine is; and how long the arena is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ArenaLayout {
    pub places: usize,
    pub transitions: usize,
    pub levels: usize,
    pub lanes: usize,
    pub joins: usize,
    pub indices: usize,
    pub size: usize,
}

impl ArenaLayout {
    /// For a program, and an engine of `engine` bytes.
    pub fn of(program: &Program, engine: usize) -> Self {
        let mut size = 0;
        let mut behind = |rows: usize, bytes: usize| {
            size = (size + rows * bytes).next_multiple_of(LINE);
            size
        };
        ArenaLayout {
            places: behind(1, engine),
            transitions: behind(program.places.len(), size_of::<PlaceCounters>()),
            levels: behind(program.with_shadows(), size_of::<TransitionCounters>()),
            lanes: behind(program.levels.len(), size_of::<RankSet>()),
            joins: behind(program.lanes, size_of::<Lane>()),
            indices: behind(program.joins.len(), size_of::<Join>()),
            size: behind(program.indices.len(), size_of::<Index>()),
        }
    }

    /// Checks the invariants, given what the layout was made for.
    pub fn verify(&self, program: &Program, engine: usize) -> Verified {
        let tables = [
            (0, engine, self.places),
            (self.places, program.places.len() * size_of::<PlaceCounters>(), self.transitions),
            (self.transitions, program.with_shadows() * size_of::<TransitionCounters>(), self.levels),
            (self.levels, program.levels.len() * size_of::<RankSet>(), self.lanes),
            (self.lanes, program.lanes * size_of::<Lane>(), self.joins),
            (self.joins, program.joins.len() * size_of::<Join>(), self.indices),
            (self.indices, program.indices.len() * size_of::<Index>(), self.size),
        ];
        tables.iter().try_for_each(|&(start, bytes, next)| {
            ensure(next.is_multiple_of(LINE), "lines", || format!("a table begins at {next}"))?;
            ensure(start + bytes <= next, "apart", || format!("{bytes} bytes at {start}, the next at {next}"))
        })
    }
}

/// The arena, which lasts as long as the engine and any of its tables.
pub struct Arena {
    start: NonNull<u8>,
    allocation: Layout,
    pub layout: ArenaLayout,
}

// SAFETY: an arena is memory that no other thread knows, and does not look at what is in it: rows belong to tables.
unsafe impl Send for Arena {}
// SAFETY: a shared arena gives its layout, which does not change, and its address to tables alone.
unsafe impl Sync for Arena {}

impl Arena {
    /// An arena for a program, and an engine of `engine` bytes.
    pub fn new(program: &Program, engine: usize) -> Arc<Self> {
        let layout = ArenaLayout::of(program, engine);
        let allocation = Layout::from_size_align(layout.size.max(LINE), LINE).expect("less than half of all addresses");
        // SAFETY: the size is not 0.
        let start = NonNull::new(unsafe { alloc(allocation) }).unwrap_or_else(|| handle_alloc_error(allocation));
        Arc::new(Arena { start, allocation, layout })
    }
}

impl Drop for Arena {
    fn drop(&mut self) {
        // SAFETY: it was allocated with this layout, and nothing is left in it: tables and resident hold a reference to it.
        unsafe { dealloc(self.start.as_ptr(), self.allocation) };
    }
}

/// A table whose rows are in an arena.
pub struct ArenaTable<I, T> {
    table: ManuallyDrop<Table<I, T>>,
    _arena: Arc<Arena>,
}

impl<I, T> ArenaTable<I, T> {
    /// Makes a table that begins `offset` bytes from the start of an arena. No other table may begin there.
    pub fn new(arena: &Arc<Arena>, offset: usize, rows: impl ExactSizeIterator<Item = T>) -> Self {
        let len = rows.len();
        assert!(offset.is_multiple_of(align_of::<T>()) && offset + len * size_of::<T>() <= arena.layout.size);
        // SAFETY: the rows are within the arena, which is as well aligned as any of them.
        let start = unsafe { arena.start.add(offset) }.cast::<T>();
        for (i, row) in rows.take(len).enumerate() {
            // SAFETY: row `i` is one of `len`, for which there is room, as was asserted.
            unsafe { start.add(i).write(row) };
        }
        // SAFETY: `rows` is of an exact size, so all `len` rows are written. No other table begins here, as the
        // caller guarantees, and the table is never dropped itself (`ManuallyDrop`).
        let table = unsafe { Table::of_rows(start, len) };
        ArenaTable { table: ManuallyDrop::new(table), _arena: Arc::clone(arena) }
    }
}

impl<I, T> Drop for ArenaTable<I, T> {
    fn drop(&mut self) {
        // SAFETY: the rows are dropped once, here, and not freed; their memory is the arena's.
        unsafe { std::ptr::drop_in_place(&mut self.table[..]) };
    }
}

impl<I, T> Deref for ArenaTable<I, T> {
    type Target = Table<I, T>;

    #[inline(always)]
    fn deref(&self) -> &Table<I, T> {
        &self.table
    }
}

impl<I, T> DerefMut for ArenaTable<I, T> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut Table<I, T> {
        &mut self.table
    }
}

/// The value at the start of an arena.
pub struct Housed<E> {
    resident: NonNull<E>,
    _arena: Arc<Arena>,
}

// SAFETY: it owns its resident, as a box does.
unsafe impl<E: Send> Send for Housed<E> {}
// SAFETY: it owns its resident, as a box does.
unsafe impl<E: Sync> Sync for Housed<E> {}

impl<E> Housed<E> {
    /// Moves to the start of an arena that was made for it and has no resident.
    pub fn new(arena: Arc<Arena>, resident: E) -> Self {
        const { assert!(align_of::<E>() <= LINE) };
        assert!(size_of::<E>() <= arena.layout.places);
        let start = arena.start.cast::<E>();
        // SAFETY: there is room before the tables, and the arena is as well aligned.
        unsafe { start.write(resident) };
        Housed { resident: start, _arena: arena }
    }
}

impl<E> Drop for Housed<E> {
    fn drop(&mut self) {
        // SAFETY: it is dropped once; its memory is the arena's.
        unsafe { std::ptr::drop_in_place(self.resident.as_ptr()) };
    }
}

impl<E> Deref for Housed<E> {
    type Target = E;

    #[inline(always)]
    fn deref(&self) -> &E {
        // SAFETY: it lives there as long as this.
        unsafe { self.resident.as_ref() }
    }
}

impl<E> DerefMut for Housed<E> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut E {
        // SAFETY: it lives there as long as this, and this borrow is exclusive.
        unsafe { self.resident.as_mut() }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::base::invariant::broken;

    fn arena() -> Arc<Arena> {
        let text = r#"{"places":[{"name":"a"},{"name":"b"}],"transitions":[{"name":"t","inputs":[{"place":0}]}]}"#;
        Arena::new(&Program::from_json(text).expect("a net"), 100)
    }

    fn net(places: usize, transitions: usize, delay: f64) -> Program {
        let place = |i: usize| format!(r#"{{"name":"p{i}"}}"#);
        let time = format!(r#"{{"op":"const","kind":"real","value":{delay:?}}}"#);
        let transition = |i: usize| format!(r#"{{"name":"t{i}","time":{time},"priority":{i}}}"#);
        let places: Vec<String> = (0..places).map(place).collect();
        let transitions: Vec<String> = (0..transitions).map(transition).collect();
        let text = format!(r#"{{"places":[{}],"transitions":[{}]}}"#, places.join(","), transitions.join(","));
        Program::from_json(&text).expect("a net")
    }

    proptest! {
        #[test]
        fn tables_do_not_overlap(places in 0..40usize, transitions in 0..40usize, delay in 1..3i8, engine in 0..5000usize) {
            let program = net(places, transitions, f64::from(delay));
            prop_assert_eq!(ArenaLayout::of(&program, engine).verify(&program, engine), Ok(()));
        }
    }

    #[test]
    fn damage_is_found() {
        let program = net(3, 2, 1.0);
        let layout = ArenaLayout::of(&program, 100);
        assert_eq!(broken(ArenaLayout { places: 72, ..layout }.verify(&program, 100)), "lines");
        assert_eq!(broken(ArenaLayout { levels: layout.levels - LINE, ..layout }.verify(&program, 100)), "apart");
        assert_eq!(broken(layout.verify(&program, 1000)), "apart");
    }

    #[test]
    fn tables_begin_at_lines_behind_each_other() {
        let layout = arena().layout;
        let starts = [layout.places, layout.transitions, layout.levels, layout.lanes];
        assert_eq!(starts, [128, 256, 320, 320 + size_of::<RankSet>().next_multiple_of(LINE)]);
        assert_eq!([layout.joins, layout.indices, layout.size], [layout.lanes; 3]);
    }

    #[test]
    fn the_memory_lasts_as_long_as_anything_in_it() {
        let (arena, row) = (arena(), Arc::new(7));
        let offset = arena.layout.transitions;
        let rows: ArenaTable<(), Arc<i32>> = ArenaTable::new(&arena, offset, vec![Arc::clone(&row); 5].into_iter());
        let housed = Housed::new(arena, (Arc::clone(&row), [1, 2, 3]));
        assert_eq!((Arc::strong_count(&row), housed.1, rows.len()), (7, [1, 2, 3], 5));
        drop(housed);
        assert_eq!((Arc::strong_count(&row), *rows[4]), (6, 7));
        drop(rows);
        assert_eq!(Arc::strong_count(&row), 1);
    }

    #[test]
    #[should_panic(expected = "size")]
    fn a_table_that_is_too_long_has_no_place() {
        let arena = arena();
        let offset = arena.layout.size - 8;
        ArenaTable::<(), u64>::new(&arena, offset, vec![1, 2].into_iter());
    }
}
