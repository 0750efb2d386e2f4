"""Pages that commands write: the option `--report`, and the file."""

from __future__ import annotations

from pathlib import Path

import click

from petri.atomic_file import write_text

from ..terminal.exits import STOPPED, check_output, refusal, writing

SUFFIXES = (".html", ".htm")
REPORT_HELP = "Write a report as one self-contained HTML file."
report_option = click.option("--report", metavar="FILE.html", help=REPORT_HELP)


def check(path: str | None) -> None:
    """Refuse an unsuitable file name before anything runs."""
    if path is None:
        return
    if Path(path).suffix.lower() not in SUFFIXES:
        raise refusal("output-suffix", path=path, suffixes=[".html"], suggestion=f"{Path(path).with_suffix('.html')}")
    check_output(path)


def write_page(page: str, path: str) -> None:
    """Raise Refusal if it cannot be written."""
    with writing(path, STOPPED):
        write_text(path, page)
