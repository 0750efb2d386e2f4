"""PNML: symmetric nets."""

from __future__ import annotations

import pytest

from petri import language
from tests.interchange.symmetric import (
    ALL,
    DECLARED,
    DOT,
    TABLE,
    arc,
    constant,
    document,
    many,
    one,
    place,
    transition,
    variable,
)  # fmt: skip
from tests.interchange.test_pnml import imported, refused


def test_sorts_variables_and_bags() -> None:
    assert imported(TABLE, "table.pnml") == (
        "## Imported from PNML: table.pnml\n"
        "net table_\n\n"
        "type Seat       = 1..3\n"
        "type Mood       = calm | hungry\n"
        "type Seat_State = { x1: Seat, x2: Mood }\n\n"
        "place Who            : Seat_State = Seat_State(1, hungry), 2 * (Seat_State(2, calm))\n"
        "place Fork           : Seat = all\n"
        "place Bell           = 3 * token\n"
        "place Told           : Seat\n"
        "place values_of_Seat : Seat = all  ## every value once, for variables that no arc binds\n\n"
        "transition eat:  Who(Seat_State(x, hungry)), Fork(x), Fork(if x == 3 then 1 else x + 1), 2 * Bell\n"
        "  -> Fork(x), Fork(if x == 1 then 3 else x - 1), if x != 1 then Told(1), if x != 2 then Told(2), "
        "if x != 3 then Told(3)\n"
        "  after exp(1)\n"
        "  when x != 3 and x < 3\n"
        "transition hear: Told(y mod 3 + 1), Told((y + 1) mod 3 + 1), read values_of_Seat(y)"
        " -> 2 * Who(Seat_State(y, calm))\n"
        "  after exp(1)\n"
    )


@pytest.mark.parametrize(
    ("tag", "text"), [("hlinitialMarking", "1`s1"), ("hlinscription", "x"), ("type", "Seat"), ("condition", "x != s3")]
)
def test_a_label_that_has_only_a_text_is_refused(tag: str, text: str) -> None:
    """What it means is in its element `structure`; without that, it was left out in silence."""
    start, _, rest = TABLE.partition(f"<{tag}><structure>")
    _, end, rest = rest.partition(f"</structure></{tag}>")
    assert refused(f"{start}<{tag}><text>{text}</text></{tag}>{rest}", "table.pnml") == "foreign-no-structure"
    assert end


def test_labels_of_nets_without_colours_are_read_where_tokens_have_no_values() -> None:
    def labelled(name: str, text: str) -> str:
        return f"<{name}><text>{text}</text></{name}>"

    def arc_of(source: str, target: str, number: str) -> str:
        return f'<arc id="{source}{target}" source="{source}" target="{target}">{labelled("inscription", number)}</arc>'

    marked = f'<place id="p">{labelled("initialMarking", "3")}</place>'
    arcs = (arc_of("p", "t", "2"), arc_of("t", "q", "0"), arc_of("t", "r", "1"))
    text = imported(document(marked, '<place id="q"/>', '<place id="r"/>', transition("t"), *arcs))
    assert "place p = 3 * token" in text
    assert "transition t: 2 * p -> r" in text
    wrong = document(place("p", "phil", one(ALL)), transition("t"), arc_of("p", "t", "1"))
    assert refused(wrong, "table.pnml") == "foreign-no-structure"


def test_it_is_a_net() -> None:
    net = language.loads(imported(TABLE))
    assert [place.held for place in net.places] == [3, 3, 3, 0, 3]


def colours(*names: str) -> str:
    inside = "".join(f'<feconstant id="c{n}" name="{name}"/>' for n, name in enumerate(names))
    sort = f'<namedsort id="phil" name="Colour"><cyclicenumeration>{inside}</cyclicenumeration></namedsort>'
    value = '<variabledecl id="vx" name="x"><usersort declaration="phil"/></variabledecl>'
    return f"<declaration><structure><declarations>{sort}{value}</declarations></structure></declaration>"


def test_an_enumeration_has_lists_for_its_order() -> None:
    text = imported(
        document(
            place("p", "phil", one(ALL)),
            transition("t", many("lessthan", variable("vx"), constant("c2"))),
            arc("p", "t", one(variable("vx"))),
            arc("t", "p", one(many("successor", variable("vx")))),
            declared=colours("red", "green", "blue"),
        )
    )
    assert "const next_Colour = [green, blue, red]" in text
    assert "transition t: p(x) -> p(next_Colour[x])  after exp(1)  when rank_Colour[x] < rank_Colour[blue]" in text
    language.loads(text)


def test_truth_values() -> None:
    text = imported(
        document(
            place("p", "phil", one(constant("c0"), 2)),
            transition("t"),
            arc("p", "t", one(variable("vx"))),
            arc("t", "p", one(many("successor", variable("vx")))),
            declared=colours("False", "True"),
        )
    )
    assert "place p : bool = 2 * (false)" in text
    assert "t: p(x) -> p(not x)" in text
    language.loads(text)


@pytest.mark.parametrize(
    ("inscription", "expected"),
    [
        (many("subtract", one(variable("vx")), one(variable("vy"))), "foreign-subtraction"),
        (one(DOT), "foreign-sort"),
        (one(constant("m1")), "foreign-sort"),
        (one(constant("m7")), "foreign-unknown-name"),
        (one(variable("vz")), "foreign-unknown-name"),
        (one("<string/>"), "foreign-construct"),
        ("", "foreign-not-one"),
        (many("subtract", one(ALL), one(variable("vx")), one(variable("vy"))), "foreign-subtractions"),
    ],
)
def test_what_cannot_be_said(inscription: str, expected: str) -> None:
    assert refused(document(place("p", "phil"), transition("t"), arc("p", "t", inscription))) == expected


def test_a_circle_of_sorts() -> None:
    circle = DECLARED.replace(
        '<usersort declaration="phil"/><usersort declaration="mood"/>', '<usersort declaration="pair"/>'
    )
    assert refused(document(declared=circle)) == "foreign-circle"


def test_a_set_that_is_too_large() -> None:
    huge = '<namedsort id="r" name="r"><finiteintrange start="0" end="999999999"/></namedsort>'
    declared = DECLARED.replace("<variabledecl", f"{huge}<variabledecl", 1)
    assert refused(document(declared=declared)) == "foreign-set-size"


PARTS = (
    '<partition id="side" name="side"><usersort declaration="phil"/>'
    '<partitionelement id="left" name="left"><useroperator declaration="s1"/></partitionelement>'
    '<partitionelement id="right" name="right"><useroperator declaration="s2"/><useroperator declaration="s3"/>'
    "</partitionelement></partition></declarations>"
)


def part_of(name: str) -> str:
    return f'<partitionelementof refpartition="side"><subterm>{variable(name)}</subterm></partitionelementof>'


def test_partitions() -> None:
    """The parts of a partition are numbered in their order, and compared so."""

    def written(word: str, declared: str = PARTS) -> str:
        return document(
            place("Fork", "phil", ALL),
            transition("go", many(word, part_of("vx"), part_of("vy"))),
            arc("Fork", "go", many("add", one(variable("vx")), one(variable("vy")))),
            declared=DECLARED.replace("</declarations>", declared),
        )

    found = imported(written("gtp"), "a.pnml")
    assert "const part_side_Seat = [0, 1, 1]\n" in found
    assert "when part_side_Seat[x - 1] > part_side_Seat[y - 1]" in found
    assert "when part_side_Seat[x - 1] == part_side_Seat[y - 1]" in imported(written("equality"), "a.pnml")
    language.loads(found)
    lacking = PARTS.replace('<useroperator declaration="s3"/>', "")
    assert refused(written("gtp", lacking), "a.pnml") == "foreign-construct"
    assert refused(written("gtp", "</declarations>"), "a.pnml") == "foreign-unknown-name"


def test_arcs_of_other_kinds() -> None:
    """An inhibitor arc is for tokens of a value, or for all; a test arc of coloured tokens must be alone."""

    def written(*arcs: str) -> str:
        return document(
            place("Fork", "phil", ALL), place("Told", "phil"), place("Bell", "dot"), transition("go"), *arcs
        )

    take, inhibit = arc("Fork", "go", one(variable("vx"))), arc("Told", "go", one(variable("vx")))
    text = written(take, inhibit.replace("target", 'type="inhibitor" target'))
    assert "transition go: Fork(x), no Told(x) -> nothing" in imported(text, "a.pnml")
    alone = '<arc id="i" source="Told" target="go" type="inhibitor" weight="2"/>'
    assert "transition go: Fork(x), no Told >= 2 -> nothing" in imported(written(take, alone), "a.pnml")
    test = inhibit.replace("target", 'type="test" target')
    assert "transition go: Fork(x), read Told(x) -> nothing" in imported(written(take, test), "a.pnml")
    assert refused(written(take, test, inhibit), "a.pnml") == "foreign-construct"
    bells = arc("Bell", "go", one(DOT)), arc("Bell", "go", one(DOT, 3)).replace("target", 'type="test" target')
    assert "transition go: Bell, read 2 * Bell -> nothing" in imported(written(*bells), "a.pnml")
