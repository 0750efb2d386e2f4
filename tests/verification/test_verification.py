"""The tests of random draws: their statistics, and the whole matrix of distributions."""

from __future__ import annotations

import numpy as np
import pytest
import scipy

from petri.catalogue.operations import DISTRIBUTIONS
from petri.engine import native
from tests.verification.draws import drawn
from tests.verification.judging import chi_square, of_correlation, p_values, rejected
from tests.verification.matrix import Verdict, verdicts
from tests.verification.theory import continuous, theories

needs_native = pytest.mark.skipif(not native.available(), reason="needs the native engine")
pytestmark = pytest.mark.slow  # of the tools of `make verify`; scipy.stats takes a second to load


def test_what_benjamini_and_hochberg_reject() -> None:
    p = [0.001, 0.5, 0.012, 0.041, 0.008]  # in order, against 0.01 0.02 0.03 0.04 0.05
    assert rejected(p, 0.05) == [True, False, True, False, True]
    assert rejected(p, 0.05) == list(scipy.stats.false_discovery_control(p) <= 0.05)


def test_chi_square_joins_cells_with_little_expected() -> None:
    counts, shares = np.array([480, 490, 9, 11, 10]), np.array([0.48, 0.49, 0.01, 0.01, 0.01])
    joined = scipy.stats.chisquare([480, 490, 30], [480, 490, 30])
    assert chi_square(counts, shares) == pytest.approx(joined.pvalue)


def test_correlation_of_ranks() -> None:
    ranks = scipy.stats.rankdata(np.random.default_rng(1).random(2_000)) / 2_000
    found = scipy.stats.pearsonr(ranks[1:], ranks[:-1])
    assert of_correlation(ranks, 1) == pytest.approx(found.pvalue, rel=0.05)


@needs_native
def test_a_sample_of_another_distribution_is_found() -> None:
    found = dict(p_values(continuous("", scipy.stats.expon()), drawn("uniform(0.0..2.0)", 5_000, 1)))
    assert found["shape"] < 1e-9
    assert found["variance"] < 1e-9
    assert found["mean"] > 0.001


def test_every_distribution_has_a_theory() -> None:
    assert {theory.text.partition("(")[0] for theory in theories()} == DISTRIBUTIONS.keys()


def test_the_theory_of_each_distribution_is_its_own() -> None:
    """Its moments are those of its cumulative function, by numbers."""
    for theory in theories():
        if np.isfinite(theory.variance) and theory.values is not None:
            shares = np.diff(theory.cumulative(theory.values), prepend=0.0)
            mean = shares @ theory.values
            assert mean == pytest.approx(theory.mean, rel=1e-6), theory.text
            assert shares @ (theory.values - mean) ** 2 == pytest.approx(theory.variance, rel=1e-6), theory.text


@needs_native
def test_all_draws_and_choices_are_right_and_all_controls_wrong() -> None:
    """Of a quarter of a million draws; `make verify` makes a million, which find half of these differences."""
    found: list[Verdict] = verdicts(250_000)
    assert [verdict for verdict in found if not verdict.holds] == []
    assert len(found) > 300
