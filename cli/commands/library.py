"""`pnsim list`."""

from __future__ import annotations

from pathlib import Path

import click
from rich.text import Text

from petri import library
from petri.diagnostics import LanguageError
from petri.model import load
from petri.report.telling.columns import Column
from petri.report.terminal.tables import print_prose, print_table

from ..terminal.console import stdout_console, write_json
from .solve import exact_libraries

SOLVABLE_STATES = 50_000


@click.command(name="list")
@click.option(
    "--solvable", is_flag=True, help=f"Only nets that `pnsim solve` solves, with at most {SOLVABLE_STATES:,} states."
)
@click.option("--json", "as_json", is_flag=True, help="Print the names and sentences as JSON.")
def command(solvable: bool, as_json: bool) -> None:
    """List the nets of the library.

    Use its name to run, draw or inspect a net: `pnsim run mm1`.
    """
    names = library.net_names()
    if solvable:
        with exact_libraries():
            names = [name for name in names if is_solvable(name)]
    if as_json:
        write_json([{"name": name, "doc": first_sentence(name)} for name in names])
        return
    small = sorted((name for name in names if "/" in name), key=length)
    large = [name for name in names if "/" not in name]
    console = stdout_console()
    groups = {"Small nets, the shortest first:": small, "Large nets:": large}
    for title, group in groups.items():
        if not group:
            continue
        if group is large and small:
            console.print()
        print_prose(console, Text(title, style="bold dim"))
        short = [name.rpartition("/")[2] for name in group]
        print_table(console, [Column("", short, "name"), Column("", list(map(first_sentence, group)), "prose")])


def is_solvable(name: str) -> bool:
    """Return whether a net of the library has a chain of moderate size."""
    try:
        load(name).solve(states=SOLVABLE_STATES)
    except LanguageError as error:
        if any(diagnostic.id == "exact-needs-native" for diagnostic in error.diagnostics):
            raise
        return False
    return True


def length(name: str) -> int:
    """Return the lines of the file of a net of the library."""
    path = library.net(name)
    return 0 if path is None else len(Path(path).read_text(encoding="utf-8").splitlines())


def first_sentence(name: str) -> str:
    """Return the start of the comment that documents a net of the library."""
    path = library.net(name)
    if path is None:
        return ""
    lines = []
    for line in Path(path).read_text(encoding="utf-8").splitlines():
        if not line.startswith("##"):
            break
        lines.append(line.removeprefix("##").strip())
    text = " ".join(lines)
    sentence, dot, _ = text.partition(". ")
    return sentence + dot.strip()
