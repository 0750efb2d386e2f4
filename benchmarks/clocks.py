"""Transitions that race: `python -m benchmarks.clocks [NAME …]`.

Shown is the processor time of a firing in machine code, the median and the least of fifteen turns: where other
machines share the caches, how busy they are decides which of the two a user sees.

The networks of reactions are compared with rebop (`pip install rebop`) where that is installed.
"""

from __future__ import annotations

import random
import statistics
from collections.abc import Callable
from functools import partial
from importlib.util import find_spec
from time import process_time

import petri
from benchmarks.asked import show
from benchmarks.reactions import NETWORKS, gillespie, text
from petri.engine import native
from petri.engine.interface import Asked, Limits
from petri.engine.native import NativeSession
from petri.net import Clock, Colour, Draw, Expr, InputArc, Match, Net, OutputArc, Place, Slot, Transition, Variable

TURNS = 15
RUNS = 3
UNIT = 2.0**32  # ticks of a time unit
END = 2.0**52


def real(value: float) -> Expr:
    return Expr("const", "real", value=value)


def exp(mean: Expr) -> Expr:
    return Expr("exp", "real", (mean,))


def tokens(place: int) -> Expr:
    return Expr("real", "real", (Expr("tokens", "int", value=place),))


def variable(index: int) -> Expr:
    return Expr("var", "int", value=index)


def well_mixed(people: int) -> Net:
    """Return an SIS epidemic in which everyone meets everyone: two counts."""
    half = Place("healthy", initial=((people // 2, ()),)), Place("infected", initial=((people // 2, ()),))
    mean = Expr("div", "real", (real(UNIT * people / 2), Expr("mul", "real", (tokens(0), tokens(1)))))
    two = Expr("const", "int", value=2)
    arcs, doubled = (InputArc(0), InputArc(1)), (OutputArc((1,), count=two),)
    infect = Transition("infect", (), arcs, outputs=doubled, clock=Clock(exp(mean)))
    clock = Clock(exp(real(UNIT)), servers=None)
    recover = Transition("recover", (), (InputArc(1),), outputs=(OutputArc((0,)),), clock=clock)
    return Net("well_mixed", half, (infect, recover))


def on_graph(nodes: int) -> Net:
    """Return the same on a random graph of mean degree 8."""
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


def per_firing(net: Net, firings: int) -> str:
    """Return the time of a firing, once the machine code is there. firings: of all turns together."""
    native.PATIENCE = 0
    session = NativeSession(net, 1, 0, Limits(), Asked())
    session.advance(END, firings // 10)
    times = []
    for _ in range(TURNS):
        start, before = process_time(), session.firings
        session.advance(END, firings // TURNS)
        times.append((process_time() - start) / (session.firings - before) * 1e9)
    return f"{statistics.median(times):.0f} ns a firing, at best {min(times):.0f}"


def reactions(name: str) -> str:
    """Nanoseconds of a firing in whole runs, with their code generation; another run counts the steps of rebop."""
    network = NETWORKS[name]
    net = petri.loads(text(network))

    def ours(seed: int) -> float:
        start = process_time()
        result = net.run(seed=seed)
        time = process_time() - start
        if result.failure is not None:
            raise RuntimeError(f"{name}: {result.failure}")
        return time / result.replications[0].firings

    line = f"{name}: {median(ours):.0f} ns a firing"
    if find_spec("rebop") is None:
        return f"{line}; rebop is not installed"
    system = gillespie(network)

    def theirs(seed: int) -> float:
        start = process_time()
        system.run(network.initial, network.time, 1, rng=seed)
        time = process_time() - start
        return time / len(system.run(network.initial, network.time, 0, rng=seed, var_names=[*network.initial][:1]).time)

    return f"{line}, rebop {median(theirs):.0f} ns"


def median(work: Callable[[int], float]) -> float:
    """Return the median of several runs with different seeds, in nanoseconds; `work` returns seconds."""
    return 1e9 * statistics.median(map(work, range(RUNS)))


MEASURED: dict[str, Callable[[], str]] = {
    "mixed": lambda: f"SIS, 10^6 well mixed: {per_firing(well_mixed(1_000_000), 9_000_000)}",
    "graph": lambda: f"SIS on a graph of 10^4 nodes: {per_firing(on_graph(10_000), 3_000_000)}",
    "large": lambda: f"SIS on a graph of 10^6 nodes: {per_firing(on_graph(1_000_000), 3_000_000)}",
    "sharing": lambda: f"processor sharing, 10^4 jobs: {per_firing(shared(10_000), 900_000)}",
    **{name: partial(reactions, name) for name in NETWORKS},
}


def main(words: list[str] | None = None) -> None:
    show(MEASURED, __doc__, words)


if __name__ == "__main__":
    main()
