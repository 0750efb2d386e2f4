"""`pnsim rfc2544`."""

from __future__ import annotations

from typing import Any

import click

from petri.experiment.forwarding.definition import Forwarding
from petri.experiment.forwarding.outcome import ForwardingOutcome
from petri.experiment.forwarding.procedure import run_forwarding
from petri.report.html import forwarding_report
from petri.report.terminal.forwarding import print_forwarding

from ..options.experiments import run_options, study_options
from ..options.net_options import complete_net, given_options
from ..options.option_groups import Grouped
from .searching import SearchCommand, carry_out


@click.command(name="rfc2544", cls=Grouped)
@click.argument("what", metavar="NET", shell_complete=complete_net)
@study_options(Forwarding)
@given_options
@click.option("--export", metavar="FILE.csv", help="Write the table as CSV.")
@run_options
def command(what: str, **options: Any) -> int:
    """Measure what NET forwards: throughput, delay, loss rate and bursts over frame sizes (RFC 2544).

    The throughput is the largest load without loss, found as `pnsim search` does; the delay is measured at 100, 75, 50
    and 25 % of it, the loss at the greatest load and below, and the longest burst of the greatest load without loss.
    NET is a file, a net of the library, `-` for stdin, or a YAML file with the key `rfc2544`.

    Exit status: 0 done, 1 some size is not forwarded at any load or the net has errors, 2 could not start, 3 a run
    stopped with an error in the model, 130 interrupted.
    """
    return carry_out(FORWARDING, what, options)


FORWARDING = SearchCommand(
    Forwarding,
    run_forwarding,
    print_forwarding,
    forwarding_report,
    ForwardingOutcome.to_csv,
    (".csv",),
    lambda outcome: outcome.search,
    lambda found: found.status == "fails at the start",  # a size that is forwarded at each load has not failed
)
