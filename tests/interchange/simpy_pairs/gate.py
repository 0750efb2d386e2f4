import random

import simpy


def run(seed: int) -> dict[str, float]:
    random.seed(seed)
    env = simpy.Environment()
    gate = env.event()
    passed: list[float] = []

    def keeper():
        nonlocal gate
        while True:
            yield env.timeout(20)
            opened, gate = gate, env.event()
            opened.succeed()

    def visitor():
        came = env.now
        yield gate
        passed.append(env.now - came)

    def street():
        while True:
            yield env.timeout(random.expovariate(1 / 3))
            env.process(visitor())

    env.process(keeper())
    env.process(street())
    env.run(until=20_000)
    return {"wait": sum(passed) / len(passed), "passed": len(passed) / env.now}
