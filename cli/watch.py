"""`pnsim watch`."""

from __future__ import annotations

import subprocess
import sys
import time
from itertools import pairwise
from pathlib import Path

import click

from .console import remark
from .exits import refusal
from .nets import complete_net

PAUSE = 0.3  # seconds between two looks at the files
SUFFIXES = (".net", ".csv")


@click.command(name="watch", context_settings={"ignore_unknown_options": True})
@click.argument("net", shell_complete=complete_net, metavar="FILE")
@click.argument("options", nargs=-1, type=click.UNPROCESSED, metavar="[OPTIONS OF RUN]")
def command(net: str, options: tuple[str, ...]) -> None:
    """Check FILE and run it, now and whenever it or a .net or .csv file beside it changes. Ctrl-C ends it.

    All other options are those of `pnsim run`, such as --until or --set.
    """
    path = Path(net)
    if not path.is_file():
        raise refusal("watch-no-file", path=net)
    before: dict[Path, int] = {}
    while True:
        now = _times(path)
        if now != before:
            before = now
            _check_and_run(net, options)
            remark(f"watching {net}; Ctrl-C ends it")
        time.sleep(PAUSE)


def _times(path: Path) -> dict[Path, int]:
    """When the files were last changed, in nanoseconds; an editor may be replacing one of them."""
    times = {}
    for beside in {path, *(other for other in path.parent.iterdir() if other.suffix in SUFFIXES)}:
        try:
            times[beside] = beside.stat().st_mtime_ns
        except OSError:
            continue
    return times


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
