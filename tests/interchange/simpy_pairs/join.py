import random

import simpy


def run(seed: int) -> dict[str, float]:
    random.seed(seed)
    env = simpy.Environment()
    server = [simpy.Resource(env, capacity=1) for _ in range(2)]
    stays: list[float] = []

    def task(where):
        with where.request() as request:
            yield request
            yield env.timeout(random.expovariate(1))

    def job():
        came = env.now
        yield simpy.AllOf(env, [env.process(task(where)) for where in server])
        stays.append(env.now - came)

    def street():
        while True:
            yield env.timeout(random.expovariate(1 / 2))
            env.process(job())

    env.process(street())
    env.run(until=20_000)
    return {"stay": sum(stays) / len(stays)}
