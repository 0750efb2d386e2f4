//! Where machine code finds an engine's fields.

use std::mem::offset_of;

use crate::agenda::{Agenda, Ending, LaneId};
use crate::enabling::{Enabling, LevelId};
use crate::engine::Engine;
use crate::events::{self, Events, Four};
use crate::ids::{IndexId, JoinId, PlaceId, TransitionId, VariableId};
use crate::index::Index;
use crate::join::Join;
use crate::lane::Lane;
use crate::marking::Marking;
use crate::observer::Observer;
use crate::random::Random;
use crate::rank_set::RankSet;
use crate::records::Records;
use crate::search::{Arc, Scratch};
use crate::state;
use crate::store::Store;
use crate::table::Table;

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
    /// Addresses of tables.
    pub places: usize,
    pub stores: usize,
    pub transitions: usize,
    pub levels: usize,
    pub list: usize,
    pub variables: usize,
    pub chosen: usize,
    /// The tournament of the agenda, the firings of its slots, and its lanes.
    pub nodes: usize,
    pub endings: usize,
    pub slots: usize,
    pub free: usize,
    pub frees: usize,
    pub gap: usize,
    pub more: usize,
    pub tie: usize,
    pub lanes: usize,
    pub joins: usize,
    pub indices: usize,
}

impl Layout {
    pub fn of<O: Observer>() -> Self {
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
            places: marking + offset_of!(Marking, places) + Table::<PlaceId, state::Place>::START,
            stores: marking + offset_of!(Marking, stores) + Table::<PlaceId, Store>::START,
            transitions: enabling + offset_of!(Enabling, transitions) + Table::<TransitionId, state::Transition>::START,
            levels: enabling + offset_of!(Enabling, levels) + Table::<LevelId, RankSet>::START,
            list: enabling + offset_of!(Enabling, list) + Table::<TransitionId, TransitionId>::START,
            variables: offset_of!(Engine<O>, variables) + Table::<VariableId, u64>::START,
            chosen: offset_of!(Engine<O>, scratch) + offset_of!(Scratch, chosen) + Table::<Arc, u64>::START,
            nodes: events + offset_of!(Events, nodes) + Table::<events::Number, Four>::START,
            endings: offset_of!(Engine<O>, agenda) + offset_of!(Agenda, endings) + Records::<Ending>::START,
            slots: events + offset_of!(Events, slots),
            free: events + offset_of!(Events, free) + Table::<events::Number, u32>::START,
            frees: events + offset_of!(Events, frees),
            gap: events + offset_of!(Events, gap),
            tie: events + offset_of!(Events, tie),
            more: events + offset_of!(Events, more),
            lanes: offset_of!(Engine<O>, agenda) + offset_of!(Agenda, lanes) + Table::<LaneId, Lane>::START,
            joins: marking + offset_of!(Marking, joins) + Table::<JoinId, Join>::START,
            indices: marking + offset_of!(Marking, indices) + Table::<IndexId, Index>::START,
        }
    }
}
