"""Random threads do what their programs say: an interpreter of the steps, a few lines long, gives the same outputs."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from petri import language
from petri.language.layout.formatter import format_source
from tests.engines import ENGINES
from tests.semantics.harness import simulate

HEAD = """
type Kind = one | two
place work : int = 7
place engine = token
place other : 0..1 = all
place out : { at: real, value: int } fifo
place full : int cap 1
place log : int fifo
place never
place queue : int fifo
place alarm : { since: real, wait: real }
place bell : { since: real }
transition ring: alarm(a) -> bell({since: a.since})  takes a.wait
service double : { value: int } -> { twice: int }
transition answer: double(r) -> reply(r with {twice: 2 * r.value})  takes 3
transition drain:  full(n) -> log(n)
"""
BELLS = (0.5, 0.001)  # parts of the time after which a `do` is interrupted, by its depth


class Interrupt(Exception):
    """The bell of a `do` has rung."""


@dataclass
class Machine:
    """What a thread does, without a net: its clock, its values and its outputs."""

    now: float = 0
    values: dict[str, Any] = field(default_factory=lambda: {"x": 7})
    out: list[tuple[float, int]] = field(default_factory=list)
    queue: list[int] = field(default_factory=list)
    bells: list[float] = field(default_factory=list)  # when those of the blocks around a step ring
    log: list[int] = field(default_factory=list)

    def value(self, text: str) -> Any:
        return eval(text, {}, self.values)  # sums of names and numbers, made here

    def wait(self, time: float) -> None:
        bell = min(self.bells, default=self.now + time)
        if bell < self.now + time:
            self.now = bell
            raise Interrupt
        self.now += time


@st.composite
def programs(
    draw: st.DrawFn,
    names: tuple[str, ...] = ("x",),
    depth: int = 0,
    holding: bool = False,
    unsure: bool = False,
    prefix: str = "v",
) -> list[Any]:
    """Step as tuples; `names` are the values known there, `holding`: within a `hold`, `unsure`: within a `do`."""
    found: list[Any] = []

    def inner(more: str = "", **changed: Any) -> list[Any]:
        known = {"names": names, "depth": depth + 1, "holding": holding, "unsure": unsure, **changed}
        steps: list[Any] = draw(programs(prefix=f"{prefix}{len(found)}{more}_", **known))
        return steps

    for _ in range(draw(st.integers(0 if depth else 1, 4))):
        kinds = ["wait", "give", "set", "let", "use", "full", "label", "limit"] + ["hold"] * (not holding)
        kinds += ["call"] * (not unsure)
        kind = draw(st.sampled_from(kinds + ["if", "repeat", "while", "after", "each", "do"] * (depth < 2)))
        name = draw(st.sampled_from(names))
        term = f"{name} + {draw(st.integers(0, 3))}"
        new = f"{prefix}{len(names)}"
        if kind in ("let", "call"):
            found.append((kind, new, term))
            names = (*names, new)
        elif kind == "if":
            then = inner()
            found.append(
                (kind, f"{name} > {draw(st.integers(5, 12))}", then, inner("e") if draw(st.booleans()) else None)
            )
        elif kind == "repeat":
            found.append((kind, draw(st.sampled_from(["0", "2", f"{name} - 6"])), inner()))
        elif kind == "while":
            body = inner(names=(*names, new))
            found += [("let", new, "0 + 0"), (kind, new, body)]
            names = (*names, new)
        elif kind == "after":
            found.append((kind, term, inner()))
        elif kind == "each":
            taken = f"taken{depth}"  # as in the loops beside it
            found.append((kind, taken, term, inner(names=(*names, taken))))
        elif kind == "do":
            # No interrupt comes at an instant at which a step begins or ends.
            began = f"{prefix}{len(found)}_began"
            found.append((kind, began, f"{term} + {BELLS[depth]}", inner(unsure=True), inner("u")))
        elif kind == "hold":
            found.append((kind, inner(depth=2, holding=True)))
        else:
            found.append((kind, name, term))
    return found


def written(steps: list[Any], counter: list[int]) -> str:
    """Return the program as text."""
    lines = []
    for step in steps:
        kind, *parts = step
        if kind == "wait":
            lines.append(f"wait {parts[1]}")
        elif kind == "give":
            lines.append(f"give out({{at: now, value: {parts[1]}}})")
        elif kind == "label":
            counter[0] += 1
            lines.append(f"label{counter[0]}: give out({{at: now, value: {parts[1]}}})")
        elif kind == "limit":
            counter[0] += 1
            give = f"label{counter[0]}: give out({{at: now, value: {parts[0]}}})"
            lines.append(f"take never within {parts[1]} else label{counter[0]}\n{give}")
        elif kind == "full":
            lines.append(f"give full({parts[1]})")
        elif kind in ("set", "let"):
            lines.append(f"{kind} {parts[0]} = {parts[1]}")
        elif kind == "use":
            lines.append(f"use engine, other(1) for {parts[1]}")
        elif kind == "call":
            lines.append(f"call double({{value: {parts[1]}}}) -> {{twice: {parts[0]}}}")
        elif kind == "hold":
            lines.append(f"hold other(0)\n{written(parts[0], counter)}\nrelease other")
        elif kind == "if":
            other = "" if parts[2] is None else f"else\n{written(parts[2], counter)}\n"
            lines.append(f"if {parts[0]} then\n{written(parts[1], counter)}\n{other}end")
        elif kind == "repeat":
            lines.append(f"repeat {parts[0]}\n{written(parts[1], counter)}\nend")
        elif kind == "after":
            lines.append(f"choose\ntake never\nor after {parts[0]}\n{written(parts[1], counter)}\nend")
        elif kind == "each":
            lines.append(f"give queue({parts[1]}), queue(1)\nfor each queue({parts[0]})")
            lines.append(f"{written(parts[2], counter)}\nend")
        elif kind == "do":
            lines.append(f"let {parts[0]} = now\ngive alarm({{since: now, wait: {parts[1]}}})")
            lines.append(f"do\nwait 1\n{written(parts[2], counter)}")
            lines.append(f"unless bell({{since: {parts[0]}}})\n{written(parts[3], counter)}\nend")
        else:
            lines.append(f"while {parts[0]} < 2\n{written(parts[1], counter)}\nset {parts[0]} = {parts[0]} + 1\nend")
    return "\n".join(lines)


def carry_out(steps: list[Any], machine: Machine) -> None:
    """Check that it is the same as the meaning of the steps says."""
    for step in steps:
        kind, *parts = step
        if kind in ("wait", "use"):
            machine.wait(machine.value(parts[1]))
        elif kind in ("give", "label"):
            machine.out.append((machine.now, machine.value(parts[1])))
        elif kind == "limit":
            machine.wait(machine.value(parts[1]))
            machine.out.append((machine.now, machine.value(parts[0])))
        elif kind == "full":
            machine.log.append(machine.value(parts[1]))
        elif kind in ("set", "let"):
            machine.values[parts[0]] = machine.value(parts[1])
        elif kind == "call":
            machine.values[parts[0]] = 2 * machine.value(parts[1])
            machine.wait(3)
        elif kind == "hold":
            carry_out(parts[0], machine)
        elif kind == "if":
            carry_out(parts[1] if machine.value(parts[0]) else parts[2] or [], machine)
        else:
            carry_out_block(kind, parts, machine)


def carry_out_block(kind: str, parts: list[Any], machine: Machine) -> None:
    if kind == "repeat":
        for _ in range(machine.value(parts[0])):
            carry_out(parts[1], machine)
    elif kind == "after":
        machine.wait(machine.value(parts[0]))
        carry_out(parts[1], machine)
    elif kind == "each":
        machine.queue += [machine.value(parts[1]), 1]
        while machine.queue:
            machine.values[parts[0]] = machine.queue.pop(0)
            carry_out(parts[2], machine)
    elif kind == "do":
        do(parts, machine)
    else:
        while machine.values[parts[0]] < 2:
            carry_out(parts[1], machine)
            machine.values[parts[0]] += 1


def do(parts: list[Any], machine: Machine) -> None:
    _, time, body, otherwise = parts
    bell = machine.now + machine.value(time)
    around = list(machine.bells)
    machine.bells.append(bell)
    try:
        machine.wait(1)
        carry_out(body, machine)
    except Interrupt:
        if machine.now != bell:
            raise
        machine.bells = around
        carry_out(otherwise, machine)
    machine.bells = around


@pytest.mark.parametrize("engine", ENGINES)
@settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(steps=programs(), array=st.booleans())
def test_a_thread_does_what_its_steps_say(engine: str, steps: list[Any], array: bool) -> None:
    name = "t[i in 2..3, kind in Kind] if i == 3 and kind == two" if array else "t"
    text = f"{HEAD}thread {name}\ntake work(x)\n{written(steps, [0])}\nend\n"
    machine = Machine()
    carry_out(steps, machine)
    ran = simulate(text, engine)
    assert ran.error is None
    given = [(round(at, 4), value) for at, value in machine.out]
    assert [(round(at, 4), value) for at, value in ran.marking["out"]] == given
    assert [value for (value,) in ran.marking["log"]] == machine.log
    assert (len(ran.marking["engine"]), sorted(ran.marking["other"])) == (1, [(0,), (1,)])
    assert not any(tokens for name, tokens in ran.marking.items() if name.startswith("t."))


@settings(max_examples=10, deadline=None)
@given(steps=programs())
def test_the_layout_of_a_thread_keeps_its_meaning(steps: list[Any]) -> None:
    text = f"net a\n{HEAD}thread t\ntake work(x)\n{written(steps, [0])}\nend\n"
    shown = format_source(text, "a.net")
    assert format_source(shown, "a.net") == shown
    one, other = (simulate(language.loads(version), "reference") for version in (text, shown))
    assert (one.hash, one.order()) == (other.hash, other.order())
