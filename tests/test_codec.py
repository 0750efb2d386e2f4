"""The flat net as JSON, and back: bit for bit."""

from __future__ import annotations

import json
import math

import pytest

from petri import codec, language, library
from petri.net import Expr, Match, Net, Place, RunDefaults, Span, Table, Term
from petri.structs import replace
from tests.sampling import one_in


def round_trip(net: Net) -> Net:
    return codec.net_from_dict(json.loads(json.dumps(codec.net_to_dict(net))))


@pytest.mark.parametrize("name", one_in(6, library.net_names()))
def test_library(name: str) -> None:
    net = language.load(name)
    again = round_trip(net)
    assert again == net
    assert repr(again) == repr(net)  # tells 1 from 1.0 and True


@pytest.mark.parametrize("name", ["ixp2400", "mm1"])
def test_text_in_pieces_is_that_of_the_dicts(name: str) -> None:
    net = language.load(name)
    whole = json.dumps(codec.net_to_dict(net), indent=2, ensure_ascii=False)
    assert "".join(codec.net_text(net, indent=2)) == whole
    whole = json.dumps(codec.net_to_dict(net), separators=(",", ":"), ensure_ascii=False)
    assert "".join(codec.net_text(net)) == whole
    whole = json.dumps(codec.net_to_dict(net, spans=False), separators=(",", ":"), sort_keys=True)
    assert "".join(codec.net_text(net, spans=False, sort_keys=True)) == whole


def test_text_of_awkward_nets() -> None:
    """Without elements; with all files in one place, names beyond ASCII, and infinity; with a long marking."""
    span = Span("a\nb.net", 1, 2, 3, 4)
    for net in (
        Net("n"),
        Net("ñ", (Place("é\n"),), run_defaults=RunDefaults(math.inf), doc='"\\'),
        Net("n", (Place("p", span=span), Place("q", span=replace(span, file="c.net"))), seconds=1e-9),
        language.loads(
            "place p : {k: int, x: real} = {k: i, x: 0.5} for i in 1..100  transition t: p(j) -> p(j) takes 1"
        ),
    ):
        assert "".join(codec.net_text(net, indent=2)) == json.dumps(
            codec.net_to_dict(net), indent=2, ensure_ascii=False
        )
        whole = json.dumps(codec.net_to_dict(net, spans=False), separators=(",", ":"), sort_keys=True)
        assert "".join(codec.net_text(net, spans=False, sort_keys=True)) == whole


def test_defaults_are_left_out() -> None:
    assert codec.net_to_dict(Net("n")) == {"version": 1, "name": "n"}
    net = Net("n", (Place("p"), Place("q", capacity=3)))
    assert codec.net_to_dict(net)["places"] == [{"name": "p"}, {"name": "q", "capacity": 3}]


def test_numbers_keep_their_bits_and_kinds() -> None:
    values = (0.1, 5e-324, 1.7976931348623157e308, -0.0, 1.0, 2**63 - 1, -(2**63), 0)
    net = Net("n", tables=(Table("t", values, (1.0,) * len(values)),))
    again = round_trip(net).tables[0].values
    assert [(type(value), repr(value)) for value in again] == [(type(value), repr(value)) for value in values]


def test_values_equal_to_a_default_of_another_kind_are_kept() -> None:
    expr = Expr("const", "bool", value=False)
    place = Place("p", key=expr, capacity=0)
    again = round_trip(Net("n", (place,))).places[0]
    assert again.key is not None
    assert again.key.value is False
    assert again.capacity == 0


def test_an_int_where_the_default_is_a_float_stays_one() -> None:
    net = Net("n", run_defaults=RunDefaults(warmup=0))
    assert repr(round_trip(net)) == repr(net)


def test_infinity_and_tuples() -> None:
    net = Net("n", run_defaults=RunDefaults(math.inf))
    assert round_trip(net).run_defaults.until == math.inf
    assert json.loads(json.dumps(codec.net_to_dict(net)))["run_defaults"] == {"until": "inf"}
    measured = language.loads("place p : int = 1  transition t: p(x) -> p(x) takes 1  measure m = x at t record p99")
    assert round_trip(measured).measures[0].formula == Term("sample", (), (0, "p99"))


def test_without_spans() -> None:
    net = language.load("mm1")
    bare = codec.net_to_dict(net, spans=False)
    assert "files" not in bare
    assert codec.net_from_dict(bare).transitions[0].inputs[0] == replace(net.transitions[0].inputs[0], span=None)


def test_matches_that_ask_nothing() -> None:
    net = language.loads("type P = { a: int, b: int }  place p : P  transition t: p({b: 3}) -> nothing")
    assert round_trip(net).transitions[0].inputs[0].pattern[0] == Match()


@pytest.mark.parametrize(
    "data",
    [{}, {"version": 2, "name": "n"}, {"version": 1}, {"version": 1, "name": "n", "plaices": []},
     {"version": 1, "name": "n", "places": [3]}, {"version": 1, "name": "n", "probes": [{"is": "Net"}]},
     *({"version": 1, "name": "n", "places": [{"name": "p", "initial": [[count, []]] * items}]}
       for count, items in ((-1, 1), (2**31 - 1, 1), (2**64, 100), (1.0, 1), (10_000_000, 2)))],
)  # fmt: skip
def test_other_data_is_refused(data: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="flat net"):
        codec.net_from_dict(data)
