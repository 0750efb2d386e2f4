"""Nets built by hand, for the tests of what people see."""

from __future__ import annotations

from petri.net import (
    Colour,
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

SEQUENCE = Slot("seq")
SIZE = Slot("size", "real", dimension="Bytes")
PACKET = Colour("Packet", (SEQUENCE, SIZE))
BINDS_PACKET = (Match(bind=0), Match(bind=1))
PACKET_VARIABLES = (Variable("p.seq", "int"), Variable("p.size", "real", dimension="Bytes"))
PACKET_VALUES = (Expr("var", "int", value=0), Expr("var", "real", value=1))


def real(value: float) -> Expr:
    return Expr("const", "real", value=value)


def integer(value: int) -> Expr:
    return Expr("const", "int", value=value)


def exponential(mean: float) -> Expr:
    return Expr("exp", "real", (real(mean),))


def packet_path(engines: int = 8) -> Net:
    """Packets come, are taken by one of several engines, and leave on a line; time in ns."""
    places = [
        Place("source", Colour("int", (Slot(),)), initial=((1, (0,)),), doc="number of the next packet"),
        Place("wire", PACKET, "fifo"),
        Place("rbuf", PACKET, "fifo", capacity=64),
        Place("tbuf", PACKET, "key", key=Expr("var", "int", value=0)),
        Place("mac", initial=((1, ()),)),
        Place("credit", initial=((12, ()),)),
        Place("halt"),
    ]
    number = Variable("n", "int")
    transitions = [
        Transition(
            "arrive",
            (number,),
            (InputArc(0, (Match(bind=0),)),),
            time=exponential(213.0),
            outputs=(
                OutputArc((0,), (Expr("add", "int", (Expr("var", "int", value=0), integer(1))),)),
                OutputArc((1,), (Expr("var", "int", value=0), real(64.0))),
            ),
        ),
        Transition(
            "accept",
            PACKET_VARIABLES,
            (InputArc(1, BINDS_PACKET), InputArc(5, count=integer(2))),
            outputs=(OutputArc((2,), PACKET_VALUES),),
            priority=1,
        ),
        Transition(
            "drop",
            PACKET_VARIABLES,
            (InputArc(1, BINDS_PACKET),),
            guard=Expr("gt", "bool", (Expr("var", "real", value=1), real(1518.0))),
        ),
        Transition(
            "send",
            PACKET_VARIABLES,
            (InputArc(3, BINDS_PACKET), InputArc(4)),
            (InhibitorArc(6),),
            time=Expr("div", "real", (Expr("var", "real", value=1), real(0.3125))),
            outputs=(OutputArc((4,)), OutputArc((5,), count=integer(2))),
        ),
    ]
    for engine in range(engines):
        alu = len(places)
        places += [Place(f"engine[{engine}].alu", initial=((1, ()),)), Place(f"engine[{engine}].job", PACKET)]
        transitions += [
            Transition(
                f"engine[{engine}].begin",
                PACKET_VARIABLES,
                (InputArc(2, BINDS_PACKET), InputArc(alu)),
                time=exponential(200.0),
                outputs=(OutputArc((alu + 1,), PACKET_VALUES), OutputArc((alu,))),
            ),
            Transition(
                f"engine[{engine}].finish",
                PACKET_VARIABLES,
                (InputArc(alu + 1, BINDS_PACKET), InputArc(alu), InputArc(5, keep=True)),
                time=real(66.7),
                outputs=(OutputArc((3,), PACKET_VALUES), OutputArc((alu,))),
            ),
        ]
    return Net("packet_path", tuple(places), tuple(transitions), time_unit="ns", seconds=1e-9)
