"""The pages of the documentation say what they announce, once; and all prose is plain English."""

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


BETTER = {
    r"of one meaning": "with identical semantics",
    r"can happen any ?more": "no transition can fire",
    r"stands? to (?:its|the) (?:left|right)": "an earlier or later stage",
    r"cannot be seen in any": "results are identical",
    r"is in the marking then stays": "the marking is not reset",
    r"(?:as|when) .{1,30} was to fire": "was about to fire",
    r"fire without end": "fire forever",
    r"out of all bounds": "too long",
    r"what of it is to be": "which figure of it",
    r"Leave the time before out": "exclude the first TIME",
    r"of its own kind of": "each optimised for one operation",
    r"as chance has it": "unpredictably",
    r"hance is in\b": "random numbers",
    r"stream of chance": "random stream",
    r"general way\b": "the interpreter",
    r"way out to": "the exit to the interpreter",
    r"[Kk]nows? no\b": "does not know",
    r"would be waited for": "stalls on",
    r"were told\b": "have been initialised",
    r"[Ww]hat comes lessens": "the formula",
    r"to be had\b": "where to read it",
    r"[Ww]hom (?:its|the) names": "what its names refer to",
    r" the own\b(?:(?<=of the own)|(?<=and the own))": "of its own",
    r"those of a shape": "the functions of each shape",
    r"is ever wanted": "most are never evaluated",
    r"asked of the caller": "the caller guarantees it",
    r"[Hh]olds? against|[Hh]eld against": "compares with",
    r"[Tt]akes? note\b": "notes",
    r"[Ss]ees? to it\b": "ensures",
    r"(?:made|make|makes|counted|counts|begins?) \w* ?anew": "rebuilt, recounted, restarted",
    r" is no (?<!there is no )(?:bag|place|part)\b": "is not a",
}
"""Phrases that read as if translated, each with what to write instead. One that begins with a plain letter is fast."""
SUFFIXES = {".md", ".py", ".rs", ".net", ".js", ".txt"}


def texts() -> list[Path]:
    folders = ("benchmarks", "cli", "docs", "models", "nets", "petri", "tests", "validation")
    found = [path for folder in folders for path in (ROOT / folder).rglob("*.*") if path.suffix in SUFFIXES]
    kept = [path for path in found if not {"target", "corpus", "data"} & set(path.relative_to(ROOT).parts)]
    return [*kept, ROOT / "README.md", ROOT / "ARCHITECTURE.md"]


def running(path: Path) -> str:
    """Return the text of a file in one line, without the signs that begin lines of a comment."""
    words = path.read_text(encoding="utf-8", errors="replace").split()
    return " ".join(word for word in words if word not in ("#", "##", "//", "///", "//!"))


def test_phrases_that_read_as_if_translated() -> None:
    wrong = [
        f"{path.relative_to(ROOT)}: `{found[0]}`; better: {better}"
        for path in texts()
        if path != Path(__file__).resolve()
        for text in [running(path)]
        for phrase, better in BETTER.items()
        for found in re.finditer(phrase, text)
    ]
    assert wrong == []
