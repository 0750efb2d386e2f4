"""How much the figures of the platforms depend on their constants: each 20 % down and up, one at a time.

python validation/sensitivity_platforms.py                     # the six calibrated constants
python validation/sensitivity_platforms.py --estimated         # and the estimates that decide most
python validation/sensitivity_platforms.py --only lock_share   # these constants
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Final

import petri

SEED: Final = 17
Figures = dict[str, float]


def updates(**constants: Any) -> Figures:
    """Percent lost at most and at half of the route updates."""
    found = {}
    for name, share in (("lost at most updates", 1.0), ("at half", 0.5)):
        for operation, frame in (("ipv4", "64 B"), ("ipv6", "78 B")):
            model = petri.load("npf", operation=operation, frame=frame, updates=share, **constants)
            result = model.run(until="40 ms", warmup="20 ms", seed=SEED, replications=1)
            found[f"{name}, {operation}"] = 100 * result.measure("lost").value
    return found


def line_rate(**constants: Any) -> Figures:
    """Percent lost at line rate, and the latency [us], of 64 B."""
    result = petri.load("npf", **constants).run(until="30 ms", warmup="15 ms", seed=SEED, replications=1)
    return {"lost at line rate": 100 * result.measure("lost").value, "latency": result.measure("latency").value / 1000}


def interrupts(**constants: Any) -> Figures:
    """Percent of the interrupts of the first three processors."""
    model = petri.load("ia32", processors=4, cards=4, load=0.1, window=0, **constants)
    result = model.run(until="200 ms", warmup="20 ms", seed=SEED, replications=4)
    return {f"CPU{n}": 100 * result.measure(f"cpu{n}_share").value for n in range(3)}


def ipsec(**constants: Any) -> Figures:
    """Percent of the time by function, at both sizes, and the ratio of their throughputs."""
    found: Figures = {}
    rates = {}
    for frame in ("64 B", "1518 B"):
        model = petri.load("ia32", function="ipsec", directions=1, frame=frame, **constants)
        result = model.run(until="200 ms", warmup="20 ms", seed=SEED, replications=2)
        for name in ("tdes", "md5", "maintenance"):
            found[f"{name} {frame}"] = 100 * result.measure(f"{name}_share").value
        rates[frame] = result.measure("throughput").value
    return {**found, "ratio": rates["1518 B"] / rates["64 B"]}


def routing(**constants: Any) -> Figures:
    """Throughput of 64 B, in percent more than with the default routing and, last, than one processor."""
    base = forwarded(routing="lowest", **constants)
    found = {way: 100 * (forwarded(routing=way, **constants) / base - 1) for way in ("next", "fixed", "balanced")}
    encrypt = {"function": "ipsec", "directions": 1}
    single = forwarded(processors=1, **encrypt, **constants)
    for way in ("lowest", "next"):
        found[f"IPSec, 2 against 1, {way}"] = 100 * (forwarded(routing=way, **encrypt, **constants) / single - 1)
    return found


def forwarded(**parameters: Any) -> float:
    model = petri.load("ia32", **parameters)
    return model.run(until="60 ms", warmup="10 ms", seed=SEED, replications=2).measure("forwarded").value


@dataclass(frozen=True)
class Constant:
    """A constant, its value, its unit, and what depends on it."""

    value: float
    unit: str
    effect: Callable[..., Figures]

    def at(self, factor: float) -> Any:
        value = self.value * factor
        return f"{value:g} {self.unit}" if self.unit else value


CALIBRATED: Final[Mapping[str, Constant]] = {
    "lock_share": Constant(0.17, "", updates),
    "driver_work": Constant(690, "tick", interrupts),
    "forward_work": Constant(1900, "tick", ipsec),
    "maintenance": Constant(14118, "tick", ipsec),
    "md5_base": Constant(2289, "tick", ipsec),
    "md5_work": Constant(5.25, "tick", ipsec),
}
ESTIMATED: Final[Mapping[str, tuple[Callable[..., Figures], tuple[Any, ...]]]] = {
    "forward_work": (line_rate, ("160 cycle", "200 cycle", "240 cycle", "280 cycle", "300 cycle")),
    "trie_reads": (line_rate, (4, 5, 6, 7, 8, 10)),
    "dram_conflict": (line_rate, ("19.2 cycle", "24 cycle", "28.8 cycle", "48 cycle")),
    "lock_weight": (updates, (8.0, 16.0, 32.0)),
    "bounce_work": (routing, ("0 tick", "1500 tick", "4000 tick", "8000 tick", "10000 tick", "12000 tick")),
    "locked": (routing, (0.0, 0.5, 1.0)),
}


def cases(estimated: bool, only: list[str]) -> Iterator[tuple[str, Any, Callable[..., Figures]]]:
    """Yield the constant, its value, and what depends on it."""
    for name, constant in CALIBRATED.items():
        for factor in (0.8, 1.0, 1.2):
            if not only or name in only:
                yield name, constant.at(factor), constant.effect
    for name, (effect, values) in ESTIMATED.items() if estimated else ():
        for value in values:
            if not only or name in only:
                yield name, value, effect


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--estimated", action="store_true", help="the estimates that decide most as well")
    parser.add_argument("--only", nargs="*", default=[], metavar="NAME", help="these constants")
    parser.add_argument("--workers", type=int, metavar="N", help="runs at one time")
    chosen = parser.parse_args()
    wanted = list(cases(chosen.estimated, chosen.only))
    with ThreadPoolExecutor(chosen.workers) as pool:
        found = pool.map(lambda case: case[2](**{case[0]: case[1]}), wanted)
        before = ""
        for (name, value, _), figures in zip(wanted, found, strict=True):
            heading = f"{name:34}" + "  ".join(figures)
            if heading != before:
                print(f"\n{heading}")
                before = heading
            shown = "  ".join(f"{figure:{len(title)}.2f}" for title, figure in figures.items())
            print(f"{f'  {value}':34}{shown}", flush=True)


if __name__ == "__main__":
    main()
