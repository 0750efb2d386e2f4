"""Figures whose interval would say too much: of infinite variance, far quantiles, passages that are still open."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

import petri
from petri.experiment import Experiment
from petri.measure.histogram import Histogram
from petri.measure.sequential import Precision
from petri.measure.tails import is_heavy
from petri.report.telling.quantities import Units
from tests.cli.calling import caller
from tests.engines import FASTEST

QUEUE = """net queue
place s = token
place q
place srv = token
transition arrive: s -> s, q      takes exp(2)
transition serve:  q, srv -> srv  takes TIME
measure line = mean(q)
measure both = mean(q) + mean(serve)
measure busy = active(serve)
measure some = share(tokens(q) > 0)
measure rate = rate(serve)
measure wait = time(arrive -> serve)  record mean, p50
run until 20_000 warmup 2000
"""
OF_LINES = {"line", "both", "wait"}


def doubts(result: petri.Result) -> dict[str, str]:
    return {one.name: one.interval.doubt for one in result.measures if one.interval.doubt}


@pytest.mark.parametrize("replications", [1, 5])
@pytest.mark.parametrize(
    ("time", "heavy"),
    [
        ("pareto(2.2, 1)", OF_LINES),
        ("loglogistic(2.9, 0.8)", OF_LINES),
        ("pareto(3.2, 1)", set()),
        ("min(pareto(2.2, 1), 20)", set()),
        ("lognormal(1, 2)", set()),
    ],
)
def test_a_service_without_a_third_moment(time: str, heavy: set[str], replications: int) -> None:
    """The mean wait of M/G/1 is finite, its variance is not; shares and rates are not concerned."""
    result = petri.loads(QUEUE.replace("TIME", time)).run(replications=replications, engine=FASTEST)
    assert doubts(result) == dict.fromkeys(heavy, "heavy")
    assert result.places.mean.interval(1).doubt == ("heavy" if heavy else "")
    assert not result.places.mean.interval(2).doubt
    assert not math.isnan(result.transitions.rate.half_width[1])


def test_media_say_why(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    call, net, page = caller(capsys), tmp_path / "queue.net", tmp_path / "page.html"
    net.write_text(QUEUE.replace("TIME", "pareto(2.2, 1)"))
    ran = call("run", str(net), "--report", str(page))
    assert "±?: an infinite variance, or so it seems" in ran.out
    assert "±?: an infinite variance, or so it seems" in page.read_text(encoding="utf-8")
    told = json.loads(call("run", str(net), "--json").out)["measures"][0]
    assert (told["name"], told["half_width"], told["doubt"]) == ("line", None, "heavy")
    experiment = Experiment(net=str(net), points=[{}], precision=Precision(0.5), measures=["line", "busy"])
    line, busy = (experiment.run(tmp_path / "s.db").points[0].interval(name) for name in ("line", "busy"))
    assert (line.doubt, math.isnan(line.half_width), busy.doubt) == ("heavy", True, "")


def sample(quantile: object, count: int) -> Histogram:
    """Values at evenly spread shares, in place of random ones."""
    found = Histogram()
    for number in range(count):
        found.add(quantile((number + 0.5) / count))  # type: ignore[operator]
    return found


@pytest.mark.parametrize(
    ("quantile", "heavy"),
    [
        (lambda u: (1 - u) ** (-1 / 1.3), True),
        (lambda u: 100 + (1 - u) ** (-1 / 1.5), True),
        (lambda u: (u / (1 - u)) ** (1 / 1.3), True),
        (lambda u: (1 - u) ** (-1 / 3.0), False),
        (lambda u: -math.log(1 - u), False),
        (lambda u: u, False),
        (lambda u: 1000.0 if u > 0.9997 else 1.0, False),
        (lambda u: 5.0, False),
    ],
)
def test_a_sample_of_infinite_variance(quantile: object, heavy: bool) -> None:
    assert is_heavy(sample(quantile, 5_000).snapshot()) is heavy


@pytest.mark.slow
@pytest.mark.parametrize("dist", ["exp(1)", "lognormal(1, 1)", "erlang(3, 1)", "weibull(0.7, 1)", "uniform(0.0..3.0)"])
def test_samples_of_finite_variance_are_rarely_called_heavy(dist: str) -> None:
    """Of 100 samples of 2,000 at most 3: if the chance is 0.5 %, more are with probability 0.002."""
    model = petri.loads(f"net n  place s = token  transition t: s -> s draw x ~ {dist} takes 1  measure m = x at t")
    assert sum(bool(doubts(model.run(until=2_000, seed=seed))) for seed in range(100)) <= 3


FAR = """net far
place s = token
transition go: s -> s  draw x ~ exp(1)  takes 1
measure x = x at go  record p50, p99, p99.9, mean
"""


@pytest.mark.parametrize(
    ("until", "replications", "shown"),
    [
        (2_500, 1, {"p50", "p99", "mean"}),
        (6_000, 1, {"p50", "p99", "p99.9", "mean"}),
        (500, 5, {"p50", "mean"}),
        (1_500, 5, {"p50", "p99", "mean"}),
        (1_500, 80, {"p50", "mean"}),
    ],
)
def test_a_quantile_beyond_which_there_are_few_values(until: float, replications: int, shown: set[str]) -> None:
    """Four values in one run, ten in each of several, and a quarter as many as there are replications."""
    recorded = petri.loads(FAR).run(until=until, replications=replications, engine=FASTEST).measure("x").recorded
    assert {name for name, one in recorded.items() if not math.isnan(one.half_width)} == shown
    for name in recorded.keys() - shown:
        assert 1.5 < recorded[name].longer < 50.0
        assert Units().show_interval(recorded[name]).endswith("±?")


def test_what_several_short_runs_are_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    net = tmp_path / "far.net"
    net.write_text(FAR)
    ran = caller(capsys)("run", str(net), "--until", "800", "-n", "5")
    assert "±?: a run is too short for a 95 % interval; a run until about 2,000 should give" in ran.out
    assert "--replications" not in ran.out


STAYS = """net stays
place s = token
place n : int = 0
place here : int
place gone : int
transition arrive: s, n(i) -> s, n(i + 1), here(i)  takes exp(1)
transition stay:   here(i) -> gone(i)               takes TIME
transition leave:  gone(i) -> nothing
measure stays = time(here(i) -> leave, by i)
measure far = time(here(i) -> leave, by i)  record p90
run until UNTIL
"""


@pytest.mark.parametrize(
    ("time", "until", "replications", "said"),
    [
        ("exp(100)", 3_000, 20, True),  # mean 96.6 ± 0.8
        ("exp(100)", 3_000, 1, False),  # 97 ± 20
        ("exp(1)", 3_000, 20, False),
        ("40", 600, 5, False),
        ("lognormal(20, 3)", 300, 20, True),
    ],
)
def test_passages_that_have_not_ended(
    time: str, until: float, replications: int, said: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    net, page = tmp_path / "stays.net", tmp_path / "page.html"
    net.write_text(STAYS.replace("TIME", time).replace("UNTIL", str(until)))
    call = caller(capsys)
    ran = call("run", str(net), "-n", str(replications), "--report", str(page))
    assert ("that have not ended: with their time so far, the mean is" in " ".join(ran.out.split())) is said
    assert ("that have not ended: with their time so far, the mean is" in page.read_text(encoding="utf-8")) is said
    first, far = json.loads(call("run", str(net), "-n", str(replications), "--json").out)["measures"]
    told = first["passages"]
    assert told == far["passages"]
    assert told["open"] + told["ended"] == pytest.approx(until * replications, rel=0.1)
    if time == "exp(100)":
        assert told["mean"] == pytest.approx(100, rel=0.12)


@pytest.mark.parametrize("engine", ["reference", FASTEST])
def test_how_long_passages_have_been_open(engine: str) -> None:
    """Customer i comes at i + 1 and stays for 2.5: at 10, those of 8, 9 and 10 are there; at 4, those of 2, 3 and 4."""
    model = petri.loads(STAYS.replace("exp(1)", "1").replace("TIME", "2.5").replace("UNTIL", "10"))
    seen = model.run(warmup=4, engine=engine).replications[0].window.probes[0]
    assert (seen["count"], seen["waiting"], seen["open"], seen["open_before"]) == (6, 3, 3.0, 3.0)


def test_samples_of_waits() -> None:
    """A wait is a difference of instants: of such values as the time of the server, or of the line before it."""
    text = """net sampled
    place s = token  place q : real fifo  place server = token
    transition arrive: s -> s, q(end)  takes exp(2)
    transition serve: q(t), server -> server  takes pareto(2.2, 1)
    measure wait    = now - t at serve
    measure stay    = end - t at serve
    measure bounded = min(end - t, 5) at serve
    measure late    = if now - t > 3 then 1 else 0 at serve
    """
    result = petri.loads(text).run(until=20_000, warmup=1000, engine=FASTEST)
    assert {name for name, doubt in doubts(result).items() if doubt == "heavy"} == {"wait", "stay"}


def test_samples_of_arriving_tokens() -> None:
    """Their values come from what put them there; a sample taken by the clock is random if the tokens are."""
    text = """net sampled
    place s = token  place q : real  place door  place clerk = token
    transition arrive: s -> s, q(x) draw x ~ pareto(1.8, 1) takes 1
    transition out: q(y) -> nothing takes exp(1)
    transition visit: clerk -> clerk, door takes 7
    measure size = v at q(v)
    measure seen = tokens(q) at visit
    """
    result = petri.loads(text).run(until=3_000, engine=FASTEST)
    assert result.measure("size").interval.doubt == "heavy"
    assert result.measure("seen").interval.half_width > 0.0
