"""The nets B1 to B5, and the programs that simulate each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.contenders import HANDWRITTEN, HERE, NETS, Contender, Handwritten, Simulator


@dataclass(frozen=True, slots=True)
class Case:
    """A net that several engines simulate. `least` is the required ratio to the hand-written program."""

    id: str
    title: str
    net: Path
    program: str
    unit: str = "firings"
    counted: str | None = None  # transition whose firings are the units; None: all
    per_unit: float = 1.0  # firings that the hand-written program does for a unit
    least: float = 0.4
    wanted: float = 0.8
    comparators: tuple[str, ...] = ("simpy", "simpn")
    parameters: Mapping[str, object] = field(default_factory=dict)
    measures: bool = False  # the net declares measures, which the hand-written program does not keep
    defines: tuple[str, ...] = ()  # of the hand-written program

    def contenders(self, engine: str) -> list[Contender]:
        """Put the hand-written program with statistics first: the others are compared with it.

        A shortcut is a program that simulates something simpler than the net's events, with the same distribution.
        """
        plain = f"{engine}-bare" if self.measures else engine
        listed: list[Contender] = []
        if (HANDWRITTEN / f"{self.program}.cpp").exists():
            listed += [
                Handwritten("by hand, statistics", self.program, True, self.per_unit, self.defines),
                Handwritten("by hand, none", self.program, False, self.per_unit, self.defines),
            ]
        shortcut = f"{self.program}_shortcut"
        if (HANDWRITTEN / f"{shortcut}.cpp").exists():
            listed.append(Handwritten("by hand, shortcut", shortcut, True, self.per_unit))
        listed.append(Simulator("pnsim", plain, self.net, self.counted, self.parameters))
        if self.measures:
            listed.append(Simulator("pnsim, its measures too", engine, self.net, self.counted, self.parameters))
        listed += [Simulator(name, name, self.program) for name in self.comparators]
        return listed


BASE_MODEL = HERE.parent / "nets" / "ixp2400.net"
ENDLESS = {"packets": 1_000_000_000}

CASES = (
    Case("B1", "closed ring, 16 stations, 64 tokens", NETS / "ring.net", "ring"),
    Case(
        "B2", "open pipeline, 8 threads", NETS / "pipeline.net", "pipeline",
        unit="packets", counted="process", per_unit=2.0,
    ),
    Case("B3", "join of 2 × 200 tokens", NETS / "join.net", "join", least=0.15, wanted=0.4),
    Case("B4", "IXP2400 base model", BASE_MODEL, "ixp2400", parameters=ENDLESS, measures=True, comparators=("simpy",)),
    Case(
        "B5", "ten IXP2400 in a chain", NETS / "chain.net", "ixp2400",
        parameters=ENDLESS, measures=True, comparators=(), defines=("HOPS=10",),
    ),
)  # fmt: skip
