import random

import simpy


def run(seed: int) -> dict[str, float]:
    random.seed(seed)
    env = simpy.Environment()
    tank = simpy.Container(env, capacity=20, init=12)
    served = 0

    def lorry():
        while True:
            yield env.timeout(random.expovariate(1 / 10))
            yield tank.put(5)

    def pump():
        nonlocal served
        while True:
            yield env.timeout(random.expovariate(1 / 5))
            yield tank.get(3)
            served += 1

    env.process(lorry())
    env.process(pump())
    env.run(until=40_000)
    return {"served": served / env.now}
