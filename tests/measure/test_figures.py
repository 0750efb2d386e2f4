"""The figures of a replication by name: their value, dimension and statistic."""

from __future__ import annotations

import math

import pytest

import petri
from petri.measure.catalogue import PLACE_COLUMNS, transition_columns
from petri.measure.figures import UnknownFigure, default_names, evaluate_with_faults, figure, figures, split, statistics
from petri.measure.observation import Observation
from petri.net import Net
from petri.run.session import begin
from petri.structs import replace

TEXT = """net shop
time ns
place source = token
place queue : { n: int, born: Time } fifo
place server = token
place out : { n: int, born: Time }
place stock : { x: int } = {x: 3}
transition come: source -> source, queue({n: 1, born: end})  takes 1 ns
transition serve: queue(q), server -> server, out(q)  takes 1.5 ns
measure length = mean(queue)
measure most = max(queue)
measure passed = rate(serve)  record series(2 ns)
measure done = count(serve)
measure wait = now - q.born at serve  record mean, max, p99.9, histogram
measure gap = time(serve -> serve)  record p50, count
measure load = mean(stock, x)
measure order = reorder(serve, by 1, order q.n)  record reordered_share, extent
run until 20 ns
"""


@pytest.fixture(scope="module")
def net() -> Net:
    return petri.loads(TEXT).net


@pytest.fixture(scope="module")
def seen(net: Net) -> Observation:
    session = begin(net, "reference", 1, 0)
    session.advance(net.tick.ticks(20.0), 1000)
    return session.observe()


# The i-th customer comes at i and is served from 1 + 1.5 (i - 1), 13 of them by 20.
FIGURES = [
    ("most", "", "greatest", 7.0),
    ("passed", "Freq", "mean", 0.65),
    ("done", "", "mean", 13.0),
    ("wait", "Time", "mean", 3.0),
    ("wait.max", "Time", "greatest", 6.0),
    ("wait.min", "Time", "least", 0.0),
    ("wait.sum", "Time", "mean", 39.0),
    ("wait.count", "", "mean", 13.0),
    ("wait.p50", "Time", "mean", 3.0),
    ("wait.p99.9", "Time", "mean", 6.0),
    ("gap", "Time", "mean", 1.5),
    ("gap.count", "", "mean", 12.0),
    ("load", "", "mean", 3.0),
    ("order", "share", "mean", 0.0),
    ("order.max_extent", "", "greatest", 0.0),
    ("order.total_late_time", "Time", "mean", 0.0),
    ("server.utilisation", "share", "mean", 0.95),
    ("server.maximum", "", "greatest", 1.0),
    ("queue.arrival_rate", "events", "mean", 1.0),
    ("queue.arrivals", "", "mean", 20.0),
    ("server.sojourn", "Time", "mean", 1 / 12),
    ("server.occupied", "share", "mean", 0.05),
    ("serve.rate", "events", "mean", 0.65),
    ("serve.active", "share", "mean", 0.95),
    ("serve.in_progress", "", "mean", 0.95),
    ("serve.firings", "", "mean", 13.0),
]


@pytest.mark.parametrize(("name", "dimension", "kind", "value"), FIGURES)
def test_figures(net: Net, seen: Observation, name: str, dimension: str, kind: str, value: float) -> None:
    found = figure(net, name)
    assert (found.name, found.dimension, found.statistic) == (name, dimension, kind)
    assert found.value(seen) == pytest.approx(value)


def test_a_series_has_figures_of_its_windows(net: Net) -> None:
    for field in ("mean", "min", "max", "p90"):
        found = figure(net, f"passed.series.{field}")
        assert found.statistic == {"min": "least", "max": "greatest"}.get(field, "mean")


@pytest.mark.parametrize(
    "name",
    ["nothing", "length.p50", "load.mean", "done.sum", "queue", "queue.rate", "serve.mean", "wait.series.max",
     "wait.reordered", "order.p50", "passed.series.p200", "passed.series", "passed.windows.max", "gap.colour"],
)  # fmt: skip
def test_names_of_no_figure(net: Net, name: str) -> None:
    with pytest.raises(UnknownFigure):
        figure(net, name)


def test_an_unknown_name_is_answered_with_what_there_is(net: Net) -> None:
    def values(name: str) -> dict[str, object]:
        with pytest.raises(UnknownFigure) as error:
            figure(net, name)
        return dict(error.value.diagnostic.values)

    place, transition, other = values("queue.meen"), values("serve.rat"), values("wiat")
    assert (place["suggestion"], place["owner"], place["measures"]) == ("queue.mean", "queue", None)
    assert (transition["suggestion"], transition["owner"], transition["measures"]) == ("serve.rate", "serve", None)
    assert (other["suggestion"], other["owner"], other["columns"]) == ("wait", None, None)
    assert place["columns"] == list(PLACE_COLUMNS)
    assert transition["columns"] == list(transition_columns(net))
    assert other["measures"] == [measure.name for measure in net.measures]
    assert (other["name"], other["net"]) == ("wiat", "shop")


def test_names_by_default(net: Net) -> None:
    named = ["length", "most", "passed", "done", "wait", "wait.max", "wait.p99.9", "gap", "gap.count", "load", "order"]
    assert default_names(net) == named
    assert [one.name for one in figures(net)] == named
    assert statistics(net, named) == {"most": "greatest", "wait.max": "greatest"}
    bare = petri.loads("net bare  place a = token  transition t: a -> a  takes 1").net
    assert default_names(bare) == ["a.mean", "t.rate"]


def test_a_name_is_split_before_its_field() -> None:
    assert split("delay.p99.9") == ("delay", "p99.9")
    assert split("engine[0].alu.mean") == ("engine[0].alu", "mean")
    assert split("a.p99") == ("a", "p99")
    assert split("p99.9") == ("p99", "9")
    assert split("a.p99.mean") == ("a.p99", "mean")
    assert split("plain") == ("", "plain")


def test_a_figure_that_cannot_be_computed_does_not_lose_the_others(net: Net, seen: Observation) -> None:
    broken = replace(figure(net, "wait"), value=lambda _: 1 / 0)
    values, reasons = evaluate_with_faults([broken, figure(net, "done")], seen)
    assert (values["done"], list(reasons)) == (13.0, ["wait"])
    assert math.isnan(values["wait"])
    assert reasons["wait"] == "ZeroDivisionError: division by zero"
