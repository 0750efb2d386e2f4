"""The trials of a replication (Q1 to Q6): thresholds from pilot runs, and as many trials as the precision needs."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

import numpy as np

from petri.engine.errors import Fault
from petri.engine.interface import Pilot, Threshold, Trials, Words3
from petri.engine.native import NativeTrials
from petri.engine.seeds import seed_words
from petri.engine.trials import ReferenceTrials
from petri.measure.chance import chance_interval, chance_tail
from petri.measure.estimate import LEVEL
from petri.measure.formula import limits_of
from petri.measure.tally import Tally, total
from petri.net import Chance, Net
from petri.run.ensemble import Ensemble
from petri.run.plan import Plan
from petri.run.stop import StopSign
from petri.run.threads import Threads

FIRST: Final = 1_000  # trials before the first look at their precision
FIRST_OF_SHARE: Final = 100  # each is as long as a run
MOST_TRIALS: Final = 1_000_000
MOST_FIRINGS: Final = 100_000_000  # of all trials of a replication: no more begin after that
GROWTH: Final = (1.25, 8.0)  # the least and the greatest number of trials, next to those so far, at the next look
PIECE: Final = 10_000  # trials between looks at the firings so far
PARTS: Final = 64  # into which these are divided among threads, if there are enough
LEAST_PART: Final = 25  # trials
PILOT_PATHS: Final = 400
PILOT_SHARE: Final = 0.3  # of the paths from one threshold that reach the next one, at least
MOST_FACTOR: Final = 1_000


def begin_trials(net: Net, chance: Chance, plan: Plan, stop: StopSign) -> Trials:
    """Trials on the engine of a plan. Raises ModelError as a session does."""
    window = (net.tick.ticks(plan.warmup), net.tick.ticks(plan.until)) if chance.share else None
    if plan.engine == "reference":
        return ReferenceTrials(net, chance, plan.limits, stopped=stop.is_set, window=window)
    return NativeTrials(net, chance, plan.limits, stop=stop.native, window=window)


class TrialsOnThreads:
    """Trials of one question on several threads. What they find does not depend on the number of these."""

    def __init__(self, begin: Callable[[], Trials], threads: int) -> None:
        self._idle = [begin()]
        self._begin = begin
        self._threads = threads
        self.error: Fault | None = None

    def pilot(self, seed: Words3, paths: int, wanted: float) -> Pilot:
        found = self._idle[0].pilot(seed, paths, wanted)
        self.error = self._idle[0].error
        return found

    def run(self, seed: Words3, first: int, count: int, thresholds: Sequence[Threshold]) -> Tally:
        size = max(math.ceil(count / PARTS), LEAST_PART)
        parts = [(at, min(size, first + count - at)) for at in range(first, first + count, size)]

        def work(at: int, number: int) -> tuple[Tally, Fault | None]:
            if self.error is not None:
                return Tally(), self.error
            trials = self._idle.pop() if self._idle else self._begin()
            found = trials.run(seed, at, number, thresholds)
            self.error = self.error or trials.error
            self._idle.append(trials)
            return found, trials.error

        works = [partial(work, *part) for part in parts]
        if min(self._threads, len(works)) == 1:
            found = [one() for one in works]
        else:
            with Threads(min(self._threads, len(works)), works) as running:
                pass
            found = running.results()
        whole = next((number for number, (_, error) in enumerate(found) if error is not None), len(found))
        return total([tally for tally, _ in found[: whole + 1]])


def tallies(
    net: Net, plan: Plan, replication: int, stop: StopSign, threads: int = 1
) -> tuple[tuple[Tally, ...], Fault | None]:
    """Return what the trials of each probability of a net have found, and why they ended early."""
    found = []
    threads = threads if plan.engine == "native" else 1
    expected = (*net.expectations, *(expectation for measure in net.measures for expectation in measure.expectations))
    for number, chance in enumerate(net.chances):
        trials = TrialsOnThreads(partial(begin_trials, net, chance, plan, stop), threads)
        seeds = [seed_words(plan.seed, replication, number, purpose) for purpose in (0, 1)]
        found.append(tally_of(trials, chance, seeds[0], seeds[1], limits_of(expected, number)))
        if trials.error is not None:
            return tuple(found), trials.error
        if found[-1].trials == found[-1].at_once:
            return tuple(found), Fault("trial-hits-at-once", None, {}, 0.0, chance.span, {})
    return tuple(found), None


def try_chances(ran: Ensemble, plan: Plan, stop: StopSign, threads: int = 1) -> None:
    """Make the trials of the net's probabilities, which are runs of their own, for each replication that has ended."""
    for row in np.flatnonzero(ran.is_ended("until", "dead")).tolist() if ran.net.chances else ():
        started = time.perf_counter()
        found, fault = tallies(ran.net, plan, ran[row].index, stop, threads)
        ran.add_trials(row, found, fault, time.perf_counter() - started)


def tally_of(trials: Trials, chance: Chance, seed: Words3, pilot_seed: Words3, compared: Sequence[float] = ()) -> Tally:
    """Return the trials of one probability. Their number depends on what they find, and on nothing else (Q5).

    compared: the values that it is expected to be above, or below.
    """
    thresholds: Sequence[Threshold] = ()
    if chance.importance is not None:
        pilot = trials.pilot(pilot_seed, PILOT_PATHS, PILOT_SHARE)
        thresholds = factors(pilot)
    tally, wanted, looks = Tally(), chance.trials or (FIRST_OF_SHARE if chance.share else FIRST), 0
    while tally.trials < wanted and trials.error is None:
        tally = tally.plus(trials.run(seed, tally.trials, min(wanted - tally.trials, PIECE), thresholds))
        if chance.trials is None and tally.trials == wanted and tally.firings < MOST_FIRINGS:
            looks += 1
            if chance.error is None:
                wanted = grown(tally, until_precise(tally, chance.precision), MOST_TRIALS)
            else:
                wanted = grown(tally, until_decided(tally, chance.error, looks, compared), MOST_FIRINGS)
    return tally


def until_precise(tally: Tally, precision: float) -> float:
    """Return how many times as many trials as now the half-width needs: about its square. 1 if that is small enough."""
    ratio = chance_interval(tally, LEVEL).relative / precision
    return 1.0 if ratio <= 1.0 else 1.1 * ratio * ratio


def until_decided(tally: Tally, error: float, look: int, compared: Sequence[float]) -> float:
    """Return how many times as many trials as now it takes to know on which side of each value the probability is.

    1 if that is known. Look k decides with the share error / (k (k + 1)) of the error, so that all looks, however many,
    err with a probability of at most `error`. The logarithm of the tail falls in proportion to the trials.
    """
    share = error / (look * (look + 1))
    tail = max((chance_tail(tally, value) for value in compared), default=0.0)
    return 1.0 if tail <= share else 1.1 * math.log(share) / math.log(tail)


def grown(tally: Tally, factor: float, most: int) -> int:
    """Return how many trials there shall be at the next look; as many as now to end. factor: nan if nothing is
    known.
    """
    if factor == 1.0:
        return tally.trials
    least, greatest = GROWTH
    factor = greatest if math.isnan(factor) else min(max(factor, least), greatest)
    return min(math.ceil(factor * tally.trials), most)


def factors(pilot: Pilot) -> list[Threshold]:
    """Return how many paths go on at each threshold (Q3).

    Pᵢ is how many paths of a trial would reach threshold i without splitting. The product of the factors up to it is to
    be 1 / √(Pᵢ Pᵢ₊₁), which is best for RESTART (Villén-Altamirano and Villén-Altamirano 2002): then about as many
    paths reach each threshold. Where trials are long and branches short, there are more: so many that they have about
    as many firings as the trial.
    """
    found = in_proportion(pilot, 1.0)
    branches = firings_of_branches(pilot, found)
    return found if not found or branches >= pilot.lengths[0] else in_proportion(pilot, pilot.lengths[0] / branches)


def in_proportion(pilot: Pilot, many: float) -> list[Threshold]:
    """Whole factors whose products are as near to `many` times the best ones as they can be."""
    found, product, reaching = [], 1.0, 1.0
    shares = [*(share for _, share in pilot.thresholds), pilot.share or 1.0 / PILOT_PATHS]
    for (value, share), following in zip(pilot.thresholds, shares[1:], strict=True):
        reaching *= share
        best = many / (reaching * math.sqrt(following))
        factor = min(max(round(best / product), 1), MOST_FACTOR)
        product *= factor
        found.append(Threshold(value, factor))
    return found


def firings_of_branches(pilot: Pilot, thresholds: Sequence[Threshold]) -> float:
    """Return the firings of an average trial; infinite if it has no branches."""
    firings, reaching = 0.0, 1.0
    for (_, share), length, threshold in zip(pilot.thresholds, pilot.lengths[1:], thresholds, strict=True):
        reaching *= share
        firings += reaching * (threshold.factor - 1) * length
        reaching *= threshold.factor
    return firings or math.inf
