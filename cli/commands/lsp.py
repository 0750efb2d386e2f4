"""`pnsim lsp`."""

from __future__ import annotations

import gc
import logging
import os
import sys
from importlib.util import find_spec
from typing import BinaryIO, cast

import click

from petri.editor.frames import Frames
from petri.editor.server import make_server

from ..terminal.console import remark
from ..terminal.exits import DONE, Refusal, refusal


@click.command(name="lsp")
@click.option(
    "--stdio", is_flag=True, help="Accepted because some editors pass it. The server always uses stdin and stdout."
)
def command(stdio: bool) -> int:
    """Serve editors over the Language Server Protocol, on standard input and output.

    Editors start it themselves; `pnsim help editors` says how. It needs the package pygls: pip install 'pnsim[lsp]'.
    """
    if find_spec("pygls") is None:
        raise refusal("lsp-missing")
    if sys.stdin.isatty():
        remark("waiting for an editor on standard input; `pnsim help editors` says how to set one up; Ctrl-C ends it")
    logging.disable(logging.DEBUG if os.environ.get("PNSIM_DEBUG") else logging.CRITICAL)
    # What is loaded stays, and a check makes many objects that stay until the next one: looking for rubbish more often
    # would take as long as the check.
    gc.freeze()
    gc.set_threshold(200_000, 20, 20)
    with os.fdopen(os.dup(sys.stdin.fileno()), "rb") as questions, os.fdopen(os.dup(sys.stdout.fileno()), "wb") as said:
        frames = Frames(questions)
        make_server().start_io(cast(BinaryIO, frames), said)
    if frames.wrong is not None:
        raise Refusal(frames.wrong)
    return DONE
