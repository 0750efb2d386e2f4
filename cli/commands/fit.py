"""`pnsim fit`."""

from __future__ import annotations

import math
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import click
from rich.text import Text

from petri.atomic_file import write_text
from petri.fit import Fit, fit, read_column
from petri.regular import is_pipe
from petri.report.telling.fit import columns, heading, law_text, line, remarks, schedule_line, table_text
from petri.report.terminal.tables import print_prose, print_table
from petri.result.export import number
from petri.traffic.pipes import copied

from ..options.nets import SHOWN_STDIN, STDIN
from ..options.pages import check as check_report
from ..options.pages import report_option, write_page
from ..options.ranges import Whole
from ..options.run_options import output_options
from ..terminal import exits
from ..terminal.console import stdout_console, write_json
from ..terminal.exits import STOPPED, check_output, refusal, writing
from .solve import exact_libraries


@click.command(name="fit")
@click.argument("file", metavar="FILE")
@click.argument("column", metavar="COLUMN", required=False)
@click.option(
    "--gaps/--values",
    default=None,
    help="Fit the times between the values, or the values.  [default: gaps of calendar times and of `time`]",
)
@click.option("--table", metavar="FILE.csv", help="Write the values as a table for `empirical` or `table`.")
@click.option(
    "--seed", type=Whole(0, 2**32 - 1), default=1, metavar="N", help="Seed of the tests of fit.", show_default=True
)
@report_option
@output_options
def command(file: str, column: str | None, gaps: bool | None, **options: Any) -> int:
    """Find the distribution of the language that the values in COLUMN of FILE follow.

    FILE is CSV, packed by gzip or not, Parquet, or a capture, or `-` for stdin. COLUMN may name a unit: `'service
    [us]'`. A cell may be a bound, such as `>30 s`. Laws are fitted by maximum likelihood and ranked by AIC, and a
    bootstrap says which of them fit. The last line printed is one of the language.

    Exit status: 0 done, 2 could not start.
    """
    table = options["table"]
    check_report(options["report"])
    if table:
        check_output(table, [file])
    with exact_libraries(), ExitStack() as files:
        path, name = _regular(file, files)
        found = fit(read_column(path, column, gaps, name), options["seed"])
    if table and len(found.sample.low):
        raise refusal("fit-table-of-bounds", path=table)
    if table:
        with writing(table, STOPPED):
            write_text(table, table_text(found))
    if options["as_json"]:
        write_json(_as_dict(found, table))
    else:
        _print(found, table, options["quiet"])
    if options["report"]:
        from petri.report.html.fit_page import fit_page

        write_page(fit_page(found, table).html(), options["report"])
    return exits.DONE


def _regular(file: str, files: ExitStack) -> tuple[str | Path, str]:
    """Return a file, or a copy of what comes through stdin or a pipe while `files` are open, and its name."""
    if file == STDIN:
        return files.enter_context(copied(sys.stdin.buffer, SHOWN_STDIN)), SHOWN_STDIN
    if is_pipe(Path(file)):
        return files.enter_context(copied(files.enter_context(Path(file).open("rb")), file)), file
    return file, file


def _print(found: Fit, table: str | None, quiet: bool) -> None:
    console = stdout_console()
    for text in heading(found).split("\n"):
        print_prose(console, Text(text, style="dim"))
    if found.fitted:
        console.print()
        print_table(console, columns(found))
    for remark in () if quiet else remarks(found):
        console.print()
        print_prose(console, remark)
    for text in (schedule_line(found), line(found, table)):
        if text:
            console.print()
            console.print(text, soft_wrap=True)


def _as_dict(found: Fit, table: str | None) -> dict[str, object]:
    column, dependence = found.column, found.dependence
    laws = [
        {
            "name": one.law.name,
            "text": law_text(one, column.unit),
            "parameters": list(one.parameters),
            "zeros": one.zeros,
            "aic": number(one.criterion),
            "fits": None if math.isnan(one.fits) else one.fits,
        }
        for one in found.fitted
    ]
    return {
        "file": column.path,
        "column": column.name,
        "unit": column.unit,
        "gaps": column.instants is not None,
        "count": len(found.sample),
        "bounded": len(found.sample.low),
        "missing": column.missing,
        "laws": laws,
        "independent": None if dependence is None else not dependence.found,
        "lag_one": None if dependence is None else dependence.lag_one,
        "dispersion": None if dependence is None else dependence.dispersion,
        "remarks": list(remarks(found)),
        "schedule": schedule_line(found) or None,
        "line": line(found, table) or None,
    }
