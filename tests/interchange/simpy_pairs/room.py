import random

import simpy


def run(seed: int) -> dict[str, float]:
    random.seed(seed)
    env = simpy.Environment()
    clerk = simpy.Resource(env, capacity=1)
    lost = came = 0
    busy = queued = 0.0

    def customer():
        nonlocal busy, queued
        start = env.now
        with clerk.request() as request:
            yield request
            queued += env.now - start
            work = random.uniform(1, 3)
            yield env.timeout(work)
            busy += work

    def street():
        nonlocal came, lost
        while True:
            yield env.timeout(random.expovariate(1 / 2.2))
            came += 1
            if len(clerk.queue) >= 3:
                lost += 1
            else:
                env.process(customer())

    env.process(street())
    env.run(until=20_000)
    return {"loss": lost / came, "used": busy / env.now, "queue": queued / env.now}
