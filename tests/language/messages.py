"""Wrong nets and what is told of them, in the pages of `messages/`: one page an area, one section a net.

A section has the name of its net, prose, the net, and its messages, each with where it is: line and column, severity,
id, text, hints. `drawings.md` and `bytes.md` have whole drawings instead, and `files.md` what nets read.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

from tests.documents import Section, renew, sections

FOLDER = Path(__file__).parent / "messages"
RAW = tuple(sections(FOLDER / "bytes.md"))


class WrongNet(NamedTuple):
    """A section of a page; `kind`: whether it holds messages alone or the whole drawing."""

    page: str
    name: str
    net: str
    kind: str
    told: str

    def renew(self, told: str) -> None:
        renew(FOLDER / f"{self.page}.md", self.name, self.kind, told)


def wrong_net(section: Section) -> WrongNet:
    (_, net), (kind, told) = section.blocks.items()
    return WrongNet(section.page, section.name, net, kind, told)


def every_net() -> list[WrongNet]:
    pages = [page for page in sorted(FOLDER.glob("*.md")) if page.stem not in ("bytes", "files")]
    return [wrong_net(section) for page in pages for section in sections(page)]


def write_files(folder: Path) -> None:
    """Write what nets of the pages read."""
    for file in sections(FOLDER / "files.md"):
        path = folder / file.name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(file.data())


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
