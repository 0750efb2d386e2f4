//! Where machine code finds an engine's fields.

use std::mem::offset_of;

use crate::base::ids::{GaugeId, LinesId, TransitionId, VariableId};
use crate::base::random::Random;
use crate::base::table::Table;
use crate::collections::records::Records;
use crate::collections::tournament::{EventSlot, Four, Tournament};
use crate::engine::run::Engine;
use crate::engine::search::{Arc, Scratch};
use crate::observe::observers::Observers;
use crate::program::Program;
use crate::state::agenda::{Agenda, Ending};
use crate::state::arena::ArenaLayout;
use crate::state::clocks::{AllClocks, Clocks};
use crate::state::common_clock::CommonClock;
use crate::state::enabling::Enabling;
use crate::state::lines::Lines;
use crate::state::marking::Marking;

/// Where an engine has what machine code reads and writes, in bytes from its start.
#[derive(Clone, Copy, Debug)]
pub struct EngineLayout {
    pub now: usize,
    pub hash: usize,
    pub firings: usize,
    /// Firings when the instant began, and how many need no account since then.
    pub instant_began: usize,
    pub quiet: usize,
    pub most_tokens: usize,
    pub total: usize,
    pub random: usize,
    pub drawn: usize,
    /// The address of the streams of the transitions, if each has one (R5).
    pub own_streams: Option<usize>,
    pub value: usize,
    pub listed: usize,
    pub unsettled: usize,
    /// The address of the time at each number of tokens, if that is kept.
    pub levels_times: Option<usize>,
    /// The addresses of the rates in the common clock and of the clocks of all transitions, and when the common one has run down.
    pub rates: usize,
    pub all_clocks: usize,
    pub common_end: usize,
    /// How many values of the marking that measures watch may have changed.
    pub pending: usize,
    /// Where its block has what.
    pub arena: ArenaLayout,
    /// Addresses of tables.
    pub list: usize,
    pub clocks: usize,
    pub lines: usize,
    pub shown: usize,
    pub variables: usize,
    pub chosen: usize,
    /// The tournament of the agenda, and the firings of its slots.
    pub nodes: usize,
    pub endings: usize,
    pub slots: usize,
    pub free: usize,
    pub frees: usize,
    pub gap: usize,
    pub more: usize,
    pub tie: usize,
    /// The address of the word that ends a search.
    pub stop: usize,
}

impl EngineLayout {
    /// keeps_levels: whether the time at each number of tokens is kept.
    pub fn of(program: &Program, keeps_levels: bool) -> Self {
        let marking = offset_of!(Engine, marking);
        let enabling = offset_of!(Engine, enabling);
        let tournament = offset_of!(Engine, agenda) + offset_of!(Agenda, tournament);
        let all_clocks = offset_of!(Engine, clocks);
        let common = all_clocks + offset_of!(AllClocks, common);
        EngineLayout {
            rates: common + offset_of!(CommonClock, nodes) + Table::<usize, f64>::START,
            all_clocks: all_clocks + offset_of!(AllClocks, of) + Table::<usize, Clocks>::START,
            common_end: common + offset_of!(CommonClock, end),
            now: offset_of!(Engine, now),
            hash: offset_of!(Engine, hash),
            firings: offset_of!(Engine, firings),
            instant_began: offset_of!(Engine, instant_began),
            quiet: offset_of!(Engine, quiet),
            most_tokens: offset_of!(Engine, limits.tokens),
            total: marking + offset_of!(Marking, total),
            random: offset_of!(Engine, random) + offset_of!(Random, state),
            drawn: offset_of!(Engine, drawn) + offset_of!(Random, state),
            own_streams: program.own_streams.then_some(offset_of!(Engine, own) + Table::<TransitionId, Random>::START),
            value: offset_of!(Engine, value),
            levels_times: keeps_levels.then_some(offset_of!(Engine, observers) + Observers::LEVELS),
            pending: offset_of!(Engine, observers) + Observers::PENDING,
            listed: enabling + offset_of!(Enabling, listed),
            unsettled: enabling + offset_of!(Enabling, unsettled),
            arena: ArenaLayout::of(program, size_of::<Engine>()),
            list: enabling + offset_of!(Enabling, list) + Table::<TransitionId, TransitionId>::START,
            clocks: enabling + offset_of!(Enabling, clocks) + Table::<TransitionId, TransitionId>::START,
            lines: marking + offset_of!(Marking, lines) + Table::<LinesId, Lines>::START,
            shown: enabling + offset_of!(Enabling, shown) + Table::<GaugeId, u64>::START,
            variables: offset_of!(Engine, variables) + Table::<VariableId, u64>::START,
            chosen: offset_of!(Engine, scratch) + offset_of!(Scratch, chosen) + Table::<Arc, u64>::START,
            nodes: tournament + offset_of!(Tournament, nodes) + Table::<EventSlot, Four>::START,
            endings: offset_of!(Engine, agenda) + offset_of!(Agenda, endings) + Records::<Ending>::START,
            slots: tournament + offset_of!(Tournament, slots),
            free: tournament + offset_of!(Tournament, free) + Table::<EventSlot, u32>::START,
            frees: tournament + offset_of!(Tournament, frees),
            gap: tournament + offset_of!(Tournament, gap),
            tie: tournament + offset_of!(Tournament, tie),
            more: tournament + offset_of!(Tournament, more),
            stop: offset_of!(Engine, stop_address),
        }
    }
}
