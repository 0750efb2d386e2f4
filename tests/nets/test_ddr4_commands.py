"""Every command that the DDR4 of the library gives, against a table of the least distances of JESD79-4.

The table is written out here in cycles of 1600 MHz, and knows nothing of the net.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import numpy as np
import pytest

import petri
from petri.engine.firings import Firings
from petri.engine.native import available

pytestmark = pytest.mark.skipif(not available(), reason="the reference engine takes minutes")

CYCLE = 0.625  # ns
CL, CWL, BURST, WR = 22, 16, 4, 24
ACT, RD, WRITE, PRE, REF, PDE, PDX = "activate", "fetch", "store", "precharge", "recover", "sleep", "wake"
KINDS = {"conflict": PRE, "close": PRE, "wake_to_refresh": PDX}

# The second command comes at least so many cycles after the first one for the same bank, bank group or rank, or for
# the other rank.
BANK = [
    (ACT, RD, 22), (ACT, WRITE, 22), (ACT, PRE, 52), (ACT, ACT, 74), (PRE, ACT, 22), (RD, PRE, 12),
    (WRITE, PRE, CWL + BURST + WR),
]  # fmt: skip
GROUP = [(ACT, ACT, 8), (RD, RD, 8), (WRITE, WRITE, 8), (WRITE, RD, CWL + BURST + 12)]
RANK = [
    (ACT, ACT, 4), (RD, RD, 4), (WRITE, WRITE, 4), (WRITE, RD, CWL + BURST + 4), (RD, WRITE, CL + BURST + 2 - CWL),
    (PRE, REF, 22), (REF, ACT, 560), (PDE, PDX, 8), (RD, PDE, CL + BURST + 1), (WRITE, PDE, CWL + BURST + WR),
    (ACT, PDE, 2), (PRE, PDE, 2), (REF, PDE, 2),
    (PDX, ACT, 10), (PDX, RD, 10), (PDX, WRITE, 10), (PDX, PRE, 10), (PDX, REF, 10),
]  # fmt: skip
ACROSS = [(RD, RD, BURST + 2), (WRITE, WRITE, BURST + 2), (RD, WRITE, CL + BURST + 2 - CWL)]  # of the board
BUS = 1  # commands but for power-down, which has a wire of its own
FOUR = 34  # tFAW: four activations of a rank

Rule = tuple[str, str, str, int]
RULES: list[Rule] = [
    (scope, *rule)
    for scope, rules in (("bank", BANK), ("group", GROUP), ("rank", RANK), ("across", ACROSS))
    for rule in rules
]


class Watch:
    """Keeps the least distance of each rule among the commands of a trace, and what is open."""

    def __init__(self) -> None:
        self.least: dict[Rule, int] = {}
        self.last: dict[tuple[str, str, int], int] = {}
        self.activations: dict[int, list[int]] = defaultdict(list)
        self.four = self.bus = 10**9
        self.bus_at, self.commands = -(10**9), 0
        self.rules: dict[str, list[Rule]] = defaultdict(list)
        for rule in RULES:
            self.rules[rule[2]].append(rule)

    def command(self, kind: str, rank: int, bank: int, time: int) -> None:
        """Take one command, for a bank or, with -1, for a rank."""
        self.commands += 1
        own = {"bank": bank, "group": bank // 4, "rank": rank, "across": rank}
        for rule in self.rules[kind]:
            scope, first, _, _ = rule
            before = self.last.get((scope, first, own[scope]))
            if before is not None:
                self.least[rule] = min(time - before, self.least.get(rule, 10**9))
        if kind not in (PDE, PDX):
            self.bus, self.bus_at = min(self.bus, time - self.bus_at), time
        if kind == ACT:
            recent = self.activations[rank]
            recent.append(time)
            if len(recent) > 4:
                self.four = min(self.four, time - recent.pop(0))
        for scope, where in own.items():
            self.last[scope, kind, 1 - where if scope == "across" else where] = time


def watch(commands: int, **parameters: Any) -> Watch:
    """Run random accesses to both ranks until about that many commands have been given."""
    seen = Watch()
    model = petri.load("patterns/ddr4", pattern="random", ranks=2, power_down=True, **parameters)
    names = [transition.name for transition in model.net.transitions]
    variables = [[one.name for one in transition.variables] for transition in model.net.transitions]
    widths = [len(some) for some in variables]
    places = {
        number: (KINDS.get(name, name), some.index("k"), some.index("b") if "b" in some else -1)
        for number, (name, some) in enumerate(zip(names, variables, strict=True))
        if name in {ACT, RD, WRITE, REF, PDE, PDX, *KINDS}
    }

    def take(_: int, firings: Firings) -> None:
        at, words = 0, firings.words.tolist()
        cycles = np.rint(firings.starts / CYCLE).astype(int).tolist()
        for transition, time in zip(firings.transitions.tolist(), cycles, strict=True):
            if transition in places:
                kind, rank, bank = places[transition]
                seen.command(kind, words[at + rank], words[at + bank] if bank >= 0 else -1, time)
            at += widths[transition]

    model.run(until="dead", warmup=0.0, threads=1, trace=take, max_firings=commands * 6)
    return seen


def together(seen: list[Watch]) -> dict[Rule, int]:
    return {rule: min(found) for rule in RULES if (found := [one.least[rule] for one in seen if rule in one.least])}


def check(seen: list[Watch]) -> int:
    """Return how many of the rules were met as closely as they allow; none is broken."""
    least = together(seen)
    broken = {rule: distance for rule, distance in least.items() if distance < rule[3]}
    assert not broken
    assert min(one.bus for one in seen) == BUS
    four = min(one.four for one in seen)
    assert four >= FOUR
    return sum(least.get(rule) == rule[3] for rule in RULES) + (four == FOUR) + 1


LOADS: list[dict[str, Any]] = [
    {"writes": 0.5, "hits": 0.6},
    {"writes": 0.3, "hits": 0.0},
    {"writes": 0.5, "hits": 0.5, "gap": "40 ns"},
    {"writes": 0.2, "hits": 0.9, "gap": "8 ns"},
]


def test_no_command_comes_too_early() -> None:
    seen = [watch(500, **load) for load in LOADS]
    assert sum(one.commands for one in seen) > 1_500
    assert check(seen) >= 0.6 * (len(RULES) + 2)


@pytest.mark.slow
def test_a_million_commands_are_as_close_as_the_standard_allows() -> None:
    """Power-up to the next power-down is not among the rules: a rank is woken for an access or a refresh."""
    seen = [watch(240_000, **load) for load in LOADS]
    assert sum(one.commands for one in seen) >= 1_000_000
    assert check(seen) >= 0.9 * (len(RULES) + 2)


def test_a_command_that_comes_too_early_is_found() -> None:
    """The check can fail: it knows a read that comes a cycle before its row is open."""
    seen = Watch()
    seen.command(ACT, 0, 3, 100)
    seen.command(RD, 0, 3, 121)
    with pytest.raises(AssertionError):
        check([seen])
