"""What tuning is asked: which parameters vary, and what is to be least, greatest or as measured."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from petri.experiment.design.options import option
from petri.experiment.design.sampling import Value
from petri.experiment.design.study import Study
from petri.experiment.threshold.condition import condition_names

Range = str | Sequence[Value]
"""A range or a list as a text, or the values themselves."""


def _check_condition(tuning: Tuning) -> None:
    if tuning.where:
        condition_names(tuning.where)


@dataclass(frozen=True, kw_only=True)
class Tuning(Study):
    """The parameters that vary, and what is to be least or greatest, or as measured.

    over: ranges by parameter, such as "1..64", "1..10 Gbps" or "gold,silver". least, greatest: figures; of two, the
    front is found. where: a condition such as "loss < 1%". match: instead, a file of measured figures. trials:
    settings that are proposed; None: `TRIALS`, or an eighth of all that there are. within: a difference that does not
    matter, as a share. max_replications: of a setting. solve: whether figures are exact where that is possible.
    """

    key = "tune"
    missing = "tune-missing"
    no_meaning: ClassVar[Mapping[str, str]] = {
        **dict.fromkeys(("grid", "points", "sample", "cases"), "`over` says what varies"),
        **dict.fromkeys(("replications", "precision", "best"), "a setting is replicated until it is decided"),
        "measures": "`least`, `greatest`, `where` and `match` name the figures",
        "expected": "no point of an experiment is run",
        "parts": "no point of an experiment is run",
    }

    over: Mapping[str, Range] | None = option(
        "ranges", "over", "{buffer: 1..64, kind: [gold, silver]}", "NAME=VALUES",
        "What varies: 'n=1..64', 'rate=1..10 Gbps', 'kind=a,b'. May be repeated.", default=None
    )  # fmt: skip
    least: Sequence[str] | str = option(
        "figures", "least", "cost", "FIGURE", "The figure that is to be least. Of two, the front.", default=()
    )
    greatest: Sequence[str] | str = option(
        "figures", "greatest", "throughput", "FIGURE", "The same for the greatest.", default=()
    )
    where: str = option(
        "text", "where", "loss < 1%", "CONDITION", "What must hold: 'loss < 1% and wait.p99 < 9 us'.", default="",
        refuses=_check_condition,
    )  # fmt: skip
    match: str | None = option(
        "file", "match", "measured.csv", "FILE.csv", "Instead: find the parameters at which figures are as measured.",
        default=None,
    )  # fmt: skip
    trials: int | None = option(
        "count", "trials", "60", "N", "Settings that are proposed.  [default: 60, or an eighth of all]", default=None
    )
    within: float = option(
        "tolerance", "within", "1%", "SHARE", "A difference that does not matter.  [default: 1%]", default=0.01
    )
    max_replications: int = option(
        "count", "max-replications", "256", "N", "Limit for a setting.  [default: 256]", default=256
    )
    solve: bool = option(
        "switch", "solve", "false", None, "Run replications also where there is an exact solution.", default=True,
        flag="--simulate",
    )  # fmt: skip

    @property
    def aims(self) -> dict[str, float]:
        """The figures that are wanted, with 1 for the least and -1 for the greatest."""
        return {**dict.fromkeys(_listed(self.least), 1.0), **dict.fromkeys(_listed(self.greatest), -1.0)}

    @property
    def figures(self) -> list[str]:
        """All figures that decide."""
        return list(dict.fromkeys([*self.aims, *(condition_names(self.where) if self.where else ())]))


def _listed(names: Sequence[str] | str) -> Sequence[str]:
    return [names] if isinstance(names, str) else names
