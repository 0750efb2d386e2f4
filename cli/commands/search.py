"""`pnsim search`."""

from __future__ import annotations

from typing import Any

import click

from petri.experiment.results.tables import export
from petri.experiment.threshold.definition import Search
from petri.experiment.threshold.procedure import run_search
from petri.report.html import search_report
from petri.report.terminal.search import print_search

from ..options.experiments import read_points, run_options, study_options
from ..options.net_options import complete_net, given_options
from ..options.option_groups import Grouped
from .searching import SearchCommand, carry_out


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
def command(what: str, grids: tuple[str, ...], **options: Any) -> int:
    """Find the largest value of a parameter at which a condition holds.

    NET is a file, a net of the library, `-` for stdin, or a YAML file with a `search`. The condition must hold at the
    first end of the range and not at the other; each value is run as often as it takes to be sure.

    \b
    pnsim search mm1k --find load --in 0.5..1 --while 'refused <= 1%' --resolution 1%

    Exit status: 0 found, 1 there is no such value in the range or the net has errors, 2 could not start, 3 a run
    stopped with an error in the model, 130 interrupted.
    """
    points = read_points(what, grids, options["given"].settings)
    return carry_out(SEARCH, what, options, points or [{}])


SEARCH = SearchCommand(
    Search, run_search, print_search, search_report, lambda outcome, path: export(outcome.outcome, path)
)
