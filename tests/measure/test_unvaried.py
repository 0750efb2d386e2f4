"""What never happened in a run is not shown as an exact figure, and what is the same in every run is."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path

import pytest

import petri
from petri.engine.native import available
from petri.experiment import Experiment
from petri.measure.intervals import Interval
from petri.measure.sequential import Precision
from petri.measure.unvaried import Ranged, Ranges, pooled, with_few_events
from petri.report.telling.quantities import Units
from tests.cli.calling import caller
from tests.engines import FASTEST, NATIVE_FIRST

QUEUE = """net queue
param load = 0.5 in 0..2
place s = token
place d
place q
place srv = token
transition arrive: s -> s, d      takes exp(1 / load)
transition enter:  d -> q         priority 1  when tokens(q) < 9
transition lose:   d -> nothing
transition serve:  q, srv -> srv  takes exp(1)
measure loss    = count(lose) / count(arrive)
measure carried = 1 - count(lose) / count(arrive)
measure far     = share(tokens(q) >= 12)
  expect == 0
measure near    = share(tokens(q) < 12)
measure both    = mean(srv) + mean(serve)
measure held    = mean(s) + mean(arrive)
measure lost    = rate(lose)
run until 3000 warmup 300
"""

ROUTED = """net routed
place s = token
transition go: s -> s  draw x ~ choice(1000: 0.0003, 1: 0.9997)  takes exp(1)
measure size = x at go  record mean, p50, p99, std, histogram
measure kinds = x div x at go
measure took = end - now at go
run until 3000
"""


def interval(result: petri.Result, name: str) -> Interval:
    return result.measure(name).interval


@pytest.mark.parametrize("engine", NATIVE_FIRST)
@pytest.mark.parametrize("replications", [1, 10])
def test_what_never_happened_has_a_bound(engine: str, replications: int) -> None:
    """In M/M/1 at load 0.3, twelve wait for a share 0.3^13 = 1.6e-7 of the time, and a loss is as rare."""
    result = petri.loads(QUEUE, load=0.3).run(replications=replications, engine=engine)
    for name, base in (("loss", 0.0), ("far", 0.0), ("lost", 0.0), ("carried", 1.0), ("near", 1.0)):
        found = interval(result, name)
        assert (found.mean, found.doubt) == (base, "unvaried"), name
        assert 1e-5 < found.half_width < 0.1
        assert base in (found.low, found.high)
        assert 0.0 <= found.low < found.high <= 1.0
    assert [verdict.certain for _, verdict in result.measure("far").verdicts] == [False]
    lose = [one.name for one in result.net.transitions].index("lose")
    assert result.transitions.rate.interval(lose).high == pytest.approx(interval(result, "lost").high)
    assert result.transitions.rate.half_width[lose] > 0.0


def test_more_looks_give_a_lower_bound() -> None:
    model = petri.loads(QUEUE, load=0.3)
    bounds = [
        interval(model.run(until=until, replications=n), "far").high for until, n in ((3e3, 1), (3e4, 1), (3e4, 9))
    ]
    assert bounds[0] > 4 * bounds[1] > 16 * bounds[2]


def test_media_say_below(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    call, net, page = caller(capsys), tmp_path / "queue.net", tmp_path / "page.html"
    net.write_text(QUEUE)
    ran = call("run", str(net), "--set", "load=0.3", "--report", str(page))
    lines = {line.split()[0]: line for line in ran.out.splitlines() if line.strip()}
    assert "below 0.00" in lines["loss"]
    assert "above 0.99" in lines["carried"]
    assert lines["far"].rstrip().endswith("✓ exactly 0% (uncertain)")
    assert "above 99." in lines["near"]
    assert "below 0.00" in lines["lose"]
    assert "below 0.00" in page.read_text(encoding="utf-8")
    told = json.loads(call("run", str(net), "--set", "load=0.3", "--json").out)
    far = next(one for one in told["measures"] if one["name"] == "far")
    assert (far["value"], far["low"], far["doubt"], far["expectations"][0]["certain"]) == (0.0, 0.0, "unvaried", False)
    assert far["half_width"] == far["high"] > 0.0


def test_a_rare_value_of_a_sample() -> None:
    """Seed 5 has none of the values of 1,000. Without a bound on the values there is none on their mean."""
    result = petri.loads(ROUTED).run(seed=5, engine=FASTEST)
    size = result.measure("size")
    assert (size.interval.mean, size.interval.low) == (1.0, 1.0)
    assert 1.2 < size.interval.high < 5.0
    assert Units().show_interval(size.interval).startswith("1 (1..")
    assert (size.recorded["p50"].half_width, size.recorded["p99"].half_width) == (0.0, 0.0)
    assert size.recorded["std"].high > 5.0
    kinds = interval(result, "kinds")
    assert (kinds.mean, kinds.doubt, math.isnan(kinds.half_width)) == (1.0, "unvaried", True)
    assert Units().show_interval(kinds) == "1 ±?"


@pytest.mark.parametrize("replications", [1, 5])
def test_what_is_the_same_in_every_run_is_exact(replications: int) -> None:
    result = petri.loads(QUEUE, load=0.3).run(replications=replications, engine=FASTEST)
    for name in ("both", "held"):
        assert interval(result, name).mean == pytest.approx(1.0)
        assert interval(result, name).half_width == pytest.approx(0.0, abs=1e-9)
        assert not interval(result, name).doubt
    assert (result.places.mean.half_width[0], result.transitions.in_progress.half_width[0]) == (0.0, 0.0)


LINE = """net line  ## frames come every 67.2 and need 78.4; 32 wait at most
place source = token  place door  place ring cap 32  place engine = token  place other = 2 * token
transition arrive: source -> source, door  takes 67.2
transition enter: door -> ring  priority 1
transition lose: door -> nothing
transition serve: ring, engine -> engine  takes 78.4  priority 2
transition noise: other -> other  takes NOISE
measure loss = count(lose) / count(arrive)
measure frames = rate(arrive)
"""


@pytest.mark.parametrize("noise", ["13", "exp(10)"])
def test_what_chance_does_not_reach_is_exact(noise: str) -> None:
    """Both have draws: at some instants two transitions may start."""
    result = petri.loads(LINE.replace("NOISE", noise)).run(until=20_000, replications=3, engine=FASTEST)
    assert all(one.drew for one in result.replications)
    for name in ("loss", "frames"):
        assert interval(result, name).half_width == pytest.approx(0.0, abs=1e-15)
        assert not interval(result, name).doubt


def test_in_a_sweep(tmp_path: Path) -> None:
    (tmp_path / "queue.net").write_text(QUEUE)
    experiment = Experiment(net=str(tmp_path / "queue.net"), points=[{"load": 0.3}, {"load": 0.9}], replications=4)
    outcome = experiment.run(tmp_path / "store.db")
    again = experiment.run(tmp_path / "store.db")  # reads it
    for found in (outcome, again):
        quiet, busy = (found.point(load=load).interval("loss") for load in (0.3, 0.9))
        assert (quiet.mean, quiet.low, quiet.doubt) == (0.0, 0.0, "unvaried")
        assert 1e-4 < quiet.high < 0.05
        assert (busy.doubt, busy.mean > 0.0) == ("", True)
        assert found.point(load=0.3).interval("both").half_width == 0.0
    alone = petri.loads(QUEUE, load=0.3).run(replications=4, seed=outcome.points[0].seed, engine=FASTEST)
    assert interval(alone, "loss").high == pytest.approx(outcome.point(load=0.3).interval("loss").high)


def test_a_figure_that_does_not_vary_needs_no_more_replications() -> None:
    assert Precision(0.01).met(Interval(0.0, 0.3, 0.95, 10, ends=(0.0, 0.3), doubt="unvaried"))
    assert not Precision(0.01).met(Interval(0.0, 0.3, 0.95, 10))


def test_looks_of_replications_add_up() -> None:
    ten = Ranges.of([Ranged(0.0, 0.0, 0.369, 10.0, 0.0)] * 10)
    found = pooled(ten, 0.95)
    assert (found.low, found.high) == pytest.approx((0.0, 0.0369))
    rare = Ranges.of([Ranged(0.02, -math.inf, math.inf, 10.0, 0.2)] * 10)
    few = with_few_events(Interval(0.02, 0.012, 0.95, 10), rare)
    assert (few.low, few.high) == pytest.approx((0.00243, 0.0704), rel=0.01)  # 2 of 100
    many = Interval(0.02, 0.001, 0.95, 10)  # as of 2,000
    assert with_few_events(many, rare) is many
    many = Interval(0.5, 0.1, 0.95, 10)
    often = Ranges.of([Ranged(0.5, -math.inf, math.inf, 100.0, 50.0)] * 10)
    assert with_few_events(many, often) is many


REPAIR = """net repair
place up = token  place down  place c = token
transition tick: c -> c takes exp(1)
transition fail: up -> down after exp(100_000)
transition repair: down -> up after exp(100)
measure broken = share(tokens(down) > 0)
run until 20_000
"""
LONG = QUEUE.replace("< 9\n", "< 90\n")
LONGER = LONG.replace(">= 12", ">= 40")

COVERED: dict[str, tuple[Callable[[], petri.Model], str, float, dict[str, float], int]] = {
    "twelve wait": (lambda: petri.loads(LONG), "far", 0.5**13, {}, 1),
    "twelve wait, ten runs": (lambda: petri.loads(LONG), "far", 0.5**13, {}, 10),
    "many wait": (lambda: petri.loads(LONGER, load=0.9), "far", 0.9**41, {"until": 10_000}, 1),
    "many wait, ten runs": (lambda: petri.loads(LONGER, load=0.9), "far", 0.9**41, {"until": 2_500, "warmup": 500}, 10),
    "repairs": (lambda: petri.loads(REPAIR), "broken", 1 / 1001, {}, 1),
    "repairs, five runs": (lambda: petri.loads(REPAIR), "broken", 1 / 1001, {}, 5),
    "a rare value": (lambda: petri.loads(ROUTED), "size", 1.2997, {}, 1),
}


@pytest.mark.slow
@pytest.mark.skipif(not available(), reason="takes long on the reference engine")
@pytest.mark.parametrize("name", COVERED)
def test_bounds_of_rare_events_hold(name: str) -> None:
    """Of 100 intervals and bounds that hold with probability 0.95, more than 11 fail with probability 0.004."""
    load, measure, truth, options, replications = COVERED[name]
    model, shown, missed = load(), 0, 0
    for seed in range(100):
        found = interval(model.run(seed=seed, replications=replications, **options), measure)  # type: ignore[arg-type]
        shown += not math.isnan(found.half_width)
        missed += not found.low <= truth <= found.high and not math.isnan(found.half_width)
    assert shown >= 25
    assert missed <= 0.11 * shown
