"""Bindings that are searched for: machine code against the reference engine, pattern by pattern."""

from __future__ import annotations

import math

import pytest

import petri
from petri.engine.interface import Limits
from petri.engine.native import available
from petri.run.session import begin
from tests.engine.test_engines_agree import assert_same_state

pytestmark = pytest.mark.skipif(not available(), reason="the native engine is not built")

LIMITS = Limits(firings_at_an_instant=5000, tokens=500)

LIVING = {
    "the head of a queue, a token by its key, and as many black tokens as it needs": """
        type Thread = { engine: 0..1, thread: 0..4 }
        place inlet        = token
        place queue        : { size: real } fifo
        place turn         : int = 0
        place free         : Thread = all
        place element      = 30 * token
        place busy         : { at: Thread, used: int }
        transition arrive: inlet -> inlet, queue({size: s})  draw s ~ uniform(1.0..9.0)  takes exp(1.0)
        transition pass:   turn(e), no free({engine: e}), read free(_), read queue(_) -> turn((e + 1) mod 2)
        transition accept: queue(p), turn(e), free({engine: e, thread: k}), ceil(p.size / 2.0) * element
          -> turn((e + 1) mod 2), busy({at: {engine: e, thread: k}, used: ceil(p.size / 2.0)})
        transition leave:  busy(b) -> free(b.at), b.used * element  takes exp(9.5)
        """,
    "inhibitors of computed key and threshold": """
        place want : { kind: int, most: 0..4 } = {kind: 0, most: 1}, {kind: 1, most: 2}, {kind: 2, most: 3}
        place held : { kind: int, user: int }
        place seen = 9 * token
        transition start: want(w), no held({kind: (w.kind + 1) mod 3}) >= w.most + tokens(seen) mod 2
          -> want(w), held({kind: w.kind, user: n})  draw n ~ uniform(0..5)  takes 1.0
        transition quit:  held(h), seen -> seen  takes exp(0.5)
        """,
    "any token of places with an order": """
        type Job = { n: 0..5, lane: 0..1 }
        place source = token
        place queue  : Job fifo = {n: n, lane: 0} for n in 0..5
        place stack  : Job lifo
        place ranked : Job by n
        place desk   = 2 * token
        transition arrive: source -> source, queue({n: n, lane: n mod 2})  draw n ~ uniform(0..5)  takes exp(0.7)
        transition push:   any queue(j), desk -> stack(j), desk            takes 1.2
        transition rank:   any stack(j), no stack >= 9 -> ranked(j)        after exp(2.0)
        transition leave:  any ranked(j), read any queue(_) -> nothing     after exp(9.0)
        transition spread: any ranked(j) -> nothing                        after exp(6.0)
        transition jump:   queue(j), read any queue(other) -> queue(j)     when other.n > j.n  takes exp(3.0)
        """,
    "two tokens of one bag": """
        place pool : int = i for i in 1..7
        place out : { a: int, b: int }
        transition pair: pool(a), pool(b) -> out({a: a, b: b})  when a < b and (a + b) mod 2 == 1  takes 1.0
        transition back: out(o) -> pool(o.b), pool(o.a)  takes exp(1.0)
        """,
    "three bags and a condition": """
        place a : 0..5 = all
        place b : 0..4 = all
        place c : 0..6 = all
        transition triple: a(x), read b(y), c(z) -> a(z mod 6), c((x + y) mod 7)  when (x + y + z) mod 3 == 0  takes 1.0
        """,
    "room where an index leads, and by key": """
        place source         = token
        place fresh          : { to: 0..2, lane: 0..1 } fifo
        place buffer[0..2]   : { to: 0..2, lane: 0..1 } fifo cap 2
        place lanes          : { to: 0..2, lane: 0..1 } fifo per lane cap 2
        transition arrive:           source -> source, fresh({to: i, lane: k})
          draw i ~ uniform(0..2), k ~ uniform(0..1)  takes exp(1.0)
        transition enter:            fresh(x) -> buffer[x.to](x)
        transition drop:             fresh(x), fresh(y) -> fresh(y)
          priority -1
        transition cross[i in 0..2]: buffer[i](x) -> lanes(x) in 2.5
        transition leave[k in 0..1]: lanes({to: i, lane: k}) -> nothing  takes exp(0.4 + k)
        """,
    "the preferred of two bags, with ties": """
        place job     : { class: 0..2, size: real, number: 0..9 }
          = {class: i mod 3, size: 0.5 * (i mod 2), number: i} for i in 0..9
        place machine : { class: 0..2, speed: 0..3 } = {class: i mod 3, speed: i mod 4} for i in 0..6
        place banned  : { class: 0..2, number: 0..9 } = {class: 1, number: 4}
        transition work: job(j), machine({class: c, speed: v}), no banned({class: c, number: j.number})
          -> job({class: n, size: j.size, number: j.number}) in 1.5, machine({class: c, speed: v}) in 0.5
          when j.class == c or v > 2  prefer most (j.size, v)  draw n ~ uniform(0..2)
        transition forbid: banned({class: c, number: i}) -> banned({class: (c + 1) mod 3, number: (i + 3) mod 10})
          takes exp(1.0)
        """,
    "keys of many values, whole and real": """
        place want  : { id: int, x: real } fifo
        place have  : { id: int, n: int } = {id: 1000 * i, n: i} for i in 0..9
        place known : real = 0.5, 0.5, 0.5, 0.5, 1.5, 2.5
        place clock = token
        transition ask:  clock -> clock, want({id: 1000 * i, x: 0.5 + j})
          draw i ~ uniform(0..9), j ~ uniform(0..2)  takes 1.0
        transition meet: want(w), have({id: w.id, n}), known(w.x)
          -> have({id: 1000 * n, n: n}), known(w.x)  takes exp(2.0)
        """,
    "black tokens for several arcs of one place": """
        place queue  : int lifo = 1, 2, 3, 1, 2, 3
        place credit = 7 * token
        place out    : int
        transition take: queue(n), n * credit, 2 * credit, read (n mod 2) * credit -> out(n)  takes 1.0
        transition give: out(n) -> queue(n), (n + 2) * credit  takes exp(3.0)
        """,
    "black tokens that a number before leaves too few of": """
        place queue  : int fifo = 1, 3, 2
        place credit = 4 * token
        place spare  = 2 * token
        transition take: queue(n), 2 * credit, n * credit -> queue(n), (n + 2) * credit  takes 1.0
        transition lend: spare, no credit >= 5 -> credit  takes exp(1.0)
        transition back: credit, no spare >= 2 -> spare  takes exp(1.0)
        """,
    "arcs behind a number that might fail": """
        place pool   : int = 1, 2, 3
        place credit = 9 * token
        place queue  : int fifo
        place source = token
        place tick   = token
        place beat
        place stop
        place off    = token
        transition fill: source -> queue(n), source  draw n ~ uniform(0..3)  takes exp(0.4)
        transition hour: tick -> tick, beat  takes 2.0
        transition on:   beat, off -> stop
        transition out:  beat, stop -> off
        transition find: pool(n), (6 div n) * credit, queue(m), no stop -> pool(n), (6 div n) * credit  takes 0.5
        """,
    "the second of a queue, and heads by key": """
        place queue : int fifo = 1, 2, 3, 4, 5, 6
        place heap  : { rank: int, of: int } by rank = {rank: 3, of: 0}, {rank: 1, of: 1}, {rank: 2, of: 2}
        place pool   : { of: int, v: int } = {of: i mod 3, v: i} for i in 0..8
        transition turn: queue(a), queue(b), heap(h), pool({of: h.of, v})
          -> queue(b), queue(a), heap({rank: (h.rank + v) mod 7, of: h.of}), pool({of: h.of, v: (v + 1) mod 9})
          when a != 6 or v mod 2 == 0  takes 1.0
        transition skip: queue(a) -> queue(a)  when a == 6  takes 0.5
        """,
    "the head of a queue by the token of a bag": """
        place names : int = i mod 3 for i in 0..7
        place queue : { name: int, n: int } fifo = {name: i mod 3, n: i} for i in 0..5
        transition match: names(k), queue({name: k, n})
          -> names((k + n) mod 3), queue({name: (k + 1) mod 3, n: n})  takes 1.0
        transition other: names(k), read queue({name: m}) -> names(m)  when k != m  takes exp(1.0)
        """,
}

FAILING = {
    "a fault in one binding of many": (
        "division-by-zero",
        """
        place pool : int = 4, 5
        place late : int = 0
        place b    : int = 1, 2, 3
        transition come: late(n) -> pool(n)  takes 3.0
        place tick = token
        transition beat: tick -> tick  takes 1.0
        transition find: read pool(n), read b(m), b(k) -> b(k)  when 20 div n > m + k  takes 0.25  priority -1
        """,
    ),
    "a fault before an arc whose tokens never come": (
        "division-by-zero",
        """
        place pool : int = 4, 5
        place late : int = 0
        place credit = 9 * token
        place gate
        transition come: late(n) -> pool(n)  takes 3.0
        transition find: pool(n), (4 div n) * credit, gate -> pool(n)  takes 0.25
        """,
    ),
    "a fault before an inhibitor that never ceases": (
        "division-by-zero",
        """
        place pool : int = 4, 5
        place late : int = 0
        place b    : int = 0, 1
        place stop = token
        transition come: late(n) -> pool(n)  takes 3.0
        transition find: pool(n), b(4 div n), no stop -> pool(n)  takes 0.25
        """,
    ),
    "a negative number of tokens": (
        "negative-count",
        """
        place pool    : { of: int, n: int } = {of: i mod 2, n: 3} for i in 0..3
        place queue  : int fifo = 0, 1
        place credit = 9 * token
        transition find: queue(k), pool({of: k, n}), n * credit
          -> queue(k), pool({of: k, n: n - 1}), n * credit  takes 1.0
        """,
    ),
    "a fault behind an arc whose tokens come later": (
        "division-by-zero",
        """
        place wait : int = 5
        place gate
        place pool  : int = 0, 1
        place credit = 3 * token
        transition open: wait(n) -> gate  takes 5.0
        transition find: gate, pool(n), (1 div n) * credit -> credit  takes 1.0
        """,
    ),
    "a fault behind an inhibitor that ceases": (
        "division-by-zero",
        """
        place stop = 3 * token
        place pool  : int = 0, 1
        place more : int = 0
        transition open: stop -> nothing  takes 2.0
        transition find: pool(n), more(m), no stop -> pool(n)  when 1 div (n + m) > 0  takes 1.0
        transition rest: more(m), no pool(7) -> more(m)  takes 1.0
        """,
    ),
}


def run_both(text: str, seed: int, monkeypatch: pytest.MonkeyPatch, piece: int = 250) -> str | None:
    """Run a net on both engines, in four pieces of some firings. Returns the id of the fault."""
    net = petri.loads("net searched\n" + text).net
    reference = begin(net, "reference", seed, 0, limits=LIMITS)
    monkeypatch.setattr("petri.engine.native.PATIENCE", 0)
    compiled = begin(net, "native", seed, 0, limits=LIMITS)
    for _ in range(4):
        assert compiled.advance(math.inf, piece) == reference.advance(math.inf, piece)
        assert_same_state(reference, compiled)
    if reference.error is None:
        assert reference.firings == 4 * piece
        assert piece < 250 or (reference.observe().firings > 0).all()
    return reference.error.id if reference.error else None


@pytest.mark.parametrize("text", LIVING.values(), ids=LIVING)
def test_same_bindings(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert run_both(text, 0, monkeypatch, 40) is None


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("text", LIVING.values(), ids=LIVING)
def test_same_bindings_in_longer_runs(text: str, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    assert run_both(text, seed, monkeypatch) is None


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("fault", "text"), FAILING.values(), ids=FAILING)
def test_same_fault(fault: str, text: str, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    assert run_both(text, seed, monkeypatch) == fault
