"""`pnsim watch`."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from itertools import pairwise
from pathlib import Path

import click

from petri import library

from .console import remark
from .exits import refusal
from .net_options import complete_net

PAUSE = 0.3  # seconds between two looks at the files
MOST_FILES = 1000
LIBRARY_IMPORT = re.compile(r"^[ \t]*import[ \t]+([A-Za-z_][\w.]*)", re.MULTILINE)
NAMED_FILE = re.compile(r'"([^"\n]+\.\w+)"')


@click.command(name="watch", context_settings={"ignore_unknown_options": True})
@click.argument("net", shell_complete=complete_net, metavar="FILE")
@click.argument("options", nargs=-1, type=click.UNPROCESSED, metavar="[OPTIONS OF RUN]")
def command(net: str, options: tuple[str, ...]) -> None:
    """Check FILE and run it, now and whenever it or a file that it reads changes. Ctrl-C ends it.

    It reads what it imports, also from the library, its tables, and its recordings.

    All other options are those of `pnsim run`, such as --until or --set.
    """
    path = Path(net)
    if not path.is_file():
        raise refusal("watch-no-file", path=net)
    before: dict[Path, int] = {}
    while True:
        now = _times(path, options)
        if now != before:
            before = now
            _check_and_run(net, options)
            remark(f"watching {net}{_others(len(now) - 1)}; Ctrl-C ends it")
        time.sleep(PAUSE)


def _times(path: Path, options: tuple[str, ...]) -> dict[Path, int]:
    """When the files were last changed, in nanoseconds; 0 of those that are missing, or that an editor is replacing."""
    given = [Path(option.rpartition("=")[2]) for option in options if "=" in option]
    times = {}
    for file in [*files_named(path), *(one for one in given if _is_file(one))]:
        try:
            times[file] = file.stat().st_mtime_ns
        except (OSError, ValueError):
            times[file] = 0
    return times


def files_named(path: Path) -> list[Path]:
    """The net, and all that it reads or would read if it were there: what it imports, and its tables and recordings.

    Their names are looked for in the text, because a net with errors has no others.
    """
    found = {path.resolve(): None}
    waiting = list(found)
    while waiting and len(found) < MOST_FILES:
        file = waiting.pop()
        try:
            text = file.read_text("utf-8", "replace")
        except (OSError, ValueError):
            continue
        modules = (library.module(one) for one in LIBRARY_IMPORT.findall(text))
        named = [one.resolve() for one in modules if one] + [file.parent / one for one in NAMED_FILE.findall(text)]
        for one in map(Path, map(os.path.normpath, named)):
            if one not in found:
                found[one] = None
                waiting += [one] * (one.suffix == library.SUFFIX)
    return list(found)


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def _others(count: int) -> str:
    return f" and {count} file{'s' * (count != 1)} that it reads" if count else ""


def _check_and_run(net: str, options: tuple[str, ...]) -> None:
    """In processes of their own, so that nothing is kept from one version of the net to the next."""
    pnsim = [sys.executable, "-m", "pnsim"]
    settings = [option for pair in _settings(options) for option in pair]
    if subprocess.run([*pnsim, "check", net, *settings], check=False).returncode == 0:
        subprocess.run([*pnsim, "run", net, *options], check=False)


def _settings(options: tuple[str, ...]) -> list[tuple[str, str]]:
    """The `--set NAME=VALUE` among the options of a run."""
    apart = [(name, value) for name, value in pairwise(options) if name == "--set"]
    return apart + [("--set", option.removeprefix("--set=")) for option in options if option.startswith("--set=")]
