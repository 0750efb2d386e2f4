"""The points of an experiment from Python: a grid or a sample of parameters, with the words that YAML has."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from petri.diagnostics import did_you_mean
from petri.experiment.design import sampling
from petri.experiment.design.sampling import (
    DEFAULT_METHOD,
    METHODS,
    MOST_POINTS,
    Axis,
    BadRange,
    Range,
    Value,
    parse_range,
)
from petri.experiment.errors import problem

SAMPLE_KEYS: Final = ("method", "count", "seed", "parameters")
AXIS_KEYS: Final = ("range", "scale")


def grid_points(axes: Mapping[str, Any]) -> list[dict[str, Value]]:
    """Return every combination of values. Raises ExperimentError.

    A value of `axes` is a list, array or range of values, one value, or text such as "1..8" or "1..64 times 2".
    """
    values = {name: axis_values(name, axis) for name, axis in axes.items()}
    if (size := sampling.grid_size(values)) > MOST_POINTS:
        raise problem("too-many-points", count=size, limit=MOST_POINTS)
    return sampling.without_duplicates(sampling.grid(values))


def sample_points(sample: Mapping[str, Any]) -> list[dict[str, Value]]:
    """Random points: {"count": 50, "parameters": {…}}, with "method" and "seed" if wanted. Raises ExperimentError.

    A value of "parameters" is a list to choose from, a range such as "0.1..0.9", or {"range": …, "scale": "log"}.
    """
    known_keys(sample, SAMPLE_KEYS)
    for name, example in (("count", '"count": 50'), ("parameters", '"parameters": {"load": "0.1..0.9"}')):
        if name not in sample:
            raise problem("experiment-missing", name=name, example=example)
    method, count, seed = sample.get("method", DEFAULT_METHOD), sample["count"], sample.get("seed", 1)
    if method not in METHODS:
        raise problem("experiment-number", name="method", wanted=" or ".join(METHODS), found=f"`{method}`")
    if not isinstance(count, int) or not 1 <= count <= MOST_POINTS:
        raise problem("experiment-number", name="count", wanted=f"between 1 and {MOST_POINTS}", found=f"`{count}`")
    axes = {name: sampled_axis(name, axis) for name, axis in sample["parameters"].items()}
    return sampling.without_duplicates(METHODS[method](axes, count, seed))


def axis_values(name: str, axis: Any) -> list[Value]:
    """Return the values of one axis of a grid."""
    listed = [axis] if isinstance(axis, str) or not isinstance(axis, Iterable) else list(axis)
    found = [value for one in listed for value in values_of(name, one)]
    if not found:
        raise problem("experiment-kind", name=name, wanted="a list with values", found="empty",
                      example=f'"{name}": [1, 2, 4, 8]')  # fmt: skip
    return found


def values_of(name: str, value: Any) -> list[Value]:
    """Return a value, or all of a range that a text describes."""
    between = range_of(value)
    if between is None:
        return [plain(name, value)]
    try:
        return between.values()
    except BadRange as bad:
        raise problem(bad.reason, text=str(value), meant=bad.meant) from bad


def range_of(value: Any) -> Range | None:
    try:
        return parse_range(value) if isinstance(value, str) else None
    except BadRange as bad:
        raise problem(bad.reason, text=str(value), meant=bad.meant) from bad


def plain(name: str, value: Any) -> Value:
    """Return the value as Python has it; those of numpy have a type of their own."""
    value = value.item() if hasattr(value, "item") else value
    if not isinstance(value, bool | int | float | str):
        raise problem("experiment-kind", name=name, wanted="numbers, texts or truth values",
                      found=f"a {type(value).__name__}", example=f'"{name}": [1, 2, 4, 8]')  # fmt: skip
    return value


def sampled_axis(name: str, axis: Any) -> Axis:
    """Return a list to choose from, a range, or {"range": …, "scale": "log"}."""
    logarithmic = False
    if isinstance(axis, Mapping):
        known_keys(axis, AXIS_KEYS)
        logarithmic = axis.get("scale", "linear") == "log"
        axis = axis.get("range")
    elif isinstance(axis, Sequence) and not isinstance(axis, str):
        return Axis(tuple(axis_values(name, axis)))
    between = range_of(axis)
    if between is None:
        raise problem("experiment-kind", name=name, wanted="a range or a list", found=f"`{axis}`",
                      example=f'"{name}": "0.1..0.9"')  # fmt: skip
    if between.low > between.high or (logarithmic and between.low <= 0):
        raise problem("range-empty" if between.low > between.high else "range-step", text=str(axis))
    return Axis(between=between, logarithmic=logarithmic)


def known_keys(given: Mapping[str, Any], known: Sequence[str]) -> None:
    for name in given:
        if name not in known:
            near = did_you_mean(str(name), known)
            raise problem("experiment-key", name=str(name), suggestion=near, known=None if near else list(known))
