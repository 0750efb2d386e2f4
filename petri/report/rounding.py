"""What is said of a run whose constant times are rounded to ticks."""

from __future__ import annotations

from typing import Final

from petri.diagnostics import Diagnostic, Severity, Value
from petri.net import Net

NEGLIGIBLE: Final = 1.0
"""Below this error [ppm], which few clocks keep themselves, it is a note and no warning."""


def rounding(net: Net) -> Diagnostic | None:
    """Which times are rounded, and by how much: a warning or a note; None if the tick divides all of them."""
    if not net.inexact:
        return None
    worst_first = sorted(net.inexact, key=lambda one: -abs(one.ppm))
    times = [f"{_length(one.time, net)} ({one.ppm:+.3g} ppm)" for one in worst_first]
    severity: Severity = "warning" if abs(worst_first[0].ppm) >= NEGLIGIBLE else "note"
    values: dict[str, Value] = {"tick": _length(net.tick.time(1.0), net), "times": tuple(times)}
    return Diagnostic("rounded-times", values=values, severity=severity)


def _length(time: float, net: Net) -> str:
    return f"{time:.10g} {net.time_unit}".strip()
