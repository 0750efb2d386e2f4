"""`pnsim search`."""

from __future__ import annotations

from typing import Any

import click

from petri.diagnostics import Diagnostic, Value
from petri.experiment.results.tables import export as write_table
from petri.experiment.threshold.definition import Search
from petri.experiment.threshold.outcome import Found, SearchOutcome
from petri.experiment.threshold.procedure import run_search
from petri.experiment.threshold.yaml_search import load_search
from petri.report.html import search_report
from petri.report.telling.search import ending, remarks
from petri.report.terminal.search import print_search
from petri.run.stop import TimeLimit

from ..options.experiments import (
    FILES,
    check_export,
    read_grids,
    run_options,
    study_of,
    study_options,
)
from ..options.given import Given
from ..options.net_options import complete_net, given_options
from ..options.option_groups import Grouped
from ..options.pages import check as check_report
from ..options.pages import write_page
from ..options.time_limit import tell_over
from ..terminal import exits
from ..terminal.console import always_shown, show, tell
from ..terminal.exits import refusal
from ..terminal.search_progress import SearchProgress


@click.command(name="search", cls=Grouped)
@click.argument("what", metavar="NET", shell_complete=complete_net)
@study_options(Search)
@click.option(
    "--grid", "grids", multiple=True, metavar="NAME=VALUES", help="Search at each of these points. May be repeated."
)
@given_options
@run_options
@click.option(
    "--measure", "measures", multiple=True, metavar="NAME", help="Show this measure as well. May be repeated."
)
@click.option("--export", metavar="FILE", help="Write all replications to a .csv or .parquet file at the end.")
def command(
    what: str,
    grids: tuple[str, ...],
    given: Given,
    export: str | None,
    report: str | None,
    engine: str,
    threads: int | None,
    time_limit: TimeLimit | None,
    as_json: bool,
    quiet: bool,
    **options: Any,
) -> int:
    """Find the largest value of a parameter at which a condition holds.

    NET is a file, a net of the library, `-` for stdin, or a YAML file with a `search`. The condition must hold at the
    first end of the range and not at the other; each value is run as often as it takes to be sure.

    \b
    pnsim search mm1k --find load --in 0.5..1 --while 'refused <= 1%' --resolution 1%

    Exit status: 0 found, 1 there is no such value in the range or the net has errors, 2 could not start, 3 a run
    stopped with an error in the model, 130 interrupted.
    """

    check_export(export)
    check_report(report)
    if what.endswith(FILES) and grids:
        raise refusal("grid-of-file")
    points = read_grids(grids, given.settings) if grids else [{}]
    search = study_of(Search, what, given, options, load_search, points)
    with SearchProgress(quiet) as progress:
        outcome = run_search(search, engine=engine, threads=threads, watch=progress, time_limit=time_limit)
    with always_shown(lambda: show(outcome, as_json, print_search)):
        if export:
            write_table(outcome.outcome, export)
        if report:
            write_page(search_report(outcome), report)
    if outcome.interrupted:
        tell_over(time_limit)
    return _tell_ending(outcome, quiet)


def _tell_ending(outcome: SearchOutcome, quiet: bool) -> int:
    """Report on stderr what was not found, and what is not certain. Returns the exit status."""
    for note in () if quiet else remarks(outcome):
        tell(note)
    for found in outcome.found:
        for error in ending(outcome, found):
            tell(error)
    if outcome.interrupted:
        tell(_interrupted(outcome.found[-1] if outcome.found else None))
        return exits.INTERRUPTED
    return exits.DONE if outcome.done else exits.FAILED


def _interrupted(found: Found | None) -> Diagnostic:
    values: dict[str, Value] = {"count": 0 if found is None else len(found.trials)}
    if found is not None and found.last is not None and found.next is not None:
        values |= {"low": str(found.last.value), "high": str(found.next.value)}
    return Diagnostic("search-interrupted", values=values)
