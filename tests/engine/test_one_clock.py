"""Nets of one clock, which have a loop of their own in machine code: random ones, on both engines."""

from __future__ import annotations

import math
import random

import pytest

import petri
from petri.engine.errors import ModelError
from petri.engine.interface import Limits, Session
from petri.engine.native import available
from petri.net import Net
from petri.run.session import begin
from petri.structs import replace
from tests.engine.test_engines_agree import assert_same_state, with_code
from tests.engine.without import without
from tests.sampling import one_in

if not available():
    pytest.skip("the native engine is not built", allow_module_level=True)

from petri import _native


def random_net(chance: random.Random, transitions: int) -> str:
    """Places with few tokens: conditions begin and cease to hold, rates are 0, infinite, or have no value."""
    names = [f"p{number}" for number in range(chance.randint(1, 4) + transitions // 2)]
    capacities = {name: chance.choice(["", "", "", f"  cap {chance.randint(12, 30)}"]) for name in names}
    places = [f"place {name} = {chance.randint(0, 12)} * token{capacities[name]}" for name in names]
    odd = chance.randrange(2 * transitions)
    return "\n".join(
        ["net reactions", *places, *(transition(chance, names, number, number == odd) for number in range(transitions))]
    )


def transition(chance: random.Random, names: list[str], number: int, is_rare: bool) -> str:
    def arcs(most: int) -> list[str]:
        chosen = chance.sample(names, chance.randint(0, min(most, len(names))))
        return [chance.choice(["", "", "2 * ", "3 * "]) + name for name in chosen]

    others = [f"read {arc}" for arc in arcs(1)] + [f"no {name} >= 4" for name in names if chance.random() < 0.03]
    inputs, outputs = ", ".join([*arcs(2), *others]), ", ".join(arcs(2))
    count = f"tokens({chance.choice(names)})"
    mean = chance.choice(
        ["2.5", "0.5", f"1 + 0.5 * {count}", f"3.0 / (1 + {count})", f"1 / (0.1 + 0.2 * {count} * {count})"]
    )
    rare = chance.choice(["0.0", f"1e9 * {count}", f"{count} - 1.0", f"1.0 / ({count} - 2)", f"1.0 * {count}"])
    servers = chance.choice(["", "  servers 3", "  servers all"])
    speed = chance.choice(["", "", "", f"  speed 0.5 * {count}"])
    clock = f"after exp({rare if is_rare else mean})"
    holds = chance.choice([f"{count} > 1", f"{count} != tokens({chance.choice(names)})", f"{count} mod 3 < 2"])
    fails = chance.choice([f"10 / ({count} - 2) > 1", f"10 div ({count} - 2) > 1"])
    guard = f"  when {fails if is_rare else holds}" if chance.random() < 0.3 else ""
    return f"transition t{number}: {inputs} -> {outputs or 'nothing'}  {clock}{servers}{speed}{guard}"


def advance(session: Session, until: float, firings: int) -> str:
    try:
        return session.advance(until, firings)
    except ModelError as error:
        return str(error)


def code(net: Net, left_out: str) -> str:
    with without(left_out):
        session = _native.Session(_native.Program(net), (1, 2, 3), (1000, 1 << 40, 1 << 62), False, False)
    return "".join(code for _, _, code, _ in session.listings(0))


def test_c4_a_guard_leaves_a_net_its_clock() -> None:
    text = """
    net epidemic
    place healthy = 5 * token
    place infected = token
    transition infect:  healthy, read infected -> infected  after exp(2.0)  servers all  speed tokens(infected)
    transition recover: infected -> healthy                 after exp(1.0)  servers all  when tokens(infected) > 1
    """
    net = petri.loads(text).net
    assert code(net, "") != code(net, "clock")
    sessions = [begin(net, "reference", 0, 0), *with_code(net, 0, (0, 60), Limits())]
    for session in sessions:
        session.advance(math.inf, 2000)
    for native in sessions[1:]:
        assert_same_state(sessions[0], native)


def test_the_nets_have_one_clock() -> None:
    """Most of them: their code is another than that of nets without this loop."""
    chance = random.Random(1)
    nets = [petri.loads(random_net(chance, transitions)).net for transitions in (1, 3, 12) * 4]
    assert sum(code(net, "") != code(net, "clock") for net in nets) >= 9


@pytest.mark.parametrize("transitions", [1, 3, 12, pytest.param(30, marks=pytest.mark.slow)])
@pytest.mark.parametrize("part", one_in(7, range(12)))
def test_c4_both_engines_do_the_same(transitions: int, part: int) -> None:
    chance = random.Random(f"{transitions} {part}")
    limits = Limits(firings_at_an_instant=2000, tokens=60 + 4 * transitions)
    for _ in range(3):
        net = replace(petri.loads(random_net(chance, transitions)).net, own_streams=part % 2 == 1)
        sessions = [begin(net, "reference", part, 0, limits=limits), *with_code(net, part, (0, 60), limits)]
        for _ in range(6):
            until, firings = chance.choice([(math.inf, 1), (math.inf, 40), (sessions[0].now + 2.0**27, 100)])
            (end,) = {advance(session, until, firings) for session in sessions}
            for native in sessions[1:]:
                assert_same_state(sessions[0], native)
            if end not in {"budget", "until"}:
                break
            for session in sessions:
                session.begin_window()
