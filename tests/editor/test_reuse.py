"""Statements that have not changed are not parsed again, and the result is that of a fresh parse."""

from __future__ import annotations

from pathlib import Path
from random import Random

from petri import library
from petri.language.syntax.parser import Parsed, parse_text
from petri.language.syntax.reuse import KnownStatements


def content(parsed: Parsed) -> object:
    return parsed.file, parsed.diagnostics, parsed.broken, [nodes for _, nodes in parsed.statements]


def test_edits_of_all_kinds_give_what_a_fresh_parse_gives() -> None:
    random = Random(5)
    for name in ("npf", "patterns/ixp_thread", "prioritising"):
        text = (Path(library.nets()) / f"{name}.net").read_text(encoding="utf-8")
        known = KnownStatements()
        for _ in range(10):
            place = random.randrange(len(text))
            new = random.choice(
                ["", "\n", " ", "place x\n", "end\n", "(", "## said\n", ":", "module M\n", "# ", "as a"]
            )
            text = text[:place] + new + text[place + random.choice([0, 0, 1, 20]) :]
            assert content(parse_text(text, "n.net", known)) == content(parse_text(text, "n.net"))


def test_only_the_statement_that_changed_is_parsed() -> None:
    known = KnownStatements()
    text = "net n\nplace a\nplace b\ntransition t: a -> b\n"
    first = parse_text(text, "n.net", known).file.declarations
    second = parse_text(text.replace("place b", "place b : int"), "n.net", known).file.declarations
    assert [old is new for old, new in zip(first, second, strict=True)] == [True, True, False, True]


def test_an_import_with_a_name_changes_how_names_are_read() -> None:
    known = KnownStatements()
    text = 'net n\nimport "a.net" as a\nimport "b.net"\nplace p : a.T\nmeasure m = a.x + b.x\n'
    parse_text(text, "n.net", known)
    other = text.replace('"a.net" as a', '"a.net"').replace('"b.net"', '"b.net" as b')
    assert content(parse_text(other, "n.net", known)) == content(parse_text(other, "n.net"))
