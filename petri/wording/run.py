"""Run-time errors (rules X1 to X4): what stopped a running model."""

from __future__ import annotations

from petri.wording.entry import Wording

STORY = ("at time {time}, as transition `{transition}` was to fire", "with {binding}")


def stopped(message: str, *hints: str) -> Wording:
    """A failure of one firing: the notes tell its time, transition and binding."""
    return Wording(message, *hints, notes=STORY)


WORDING: dict[str, Wording] = {}
