//! A net that stands in a program: the program puts tokens into ports in, lets time go on, and takes what leaves through ports out.
//!
//! A component differs from a run in one thing: it is at an instant *before* what happens there. `advance(t)` does all that happens
//! before `t`, and what happens at `t` waits until time goes on, so that tokens that come at `t` are in time. The trajectory
//! therefore does not depend on the steps in which time goes on.

use std::sync::Arc;

use crate::base::fault::Fault;
use crate::base::ids::{PlaceId, TransitionId};
use crate::base::seeds::seed_words;
use crate::base::ticks::{Ticks, HORIZON, NEVER};
use crate::engine::limits::{Compile, Limits};
use crate::engine::run::Reason;
use crate::observe::observers::ExtraObservers;
use crate::session::compiled::Compiled;
use crate::session::observed::Observed;
use crate::session::replication::Replication;

/// Why a component does not do what it is told. Its state stays as it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refused {
    /// The place is no port in, or no port out.
    Port,
    /// The instant has passed.
    Past,
    /// The instant is beyond the horizon, where model time ends.
    Horizon,
    /// The token is none of the port's colour.
    Token,
    /// The model has broken a rule before: see [`Component::error`].
    Stopped,
    /// The other component is of another net.
    OtherNet,
}

/// A net with open ports, at an instant.
///
/// ```
/// use std::sync::Arc;
/// use engine::session::{compiled::Compiled, component::Component};
///
/// let net = r#"{"places": [{"name": "a", "port": "in"}, {"name": "z", "port": "out", "discipline": "fifo"}],
///     "transitions": [{"name": "t", "inputs": [{"place": 0}], "outputs": [{"places": [1]}],
///         "time": {"op": "const", "kind": "real", "value": 5.0}}],
///     "probes": [{"is": "Watched", "value": {"op": "tokens", "kind": "int", "value": 1}}]}"#;
/// let compiled = Arc::new(Compiled::from_json(net).unwrap());
/// let mut component = Component::new(&compiled, 1).unwrap();
/// let (a, z) = (component.place("a").unwrap(), component.place("z").unwrap());
/// component.put(a, 10, &[]).unwrap();
/// assert_eq!(component.next_event(), 0);
/// assert_eq!(component.advance(100, true), Ok(15));
/// assert_eq!(component.take(z), Ok(Some((15, &[][..]))));
/// ```
pub struct Component {
    replication: Replication,
    now: Ticks,
    /// Whether what happens at the engine's instant has happened.
    over: bool,
}

impl Component {
    /// A component at time 0, with the random numbers of replication 0 of a seed. A key of an initial token may raise a fault; a
    /// net with streams that are no ports never gets any of their rows.
    pub fn new(compiled: &Arc<Compiled>, seed: u64) -> Result<Self, Box<Fault>> {
        let limits = Limits { firings_at_an_instant: 1_000_000, tokens: 10_000_000, compile: Compile::WhenItPays };
        let (extra, compiled) = (ExtraObservers::default(), Arc::clone(compiled));
        let mut replication = Replication::new(compiled, seed_words(seed, 0), limits, extra, Arc::default())?;
        let program = Arc::clone(&replication.engine.program);
        replication.engine.outputs.keep(&program, false);
        for &place in program.streams.iter().chain(&program.fed) {
            replication.engine.streams.feed(place, Vec::new());
        }
        Ok(Component { replication, now: 0, over: false })
    }

    /// The place with this name.
    pub fn place(&self, name: &str) -> Option<PlaceId> {
        let program = &self.replication.engine.program;
        let found = program.places.iter().take(program.own_places).position(|place| &*place.name == name)?;
        Some(PlaceId(found as u32))
    }

    /// The instant at which it is: what happens before has happened.
    pub fn now(&self) -> Ticks {
        self.now
    }

    /// The engine, to look at.
    pub fn engine(&self) -> &crate::engine::run::Engine {
        &self.replication.engine
    }

    /// A token is to come into a port, now or later. Of several at one instant, the one that was put first comes first.
    pub fn put(&mut self, port: PlaceId, time: Ticks, token: &[u64]) -> Result<(), Refused> {
        let engine = &mut *self.replication.engine;
        if engine.error.is_some() {
            return Err(Refused::Stopped);
        }
        if !engine.program.inputs.contains(&port) {
            return Err(Refused::Port);
        }
        if time < self.now {
            return Err(Refused::Past);
        }
        if time > HORIZON {
            return Err(Refused::Horizon);
        }
        if !engine.program.places[port].may_have(token) {
            return Err(Refused::Token);
        }
        engine.streams.arrivals.put(port, time, token);
        Ok(())
    }

    /// Nothing happens before this instant, which is `NEVER` where nothing will, unless a token is put that comes earlier. Something
    /// may happen then: clocks may stop at it, and after `advance` has stopped at an output it is that instant.
    pub fn next_event(&mut self) -> Ticks {
        let engine = &mut *self.replication.engine;
        if engine.error.is_some() {
            return NEVER;
        }
        if !self.over {
            return engine.now;
        }
        engine.next_end().min(engine.streams.arrivals.next()).max(self.now)
    }

    /// Does all that happens before an instant; then it is that instant. stops: or, if tokens leave through ports out before, the
    /// instant at which they do: what is then put at it still comes at it. Returns the instant. In a net that stops at decisions, it is
    /// the instant of the first that waits for [`Component::decide`].
    pub fn advance(&mut self, until: Ticks, stops: bool) -> Result<Ticks, Refused> {
        if self.replication.engine.error.is_some() {
            return Err(Refused::Stopped);
        }
        if until < self.now {
            return Err(Refused::Past);
        }
        if until > HORIZON {
            return Err(Refused::Horizon);
        }
        if until > self.next_event() {
            self.replication.engine.outputs.stops = stops;
            match self.replication.advance(until - 1, u64::MAX) {
                Reason::Output | Reason::Decision => {
                    self.over = false;
                    self.now = self.replication.engine.now;
                    return Ok(self.now);
                }
                Reason::Error => return Err(Refused::Stopped),
                _ => self.over = true,
            }
        }
        self.now = until;
        Ok(until)
    }

    /// What has left through a port out and has not been taken: the first token, and when it left.
    pub fn take(&mut self, port: PlaceId) -> Result<Option<(Ticks, &[u64])>, Refused> {
        let engine = &mut *self.replication.engine;
        let number = engine.program.outputs.iter().position(|&place| place == port).ok_or(Refused::Port)?;
        let width = engine.program.places[port].width;
        let taken = engine.outputs.take(number, width);
        Ok(taken.map(|row| (row[0] as Ticks, &row[1..])))
    }

    /// What may be decided at this instant: transitions with the values of their variables, in order. See `Engine::decidable`.
    pub fn choices(&mut self, each: impl FnMut(TransitionId, &[u64])) {
        self.replication.engine.decidable(each);
    }

    /// One of them fires, given by values of some of its variables. False where there is none such.
    pub fn decide(&mut self, transition: TransitionId, wanted: &[(usize, u64)]) -> bool {
        self.replication.engine.decide(transition, wanted)
    }

    /// Another component in the same state, which goes on by itself, or is kept to return to.
    pub fn snapshot(&self) -> Result<Self, Refused> {
        let replication = self.replication.copied().map_err(|_| Refused::Stopped)?;
        Ok(Component { replication, ..*self })
    }

    /// Becomes as another component of the same net is.
    pub fn restore(&mut self, other: &Self) -> Result<(), Refused> {
        if !Arc::ptr_eq(self.replication.compiled(), other.replication.compiled()) {
            return Err(Refused::OtherNet);
        }
        self.replication.engine.assume_all(&other.replication.engine);
        (self.now, self.over) = (other.now, other.over);
        Ok(())
    }

    /// The statistics from time 0 to now.
    pub fn observe(&mut self) -> Observed {
        let engine = &mut *self.replication.engine;
        let now = std::mem::replace(&mut engine.now, self.now);
        let observed = Observed::of(engine);
        self.replication.engine.now = now;
        observed
    }
}
