"""Networks of chemical reactions, as nets of pnsim and for rebop, both made from one table.

Rates are stochastic: each ordered choice of molecules reacts at the rate. There are x · (x − 1) of two of x equal ones.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import count
from typing import Any, NamedTuple

Reaction = tuple[float, str, str]
"""Its rate, what reacts, and what comes of it."""


class Network(NamedTuple):
    """initial: the molecules, none of all others. time: how long it is simulated."""

    name: str
    initial: Mapping[str, int]
    time: float
    reactions: Sequence[Reaction]


# Vilar, Kueh, Barkai, Leibler: Mechanisms of noise-resistance in genetic oscillators, PNAS 99 (2002). Time in hours.
VILAR = Network("vilar", {"Da": 1, "Dr": 1}, 5e3, (
    (1, "Da A", "Dap"), (50, "Dap", "Da A"), (1, "Dr A", "Drp"), (100, "Drp", "Dr A"),
    (50, "Da", "Da Ma"), (500, "Dap", "Dap Ma"), (0.01, "Dr", "Dr Mr"), (50, "Drp", "Drp Mr"),
    (10, "Ma", ""), (0.5, "Mr", ""), (50, "Ma", "Ma A"), (5, "Mr", "Mr R"),
    (2, "A R", "C"), (1, "C", "R"), (1, "A", ""), (0.2, "R", ""),
))  # fmt: skip

# Two phosphorylations of the MAP kinase M by MKK, and two dephosphorylations by MKP: `erk` of rebop's benchmarks
# (github.com/Armavica/rebop, benches/my_benchmark.rs).
KINASES = {"M": 201, "K": 100, "MK": 10, "MpK": 20, "P": 2, "Mpp": 23, "Mp": 10, "MppP": 10, "MpP": 10}
MAPK = Network("mapk", KINASES, 1e8, (
    (0.00166, "M K", "MK"), (0.0001, "MK", "M K"), (0.0001, "MK", "Mp K"),
    (0.1, "Mp K", "MpK"), (0.1, "MpK", "Mp K"), (0.00166, "MpK", "Mpp K"),
    (0.02, "Mpp P", "MppP"), (0.02, "MppP", "Mpp P"), (0.001, "MppP", "Mp P"),
    (0.02, "Mp P", "MpP"), (0.02, "MpP", "Mp P"), (0.02, "MpP", "M P"),
))  # fmt: skip

# Schlögl's bistable reactions: c₁N₁/2, c₂/6, c₃N₂ and c₄ of Cao, Gillespie, Petzold, J. Chem. Phys. 124 (2006).
SCHLOEGL = Network("schloegl", {"X": 250}, 2e3, (
    (0.015, "X X", "X X X"), (1e-4 / 6, "X X X", "X X"), (200, "", "X"), (3.5, "X", ""),
))  # fmt: skip

NETWORKS = {network.name: network for network in (VILAR, MAPK, SCHLOEGL)}


def text(network: Network) -> str:
    """Return the network as a net: one reaction is one transition that races."""
    species = sorted({name for _, before, after in network.reactions for name in (before + " " + after).split()})
    places = [f"place {name} = {network.initial.get(name, 0)} * token" for name in species]
    return "\n".join(
        [f"net {network.name}", *places, *map(transition, count(), network.reactions), f"run until {network.time}", ""]
    )


def transition(number: int, reaction: Reaction) -> str:
    """Return the reactions in which what reacts and comes out again is only read."""
    rate, before, after = reaction
    reactants, products = before.split(), after.split()
    before_, after_ = Counter(reactants), Counter(products)
    taken, read, given = before_ - after_, before_ & after_, after_ - before_
    inputs = [*many(taken), *(f"read {arc}" for arc in many(read))]
    arcs = f"{', '.join(inputs)} -> {', '.join(many(given)) or 'nothing'}"
    if len(reactants) == 1 and taken:
        return f"transition r{number}: {arcs}  after exp({1 / rate!r})  servers all"
    factors = [f"(tokens({name}) - {reactants[:n].count(name)})" for n, name in enumerate(reactants)]
    return f"transition r{number}: {arcs}  after exp(1 / ({' * '.join([repr(rate), *factors])}))".replace(" - 0)", ")")


def many(tokens: Mapping[str, int]) -> list[str]:
    return [name if number == 1 else f"{number} * {name}" for name, number in tokens.items()]


def gillespie(network: Network) -> Any:
    """Return the network for rebop, which must be installed."""
    import rebop

    system = rebop.Gillespie()
    for rate, before, after in network.reactions:
        system.add_reaction(rate, before.split(), after.split())
    return system
