"""The fast explorer against the naive one: the same states, arcs and rates."""

from __future__ import annotations

import math
from collections import defaultdict

import pytest

from petri.engine.errors import ModelError
from petri.exact.chain import Limits, Running, StateSpace, StateView, Unsolvable
from petri.exact.naive import NaiveSpace
from petri.exact.native import NativeSpace
from petri.net import Net
from tests.exact.nets import solvable_net

FEW = Limits(states=150)

Arcs = dict[tuple[int, bool, object], float]


def canonical(net: Net, view: StateView) -> object:
    """A state in one order: of bags, and of firings whose order has no meaning."""
    bags = [place.discipline == "bag" for place in net.places]
    marking = tuple(tuple(sorted(row)) if bag else row for bag, row in zip(bags, view.marking, strict=True))
    return marking, tuple(sorted(together(one) for one in view.running))


def together(one: Running) -> Running:
    """Its deposits, with those of no tokens left out."""
    return one._replace(deposits=tuple(gift for gift in one.deposits if gift[1]))


def arcs_of(net: Net, space: StateSpace) -> dict[object, Arcs]:
    """The arcs of each expanded state, as states and not as numbers; parallel ones together."""
    views = [canonical(net, space.state(number)) for number in range(len(space))]
    found: dict[object, Arcs] = {view: defaultdict(float) for view in views[: space.expanded]}
    columns = (space.sources, space.targets, space.transitions, space.starts, space.weights)
    for source, target, transition, starts, weight in zip(*(column.tolist() for column in columns), strict=True):
        found[views[source]][transition, starts, views[target]] += weight
    return found


def explored(kind: type, net: Net) -> StateSpace | str:
    try:
        return kind(net, FEW)
    except Unsolvable as why:
        return f"unsolvable {why.id}"
    except ModelError:
        return "fault"


@pytest.mark.parametrize("ticks", [False, True])
@pytest.mark.parametrize("seed", range(300))
def test_explorers_agree(seed: int, ticks: bool) -> None:
    net = solvable_net(seed, ticks)
    naive, native = explored(NaiveSpace, net), explored(NativeSpace, net)
    if isinstance(naive, str) or isinstance(native, str):
        assert isinstance(naive, str) or not naive.complete or naive == native
        assert naive == native or not (isinstance(naive, str) and isinstance(native, str)), (naive, native)
        return
    if naive.complete or native.complete:
        assert len(naive) == len(native)
    if ticks and any(place.discipline != "bag" for place in net.places):
        return  # what ends at one instant has an order, which firings that fill bags may share in either way
    expected, found = arcs_of(net, naive), arcs_of(net, native)
    if naive.complete or native.complete:
        assert set(expected) == set(found)
    assert naive.initial == native.initial == 0
    for state in expected.keys() & found.keys():
        assert expected[state].keys() == found[state].keys()
        for arc, weight in expected[state].items():
            assert math.isclose(weight, found[state][arc], rel_tol=1e-12), arc
