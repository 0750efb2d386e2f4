"""Queues for Cimba, which compiles its processes with numba and runs them on its engine in C.

Written as its documentation writes such models: a process for whatever lives in time, and resources that it waits for.
Times are those of the nets in `benchmarks/peers.py`. Annotations are not postponed here, since Cimba compiles by them.
"""

# mypy: disable-error-code="untyped-decorator, misc"
import cimba
from cimba import Input, Model, Output, Ref, Resource, inputs, process


class Line(Model):
    """M/M/1, the example of Cimba's own page."""

    gap: Input[float] = inputs.dist.exponential(mean=1 / 0.75)
    service: Input[float] = inputs.dist.exponential(mean=1)
    queue: cimba.Container
    found: Output[float]  # waiting customers

    @process
    def arrivals(self) -> None:
        while True:
            cimba.hold(self.gap.next())
            self.queue.put(1)

    @process
    def server(self) -> None:
        while True:
            self.queue.get(1)
            cimba.hold(self.service.next())

    @cimba.on_end
    def measure(self) -> None:
        self.found = self.queue.mean_level()


class Customer(Model):
    """One who waits, and leaves when the patience is over: acquiring ends with the signal of the timer."""

    desk: Ref[Resource]
    patience: Input[float]
    service: Input[float]
    shop: "Ref[Reneging]"

    @process
    def visit(self) -> None:
        cimba.this_process().timer_set(self.patience.next(), 1)
        if self.desk.acquire() == 0:
            cimba.this_process().timers_clear()
            cimba.hold(self.service.next())
            self.desk.release()
        else:
            self.shop.lost += 1.0


class Reneging(Model):
    gap: Input[float] = inputs.dist.exponential(mean=4)
    patience: Input[float] = inputs.dist.exponential(mean=6)
    service: Input[float] = inputs.dist.exponential(mean=3)
    desk: Resource
    came: float = 0.0
    lost: float = 0.0
    found: Output[float]  # the share of customers who leave

    @process
    def arrivals(self) -> None:
        while True:
            cimba.hold(self.gap.next())
            self.came += 1.0
            cimba.spawn(Customer, desk=self.desk, patience=self.patience, service=self.service, shop=self)

    @cimba.on_end
    def measure(self) -> None:
        self.found = self.lost / self.came


class Machine(Model):
    repairmen: Ref[Resource]
    running: Input[float]
    repair: Input[float]

    @process
    def work(self) -> None:
        while True:
            cimba.hold(self.running.next())
            self.repairmen.acquire()
            cimba.hold(self.repair.next())
            self.repairmen.release()


class Shop(Model):
    """Twenty machines and two repairmen."""

    running: Input[float] = inputs.dist.exponential(mean=9)
    repair: Input[float] = inputs.dist.exponential(mean=1)
    repairmen: Resource = Resource(capacity=2)
    found: Output[float]  # repairmen at work

    @cimba.on_start
    def begin(self) -> None:
        for _ in range(20):
            cimba.spawn(Machine, repairmen=self.repairmen, running=self.running, repair=self.repair)

    @cimba.on_end
    def measure(self) -> None:
        self.found = self.repairmen.mean_in_use()


MODELS = {"mm1": Line(), "reneging": Reneging(), "shop": Shop()}


def simulate(name: str, time: float, seed: int) -> float:
    """Run a model for that long. Returns its figure."""
    model = MODELS[name]
    run = cimba.Experiment(model, replications=1, window=cimba.Window(warmup=0, duration=time), seed=seed).run()
    return float(run[model].found.values[0, 0])
