"""`pnsim compare`."""

from __future__ import annotations

import math

import click
from rich.text import Text

from petri.experiment.results.comparison import Comparison, compare
from petri.measure.difference import Difference
from petri.report.telling.columns import Column
from petri.report.telling.dimensions import shown_dimension
from petri.report.telling.quantities import NOTHING, Units, counted
from petri.report.telling.unsettled import MOVES, marked
from petri.report.terminal.tables import print_prose, print_table

from ..options.ranges import Share
from ..terminal import exits
from ..terminal.console import stdout_console, write_json


@click.command(name="compare")
@click.argument("first", metavar="A")
@click.argument("second", metavar="B")
@click.option("--measure", "measures", multiple=True, metavar="NAME", help="Compare only this one. May be repeated.")
@click.option("--level", type=Share(0.5, 0.9999), default=0.95, show_default=True, help="Level of the intervals.")
@click.option("--json", "as_json", is_flag=True, help="Print the differences as JSON instead of the table.")
def command(first: str, second: str, measures: tuple[str, ...], level: float, as_json: bool) -> int:
    """Show how much B differs from A, measure by measure, with confidence intervals.

    A and B are results of `pnsim run --json`, or points of a store: sweep.db:threads=4,engines=2. If both have the
    same seed, their replications are compared in pairs, which often makes the intervals narrower.
    """
    comparison = compare(first, second, measures or None, level)
    if as_json:
        write_json(comparison.to_dict())
    else:
        _print(comparison, level)
    return exits.DONE


def _print(comparison: Comparison, level: float) -> None:
    console = stdout_console()
    print_prose(console, f"A  {comparison.first.label}")
    print_prose(console, f"B  {comparison.second.label}")
    differences = comparison.differences.values()
    counts = {one.interval.n for one in differences if one.paired}
    pairs = counted(counts.pop(), "pair") if len(counts) == 1 else "pairs"
    kind = f"{pairs} of replications (same seed)" if comparison.paired else "independent replications"
    print_prose(console, Text(f"{kind}, {100 * level:.10g} % intervals", style="dim"))
    console.print()
    units = Units.named(comparison.first.seconds, comparison.first.time_unit)
    rows = [
        _cells(one, units, shown_dimension(comparison.first.dimensions[name]), comparison.moves(name))
        for name, one in comparison.differences.items()
    ]
    a, b, difference, change, verdict = (list(cells) for cells in zip(*rows, strict=True)) if rows else ([],) * 5
    columns = [
        Column("", list(comparison.differences), "name"),
        Column("A", a, rank=2),
        Column("B", b, rank=1),
        Column("B − A", difference),
        Column("change", change, rank=3),
        Column("", verdict, "prose"),
    ]
    print_table(console, columns, heading="bold")
    if any(any(comparison.moves(name)) for name in comparison.differences):
        print_prose(console, Text(MOVES, style="dim"))


def _cells(one: Difference, units: Units, dimension: str, moves: tuple[bool, bool]) -> list[str]:
    change = NOTHING if math.isnan(one.relative) else f"{100 * one.relative:+.2f}%"
    return [
        marked(units.show(one.first.mean, dimension), moves[0]),
        marked(units.show(one.second.mean, dimension), moves[1]),
        units.show_with_error(one.interval.mean, one.interval.half_width, dimension, difference=True),
        change,
        _verdict(one),
    ]


def _verdict(one: Difference) -> str:
    """Say it in words, so that colour is not needed."""
    if math.isnan(one.interval.half_width):
        return "no interval"
    if not one.certain:
        return "not told apart"
    return "larger" if one.interval.mean > 0 else "smaller"
