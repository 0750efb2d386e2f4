import random

import simpy


def run(seed: int) -> dict[str, float]:
    random.seed(seed)
    env = simpy.Environment()
    shelf = simpy.FilterStore(env)
    ages: list[float] = []

    def maker():
        while True:
            yield env.timeout(random.expovariate(1 / 2.5))
            shelf.put({"size": random.randint(1, 6), "made": env.now})

    def buyer():
        while True:
            yield env.timeout(random.expovariate(1 / 3))
            item = yield shelf.get(lambda item: item["size"] >= 4)
            ages.append(env.now - item["made"])

    def other():
        while True:
            yield env.timeout(random.expovariate(1 / 3))
            yield shelf.get(lambda item: item["size"] < 4)

    env.process(maker())
    env.process(buyer())
    env.process(other())
    env.run(until=20_000)
    return {"sold": len(ages) / env.now, "age": sum(ages) / len(ages)}
