"""How much of a validation is done, and how long the rest takes, from the usual processor times of its experiments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

FIRST_BELIEF: Final = 0.05  # how much work, as a share of all, this machine must do until its own speed counts as much


class Estimate:
    """Experiments that run one after the other.

    usual: the processor seconds of each; None if they are unknown, which then counts as the mean of the others.
    workers: how many processors share the work. The usual times are those of another machine, so the speed of this one
    replaces them gradually, as work is done. What is read from stores counts as done, but says nothing of the speed.
    """

    def __init__(self, usual: Sequence[float | None], workers: int) -> None:
        known = [one for one in usual if one is not None]
        typical = sum(known) / len(known) if known else 1.0
        self._work = [typical if one is None else one for one in usual]
        self._belief = sum(self._work) * FIRST_BELIEF if known else 0.0
        self._usual_speed = 1.0 / max(workers, 1)  # seconds for a second of work
        self._worked = self._passed = 0.0  # by this process, in experiments that are over
        self._worked_now = self._passed_now = self._share_now = 0.0
        self.position = -1

    def begin(self) -> None:
        """Start the next experiment; the one before it is over."""
        self._worked += self._worked_now
        self._passed += self._passed_now
        self._worked_now = self._passed_now = self._share_now = 0.0
        self.position += 1

    def look(self, share: float, here: float, seconds: float) -> None:
        """Say what is done of the current experiment: the share, that of this process, and its seconds for it."""
        self._share_now = min(share, 1.0)
        self._worked_now = self._work[self.position] * here
        self._passed_now = seconds if here else 0.0

    @property
    def rest(self) -> float:
        """The work that is left, in usual processor seconds."""
        position = max(self.position, 0)
        return self._work[position] * (1.0 - self._share_now) + sum(self._work[position + 1 :])

    @property
    def left(self) -> float | None:
        """Seconds until all is done; None while nothing is known."""
        worked = self._belief + self._worked + self._worked_now
        passed = self._belief * self._usual_speed + self._passed + self._passed_now
        return self.rest * passed / worked if worked else None
