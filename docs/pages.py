"""Renews, or checks, what the pages of docs/ show: the files of the tutorial, the output of commands, the pictures.

A line `<!-- file: … -->` before a fenced block says that the block is a file, which the commands after it see; a line
`<!-- pnsim … -->`, that the block shows this command and what it prints. `<!-- result: NET -->` stands for the measures
that `pnsim run NET` prints. Run it as `python docs/pages.py`; a test calls `stale`.
"""

from __future__ import annotations

import re
import tempfile
from pathlib import Path

from commands import call, trimmed

from petri.atomic_file import write_text

DOCS = Path(__file__).resolve().parent
PAGES = ("tutorial.md", "patterns.md")
PICTURE = DOCS / "images" / "counter.svg"
PICTURED = "counter.net"
BLOCK = re.compile(
    r"(<!-- (?P<what>file:|pnsim|result:) (?P<rest>.+?) -->\n```\w*\n)(?P<body>.*?)(?=^```$)", re.DOTALL | re.MULTILINE
)
SPEED = re.compile(r"^([\d,]+ firings) in .*$", re.MULTILINE)  # differs from run to run
STOPPED = 3  # the exit status of a run that stopped inside the model


def main() -> None:
    """Write the pages and the picture anew."""
    for page in PAGES:
        with tempfile.TemporaryDirectory() as folder:
            text = (DOCS / page).read_text(encoding="utf-8")
            write_text(DOCS / page, renewed(text, Path(folder)))
            if (Path(folder) / PICTURED).exists():
                write_text(PICTURE, pnsim(f"draw {PICTURED}", Path(folder)))


def stale(page: str, folder: Path) -> list[str]:
    """The blocks of a page that are not what the program prints now, but for the speed of the machine."""
    found = (DOCS / page).read_text(encoding="utf-8")
    before, after = BLOCK.finditer(found), BLOCK.finditer(renewed(found, folder))
    return [
        old["rest"]
        for old, new in zip(before, after, strict=True)
        if SPEED.sub(r"\1", old["body"]) != SPEED.sub(r"\1", new["body"])
    ]


def renewed(text: str, folder: Path) -> str:
    """The text with the output that the commands give now; the files that it shows are put into the folder."""
    for block in BLOCK.finditer(text):
        if block["what"] == "file:":
            (folder / block["rest"]).write_text(block["body"], encoding="utf-8")

    def body(block: re.Match[str]) -> str:
        if block["what"] == "file:":
            return block["body"]
        if block["what"] == "result:":
            return measures(pnsim(f"run {block['rest']}", folder))
        return f"$ pnsim {block['rest']}\n{pnsim(block['rest'], folder)}"

    return BLOCK.sub(lambda block: block[1] + body(block), text)


def measures(output: str) -> str:
    """The part of a summary that shows the declared measures."""
    found = re.search(r"^Measures.*?(?=^$)", output, re.DOTALL | re.MULTILINE)
    if found is None:
        raise ValueError("the net declares no measure")
    return found[0]


def pnsim(command: str, folder: Path) -> str:
    """What a command prints, as on a wide terminal, without blanks at the ends of lines."""
    status, out, err = call(command, folder, columns=100)
    if status not in (0, 1, STOPPED):
        raise RuntimeError(f"{command}: {err}")
    return trimmed(f"{out.rstrip()}\n\n{err}" if status == STOPPED else out)


if __name__ == "__main__":
    main()
