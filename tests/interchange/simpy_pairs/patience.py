import random

import simpy


def run(seed: int) -> dict[str, float]:
    random.seed(seed)
    env = simpy.Environment()
    clerk = simpy.Resource(env, capacity=1)
    left = came = 0

    def caller():
        nonlocal left
        with clerk.request() as request:
            found = yield request | env.timeout(random.expovariate(1 / 6))
            if request in found:
                yield env.timeout(random.expovariate(1 / 3))
            else:
                left += 1

    def street():
        nonlocal came
        while True:
            yield env.timeout(random.expovariate(1 / 4))
            came += 1
            env.process(caller())

    env.process(street())
    env.run(until=40_000)
    return {"lost": left / came}
