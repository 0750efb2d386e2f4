"""docs/contributing.md names every room, and in its recipes every file that the next one of a kind will touch.

petri/native/INTERNALS.md names files, functions and invariants of the native engine that are there.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
TEXT = (ROOT / "docs" / "contributing.md").read_text(encoding="utf-8")
NAMED = set(re.findall(r"`((?:petri|cli|tests|docs|models|nets|benchmarks|validation|verification)/[\w./-]*)`", TEXT))
MADE = {"petri/library/models", "petri/library/nets"}  # by an install
GENERATED = {"petri/language/syntax/tables.json"}


def recipe(title: str) -> str:
    start = TEXT.index(f"**{title}**")
    following = TEXT.find("\n**", start)
    return TEXT[start : following if following > 0 else None]


def code() -> list[Path]:
    return [
        path
        for path in (ROOT / "petri").rglob("*")
        if path.suffix in (".py", ".rs", ".lark") and "target" not in path.relative_to(ROOT).parts
    ]


def test_what_is_named_is_there() -> None:
    assert [name for name in sorted(NAMED - MADE) if not (ROOT / name).exists()] == []


def test_every_room_is_named() -> None:
    entries = [path for path in (ROOT / "petri").iterdir() if not path.name.startswith("_")]
    rooms = {f"petri/{path.name}/" for path in entries if path.is_dir() and any(path.rglob("*.*"))}
    modules = {f"petri/{path.name}" for path in entries if path.suffix == ".py"}
    inner = {f"{path.name}/" for path in (ROOT / "petri" / "language").iterdir() if path.is_dir()} - {"__pycache__/"}
    table = TEXT[TEXT.index("| room |") : TEXT.index("## Habits")]
    assert [name for name in sorted(rooms | modules | inner) if f"`{name}`" not in table] == []


@pytest.mark.parametrize(
    ("title", "example"),
    [("a distribution", "lognormal"), ("a discipline of places", r"(?i)\blifo\b"), ("a figure", r"\bsojourn\b")],
)
def test_a_recipe_names_every_file_that_knows_an_example(title: str, example: str) -> None:
    """What knows the distribution `lognormal` has to know the next distribution as well."""
    knowing = {path.relative_to(ROOT).as_posix() for path in code() if re.search(example, path.read_text("utf-8"))}
    named = set(re.findall(r"`(petri/[\w./-]*)`", recipe(title))) - GENERATED
    assert sorted(knowing - named) == []


# ------------------------------------------------------------ petri/native/INTERNALS.md

NATIVE = ROOT / "petri" / "native"
INTERNALS = (NATIVE / "INTERNALS.md").read_text(encoding="utf-8")
SOURCES = {path: path.read_text(encoding="utf-8") for path in (NATIVE / "engine" / "src").rglob("*.rs")}


def test_files_named_in_internals_exist() -> None:
    named = set(re.findall(r"`([\w/]+/[\w]+\.(?:rs|py|md))`", INTERNALS))
    named |= set(re.findall(r"\]\(([^)#]+)\)", INTERNALS))
    roots = (NATIVE / "engine" / "src", NATIVE, ROOT)
    assert len(named) > 50
    assert [name for name in sorted(named) if not any((root / name).exists() for root in roots)] == []


def test_functions_and_types_named_in_internals_exist() -> None:
    code = "\n".join(SOURCES.values())
    named = set(re.findall(r"`(\w+)::(\w+)`", INTERNALS))
    assert len(named) > 25
    for kind, name in sorted(named):
        assert re.search(rf"\b(fn|mod|struct|enum|trait) {kind}\b|impl.*\b{kind}\b", code), kind
        assert re.search(rf"\b(fn|struct|const|mod) {name}\b|^    (pub(\(\w+\))? )?{name}:", code, re.MULTILINE), name


def test_invariants_named_in_internals_are_documented_where_it_says() -> None:
    rows = re.findall(r"^\| .*?: \*([\w, ]+)\* \| `(collections/\w+\.rs)` \|$", INTERNALS, re.MULTILINE)
    assert len(rows) == 10
    for names, file in rows:
        documented = set(re.findall(r"^//! - \*(\w+)\*:", SOURCES[NATIVE / "engine" / "src" / file], re.MULTILINE))
        assert documented == set(names.split(", ")), file
