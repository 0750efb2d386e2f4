"""What a validation found, counted by what each figure and each statement says about the model."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from petri.experiment.design.definition import (
    CHOSEN,
    COMPUTED,
    DERIVED,
    FITTED,
    INPUT,
    ORACLE,
    TRIVIAL,
    UNPREDICTABLE,
    shown,
)
from petri.experiment.design.preparation import quantity
from petri.report.telling.quantities import NOTHING
from petri.validation.margins import HOLDS
from petri.validation.statements import READ
from petri.validation.suite import NOISY, FigureCheck, Validation

FEWEST_TOGETHER: Final = 4  # figures of one measure whose differences are also judged together
PREDICTED: Final = "predicted"
COMPARED: Final = "compared"
KINDS: Final[Mapping[str, str]] = {
    "chose a structure": CHOSEN, "not predictable": UNPREDICTABLE, "trivial": TRIVIAL, "fixed by an input": INPUT,
    "arithmetic": DERIVED, "computed": COMPUTED, "exact solutions": ORACLE,
}  # fmt: skip
STATEMENT_KINDS: Final[Mapping[str, str]] = {
    "with our number": READ, "fitted": FITTED, "trivial": TRIVIAL, "fixed by an input": INPUT,
    "arithmetic": DERIVED,
}  # fmt: skip
ORDER: Final = (PREDICTED, COMPARED, "fitting set", "fitted", *KINDS)


@dataclass(frozen=True)
class Tally:
    """How many of one kind are true; `noisy` of the others vary too much to be judged."""

    kind: str
    found: int
    of: int
    noisy: int = 0

    @classmethod
    def of_each(cls, kind: str, true: Sequence[bool]) -> Tally:
        return cls(kind, sum(true), len(true))

    @classmethod
    def of_figures(cls, kind: str, checks: Sequence[FigureCheck]) -> Tally:
        noisy = sum(check.verdict == NOISY for check in checks)
        return cls(kind, sum(check.passed for check in checks), len(checks), noisy)


@dataclass(frozen=True)
class Deviation:
    """Compare several figures of one measure: the root mean square of the differences from the paper, in the paper's
    root mean square, and the median and the greatest of the relative differences, all as shares. A figure of 0 has no
    relative difference. `words`: the parameters that tell such groups of an experiment apart.
    """

    title: str
    measure: str
    words: str
    of: int
    rms: float
    median: float
    greatest: float

    @classmethod
    def of_figures(cls, title: str, measure: str, words: str, figures: Sequence[FigureCheck]) -> Deviation:
        stated = np.array([figure.checked.value for figure in figures])
        missed = np.array([figure.ours.mean for figure in figures]) - stated
        with np.errstate(divide="ignore", invalid="ignore"):
            relative = np.abs(missed / stated)[stated != 0]
            rms = float(np.sqrt(np.mean(missed**2) / np.mean(stated**2)))
        median, greatest = (float(np.median(relative)), float(relative.max())) if relative.size else (math.nan,) * 2
        return cls(title, measure, words, len(figures), rms, median, greatest)


def tallies(one: Validation) -> list[Tally]:
    """Return the figures by what they say about the model; see `Expected` for the roles."""
    kinds = {**first_kinds(one), **KINDS}
    by_kind = {kind: [check for check in one.figures if check.role == role] for kind, role in kinds.items()}
    return [Tally.of_figures(kind, own) for kind, own in by_kind.items() if own]


def first_kinds(one: Validation) -> Mapping[str, str]:
    """Return the kinds of figures that test the model, or could have been fitted, with their roles."""
    return {PREDICTED: "", "fitting set": FITTED} if one.drawn else {COMPARED: "", "fitted": FITTED}


def statement_tallies(one: Validation) -> list[Tally]:
    """Return the statements that are the paper's alone, and the others by their roles."""
    kinds = {COMPARED: "", **STATEMENT_KINDS}
    by_kind = {kind: [each.holds for each in one.statements if each.statement.role == role]
               for kind, role in kinds.items()}  # fmt: skip
    return [Tally.of_each(kind, own) for kind, own in by_kind.items() if own]


def deviations(one: Validation) -> list[Deviation]:
    """Return how far the paper's figures of each measure are missed together, where an experiment has enough of them.

    Points that differ in a parameter whose values are words, such as the columns of a table, are apart.
    """
    groups: dict[tuple[str, str, str], list[FigureCheck]] = {}
    for check in one.figures:
        if check.of_the_paper and check.role not in (INPUT, TRIVIAL):
            groups.setdefault((check.title, check.measure, in_words(check)), []).append(check)
    return [Deviation.of_figures(*key, ones) for key, ones in groups.items() if len(ones) >= FEWEST_TOGETHER]


def in_words(check: FigureCheck) -> str:
    """`column=plain`: the parameters of the point whose values are neither numbers nor quantities."""
    words = {
        name: value
        for name, value in check.checked.expected.point.items()
        if isinstance(value, str) and quantity(value) is None
    }
    return " ".join(f"{name}={shown(value)}" for name, value in words.items())


def came_true(one: Validation) -> Tally:
    """Say how many of the figures and statements that were predicted before they were seen came true."""
    figures = [check.was_within for check in one.figures if check.checked.predicted is not None]
    statements = [each.statement.predicted == HOLDS for each in one.statements if each.statement.predicted]
    return Tally.of_each(PREDICTED, [*figures, *statements])


def account(validations: Sequence[Validation]) -> list[tuple[str, list[str]]]:
    """Return how many of each kind are true in each study: lines of a table, with the kind first."""
    lines = []
    for what, tallied in (("figures, ", tallies), ("statements, ", statement_tallies)):
        found = [{tally.kind: tally for tally in tallied(validation)} for validation in validations]
        kinds = dict.fromkeys(kind for own in found for kind in own)
        order = [kind for kind in (*ORDER, *STATEMENT_KINDS) if kind in kinds]
        lines += [(what + kind, [counted(own.get(kind)) for own in found]) for kind in dict.fromkeys(order)]
    return lines


def counted(tally: Tally | None) -> str:
    """`23 of 24`; of predictions their share, and how many are too noisy: `9 of 23, 39%, 6 noisy`."""
    if tally is None:
        return NOTHING
    share = f", {tally.found / tally.of:.0%}" if tally.kind == PREDICTED else ""
    noisy = f", {tally.noisy} noisy" if tally.kind == PREDICTED and tally.noisy else ""
    return f"{tally.found} of {tally.of}{share}{noisy}"
