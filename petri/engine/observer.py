"""What follows a replication on the reference engine."""

from __future__ import annotations

from collections.abc import Sequence

from petri.engine.clocks import Settled
from petri.net import Scalar, Token


class Observer:
    """Receives every event that a statistic may need; by itself it does nothing with them."""

    def changed(self, place: int, size: int, now: float) -> None:
        """The place holds `size` tokens from now on."""

    def arrived(self, place: int, token: Token, now: float) -> None:
        """A firing deposited a token."""

    def left(self, place: int, token: Token, now: float) -> None:
        """A firing took a token; `changed` follows. Where a place is emptied, only `changed` is called."""

    def started(self, transition: int, variables: Sequence[Scalar], now: float, end: float) -> None:
        """A firing starts; its tokens are still in their places."""

    def ended(self, transition: int, now: float) -> None:
        """A firing ended."""

    def over(self, now: float) -> None:
        """Nothing is left to fire at an instant at which something has happened (M6)."""

    def settled(self, transition: int, running: int, changes: Settled, now: float) -> None:
        """An instant is over, and from now on that many clocks of the transition run (C2)."""
