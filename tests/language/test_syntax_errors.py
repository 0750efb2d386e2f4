"""The corpus of wrong files: each `.net` of `syntax_errors/` has the messages it must give beside it, in a `.txt`.

After a change of wording, `PNSIM_UPDATE=1 pytest tests/language/test_syntax_errors.py` writes them anew: read the
difference before committing it.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from petri.diagnostics import render_all, summary
from petri.language.syntax.foreign import decode
from petri.language.syntax.parser import parse

CORPUS = Path(__file__).parent / "syntax_errors"
FILES = sorted(path for path in CORPUS.iterdir() if path.suffix == ".net")


def told(path: Path) -> str:
    text, diagnostics = decode(path.read_bytes(), path.name)
    diagnostics = diagnostics or parse(text, path.name)[1]
    return f"{render_all(diagnostics, {path.name: text})}\n\n{summary(diagnostics)}\n"


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_messages(path: Path) -> None:
    expected = path.with_suffix(".txt")
    if os.environ.get("PNSIM_UPDATE"):
        expected.write_text(told(path), encoding="utf-8")
    assert told(path) == expected.read_text(encoding="utf-8")


def test_no_expected_message_is_left_over() -> None:
    assert {path.stem for path in CORPUS.glob("*.txt")} == {path.stem for path in FILES}
