"""Transitions that race: `python -m benchmarks.clocks [NAME …]`.

Shown is the processor time of a firing in machine code, the median of three turns.

The reaction network is compared with rebop (`pip install rebop`) where that is installed.
"""

from __future__ import annotations

import random
import statistics
import sys
from collections.abc import Callable
from pathlib import Path
from time import process_time

import petri
from petri.engine import native
from petri.engine.interface import Asked, Limits
from petri.engine.native import NativeSession
from petri.net import Clock, Colour, Draw, Expr, InputArc, Match, Net, OutputArc, Place, Slot, Transition, Variable

TURNS = 3
UNIT = 2.0**32  # ticks of a time unit
END = 2.0**52
OSCILLATOR = Path(__file__).parent / "nets" / "vilar.net"
HOURS = 5_000


def real(value: float) -> Expr:
    return Expr("const", "real", value=value)


def exp(mean: Expr) -> Expr:
    return Expr("exp", "real", (mean,))


def tokens(place: int) -> Expr:
    return Expr("real", "real", (Expr("tokens", "int", value=place),))


def variable(index: int) -> Expr:
    return Expr("var", "int", value=index)


def well_mixed(people: int) -> Net:
    """An SIS epidemic in which everyone meets everyone: two counts."""
    half = Place("healthy", initial=((people // 2, ()),)), Place("infected", initial=((people // 2, ()),))
    mean = Expr("div", "real", (real(UNIT * people / 2), Expr("mul", "real", (tokens(0), tokens(1)))))
    two = Expr("const", "int", value=2)
    arcs, doubled = (InputArc(0), InputArc(1)), (OutputArc((1,), count=two),)
    infect = Transition("infect", (), arcs, outputs=doubled, clock=Clock(exp(mean)))
    clock = Clock(exp(real(UNIT)), servers=None)
    recover = Transition("recover", (), (InputArc(1),), outputs=(OutputArc((0,)),), clock=clock)
    return Net("well_mixed", half, (infect, recover))


def on_graph(nodes: int) -> Net:
    """The same on a random graph of mean degree 8."""
    chance = random.Random(1)
    edges: set[tuple[int, int]] = set()
    while len(edges) < 4 * nodes:
        one, other = chance.randrange(nodes), chance.randrange(nodes)
        if one != other:
            edges.add((one, other))
    both = tuple((1, pair) for one, other in edges for pair in ((one, other), (other, one)))
    node = Colour("node", (Slot("i", "int", 0, nodes - 1),))
    edge = Colour("edge", (Slot("from", "int", 0, nodes - 1), Slot("to", "int", 0, nodes - 1)))
    half = nodes // 2
    places = (
        Place("healthy", node, initial=tuple((1, (i,)) for i in range(half))),
        Place("infected", node, initial=tuple((1, (i,)) for i in range(half, nodes))),
        Place("edge", edge, initial=both),
    )
    i, j = (Match(equal=variable(0)),), (Match(equal=variable(1)),)
    infect = Transition(
        "infect",
        (Variable("i", "int"), Variable("j", "int")),
        (InputArc(2, (Match(1), Match(0)), keep=True), InputArc(0, i), InputArc(1, j, keep=True)),
        outputs=(OutputArc((1,), (variable(0),)),),
        clock=Clock(exp(real(2 * UNIT))),
    )
    recover = Transition(
        "recover",
        (Variable("i", "int"),),
        (InputArc(1, (Match(0),)),),
        outputs=(OutputArc((0,), (variable(0),)),),
        clock=Clock(exp(real(UNIT))),
    )
    return Net("graph", places, (infect, recover))


def shared(jobs: int) -> Net:
    """Processor sharing at load 1, with this many jobs to begin with: a speed changes at each firing."""
    chance = random.Random(1)
    work = Colour("work", (Slot("", "real"),))
    value = Expr("var", "real", value=0)
    places = (
        Place("source", initial=((1, ()),)),
        Place("job", work, initial=tuple((1, (UNIT * jobs * chance.expovariate(1),)) for _ in range(jobs))),
        Place("done"),
    )
    arrive = Transition(
        "arrive",
        (Variable("w", "real"),),
        (InputArc(0),),
        draws=(Draw(0, exp(real(UNIT * jobs))),),
        time=exp(real(UNIT)),
        outputs=(OutputArc((0,)), OutputArc((1,), (value,))),
    )
    serve = Transition(
        "serve",
        (Variable("w", "real"),),
        (InputArc(1, (Match(0),)),),
        outputs=(OutputArc((2,)),),
        clock=Clock(value, speed=Expr("div", "real", (real(jobs), tokens(1)))),
    )
    return Net("sharing", places, (arrive, serve))


def per_firing(net: Net, firings: int) -> float:
    """Nanoseconds of a firing, once the machine code is there."""
    native.PATIENCE = 0
    session = NativeSession(net, 1, 0, Limits(), Asked())
    session.advance(END, firings // 10)
    times = []
    for _ in range(TURNS):
        start, before = process_time(), session.firings
        session.advance(END, firings)
        times.append((process_time() - start) / (session.firings - before) * 1e9)
    return statistics.median(times)


REACTIONS = (  # of `nets/vilar.net`, as rebop has them: rate, what reacts, and what comes of it
    (1, "Da A", "Dap"), (50, "Dap", "Da A"), (1, "Dr A", "Drp"), (100, "Drp", "Dr A"),
    (50, "Da", "Da Ma"), (500, "Dap", "Dap Ma"), (0.01, "Dr", "Dr Mr"), (50, "Drp", "Drp Mr"),
    (10, "Ma", ""), (0.5, "Mr", ""), (50, "Ma", "Ma A"), (5, "Mr", "Mr R"),
    (2, "A R", "C"), (1, "C", "R"), (1, "A", ""), (0.2, "R", ""),
)  # fmt: skip


def oscillator() -> str:
    """Both simulate the same time, so that they fire equally often."""
    net = petri.load(OSCILLATOR)
    ours = turns(lambda seed: net.run(seed=seed, until=float(HOURS)))
    try:
        import rebop  # type: ignore[import-not-found]
    except ImportError:
        return f"oscillator, {HOURS} h: {ours:.2f} s; rebop is not installed"
    network = rebop.Gillespie()
    for rate, before, after in REACTIONS:
        network.add_reaction(rate, before.split(), after.split())
    theirs = turns(lambda seed: network.run({"Da": 1, "Dr": 1}, HOURS, 1, rng=seed))
    return f"oscillator, {HOURS} h: {ours:.2f} s, rebop {theirs:.2f} s"


def turns(work: Callable[[int], object]) -> float:
    """The median of the processor time."""
    times = []
    for seed in range(TURNS):
        start = process_time()
        work(seed)
        times.append(process_time() - start)
    return statistics.median(times)


MEASURED: dict[str, Callable[[], str]] = {
    "mixed": lambda: f"SIS, 10^6 well mixed: {per_firing(well_mixed(1_000_000), 3_000_000):.0f} ns a firing",
    "graph": lambda: f"SIS on a graph of 10^4 nodes: {per_firing(on_graph(10_000), 1_000_000):.0f} ns a firing",
    "large": lambda: f"SIS on a graph of 10^6 nodes: {per_firing(on_graph(1_000_000), 1_000_000):.0f} ns a firing",
    "sharing": lambda: f"processor sharing, 10^4 jobs: {per_firing(shared(10_000), 300_000):.0f} ns a firing",
    "oscillator": oscillator,
}

if __name__ == "__main__":
    for name in sys.argv[1:] or MEASURED:
        print(MEASURED[name](), flush=True)
