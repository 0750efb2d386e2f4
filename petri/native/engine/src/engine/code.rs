//! Machine code as the engine sees it: functions to call, what they return, and the memory that they touch. The engine does
//! not know how they were made: the room `jit` makes them, and `session` passes them in.

use std::ffi::c_void;
use std::ptr::null;
use std::sync::Arc;

use crate::base::cache::fetch;
use crate::base::ids::TransitionId;
use crate::base::table::Table;
use crate::base::ticks::Ticks;
use crate::state::evaluator::CalledCode;

/// A function that starts or ends a firing has done so; one that looks at a transition has found it not enabled.
pub const DONE: u64 = 0;
/// A transition that was looked at is enabled.
pub const ENABLED: u64 = 1;
/// Nothing has changed: retry in the interpreter, which reports faults in full.
pub const GENERAL: u64 = 1 << 63;
/// There was a fault, which the engine holds. Any other status of a start is the time at which the firing ends.
pub const FAULT: u64 = GENERAL + 1;
/// In a net of one clock: a transition has fired, but the engine must settle the clock.
pub const UNSETTLED: u64 = GENERAL + 2;

/// The loop has started as many firings as it may, or is so near the limit of firings at one instant that they must be counted
/// (X3).
pub const USED_UP: u64 = 0;
/// Nothing more happens until the time asked for.
pub const OVER: u64 = 1;
/// The engine holds an error, or waits for rows of a file. Any other status of the loop is that of a firing that the code has
/// not started or ended: the engine holds its transition.
pub const STOPPED: u64 = 2;
/// No transition can be chosen: the engine has the error.
pub const NO_TRANSITION: u64 = u64::MAX;
/// What comes next after time has passed in a net whose transitions race: firings may start, firings in progress end, or exactly
/// one transition may fire, whose number is added to `FIRES`. None of these is a status of the loop.
pub const STARTS: u64 = 3;
pub const ENDS: u64 = 4;
pub const FIRES: u64 = 5;

/// Looks at a transition. The parameters are the engine and the holes.
type Look = unsafe extern "C" fn(*mut c_void, *const u32) -> u64;
/// The loop. The parameters are the engine, the holes, the tables of routines, the last instant, and the number of firings to stop
/// at.
type Loop = unsafe extern "C" fn(*mut c_void, *const u32, *const Routines, *const Routine, Ticks, u64) -> u64;

/// A function, and the hole row of one of the transitions that share it.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Routine {
    pub function: *const u8,
    pub holes: *const u32,
}

impl Routine {
    /// No function, where none is ever called.
    pub fn none() -> Self {
        Routine { function: null(), holes: null() }
    }

    /// Looks at a transition.
    ///
    /// # Safety
    /// The routine looks at a transition, and is part of the code of the engine's program for engines with such observers.
    #[inline(always)]
    pub unsafe fn look(&self, engine: *mut c_void) -> u64 {
        // SAFETY: the function was made with these parameters; the caller guarantees the rest.
        unsafe {
            let function = std::mem::transmute::<*const u8, Look>(self.function);
            function(engine, self.holes)
        }
    }
}

/// What starts a firing of a transition, and what ends one: half a line of the cache.
#[repr(C, align(32))]
pub struct Routines {
    pub start: Routine,
    pub finish: Routine,
}

/// The lines of the cache that the end of a firing touches, with the firings that it may start. Lines without room are
/// not fetched; unused entries refer to the engine, or to the first line of the program.
#[derive(Clone, Copy)]
#[repr(C, align(128))]
pub struct Footprint {
    /// In the block of the engine, by their distance from it.
    pub block: [u32; 16],
    /// In what belongs to the program: holes, routines, and the row of the transitions that are chosen from.
    pub program: [*const u8; 8],
}

impl Footprint {
    /// Fetches the footprint itself into the cache, so that [`Footprint::follow`] finds it there.
    #[inline(always)]
    pub fn fetch(&self) {
        fetch(&self.block);
        fetch(&self.program);
    }

    /// Fetches the lines that the footprint leads to, in the block of an engine and in the program.
    #[inline(always)]
    pub fn follow(&self, engine: *const u8) {
        self.block.iter().for_each(|&distance| fetch(engine.wrapping_add(distance as usize)));
        self.program.iter().for_each(|&line| fetch(line));
    }

    /// Whether it includes the line at this distance from the engine.
    pub fn has(&self, distance: usize) -> bool {
        self.block.contains(&(distance as u32))
    }
}

/// The code of a net's transitions, and the loop that runs them. A transition that the generator cannot handle has
/// routines that leave it to the interpreter.
pub struct Code {
    pub routines: Table<TransitionId, Routines>,
    /// What looks at each transition.
    pub looks: Table<TransitionId, Routine>,
    /// What firings touch, unless the net is small.
    pub footprints: Table<TransitionId, Footprint>,
    pub main_loop: Routine,
    /// The functions of expressions with a number, which own the memory of all functions and of their holes.
    pub called: Arc<CalledCode>,
}

// SAFETY: what the pointers lead to does not change, and lasts as long as the memory that the code owns.
unsafe impl Send for Code {}
// SAFETY: the same.
unsafe impl Sync for Code {}

impl Code {
    /// Runs the loop until instant `until` is over, or until `enough` firings have started since time 0.
    /// Returns why it ended.
    ///
    /// # Safety
    /// The code is of the engine's program, and was made for engines with such observers.
    pub unsafe fn run(&self, engine: *mut c_void, until: Ticks, enough: u64) -> u64 {
        // SAFETY: the function was made with these parameters; the caller guarantees the rest.
        unsafe {
            let run = std::mem::transmute::<*const u8, Loop>(self.main_loop.function);
            run(engine, self.main_loop.holes, self.routines.as_ptr(), self.looks.as_ptr(), until, enough)
        }
    }
}
