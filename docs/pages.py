"""Regenerates, or checks, the generated parts of docs/: the files of the tutorial, the output of commands, the
pictures, and the tables of distributions and of options.

A line `<!-- file: … -->` before a fenced block marks the block as a file for the commands after it. `<!-- pnsim … -->`
marks a block with this command and its output, `<!-- python FILE -->` one with a program and its output, `<!-- result:
NET -->` a block with the measures printed by `pnsim run NET`, and `<!-- net: NET -->` one with the text of a pattern.
Run it as `python docs/pages.py`; a test calls `stale`.
"""

from __future__ import annotations

import re
import runpy
import tempfile
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

from click import Context, Option
from commands import call, trimmed

from petri.atomic_file import write_text
from petri.catalogue.operations import OPERATIONS
from pnsim.group import pnsim as command_line

DOCS = Path(__file__).resolve().parent
PAGES = (
    "tutorial.md", "patterns.md", "seeing.md", "exact.md", "bounds.md", "fitting.md", "sensitivity.md", "tuning.md",
    "deciding.md", "rare.md", "models/queue-management.md", "coming/fixed-steps.md",
    *(f"patterns/{page.name}" for page in sorted((DOCS / "patterns").glob("*.md"))),
)  # fmt: skip
PATTERNS = DOCS.parent / "nets" / "patterns"
PICTURE = DOCS / "images" / "counter.svg"
PICTURED = "counter.net"
BLOCK = re.compile(
    r"(<!-- (?P<what>file:|pnsim|python|result:|net:) (?P<rest>.+?) -->\n```\w*\n)(?P<body>.*?)(?=^```$)",
    re.DOTALL | re.MULTILINE,
)
OPTIONS = re.compile(r"(<!-- options: (?P<command>\w+) -->\n)(\|.*\n)*")
BOUNDS = re.compile(r"  \[\d[^]]*\]$")  # that click adds to the help of a number
SPEED = re.compile(
    r"^([\d,]+ firings|.* arcs,|.* lost,) in .*$|by less than \S+ of its value", re.MULTILINE
)  # differs from run to run, and from machine to machine
STOPPED = 3  # the exit status of a run that stopped with an error in the model


def main() -> None:
    """Rewrite the pages and the picture."""
    table = DOCS / "language" / "expressions.md"
    write_text(table, with_distributions(table.read_text(encoding="utf-8")))
    experiments = DOCS / "experiments.md"
    write_text(experiments, with_options(experiments.read_text(encoding="utf-8")))
    for page in PAGES:
        with tempfile.TemporaryDirectory() as folder:
            text = (DOCS / page).read_text(encoding="utf-8")
            write_text(DOCS / page, renewed(text, Path(folder)))
            if (Path(folder) / PICTURED).exists():
                write_text(PICTURE, pnsim(f"draw {PICTURED}", Path(folder)))


def with_distributions(text: str) -> str:
    """Return the page of expressions with the table of all distributions."""
    drawn = {one.usage: one.doc for one in OPERATIONS.values() if one.draws}
    rows = "".join(f"| `{usage}` | {doc} |\n" for usage, doc in drawn.items())
    return re.sub(r"(\| distribution \| values \|\n\|---\|---\|\n)(\|.*\n)+", lambda table: table[1] + rows, text)


def with_options(text: str) -> str:
    """Return a page with the tables of options that it marks: `<!-- options: sweep -->`."""
    return OPTIONS.sub(lambda found: f"{found[1]}| option | |\n|---|---|\n{_options(found['command'])}", text)


def _options(name: str) -> str:
    """Return the rows of a table: each option, with its help but for its bounds."""
    command = command_line.get_command(Context(command_line), name)
    if command is None:
        raise ValueError(f"there is no command `{name}`")
    records = [one.get_help_record(Context(command)) for one in command.params if isinstance(one, Option)]
    cells = [[BOUNDS.sub("", cell).replace("|", "\\|") for cell in record] for record in records if record is not None]
    return "".join(f"| `{written}` | {about} |\n" for written, about in cells)


def stale(page: str, folder: Path) -> list[str]:
    """Return the blocks of a page that differ from the current output, ignoring the speed of the machine."""
    found = (DOCS / page).read_text(encoding="utf-8")
    before, after = BLOCK.finditer(found), BLOCK.finditer(renewed(found, folder))
    return [
        old["rest"]
        for old, new in zip(before, after, strict=True)
        if SPEED.sub(r"\1", old["body"]) != SPEED.sub(r"\1", new["body"])
    ]


def renewed(text: str, folder: Path) -> str:
    """Return the text with the current output of the commands; the files that it shows are put into the folder."""
    for block in BLOCK.finditer(text):
        if block["what"] == "file:":
            (folder / block["rest"]).write_text(block["body"], encoding="utf-8")

    def body(block: re.Match[str]) -> str:
        if block["what"] == "file:":
            return block["body"]
        if block["what"] == "net:":
            return (PATTERNS / f"{block['rest']}.net").read_text(encoding="utf-8")
        if block["what"] == "result:":
            return measures(pnsim(f"run {block['rest']}", folder))
        if block["what"] == "python":
            return f"$ python {block['rest']}\n{program(folder / block['rest'])}"
        return f"$ pnsim {block['rest']}\n{pnsim(block['rest'], folder)}"

    return BLOCK.sub(lambda block: block[1] + body(block), text)


def measures(output: str) -> str:
    """Return the part of a summary that shows the declared measures."""
    found = re.search(r"^Measures.*?(?=^$)", output, re.DOTALL | re.MULTILINE)
    if found is None:
        raise ValueError("the net declares no measure")
    return found[0]


def pnsim(command: str, folder: Path) -> str:
    """Return the output of a command, as on a wide terminal, without trailing blanks."""
    status, out, err = call(command, folder, columns=100)
    if status not in (0, 1, STOPPED):
        raise RuntimeError(f"{command}: {err}")
    return trimmed(f"{out.rstrip()}\n\n{err}".lstrip() if status == STOPPED or not out else out)


def program(file: Path) -> str:
    """Return the output of a program of a page."""
    with redirect_stdout(StringIO()) as out:
        runpy.run_path(str(file))
    return trimmed(out.getvalue())


if __name__ == "__main__":
    main()
