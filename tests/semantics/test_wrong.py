"""Rules X1 to X4: what stops a run, and what is told."""

import math

import pytest

from petri import language
from petri.engine.interface import Limits
from petri.run.session import begin
from tests.semantics.harness import simulate

ARITHMETIC = [
    ("9223372036854775807 + n", "int-overflow"),
    ("1 div (n - 1)", "division-by-zero"),
    ("1 mod (n - 1)", "division-by-zero"),
    ("floor(1 / (n - 1))", "division-by-zero"),
    ("[7, 8, 9][n + 2]", "list-range"),
    ("[7, 8, 9][n - 2]", "list-range"),
    ("floor(pow(10.0, 300.0 * n) * pow(10.0, 300.0 * n))", "not-finite"),
    ("floor(sqrt(0.0 - n))", "domain"),
    ("floor(ln(n - 1.0))", "domain"),
    ("floor(pow(10.0, 300.0 * n))", "int-overflow"),
]


@pytest.mark.parametrize(("expression", "error"), ARITHMETIC)
def test_x1_arithmetic(engine: str, expression: str, error: str) -> None:
    ran = simulate(f"place a : int = 1  place b : int  transition t: a(n) -> b({expression})", engine)
    assert ran.reason == "error"
    assert ran.error is not None
    assert ran.error.id == error


@pytest.mark.parametrize(
    "distribution",
    [
        "exp(0.0 - n)",
        "uniform(3.0 * n..2.0)",
        "pareto(1.0 * n, 1.0)",
        "gamma(0.0 * n, 1.0)",
        "normal(0.0, 1.0, 40.0 * n..50.0)",
    ],
)
def test_x1_a_parameter_outside_its_domain(engine: str, distribution: str) -> None:
    ran = simulate(f"place a : int = 1  transition t: a(n) -> nothing  takes {distribution}", engine)
    assert ran.error is not None
    assert ran.error.id == "bad-parameter"


VALUES = [
    ("transition t: a(n) -> b(0) takes 0.5 - n", "negative-time"),
    ("transition t: a(n) -> (0 - n) * b(0)", "negative-count"),
    ("transition t: a(n) -> c[n + 1](0)", "index-range"),
    ("transition t: a(n) -> b(n + 3)", "colour-range"),
]


@pytest.mark.parametrize(("transition", "error"), VALUES)
def test_x2_values(engine: str, transition: str, error: str) -> None:
    ran = simulate(f"place a : int = 1  place b : 0..3  place c[0..1] : int  {transition}", engine)
    assert ran.error is not None
    assert ran.error.id == error


def test_x3_a_loop_that_takes_no_time_is_told_by_name(engine: str) -> None:
    ran = simulate(
        """
        place go = token
        place a  place b  place c = token
        transition begin: go -> a  takes 3
        transition there: a -> b
        transition back: b -> a
        transition aside: c -> nothing
        """,
        engine,
        limits=Limits(firings_at_an_instant=5000),
        firings=10_000,
    )
    assert ran.error is not None
    assert (ran.error.id, ran.error.time) == ("instant-limit", 3.0)
    assert ran.error.values["transitions"] == ["there", "back"]


def test_x3_tokens_that_multiply_are_counted(engine: str) -> None:
    """Each token comes back as two after 1; where few tokens go round, they are not to blame."""
    text = "place p = token  thread t take p wait 1 give {} end"
    ran = simulate(text.format("p, p"), engine, limits=Limits(firings_at_an_instant=500))
    assert ran.error is not None
    assert (ran.error.id, ran.error.time, ran.error.values["tokens"]) == ("instant-limit", 9.0, 1012)
    ran = simulate(text.format("p").replace("wait 1", "wait 0"), engine, limits=Limits(firings_at_an_instant=500))
    assert ran.error is not None
    assert "tokens" not in ran.error.values


def test_x3_tokens_without_end(engine: str) -> None:
    ran = simulate(
        "place a = token  place b  transition t: a -> a, 10 * b  takes 1",
        engine,
        limits=Limits(tokens=1000),
    )
    assert ran.error is not None
    assert ran.error.id == "token-limit"
    assert len(ran.marking["b"]) <= 1000


def test_x4_an_error_has_its_place_and_time(engine: str) -> None:
    ran = simulate(
        """
        place a : int = 3
        place b : int fifo
        transition t: a(n) -> a(n - 1), b(12 div n)  takes 2
        """,
        engine,
    )
    assert ran.error is not None
    assert ran.error.transition is not None
    assert ran.names[ran.error.transition] == "t"
    assert ran.error.binding == {"n": 0}
    assert ran.error.time == 6.0
    assert ran.error.span is not None
    assert (ran.error.span.line, ran.error.span.column) == (5, 43)
    # Marking and statistics are those just before the firing.
    assert ran.marking == {"a": [(0,)], "b": [(4,), (6,), (12,)]}
    assert ran.observation.firings[0] == 3


@pytest.mark.parametrize(
    ("transition", "known"),
    [
        ("a(n), b(Pair(m, 1 div n)) -> a(n)", ["n"]),
        ("a(n), b(Pair(m, k)) -> a(n)  when 1 div n > 0", ["n", "m", "k"]),
        ("a(n), b(Pair(m, k)), no c(1 div n) -> a(n)", ["n", "m", "k"]),
        (
            "a(n), b(Pair(m, k)) -> a(n)  draw d ~ uniform(7..9), e ~ uniform(1..n), f ~ uniform(7..9)",
            ["n", "m", "k", "d"],
        ),
        ("a(n), b(Pair(m, k)) -> a(n)  draw d ~ uniform(7..9)  takes 1 / n", ["n", "m", "k", "d"]),
        ("a(n), b(Pair(m, k)) -> a(1 div n)  draw d ~ uniform(7..9)", ["n", "m", "k", "d"]),
        ("a(n), b(Pair(m, k)) -> a(n), b(Pair(m, k))  draw d ~ uniform(7..9)  takes 0", ["n", "m", "k"]),
    ],
)
def test_x4_an_error_names_the_variables_that_had_a_value(engine: str, transition: str, known: list[str]) -> None:
    text = f"""
        type Pair = {{ x: int, y: int }}
        place a : int = 0
        place b : Pair = Pair(3, 4)
        place c : int
        transition t: {transition}
        """
    ran = simulate(text, engine, limits=Limits(firings_at_an_instant=5))
    assert ran.error is not None
    assert list(ran.error.binding) == known
    drawn = ran.error.binding.get("d", 7)
    assert drawn in (7, 8, 9)
    assert {"n": 0, "m": 3, "k": 4, "d": drawn}.items() >= ran.error.binding.items()


FAILING_MEASURES = """
place a : int = 3
place b : int fifo
transition t: a(n) -> a(n - 1), b(n), b(n + 9)  takes 2
measure first = n at t
measure failing = {measure}
"""


@pytest.mark.parametrize("patience", [0, 100])
def test_x4_a_firing_whose_measure_fails_has_not_started(
    engine: str, patience: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing counts it but the measures evaluated before the one that failed. Patience 0: in machine code."""
    monkeypatch.setattr("petri.engine.native.PATIENCE", patience)
    net = language.loads(f"net test\n{FAILING_MEASURES.format(measure='12 div n at t')}")
    run, before = begin(net, engine, 1, 0), begin(net, engine, 1, 0)
    assert before.advance(math.inf, 3) == "budget"
    assert run.advance(math.inf, 100) == "error"
    assert run.error is not None
    assert (run.error.id, run.error.binding, run.error.time) == ("division-by-zero", {"n": 0}, 6.0)
    assert (run.firings, run.hash, run.marking()) == (3, before.hash, before.marking())
    observed = run.observe()
    assert observed.firings.tolist() == [3]
    assert observed.in_progress.tolist() == [6.0]
    assert [probe["count"] for probe in observed.probes] == [4, 3]


@pytest.mark.parametrize("patience", [0, 100])
def test_x4_a_measure_that_fails_at_an_arrival(engine: str, patience: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The tokens of its arc have arrived, those of later arcs have not; no variable is known."""
    monkeypatch.setattr("petri.engine.native.PATIENCE", patience)
    text = FAILING_MEASURES.format(measure="reorder(b(m), order 12 div (m - 2))").replace("b(n), ", "2 * b(n), ")
    run = begin(language.loads(f"net test\n{text}"), engine, 1, 0)
    assert run.advance(math.inf, 100) == "error"
    assert run.error is not None
    assert (run.error.id, run.error.binding, run.error.time) == ("division-by-zero", {}, 4.0)
    assert run.firings == 2
    assert run.marking() == [[(1,)], [(3,), (3,), (12,), (2,), (2,)]]
    assert run.observe().arrivals.tolist() == [2, 5]
