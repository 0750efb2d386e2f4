"""`pnsim report`, and the option `--report` of the commands that run something."""

from __future__ import annotations

from pathlib import Path

import click

from petri.atomic_file import write_text
from petri.diagnostics import Diagnostic
from petri.experiment.results.outcome import stored_outcome
from petri.experiment.store.database import Store
from petri.experiment.store.reference import parse_reference, read_result, undamaged
from petri.report.html import recorded_report, sweep_report

from .console import tell
from .exits import STOPPED, check_output, refusal, writing

SUFFIXES = (".html", ".htm")
REPORT_HELP = "Write a report as one self-contained HTML file."
report_option = click.option("--report", metavar="FILE.html", help=REPORT_HELP)


@click.command(name="report")
@click.argument("result")
@click.option("--output", "-o", metavar="FILE.html", help="Output file. [default: RESULT with the suffix .html]")
def command(result: str, output: str | None) -> None:
    """Write a report of RESULT: one HTML file that works offline.

    RESULT is the output of `pnsim run --json`, or the store of a sweep.
    """
    path = output if output is not None else str(Path(result).with_suffix(SUFFIXES[0]))
    check(path)

    reference = parse_reference(result)
    if reference.is_store:
        with Store.open(reference.path) as store:
            page = sweep_report(stored_outcome(store))
    else:
        data = read_result(reference.path)
        with undamaged(reference.path):
            page = recorded_report(data)
    write_page(page, path)
    tell(Diagnostic("report-written", severity="note", values={"path": path}))


def check(path: str | None) -> None:
    """Refuse an unsuitable file name before anything runs."""
    if path is None:
        return
    if Path(path).suffix.lower() not in SUFFIXES:
        raise refusal("output-suffix", path=path, suffixes=[".html"], suggestion=f"{Path(path).with_suffix('.html')}")
    check_output(path)


def write_page(page: str, path: str) -> None:
    """Raises Refusal if it cannot be written."""
    with writing(path, STOPPED):
        write_text(path, page)
