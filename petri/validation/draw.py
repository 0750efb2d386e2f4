"""The seeded draw of the figures of a study on which constants may be fitted; all others are predictions.

The rule, for each study whose study.yaml has an entry `fitting`:

- A figure that a parameter fixes has the role `input`, one that arithmetic gives `derived`, or `computed` if the paper
  does not state it, and an exact solution `oracle`. Its author marks it.
- A figure is trivial if an answer that needs no model meets its tolerance: nothing, the whole of a share, or what is
  offered (`offered` in study.yaml says of which measure).
- All others are informative. Those of one quantity, which is a measure of one net with the same parameters, belong
  together, so that no figure is predicted that was fitted under another name. The length of a run (`length` in
  study.yaml) is not part of it. Where an experiment is run with other parameters since, those of the time of the draw
  name the quantity (`drawn_with`), so that the draw stays as it was. For the same reason, parameters that only an
  experiment after the draw changes (`added_since`) do not name quantities, and figures of which it was found
  after the draw that a parameter or arithmetic fixes them (`inputs_since`) keep their place in the order, and so do
  those outside of the fitting set that were in view when a structure was `chosen`, and those that rest on single events
  and are `unpredictable`; the author marks both.
- The quantities are put in the order of the SHA-256 hash of the seed and their name, and the first third is the fitting
  set.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from petri.experiment.design.definition import FITTED, MARKED, MARKED_SINCE, TRIVIAL, Expected
from petri.experiment.design.preparation import Point, Prepared, expected_value, in_units
from petri.experiment.experiment import Experiment
from petri.measure.figures import figures
from petri.validation.study import Fitting

SHARE: Final = 3  # one quantity of this number is fitted


@dataclass
class Sorted:
    """The figures of a study by what they are worth. Figures are named by their experiment and their place in it."""

    roles: dict[tuple[str, int], str] = field(
        default_factory=dict
    )  # of those marked by the author, and of trivial ones
    quantities: dict[str, list[tuple[str, int]]] = field(default_factory=dict)  # the informative ones, by quantity


def drawn_roles(files: Mapping[str, Path], fitting: Fitting) -> dict[tuple[str, int], str]:
    """Return the role of each figure by its experiment and its place among those expected: "" if it is predicted.

    Flattens all nets of the study. Raises ExperimentError or LanguageError if an experiment is invalid.
    """
    loaded = {name: Experiment.load(path) for name, path in files.items()}
    for name, fixed in fitting.drawn_with.items():
        if name in loaded:  # with the `set` that it had when the fitting set was drawn
            loaded[name] = replace(loaded[name], fixed=fixed)
    known = [one for name, one in loaded.items() if name not in fitting.added_since]
    named = {name for one in known for point in (one.fixed, *one.points) for name in point}
    found = Sorted()
    for name, experiment in loaded.items():
        if experiment.expected:
            sort_figures(name, experiment.prepare("reference"), named - set(fitting.length), fitting, found)
    order = sorted(
        found.quantities, key=lambda quantity: hashlib.sha256(f"{fitting.seed} {quantity}".encode()).hexdigest()
    )
    fitted = set(order[: len(order) // SHARE])
    informative = {one: FITTED if key in fitted else "" for key, ones in found.quantities.items() for one in ones}
    return informative | found.roles


def sort_figures(name: str, prepared: Prepared, named: set[str], fitting: Fitting, found: Sorted) -> None:
    for place, expected in enumerate(prepared.experiment.expected):
        point = next(one for one in prepared.points if expected.applies(one.parameters))
        if expected.role in (*MARKED, *MARKED_SINCE):
            found.roles[name, place] = expected.role
        elif is_trivial(expected, point, fitting):
            found.roles[name, place] = TRIVIAL
        kept = expected.role in MARKED_SINCE or expected.measure in fitting.inputs_since
        if (name, place) not in found.roles or kept:
            found.quantities.setdefault(quantity(expected, point, named), []).append((name, place))


def is_trivial(expected: Expected, point: Point, fitting: Fitting) -> bool:
    stated = expected_value(expected, point.net, [expected.measure])
    dimension = next(figure.dimension for figure in figures(point.net, [expected.measure]))
    answers = [0.0] if dimension else [0.0, 1.0]
    parameters = {parameter.name: parameter.value for parameter in point.net.parameters}
    if expected.measure in fitting.offered:
        offered = fitting.offered[expected.measure]
        known = parameters.get(offered, offered)
        answers.append(in_units(known, dimension, point.net, expected.measure))
    tolerance = expected.within.bound * (abs(stated) if expected.within.relative else 1.0)
    return any(abs(answer - stated) <= tolerance for answer in answers)


def quantity(expected: Expected, point: Point, named: set[str]) -> str:
    """Return what a figure is of, as text: the net, the measure, and the parameters that the study changes."""
    parameters = {parameter.name: parameter.value for parameter in point.net.parameters if parameter.name in named}
    return json.dumps([point.net.name, expected.measure, parameters], sort_keys=True)
