"""The exact loss of a memory that issues accesses in order: a Markov chain, without pnsim."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

import numpy as np

Ages = frozenset[
    int
]  # of the accesses whose banks are busy when the next access is decided: in slots since their start


def loss_in_order(banks: int, busy: int = 4) -> float:
    """Return the share of slots without a command, if each access is to a random bank that is busy for `busy` slots.

    From one access to the next the chain goes to the ages of what is still busy; a bank that is hit at age a makes the
    access wait busy - a slots.
    """
    chance: dict[Ages, dict[Ages, float]] = {}
    wait: dict[Ages, float] = {}
    waiting = [after(frozenset(), busy)]
    for ages in waiting:
        chance[ages] = defaultdict(float)
        wait[ages] = sum(busy - age for age in ages) / banks
        for following, share in transitions(ages, banks, busy):
            chance[ages][following] += share
            if following not in waiting:
                waiting.append(following)
    matrix = np.array([[chance[start].get(end, 0.0) for end in waiting] for start in waiting])
    system = np.vstack([(matrix.T - np.eye(len(waiting)))[:-1], np.ones(len(waiting))])
    stationary = np.linalg.solve(system, [0.0] * (len(waiting) - 1) + [1.0])
    mean_wait = float(stationary @ [wait[ages] for ages in waiting])
    return mean_wait / (1 + mean_wait)


def transitions(ages: Ages, banks: int, busy: int) -> Iterator[tuple[Ages, float]]:
    """Yield the ages when the access after the next one is decided, and their probabilities."""
    for age in ages:
        yield after(ages - {age}, busy, busy - age), 1 / banks
    if banks > len(ages):
        yield after(ages, busy), 1 - len(ages) / banks


def after(ages: Ages, busy: int, wait: int = 0) -> Ages:
    """Return the ages one slot after an access that waited, with its own."""
    later = {1, *(age + wait + 1 for age in ages)}
    return frozenset(age for age in later if age < busy)
