"""Traces of random nets, and of nets for single rules, obey the rules as `tests/semantics/replay.py` reads them."""

from __future__ import annotations

import math
import random
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import pytest

import petri
from petri.engine.errors import ModelError
from petri.engine.interface import Limits
from petri.net import Net
from petri.run.session import begin
from petri.structs import replace
from petri.traffic import with_streams
from tests.engine.joins import joining_net
from tests.engine.mutated import Random
from tests.engine.nets import chosen_net
from tests.engine.races import race
from tests.engines import ENGINES
from tests.semantics.replay import Broken, Replay

LIMITS = Limits(firings_at_an_instant=60, tokens=60)
STOPS = {"token-limit", "clock-limit", "instant-limit"}  # X3, which the replay leaves to others


def drawn(seed: int) -> Net:
    """Return a random net. All that this file takes from generators comes through here."""
    if seed % 10 == 0:
        return joining_net(Random(seed))
    return petri.loads(race(random.Random(seed))).net if seed % 10 == 1 else chosen_net(Random(seed))


def assert_obeys(
    net: Net, engine: str, seed: int, firings: int, limits: Limits = LIMITS, rows: Sequence[int] = ()
) -> int:
    """Check a run against the rules: its firings, its end, and the marking there. Returns the number of firings.

    rows: of the stream of the first place.
    """
    net = replace(net, probes=(), measures=(), expectations=(), own_streams=False)
    session, right = (
        begin(net, engine, seed, 0, limits=limits, trace=True),
        Replay(net, seed, rows={0: [(row,) for row in rows]}),
    )
    reason = session.advance(math.inf, firings)
    for traced in session.trace():
        right.check(traced)
    if session.error is None:
        assert (reason == "dead") is (right.advance() == {})
        assert (right.now, right.marking()) == (session.now, session.marking().in_ticks())
    elif session.error.id not in STOPS:
        with pytest.raises(ModelError):
            right.fire(*right.choose(right.advance()))
    return right.firings


def assert_nets_obey(engine: str, seeds: Iterable[int]) -> int:
    """Return how many firings there were."""
    total = 0
    for seed in seeds:
        try:
            total += assert_obeys(drawn(seed), engine, seed % 7, 40)
        except Exception as error:
            error.add_note(f"net {seed}")
            raise
    return total


@pytest.mark.parametrize("engine", ENGINES)
def test_random_nets_obey_the_rules(engine: str) -> None:
    assert assert_nets_obey(engine, range(120)) > 1000


@pytest.mark.slow
@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("thousand", range(5))
def test_many_random_nets_obey_the_rules(engine: str, thousand: int) -> None:
    assert assert_nets_obey(engine, range(1000 * thousand, 1000 * (thousand + 1))) > 8000


NETS = {
    # The clock that was set last is due when tokens have gone; the others keep what is left (C2, C3).
    "clocks of black tokens that have gone": """
place p = 4 * token
place more = token
transition t: p -> p in 3  after choice(1.0: 1, 2.0: 1, 3.0: 1)  resume  servers 3
transition u: more, 2 * p -> 2 * p in 2, more in 3  after 1.0  priority 1
""",
    # A row of a stream comes when its place is empty, also between two firings at one instant.
    "inhibitors, resets and room": """
place p : int fifo cap 3 = 1, 2
place go = 9 * token
place black cap 2
transition put: go, no p(2) >= 2 -> p(tokens(p)), black
transition clear: reset p, black -> p(7)  takes 1
transition both: read black, black -> go in 1
""",
    # An arc that reads finds another token than the one after it (E1).
    "a token is found once": """
place p : 0..9 = 1, 2
place q : 0..9 = 3
transition t: read p(x), p(y) -> q(x)  takes 1
transition u: q(x), read q(y) -> p(y)  takes 1
""",
    "all tokens as the discipline shows them": """
type T = { k: 0..9, n: int }
place q : T by (k, -n) = T(3, 1), T(1, 5), T(2, 2), T(1, 7)
place l : int lifo = 1, 2, 3, 4
place out : int fifo
place go = 4 * token
transition t: go, any q({n}) -> out(n)  prefer most n mod 5  takes 1
transition u: go, any l(x) -> out(x)  when x mod 2 == 0  takes 1
transition v: out(x), all q({k, n}) when n > x, all l(y) when y < x -> each out(n), each out(y)  takes 2
""",
    "preferences of two keys": """
place p : { a: 0..3, b: 0..3 } = {a: i mod 2, b: i} for i in 0..3
place out : 0..3 fifo
transition t: p({a, b}) -> out(b)  prefer least (a, -b)  takes 1
transition u: out(b) -> p({a: 3 - b, b})  takes exp(1)
""",
    "deliveries that arrive together": """
place go = 9 * token
place out : int fifo
transition t: go -> out(1), out(2) in 2, out(3) in 2, go in 5  takes 2
transition u: out(x), out(y) -> out(10 * x + y)  when x < 100  takes 1
""",
    "epidemic": """
place well = 9 * token
place ill = 3 * token
place gone
transition infect: well, ill -> 2 * ill  after exp(20 / (tokens(well) * tokens(ill)))
transition heal: ill -> well  after exp(2)  servers all  speed 1 / (1 + tokens(gone))
transition die: ill -> gone  after exp(9)  servers 2
transition back: gone -> well  after erlang(2, 4)  servers all
transition leave: gone -> nothing  after 9  servers all  repeat
transition come: 2 * well -> 3 * well  after exp(3)
""",
    "what black tokens allow": """
place p = 7 * token
place door = token
place away
transition use: p, read 2 * p, door -> p in 1, door  after 2  servers all
transition shut: door -> door in 5  after 3
transition again: p, door -> p, door  after uniform(0.5..2.0)  repeat  servers 3
transition lose: read (1 + tokens(door)) * p, p -> away  after exp(4)  servers 2
transition back: away -> p  after exp(1) speed tokens(p)  servers all
transition tire: away -> p  after 3  servers all
""",
    "which of several black tokens": """
place p = 4 * token
place out
place late
transition t: p, no out -> out  after 1  servers all
transition u: p -> late  after uniform(1.5..3.0)  servers all
transition v: out -> p  after uniform(0.5..3.0)  servers all
transition w: late -> p  after 2  servers all
""",
    "memories": """
place up = token
place down
place go : 0..9 = i for i in 0..3
place gone : 0..9
transition fail: up -> down  after exp(1)
transition repair: down -> up  after 0.5
transition resumed: go(n), read up -> gone(n)  after 3.0  resume
transition repeated: gone(n), read up -> go(n)  after uniform(1.0..2.0)  repeat
""",
    "clocks with a speed": """
place job : real = 1.5, 2.5, 4.0
place more = 4 * token
transition serve: job(w) -> more  after w  speed 1 / tokens(job)  resume
transition come: more -> job(w)  draw w ~ exp(2)  takes exp(1)
transition stall: job(w), no more >= 2 -> job(w) in 1  after uniform(1.0..3.0)  repeat  speed tokens(more)
""",
}


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", NETS)
def test_nets_for_single_rules_obey_them(name: str, engine: str) -> None:
    net = petri.loads(f"net rules\n{NETS[name]}").net
    for seed in (1, 2, 3, 20):
        assert assert_obeys(net, engine, seed, 60, Limits()) > 5


STREAM = """net stream
place rows : int = stream()
place server = token
place seen : int
transition two: rows(n), rows(m) -> seen(n + m)  priority 9
transition take: rows(n), server -> seen(n), server in 1
transition back: seen(n) -> rows(-n)  takes 1  when n > 2
"""


@pytest.mark.parametrize("engine", ENGINES)
def test_a_stream_shows_one_row_at_a_time(engine: str, tmp_path: Path) -> None:
    rows = tmp_path / "rows.csv"
    rows.write_text("value\n1\n2\n3\n4\n")
    net = with_streams(petri.loads(STREAM).net, {"rows": rows})
    assert assert_obeys(net, engine, 1, 60, rows=(1, 2, 3, 4)) == 5


@pytest.mark.parametrize("place", ["start", "end", "transition", "variables", "left out"])
def test_a_trace_that_breaks_a_rule_is_seen(place: str) -> None:
    net = petri.loads(f"net wrong\n{NETS['a token is found once']}").net
    session, right = begin(net, "reference", 1, 0, trace=True), Replay(net, 1)
    session.advance(math.inf, 10)
    traced = list(session.trace())
    wrong = traced[5]
    change: dict[str, Any] = {
        "start": {"start": wrong.start + 1.0, "end": wrong.end + 1.0},
        "end": {"end": wrong.end + 1.0},
        "transition": {"transition": 1 - wrong.transition},
        "variables": {"variables": [value + 1 for value in wrong.variables]},
    }
    traced[5:6] = [wrong._replace(**change[place])] if place in change else []
    for one in traced[:5]:
        right.check(one)
    with pytest.raises(Broken):
        right.check(traced[5])
