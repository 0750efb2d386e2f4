//! Indices over the tokens of a place, as the compiler requests them.

use crate::base::ids::{JoinId, PlaceId};
use crate::collections::key_table::{groups, Extent};

/// Links of joins that an index can serve: a bit for each.
pub const MOST_LINKS: usize = 32;

/// An index as it is before the first token.
pub struct IndexProgram {
    pub place: PlaceId,
    pub slots: Vec<u32>,
    /// The ranges of the slots, where keys are numbered directly.
    pub extents: Option<Vec<Extent>>,
    /// Whether it knows the seats of its tokens, or only their number.
    pub seated: bool,
    /// The joins that look tokens up in it, and which of their links do, by the bit of the link.
    pub links: Vec<(JoinId, usize)>,
}

impl IndexProgram {
    /// The group of keys that lie outside the ranges.
    pub fn outside(&self) -> usize {
        groups(self.extents.as_deref().unwrap_or(&[])) - 1
    }
}
