"""`pnsim rfc2544`."""

from __future__ import annotations

from typing import Any

import click

from petri.diagnostics import Diagnostic
from petri.experiment.forwarding.definition import Forwarding
from petri.experiment.forwarding.outcome import ForwardingOutcome
from petri.experiment.forwarding.procedure import run_forwarding
from petri.experiment.forwarding.yaml_forwarding import load_forwarding
from petri.report.html import forwarding_report
from petri.report.telling.search import ending, remarks
from petri.report.terminal.forwarding import print_forwarding
from petri.run.stop import TimeLimit

from ..options.experiments import check_export, run_options, study_of, study_options
from ..options.given import Given
from ..options.net_options import complete_net, given_options
from ..options.option_groups import Grouped
from ..options.pages import check as check_report
from ..options.pages import write_page
from ..options.time_limit import tell_over
from ..terminal import exits
from ..terminal.console import always_shown, show, tell
from ..terminal.search_progress import SearchProgress


@click.command(name="rfc2544", cls=Grouped)
@click.argument("what", metavar="NET", shell_complete=complete_net)
@study_options(Forwarding)
@given_options
@click.option("--export", metavar="FILE.csv", help="Write the table as CSV.")
@run_options
def command(
    what: str,
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
    """Measure what NET forwards: throughput, delay, loss rate and bursts over frame sizes (RFC 2544).

    The throughput is the largest load without loss, found as `pnsim search` does; the delay is measured at 100, 75, 50
    and 25 % of it, the loss at the greatest load and below, and the longest burst of the greatest load without loss.
    NET is a file, a net of the library, `-` for stdin, or a YAML file with the key `rfc2544`.

    Exit status: 0 done, 1 some size is not forwarded at any load or the net has errors, 2 could not start, 3 a run
    stopped with an error in the model, 130 interrupted.
    """

    check_export(export, [".csv"])
    check_report(report)
    study = study_of(Forwarding, what, given, options, load_forwarding)
    with SearchProgress(quiet) as progress:
        outcome = run_forwarding(study, engine=engine, threads=threads, watch=progress, time_limit=time_limit)
    with always_shown(lambda: show(outcome, as_json, print_forwarding)):
        if export:
            outcome.to_csv(export)
        if report:
            write_page(forwarding_report(outcome), report)
    if outcome.interrupted:
        tell_over(time_limit)
    return _tell_ending(outcome, quiet)


def _tell_ending(outcome: ForwardingOutcome, quiet: bool) -> int:
    """Report on stderr what is not certain, and what is not forwarded. Returns the exit status."""
    for note in () if quiet else remarks(outcome.search):
        tell(note)
    for row in outcome.rows:
        if row.found.status == "fails at the start":
            for error in ending(outcome.search, row.found):
                tell(error)
    if outcome.interrupted:
        tell(Diagnostic("search-interrupted", values={"count": sum(len(row.found.trials) for row in outcome.rows)}))
        return exits.INTERRUPTED
    return exits.FAILED if any(row.found.value is None for row in outcome.rows) else exits.DONE
