"""The token game with an engine: what is fired is recorded, what is left can be returned to."""

from __future__ import annotations

import json
import math

import pytest

import petri
from petri.report.html.play import played, token_game
from petri.run.game import MOST_BRANCHES, Game
from petri.run.recording import record
from tests.report.test_play import trace
from tests.report.test_why import loaded

CHOICES = """net choices
time s
place p : int = 1, 2, 3
place q : int
place clock = token
transition go:    p(n) -> q(n)  takes 1 s
transition late:  clock -> nothing  after exp(5 s)
transition leave:  q(n) -> nothing  when n != 2  priority 1
"""


@pytest.mark.parametrize("name", ["dining_philosophers", "ixp_thread", "preemptive_priority", "delays"])
def test_chance_alone_gives_the_recording_of_a_run(name: str) -> None:
    net = loaded(name).net
    game = Game(net, 3)
    game.play(0, None, 60)
    page = trace(token_game(net, {}, record(net, 3, 0, math.inf, 60), ""))
    shown = json.loads(played(game, ""))
    assert {name: shown[name] for name in ("rows", "verdicts")} == {name: page[name] for name in ("rows", "verdicts")}


def test_the_player_chooses_the_binding_and_returns_to_what_was_left() -> None:
    game = Game(petri.loads(CHOICES).net, 1)
    assert [(one.transition, one.variables) for one in game.could[0]] == [(0, (1,)), (0, (2,)), (0, (3,))]
    game.play(0, 1)
    game.play(1, None, 4)
    assert game.recording().happenings[0].variables == (2,)
    first = {**json.loads(played(game, "")), "branches": []}
    game.play(0, 2)
    assert game.recording().happenings[0].variables == (3,)
    assert game.branches[0].parted(game.branch) == 0
    game.play(0, 0)
    game.play(1, None)
    assert len(game.branches) == 2
    game.take(0)
    assert {**json.loads(played(game, "")), "branches": []} == first
    assert [one.firings[0][1] for one in game.branches] == [(3,), (1,)]


def test_what_was_left_is_kept_up_to_a_number() -> None:
    game = Game(petri.loads(CHOICES).net, 1)
    for number in range(MOST_BRANCHES + 5):
        game.play(0, number % 3)
    assert len(game.branches) == MOST_BRANCHES
    game.take(MOST_BRANCHES - 1)
    assert len(game.branches) == MOST_BRANCHES


def test_an_error_of_the_net_ends_it() -> None:
    net = petri.loads("place a : int = 2\ntransition t: a(n) -> a(6 div n - 3)  takes 1 s\ntime s\n").net
    game = Game(net, 1)
    game.play(0, None, 50)
    assert game.fault is not None
    assert game.could[-1] == []
    assert json.loads(played(game, "stopped"))["ended"] == "stopped"
    game.play(0, 0)
    assert game.could[-1] != []
