"""Runs small nets written as text and tells what happened, firing by firing."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, field

from petri import language
from petri.engine import native
from petri.engine.errors import Fault
from petri.engine.firings import TracedFiring
from petri.engine.interface import Limits, Session
from petri.measure.observation import Observation
from petri.net import Net, Token
from petri.run import session
from tests.fuzz.modes import same, state


@dataclass(frozen=True)
class Fired:
    """A firing by names; `values` are the variables in order."""

    start: float
    end: float
    name: str
    values: tuple[float, ...] = ()


@dataclass(frozen=True)
class Ran:
    """What a run did, and where it ended."""

    fired: list[Fired]
    marking: dict[str, list[Token]]
    reason: str
    now: float
    hash: int
    observation: Observation
    error: Fault | None
    names: list[str] = field(repr=False, default_factory=list)

    def order(self) -> str:
        """Return the names of the firings in order, as in "a b b"."""
        return " ".join(f.name for f in self.fired)

    def counts(self) -> Counter[str]:
        return Counter(f.name for f in self.fired)

    def values(self, name: str) -> list[tuple[float, ...]]:
        return [f.values for f in self.fired if f.name == name]


def fired_of(net: Net, firing: TracedFiring) -> Fired:
    """Return a firing by names, its times and values in the net's unit."""
    tick, transition = net.tick, net.transitions[firing.transition]
    pairs = zip(firing.variables, transition.variables, strict=True)
    values = tuple(tick.quantity(value, variable.dimension) for value, variable in pairs)
    return Fired(tick.time(firing.start), tick.time(firing.end), transition.name, values)


def simulate(
    text: str | Net,
    engine: str,
    *,
    until: float = math.inf,
    firings: int = 100_000,
    seed: int = 1,
    replication: int = 0,
    limits: Limits = Limits(),
    warmup: float = 0.0,
) -> Ran:
    """Run a net given as the body of a `.net` file without its `net` line."""
    net = language.loads(f"net test\n{text}") if isinstance(text, str) else text

    def ended(trace: bool) -> tuple[Session, str]:
        run = session.begin(net, engine, seed, replication, limits=limits, trace=trace)
        if warmup:
            run.advance(net.tick.ticks(warmup), firings)
            run.begin_window()
        return run, run.advance(net.tick.ticks(until), firings)

    run, reason = ended(trace=True)
    if engine == "native" and native.PATIENCE == 0:  # a run with a trace is interpreted, so another runs machine code
        code, same_reason = ended(trace=False)
        found, expected = state(code), state(run)
        assert (same_reason, [name for name in expected if not same(found[name], expected[name])]) == (reason, [])
    fired = [fired_of(net, firing) for firing in run.trace()]
    names = [t.name for t in net.transitions]
    marking = dict(zip((p.name for p in net.places), run.marking(), strict=True))
    return Ran(fired, marking, reason, net.tick.time(run.now), run.hash, run.observe(), run.error, names)
