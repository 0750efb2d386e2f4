"""The summary of a run on a terminal: measures with their verdicts, transitions, places, and why a net is dead.

A net with many rows of places and transitions shows only the busiest of them, before the measures: what is read first
is then on the screen when the run ends.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Container, Iterable, Sequence

from rich.console import Console
from rich.text import Text

from petri.measure.catalogue import PLACE_COLUMNS, TRANSITION_COLUMNS, FigureKind, transition_columns
from petri.measure.intervals import Interval
from petri.net import split_unit
from petri.report.telling.cells import ARRAYS, Cells
from petri.report.telling.columns import Column
from petri.report.telling.dimensions import shown_dimension
from petri.report.telling.expected import failing, verdict_text
from petri.report.telling.quantities import DOUBTFUL, NOTHING, Units, counted, number
from petri.report.telling.record import left_out_text, of_result, shown_figures
from petri.report.telling.source import first_sentence
from petri.report.terminal import sparks
from petri.report.terminal.tables import GAP, print_prose, print_table
from petri.result import MeasureResult, Result
from petri.result.tables import Row, row_name, table

MOST_MEASURES = 16  # of an array that have rows of their own
MOST_ROWS = 20  # of places and transitions that are all shown
MOST_BUSY = 5  # resources, and transitions, of a larger net


def print_summary(result: Result, console: Console, *, seconds: float, every: bool = False) -> None:
    """Print the summary. `seconds` is the duration of the run; with `every`, all places and transitions have a row."""
    _Summary(result, console, every).print(seconds)


class _Summary:
    def __init__(self, result: Result, console: Console, every: bool) -> None:
        self.result = result
        self.record = of_result(result)
        self.net = result.net
        self.console = console
        self.every = every
        self.units = self.record.units
        self.cells = Cells(result.net)
        self.clocked = {
            row_name(transition.name) for transition in result.net.transitions if transition.clock is not None
        }
        self.folded = False  # whether a row stands for the measures of a large array
        self.doubtful = False  # whether a figure is shown whose size is not known
        self.unknown: list[Interval] = []  # the figures that are shown with `±?`

    def print(self, seconds: float) -> None:
        for line in self.heading(seconds):
            print_prose(self.console, line)
        if self.result.empty:
            return
        places, transitions = (
            table(self.result, kind, fold=not self.every, brief=True) for kind in ("places", "transitions")
        )
        if self.result.plan.until <= 0.0:  # there were trials alone
            self.measures()
        elif len(places) + len(transitions) > MOST_ROWS and not self.every:
            self.busiest(places, transitions)
            self.measures(brief=True)
            places = transitions = ()
        else:
            self.measures()
            self.figures("Transitions", transitions, transition_columns(self.net).values())
            self.figures("Places", places, PLACE_COLUMNS.values())
        self.recordings()
        self.notes((*places, *transitions))
        if self.record.dead:
            self.death()
        self.conclusion()

    # ------------------------------------------------------------ heading

    def heading(self, seconds: float) -> list[Text]:
        record, plan = self.record, self.result.plan
        title = Text(self.net.name, style="bold")
        if self.net.doc:
            title.append(f": {first_sentence(self.net.doc)}", style="not bold")
        parts = [f"until {record.end}"]
        if plan.warmup > 0.0:
            parts.append(f"warm-up {record.time(plan.warmup)}")
        parts.append(record.replications_text)
        own = ["streams per transition"] if self.net.own_streams else []
        parts += [f"seed {plan.seed}", *own, f"{plan.engine} engine"]
        firings = record.firings
        speed = f"{number(firings)} firing{'s' * (firings != 1)} in {Units(1.0).show(seconds, 'Time', 3)}"
        if seconds > 0.0 and firings:
            speed += f" ({Units(1.0).show(firings / seconds, 'events', 3)})"
        lines = [title, Text(", ".join(parts), style="dim"), Text(speed, style="dim")]
        if notice := record.partial_notice:
            lines.append(Text(f"PARTIAL RESULTS: {notice}", style="bold yellow"))
        return lines

    # ------------------------------------------------------------ measures

    def measures(self, *, brief: bool = False) -> None:
        """Print a table of all measures and expectations; `brief`: without documentation that needs a line of its
        own.
        """
        if not self.result.measures and not self.result.verdicts:
            return
        rows: list[tuple[str, str, Text]] = []
        for name, elements in self.arrays_of_measures().items():
            rows += self.folded_rows(name, elements) if len(elements) > 1 else self.measure_rows(elements[0])
        for expectation, verdict in self.result.verdicts:
            dimension = shown_dimension(expectation.dimension)
            remark = verdict_text(expectation, verdict, self.units, dimension)
            rows.append(("expect", self.units.show(verdict.value, dimension), remark))
        columns = _measure_columns(rows)
        if brief:
            docs = {first_sentence(measure.measure.doc) for measure in self.result.measures}
            room = self.console.width - sum(column.natural + GAP for column in columns[:2])
            columns = _measure_columns([(name, value, _without(remark, docs, room)) for name, value, remark in rows])
        self.table(columns)

    def arrays_of_measures(self) -> dict[str, list[MeasureResult]]:
        """Return the measures that each row stands for, by its name: those of a large array, also of an array of
        instances.
        """
        sizes = Counter(row_name(measured.name) for measured in self.result.measures)
        shown: dict[str, list[MeasureResult]] = {}
        for measured in self.result.measures:
            name = row_name(measured.name)
            folds = sizes[name] > MOST_MEASURES and not self.every
            shown.setdefault(name if folds else measured.name, []).append(measured)
        return shown

    def folded_rows(self, name: str, elements: Sequence[MeasureResult]) -> list[tuple[str, str, Text]]:
        """Return a row for each figure of a large array, the least and the greatest element; then the elements that
        failed.
        """
        self.folded = True
        measure = elements[0].measure
        failed = [
            element
            for element in elements
            if element.failure or not all(verdict.passed for _, verdict in element.verdicts)
        ]
        remarks = [Text(first_sentence(measure.doc), style="dim")] if measure.doc else []
        if measure.expectations and not failed:
            remarks.insert(0, Text("✓ all as expected", style="green"))
        doubtful = next((element for element in elements if element.remarks), elements[0])
        remarks += [Text(f"{doubtful.name}: {remark}", style="bold yellow") for remark in doubtful.remarks]
        units = {
            element.measure.dimension for element in elements
        }  # a unit of a module can have a size in each instance
        whole = measure.dimension if len(units) == 1 else split_unit(measure.dimension)[0]
        rows: list[tuple[str, str, Text]] = []
        for field in elements[0].recorded or (None,):
            values = [element.value if field is None else element.recorded[field].mean for element in elements]
            cell = self.least_and_greatest(values, shown_dimension(whole, field))
            title = " ".join(filter(None, (name, field, f"×{len(elements)}")))
            rows.append((f"  {field}", cell, Text()) if rows else (title, cell, Text("\n").join(remarks)))
        return rows + [row for one in failed for row in self.measure_rows(one)]

    def least_and_greatest(self, values: Sequence[float], dimension: str) -> str:
        known = [value for value in values if math.isfinite(value)]
        if not known or min(known) == max(known):
            return self.units.show(known[0] if known else math.nan, dimension)
        return self.units.show_range(min(known), max(known), dimension)

    def measure_rows(self, measured: MeasureResult) -> list[tuple[str, str, Text]]:
        """Return the measure's first figure with its verdicts, and a row for each further figure that it records."""
        measure = measured.measure
        (first, lead, dimension), *others = shown_figures(measured)
        name = f"{measure.name} {first}" if first is not None else measure.name
        remarks = [
            verdict_text(expectation, verdict, self.units, dimension, measure.name)
            for expectation, verdict in measured.verdicts
        ]
        if measure.formula.op == "chance" and measured.failure is None:
            remarks.append(Text(f"{number(lead.n)} trials", style="dim"))
        if left_out := left_out_text(measured, self.units):
            remarks.append(Text(left_out, style="yellow"))
        if measured.failure is not None:
            remarks.append(Text(f"✗ could not be computed: {measured.failure}", style="bold red"))
        remarks += [Text(remark, style="bold yellow") for remark in measured.remarks]
        if measure.doc:
            remarks.append(Text(first_sentence(measure.doc), style="dim"))
        rows = [(name, self.measured(lead, dimension), Text("\n").join(remarks))]
        rows += [(f"  {field}", self.measured(one, dimension), Text()) for field, one, dimension in others]
        return rows + self.pictures(measured)

    def pictures(self, measured: MeasureResult) -> list[tuple[str, str, Text]]:
        """Return a row of bars for each distribution that a measure records, and for its series."""
        measure, rows = measured.measure, list[tuple[str, str, Text]]()
        if measured.histogram is None and measured.distributions is None and not measured.series:
            return rows
        if measured.histogram is not None and "histogram" in measure.record and measured.histogram.count:
            dimension = shown_dimension(measure.dimension)
            rows.append(self.bars("histogram", sparks.of_histogram(measured.histogram), dimension))
        for field in measure.record:
            if measured.distributions is not None and field in measured.distributions:
                rows.append(self.bars(field, sparks.of_counts(measured.distributions[field], field), ""))
        if measured.series:
            dimension = shown_dimension(measure.dimension)
            rows.append(self.bars("series", sparks.of_series(list(measured.series.values())), dimension))
        return rows

    def bars(self, name: str, spark: tuple[str, float, float], dimension: str) -> tuple[str, str, Text]:
        line, low, high = spark
        if not line:
            return f"  {name}", NOTHING, Text()
        ends = f"{self.units.show(low, dimension, 3)} … {self.units.show(high, dimension, 3)}"
        return f"  {name}", line, Text(ends, style="dim")

    def measured(self, interval: Interval, dimension: str) -> str:
        self.unknown += [interval] if interval.unknown else []
        return self.noted(self.units.show_interval(interval, dimension))

    # ------------------------------------------------------------ tables

    def busiest(self, places: Sequence[Row], transitions: Sequence[Row]) -> None:
        """Print what may limit a large net: its busiest resources, and the transitions that are active most of the
        time.
        """
        used = self._most(places, PLACE_COLUMNS["utilisation"])
        active = self._most(transitions, TRANSITION_COLUMNS["active"])
        rows = max(len(used), len(active))
        cells = [[*column, *[""] * (rows - len(column))] for half in (used, active) for column in _columns(half)]
        names, shares, others, actives = cells
        columns = [Column("Busiest resources", names, "name"), Column("used", shares)] if used else []
        columns += [Column("Busiest transitions", others, "name"), Column("active", actives)] if active else []
        if columns:
            self.table(columns)
        found = f"{counted(len(places), 'place')} and {counted(len(transitions), 'transition')}"
        self.note(f"the busiest of {found}, arrays folded; --all shows all")

    def _most(self, rows: Sequence[Row], kind: FigureKind) -> list[tuple[str, str]]:
        """Return names and shares of the busiest rows; a clock that runs works at nothing."""
        busy = [(_greatest(row, kind), row) for row in rows if self.cells.text(row, kind) not in ("", NOTHING)]
        busy = [(share, row) for share, row in busy if share > 0.0 and row.name not in self.clocked]
        busy.sort(key=lambda pair: -pair[0])
        return [(_titled(row), self.cells.text(row, kind)) for _, row in busy[:MOST_BUSY]]

    def figures(self, title: str, rows: Sequence[Row], kinds: Iterable[FigureKind]) -> None:
        """Places or transitions; intervals give way where there is no room."""
        columns = [Column(title, [_titled(row) for row in rows], "name")]
        for kind in kinds:
            cells = [self.noted(self.cells.text(row, kind)) for row in rows]
            brief = [self.cells.text(row, kind, brief=True) for row in rows] if kind.interval else None
            columns.append(Column(kind.heading, cells, brief=brief, rank=kind.rank, implied=kind.implied))
            self.unknown += [row.figures[kind.name] for row, cell in zip(rows, cells, strict=True) if "±?" in cell]
        self.rows(*columns)

    def recordings(self) -> None:
        """Print how much was read of each file, and what in it is missing, or not as it was on the wire."""
        told = []
        for read in self.result.files:
            lines = [] if read.complete else [Text("not read to its end", style="dim")]
            for remark in read.remarks:
                lines.append(Text(remark.message, style="bold yellow" if remark.severity == "warning" else "dim"))
            told.append(Text("\n").join(lines))
        self.rows(
            Column("Recordings", [read.place for read in self.result.files], "name"),
            Column("rows read", [number(read.rows) for read in self.result.files]),
            Column("", told, "prose"),
        )

    def rows(self, *columns: Column) -> None:
        if columns[0].cells:
            self.table(columns)

    def table(self, columns: Sequence[Column]) -> None:
        self.console.print()
        print_table(self.console, columns)

    def noted(self, text: str) -> str:
        """Return the text, remembering whether it has a mark that wants explaining."""
        self.doubtful |= "?" in text.replace("±?", "")
        return text

    def notes(self, rows: Sequence[Row]) -> None:
        """Print what the marks in the tables mean."""
        if self.folded or any(row.copies > 1 for row in rows):
            self.note(f"{ARRAYS}; --all shows each")
        if self.doubtful:
            self.note(DOUBTFUL)
        for note in self.record.interval_notes(self.unknown):
            self.note(note)

    def note(self, text: str) -> None:
        print_prose(self.console, Text(text, style="dim"))

    # ------------------------------------------------------------ the end

    def death(self) -> None:
        dead = self.record.dead
        when = self.record.time(dead[0].died)
        if len(dead) > 1:
            when += f" (the first of {len(dead)} dead replications)"
        if math.isinf(self.result.plan.until) and not self.every:
            print_prose(self.console, Text(f"\nEnded at {when}: no transition can fire; --all explains why"))
            return
        text = f"\nThe net died at {when}: no transition can fire. {self.record.after_death}"
        print_prose(self.console, Text(text, style="bold"))
        told = self.record.reasons(fold=not self.every)
        names = [f"  {one.transition} ×{one.copies}" if one.copies > 1 else f"  {one.transition}" for one in told]
        print_table(self.console, [Column("", names, "name"), Column("", [one.text for one in told], "prose")])

    def conclusion(self) -> None:
        record = self.record
        if record.failed:
            text = f"✗ {failing(len(record.failed), len(record.judged))} FAILED"
            if record.partial:
                text += ", on partial results"
            print_prose(self.console, Text(f"\n{text}", style="bold red"))
        elif record.judged:
            text = f"✓ {record.holding}" + (", on partial results" if record.partial else "")
            print_prose(self.console, Text(f"\n{text}", style="green"))


def _measure_columns(rows: Sequence[tuple[str, str, Text]]) -> list[Column]:
    names, values, remarks = (list(cells) for cells in zip(*rows, strict=True))
    return [Column("Measures", names, "name"), Column("value", values), Column("", remarks, "prose")]


def _without(remark: Text, docs: Container[str], room: int) -> Text:
    lines = enumerate(remark.split())
    kept = [line for number, line in lines if line.plain not in docs or (number == 0 and line.cell_len <= room)]
    return Text("\n").join(kept)


def _columns(pairs: Sequence[tuple[str, str]]) -> tuple[list[str], list[str]]:
    return [name for name, _ in pairs], [text for _, text in pairs]


def _titled(row: Row) -> str:
    return f"{row.name} ×{row.copies}" if row.copies > 1 else row.name


def _greatest(row: Row, kind: FigureKind) -> float:
    """Return the figure of a row, or of the greatest element of an array."""
    return row.spread[kind.name][1] if kind.name in row.spread else row.figures[kind.name].mean
