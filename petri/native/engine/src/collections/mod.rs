//! Data structures. They do not know what a net is: each could be used elsewhere.
//!
//! May import: `base`.
//!
//! - [`tournament`]: the earliest of many events
//! - [`weights`]: draws one of many by weight
//! - [`sum_tree`]: draws one of many by weight, however large
//! - [`rank_set`]: a set of small numbers that answers "which is the k-th?"
//! - [`small_set`]: a sorted set of at most four numbers
//! - [`chain`]: numbers by age, of which any can leave
//! - [`heap`]: the least of many numbered items, of which any can leave
//! - [`key_table`]: a number for each key in use, and a record for each
//! - [`membership`]: the group of each of many, and the members of each group
//! - [`narrow`]: rows of small numbers
//! - [`records`]: rows of a head and a few words
//! - [`ranked_row`]: a row of ranks that answers "which is the k-th of those in a range?"
//! - [`thresholds`]: a row of thresholds that knows how many marks reach each, and all

pub mod chain;
pub mod heap;
pub mod key_table;
pub mod membership;
pub mod narrow;
pub mod rank_set;
pub mod ranked_row;
pub mod records;
pub mod small_set;
pub mod sum_tree;
pub mod thresholds;
pub mod tournament;
pub mod weights;
