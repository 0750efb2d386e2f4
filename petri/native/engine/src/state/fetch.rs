//! Prefetches the index and join data that the tokens of a firing will touch, in steps, each of which reads what the
//! previous one has fetched.

use crate::base::cache::fetch;
use crate::collections::key_table::SlotsOf;
use crate::program::prefetch_target::PrefetchTarget;
use crate::state::index::NONE;
use crate::state::marking::Marking;

impl Marking {
    /// Fetches the cell of the group of a key in a record.
    #[inline(always)]
    pub fn fetch_cell(&self, target: &PrefetchTarget, record: &[u64]) {
        self.indices[target.index].fetch_cell(SlotsOf { token: record, slots: &target.slots });
    }

    /// Fetches the bucket of that group, and the head of the list of pivot tokens that wait for it. Returns the group, or `NONE`.
    #[inline(always)]
    pub fn fetch_group(&self, target: &PrefetchTarget, record: &[u64]) -> u32 {
        let group =
            self.indices[target.index].fetch_group(SlotsOf { token: record, slots: &target.slots }).unwrap_or(NONE);
        if let (Some((join, link)), true) = (target.link, group != NONE) {
            self.joins[join].fetch_head(link, group);
        }
        group
    }

    /// Fetches the first token of the group, or the first that waits for it. Returns its seat, or `NONE`.
    #[inline(always)]
    pub fn fetch_first(&self, target: &PrefetchTarget, group: u32) -> u32 {
        if group == NONE {
            return NONE;
        }
        let seat = match target.link {
            Some((join, link)) if target.awaited => self.joins[join].fetch_first(link, group),
            _ => self.indices[target.index].fetch_first(group),
        };
        self.fetch_token(target, seat);
        seat
    }

    /// Fetches the next token that waits. Returns its seat, or `NONE`.
    #[inline(always)]
    pub fn fetch_next(&self, target: &PrefetchTarget, seat: u32) -> u32 {
        let Some((join, link)) = target.link.filter(|_| target.awaited) else { return NONE };
        let next = self.joins[join].fetch_next(link, seat);
        self.fetch_token(target, next);
        next
    }

    /// Fetches a token, or the first seat. Whether there is one is unpredictable, so no branch depends on it.
    #[inline(always)]
    fn fetch_token(&self, target: &PrefetchTarget, seat: u32) {
        let seat = if seat == NONE { 0 } else { seat };
        fetch((self.places[target.place].ring.slots + seat as usize * target.length) as *const u8);
    }
}
