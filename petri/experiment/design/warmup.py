"""The end of the warm-up: MSER-5 on the windowed series of a few pilot runs, and how long these remember their past.

Each pilot is divided into windows of equal length. A series is the value of a measure in each window, and the warm-up
ends where the last of the series has settled. MSER-5 finds that in the average over the pilots (as in Welch's method).
It weighs the bias of a few runs against their noise, and so cuts nothing of a slow start that is hidden in noise, which
more replications would bring to light. Therefore at least four times the time τ for which a series remembers itself
(`petri.measure.unvaried`) is cut: of what decays as exp(-t / τ), 2 % are left then. The pilots use their own random
streams, so the measured replications do not influence the warm-up.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import numpy as np

from petri.engine.interface import Session
from petri.measure.arrays import Floats
from petri.measure.figures import settling
from petri.measure.intervals import mser
from petri.measure.observation import Observation
from petri.model import Model
from petri.net import Net
from petri.run.plan import Plan
from petri.run.session import begin_planned
from petri.run.stop import NO_LIMIT, StopSign, TimeLimit, interruptible
from petri.structs import replace

PILOTS: Final = 5
WINDOWS: Final = 400  # 80 batches of 5: the resolution is about 1 % of the run
PIECE: Final = 100_000  # firings between checks of the stop flag
TOKENS: Final = "tokens"  # the series of all waiting tokens
MEMORIES: Final = 4.0  # that the warm-up lasts at least
HALVES: Final = 2  # of a pilot, whose means tell how long a series remembers itself
_ROUNDING: Final = 1e-24  # of a variance, as a share of the mean square


@dataclass(frozen=True, slots=True)
class Warmup:
    """The end of the warm-up [net's time unit] and how it was determined.

    `decided_by` is the series that took longest to settle, "" if there was none. Not `settled`: that series had not
    settled by the middle of the pilots, and the run is too short for its measures.
    """

    length: float
    settled: bool = True
    decided_by: str = ""


def derive(seed: int, *what: object) -> int:
    """Return a 63-bit seed that differs from those of the replications of `seed`."""
    text = "|".join(str(part) for part in (seed, *what))
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big") >> 1


def pilot(net: Net, plan: Plan, names: Sequence[str] | None = None, stop: StopSign | None = None) -> Warmup:
    """Run the pilots and determine the end of the warm-up. It depends only on the net, the plan and the names.

    A net that dies before the end of a pilot has no steady state: its warm-up is 0. Raises ValueError if the run has no
    fixed end.
    """
    if not math.isfinite(plan.until):
        raise ValueError("a warm-up can only be determined for a run with a fixed end")
    pilot_plan = replace(plan, seed=derive(plan.seed, "pilot"), warmup=0.0, trace=False)
    runs = [windows(net, pilot_plan, index, stop) for index in range(PILOTS)]
    if any(len(run) < WINDOWS for run in runs):
        return Warmup(0.0)
    return settle(series_of(net, runs, names), plan.until / WINDOWS)


def find(
    model: Model,
    *,
    until: float | str | None = None,
    seed: int | None = None,
    engine: str = "auto",
    limit: TimeLimit = NO_LIMIT,
) -> Warmup:
    """Return the end of the warm-up of a run of a model; times and seed as in `Model.run`.

    Raises LanguageError if the run has no end, ValueError if it ends only with the net's death, KeyboardInterrupt at
    the end of the time allowed.
    """
    plan, _ = model.plan(until=until, warmup=0.0, seed=seed, engine=engine)
    return interruptible(lambda stop: pilot(model.net, plan, None, stop), limit)


def settle(series: dict[str, Floats], window: float) -> Warmup:
    """Return the latest end of a series, each with a row for each pilot, by MSER-5 and by its memory.

    For a series that has not settled it is the latest possible, half of the run. Those with a window without data are
    ignored.
    """
    latest = Warmup(0.0)
    for name, values in series.items():
        if not np.isfinite(values).all():
            continue
        found = mser(values.mean(axis=0))
        rest = values[:, found.count :]
        forgotten = math.ceil(MEMORIES * memory(rest))
        length = min(max(found.count, forgotten), values.shape[1] // 2) * window
        if length > latest.length:
            latest = Warmup(length, found.settled and forgotten <= rest.shape[1] // 2, name)
    return latest


def memory(values: Floats) -> float:
    """Return the time for which a series remembers itself, in windows: the variance of its mean over half a pilot,
    times that length, by twice the variance of its windows.
    """
    centred = values - values.mean()
    variance = float(np.mean(centred**2))
    size = values.shape[1] // HALVES
    halves = centred[:, : HALVES * size].reshape(-1, size).mean(axis=1)
    if not variance > _ROUNDING * float(np.mean(values**2)):
        return 0.0
    found: float = 0.5 * size * float(np.sum(halves**2)) / (halves.size - 1) / variance
    return found


def windows(net: Net, plan: Plan, index: int, stop: StopSign | None = None) -> list[Observation]:
    """Return the observation in each window of a pilot; fewer than `WINDOWS` if it ended early."""
    session = begin_planned(net, plan, index, stop)
    seen = [session.observe()]
    for number in range(1, WINDOWS + 1):
        if not reach(session, net.tick.ticks(plan.until * number / WINDOWS), stop):
            break
        seen.append(session.observe())
    return [later.minus(earlier) for earlier, later in pairwise(seen)]


def reach(session: Session, instant: float, stop: StopSign | None) -> bool:
    """Run to the end of an instant [ticks]; False if the run ends before."""
    while stop is None or not stop.is_set():
        reason = session.advance(instant, PIECE)
        if reason != "budget":
            return reason == "until"
    return False


def series_of(net: Net, runs: Sequence[Sequence[Observation]], names: Sequence[str] | None) -> dict[str, Floats]:
    """Return for each name: the value in each window, with a row for each pilot.

    These are the figures to keep that do not grow with the run, and the waiting tokens. Two kinds of places are not
    counted: places from which nothing takes tokens, which only fill, and places that never hold more than at the
    start, which are resources.
    """
    wanted = settling(net, names)
    result = {one.name: np.array([[one.value(seen) for seen in run] for run in runs]) for one in wanted}
    taken = {place for t in net.transitions for arc in t.inputs for place in arc.takes_from} | {
        place for t in net.transitions for place in t.emptied
    }
    most = np.max([run[-1].maximum for run in runs], axis=0)
    initial = runs[0][0].initial
    waiting = [p for p in sorted(taken) if initial[p] == 0 or most[p] > initial[p]]
    if waiting:
        result[TOKENS] = np.array(
            [[float(seen.integral[waiting].sum()) / seen.elapsed for seen in run] for run in runs]
        )
    return result
