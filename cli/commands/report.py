"""`pnsim report`."""

from __future__ import annotations

from pathlib import Path

import click

from petri.diagnostics import Diagnostic
from petri.experiment.results.outcome import stored_outcome
from petri.experiment.store.database import Store
from petri.experiment.store.reference import parse_reference, read_result, undamaged
from petri.report.html import recorded_report, sweep_report

from ..options.pages import SUFFIXES, check, write_page
from ..terminal.console import tell


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
