"""Intervals of time, which have no probabilities, as times: uniform between two bounds, exponential without an end."""

from __future__ import annotations

from petri.interchange.reading.foreign import Foreign
from petri.interchange.reading.infix import as_real, number_text
from petri.net import Span

UNTIMED = {"after": "exp(1)"}


class Intervals:
    """The times of a net's transitions. `tell` says once that some have no interval, or one of some length."""

    def __init__(self, foreign: Foreign) -> None:
        self.foreign = foreign
        self.untimed: Span | None = None
        self.guessed: Span | None = None

    def without(self, span: Span) -> dict[str, str]:
        """Return the time of a transition without an interval."""
        self.untimed = self.untimed or span
        return dict(UNTIMED)

    def within(self, low: str, high: str, closed: bool, span: Span) -> dict[str, str]:
        """Return a time between two numbers; high: empty if there is no end. closed: both bounds belong to it."""
        low, high = number_text(low), number_text(high) if high else ""
        if low == high and closed:
            return {} if float(low) == 0 else {"after": low}
        self.guessed = self.guessed or span
        if not high:
            return {"after": "exp(1)" if float(low) == 0 else f"{low} + exp(1)"}
        if float(high) <= float(low):
            self.foreign.refuse("foreign-line", span, text=f"{low},{high}")
        return {"after": f"uniform({as_real(low)}..{as_real(high)})"}

    def tell(self) -> None:
        if self.untimed is not None:
            self.foreign.note("foreign-untimed", self.untimed, origin=self.foreign.origin)
        if self.guessed is not None:
            self.foreign.warn("foreign-intervals", self.guessed)
