"""Renews, or checks, what README.md shows: the output of commands, and the picture.

A line `<!-- pnsim … -->` before a fenced block says which command's output it is; `<!-- file: … -->` that the block is
a file which the commands see. Run it as `make readme`; tests call `stale`.
"""

from __future__ import annotations

import re
import tempfile
from pathlib import Path

from commands import call, trimmed

from petri.atomic_file import write_text

ROOT = Path(__file__).resolve().parents[1]
README = ROOT / "README.md"
PICTURE = ROOT / "docs" / "images" / "first.svg"
BLOCK = re.compile(
    r"(<!-- (?P<what>file:|pnsim) (?P<rest>.+?) -->\n```\w*\n)(?P<body>.*?)(?=^```$)", re.DOTALL | re.MULTILINE
)
SPEED = re.compile(r"^([\d,]+ firings) in .*$", re.MULTILINE)  # differs from run to run
SLIPS = (("wire(s) -> buffer", "wier(s) -> buffer"), ("load * 1 Gbps", "load * 1 Gpbs"), ("takes s /", "takse s /"))


def main() -> None:
    """Write README.md and the picture anew."""
    with tempfile.TemporaryDirectory() as folder:
        write_text(README, renewed(README.read_text(encoding="utf-8"), Path(folder)))
        write_text(PICTURE, pnsim("draw first.net", Path(folder)))


def stale(folder: Path) -> list[str]:
    """The commands whose output README.md shows wrongly, but for the speed of the machine."""
    found = README.read_text(encoding="utf-8")
    before, after = BLOCK.finditer(found), BLOCK.finditer(renewed(found, folder))
    return [
        old["rest"]
        for old, new in zip(before, after, strict=True)
        if SPEED.sub(r"\1", old["body"]) != SPEED.sub(r"\1", new["body"])
    ]


def renewed(text: str, folder: Path) -> str:
    """The text with the output that the commands give now; the files that it shows are put into the folder."""

    def renew(block: re.Match[str]) -> str:
        if block["what"] == "file:":
            (folder / block["rest"]).write_text(block["body"], encoding="utf-8")
            (folder / "typing_errors.net").write_text(misspelt(block["body"]), encoding="utf-8")
            return block[0]
        return block[1] + pnsim(block["rest"], folder)

    return BLOCK.sub(renew, text)


def misspelt(text: str) -> str:
    """The net with slips of the pen."""
    for right, wrong in SLIPS:
        if right not in text:
            raise ValueError(f"`{right}` is no longer in the README's net")
        text = text.replace(right, wrong)
    return text


def pnsim(command: str, folder: Path) -> str:
    """What a command prints on stdout, as on a wide terminal, without blanks at the ends of lines."""
    status, out, err = call(command, folder, columns=100)
    if status not in (0, 1):
        raise RuntimeError(f"{command}: {err}")
    return trimmed(out)


if __name__ == "__main__":
    main()
