"""Wrong nets and what is told of them, in the pages of `messages/`: one page an area, one section a net.

A section has the name of its net, prose, the net, and its messages, each with where it is: line and column, severity,
id, text, hints. `drawings.md` has whole drawings instead. `files/` has what nets read, and files that are no text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

FOLDER = Path(__file__).parent / "messages"
FILES = FOLDER / "files"
PAGES = tuple(sorted(FOLDER.glob("*.md")))
SECTION = re.compile(
    r"^## (?P<name>\w+)\n(?P<prose>.*?)^````net\n(?P<net>.*?)^````\n\n"
    r"````(?P<kind>messages|drawing)\n(?P<told>.*?)^````$",
    re.MULTILINE | re.DOTALL,
)


class Section(NamedTuple):
    page: str
    name: str
    net: str
    kind: str
    told: str


def sections(page: Path) -> Iterator[Section]:
    for found in SECTION.finditer(page.read_text(encoding="utf-8")):
        yield Section(page.stem, found["name"], found["net"], found["kind"], found["told"])


def every_section() -> list[Section]:
    return [one for page in PAGES for one in sections(page)]


def without_drawing(text: str, name: str) -> str:
    """Return the messages of a whole text without the lines of the net:

    `3:18 error[id]: …`, and their hints and notes.
    """
    lines = []
    for message in re.split(r"\n\n(?=\w+\[)", text):
        head, *rest = message.split("\n")
        where = next((line.split("--> ")[1] for line in rest if line.lstrip().startswith("--> ")), "")
        lines.append(f"{where.removeprefix(f'{name}:')} {head}".lstrip())
        lines += [f"  {line.strip()}" for line in rest if re.match(r" +(hint|note): ", line)]
    return "".join(f"{line}\n" for line in lines)


def renewed(page: Path, told: dict[str, str]) -> str:
    """Return the page with other messages, by the name of the net."""

    def one(found: re.Match[str]) -> str:
        start, end = found.span("told")
        return (
            found[0][: start - found.start()] + told.get(found["name"], found["told"]) + found[0][end - found.start() :]
        )

    return SECTION.sub(one, page.read_text(encoding="utf-8"))
