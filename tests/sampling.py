"""Cases of which the quick tests take a few; the slow tests take the others."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import pytest


def _name(case: Any) -> str:
    return str(getattr(case, "stem", case))


def one_in(number: int, cases: Iterable[Any], name: Callable[[Any], str] = _name) -> list[Any]:
    """Return the parameters of a test, each named by its case. The first is quick, and each `number`-th after it."""
    return [
        pytest.param(case, id=name(case), marks=pytest.mark.slow if place % number else ())
        for place, case in enumerate(cases)
    ]
