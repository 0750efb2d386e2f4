"""Cases of which the quick tests take a few; the slow tests take the others."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest


def one_in(number: int, cases: Iterable[Any]) -> list[Any]:
    """The parameters of a test, each named by its case. The first is quick, and each `number`-th after it."""
    return [
        pytest.param(case, id=getattr(case, "stem", str(case)), marks=pytest.mark.slow if place % number else ())
        for place, case in enumerate(cases)
    ]
