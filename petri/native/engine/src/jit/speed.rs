//! How each transition is run, and what keeps it from machine code: for people who want to know what makes a net slow.

use crate::base::ids::{PlaceId, TransitionId};
use crate::jit::blueprint::interpreted::{interpreted_place, why_search, WhyPlace, WhySearch, MOST_LOOPS};
use crate::program::arc::Find;
use crate::program::transition::{Selection, TransitionProgram};
use crate::program::{Looks, Program};

/// How a binding of a transition is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// There is only one.
    One,
    /// Any token will do.
    Any,
    /// By the numbers of bindings of each token, which are kept.
    Counted,
    /// By the rank of tokens, which is kept.
    Ranked,
    /// By a search.
    Searched,
}

/// Why a part of a transition is interpreted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interpreted {
    /// Only the look and the choice.
    Search(WhySearch),
    /// All its firings are, because of a place.
    Place(PlaceId, WhyPlace),
    /// Only the look: it would be a loop within a loop within others, too many of them.
    Loops,
}

/// How a transition is run.
pub struct Speed {
    pub choice: Choice,
    /// The tokens that it looks through at nearly every firing, where they may be many.
    pub looks: Option<Looks>,
    /// Empty if it is compiled.
    pub interpreted: Vec<Interpreted>,
}

impl Speed {
    pub fn of(program: &Program, id: TransitionId) -> Self {
        let plan = &program.transitions[id];
        Speed { choice: choice(plan), looks: program.looks(plan), interpreted: interpreted(program, plan) }
    }
}

fn choice(plan: &TransitionProgram) -> Choice {
    match plan.selection {
        _ if plan.clock.as_ref().is_some_and(|clock| clock.single) => Choice::One,
        Selection::Single => Choice::One,
        Selection::Bag(_) | Selection::Product => Choice::Any,
        Selection::Join(_) | Selection::Match(_) | Selection::Tree(_) => Choice::Counted,
        Selection::Preferred(..) => Choice::Ranked,
        Selection::Search => Choice::Searched,
    }
}

fn interpreted(program: &Program, plan: &TransitionProgram) -> Vec<Interpreted> {
    let mut found: Vec<_> = why_search(program, plan).map(Interpreted::Search).into_iter().collect();
    found.extend(interpreted_place(program, plan).map(|(place, why)| Interpreted::Place(place, why)));
    let loops = plan.inputs.iter().filter(|arc| matches!(arc.find, Find::Any | Find::Keyed(_)) && arc.decides).count();
    if !plan.plain && loops > MOST_LOOPS {
        found.push(Interpreted::Loops);
    }
    found
}
