"""The native engine from outside: what it refuses, how it goes on, and that it leaves the interpreter free."""

from __future__ import annotations

import math
import threading
import time
from array import array
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from petri import language
from petri.diagnostics import LanguageError
from petri.engine import native
from petri.engine.errors import ModelError
from petri.engine.interface import Limits, Session
from petri.engine.native import available
from petri.model import Model
from petri.net import (
    MOST_ARCS,
    Colour,
    Counter,
    Event,
    Expr,
    InhibitorArc,
    InputArc,
    Match,
    Net,
    OutputArc,
    Passage,
    Place,
    Slot,
    Stream,
    Table,
    Transition,
    Variable,
)
from petri.run.session import begin
from petri.tokens import Tokens

if not available():
    pytest.skip("the native engine is not built", allow_module_level=True)

from petri import _native

NETS = Path(__file__).parents[2] / "benchmarks" / "nets"


def net(body: str) -> Net:
    return language.loads(f"net test\n{body}")


def session(flat: Net, *, trace: bool = False, levels: bool = False) -> Session:
    return begin(flat, "native", 7, 0, limits=Limits(), trace=trace, levels=levels)


RING = """
place a = 3 * token
place b
transition go: a -> b  takes exp(1.0)
transition back: b -> a  takes exp(2.0)
"""


def sums(operands: int, depth: int) -> Expr:
    """Return a sum of sums, each of which has the one within it as every operand."""
    total = Expr("const", "real", value=1.0)
    for _ in range(depth):
        total = Expr("add", "real", (total,) * operands)
    return total


def of_itself() -> Expr:
    """Return a sum whose operands are the sum."""
    operands: list[Expr] = []
    total = Expr("add", "real", operands)  # type: ignore[arg-type]
    operands += [total, total]
    return total


def timed(*arcs: InputArc, **others: Any) -> Net:
    """Return a net of two places and a transition with these arcs."""
    pair = Colour("c", (Slot("a"), Slot("b")))
    return Net("n", (Place("p"), Place("q", pair)), (Transition("t", (Variable("x", "int"),), arcs, **others),))


X = Expr("var", "int", value=0)
INT = Colour("c", (Slot(),))
ONE = Expr("const", "int", value=1)


def real(value: float) -> Expr:
    return Expr("const", "real", value=value)


DRAW = Expr("exp", "real", (Expr("const", "real", value=1.0),))
BLACK = (Place("p"),)
WRONG: dict[str, Any] = {
    "no net": 7,
    "a place that is none": Net("n", places=(7,)),  # type: ignore[arg-type]
    "a place that is not there": Net("n", transitions=(Transition("t", inputs=(InputArc(3),)),)),
    "a place that cannot be": Net("n", transitions=(Transition("t", inputs=(InputArc(-1),)),)),
    "an output without places": Net("n", BLACK, (Transition("t", outputs=(OutputArc(()),)),)),
    "a variable that is not there": Net("n", transitions=(Transition("t", guard=Expr("var", "bool", value=2)),)),
    "a token with a value too many": Net("n", (Place("p", initial=((1, (5,)),)),)),
    "tokens of several widths": Net("n", (Place("p", INT, initial=((1, (5,)), (1, ()))),)),
    "a value that is none": Net("n", (Place("p", INT, initial=((1, ("5",)),)),)),  # type: ignore[arg-type]
    "a value too large": Net("n", (Place("p", INT, initial=((1, (2**63,)),)),)),
    "a constant that is infinite": Net(
        "n", BLACK, (Transition("t", inputs=(InputArc(0),), time=Expr("const", "real", value=math.inf)),)
    ),
    "an inhibitor that asks for a slot too many": Net(
        "n", BLACK, (Transition("t", inhibitors=(InhibitorArc(0, (Match(None, Expr("const", "int", value=1)),)),)),)
    ),
    "an unknown operation": Net("n", BLACK, (Transition("t", time=Expr("what", "real")),)),
    "an unknown kind": Net("n", BLACK, (Transition("t", time=Expr("now", "complex")),)),  # type: ignore[arg-type]
    "an unknown discipline": Net("n", (Place("p", discipline="heap"),)),  # type: ignore[arg-type]
    "an unknown probe": Net("n", BLACK, probes=(Place("p"),)),  # type: ignore[arg-type]
    "more tokens than there is room for": Net("n", (Place("p", initial=((2**31 - 1, ()),)),)),
    "more tokens than there are numbers": Net("n", (Place("p", initial=((2**64, ()),)),)),
    "fewer tokens than none": Net("n", (Place("p", initial=((-1, ()),)),)),
    "too many tokens of several places": Net("n", 2 * (Place("p", INT, initial=((6_000_000, (1,)),)),)),
    "a column that is too short": Net("n", (Place("p", INT, initial=Tokens(10**12, [array("q")])),)),
    "a column of other numbers": Net("n", (Place("p", INT, initial=Tokens(1, [array("b", [1])])),)),
    "tokens without columns": Net("n", (Place("p", initial=Tokens(10**12, [])),)),
    "a capacity below none": Net("n", (Place("p", capacity=-1),)),
    "a capacity beyond numbers": Net("n", (Place("p", capacity=2**63),)),
    "a weight that is none": Net("n", BLACK, (Transition("t", inputs=(InputArc(0),), weight=real(math.nan)),)),
    "a weight of nothing": Net("n", BLACK, (Transition("t", inputs=(InputArc(0),), weight=real(0.0)),)),
    "weights whose sum is infinite": Net(
        "n", BLACK, 2 * (Transition("t", inputs=(InputArc(0),), weight=real(1.7e308)),)
    ),
    "a weight of a token": timed(InputArc(1, (Match(bind=0),)), weight=Expr("real", "real", (X,))),
    "a weight that reads the time": timed(weight=Expr("now", "real")),
    "a weight that draws": timed(weight=DRAW),
    "weights of a table that are none": Net("n", BLACK, tables=(Table("t", (1,), (math.nan,)),)),
    "an expression that contains itself": timed(time=of_itself()),
    "an expression of 2^60 operations": timed(time=sums(2, 60)),
    "expressions that are too large together": timed(*(100 * [InputArc(0, count=sums(10, 6))])),
    "an operand too many": timed(guard=Expr("not", "bool", (X, X, X))),
    "an operand too few": timed(InputArc(1, (Match(bind=0),)), guard=Expr("lt", "bool", (X,))),
    "a variable that has no value": timed(guard=Expr("lt", "bool", (X, X))),
    "a variable that is bound twice": timed(InputArc(1, (Match(bind=0), Match(bind=0)))),
    "a variable that is bound later": timed(InputArc(1, (Match(equal=X),)), InputArc(1, (Match(bind=0),))),
    "a guard that draws": timed(guard=Expr("lt", "bool", (DRAW, DRAW))),
    "an inhibitor that binds": timed(inhibitors=(InhibitorArc(1, (Match(bind=0),)),)),
    "an inhibitor with too many slots": timed(inhibitors=(InhibitorArc(0, (Match(equal=ONE),)),)),
    "a key that counts tokens": Net(
        "n", (Place("p", INT, "key", Expr("tokens", "int", value=0), initial=((1, (1,)),)),)
    ),
    "an initial token outside its range": Net(
        "n", (Place("p", Colour("c", (Slot("", "int", 0, 3),)), initial=((1, (4,)),)),)
    ),
    "a stream with initial tokens": Net("n", (Place("p", INT, "fifo", initial=((1, (1,)),), stream=Stream("a.csv")),)),
    "a stream with a capacity": Net("n", (Place("p", INT, "fifo", capacity=6, stream=Stream("a.csv")),)),
    "a probe of nothing": Net("n", BLACK, probes=(Passage(Event(), Event()),)),
    "a probe of a transition that is not there": Net("n", BLACK, probes=(Counter(1),)),
}


@pytest.mark.parametrize("what", WRONG)
def test_what_is_no_net_is_refused(what: str) -> None:
    with pytest.raises(ValueError, match=r"\w") as caught:
        _native.Program(WRONG[what])
    assert len(str(caught.value)) < 400


def test_an_error_of_reading_says_where() -> None:
    with pytest.raises(ValueError, match=r"transitions\[0\]\.inputs\[0\]\.place: .*-1"):
        _native.Program(WRONG["a place that cannot be"])


def test_a_user_gets_a_diagnostic_where_a_net_is_refused() -> None:
    with pytest.raises(LanguageError) as caught:
        Model(WRONG["a capacity below none"]).run(until=1.0, engine="native")
    (diagnostic,) = caught.value.diagnostics
    assert diagnostic.id == "net-refused"
    assert diagnostic.values["reason"] == "place `p` has a negative capacity"


@pytest.mark.parametrize("compile_after", [0, 10**9])
def test_numbers_of_tokens_that_no_place_can_hold(compile_after: int) -> None:
    """Up to 2^63 − 1: a transition that asks for so many is disabled, and to give so many is the fault of X3."""
    huge = Expr("const", "int", value=2**63 - 1)
    places = (Place("p", initial=((1, ()),), capacity=2**63 - 1), Place("q"))
    never = Transition("never", inputs=2 * (InputArc(0, count=huge),))
    below = InhibitorArc(1, threshold=huge)
    once = Transition("once", inputs=(InputArc(0),), inhibitors=(below,), outputs=(OutputArc((1,)),))
    give = Transition("give", inputs=(InputArc(0),), outputs=3 * (OutputArc((1,), count=huge),))
    for transitions, reason, error in (((never, once), "dead", None), ((give,), "error", "token-limit")):
        program = _native.Program(Net("n", places, transitions))
        run = _native.Session(program, (1, 2, 3), (9, 2**64 - 1, compile_after), False, False)
        assert run.advance(math.inf, 9) == reason
        assert (run.firings, run.error and run.error[0]) == (1 if error is None else 0, error)


@pytest.mark.parametrize("depth", [1_000, 100_000])
def test_deep_nesting_neither_overflows_a_stack_nor_stops_a_deep_sum(depth: int) -> None:
    """A sum of a thousand terms is a net; one of a hundred thousand is an error."""
    one = Expr("const", "real", value=1.0)
    total = one
    for _ in range(depth):
        total = Expr("add", "real", (total, one))
    flat = Net("n", (Place("p", initial=((1, ()),)),), (Transition("t", inputs=(InputArc(0),), time=total),))
    if depth > 1_000:
        with pytest.raises(ValueError, match="nested too deeply"):
            _native.Program(flat)
    else:
        for compile_after in (100, 0):
            run = _native.Session(_native.Program(flat), (1, 2, 3), (10_000, 100, compile_after), False, False)
            assert run.advance(math.inf, 10) == "dead"
            assert run.now == depth + 1.0


def test_a_key_that_fails_in_the_initial_marking_is_told_like_the_reference_does() -> None:
    flat = net("place p : { k: int } by (1 div k) = { k: 0 }\ntransition t: p(x) -> nothing")
    stories = []
    for engine in ("reference", "native"):
        with pytest.raises(ModelError) as caught:
            begin(flat, engine, 1, 0)
        stories.append((caught.value.id, caught.value.span))
    assert stories[0] == stories[1]


def test_a_switch_that_hides_nothing_but_a_missing_extension() -> None:
    assert native.available()
    assert native.compiled(flat := net(RING)) is native.compiled(flat)  # replications share the compiled net


def test_goes_on_after_until_and_after_an_error() -> None:
    run = session(net(RING))
    assert run.advance(5.0, 10**9) == "until"
    assert run.now == 5.0
    assert run.advance(7.5, 2**70) == "until"
    failing = session(net("place p : int = 3\ntransition t: p(n) -> p(n - 1)  takes 6 div n"))
    assert failing.advance(math.inf, 100) == "error"
    assert failing.advance(math.inf, 100) == "error"
    assert failing.error is not None
    assert failing.error.id == "division-by-zero"


def test_the_trace_is_handed_out_once() -> None:
    run = session(net(RING), trace=True)
    run.advance(math.inf, 5)
    assert len(run.trace()) == 5
    assert len(run.trace()) == 0


def test_the_interpreter_is_free_while_it_runs() -> None:
    """Another thread counts while the engine is in one long call."""
    run = session(net(RING))
    worker = threading.Thread(target=run.advance, args=(math.inf, 3_000_000))
    worker.start()
    turns = 0
    while worker.is_alive():
        turns += 1
        time.sleep(0.001)
    assert turns > 3


def resident() -> int:
    """Bytes of memory in use."""
    fields = Path("/proc/self/statm").read_text().split()
    return int(fields[1]) * 4096


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="needs /proc")
@pytest.mark.parametrize("name", ["ring", "pipeline", "join", "keyed_bag"])
def test_memory_does_not_grow_with_the_length_of_a_run(name: str) -> None:
    run = session(language.load(NETS / f"{name}.net"))
    run.advance(math.inf, 200_000)
    before = resident()
    run.advance(math.inf, 1_000_000)
    assert resident() - before < 1 << 20


def count_bindings(transition: str, tokens: str) -> Callable[[int], dict[tuple[float, ...], int]]:
    """Return how often each binding of an immediate transition that takes and gives back is chosen."""
    flat = net(f"{tokens}\nplace clock = token\n{transition}")

    def count(firings: int) -> dict[tuple[float, ...], int]:
        run = session(flat, trace=True)
        run.advance(math.inf, firings)
        counts: dict[tuple[float, ...], int] = {}
        for firing in run.trace():
            counts[tuple(firing.variables)] = counts.get(tuple(firing.variables), 0) + 1
        return counts

    return count


@pytest.mark.parametrize(
    ("transition", "tokens"),
    [
        # one bag; two bags; one bag twice; a join; a join with a guard
        ("transition t: p(x), clock -> p(x), clock  takes 1.0", "place p : 0..5 = all"),
        (
            "transition t: p(x), q(y), clock -> p(x), q(y), clock  takes 1.0",
            "place p : 0..1 = all\nplace q : 0..2 = all",
        ),
        ("transition t: p(x), p(y), clock -> p(x), p(y), clock  takes 1.0", "place p : 0..2 = all"),
        (
            "transition t: p(x), q({a: x, b}), clock -> p(x), q({a: x, b: b}), clock  takes 1.0",
            "type T = {a: 0..2, b: 0..1}\nplace p : 0..9 = all\nplace q : T = all",
        ),
        ("transition t: p(x), clock -> p(x), clock  takes 1.0  when x < 6", "place p : 0..20 = all"),
    ],
)
def test_i4_each_binding_equally_often(transition: str, tokens: str) -> None:
    """Six bindings, 12,000 firings: each within 5 standard deviations (41) of 2,000; false alarm below 1e-5."""
    counts = count_bindings(transition, tokens)(12_000)
    assert len(counts) == 6
    assert all(abs(n - 2_000) < 5 * 41 for n in counts.values())


def test_the_most_arcs_of_a_transition_are_those_that_the_language_allows() -> None:
    for count in (MOST_ARCS, MOST_ARCS + 1):
        flat = Net("n", BLACK, (Transition("t", inputs=(InputArc(0),) * count),))
        if count <= MOST_ARCS:
            session(flat)
        else:
            with pytest.raises(ValueError, match="arcs"):
                _native.Program(flat)
