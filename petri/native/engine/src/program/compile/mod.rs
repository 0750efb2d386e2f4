pub mod lanes;
pub mod net;
pub mod selection;
pub mod transition;
