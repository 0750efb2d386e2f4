import random

import simpy


def run(seed: int) -> dict[str, float]:
    random.seed(seed)
    env = simpy.Environment()
    clerk = simpy.PriorityResource(env, capacity=1)
    waits: dict[int, list[float]] = {0: [], 1: []}

    def customer(kind):
        came = env.now
        with clerk.request(priority=kind) as request:
            yield request
            waits[kind].append(env.now - came)
            yield env.timeout(1.5)

    def street():
        while True:
            yield env.timeout(random.expovariate(1 / 2))
            env.process(customer(random.choices([0, 1], weights=[3, 7])[0]))

    env.process(street())
    env.run(until=20_000)
    return {"first": sum(waits[0]) / len(waits[0]), "second": sum(waits[1]) / len(waits[1])}
