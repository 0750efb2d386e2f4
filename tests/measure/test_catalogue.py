"""The standard figures of places and transitions, and what the replications of a figure give together."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import petri
from petri.measure import catalogue
from petri.measure.catalogue import PLACE_COLUMNS, PLACE_WORDS, TRANSITION_COLUMNS, TRANSITION_WORDS, FigureKind
from petri.measure.formula import grows, statistic
from petri.measure.observation import quotients
from petri.net import Net, Term
from tests.measure.test_formula import constant, observed

PLACES = {
    "mean": 0.5,
    "maximum": 3.0,
    "occupied": 0.4,
    "arrivals": 20.0,
    "arrival_rate": 2.0,
    "sojourn": 0.25,
    "utilisation": math.nan,  # it has held more tokens than at first
}
TRANSITIONS = {"firings": 8.0, "rate": 0.8, "in_progress": 1.5, "active": 0.9, "clocks_set": 0.0, "clocks_dropped": 0.0}


def test_columns() -> None:
    places = {name: float(kind.of_all(observed())[0]) for name, kind in PLACE_COLUMNS.items()}
    assert places == pytest.approx(PLACES, nan_ok=True)
    transitions = {name: float(kind.of_all(observed())[0]) for name, kind in TRANSITION_COLUMNS.items()}
    assert transitions == pytest.approx(TRANSITIONS)


@pytest.mark.parametrize("kind", [*catalogue.PLACES, *catalogue.TRANSITIONS], ids=lambda kind: kind.name or kind.word)
def test_one_element_has_the_figure_that_all_have(kind: FigureKind) -> None:
    seen = observed()
    assert kind.of(seen, 0) == pytest.approx(float(kind.of_all(seen)[0]), rel=0, abs=0, nan_ok=True)


def test_words_are_defined_in_the_documentation() -> None:
    text = (Path(__file__).resolve().parents[2] / "docs" / "measures.md").read_text(encoding="utf-8")
    defined = re.findall(
        r"`(\w+)\((place|transition)\)`", text[text.index("| figure | formula |") : text.index("## Arrays")]
    )
    words = {(word, "place") for word in PLACE_WORDS} | {(word, "transition") for word in TRANSITION_WORDS}
    assert words == set(defined)


@pytest.mark.parametrize(
    ("initial", "maximum", "expected"), [(2, 2, 0.75), (2, 1, 0.75), (1, 1, 0.5), (0, 0, math.nan), (1, 2, math.nan)]
)
def test_utilisation_is_of_what_is_never_more_than_at_first(initial: int, maximum: int, expected: float) -> None:
    seen = observed(initial=np.array([initial]), maximum=np.array([maximum]))
    assert PLACE_COLUMNS["utilisation"].of_all(seen)[0] == pytest.approx(expected, nan_ok=True)


@pytest.mark.filterwarnings("error")
def test_quotients() -> None:
    found = quotients(np.array([1.0, 0.0, 3.0, 1e300]), np.array([2.0, 0.0, 0.0, 1e-300]))
    assert found.tolist() == pytest.approx([0.5, math.nan, math.nan, math.inf], nan_ok=True)
    assert quotients(np.array([1.0, 4.0]), 2.0).tolist() == [0.5, 2.0]


GREATEST, LEAST, MEAN = Term("max", value=0), Term("sample", value=(0, "min")), Term("mean", value=0)
STATISTICS: list[tuple[Term, str]] = [
    (GREATEST, "greatest"),
    (LEAST, "least"),
    (MEAN, "mean"),
    (Term("sample", value=(0, "max")), "greatest"),
    (Term("sample", value=(0, "p50")), "mean"),
    (Term("order", value=(0, "max_extent")), "greatest"),
    (Term("mul", (GREATEST, constant(2.0))), "greatest"),
    (Term("mul", (constant(0.5), LEAST)), "least"),
    (Term("mul", (GREATEST, constant(-2.0))), "mean"),
    (Term("mul", (GREATEST, constant(0.0))), "mean"),
    (Term("mul", (GREATEST, GREATEST)), "mean"),
    (Term("mul", (constant(2.0), constant(3.0))), "mean"),
    (Term("div", (GREATEST, constant(2.0))), "greatest"),
    (Term("div", (constant(2.0), GREATEST)), "mean"),
    (Term("add", (GREATEST, constant(2.0))), "mean"),
    (Term("sub", (GREATEST, LEAST)), "mean"),
    (Term("neg", (GREATEST,)), "mean"),
    (Term("max2", (GREATEST, GREATEST)), "greatest"),
    (Term("max2", (GREATEST, LEAST)), "mean"),
    (Term("max2", (LEAST, LEAST)), "mean"),
    (Term("min2", (LEAST, LEAST)), "least"),
    (Term("min2", (GREATEST, GREATEST)), "mean"),
    (Term("max2", (MEAN, MEAN)), "mean"),
]


@pytest.mark.parametrize(("term", "expected"), STATISTICS, ids=str)
def test_what_replications_give_together(term: Term, expected: str) -> None:
    assert statistic(term) == expected


BARE: Net = petri.loads("net bare  place a = token  transition t: a -> a  takes 1").net
FIRINGS, ELAPSED = Term("firings", value=0), Term("elapsed")
GROWING: list[tuple[Term, bool]] = [
    (FIRINGS, True),
    (Term("arrivals", value=0), True),
    (Term("counter", value=0), True),
    (GREATEST, True),
    (ELAPSED, True),
    (Term("series", value=(0, "mean")), True),
    (MEAN, False),
    (Term("busy", value=0), False),
    (constant(2.0), False),
    *[(Term("sample", value=(0, field)), True) for field in ("count", "sum", "min", "max")],
    *[(Term("passage", value=(0, field)), False) for field in ("mean", "std", "p99")],
    *[(Term("order", value=(0, field)), True) for field in ("packets", "reordered", "max_extent")],
    (Term("order", value=(0, "reordered_share")), False),
    (Term("content", value=(0, "integral")), True),
    (Term("content", value=(0, "max")), True),
    (Term("div", (FIRINGS, ELAPSED)), False),
    (Term("div", (FIRINGS, constant(2.0))), True),
    (Term("div", (MEAN, ELAPSED)), False),
    (Term("div", (MEAN, constant(2.0))), False),
    (Term("add", (MEAN, FIRINGS)), True),
    (Term("add", (MEAN, constant(1.0))), False),
]


@pytest.mark.parametrize(("term", "expected"), GROWING, ids=str)
def test_counts_grow_with_the_run(term: Term, expected: bool) -> None:
    assert grows(BARE, term) is expected


def test_columns_have_an_entry_for_each_place() -> None:
    two: dict[str, Any] = {"integral": np.array([5.0, 0.0]), "arrivals": np.array([20, 0])}
    seen = observed(**two)
    assert PLACE_COLUMNS["sojourn"].of_all(seen).tolist() == pytest.approx([0.25, math.nan], nan_ok=True)
    assert PLACE_COLUMNS["mean"].of_all(seen).tolist() == [0.5, 0.0]
