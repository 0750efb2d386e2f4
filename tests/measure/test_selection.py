"""Ranking and selection: the best is found as often as stated, with replications where they tell."""

from __future__ import annotations

import math

import numpy as np
import pytest

from petri.measure.selection import Best, Selection, differences, select


def sequentially(means: list[float], best: Best, seed: int, *, common: float = 0.0, most: int = 10_000) -> Selection:
    """Return the end of a selection among normal values of variance 1, with this correlation of the points."""
    chance = np.random.default_rng(seed)
    values: list[list[float]] = [[] for _ in means]
    shared: list[float] = []
    while True:
        found = select(values, best, 10, most)
        if found.done:
            return found
        for point, needed in enumerate(found.used):
            if point in found.left:
                shared += chance.normal(size=max(needed - len(shared), 0)).tolist()
                while len(values[point]) < needed:
                    own = chance.normal() * math.sqrt(1 - common) + math.sqrt(common) * shared[len(values[point])]
                    values[point].append(means[point] + own)


@pytest.mark.parametrize("common", [pytest.param(0.0, marks=pytest.mark.slow), 0.8])
def test_the_best_is_found_as_often_as_stated(common: float) -> None:
    """The least favourable case: all others are exactly the indifference below the best.

    Of 300 selections that are right with probability 0.9, fewer than 254 are with a probability of 0.2 %.
    """
    best = Best("x", within=0.5, relative=False, confidence=0.9)
    found = [sequentially([0.0, 0.0, 0.5, 0.0, 0.0], best, seed, common=common) for seed in range(300)]
    assert all(one.certain and len(one.left) == 1 for one in found)
    assert sum(one.left == (2,) for one in found) >= 254


def test_the_variances_come_from_the_first_look_only() -> None:
    """Taken anew at each look, they would be small by chance at some look: fewer than stated would be right."""
    values = np.random.default_rng(1).normal(size=(3, 10))
    found = differences(values)
    for one in range(3):
        for other in range(3):
            assert found[one, other] == pytest.approx(np.var(values[one] - values[other], ddof=1), abs=1e-12)


def test_replications_go_where_they_tell() -> None:
    """Of 50 points in even steps, those far from the best get the first ten only, and all a small part of a grid's."""
    means = [0.2 * number for number in range(50)]
    found = sequentially(means, Best("x", within=0.2, relative=False), 3)
    assert found.left == (49,)
    assert sorted(found.used)[:15] == [10] * 15
    assert sum(found.used) < 50 * max(found.used) / 5


def test_common_random_numbers_save_replications() -> None:
    best = Best("x", within=0.2, relative=False)
    alone, together = (sequentially([0.0, 0.3], best, 5, common=common) for common in (0.0, 0.9))
    assert sum(together.used) < sum(alone.used) / 2


def test_the_least() -> None:
    found = sequentially([3.0, 1.0, 2.0], Best("x", greatest=False, within=0.3, relative=False), 1)
    assert found.left == (1,)


def test_a_share_of_the_best_mean() -> None:
    absolute = sequentially([100.0, 101.0, 99.0], Best("x", within=1.0, relative=False), 2)
    relative = sequentially([100.0, 101.0, 99.0], Best("x", within=1.0 / 101.0), 2)
    assert absolute.used == relative.used


def test_values_that_never_differ() -> None:
    """The first of those that are equal to the last digit; nothing is left of points without data."""
    assert select([[1.0] * 10, [2.0] * 10, [2.0] * 10], Best("x"), 10, 100) == Selection((10, 10, 10), (1,), True, True)
    assert select([[math.nan] * 10] * 2, Best("x"), 10, 100) == Selection((10, 10), (), True, False)
    assert select([[1.0] * 10], Best("x"), 10, 100).left == (0,)


def test_too_few_replications() -> None:
    found = sequentially([0.0, 0.001], Best("x", within=0.001, relative=False), 1, most=40)
    assert (found.done, found.certain) == (True, False)
    assert set(found.left) == {0, 1}
