import random

import simpy


def run(seed: int) -> dict[str, float]:
    random.seed(seed)
    env = simpy.Environment()
    crane = simpy.Resource(env, capacity=1)
    loads = 0

    def lorry():
        nonlocal loads
        while True:
            for _ in range(3):
                with crane.request() as request:
                    yield request
                    yield env.timeout(2)
            if random.random() < 0.2:
                yield env.timeout(30)
            yield env.timeout(random.expovariate(1 / 25))
            loads += 1

    for _ in range(4):
        env.process(lorry())
    env.run(until=20_000)
    return {"loads": loads / env.now}
