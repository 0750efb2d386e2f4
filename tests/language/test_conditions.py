"""`if` on declarations: what a parameter leaves out of the net."""

from __future__ import annotations

import petri
from petri import language
from petri.net import Net

RING = """
time ns
param local = true
place idle = token
place ring : int fifo if local
place queue : int = 7  if not local
transition put: idle -> idle, if local then ring(1) else queue(2)  takes 5 ns
transition next if local: ring(x) -> nothing
transition other if not local: queue(x) -> nothing
measure served = rate(next)  if local  expect > 0 GHz
measure others = rate(other)  if not local
expect served > 0 GHz if local
run until 100 ns
"""


def names(net: Net) -> list[str]:
    return [
        *(place.name for place in net.places),
        *(transition.name for transition in net.transitions),
        *(measure.name for measure in net.measures),
    ]


def test_what_is_switched_off_is_not_in_the_net() -> None:
    assert names(language.loads(RING)) == ["idle", "ring", "put", "next", "served"]
    assert names(language.loads(RING, {"local": False})) == ["idle", "queue", "put", "other", "others"]


def test_an_expectation_may_have_a_condition() -> None:
    text = RING.replace("expect > 0 GHz", "", 1)
    assert [one.text for one in language.loads(text).expectations] == ["served > 0 GHz"]
    assert petri.loads(text, local=False).run().passed


def test_nothing_is_unused_or_dead_because_of_a_parameter() -> None:
    text = RING.replace("transition other if not local", "transition other").replace(" = 7  if not local", "")
    assert language.checks(RING) == language.checks(RING, {"local": False}) == []
    assert language.checks(text) == []  # `put` would feed the queue


def test_a_place_that_nothing_would_feed_still_warns() -> None:
    found = language.checks(RING + "place lost\ntransition never: lost -> nothing takes 1 ns")
    assert [one.id for one in found] == ["never-fires"]


def test_elements_of_an_array_have_their_own_conditions() -> None:
    net = language.loads(
        "place p[0..2] = token\ntransition t[i in 0..2, j in 0..2] if i != j: p[i] -> p[j]\n"
        "module M(n: int)\n  place q\n  transition u if n > 1: q -> nothing\nend\ninstance m[i in 0..2] = M(i) if i > 0"
    )
    names = [transition.name for transition in net.transitions]
    assert names == ["t[0][1]", "t[0][2]", "t[1][0]", "t[1][2]", "t[2][0]", "t[2][1]", "m[2].u"]


def test_a_condition_ends_a_recursion() -> None:
    net = language.loads(
        "module Tree(depth: int)\n  place leaf if depth == 0\n  instance left = Tree(depth - 1) if depth > 0\n"
        "  instance right = Tree(depth - 1) if depth > 0\nend\ninstance top = Tree(3)\n"
        "place a = token\ntransition t: a -> nothing"
    )
    assert len(net.places) == 9
    assert net.places[1].name == "top.left.left.left.leaf"


def test_what_is_switched_off_is_not_evaluated() -> None:
    net = language.loads(
        "module M(n: int)\n  place p[0..8 div n] if n > 0\nend\ninstance m = M(0)\n"
        "place q = token\ntransition t: q -> nothing"
    )
    assert [place.name for place in net.places] == ["q"]
