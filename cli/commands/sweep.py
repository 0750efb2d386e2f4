"""`pnsim sweep`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from petri.diagnostics import Diagnostic
from petri.diagnostics import Value as Told
from petri.experiment.design.definition import Definition
from petri.experiment.design.options import options_of
from petri.experiment.experiment import Experiment
from petri.experiment.procedure.campaign import sweep
from petri.experiment.results.outcome import Outcome
from petri.experiment.results.tables import export as write_table
from petri.experiment.store.database import Store
from petri.report.html import sweep_report
from petri.report.terminal.sweep import print_outcome

from ..options import nets
from ..options.experiments import (
    BEST,
    FILES,
    check_export,
    crew,
    dask_option,
    net_of,
    read_best,
    read_points,
    root_of,
    root_option,
    study_options,
    with_files,
)
from ..options.given import Given
from ..options.net_options import complete_net, given_options
from ..options.option_groups import Grouped
from ..options.pages import check as check_report
from ..options.pages import report_option, write_page
from ..options.run_options import COUNT, engine_option, output_options
from ..options.time_limit import tell_over, time_limit_option
from ..terminal import exits
from ..terminal.console import always_shown, show, tell, tell_missing
from ..terminal.sweep_progress import SweepProgress


@click.command(name="sweep", cls=Grouped)
@click.argument("what", metavar="EXPERIMENT", shell_complete=complete_net)
@click.option(
    "--grid",
    "grids",
    multiple=True,
    metavar="NAME=VALUES",
    help="Values of a parameter: threads=1,2,4,8, engines=1..8 or 'load=0.1..0.9 step 0.1'. May be repeated.",
)
@given_options
@root_option
@study_options(Definition)
@click.option("--store", metavar="FILE.db", help="File for the replications (default: named after the experiment).")
@click.option("--fresh", is_flag=True, help="Remove the store first, and run every replication again.")
@click.option("--export", metavar="FILE", help="Write the replications to a .csv or .parquet file at the end.")
@report_option
@engine_option
@time_limit_option
@click.option("--workers", type=COUNT, metavar="N", help="Replications run in parallel (default: all cores).")
@dask_option
@output_options
def command(
    what: str, grids: tuple[str, ...], given: Given, export: str | None, report: str | None, **asked: Any
) -> int:
    """Run a net at many points of its parameters, with replications and confidence intervals.

    EXPERIMENT is a YAML file, or a net (`-` for stdin) together with --grid. Each replication is stored
    when it finishes. If a sweep is stopped or killed, the same command continues where it was.

    Exit status: 0 done, 1 an expected value was missed or the experiment has errors, 2 could not start, 3 a run
    stopped with an error in the model, 130 interrupted.
    """
    overrides = {name: asked.get(name) for name in (*options_of(Definition), *BEST, "root")}
    experiment = with_files(_experiment(what, grids, given, overrides), given)
    path = Path(asked["store"]) if asked["store"] else _store_of(what)
    check_export(export)
    check_report(report)
    if asked["fresh"]:
        _remove(path)
    outcome = _run(experiment, path, asked)
    with always_shown(lambda: show(outcome, asked["as_json"], print_outcome)):
        if export:
            write_table(outcome, export)
        if report:
            write_page(sweep_report(outcome), report)
    if outcome.interrupted:
        tell_over(asked["time_limit"])
    return _tell_ending(outcome, asked["quiet"])


def _experiment(what: str, grids: tuple[str, ...], given: Given, overrides: dict[str, Any]) -> Experiment:
    """Return the experiment of the file, or one made from the options. Options override the file."""
    root = root_of(what, overrides.pop("root"))
    points = read_points(what, grids, given.settings)
    experiment = Experiment.load(what, root) if what.endswith(FILES) else Experiment(net=net_of(what))
    overrides["best"] = read_best({name: overrides.pop(name) for name in BEST}, experiment.best)
    return experiment.with_overrides(fixed={**experiment.fixed, **given.settings}, points=points, **overrides)


def _store_of(what: str) -> Path:
    """`experiment.yaml` is stored in experiment.db, a sweep of `mm1.net` in mm1-sweep.db, in the current folder."""
    stem = "stdin" if what == nets.STDIN else Path(what).stem
    return Path(f"{stem}.db" if what.endswith(FILES) else f"{stem}-sweep.db")


def _remove(store: Path) -> None:
    """Remove a store. Raises ExperimentError if the file is not a store."""
    if not store.exists():
        return
    Store.open(store).close()
    for suffix in ("", "-wal", "-shm"):
        store.with_name(store.name + suffix).unlink(missing_ok=True)


def _run(experiment: Experiment, store: Path, asked: dict[str, Any]) -> Outcome:
    """Run what is missing in the store, with the options of the command line that say how."""
    how = {name: asked[name] for name in ("engine", "time_limit")}
    with crew(asked["dask"], asked["workers"]) as workers, SweepProgress(store, asked["quiet"]) as progress:
        return sweep(experiment, store, watch=progress, workers=workers, **how)


def _tell_ending(outcome: Outcome, quiet: bool) -> int:
    """Report on stderr what is missing from the results. Returns the exit status."""
    for point in outcome.points:
        if point.warmup is not None and not point.warmup.settled and not quiet:
            unsettled = {"point": point.label, "series": point.warmup.decided_by}
            tell(Diagnostic("warmup-unsettled", severity="warning", values=unsettled))
        if point.done and point.imprecise and not quiet:
            missed: dict[str, Told] = {"point": point.label, "count": len(point.rows), "measures": point.imprecise}
            tell(Diagnostic("precision-missed", severity="note", values=missed))
    tell_missing(outcome.files)
    failed = next((point for point in outcome.points if point.failures), None)
    if failed is not None:
        row = failed.failures[0]
        values: dict[str, Told] = {"point": failed.label, "replication": row.index, "message": row.why()}
        tell(Diagnostic("point-failed", values=values))
    if outcome.interrupted:
        done = sum(len(point.rows) for point in outcome.points)
        tell(Diagnostic("sweep-interrupted", values={"count": done, "path": str(outcome.store)}))
        return exits.INTERRUPTED
    if failed is not None:
        return exits.STOPPED
    return exits.DONE if outcome.passed else exits.FAILED
