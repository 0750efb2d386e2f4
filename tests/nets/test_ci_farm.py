"""The build farm of the library in cases for which there are formulas, with a fixed seed."""

from __future__ import annotations

import math
from typing import Any

import pytest

import petri
from petri.engine.native import available
from petri.result import Result

pytestmark = pytest.mark.skipif(not available(), reason="takes long on the reference engine")


def farm(hours: int = 4000, **parameters: Any) -> Result:
    return petri.load("patterns/ci_farm", **parameters).run(until=f"{hours} h", warmup="10 h", seed=2)


def test_a_build_survives_while_nobody_pushes() -> None:
    """The transform of its time, at the rate of pushes to the branch. 9,400 pushes: five deviations are 3.5 %."""
    share = math.exp(-0.5 / 25) * (1 + 9 / 4 / 25) ** -4
    assert farm(500, runners=1000).measure("built").value == pytest.approx(share, rel=0.035)


@pytest.mark.slow
def test_without_cancelling_one_runner_is_a_queue() -> None:
    """Pollaczek and Khinchine, for a time of four stages; nothing passes, so that no train takes the runner."""
    rate = 0.7 / 9
    waiting = rate**2 * 9**2 * (1 + 1 / 4) / (2 * (1 - 0.7))
    result = farm(cancels=False, runners=1, flaky=1.0, checkout="0 s", gap=f"{8 / rate} min")
    assert result.measure("built").value == pytest.approx(1.0, abs=0.001)
    assert result.measure("load").value == pytest.approx(0.7, rel=0.03)
    assert result.measure("queue").value == pytest.approx(waiting, rel=0.12)


@pytest.mark.slow
def test_every_change_is_merged_or_lost_with_its_train() -> None:
    """15,000 trains of two or three changes, each lost with a chance of 1/4: five deviations are 0.018."""
    result = farm(length=3, broken=0.25)
    assert 2.0 < result.measure("changes").value < 3.0
    assert result.measure("through").value == pytest.approx(0.75, abs=0.02)
