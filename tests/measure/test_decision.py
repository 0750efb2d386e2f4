"""Sequential decisions: their errors, what they cost, and what they say where they give up."""

from __future__ import annotations

import math
import random
import statistics
from collections.abc import Callable

import pytest

from petri.measure.decision import Decision, _tail, decide_mean, decide_runs
from petri.measure.intervals import student_tail
from petri.measure.sequential import looks

ERROR = 0.01
MANY = 100_000


def below(value: float) -> bool:
    return value <= 0.0


def above(value: float) -> bool:
    return value > 0.0


def sequentially(decide: Callable[[list[float]], Decision], draw: Callable[[], float]) -> Decision:
    """Return the end of a test that gets as many values as it asks for."""
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


def tail(values: list[float], bound: float) -> float:
    """Return the tail of Student's t, adjusted for skewness: Hall's t + 2βt² + 4/3 β²t³ + β, with β = B / (6 √n)."""
    n, mean = len(values), statistics.fmean(values)
    deviation = statistics.stdev(values)
    t = (mean - bound) * math.sqrt(n) / deviation
    skewness = n / ((n - 1) * (n - 2)) * sum(((value - mean) / deviation) ** 3 for value in values) if n > 2 else 0.0
    beta = skewness / (6.0 * math.sqrt(n))
    adjusted = t + 2 * beta * t**2 + 4 / 3 * beta**2 * t**3 + beta
    return student_tail(abs(adjusted), n - 1) if adjusted * t > 0 else 0.5


def test_the_tail_agrees_with_its_definition() -> None:
    stream = random.Random(3)
    for n in (2, 3, 5, 10, 40):
        for bound in (-2.0, 0.0, 0.9, 1.1, 5.0):
            values = [stream.expovariate(1.0) for _ in range(n)]
            assert _tail(values, bound) == pytest.approx(tail(values, bound), rel=1e-9)


def test_a_mean_is_decided_at_the_look_that_first_shows_it() -> None:
    """Looks after 10, 13, 17, … runs, each with its part of half the error."""
    stream = random.Random(5)
    planned = list(looks(10, 100))
    for _ in range(40):
        values = [stream.expovariate(1.0) - 0.55 for _ in range(100)]
        level = ERROR / 2 / len(planned)
        clear = [look for look in planned if tail(values[:look], 0.0) <= level]
        end = clear[0] if clear else 100
        for have in (2, 9, 10, 12, 13, 30, end - 1, end, 100):
            found = decide_mean(values[:have], 0.0, below, ERROR, 100)
            if have >= end:
                error = ERROR if clear else min(tail(values, 0.0), 0.5)
                expected = Decision(sum(values[:end]) <= 0.0, error, bool(clear), end)
            else:
                following = next(look for look in planned if look > have)
                expected = Decision(sum(values[:have]) <= 0.0, 0.5, False, have, following - have)
            assert found == expected


def test_looks_at_equal_values_are_left_out() -> None:
    """The first eleven runs gave the same number, so the first look says nothing; they are too few to decide."""
    values = [1.0] * 11 + [1.001, 1.002]
    error = 1e-9
    level = error / 2 / len(list(looks(10, 100)))
    assert tail(values, 0.0) <= level
    assert decide_mean(values, 0.0, above, error, 100) == Decision(True, error, True, 13)
    assert decide_mean(values[:12], 0.0, above, error, 100) == Decision(True, 0.5, False, 12, 1)


def test_runs_that_are_no_more_than_asked_for_decide() -> None:
    assert decide_runs([True] * 20, ERROR, 7) == Decision(True, pytest.approx((0.5 / 0.95) ** 7), False, 7)  # type: ignore[arg-type]
    assert decide_runs([], ERROR, MANY) == Decision(False, 0.5, False, 0, 3)
    assert decide_runs([True, False], ERROR, MANY).more == 2
    assert decide_runs([True, False], ERROR, 3).more == 1
    assert decide_runs([True, False, True, True, True, True], ERROR, 6).error == pytest.approx(
        (0.5 / 0.95) ** 5 * 0.5 / 0.05
    )
    assert decide_runs([True], ERROR, 1).error == 0.5
