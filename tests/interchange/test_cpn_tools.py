"""CPN Tools: delays, conditions, and what ML may say."""

from __future__ import annotations

import pytest

from petri import language
from petri.interchange.cpn_tools import ml
from petri.interchange.reading.tokens import InfixError
from petri.model import Model
from tests.interchange.cpn_tools import arc, document, place, transition
from tests.interchange.reading import findings, imported, refused


def lines(*parts: str) -> list[str]:
    """Return the declarations of places and transitions of a page, without white space that only aligns."""
    text = imported(document(parts), "a.cpn")
    return [" ".join(line.split()) for line in text.splitlines() if line.startswith(("place ", "transition "))]


def test_a_delay_holds_the_tokens() -> None:
    found = lines(
        place("p1", "a", "INT", "1"), transition("t1", "go", "", "@+5"), arc("p1", "t1", "n"), arc("t1", "p1", "n+1")
    )
    assert found[-1] == "transition go: a(n) -> a(n + 1) takes 5"


def test_a_delay_beside_tokens_without_time() -> None:
    """A token of a set without time is there at once, and the timed one after the delay."""
    found = lines(
        place("p1", "a", "INT", "1"),
        place("p2", "b", "UNIT"),
        transition("t1", "go", "", "@+5"),
        arc("p1", "t1", "n"),
        arc("t1", "p1", "n@+2"),
        arc("t1", "p2"),
    )
    assert found[-2:] == [
        "transition go: a(n) -> a_later(n), b",
        "transition a_arrives: a_later(waiting) -> a(waiting) after 5 + 2",
    ]


def test_tokens_that_are_taken_early() -> None:
    """An input arc with the delay that a token waits for takes it from where it waits as well."""
    found = lines(
        place("p1", "a", "INT", "1"),
        place("p2", "stop", "UNIT", "1`()"),
        transition("t1", "again"),
        arc("p1", "t1", "n"),
        arc("t1", "p1", "n@+9"),
        transition("t2", "end all"),
        arc("p1", "t2", "n@+9"),
        arc("p2", "t2"),
    )
    assert found[-2:] == [
        "transition end_all: a(n), stop -> nothing",
        "transition end_all_early: a_later(n), stop -> nothing",
    ]


def test_another_delay_than_that_of_the_tokens() -> None:
    page = (
        place("p1", "a", "INT", "1"),
        transition("t1", "again"),
        arc("p1", "t1", "n"),
        arc("t1", "p1", "n@+9"),
        transition("t2", "end all"),
        arc("p1", "t2", "n@+8"),
    )
    assert refused(document(page), "a.cpn") == "foreign-construct"


def test_delays_add_up() -> None:
    """A token that goes round with the delays 3 and 4 comes back each 7."""
    page = (
        place("p1", "a", "INT", "1"),
        place("p2", "b", "INT"),
        transition("t1", "there", "", "@+3"),
        arc("p1", "t1", "n"),
        arc("t1", "p2", "n"),
        transition("t2", "back"),
        arc("p2", "t2", "n"),
        arc("t2", "p1", "(n+1)@+4"),
    )
    text = imported(document(page), "a.cpn") + "measure turns = count(there)\n"
    assert Model(*language.loads_with_sources(text, {})).run(until=7 * 100 + 1).measure("turns").value == 101


def test_a_net_without_times_races() -> None:
    colours = '<color id="c"><id>UNIT</id><unit/></color>'
    page = (place("p1", "a", "UNIT", "1`()"), transition("t1", "go"), arc("p1", "t1"))
    text = document(page, colours=colours)
    assert "transition go: a -> nothing  after exp(1)" in imported(text, "a.cpn")
    assert findings(text, "a.cpn") == ["foreign-untimed"]


def test_monitors_are_named() -> None:
    more = '<monitorblock name="m"><monitor id="1" name="Queue"/></monitorblock>'
    page = (place("p1", "a", "INT", "1"), transition("t1", "go"), arc("p1", "t1", "n"))
    assert "foreign-monitors" in findings(document(page, more=more), "a.cpn")


@pytest.mark.parametrize("text", ["fun f x", "fun = 3", "fun f {a} = a", "val x", "fun f(x) = [x]", "val y = (1, 2"])
def test_declarations_that_are_not_read(text: str) -> None:
    with pytest.raises(InfixError):
        ml.declarations(text)


def test_a_random_value_is_drawn_once() -> None:
    known = ml.declarations("fun f(x) = x + x")
    with pytest.raises(InfixError, match="more than once"):
        ml.written_out(ml.expression("f(poisson(2.0))"), known, lambda _: ())
    assert ml.written_out(ml.expression("f(2)"), known, lambda _: ()).op == "+"


def test_functions_that_grow() -> None:
    grown = "".join(f"fun f{n}(x) = f{n - 1}(x) + f{n - 1}(x);" for n in range(1, 40)) + "fun f0(x) = x"
    with pytest.raises(InfixError, match="too long"):
        ml.written_out(ml.expression("f39(1)"), ml.declarations(grown), lambda _: ())


@pytest.mark.slow
def test_pages_that_grow() -> None:
    """Each page has two instances of the next."""
    pages = []
    for number in range(1, 30):
        below = f'<subst subpage="g{number + 1}" portsock=""/>'
        more = (transition("t1", "left", more=below), transition("t2", "right", more=below)) if number < 29 else ()
        pages.append((place("p1", "a", "INT"), *more))
    assert refused(document(*pages), "a.cpn") == "foreign-too-large"


FORMS = """<color id="c1"><id>S</id><index><ml>1</ml><ml>4</ml><id>seat</id></index></color>
<color id="c2"><id>K</id><enum><id>big</id><id>mid</id><id>low</id></enum></color>
<color id="c3"><id>E</id><enum><id>e</id></enum></color>
<color id="c4"><id>PAIR</id><product><id>S</id><id>K</id></product></color>
<var id="v1"><type><id>S</id></type><id>s</id></var><var id="v2"><type><id>K</id></type><id>k</id></var>
<var id="v3"><type><id>E</id></type><id>x</id></var>
<ml id="m1">fun Next(seat(i)) = seat(if i = 4 then 1 else i + 1);</ml>
<ml id="m2">fun Size big = 3 | Size mid = 2 | Size low = 1;</ml>
<ml id="m3">fun First (1, _) = 7 | First (n, big) = n | First _ = 0</ml>
<ml id="m4">fun Part big = 3 | Part mid = 2;</ml>
<ml id="m5">fun Both (a : S, b) = case b of big => a | _ => Next(a)</ml>"""


def page(given: str, taken: str = "s", free: str = "x") -> str:
    return document(
        (
            place("p1", "a", "S", "S.all()"),
            place("p2", "b", "K", "K.all()"),
            place("p3", "c", "INT"),
            place("p4", "free", "E", "3`e"),
            transition("t1", "go"),
            arc("p1", "t1", taken),
            arc("p2", "t1", "k"),
            arc("p4", "t1", free),
            arc("t1", "p3", given),
        ),
        colours=FORMS,
    )


@pytest.mark.parametrize(
    ("given", "written"),
    [
        ("Next(s)", "if s == 4 then 1 else s + 1"),
        ("Next(seat(2))", "if 2 == 4 then 1 else 2 + 1"),
        ("Size(k)", "if k == big then 3 else if k == mid then 2 else 1"),
        ("Both(s, k)", "if k == big then s else if s == 4 then 1 else s + 1"),
        ("case (s, k) of (seat(i), big) => i | (_, mid) => 0 | _ => 1",
         "if k == big then s else if k == mid then 0 else 1"),
        ("if x = e then 1 else 2", "if 0 == 0 then 1 else 2"),
    ],
)  # fmt: skip
def test_functions_with_patterns(given: str, written: str) -> None:
    """The first form that fits holds; the last one of a set needs no condition."""
    text = " ".join(imported(page(given), "a.cpn").split())
    assert f"transition go: a(s), b(k), free -> c({written}) after exp(1)" in text


@pytest.mark.parametrize("given", ["Part(k)", "First(s, k)", "First(s)", "case k of big => 1", "case k of big => 1 |"])
def test_patterns_that_are_refused(given: str) -> None:
    assert refused(page(given), "a.cpn") == "foreign-expression"


def test_a_number_of_black_tokens_by_a_condition() -> None:
    text = imported(page("1", free="if k = big then 2`e else case s of 1 => empty | _ => 1`e"), "a.cpn")
    assert "a(s), b(k), (if k == big then 2 else if s == 1 then 0 else 1) * free -> c(1)" in " ".join(text.split())


def test_priorities_by_numbers() -> None:
    def priority(text: str) -> str:
        return f"<priority><text>{text}</text></priority>"

    steps = (
        *(transition(f"t{n}", f"t{n}", more=priority(text)) for n, text in enumerate(("P_LOW", "5", "Soon", "1000"))),
        transition("t9", "t9"),
    )
    text = document(steps, colours='<ml id="m1">val Soon = 200;</ml>')
    priorities = [
        line.partition("priority ")[2] for line in imported(text, "a.cpn").splitlines() if "-> nothing" in line
    ]
    assert priorities == ["-1", "2", "1", "", ""]
    assert refused(text.replace(">Soon<", ">Late<"), "a.cpn") == "foreign-construct"
