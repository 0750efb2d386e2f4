//! The variables of the firings that arcs start. They are not kept: the firings of a state start again, in the same order.

use std::sync::atomic::AtomicU64;

use crate::exact::model::trouble::{Found, Interrupted, Trouble};
use crate::exact::model::watch::{Bounds, Watch};
use crate::exact::space::graph::Graph;
use crate::exact::space::moves::Move;
use crate::exact::space::seat::Seat;
use crate::exact::state::Fields;

impl Graph {
    /// The variables of the firing that each of these arcs starts, draws included; of a graph without symmetries.
    pub fn variables(&self, arcs: &[usize]) -> Found<Vec<Vec<u64>>> {
        let mut seat = Seat::new(&self.model, self.fields.fields)?;
        let mut fields = self.fields.clone();
        let mut known: (usize, usize, Vec<Vec<u64>>) = (usize::MAX, 0, Vec::new());
        let mut found = Vec::with_capacity(arcs.len());
        for &arc in arcs {
            let source = self.offsets.partition_point(|&first| first <= arc as u64) - 1;
            let transition = self.label(arc).transition as usize;
            if (known.0, known.1) != (source, transition) {
                known = (source, transition, self.started(source, transition, &mut seat, &mut fields)?);
            }
            let is_like = |&other: &usize| {
                let label = self.label(other);
                label.transition as usize == transition && label.role.starts()
            };
            let earlier = (self.offsets[source] as usize..arc).filter(is_like).count();
            found.push(known.2.get(earlier).cloned().unwrap_or_default());
        }
        Ok(found)
    }

    /// The variables of each firing of a transition in a state, as its arcs are in order.
    fn started(&self, source: usize, transition: usize, seat: &mut Seat, fields: &mut Fields) -> Found<Vec<Vec<u64>>> {
        if Move::start(&self.model, &self.fields, transition).is_some() {
            return Ok(vec![vec![0; self.model.transition(transition).variables.len()]]);
        }
        let trouble = |interrupted| match interrupted {
            Interrupted::Trouble(trouble) => trouble,
            _ => Trouble::Unsolvable("draw", None), // it has not been, when the state was explored
        };
        let watch = Watch { bounds: Bounds { states: usize::MAX, memory: usize::MAX }, stop: &AtomicU64::new(0) };
        let mut found = Vec::new();
        seat.sit(&self.fields, &self.numbers(source))?;
        let has_clock = self.model.clocks[transition].is_some();
        for class in seat.classes(&self.model, transition, watch).map_err(trouble)? {
            if has_clock && seat.rate(&self.model, transition, &class.chosen, 1.0)? == 0.0 {
                continue;
            }
            let fired = seat.fire(&self.model, fields, transition, &class, &mut |_, _, _, variables| {
                found.push(variables.to_vec());
                Ok(())
            });
            fired.map_err(trouble)?;
        }
        Ok(found)
    }
}
