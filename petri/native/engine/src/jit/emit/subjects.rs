//! The subjects of the code: a struct for each, which borrows the emitter. Its methods are in the subject's file.

use crate::jit::emit::emitter::{Emitter, Writer};

macro_rules! subjects {
    ($($(#[$doc:meta])* $name:ident: $code:ident;)*) => {
        $(
            $(#[$doc])*
            pub struct $code<'e, 'a, 'b> {
                pub e: &'e mut Emitter<'a, 'b>,
            }

            impl<'a, 'b> Writer<'a, 'b> for $code<'_, 'a, 'b> {
                fn emitter(&mut self) -> &mut Emitter<'a, 'b> {
                    self.e
                }
            }
        )*

        /// Access to all subjects by name, as in `self.places().lose(..)`.
        pub trait Subjects<'a, 'b: 'a>: Writer<'a, 'b> {
            $(
                $(#[$doc])*
                fn $name(&mut self) -> $code<'_, 'a, 'b> {
                    $code { e: self.emitter() }
                }
            )*
        }

        impl<'a, 'b: 'a, W: Writer<'a, 'b>> Subjects<'a, 'b> for W {}
    };
}

subjects! {
    /// Firings that begin and end, and the tournament of their ends.
    agenda: AgendaCode;
    /// What a firing draws.
    chance: ChanceCode;
    /// Which transitions are enabled.
    enabling: EnablingCode;
    /// The values of expressions.
    expressions: ExpressionCode;
    /// Indices and joins.
    joins: JoinCode;
    /// The tokens of places with `per`.
    lines: LineCode;
    /// The loop.
    main_loop: MainLoopCode;
    /// What output arcs give.
    outputs: OutputCode;
    /// The numbers of tokens of places, with statistics and watches.
    places: PlaceCode;
    /// Rates in the common clock.
    rates: RateCode;
    /// Searches for a binding.
    searches: SearchCode;
    /// Sets of tokens.
    sets: SetCode;
    /// The values of tokens.
    slots: SlotCode;
    /// Coloured tokens that come and go.
    tokens: TokenCode;
    /// A firing: its start and its end.
    transitions: TransitionCode;
}
