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
service double : { value: int } -> { twice: int }
transition answer: double(r) -> reply(r with {twice: 2 * r.value})  takes 3
transition drain:  full(n) -> log(n)
"""


@dataclass
class Machine:
    """What a thread does, without a net: its clock, its values and its outputs."""

    now: int = 0
    values: dict[str, int] = field(default_factory=lambda: {"x": 7})
    out: list[tuple[int, int]] = field(default_factory=list)
    log: list[int] = field(default_factory=list)

    def value(self, text: str) -> int:
        return int(eval(text, {}, self.values))  # sums of names and numbers, made here


@st.composite
def programs(
    draw: st.DrawFn, names: tuple[str, ...] = ("x",), depth: int = 0, holding: bool = False, prefix: str = "v"
) -> list[Any]:
    """Steps as tuples; `names` are the values known there, `holding`: within a `hold`."""
    found: list[Any] = []
    for _ in range(draw(st.integers(0 if depth else 1, 4))):
        kinds = ["wait", "give", "set", "let", "use", "call", "full", "label", "limit"] + ["hold"] * (not holding)
        kind = draw(st.sampled_from(kinds + ["if", "repeat", "while"] * (depth < 2)))
        name = draw(st.sampled_from(names))
        term = f"{name} + {draw(st.integers(0, 3))}"
        if kind in ("let", "call"):
            new = f"{prefix}{len(names)}"
            found.append((kind, new, term))
            names = (*names, new)
        elif kind == "if":
            then = draw(programs(names=names, depth=depth + 1, holding=holding, prefix=f"{prefix}{len(found)}_"))
            otherwise = draw(
                st.none() | programs(names=names, depth=depth + 1, holding=holding, prefix=f"{prefix}{len(found)}e_")
            )
            found.append((kind, f"{name} > {draw(st.integers(5, 12))}", then, otherwise))
        elif kind == "repeat":
            body = draw(programs(names=names, depth=depth + 1, holding=holding, prefix=f"{prefix}{len(found)}_"))
            found.append((kind, draw(st.sampled_from(["0", "2", f"{name} - 6"])), body))
        elif kind == "while":
            new = f"{prefix}{len(names)}"
            body = draw(
                programs(names=(*names, new), depth=depth + 1, holding=holding, prefix=f"{prefix}{len(found)}_")
            )
            found += [("let", new, "0 + 0"), (kind, new, body)]
            names = (*names, new)
        elif kind == "hold":
            found.append((kind, draw(programs(names=names, depth=2, holding=True, prefix=f"{prefix}{len(found)}_"))))
        else:
            found.append((kind, name, term))
    return found


def written(steps: list[Any], counter: list[int]) -> str:
    """The program as text."""
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
        else:
            lines.append(f"while {parts[0]} < 2\n{written(parts[1], counter)}\nset {parts[0]} = {parts[0]} + 1\nend")
    return "\n".join(lines)


def carry_out(steps: list[Any], machine: Machine) -> None:
    """The same as the meaning of the steps says."""
    for step in steps:
        kind, *parts = step
        if kind in ("wait", "use"):
            machine.now += machine.value(parts[1])
        elif kind in ("give", "label"):
            machine.out.append((machine.now, machine.value(parts[1])))
        elif kind == "limit":
            machine.now += machine.value(parts[1])
            machine.out.append((machine.now, machine.value(parts[0])))
        elif kind == "full":
            machine.log.append(machine.value(parts[1]))
        elif kind in ("set", "let"):
            machine.values[parts[0]] = machine.value(parts[1])
        elif kind == "call":
            machine.values[parts[0]] = 2 * machine.value(parts[1])
            machine.now += 3
        elif kind == "hold":
            carry_out(parts[0], machine)
        elif kind == "if":
            carry_out(parts[1] if machine.value(parts[0]) else parts[2] or [], machine)
        elif kind == "repeat":
            for _ in range(machine.value(parts[0])):
                carry_out(parts[1], machine)
        else:
            while machine.values[parts[0]] < 2:
                carry_out(parts[1], machine)
                machine.values[parts[0]] += 1


@pytest.mark.parametrize("engine", ENGINES)
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(steps=programs(), array=st.booleans())
def test_a_thread_does_what_its_steps_say(engine: str, steps: list[Any], array: bool) -> None:
    name = "t[i in 2..3, kind in Kind] if i == 3 and kind == two" if array else "t"
    text = f"{HEAD}thread {name}\ntake work(x)\n{written(steps, [0])}\nend\n"
    machine = Machine()
    carry_out(steps, machine)
    ran = simulate(text, engine)
    assert ran.error is None
    assert [(round(at), value) for at, value in ran.marking["out"]] == machine.out
    assert [value for (value,) in ran.marking["log"]] == machine.log
    assert (len(ran.marking["engine"]), sorted(ran.marking["other"])) == (1, [(0,), (1,)])
    assert not any(tokens for name, tokens in ran.marking.items() if name.startswith("t."))


@settings(max_examples=25, deadline=None)
@given(steps=programs())
def test_the_layout_of_a_thread_keeps_its_meaning(steps: list[Any]) -> None:
    text = f"net a\n{HEAD}thread t\ntake work(x)\n{written(steps, [0])}\nend\n"
    shown = format_source(text, "a.net")
    assert format_source(shown, "a.net") == shown
    one, other = (simulate(language.loads(version), "reference") for version in (text, shown))
    assert (one.hash, one.order()) == (other.hash, other.order())
