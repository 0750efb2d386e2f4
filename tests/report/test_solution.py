"""Exact figures as text."""

from __future__ import annotations

import io
import math

import numpy as np
import pytest
from rich.console import Console

import petri
from petri.exact.solution import Exact
from petri.measure.bounded import Bounded
from petri.report.telling.quantities import Units
from petri.report.telling.solution import exact_text, figure_tables, heading
from petri.report.terminal.solution import print_solution


@pytest.mark.parametrize(
    ("low", "high", "text"),
    [
        (0.25, 0.25, "25%"),
        (0.2499, 0.2502, "25.0%"),
        (-2e-13, 3e-13, "0%"),  # 1 - x of an x that is 1 but for rounding
        (1e-13, 3e-13, "1.0e-11% to 3.0e-11%"),  # small, and certainly not 0
        (-1e-6, 3e-6, "-0.00010% to 0.00030%"),  # not even the sign is known
        (-5e-324, 1.0, "0% to 100%"),
        (-4.4e-16, 1.0, "0% to 100%"),
        (math.nan, math.nan, "–"),
        (-math.inf, math.inf, "–"),
    ],
)
def test_digits_are_shown_as_far_as_they_are_certain_and_else_the_bounds(low: float, high: float, text: str) -> None:
    value = (low + high) / 2 if math.isfinite(high - low) else 0.5
    assert exact_text(Exact("place.used", "share", Bounded(value, low, high)), Units()) == text


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


def test_an_expectation_without_an_exact_figure_says_why_and_what_judges_it() -> None:
    """It was left out without a word."""
    solution = petri.loads(
        "place free = token\nplace q\ntransition arrive: free -> q after exp(1)\n"
        "transition serve: q -> free after exp(2)\n"
        "measure t = time(arrive -> serve)\n  expect <= 3\nexpect max(tokens(q)) <= 5\nexpect rate(serve) > 0.1\n"
    ).solve()
    texts = [str(cell) for columns in figure_tables(solution, Units()) for cell in columns[-1].cells]
    assert [text for text in texts if "judged" in text] == [
        "`t <= 3` is not judged: the times that tokens take on their way are not in the states; `pnsim run` judges it",
        "`max(tokens(q)) <= 5` is not judged: extremes are not computed; `pnsim run` judges it",
    ]
    assert len(solution.judged) == 1


def test_a_net_with_many_ends_shows_the_most_probable_ones() -> None:
    solution = petri.loads(
        "net urn\nplace full = token\nplace drawn[0..11]\n"
        "transition draw[n in 0..11]: full -> drawn[n] after exp(1 / (n + 1))\n"
    ).solve()
    _, _, *ends = map(str, heading(solution, Units(), None))
    assert ends[0] == "with probability 0.1538461538 the net dies: drawn[11] 1"
    assert len(ends) == 11
    assert ends[-1] == "and 2 other ends, with probability 0.0385 together"


def test_figures_that_are_the_same_in_all_states_are_certain_though_the_shares_of_states_are_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Where nothing is known of the shares, as where the equations of a large chain could not be solved."""
    native_chain = pytest.importorskip("petri.exact.native_chain")
    for limit in ("MOST_DIRECT", "MOST_FACTORED"):
        monkeypatch.setattr(f"petri.exact.steady.{limit}", 1)
    monkeypatch.setattr(
        native_chain.NativeChain,
        "stationary",
        lambda self, number, close: (np.ones(self.states) / self.states, math.inf),
    )
    solution = petri.loads(
        "net two\nplace here = token\nplace there\nplace source = token\n"
        "transition go: here -> there after exp(1)\ntransition come: there -> here after exp(1)\n"
        "transition beat: source -> source after exp(1)\nmeasure beats = rate(beat)\nrun until 1"
    ).solve()
    assert {one.name: one.value for one in solution.measures} == {"beats": 1.0}
    assert all(math.isfinite(one.error) for one in (*solution.measures, *solution.transitions))


def test_an_expectation_of_its_own_shows_the_value_that_it_judged() -> None:
    text = "place up = token\nplace down\ntransition fail: up -> down after exp(3)\n"
    text += "transition mend: down -> up after exp(1)\nmeasure a = mean(up)\nexpect a / mean(down) == 3 within 1%\n"
    out = io.StringIO()
    print_solution(petri.loads(text).solve(), Console(file=out, width=80), seconds=0.0)
    (line,) = (line for line in out.getvalue().splitlines() if line.startswith("expect "))
    assert line.split()[:4] == ["expect", "3", "✓", "3"]
