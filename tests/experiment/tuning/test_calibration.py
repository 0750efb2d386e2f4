"""Parameters of measured figures: recovered from synthetic measurements, with intervals that cover."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from pathlib import Path

import numpy as np
import pytest

import petri
from petri.engine.native import available
from petri.experiment import ExperimentError
from petri.experiment.tuning.calibration import Calibration
from tests.experiment.tuning.nets import MM1K, written

pytest.importorskip("scipy")
if not available():
    pytest.skip("too slow on the reference engine", allow_module_level=True)

# Two classes at a server, of which one goes first. There may be any number of customers: it has no finite chain.
CLASSES = """net classes
time s
param gold   = 0.3 in 0.01..1
param silver = 0.4 in 0.01..1
param work   = 1.0 in 0.1..2
place gold_source   = token
place silver_source = token
place gold_line
place silver_line
place server = token
transition gold_comes:   gold_source -> gold_source, gold_line        takes exp(1 s / gold)
transition silver_comes: silver_source -> silver_source, silver_line  takes exp(1 s / silver)
transition serve_gold:   gold_line, server -> server    takes exp(work * 1 s)  priority 1
transition serve_silver: silver_line, server -> server  takes exp(work * 1 s)
measure used          = busy(server)
measure golden        = count(serve_gold) / (count(serve_gold) + count(serve_silver))
measure gold_waits    = sojourn(gold_line)
measure silver_waits  = sojourn(silver_line)
run until 1000 s  warmup 100 s
"""

# Packets of exponential size, of which those pass for which the bucket has enough.
BUCKET = """net bucket
time s
param rate  = 1.0 in 0.1..3    ## credits a second
param depth = 3.0 in 0.2..20   ## that the bucket holds
type Bucket = { level: real, filled: Time }
place source = token
place wire
place bucket : Bucket = ({level: 1.0, filled: 0 s})
transition send: source -> source, wire  takes exp(1 s)
transition judge: wire, bucket({level: l, filled: t}) -> bucket({level: left, filled: now})
  draw size ~ exp(1.0)
  let has = min(depth, l + rate * (now - t) / 1 s)
  let left = if has >= size then has - size else has
measure packets = rate(judge, if min(depth, l + rate * (now - t) / 1 s) >= size then 1.0 else 0.0)
measure bytes   = rate(judge, if min(depth, l + rate * (now - t) / 1 s) >= size then size else 0.0)
measure level   = rate(judge, min(depth, l + rate * (now - t) / 1 s))
run until 1000 s  warmup 20 s
"""


def exact_mm1k(arrivals: float, work: float) -> dict[str, float]:
    r = arrivals * work
    shares = np.array([r**k for k in range(6)])
    shares /= shares.sum()
    return {"refused": float(shares[5]), "served": arrivals * (1 - float(shares[5])),
            "waiting": float(shares[1:] @ np.arange(5))}  # fmt: skip


def test_parameters_of_measured_figures(tmp_path: Path) -> None:
    true = exact_mm1k(0.7, 1.3)
    measured = {name: (value, 0.01 * value) for name, value in true.items()}
    over = {"arrivals": "0.1..2.0", "work": "0.5..3.0"}
    found = petri.calibrate(written(tmp_path, MM1K), measured, over=over)
    assert found.exact
    assert found.alike == ()
    assert float(found.values["arrivals"]) == pytest.approx(0.7, abs=0.005)
    assert float(found.values["work"]) == pytest.approx(1.3, abs=0.01)


def covered(found: Calibration, true: Mapping[str, float]) -> int:
    return sum(abs(float(found.values[name]) - value) <= found.half_widths[name] for name, value in true.items())


@pytest.mark.slow
def test_intervals_of_parameters_cover(tmp_path: Path) -> None:
    """Of 60 intervals at 95 %, fewer than 51 cover with a probability of 4e-4."""
    true, path, rng, hits = exact_mm1k(0.7, 1.3), written(tmp_path, MM1K), np.random.default_rng(1), 0
    for _ in range(30):
        measured = {name: (value * (1 + 0.03 * rng.normal()), 0.03 * value) for name, value in true.items()}
        found = petri.calibrate(path, measured, over={"arrivals": "0.1..2.0", "work": "0.5..3.0"})
        hits += covered(found, {"arrivals": 0.7, "work": 1.3})
    assert hits >= 51


def observed(path: Path, true: Mapping[str, float], names: Iterable[str], seed: int) -> dict[str, tuple[float, float]]:
    """Return what 50 runs show for each figure, others for each: means and their standard errors."""
    found = {}
    for at, name in enumerate(names):
        one = petri.load(path, **true).run(replications=50, seed=10 * seed + at).measure(name).interval
        found[name] = (one.mean, one.half_width / 2.01)  # the quantile of t with 49 degrees
    return found


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "true", "over", "names", "least"),
    [
        (CLASSES, {"gold": 0.25, "silver": 0.35, "work": 1.2},
         {"gold": "0.1..0.5", "silver": "0.1..0.5", "work": "0.5..1.5"},
         ("used", "golden", "gold_waits", "silver_waits"), 30),
        (BUCKET, {"rate": 0.8, "depth": 2.5}, {"rate": "0.2..2.0", "depth": "0.5..10.0"},
         ("packets", "bytes", "level"), 19),
    ],
    ids=["classes", "bucket"],
)  # fmt: skip
def test_intervals_from_runs_cover(
    tmp_path: Path, text: str, true: Mapping[str, float], over: dict[str, str], names: tuple[str, ...], least: int
) -> None:
    """12 measurements by runs, with other random numbers than those of the search. Of 36 intervals at 95 %, fewer than
    30 cover with a probability of 2e-3; of 24, fewer than 19 with 1e-3.
    """
    path, hits = written(tmp_path, text), 0
    for seed in range(1_001, 1_013):
        found = petri.calibrate(path, observed(path, true, names, seed), over=over, workers=2)
        assert not found.exact
        assert found.alike == ()
        hits += covered(found, true)
    assert hits >= least


def test_parameters_that_figures_cannot_tell_apart(tmp_path: Path) -> None:
    """Only their product decides how many are refused, and how many wait."""
    true = exact_mm1k(0.7, 1.3)
    measured = {name: (true[name], 0.01 * true[name]) for name in ("refused", "waiting")}
    over = {"arrivals": "0.3..2.0", "work": "0.5..3.0"}
    found = petri.calibrate(written(tmp_path, MM1K), measured, over=over)
    assert found.alike == (("arrivals", "work"),)
    assert math.isinf(found.half_widths["work"])


@pytest.mark.slow
def test_parameters_of_runs_that_figures_cannot_tell_apart(tmp_path: Path) -> None:
    """How busy the server is, and which share of its customers is gold, say nothing of the time that one needs."""
    path = written(tmp_path, CLASSES)
    true = {"gold": 0.25, "silver": 0.35, "work": 1.2}
    measured = observed(path, true, ("used", "golden", "gold_waits"), 7)
    measured["gold_waits"] = (measured["gold_waits"][0], 100.0)
    over = {"gold": "0.1..0.5", "silver": "0.1..0.5", "work": "0.5..1.5"}
    found = petri.calibrate(path, measured, over=over, workers=2)
    assert found.alike == (("gold", "silver", "work"),)


def test_aims_beside_measured_figures_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ExperimentError, match="--match"):
        petri.calibrate(written(tmp_path, MM1K), {"refused": (0.1, 0.1)}, over={"work": "0.5..3.0"}, least="served")
