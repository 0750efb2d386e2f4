"""The scripts in docs/ that renew what its pages show; pages of examples in Markdown."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import NamedTuple
from unittest import mock

DOCS = Path(__file__).resolve().parents[1] / "docs"


def script(name: str) -> ModuleType:
    """Return the module `docs/NAME.py`."""
    with mock.patch.object(sys, "path", [str(DOCS), *sys.path]):
        return import_module(name)


BLOCK = re.compile(r"^````(?P<kind>\w+)\n(?P<text>(?s:.*?))^````$", re.MULTILINE)
PROSE = r"(?:(?!## |````).*\n)*"
SECTION = re.compile(rf"^## (?P<name>\S+)\n(?:{PROSE}^````\w+\n(?s:.*?)^````\n)+", re.MULTILINE)
"""The texts in blocks may have lines that begin like a section."""


class Section(NamedTuple):
    """`blocks`: texts by their kinds, the word behind the backquotes."""

    page: str
    name: str
    blocks: dict[str, str]

    def data(self) -> bytes:
        """Return the first block as the contents of a file; one of the kind `bytes` is written as in Python."""
        kind, text = next(iter(self.blocks.items()))
        return bytes(ast.literal_eval(text)) if kind == "bytes" else text.encode()


def sections(page: Path) -> Iterator[Section]:
    for match in SECTION.finditer(page.read_text(encoding="utf-8")):
        blocks = {block["kind"]: block["text"] for block in BLOCK.finditer(match[0])}
        yield Section(page.stem, match["name"], blocks)


def renew(page: Path, name: str, kind: str, text: str) -> None:
    """Write another text into a block of a section."""

    def block(match: re.Match[str]) -> str:
        return match[0] if match["kind"] != kind else f"````{kind}\n{text}````"

    def section(match: re.Match[str]) -> str:
        return BLOCK.sub(block, match[0]) if match["name"] == name else match[0]

    page.write_text(SECTION.sub(section, page.read_text(encoding="utf-8")), encoding="utf-8")
