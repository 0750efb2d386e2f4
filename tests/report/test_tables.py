"""The rows of places and transitions: elements of an array stand together, and what is unlike in them is shown."""

from __future__ import annotations

import math
from io import StringIO

import numpy as np
import pytest
from rich.console import Console

import petri
from petri.report.terminal.summary import print_summary
from petri.result.tables import alike, table

TWO_KINDS = """net kinds
place idle[0..3] = token
place slow[0..3] = token
transition work[i in 0..3]: idle[i] -> idle[i] takes exp(2)
transition wait[i in 0..3]: slow[i] -> slow[i] takes exp(1 + 9 * i)
run until 20000
"""


@pytest.mark.parametrize(
    ("values", "half_widths", "agree"),
    [
        ([1.0, 1.1, 0.9], [0.1, 0.1, 0.1], True),
        ([1.0, 1.3, 0.7], [0.1, 0.1, 0.1], False),
        ([1.0, 1.3, 0.7], [0.1, 0.2, 0.1], False),
        ([1.0, 1.3, 0.7], [0.2, 0.2, 0.2], True),
        ([5.0, 5.0], [math.nan, math.nan], True),
        ([5.0, 5.1], [math.nan, math.nan], False),
        ([5.0, math.nan], [1.0, math.nan], False),
        ([1.0, 1.1, 0.9], [0.1, math.nan, 0.1], True),
        ([1.0, 1.6, 0.9], [0.1, math.nan, 0.1], False),
        ([math.nan, math.nan], [math.nan, math.nan], True),
        ([0.1 + 0.2, 0.3], [0.0, 0.0], True),
    ],
)
def test_elements_are_alike_within_their_noise(values: list[float], half_widths: list[float], agree: bool) -> None:
    assert alike(np.array(values), np.array(half_widths)) is agree


def test_an_array_of_unlike_elements_shows_their_range() -> None:
    result = petri.loads(TWO_KINDS).run()
    work, wait = table(result, "transitions")
    assert (work.copies, wait.copies) == (4, 4)
    assert work.spread == {}
    slow = [rate for name, rate in zip(result.transitions.names, result.transitions.rate.value, strict=True)
            if name.startswith("wait")]  # fmt: skip
    assert wait.spread["rate"] == (min(slow), max(slow))
    assert wait.spread["firings"][1] > 10 * wait.spread["firings"][0]
    out = StringIO()
    print_summary(result, Console(file=out, width=200), seconds=0.0)
    lines = {line.split(" ×")[0]: line for line in out.getvalue().splitlines()}
    assert "±" in lines["work[*]"]
    assert f"{min(slow):.4f}..{max(slow):.2f}" in lines["wait[*]"]
    assert "least..greatest" in out.getvalue()
    assert all(row.spread == {} for row in table(result, "transitions", fold=False))
