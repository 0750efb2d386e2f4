"""The pages of the documentation say what they announce, and say it once."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PAGES = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), ROOT / "petri" / "native" / "INTERNALS.md"]
PARAGRAPH = re.compile(r"(?!```)[A-Za-z`(\"]")


def blocks(page: Path) -> list[str]:
    """Headings, paragraphs, lists, tables; code is one block of "```"."""
    text = re.sub(r"(?ms)^ *```.*?^ *```$", "```", page.read_text(encoding="utf-8"))
    return [
        block.strip("\n") for block in re.split(r"\n{2,}", re.sub(r"(?m)^(#+ .*)$", r"\n\1\n", text)) if block.strip()
    ]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_what_is_announced_follows(page: Path) -> None:
    """A paragraph that ends with `:` or `,` announces a formula, a list or an example; a heading announces a text."""
    found = blocks(page)
    levels = [len(block) - len(block.lstrip("#")) for block in found]
    broken = [
        before.splitlines()[-1]
        for before, after, level, next_level in zip(found, [*found[1:], ""], levels, [*levels[1:], 1], strict=True)
        if (level and next_level and next_level <= level)
        or (PARAGRAPH.match(before) and before[-1] in ":," and (next_level or PARAGRAPH.match(after)))
    ]
    assert broken == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_nothing_is_said_twice(page: Path) -> None:
    """No two paragraphs of a page have most of their words in common."""
    long = [block for block in blocks(page) if PARAGRAPH.match(block) and len(block) > 200]
    words = [set(re.findall(r"\w+", block.lower())) for block in long]
    twice = [
        (long[one][:60], long[other][:60])
        for one in range(len(long))
        for other in range(one)
        if len(words[one] & words[other]) > 0.6 * max(len(words[one]), len(words[other]))
    ]
    assert twice == []
