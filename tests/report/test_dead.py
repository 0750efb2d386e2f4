"""Why a net is dead."""

from __future__ import annotations

import pytest

import petri
from petri.analysis.dead import why_dead
from petri.net import Colour, Expr, InhibitorArc, InputArc, Match, Net, OutputArc, Place, Slot, Transition, Variable
from petri.report.telling.lacks import reasons

from .samples import integer

NUMBER = Colour("int", (Slot(),))
N = (Variable("n", "int"),)
BINDS = (Match(bind=0),)


def reason(place: Place, transition: Transition, *more: Place) -> str | None:
    """Return the only transition's lack, in the initial marking."""
    net = Net("n", (place, *more), (transition,))
    marking = [[token for count, token in p.initial for _ in range(count)] for p in net.places]
    lacks = why_dead(net, marking)
    assert len(lacks) <= 1
    return reasons(net, lacks)[0].text if lacks else None


def test_black_tokens() -> None:
    one = Transition("t", inputs=(InputArc(0),))
    three = Transition("t", inputs=(InputArc(0, count=integer(3)),))
    twice = Transition("t", inputs=(InputArc(0), InputArc(0)))
    held = Place("p", initial=((1, ()),))
    assert reason(Place("p"), one) == "needs a token in p, which is empty"
    assert reason(held, three) == "needs 3 tokens in p, which holds 1"
    assert reason(held, twice) == "needs 2 tokens in p, which holds 1"
    assert reason(held, one) is None


def test_coloured_tokens() -> None:
    seven = Transition("t", inputs=(InputArc(0, (Match(equal=integer(7)),)),))
    values = ((1, (5,)), (1, (6,)))
    assert reason(Place("p", NUMBER), seven) == "needs a token in p, which is empty"
    assert reason(Place("p", NUMBER, initial=values), seven) == "needs a token (7) in p: none of its 2 tokens matches"
    assert (
        reason(Place("p", NUMBER, "fifo", initial=values), seven)
        == "needs a token (7) in p: its oldest token does not match"
    )
    assert reason(Place("p", NUMBER, initial=((1, (7,)),)), seven) is None


def test_a_second_arc_that_depends_on_the_first() -> None:
    transition = Transition("t", N, (InputArc(0, BINDS), InputArc(1, (Match(equal=Expr("var", "int", value=0)),))))
    place = Place("p", NUMBER, initial=((1, (5,)), (1, (6,))))
    assert reason(place, transition, Place("q", NUMBER, initial=((1, (4,)),))) == (
        "needs a token (n) in q: its token does not match"
    )
    assert reason(place, transition, Place("q", NUMBER, initial=((1, (6,)),))) is None


def test_inhibitor_guard_and_capacity() -> None:
    take = InputArc(0, BINDS)
    held = Place("p", NUMBER, initial=((1, (5,)),))
    full = Place("full", initial=((2, ()),), capacity=2)
    inhibited = Transition("t", N, (take,), (InhibitorArc(1, threshold=integer(2)),))
    assert reason(held, inhibited, full) == "needs fewer than 2 tokens in full, which holds 2"
    guard = Expr("gt", "bool", (Expr("var", "int", value=0), integer(9)))
    assert reason(held, Transition("t", N, (take,), guard=guard)) == "its guard `n > 9` is false"
    assert reason(held, Transition("t", N, (take,), outputs=(OutputArc((1,)),)), full) == "needs room in full (cap 2)"


def test_alike_elements_are_told_once() -> None:
    places = tuple(Place(f"p[{i}]") for i in range(5))
    transitions = tuple(Transition(f"t[{i}]", inputs=(InputArc(i),)) for i in range(5))
    net = Net("n", places, transitions)
    marking: list[list[tuple[int | float, ...]]] = [[] for _ in places]
    (told,) = reasons(net, why_dead(net, marking))
    assert (told.transition, told.text, told.copies) == ("t[*]", "needs a token in p[*], which is empty", 5)
    assert len(reasons(net, why_dead(net, marking), fold=False)) == 5
    marking[2].append(())
    assert reasons(net, why_dead(net, marking))[0].copies == 4


@pytest.mark.parametrize("guard", ["x.born < 1 us", "x.rate > 250 kHz"])
def test_times_in_tokens_are_those_of_the_net(guard: str) -> None:
    """The engine keeps them in ticks, of which 2.5 us has many."""
    text = f"""net dead
    time us
    place start = token
    place q : {{ born: Time, rate: Freq }}
    transition put: start -> q({{born: end, rate: 1 / (8 us)}})  takes 2.5 us
    transition get: q(x) -> nothing  when {guard}
    run until dead
    """
    model = petri.loads(text)
    (ran,) = model.run(engine="reference").replications
    told = reasons(model.net, why_dead(model.net, ran.marking.in_ticks()))
    assert [(one.transition, one.text) for one in told] == [
        ("put", "needs a token in start, which is empty"),
        ("get", f"its guard `{guard}` is false"),
    ]
