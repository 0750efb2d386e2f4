"""Nets of one clock, which have a loop of their own in machine code: random ones, on both engines."""

from __future__ import annotations

import math
import random

import pytest

import petri
from petri.engine.errors import ModelError
from petri.engine.interface import Limits, Session
from petri.engine.native import available
from petri.run.session import begin
from petri.structs import replace
from tests.engine.test_engines_agree import assert_same_state

if not available():
    pytest.skip("the native engine is not built", allow_module_level=True)

LIMITS = Limits(firings_at_an_instant=200, tokens=400)


def random_net(chance: random.Random, transitions: int) -> str:
    """Places with few tokens: conditions begin and cease to hold, rates are 0, infinite, or have no value."""
    names = [f"p{number}" for number in range(chance.randint(1, 6))]
    capacities = {name: chance.choice(["", "", "", f"  cap {chance.randint(12, 30)}"]) for name in names}
    places = [f"place {name} = {chance.randint(0, 12)} * token{capacities[name]}" for name in names]
    return "\n".join(["net reactions", *places, *(transition(chance, names, number) for number in range(transitions))])


def transition(chance: random.Random, names: list[str], number: int) -> str:
    def arcs(most: int) -> list[str]:
        chosen = chance.sample(names, chance.randint(0, min(most, len(names))))
        return [chance.choice(["", "", "2 * ", "3 * "]) + name for name in chosen]

    others = [f"read {arc}" for arc in arcs(1)] + [f"no {name} >= 4" for name in names if chance.random() < 0.1]
    inputs, outputs = ", ".join([*arcs(2), *others]), ", ".join(arcs(2))
    count = f"tokens({chance.choice(names)})"
    mean = chance.choice(["2.5", "0.5", f"1.0 * {count}", f"3.0 / {count}", f"1 / (0.1 * {count} * ({count} - 1))"])
    rare = chance.choice(["0.0", f"1e9 * {count}", f"{count} - 1.0"])
    servers = chance.choice(["", "  servers 3", "  servers all"])
    speed = chance.choice(["", "", "", f"  speed 0.5 * {count}"])
    clock = f"after exp({mean if chance.random() < 0.98 else rare})"
    return f"transition t{number}: {inputs} -> {outputs or 'nothing'}  {clock}{servers}{speed}"


def advance(session: Session, until: float, firings: int) -> str:
    try:
        return session.advance(until, firings)
    except ModelError as error:
        return str(error)


@pytest.mark.parametrize("patience", [0, 60])
@pytest.mark.parametrize("transitions", [1, 3, 12, 30])
@pytest.mark.parametrize("part", [*range(4), *(pytest.param(part, marks=pytest.mark.slow) for part in range(4, 60))])
def test_c4_both_engines_do_the_same(
    transitions: int, part: int, patience: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("petri.engine.native.PATIENCE", patience)
    chance = random.Random(f"{transitions} {part}")
    for _ in range(5):
        net = replace(petri.loads(random_net(chance, transitions)).net, own_streams=part % 2 == 1)
        reference, native = (begin(net, engine, part, 0, limits=LIMITS) for engine in ("reference", "native"))
        for piece in range(6):
            until, firings = chance.choice([(math.inf, 1), (math.inf, 40), (reference.now + 2.0**20 * piece, 100)])
            ends = [advance(session, until, firings) for session in (reference, native)]
            assert ends[0] == ends[1]
            assert_same_state(reference, native)
            if ends[0] not in {"budget", "until"}:
                break
            for session in (reference, native):
                session.begin_window()
