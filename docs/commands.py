"""Calls the command line in this process, for the pages that show its output."""

from __future__ import annotations

import os
import shlex
import sys
from contextlib import chdir, redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from typing import NamedTuple
from unittest import mock

from pnsim.main import main


class Called(NamedTuple):
    status: int
    out: str
    err: str


def call(command: str, folder: Path, columns: int) -> Called:
    """Return the output of `pnsim COMMAND` in a folder, `columns` wide and without colour. Raises if it crashes.

    `… < FILE` at its end names a file in the folder as its input.
    """
    command, _, typed = command.partition(" < ")
    out, err = StringIO(), StringIO()
    with (
        mock.patch.object(sys, "stdin", StringIO((folder / typed).read_text(encoding="utf-8") if typed else "")),
        chdir(folder),
        mock.patch.dict(os.environ, COLUMNS=str(columns), NO_COLOR="1", PNSIM_DEBUG="1"),
        redirect_stdout(out),
        redirect_stderr(err),
    ):
        try:
            main(shlex.split(command))
        except SystemExit as ended:
            return Called(int(ended.code or 0), out.getvalue(), err.getvalue())
    raise AssertionError("a command ends with its exit status")


def trimmed(text: str) -> str:
    """Return the text without trailing blanks in lines, and without empty lines at the end."""
    return "".join(f"{line.rstrip()}\n" for line in text.rstrip().splitlines())
