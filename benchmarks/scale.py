"""B6 to B18: how the time of a firing and the memory grow with the net, its tokens, and the firings in progress."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from benchmarks import unlike
from benchmarks.contenders import NETS, Contender, Entry, Simulator, compete

PATIENCE = 5.0  # seconds of processor time
COMPILED = 2_500_000  # firings after which the native engine has generated machine code for each of these nets
SIZES = (100, 1_000, 10_000, 100_000, 1_000_000)


@dataclass(frozen=True, slots=True)
class Family:
    """A net whose `parameter` grows; the other parameters are fixed."""

    title: str
    net: str
    parameter: str
    sizes: tuple[int, ...] = SIZES
    fixed: tuple[tuple[str, object], ...] = ()
    id: str = "B6"
    simpy: bool = False  # whether it is simulated with SimPy too (`comparators/simpy_scale.py`)
    settle: int = COMPILED

    def file(self, size: int) -> Path:
        """The net, of the size if it has no parameter for it."""
        return unlike.write(size) if self.net == "unlike" else NETS / f"{self.net}.net"

    def parameters(self, size: int) -> dict[str, object]:
        return dict(self.fixed) if self.net == "unlike" else {self.parameter: size, **dict(self.fixed)}


FAMILIES = (
    Family("ring of n stations and tokens, n transitions", "ring", "stations", SIZES[:-1], (("share", 1),)),
    Family("ring of n stations and tokens, folded", "folded_ring", "stations"),
    Family("bag of n tokens, one wanted by its key", "keyed_bag", "waiting"),
    Family("n firings in progress", "in_progress", "firings"),
    Family("n dining philosophers, folded", "philosophers", "seats", SIZES[:-1], id="B7"),
    Family("n jobs, n machines that are large enough", "matching", "machines", (500, 5_000, 50_000), id="B8"),
    Family("n tokens, the least preferred", "preference", "waiting", SIZES[:-1], id="B9"),
    Family("n orders by part and by depot, a chain of joins", "deliveries", "orders", SIZES[:-1], id="B10"),
    Family("n jobs, n machines of 20 to a class, large enough", "classes", "machines", (500, 5_000, 50_000), id="B11"),
    Family("n bolts, n holes whose limits fit", "tolerances", "bolts", (500, 5_000, 50_000), id="B12"),
    Family("2 n tokens, pairs that a remainder tells", "remainders", "tokens", (500, 5_000, 50_000), id="B13"),
    Family("network of n stations, random routing", "jackson", "stations", (10, 100, 1_000), id="B14", simpy=True),
    Family("tasks of a case, joined by number, n in progress", "workflow", "open", SIZES[:3], id="B15", simpy=True),
    Family("crossbar of n × n ports, a queue for each pair", "crossbar", "ports", (8, 16, 32), id="B16", simpy=True),
    Family("n individuals", "individuals", "people", SIZES[1:4], id="B17", simpy=True),
    Family("n transitions, each unlike all others", "unlike", "stations", (30, 300, 3_000), (), "B18", True, 9_000_000),
)


@dataclass(frozen=True, slots=True)
class Growth:
    """The runs of a family, one entry for each size."""

    family: Family
    entries: Sequence[Entry]

    def nanoseconds(self) -> list[float]:
        """Nanoseconds of processor time per firing, by size."""
        return [1e9 / entry.rate for entry in self.entries]

    @property
    def factor(self) -> float:
        """Time of a firing at the largest size divided by that at the smallest."""
        times = self.nanoseconds()
        return times[-1] / times[0]

    @property
    def bytes_per_item(self) -> float:
        """Peak memory that each further token, station or firing costs, from the smallest size to the largest."""
        more = self.family.sizes[-1] - self.family.sizes[0]
        return (self.entries[-1].memory - self.entries[0].memory) / max(more, 1)


def grow(family: Family, engine: str, seconds: float, rounds: int, largest: int) -> Growth:
    """Measure a family up to a size."""
    sizes = tuple(size for size in family.sizes if size <= largest) or family.sizes[:1]
    contenders: list[Contender] = [
        Simulator(
            name=f"{size:,}",
            engine=f"steady-{engine}",
            net=family.file(size),
            parameters=family.parameters(size),
            request={"settle": max(3 * size, family.settle), "patience": 3 * PATIENCE},
        )
        for size in sizes
    ]
    if engine == "simpy":
        contenders = [
            Simulator(f"{size:,}", "steady-simpy", family.net, parameters={family.parameter: size}) for size in sizes
        ]
    cut = replace(family, sizes=sizes)
    return Growth(cut, compete(contenders, seconds, rounds))
