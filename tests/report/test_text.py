"""Texts are those of rich, which are printed in its place where there are no colours."""

from __future__ import annotations

import random
from io import StringIO
from typing import Any

import pytest
import rich.cells
import rich.text
from rich.console import Console

from petri.report import text
from petri.report.columns import Column, print_table
from petri.report.text import PlainConsole, Text, cell_len

STYLES = ["", "bold", "dim", "not bold"]


def both(seed: int) -> tuple[Text, rich.text.Text]:
    """The same text, made by the same random operations."""
    chance = random.Random(seed)
    ours, theirs = Text("start ", "bold"), rich.text.Text("start ", "bold")
    for _ in range(6):
        word, style = chance.choice(["a\n", "word  ", "", "±1 ms\n\n", "✓ "]), chance.choice(STYLES)
        if chance.random() < 0.5:
            ours.append(word, style)
            theirs.append(word, style)
        else:
            ours.append_text(Text(word, style).append("x", "dim"))
            theirs.append_text(rich.text.Text(word, style).append("x", "dim"))
    return ours, theirs


def parts(one: Any) -> Any:
    """The text with the style of each character, the last of which wins."""
    styles = [[span.style for span in one.spans if span.start <= at < span.end] for at in range(len(one))]
    return one.plain, one.style, styles


@pytest.mark.parametrize("seed", range(20))
def test_operations_are_those_of_rich(seed: int) -> None:
    ours, theirs = both(seed)
    assert parts(ours) == parts(theirs) == parts(ours.__rich__())
    offsets = sorted(random.Random(seed).sample(range(len(ours)), 3))
    for mine, their in zip(ours.divide(offsets), theirs.divide(offsets), strict=True):
        assert parts(mine) == parts(their)
        mine.rstrip()
        their.rstrip()
        assert parts(mine) == parts(their)
    assert [*map(parts, ours.split())] == [*map(parts, theirs.split("\n", allow_blank=True))]
    assert parts(Text(", ").join([ours, ours])) == parts(rich.text.Text(", ").join([theirs, theirs]))
    assert ours.cell_len == theirs.cell_len


def test_signs_are_as_wide_as_rich_has_them() -> None:
    assert {sign for sign in text._SINGLE if rich.cells.cell_len(sign) != 1} == set()
    assert [cell_len(one) for one in ("abc", "漢字", "e\u0301")] == [3, 4, 1]


@pytest.mark.parametrize("width", [30, 60, 200])
def test_tables_are_printed_as_rich_prints_them(width: int) -> None:
    columns = [
        Column("Places", ["a.long.name.of.a.place", "b"], "name"),
        Column("tokens", ["1.0 ± 0.1", "2.0 ± 0.2"], brief=["1.0", "2.0"]),
        Column("", [Text("✓ as expected", "green").append(" here", "dim"), "or not"], "prose"),
    ]
    ours, theirs = StringIO(), StringIO()
    print_table(PlainConsole(ours, width), columns)
    print_table(Console(file=theirs, width=width, highlight=False), columns)
    assert ours.getvalue() == theirs.getvalue()
