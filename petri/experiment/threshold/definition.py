"""The definition of a search: which parameter, where, and the condition that is to hold."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from petri.experiment.design.options import option
from petri.experiment.design.study import Study
from petri.experiment.threshold.condition import condition_names
from petri.experiment.threshold.ladder import Ladder, make_ladder


@dataclass(frozen=True, kw_only=True)
class Bisected(Study):
    """The options of each study that searches for the last value at which a condition holds.

    runs: also the points (a search for each). between: "0.5..1",
    "1..5 Gbps", "64..1518 step 64", or a pair of numbers; the condition must hold at the first end and not at the
    other, and change once. condition: "loss == 0", "loss <= 1% and delay.p99 < 10 us". resolution: "1%" of the greater
    end, or a length in the parameter's unit. confidence: the probability that the answer is right. max_replications: of
    a value, after which the estimate decides. growth: whether a place that still grows at the end of the runs counts as
    if the condition failed: a longer run would lose what these only pile up.
    """

    no_meaning: ClassVar[Mapping[str, str]] = {
        "precision": "it replicates until a value is decided",
        "expected": "no point of an experiment is run",
        "best": "no point of an experiment is run",
    }
    between: Any
    condition: str
    resolution: Any = option(
        "free", "resolution", "1%", "STEP", "How fine: a share of the greater end, or a length.  [default: 1%]",
        default=None,
    )  # fmt: skip
    confidence: float = option(
        "share", "confidence", "95%", "SHARE", "Probability that the answer is right.  [default: 95%]", default=0.95
    )
    max_replications: int = option(
        "count", "max-replications", "100", "N", "Limit for each value that is tried.  [default: 100]", default=100
    )
    growth: bool = option(
        "switch", "growth-check", "false", None, "Accept a value although a place still grows when its runs end.",
        default=True, flag="--no-growth-check",
    )  # fmt: skip

    def ladder(self, *, whole: bool = False) -> Ladder:
        """Return the values that are tried. whole: the parameter takes only whole numbers. Raises ExperimentError."""
        return make_ladder(self.between, self.resolution, whole=whole)


def check_condition(study: Bisected) -> None:
    """Raise ExperimentError for a condition that cannot be read."""
    if study.condition:
        condition_names(study.condition)


@dataclass(frozen=True, kw_only=True)
class Search(Bisected):
    """The last value of `find`, on the way from one end of `between` to the other, at which `condition` holds.

    The other options are those of `Bisected`.
    """

    key = "search"
    missing = "search-of-sweep"
    no_meaning: ClassVar = {"replications": "it replicates until a value is decided", **Bisected.no_meaning}

    find: str = option("text", "find", "load", "NAME", "The parameter that is varied.")
    between: Any = option(
        "free", "in", "0.5..1", "FROM..TO", "Its range: the condition holds at FROM and not at TO.",
        refuses=Bisected.ladder,
    )  # fmt: skip
    condition: str = option(
        "text", "while", "loss == 0", "CONDITION", "What must hold: 'loss == 0', 'loss <= 1% and wait < 9'.",
        refuses=check_condition,
    )  # fmt: skip
