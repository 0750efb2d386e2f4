"""Names with more than one meaning: values of several enumerations, and words of declarations as fields and values."""

from __future__ import annotations

import pytest

from petri import language
from petri.language.layout.formatter import format_source
from tests.semantics.harness import simulate

TWO = """net two
type Op   = load | store
type Unit = core | load | port
type Row  = { op: Op, unit: Unit, port: int, place: 0..3 }
place rows : Row fifo = {op: load, unit: load, port: 3, place: 1}, Row(store, port, 4, 2), Row(load, core, 5, 0)
place loads : Row
place units : Unit fifo
place lane[Unit] : int
transition equal: rows({op: load, unit: load, port: n})
  -> loads({op: load, unit: load, port: n, place: 2}), lane[load](n)
transition other: rows(r) -> units(if r.port > 4 then load else r.unit), units(x)
  when load != r.op or r.unit == core and r.place == 0
  draw x ~ choice(load: 1, core: 2)
measure others = count(other, if x == load then 1 else 0)
"""


def test_where_a_value_stands_its_type_says_which_is_meant() -> None:
    net = language.loads(TWO)
    places = {place.name: place for place in net.places}
    assert places["rows"].initial == ((1, (0, 1, 3, 1)), (1, (1, 2, 4, 2)), (1, (0, 0, 5, 0)))
    assert "lane[load]" in places
    ran = simulate(TWO.removeprefix("net two\n"), "reference")
    assert ran.counts() == {"equal": 1, "other": 2}
    assert [ran.marking[f"lane[{unit}]"] for unit in ("core", "load", "port")] == [[], [(3,)], []]
    assert ran.marking["units"][::2] == [(2,), (1,)]


def test_a_value_of_no_type_is_that_of_the_first() -> None:
    text = "net a\\ntype A = x | y\\ntype B = y | z\\nconst c = y\\nplace p : B = y\\nplace q : A\\n".replace(
        "\\n", "\n"
    )
    language.loads(text + "transition t: p(y) -> q(c)")
    wrong = language.checks(text + "transition t: p(v) -> q(x)  when v == c")
    assert [one.id for one in wrong if one.severity == "error"] == ["dimension-mismatch"]


def test_words_of_declarations_are_names_where_no_declaration_begins() -> None:
    text = """net words
type Kind = measure | type | place
type Job  = { unit: int, kind: Kind, port: int }
place jobs : Job = Job(1, place, 4), {unit: 2, kind: measure, port: 5}
place done : int
place kinds : Kind fifo = type
transition t: jobs({unit, kind: place, port}) -> done(unit + port), kinds(if port == 4 then unit_of else type)
  let unit_of = place
transition u: jobs(j) -> done(j.unit), kinds(type)  when j.kind == measure and j.port > 4
"""
    net = language.loads(text)
    assert [place.initial for place in net.places][:1] == [((1, (1, 2, 4)), (1, (2, 0, 5)))]
    assert language.loads(format_source(text, "words.net")) is not None
    ran = simulate(text.removeprefix("net words\n"), "reference")
    assert ran.marking["done"] == [(5,), (2,)]
    assert ran.marking["kinds"] == [(1,), (2,), (1,)]


@pytest.mark.parametrize("word", ["place", "unit", "port"])
def test_a_word_of_declarations_is_no_name_of_a_place(word: str) -> None:
    found = language.checks(f"net a\nplace {word} : int = 3\ntransition t: {word}(x) -> nothing")
    assert "reserved-name" in {one.id for one in found}


RING = """net ring
type T = 0..9
module Ring(n: int)
  port in inlet[0..n-1] : T
  port out outlet[0..n-1] : T
  transition pass[i in 0..n-1]: inlet[i](x) -> outlet[(i + 1) mod n](x)  takes 1
  transition jump: any inlet[0](x), inlet[1](y) -> outlet[x mod n](y)    takes 3
end
place a : T fifo cap 4 = 1
place b[0..2] : T fifo
place c : T = 4
"""


def test_a_port_takes_a_list_of_places() -> None:
    net = language.loads(RING + "instance ring = Ring(3, inlet = [a, b[1], b[0]], outlet = [c, b[2], a])")
    names = [place.name for place in net.places]
    arcs = {t.name: ([names[arc.place] for arc in t.inputs], [names[p] for p in t.outputs[0].places])
            for t in net.transitions}  # fmt: skip
    assert arcs == {
        "ring.pass[0]": (["a"], ["b[2]"]), "ring.pass[1]": (["b[1]"], ["a"]), "ring.pass[2]": (["b[0]"], ["c"]),
        "ring.jump": (["a", "b[1]"], ["c", "b[2]", "a"]),
    }  # fmt: skip
    assert [t.inputs[0].any for t in net.transitions if t.name == "ring.jump"] == [True]


@pytest.mark.parametrize(("given", "wrong"), [
    ("[a], [c, a]", ["port-size"]),
    ("[a, b], [c, a]", ["port-shape"]),
    ("[a, 3], [c, a]", ["arc-not-place"]),
    ("[a, b[7]], [c, a]", ["index-outside"]),
])  # fmt: skip
def test_what_is_wrong_with_a_list_of_places_is_told(given: str, wrong: list[str]) -> None:
    found = language.checks(RING + f"instance ring = Ring(2, {given})")
    assert [one.id for one in found if one.severity == "error"] == wrong
