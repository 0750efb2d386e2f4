"""Tables and prose at any width: what gives way, and that no figure does."""

from __future__ import annotations

import re
from io import BytesIO, StringIO, TextIOWrapper

import pytest
from rich.console import Console
from rich.text import Text

from petri.report.telling.columns import Column
from petri.report.terminal import wrapping
from petri.report.terminal.tables import print_table
from petri.report.terminal.wrapping import shortened, wrapped

QUANTITY = wrapping.quantity()
NAMES = ["router.chip.memory.bus.transfer[*] ×4", "router.chip.memory.dram.access", "sink.deliver"]
FIGURES = ["100,000..400,000", "23.114 ± 0.039 M/s", "5.778 ± 0.012 M/s"]
BRIEF = ["100,000..400,000", "23.11 M/s", "5.778 M/s"]
SHARES = ["3.9..15.4%", "98.6%", ""]
REMARKS = ["✓ 2.172 ± 0.001 ms within 5% (load / (1 - load))", "of 64 B packets", ""]


def printed(columns: list[Column], width: int) -> str:
    out = StringIO()
    print_table(Console(file=out, width=width, highlight=False), columns)
    return out.getvalue()


def columns() -> list[Column]:
    return [
        Column("Transitions", NAMES, "name"),
        Column("rate", FIGURES, brief=BRIEF),
        Column("active", SHARES, rank=1),
        Column("", REMARKS, "prose"),
    ]


@pytest.mark.parametrize("width", range(24, 140))
def test_no_figure_is_ever_cut(width: int) -> None:
    text = printed(columns(), width)
    assert max(map(len, text.splitlines())) <= width
    for full, brief in zip(FIGURES, BRIEF, strict=True):
        assert full in text or brief in text
    missing = text.partition("no room for: ")[2]
    assert all(share in text for share in SHARES) or "active" in missing
    assert all(figure in text for figure in FIGURES) or "± of" in missing
    assert "2.172 ± 0.001 ms within" in " ".join(text.split())
    assert "2.172 ± 0.001 ms" in text


def test_what_gives_way_first() -> None:
    texts = {width: printed(columns(), width) for width in range(24, 140)}
    widest = {
        "in lines": max(w for w, text in texts.items() if "load / (1 - load))" not in text),
        "below": max(w for w, text in texts.items() if "\n    ✓" in text),
        "names": max(w for w, text in texts.items() if "…" in text),
        "brief": max(w for w, text in texts.items() if "± of rate" in text),
        "left out": max(w for w, text in texts.items() if re.search("for:.*active", text)),
    }
    assert list(widest.values()) == sorted(widest.values(), reverse=True)
    assert len(set(widest.values())) == len(widest)


def test_at_last_each_row_is_a_block() -> None:
    rows = [Column("", ["a"], "name"), Column("wide", ["1,234.5 ± 0.1 Mbps"]), Column("share", ["98.6%"])]
    assert printed(rows, 27) == "a\n    wide 1,234.5 ± 0.1 Mbps\n    share 98.6%\n"


@pytest.mark.parametrize(
    ("names", "width", "short"),
    [
        (["router.chip.memory.dram.access", "b"], 20, ["…memory.dram.access", "b"]),
        (["router.chip.bus.transfer[*] ×4"], 18, ["…transfer[*] ×4"]),
        (["  retransmit_per_hole_share"], 18, ["  …per_hole_share"]),
        (["left.engine.queue.job", "right.engine.queue.job"], 17, ["left.…queue.job", "right.…queue.job"]),
        (["engine12345alu"], 10, ["…e12345alu"]),
        (["engine12345alu"], 9, ["…alu"]),
        (["a.same.end.of.name", "b.same.end.of.name"], 3, None),
    ],
)
def test_a_shortened_name_can_be_told_from_the_others(names: list[str], width: int, short: list[str] | None) -> None:
    assert shortened(names, width) == short


@pytest.mark.parametrize("width", range(1, 60))
def test_lines_break_beside_quantities(width: int) -> None:
    text = "at 189.905 ± <0.001 ms, or (3.00 ± 0.25)e-12 of 1,136,153 packets.of_64 B at -14? ± 34 % and 0.1..3 M/s"
    lines = [line.plain for line in wrapped(Text(text), width)]
    assert "".join(lines).replace(" ", "") == text.replace(" ", "")
    for quantity in QUANTITY.findall(text):
        assert any(quantity in line for line in lines)
    assert all(len(line) <= width or QUANTITY.search(line) for line in lines)


@pytest.mark.parametrize("width", [40, 60, 80, 140])
def test_columns_are_as_wide_as_what_is_seen(width: int) -> None:
    """Control characters and signs that the encoding lacks take more columns once they are replaced."""
    hostile = [f"{name}\x1b[2J\u202e" for name in NAMES]
    table = [Column("Transitions", hostile, "name"), *columns()[1:3]]
    stream = TextIOWrapper(BytesIO(), encoding="ascii")
    print_table(Console(file=stream, width=width, highlight=False), table)
    stream.flush()
    text = stream.buffer.getvalue().decode("ascii")
    lines = text.splitlines()
    assert max(map(len, lines)) <= width
    assert "+-" in text
    assert "<U+202E>" in text
    if width > 40:  # below, each row is a block of its own
        assert len({line.index(" M/s") for line in lines if " M/s" in line}) == 1


def test_a_quantity_includes_its_interval_in_every_spelling() -> None:
    text = "7.43 ±? us, 14? ± 34 %, 2.961 +- 0.004 Gbps and 7.43 +-? us"
    assert QUANTITY.findall(text) == ["7.43 ±? us", "14? ± 34 %", "2.961 +- 0.004 Gbps", "7.43 +-? us"]
