"""Options that several commands have."""

from __future__ import annotations

import click

from petri.experiment.design.settings import parse_bound
from petri.measure.sequential import Precision

from ..terminal.exits import refusal
from .net_options import options
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
