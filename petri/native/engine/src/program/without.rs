//! Optimisations that can be switched off. No result depends on them: tests compare runs without one with runs with
//! all.

use crate::base::fault::{LoadError, Loaded};

/// The optimisations to leave out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Without {
    /// Nothing follows the tokens as they come and go, neither indices nor watches. A net without it cannot run: only those who look
    /// at each transition in each state can do without ([`Without::upkeep`]).
    pub upkeep: bool,
    /// Bindings of several bags are searched for instead of counted (`program/compile/selection.rs`).
    pub joins: bool,
    /// Preferred tokens are searched for, and not ranked.
    pub preferences: bool,
    /// Firings of one constant duration are in the tournament, each by itself.
    pub lanes: bool,
    /// Machine code does not know which memory a firing will touch.
    pub footprints: bool,
    /// Every transition has machine code of its own.
    pub shapes: bool,
    /// The expressions of different transitions are inlined in the code of each.
    pub calls: bool,
    /// Every expression has a function of its own, and none is inlined in the code of a transition.
    pub inlining: bool,
    /// A net of which all transitions share a clock has the loop of other nets.
    pub one_clock: bool,
    /// Machine code is made as if every number were zero half of the time.
    pub profile: bool,
}

impl Without {
    /// Markings are put into whole states, in which every transition is searched.
    pub fn upkeep() -> Self {
        Without { upkeep: true, joins: true, preferences: true, ..Without::default() }
    }

    /// Reads names with commas between them; an empty text has none.
    ///
    /// # Errors
    /// If a name is unknown.
    pub fn of(names: &str) -> Loaded<Self> {
        let mut without = Without::default();
        for name in names.split(',').map(str::trim).filter(|name| !name.is_empty()) {
            let field = match name {
                "joins" => &mut without.joins,
                "preferences" => &mut without.preferences,
                "lanes" => &mut without.lanes,
                "footprints" => &mut without.footprints,
                "shapes" => &mut without.shapes,
                "calls" => &mut without.calls,
                "inlining" => &mut without.inlining,
                "clock" => &mut without.one_clock,
                "profile" => &mut without.profile,
                _ => return Err(LoadError(format!("there is no optimisation `{name}` to do without"))),
            };
            *field = true;
        }
        Ok(without)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_known_or_refused() {
        assert_eq!(Without::of(""), Ok(Without::default()));
        assert_eq!(Without::of("joins, profile"), Ok(Without { joins: true, profile: true, ..Without::default() }));
        assert!(Without::of("join").is_err());
    }
}
