//! What has left a net through its ports out, until somebody takes it.

use crate::program::Program;

/// What has left through the ports out, if that is kept.
#[derive(Clone, Default)]
pub struct Outputs {
    /// For each port out, in order: the instant and the slots of each token. Empty where nothing is kept.
    pub kept: Vec<Vec<u64>>,
    /// How many words of each have been taken.
    pub taken: Vec<usize>,
    /// Whether a run stops after what happens at an instant has put tokens out.
    pub stops: bool,
}

impl Outputs {
    pub fn keep(&mut self, program: &Program, stops: bool) {
        self.kept.resize(program.outputs.len(), Vec::new());
        self.taken.resize(program.outputs.len(), 0);
        self.stops = stops;
    }

    /// The next token of a port out, which has `width` slots, and the instant before them.
    pub fn take(&mut self, number: usize, width: usize) -> Option<&[u64]> {
        let (kept, taken) = (self.kept.get(number)?, &mut self.taken[number]);
        let start = *taken;
        let row = kept.get(start..start + 1 + width)?;
        *taken += row.len();
        Some(row)
    }
}
