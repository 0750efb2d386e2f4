"""B6 to B20: how the time of a firing and the memory grow with the net, its tokens, and the firings in progress."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from benchmarks import unlike
from benchmarks.contenders import NETS, Contender, Entry, Handwritten, Simulator, compete
from benchmarks.report import Scaling

PATIENCE = 8.0  # seconds of processor time until the measurement starts, whether or not the net has settled
COMPILED = 2_500_000  # firings after which the native engine has generated machine code for each of these nets
UNTIMED = 500_000  # firings of a hand-written program that are not timed
TENS = (100, 10_000, 100_000)
MILLION = (100, 10_000, 1_000_000)
HALVES = (500, 5_000, 50_000)


@dataclass(frozen=True, slots=True)
class Family:
    """A net whose `parameter` grows; the other parameters are fixed."""

    id: str
    title: str
    net: str
    parameter: str
    sizes: tuple[int, ...]
    fixed: tuple[tuple[str, object], ...] = ()
    by_hand: bool = False  # whether `handwritten/` has a program for it
    simpy: str = ""  # its function in `comparators/simpy_nets.py`; without one it is not simulated with SimPy
    settle: int = COMPILED
    most: tuple[tuple[int, float], ...] = ()  # required nanoseconds per firing at some sizes

    def file(self, size: int) -> Path:
        """Return the net, of the size if it has no parameter for it."""
        return unlike.write(size) if self.net == "unlike" else NETS / f"{self.net}.net"

    def parameters(self, size: int) -> dict[str, object]:
        return dict(self.fixed) if self.net == "unlike" else {self.parameter: size, **dict(self.fixed)}

    def contenders(self, engine: str) -> Iterator[tuple[str, int, Contender]]:
        """(engine as the tables name it, size, contender)."""
        for size in self.sizes:
            request = {"settle": max(3 * size, self.settle), "patience": PATIENCE}
            name, parameters = f"steady-{engine}", self.parameters(size)
            yield "pnsim", size, Simulator("pnsim", name, self.file(size), None, parameters, request)
        for size in self.sizes if self.by_hand else ():
            settle = max(3 * size, UNTIMED)
            yield "by hand", size, Handwritten("by hand", self.net, size=size, settle=settle)
        for size in self.sizes if self.simpy else ():
            request = {"settle": 5 * size, "patience": PATIENCE / 2}
            sizes = {self.parameter: size, **dict(self.fixed)}
            yield "simpy", size, Simulator("simpy", "steady-simpy", self.simpy, None, sizes, request)


FAMILIES = (
    Family("B6", "ring of n transitions", "ring", "stations", TENS, (("share", 1),), simpy="ring"),
    Family("B6", "ring of n tokens, folded", "folded_ring", "stations", MILLION),
    Family("B6", "bag of n, one wanted by its key", "keyed_bag", "waiting", MILLION, simpy="keyed_bag"),
    Family("B6", "n firings in progress", "in_progress", "firings", MILLION, simpy="in_progress"),
    Family("B7", "n dining philosophers, folded", "philosophers", "seats", TENS, by_hand=True, simpy="philosophers"),
    Family(
        "B8", "n jobs, n machines large enough", "matching", "machines", HALVES,
        by_hand=True, simpy="matching", most=((500, 500.0), (50_000, 1_500.0)),
    ),
    Family("B9", "n tokens, the least preferred", "preference", "waiting", TENS, simpy="preference"),
    Family("B10", "n orders, a chain of joins", "deliveries", "orders", TENS),
    Family("B11", "n jobs, n machines in classes", "classes", "machines", HALVES, simpy="classes"),
    Family("B12", "n bolts, n holes that they fit", "tolerances", "bolts", HALVES, simpy="tolerances"),
    Family("B13", "n + n tokens, paired by remainder", "remainders", "tokens", HALVES, simpy="remainders"),
    Family(
        "B14", "n stations, random routing", "jackson", "stations", (10, 100, 1_000), by_hand=True, simpy="jackson"
    ),
    Family("B15", "n cases, split and joined", "workflow", "open", (100, 1_000, 10_000), simpy="workflow"),
    Family("B16", "crossbar of n × n ports", "crossbar", "ports", (8, 16, 32), by_hand=True, simpy="crossbar"),
    Family(
        "B17", "n individuals", "individuals", "people", (1_000, 10_000, 100_000), by_hand=True, simpy="individuals"
    ),
    Family(
        "B18", "n unlike transitions", "unlike", "stations", (30, 300, 3_000),
        simpy="unlike", settle=9_000_000, most=((3_000, 120.0),),
    ),
    Family("B19", "n jobs, the least served next", "least_served", "jobs", MILLION, by_hand=True, simpy="least_served"),
    Family(
        "B20", "n orders of three parts", "assembly", "open", (200, 2_000, 20_000), by_hand=True, simpy="assembly"
    ),
)  # fmt: skip


def grow(family: Family, engine: str, seconds: float, rounds: int, largest: int) -> tuple[list[Scaling], list[str]]:
    """Measure a family up to a size, on all engines in turn. Also tells what could not be measured, and why."""
    sizes = tuple(size for size in family.sizes if size <= largest) or family.sizes[:1]
    named = list(replace(family, sizes=sizes).contenders(engine))
    entries = compete([contender for *_, contender in named], seconds, rounds)
    found = {(name, size): entry for (name, size, _), entry in zip(named, entries, strict=True)}
    scalings = [scaling(family, name, sizes, found) for name in dict.fromkeys(name for name, *_ in named)]
    problems = [f"{family.id} on {name} ({e.problem})" for (name, _), e in found.items() if e.problem]
    return [one for one in scalings if any(one.nanoseconds)], problems


def scaling(family: Family, engine: str, sizes: Sequence[int], found: dict[tuple[str, int], Entry]) -> Scaling:
    entries = [found.get((engine, size)) for size in sizes]
    measured = [entry if entry is not None and entry.samples else None for entry in entries]
    return Scaling(
        family.id,
        family.title,
        engine,
        list(sizes),
        [None if entry is None else 1e9 / entry.rate for entry in measured],
        [None if entry is None else entry.memory for entry in measured],
    )
