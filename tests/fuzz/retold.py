"""A net told in other words: other names, other order of declarations, other layout. It must be the same net.

Where order shows in a run, it is kept: that of transitions, threads and instances (R2). That of types, constants,
functions and modules shows nowhere, that of places and of measures only in the order in which these are listed.
"""

from __future__ import annotations

import json
import math
import random
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import combinations
from pathlib import Path
from tempfile import mkdtemp
from typing import Any
from unittest.mock import patch

import numpy as np

from petri import language
from petri.codec import net_to_dict
from petri.engine.errors import ModelError
from petri.engine.interface import Session
from petri.engine.native import MOST_FIRINGS
from petri.language.layout.formatter import format_source
from petri.measure.figures import default_names, evaluate_all, figures
from petri.net import Net
from petri.traffic import with_streams
from tests.fuzz.finding import Finding
from tests.fuzz.modes import Run, State, begun, compare_results, differences, states
from tests.fuzz.texts import FREE, Text

ARRIVED = ("observed arrivals", "marking")
OF_PLACES = (
    "marking",
    "levels",
    *(f"observed {name}" for name in ("integral", "nonempty", "maximum", "arrivals", "initial")),
)
NAME = re.compile(r"N(\d+)[a-z]+")


@cache
def rows(number: int) -> Path:
    """Return a file of so many rows, 25 ns apart, some of them together."""
    path = Path(mkdtemp(prefix="pnsim-fuzz-")) / "rows.csv"
    lines = (f"{25 * (n - n % 3)},{64 * (n % 5 + 1)},{(3 * n) % 8}\n" for n in range(number))
    path.write_text("time [ns],size,flow\n" + "".join(lines))
    return path


def plain(text: Text) -> str:
    return "\n".join(declaration for _, declaration in text.declarations)


def loaded(source: str, streams: dict[str, int]) -> Net:
    return with_streams(language.loads(source), {name: rows(number) for name, number in streams.items()})


def other_name(name: str) -> str:
    """Another, which sorts the other way round and is no longer ASCII."""
    number = int(name[1 : re.match(r"N\d+", name).end()])  # type: ignore[union-attr]
    return f"{chr(ord('z') - number % 26)}{number}ö"


def renamed(source: str) -> str:
    return NAME.sub(lambda found: other_name(found.group()), source)


def reordered(text: Text, chance: random.Random) -> str:
    """Put the declarations that may stand anywhere anywhere; the others keep their order."""
    free = [declaration for kind, declaration in text.declarations if kind == FREE]
    kept = [declaration for kind, declaration in text.declarations if kind != FREE]
    chance.shuffle(free)
    for place in sorted(chance.randint(0, len(free)) for _ in kept)[::-1]:
        free.insert(place, kept.pop())
    return "\n".join(free)


def described(net: Net) -> str:
    """Everything that a flat net says, without positions in its source."""
    return json.dumps(net_to_dict(net, spans=False), sort_keys=True, ensure_ascii=False)


def told(net: Net, run: Run, engine: str = "native") -> list[State]:
    """Return the states of the net, interpreted, each with all declared figures by name."""
    with patch("petri.engine.native.PATIENCE", MOST_FIRINGS):
        session = begun(net, run, engine)
        return [{**state, "figures": values(net, session)} for state in states(run, session)]


def values(net: Net, session: Session | ModelError) -> dict[str, float]:
    if isinstance(session, ModelError) or not net.measures:
        return {}
    return evaluate_all(figures(net, default_names(net)), session.observe())


def check(text: Text, net: Net, run: Run, telling: str, expected: list[State]) -> Counter[str]:
    """Return the constructs that were drawn and those that have acted.

    Raises Finding where this telling is another net, or has other states than the `expected` ones.
    """
    TELLINGS[telling](text, net, run, expected)
    return acted(text, net, expected)


def formatted(text: Text, net: Net, run: Run, expected: list[State]) -> None:
    again = loaded(format_source(plain(text), "random.net"), text.streams)
    if described(again) != described(net):
        raise Finding("the formatted text is another net")


def with_other_names(text: Text, net: Net, run: Run, expected: list[State]) -> None:
    other = loaded(renamed(plain(text)), {other_name(name): number for name, number in text.streams.items()})
    if described(other) != renamed(described(net)):
        raise Finding("the text with other names is another net")
    compare_states("with other names", map(nameless, expected), map(nameless, told(other, run)))


def in_another_order(text: Text, net: Net, run: Run, expected: list[State]) -> None:
    other = loaded(reordered(text, random.Random(run.seed)), text.streams)
    if [t.name for t in net.transitions] != [t.name for t in other.transitions]:
        raise Finding("another order of declarations changes that of transitions")
    at = {place.name: number for number, place in enumerate(other.places)}
    order = [at[place.name] for place in net.places]
    again = (replaced(state, order) for state in told(other, run))
    compare_states("in another order", map(without_order, expected), map(without_order, again))


def as_a_result(text: Text, net: Net, run: Run, expected: list[State]) -> None:
    compare_results(net, run)


TELLINGS = {one.__name__: one for one in (formatted, with_other_names, in_another_order, as_a_result)}


def compare_states(what: str, one: Iterable[State], other: Iterable[State]) -> None:
    for before, after in zip(one, other, strict=True):
        if names := differences(before, after):
            raise Finding(f"{what} differs in {', '.join(names)}")


def nameless(state: State) -> State:
    """Leave out what contains names or positions in the source."""
    found = {name: value for name, value in state.items() if name != "initial marking"}
    if "figures" in state:
        found["figures"] = np.array(list(state["figures"].values()))
    if (error := state.get("error")) is not None:
        found["error"] = (error.id, error.transition, error.time, list(error.binding.values()))
    return found


def replaced(state: State, order: list[int]) -> State:
    """Put the places in this order."""

    def in_order(value: Any) -> Any:
        return value[order] if isinstance(value, np.ndarray) else [value[number] for number in order]

    return {
        name: in_order(value) if name in OF_PLACES and value is not None else value for name, value in state.items()
    }


def without_order(state: State) -> State:
    """Without what depends on the order of measures: which of them have taken in the firing that one stops (X4)."""
    found = {name: value for name, value in nameless(state).items() if not name.startswith("probe ")}
    if "figures" in state:
        found["figures"] = np.array([value for _, value in sorted(state["figures"].items())])
    if (error := state.get("error")) is not None:
        found["error"], found["figures"] = (error.transition, error.time), None
    return found


def acted(text: Text, net: Net, expected: list[State]) -> Counter[str]:
    """`drawn: NAME` of each construct, `acted: NAME` of those of which a witness has shown something, and
    `both: NAME & NAME` of each pair of these.
    """
    active: set[str] = set()
    for state in expected:
        for t, count in zip(net.transitions, state.get("observed firings", ()), strict=False):
            active.update(shown(t.name) if count else ())
        for place, arrived, tokens in zip(net.places, *(state.get(name, ()) for name in ARRIVED), strict=False):
            active.update([f"{place.name} empty"] if arrived and not tokens else ())
        active |= {
            f"measure {name}" for name, value in state["figures"].items() if value != 0 and not math.isnan(value)
        }
    acting = sorted(name for name, by in text.uses.items() if active.intersection(by))
    return (
        Counter(f"drawn: {construct}" for construct in text.uses)
        + Counter(f"acted: {name}" for name in acting)
        + Counter(f"both: {first} & {second}" for first, second in combinations(acting, 2))
    )


def shown(name: str) -> Iterator[str]:
    """Return what a firing belongs to: `a[0].b[1].c` to `a.b.c`, to `a.b` and its step `a.b c`, and to `a`."""
    name = re.sub(r"\[\d+\]", "", name)
    yield name
    owner, _, step = name.rpartition(".")
    while owner:
        yield owner
        yield f"{owner} {step}"
        owner = owner.rpartition(".")[0]
