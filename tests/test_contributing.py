"""ARCHITECTURE.md names every room and rule, docs/contributing.md in its recipes every file that a new one will touch.

petri/native/INTERNALS.md names files, functions and invariants of the native engine that are there.
"""

from __future__ import annotations

import functools
import re
import textwrap
from pathlib import Path

import pytest

from petri import language
from petri.diagnostics import render_all
from tests.documents import script

ROOT = Path(__file__).resolve().parents[1]
TEXT = (ROOT / "docs" / "contributing.md").read_text(encoding="utf-8")
MAP = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
FOLDERS = "petri|cli|tests|docs|models|nets|benchmarks|validation|editors"
NAMED = set(re.findall(rf"`((?:{FOLDERS})/[\w./-]*)`", TEXT + MAP[: MAP.index("<!-- lines -->")]))
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
        if path.suffix in (".py", ".rs", ".lark", ".txt") and "target" not in path.relative_to(ROOT).parts
    ]


def test_what_is_named_is_there() -> None:
    assert [name for name in sorted(NAMED - MADE) if not (ROOT / name).exists()] == []


def test_every_room_is_named() -> None:
    entries = [path for path in (ROOT / "petri").iterdir() if not path.name.startswith("_")]
    rooms = {f"petri/{path.name}/" for path in entries if path.is_dir() and any(path.rglob("*.*"))}
    modules = {f"petri/{path.name}" for path in entries if path.suffix == ".py"}
    inner = {f"{path.name}/" for path in (ROOT / "petri" / "language").iterdir() if path.is_dir()} - {"__pycache__/"}
    table = MAP[MAP.index("| room |") : MAP.index("## What concerns every room")]
    assert [name for name in sorted(rooms | modules | inner) if f"`{name}`" not in table] == []


def test_the_entry_points_are_there() -> None:
    for line in re.findall(r"^\| .* \| (`.*) \|$", MAP[: MAP.index("## The rooms")], re.MULTILINE):
        files = re.findall(r"`([\w/]+\.(?:py|rs))`", line)
        text = "".join((ROOT / file).read_text(encoding="utf-8") for file in files)
        names = {name for found in re.findall(r"`([A-Za-z_.:]+)`", line) for name in re.split(r"::|\.", found)}
        missing = [n for n in names if not re.search(rf"\b(class|def|fn|struct|impl) {n}\b|\bimpl.* {n}\b", text)]
        assert [name for name in missing if "/" not in name] == [], line


def test_the_index_of_rules_is_up_to_date() -> None:
    text = (ROOT / "docs" / "rules.md").read_text(encoding="utf-8")
    assert script("rules").renewed(text) == text, "renew it with `python docs/rules.py`"


@pytest.mark.slow
def test_the_table_of_lines_is_nearly_up_to_date() -> None:
    """A change of a few lines need not renew it: within 2 % of each room, or 25 lines."""
    shown = {
        room: int(count.replace(",", "")) for room, count in re.findall(r"(?m)^\| `(.*)` \| \d+ \| ([\d,]+) \|$", MAP)
    }
    _, lines = script("lines").measured()
    assert shown.keys() == lines.keys()
    off = [room for room in shown if abs(shown[room] - lines[room]) > max(25, lines[room] // 50)]
    assert off == [], "renew it with `python docs/lines.py`"


def test_the_lines_of_a_file_are_those_with_code(tmp_path: Path) -> None:
    lines = script("lines")
    python, rust = tmp_path / "a.py", tmp_path / "a.rs"
    python.write_text(
        '"""Doc."""\n\nx = 1  # why\n# why\ndef f():\n    """Doc\n    string."""\n    return """a\nb"""\n'
    )
    rust.write_text("//! doc\n\nfn f() {}\n\n#[cfg(test)]\nmod tests {\n    fn g() {}\n}\n")
    assert [lines.code_lines(path) for path in (python, rust)] == [4, 1]


def test_every_rule_has_a_place_in_the_index() -> None:
    page = (ROOT / "docs" / "rules.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| ([A-Z]\d+) [^|]*\|(.*)$", page, re.MULTILINE)
    assert len(rows) > 35
    assert [rule for rule, places in rows if "`" not in places] == []
    assert any("play.js" in places for _, places in rows)


def test_the_message_of_the_first_change_is_shown_as_it_is() -> None:
    ((net, shown),) = re.findall(r"\$ cat half\.net\n(.*?) *\$ [^\n]*\n(.*?) *```", TEXT, re.DOTALL)
    text = textwrap.dedent(net)
    found = [one for one in language.checks(text, name="half.net") if one.severity == "error"]
    expected = f"{render_all(found, {'half.net': text})}\n\nhalf.net: 1 error\n"
    assert re.sub(r"(?m)^   ", "", shown) == expected


@functools.cache
def text_of(path: Path) -> str:
    return path.read_text("utf-8")


@pytest.mark.parametrize(
    ("title", "example"),
    [
        ("a function", r'"ln"|\b(Op|RealFunction)::Ln\b'),
        ("a discipline of places", r"(?i)\blifo\b"),
        ("a figure", r"\bsojourn\b"),
        ("a trace format", r"\.vcd\b|\bWaveWriter\b"),
    ],
)
def test_a_recipe_names_every_file_that_knows_an_example(title: str, example: str) -> None:
    """What knows the discipline `lifo` has to know the next discipline as well."""
    knowing = {path.relative_to(ROOT).as_posix() for path in code() if re.search(example, text_of(path))}
    named = set(re.findall(r"`(petri/[\w./-]*)`", recipe(title))) - GENERATED
    assert sorted(knowing - named) == []


def test_the_text_of_a_clause_is_known_only_where_its_recipe_says() -> None:
    """Between the text and its tree; what a clause means is known to the checker and the engines."""
    rooms = ("catalogue", "editor", "language/syntax", "language/layout")
    files = [path for path in code() if path.relative_to(ROOT / "petri").as_posix().startswith(rooms)]
    named = set(re.findall(r"`(petri/[\w./-]*)`", recipe("a clause")))
    for word in ("prefer", "warmup", "cap", "precision"):
        written = re.compile(rf'"{word}"|\b{word}: (?!str)')
        knowing = {path.relative_to(ROOT).as_posix() for path in files if written.search(path.read_text("utf-8"))}
        assert knowing <= named, word


def test_a_distribution_is_named_where_its_recipe_says_and_nowhere_else() -> None:
    folders = ("petri", "cli", "tests/engine", "tests/exact", "tests/verification")
    files = (path for folder in folders for path in (ROOT / folder).rglob("*") if path.suffix in (".py", ".rs"))
    own = (path for path in files if "target" not in path.relative_to(ROOT).parts)
    knowing = {path.relative_to(ROOT).as_posix() for path in own if "weibull" in path.read_text("utf-8").lower()}
    named = set(re.findall(r"`((?:petri|tests)/[\w./-]*)`", recipe("a distribution")))
    assert named - knowing == {"petri/engine/random.py", "petri/native/engine/src/jit/emit/chance.rs"}
    assert knowing <= named


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
    kinds = {kind for _, kind in re.findall(r"\b(fn|mod|struct|enum|trait) (\w+)", code)}
    kinds |= {kind for line in re.findall(r"\bimpl\b.*", code) for kind in re.findall(r"\w+", line)}
    items = {item for _, item in re.findall(r"\b(fn|struct|const|mod) (\w+)", code)}
    fields_and_variants = re.findall(r"^    (?:pub(?:\(\w+\))? )?(\w+)(?: \{|[:,(])", code, re.MULTILINE)
    named = set(re.findall(r"`(\w+)::(\w+)`", INTERNALS))
    assert len(named) > 25
    assert {kind for kind, _ in named} - kinds == set()
    assert {name for _, name in named} - items - {*fields_and_variants} == set()


def test_invariants_named_in_internals_are_documented_where_it_says() -> None:
    rows = re.findall(r"^\| .*?: \*([\w, ]+)\* \| `(collections/\w+\.rs)` \|$", INTERNALS, re.MULTILINE)
    assert len(rows) == 10
    for names, file in rows:
        documented = set(re.findall(r"^//! - \*(\w+)\*:", SOURCES[NATIVE / "engine" / "src" / file], re.MULTILINE))
        assert documented == set(names.split(", ")), file
