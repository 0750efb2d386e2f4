"""docs/python.md and `help(petri)`: their code runs, and prints what the page shows.

`python -m tests.builder.test_docs` writes the output anew.
"""

from __future__ import annotations

import io
import linecache
import re
import textwrap
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import pytest

import petri
from petri.builder import NetBuilder

PAGE = Path(__file__).resolve().parents[2] / "docs" / "python.md"
BLOCK = re.compile(r"```python\n(?P<code>.*?)```\n(?:\n```text\n(?P<shown>.*?)```\n)?", re.DOTALL)
FILE = "example.py"


def renewed(text: str) -> str:
    """Return the page with what its code prints now. Messages show the code as one file."""
    names: dict[str, Any] = {"__name__": "example", "__file__": FILE}
    code = "".join(block["code"] for block in BLOCK.finditer(text))
    linecache.cache[FILE] = (len(code), None, code.splitlines(keepends=True), FILE)
    before = 0

    def renew(block: re.Match[str]) -> str:
        nonlocal before
        with redirect_stdout(io.StringIO()) as out:
            exec(compile("\n" * before + block["code"], FILE, "exec"), names)
        before += block["code"].count("\n")
        printed = out.getvalue().rstrip("\n")
        return f"```python\n{block['code']}```\n" + (f"\n```text\n{printed}\n```\n" if printed else "")

    try:
        return BLOCK.sub(renew, text)
    finally:
        linecache.cache.pop(FILE)


def test_the_code_prints_what_the_page_shows() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert renewed(text) == text, "renew it with `python -m tests.builder.test_docs`"


def test_the_example_of_the_package_runs(capsys: pytest.CaptureFixture[str]) -> None:
    code = "".join(re.findall(r"(?m)^    .*\n", petri.__doc__ or ""))
    exec(textwrap.dedent(code), {})
    assert "±" in capsys.readouterr().out


def test_every_public_name_and_every_method_of_the_builder_is_told() -> None:
    text = PAGE.read_text(encoding="utf-8")
    hidden = {"__version__", "Limits"}
    assert [name for name in petri.__all__ if name not in hidden and f"`petri.{name}`" not in text] == []
    methods = [name for name in vars(NetBuilder) if not name.startswith("_")]
    assert [name for name in methods if f"`{name}`" not in text] == []


if __name__ == "__main__":
    PAGE.write_text(renewed(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
