"""Options of the commands that run a net once: which run it is, and on which engine."""

from __future__ import annotations

import click

from .net_options import Command


def seed_option(command: Command) -> Command:
    """The option `--seed`: all numbers that a run can have."""
    return click.option("--seed", type=click.IntRange(0, 2**64 - 1), metavar="N", help="Seed of the random numbers.")(
        command
    )


def replication_option(command: Command) -> Command:
    """The option `--replication`: one of them."""
    return click.option(
        "--replication", type=click.IntRange(0), default=0, metavar="N", help="Which replication, from 0."
    )(command)


def engine_option(command: Command) -> Command:
    """The option `--engine`."""
    return click.option(
        "--engine", type=click.Choice(["auto", "native", "reference"]), default="auto", show_default=True
    )(command)
