"""`pnsim new`."""

from __future__ import annotations

import re
from pathlib import Path

import click

from petri import library
from petri.atomic_file import write_text
from petri.diagnostics import did_you_mean

from ..options.net_options import complete_net
from ..terminal.console import remark
from ..terminal.exits import refusal, writing

_NET_LINE = re.compile(r"^net[ \t]+\w+", re.MULTILINE)
_IMPORT_OF_FILE = re.compile(r"^import[ \t]+\"|\b(?:table|list)\(\"", re.MULTILINE)


@click.command(name="new")
@click.argument("name")
@click.option(
    "--pattern",
    default="mm1",
    show_default=True,
    metavar="NET",
    shell_complete=complete_net,
    help="The net of the library to start from (`pnsim list`).",
)
def command(name: str, pattern: str) -> None:
    """Write NAME.net in the current folder: a copy of a net of the library, with NAME as its name."""
    name = name.removesuffix(library.SUFFIX)
    if not re.fullmatch(r"[^\W\d]\w*", name):
        raise refusal("new-name", name=name)
    source = library.net(pattern.removesuffix(library.SUFFIX))
    if source is None:
        raise refusal("unknown-pattern", name=pattern, suggestion=did_you_mean(pattern, library.net_names()))
    text = Path(source).read_text(encoding="utf-8")
    if _IMPORT_OF_FILE.search(text):
        raise refusal("pattern-with-files", name=pattern)
    path = Path(name + library.SUFFIX)
    if path.exists():
        raise refusal("new-exists", path=str(path))
    with writing(str(path)):
        write_text(path, _NET_LINE.sub(f"net {name}", text, count=1))
    remark(f"wrote {path}; try: pnsim run {path}")
