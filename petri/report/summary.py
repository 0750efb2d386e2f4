"""The summary of a run on a terminal: verdicts and measures first, then transitions, places, and why a net died."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from rich.console import Console
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from petri.measure.formula import Verdict
from petri.measure.intervals import Interval
from petri.net import Net
from petri.report import sparks
from petri.report.ending import why_partial
from petri.report.quantities import NOTHING, Units, number
from petri.report.tables import Row, row_name, tables
from petri.result import MeasureResult, Result

Column = tuple[str, Callable[[Row], str]]
"""A heading, and what stands below it."""

_COUNTS = ("count", "packets", "received", "duplicates")


def print_summary(result: Result, console: Console, *, seconds: float, every: bool = False) -> None:
    """Print the summary. `seconds` is what the run took; with `every`, each element of an array has a row."""
    _Summary(result, console, every).print(seconds)


class _Summary:
    def __init__(self, result: Result, console: Console, every: bool) -> None:
        self.result = result
        self.net = result.net
        self.console = console
        self.every = every
        self.units = Units(result.net.seconds)

    def print(self, seconds: float) -> None:
        for line in self.heading(seconds):
            self.console.print(line, overflow="fold")
        if not self.result.counted:
            return
        self.measures()
        rows = tables(self.result, fold=not self.every)
        self.transitions(rows.transitions)
        self.places(rows.places)
        self.recordings()
        if any(row.copies > 1 for row in (*rows.places, *rows.transitions)):
            self.console.print(Text("×n: the average of n alike; --all shows each", style="dim"))
        if self.result.died:
            self.death()
        self.conclusion()

    # ------------------------------------------------------------ heading

    def heading(self, seconds: float) -> list[Text]:
        result, plan = self.result, self.result.plan
        title = Text(self.net.name, style="bold")
        if self.net.doc:
            title.append(f": {first_sentence(self.net.doc)}", style="not bold")
        span = "until nothing can happen" if math.isinf(plan.until) else f"until {self.time(plan.until)}"
        parts = [span]
        if plan.warmup > 0.0:
            parts.append(f"warm-up {self.time(plan.warmup)}")
        parts.append(f"{result.asked} replications" if result.asked > 1 else "1 replication")
        parts += [f"seed {plan.seed}", f"{plan.engine} engine"]
        firings = sum(replication.firings for replication in result.replications)
        speed = f"{number(firings)} {'firing' if firings == 1 else 'firings'} in {Units(1.0).show(seconds, 'Time', 3)}"
        if seconds > 0.0 and firings:
            speed += f" ({Units(1.0).show(firings / seconds, 'events', 3)})"
        lines = [title, Text(", ".join(parts), style="dim"), Text(speed, style="dim")]
        if notice := self.partial_notice():
            lines.append(Text(f"PARTIAL RESULTS: {notice}", style="bold yellow"))
        return lines

    def partial_notice(self) -> str:
        """What is missing from the run, "" when nothing is."""
        result = self.result
        finished = [replication for replication in result.replications if replication.complete]
        if not result.partial and len(finished) == result.asked:
            return ""
        stopped = next((r for r in result.replications if not r.complete), None)
        in_model = bool(result.failure and result.failure.transition)
        why = why_partial(stopped.ended if stopped else None, in_model)
        if result.asked == 1 and stopped:
            before = "" if stopped.warm else ", still in the warm-up"
            return f"{why} at time {self.time(stopped.time)}{before}"
        if finished:
            return f"{why}; the figures rest on {len(finished)} of {result.asked} replications"
        return f"{why} before any replication was finished"

    # ------------------------------------------------------------ measures

    def measures(self) -> None:
        if not self.result.measures and not self.result.verdicts:
            return
        table = self.table("Measures", ("value", "right"), ("", "left"))
        for measured in self.result.measures:
            self.measure_rows(table, measured)
        for expectation, verdict in self.result.verdicts:
            table.add_row("expect", self.units.show(verdict.value), _verdict(verdict, claim(expectation.text)))
        self.console.print(table)

    def measure_rows(self, table: Table, measured: MeasureResult) -> None:
        """The measure's first figure with its verdicts, and a row for each figure more that it records."""
        measure = measured.measure
        figures = dict(measured.recorded)
        first = next(iter(figures), None)
        lead = measured.interval if first is None else figures.pop(first)
        name = f"{measure.name} {first}" if first is not None else measure.name
        remarks = [
            _verdict(verdict, claim(expectation.text, measure.name)) for expectation, verdict in measured.verdicts
        ]
        if measure.doc:
            remarks.append(Text(first_sentence(measure.doc), style="dim"))
        table.add_row(name, self.figure(lead, measure.dimension, first), Text("\n").join(remarks))
        for field, interval in figures.items():
            table.add_row(f"  {field}", self.figure(interval, measure.dimension, field), "")
        if measured.histogram is not None and "histogram" in measure.record and measured.histogram.count:
            self.bars(table, "histogram", sparks.of_histogram(measured.histogram), measure.dimension)
        if measured.series:
            dimension = _shown_dimension(measure.dimension, None)
            self.bars(table, "series", sparks.of_series(list(measured.series.values())), dimension)

    def bars(self, table: Table, name: str, spark: tuple[str, float, float], dimension: str) -> None:
        line, low, high = spark
        ends = f"{self.units.show(low, dimension, 3)} … {self.units.show(high, dimension, 3)}"
        table.add_row(f"  {name}", line, Text(ends, style="dim"))

    def figure(self, interval: Interval, dimension: str, field: str | None = None) -> str:
        return self.units.show_with_error(interval.mean, interval.half_width, _shown_dimension(dimension, field))

    # ------------------------------------------------------------ tables

    def transitions(self, rows: Sequence[Row]) -> None:
        immediate = _immediate(self.net)
        columns: list[Column] = [
            ("firings", lambda row: number(round(row.figures["firings"].mean, 1))),
            ("rate", lambda row: self.with_error(row, "rate", "events")),
            ("in progress", lambda row: "" if row.name in immediate else self.with_error(row, "in_progress")),
            ("active", lambda row: "" if row.name in immediate else self.share(row, "active")),
        ]
        short: list[Column] = [("rate", lambda row: self.plain(row, "rate", "events"))]
        self.rows("Transitions", rows, columns, short, ())

    def places(self, rows: Sequence[Row]) -> None:
        columns: list[Column] = [
            ("tokens", lambda row: self.with_error(row, "mean")),
            ("max", lambda row: number(row.figures["maximum"].mean)),
            ("non-empty", lambda row: self.share(row, "occupied")),
            ("arrivals", lambda row: number(round(row.figures["arrivals"].mean, 1))),
            ("rate", lambda row: self.plain(row, "arrival_rate", "events")),
            ("sojourn", lambda row: self.plain(row, "sojourn", "Time")),
            ("used", lambda row: self.share(row, "utilisation").replace(NOTHING, "")),
        ]
        short: list[Column] = [("tokens", lambda row: self.plain(row, "mean", ""))]
        self.rows("Places", rows, columns, short, ("arrivals", "rate"))

    def recordings(self) -> None:
        """How much was read of each file, and what in it is missing, or not as it was on the wire."""
        if not self.result.files:
            return
        table = self.table("Recordings", ("rows read", "right"), ("", "left"))
        for read in self.result.files:
            told = [Text("" if read.complete else "not read to its end", style="dim")]
            for remark in read.remarks:
                told.append(Text(remark.message, style="bold yellow" if remark.severity == "warning" else "dim"))
            table.add_row(read.place, number(read.rows), Text("\n").join(one for one in told if one))
        self.console.print(table)

    def rows(
        self, title: str, rows: Sequence[Row], columns: list[Column], short: list[Column], spare: Sequence[str]
    ) -> None:
        """The first of these tables that is not too wide: all columns; fewer without `spare`; then `short` for long."""
        if not rows:
            return
        for left_out in range(len(spare) + 1):
            kept = [column for column in columns if column[0] not in spare[:left_out]]
            table = self.filled(title, rows, kept)
            if self.fits(table):
                break
        else:
            brief = dict(short)
            table = self.filled(title, rows, [(name, brief.get(name, show)) for name, show in kept])
        self.console.print(table)

    def filled(self, title: str, rows: Sequence[Row], columns: Sequence[Column]) -> Table:
        table = self.table(title, *((name, "right") for name, _ in columns))
        for row in rows:
            name = Text(row.name)
            if row.copies > 1:
                name.append(f" ×{row.copies}", style="dim")
            table.add_row(name, *(show(row) for _, show in columns))
        return table

    def fits(self, table: Table) -> bool:
        return (
            Measurement.get(self.console, self.console.options.update_width(10_000), table).maximum
            <= self.console.width
        )

    def table(self, title: str, *columns: tuple[str, str]) -> Table:
        table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold dim", show_edge=False)
        table.add_column(Text(f"\n{title}", style="bold not dim"), no_wrap=True, overflow="ellipsis", min_width=16)
        for name, side in columns:
            is_figure = side == "right"
            table.add_column(
                f"\n{name}",
                justify="right" if is_figure else "left",
                no_wrap=is_figure,
                overflow="fold",
            )
        return table

    def with_error(self, row: Row, figure: str, dimension: str = "") -> str:
        interval = row.figures[figure]
        return self.units.show_with_error(interval.mean, interval.half_width, dimension)

    def plain(self, row: Row, figure: str, dimension: str) -> str:
        return self.units.show(row.figures[figure].mean, dimension)

    def share(self, row: Row, figure: str) -> str:
        mean = row.figures[figure].mean
        return NOTHING if math.isnan(mean) else f"{mean:.1%}"

    def time(self, value: float) -> str:
        return self.units.show(value, "Time")

    # ------------------------------------------------------------ the end

    def death(self) -> None:
        dead = [replication for replication in self.result.replications if replication.ended == "dead"]
        when = self.time(dead[0].time)
        if len(dead) > 1:
            when += f" (in the first of {len(dead)} replications that died)"
        if math.isinf(self.result.plan.until) and not self.every:
            self.console.print(Text(f"\nEnded at {when}: nothing can happen any more; --all says why"))
            return
        self.console.print(Text(f"\nThe net died at {when}: nothing can happen any more.", style="bold"))
        table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), show_header=False)
        table.add_column(overflow="fold")
        table.add_column(overflow="fold")
        from petri.report.dead import why_dead  # which is the reference engine, and few nets die

        for lack in why_dead(self.net, dead[0].marking, fold=not self.every):
            copies = f" ×{lack.copies}" if lack.copies > 1 else ""
            table.add_row(f"  {lack.transition}{copies}", lack.reason)
        self.console.print(table)

    def conclusion(self) -> None:
        verdicts = [verdict for measured in self.result.measures for _, verdict in measured.verdicts]
        verdicts += [verdict for _, verdict in self.result.verdicts]
        failed = sum(not verdict.passed for verdict in verdicts)
        if failed:
            text = f"✗ {failed} of {len(verdicts)} expectations FAILED"
            if self.result.partial:
                text += ", on partial results"
            self.console.print(Text(f"\n{text}", style="bold red"))
        elif verdicts:
            text = f"all {len(verdicts)} expectations hold" if len(verdicts) > 1 else "the expectation holds"
            self.console.print(Text(f"\n✓ {text}", style="green"))


def first_sentence(doc: str) -> str:
    """The first sentence of a documentation comment, on one line."""
    text = " ".join(doc.split())
    sentence, _, _ = text.partition(". ")
    return sentence.removesuffix(".")


def claim(text: str, measure: str = "") -> str:
    """What an expectation says, without the words that stand beside it anyway: `< 0.01`."""
    said = " ".join(text.split()).removeprefix("expect ")
    return said.removeprefix(measure).lstrip() if measure and said.startswith(f"{measure} ") else said


def _verdict(verdict: Verdict, said: str) -> Text:
    doubt = " (uncertain)" if verdict.certain is False else ""
    if verdict.passed:
        return Text(f"✓ {said}", style="green").append(doubt, style="dim")
    return Text(f"✗ FAILED {said}", style="bold red").append(doubt, style="dim not bold")


def _immediate(net: Net) -> set[str]:
    """The names of transitions that take no time, also as their rows are called."""
    names = [t.name for t in net.transitions if t.time.op == "const" and not t.time.value]
    return {*names, *(row_name(name) for name in names)}


def _shown_dimension(dimension: str, field: str | None) -> str:
    """How a figure of a measure is shown: a rate of events as such, a number of observations without a unit."""
    if field in _COUNTS:
        return ""
    return "events" if dimension == "Freq" else dimension
