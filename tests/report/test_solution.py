"""Exact figures as text."""

from __future__ import annotations

import pytest

import petri
from petri.exact.solution import Exact
from petri.measure.bounded import Bounded
from petri.report.quantities import Units
from petri.report.solution import exact_text, heading


@pytest.mark.parametrize(
    ("low", "high", "text"),
    [
        (0.25, 0.25, "25%"),
        (0.2499, 0.2502, "25.0%"),
        (-2e-13, 3e-13, "0%"),  # 1 - x of an x that is 1 but for rounding
        (1e-13, 3e-13, "2e-11%"),  # small, and certainly not 0
        (-1e-6, 3e-6, "0.0001%"),  # nothing but the order of magnitude is known
    ],
)
def test_digits_are_shown_as_far_as_they_are_certain(low: float, high: float, text: str) -> None:
    assert exact_text(Exact("place.used", "share", Bounded((low + high) / 2, low, high)), Units()) == text


@pytest.mark.parametrize(
    ("mean", "texts"),
    [
        ("1e5", ["probability 0.50000250", "probability 0.49999750"]),
        ("1e10", ["probability 0.500"] * 2),
        ("1e17", ["a probability between 0 and 1"] * 2),
    ],
)
def test_probabilities_of_ends_are_shown_as_far_as_they_are_certain(mean: str, texts: list[str]) -> None:
    """The rarer the end, the fewer digits."""
    solution = petri.loads(
        "net patient\nplace here = token\nplace there\nplace one\nplace two\n"
        "transition go: here -> there after exp(1)\ntransition come: there -> here after exp(1)\n"
        f"transition first: here -> one after exp({mean})\ntransition second: there -> two after exp({mean})\n"
    ).solve()
    _, _, *ends = map(str, heading(solution, Units(), None))
    shown = [f"with {text} the net dies: {place} 1" for text, place in zip(texts, ["one", "two"], strict=True)]
    assert sorted(ends) == sorted(shown)


def test_a_net_with_many_ends_shows_the_most_probable_ones() -> None:
    solution = petri.loads(
        "net urn\nplace full = token\nplace drawn[0..11]\n"
        "transition draw[n in 0..11]: full -> drawn[n] after exp(1 / (n + 1))\n"
    ).solve()
    _, _, *ends = map(str, heading(solution, Units(), None))
    assert ends[0] == "with probability 0.1538461538 the net dies: drawn[11] 1"
    assert len(ends) == 11
    assert ends[-1] == "and 2 other ends, with probability 0.0385 together"
