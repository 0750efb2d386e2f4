"""Joins, join trees, matches and preferences: what counts bindings, against the reference engine, which lists them."""

from __future__ import annotations

import math

import pytest
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st

import petri
from petri.engine.interface import Limits
from petri.engine.native import available
from petri.net import Net
from petri.run.session import begin
from tests.engine.joins import joining_nets
from tests.engine.test_engines_agree import assert_same_state, with_code
from tests.sampling import one_in

pytestmark = pytest.mark.skipif(not available(), reason="the native engine is not built")

LIMITS = Limits(firings_at_an_instant=400, tokens=400)
FEW = settings(deadline=None, suppress_health_check=list(HealthCheck), max_examples=8)
MANY_NETS = settings(FEW, max_examples=120)
NEVER = 1 << 60


def assert_same_pieces(net: Net, seed: int, piece: int, pieces: int, *patiences: int) -> int:
    """Compare with machine code at once, a little later, or never; return the number of firings."""
    reference, natives = begin(net, "reference", seed, 0, limits=LIMITS), with_code(net, seed, patiences, LIMITS)
    for _ in range(pieces):
        reason = reference.advance(math.inf, piece)
        for native in natives:
            assert native.advance(math.inf, piece) == reason
            assert_same_state(reference, native)
    return reference.firings


def assert_same_run(net: Net, seed: int, piece: int, patience: int) -> None:
    event(f"{assert_same_pieces(net, seed, piece, 6, patience) // 20 * 20} firings or more")


RUNS = given(joining_nets(), st.integers(0, 3), st.integers(1, 25), st.sampled_from([0, 15, NEVER]))
test_same_run = FEW(RUNS(assert_same_run))
test_same_run_of_many_nets = pytest.mark.slow(MANY_NETS(RUNS(assert_same_run)))

LIVING = {
    "two forks of one place": """
        place thinking : 0..6 = all
        place fork     : 0..6 = all
        transition eat: thinking(p), fork(p), fork((p + 1) mod 7)
          -> thinking(p), fork(p), fork((p + 1) mod 7)  takes exp(1.0)
        """,
    "three of one key, and any other": """
        place want : 0..2 = 0, 1, 2, 1
        place pool : { k: 0..2, n: 0..11 } = {k: i mod 3, n: i} for i in 0..11
        transition take: want(k), pool({k, n: a}), pool({k: k, n: b}), pool({k: (k + 1) mod 3, n: c}), pool(o)
          -> want((k + 1) mod 3), pool({k, n: b}), pool({k, n: c}), pool({k: (k + 1) mod 3, n: a}), pool(o)
          takes exp(1.0)
        """,
    "a partner of the same place": """
        place people : { id: 0..9, likes: 0..9 } = {id: i, likes: (3 * i + 1) mod 10} for i in 0..9
        transition meet: people(a), people({id: a.likes, likes: l}) -> people({id: a.id, likes: l}),
            people({id: a.likes, likes: (l + x) mod 10})  draw x ~ uniform(0..9)  takes exp(0.5)
        """,
    "jobs and machines that are large enough": """
        place job     : int = (i * 7) mod 30 for i in 0..29
        place machine : int = (i * 11) mod 30 for i in 0..29
        transition work: job(j), machine(m) -> job(x), machine(m)  when m >= j and j != 3 and m != 29
          draw x ~ uniform(0..29)  takes exp(1.0)
        """,
    "less than, of reals": """
        place left  : real = (0.5 * i) for i in 0..20
        place right : { x: real, n: int } = {x: 0.25 * i, n: i} for i in 0..20
        transition meet: left(a), right(r) -> left(0.5 * x), right(r)  when r.x < a
          draw x ~ uniform(0..30)  takes 1.0
        """,
    "the ends of all integers": """
        place left  : int = -9_223_372_036_854_775_807 - 1, 9_223_372_036_854_775_807, 0, 5
        place right : int = -9_223_372_036_854_775_807 - 1, 9_223_372_036_854_775_807, 0, 5
        transition meet: left(a), right(b) -> left(b), right(a)  when b > a  takes exp(1.0)
        transition back: left(a), right(b) -> left(b), right(a)  when a > b  takes exp(1.0)
        """,
    "a chain": """
        place a : { x: 0..9, y: 0..3 } = {x: i, y: i mod 4} for i in 0..9
        place b : { y: 0..3, z: 0..3 } = {y: i mod 4, z: (i div 2) mod 4} for i in 0..11
        place c : { z: 0..3, n: int }  = {z: i mod 4, n: i} for i in 0..7
        transition pass: a({x, y}), b({y: y, z: z}), c({z: z, n: n})
          -> a({x: x, y: u}), b({y: v, z: w}), c({z: u, n: n})
          draw u ~ uniform(0..3), v ~ uniform(0..3), w ~ uniform(0..3)  takes exp(1.0)
        transition stir: b({y: y}) -> b({y: u, z: v})  draw u ~ uniform(0..3), v ~ uniform(0..3)  takes exp(1.0)
        """,
    "a tree whose arcs are not in its order, and two of its own": """
        place a : { x: 0..3, y: 0..2 } = {x: i mod 4, y: i mod 3} for i in 0..7
        place b : { x: 0..3, w: 0..2 } = {x: i mod 4, w: (2 * i) mod 3} for i in 0..8
        place c : { y: 0..2, n: int }  = {y: i mod 3, n: i} for i in 0..5
        place d : { w: 0..2, n: int }  = {w: i mod 3, n: i} for i in 0..6
        place e : int = 1, 2, 3
        place f : { k: int, n: int } = {k: i mod 4, n: i} for i in 0..4
        transition meet: a({x, y}), e(o), b({x: x, w: w}), read c({y: y, n: n}), d({w: (w + 1) mod 3, n: m}),
            f({k: o, n: l})
          -> a({x: (x + u) mod 4, y: v}), e((o mod 3) + 1), b({x: u, w: v}), d({w: w, n: m}), f({k: u, n: l})
          when n != 4 and l != 3
          draw u ~ uniform(0..3), v ~ uniform(0..2)  takes exp(1.0)
        transition stir: a({x, y}), d(t) -> a({x: y, y: u}), d({w: v, n: t.n})
          draw u ~ uniform(0..2), v ~ uniform(0..2)  takes exp(1.0)
        """,
    "a comparison within equal keys": """
        place job     : { class: 0..2, size: real } = {class: i mod 3, size: 0.5 * i} for i in 0..11
        place machine : { class: 0..2, size: real } = {class: i mod 3, size: 0.75 * i} for i in 0..11
        transition work: job(j), machine({class: j.class, size: s})
          -> job({class: x, size: 0.5 * y}), machine({class: z, size: s})  when s >= j.size and s > 0.5
          draw x ~ uniform(0..2), y ~ uniform(0..11), z ~ uniform(0..2)  takes exp(1.0)
        transition stir: job(j) -> job({class: x, size: 0.5 * y})
          draw x ~ uniform(0..2), y ~ uniform(0..11)  takes exp(1.0)
        """,
    "ranges, and a key in the guard": """
        place span  : { low: 0..19, high: 0..29, k: 0..1 } = {low: i, high: i + 5, k: i mod 2} for i in 0..14
        place point : { at: 0..29, k: 0..1 } = {at: 2 * i, k: i mod 2} for i in 0..14
        transition hit: span(s), point(p) -> span({low: x, high: x + y, k: s.k}), point({at: z, k: p.k})
          when s.low <= p.at and p.at <= s.high and p.k == s.k
          draw x ~ uniform(0..19), y ~ uniform(0..9), z ~ uniform(0..29)  takes exp(1.0)
        transition stir: point(p) -> point({at: z, k: p.k})  draw z ~ uniform(0..29)  takes exp(1.0)
        """,
    "ranges, of either token": """
        place span  : { low: 0..19, high: 0..39 } = {low: i, high: 2 * i} for i in 0..19
        place point : { at: real, n: int } = {at: 0.5 * i, n: i} for i in 0..19
        place mark  : int = i for i in 0..19
        transition hit: span({low: l, high: h}), mark(m) -> span({low: x, high: x + y}), mark(z)
          when l <= m and m < h and m != 7
          draw x ~ uniform(0..19), y ~ uniform(0..5), z ~ uniform(0..19)  takes exp(1.0)
        transition near: point(p), mark(m) -> point({at: 0.5 * x, n: p.n}), mark(m)
          when p.at - 2.0 < m and m < p.at + 1.5
          draw x ~ uniform(0..39)  takes exp(1.0)
        """,
    "any condition on two": """
        place a : int = i for i in 0..9
        place b : int = i for i in 0..9
        transition meet: a(x), b(y) -> a(u), b(v)  when (x + y) mod 3 == 0 and x != y
          draw u ~ uniform(0..9), v ~ uniform(0..9)  takes exp(1.0)
        transition stir: a(x) -> a(u)  draw u ~ uniform(0..9)  takes exp(1.0)
        """,
    "two of one place, in order": """
        place people : { age: 0..9, town: 0..2 } = {age: i, town: i mod 3} for i in 0..9
        place home   : { town: 0..2, n: int } = {town: i mod 3, n: i} for i in 0..5
        transition meet: people(a), people(b), home({town: b.town, n: n})
          -> people({age: b.age, town: x}), people({age: a.age, town: y}), home({town: z, n: n})
          when a.age <= b.age and a.town == b.town
          draw x ~ uniform(0..2), y ~ uniform(0..2), z ~ uniform(0..2)  takes exp(1.0)
        transition stir: people(a) -> people({age: x, town: y})
          draw x ~ uniform(0..9), y ~ uniform(0..2)  takes exp(1.0)
        """,
    "the least, of which there are several": """
        place line : { class: 0..2, n: int } = {class: i mod 3, n: i} for i in 0..11
        transition serve: line(c) -> line({class: x, n: c.n})  prefer least c.class
          draw x ~ uniform(0..2)  takes exp(1.0)
        """,
    "the greatest real": """
        place line : { size: real, n: int } = {size: 1.5 * i, n: i} for i in 0..11
        place server = 3 * token
        transition serve: server, line(c) -> server, line({size: 0.5 * x - 2.0, n: c.n})  prefer most c.size
          draw x ~ uniform(0..9)  takes exp(1.0)
        """,
}


@pytest.mark.parametrize("text", LIVING.values(), ids=LIVING)
@pytest.mark.parametrize("seed", one_in(2, range(2)))
def test_same_bindings(seed: int, text: str) -> None:
    net = petri.loads("net joined\n" + text).net
    assert assert_same_pieces(net, seed, 25, 2, 0, NEVER) == 50


@pytest.mark.slow
def test_hundreds_of_pairs() -> None:
    """More than a block of positions, and several buckets of ranks; all places are emptied on the way."""
    text = """net pairs
    place job     : int = (i * 37) mod 150 for i in 0..149
    place machine : int = (i * 91) mod 150 for i in 0..149
    place night = token
    place day
    transition dawn: night -> day  takes 30.0
    transition work: job(j), machine(m) -> job(x), machine(y)  when m >= j
      draw x ~ uniform(0..149), y ~ uniform(0..149)  takes exp(20.0)
    transition clear: day, reset machine -> 150 * machine(7)  takes 9.0
    """
    net = petri.loads(text).net
    assert assert_same_pieces(net, 1, 25, 4, 0, NEVER) == 100


def test_one_arc_with_a_constant_key_is_chosen_in_machine_code() -> None:
    """An index has its tokens. The counts of a tree, which the runtime keeps, made ixp2400 a quarter slower."""
    from petri import _native

    net = petri.loads("""net one
type Thread = { engine: int, number: int }
place thread : Thread = {engine: 0, number: 1}, {engine: 0, number: 2}, {engine: 1, number: 1}
transition t: thread({engine: 0, number: n}) -> thread({engine: 0, number: n})  takes 1
run until 1
""").net
    session = _native.Session(_native.Program(net), (1, 2, 3), (1000, 1 << 40, 1 << 62), False, False)
    session.advance(100.0, 5_000)
    code = "".join(code for _, _, code, _ in session.listings(0))
    assert "runtime.seats" in code
    assert "runtime.choose" not in code
