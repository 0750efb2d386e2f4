"""Regenerates, or checks, the generated parts of README.md: the output of commands, and the picture.

A line `<!-- pnsim … -->` before a fenced block marks it as the output of that command, `<!-- pnsim … | measures -->` as
the table of measures in it; `<!-- file: … -->` marks it as a file for the commands. Run it as `make readme`; tests call
`stale`.
"""

from __future__ import annotations

import re
import tempfile
from pathlib import Path

from commands import call, trimmed
from moving import moving

import petri
from petri.atomic_file import write_text

ROOT = Path(__file__).resolve().parents[1]
README = ROOT / "README.md"
SKILL = ROOT / "docs" / "skill" / "SKILL.md"
CARD = ROOT / "docs" / "card.md"
PICTURE = ROOT / "docs" / "images" / "first.svg"
MOVING = ROOT / "docs" / "images" / "moving.svg"
BLOCK = re.compile(
    r"(<!-- (?P<what>file:|pnsim) (?P<rest>.+?) -->\n```\w*\n)(?P<body>.*?)(?=^```$)", re.DOTALL | re.MULTILINE
)
MEASURES = re.compile(r"^Measures .*\n(?:.+\n)*", re.MULTILINE)
WITHIN = re.compile(r"(?<=^<!-- card -->\n).*?(?=^<!-- end of the card -->$)", re.DOTALL | re.MULTILINE)
SPEED = re.compile(r"^([\d,]+ firings) in .*$", re.MULTILINE)  # differs from run to run
SLIPS = (("wire(s) -> buffer", "wier(s) -> buffer"), ("load * 1 Gbps", "load * 1 Gpbs"), ("takes s /", "takse s /"))


def main() -> None:
    """Rewrite README.md, the picture, and the card in the text for assistants."""
    write_text(SKILL, with_card(SKILL.read_text(encoding="utf-8")))
    with tempfile.TemporaryDirectory() as folder:
        write_text(README, renewed(README.read_text(encoding="utf-8"), Path(folder)))
        for file, picture in pictures(Path(folder)).items():
            write_text(file, picture)


def pictures(folder: Path) -> dict[Path, str]:
    """Return the pictures of the net that `renewed` has put into the folder."""
    drawing = pnsim("draw first.net", folder)
    return {PICTURE: drawing, MOVING: moving(petri.load(folder / "first.net"), drawing)}


def stale(folder: Path) -> list[str]:
    """Return what is out of date: commands whose output differs, but for the speed of the machine, and files."""
    found = README.read_text(encoding="utf-8")
    before, after = BLOCK.finditer(found), BLOCK.finditer(renewed(found, folder))
    parts = [
        old["rest"]
        for old, new in zip(before, after, strict=True)
        if SPEED.sub(r"\1", old["body"]) != SPEED.sub(r"\1", new["body"])
    ]
    skill = SKILL.read_text(encoding="utf-8")
    parts += [] if skill == with_card(skill) else [SKILL.name]
    return parts + [file.name for file, picture in pictures(folder).items() if file.read_text("utf-8") != picture]


def renewed(text: str, folder: Path) -> str:
    """Return the text with the current output of the commands; the files that it shows are put into the folder."""

    def renew(block: re.Match[str]) -> str:
        if block["what"] == "file:":
            (folder / block["rest"]).write_text(block["body"], encoding="utf-8")
            if block["rest"] == "first.net":
                (folder / "typing_errors.net").write_text(misspelt(block["body"]), encoding="utf-8")
            return block[0]
        return block[1] + pnsim(block["rest"], folder)

    return BLOCK.sub(renew, text)


def with_card(text: str) -> str:
    """Return the text for assistants with the card, whose links lead nowhere there."""
    card = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", CARD.read_text(encoding="utf-8"))
    return WITHIN.sub(lambda _: f"#{card}", text)


def misspelt(text: str) -> str:
    """Return the net with typing errors."""
    for right, wrong in SLIPS:
        if right not in text:
            raise ValueError(f"`{right}` is no longer in the README's net")
        text = text.replace(right, wrong)
    return text


def pnsim(command: str, folder: Path) -> str:
    """Return the stdout of a command, as on a wide terminal, without trailing blanks."""
    command, _, part = command.partition(" | ")
    status, out, err = call(command, folder, columns=100)
    if status not in (0, 1):
        raise RuntimeError(f"{command}: {err}")
    return "".join(MEASURES.findall(out)) if part else trimmed(out)


if __name__ == "__main__":
    main()
