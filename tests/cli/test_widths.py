"""What the commands print is read back at several widths: every number is that of the widest output, whole."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

import petri
from petri import library
from petri.report.terminal import wrapping
from petri.report.terminal.information import print_information
from petri.report.terminal.summary import print_summary
from petri.result import Result
from tests.sampling import one_in

from .calling import Call

WIDTHS = (60, 80, 100, 120)
WIDE = 10_000
TABLES = ("Measures", "Transitions", "Places")
NOTES = ("no room for", "×n:", "?:", "±?:")
FEWER_PACKETS = {"ixp2400": 2000, "ixp2400_hops": 500}
SHORTER = {
    "prioritising": ("5 s", "2 s"),
    "npf": ("500 us", "100 us"),
    "ia32": ("10 ms", "2 ms"),
    "dram_buffering": ("2 ms", "1 ms"),
    "dynamic_buffering": ("2 ms", "1 ms"),
}
"""End and warm-up of the run."""
ALL_NETS = [name for name in library.net_names() if name != "dynamic_buffering_recorded"]  # which needs its file
NETS = one_in(24, sorted(ALL_NETS, key=lambda name: "/" not in name))


def run(name: str) -> Result:
    if name in FEWER_PACKETS:
        return petri.load(name, packets=FEWER_PACKETS[name]).run()
    until, warmup = SHORTER.get(name, (None, None))
    return petri.load(name).run(until=until, warmup=warmup)


def summary(result: Result, width: int) -> str:
    out = StringIO()
    print_summary(result, Console(file=out, width=width, highlight=False), seconds=0.0)
    return out.getvalue()


def rows(text: str) -> Iterator[tuple[str, str, str]]:
    """Yield the rows of the tables: of which table, the name, and the rest with what is printed below it."""
    for table in TABLES:
        section = re.search(rf"^{table}\b.*\n((?:.+\n)*)", text, re.MULTILINE)
        lines = section[1].splitlines() if section else []
        for line in lines:
            if line.startswith(NOTES):
                break
            found = re.match(r"( ? ?\S+(?: \S+)*)(?:  +(.*))?$", line)
            if found and not line.startswith("   "):
                yield table, found[1], found[2] or ""


def number(text: str) -> tuple[float, float, str]:
    """Return the value of a quantity, half a unit of its last digit, and its unit."""
    found = re.match(r"[<-]?[\d,.]*\d", text)
    assert found, text
    digits = found[0].replace(",", "").lstrip("<")
    unit = re.search(r"[^\d ?]*$", text)
    assert unit
    return float(digits), 0.5 * 10.0 ** -len(digits.partition(".")[2]), unit[0]


def same(narrow: str, wide: str) -> bool:
    """Return whether a number is the other one, or what it is without its interval."""
    if narrow == wide:
        return True
    if ("?" in narrow) != ("?" in wide) or ".." in narrow + wide or " ± " not in wide or " ± " in narrow or "(" in wide:
        return False
    (value, last, unit), (other, coarse, its_unit) = number(narrow), number(wide)
    return unit == its_unit and abs(value - other) <= 1.001 * max(last, coarse)


@pytest.mark.parametrize("name", NETS)
def test_every_number_of_a_summary_is_that_of_the_widest_one(name: str) -> None:
    result = run(name)
    widest = list(rows(summary(result, WIDE)))
    assert widest
    for width in WIDTHS:
        text = summary(result, width)
        assert max(map(len, text.splitlines())) <= width
        narrow = list(rows(text))
        assert len(narrow) == len(widest)
        for (table, row, cells), (wide_table, wide_row, wide_cells) in zip(narrow, widest, strict=True):
            start, _, end = row.strip().partition("…")
            assert table == wide_table
            assert wide_row.strip().startswith(start)
            assert wide_row.endswith(end or start)
            known = wrapping.quantity().findall(wide_cells)
            for quantity in wrapping.quantity().findall(cells):
                assert any(same(quantity, one) for one in known), (width, row, quantity, known)
            if table != "Measures":
                assert any(same(wrapping.quantity().findall(cells)[0], one) for one in known[:1]), (width, row)


@pytest.mark.parametrize("name", NETS)
def test_the_information_has_every_number_at_any_width(name: str) -> None:
    model = petri.load(name)

    def shown(width: int) -> str:
        out = StringIO()
        print_information(model.net, Console(file=out, width=width, highlight=False), sources=model.sources)
        return out.getvalue()

    def numbers(text: str) -> Counter[str]:
        """Without the indices of names, which may be shortened at their front."""
        return Counter(wrapping.quantity().findall(re.sub(r"\[\d+\]", "", text)))

    wide = numbers(shown(WIDE))
    for width in WIDTHS:
        text = shown(width)
        assert max(map(len, text.splitlines())) <= width
        assert numbers(text) == wide


LONG_NAMES = """net names
time ns
param interval_between_requests = 10 ns
param size = 64 B
place generator = token
place waiting_for_the_line : Bytes fifo
place line = token
transition request: generator -> generator, waiting_for_the_line(size) takes exp(interval_between_requests)
transition transmit: waiting_for_the_line(s), line -> line takes s / 100 Gbps
measure throughput_of_the_transmission_line = rate(transmit, size)
measure time_from_request_to_transmission = time(request -> transmit) record mean, p99, max
measure share_of_time_that_the_line_is_busy = busy(line)
run until 20 us replications 3
"""
SWEEP = ("names.net", "--grid", "interval_between_requests=10 ns,3333 ps", "--grid", "size=64 B,1518 B", "-q")
POINT = "names-sweep.db:interval_between_requests=10 ns,size={} B"


@pytest.mark.parametrize("command", [("sweep", *SWEEP), ("compare", *map(POINT.format, (64, 1518))), ("list",)])
def test_other_tables_have_every_number(
    call: Call, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, command: tuple[str, ...]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("COLUMNS", raising=False)
    (tmp_path / "names.net").write_text(LONG_NAMES, encoding="utf-8")
    assert call("sweep", *SWEEP).status == 0
    wide = call(*command)
    assert wide.status == 0
    for width in (40, *WIDTHS):
        monkeypatch.setenv("COLUMNS", str(width))
        narrow = call(*command).out
        assert max(map(len, narrow.splitlines())) <= width
        found, known = (set(wrapping.quantity().findall(text)) for text in (narrow, wide.out))
        assert found <= known
        assert {quantity for quantity in known if "±" in quantity} <= found
        assert found == known or "no room for" in narrow
