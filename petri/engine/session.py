"""Starts a replication on either engine."""

from __future__ import annotations

from petri.engine.interface import Asked, Limits, RowSource, Session
from petri.net import Net


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
) -> Session:
    """A session at time 0. `engine` is "native" or "reference". Raises ImportError if the native one is missing.

    block: rows of a stream read at a time; it does not affect results. Raises LanguageError if a stream of the net
    cannot be read.
    """
    rows: RowSource | None = None
    if any(place.stream is not None for place in net.places):
        from petri.traffic import Recordings

        rows = Recordings(net, block)
    if engine == "reference":
        from petri.engine.reference_session import ReferenceSession

        return ReferenceSession(net, seed, replication, limits, Asked(trace, levels), rows)
    from petri.engine.native import NativeSession

    return NativeSession(net, seed, replication, limits, Asked(trace, levels), rows)
