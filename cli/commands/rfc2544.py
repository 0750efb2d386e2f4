"""`pnsim rfc2544`."""

from __future__ import annotations

from typing import Any

import click

from petri.diagnostics import Diagnostic
from petri.experiment.design import sampling
from petri.experiment.forwarding.definition import Forwarding
from petri.experiment.forwarding.outcome import ForwardingOutcome
from petri.experiment.forwarding.procedure import run_forwarding
from petri.experiment.forwarding.yaml_forwarding import load_forwarding
from petri.report.html import forwarding_report
from petri.report.telling.search import ending, remarks
from petri.report.terminal.forwarding import print_forwarding
from petri.run.stop import TimeLimit

from ..options.experiments import check_export, run_options, search_options, search_settings, study_of
from ..options.given import Given
from ..options.net_options import complete_net, given_options
from ..options.option_groups import Grouped
from ..options.pages import check as check_report
from ..options.pages import write_page
from ..options.run_options import COUNT
from ..options.time_limit import tell_over
from ..terminal import exits
from ..terminal.console import always_shown, show, tell
from ..terminal.exits import refusal
from ..terminal.search_progress import SearchProgress

ROLES = ("load", "size", "loss", "delay", "throughput")


@click.command(name="rfc2544", cls=Grouped)
@click.argument("what", metavar="NET", shell_complete=complete_net)
@click.option("--sizes", metavar="LIST", help="Frame sizes.  [default: 64,128,256,512,1024,1280,1518]")
@click.option("--load", metavar="NAME", help="The parameter that is the offered load.  [default: load, …]")
@click.option("--size", metavar="NAME", help="The parameter that is the frame size.  [default: size, packet, …]")
@click.option("--loss", metavar="NAME", help="The measure of lost frames.  [default: loss, lost, …]")
@click.option("--delay", metavar="NAME", help="The measure of the delay.  [default: delay, latency, …]")
@click.option("--throughput", metavar="NAME", help="The measure of what is forwarded.  [default: throughput, …]")
@click.option("--in", "between", metavar="FROM..TO", help="The loads.  [default: 0.05..1]")
@click.option("--while", "condition", metavar="CONDITION", help="When a load is forwarded.  [default: LOSS == 0]")
@click.option("--replications", "-n", type=COUNT, metavar="N", help="Runs for delay, loss and bursts.  [default: 10]")
@search_options
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
    study = _study(what, given, options)
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


def _study(what: str, given: Given, options: dict[str, Any]) -> Forwarding:
    """The study of the file, or one made from the options. Options override the file."""
    names = (*ROLES, "between", "condition", "replications")
    fields = {name: options[name] for name in names if options[name] is not None} | search_settings(options)
    if options["sizes"] is not None:
        fields["sizes"] = _sizes(options["sizes"])
    return study_of(what, given, options, fields, load=load_forwarding, make=Forwarding)


def _sizes(text: str) -> list[Any]:
    try:
        found = [value for value in sampling.parse_values(text) if value != ""]
    except sampling.BadRange as bad:
        raise refusal(bad.reason, text=bad.text.strip(), meant=bad.meant) from bad
    if not found:
        raise refusal("rfc-sizes", text=text)
    return found


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
