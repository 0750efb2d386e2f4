pub mod key_table;
pub mod rank_set;
pub mod records;
pub mod small_set;
pub mod sum_tree;
pub mod tournament;
pub mod weights;
