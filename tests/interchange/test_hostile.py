"""Files that would take all memory or time get one error."""

from __future__ import annotations

import time

import pytest

from petri import interchange, language
from petri.diagnostics import LanguageError
from petri.interchange import formats
from petri.interchange.prism import modules
from petri.interchange.reading import xml_tree
from tests.interchange.cpn_tools import COLOURS, arc, document, place, transition
from tests.interchange.reading import imported, refused
from tests.sampling import one_in

_START, _END = '<pnml><net id="n" type="ptnet"><page id="p">', "</page></net></pnml>"


def test_more_elements_than_there_may_be(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(xml_tree, "MOST_ELEMENTS", 1_000)
    places = "".join(f'<place id="p{number}"/>' for number in range(1_100))
    assert refused(f"{_START}{places}{_END}", "a.pnml") == "foreign-too-large"


@pytest.mark.parametrize(
    ("name", "text", "part"),
    [
        ("a.net", "tr t p -> p\nPARTS", "pl q{} (1)\n"),
        ("a.spn", "place p (init = 1)\nexp t (rate = 1)\narc p to t\nPARTS", "place q{} (init = 1)\n"),
        ("a.prism", "ctmc\nPARTS", "module m{0}\n x{0} : [0..3];\n [] x{0}<3 -> 1 : (x{0}'=x{0}+1);\nendmodule\n"),
        ("a.pnml", f"{_START}PARTS{_END}", '<place id="p{}"/>'),
        ("a.PNPRO", '<project><gspn name="a"><nodes>PARTS</nodes></gspn></project>', '<place name="p{}"/>'),
    ],
)
def test_more_places_and_transitions_than_there_may_be(
    name: str, text: str, part: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One limit for all formats, and the error says what to do."""
    monkeypatch.setattr(formats, "MOST_NODES", 100)
    assert imported(text.replace("PARTS", "".join(map(part.format, range(40)))), name)
    with pytest.raises(LanguageError) as error:
        imported(text.replace("PARTS", "".join(map(part.format, range(110)))), name)
    (only,) = error.value.diagnostics
    assert "more than 100 places and transitions" in only.message
    assert only.hints


def test_a_long_circle_of_references() -> None:
    links = "".join(f'<referencePlace id="r{one}" ref="r{(one + 1) % 3000}"/>' for one in range(3000))
    arc = '<transition id="t"/><arc id="a" source="r0" target="t"/>'
    assert refused(f"{_START}{links}{arc}{_END}", "a.pnml") == "foreign-circle"


def test_formulas_that_double() -> None:
    formulas = "".join(f"formula f{one} = f{one + 1} + f{one + 1};\n" for one in range(60))
    module = "module m\n x : [0..1];\n [] x=0 -> f0 : (x'=1);\nendmodule\n"
    assert refused(f"ctmc\n{formulas}formula f60 = 1;\n{module}", "a.prism") == "foreign-expression"
    constants = "".join(f"a{one} = a{one + 1} + a{one + 1} * #p\n" for one in range(60))
    net = f"place p (init = 1)\nexp t (rate = a0)\narc p to t\n{constants}a60 = 1\n"
    assert refused(net, "a.spn") == "foreign-expression"


def test_commands_that_multiply(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(modules, "MOST_COMMANDS", 500)

    def module(number: int) -> str:
        commands = "".join(f" [a] x{number}=0 -> {rate} : (x{number}'=1);\n" for rate in range(1, 9))
        return f"module m{number}\n x{number} : [0..1];\n{commands}endmodule\n"

    assert refused("ctmc\n" + "".join(map(module, range(9))), "a.prism") == "foreign-too-large"


def test_products_of_large_sets() -> None:
    classes = "".join(f'<color-class name="C{one}" definition="c{{1..9999}}"/>' for one in range(3))
    product = '<color-class name="P" definition="C0*C1*C2"/>'
    place = '<place name="p" domain="P" marking="&lt;All,All,All&gt;"/>'
    text = f'<project><gspn name="a"><nodes>{classes}{product}{place}</nodes></gspn></project>'
    assert refused(text, "a.PNPRO") == "foreign-bag-too-large"


def test_a_net_that_is_too_large_for_a_text(monkeypatch: pytest.MonkeyPatch) -> None:
    imported("tr a p -> p\n", "a.net")  # the parser takes the limit once, when it is first needed
    monkeypatch.setattr("petri.interchange.writing.LARGEST_FILE", 2_000)
    places = " ".join(f"place{number}" for number in range(100))
    assert refused(f"tr a {places} -> {places}\n", "a.net") == "foreign-net-too-large"


def test_a_long_chain_of_references() -> None:
    """Many arcs begin along a chain of references, which is followed once."""
    links = "".join(f'<referencePlace id="r{one}" ref="r{one + 1}"/>' for one in range(6_000))
    arcs = "".join(f'<arc id="a{one}" source="r{one}" target="t"/>' for one in range(0, 6_000, 2))
    text = f'{_START}{links}<place id="r6000"/><transition id="t"/>{arcs}{_END}'
    assert "transition t: 3000 * r6000 -> nothing" in imported(text, "a.pnml")


@pytest.mark.parametrize("number", ["1e999999999", "1e-999999999", "9" * 5_000, "1e0000000000000000000301"])
def test_numbers_that_are_no_doubles(number: str) -> None:
    assert refused(f"place p (init = 1)\nexp t (rate = {number})\narc p to t\n", "a.spn") == "foreign-expression"
    module = f"ctmc\nmodule m\n x : [0..1];\n [] x=0 -> {number} : (x'=1);\nendmodule\n"
    assert refused(module, "a.prism") == "foreign-expression"
    marked = document((place("p1", "a", "REAL", number.replace("-", "~")),))
    assert refused(marked, "a.cpn") == "foreign-expression"


def test_a_text_that_is_too_large() -> None:
    places = "".join(f"pl p{number} (1)\n" for number in range(300_000))
    assert refused(f"tr t p1 -> p2\n{places}", "a.net") == "foreign-file-too-large"


def test_expressions_of_ml_that_grow() -> None:
    values = "".join(f"<ml>val a{one} = a{one + 1} + a{one + 1}</ml>" for one in range(60))
    text = document((place("p1", "a", "INT", "1`a0"),), colours=f"{COLOURS}{values}<ml>val a60 = a0</ml>")
    assert refused(text, "a.cpn") == "foreign-expression"
    assert (
        refused(document((place("p1", "a", "INT", "(" * 9_000 + "1" + ")" * 9_000),)), "a.cpn") == "foreign-expression"
    )


def test_pages_within_themselves() -> None:
    inside = '<subst subpage="g2" portsock=""/>'
    text = document((transition("t1", "a", more=inside),), (transition("t2", "b", more=inside),))
    assert refused(text, "a.cpn") == "foreign-circle"
    alone = '<subst subpage="g2" portsock=""/>'
    assert refused(document((), (transition("t1", "a", more=alone),)), "a.cpn") == "foreign-circle"


CHAINS = {
    "a.spn": ("place a (init = 1)\nexp t (rate = TEXT)\narc a to t\n", "1", "+", "+"),
    "a.prism": ("ctmc\nmodule m x:[0..9] init 1; [] TEXT -> 1:(x'=x-1); endmodule\n", "x<3", "&", "!"),
    "a.cpn": (
        document((place("p1", "a", "NO"), transition("t1", "go", "TEXT"), arc("p1", "t1", "n"))),
        "1 = 1",
        " andalso ",
        "not ",
    ),
}


@pytest.mark.parametrize("name", one_in(3, CHAINS))
def test_long_expressions(name: str) -> None:
    text, part, sign, prefix = CHAINS[name]
    assert imported(text.replace("TEXT", sign.join([part] * 150)), name)
    for long in (sign.join([part] * 300), sign.join([part] * 20_000), f"{prefix * 9_000}({part})"):
        assert refused(text.replace("TEXT", long), name) == "foreign-expression"


def test_constants_in_a_row() -> None:
    constants = "".join(f"const int f{one} = f{one + 1};\n" for one in range(3_000))
    module = "module m\n x : [0..3];\n [] x < 3 -> RATE : (x'=x+1);\nendmodule\n"
    text = f"ctmc\n{constants}const int f3000 = 1;\n{module}"
    assert refused(text.replace("RATE", "f0"), "a.prism") == "foreign-expression"
    assert imported(text.replace("RATE", "f2960"), "a.prism")


def test_a_transition_with_many_inputs() -> None:
    """The order of its arcs is found in a time that grows with their number, and not with its square."""
    text = f"tr t {' '.join(f'p{n}x{n * n}' for n in range(900))} -> q\n"
    written = interchange.text_of(interchange.read_bytes(text.encode(), "a.net"))
    language.loads(written)  # what is compiled once
    started = time.process_time()
    assert len(language.loads(written).transitions[0].inputs) == 900
    assert time.process_time() - started < 1


@pytest.mark.parametrize(
    "text", ["tr " + "a" * 60_000 + ",", "module a : clock ; [ a ]\n" * 600, "module a\n: clock;\n" + "[a]" * 20_000]
)
def test_text_that_is_almost_of_a_format(text: str) -> None:
    started = time.process_time()
    assert refused(text, "a.txt") == "foreign-unknown"
    assert time.process_time() - started < 2, "the search takes the square of the length of a line"
