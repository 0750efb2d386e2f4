"""`pnsim mcp`."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path

import click

from ..options.ranges import Whole
from ..terminal.console import remark
from ..terminal.exits import DONE, refusal

MEMORY = 4_096
SECONDS = 60


@click.command(name="mcp")
@click.argument("folder", default=".", metavar="[FOLDER]", type=click.Path(exists=True, file_okay=False))
@click.option("--seconds", type=Whole(1), default=SECONDS, show_default=True, help="The most that a call may take.")
@click.option("--megabytes", type=Whole(512), default=MEMORY, show_default=True, help="The most memory of a call.")
def command(folder: str, seconds: int, megabytes: int) -> int:
    """Serve assistants over the Model Context Protocol, on standard input and output.

    An assistant's program starts it itself; `pnsim help assistants` says how. Its tools check, run, solve, explain and
    draw nets, and read the library and the documentation. They read only the files of FOLDER, write none, and end
    at the limits. It needs the package mcp: pip install 'pnsim[mcp]'.
    """
    if find_spec("mcp") is None:
        raise refusal("mcp-missing")
    from ..assistant.calls import Caller  # which need the extra
    from ..assistant.server import make_server

    if sys.stdin.isatty():
        remark(
            "waiting for an assistant on standard input; `pnsim help assistants` says how to set one up; Ctrl-C ends it"
        )
    make_server(Caller(Path(folder).resolve(), float(seconds), megabytes << 20)).run()
    return DONE
