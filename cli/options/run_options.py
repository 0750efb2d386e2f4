"""Options that several commands have."""

from __future__ import annotations

from collections.abc import Callable

import click

from petri.experiment.design.settings import parse_bound
from petri.measure.sequential import Precision

from ..terminal.exits import refusal
from .net_options import Command, options
from .ranges import Whole

COUNT = Whole(min=1)

# Which run of a net it is, and on which engine.
seed_option = click.option("--seed", type=Whole(0, 2**64 - 1), metavar="N", help="Seed of the random numbers.")
replication_option = click.option(
    "--replication", type=Whole(0), default=0, metavar="N", help="Which replication, from 0."
)
engine_option = click.option(
    "--engine", type=click.Choice(["auto", "native", "reference"]), default="auto", show_default=True
)


def streams_option(*choices: str) -> Callable[[Command], Command]:
    """Return where random numbers come from: of `petri.experiment.design.definition.STREAMS`, the first by default."""
    about = "`per-transition`: a random stream for each transition, which makes comparisons narrower."
    return click.option("--streams", "random_streams", type=click.Choice(choices), help=about)


# Of the commands that run a net at several points: how long each run is, and what is shown.
length_options = options(
    click.option("--until", metavar="TIME", help="End of each run, such as '20 ms'."),
    click.option("--warmup", metavar="TIME", help="Exclude the first TIME from the statistics; `auto` determines it."),
    click.option("--seed", type=Whole(0, 2**63 - 1), metavar="N", help="Seed of the random numbers."),
    streams_option("common", "independent", "per-transition"),
)
output_options = options(
    click.option("--json", "as_json", is_flag=True, help="Print all results as JSON instead of the tables."),
    click.option("--quiet", "-q", is_flag=True, help="Show no progress and no notes."),
)


def read_precision(text: str) -> Precision:
    """`2%` of the mean, or `0.01` in the measure's own unit. Raises Refusal."""
    bound = parse_bound(text)
    if bound is None:
        raise refusal("precision-form", text=text)
    return Precision(*bound)
