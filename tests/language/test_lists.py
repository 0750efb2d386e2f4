"""Lists of constants, and their elements."""

from __future__ import annotations

from pathlib import Path

import pytest

import petri
from petri import language
from petri.net import Net
from tests.language.test_flatten import shown

HEAD = """
type Class = gold | silver | bronze
param n = 4
const quota = [4, n, 1]
place q : Class = gold
place i : 0..2 = 1
place j : int = 2
place k : int
"""


def load(text: str, **parameters: object) -> Net:
    return language.loads(HEAD + text, parameters)


def test_an_element_by_a_constant() -> None:
    net = load("place p = quota[1] * token\nplace all_of : int = quota[c] + len(quota) for c in 0..len(quota)-1", n=7)
    assert net.places[4].held == 7
    assert [token for _, token in net.places[5].initial] == [(7,), (10,), (4,)]


def test_an_element_by_an_enumeration_or_a_range_needs_no_check() -> None:
    net = load("transition t: q(c), i(x) -> k(quota[c]), k(quota[x])")
    for value in net.transitions[0].outputs[0].values + net.transitions[0].outputs[1].values:
        assert value.op == "if"
        assert "within" not in str(shown(value))


def test_lists_have_units_and_types() -> None:
    net = language.loads(
        "time ns\nconst gaps = [1 us, 5 ns, 0]\nconst strict = [true, false, true]\nplace p : 0..2 = 1\n"
        "transition t: p(x) -> p(x)  takes gaps[x]  when strict[x]"
    )
    assert shown(net.transitions[0].guard) == ["if", ["lt", "var0", 2], ["if", ["lt", "var0", 1], True, False], True]


def test_a_list_of_a_module() -> None:
    net = language.loads(
        "module M(k: int)\n  const own = [k, 2 * k]\n  place p : int = own[1]\nend\ninstance m[i in 1..2] = M(i)\n"
        "place a = token\ntransition t: a -> nothing"
    )
    assert [place.initial for place in net.places] == [((1, ()),), ((1, (2,)),), ((1, (4,)),)]


def test_a_list_need_not_have_a_name() -> None:
    assert load("place p = [3, 5, 7][2] * token").places[4].held == 7


@pytest.mark.parametrize("engine", ["reference", "native"])
@pytest.mark.parametrize("index", [0, 1, 2])
def test_an_element_by_a_number_known_at_run_time(engine: str, index: int) -> None:
    text = HEAD + "transition t: j(x) -> k(quota[x - (2 - at)])\nmeasure m = quota[x - (2 - at)] at t\nrun until dead"
    result = petri.loads(text.replace("param n", "param at = 0\nparam n"), at=index, n=9).run(engine=engine)
    assert result.measure("m").value == [4, 9, 1][index]


@pytest.mark.parametrize("engine", ["reference", "native"])
@pytest.mark.parametrize("index", [-1, 3])
def test_an_element_that_is_not_there_stops_the_run(engine: str, index: int) -> None:
    text = HEAD + "transition t: j(x) -> k(quota[x - (2 - at)])\nmeasure m = quota[x - (2 - at)] at t\nrun until dead"
    result = petri.loads(text.replace("param n", "param at = 0\nparam n"), at=index).run(engine=engine)
    failure = result.failure
    assert failure is not None
    assert (failure.id, failure.values["index"], failure.values["size"]) == ("list-range", index, 3)


@pytest.mark.parametrize("engine", ["reference", "native"])
@pytest.mark.parametrize(("index", "stops"), [(0, False), (1, True)])
def test_a_list_of_one_element_checks_its_index(engine: str, index: int, stops: bool) -> None:
    text = "param at = 0\nplace j : int = 2\nplace k : int\ntransition t: j(x) -> k([5][x - 2 + at])\nrun until dead"
    assert (petri.loads(text, at=index).run(engine=engine).failure is not None) == stops


COSTS = "name,cycles,bytes\n# of a chip\nread,12,64\nwrite,30,0\nscan,7,8.5\n"


def test_a_list_from_a_file(tmp_path: Path) -> None:
    (tmp_path / "costs.csv").write_text(COSTS)
    (tmp_path / "plain.csv").write_text("3\n5\n")
    (tmp_path / "net.net").write_text(
        'const cycles = list("costs.csv", "cycles")\nconst bytes = list("costs.csv", "bytes")\n'
        'const plain = list("plain.csv")\nplace p = cycles[1] * token\nplace q : real = bytes[2]\n'
        "place r = (plain[1] + len(plain)) * token\ntransition t: p, q, r -> nothing"
    )
    net = language.load(tmp_path / "net.net")
    assert [(place.held, place.initial[0][1]) for place in net.places] == [(30, ()), (1, (8.5,)), (7, ())]


def test_a_first_row_with_a_number_is_part_of_a_list_without_a_title(tmp_path: Path) -> None:
    (tmp_path / "costs.csv").write_text("30,lookup\n40,send\n")
    text = 'const costs = list("costs.csv")\nplace p : int = costs[i] for i in 0..len(costs)-1\n'
    (tmp_path / "net.net").write_text(text + "transition t: p(x) -> nothing\n")
    assert [token for _, token in petri.load(tmp_path / "net.net").net.places[0].initial] == [(30,), (40,)]


def test_another_file_for_a_list(tmp_path: Path) -> None:
    (tmp_path / "mine.csv").write_text("cycles\n4\n")
    (tmp_path / "costs.csv").write_text(COSTS)
    (tmp_path / "net.net").write_text(
        'const c = list("costs.csv", "cycles")\nplace p = c[0] * token\ntransition t: p -> p'
    )
    net, _ = language.load_with_sources(tmp_path / "net.net", tables={"costs.csv": tmp_path / "mine.csv"})
    assert net.places[0].held == 4
