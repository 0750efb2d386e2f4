"""What still moves at the end of a run is told: in Python, on the terminal, in JSON and on the page."""

from __future__ import annotations

import json
import math
import re
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

import petri
from petri.measure.arrays import Floats
from petri.measure.observation import Observation
from petri.measure.trend import (
    FALSE_ALARMS,
    MOST_REPLICATIONS,
    PARTS,
    Drift,
    courses,
    drift,
    drifts,
    growing,
    moving,
    parts,
    standardised,
)
from tests.cli.calling import Call, caller
from tests.measure.test_formula import observed
from tests.sampling import one_in

NET = """
net line
param load = 0.5
place source = token
place queue : real fifo
place server = token
place done
transition come: source -> source, queue(end)  takes exp(1 / load)
transition serve: queue(born), server -> server, done  takes exp(1)
measure wait = now - born at serve  record mean, max
measure passed = count(serve)
run until 4000
"""


@pytest.fixture
def pnsim(capsys: pytest.CaptureFixture[str]) -> Call:
    return caller(capsys)


@pytest.mark.parametrize("replications", [1, 4])
def test_a_queue_that_gets_more_than_it_can_serve_is_told(replications: int) -> None:
    result = petri.loads(NET, load=1.2).run(replications=replications, seed=3)
    assert [(one.kind, one.name) for one in result.drifts] == [("place", "queue"), ("measure", "wait")]
    assert result.drifts[0].late > 2 * result.drifts[0].early


@pytest.mark.parametrize("load", [0.3, 0.7])
def test_a_queue_that_settles_is_not(load: float) -> None:
    assert [petri.loads(NET, load=load).run(seed=seed).drifts for seed in range(10)] == [()] * 10


def test_the_note_is_on_the_terminal_in_json_and_on_the_page(pnsim: Call, tmp_path: Path) -> None:
    net = tmp_path / "line.net"
    net.write_text(NET)
    page = tmp_path / "page.html"
    ran = pnsim("run", str(net), "--set", "load=1.2", "--report", str(page))
    assert ran.status == 0
    assert "note[place-grows-steadily]: the tokens of `queue` grow steadily, by 0.2" in ran.err
    assert "note[measure-unsettled]: `wait` has not settled:" in ran.err
    assert "a longer run may give none: `queue` has not settled" in " ".join(ran.out.split())
    assert "a run until about" not in ran.out
    assert "no run is long enough" in page.read_text(encoding="utf-8")
    assert "Not settled at the end of the run" in page.read_text(encoding="utf-8")
    ran = pnsim("run", str(net), "--set", "load=1.2", "--json", "-q")
    assert [one["name"] for one in json.loads(ran.out)["unsettled"]] == ["queue", "wait"]
    ran = pnsim("run", str(net), "--report", str(page))
    assert "grow" not in ran.err
    assert "Not settled" not in page.read_text(encoding="utf-8")


def test_what_has_not_settled_is_shown_in_its_unit(pnsim: Call, tmp_path: Path) -> None:
    net, page = tmp_path / "line.net", tmp_path / "page.html"
    timed = NET.replace("net line", "net line\ntime us").replace(": real", ": Time").replace("run until 4000", "")
    timed = timed.replace("exp(1 / load)", "exp(1 us / load)").replace("exp(1)", "exp(1 us)")
    net.write_text(timed + "run until 4 ms\n")
    ran = pnsim("run", str(net), "--set", "load=1.2", "--report", str(page))
    shown = re.compile(r"`?wait`?.*?: \d[\d.]* us in the first third of the run, \d[\d.]* us in the last")
    assert shown.search(" ".join(ran.err.split()))
    assert shown.search(re.sub("<[^>]*>", "", page.read_text(encoding="utf-8")))


@pytest.mark.slow
@pytest.mark.parametrize("replications", one_in(2, [1, 6]))
def test_false_alarms_are_as_rare_as_stated(replications: int) -> None:
    """Of 4000 results of 5 figures that do not move, with a spread that the least change does not hide."""
    chance = np.random.default_rng(1)
    alarms = 0
    for _ in range(4000):
        values = chance.exponential(size=(replications, PARTS, 5))
        alarms += bool(moving(of(values), 5, rising=False))
    assert alarms <= 1.3 * FALSE_ALARMS * 4000


def of(values: Floats) -> Floats:
    """Return the courses of replications, from their values by replication, part and figure."""
    return np.array([courses(one) for one in values])


def score(values: list[list[float]]) -> float:
    """Kendall's S of all replications, brought one nearer to 0, in standard deviations."""
    n = len(values[0])
    s = sum((b > a) - (b < a) for one in values for i, a in enumerate(one) for b in one[i + 1 :])
    return math.copysign(max(abs(s) - 1, 0), s) / math.sqrt(len(values) * n * (n - 1) * (2 * n + 5) / 18)


@pytest.mark.parametrize("shape", [(1, 12, 3), (4, 12, 2)])
def test_trends_agree_with_their_definition(shape: tuple[int, int, int]) -> None:
    values = np.random.default_rng(2).integers(0, 9, size=shape).astype(float)
    expected = [score(values[:, :, figure].tolist()) for figure in range(shape[2])]
    assert standardised(of(values)[:, :, 0], 0.01)[0] == pytest.approx(expected)


def test_replications_that_disagree_more_than_chance_are_tested_by_student() -> None:
    """As of runs whose parts resemble their neighbours: each moves, but in its own direction."""
    found, most = standardised(np.array([[60.0], [-50.0], [66.0], [40.0]]), 0.01)
    deviation = np.std([60.0, -50.0, 66.0, 40.0], ddof=1)
    assert found == pytest.approx([(116.0 - 1.0) / (2.0 * deviation)])
    assert most == pytest.approx([4.5407], rel=1e-4)  # of Student's t with three degrees of freedom


def test_a_figure_without_data_in_a_part_does_not_move() -> None:
    values = rising(50.0)
    values[0, 3, 0] = math.nan
    assert moving(of(values), 1, rising=True) == []


def test_growth_is_steady_while_it_does_not_slow_down() -> None:
    straight, bent = rising(5.0), rising(5.0)
    bent[0, 8:] = bent[0, 7] + 1.0
    assert drift("measure", "x", of(straight)[:, 0]) == Drift("measure", "x", "", 107.5, 147.5, steady=True)
    assert not drift("measure", "x", of(bent)[:, 0]).steady
    assert not drift("measure", "x", of(-straight)[:, 0]).steady


def rising(step: float) -> Floats:
    return (100.0 + step * np.arange(12.0)).reshape(1, 12, 1)


def test_what_moves_by_a_tenth_is_told() -> None:
    """The means of the thirds are eight steps apart; the last is 100 + 9.5 steps."""
    least = 0.1 * 100.0 / (8.0 - 0.1 * 9.5)
    enough, too_little = of(rising(least * 1.001)), of(rising(least * 0.999))
    assert moving(enough, 1, rising=True) == moving(enough, 1, rising=False) == [0]
    assert moving(too_little, 1, rising=True) == moving(too_little, 1, rising=False) == []
    falling = rising(least * 1.2)[:, ::-1]
    assert (moving(of(falling), 1, rising=False), moving(of(falling), 1, rising=True)) == ([0], [])
    assert moving(of(-rising(least * 1.2)), 1, rising=False) == [0]


def test_the_more_figures_are_tested_the_clearer_one_must_move() -> None:
    """S of twelve values that rise is 66, brought to 65: 4.457 standard deviations, exceeded with chance 4.15e-6."""
    values = rising(5.0)
    figures = 0.01 / 4.15e-6
    assert moving(of(values), int(figures * 0.99), rising=True) == [0]
    assert moving(of(values), int(figures * 1.01), rising=True) == []
    assert moving(of(values), int(figures / 2 * 0.99), rising=False) == [0]
    assert moving(of(values), int(figures / 2 * 1.01), rising=False) == []
    assert moving(of(values), 0, rising=True) == [0]


@pytest.mark.parametrize("count", [13, 14, 25, 100])
def test_parts_are_successive_and_leave_nothing_out(count: int) -> None:
    batches = [observed(elapsed=float(number), probes=()) for number in range(count)]
    found = parts(batches)
    assert len(found) == PARTS
    ends = [round(number * (count - 1) / PARTS) for number in range(PARTS + 1)]
    assert [part.elapsed for part in found] == [b - a for a, b in pairwise(ends)]
    assert parts(batches[:PARTS]) == []


SEEN = petri.loads("""net seen
place kept = token
place queue
place emptied
place sink
transition t: queue, read kept -> sink  takes 1
transition clear: emptied, reset queue -> nothing  takes 1
transition add: queue -> emptied  takes 1
measure length = mean(queue)
measure most = max(queue)
measure ratio = mean(queue) / mean(kept)
""").net


def run_of(*rates: float) -> list[Observation]:
    """Cumulative snapshots of a run in which the tokens of each place, 10 at first, change at these rates."""
    times = np.arange(25.0)
    integrals = 10.0 * times[:, None] + 0.5 * times[:, None] ** 2 * np.array(rates)
    many = {"nonempty": np.zeros(4), "maximum": np.zeros(4, dtype=int), "arrivals": np.zeros(4, dtype=int)}
    return [
        observed(elapsed=float(time), integral=integral, initial=np.zeros(4, dtype=int), probes=(), **many)
        for time, integral in zip(times, integrals, strict=True)
    ]


def test_places_that_grow_are_told_if_something_empties_them() -> None:
    """The mean from 0 to 8 is 10 + 4 rates, that from 16 to 24 is 10 + 20 rates."""
    run = run_of(0.0, 1.0, -0.2, 1.0)
    place = Drift("place", "queue", "", 14.0, 30.0, growth=1.0, steady=True)
    found = drifts(SEEN, [run])
    assert found[:2] == (place, Drift("measure", "length", "", 14.0, 30.0, steady=True))
    assert [(one.kind, one.name) for one in found[2:]] == [("measure", "ratio")]
    assert (found[2].early, found[2].late) == pytest.approx((1.4, 3.0))
    assert growing(SEEN, [run], 0.01) == (place,)
    assert [one.name for one in drifts(SEEN, [run_of(1.0, 0.0, 0.0, 1.0)])] == ["ratio"]
    assert [one.name for one in growing(SEEN, [run_of(1.0, 0.0, 0.5, 1.0)], 0.01)] == ["emptied"]


def test_a_run_without_enough_parts_tells_nothing() -> None:
    run = run_of(0.0, 1.0, 0.0, 0.0)
    assert drifts(SEEN, [run[:PARTS]]) == growing(SEEN, [run[:PARTS]], 0.01) == ()
    assert drifts(SEEN, []) == ()
    assert [one.name for one in growing(SEEN, [run[:PARTS], run], 0.01)] == ["queue"]


def test_the_alarms_that_are_allowed_decide_with_the_number_of_places() -> None:
    """Two places are tested; twelve rising parts are exceeded with chance 4.15e-6."""
    run = run_of(0.0, 1.0, 0.0, 0.0)
    assert growing(SEEN, [run], 2 * 4.2e-6)
    assert not growing(SEEN, [run], 2 * 4.1e-6)


def test_only_some_replications_are_looked_at() -> None:
    steady, rising_run = run_of(0.0, 0.0, 0.0, 0.0), run_of(0.0, 1.0, 0.0, 0.0)
    assert drifts(SEEN, [steady] * MOST_REPLICATIONS + [rising_run] * 200) == ()
    assert drifts(SEEN, [*[steady] * (MOST_REPLICATIONS - 1), *[rising_run] * 200]) == ()
    assert drifts(SEEN, [rising_run] * MOST_REPLICATIONS)


def begin_cold(load: float, until: float, n: int, warmup: float = 0.0, seed: int = 1) -> petri.Result:
    return petri.load("mm1", load=load).run(until=until, warmup=warmup, replications=n, seed=seed)


def test_a_forgotten_warm_up_is_heard_from_ten_replications(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """M/M/1 at load 0.98 has 49 customers, and 24 in its first 2,000 time units."""
    found = begin_cold(0.98, 2_000, 10).cold_start
    assert found is not None
    assert (found.place, found.initial, found.late > 15.0) == ("queue", 0, True)
    call, page = caller(capsys), tmp_path / "page.html"
    options = ("--until", "2000", "--warmup", "0", "-n", "10")
    ran = call("run", "mm1", "--set", "load=0.98", *options, "--report", str(page))
    said = r"begin with 0 tokens in `queue` and end with \d+ on average: without a warm-up, averages are too low"
    assert re.search(f"note.begins-cold.: runs {said}", ran.err)
    assert "`queue` still grows" not in ran.err
    assert "without a warm-up, averages are too low" in page.read_text(encoding="utf-8")
    told = json.loads(call("run", "mm1", "--set", "load=0.98", *options, "--json").out)
    assert told["cold_start"]["place"] == "queue"


@pytest.mark.parametrize(
    ("load", "until", "n", "warmup"), [(0.5, 3_000, 20, 0.0), (0.8, 20_000, 20, 0.0), (0.98, 2_000, 20, 1.0)]
)
def test_a_start_that_makes_no_difference_is_not_named(load: float, until: float, n: int, warmup: float) -> None:
    """A warm-up of any length is the user's word on it."""
    assert begin_cold(load, until, n, warmup).cold_start is None


def test_a_net_in_which_nothing_arrives_from_outside_does_not_begin_cold() -> None:
    text = """net repair  place up = 40 * token  place down  place crew = token
    transition fail: up -> down after exp(400) servers all   transition mend: down, crew -> up, crew takes exp(9)
    measure m = mean(down)"""
    assert petri.loads(text).run(until=300, replications=20).cold_start is None


@pytest.mark.slow
@pytest.mark.parametrize(("load", "until", "named"), [(0.98, 2_000, 20), (0.9, 500, 20), (0.8, 1_000, 0)])
def test_how_often_a_start_is_named(load: float, until: float, named: int) -> None:
    """Where the mean is too low by more than its half-width, all but 3 of 20 sets of 20 runs say so, or that the queue
    grows; where it is too low by a tenth of that, at most 3.

    If the chance is 1 % in one case and 99 % in the other, each fails with probability 4e-5.
    """
    every = [begin_cold(load, until, 20, seed=seed) for seed in range(20)]
    said = sum(one.cold_start is not None or any(drift.name == "queue" for drift in one.drifts) for one in every)
    assert abs(said - named) <= 3
