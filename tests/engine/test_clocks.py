"""Clocks on both engines, interpreted and as machine code, in nets that each show one case; random ones are in
`test_engines_agree.py`."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

import petri
from benchmarks import accelerators
from petri.engine.interface import Limits
from petri.engine.native import MOST_FIRINGS, available
from petri.run.session import begin
from tests.engine.races import coloured_race, race
from tests.engine.test_engines_agree import assert_same_state, with_code
from tests.fuzz.modes import Run, compare

if not available():
    pytest.skip("the native engine is not built", allow_module_level=True)

NETS = {
    # Each firing of `use` needs another clock for the same token (C1).
    "a token that is read stays": """
place work = 40 * token
place tool : 0..9 = i for i in 0..4
place done : 0..9
transition use: work, read tool(n) -> done(n)  after uniform(1.0..3.0)
""",
    "clocks that end at one instant": """
place job : 0..9 = i for i in 0..9
place rest : 0..9
place free = 2 * token
transition serve: job(n), free -> rest(n), free  after 2.0
transition back: rest(n) -> job(n)  after 1.0  priority 1
transition other: job(n) -> rest(n)  after 4.0
""",
    "processor sharing": """
place source = token
place job : real
place served
transition arrive: source -> source, job(w)  draw w ~ exp(1)  takes exp(1.5)
transition leave: job(w) -> served  after w  speed 1 / tokens(job)
""",
    "patience": """
place source = token
place queue : int fifo
place server = token
place busy
place lost
transition arrive: source -> source, queue(n)  draw n ~ uniform(0..9)  takes exp(1)
transition begin: queue(n), server -> busy
transition serve: busy -> server  after exp(1.2)
transition leave: any queue(n) -> lost  after 2.0
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
    # Two of three clocks that run lose the token that their place shows, one gets it back below another.
    "the token that a place shows": """
type Job = { size: 1..4, turn: 0..9 }
place line : Job fifo = Job(1 + i mod 4, i) for i in 0..5
place pile : Job lifo = Job(3, 9)
place rank : Job by turn = Job(2, 5)
place tool = token
transition serve: line(j), tool -> pile(j), tool  after j.size + 1  when j.size != 3
transition skip: line(j) -> line(j with {turn: (j.turn + 1) mod 10})  after 4
transition undo: pile(j) -> rank(j)  after uniform(1..6)  resume
transition again: rank(j) -> line(j)  after 0.5 * j.size  repeat  speed 1 / (1 + tokens(pile))
transition both: line(j), read rank(k), read tool -> line(k)  after exp(4 + j.turn)
""",
    "what takes nothing has one clock": """
place p
place rest = 40 * token
transition come: -> p  after exp(1)  servers 3
transition go: p -> nothing  after 0.5
transition wait: rest -> nothing  after 0.25
""",
    "an epidemic": """
place healthy = 30 * token
place ill = 3 * token
transition infect: healthy, ill -> 2 * ill  after exp(20 / (tokens(healthy) * tokens(ill)))
transition recover: ill -> healthy  after exp(1)  servers all
transition two: 2 * ill -> 2 * healthy  after 1.5  servers 3
""",
    # Each black token has clocks of two transitions, and is taken by each of them, by the common clock, and in order.
    "black tokens with clocks": """
place up = 4 * token
place down
place door = token
transition fail: up -> down  after exp(20)  servers all
transition wear: up -> down  after erlang(2, 12)  servers all
transition retire: up -> up  after 8  servers all
transition pair: 2 * up -> up, down  after exp(9)  servers 3
transition inspect: up, door -> up, door  takes 3
transition mend: down -> up  after 1  servers 2
""",
}


@pytest.mark.parametrize("name", NETS)
def test_both_engines_do_the_same(name: str) -> None:
    net = petri.loads(f"net clocks\n{NETS[name]}").net
    reference, natives = begin(net, "reference", 1, 0), with_code(net, 1, (0, 100, MOST_FIRINGS), Limits())
    for piece in (1, 7, 300):
        for session in (reference, *natives):
            session.advance(math.inf, piece)
            session.begin_window()
        for native in natives:
            assert_same_state(reference, native)
    assert reference.firings >= 40


@pytest.mark.parametrize("name", accelerators.TEXTS)
def test_latency_nets_agree(name: str, tmp_path: Path) -> None:
    net = accelerators.accelerator(name, tmp_path, times=1)
    compare(net, Run(seed=1, firings=150, levels=False, patience=(0,)))


def assert_races_agree(text: Callable[[Random], str], first: int, number: int) -> None:
    for seed in range(first, first + number):
        compare(petri.loads(text(Random(seed))).net, Run(seed=seed, firings=120, levels=False, patience=(0,)))


@pytest.mark.parametrize("text", [race, coloured_race])
def test_races_agree(text: Callable[[Random], str]) -> None:
    assert_races_agree(text, 0, 4)


@pytest.mark.slow
@pytest.mark.parametrize("text", [race, coloured_race])
def test_many_races_agree(text: Callable[[Random], str]) -> None:
    assert_races_agree(text, 100, 400)
