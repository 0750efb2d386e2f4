"""`pnsim step`: the walk is the run of its seed, also after going back; and what its commands print."""

from __future__ import annotations

import io
import math
import sys
from collections.abc import Callable

import pytest

import petri
from petri.engine.reference import Engine
from petri.net import Net
from petri.run import walk as walking
from petri.run.walk import Walk
from tests.cli.calling import caller
from tests.report.test_why import PORT


def hash_of_run(net: Net, firings: int) -> int:
    engine = Engine(net, seed=5, replication=0)
    engine.advance(math.inf, firings)
    return engine.hash.value


@pytest.mark.parametrize(
    "name", ["dining_philosophers", "byte_limited_port", "ixp_thread", "reneging", "shaping_recorded"]
)
def test_by_chance_the_walk_is_the_run_also_after_going_back(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(walking, "EVERY", 50)
    net = petri.load(name).net
    walk = Walk(net, seed=5, replication=0)
    walk.run(lambda: False, 160)
    hashes = [walk.engine.hash.value]
    for count in (7, 70, 1000):
        walk.back(count)
        walk.run(lambda: False, 160 - walk.firings)
        hashes.append(walk.engine.hash.value)
    if name != "shaping_recorded":  # whose rows the plain engine is not fed
        assert hashes[0] == hash_of_run(net, 160)
    assert len(set(hashes)) == 1


def test_a_choice_is_kept_until_it_is_undone() -> None:
    walk = Walk(petri.load("dining_philosophers").net, seed=5, replication=0)
    usual = walk.enabled()
    first = usual[-1]
    assert walk.fire(first)[0].variables[0] == first.variables[0]
    chosen = walk.engine.hash.value
    walk.fire()
    walk.back(1)
    assert walk.engine.hash.value == chosen
    walk.back(1)
    assert walk.enabled() == usual
    walk.fire()
    assert walk.engine.hash.value == hash_of_run(walk.net, 1)


def test_the_state_has_what_firings_hold() -> None:
    walk = Walk(petri.loads(PORT).net, seed=1, replication=0)
    walk.run(lambda: walk.now >= 3_000)
    send = next(number for number, one in enumerate(walk.net.transitions) if one.name == "send")
    assert [(one.transition == send, one.took) for one in walk.state().in_progress][-1] == (True, ((1, 1), (2, 1)))


def test_only_bindings_whose_clock_has_run_down_can_be_chosen() -> None:
    net = petri.loads("net c\nplace p : int = 3, 1, 2\ntransition t: p(n) -> nothing  after 1.0 * n").net
    walk = Walk(net, seed=1, replication=0)
    for number in (1, 2, 3):
        (only,) = walk.enabled()
        assert (only.variables, walk.now) == ((number,), net.tick.ticks(number))
        walk.fire(only)


@pytest.fixture
def step(capsys: pytest.CaptureFixture[str], tmp_path: object, monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    """Return what `pnsim step` prints for some commands."""

    def run(*lines: str, text: str = PORT) -> str:
        path = f"{tmp_path}/port.net"
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        monkeypatch.setattr(sys, "stdin", io.StringIO("".join(f"{line}\n" for line in lines)))
        found = caller(capsys)("step", path)
        assert found.status == 0
        return found.out

    return run


def test_commands(step: Callable[..., str]) -> None:
    out = step("", "c lose", "w accept", "p buffer", "b 2", "c buffer == 2", "c 7 us", "q")
    assert "1  arrive" in out
    assert "0 s  arrive (s = 64 B), ends at 1 us" in out
    assert "2 tokens, cap 2" in out
    assert "buffer       2  64 B; 64 B" in out
    assert "back by 2 firings" in out
    assert "at 7 us" in out


def test_priorities_and_mistakes_are_told(step: Callable[..., str]) -> None:
    out = step("", "3", "9", "c bufer > 1", "c soon", "w acept", "frob", "b x")
    assert "lose    s = 64 B waits: lower priority" in out
    assert "this one waits" in out
    assert "the list has no binding 9" in out
    assert "did you mean buffer?" in out
    assert "give a time, PLACE >= NUMBER, or a transition" in out
    assert "did you mean accept?" in out
    assert "there is no command frob" in out
    assert "x is not a number of firings" in out


def test_a_dead_net_and_an_error_end_the_walk(step: Callable[..., str]) -> None:
    out = step("", "", text="net once\nplace a = token\ntransition t: a -> nothing\nrun until 1\n")
    assert out.count("the net is dead") == 2
    out = step("", "b", text="net wrong\nplace a : int = 0\ntransition t: a(x) -> a(1 div x)\nrun until 1\n")
    assert "stops here with an error of the net" in out
    assert "error[division-by-zero]" in out
    assert "1  t  x = 0" in out.rsplit("error", 1)[1]


def test_what_a_set_takes_is_told_of_firings_alone(step: Callable[..., str]) -> None:
    text = "net sets\nplace go : int = 7\nplace q : int = 1, 2\n"
    text += "transition t: go(g), all q(x) -> go(count(y in q: y > 1))\nrun until 1\n"
    out = step("", text=text)
    assert "1  t  g = 7\n" in out
    assert "t (g = 7, q.taken = 2, count(y in q: y > 1) = 1)" in out


def test_how_far_to_continue_must_be_said(step: Callable[..., str]) -> None:
    assert "nowhere does not say how far: give a time, PLACE >= NUMBER, or a transition" in step("c nowhere")
