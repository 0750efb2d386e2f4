"""Search in the pages of the documentation."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from petri import library
from petri.structs import Frozen

MOST: Final = 5  # sections found
LETTERS: Final = 1_500  # of a section

_HEADING = re.compile(r"#{1,4} +(.*)")


class Section(Frozen):
    page: str
    heading: str
    text: str


def sections() -> Iterator[Section]:
    """Yield the sections of all pages. A `#` within a block of code begins none."""
    for page, path in library.pages().items():
        heading, lines, in_code = page, list[str](), False
        for line in Path(path).read_text(encoding="utf-8").splitlines():
            in_code ^= line.startswith("```")
            begins = None if in_code else _HEADING.match(line)
            if begins is None:
                lines.append(line)
            else:
                yield Section(page, heading, "\n".join(lines).strip())
                heading, lines = begins[1], []
        yield Section(page, heading, "\n".join(lines).strip())


def found(words: str) -> list[Section]:
    """Return the sections with most of the words, those that have them in the heading first."""
    wanted = {word.strip(".,;:()`'\"").lower() for word in words.split()} - {""}
    scored = [(_score(section, wanted), section) for section in sections()]
    best = sorted(((score, section) for score, section in scored if score[0]), key=lambda pair: pair[0], reverse=True)
    return [section for _, section in best[:MOST]]


def _score(section: Section, wanted: set[str]) -> tuple[int, int, bool, float]:
    """Return how many words a section has, how many of them in its heading, whether its page is on a subject and
    not on one net, and how often it has the words.
    """
    body, heading = section.text.lower(), f"{section.page} {section.heading}".lower()
    known = [word for word in wanted if word in body or word in heading]
    often = sum(body.count(word) for word in known) / (1 + len(body) / 1_000)
    return len(known), sum(word in heading for word in wanted), "/" not in section.page, often


def shown(section: Section) -> str:
    text = section.text if len(section.text) <= LETTERS else f"{section.text[:LETTERS]} …"
    return f"## {section.heading}  (page {section.page})\n\n{text}"
