"""No flat net, however wrong, brings the process down: the native engine refuses it with a ValueError, or runs it."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from petri.engine.native import available

if not available():
    pytest.skip("the native engine is not built", allow_module_level=True)


@pytest.mark.parametrize(("seed", "number"), [(4, 60), pytest.param(2, 2_500, marks=pytest.mark.slow)])
def test_mutated_nets_are_refused_or_run(seed: int, number: int) -> None:
    command = [sys.executable, "-m", "tests.engine.mutated", str(seed), str(number)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60 + number / 5)
    assert done.returncode == 0, done.stderr[-3000:]
    outcomes = {name: int(count) for name, count in re.findall(r"(\S[\w ]+)=(\d+)", done.stdout)}
    assert sum(outcomes.values()) == number
    for name in ("refused", "ran", "fault"):
        assert outcomes[name] > number / 100, outcomes
