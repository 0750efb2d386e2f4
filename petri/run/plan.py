"""What a run is to do: the options as a user gives them, and the plan that is made of them once."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping
from operator import index
from typing import Final, Literal, TypedDict

from petri.diagnostics import did_you_mean
from petri.engine.interface import Limits
from petri.net import MOST_REPLICATIONS
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


TIMES: Final = ("until", "warmup", "save_at")

# The least that options may be which are whole numbers, and the most: what the native engine counts with.
LEAST: Final = {"seed": 0, "replications": 1, "max_firings": 0}
MOST: Final = 2**63 - 1
MOST_OF: Final = {"seed": math.inf, "replications": MOST_REPLICATIONS}


def check_known(whose: str, options: Iterable[str], known: Collection[str]) -> None:
    """Raise TypeError for an option that a run or a study does not have, with the one that may be meant."""
    for name in options:
        if name not in known:
            meant = did_you_mean(name, known)
            raise TypeError(f"{whose} has no option `{name}`" + (f"; did you mean `{meant}`?" if meant else ""))


def check_options(options: Mapping[str, object]) -> None:
    """Raise TypeError for an option that runs do not have or of a wrong type, ValueError for a number out of range."""
    check_known("a run", options, RunOptions.__annotations__)
    for name, value in options.items():
        if name in TIMES and not (isinstance(value, str | None) or hasattr(value, "__float__")):
            raise TypeError(f"`{name}` is a number, or text with a unit, such as '20 ms', not {value!r}")
        if name in LEAST and value is not None:
            check_whole(name, value, LEAST[name], MOST_OF.get(name, MOST))
    if not isinstance(occupancy := options.get("occupancy", False), bool):
        raise TypeError(f"`occupancy` is True or False, not {occupancy!r}")
    limits = options.get("limits", Limits())
    if not isinstance(limits, Limits):
        raise TypeError(f"`limits` are a `petri.Limits`, not {limits!r}")
    for name in ("firings_at_an_instant", "tokens"):
        check_whole(f"limits.{name}", getattr(limits, name), 1)


def check_whole(name: str, value: object, least: int, most: float = MOST) -> None:
    """Raise TypeError if an argument is not a whole number, ValueError if it is out of range."""
    try:
        number = index(value)  # type: ignore[arg-type]
    except TypeError:
        raise TypeError(f"`{name}` is a whole number, not {value!r}") from None
    if not least <= number <= most:
        bounds = f"at least {least}" if number < least else f"at most {most}"
        raise ValueError(f"`{name}` is {bounds}, not {number}")


def check_function(name: str, value: object) -> None:
    """Raise TypeError if an argument is neither a function nor None."""
    if value is not None and not callable(value):
        raise TypeError(f"`{name}` is a function, not {value!r}")


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
