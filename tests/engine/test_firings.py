"""Traces by columns: the same firings as one by one, on both engines."""

from __future__ import annotations

import pytest

from petri import language
from petri.engine.firings import Firings, TracedFiring
from petri.engine.native import available
from petri.net import Net
from petri.run.session import begin

NET = """
type Colour = red | green
place p : { n: int, x: real, c: Colour } = { n: -3, x: 0.25, c: green }, { n: 9007199254740993, x: -1.5, c: red }
place q = 2 * token
transition black: q -> q  takes exp(1.0)
transition move: p(j) -> p(j)  draw u ~ uniform(0.0..1.0)  takes 0.5 + u
"""


@pytest.fixture(scope="module")
def net() -> Net:
    return language.loads(NET)


def traced(net: Net, engine: str) -> Firings:
    if engine == "native" and not available():
        pytest.skip("the native engine is not built")
    session = begin(net, engine, 3, 0, trace=True)
    session.advance(net.tick.ticks(20.0), 1000)
    found = session.trace()
    assert len(session.trace()) == 0
    return found


@pytest.mark.parametrize("engine", ["reference", "native"])
def test_columns_and_rows_tell_the_same(net: Net, engine: str) -> None:
    found = traced(net, engine)
    rows = list(found)
    assert len(found) == len(rows) > 30
    assert {repr(one.variables[:3]) for one in rows if one.transition == 1} == {
        "(-3, 0.25, 1)",
        "(9007199254740993, -1.5, 0)",
    }
    assert [net.tick.time(one.start) for one in rows] == found.starts.tolist()
    assert [net.tick.time(one.end) for one in rows] == found.ends.tolist()
    seen: dict[int, TracedFiring] = {}
    for transition, positions in found.by_transition():
        columns = found.variables(transition, positions)
        values = zip(*columns, strict=True) if columns else [()] * len(positions)
        for position, variables in zip(positions.tolist(), values, strict=True):
            start, end = found.start_ticks[position].item(), found.end_ticks[position].item()
            seen[position] = TracedFiring(start, end, transition, variables)
    assert [repr(seen[position]) for position in sorted(seen)] == [repr(one) for one in rows]


@pytest.mark.parametrize("engine", ["reference", "native"])
def test_parts_of_a_trace(net: Net, engine: str) -> None:
    found = traced(net, engine)
    rows = list(found)
    assert (found[0], found[-1], found[5]) == (rows[0], rows[-1], rows[5])
    assert list(found[3:11]) == rows[3:11]
    assert list(found[20:]) == rows[20:]
    assert list(found[7:7]) == []
    assert list(found[::-3]) == rows[::-3]
    with pytest.raises(IndexError):
        found[len(rows)]


def test_engines_trace_the_same(net: Net) -> None:
    assert repr(list(traced(net, "native"))) == repr(list(traced(net, "reference")))


def test_rows_packed_again_are_the_columns(net: Net) -> None:
    found = traced(net, "reference")
    again = Firings.of(net, list(found))
    assert again.words.tolist() == found.words.tolist()
    assert repr(list(again)) == repr(list(found))
    assert Firings.of(net, found) is found
    assert list(Firings.of(net, [])) == []
    assert list(Firings.of(net, []).by_transition()) == []


def test_times_and_values_are_told_in_the_unit_of_the_net() -> None:
    """Columns for people, and single firings as the engine counts."""
    net = language.loads(
        "time ns\nplace p : { left: Time } = {left: 1.5 ns}\ntransition t: p(x) -> p(x)  takes x.left + 1 ns"
    )
    session = begin(net, "reference", 1, 0, trace=True)
    session.advance(net.tick.ticks(6.0), 1000)
    found = session.trace()
    assert (found.starts.tolist(), found.ends.tolist()) == ([0.0, 2.5, 5.0], [2.5, 5.0, 7.5])
    assert found.start_ticks.tolist() == [net.tick.ticks(time) for time in (0.0, 2.5, 5.0)]
    ((transition, rows),) = found.by_transition()
    assert found.variables(transition, rows) == [[1.5, 1.5, 1.5]]
    assert session.marking() == [[]]
