"""What is said about figures without an interval: their run was too short, or something else is the matter."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Final

from petri.measure.intervals import Doubt, Interval

LONGEST_EXTENSION: Final = 1000.0
"""Where a run would have to be longer by more than this factor, the note does not say how long."""


def run_length_note(
    longer: Iterable[float],
    begun: float,
    ended: float,
    extensible: bool,
    time: Callable[[float], str],
    moving: str = "",
    replications: int = 1,
) -> str:
    """Return one sentence for all figures shown with `±?`; "" when there are none.

    longer: `Interval.longer` of the figures shown. begun, ended: when the statistics did [net's time unit]. extensible:
    whether the run can be made longer. time: shows a time. moving: a place or measure that has not settled, if any:
    while it grows, no length can be promised.
    """
    factors = [factor for factor in longer if not math.isnan(factor)]
    if not factors:
        return ""
    if moving:
        return (
            f"±?: no 95 % interval, and a longer run may give none: `{moving}` has not settled; "
            "--replications 10 gives one of what settles"
        )
    more = "; --replications 10 gives one" if replications == 1 else ""
    known = sorted({_rounded_up(begun + f * (ended - begun)) for f in factors if f <= LONGEST_EXTENSION})
    if not known or not extensible:
        return f"±?: the run is too short for a 95 % interval{more}"
    run = "a run is" if replications > 1 else "the run is"
    advice = f"±?: {run} too short for a 95 % interval; a run until about {time(known[0])} should give "
    advice += "one" if len(known) == 1 else "the first"
    if len(known) > 1:
        advice += f", until about {time(known[-1])} all of them"
    return f"{advice}, or use --replications 10" if replications == 1 else advice


DOUBTS: Final[dict[Doubt, str]] = {
    "heavy": "±?: an infinite variance, or so it seems: the few greatest values decide, and most runs have too few",
    "unvaried": "±?: the same throughout, so that it has no interval, but not the same in every run",
}


def doubt_notes(shown: Iterable[Interval]) -> list[str]:
    """Return a sentence for each reason why figures that are shown have no interval, besides a run that is too
    short.
    """
    found = {one.doubt for one in shown if one.doubt and math.isnan(one.half_width)}
    return [text for doubt, text in DOUBTS.items() if doubt in found]


def _rounded_up(value: float) -> float:
    """Round to one significant digit: it is a rough estimate."""
    if not value > 0.0:
        return value
    unit = 10.0 ** math.floor(math.log10(value))
    return math.ceil(value / unit * (1.0 - 1e-9)) * unit
