"""Nets that files hold: a saved state or a result may say anything, and gets one clear message."""

from __future__ import annotations

import base64
import copy
import json
import random
import zlib
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

import petri
from petri.codec import net_text
from petri.report.html import recorded_report
from petri.run.saved_run import NotSaved, SavedRun
from petri.run.stored_net import read_net
from tests.cli.calling import caller

NET = """net stored
time ms
type C = gold | silver
type P = { c: C, size: Bytes, born: Time, seq: int, flow: 0..7 }
param load = 0.5 in 0.1..0.9
place idle = token
place q : P fifo cap 20
place prio : P by c
place served : int = 0
place up[i in 0..1] = token
place down[i in 0..1]
transition arrive: idle -> idle, q({c: gold, size: s, born: end, seq: 1, flow: 2})
  draw s ~ uniform(64 B..1518 B)  takes exp(1 ms / load)
transition serve: q(p) -> nothing, if p.size > 100 B then prio(p)  takes p.size / 10 Mbps  let big = p.size > 1 KB
transition out: prio(p), served(n) -> served(n + 1) in 2 ms  takes 0.1 ms  when p.seq >= 0  priority 1  weight 2
transition fail[i in 0..1]: up[i] -> down[i]  after exp(30 ms)
transition repair[i in 0..1]: down[i] -> up[i]  after exp(3 ms)
transition never: q(p), no idle -> nothing  takes 3 ms
measure bytes = rate(serve, p.size) in Mbps  expect > 0 Mbps
measure delay = now - p.born at serve  record mean, p99, max, histogram
measure order = reorder(serve, by p.flow, order p.seq)  record reordered_share, extent
measure pass = time(arrive -> serve)
measure load_q = mean(q, size)
measure w = share(tokens(q) > 2)
measure s = mean(q)  record series(10 ms)
measure f = busy(up[*]) + 2 * count(out)
run until 100 ms  warmup 10 ms
"""

Steps = tuple[str | int, ...]


@pytest.fixture(scope="module")
def result() -> petri.Result:
    return petri.loads(NET).run(occupancy=True, save_at="50 ms")


@pytest.fixture(scope="module")
def net(result: petri.Result) -> dict[str, Any]:
    found: dict[str, Any] = json.loads("".join(net_text(result.net)))
    return found


def changed(net: dict[str, Any], steps: Steps, value: Any) -> dict[str, Any]:
    copied = copy.deepcopy(net)
    part: Any = copied
    for step in steps[:-1]:
        part = part[step]
    part[steps[-1]] = value
    return copied


WRONG: list[tuple[Steps, Any, str]] = [
    (("seconds",), 0, "its time unit has no length"),
    (("seconds",), -1.0, "its time unit has no length"),
    (("seconds",), "nan", "its time unit has no length"),
    (("seconds",), [1], "is not what its place is for"),
    (("seconds",), 10**400, "is not what its place is for"),
    (("time_unit",), 5, "is not what its place is for"),
    (("tick", "numerator"), 0, "a tick has no length"),
    (("tick", "denominator"), -3, "a tick has no length"),
    (("units",), [["day", 0.0]], "a unit of time has no length"),
    (("stops_at_decisions",), True, "it stops at decisions"),
    (("run_defaults", "warmup"), "inf", "its warm-up has no length"),
    (("run_defaults", "replications"), 0, "its run has no replications"),
    (("places", 1, "name"), "idle", "two of its parts have one name"),
    (("places", 1, "discipline"), "random", "'random' is none of bag, fifo, lifo, key"),
    (("places", 1, "colour", "slots", 0, "labels"), ["gold"], "has other values than names of them"),
    (("places", 1, "colour", "slots", 4, "low"), 9, "has an empty range"),
    (("places", 1, "colour", "slots", 2, "dimension"), "Time^999999999999", "is not a dimension"),
    (("places", 3, "initial"), [[1, [0, 0]]], "is not of its colour"),
    (("transitions", 0, "inputs", 0, "place"), 99, "has an arc to no place"),
    (("transitions", 0, "inputs", 0, "place"), -1, "has an arc to no place"),
    (("transitions", 0, "outputs", 0, "places"), [], "does not fit its place"),
    (("transitions", 1, "inputs", 0, "pattern"), [], "does not fit its place"),
    (("transitions", 1, "time", "op"), "sqrt", "an operation that is none"),
    (("transitions", 1, "time", "op"), "system", "an operation that is none"),
    (("transitions", 1, "lets", 0, "expression", "op"), "system", "an operation that is none"),
    (("transitions", 2, "priority"), 2**40, "the priority of `out` is too large"),
    (("transitions", 2, "span"), [0, -5, 1, 1, 1], "a position counts from 1"),
    (("measures", 0, "dimension"), "Rate in Mbps=0.0", "is not a dimension"),
    (("measures", 0, "formula", "op"), "mean", "the measure `bytes` is of nothing"),
    (("measures", 1, "probe"), 77, "the measure `delay` is of nothing"),
    (("measures", 1, "record"), ["median"], "the measure `delay` is of nothing"),
    (("measures", 6, "window"), -1.0, "the windows of `s` have no length"),
    (("measures", 0, "expectations", 0, "comparison"), "~", "is none of <, <=, >, >=, =="),
    (("probes", 0, "transition"), 40, "a measure is of nothing"),
    (("probes", 2, "modulo"), 1, "numbers wrap around nowhere"),
    (("probes", 2, "buffer_threshold"), 0, "a threshold of order is not from 1 to 1024"),
]


def test_the_net_itself_is_read(result: petri.Result, net: dict[str, Any]) -> None:
    assert read_net(net) == result.net


@pytest.mark.parametrize(("steps", "value", "said"), WRONG)
def test_a_value_that_the_language_never_makes_is_refused(
    net: dict[str, Any], steps: Steps, value: Any, said: str
) -> None:
    with pytest.raises(ValueError, match="not a flat net: ") as raised:
        read_net(changed(net, steps, value))
    assert said in str(raised.value)


@pytest.mark.slow
def test_every_net_of_the_library_is_read() -> None:
    for name in petri.library.net_names():
        flat = petri.load(name).net
        assert read_net(json.loads("".join(net_text(flat)))) == flat


# ---------------------------------------------------------------- any value anywhere

VALUES: tuple[Any, ...] = (
    0, -1, 1, 99, 2**31, 2**70, 1e300, -0.5, "inf", "nan", "", "x", None, [], {}, True, [[1]], "Rate in x=0.0", "mean",
    "Time^99999999999", "\x1b[31m", [0, "mean"], [99, "p50"], [0, "zz"],
)  # fmt: skip


def steps_of(part: Any, steps: Steps = ()) -> Iterator[Steps]:
    """Yield the way to each part of the net's JSON."""
    if steps:
        yield steps
    for name, inner in part.items() if isinstance(part, dict) else enumerate(part) if isinstance(part, list) else ():
        yield from steps_of(inner, (*steps, name))


def report_of(result: petri.Result, net: dict[str, Any]) -> None:
    """Show the page of a result with another net; a program reports these errors as those of the file."""
    data = result.to_dict()
    packed = {**json.loads(zlib.decompress(base64.b64decode(data["packed"]))), "net": net}
    with suppress(KeyError, TypeError, ValueError):
        recorded_report({**data, "packed": base64.b64encode(zlib.compress(json.dumps(packed).encode())).decode()})


@pytest.mark.parametrize("count", [25, pytest.param(500, marks=pytest.mark.slow)])
def test_any_value_in_any_part_of_the_net_of_a_result(result: petri.Result, net: dict[str, Any], count: int) -> None:
    chance, ways = random.Random(11), list(steps_of(net))
    for _ in range(count):
        report_of(result, changed(net, chance.choice(ways), chance.choice(VALUES)))


@pytest.mark.parametrize("count", [25, pytest.param(500, marks=pytest.mark.slow)])
def test_any_value_in_any_part_of_the_net_of_a_state(
    result: petri.Result,
    net: dict[str, Any],
    count: int,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert result.saved is not None
    chance, ways = random.Random(12), list(steps_of(net))
    for _ in range(count):
        other = changed(net, chance.choice(ways), chance.choice(VALUES))
        monkeypatch.setattr("petri.run.saved_run.net_text", lambda _, other=other: [json.dumps(other)])
        result.saved.save(tmp_path / "x.pnsim")
        try:
            SavedRun.load(tmp_path / "x.pnsim")
        except NotSaved:
            continue
        ran = caller(capsys)("run", "--from", str(tmp_path / "x.pnsim"), "--until", "60 ms", "--quiet")
        assert "program-fault" not in ran.err
