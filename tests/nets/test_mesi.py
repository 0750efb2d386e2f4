"""MESI on a bus: exact figures against a chain of its own, a closed form, and coherence in all states."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

import numpy as np
import pytest

import petri

THINK, MEMORY, CACHE, ANNOUNCE, WRITEBACK, WRITES = 100.0, 60.0, 20.0, 10.0, 60.0, 0.3

Frame = tuple[int, str]
"""The line in the cache of a processor, and its state: M, E or S; (-1, "") at first."""
Asked = tuple[int, bool, bool]
"""An access: the line, whether it is a write, and whether it has the bus."""
State = tuple[tuple[Frame, ...], tuple[Asked | None, ...]]
"""The frames, and the access of each processor that does not compute."""


def seen(frame: Frame, line: int, write: bool) -> Frame:
    """Return a frame after an access of another processor."""
    if frame[0] != line:
        return frame
    return (-1, "") if write else (line, "S")


def asked(one: Asked | None) -> Asked:
    assert one is not None
    return one


def transfer_time(state: State, p: int) -> float:
    frames, doing = state
    line, _, _ = asked(doing[p])
    here, own = frames[p]
    if here == line:
        return ANNOUNCE
    others = any(frame[0] == line for q, frame in enumerate(frames) if q != p)
    return (CACHE if others else MEMORY) + (WRITEBACK if own == "M" else 0.0)


def with_bus(state: State) -> Iterator[tuple[float, State]]:
    """Yield the states after the bus became free: one of those that wait gets it."""
    frames, doing = state
    if any(one is not None and one[2] for one in doing):
        yield 1.0, state
        return
    waiting = [p for p, one in enumerate(doing) if one is not None]
    if not waiting:
        yield 1.0, state
    for p in waiting:
        line, write, _ = asked(doing[p])
        yield 1 / len(waiting), (frames, (*doing[:p], (line, write, True), *doing[p + 1 :]))


def moves(state: State, lines: int) -> Iterator[tuple[float, State, int]]:
    """Rate, next state, and how many accesses are done."""
    frames, doing = state
    for p, one in enumerate(doing):
        if one is None:
            for line in range(lines):
                for write, share in ((False, 1 - WRITES), (True, WRITES)):
                    yield from started(state, p, line, write, share / lines / THINK)
        elif one[2]:
            line, write, _ = one
            alone = all(frame[0] != line for q, frame in enumerate(frames) if q != p)
            mine = (line, "M" if write else "E" if alone else "S")
            after = tuple(mine if q == p else seen(frame, line, write) for q, frame in enumerate(frames))
            for share, following in with_bus((after, (*doing[:p], None, *doing[p + 1 :]))):
                yield share / transfer_time(state, p), following, 1


def started(state: State, p: int, line: int, write: bool, rate: float) -> Iterator[tuple[float, State, int]]:
    frames, doing = state
    here, own = frames[p]
    if here == line and (own in "ME" or not write):
        mine = (line, "M" if write else own)
        yield rate, ((*frames[:p], mine, *frames[p + 1 :]), doing), 1
        return
    for share, following in with_bus((frames, (*doing[:p], (line, write, False), *doing[p + 1 :]))):
        yield rate * share, following, 0


def expected(procs: int, lines: int) -> tuple[float, float]:
    """Return accesses per think time of one processor, and the share of time in which the bus is used."""
    first: State = (((-1, ""),) * procs, (None,) * procs)
    numbers, waiting = {first: 0}, [first]
    arcs: dict[tuple[int, int], float] = defaultdict(float)
    done: dict[int, float] = defaultdict(float)
    while waiting:
        state = waiting.pop()
        for rate, following, accesses in moves(state, lines):
            if following not in numbers:
                numbers[following] = len(numbers)
                waiting.append(following)
            arcs[numbers[state], numbers[following]] += rate
            done[numbers[state]] += rate * accesses
    generator = np.zeros((len(numbers), len(numbers)))
    for (source, target), rate in arcs.items():
        generator[source, target] += rate
        generator[source, source] -= rate
    equations = np.vstack([generator.T, np.ones(len(numbers))])
    share = np.linalg.lstsq(equations, np.eye(len(numbers) + 1)[-1], rcond=None)[0]
    used = [number for state, number in numbers.items() if any(one is not None for one in state[1])]
    return sum(share[n] * rate for n, rate in done.items()) * THINK, float(share[used].sum())


@pytest.mark.parametrize(("procs", "lines"), [(1, 2), (2, 1), pytest.param(2, 2, marks=pytest.mark.slow)])
def test_the_exact_figures_are_those_of_a_chain_of_its_own(procs: int, lines: int) -> None:
    power, load = expected(procs, lines)
    found = petri.load("patterns/mesi", procs=procs, lines=lines).solve()
    assert found.exact("power").value == pytest.approx(power, rel=1e-9)
    assert found.exact("bus_load").value == pytest.approx(load, rel=1e-9)


def test_one_processor_in_closed_form() -> None:
    """It leaves a modified line with the probability that it was written since it came."""
    dirty = WRITES / (1 - (1 - WRITES) / 3)
    power = THINK / (THINK + 2 / 3 * (MEMORY + dirty * WRITEBACK))
    found = petri.load("patterns/mesi", procs=1, lines=3).solve()
    assert found.exact("power").value == pytest.approx(power, rel=1e-12)


@pytest.mark.parametrize("procs", [2, pytest.param(3, marks=pytest.mark.slow)])
def test_no_line_is_contradicted_in_any_state(procs: int) -> None:
    model = petri.load("patterns/mesi", procs=procs, lines=2)
    found = model.reach()
    names = [transition.name for transition in model.net.transitions]
    assert [names[number] for number in found.never] == ["violate"]


def test_a_cache_that_does_not_snoop_is_found() -> None:
    """The invariant is one: without snooping, two caches have a modified line."""
    text = petri.load("patterns/mesi").sources
    (source,) = text.values()
    wrong = source.replace("if write or x == invalid then invalid else shared", "if write then x else x")
    assert wrong != source
    assert petri.loads(wrong, procs=2, lines=1).reach().never == []


@pytest.mark.slow
def test_the_run_is_that_of_the_exact_figures() -> None:
    model = petri.load("patterns/mesi", procs=2, lines=2)
    exact, run = model.solve(), model.run(until="2 ms", warmup="100 us")
    for name in ("power", "hits", "bus_load"):
        assert run.measure(name).value == pytest.approx(exact.exact(name).value, rel=0.02)
