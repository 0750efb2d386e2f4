//! What the target `flat_net` is made of.
//!
//! - [`changes`]: random changes of a flat net
//! - [`modes`]: a net interpreted and compiled, which must not differ

pub mod changes;
pub mod modes;
