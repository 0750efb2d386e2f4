"""What a search has found, and every value that it tried on the way."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from petri.display import Shown
from petri.experiment.design.sampling import Value, Values
from petri.experiment.results.outcome import Outcome
from petri.experiment.results.summary import PointOutcome
from petri.experiment.threshold.condition import Condition
from petri.measure.trend import Drift
from petri.result.export import interval_dict

Status = Literal["found", "fails at the start", "holds to the end", "unfinished"]


@dataclass(frozen=True)
class Trial:
    """One value of the parameter. error: the greatest probability that `holds` is wrong.

    certain: the error is as small as it was to be. grows: the place because of which the value counts as failing.
    """

    value: Value
    point: PointOutcome = field(repr=False)
    holds: bool
    error: float
    certain: bool
    grows: Drift | None = None

    @property
    def replications(self) -> int:
        return len(self.point.rows)

    def to_dict(self) -> dict[str, Any]:
        grows = self.grows
        return {
            "value": self.value,
            "holds": self.holds,
            "error": self.error,
            "certain": self.certain,
            "grows": None if grows is None else {"place": grows.name, "early": grows.early, "late": grows.late},
            "replications": self.replications,
            "seed": self.point.seed,
            "net_hash": self.point.net_hash,
            "measures": {name: interval_dict(interval) for name, interval in self.point.intervals.items()},
            "unsettled": self.point.unsettled_to_list(),
        }


@dataclass(frozen=True)
class Found:
    """The search at one point: the values tried, from the first end of the range to the other.

    last: the last at which the condition holds, None if it fails at the first; next: the first at which it fails.
    """

    parameters: Values
    trials: tuple[Trial, ...]
    last: Trial | None
    next: Trial | None
    status: Status

    @property
    def value(self) -> Value | None:
        """What was searched for; None if there is no such value, or if it was not reached."""
        return self.last.value if self.last is not None and self.status in ("found", "holds to the end") else None

    @property
    def probability(self) -> float:
        """The answer is right with at least this probability (Bonferroni over the values tried)."""
        return max(0.0, 1.0 - sum(trial.error for trial in self.trials))

    @property
    def certain(self) -> bool:
        """Whether every decision on the way is as certain as it was to be."""
        return all(trial.certain for trial in self.trials)

    @property
    def replications(self) -> int:
        return sum(trial.replications for trial in self.trials)

    def interval(self, name: str) -> Any:
        """Return a measure at the value found, with its interval. Raises KeyError if there is none."""
        if self.last is None:
            raise KeyError(f"no value was found at which there is a `{name}`")
        return self.last.point.interval(name)

    def to_dict(self) -> dict[str, Any]:
        return {
            "parameters": dict(self.parameters),
            "status": self.status,
            "value": self.value,
            "fails_at": None if self.next is None else self.next.value,
            "probability": self.probability if self.status == "found" else None,
            "certain": self.certain,
            "replications": self.replications,
            "tried": [trial.to_dict() for trial in self.trials],
        }


@dataclass(frozen=True, repr=False)
class SearchOutcome(Shown):
    """A search. `found` has an entry for each point; `outcome` all values tried, as of a sweep."""

    find: str
    condition: Condition
    confidence: float
    found: tuple[Found, ...]
    outcome: Outcome
    interrupted: bool = False
    down: bool = False  # the range runs from its greater end to its smaller one

    @property
    def value(self) -> Value | None:
        """The value that was found, of a search at one point. Raises ValueError if there are more."""
        if len(self.found) != 1:
            raise ValueError(f"the search has {len(self.found)} points: see `found`")
        return self.found[0].value

    @property
    def done(self) -> bool:
        return all(one.status == "found" for one in self.found)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as JSON types."""
        return {
            "title": self.outcome.title,
            "net": self.outcome.net.name,
            "time_unit": self.outcome.net.time_unit,
            "find": self.find,
            "while": self.condition.text,
            "confidence": self.confidence,
            "identity": dict(self.outcome.identity),
            "interrupted": self.interrupted,
            "found": [one.to_dict() for one in self.found],
        }

    def to_pandas(self) -> Any:
        """Return every replication of every value tried, as `Outcome.to_pandas` has it."""
        return self.outcome.to_pandas()
