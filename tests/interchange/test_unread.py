"""What a reader does not know is a warning with its line, or an error: at every place of every format."""

from __future__ import annotations

from collections.abc import Iterator
from xml.etree import ElementTree

import pytest

from petri import interchange
from petri.diagnostics import LanguageError
from tests.interchange import samples
from tests.interchange.cpn_tools import SHOP
from tests.interchange.symmetric import TABLE

SHOPS = samples.PNPRO.partition('  <gspn name="Ring">')
RING = f"{samples.PNPRO.partition('  <gspn')[0]}{SHOPS[1]}{SHOPS[2]}"
XML = {
    "net.pnml": samples.PNML,
    "table.pnml": TABLE,
    "times.pnml": samples.TIMES,
    "ages.tapn": samples.TAPAAL,
    "pipe.xml": samples.PIPE,
    "shop.PNPRO": f"{SHOPS[0]}</project>",
    "ring.PNPRO": RING,
    "oris.xpn": samples.ORIS,
    "shop.cpn": SHOP,
}
# For the eye alone, or told in another way: a warning says what it is in the file of ours.
EYE = {
    "net.pnml": "name graphics", "table.pnml": "name", "times.pnml": "name", "ages.tapn": "query feature",
    "pipe.xml": "name labels token orientation", "shop.PNPRO": "", "ring.PNPRO": "", "oris.xpn": "note",
    "shop.cpn": "posattr subst fusioninfo port",
}  # fmt: skip


def told(text: str, name: str) -> list[str]:
    """Return the messages on a file: warnings, or the one error."""
    try:
        return [one.message for one in interchange.read_bytes(text.encode(), name).findings]
    except LanguageError as error:
        return [error.diagnostics[0].message]


def elements(root: ElementTree.Element, quiet: list[str]) -> Iterator[ElementTree.Element]:
    if root.tag.rpartition("}")[2] not in quiet:
        yield root
        for child in root:
            yield from elements(child, quiet)


@pytest.mark.parametrize("step", [9, pytest.param(1, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", XML)
def test_an_unknown_attribute_and_an_unknown_element(name: str, step: int) -> None:
    """Wherever in the tree they are, but in what is for the eye."""
    root = ElementTree.fromstring(XML[name])
    before = told(XML[name], name)
    for element in list(elements(root, EYE[name].split()))[::step]:
        tag = element.tag.rpartition("}")[2]
        element.set("zzz", "1")
        after = told(ElementTree.tostring(root, "unicode"), name)
        del element.attrib["zzz"]
        assert after != before, f"an attribute of {tag}"
        assert any("zzz" in one for one in after), f"an attribute of {tag}: {after}"
        child = ElementTree.SubElement(element, "zzz")
        after = told(ElementTree.tostring(root, "unicode"), name)
        element.remove(child)
        assert after != before, f"an element in {tag}"


def test_where_it_is_told() -> None:
    text = samples.PNML.replace('<place id="p2">', '<place id="p2" colour="red">\n<until><text>9</text></until>')
    found = [one for one in interchange.read_bytes(text.encode(), "net.pnml").findings if one.id == "foreign-unread"]
    assert [(one.span.line if one.span else 0, one.values["what"]) for one in found] == [
        (8, "the attribute `colour` of `place`"),
        (9, "`until` in `place`"),
    ]
    assert {one.severity for one in found} == {"warning"}


def test_many_unknown_attributes_are_told_once() -> None:
    text = samples.PNML.replace("<place ", '<place colour="red" ').replace("<arc ", '<arc bent="2" ')
    found = [one for one in interchange.read_bytes(text.encode(), "net.pnml").findings if one.id == "foreign-unread"]
    assert [one.values["count"] for one in found] == [3, 4]
    text = samples.PNML.replace("<place ", "<place " + " ".join(f'a{number}="1"' for number in range(30)) + " ", 1)
    ids = [one.id for one in interchange.read_bytes(text.encode(), "net.pnml").findings]
    assert (ids.count("foreign-unread"), ids.count("foreign-more-unread")) == (20, 1)


@pytest.mark.parametrize(
    ("name", "text"), [("tina.net", samples.TINA), ("prism.sm", samples.PRISM), ("gospn.spn", samples.GOSPN)]
)
def test_an_unknown_line(name: str, text: str) -> None:
    lines = text.splitlines(keepends=True)
    for at in range(len(lines)):
        with pytest.raises(LanguageError):
            interchange.read_bytes("".join([*lines[:at], "zzz (3)\n", *lines[at:]]).encode(), name)


@pytest.mark.parametrize(
    ("name", "text", "before"),
    [
        ("tina.net", samples.TINA, "tr send"),
        ("tina.net", samples.TINA, "pl idle"),
        ("tina.net", samples.TINA, "pl idle (1)"),
        ("prism.sm", samples.PRISM, "ctmc"),
        ("prism.sm", samples.PRISM, "const int c"),
        ("prism.sm", samples.PRISM, "module line1"),
        ("prism.sm", samples.PRISM, "[0..c]"),
        ("prism.sm", samples.PRISM, "init 1"),
        ("prism.sm", samples.PRISM, "[take1]"),
        ("prism.sm", samples.PRISM, "-> lambda"),
        ("prism.sm", samples.PRISM, "(q1'=q1+1)"),
        ("prism.sm", samples.PRISM, 'rewards "cost"'),
        ("prism.sm", samples.PRISM, "[take1] true"),
        ("gospn.spn", samples.GOSPN, "place Pup"),
        ("gospn.spn", samples.GOSPN, "init = n"),
        ("gospn.spn", samples.GOSPN, "arc Pup to Tfail"),
        ("gospn.spn", samples.GOSPN, "rate = lambda"),
    ],
)
def test_an_unknown_word(name: str, text: str, before: str) -> None:
    assert before in text
    with pytest.raises(LanguageError):
        interchange.text_of(interchange.read_bytes(text.replace(before, f"{before} zzz", 1).encode(), name))


def test_an_unknown_option_of_gospn() -> None:
    text = samples.GOSPN.replace("init = n", "init = n, most = 4").replace("multi = K", "multi = K, colour = 2")
    found = [one for one in interchange.read_bytes(text.encode(), "a.spn").findings if one.id == "foreign-unread"]
    assert [one.values["what"] for one in found] == ["`most` of a statement `place`", "`colour` of a statement `arc`"]
