pub mod histogram;
pub mod levels;
pub mod observer;
pub mod passages;
pub mod probes;
pub mod reorder;
pub mod trace;
#[cfg(test)]
mod twins;
