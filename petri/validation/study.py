"""What a study says of itself in its study.yaml: a title, how much computing each of its experiments needs, and how the
figures are drawn on which its models may be fitted.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import yaml

STUDY: Final = "study.yaml"
EXPECTED: Final = (
    "title, times: {measured: when and on what, seconds: {EXPERIMENT: SECONDS}}, "
    "and fitting: {seed: WHOLE NUMBER, offered: {MEASURE: PARAMETER OR RATE}, length: [PARAMETER], "
    "drawn_with: {EXPERIMENT: {PARAMETER: VALUE}}, added_since: [EXPERIMENT], inputs_since: [MEASURE]}"
)


class StudyError(ValueError):
    """A study.yaml that cannot be read; the message says why."""


@dataclass(frozen=True)
class Fitting:
    """How `petri.validation.draw` chooses the fitting set.

    seed: of the draw. offered: for a rate, the parameter or the rate that is offered, which needs no model. length: the
    parameters that say how long a run is. drawn_with: the `set` of an experiment at the time of the draw, where it has
    changed since; the draw stays the same. added_since: experiments that came after the draw. inputs_since: measures of
    which it was found after the draw that a parameter or arithmetic fixes their figures.
    """

    seed: int
    offered: Mapping[str, str] = field(default_factory=dict)
    length: tuple[str, ...] = ()
    drawn_with: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    added_since: tuple[str, ...] = ()
    inputs_since: tuple[str, ...] = ()


@dataclass(frozen=True)
class Study:
    """title: one line, "" if there is none. measured: when and on what the times were measured. seconds: processor
    seconds by experiment; those that were not measured are missing. fitting: None without a draw.
    """

    title: str = ""
    measured: str = ""
    seconds: Mapping[str, float] = field(default_factory=dict)
    fitting: Fitting | None = None

    def usual(self, experiments: Iterable[str]) -> float | None:
        """Return the processor seconds of these experiments together; None unless each was measured."""
        times = [self.seconds.get(name) for name in experiments]
        known = [time for time in times if time is not None]
        return sum(known) if known and len(known) == len(times) else None


def read_study(folder: Path) -> Study:
    """Return the study of a folder, empty if it has no study.yaml. Raises StudyError."""
    path = folder / STUDY
    if not path.exists():
        return Study()
    try:
        data = yaml.safe_load(path.read_text("utf-8"))
    except (OSError, ValueError, yaml.YAMLError) as error:
        raise StudyError(f"{path}: {error}") from error
    entries = table({} if data is None else data, ("title", "times", "fitting"), path)
    times = table(entries.get("times", {}), ("measured", "seconds"), path)
    seconds = table(times.get("seconds", {}), None, path)
    wrong = [name for name, value in seconds.items() if not is_duration(value)]
    if wrong:
        raise StudyError(f"{path}: the seconds of {wrong[0]} are not a positive number")
    return Study(
        str(entries.get("title", "")),
        str(times.get("measured", "")),
        {str(name): float(value) for name, value in seconds.items()},
        read_fitting(entries["fitting"], path) if "fitting" in entries else None,
    )


def read_fitting(data: Any, path: Path) -> Fitting:
    """Raise StudyError."""
    lists = ("length", "added_since", "inputs_since")
    entries = table(data, ("seed", "offered", "drawn_with", *lists), path)
    offered, drawn_with = (table(entries.get(name, {}), None, path) for name in ("offered", "drawn_with"))
    named = [entries.get(name, []) for name in lists]
    if type(entries.get("seed")) is not int or not all(isinstance(names, list) for names in named):
        raise StudyError(f"{path}: expected {EXPECTED}")
    length, added_since, inputs_since = (tuple(map(str, names)) for names in named)
    return Fitting(
        entries["seed"],
        {str(measure): str(rate) for measure, rate in offered.items()},
        length,
        {str(experiment): table(parameters, None, path) for experiment, parameters in drawn_with.items()},
        added_since,
        inputs_since,
    )


def table(data: Any, names: Sequence[str] | None, path: Path) -> dict[Any, Any]:
    """Return the entries, all of which have one of the names, if any are given. Raises StudyError."""
    if not isinstance(data, dict) or (names is not None and set(data) - set(names)):
        raise StudyError(f"{path}: expected {EXPECTED}")
    return data


def is_duration(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 < value < math.inf
