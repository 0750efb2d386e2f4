"""The one way in which tables are printed: at every width each figure is whole, or is not there and said to be missing.

Where a table is too wide it gives way step by step, and stops as soon as it fits: prose takes several lines; figures
that others imply are left out; prose goes below its row; names are shortened; intervals are left out, then columns, the
least important first. At last each row becomes a block of its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from petri.report.telling.columns import Cell, Column
from petri.report.terminal.shown import shown
from petri.report.terminal.wrapping import shortened, wrapped
from petri.structs import Struct, field, replace

GAP: Final = 2  # columns of the terminal between two columns of a table
NARROWEST_PROSE: Final = 24
WIDEST_PROSE: Final = 80
NARROWEST_HEADING: Final = 14
NAMES: Final = ((28, 3), (20, 1), (16, 1))  # how far names are shortened, and from which rank on columns go then
INDENT: Final = 4  # of what is printed below a row


class Arrangement(Struct):
    """Which columns stand side by side, what is printed below each row, and what a reader does not see."""

    beside: list[Column]
    below: list[Column] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)
    name_width: int | None = None

    def widths(self, room: int) -> list[int] | None:
        """Return the width of each column; None where the room is too small."""
        natural = [column.natural for column in self.beside]
        widths = [self._least(column, wide) for column, wide in zip(self.beside, natural, strict=True)]
        left = room - sum(widths) - GAP * (len(widths) - 1)
        if left < 0:
            return None
        for kind in ("name", "prose"):  # what is left goes to names first
            for index, column in enumerate(self.beside):
                if column.kind == kind:
                    most = natural[index] if kind == "name" else min(natural[index], WIDEST_PROSE)
                    more = min(left, most - widths[index])
                    widths[index] += more
                    left -= more
        return widths

    def _least(self, column: Column, natural: int) -> int:
        if column.kind == "prose":
            return min(natural, NARROWEST_PROSE)
        return min(natural, self.name_width) if column.kind == "name" and self.name_width else natural


def print_table(console: Console, columns: Sequence[Column], *, heading: str = "bold dim", tell: bool = True) -> None:
    """Print the table; `tell` says in a last line what there was no room for. The first column names the rows."""
    room = console.width
    mark = shown("…", console.encoding)
    columns = [_shown(column, console.encoding) for column in columns]
    for arrangement in arrangements(columns):
        widths = arrangement.widths(room)
        rows = None if widths is None else _side_by_side(arrangement, widths, room, heading, mark)
        if rows is not None:
            break
    else:
        rows, arrangement = _stacked(columns, room), Arrangement([])
    for line in rows:
        _print_line(console, line)
    if tell and arrangement.left_out:
        print_prose(console, Text(f"no room for: {', '.join(arrangement.left_out)}", style="dim"))


def _shown(column: Column, encoding: str) -> Column:
    return replace(
        column,
        heading=shown(column.heading, encoding),
        cells=[shown(cell, encoding) for cell in column.cells],
        brief=None if column.brief is None else [shown(cell, encoding) for cell in column.brief],
    )


def with_tall_heading(column: Column) -> Column:
    """Return the column with a heading of several lines, where its cells are narrower than the heading."""
    cells = max((cell_len(str(cell)) for cell in column.cells), default=0)
    lines = wrapped(Text(column.heading), max(cells, NARROWEST_HEADING))
    return replace(column, heading="\n".join(line.plain for line in lines))


def print_prose(console: Console, text: Text | str) -> None:
    """Print a text in lines that break beside figures, not within them."""
    text = shown(Text(text) if isinstance(text, str) else text, console.encoding)
    for line in wrapped(text, min(console.width, WIDEST_PROSE + 20)):
        _print_line(console, line)


def _print_line(console: Console, line: Text) -> None:
    console.print(line, no_wrap=True, overflow="ignore", crop=False)


def arrangements(columns: Sequence[Column]) -> Iterator[Arrangement]:
    """Yield, from the whole table on, each with something less than the one before."""
    now = Arrangement(list(columns))
    yield now
    ranked = sorted((column for column in columns if column.rank), key=lambda column: -column.rank)
    for column in (column for column in ranked if column.implied):
        now = _without(now, column.heading)
        yield now
    prose = [column for column in reversed(columns) if column.kind == "prose" and column is not columns[0]]
    for column in (column for column in prose if not column.heading):
        now = _below_the_row(now, column)
        yield now
    for step, (name_width, rank) in enumerate(NAMES):
        now = replace(now, name_width=name_width)
        yield now
        for column in sorted(columns, key=lambda column: -column.rank) if not step else ():
            if column.brief is not None and any(one is column for one in now.beside):
                now = _brief(now, column)
                yield now
        for column in ranked:
            if column.rank >= rank and any(one.heading == column.heading for one in now.beside):
                now = _without(now, column.heading)
                yield now
        for column in (column for column in prose if column.heading and not step):
            now = _below_the_row(now, column)
            yield now


def _below_the_row(one: Arrangement, column: Column) -> Arrangement:
    beside = [other for other in one.beside if other is not column]
    return replace(one, beside=beside, below=[column, *one.below])


def _without(one: Arrangement, heading: str) -> Arrangement:
    rest = [column for column in one.beside if column.heading != heading]
    told = [name for name in one.left_out if name != f"± of {heading}"]
    return replace(one, beside=rest, left_out=[*told, heading])


def _brief(one: Arrangement, wide: Column) -> Arrangement:
    beside = [
        replace(column, cells=column.brief, brief=None) if column is wide and column.brief is not None else column
        for column in one.beside
    ]
    return replace(one, beside=beside, left_out=[*one.left_out, f"± of {wide.heading}"])


# ---------------------------------------------------------------- side by side


def _side_by_side(arrangement: Arrangement, widths: list[int], room: int, heading: str, mark: str) -> list[Text] | None:
    """Return the lines of the table; None where names cannot be shortened so far."""
    blocks: list[list[list[Text]]] = []
    tallest = max(column.heading.count("\n") + 1 for column in arrangement.beside)
    for number, (column, width) in enumerate(zip(arrangement.beside, widths, strict=True)):
        cells = column.cells
        if column.kind == "name" and column.natural > width:
            short = shortened([str(cell) for cell in cells], width, mark)
            if short is None or cell_len(column.heading) > width:
                return None
            cells = short
        blocks.append([_cell(column, cell, width) for cell in cells])
        style = "bold" if number == 0 else heading
        titles = [Text(line, style=style) for line in column.heading.split("\n")]
        blocks[-1].insert(0, [Text()] * (tallest - len(titles)) + titles)
    lines: list[Text] = []
    for row, cells_of_row in enumerate(zip(*blocks, strict=True)):
        lines += _row(arrangement.beside, cells_of_row, widths)
        if row:
            lines += _prose_below(arrangement.below, row - 1, room)
    return lines if any(column.heading for column in arrangement.beside) else lines[1:]


def _cell(column: Column, cell: Cell, width: int) -> list[Text]:
    if isinstance(cell, Text):
        text = cell.copy()
    else:
        name, times, copies = cell.rpartition(" ×") if column.kind == "name" else ("", "", cell)
        text = Text(name, style=column.style)
        text.append(times + copies, style="dim" if times else column.style)
    return wrapped(text, width) if column.kind == "prose" else [text]


def _row(columns: Sequence[Column], cells: Sequence[list[Text]], widths: Sequence[int]) -> list[Text]:
    """Return the lines of one row; figures are set to the right."""
    lines = []
    for number in range(max(map(len, cells), default=1) or 1):
        line = Text()
        for column, texts, width in zip(columns, cells, widths, strict=True):
            text = texts[number] if number < len(texts) else Text()
            blank = " " * (width - text.cell_len)
            right = column.kind == "figure" and not column.left
            line.append_text(Text(blank).append_text(text) if right else text.copy().append(blank))
            line.append(" " * GAP)
        line.rstrip()
        lines.append(line)
    return lines


def _prose_below(columns: Sequence[Column], row: int, room: int) -> list[Text]:
    lines = []
    for column in columns:
        text = Text(f"{column.heading}: " if column.heading else "", style="dim")
        cell = column.cells[row]
        if not str(cell).strip():
            continue
        text.append_text(cell if isinstance(cell, Text) else Text(cell, style=column.style))
        lines += [Text(" " * INDENT).append_text(line) for line in wrapped(text, room - INDENT)]
    return lines


# ---------------------------------------------------------------- blocks


def _stacked(columns: Sequence[Column], room: int) -> list[Text]:
    """Return each row as a block: its name, its figures with their headings, its prose."""
    first, *others = columns
    figures = [column for column in others if column.kind != "prose"]
    prose = [column for column in others if column.kind == "prose"]
    lines = wrapped(Text(first.heading, style="bold"), room) if first.heading else []
    for row, cell in enumerate(first.cells):
        lines += wrapped(cell.copy() if isinstance(cell, Text) else Text(cell, style=first.style), room)
        for line in _filled([_item(column, row) for column in figures], room - INDENT):
            lines += [Text(" " * INDENT).append_text(part) for part in wrapped(line, room - INDENT)]
        lines += _prose_below(prose, row, room)
    return lines


def _item(column: Column, row: int) -> Text:
    """`rate 5.778 M/s`, or nothing for an empty cell."""
    if not str(column.cells[row]).strip():
        return Text()
    heading = column.heading.replace("\n", "")
    return Text(f"{heading} ", style="dim").append_text(_cell(column, column.cells[row], 0)[0])


def _filled(items: Sequence[Text], width: int) -> list[Text]:
    """Return the items in lines, as many in each as it has room for."""
    lines: list[Text] = []
    for item in filter(None, items):
        if lines and lines[-1].cell_len + GAP + item.cell_len <= width:
            lines[-1].append(" " * GAP).append_text(item)
        else:
            lines.append(item)
    return lines
