"""What a run is to do: the options as a user gives them, and the plan that is made of them once."""

from __future__ import annotations

from typing import Literal, TypedDict

from petri.engine.interface import Limits
from petri.structs import Frozen

Ending = Literal["until", "dead", "firings", "error", "interrupted"]


class RunOptions(TypedDict, total=False):
    """What may be asked of a run. What is left out, or None, is as the net's `run` line has it.

    until, warmup: in the net's time unit, or text with a unit ("20 ms"); "dead" or inf runs until nothing can happen
    any more. seed, replications: whole numbers; replication i of a seed is the same in every run. engine: "native",
    "reference", or "auto" for the native one where it is built. max_firings: of a replication, which then stops.
    occupancy: also keep how long each place holds how many tokens, for `Result.occupancy`.
    """

    until: float | str | None
    warmup: float | str | None
    seed: int | None
    replications: int | None
    engine: str
    limits: Limits
    max_firings: int | None
    occupancy: bool


class Plan(Frozen):
    """What each replication is to do. Times are in the net's unit; `until` may be inf."""

    until: float
    warmup: float = 0.0
    seed: int = 1
    engine: str = "native"
    limits: Limits = Limits()
    firings: int | None = None  # a safety stop, not part of the model
    trace: bool = False
    occupancy: bool = False  # keep how long each place holds how many tokens
