//! Which transitions are enabled, kept up to date by looking only at those next to a place that changed.
//!
//! Conditions that a count decides ("at least so many tokens", "room for so many") are *watched*: each transition
//! counts how many of them do not hold, and a change of a gauge adjusts the count of those whose threshold it
//! crosses. Where watches are not the whole story, the transition is put on a list and looked at before the next choice.

use std::sync::Arc;

use crate::base::ids::{GaugeId, TransitionId};
use crate::base::random::Random;
use crate::base::table::Table;
use crate::collections::rank_set::RankSet;
use crate::program::Program;
use crate::state::arena::{Arena, ArenaTable};
use crate::state::counters::TransitionCounters;

/// Priorities, from the highest.
#[derive(Clone, Copy, Debug)]
pub struct LevelId(pub usize);

#[repr(C)]
pub struct Enabling {
    pub transitions: ArenaTable<TransitionId, TransitionCounters>,
    /// The enabled transitions of each priority.
    pub levels: ArenaTable<LevelId, RankSet>,
    /// Transitions to look at again, each at most once: the first `listed`.
    pub list: Table<TransitionId, TransitionId>,
    pub listed: usize,
}

impl Enabling {
    /// Nothing is known to be enabled until the gauges were told.
    pub fn new(program: &Program, arena: &Arc<Arena>) -> Self {
        let transitions = program.transitions.iter().map(|t| TransitionCounters {
            unmet: t.impossible,
            level: t.level,
            position: t.position,
            plain: t.plain,
            ..TransitionCounters::default()
        });
        let levels = program.levels.iter().map(|level| RankSet::new(level.transitions.len()));
        let mut enabling = Enabling {
            transitions: ArenaTable::new(arena, arena.layout.transitions, transitions),
            levels: ArenaTable::new(arena, arena.layout.levels, levels),
            list: program.transitions.iter().map(|_| TransitionId(0)).collect(),
            listed: 0,
        };
        for watch in program.watches.iter().filter(|watch| !watch.below) {
            enabling.transitions[watch.transition].unmet += 1;
        }
        for (i, t) in program.transitions.iter().enumerate() {
            let id = TransitionId(i as u32);
            if t.plain && enabling.transitions[id].unmet == 0 {
                enabling.levels[t.level as usize].insert(t.position as usize);
            } else if !t.plain {
                enabling.touch(id);
            }
        }
        enabling
    }

    /// A gauge went from `old` to `new`.
    #[inline(always)]
    pub fn moved(&mut self, program: &Program, gauge: GaugeId, old: u64, new: u64) {
        let gauge = program.gauges[gauge];
        if old.min(new) < gauge.top {
            for watch in &program.watches[gauge.watches.0 as usize..gauge.watches.1 as usize] {
                let (before, after) = (old >= watch.threshold, new >= watch.threshold);
                if before != after {
                    if after != watch.below {
                        self.met(watch.transition);
                    } else {
                        self.violated(watch.transition);
                    }
                }
            }
            for dependent in &program.dependents[gauge.dependents.0 as usize..gauge.dependents.1 as usize] {
                if new < old || old < dependent.depth {
                    self.touch(dependent.transition);
                }
            }
        }
    }

    #[inline(always)]
    pub fn met(&mut self, transition: TransitionId) {
        let status = &mut self.transitions[transition];
        status.unmet -= 1;
        if status.unmet == 0 {
            if status.plain {
                self.levels[status.level as usize].insert(status.position as usize);
            } else {
                self.touch(transition);
            }
        }
    }

    #[inline(always)]
    pub fn violated(&mut self, transition: TransitionId) {
        let status = &mut self.transitions[transition];
        status.unmet += 1;
        if status.unmet == 1 {
            self.levels[status.level as usize].remove(status.position as usize);
        }
    }

    /// The condition that a join has bindings holds now, or does not any more.
    #[inline(never)]
    pub fn turned(&mut self, transition: TransitionId, holds: bool) {
        if holds {
            self.met(transition);
        } else {
            self.violated(transition);
        }
    }

    /// The transition is to be looked at again.
    #[inline(always)]
    pub fn touch(&mut self, transition: TransitionId) {
        let status = &mut self.transitions[transition];
        if status.unmet == 0 && !status.listed {
            status.listed = true;
            self.list[TransitionId(self.listed as u32)] = transition;
            self.listed += 1;
        }
    }

    /// The next transition to look at, unless watches have decided about it meanwhile.
    #[inline(always)]
    pub fn next_touched(&mut self) -> Option<TransitionId> {
        while self.listed > 0 {
            self.listed -= 1;
            let transition = self.list[TransitionId(self.listed as u32)];
            let status = &mut self.transitions[transition];
            status.listed = false;
            if status.unmet == 0 {
                return Some(transition);
            }
        }
        None
    }

    /// What a look at a transition has shown.
    #[inline(always)]
    pub fn set(&mut self, transition: TransitionId, enabled: bool) {
        let status = self.transitions[transition];
        let level = &mut self.levels[status.level as usize];
        if enabled {
            level.insert(status.position as usize);
        } else {
            level.remove(status.position as usize);
        }
    }

    /// The highest priority at which a transition is enabled.
    #[inline(always)]
    pub fn highest(&self) -> Option<usize> {
        self.levels.iter().position(|level| !level.is_empty())
    }

    /// One enabled transition of a priority by weight (I3, R2).
    #[inline(always)]
    pub fn choose(&self, program: &Program, level: usize, random: &mut Random) -> TransitionId {
        let enabled = &self.levels[level];
        let transitions = &program.levels[level].transitions;
        if let Some(position) = enabled.single() {
            return transitions[position];
        }
        let position = match &program.levels[level].weights {
            None => enabled.select(random.equal_choice(enabled.len() as u64) as usize),
            Some(weights) => {
                let chosen = random.weighted_choice(enabled.iter().map(|position| weights[position]));
                enabled.select(chosen)
            }
        };
        transitions[position]
    }
}
