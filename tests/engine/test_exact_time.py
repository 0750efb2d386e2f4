"""Time in ticks (rule S1): what a net does depends on the proportions of its times, and on nothing else."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import pytest

import petri
from petri import language, library
from petri.catalogue import units
from petri.engine.interface import Limits
from petri.language import settings
from petri.model import Model
from petri.net import Net
from petri.run.session import begin
from tests.engine.test_engines_agree import assert_same_state
from tests.engines import NATIVE_FIRST

SLOTS = (Path(__file__).parents[1] / "data" / "slots.net").read_text(encoding="utf-8")
FACTORS = [Fraction(133, 400), Fraction(1, 3), Fraction(7), Fraction(1, 10**6)]


@pytest.mark.parametrize("engine", NATIVE_FIRST)
def test_a_clocked_memory_loses_the_same_whatever_its_clock(engine: str) -> None:
    lost = {}
    for slot in ("40 ns", "13.3 ns", "20 ns / 3", "1 / (600 MHz)"):
        result = petri.loads(SLOTS.replace("= 40 ns", f"= {slot}")).run(engine=engine, seed=7)
        lost[slot] = result.measure("lost").value, result.replications[0].hash
    assert len(set(lost.values())) == 1, lost
    assert 0.2 < lost["40 ns"][0] < 0.8


# ------------------------------------------------------------ nets of the library


def scaled(name: str, factor: Fraction, monkeypatch: pytest.MonkeyPatch) -> Model:
    """Return a net of the library with every named time so many times as long, and every rate as low."""
    original = units.in_net_units

    def in_net_units(value: Fraction, dimension: units.Dimension, second: Fraction) -> Fraction:
        scale: Fraction = factor**dimension.time
        return original(value, dimension, second) * scale

    with monkeypatch.context() as patch:
        patch.setattr("petri.language.checking.expressions.quantities.in_net_units", in_net_units)
        settings.forget()  # a text that was read before is not read again
        found = petri.load(name)
    settings.forget()
    return found


SCALED = [(name, FACTORS[number % len(FACTORS)]) for number, name in enumerate(library.net_names())]
"""Each net with one of the factors."""


def hash_of(net: Net, engine: str, firings: int) -> int:
    session = begin(net, engine, 1, 0)
    session.advance(math.inf, firings)
    assert session.error is None
    return session.hash


@pytest.mark.slow
@pytest.mark.parametrize(("name", "factor"), SCALED)
def test_scaled_nets_of_the_library_do_the_same(name: str, factor: Fraction, monkeypatch: pytest.MonkeyPatch) -> None:
    as_it_is = petri.load(name).net
    if as_it_is.seconds is None or any(place.stream for place in as_it_is.places):
        pytest.skip("its times have no unit, or come from a file, which is not scaled")
    if as_it_is.time_unit in dict(as_it_is.units):
        pytest.skip("its unit of time is its own, and as many times as long")
    other = scaled(name, factor, monkeypatch).net
    assert other.tick.length == as_it_is.tick.length * factor
    assert hash_of(other, "native", 20_000) == hash_of(as_it_is, "native", 20_000)
    assert hash_of(other, "reference", 300) == hash_of(as_it_is, "reference", 300)


# ------------------------------------------------------------ random nets


class Text:
    """The text of a random net whose times are multiplied by a factor."""

    def __init__(self, seed: int, factor: Fraction) -> None:
        self.random = random.Random(seed)
        self.factor = factor
        self.places = self.random.randint(2, 4)

    def one(self, *options: Callable[[], str]) -> str:
        return self.random.choice(options)()

    def time(self) -> str:
        """Return a constant, as an exact fraction of a nanosecond."""
        base = Fraction(self.random.randint(1, 60), self.random.choice([1, 1, 2, 3, 5, 10]))
        value = base * self.factor
        return f"({value.numerator} ns / {value.denominator})"

    def duration(self) -> str:
        return self.one(
            self.time,
            lambda: f"{self.random.randint(2, 5)} * {self.time()}",
            lambda: f"{self.time()} + {self.time()}",
            lambda: f"(x.n + 1) * {self.time()}",
            lambda: "x.left",
            lambda: f"x.left + {self.time()}",
            lambda: f"x.size / (8 B / {self.time()})",
            lambda: f"min(x.left, {self.time()})",
            lambda: f"max(0 ns, {self.time()} - (now - x.born))",
        )

    def token(self, n: str) -> str:
        left = self.one(lambda: "x.left", self.time, lambda: f"x.left / 2 + {self.time()}")
        born = self.one(lambda: "x.born", lambda: "now", lambda: "end")
        return f"{{n: {n}, left: {left}, born: {born}, size: (x.n + {self.random.randint(1, 9)}) * 1 B}}"

    def transition(self, number: int) -> str:
        here, there = (self.random.randrange(self.places) for _ in range(2))
        server = f", server[{self.random.randrange(2)}]" if self.random.random() < 0.5 else ""
        weight = self.one(lambda: "", lambda: f"weight {self.random.randint(1, 3)}")
        given = f"p[{there}]({self.token('(x.n + 1) mod 7')})"
        return f"transition t{number}: p[{here}](x){server} -> {given}{server}  takes {self.duration()}  {weight}"

    def net(self) -> str:
        kind = self.random.choice(["", "fifo", "by left"])
        tokens = [
            f"{{n: {n}, left: {self.time()}, born: 0 ns, size: {self.random.randint(1, 99)} B}}" for n in range(3)
        ]
        lines = [
            "net scaled\ntime ns\ntype Job = { n: 0..6, left: Time, born: Time, size: Bytes }",
            f"place p[0..{self.places - 1}] : Job {kind} = {', '.join(tokens)}",
            "place server[0..1] = token",
        ]
        # From each place there is a way on.
        for number in range(self.places):
            lines.append(
                f"transition on{number}: p[{number}](x) -> p[{(number + 1) % self.places}](x)  takes {self.time()}"
            )
        lines += [self.transition(number) for number in range(self.random.randint(1, 4))]
        return "\n".join(lines)


def assert_scales(seed: int) -> None:
    """Check that nets of one seed have one trajectory in both engines, as they are and with other times."""
    limits = Limits(firings_at_an_instant=500)
    hashes = set()
    for factor in (Fraction(1), FACTORS[seed % len(FACTORS)]):
        net = language.loads(Text(seed, factor).net())
        sessions = [begin(net, engine, seed, 0, limits=limits) for engine in ("reference", "native")]
        for session in sessions:
            session.advance(math.inf, 150)
        assert_same_state(*sessions)
        hashes.add(sessions[0].hash)
    assert len(hashes) == 1, seed


def test_random_nets_scale() -> None:
    for seed in range(2):
        assert_scales(seed)


@pytest.mark.slow
@pytest.mark.parametrize("hundred", range(2))
def test_200_random_nets_scale(hundred: int) -> None:
    for seed in range(100 * hundred, 100 * hundred + 100):
        assert_scales(seed)


# ------------------------------------------------------------ integrals of any size


@pytest.mark.parametrize("patience", [0, 10**9])
def test_integrals_that_outgrow_a_word_are_exact(patience: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Half of many tokens leave after 2 * 10^15 ticks: 8 * 10^20 is added at once, and 2^63 is 9 * 10^18."""
    text = """
        time s resolution 1 s
        place pile = 800_000 * token
        place start = token
        place go
        place here : int = 1
        transition wait:  start -> go  takes 2_000_000_000_000_000 * 1 s
        transition leave: go, 400_000 * pile -> nothing
        transition move:  here(n) -> here((n * 7) mod 1009)  takes n * 1e10 s + 1 s
        """
    net = language.loads(f"net pile\n{text}")
    monkeypatch.setattr("petri.engine.native.PATIENCE", patience)
    session = begin(net, "native", 1, 0)
    assert session.advance(3e15, 10**9) == "until"
    seen = session.observe()
    assert seen.integral[0] == float(800_000 * 2 * 10**15 + 400_000 * 10**15)
    assert (seen.nonempty[0], seen.elapsed) == (3e15, 3e15)


def test_folds_at_every_instant_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """A net that may hold more tokens has its integrals folded more often."""
    text = """
        time s resolution 1 s
        place here : int = 1
        place there
        place pile
        transition move: here(n) -> here((n * 7) mod 1009), 3 * there  takes n * 1e9 s + 1 s
        transition back: 2 * there -> pile  takes 3e10 s
        """
    net = language.loads(f"net folds\n{text}")
    monkeypatch.setattr("petri.engine.native.PATIENCE", 40)
    found = []
    for engine, tokens in (("reference", 10**9), ("native", 10**9), ("native", 2**62)):
        session = begin(net, engine, 1, 0, limits=Limits(tokens=tokens))
        session.advance(math.inf, 100)
        session.begin_window()
        session.advance(float(2**52), 1500)
        found.append(session)
    assert_same_state(found[0], found[1])
    assert_same_state(found[1], found[2])
