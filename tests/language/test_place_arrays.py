"""Arrays of places with several indices: their elements, rows as ports, computed indices, and indices over types."""

from __future__ import annotations

import pytest

import petri
from petri import language
from petri.diagnostics import LanguageError
from petri.engine.native import available
from petri.net import Net

ENGINES = ["reference", *(["native"] if available() else [])]


def load(text: str) -> Net:
    return petri.loads(text).net


def problems(text: str) -> list[str]:
    with pytest.raises(LanguageError) as told:
        petri.loads(text)
    return [diagnostic.id for diagnostic in told.value.diagnostics]


def test_elements_are_numbered_with_the_last_index_fastest() -> None:
    net = load("place v[0..1, 2..4] : int = 1\ntransition t[i in 0..1, j in 2..4]: v[i, j](x) -> v[i][j](x)   takes 1")
    assert [p.name for p in net.places] == ["v[0][2]", "v[0][3]", "v[0][4]", "v[1][2]", "v[1][3]", "v[1][4]"]
    assert [(t.name, t.inputs[0].place, t.outputs[0].places) for t in net.transitions][3:5] == [
        ("t[1][2]", 3, (3,)), ("t[1][3]", 4, (4,))
    ]  # fmt: skip


def test_an_index_may_run_over_a_type() -> None:
    net = load("""
    type Class = gold | silver
    type Port  = 1..2
    place q[Class, Port] : Class = gold
    transition serve[c in Class, p in Port]: q[c][p](x) -> q[x][p](c)   takes 1
    measure golden[p in Port] = mean(q[gold][p]) + mean(q[*][p])
    """)
    assert [p.name for p in net.places] == ["q[gold][1]", "q[gold][2]", "q[silver][1]", "q[silver][2]"]
    assert [t.name for t in net.transitions][1] == "serve[gold][2]"
    assert [m.name for m in net.measures] == ["golden[1]", "golden[2]"]
    assert net.measures[1].formula.args[0].value == 1


CROSSBAR = """
type Cell = { from: 0..2, to: 0..1 }
place source : Cell = Cell(i mod 3, i mod 2) for i in 0..17
place voq[0..2, 0..1] : Cell
transition enter: source(c) -> voq[c.from, c.to](c)   takes 1
transition move[i in 0..2, j in 0..1]: voq[i][j](c) -> nothing   takes i + 2 * j + 1   when c.from == i and c.to == j
measure moved[i in 0..2, j in 0..1] = count(move[i][j])
run until dead
"""


@pytest.mark.parametrize("engine", ENGINES)
def test_computed_indices_find_their_element(engine: str) -> None:
    result = petri.loads(CROSSBAR).run(engine=engine)
    assert [measure.value for measure in result.measures] == [3.0] * 6
    assert not result.failure


def test_both_engines_agree_on_computed_indices() -> None:
    if available():
        model = petri.loads(CROSSBAR)
        assert model.run(engine="native").hash == model.run(engine="reference").hash


@pytest.mark.parametrize("engine", ENGINES)
def test_an_index_beyond_its_range_is_an_error_and_not_the_next_row(engine: str) -> None:
    text = "place q : int = 0\nplace v[0..1, 0..2] : int\ntransition t: q(n) -> v[0, n](n), q(n + 1)   takes 1"
    failure = petri.loads(text).run(until=9, engine=engine).failure
    assert failure is not None
    assert (failure.diagnostic.id, failure.diagnostic.values["index"]) == ("list-range", 3)


def test_indices_may_stand_in_one_bracket() -> None:
    text = """
    place v[0..1, 0..2] : int = 0
    transition t[i in 0..1, k in 0..2]: v[i{0}k](x) -> v[i{0}k](x)  takes 1
    measure m = mean(v[*{0}*])
    measure n = count(t[1{0}*]) + count(t[*{0}2])
    """
    apart, together = (load(text.replace("{0}", between)) for between in ("][", ", "))
    assert apart.measures[0].formula == together.measures[0].formula
    assert [t.inputs[0].place for t in apart.transitions] == [t.inputs[0].place for t in together.transitions]
    assert len(apart.measures) == len(together.measures) == 2


def test_a_port_takes_an_array_a_row_or_a_part_of_one() -> None:
    net = load("""
    module Row(n: int)
      port cells[0..n-1] : int
      transition look[k in 0..n-1]: cells[k](x) -> cells[k](x)   takes 1
    end
    module All()
      port cells[0..1, 5..7] : int
      transition look: cells[1][5](x) -> cells[x][7](x)   takes 1
    end
    place v[0..1, 0..2] : int = 0
    instance row[i in 0..1] = Row(3, cells = v[i])
    instance part = Row(2, cells = v[1][1..2])
    instance whole = All(cells = v)
    """)
    places = {t.name: t.inputs[0].place for t in net.transitions}
    assert [places[f"row[1].look[{k}]"] for k in range(3)] == [3, 4, 5]
    assert [places[f"part.look[{k}]"] for k in range(2)] == [4, 5]
    assert places["whole.look"] == 3
    assert net.transitions[-1].outputs[0].places == tuple(range(6))


@pytest.mark.parametrize(
    ("arc", "found"),
    [
        ("v[1](x)", "array-without-index"),
        ("v(x)", "array-without-index"),
        ("v[1][1][1](x)", "array-without-index"),
        ("v[2][0](x)", "index-outside"),
        ("v[0, 3](x)", "index-outside"),
        ("v[x][0](x)", "index-not-constant"),
        ("v[0][x](x)", "index-not-constant"),
    ],
)
def test_indices_that_do_not_fit(arc: str, found: str) -> None:
    assert problems(f"place v[0..1, 0..2] : int = 0\ntransition t: {arc} -> nothing   takes 1") == [found]


def test_ports_that_do_not_fit() -> None:
    module = "module M()\n  port p[0..1, 0..2] : int\n  transition t: p[0][0](x) -> p[0][1](x)   takes 1\nend\n"
    for place, given, found in (
        ("v[0..1, 0..3]", "v", "port-size"),
        ("v[0..1]", "v", "port-shape"),
        ("v[0..1, 0..2]", "v[0]", "port-shape"),
        ("v[0..1, 0..2]", "v[0][0]", "port-shape"),
        ("v[0..2, 0..2]", "v[1..3]", "index-outside"),
    ):
        assert problems(f"{module}place {place} : int = 0\ninstance m = M(p = {given})") == [found], given


def test_an_index_with_a_name_gives_each_element_its_own_tokens_capacity_and_key() -> None:
    net = language.loads(
        """
        type Kind = gold | silver
        const size = [2, 0]
        place up[k in Kind] = size[k] * token
        place line[k in Kind, 0..1] : int by (if k == gold then value else -value) cap size[k] + 1 = i + 10
          for i in 1..size[k]
        transition t[k in Kind]: up[k], line[k, 0](x) -> line[k, 1](x)  takes 1
        """
    )
    assert [(place.name, place.held, place.capacity) for place in net.places] == [
        ("up[gold]", 2, None),
        ("up[silver]", 0, None),
        *((f"line[{kind}][{i}]", held, held + 1) for kind, held in (("gold", 2), ("silver", 0)) for i in (0, 1)),
    ]
    assert [token for _, token in net.places[2].initial] == [(11,), (12,)]


@pytest.mark.parametrize(
    ("place", "error"),
    [
        ("p[k in 0..1] = (k - 1) * token", "count-negative"),
        ("p[k in 0..2] = [1, 2][k] * token", "list-index"),
        ("p[k in 0..1] : 0..1 = 2 * (k + 1)", "value-outside"),
        ("p[k in 0..1] cap k = token", "initial-over-capacity"),
    ],
)
def test_what_an_element_may_not_have(place: str, error: str) -> None:
    tested = f"place {place}\ntransition t: p[0], p[1] -> nothing"
    assert [found.id for found in language.checks(tested, name="p.net") if found.severity == "error"] == [error]
