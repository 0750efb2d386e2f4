"""`pnsim watch`."""

from __future__ import annotations

import subprocess
import sys
import time
from itertools import pairwise
from pathlib import Path

import click

from petri.live.watching import PAUSE, files_named, times

from ..options.net_options import complete_net
from ..terminal.console import remark
from ..terminal.exits import refusal


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
    """Return when the net, what it reads, and the files among the options were last changed (`times`)."""
    given = [Path(option.rpartition("=")[2]) for option in options if "=" in option]
    return times([*files_named(path), *(one for one in given if _is_file(one))])


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
    """Return the `--set NAME=VALUE` among the options of a run."""
    apart = [(name, value) for name, value in pairwise(options) if name == "--set"]
    return apart + [("--set", option.removeprefix("--set=")) for option in options if option.startswith("--set=")]
