"""Long initial markings: kept by columns, and no different from tuples to whoever looks at them."""

from __future__ import annotations

import json
import math
import pickle
from itertools import product

import pytest

from petri import codec, language
from petri.diagnostics import LanguageError
from petri.engine.native import available
from petri.net import Net, Place
from petri.run.session import begin
from petri.structs import replace
from petri.tokens import FEW, TokenList, Tokens, compact

LONG = FEW + 36
ENGINES = ("reference", "native") if available() else ("reference",)


def place(text: str) -> Place:
    """Return the place of a net with the parameter n = LONG."""
    return language.loads(f"param n = {LONG}  {text}").places[0]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("place p : 0..n-1 = all", [(1, (i,)) for i in range(LONG)]),
        ("place p : 0..n-1 = 3 * all", [(3, (i,)) for i in range(LONG)]),
        ("place p : {a: bool, b: 4..n, c: 1..2} = all",
         [(1, one) for one in product((0, 1), range(4, LONG + 1), (1, 2))]),
        ("place p : 0..n = 0, all", [(2, (0,)), *((1, (i,)) for i in range(1, LONG + 1))]),
        ("place p : {k: int, x: real} = {k: i, x: 0.5} for i in 3..n+2", [(1, (i + 3, 0.5)) for i in range(LONG)]),
        ("place p : {k: int, x: real} = {k: 1, x: i} for i in 1..n", [(1, (1, i + 1.0)) for i in range(LONG)]),
        ("place p : int = (2 * i) for i in 1..n", [(1, (2 * i + 2,)) for i in range(LONG)]),
        ("place p : int = i * (i) for i in 1..n", [(i, (i,)) for i in range(1, LONG + 1)]),
        ("place p : int = (7) for i in 1..n", [(LONG, (7,))]),
        ("place p : int = i for i in 1..n, n, i for i in n..2*n",
         [*((1, (i,)) for i in range(1, LONG)), (3, (LONG,)), *((1, (i,)) for i in range(LONG + 1, 2 * LONG + 1))]),
        ("place p : {a: int, b: int} = {a: i, b: j} for i in 1..n for j in 1..2",
         [(1, (i, j)) for i in range(1, LONG + 1) for j in (1, 2)]),
        ("place p = n * token", [(LONG, ())]),
    ],
)  # fmt: skip
def test_markings_hold_what_is_written(text: str, wanted: list[object]) -> None:
    initial = place(text).initial
    assert repr(initial) == repr(tuple(wanted))  # tells 1 from 1.0
    assert isinstance(initial, Tokens) == (len(wanted) > FEW)
    assert place(text).held == sum(count for count, _ in initial)


@pytest.mark.parametrize("text", ["= i for i in 1..n", "= i for i in 0..n-1"])
def test_a_value_outside_its_range_is_found_in_a_long_marking(text: str) -> None:
    with pytest.raises(LanguageError, match="value") as caught:
        place(f"place p : 1..n-1 {text}")
    assert [one.id for one in caught.value.diagnostics] == ["value-outside"]


def test_columns_equal_the_tuples_that_they_stand_for() -> None:
    plain = tuple((1, (i, i / 2)) for i in range(LONG))
    tokens = compact(plain)
    assert isinstance(tokens, Tokens)
    assert tokens == plain
    assert plain == tokens
    assert tokens != plain[1:]
    assert tokens != compact((*plain[:-1], (1, (7, 0.5))))
    assert tokens != compact((*plain[:-1], (2, plain[-1][1])))
    assert tokens == compact(plain)
    assert hash(tokens) == hash(plain)
    assert (tokens[3], tokens[-1], tokens[2:4]) == (plain[3], plain[-1], plain[2:4])
    with pytest.raises(IndexError):
        tokens[LONG]
    assert pickle.loads(pickle.dumps(tokens)) == tokens
    assert {Place("p", initial=tokens), Place("p", initial=plain)} == {Place("p", initial=plain)}


def test_numbers_of_several_kinds_in_a_column_stay_tuples() -> None:
    mixed = (*((1, (i,)) for i in range(LONG)), (1, (1.0,)))
    assert compact(mixed) is mixed
    assert compact(mixed[:FEW]) == mixed[:FEW]


def test_equal_neighbours_are_one_item() -> None:
    tokens = TokenList(["int"])
    for count, value in ((1, 5), (2, 5), (0, 6), (4, 5)):
        tokens.append(count, (value,))
    assert tokens.marking() == ((7, (5,)),)


NETS = (
    f"place p : 1..{LONG} = all  place q : {{k: int, x: real}} by k = {{k: i, x: 1.5}} for i in 1..{LONG}"
    "  transition t: p(k), q({k: k, x: x}) -> p(k)  takes exp(x)",
    f"place p : int fifo = 2 * (3 * i) for i in 1..{LONG}  transition t: p(k) -> p(k + 1)  takes k",
)


@pytest.mark.parametrize("text", NETS)
def test_engines_begin_with_all_of_them(text: str) -> None:
    flat = language.loads(text)
    again = codec.net_from_dict(json.loads(json.dumps(codec.net_to_dict(flat))))
    assert repr(again) == repr(flat)
    assert isinstance(again.places[0].initial, Tokens)
    hashes = set()
    for engine in ENGINES:
        for one in (flat, again, plain(flat)):
            session = begin(one, engine, 1, 0)
            assert session.marking()[0] == [token for count, token in one.places[0].initial for _ in range(count)]
            session.advance(math.inf, 200)
            hashes.add(session.hash)
    assert len(hashes) == 1


def plain(flat: Net) -> Net:
    """Return the same net with tuples for columns."""
    return replace(flat, places=tuple(replace(one, initial=tuple(one.initial)) for one in flat.places))
