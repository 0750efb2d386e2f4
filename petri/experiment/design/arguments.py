"""What a program gives an experiment is of the right kinds: wrong arguments are refused in one sentence each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from petri.measure.selection import Best
from petri.measure.sequential import Precision
from petri.run.arguments import check_mapping, check_names, is_list


def check_design(points: Any, grid: Any, sample: Any) -> None:
    """Raise TypeError unless the points are a list of mappings, and the grid and the sample mappings."""
    if not is_list(points) or not all(isinstance(point, Mapping) for point in points):
        raise TypeError(f"`points` is a list of parameters, such as [{{'load': 0.5}}], not {points!r}")
    for name, given, example in (
        ("grid", grid, "{'load': [0.5, 0.8]}"),
        ("sample", sample, "{'count': 50, 'parameters': {'load': '0.1..0.9'}}"),
    ):
        if given is not None and not isinstance(given, Mapping):
            raise TypeError(f"`{name}` is a mapping, such as {example}, not {given!r}")


def check_precision(precision: Any, expected: str) -> None:
    """Raise TypeError unless it is a precision. expected: the word for the precision that expectations need."""
    each = precision.values() if isinstance(precision, Mapping) else [precision]
    if precision is not None and precision != expected and not all(isinstance(one, Precision) for one in each):
        wanted = f"a `petri.Precision`, a mapping from measures to such, or '{expected}'"
        raise TypeError(f"`precision` is {wanted}, not {precision!r}; Precision(0.02) is 2 % of the mean")


def check_choice(best: Any, measures: Any) -> None:
    """Raise TypeError unless `best` is a `Best`, and the measures are a list of names."""
    if best is not None and not isinstance(best, Best):
        raise TypeError(f"`best` is a `petri.experiment.Best`, not {best!r}")
    if measures is not None:
        check_names("measures", measures)


def check_cases(cases: Any) -> None:
    """Raise TypeError unless the cases are a mapping from names to mappings."""
    example = "{'fast': {'line': '10 Gbps'}}"
    check_mapping("cases", cases, example)
    for name, values in cases.items():
        check_mapping(f"cases[{name!r}]", values, "{'line': '10 Gbps'}")
