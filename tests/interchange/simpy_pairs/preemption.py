import random

import simpy


def run(seed: int) -> dict[str, float]:
    random.seed(seed)
    env = simpy.Environment()
    machine = simpy.PreemptiveResource(env, capacity=1)
    made = 0

    def work():
        nonlocal made
        while True:
            left = 5.0
            while left > 0:
                with machine.request(priority=1) as request:
                    yield request
                    start = env.now
                    try:
                        yield env.timeout(left)
                        left = 0.0
                    except simpy.Interrupt:
                        left -= env.now - start
            made += 1

    def rush():
        while True:
            yield env.timeout(random.expovariate(1 / 20))
            with machine.request(priority=0) as request:
                yield request
                yield env.timeout(random.expovariate(1 / 8))

    env.process(work())
    env.process(rush())
    env.run(until=40_000)
    return {"made": made / env.now}
