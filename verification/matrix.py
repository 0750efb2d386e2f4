"""All distributions with all tests, and controls: samples that are slightly wrong, which the tests must find."""

from __future__ import annotations

import math
import tempfile
from collections.abc import Iterator
from pathlib import Path

from scipy import stats

from petri.structs import Frozen
from verification.choices import choices, of_transitions
from verification.draws import drawn
from verification.judging import FALSE_ALARMS, goodness_of_fit, of_correlation, of_mean, of_variance, p_values, rejected
from verification.theory import SIZES, STEPS, continuous, discrete, theories

DRAWS = 1_000_000
CHOICES = 200_000
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


def verdicts() -> list[Verdict]:
    """All tests; what is rejected is decided for the samples together, and for each control by itself."""
    found = [*of_distributions(), *(("choice of " + subject, "shape", p) for subject, p in choices(CHOICES, SEED))]
    outcome = rejected([p for _, _, p in found])
    judged = [Verdict(*one, rejected=worst) for one, worst in zip(found, outcome, strict=True)]
    strict = FALSE_ALARMS / len(found)  # what a single test needs at the most to be rejected among all
    return judged + [Verdict(*one, rejected=one[2] <= strict, control=True) for one in controls()]


def of_distributions() -> Iterator[tuple[str, str, float]]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for file, rows in (("sizes.csv", SIZES), ("steps.csv", STEPS)):
            (folder / file).write_text("".join(f"{value},{weight}\n" for value, weight in rows), "utf-8")
        for number, theory in enumerate(theories()):
            sample = drawn(theory.text, DRAWS, SEED + number, folder)
            for test, p_value in p_values(theory, sample):
                yield theory.text, test, p_value


def controls() -> Iterator[tuple[str, str, float]]:
    """Samples that differ from their theory by about a hundredth."""
    exponential = drawn("exp(1.01)", DRAWS, SEED)
    yield "exp(1.01) as exp(1)", "shape", goodness_of_fit(continuous("", stats.expon()), exponential)
    coins = drawn("binomial(7, 0.303)", DRAWS, SEED)
    yield "binomial(7, 0.303) as binomial(7, 0.3)", "shape", goodness_of_fit(discrete("", stats.binom(7, 0.3)), coins)
    standard = continuous("", stats.norm())
    yield "normal(0.01, 1) as normal(0, 1)", "mean", of_mean(standard, drawn("normal(0.01, 1)", DRAWS, SEED))
    yield "normal(0, 1.01) as normal(0, 1)", "variance", of_variance(standard, drawn("normal(0, 1.01)", DRAWS, SEED))
    plain = drawn("normal(0, 1)", DRAWS, SEED)
    echo = (plain[1:] + 0.01 * plain[:-1]) / math.sqrt(1.0 + 0.01**2)
    yield "normal(0, 1) with a hundredth of the one before", "lag 1", of_correlation(standard.cumulative(echo), 1)
    yield "choice of transitions of weight 0.53, 2 and 1.5", "shape", of_transitions(0.53, CHOICES, SEED)
