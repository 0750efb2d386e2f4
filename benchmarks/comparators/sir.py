"""The SIR epidemic of `benchmarks.ensembles` in other simulators: many runs, each with its own random numbers.

Each function returns how many people have recovered by the end of each run. Libraries that simulate reactions record
the beginning and the end alone.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Generator, Mapping
from pathlib import Path
from random import Random
from typing import Any, Final

HEALTHY, INFECTED, TIME = 999, 10, 250.0
CONTACT, ILL = 1 / 2522.5, 1 / 10  # rates: of a healthy and an infected person, and of recovery


def of_rebop(runs: int, seed: int) -> list[float]:
    import rebop

    system = rebop.Gillespie()
    system.add_reaction(CONTACT, ["S", "I"], ["I", "I"])
    system.add_reaction(ILL, ["I"], ["R"])
    initial = {"S": HEALTHY, "I": INFECTED}
    ran = (system.run(initial, tmax=TIME, nb_steps=1, rng=seed * runs + number) for number in range(runs))
    return [float(one["R"][-1]) for one in ran]


def of_gillespy2(runs: int, seed: int) -> list[float]:
    """Run the direct method that is compiled as C++, in one call."""
    import gillespy2

    model = gillespy2.Model("sir")
    amounts = {"S": HEALTHY, "I": INFECTED, "R": 0}
    model.add_species([gillespy2.Species(name, initial_value=value) for name, value in amounts.items()])
    model.add_parameter([gillespy2.Parameter("contact", CONTACT), gillespy2.Parameter("ill", ILL)])
    infect = gillespy2.Reaction(name="infect", reactants={"S": 1, "I": 1}, products={"I": 2}, rate="contact")
    recover = gillespy2.Reaction(name="recover", reactants={"I": 1}, products={"R": 1}, rate="ill")
    model.add_reaction([infect, recover])
    model.timespan(gillespy2.TimeSpan.linspace(t=TIME, num_points=2))
    solver = _compiled(gillespy2, model)
    ran = model.run(solver=solver, number_of_trajectories=runs, seed=seed + 1)
    return [float(one["R"][-1]) for one in ran]


_SOLVERS: Final[list[Any]] = []


def _compiled(gillespy2: Any, model: Any) -> Any:
    """Return the solver of the model, which takes a C++ compiler some seconds the first time."""
    if not _SOLVERS:
        beside = Path(sys.executable).parent  # where SCons is, which it looks for
        os.environ["PATH"] = f"{beside}{os.pathsep}{os.environ['PATH']}"
        _SOLVERS.append(gillespy2.SSACSolver(model=model))
    return _SOLVERS[0]


def of_simpy(runs: int, seed: int) -> list[float]:
    """Run the direct method as a process: what happens next, and when."""
    import simpy

    def people(environment: Any, chance: Random, counts: list[int]) -> Generator[Any, Any, None]:
        while counts[1]:
            infections, recoveries = CONTACT * counts[0] * counts[1], ILL * counts[1]
            yield environment.timeout(chance.expovariate(infections + recoveries))
            which = 0 if chance.random() * (infections + recoveries) < infections else 1
            counts[which] -= 1
            counts[which + 1] += 1

    recovered = []
    for number in range(runs):
        environment, counts = simpy.Environment(), [HEALTHY, INFECTED, 0]
        environment.process(people(environment, Random(seed * runs + number), counts))
        environment.run(until=TIME)
        recovered.append(float(counts[2]))
    return recovered


RIVALS: Final[Mapping[str, tuple[Callable[[int, int], list[float]], int]]] = {
    "rebop": (of_rebop, 1_000),
    "gillespy2": (of_gillespy2, 1_000),
    "simpy": (of_simpy, 100),
}
"""What runs them, and how many in a turn."""
