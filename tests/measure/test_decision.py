"""Sequential decisions: their errors, what they cost, and what they say where they give up."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from petri.measure.decision import Decision, decide_mean, decide_runs

ERROR = 0.01
MANY = 100_000


def below(value: float) -> bool:
    return value <= 0.0


def sequentially(decide: Callable[[list[float]], Decision], draw: Callable[[], float]) -> Decision:
    """The end of a test that gets as many values as it asks for."""
    values: list[float] = []
    while (found := decide(values)).more:
        values += [draw() for _ in range(found.more)]
    assert found.used == len(values)
    return found


def test_runs_that_all_have_it_need_eight() -> None:
    assert decide_runs([True] * 7, ERROR, MANY) == Decision(True, 0.5, False, 7, 1)
    assert decide_runs([True] * 8, ERROR, MANY) == Decision(True, ERROR, True, 8)
    assert decide_runs([False] * 3, ERROR, MANY) == Decision(False, ERROR, True, 3)


@pytest.mark.parametrize(("share", "wrong"), [(0.95, False), (0.5, True)])
def test_the_error_of_runs_is_as_stated(share: float, wrong: bool) -> None:
    """The shares that the test is to tell apart are the worst ones."""
    stream = random.Random(7)
    errors = 0
    for _ in range(4_000):
        found = sequentially(lambda v: decide_runs([x > 0 for x in v], 0.05, MANY), lambda: stream.random() < share)
        assert found.certain
        errors += found.holds == wrong
    assert errors / 4_000 <= 0.05


@pytest.mark.slow
@pytest.mark.parametrize("mean", [0.05, -0.05, 0.3])
def test_the_error_of_means_is_as_stated(mean: float) -> None:
    """Of values as skewed as the exponential distribution, close to the bound: Student's t alone errs more often."""
    stream = random.Random(11)
    ended = [
        sequentially(lambda v: decide_mean(v, 0.0, below, 0.05, 200), lambda: stream.expovariate(1.0) - 1.0 + mean)
        for _ in range(400)
    ]
    wrong = sum(one.certain and one.holds == (mean > 0) for one in ended)
    assert wrong / 400 <= 0.05


def test_a_clear_mean_needs_the_first_look_only() -> None:
    found = decide_mean([5.0, 5.1, 4.9, 5.05, 4.95] * 2, 0.0, below, ERROR, 100)
    assert (found.holds, found.certain, found.used) == (False, True, 10)


def test_equal_values_are_judged_run_by_run() -> None:
    """Student's interval of ten zeros has no width, but they do not show that the mean is 0."""
    assert decide_mean([0.0] * 5, 0.01, lambda x: x <= 0.01, ERROR, 100).more > 0
    assert decide_mean([0.0] * 9, 0.01, lambda x: x <= 0.01, ERROR, 100).certain
    rare = [0.0] * 6 + [0.1]
    assert not decide_mean(rare, 0.01, lambda x: x <= 0.01, ERROR, 100).certain


def test_who_gives_up_says_how_unsure_it_is() -> None:
    found = decide_mean([1.0, -1.0, 0.5, -0.6, 0.2, -0.2], 0.0, below, ERROR, 6)
    assert not found.certain
    assert found.more == 0
    assert 0.3 < found.error <= 0.5
    assert decide_runs([True] * 4, ERROR, 4) == Decision(True, pytest.approx((0.5 / 0.95) ** 4), False, 4)  # type: ignore[arg-type]


def test_no_more_replications_are_asked_for_than_are_left() -> None:
    assert decide_runs([True], error=1e-9, most=3).more == 2
