"""Every construct of the language has a net: what no net of the library needs is not worth its rules and its code.

The constructs are read off the grammar: each word of each kind of part, such as `reset` of an arc and `unless` of a
step. Measures are functions, and are those of their catalogue.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any, SupportsIndex

import pytest

from petri import library
from petri.language.checking.expressions.names import nodes_in
from petri.language.checking.measures.figures import MEASURE_FUNCTIONS
from petri.language.syntax import driver, tables, tree
from petri.language.syntax.parser import parse
from petri.structs import replace

Construct = tuple[str, str]  # the kind of part, and the word

GRAMMAR = Path(tables.__file__).with_name(tables.GRAMMAR)
SETS = "the library takes whole sets; one with a condition is in the documentation"
IMPORT = "for files of users: nets of the library import its modules, whose names do not clash"
SETTINGS = "a setting of a run, which the command line has as well: a net of the library leaves it to its user"
LIMIT = "the same probability as that of the conditions alone, up to a time"
NOT_YET = "no net of the library needs it so far"
WITHOUT_NET: dict[Construct, str] = {
    ("all_arc", "when"): SETS,
    ("before", "of"): LIMIT,
    ("before", "within"): LIMIT,
    ("reached", "of"): LIMIT,
    ("reached", "within"): LIMIT,
    ("import_file", "import"): IMPORT,
    ("import_file", "as"): IMPORT,
    ("import_file", "with"): IMPORT,
    ("import_library", "as"): IMPORT,
    ("parameter", "in"): NOT_YET,
    ("thread", "if"): NOT_YET,
    ("value_block", "elif"): NOT_YET,
    ("clause", "bag"): "the default, said aloud",
    ("clause", "precision"): SETTINGS,
    ("clause", "seed"): SETTINGS,
}
"""Constructs that no net uses, and why they stay."""


class Noted(tuple[tables.Rule, ...]):
    """The rules of the grammar; notes which of them the parser applies."""

    applied: set[int]

    def __getitem__(self, number: SupportsIndex | slice) -> Any:
        if isinstance(number, int):
            self.applied.add(number)
        return super().__getitem__(number)


@cache
def constructs() -> list[set[Construct]]:
    """Return those of each rule of the grammar, by its number."""
    lark = tables.read_grammar(GRAMMAR.read_text(encoding="utf-8"))
    words = {name: text for name, text in tables.keywords(lark).items() if text.isalpha()}
    return [
        {(str(rule.alias or rule.origin.name), words[symbol.name]) for symbol in rule.expansion if symbol.name in words}
        for rule in lark.rules
    ]


@cache
def library_uses() -> tuple[set[Construct], set[str]]:
    """Return the constructs of all files of the library, and the functions that they call."""
    rules = Noted(tables.load_tables().rules)
    rules.applied, called = set(), set[str]()
    noting = replace(tables.load_tables(), rules=rules)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(driver, "load_tables", lambda: noting)
        for path in (*map(library.net, library.net_names()), *Path(library.models()).rglob("*.net")):
            assert path is not None
            file, wrong = parse(Path(path).read_text(encoding="utf-8"), str(path))
            assert wrong == []
            calls = (node.function for node in nodes_in(file.declarations) if isinstance(node, tree.Call))
            called |= {function.name for function in calls if isinstance(function, tree.Name)}
    return set().union(*(constructs()[number] for number in rules.applied)), called


def test_each_construct_of_the_grammar_has_a_net() -> None:
    used, _ = library_uses()
    unused = set().union(*constructs()) - used
    assert len(used) > 100
    assert sorted(unused - WITHOUT_NET.keys()) == [], "no net of the library uses it: give it one, or take it out"
    assert sorted(WITHOUT_NET.keys() - unused) == [], "a net uses it now"


def test_each_measure_has_a_net() -> None:
    _, called = library_uses()
    assert sorted(MEASURE_FUNCTIONS.keys() - called) == []
