"""Nets with published numbers of states, arcs, and throughputs, written as flat nets."""

from __future__ import annotations

from collections.abc import Sequence

from petri.net import Clock, Expr, InputArc, Net, OutputArc, Place, Transition
from petri.ticks import Tick

TICKS = 2**32  # of a time unit


class Written:
    """A net of black tokens in the making."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.places: dict[str, Place] = {}
        self.transitions: list[Transition] = []

    def place(self, name: str, tokens: int = 0) -> None:
        self.places[name] = Place(name, initial=((tokens, ()),) if tokens else ())

    def after(self, name: str, rate: float, takes: Sequence[str], gives: Sequence[str]) -> None:
        """Add a transition that fires at this rate while it can."""
        number = list(self.places).index
        mean = Expr("const", "real", value=TICKS / rate)
        inputs = tuple(InputArc(number(place)) for place in takes)
        outputs = tuple(OutputArc((number(place),)) for place in gives)
        clock = Clock(Expr("exp", "real", (mean,)))
        self.transitions.append(Transition(name, inputs=inputs, outputs=outputs, clock=clock))

    def net(self) -> Net:
        return Net(self.name, tuple(self.places.values()), tuple(self.transitions), tick=Tick(1, TICKS))


def kanban(cards: int) -> Net:
    """Four cells, each with so many cards (Ciardo & Tilgner 1996). Parts enter by `enter`."""
    of = Written("kanban")
    for cell in range(4):
        of.place(f"cards{cell}", cards)
        for place in ("work", "rework", "done"):
            of.place(f"{place}{cell}")
    of.after("enter", 1.0, ["cards0"], ["work0"])
    for cell, (fails, succeeds) in enumerate([(0.36, 0.84), (0.42, 0.98), (0.39, 0.91), (0.33, 0.77)]):
        of.after(f"fail{cell}", fails, [f"work{cell}"], [f"rework{cell}"])
        of.after(f"succeed{cell}", succeeds, [f"work{cell}"], [f"done{cell}"])
        of.after(f"again{cell}", 0.3, [f"rework{cell}"], [f"work{cell}"])
    of.after("fork", 0.4, ["done0", "cards1", "cards2"], ["cards0", "work1", "work2"])
    of.after("join", 0.5, ["done1", "done2", "cards3"], ["cards1", "cards2", "work3"])
    of.after("leave", 0.9, ["done3"], ["cards3"])
    return of.net()


def philosophers(number: int) -> Net:
    """Return philosophers: each takes one fork and then the other, gives both back at once, or thinks on (MCC,
    Philosophers).
    """
    of = Written("philosophers")
    for i in range(number):
        of.place(f"think{i}", 1)
        of.place(f"fork{i}", 1)
        for place in ("left", "right", "eat"):
            of.place(f"{place}{i}")
    for i in range(number):
        own, other = f"fork{i}", f"fork{(i + 1) % number}"
        of.after(f"take_left{i}", 1.0, [f"think{i}", own], [f"left{i}"])
        of.after(f"take_right{i}", 1.0, [f"think{i}", other], [f"right{i}"])
        of.after(f"then_right{i}", 1.0, [f"left{i}", other], [f"eat{i}"])
        of.after(f"then_left{i}", 1.0, [f"right{i}", own], [f"eat{i}"])
        of.after(f"stop{i}", 1.0, [f"eat{i}"], [f"think{i}", own, other])
    return of.net()
