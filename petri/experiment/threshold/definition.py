"""The definition of a search: which parameter, where, and the condition that is to hold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from petri.experiment.design.definition import Definition

CONFIDENCE: Final = 0.95
MOST_REPLICATIONS: Final = 100  # for each value that is tried


@dataclass(frozen=True)
class Search:
    """The last value of `find`, on the way from one end of `between` to the other, at which `condition` holds.

    runs: the net, what is fixed, how long a run is, and the points (a search for each). between: "0.5..1",
    "1..5 Gbps", "64..1518 step 64", or a pair of numbers; the condition must hold at the first end and not at the
    other, and change once. condition: "loss == 0", "loss <= 1% and delay.p99 < 10 us". resolution: "1%" of the greater
    end, or a length in the parameter's unit. confidence: the probability that the answer is right. most: replications
    of a value, after which the estimate decides. growth: whether a place that still grows at the end of the runs counts
    as if the condition failed: a longer run would lose what these only pile up.
    """

    runs: Definition
    find: str
    between: Any
    condition: str
    resolution: Any = None
    confidence: float = CONFIDENCE
    most: int = MOST_REPLICATIONS
    growth: bool = True
