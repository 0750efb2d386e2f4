"""The marking at the end of a run as a list of lists of tokens."""

from __future__ import annotations

import pytest

import petri
from petri.engine.marking import Marking
from petri.net import Net, Token

TEXT = """net marking
time us
place black = 3 * token
place empty
place jobs : { kind: 0..9, born: Time, weight: real } fifo
place done : { at: Time }
transition t: black -> black  takes 1 us
"""
TOKENS: list[list[Token]] = [[(), (), ()], [], [(3, 2048.0, 0.25), (9, 512.0, -1.5)], [(1024.0,)]]


@pytest.fixture(scope="module")
def net() -> Net:
    return petri.loads(TEXT).net


def test_tokens_are_in_the_unit_of_the_net(net: Net) -> None:
    marking = Marking.of(net, TOKENS)
    shown = [[(), (), ()], [], [(3, 2.0, 0.25), (9, 0.5, -1.5)], [(1.0,)]]
    assert [net.tick.time(ticks) for ticks in (2048.0, 512.0, 1024.0)] == [2.0, 0.5, 1.0]
    assert len(marking) == 4
    assert list(marking) == shown
    assert marking == shown
    assert marking == Marking.of(net, TOKENS)
    assert marking != [*shown[:3], []]
    assert marking != tuple(shown)
    assert (marking[2], marking[-1], marking[1:3], marking[::-2]) == (shown[2], shown[3], shown[1:3], shown[::-2])
    assert [type(value) for value in marking[2][0]] == [int, float, float]


def test_tokens_as_the_engine_keeps_them(net: Net) -> None:
    assert Marking.of(net, TOKENS).in_ticks() == TOKENS
