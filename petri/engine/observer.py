"""What follows a replication on the reference engine."""

from __future__ import annotations

from collections.abc import Sequence

from petri.engine.clocks import Settled
from petri.net import Scalar, Token


class Observer:
    """Receives every event that a statistic may need; by itself it does nothing with them."""

    def changed(self, place: int, size: int, now: float) -> None:
        """Note that the place holds `size` tokens from now on."""

    def arrived(self, place: int, token: Token, now: float) -> None:
        """Note that a firing deposited a token."""

    def left(self, place: int, token: Token, now: float) -> None:
        """Note that a firing took a token; `changed` follows. Where a place is emptied, only `changed` is called."""

    def started(self, transition: int, variables: Sequence[Scalar], now: float, end: float) -> None:
        """Note that a firing starts; its tokens are still in their places."""

    def ended(self, transition: int, now: float) -> None:
        """Note that a firing ended."""

    def over(self, now: float) -> None:
        """Nothing is left to fire at an instant at which something has happened (M6)."""

    def settled(self, transition: int, running: int, changes: Settled, now: float) -> None:
        """Note that an instant is over, and that from now on that many clocks of the transition run (C2)."""
