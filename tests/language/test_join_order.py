"""The arcs of a transition that races are bound in an order that joins them (C1)."""

from __future__ import annotations

from itertools import permutations

import pytest

from petri import language
from petri.analysis import speed
from petri.net import Net

RING = """net ring
time s
type Edge = {{ from: int, to: int }}
place healthy  : int = i for i in 1..7
place infected : int = 0
place edge : Edge = Edge(i, (i + 1) mod 8) for i in 0..7, Edge((i + 1) mod 8, i) for i in 0..7
transition infect:  {arcs} -> infected(i)  {clause}
transition recover: infected(i) -> healthy(i)  after exp(2 s)  when tokens(infected) > 1
run until 200 s
"""
ARCS = ("read edge({from: j, to: i})", "healthy(i)", "read infected(j)")
ORDERS = list(permutations(ARCS))


def ring(arcs: tuple[str, ...], clause: str = "after exp(1 s)") -> Net:
    return language.loads(RING.format(arcs=", ".join(arcs), clause=clause))


def bound(net: Net) -> list[str]:
    return [net.places[arc.place].name for arc in net.transitions[0].inputs]


@pytest.mark.parametrize("arcs", ORDERS, ids=lambda arcs: " ".join(arc.split("(")[0].split()[-1] for arc in arcs))
def test_each_arc_matches_those_before(arcs: tuple[str, ...]) -> None:
    """C1: whatever the order in the text, no arc pairs its tokens with all tokens of another."""
    order = bound(ring(arcs))
    assert order[0] == "edge" or order[1] == "edge"


def test_arcs_that_are_joined_stay() -> None:
    assert bound(ring(("healthy(i)", ARCS[0], "read infected(j)"))) == ["healthy", "edge", "infected"]


def test_arcs_that_do_not_race_stay() -> None:
    """Elsewhere the order of bindings says which fires (E7)."""
    arcs = ("healthy(i)", "read infected(j)", ARCS[0])
    assert bound(ring(arcs, "takes 1 s")) == ["healthy", "infected", "edge"]


def test_nothing_is_searched() -> None:
    assert [how.looks for how in speed.speeds(ring(("healthy(i)", "read infected(j)", ARCS[0])))] == ["", ""]
    assert speed.speeds(ring(("healthy(i)", "read infected(j)", ARCS[0]), "takes 1 s"))[0].looks
