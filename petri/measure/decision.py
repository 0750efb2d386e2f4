"""Whether a condition holds, decided after as few replications as a stated probability of error allows.

Three sequential tests, all of which may be looked at after every replication that they ask for:

- Run by run: each replication has the condition or has it not. Wald's sequential probability ratio test (Sequential
  Tests of Statistical Hypotheses, Annals of Mathematical Statistics 16, 1945) decides between "at least 95 % of all
  runs have it" and "at most half of them have it". If one of these is true, the other is chosen with a probability of
  at most `error` (Ville's inequality). If neither is, both answers are correct.
- By the mean: repeated confidence intervals (Jennison and Turnbull, Repeated Confidence Intervals for Group Sequential
  Clinical Trials, Controlled Clinical Trials 5, 1984). Student's interval at each of K planned looks has the
  level 1 - error/K, so that the looks together err with a probability of at most `error` (Bonferroni). It is adjusted
  for skewness (Hall, On the Removal of Skewness by Transformation, J. of the Royal Statistical Society B 54, 1992):
  losses are rare, so a few replications have too small a mean and too small a deviation at once. As long as all
  replications give the same number, Student's interval says nothing, and they are decided run by run.
- Of a probability: the same with the trials of all replications together, and their interval in place of Student's. As
  one replication has many trials, the looks begin with the first.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Final

from petri.measure.chance import chance_tail
from petri.measure.intervals import student_tail
from petri.measure.sequential import FIRST_LOOK, looks
from petri.measure.tally import Tally, total
from petri.structs import Frozen

MOST_RUNS: Final = 0.95  # share of the runs that have the condition where it holds
HALF_OF_RUNS: Final = 0.5  # at most, where it does not
_FOR: Final = math.log(MOST_RUNS / HALF_OF_RUNS)  # what a run with the condition adds to the logarithm of the ratio
_AGAINST: Final = math.log((1.0 - MOST_RUNS) / (1.0 - HALF_OF_RUNS))


class Decision(Frozen):
    """The state of a test. `holds` is the answer, or what the replications so far suggest.

    more: how many further replications are needed at least; 0 when it is decided, or given up. error: the greatest
    probability that the answer is wrong. certain: that is as small as was asked for. used: replications that decide.
    """

    holds: bool
    error: float
    certain: bool
    used: int
    more: int = 0


def decide_runs(passed: Sequence[bool], error: float, most: int) -> Decision:
    """Run by run. passed: of each replication, in order; most: replications after which to give up."""
    limit, score, used = -math.log(error), 0.0, 0
    for used, one in enumerate(passed[:most], 1):
        score += _FOR if one else _AGAINST
        if abs(score) >= limit:
            return Decision(score > 0.0, error, True, used)
    holds = score > 0.0
    if used >= most:
        return Decision(holds, min(math.exp(-abs(score)), 0.5), False, used)
    more = min(math.ceil((limit - score) / _FOR), math.ceil((limit + score) / -_AGAINST), most - used)
    return Decision(holds, 0.5, False, used, more)


def decide_mean(
    values: Sequence[float], bound: float, holds: Callable[[float], bool], error: float, most: int
) -> Decision:
    """Decide by the mean of `values`, one a replication in order, whether it is on the side that `holds` accepts."""
    values, planned = values[:most], list(looks(FIRST_LOOK, most))
    same = next((index for index, value in enumerate(values) if value != values[0]), len(values))
    alike = decide_runs([holds(value) for value in values[:same]], error / 2.0, most)
    if alike.certain or same == len(values):
        return alike
    level = error / 2.0 / len(planned)
    for look in planned:
        if look > len(values):
            return Decision(holds(_mean(values)), 0.5, False, len(values), look - len(values))
        if same >= look:
            continue
        tail = _tail(values[:look], bound)
        if tail <= level:
            return Decision(holds(_mean(values[:look])), error, True, look)
    return Decision(holds(_mean(values)), min(tail, 0.5), False, most)


def decide_probability(
    tallies: Sequence[Tally], bound: float, holds: Callable[[float], bool], error: float, most: int
) -> Decision:
    """Decide by the trials of all replications whether their probability is on the side that `holds` accepts."""
    planned = list(looks(1, most, fewest=1))
    tail, pooled = 0.5, Tally()
    for look in planned:
        if look > len(tallies):
            return Decision(holds(pooled.estimate), 0.5, False, len(tallies), look - len(tallies))
        pooled = total(tallies[:look])
        tail = chance_tail(pooled, bound)
        if tail <= error / len(planned):
            return Decision(holds(pooled.estimate), error, True, look)
    return Decision(holds(pooled.estimate), min(tail, 0.5), False, most)


def _tail(values: Sequence[float], bound: float) -> float:
    """Return the probability of a mean as far to this side of the bound, if the bound were the true mean."""
    n, mean = len(values), _mean(values)
    square = math.fsum((value - mean) ** 2 for value in values)
    t = (mean - bound) * math.sqrt(n * (n - 1) / square)
    skewness = math.fsum((value - mean) ** 3 for value in values) / n / (square / n) ** 1.5
    beta = skewness * math.sqrt(n * (n - 1)) / (n - 2) / (6.0 * math.sqrt(n)) if n > 2 else 0.0
    adjusted = t + 2.0 * beta * t**2 + 4.0 / 3.0 * beta**2 * t**3 + beta
    return student_tail(abs(adjusted), n - 1) if adjusted * t > 0.0 else 0.5


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)
