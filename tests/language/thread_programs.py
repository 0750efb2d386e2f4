"""Random programs of steps: for `tests/language/thread_machine.py`, and as text for a net.

In a program without chance, each step that waits is behind a `wait` whose time no other has, each place is what one
step alone waits for, and several activations run at once. What happens is then nearly always determined: the first that
comes is the first that goes, and each has a patience of its own.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from tests.language.thread_machine import Machine, Step

ORDERS = {"fifo": "", "lifo": " lifo", "by": " by n", "bag": " bag"}
BOXES = ("box", "chest")
UNTIL = 60_000.0


@dataclass
class Program:
    """`supplies`: when tokens come to places, and their values (None: black). `valued`: activations know their keys."""

    valued: bool
    chance: bool
    again: bool
    orders: bool
    steps: list[Step] = field(default_factory=list)
    places: dict[str, list[Any]] = field(default_factory=dict)
    supplies: list[tuple[float, str, Any]] = field(default_factory=list)
    numbers: Iterator[int] = field(default_factory=itertools.count)

    def machine(self, chance: random.Random | None) -> Machine:
        places = {name: list(tokens) for name, tokens in self.places.items()}
        machine = Machine(self.steps, places, self.again, self.valued, chance)
        for time, place, token in self.supplies:
            machine.at(time, lambda place=place, token=token: machine.arrive(place, token))  # type: ignore[misc]
        return machine

    # ------------------------------------------------------------ as text

    def text(self) -> str:
        lines = ["place out : { what: int, at: real }"]
        for name, tokens in self.places.items():
            valued = name == "slot" or (name == "job" and self.valued)
            lines.append(
                f"place {name}{' : int fifo' if valued else ''}{f' = {len(tokens)} * token' if tokens else ''}"
            )
        for number, (time, place, token) in enumerate(self.supplies):
            given = place if token is None or (place == "job" and not self.valued) else f"{place}({token})"
            lines += [f"place from{number} = token", f"transition come{number}: from{number} -> {given}  takes {time}"]
        job = "job(n)" if self.valued else "job"
        again = f"\ngive {job}" if self.again else ""
        return "\n".join(lines) + f"\nthread t\ntake {job}\n{self.written(self.steps)}{again}\nend\n"

    def written(self, steps: list[Step]) -> str:
        return "\n".join(self.step(step) for step in steps)

    def logged(self, what: str) -> str:
        return f"give out({{what: {what}, at: now}})"

    def lasting(self, time: float) -> str:
        return f"exp({time})" if self.chance else f"{time}"

    def limit(self, limit: tuple[float, int] | None) -> str:
        return "" if limit is None else f" within {limit[0]} else go{limit[1]}"

    def step(self, step: Step) -> str:
        kind, *parts = step
        if kind == "wait":
            return ("" if parts[1] is None else f"go{parts[1]}: ") + f"wait {self.lasting(parts[0])}"
        if kind == "log":
            return self.logged(f"{parts[0]} + n" if self.valued else f"{parts[0]}")
        if kind == "take":
            place, least, order, limit = parts
            size = f"s{next(self.numbers)}"  # a name that no other step binds
            wanted = place if least is None else f"{place}({size})"
            fits = "" if least is None else f" when {size} >= n mod {least}"
            return f"take {wanted}{ORDERS[order]}{fits}{self.limit(limit)}"
        if kind == "use":
            place, time, order, limit = parts
            return f"use {place}{ORDERS[order]} for {self.lasting(time)}{self.limit(limit)}"
        if kind == "hold":
            place, body, order, limit = parts
            return f"hold {place}{ORDERS[order]}{self.limit(limit)}\n{self.written(body)}\nrelease {place}"
        if kind == "choose":
            branches, late, order = parts
            texts = [f"take {place}\n{self.written(body)}" for place, body in branches]
            head = f"choose{ORDERS[order]}\n" + "\nor\n".join(texts)
            return head + ("" if late is None else f"\nor after {late[0]}\n{self.written(late[1])}") + "\nend"
        if kind == "do":
            return f"do\n{self.written(parts[1])}\nunless {parts[0]}\n{self.written(parts[2])}\nend"
        if kind == "repeat":
            return f"repeat {parts[0]}\n{self.written(parts[1])}\nend"
        return self.look(kind, *parts)

    def look(self, kind: str, box: str, *parts: Any) -> str:
        if kind == "put":
            return f"give {parts[0]} * {box}"
        if kind == "get":
            return f"take {box}"
        if kind == "count":
            return self.logged(f"tokens({box})")
        if kind == "pause":
            return f"wait {parts[0]} * tokens({box}) + 1"
        if kind in ("drain", "each"):
            head = f"while tokens({box}) > 0" if kind == "drain" else f"repeat tokens({box})"
            return f"{head}\ntake {box}\n{self.written(parts[0])}\nend"
        return f"if tokens({box}) > {parts[0]} then\n{self.written(parts[1])}\nelse\n{self.written(parts[2])}\nend"


class Maker:
    """Makes one program. orders: whether steps say in which order activations wait."""

    def __init__(self, seed: int, chance: bool, orders: bool = True) -> None:
        self.draw = random.Random(seed)
        self.program = Program(self.draw.random() < 0.5, chance, self.draw.random() < 0.4, orders)
        self.numbers = itertools.count(1)
        self.times: set[float] = set()
        self.shared: list[str] = []

    def make(self) -> Program:
        program, draw = self.program, self.draw
        program.places = {"job": [], **{box: [None] * draw.randint(0, 3) for box in BOXES}}
        for key in range(draw.randint(1, 4)):
            program.supplies.append((self.time(1, 4000), "job", 10 + key))
        program.steps = [self.wait(), *self.steps(draw.randint(2, 4), 0, False)]
        return program

    def time(self, low: int = 200, high: int = 3000) -> float:
        """Return a time that is used nowhere else."""
        while (time := self.draw.randint(low * 1000, high * 1000) / 1000) in self.times:
            pass
        self.times.add(time)
        return time

    def wait(self, label: int | None = None) -> Step:
        return ("wait", self.time(), label)

    def log(self) -> Step:
        return ("log", 100 * next(self.numbers))

    def order(self) -> str:
        words = ["fifo", "fifo", "fifo", "lifo", *["by"] * self.program.valued, *["bag"] * self.program.chance]
        return self.draw.choice(words) if self.program.orders else "fifo"

    def place(self, word: str, tokens: int) -> str:
        """Return a place that no other step waits for, or, with chance, perhaps one that another one does."""
        if self.program.chance and word == "clerk" and self.shared and self.draw.random() < 0.4:
            return self.draw.choice(self.shared)
        name = f"{word}{next(self.numbers)}"
        self.program.places[name] = [None] * tokens
        if word == "clerk":
            self.shared.append(name)
        return name

    def supplied(self, word: str, most: int, token: Any = None) -> str:
        name = word if token is not None else self.place(word, 0)
        self.program.places.setdefault(name, [])
        for _ in range(self.draw.randint(1, most)):
            value = None if token is None else self.draw.randint(0, 4)
            self.program.supplies.append((self.time(500, 30_000), name, value))
        return name

    def limit(self) -> tuple[float, int] | None:
        return (self.time(100, 2000), next(self.numbers)) if self.draw.random() < 0.5 else None

    # ------------------------------------------------------------ steps

    def steps(self, count: int, depth: int, unsure: bool) -> list[Step]:
        found: list[Step] = []
        kinds = ["use", "use", "hold", "take", "choose", "box", "box"]
        kinds += ["repeat"] * (depth < 2) + ["do"] * (not unsure) + ["fit"] * (self.program.valued and depth == 0)
        for _ in range(count):
            found += self.one(self.draw.choice(kinds), depth, unsure)
        return found

    def inner(self, depth: int, unsure: bool) -> list[Step]:
        more = self.steps(1, depth + 1, unsure) if depth < 2 and self.draw.random() < 0.4 else []
        return [self.wait(), self.log(), *more]

    def one(self, kind: str, depth: int, unsure: bool) -> list[Step]:
        """Return a step that waits or looks, the `wait` at which it goes on when its time is over, and a log."""
        limit = self.limit() if kind in ("use", "hold", "take") else None
        made: list[Step]
        if kind == "use":
            made = [("use", self.place("clerk", self.draw.randint(1, 2)), self.time(), self.order(), limit)]
        elif kind == "hold":
            made = [("hold", self.place("clerk", 1), self.inner(depth, unsure), self.order(), limit)]
        elif kind == "take":
            stock = self.supplied("stock", 5)
            made = [("take", stock, None, self.order(), limit), ("count", stock)]
        elif kind == "fit":
            made = [("take", self.supplied("slot", 6, 0), self.draw.randint(2, 4), self.order(), None)]
        elif kind == "choose":
            branches = [(self.supplied("stock", 4), self.inner(depth, unsure)) for _ in range(self.draw.randint(1, 2))]
            late = (self.time(), [self.log()]) if self.draw.random() < 0.8 else None
            made = [("choose", branches, late, self.order())]
        elif kind == "repeat":
            made = [("repeat", self.draw.randint(0, 3), self.inner(depth, unsure))]
        elif kind == "do":
            bell = self.supplied("bell", 4)
            made = [("do", bell, [self.wait(), *self.steps(2, depth + 1, True)], [self.wait(), self.log()])]
        else:
            made = self.box()
        return [*made, self.wait(None if limit is None else limit[1]), self.log()]

    def box(self) -> list[Step]:
        """Several steps at one instant that change how many tokens a box has, and ask for it."""
        found: list[Step] = []
        for _ in range(self.draw.randint(2, 4)):
            box, kind = (
                self.draw.choice(BOXES),
                self.draw.choice(("put", "put", "count", "drain", "each", "if", "pause")),
            )
            if kind == "put":
                found.append(("put", box, self.draw.randint(1, 2)))
            elif kind == "count":
                found.append(("count", box))
            elif kind == "pause":
                found.append(("pause", box, self.time(10, 50)))
            elif kind in ("drain", "each"):
                found.append((kind, box, [self.log(), *[self.wait()] * (kind == "drain" and self.draw.random() < 0.5)]))
            else:
                found.append(("if", box, self.draw.randint(0, 2), [("get", box), ("count", box)], [("put", box, 1)]))
        return found
