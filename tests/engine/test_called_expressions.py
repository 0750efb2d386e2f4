"""Transitions of a large net that compute different things share their code, and call their expressions."""

from __future__ import annotations

import math

import pytest

import petri
from benchmarks.unlike import lines
from petri.engine.interface import Limits, Session
from petri.engine.native import NativeSession, available
from petri.net import Net
from petri.run.session import begin
from petri.structs import replace
from tests.engine.without import without
from tests.sampling import one_in

if not available():
    pytest.skip("the native engine is not built", allow_module_level=True)

LIMITS = Limits(firings_at_an_instant=1000, tokens=1 << 40)
STATIONS = 150  # more than have code of their own in any case
FIRINGS = 4_000


@pytest.fixture(autouse=True)
def early_code(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("petri.engine.native.PATIENCE", 10)


def referred(net: Net) -> Session:
    """Return a run by the reference engine."""
    session = begin(net, "reference", 1, 0, limits=LIMITS)
    session.advance(math.inf, FIRINGS)
    return session


def ran(net: Net, left_out: str = "") -> NativeSession:
    """Return a run by the native engine, of a net that is not compiled yet, without some optimisations."""
    with without(left_out):
        session = begin(replace(net, doc=net.doc), "native", 1, 0, limits=LIMITS)
        session.advance(math.inf, FIRINGS)
    assert isinstance(session, NativeSession)
    return session


def ring(expressions: list[str], guard: str = "x >= 0") -> Net:
    """Return a ring of stations with a function each of a passed number; one of them is given later."""
    number = len(expressions)
    text = ["net ring"]
    text += [f"place q{i} : -1000000..1000000 fifo = 2 * ({i % 10})" for i in range(number)]
    for i, expression in enumerate(expressions):
        following = f"q{(i + 1) % number}({expression})"
        text.append(f"transition t{i}: q{i}(x) -> {following}  when {guard}  takes exp(1.0)")
    return petri.loads("\n".join(text)).net


@pytest.mark.slow
def test_the_code_is_that_of_one() -> None:
    net = petri.loads("\n".join(lines(STATIONS))).net
    shared, alone = ran(net), ran(net, left_out="calls")
    assert shared.ran_code
    assert alone.ran_code
    assert shared.verify_shapes() > STATIONS - 10  # places that are seldom empty have other code
    assert alone.verify_shapes() == 0
    assert shared.hash == alone.hash == referred(net).hash


def test_few_have_code_of_their_own() -> None:
    net = petri.loads("\n".join(lines(30))).net
    assert ran(net).verify_shapes() == 0
    assert ran(net, left_out="inlining").verify_shapes() > 20


@pytest.mark.parametrize(
    "step",
    one_in(
        5,
        [
            "x + {}",
            "x * {} mod 1009",
            "if x mod {} < 2 then x + 1 else x div {}",
            "x + tokens(q0) * {}",
            "abs(x - {}) mod 700",
        ],
    ),
)
def test_constants_are_no_part_of_the_code(step: str) -> None:
    net = ring([f"({step.replace('{}', str(i + 2))}) mod 1000" for i in range(STATIONS)])
    shared = ran(net)
    assert shared.ran_code
    assert shared.verify_shapes() > STATIONS - 10
    assert shared.hash == referred(net).hash


@pytest.mark.parametrize(
    ("expression", "guard"),
    [
        pytest.param("1000 div (19 - x)", "x >= 0", marks=pytest.mark.slow),  # a division by zero
        pytest.param("x * 60000", "x >= 0", marks=pytest.mark.slow),  # a value outside of its range
        pytest.param("x + 1", "x * 500000000000000000 >= 0", marks=pytest.mark.slow),  # an overflow, in a guard
    ],
)
def test_a_fault_is_told_as_before(expression: str, guard: str) -> None:
    """By a function that is called with a value as great as no token had at first."""
    net = ring([*(f"x + {i} - {i - 1}" for i in range(1, STATIONS)), expression], guard)
    native, reference = ran(net), referred(net)
    assert reference.error is not None
    assert str(native.error) == str(reference.error)
    assert (native.firings, native.hash) == (reference.firings, reference.hash)
    assert native.ran_code
    assert native.verify_shapes() > STATIONS // 2
