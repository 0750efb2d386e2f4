"""Lists of constants and their elements, and parameters that are lists."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

import petri
from petri import language
from petri.catalogue.operations import FUNCTIONS
from petri.diagnostics import LanguageError
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


NET = """
time us
type Class = gold | silver
param quota = [4, 1, 1] in 0..8   ## turns of each class
param gaps  = [1 us, 2 us]
param order = [gold, silver]
place turn : int = 0
place all_of : int = quota[c] for c in 0..len(quota)-1
transition next: turn(n) -> turn(n + 1)   takes gaps[n mod len(gaps)]   when order[0] == gold
run until 30 us
"""


def quotas(**settings: object) -> Sequence[int]:
    model = petri.loads(NET, **settings)  # type: ignore[arg-type]
    return [value for count, (value,) in model.net.places[1].initial for _ in range(count)]  # type: ignore[misc]


def test_a_list_is_set_as_text_or_from_python() -> None:
    assert "len" in FUNCTIONS
    assert quotas() == [4, 1, 1]
    assert quotas(quota="[8, 2 * 3]") == [8, 6]
    assert quotas(quota=[1, 2, 3, 4]) == [1, 2, 3, 4]
    assert petri.loads(NET, gaps="[500 ns]").run(engine="reference").replications[0].firings == 61
    assert petri.loads(NET, gaps=[3.0]).run(engine="reference").replications[0].firings == 11
    assert petri.loads(NET, order="[silver]").run(engine="reference").replications[0].firings == 0


def test_the_flat_net_shows_it_as_written() -> None:
    quota, gaps, _ = petri.loads(NET, gaps=(3.0, 4.0)).net.parameters
    assert (quota.value, quota.kind, quota.text, quota.low, quota.high) == ("[4, 1, 1]", "list", "[4, 1, 1]", 0, 8)
    assert (gaps.value, gaps.dimension) == ("[3.0, 4.0]", "Time")
    assert quota.doc == "turns of each class"


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ("4", "parameter-value"),
        (4, "parameter-value"),
        (["a"], "parameter-value"),
        ([1.5], "parameter-value"),
        ("[4, 9]", "parameter-out-of-bounds"),
        ([4, 9], "parameter-out-of-bounds"),
        ("[1 us]", "type-mismatch"),
        ("[]", "parameter-value"),
        ([], "parameter-value"),
    ],
)
def test_what_is_no_list_of_such_values(value: object, found: str) -> None:
    with pytest.raises(LanguageError) as told:
        quotas(quota=value)
    assert [diagnostic.id for diagnostic in told.value.diagnostics] == [found]


def test_an_import_sets_a_list(tmp_path: Path) -> None:
    (tmp_path / "part.net").write_text("param costs = [1, 2]\nconst total = costs[0] + costs[1]\n", encoding="utf-8")
    net = tmp_path / "whole.net"
    net.write_text(
        'import "part.net" as part with costs = [own, 5]\nparam own = 3\nplace p = part.total * token\n'
        "transition t: p -> p   takes 1\n",
        encoding="utf-8",
    )
    assert petri.load(net).net.places[0].held == 8
    assert petri.load(net, **{"part.costs": "[1, 1, 1]"}).net.places[0].held == 2
