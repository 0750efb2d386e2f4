import random

import simpy


def run(seed: int) -> dict[str, float]:
    random.seed(seed)
    env = simpy.Environment()
    clerk = simpy.Resource(env, capacity=2)
    waits: list[float] = []

    def customer():
        came = env.now
        with clerk.request() as request:
            yield request
            waits.append(env.now - came)
            yield env.timeout(random.expovariate(1 / 4))

    def street():
        while True:
            yield env.timeout(random.expovariate(1 / 2.5))
            env.process(customer())

    env.process(street())
    env.run(until=20_000)
    return {"wait": sum(waits) / len(waits)}
