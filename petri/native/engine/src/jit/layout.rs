//! Where machine code finds an engine's fields.

use std::mem::offset_of;

use crate::base::ids::{TransitionId, VariableId};
use crate::base::random::Random;
use crate::base::table::Table;
use crate::collections::records::Records;
use crate::collections::tournament::{Events, Four, Number};
use crate::engine::run::Engine;
use crate::engine::search::{Arc, Scratch};
use crate::observe::observer::Observer;
use crate::program::Program;
use crate::state::agenda::{Agenda, Ending};
use crate::state::block::Plan;
use crate::state::enabling::Enabling;
use crate::state::marking::Marking;

/// Where an engine has what machine code reads and writes, in bytes from its start.
#[derive(Clone, Copy)]
pub struct Layout {
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
    pub value: usize,
    pub listed: usize,
    /// The address of the time at each number of tokens, if that is kept.
    pub levels_times: Option<usize>,
    /// Where its block has what.
    pub plan: Plan,
    /// Addresses of tables.
    pub list: usize,
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
}

impl Layout {
    pub fn of<O: Observer>(program: &Program) -> Self {
        let marking = offset_of!(Engine<O>, marking);
        let enabling = offset_of!(Engine<O>, enabling);
        let events = offset_of!(Engine<O>, agenda) + offset_of!(Agenda, events);
        Layout {
            now: offset_of!(Engine<O>, now),
            hash: offset_of!(Engine<O>, hash),
            firings: offset_of!(Engine<O>, firings),
            instant_began: offset_of!(Engine<O>, instant_began),
            quiet: offset_of!(Engine<O>, quiet),
            most_tokens: offset_of!(Engine<O>, limits.tokens),
            total: marking + offset_of!(Marking, total),
            random: offset_of!(Engine<O>, random) + offset_of!(Random, state),
            drawn: offset_of!(Engine<O>, drawn) + offset_of!(Random, state),
            value: offset_of!(Engine<O>, value),
            levels_times: O::LEVELS.map(|levels| offset_of!(Engine<O>, observer) + levels),
            listed: enabling + offset_of!(Enabling, listed),
            plan: Plan::of(program, size_of::<Engine<O>>()),
            list: enabling + offset_of!(Enabling, list) + Table::<TransitionId, TransitionId>::START,
            variables: offset_of!(Engine<O>, variables) + Table::<VariableId, u64>::START,
            chosen: offset_of!(Engine<O>, scratch) + offset_of!(Scratch, chosen) + Table::<Arc, u64>::START,
            nodes: events + offset_of!(Events, nodes) + Table::<Number, Four>::START,
            endings: offset_of!(Engine<O>, agenda) + offset_of!(Agenda, endings) + Records::<Ending>::START,
            slots: events + offset_of!(Events, slots),
            free: events + offset_of!(Events, free) + Table::<Number, u32>::START,
            frees: events + offset_of!(Events, frees),
            gap: events + offset_of!(Events, gap),
            tie: events + offset_of!(Events, tie),
            more: events + offset_of!(Events, more),
        }
    }
}
