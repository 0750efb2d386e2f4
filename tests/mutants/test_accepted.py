"""The list of changes that no test can notice, and how an entry finds its change."""

from __future__ import annotations

import functools

import pytest

from tests.mutants.accepted import KEYS, entries, is_accepted, written
from tests.mutants.change import ROOT, Change, change_of, in_one_line
from tests.mutants.python import changes

ENTRIES = entries()
of_file = functools.cache(changes)


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: f"{entry['file']} {entry.get('function', '')}")
def test_an_entry_has_a_reason_and_is_about_something(entry: dict[str, str]) -> None:
    assert entry["reason"]
    assert set(entry) <= {*KEYS, "reason"}
    assert ("was" in entry) == ("becomes" in entry)
    if entry["file"].endswith(".py"):
        assert any(is_accepted(change, [entry]) for change in of_file(entry["file"]))
    else:
        source = in_one_line((ROOT / entry["file"]).read_text("utf-8"))
        assert entry.get("function", "").rpartition("::")[2] in source
        assert entry.get("was", "the body") == "the body" or entry["was"] in source


SOURCE = "def one(a, b):\n    return a < b\n\n\ndef other(a, b):\n    return a < b\n"


def at(source: str, line: int, function: str) -> Change:
    text = source.split("\n")[line]
    start = text.index("a < b")
    return change_of("some.py", source, function, ((line, start), (line, start + 5)), "a <= b")


def test_an_entry_holds_where_its_line_has_moved_and_in_no_other_function() -> None:
    change = at(SOURCE, 1, "one")
    assert (change.line, change.was, change.becomes) == (2, "return a < b", "return a <= b")
    assert change.changed_source() == SOURCE.replace("a < b", "a <= b", 1)
    entry = {"file": "some.py", "function": "one", "was": change.was, "becomes": change.becomes, "reason": "none"}
    assert 'was = "return a < b"' in written(change).replace("'", '"')
    assert is_accepted(at(f"# one line more\n{SOURCE}", 2, "one"), [entry])
    assert not is_accepted(at(SOURCE, 5, "other"), [entry])
    assert is_accepted(at(SOURCE, 5, "other"), [{"file": "some.py", "reason": "all of it"}])
