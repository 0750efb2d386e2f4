"""Every oracle whose net has a chain: exact figures against closed forms and published values."""

from __future__ import annotations

import math
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

import petri
from petri.diagnostics import LanguageError
from tests.sampling import one_in

ORACLES = yaml.safe_load((Path(__file__).resolve().parents[1] / "data" / "oracles.yaml").read_text(encoding="utf-8"))
MOST_STATES = 3_000
DIGITS = 3e-6  # of the values: seven digits of most
LEAST = 55  # figures


@pytest.mark.slow
def test_oracles_with_a_chain() -> None:
    solved, wrong = 0, []
    for one in ORACLES:
        try:
            solution = petri.load(one["net"], **one.get("set", {})).solve(states=MOST_STATES)
        except LanguageError:
            continue
        for name, value in one["expect"].items():
            found = figure(solution, name)
            if found is None:
                continue
            solved += 1
            if abs(found - value) > DIGITS * max(abs(value), 1e-3):
                wrong.append((one["id"], name, value, found))
    assert not wrong
    assert solved >= LEAST


@pytest.mark.slow
def test_oracles_without_scipy(monkeypatch: pytest.MonkeyPatch) -> None:
    """The engine alone has the figures of the direct solution, within the bounds of both."""
    with_scipy = {}
    for one in ORACLES:
        with suppress(LanguageError):
            model = petri.load(one["net"], **one.get("set", {}))
            with_scipy[one["id"]] = model, model.solve(states=MOST_STATES)
    for name in ("scipy", *(one for one in sys.modules if one.startswith("scipy."))):
        monkeypatch.setitem(sys.modules, name, None)
    compared = 0
    for model, solved in with_scipy.values():
        alone = model.solve(states=MOST_STATES)
        for figure in (*solved.measures, *solved.places, *solved.transitions):
            other = alone.exact(figure.name)
            if figure.bounded is None or math.isnan(figure.value):
                assert other.bounded is None or math.isnan(other.value)
                continue
            compared += 1
            assert other.value == pytest.approx(figure.value, rel=1e-12, abs=1e-12)
            assert abs(other.value - figure.value) <= other.error + figure.error
    assert compared > 500


def figure(solution: Any, name: str) -> float | None:
    """Return a figure that the chain determines."""
    try:
        found = solution.exact(name)
    except KeyError:
        return None
    return None if found.bounded is None else float(found.value)


def lost(banks: int, busy: int = 4) -> float:
    """Return the lost part of the slots of a memory whose banks are busy for some slots after each access, in order.

    A state: the slots that banks are still busy, after an access. The next access waits for its bank, drawn at random.
    """
    first: tuple[int, ...] = (busy,)
    numbers = {first: 0}
    rows: list[list[tuple[int, float, int]]] = []
    waiting = [first]
    for state in waiting:
        left = [slots - 1 for slots in state if slots > 1]
        ways = [(1.0 / banks, slots, left[:at] + left[at + 1 :]) for at, slots in enumerate(left)]
        if banks > len(left):
            ways.append((1.0 - len(left) / banks, 0, left))
        row = []
        for chance, wait, others in ways:
            after = tuple(sorted([busy, *(slots - wait for slots in others if slots > wait)]))
            if after not in numbers:
                numbers[after] = len(numbers)
                waiting.append(after)
            row.append((numbers[after], chance, 1 + wait))
        rows.append(row)
    matrix, slots = np.zeros((len(rows), len(rows))), np.zeros(len(rows))
    for number, row in enumerate(rows):
        for target, chance, length in row:
            matrix[number, target] += chance
            slots[number] += chance * length
    system = np.vstack([(matrix - np.eye(len(rows))).T, np.ones(len(rows))])
    shares = np.linalg.lstsq(system, np.eye(len(rows) + 1)[-1], rcond=None)[0]
    return 1.0 - 1.0 / float(shares @ slots)


@pytest.mark.parametrize("banks", one_in(3, [1, 12, 16, 4, 8]))
def test_memory_in_order(banks: int) -> None:
    """Column 1 of Table 1 of Kachris et al., to ten digits: accesses with constant times make a chain in ticks."""
    solution = petri.load("memory_banks", banks=banks).solve()
    assert solution.exact("lost").value == pytest.approx(lost(banks), rel=1e-10)
