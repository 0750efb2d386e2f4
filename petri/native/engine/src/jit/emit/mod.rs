//! Writes the code of a transition, and of the loop: a file and a struct for each subject, as in `state` and `engine`. The structs
//! borrow one `Emitter`, and share nothing else. In any subject, `self.e.load(..)` is an operation of the emitter,
//! `self.lose(..)` a method of the subject itself, and `self.joins().enter_index(..)` one of another subject.
//!
//! Emission knows the blueprints of a net, and nothing else of it.
//!
//! May import: what `jit` may, except `program` and `net`; of `jit`: `blueprint`, `holes`, `layout`, `profile`,
//! `runtime`.
//!
//! - [`emitter`]: the vocabulary that everything else is made of, and branches
//! - [`subjects`]: the struct of each subject, and how one reaches another
//! - [`slots`]: the values of tokens
//! - [`chance`]: what a firing draws
//! - [`expression`]: the values of expressions
//! - [`rate`]: rates in the common clock
//! - [`place`]: the number of tokens of a place, with statistics and watches
//! - [`token`]: coloured tokens that come and go
//! - [`line`]: places with `per`, and their fronts
//! - [`join`]: indices and joins
//! - [`enabling`]: which transitions are enabled
//! - [`agenda`]: firings that begin and end
//! - [`search`]: looking for a binding
//! - [`sets`]: which tokens sets have, what is counted of them and given for each, and how they leave
//! - [`output`]: what an output arc gives
//! - [`transition`]: a firing: its start and its end
//! - [`main_loop`]: the loop
//! - [`one_clock`]: the loop of a net of which all transitions share a clock

pub mod agenda;
pub mod chance;
pub mod emitter;
pub mod enabling;
pub mod expression;
pub mod join;
pub mod line;
pub mod main_loop;
pub mod one_clock;
pub mod output;
pub mod place;
pub mod rate;
pub mod search;
pub mod sets;
pub mod slots;
pub mod subjects;
pub mod token;
pub mod transition;
