"""`pnsim list`."""

from __future__ import annotations

from pathlib import Path

import click

from petri import library
from petri.diagnostics import LanguageError
from petri.model import load

from .console import stdout_console, write_json
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
    from petri.report.columns import Column, print_table

    names = library.net_names()
    if solvable:
        with exact_libraries():
            names = [name for name in names if is_solvable(name)]
    sentences = [first_sentence(name) for name in names]
    if as_json:
        write_json([{"name": name, "doc": sentence} for name, sentence in zip(names, sentences, strict=True)])
        return
    print_table(stdout_console(), [Column("", names, "name"), Column("", sentences, "prose")])


def is_solvable(name: str) -> bool:
    """Whether a net of the library has a chain of moderate size."""
    try:
        load(name).solve(states=SOLVABLE_STATES)
    except LanguageError:
        return False
    return True


def first_sentence(name: str) -> str:
    """The start of the comment that documents a net of the library."""
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
