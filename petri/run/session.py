"""Starts a replication on either engine."""

from __future__ import annotations

from collections.abc import Sequence

from petri.engine.checkpoint import SavedEngine
from petri.engine.interface import Asked, Limits, RowSource, Session
from petri.engine.native import NativeSession
from petri.engine.reference_session import ReferenceSession
from petri.net import Net
from petri.run.plan import Plan
from petri.run.stop import StopSign
from petri.traffic import Recordings


def begin(
    net: Net,
    engine: str,
    seed: int,
    replication: int,
    *,
    limits: Limits = Limits(),
    trace: bool = False,
    levels: bool = False,
    block: int | None = None,
    stop: StopSign | None = None,
    start: SavedEngine | None = None,
) -> Session:
    """Return a session at time 0, or, of the native engine, in the state `start` of this net.

    engine: "native" or "reference". Raises ImportError if the native one is missing.
    block: rows of a stream read at a time; it does not affect results. stop: ends a long search for bindings. Raises
    LanguageError if a stream of the net cannot be read.
    """
    rows = row_source(net, block, start.rows if start is not None else ())
    if engine == "reference":
        stopped = None if stop is None else stop.is_set
        assert start is None
        return ReferenceSession(net, seed, replication, limits, Asked(trace, levels), rows, stopped)

    flag = None if stop is None else stop.native
    return NativeSession(net, seed, replication, limits, Asked(trace, levels), rows, flag, start)


def begin_planned(
    net: Net, plan: Plan, replication: int, stop: StopSign | None = None, start: SavedEngine | None = None
) -> Session:
    """Return the session of a replication as its plan has it. Raises as `begin` does."""
    return begin(
        net,
        plan.engine,
        plan.seed,
        replication,
        limits=plan.limits,
        trace=plan.trace,
        levels=plan.occupancy,
        stop=stop,
        start=start,
    )


def row_source(net: Net, block: int | None = None, arrived: Sequence[int] = ()) -> RowSource | None:
    """Return the rows of the streams for one replication; None of a net without streams. See `begin`.

    arrived: of each stream, the rows to leave out, which have arrived already.
    """
    if all(place.stream is None for place in net.places):
        return None
    return Recordings(net, block, arrived)
