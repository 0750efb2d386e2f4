"""B6 to B13: how the time of a firing and the memory grow with the net, its tokens, and the firings in progress."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

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
            net=NETS / f"{family.net}.net",
            parameters={family.parameter: size, **dict(family.fixed)},
            request={"settle": max(3 * size, COMPILED), "patience": PATIENCE},
        )
        for size in sizes
    ]
    cut = replace(family, sizes=sizes)
    return Growth(cut, compete(contenders, seconds, rounds))
