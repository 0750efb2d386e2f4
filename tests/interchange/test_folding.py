"""Families become arrays, and the net stays the same: what is folded is compared with what is not."""

from __future__ import annotations

import time
from typing import Any

import pytest

from petri import interchange, language
from petri.codec import net_to_dict
from petri.interchange import folding, formats
from petri.interchange.out.exporting import exported
from petri.interchange.reading.foreign import Foreign, Place, Transition, Type
from petri.net import Net
from tests.interchange.reading import imported

STATION = """module station1
  s1 : [0..1]; // full
  [loop1] s1=0 -> 1 : true;
  [] s1=0 -> 3 : (s1'=1);
  [serve1] s1=1 -> 1 : (s1'=0);
endmodule
"""


def polling(stations: int) -> str:
    """Return a net in which a server goes round stations, each made from another by renaming."""
    commands = "".join(
        f"  [loop{n}] s={n} -> 200 : (s'={n % stations + 1});\n  [serve{n}] s={n} -> 2 : (s'={n % stations + 1});\n"
        for n in range(1, stations + 1)
    )
    copies = "".join(
        f"module station{n} = station1 [s1=s{n}, loop1=loop{n}, serve1=serve{n}] endmodule\n"
        for n in range(2, stations + 1)
    )
    reward = f'rewards "served"\n  [serve{stations}] true : 1;\nendrewards\n'
    return f"ctmc\nmodule server\n  s : [1..{stations}];\n{commands}endmodule\n{STATION}{copies}{reward}"


def ring(count: int) -> str:
    """Philosophers whose transitions have numbers of their own, and whose arcs come in any order."""
    lines, number = list[str](), 7
    for one in range(count):
        forks = [f"fork{one}", f"fork{(one + 1) % count}"][:: 1 if one % 2 else -1]
        lines.append(f"tr t{number} [0,w[ idle{one} {' '.join(forks)} -> eat{one}")
        lines.append(f"tr t{number + 5} [0,w[ eat{one} -> {' '.join(reversed(forks))} idle{one}")
        number = number * 3 % 101 + 20
        lines += [f"pl fork{one} (1)", f"pl idle{one} (1)"]
    return "\n".join(lines) + "\n"


CHAIN = "".join(f"tr go{n} [0,w[ p{n}*{n} -> p{n + 1}\n" for n in range(3, 7)) + "pl p3 (9)\npl p4 (9)\n"
CHAIN += "".join(f"pl p{n} (9)\n" for n in (5, 6, 7))


@pytest.fixture
def unfolded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(formats, "fold", lambda _: {})


def flat(net: Net, names: dict[str, str]) -> tuple[Any, Any]:
    """Places and transitions by name, in which places are names, and black arcs have no order."""
    data = net_to_dict(net, spans=False)
    places = [names.get(one["name"], one["name"]) for one in data["places"]]

    def named(value: Any, key: str = "") -> Any:
        if isinstance(value, dict):
            told = {one: named(part, one) for one, part in value.items() if one not in ("span", "doc")}
            return told | ({"value": places[value["value"]]} if value.get("op") == "tokens" else {})
        if isinstance(value, list):
            parts = [places[one] if key == "places" else named(one) for one in value]
            return sorted(parts, key=repr) if key in ("inputs", "outputs", "inhibitors") else parts
        return places[value] if key == "place" else names.get(value, value) if key == "name" else value

    places_by_name, transitions = (
        {names.get(one["name"], one["name"]): named(one) for one in data[part]} for part in ("places", "transitions")
    )
    return places_by_name, transitions


@pytest.mark.parametrize(
    ("text", "name", "arrays"),
    [
        (polling(2), "a.prism", 4),
        (polling(5), "a.prism", 4),
        (ring(4), "a.net", 5),
        (ring(9), "a.net", 5),
        (CHAIN, "a.net", 2),
    ],
)
@pytest.mark.usefixtures("unfolded")
def test_the_same_flat_net(text: str, name: str, arrays: int) -> None:
    net = interchange.read_bytes(text.encode(), name)
    before = language.loads(interchange.text_of(net))
    names = folding.fold(net)
    after = language.loads(interchange.text_of(net))
    assert len({new.partition("[")[0] for new in names.values()}) == arrays
    assert flat(after, {}) == flat(before, names)
    assert len(after.transitions) == len(before.transitions)


def test_renamed_modules_are_arrays() -> None:
    """The one variable of another module keeps its name; constants follow the index; the reward follows the names."""
    assert imported(polling(5), "a.prism").partition("\n")[2] == (
        "net a\n\n"
        "place s : 1..5 = 1\n"
        "place s_[1..5]  ## full\n\n"
        "transition loop[i in 1..5]:         s(i), no s_[i] -> s(i mod 5 + 1)  after exp(0.005)\n"
        "transition serve[i in 1..5]:        s(i), s_[i] -> s(i mod 5 + 1)     after exp(0.5)\n"
        "transition station_step[i in 1..5]: no s_[i] -> s_[i]                 after exp(1 / 3)\n\n"
        "measure served = rate(serve[5])\n"
    )


def test_transitions_of_equal_form() -> None:
    """Their own numbers say nothing, so they are numbered as their places are, and a comment has their names."""
    text = imported(ring(4), "a.net")
    assert "transition t7[i in 0..3]: idle[i], fork[(i + 1) mod 4], fork[i] -> eat[i]" in text
    assert "## t7, t41, t42, t45" in text


def test_numbers_that_follow_the_index() -> None:
    text = imported(CHAIN, "a.net")
    assert "place p[3..7] = 9 * token" in text
    assert "transition go[i in 3..6]: i * p[i] -> p[i + 1]" in text


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("pl p5 (9)", "pl p5 (8)"),  # a place that begins otherwise
        ("p4*4 -> p5", "p4*5 -> p5"),  # a number that does not follow
        ("tr go4 [0,w[ p4*4 -> p5", "tr go4 [0,w[ p4*4 -> q"),
        ("p6*6 -> p7", "p6*6 -> p7 p7"),
        ("pl p3 (9)", "pl p3 (9)\n" + "".join(f"tr use{n} [0,w[ p{n} -> x{n}a{n}\n" for n in (3, 7, 30, 50))),
        ("pl p3 (9)", "pl p3 (9)\ntr a [0,w[ p4 p5 -> p4\ntr b [0,w[ p3*2 -> p3\ntr c [0,w[ p6 p3 -> p3\n"
         "tr d [0,w[ p7*3 -> p3\ntr e [0,w[ p3 p6 p7 -> p4*2\n"),
    ],
)  # fmt: skip
def test_what_does_not_fit_stays(before: str, after: str) -> None:
    """A member that differs, and places that most transitions name one by one."""
    text = CHAIN.replace(before, after)
    assert text != CHAIN
    assert "[" not in imported(text, "a.net")


def test_two_of_a_kind_stay() -> None:
    """Two agree by chance, unless the file makes one from the other, as in `polling(2)`."""
    assert "[" not in imported("tr go1 [0,w[ p1 -> q1\ntr go2 [0,w[ p2 -> q2\npl p1 (1)\npl p2 (1)\n", "a.net")


def test_an_array_comes_back() -> None:
    first = language.loads(imported(ring(5), "a.net"))
    for format in ("pnml", "pnpro"):
        again = language.loads(imported(exported(first, format)[0], f"a.{format}"))
        assert [one.name for one in again.places] == [one.name for one in first.places]
        assert flat(again, {}) == flat(first, {})


@pytest.mark.parametrize(("field", "folded"), [("p2", False), ("x2", True)])
def test_fields_with_the_name_of_a_place(field: str, folded: bool) -> None:
    """A word of a text is then not always the place, so these places stay."""
    net = Foreign("a tool", "file", name="pairs", types=[Type("Pair", f"{{ {field}: int }}")])
    net.places = [Place(f"p{n}", "Pair", f"{{{field}: 1}}") for n in (1, 2, 3)]
    net.transitions = [
        Transition(f"t{n}", [f"p{n}(v)"], [f"p{n}({{{field}: v.{field}}})"], {"after": "1"}) for n in (1, 2, 3)
    ]
    folding.fold(net)
    text = interchange.text_of(net)
    language.loads(text)
    assert ("place p[1..3]" in text) == folded


def test_nets_that_nobody_reads_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "[" in imported(ring(9), "a.net")
    monkeypatch.setattr(folding, "MOST_ARCS", 50)
    assert "[" not in imported(ring(9), "a.net")


@pytest.mark.slow
def test_large_families_take_linear_time() -> None:
    count = 5_000
    text = "".join(f"tr t{n} [0,w[ p{n} -> p{(n + 1) % count}\n" for n in range(count))
    started = time.process_time()
    net = interchange.read_bytes(text.encode(), "a.net")
    assert net.transitions[0].outputs == [f"p[(i + 1) mod {count}]"]
    assert time.process_time() - started < 20
