"""Exact figures of systems whose transitions race, each by its published formula, without pnsim.

Rates are per unit of time. `offered` wait: what a customer would wait if he stayed.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import accumulate

import numpy as np

Moments = tuple[float, float]
"""The mean, and the mean of the square."""


def birth_death(up: Callable[[int], float], down: Callable[[int], float], first: int, last: int) -> dict[int, float]:
    """Return the long run of a chain of the states from `first` to `last`: up(k) leads to k + 1, down(k) to k - 1."""
    ratios = (up(k) / down(k + 1) for k in range(first, last))
    weights = list(accumulate(ratios, lambda weight, ratio: weight * ratio, initial=1.0))
    return {first + k: weight / math.fsum(weights) for k, weight in enumerate(weights)}


def repairmen_at_work(machines: int, repairmen: int, failure: float, repair: float) -> float:
    """Their mean number, for the rates of one machine and of one repairman (Palm 1947)."""
    broken = birth_death(lambda k: (machines - k) * failure, lambda k: min(k, repairmen) * repair, 0, machines)
    return math.fsum(min(k, repairmen) * share for k, share in broken.items())


def mean(shares: dict[int, float]) -> float:
    return math.fsum(k * share for k, share in shares.items())


def shared_by_weight(rates: Sequence[float], weights: Sequence[float]) -> list[float]:
    """Return the mean number of jobs of each class of M/M/1 with discriminatory sharing; a job's work is 1 on average.

    The stays T of the classes solve T_k (1 - Σ f_jk) - Σ f_jk T_j = 1 with f_jk = λ_j g_j / (g_j + g_k)
    (Fayolle, Mitrani and Iasnogorodski 1980).
    """
    g = np.array(weights)
    shares = np.array(rates) * g / np.add.outer(g, g)
    stays = np.linalg.solve(np.diag(1 - shares.sum(axis=1)) - shares, np.ones(len(g)))
    return [float(stay * rate) for stay, rate in zip(stays, rates, strict=True)]


# ---------------------------------------------------------------- customers who leave


def erlang_a(arrivals: float, service: float, servers: int, leaving: float) -> tuple[float, float]:
    """Return the share that leaves and the mean number that waits, of M/M/c + M (Palm 1957).

    service, leaving: the rate of one server, and of one who waits.
    """
    shares = birth_death(
        lambda _: arrivals, lambda k: min(k, servers) * service + max(k - servers, 0) * leaving, 0, 40 * servers
    )
    waiting = math.fsum(max(k - servers, 0) * share for k, share in shares.items())
    return waiting * leaving / arrivals, waiting


def constant_patience(arrivals: float, service: float, servers: int, patience: float) -> tuple[float, float]:
    """Return the share that leaves and the mean number that waits, of M/M/c + D (Baccelli & Hebuterne 1981).

    The offered wait v has the density λ p e^((λ - cμ) v) up to the patience, where p is the probability of c - 1
    customers, and decreases as e^(-cμ v) beyond.
    """
    weights = [(arrivals / service) ** k / math.factorial(k) for k in range(servers)]
    growth, pace = arrivals - servers * service, servers * service
    at_zero, top = arrivals * weights[-1], math.exp(growth * patience)
    in_time, too_long = at_zero * (top - 1.0) / growth, at_zero * top / pace
    waited = at_zero * (top * (patience / growth - 1.0 / growth**2) + 1.0 / growth**2) + patience * too_long
    total = math.fsum(weights) + in_time + too_long
    return too_long / total, arrivals * waited / total


def retransmission(loss: float, trip: float, limit: float) -> tuple[float, float]:
    """Return the share of attempts that are repeated, and answers per unit of time, with an exponential trip
    (elementary).

    An attempt succeeds if nothing is lost and the trip is within the limit; late answers count for nothing.
    """
    late = math.exp(-limit / trip)
    success = (1.0 - loss) * (1.0 - late)
    in_time = trip - limit * late / (1.0 - late)
    return 1.0 - success, 1.0 / (in_time + (1.0 / success - 1.0) * limit)


# ---------------------------------------------------------------- one server for two classes


def mg1_sojourn(arrivals: float, service: Moments) -> float:
    """M/G/1, one after the other (Pollaczek & Khinchine)."""
    first, second = service
    return first + arrivals * second / (2.0 * (1.0 - arrivals * first))


def resumed_sojourn(gold: float, gold_service: Moments, silver: float, service: Moments) -> float:
    """Return the sojourn of silver jobs that gold interrupts and that resume (Conway, Maxwell & Miller 1967)."""
    gold_load, silver_load = gold * gold_service[0], silver * service[0]
    waiting = (gold * gold_service[1] + silver * service[1]) / (2.0 * (1.0 - gold_load - silver_load))
    return (service[0] + waiting) / (1.0 - gold_load)


def busy_period(arrivals: float, service: Moments) -> Moments:
    """Return the busy period of M/G/1 (Takács 1962)."""
    free = 1.0 - arrivals * service[0]
    return service[0] / free, service[1] / free**3


def occupied(rate: float, away: Moments, works: Sequence[float]) -> Moments:
    """Return the time from the first attempt at a job to the end of the last, which is drawn from `works` for each
    attempt.

    Interruptions come at the rate and last for `away`. The time C is S if none comes while S lasts; if one comes after
    U < S, it is U + away + C' (Gaver 1962).
    """
    succeeds = np.mean([math.exp(-rate * work) for work in works])
    lost = np.mean([1.0 / rate - math.exp(-rate * work) * (work + 1.0 / rate) for work in works])  # E[U; U < S]
    fails, cycle = 1.0 - succeeds, 1.0 / rate + away[0]
    first = cycle * fails / succeeds
    second = (2.0 * lost * cycle + fails * away[1] + 2.0 * (lost + fails * away[0]) * first) / succeeds
    return float(first), float(second)


def begun_again_sojourn(rate: float, away: Moments, arrivals: float, occupying: Moments) -> float:
    """Return the sojourn of silver jobs that wait for gold first, by the moments of their times (Gaver 1962)."""
    first, second = occupying
    wait = arrivals * second / (2.0 * (1.0 - arrivals * first)) + rate * away[1] / (2.0 * (1.0 + rate * away[0]))
    return first + wait


# ---------------------------------------------------------------- constant times beside exponential ones


def two_customers(gold: float, silver: float, memory: str) -> dict[str, float]:
    """M/D/1/2/2 with preemption, the net of Ajmone Marsan & Chiola 1987, whose services take 1.

    Two customers think at the rates `gold` and `silver` and then are served; gold interrupts silver. By renewal: a
    cycle begins when silver's service ends, as gold thinks then. Either silver comes before gold, or gold is served
    first; then silver comes while it is, or gold thinks again, and all is as before.
    """
    first = gold / (gold + silver)  # gold comes before silver
    again = first * math.exp(-silver)  # and is served before silver comes
    both_think = 1.0 / (gold + silver) / (1.0 - again)
    rest_of_gold = first * (1.0 - (1.0 - math.exp(-silver)) / silver) / (1.0 - again)
    if memory == "resume":
        interruptions, served = gold, 1.0
    else:  # as often as an exponential time is shorter than 1, before it is longer
        interruptions, served = math.expm1(gold), math.expm1(gold) / gold
    cycle = 1.0 / silver + rest_of_gold + served + interruptions
    return {"silver_served": served / cycle, "silver_rate": 1.0 / cycle, "both_think": both_think / cycle}


# ---------------------------------------------------------------- epidemics


def everyone(people: int, contact: float, recovery: float) -> dict[int, float]:
    """Return the number infected of SIS on a complete graph, where the last one stays ill.

    contact, recovery: the rates of a pair and of one person.
    """
    return birth_death(lambda k: contact * k * (people - k), lambda k: recovery * k, 1, people)


def on_a_ring(people: int, contact: float, recovery: float) -> dict[int, float]:
    """Return the number infected of SIS on a ring, where the last one stays ill, by the chain of infected sets."""
    states = range(1, 1 << people)
    generator = np.zeros((len(states), len(states)))
    for state in states:
        ill = [state >> person & 1 for person in range(people)]
        for person in range(people):
            rate = recovery if ill[person] else contact * (ill[person - 1] + ill[(person + 1) % people])
            after = state ^ (1 << person)
            if after:
                generator[state - 1, after - 1] += rate
                generator[state - 1, state - 1] -= rate
    system = np.vstack([generator.T[:-1], np.ones(len(states))])
    stationary = np.linalg.solve(system, [0.0] * (len(states) - 1) + [1.0])
    shares: dict[int, float] = {}
    for state, share in zip(states, stationary, strict=True):
        shares[state.bit_count()] = shares.get(state.bit_count(), 0.0) + float(share)
    return shares
