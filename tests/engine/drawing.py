"""Nets that only evaluate an expression, and runs of them on both engines."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

import petri
from petri.engine.interface import Session
from petri.net import Draw, Expr, Kind, Net, Scalar, Table
from petri.run.session import begin
from petri.structs import replace

LEAST: Final = 5e-324
"""The smallest number above 0."""


def constant(value: Scalar) -> Expr:
    kind: Kind = "bool" if isinstance(value, bool) else "int" if isinstance(value, int) else "real"
    return Expr("const", kind, (), value)


def of_constants(operation: str, kind: Kind, *values: Scalar) -> Expr:
    return Expr(operation, kind, tuple(map(constant, values)))


def drawing(drawn: Expr, draws: int = 1, tables: Sequence[Table] = ()) -> Net:
    """Return a net whose firings take 1 and evaluate an expression `draws` times."""
    bare = "uniform(0..1)" if drawn.kind == "int" else "uniform(0.0..1.0)"
    given = ", ".join(f"x{number} ~ {bare}" for number in range(draws))
    net = petri.loads(f"net drawing  place a = token  transition t: a -> a  draw {given}  takes 1").net
    [t] = net.transitions
    t = replace(t, draws=tuple(Draw(draw.variable, drawn) for draw in t.draws))
    return replace(net, transitions=(t,), tables=tuple(tables))


def both(net: Net, firings: int) -> list[Session]:
    """Return the net after so many firings, on the reference engine and on the native one."""
    sessions = [begin(net, engine, 5, 0, trace=True) for engine in ("reference", "native")]
    for session in sessions:
        session.advance(math.inf, firings)
    return sessions
