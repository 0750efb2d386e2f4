"""Transitions that share machine code would have the same if it were written for each alone, and it runs as it should.

Code is made from a blueprint (`jit/blueprint`), and transitions with equal blueprints share it. A blueprint that leaves
out what matters gives a transition wrong code: here nets that differ in one thing, side by side, run with code and
without. And all code is written and compared, to see that nothing but the blueprint is in it.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st

import petri
from petri.engine.errors import ModelError
from petri.engine.interface import Limits
from petri.engine.native import NativeSession, available
from petri.net import Content, Counter, Event, Expr, Net, Passage
from petri.run.session import begin
from petri.structs import replace
from tests.engine.copies import beside
from tests.engine.kinds import KINDS
from tests.engine.nets import nets
from tests.engine.test_library import CASES, name_of
from tests.engine.variants import variants
from tests.sampling import one_in

if not available():
    pytest.skip("the native engine is not built", allow_module_level=True)

from petri import _native

LIMITS = Limits(firings_at_an_instant=1000, tokens=1 << 40)
RUN, FIRINGS = 1e6, 3_000  # how long nets run with code and without
BESIDE = 12  # variants of a random net that are compared together


def session(net: Net, levels: bool = False) -> NativeSession:
    begun = begin(net, "native", 1, 0, limits=LIMITS, levels=levels)
    assert isinstance(begun, NativeSession)
    return begun


@pytest.mark.parametrize("case", one_in(8, CASES, name_of))
def test_of_the_library(case: tuple[Path, dict[str, str]]) -> None:
    path, parameters = case
    running = session(petri.load(path, **parameters).net)
    running.advance(math.inf, 2_000)
    running.verify_shapes()


def test_a_ring_shares_the_code_of_its_first_station() -> None:
    ring = petri.load(Path(__file__).parents[2] / "benchmarks" / "nets" / "ring.net", stations=100).net
    assert session(ring).verify_shapes() == 99


def is_net(net: Net) -> bool:
    try:
        _native.Program(replace(net, probes=()))
    except ValueError:
        return False
    return True


def everything_changed_once(net: Net) -> Iterator[Net]:
    """Yield all nets that differ from one in one thing, one probe more among them."""
    for part in ("places", "transitions"):
        row = getattr(net, part)
        for at, entry in enumerate(row):
            yield from (replace(net, **{part: (*row[:at], other, *row[at + 1 :])}) for other in variants(entry))
    yield from (replace(net, probes=(Counter(at),)) for at in range(len(net.transitions)))
    arrivals = (Event(place=at) for at in range(len(net.places)))
    yield from (replace(net, probes=(Passage(arrival, arrival),)) for arrival in arrivals)
    coloured = (at for at, place in enumerate(net.places) if place.colour.slots)
    yield from (replace(net, probes=(Content(at, Expr("const", "int", value=1)),)) for at in coloured)


@pytest.mark.parametrize("kind", one_in(3, KINDS))
def test_of_nets_that_differ_in_one_thing(kind: str) -> None:
    """In whatever: a dependency that the key forgets lets two of them share what they must not."""
    net = KINDS[kind].net()
    together = beside([net, net, *filter(is_net, everything_changed_once(net))])
    program = _native.Program(together)
    interpreted, compiled = (
        _native.Session(program, (1, 2, 3), (1000, 1 << 40, after), False, False) for after in (1 << 62, 0)
    )
    assert interpreted.initial_fault is None
    assert compiled.verify_shapes() > 0
    ended = [(of.advance(RUN, FIRINGS), of.firings, of.hash, of.now) for of in (interpreted, compiled)]
    assert ended[0] == ended[1]
    assert compiled.ran_code or compiled.firings == 0


def changed(net: Net, chance: random.Random) -> Net | None:
    """Return a net with one thing changed in one of its places or transitions; None if it is a net no more."""
    part = chance.choice(("places", "transitions", "transitions"))
    row = [*getattr(net, part)]
    at = chance.randrange(len(row))
    row[at] = chance.choice([*variants(row[at])])
    other = replace(net, **{part: tuple(row)})
    return other if is_net(other) else None


def assert_shared_code_is_right(net: Net, seed: int, levels: bool, apart: bool) -> None:
    """Check copies side by side, each changed in one thing. `apart`: their names do not make them one array."""
    chance = random.Random(seed)
    others = [other for _ in range(BESIDE) if (other := changed(net, chance)) is not None]
    together = beside([net, net, *others])
    if apart:
        places = tuple(replace(place, name=place.name.replace("[", "_")) for place in together.places)
        together = replace(together, places=places)
    try:
        running = session(together, levels)
    except ModelError:
        return  # a key of an initial token fails
    running.advance(10.0, 200)
    shared = running.verify_shapes()
    event(f"{min(shared, 20) // 5 * 5} or more share code")


FEW = settings(deadline=None, suppress_health_check=list(HealthCheck), max_examples=4)
RUNS = given(nets(), st.integers(0, 1 << 30), st.booleans(), st.booleans())
test_of_random_nets_that_differ_in_one_thing = FEW(RUNS(assert_shared_code_is_right))
test_of_more_such_nets = pytest.mark.slow(settings(FEW, max_examples=20)(RUNS(assert_shared_code_is_right)))
