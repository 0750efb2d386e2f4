"""Nets whose figures have closed forms, and the slopes of these."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

import petri
from petri.model import Model

JACKSON = """net jackson
param rate   = 0.4
param first  = 1.0
param second = 0.8
param again  = 0.2 in 0..1
place source = token
place q1
place q2
place one = token
place two = token
transition arrive: source -> source, q1  takes exp(1 / rate)
transition serve:  q1, one -> one, q2    takes exp(first)
transition check:  q2, two -> two, if back == 1 then q1  draw back ~ bernoulli(again)  takes exp(second)
measure jobs = mean(q1) + 1 - mean(one) + mean(q2) + 1 - mean(two)
run until 1000 warmup 100
"""

Values = Mapping[str, float]
Form = Callable[[Values], float]


def refused(at: Values) -> float:
    """M/M/1/5: the share of customers who find it full."""
    load, seats = at["load"], 5
    return (1 - load) * load**seats / (1 - load ** (seats + 1))


def customers(at: Values) -> float:
    """M/M/1/5: the mean number of customers."""
    load, more = at["load"], 6
    return load / (1 - load) - more * load**more / (1 - load**more)


def jobs(at: Values) -> float:
    """Jackson: two queues, the second of which sends jobs back to the first."""
    flow = at["rate"] / (1 - at["again"])
    return sum(used / (1 - used) for used in (flow * at["first"], flow * at["second"]))


def utilisation(at: Values) -> float:
    """Repairman: one of them, and five machines."""
    ratio = at["repair_time"] / at["run_time"]
    return 1 - 1 / sum(math.factorial(5) / math.factorial(5 - k) * ratio**k for k in range(6))


def lost(at: Values) -> float:
    """Erlang's loss formula for two servers."""
    offered = at["offered"]
    return offered**2 / 2 / (1 + offered + offered**2 / 2)


def slope(form: Form, at: Values, name: str) -> float:
    """Return a derivative, by a difference of the closed form that is right to nine digits."""
    step = 1e-5 * at[name]
    return (form({**at, name: at[name] + step}) - form({**at, name: at[name] - step})) / (2 * step)


# By net: the model, the values of its parameters, how long it runs, and its figures.
CASES: Mapping[str, tuple[Callable[[], Model], Values, Mapping[str, object], Mapping[str, Form]]] = {
    "M/M/1/K": (lambda: petri.load("mm1k"), {"load": 0.8}, {"until": 800, "warmup": 50},
                {"refused": refused, "customers": customers}),
    "Jackson": (lambda: petri.loads(JACKSON), {"rate": 0.4, "first": 1.0, "second": 0.8, "again": 0.2}, {},
                {"jobs": jobs}),
    "repairman": (lambda: petri.load("repairman"), {"run_time": 9.0, "repair_time": 1.0}, {"until": 800, "warmup": 50},
                  {"utilisation": utilisation}),
    "Erlang loss": (lambda: petri.load("mmcc"), {"offered": 1.5}, {"until": 800, "warmup": 50}, {"lost": lost}),
}  # fmt: skip
