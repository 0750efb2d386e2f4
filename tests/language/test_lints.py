"""Warnings about choices by chance, and about instants that do not end, say what a run does."""

from __future__ import annotations

from random import Random

import pytest

import petri
from petri.engine.interface import Limits
from petri.language.checking.conflicts import conflicts
from petri.language.checking.endless import endless
from petri.net import Net
from petri.run.walk import Walk
from tests.engines import FASTEST

CLAUSES = (
    "",
    "",
    "",
    "",
    "takes 1",
    "takes exp(1)",
    "after exp(1)",
    "after 0",
    "priority 1",
    "weight 2",
    "priority -1",
)


def random_text(rnd: Random) -> str:
    """Return a net in which few places are shared by many transitions, most of them immediate."""
    kinds = [rnd.choice(["", "", ": int", ": 0..2"]) for _ in range(rnd.randint(2, 4))]
    lines = ["net drawn", "run until 20"]
    for number, kind in enumerate(kinds):
        clauses = [f"cap {rnd.randint(2, 3)}"] * (rnd.random() < 0.25) + ["fifo"] * (kind != "" and rnd.random() < 0.2)
        initial = ["= 0, 1" if kind else f"= {rnd.randint(1, 2)} * token"] * (rnd.random() < 0.6)
        lines.append(" ".join(("place", f"p{number}", kind, *clauses, *initial)))
    return "\n".join(lines + [random_transition(rnd, kinds, number) for number in range(rnd.randint(2, 5))]) + "\n"


def random_transition(rnd: Random, kinds: list[str], number: int) -> str:
    inputs, values = list[str](), list[str]()
    for place in rnd.sample(range(len(kinds)), rnd.randint(1, 2)):
        pattern = rnd.choice([f"v{place}", f"v{place}", "1", "_"]) if kinds[place] else ""
        values += [pattern] * pattern.startswith("v")
        word = rnd.choice(["", "", "", "2 * " if not kinds[place] else "", "read " if inputs else ""])
        inputs.append(f"{word}p{place}" + (f"({pattern})" if pattern else ""))
    inputs += [f"no p{rnd.randrange(len(kinds))}"] * (rnd.random() < 0.15)
    outputs = []
    for place in rnd.sample(range(len(kinds)), rnd.randint(0, 2)):
        value = rnd.choice([*values, "0", "1", *(f"{one} + 1" for one in values)])
        output = f"p{place}({value})" if kinds[place] else rnd.choice(["", "", "2 * "]) + f"p{place}"
        outputs.append(f"if {values[0]} > 0 then {output}" if values and rnd.random() < 0.15 else output)
    clauses = [rnd.choice(CLAUSES), *[f"when tokens(p{rnd.randrange(len(kinds))}) < 2"] * (rnd.random() < 0.15)]
    return f"transition t{number}: {', '.join(inputs)} -> {', '.join(outputs) or 'nothing'}  {' '.join(clauses)}"


def told_truly(flat: Net) -> int:
    """Return how many warnings there are; what they say is compared with runs."""
    rings, pairs = list(endless(flat)), list(conflicts(flat))
    numbers = {one.name: number for number, one in enumerate(flat.transitions)}
    if rings:
        result = petri.Model(flat).run(limits=Limits(2_000, 2_000), engine=FASTEST)
        fired = result.transitions.firings.value
        assert result.failure is not None or not any(fired[numbers[one.name]] for ring in rings for one in ring)
    walk = Walk(flat, 1, 0)
    for _ in range(25 if pairs else 0):
        enabled = {one.transition for one in walk.enabled()}
        for pair in pairs:
            assert numbers[pair.blocked.name] not in enabled or numbers[pair.free.name] in enabled
        if walk.reason != "budget":
            break
        walk.fire()
    return len(rings) + len(pairs)


@pytest.mark.parametrize(
    ("seed", "texts", "least"), [(1, 15, 2), *(pytest.param(n, 1_000, 100, marks=pytest.mark.slow) for n in (2, 3))]
)
def test_what_random_nets_are_warned_of_is_so(seed: int, texts: int, least: int) -> None:
    rnd, found = Random(seed), 0
    for _ in range(texts):
        try:
            flat = petri.loads(random_text(rnd)).net
        except petri.LanguageError:
            continue
        found += told_truly(flat)
    assert found >= least
