"""All distributions with all tests, and controls: samples that are slightly wrong, which the tests must find."""

from __future__ import annotations

import math
import tempfile
from collections.abc import Iterator
from pathlib import Path

import scipy

from petri.structs import Frozen
from tests.verification.choices import choices, of_transitions
from tests.verification.draws import drawn
from tests.verification.judging import (
    FALSE_ALARMS,
    goodness_of_fit,
    of_correlation,
    of_mean,
    of_variance,
    p_values,
    rejected,
)
from tests.verification.theory import SIZES, STEPS, continuous, discrete, theories

DRAWS = 1_000_000
SEED = 20_261_123


class Verdict(Frozen):
    """One test of one sample. `control`: the sample is wrong, and the test must reject it."""

    subject: str
    test: str
    p_value: float
    rejected: bool
    control: bool = False

    @property
    def holds(self) -> bool:
        return self.rejected == self.control


def verdicts(draws: int = DRAWS) -> list[Verdict]:
    """Make all tests; what is rejected is decided for the samples together, and for each control by itself."""
    chosen = choices(draws // 5, SEED)
    found = [*of_distributions(draws), *(("choice of " + subject, "shape", p) for subject, p in chosen)]
    outcome = rejected([p for _, _, p in found])
    judged = [Verdict(*one, rejected=worst) for one, worst in zip(found, outcome, strict=True)]
    strict = FALSE_ALARMS / len(found)  # what a single test needs at the most to be rejected among all
    return judged + [Verdict(*one, rejected=one[2] <= strict, control=True) for one in controls(draws)]


def of_distributions(draws: int) -> Iterator[tuple[str, str, float]]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for file, rows in (("sizes.csv", SIZES), ("steps.csv", STEPS)):
            (folder / file).write_text("".join(f"{value},{weight}\n" for value, weight in rows), "utf-8")
        for number, theory in enumerate(theories()):
            sample = drawn(theory.text, draws, SEED + number, folder)
            for test, p_value in p_values(theory, sample):
                yield theory.text, test, p_value


def controls(draws: int) -> Iterator[tuple[str, str, float]]:
    """Return samples off their theory by ten standard errors of a mean: a hundredth for a million draws."""
    off = 10 / math.sqrt(draws)
    exponential = drawn(f"exp({1 + off:g})", draws, SEED)
    yield f"exp({1 + off:g}) as exp(1)", "shape", goodness_of_fit(continuous("", scipy.stats.expon()), exponential)
    share = 0.3 * (1 + off)
    coins = drawn(f"binomial(7, {share:g})", draws, SEED)
    yield (
        f"binomial(7, {share:g}) as binomial(7, 0.3)",
        "shape",
        goodness_of_fit(discrete("", scipy.stats.binom(7, 0.3)), coins),
    )
    standard = continuous("", scipy.stats.norm())
    yield f"normal({off:g}, 1) as normal(0, 1)", "mean", of_mean(standard, drawn(f"normal({off:g}, 1)", draws, SEED))
    wide = f"normal(0, {1 + off:g})"
    yield f"{wide} as normal(0, 1)", "variance", of_variance(standard, drawn(wide, draws, SEED))
    plain = drawn("normal(0, 1)", draws, SEED)
    echo = (plain[1:] + off * plain[:-1]) / math.sqrt(1.0 + off**2)
    yield f"normal(0, 1) with {off:g} of the one before", "lag 1", of_correlation(standard.cumulative(echo), 1)
    weight = 0.5 + 3 * off
    yield f"choice of transitions of weight {weight:g}, 2 and 1.5", "shape", of_transitions(weight, draws // 5, SEED)
