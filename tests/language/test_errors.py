"""The corpus of wrong nets: each `.net` of `errors/` has what is told of it beside it, in a `.txt`.

After a change of wording, `PNSIM_UPDATE=1 pytest tests/language/test_errors.py` writes them anew: read the difference
before committing it.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from petri import language
from petri.diagnostics import LanguageError, render_all, summary
from petri.wording import area_table

CORPUS = Path(__file__).parent / "errors"
FILES = sorted(CORPUS.glob("*.net"))
UPDATE = bool(os.environ.get("PNSIM_UPDATE"))

# Told where a corpus of files cannot go; each has a test of its own (test_parameters, test_files, test_hostile).
ELSEWHERE = {
    "exact-of-random",  # only `pnsim check` and runs tell it: tests/cli/test_sampling_notes.py
    "infinite-variance",
    "infinite-variance-of-waits",
    "looks-through",  # only the native engine knows: tests/cli/test_searches.py
    "only-modules",
    "no-warm-up",
    "not-one-declaration",  # of texts that a program writes: tests/builder
    "parameter-value",
    "path-without-file",
    "table-not-there",
    "table-too-large",
    "too-many-errors",
    "too-many-files",
    "too-much-to-read",
    "unknown-parameter",
}


# A message on a limit may need a net that reaches it.
SLOW = ("too_many_measures", "vectors_too_large")
SOME_SLOW = [pytest.param(path, marks=pytest.mark.slow) if path.stem in SLOW else path for path in FILES]


def told(path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(CORPUS)
    found, sources = language.check_with_sources(path.name)
    return f"{render_all(found, sources)}\n\n{summary(found)}\n"


@pytest.mark.parametrize("path", SOME_SLOW, ids=lambda path: path.stem)
def test_messages(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = path.with_suffix(".txt")
    if UPDATE:
        expected.write_text(told(path, monkeypatch), encoding="utf-8")
    assert told(path, monkeypatch) == expected.read_text(encoding="utf-8")


def test_every_error_is_in_the_corpus() -> None:
    areas = ("arcs", "checks", "lints", "measures", "threads", "values")
    known = {name for area in areas for name in area_table(area) if not name.startswith("label ")} - ELSEWHERE
    text = "".join(path.with_suffix(".txt").read_text(encoding="utf-8") for path in FILES)
    assert [name for name in sorted(known) if f"[{name}]" not in text] == []


def test_no_expected_message_is_left_over() -> None:
    assert {path.stem for path in CORPUS.glob("*.txt")} == {path.stem for path in FILES}


def test_a_part_has_nothing_to_run() -> None:
    with pytest.raises(LanguageError) as raised:
        language.load(CORPUS / "only_modules.net")
    assert [diagnostic.id for diagnostic in raised.value.diagnostics] == ["only-modules"]
