"""The first time of a chain: averages up to an instant, and what holds at it.

Continuous chains are made uniform: their steps come by a Poisson process of the greatest rate. The sums over its steps
are cut where what is left out is known to be small, and all terms are positive, so the error has a bound.
"""

from __future__ import annotations

import heapq
import math

import numpy as np

from petri.exact.chain import Chain, Floats, Unsolvable
from petri.exact.steady import EPSILON, STEPS_OF_RATES
from petri.structs import Frozen

LEFT_OUT = 1e-16  # probability, on each side
MOST_STEPS = 20_000_000


class Transient(Frozen):
    """Hold each state's probability at an instant, and the expected time in it up to there [the net's time unit].

    finished: of that time, what is in sojourns that have ended; all of it where times are exponential. error: relative,
    of every sum of them with rewards that are not negative. missing: the probability that is left out, and the time, at
    most.
    """

    probabilities: Floats
    times: Floats
    finished: Floats
    error: float
    missing: tuple[float, float]


def transient(chain: Chain, until: float) -> Transient:
    """Return the distribution at the instant `until`, in the net's time unit.

    Raises Unsolvable if it takes too many steps.
    """
    start = np.zeros(chain.states)
    start[chain.initial[0]] = chain.initial[1]
    if chain.space.takes_turns:
        raise Unsolvable("exact-mixed-transient")
    if chain.kind == "ticks":
        return _stepped(chain, start, until)
    rate = float(chain.exits.max(initial=0.0))
    if rate == 0.0 or until == 0.0:
        return Transient(start, start * until, start * until, EPSILON * STEPS_OF_RATES, (0.0, 0.0))
    first, chances = poisson_weights(rate * until)
    if first + len(chances) > MOST_STEPS:
        raise Unsolvable("exact-many-steps", steps=first + len(chances))
    at, during, widest = chain.uniformised(start, rate, first, chances)
    error = EPSILON * (widest + STEPS_OF_RATES) * (first + len(chances))
    return Transient(at, during / rate, during / rate, error, (2.0 * LEFT_OUT, 2.0 * LEFT_OUT * until))


def poisson_weights(mean: float) -> tuple[int, Floats]:
    """Return the first number, and the probabilities from it on, of a Poisson variable: all but `LEFT_OUT` on either
    side.

    They are computed from the most probable number outwards, by ratios, and divided by their sum.
    """
    middle = int(mean)
    down, up = [], []
    weight, k = 1.0, middle
    while k > 0:
        weight *= k / mean
        k -= 1
        down.append(weight)
        # What is below is less than a geometric series.
        if k < mean and weight * k / (mean - k) < LEFT_OUT * 0.1:
            break
    weight, number = 1.0, middle
    while True:
        number += 1
        weight *= mean / number
        up.append(weight)
        if number + 1 > mean and weight * mean / (number + 1 - mean) < LEFT_OUT * 0.1:
            break
    weights = np.array([*reversed(down), 1.0, *up])
    return middle - len(down), weights / math.fsum(weights)


def _stepped(chain: Chain, start: Floats, until: float) -> Transient:
    """Return the chain in ticks, from one end of a stay to the next."""
    matrix = chain.matrix
    sojourns, end = np.round(chain.sojourns / chain.tick), round(until / chain.tick)
    entered: dict[float, Floats] = {0.0: start}
    instants = [0.0]
    at, during, finished = (np.zeros(chain.states) for _ in range(3))
    steps = 0
    while instants:
        now = heapq.heappop(instants)
        state = entered.pop(now)
        steps += 1
        chain.heed_stop()
        if steps > MOST_STEPS // 10:
            raise Unsolvable("exact-many-steps", steps=steps)
        lasts = now + sojourns > end
        at += np.where(lasts, state, 0.0)
        during += np.where(lasts, state * (end - now), 0.0)
        finished += np.where(lasts | (state == 0.0), 0.0, state * np.where(lasts, 0.0, sojourns))
        leaves = ~lasts & (state > 0.0)
        for stay in np.unique(sojourns[leaves]).tolist():
            arriving: Floats = matrix.T @ np.where(leaves & (sojourns == stay), state, 0.0)
            target = now + stay
            if target not in entered:
                heapq.heappush(instants, target)
            entered[target] = entered.get(target, 0.0) + arriving
    error = EPSILON * STEPS_OF_RATES * (steps + 1)
    return Transient(at, (during + finished) * chain.tick, finished * chain.tick, error, (0.0, 0.0))
