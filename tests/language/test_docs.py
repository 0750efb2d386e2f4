"""The examples of the pages on the language and on clocks: each net loads, and each message is the one that is shown.

A block ```` ```net ```` is a whole net; it must load without warnings. What is told of a block ```` ```net error ````
stands in the ```` ```text ```` block that follows it.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import petri
from petri import codec, language
from petri.catalogue.operations import DISTRIBUTIONS, FUNCTIONS, OF_EACH
from petri.catalogue.units import UNITS
from petri.catalogue.words import NAMES_TOO, RESERVED, SOFT
from petri.diagnostics import render_all
from petri.language.checking.measures.figures import MEASURE_FUNCTIONS
from tests.documents import script
from tests.engines import FASTEST

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGES = (DOCS / "language.md", *sorted((DOCS / "language").glob("*.md")))
TEXT = "".join(page.read_text(encoding="utf-8") for page in PAGES)
BLOCKS = re.findall(r"^```(\w[\w ]*)\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)
NETS = [text for kind, text in BLOCKS if kind == "net"]
ERRORS = [(text, BLOCKS[number + 1]) for number, (kind, text) in enumerate(BLOCKS) if kind == "net error"]


def test_every_block_is_known() -> None:
    assert {kind for kind, _ in BLOCKS} == {"net", "net error", "text"}
    assert sum(kind == "text" for kind, _ in BLOCKS) == len(ERRORS)


@pytest.mark.parametrize("number", range(len(NETS)))
def test_example(number: int) -> None:
    found = language.checks(NETS[number], name="example.net")
    assert [diagnostic for diagnostic in found if diagnostic.severity != "note"] == []
    net = language.loads(NETS[number])
    assert net.transitions
    assert codec.net_from_dict(codec.net_to_dict(net)) == net


@pytest.mark.parametrize("number", range(len(ERRORS)))
def test_message(number: int) -> None:
    text, (kind, expected) = ERRORS[number]
    found = language.checks(text, name="example.net")
    quiet = [diagnostic for diagnostic in found if diagnostic.id != "no-measures"]
    assert kind == "text"
    assert render_all(quiet, {"example.net": text}) + "\n" == expected


CLOCKS = re.findall(r"^```net\n(.*?)^```$", (DOCS / "clocks.md").read_text(encoding="utf-8"), re.M | re.S)


@pytest.mark.parametrize("number", range(len(CLOCKS)))
def test_what_the_page_on_clocks_expects_holds(number: int) -> None:
    found = language.checks(CLOCKS[number], name="example.net")
    assert [diagnostic for diagnostic in found if diagnostic.severity != "note"] == []
    result = petri.loads(CLOCKS[number]).run(seed=1, engine=FASTEST)
    assert result.passed


def test_the_page_names_everything_there_is() -> None:
    listed = set(re.findall(r"^    (net time .*\n(?:    .*\n)+)", TEXT, re.MULTILINE)[0].split())
    assert listed == RESERVED - SOFT - NAMES_TOO
    quoted = set(re.findall(r"`([^`]*)`", TEXT))
    assert [name for name in UNITS if name not in quoted] == []
    called = {name.partition("(")[0] for name in quoted}
    assert [name for name in (*FUNCTIONS, *OF_EACH, *DISTRIBUTIONS, *MEASURE_FUNCTIONS) if name not in called] == []


def test_the_table_of_distributions_is_that_of_the_catalogue() -> None:
    text = (DOCS / "language" / "expressions.md").read_text(encoding="utf-8")
    assert script("pages").with_distributions(text) == text, "renew it with `python docs/pages.py`"
