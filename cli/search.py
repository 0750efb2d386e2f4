"""`pnsim search`."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from petri.diagnostics import Diagnostic, Value

from . import exits, nets
from .console import printing, stdout_console, tell, write_json
from .exits import Refusal, refusal
from .experiments import FILES, check_export, net_of_stdin, read_grids
from .report import REPORT_HELP, write_page
from .report import check as check_report

if TYPE_CHECKING:
    from petri.experiment.threshold.definition import Search
    from petri.experiment.threshold.outcome import Found, SearchOutcome

COUNT = click.IntRange(min=1)
REQUIRED = {"find": "--find", "between": "--in", "condition": "--while"}


@click.command(name="search")
@click.argument("what", metavar="NET", shell_complete=nets.complete_net)
@click.option("--find", metavar="NAME", help="The parameter that is varied.")
@click.option("--in", "between", metavar="FROM..TO", help="Its range: the condition holds at FROM and not at TO.")
@click.option(
    "--while", "condition", metavar="CONDITION", help="What must hold: 'loss == 0', 'loss <= 1% and wait < 9'."
)
@click.option("--resolution", metavar="STEP", help="How fine: a share of the greater end, or a length.  [default: 1%]")
@click.option("--confidence", metavar="SHARE", help="Probability that the answer is right.  [default: 95%]")
@click.option("--max-replications", type=COUNT, metavar="N", help="Limit for each value that is tried.  [default: 100]")
@click.option("--no-growth-check", is_flag=True, help="Accept a value although a place still grows when its runs end.")
@click.option(
    "--grid", "grids", multiple=True, metavar="NAME=VALUES", help="Search at each of these points. May be repeated."
)
@nets.settings_option
@nets.streams_options
@nets.tables_option
@click.option("--until", metavar="TIME", help="End of each run, such as '20 ms'.")
@click.option("--warmup", metavar="TIME", help="Exclude the first TIME from the statistics; `auto` determines it.")
@click.option("--seed", type=click.IntRange(0, 2**63 - 1), metavar="N", help="Seed of the random numbers.")
@click.option(
    "--measure", "measures", multiple=True, metavar="NAME", help="Show this measure as well. May be repeated."
)
@click.option("--export", metavar="FILE", help="Write all replications to a .csv or .parquet file at the end.")
@click.option("--report", metavar="FILE.html", help=REPORT_HELP)
@click.option("--engine", type=click.Choice(["auto", "native", "reference"]), default="auto", show_default=True)
@click.option("--threads", type=COUNT, metavar="N", help="Replications run in parallel (default: all cores).")
@click.option("--json", "as_json", is_flag=True, help="Print all results as JSON instead of the tables.")
@click.option("--quiet", "-q", is_flag=True, help="Show no progress and no notes.")
def command(
    what: str,
    grids: tuple[str, ...],
    settings: tuple[str, ...],
    streams: tuple[str, ...],
    columns: tuple[str, ...],
    tables: tuple[str, ...],
    export: str | None,
    report: str | None,
    engine: str,
    threads: int | None,
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
    from petri.experiment.errors import ExperimentError
    from petri.experiment.tables import export as write_table
    from petri.experiment.threshold.procedure import run_search

    from .search_progress import SearchProgress

    check_export(export)
    check_report(report)
    try:
        search = _search(what, grids, settings, options)
        files = {
            "recordings": nets.read_pairs(streams, "stream"),
            "columns": nets.read_pairs(columns, "column"),
            "tables": nets.read_pairs(tables, "table"),
        }
        runs = search.runs
        runs = runs.with_overrides(**{name: {**getattr(runs, name), **given} for name, given in files.items()})
        with SearchProgress(quiet) as progress:
            outcome = run_search(replace(search, runs=runs), engine=engine, threads=threads, watch=progress)
        if export:
            write_table(outcome.outcome, export)
    except ExperimentError as error:
        status = exits.STOPPED if error.diagnostic.id == "point-failed" else exits.NOT_STARTED
        raise Refusal(error.diagnostic, status) from error
    try:
        if report:
            from petri.report.html import search_report

            write_page(search_report(outcome), report)
    finally:  # the figures are shown even if the page cannot be written
        with printing():
            _show(outcome, as_json)
    return _tell_ending(outcome, quiet)


def _search(what: str, grids: tuple[str, ...], settings: tuple[str, ...], options: dict[str, Any]) -> Search:
    """The search of the file, or one made from the options. Options override the file."""
    from pathlib import Path

    from petri.experiment.definition import Definition
    from petri.experiment.threshold.definition import Search
    from petri.experiment.threshold.yaml_search import load_search, parse_confidence

    fixed: dict[str, Any] = {**nets.read_settings(settings)}
    given = {name: options[name] for name in (*REQUIRED, "resolution") if options[name] is not None}
    if options["max_replications"] is not None:
        given["most"] = options["max_replications"]
    if options["confidence"] is not None:
        given["confidence"] = parse_confidence(options["confidence"])
    if options["no_growth_check"]:
        given["growth"] = False
    overrides = {name: options[name] for name in ("until", "warmup", "seed")}
    overrides["measures"] = list(options["measures"]) or None
    if what.endswith(FILES):
        if grids:
            raise refusal("grid-of-file")
        search = load_search(Path(what))
        runs = search.runs.with_overrides(fixed={**search.runs.fixed, **fixed}, **overrides)
        return replace(search, runs=runs, **given)
    for name, option in REQUIRED.items():
        if name not in given:
            raise refusal("search-option-missing", option=option)
    net = net_of_stdin() if what == nets.STDIN else nets.find(what)
    points = read_grids(grids, fixed) if grids else [{}]
    return Search(Definition(net, points, fixed).with_overrides(**overrides), **given)


def _show(outcome: SearchOutcome, as_json: bool) -> None:
    if as_json:
        write_json(outcome.to_dict())
        return
    from .search_tables import print_search

    print_search(outcome, stdout_console())


def _tell_ending(outcome: SearchOutcome, quiet: bool) -> int:
    """Report on stderr what was not found, and what is not certain. Returns the exit status."""
    from petri.report.search import ending, remarks

    for found in outcome.found:
        for note in () if quiet else remarks(outcome, found):
            tell(note)
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
