"""What a run is to do: the options as a user gives them, and the plan that is made of them once."""

from __future__ import annotations

from typing import Literal, TypedDict

from petri.engine.interface import Limits
from petri.structs import Frozen

Ending = Literal["until", "dead", "firings", "error", "interrupted"]


class RunOptions(TypedDict, total=False):
    """The options of a run. An option that is missing or None has the value of the net's `run` line.

    until, warmup: in the net's time unit, or text with a unit ("20 ms"); "dead" or inf runs until no transition
    can fire. seed, replications: integers; replication i of a seed is the same in every run. engine: "native",
    "reference", or "auto" for the native one if it is built. max_firings: the limit of a replication, which then stops.
    occupancy: also record how long each place holds how many tokens, for `Result.occupancy`. save_at: an instant, at
    whose end the state of each replication is saved, for `Result.saved`.
    """

    until: float | str | None
    warmup: float | str | None
    seed: int | None
    replications: int | None
    engine: str
    limits: Limits
    max_firings: int | None
    occupancy: bool
    save_at: float | str | None


class Plan(Frozen):
    """The plan of each replication. Times are in the net's unit; `until` may be inf."""

    until: float
    warmup: float = 0.0
    seed: int = 1
    engine: str = "native"
    limits: Limits = Limits()
    firings: int | None = None  # a safety stop, not part of the model
    trace: bool = False
    occupancy: bool = False  # record how long each place holds how many tokens
    save_at: float | None = None  # when the state of each replication is saved
    start: float = 0.0  # when the saved run stood from which this one goes on
