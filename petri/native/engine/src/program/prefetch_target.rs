//! The memory that deposited tokens will touch: the records of their keys, and the tokens that join them. Only speed
//! depends on it.

use crate::base::ids::{IndexId, JoinId, PlaceId};
/// A key of a token in a firing's record, and the memory that it leads to.
pub struct PrefetchTarget {
    /// The index that has the key, and the words of the record in which the key is.
    pub index: IndexId,
    pub slots: Box<[u32]>,
    pub link: Option<(JoinId, usize)>,
    /// Whether tokens of the link's pivot wait for the token, or it is one of the pivot.
    pub awaited: bool,
    /// The place of the tokens that it leads to, and their length in bytes.
    pub place: PlaceId,
    pub length: usize,
}
