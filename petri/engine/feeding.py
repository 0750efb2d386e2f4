"""Lets the reference engine run on, and feeds its streams meanwhile (S6)."""

from __future__ import annotations

from petri.engine.interface import Reason, RowSource
from petri.engine.reference import Engine


def advance(engine: Engine, rows: RowSource | None, until: float, firings: int) -> Reason:
    """As `engine.advance`, but the next rows are fed as they are wanted. `rows` is None only of a net without streams.

    Raises LanguageError for rows that cannot be read.
    """
    last = engine.firings + firings
    while (reason := engine.advance(until, last - engine.firings)) == "input":
        assert rows is not None
        assert engine.wanted is not None
        engine.feed(engine.wanted, rows.tokens(engine.wanted))
    return reason
