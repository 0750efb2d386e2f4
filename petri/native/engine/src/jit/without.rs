//! In place of this room where there is no machine code (WebAssembly): every net is interpreted. `engine/src/lib.rs` chooses by the
//! target, so no feature can be forgotten, and the code generator is not compiled. How transitions would be run stays known.
//!
//! - [`speed`]: how each transition is run, for people to read

pub mod blueprint {
    pub mod interpreted;
}
pub mod speed;

pub mod cache {
    use std::sync::Arc;
    use std::time::Duration;

    use crate::engine::code::Code;
    use crate::engine::run::Engine;

    pub enum Step<'a> {
        Interpret(u64),
        Run(&'a Arc<Code>),
    }

    #[derive(Default)]
    pub struct Cache;

    pub struct Interest;

    impl Cache {
        pub fn interest(&self) -> Interest {
            Interest
        }

        pub fn count(&self, _: u64, _: Duration) {}

        pub fn next(&self, _: &Engine) -> Step<'_> {
            Step::Interpret(u64::MAX)
        }
    }
}

pub mod listing {
    use crate::base::ids::TransitionId;
    use crate::engine::run::Engine;

    pub struct Listing {
        pub name: &'static str,
        pub counts: Counts,
        pub code: String,
        pub assembly: String,
    }

    pub struct Counts;

    impl Counts {
        pub fn all(&self) -> [usize; 5] {
            [0; 5]
        }
    }

    pub fn listings(_: &Engine, _: TransitionId) -> Option<Vec<Listing>> {
        None
    }
}

pub mod verify {
    use crate::engine::run::Engine;

    pub fn verify_shapes(_: &Engine) -> Result<usize, String> {
        Ok(0)
    }
}
