//! The subjects of which code is written: a struct for each, which borrows the emitter. Its methods are in the subject's file.

use cranelift_codegen::ir::{Block, InstBuilder, Type, Value};

use crate::jit::emit::emitter::Emitter;

/// What writes code: the emitter, and each subject.
pub trait Writer<'a, 'b: 'a> {
    /// The words of which all code is made; a subject has them as `self.e`, too.
    fn emitter(&mut self) -> &mut Emitter<'a, 'b>;

    // ------------------------------------------------------------ branches

    /// Emits `then` for when the condition holds; what follows is for either case.
    fn when(&mut self, condition: Value, then: impl FnOnce(&mut Self)) {
        let [yes, next] = self.emitter().new_blocks();
        self.emitter().b.ins().brif(condition, yes, &[], next, &[]);
        self.emitter().b.switch_to_block(yes);
        then(self);
        self.emitter().b.ins().jump(next, &[]);
        self.emitter().b.switch_to_block(next);
    }

    /// The same, with `otherwise` for when it does not hold.
    fn when_or(&mut self, condition: Value, then: impl FnOnce(&mut Self), otherwise: impl FnOnce(&mut Self)) {
        let then = |s: &mut Self| {
            then(s);
            Vec::new()
        };
        let otherwise = |s: &mut Self| {
            otherwise(s);
            Vec::new()
        };
        self.branch(condition, &[], then, otherwise);
    }

    /// The value of either branch.
    fn either(
        &mut self,
        condition: Value,
        ty: Type,
        then: impl FnOnce(&mut Self) -> Value,
        otherwise: impl FnOnce(&mut Self) -> Value,
    ) -> Value {
        self.branch(condition, &[ty], |s| vec![then(s)], |s| vec![otherwise(s)])[0]
    }

    /// The values of either branch, as many as there are types.
    fn branch(
        &mut self,
        condition: Value,
        types: &[Type],
        then: impl FnOnce(&mut Self) -> Vec<Value>,
        otherwise: impl FnOnce(&mut Self) -> Vec<Value>,
    ) -> Vec<Value> {
        let [yes, no, next] = self.emitter().new_blocks();
        let results = types.iter().map(|&ty| self.emitter().b.append_block_param(next, ty)).collect();
        self.emitter().b.ins().brif(condition, yes, &[], no, &[]);
        self.emitter().b.switch_to_block(yes);
        let values = then(self);
        self.emitter().jump(next, &values);
        self.emitter().b.switch_to_block(no);
        let values = otherwise(self);
        self.emitter().jump(next, &values);
        self.emitter().b.switch_to_block(next);
        results
    }

    /// What is emitted from here on in this block runs seldom, if `seldom`, and stands out of the way of the rest.
    fn aside<T>(&mut self, seldom: bool, emit: impl FnOnce(&mut Self) -> T) -> T {
        let (here, first) = (self.emitter().b.current_block(), self.emitter().b.func.dfg.num_blocks());
        let emitted = emit(self);
        let within = (first..self.emitter().b.func.dfg.num_blocks()).map(|number| Block::from_u32(number as u32));
        for block in here.into_iter().chain(within).filter(|_| seldom) {
            self.emitter().b.set_cold_block(block);
        }
        emitted
    }
}

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

        /// The ways to all subjects: each is reached by its name, as in `self.places().lose(..)`.
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
    /// The loop.
    main_loop: MainLoopCode;
    /// What output arcs give.
    outputs: OutputCode;
    /// The numbers of tokens of places, with statistics and watches.
    places: PlaceCode;
    /// Searches for a binding.
    searches: SearchCode;
    /// The values of tokens.
    slots: SlotCode;
    /// Coloured tokens that come and go.
    tokens: TokenCode;
    /// A firing: its start and its end.
    transitions: TransitionCode;
}
