"""Runs small nets written as text and tells what happened, firing by firing."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, field

from petri import language
from petri.engine.errors import Fault
from petri.engine.firings import TracedFiring
from petri.engine.interface import Limits
from petri.measure.observation import Observation
from petri.net import Net, Token
from petri.run import session


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
        """The names of the firings in order, as in "a b b"."""
        return " ".join(f.name for f in self.fired)

    def counts(self) -> Counter[str]:
        return Counter(f.name for f in self.fired)

    def values(self, name: str) -> list[tuple[float, ...]]:
        return [f.values for f in self.fired if f.name == name]


def fired_of(net: Net, firing: TracedFiring) -> Fired:
    """A firing by names, its times and values in the net's unit."""
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
    run = session.begin(net, engine, seed, replication, limits=limits, trace=True)
    if warmup:
        run.advance(net.tick.ticks(warmup), firings)
        run.begin_window()
    reason = run.advance(net.tick.ticks(until), firings)
    fired = [fired_of(net, firing) for firing in run.trace()]
    names = [t.name for t in net.transitions]
    marking = dict(zip((p.name for p in net.places), run.marking(), strict=True))
    return Ran(fired, marking, reason, net.tick.time(run.now), run.hash, run.observe(), run.error, names)
