"""`pnsim tune`."""

from __future__ import annotations

from typing import Any

import click

from petri.diagnostics import Diagnostic
from petri.experiment.procedure.points import Interrupted
from petri.experiment.tuning.calibration import run_calibration
from petri.experiment.tuning.definition import Tuning
from petri.experiment.tuning.procedure import run_tuning
from petri.report.html import calibration_report, tuning_report
from petri.report.terminal.tune import print_calibration, print_tuned

from ..options.experiments import crew, dask_option, run_options, study_of, study_options
from ..options.net_options import complete_net, given_options
from ..options.option_groups import Grouped
from ..options.pages import check as check_report
from ..options.pages import write_page
from ..options.time_limit import tell_over
from ..terminal import exits
from ..terminal.console import always_shown, remark, show, tell
from ..terminal.exits import check_output
from .solve import exact_libraries


@click.command(name="tune", cls=Grouped)
@click.argument("what", metavar="NET", shell_complete=complete_net)
@study_options(Tuning)
@click.option("--store", metavar="FILE.db", help="Keep all replications here; the same call goes on from them.")
@given_options
@run_options
@dask_option
def command(what: str, store: str | None, **options: Any) -> int:
    """Find the setting of a net's parameters at which a figure is best.

    NET is a file, a net of the library, `-` for stdin, or a YAML file with the key `tune`. Settings are proposed by
    optuna, and compared by replications with the same seeds, or exactly where the net is a Markov chain and runs have a
    warm-up.

    \b
    pnsim tune mm1k --least queue --where 'refused < 1%' --over load=0.1..1
    pnsim tune mm1k --match measured.csv --over load=0.1..1

    FILE.csv has a line `measure,value,error`, and then one for each figure: `wait,12.3 us,0.2 us`.

    Exit status: 0 found, 1 no setting meets the condition or the net has errors, 2 could not start, 3 a run stopped
    with an error in the model, 130 interrupted.
    """
    if store:
        check_output(store)
    check_report(options["report"])
    tuning = study_of(Tuning, what, options)
    how = {"engine": options["engine"], "time_limit": options["time_limit"]}
    with crew(options["dask"], options["threads"]) as workers:
        if tuning.match is not None:
            with exact_libraries():
                return _calibrate(tuning, store, options, workers=workers, **how)
        watch = None if options["quiet"] else _progress
        tuned = run_tuning(tuning, store, watch=watch, workers=workers, **how)
    quiet = options["quiet"]
    with always_shown(lambda: show(tuned, options["as_json"], lambda one, to: print_tuned(one, to, quiet=quiet))):
        if options["report"]:
            write_page(tuning_report(tuned), options["report"])
    if tuned.interrupted:
        return _interrupted(tuned.replications, store, options)
    return exits.DONE if tuned.best is not None or tuned.front else exits.FAILED


def _calibrate(tuning: Tuning, store: str | None, options: dict[str, Any], **how: Any) -> int:
    try:
        found = run_calibration(tuning, None, store, **how)
    except Interrupted:
        return _interrupted(None, store, options)
    quiet = options["quiet"]
    with always_shown(lambda: show(found, options["as_json"], lambda one, to: print_calibration(one, to, quiet=quiet))):
        if options["report"]:
            write_page(calibration_report(found), options["report"])
    return exits.DONE


def _interrupted(count: int | None, store: str | None, options: dict[str, Any]) -> int:
    tell_over(options["time_limit"])
    kept = {"path": store} if store else {"option": "--store FILE.db"}
    tell(Diagnostic("tune-interrupted", values={"count": count, **kept} if count else kept))
    return exits.INTERRUPTED


def _progress(done: int, trials: int) -> None:
    if done == trials or done % 20 == 0:
        remark(f"{done} of {trials} settings")
