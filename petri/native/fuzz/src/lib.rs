//! What the fuzz targets share: nets made of bytes, and a run of one in all modes.
//!
//! - [`choices`]: bytes as a row of choices
//! - [`expressions`]: random expressions
//! - [`nets`]: random nets
//! - [`modes`]: a net interpreted and compiled, which must not differ

pub mod choices;
pub mod expressions;
pub mod modes;
pub mod nets;
