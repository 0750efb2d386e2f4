"""The native explorer against the naive one: the same states, arcs, rates and variables."""

from __future__ import annotations

import math
import threading
import time
from collections import Counter, defaultdict
from itertools import groupby

import numpy as np
import pytest

import petri
from petri.engine.errors import ModelError
from petri.exact.chain import Limits, Running, StateSpace, StateView, Unsolvable
from petri.exact.native import NativeSpace
from petri.net import Net
from petri.run.stop import StopSign
from petri.structs import replace
from tests.exact.nets import Times, solvable_net
from tests.exact.oracle.explorer import NaiveSpace
from tests.sampling import one_in

FEW = Limits(states=60)  # where tokens multiply, the naive explorer lists hundreds of bindings in each

Arcs = dict[tuple[int, bool, object], float]


def canonical(net: Net, view: StateView) -> object:
    """Return a state in one order: of bags, and of firings whose order has no meaning."""
    bags = [place.discipline == "bag" for place in net.places]
    marking = tuple(tuple(sorted(row)) if bag else row for bag, row in zip(bags, view.marking, strict=True))
    exponential = sorted(together(one) for one in view.running if one.stages[0].kind == "exponential")
    timed: list[Running] = []
    others = (together(one) for one in view.running if one.stages[0].kind != "exponential")
    for _, group in groupby(others, key=lambda one: one.stages[0].ticks):
        at_once = list(group)
        ordered = [one for one in at_once if not all(bags[place] for place, _ in one.deposits)]
        timed += [*sorted(one for one in at_once if one not in ordered), *ordered]
    return marking, (*exponential, *timed)


def together(one: Running) -> Running:
    """Return its deposits, with those of no tokens left out."""
    return one._replace(deposits=tuple(gift for gift in one.deposits if gift[1]))


def arcs_of(net: Net, space: StateSpace) -> dict[object, Arcs]:
    """Return the arcs of each expanded state, as states and not as numbers; parallel ones together.

    Of states that differ in an order without meaning, the average: a limit may leave out some of them.
    """
    views = [canonical(net, space.state(number)) for number in range(len(space))]
    found: dict[object, Arcs] = {view: defaultdict(float) for view in views[: space.expanded]}
    alike = Counter(views[: space.expanded])
    columns = (space.sources, space.targets, space.transitions, space.starts, space.weights)
    for source, target, transition, starts, weight in zip(*(column.tolist() for column in columns), strict=True):
        found[views[source]][transition, starts, views[target]] += weight / alike[views[source]]
    return found


def started(net: Net, space: StateSpace) -> set[object]:
    """Return the firings that start, with their variables."""
    views = [canonical(net, space.state(number)) for number in range(len(space))]
    arcs = np.flatnonzero(space.starts).tolist()
    found = zip(arcs, space.variables(arcs), strict=True)
    return {(views[space.sources[a]], space.transitions[a], views[space.targets[a]], tuple(of)) for a, of in found}


def explored(kind: type, net: Net) -> StateSpace | str:
    try:
        space: StateSpace = kind(net, FEW)
        return space
    except Unsolvable as why:
        return f"unsolvable {why.id}"
    except ModelError:
        return "fault"


@pytest.mark.parametrize("times", ["exponential", "ticks", "turns"])
@pytest.mark.parametrize("seed", one_in(10, range(150)))
def test_explorers_agree(seed: int, times: Times) -> None:
    net = solvable_net(seed, times)
    native = explored(NativeSpace, net)
    if not isinstance(native, str) and not native.expanded:
        return  # its first state has more successors than there may be states: there is nothing to compare
    naive = explored(NaiveSpace, net)
    if isinstance(naive, str) or isinstance(native, str):
        assert isinstance(naive, str) or not naive.complete
        return  # which of several reasons is given first may differ
    expected, found = arcs_of(net, naive), arcs_of(net, native)
    if naive.complete or native.complete:
        assert len(naive) == len(native)
        assert set(expected) == set(found)
        assert Counter(canonical(net, naive.state(number)) for number in range(len(naive))) == Counter(
            canonical(net, native.state(number)) for number in range(len(native))
        )
        assert started(net, naive) == started(net, native)
    assert naive.initial == native.initial == 0
    for state in expected.keys() & found.keys():
        assert expected[state].keys() == found[state].keys()
        for arc, weight in expected[state].items():
            if arc[0] == -1 and naive.takes_turns != native.takes_turns:
                continue  # a rate where the times of the net could take turns, a probability where none did so far
            assert math.isclose(weight, found[state][arc], rel_tol=1e-12), arc
    if naive.complete and native.complete:  # clocks that run (M2)
        for index, one in enumerate(net.transitions):
            if one.clock is not None:
                assert sorted(naive.in_progress(index).tolist()) == sorted(native.in_progress(index).tolist())


@pytest.mark.parametrize("discipline", ["", "fifo", "lifo"])
def test_equal_tokens_are_one_binding(discipline: str) -> None:
    """Of queues and stacks, too: from each number of customers who wait, one arc with the rate of all leads down."""
    which = "any queue" if discipline else "queue"
    net = petri.loads(f"""net impatience
place source = token
place queue : 0..1 {discipline} cap 40
transition arrive: source -> source, queue(0)  after exp(1)
transition leave: {which}(x) -> nothing  after exp(4)
run until 100
""").net
    space = NativeSpace(net, Limits(states=100))
    assert (len(space), len(space.sources)) == (41, 80)
    leaving = [rate for rate, transition in zip(space.weights, space.transitions, strict=True) if transition == 1]
    assert sorted(leaving) == pytest.approx([number / 4 for number in range(1, 41)])


@pytest.mark.parametrize(
    ("draws", "states", "arcs"),
    [
        ("x ~ if tokens(pool) > 0 then uniform(1..tokens(pool)) else 0", 9, 9),
        ("x ~ if tokens(pool) == 2 and bernoulli(0.5) > 0 or tokens(pool) == 1 then 1 else 0", 8, 9),
        ("y ~ uniform(0..tokens(pool)), x ~ if y > 0 then uniform(1..y) else 0", 9, 12),
        ("x ~ if bernoulli(tokens(pool) / 2.0) > 0 then choice(4: 1, 4: 2, 5: 1) else choice(4: 0, 5: 1)", 8, 11),
    ],
)
def test_draws_that_are_not_made_have_no_outcomes(draws: str, states: int, arcs: int) -> None:
    """Of a condition's two sides one is evaluated: where the other would draw, there is one arc, and no empty range."""
    net = petri.loads(f"""net sides
place ready = token
place pool
place numbers : 0..9
transition fill: ready -> ready, pool  after exp(1) when tokens(pool) < 2
transition number: ready -> ready, numbers(x)  draw {draws}
  after exp(1) when tokens(numbers) < 1
""").net
    space = NativeSpace(net)
    assert (len(space), space.arcs) == (states, arcs)
    expected, found = arcs_of(net, NaiveSpace(net)), arcs_of(net, space)
    assert expected.keys() == found.keys()
    for state in expected:
        assert found[state] == pytest.approx(expected[state], rel=1e-12)


def test_firings_in_progress_keep_room_for_what_they_give() -> None:
    """E6: of two jobs, one at a time is on its way to a buffer for one, or in it."""
    net = petri.loads("""net room
place jobs : 0..1 = i for i in 0..1
place buffer : 0..1 cap 1
transition go: jobs(x) -> buffer(x)  takes exp(1 + x)
transition leave: buffer(x) -> jobs(x)  after exp(1)
""").net
    space = NativeSpace(net)
    assert (len(space), space.arcs) == (5, 6)
    assert arcs_of(net, space) == arcs_of(net, NaiveSpace(net))


def test_the_first_token_that_can_go_in_turn_goes() -> None:
    """I4: a key fits both tokens of the queue, and the first takes it."""
    net = petri.loads("""net turns
place queue : 0..1 fifo = i for i in 0..1
place locked = token
place key : 0..1
transition unlock: locked -> key(1)  after exp(1)
transition go: any queue(x), key(k) -> nothing  when x <= k
""").net
    unlock, go = net.transitions
    any_of_queue, key = go.inputs
    in_turn = replace(go, inputs=(replace(any_of_queue, in_turn=True), key))
    for transition, size in ((go, (4, 3)), (in_turn, (3, 2))):
        one = replace(net, transitions=(unlock, transition))
        space = NativeSpace(one)
        assert (len(space), space.arcs) == size
        assert arcs_of(one, space) == arcs_of(one, NaiveSpace(one))


@pytest.mark.parametrize("count", ["20_000_000", "(20_000_000 * tokens(full))"])
@pytest.mark.parametrize("place", ["p(1)", "black"])
def test_a_state_cannot_hold_more_tokens_than_a_net(count: str, place: str) -> None:
    net = petri.loads(f"""net limit
place full = 2 * token
place p : 0..1
place black
transition fill: full -> {count} * {place}  draw x ~ bernoulli(0.5)  after exp(1)
""").net
    for kind in (NativeSpace, NaiveSpace):
        with pytest.raises(ModelError) as error:
            kind(net)
        assert error.value.id == "token-limit"


def test_limits_hold_among_the_contents_that_one_firing_gives() -> None:
    """Each of a hundred thousand outcomes fills a place with ten thousand tokens."""
    net = petri.loads("""net filling
place start = token
place pool : 0..99999
transition fill: start -> 10_000 * pool(x)  draw x ~ uniform(0..99999)  after exp(1)
""").net
    space = NativeSpace(net, Limits(memory=2**24))
    assert (space.ended, space.expanded) == ("memory", 0)


DRAWS = ", ".join(f"x{number} ~ uniform(0..9)" for number in range(8))
NUMBERED = f"type dice = {{{', '.join(f'x{number}: 0..9' for number in range(8))}}}"
DICE = f"""net dice
{NUMBERED}
place start = token
place thrown: dice
transition throw: start -> thrown({{{", ".join(f"x{number}: x{number}" for number in range(8))}}})
  draw {DRAWS}  after exp(1)
transition again: thrown(_) -> start  after exp(1)
"""


MANY_BINDINGS = """net many
place card : int = i for i in 1..60
transition deal: card(a), card(b), card(c), card(d), card(e), card(f) -> card(a)
  after exp(1)  when a + b + c + d + e + f WHEN
"""


@pytest.mark.parametrize(
    ("condition", "limits", "ended"),
    [
        ("> 0", Limits(memory=2**20), "memory"),
        ("> 1000", Limits(), "stopped"),
        ("> 1000", Limits(), "bindings"),
    ],
)
def test_limits_hold_among_the_bindings_of_one_transition(condition: str, limits: Limits, ended: str) -> None:
    """Six of sixty cards can be dealt in 4 * 10^10 ways; those of a sum above 1000 in none."""
    net = petri.loads(MANY_BINDINGS.replace("WHEN", condition)).net
    stop, begun = StopSign(), time.monotonic()
    timer = threading.Timer(0.05, stop.set)
    if ended == "stopped":
        timer.start()
    space = NativeSpace(net, limits, stop)
    timer.cancel()
    assert time.monotonic() - begun < 5
    assert space.ended == ended
    assert space.crowded == (0 if ended == "bindings" else None)
    assert space.expanded == 0


@pytest.mark.parametrize(
    ("limits", "ended"), [(Limits(states=300), "states"), (Limits(memory=2**20), "memory"), (Limits(), "stopped")]
)
def test_limits_hold_among_the_successors_of_one_state(limits: Limits, ended: str) -> None:
    """A throw has 10⁸ outcomes."""
    stop, begun = StopSign(), time.monotonic()
    timer = threading.Timer(0.1, stop.set)
    if ended == "stopped":
        timer.start()
    space = NativeSpace(petri.loads(DICE).net, limits, stop)
    timer.cancel()
    assert time.monotonic() - begun < 5
    assert space.explored.ended == ended
    assert space.expanded == 0
    assert (len(space) > limits.states) == (ended == "states")
