"""Values of tokens that may be exchanged: figures with the reduction and without it."""

from __future__ import annotations

import pytest

import petri
from petri.exact.exchange import ValueSymmetry
from petri.exact.symmetry import symmetries
from petri.net import (
    Colour,
    Draw,
    Expr,
    InhibitorArc,
    InputArc,
    Match,
    Net,
    OutputArc,
    Place,
    Slot,
    Transition,
    Variable,
)
from petri.structs import replace
from tests.engine.mutated import Random
from tests.exact.nets import solvable_net
from tests.exact.test_symmetry import differing, solved
from tests.sampling import one_in


def whole(value: int) -> Expr:
    return Expr("const", "int", value=value)


def numbered(net: Net, choose: Random) -> Net:
    """Return a net whose tokens have a number as well, which firings carry on, compare, draw, or take the next of."""
    count = choose.number(2, 4)
    return replace(
        net,
        places=tuple(_numbered_place(place, count, choose) for place in net.places),
        transitions=tuple(_numbered_transition(one, count, choose) for one in net.transitions),
    )


def _numbered_place(place: Place, count: int, choose: Random) -> Place:
    colour = Colour("numbered", (*place.colour.slots, Slot("number", "int", 0, 3)))
    differ = choose.chance(4)
    initial = [
        (1, (*token, number)) for held, token in place.initial[:2] if held for number in range(1 if differ else count)
    ]
    return replace(place, colour=colour, initial=tuple(initial), capacity=None)


def _numbered_transition(one: Transition, count: int, choose: Random) -> Transition:
    """Return a transition whose variables `x` and `y` are bound by inputs, or drawn."""
    first = len(one.variables)
    numbers = [Expr("var", "int", value=first), Expr("var", "int", value=first + 1)]
    bound: set[int] = set()
    inputs: list[InputArc] = []
    for arc in one.inputs:
        which = choose.number(0, 1)
        match = Match(equal=numbers[which]) if which in bound else Match(bind=first + which)
        bound.add(which)
        inputs.append(replace(arc, count=None, pattern=(*arc.pattern, match)))
    draws = [
        Draw(first + which, Expr("uniform_int", "int", (whole(0), whole(count - 1))))
        for which in (0, 1)
        if which not in bound
    ]
    after = Expr("mod", "int", (Expr("add", "int", (numbers[0], whole(1))), whole(count)))
    given = [*numbers, *numbers, *([after] if choose.chance(3) else []), *([whole(1)] if choose.chance(8) else [])]
    guard = one.guard
    if len(bound) == 2 and choose.chance(2):
        guard = Expr(choose.one(("eq", "ne", "eq", "ne", "lt")), "bool", tuple(numbers))
    elif bound and choose.chance(6):
        guard = Expr(choose.one(("ne", "le")), "bool", (numbers[min(bound)], whole(1)))
    inhibitors: list[InhibitorArc] = [
        replace(arc, pattern=(*arc.pattern, Match(equal=numbers[0]) if 0 in bound and choose.chance(2) else Match()))
        for arc in one.inhibitors
    ]
    outputs: list[OutputArc] = [
        replace(arc, count=None, values=(*arc.values, choose.one(tuple(given)))) for arc in one.outputs
    ]
    return replace(
        one,
        variables=(*one.variables, Variable("x", "int"), Variable("y", "int")),
        inputs=tuple(inputs),
        inhibitors=tuple(inhibitors),
        draws=(*one.draws, *draws),
        guard=guard,
        outputs=tuple(outputs),
        clock=one.clock and replace(one.clock, servers=1),
    )


@pytest.mark.parametrize("at", [None, 3.0])
@pytest.mark.parametrize("seed", one_in(20, range(120)))
def test_figures_of_random_nets(seed: int, at: float | None) -> None:
    net = numbered(solvable_net(seed), Random(seed + 1))
    every = solved(net, at, symmetry=False)
    if every is None:
        return
    reduced = solved(net, at, symmetry=True)
    assert reduced is not None
    keeps_start = all(one.keeps_start for one in reduced.symmetries if isinstance(one, ValueSymmetry))
    assert reduced.unreduced == every.states if keeps_start else reduced.unreduced >= every.states
    assert not list(differing(every, reduced))


JOBS = """net jobs
type Id = 1..4
place idle : Id = all
place left : Id
place right : Id
place ready : Id
place tools = 3 * token
transition split: idle(i), tools -> left(i), right(i)  after exp(2)
transition work:  left(i) -> ready(i)                   after exp(1)
transition done:  ready(i), right(i) -> idle(i), tools  takes exp(1)
"""

PAIRS = """net pairs
type Id = 1..4
type Pair = {one: Id, other: Id}
place alone : Id = all
place pairs : Pair
transition meet: alone(i), alone(j) -> pairs({one: i, other: j})  takes exp(1) when i != j
transition part: pairs({one: i, other: j}) -> alone(i), alone(j)  takes exp(2)
"""

QUEUE = """net queue
type Id = 1..4
place first  : Id fifo = 1, 2, 3, 4
place second : Id
place desk   : Id = all
transition go:   first(i) -> second(i)                    after exp(1)
transition back: second(i), desk(i) -> first(i), desk(i)  after exp(1)
"""


@pytest.mark.parametrize(
    ("text", "states", "names"),
    [
        (JOBS, 10 + 6, ("idle(…)", "left(…)", "right(…)", "ready(…)")),  # at `split` and at `done`: together up to 3
        (PAIRS, 8, ("alone(…)", "pairs(…)")),
        (QUEUE, 5, ("first(…)", "second(…)", "desk(…)")),
    ],
)
@pytest.mark.parametrize("at", [None, 2.0])
def test_figures(text: str, states: int, names: tuple[str, ...], at: float | None) -> None:
    model = petri.loads(text)
    every, reduced = model.solve(at=at, symmetry=False), model.solve(at=at)
    assert [one.names for one in reduced.symmetries] == [names]
    assert reduced.states == states
    assert reduced.unreduced == every.states
    assert not list(differing(every, reduced))


def test_philosophers_rotate() -> None:
    """Who has which number does not matter, but who is a neighbour."""
    reduced = petri.load("dining_philosophers").solve()
    assert reduced.symmetries[0].rotates
    assert (reduced.states, reduced.unreduced) == (62, 302)


@pytest.mark.parametrize(
    ("change", "by"),
    [
        ("Id = all", "Id = 1, 2, 2, 3, 3, 3, 4, 4, 4, 4"),
        ("after exp(2)", "after exp(i)"),
        ("takes exp(1)", "takes exp(1) when i > 2"),
        ("left(i) -> ready(i) ", "left(i) -> ready(1) "),
    ],
)
def test_what_is_not_symmetric_is_reduced_less(change: str, by: str) -> None:
    assert change in JOBS
    model = petri.loads(JOBS.replace(change, by))
    found = symmetries(model.net, range(len(model.net.probes))).of_values
    assert all(len(one.values) < 4 or not one.keeps_start for one in found), found
