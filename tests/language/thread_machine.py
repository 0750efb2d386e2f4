"""Programs of steps, carried out by processes: what `docs/language.md` says of threads, without places and transitions.

Each activation is a generator that yields what it waits for. It is resumed when a token that it may take is there, when
its time is over, or when something interrupts it. Whatever the language leaves to chance, a machine without chance
refuses as `Ambiguous`: what it does carry out is determined, and a net must do exactly the same.
"""

from __future__ import annotations

import heapq
import itertools
import random
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, field
from typing import Any

Step = tuple[Any, ...]
Steps = Sequence[Step]
Running = Generator["Waiting", int, None]


class Ambiguous(Exception):
    """Several things may happen next."""


class Interrupted(Exception):
    def __init__(self, block: object) -> None:
        self.block = block


class GoTo(Exception):
    """The time of a step is over, and the activation goes on at a label."""

    def __init__(self, label: int) -> None:
        self.label = label


@dataclass
class Option:
    """A place from which an activation may go on, with a token that fits. step: where in the program, for its order."""

    place: str
    step: object
    fits: Callable[[Any], bool] = lambda token: True
    order: str = "fifo"


@dataclass(eq=False)
class Waiting:
    """What an activation waits for; `timeout` is the answer when `lasts` is over, and `number` when it came."""

    options: list[Option] = field(default_factory=list)
    lasts: float | None = None
    process: Process | None = None
    number: int = 0


@dataclass(eq=False)
class Process:
    running: Running
    key: int
    blocks: list[tuple[object, str]] = field(default_factory=list)  # `do` blocks around it, and the bells of these


TIMEOUT = -1


class Machine:
    """The world of all activations: `places` has the tokens of each, oldest first; `out` what was logged."""

    def __init__(
        self, program: Steps, places: dict[str, list[Any]], again: bool, numbered: bool, chance: random.Random | None
    ) -> None:
        self.program, self.places, self.chance = program, places, chance
        self.again, self.numbered = (
            again,
            numbered,
        )  # whether activations begin again, and whether logs tell which one it is
        self.now = 0.0
        self.out: list[tuple[int, float]] = []
        self.events: list[tuple[float, int, Callable[[], None]]] = []
        self.numbers = itertools.count()
        self.waits: list[Waiting] = []

    # ------------------------------------------------------------ time

    def at(self, time: float, action: Callable[[], None]) -> None:
        heapq.heappush(self.events, (time, next(self.numbers), action))

    def run(self, until: float) -> list[tuple[int, float]]:
        while self.events and self.events[0][0] <= until:
            time, _, action = heapq.heappop(self.events)
            if time == self.now and self.chance is None:
                raise Ambiguous
            self.now = time
            action()
        return sorted(self.out, key=lambda one: (one[1], one[0]))

    # ------------------------------------------------------------ processes

    def arrive(self, place: str, token: Any) -> None:
        if place == "job":
            self.begin(token)
        else:
            self.give(place, token)

    def begin(self, key: int) -> None:
        process = Process(iter(()), key)  # type: ignore[arg-type]
        process.running = self.activation(process)
        self.go_on(process, None)

    def activation(self, process: Process) -> Running:
        yield from self.steps(self.program, process)
        if self.again:
            self.begin(process.key)

    def go_on(self, process: Process, answer: int | Interrupted | None) -> None:
        """Run an activation up to where it waits."""
        try:
            while True:
                if isinstance(answer, Interrupted):
                    waiting = process.running.throw(answer)
                else:
                    waiting = process.running.send(answer)  # type: ignore[arg-type]
                answer = self.wait(process, waiting)
                if answer is None:
                    return
        except StopIteration:
            return

    def wait(self, process: Process, waiting: Waiting) -> int | Interrupted | None:
        """Return the answer, if the activation need not wait."""
        waiting.process, waiting.number = process, next(self.numbers)
        for block, bell in process.blocks:
            if self.places[bell]:
                self.places[bell].pop(0)
                return Interrupted(block)
        ready = [n for n, one in enumerate(waiting.options) if self.shows(one)]
        if ready:
            chosen: int = self.any_of(ready)
            self.taken(waiting.options[chosen].place)
            return chosen
        self.waits.append(waiting)
        if waiting.lasts is not None:
            self.at(self.now + waiting.lasts, lambda: self.over(waiting))
        return None

    def shows(self, option: Option) -> bool:
        return bool(self.places[option.place]) and option.fits(self.places[option.place][0])

    def over(self, waiting: Waiting) -> None:
        if waiting in self.waits:
            self.wake(waiting, TIMEOUT)

    def wake(self, waiting: Waiting, answer: int | Interrupted) -> None:
        self.waits.remove(waiting)
        assert waiting.process is not None
        self.go_on(waiting.process, answer)

    def any_of(self, choices: list[Any]) -> Any:
        if len(choices) > 1 and self.chance is None:
            raise Ambiguous
        return choices[0] if len(choices) == 1 else self.chance.choice(choices)  # type: ignore[union-attr]

    # ------------------------------------------------------------ tokens

    def give(self, place: str, token: Any = None) -> None:
        """Put a token; what waits for one goes on: interrupts before steps, of each step its first activation."""
        self.places[place].append(token)
        hit = [w for w in self.waits for _, bell in w.process.blocks if bell == place]  # type: ignore[union-attr]
        if hit:
            self.places[place].pop(0)
            waiting = self.any_of(hit)
            block = next(block for block, bell in waiting.process.blocks if bell == place)
            return self.wake(waiting, Interrupted(block))
        self.serve(place)
        return None

    def taken(self, place: str) -> None:
        """Take a token; another may show, which somebody waits for."""
        self.places[place].pop(0)
        self.serve(place)

    def serve(self, place: str) -> None:
        steps: dict[object, list[tuple[Waiting, int]]] = {}
        for waiting in self.waits:
            for number, option in enumerate(waiting.options):
                if option.place == place and self.shows(option):
                    steps.setdefault(option.step, []).append((waiting, number))
        if steps:
            waiting, number = self.first(steps[self.any_of(list(steps))])
            self.waits.remove(waiting)
            self.taken(place)
            self.go_on(waiting.process, number)  # type: ignore[arg-type]

    def first(self, found: list[tuple[Waiting, int]]) -> tuple[Waiting, int]:
        order = found[0][0].options[found[0][1]].order
        if order == "bag":
            return self.any_of(found)  # type: ignore[no-any-return]
        if order == "by":
            return min(found, key=lambda one: (one[0].process.key, one[0].number))  # type: ignore[union-attr]
        return (max if order == "lifo" else min)(found, key=lambda one: one[0].number)

    # ------------------------------------------------------------ steps

    def log(self, what: int) -> None:
        self.out.append((what, self.now))

    def time(self, step_time: float) -> float:
        return step_time if self.chance is None else self.chance.expovariate(1 / step_time)

    def steps(self, steps: Steps, process: Process) -> Running:
        at = 0
        while at < len(steps):
            try:
                yield from self.step(steps[at], process)
                at += 1
            except GoTo as jump:
                at = next(n for n, one in enumerate(steps) if one[0] == "wait" and one[2] == jump.label)

    def step(self, step: Step, process: Process) -> Running:
        kind, *parts = step
        if kind == "wait":
            yield Waiting(lasts=self.time(parts[0]))
        elif kind == "log":
            self.log(parts[0] + process.key * self.numbered)
        elif kind == "take":
            place, least, order, limit = parts
            yield from self.take(step, place, least, order, limit, process)
        elif kind in ("hold", "use"):
            yield from self.hold(step, process)
        elif kind == "choose":
            yield from self.choose(step, process)
        elif kind == "do":
            yield from self.do(step, process)
        elif kind == "repeat":
            for _ in range(parts[0]):
                yield from self.steps(parts[1], process)
        else:
            yield from self.look(step, process)

    def take(
        self, step: Step, place: str, least: int | None, order: str, limit: tuple[float, int] | None, process: Process
    ) -> Running:
        """Wait for a token; `least`: for one that is at least the remainder of the activation's key by that number."""
        need = 0 if least is None else process.key % least
        fits = (lambda token: True) if least is None else (lambda token: token >= need)
        answer = yield Waiting([Option(place, id(step), fits, order)], None if limit is None else limit[0])
        if answer == TIMEOUT:
            assert limit is not None
            raise GoTo(limit[1])

    def hold(self, step: Step, process: Process) -> Running:
        """`use` is a `hold` for a time; what is held is given back when the steps in it are given up as well."""
        kind, place, inner, order, limit = step
        yield from self.take(step, place, None, order, limit, process)
        try:
            if kind == "use":
                yield Waiting(lasts=self.time(inner))
            else:
                yield from self.steps(inner, process)
        except Interrupted:
            self.give(place)
            raise
        self.give(place)

    def choose(self, step: Step, process: Process) -> Running:
        _, branches, late, order = step
        options = [Option(place, (id(step), place), order=order) for place, _ in branches]
        answer = yield Waiting(options, None if late is None else late[0])
        yield from self.steps(late[1] if answer == TIMEOUT else branches[answer][1], process)

    def do(self, step: Step, process: Process) -> Running:
        _, bell, body, otherwise = step
        block = object()
        process.blocks.append((block, bell))
        try:
            yield from self.steps(body, process)
        except Interrupted as reason:
            if reason.block is not block:
                raise
            process.blocks.remove((block, bell))
            yield from self.steps(otherwise, process)
            return
        finally:
            if (block, bell) in process.blocks:
                process.blocks.remove((block, bell))

    def look(self, step: Step, process: Process) -> Running:
        """Step that ask how many tokens a box has, of which none waits for any."""
        kind, box, *parts = step
        tokens = self.places[box]
        if kind == "put":
            tokens += [None] * parts[0]
        elif kind == "get":  # one, which is there
            tokens.pop()
        elif kind == "count":
            self.log(len(tokens))
        elif kind == "pause":
            yield Waiting(lasts=parts[0] * len(tokens) + 1)
        elif kind == "drain":
            while tokens:
                tokens.pop()
                yield from self.steps(parts[0], process)
        elif kind == "each":
            for _ in range(len(tokens)):
                tokens.pop()
                yield from self.steps(parts[0], process)
        elif kind == "if":
            yield from self.steps(parts[1] if len(tokens) > parts[0] else parts[2], process)
