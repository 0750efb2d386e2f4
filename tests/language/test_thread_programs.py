"""Random threads against processes that carry out the same steps (`tests/language/thread_machine.py`).

Where nothing is left to chance, a net must log the same at the same instants: activations have patiences of their own,
go on in order of arrival, and see what the steps before have done. Where there is chance, the numbers of logs must be
alike.
"""

from __future__ import annotations

import random
import statistics
from collections import Counter
from collections.abc import Iterator

import pytest

from petri import language
from petri.engine.interface import Limits
from petri.net import Net
from petri.run import session
from tests.engines import ENGINES, FASTEST
from tests.language.thread_machine import Ambiguous
from tests.language.thread_programs import UNTIL, Maker, Program

Logged = list[tuple[float, int]]


def determined(first: int, count: int) -> Iterator[tuple[Program, Logged]]:
    """Programs of which it is known what they log."""
    for seed in range(first, first + count):
        program = Maker(seed, chance=False).make()
        try:
            yield program, rounded(program.machine(None).run(UNTIL))
        except Ambiguous:
            continue


def rounded(out: list[tuple[int, float]]) -> Logged:
    """Sort by instants; what several activations log at one instant has no order."""
    return sorted((round(at, 3), what) for what, at in out)


def logged(net: Net, engine: str, replication: int) -> Logged:
    run = session.begin(net, engine, 1, replication, limits=Limits(), trace=False)
    assert run.advance(net.tick.ticks(UNTIL), 1_000_000) in ("until", "dead")
    places = [place.name for place in net.places]
    return rounded([(int(what), at) for what, at in run.marking()[places.index("out")]])


def check(engine: str, first: int, count: int) -> None:
    programs = list(determined(first, count))
    assert len(programs) > count / 2
    for program, wanted in programs:
        net = language.loads(f"net test\n{program.text()}")
        assert logged(net, engine, 0) == wanted, program.text()


@pytest.mark.parametrize("engine", ENGINES)
def test_what_is_determined_happens(engine: str) -> None:
    check(engine, 0, 6 if engine == "reference" else 30)


@pytest.mark.slow
@pytest.mark.parametrize("engine", ENGINES)
def test_what_is_determined_happens_in_many_programs(engine: str) -> None:
    check(engine, 40, 100 if engine == "reference" else 1500)


def alike(program: Program, runs: int) -> float:
    """Return the greatest difference of a mean number of logs, in standard errors."""
    net = language.loads(f"net test\n{program.text()}")
    chance = random.Random(2)
    counts: list[list[Counter[int]]] = [[], []]
    for number in range(runs):
        machine = program.machine(chance)
        counts[0].append(Counter(what for what, _ in machine.run(UNTIL)))
        counts[1].append(Counter(what for _, what in logged(net, FASTEST, number)))
    greatest = 0.0
    for code in {code for one in counts for run in one for code in run}:
        one, other = ([float(run[code]) for run in some] for some in counts)
        error = ((statistics.variance(one) + statistics.variance(other)) / runs) ** 0.5
        if sum(one) + sum(other) > 40:  # the mean of few is not normal
            greatest = max(greatest, abs(statistics.mean(one) - statistics.mean(other)) / max(error, 1e-9))
    return greatest


def compare(first: int, programs: int, runs: int) -> None:
    """Check programs with these numbers. A right number is so far off once in a million times.

    There are 20 in the quick test, and 410 in the slow one: one of 2,400 right engines would fail.
    """
    for seed in range(first, first + programs):
        program = Maker(seed, chance=True).make()
        assert alike(program, runs) < 4.9, program.text()


def test_programs_with_chance_have_the_same_figures() -> None:
    compare(0, 3, 60)


@pytest.mark.slow
def test_many_programs_with_chance_have_the_same_figures() -> None:
    compare(3, 40, 400)
