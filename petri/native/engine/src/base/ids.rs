//! Positions in the net's tables, each with its own type, so that they cannot be confused.

use serde::Deserialize;

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
        #[serde(transparent)]
        #[repr(transparent)]
        pub struct $name(pub u32);

        impl $name {
            /// The position as an index into the table.
            #[inline(always)]
            pub fn at(self) -> usize {
                self.0 as usize
            }
        }
    };
}

id!(
    /// A place of the flat net.
    PlaceId
);
id!(
    /// A transition of the flat net.
    TransitionId
);
id!(
    /// A variable of one transition (in a key expression: a slot of the token).
    VariableId
);
id!(
    /// A number that transitions watch: first the tokens of each place, then the loads of places with a capacity.
    GaugeId
);
id!(
    /// A table of values to draw from.
    TableId
);
id!(
    /// A probe of the net: a declared measure's source.
    ProbeId
);
id!(
    /// A place in the source text, or none (`SpanId::NONE`).
    SpanId
);
id!(
    /// A join of tokens of several bags.
    JoinId
);
id!(
    /// An index over the tokens of one place.
    IndexId
);
id!(
    /// A match of tokens of two bags by their ranks.
    MatchId
);
id!(
    /// A tree of arcs that are keyed one by another.
    JoinTreeId
);
id!(
    /// A ranking of the tokens of a bag of which a transition prefers some.
    RankingId
);

id!(
    /// The lines of a place, by their keys.
    LinesId
);

impl GaugeId {
    /// No gauge.
    pub const NONE: GaugeId = GaugeId(u32::MAX);

    /// The tokens of a place.
    #[inline(always)]
    pub fn tokens(place: PlaceId) -> GaugeId {
        GaugeId(place.0)
    }
}

impl SpanId {
    /// No place in the source.
    pub const NONE: SpanId = SpanId(u32::MAX);
}
