"""A net in a Python program: `Model.component`, on both engines."""

from __future__ import annotations

import math
import random
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import petri
from petri.component import Component
from petri.diagnostics import LanguageError, RunError
from tests.engines import ENGINES

NET = """net line
time us
type Job = { size: Bytes, kind: small | large }
port in jobs : Job fifo
port in go
port in hold : Time
port out done : Job
place idle = token
transition serve: jobs(j), go, idle -> done(j), idle  takes j.size / 1 GBps
transition wait: hold(t) -> nothing  takes t
transition fail: hold(t) -> nothing  takes 1 us - t  when t > 50 us  priority 1
measure served = count(serve)
measure waiting = mean(jobs)
"""
RANDOM = """net bag
time ns
port in a : 0..9
port out z : 0..9
place idle = 2 * token
transition t: a(x), idle -> z(x), idle  takes exp(5 ns)
transition u: a(x) -> z(9 - x)  after exp(9 ns)
"""


@pytest.fixture(params=ENGINES)
def engine(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def component(engine: str, text: str = NET) -> Component:
    return petri.loads(text).component(engine=engine)


def test_tokens_come_and_leave(engine: str) -> None:
    line = component(engine)
    line.put("jobs", 1.0, {"size": 2000, "kind": "large"})
    line.put("jobs", 1.0, (1000, "small"))
    for time in (1, 4):
        line.put("go", time)
    assert line.advance(0.5) == 0.5
    assert (line.next(), line.take("done")) == (1.0, [])
    assert line.advance(3.0) == 3.0
    assert line.take("done") == []  # what happens at 3 is still to come
    assert line.marking["jobs"] == [{"size": 1000.0, "kind": "small"}]
    assert line.advance(10.0, stop_at_output=True) == 3.0
    assert line.take("done") == [(3.0, {"size": 2000.0, "kind": "large"})]
    assert line.next() == 3.0
    assert line.advance(10.0) == 10.0
    assert [time for time, _ in line.take("done")] == [5.0]
    assert line.next() == math.inf
    assert (line.now, line.firings) == (10.0, 2)
    assert line.figures() == {"served": 2.0, "waiting": pytest.approx(0.3)}


def arrivals() -> Iterator[tuple[float, int]]:
    chance, time = random.Random(1), 0
    for _ in range(60):
        time += chance.randrange(0, 4)
        yield float(time), chance.randrange(10)


@pytest.mark.parametrize("step", [1.0, 2.5, 7.0, 1e9])
def test_the_trajectory_does_not_depend_on_the_steps(engine: str, step: float) -> None:
    left, bag, now = list(arrivals()), component(engine, RANDOM), 0.0
    outputs = []
    while now < 400.0:
        while left and left[0][0] < now + step:
            bag.put("a", *left.pop(0))
        now = bag.advance(min(now + step, 400.0), stop_at_output=step == 7.0)
        outputs += bag.take("z")
    whole = component("reference", RANDOM)
    for time, value in arrivals():
        whole.put("a", time, value)
    whole.advance(400.0)
    assert (bag.hash, bag.firings) == (whole.hash, whole.firings)
    assert outputs == whole.take("z")
    assert len(outputs) == 60


def test_a_snapshot_is_a_state_to_return_to(engine: str) -> None:
    bag = component(engine, RANDOM)
    for time, value in arrivals():
        bag.put("a", time, value)
    bag.advance(30.0)
    kept = bag.snapshot()
    seen = []
    for _ in range(2):
        bag.restore(kept)
        bag.advance(300.0)
        seen.append((bag.hash, bag.firings, bag.take("z"), bag.figures()))
    assert seen[0] == seen[1]
    other = component(engine, RANDOM)
    other.restore(kept)
    assert (other.now, other.advance(300.0)) == (30.0, 300.0)
    assert other.hash == seen[0][0]


@pytest.mark.parametrize(
    ("port", "time", "token", "said"),
    [
        ("jobs", 1.0, (1, "small"), "1 us has passed: it is 2 us"),
        ("jobs", math.nan, (1, "small"), "or no time"),
        ("jobs", 1e300, (1, "small"), "or no time"),
        ("jobs", 3.0, (1,), "has 2 values, not 1"),
        ("jobs", 3.0, (1, "smal"), "'smal' is not a value of `kind`"),
        ("jobs", 3.0, ("1", "small"), "'1' is not a value of `size`"),
        ("jobs", 3.0, (math.inf, "small"), "inf is not a value of `size`"),
        ("jobs", 3.0, {"seize": 1, "kind": "small"}, "`seize` is not a field of `jobs`"),
        ("go", 3.0, 1, "has 0 values, not 1"),
        ("done", 3.0, (1, "small"), "`done` is not a port for this"),
        ("idle", 3.0, None, "`idle` is not a port for this"),
        ("job", 3.0, None, "no place `job`"),
    ],
)
def test_wrong_calls_change_nothing(engine: str, port: str, time: float, token: object, said: str) -> None:
    line = component(engine)
    line.advance(2.0)
    with pytest.raises(LanguageError, match=said):
        line.put(port, time, token)
    with pytest.raises(LanguageError, match="1 us has passed"):
        line.advance(1.0)
    with pytest.raises(LanguageError, match="is not a port for this"):
        line.take("jobs")
    assert (line.now, line.next(), line.firings) == (2.0, math.inf, 0)


def test_an_error_of_the_model_stops_the_component(engine: str) -> None:
    line = component(engine)
    line.put("hold", 1.0, 60)
    for _ in range(2):
        with pytest.raises(RunError, match="the firing time is negative"):
            line.advance(2.0)
    with pytest.raises(RunError):
        line.put("go", 5.0)
    assert (line.now, line.next()) == (0.0, math.inf)


def test_the_page_shows_what_it_prints(capsys: pytest.CaptureFixture[str]) -> None:
    page = (Path(__file__).parents[2] / "docs" / "embedding.md").read_text(encoding="utf-8")
    example = re.findall(r"```python\n(.*?)```", page, re.DOTALL)[0]
    exec(example, {})
    assert capsys.readouterr().out.splitlines() == re.findall(r"^print.*  # (.*)$", example, re.MULTILINE)


JPEG = """net decoder
time cycle
import accelerators.jpeg
port in block : 1..64 fifo
port out square
instance jpeg = Jpeg(half, block = block, square = square)
"""


@pytest.mark.parametrize("step", [1e9, 1000.0, 37.0])
def test_blocks_in_bursts_are_decoded_alike_at_any_quantum(engine: str, step: float) -> None:
    """30 macroblocks of 6 blocks each come to the decoder in bursts of 5, faster than it works, and with pauses."""
    chance, decoder, time = random.Random(3), component(engine, JPEG), 0.0
    blocks = [(5000.0 * (number // 30), chance.randint(1, 40)) for number in range(180)]
    squares = []
    while blocks or decoder.next() < math.inf:
        while blocks and blocks[0][0] < time + step:
            decoder.put("block", *blocks.pop(0))
        time = decoder.advance(time + step)
        squares += decoder.take("square")
    assert len(squares) == 120  # of 8 by 8 pixels: 4 of each macroblock
    assert (squares[-1].time, decoder.hash) == (28_150.0, 5755992489962232575)


def test_a_net_and_a_simpy_program_go_on_in_step(capsys: pytest.CaptureFixture[str]) -> None:
    """The program of the page, which prints what the page says."""
    pytest.importorskip("simpy")
    page = (Path(__file__).parents[2] / "docs" / "embedding.md").read_text(encoding="utf-8")
    program = re.findall(r"```python simpy\n(.*?)```", page, re.DOTALL)[0]
    exec(compile(program, "embedding.md", "exec"), {})
    assert capsys.readouterr().out == program.rpartition("print(seen)  # ")[2]
