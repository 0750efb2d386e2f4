"""The library's nets against figures that are known exactly.

A figure passes when its exact value lies in the interval of ten replications with fixed seeds, at a level of 0.9999: of
the hundred figures here, one would be refused wrongly with a chance below 1 %. So that a wrong figure is refused, the
interval may not be wider than a tenth of the value.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest
import yaml

import petri
from petri.engine.native import available
from petri.measure.intervals import student_interval
from tests.sampling import one_in

LEVEL = 0.9999
REPLICATIONS = 10
WIDEST = 0.1  # half of the interval, as a share of the value

ORACLES: list[dict[str, Any]] = yaml.safe_load(
    (Path(__file__).parents[1] / "data" / "oracles.yaml").read_text(encoding="utf-8")
)


@pytest.mark.parametrize("oracle", one_in(12, ORACLES, lambda oracle: str(oracle["id"])))
def test_figure_is_exact(oracle: dict[str, Any]) -> None:
    if not available():
        pytest.skip("takes too long on the reference engine")
    exact = oracle.get("exact", False)
    model = petri.load(oracle["net"], **oracle["set"])
    result = model.run(
        until=oracle["until"], warmup=oracle["warmup"], seed=2024, replications=1 if exact else REPLICATIONS
    )
    assert result.failure is None
    for name, value in oracle["expect"].items():
        seen = [replication_value(result, name, index) for index in range(len(result.replications))]
        if exact:
            assert math.isclose(seen[0], value, rel_tol=2e-3), f"{name}: {seen[0]}, exactly {value}"
            continue
        interval = student_interval(seen, LEVEL)
        assert interval.low <= value <= interval.high, f"{name}: {interval}, exactly {value}"
        assert interval.half_width <= WIDEST * value, f"{name}: {interval} cannot refuse much"


def replication_value(result: petri.Result, name: str, index: int) -> float:
    """Return a measure in one replication."""
    from petri.measure.formula import evaluate

    measure = result.measure(name).measure
    return evaluate(measure.formula, result.replications[index].window)


KNEE = """
net knee
param threads = 16
place idle = threads * token
place ready
place memory = token
transition compute:  idle -> ready                   takes 1560
transition access:   ready, memory -> idle, memory   takes 104
measure utilisation = busy(memory)
run until 1_664_000 warmup 166_400
"""


@pytest.mark.parametrize("threads", [4, 8, 12, 16, 24, 32, 64])
def test_fixed_times_saturate_memory_at_sixteen_threads(threads: int) -> None:
    """A marked graph: its pace is that of the slower of its two circuits."""
    result = petri.loads(KNEE, threads=threads).run()
    assert result.measure("utilisation").value == pytest.approx(min(1.0, threads * 104 / 1664), rel=1e-3)
