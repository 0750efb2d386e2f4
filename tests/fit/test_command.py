"""`pnsim fit`: files as users have them, and what it refuses."""

from __future__ import annotations

import gzip
import io
import json
import os
import threading
from pathlib import Path

import pytest

from petri.engine.native import available
from petri.fit import goodness
from petri.traffic import pipes
from tests.cli.calling import Call, caller
from tests.fit.synthetic import drawn

if not available():
    pytest.skip("recordings are read by the native engine", allow_module_level=True)


@pytest.fixture(name="call")
def _call(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Call:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(goodness, "TIMES", 4)  # so few samples that every law fits
    return caller(capsys)


def write(path: str, title: str, cells: list[str]) -> None:
    Path(path).write_text("\n".join([*([title] if title else []), *cells]) + "\n", encoding="utf-8")


VALUES = [f"{value:.4f}" for value in drawn("exp", (5.0,), 60, 1)]


def test_a_column_with_a_unit(call: Call) -> None:
    write("a.csv", "id,service [us]", [f"{row},{value}" for row, value in enumerate(VALUES)])
    shown = call("fit", "a.csv", "service")
    assert shown.status == 0
    assert shown.out.splitlines()[-1].startswith("dist service = exp(")
    assert shown.out.splitlines()[-1].endswith(" us)")


def test_forms_of_the_same_file(call: Call) -> None:
    write("a.csv", "service", VALUES)
    last = call("fit", "a.csv").out.splitlines()[-1]
    Path("b.csv.gz").write_bytes(gzip.compress(Path("a.csv").read_bytes()))
    write("c.txt", "", VALUES)
    write("d.csv", "service", [value.replace(".", ",") for value in VALUES])
    write("e.csv", "service;id", [f"{value.replace('.', ',')};1" for value in VALUES])
    assert call("fit", "b.csv.gz").out.splitlines()[-1] == last
    assert call("fit", "c.txt").out.splitlines()[-1] == last.replace("service", "value")
    assert call("fit", "e.csv", "service").out.splitlines()[-1] == last
    assert call("fit", "a.csv", "service [ms]").out.splitlines()[-1] == last.replace(")", " ms)")


def test_stdin_and_pipes(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    write("a.csv", "id,service [us]", [f"{row},{value}" for row, value in enumerate(VALUES)])
    last = call("fit", "a.csv", "service").out.splitlines()[-1]
    for data in (Path("a.csv").read_bytes(), gzip.compress(Path("a.csv").read_bytes())):
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(data)))
        shown = call("fit", "-", "service")
        assert shown.out.splitlines()[-1] == last
        assert "in <stdin>" in shown.out
    os.mkfifo("pipe")
    threading.Thread(target=lambda: Path("pipe").write_bytes(Path("a.csv").read_bytes()), daemon=True).start()
    assert call("fit", "pipe", "service").out.splitlines()[-1] == last
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"a,b\n1,2\n")))
    assert "`<stdin>` has several columns" in call("fit", "-").err


def test_stdin_without_an_end(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pipes, "LARGEST", 100)
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"1\n" * 200)))
    shown = call("fit", "-")
    assert shown.status == 2
    assert "longer than a gigabyte" in shown.err


def test_parquet(call: Call) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    write("a.csv", "service", VALUES)
    parquet.write_table(pyarrow.table({"service": [float(value) for value in VALUES]}), "a.parquet")
    last = [call("fit", path).out.splitlines()[-1] for path in ("a.csv", "a.parquet")]
    assert last[0] == last[1]
    instants = [1_700_000_000_000_000_000 + 10**9 * at for at in range(30)]
    column = pyarrow.array(instants, pyarrow.timestamp("ns"))
    parquet.write_table(pyarrow.table({"seen": column}), "b.parquet")
    assert call("fit", "b.parquet").out.splitlines()[-1] == "const gap = 1 s"


def test_bounds_and_missing_cells(call: Call) -> None:
    cells = [">8 ms" if float(value) > 8 else f"{value} ms" for value in VALUES]
    write("a.csv", "wait", [*cells, "NA", ""])
    found = json.loads(call("fit", "a.csv", "--json").out)
    assert found["bounded"] == sum(float(value) > 8 for value in VALUES)
    assert (found["count"], found["missing"], found["unit"]) == (60, 1, "ms")
    exp = next(law for law in found["laws"] if law["name"] == "exp")
    assert exp["fits"] > 0.05
    mean = sum(min(float(value), 8.0) for value in VALUES) / sum(float(value) <= 8 for value in VALUES)
    assert exp["parameters"][0] == pytest.approx(mean, rel=1e-5)


def test_calendar_times_are_arrivals(call: Call) -> None:
    write("a.csv", "seen", [f"2026-03-02 10:{minute:02}:00" for minute in range(0, 60, 2)])
    shown = call("fit", "a.csv")
    assert "29 gaps between the times of `seen`" in shown.out
    assert shown.out.splitlines()[-1] == "const gap = 120 s"


def test_gaps_of_a_file_without_a_title(call: Call) -> None:
    write("a.txt", "", [str(2 * at) for at in range(40)])
    assert "39 gaps" in call("fit", "a.txt", "--gaps").out
    assert call("fit", "a.txt", "--gaps").out.splitlines()[-1] == "const gap = 2 s"


@pytest.mark.slow
def test_the_table_is_one_for_empirical(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(goodness, "TIMES", 99)
    x = [f"{at + value / 1000:.4f}" for at in (5, 11, 30, 34) for value in range(100)]
    write("a.csv", "service [us]", x)
    shown = call("fit", "a.csv", "--table", "t.csv")
    last = shown.out.splitlines()[-1]
    assert last == 'dist service = empirical("t.csv") * 1 us'
    net = f"time us\n{last}\nplace p = token\ntransition t: p -> p takes service\nmeasure n = rate(t)\n"
    Path("a.net").write_text(net, encoding="utf-8")
    run = call("run", "a.net", "--until", "100 ms", "--json")
    assert run.status == 0


def test_the_page(call: Call) -> None:
    write("<b>.csv", "<i>", VALUES)
    assert call("fit", "<b>.csv", "--report", "a.html").status == 0
    page = Path("a.html").read_text(encoding="utf-8")
    assert page.count('class="plot waiting"') == 2
    assert "<i>" not in page


def test_seeds_repeat(call: Call) -> None:
    write("a.csv", "service", VALUES)
    assert call("fit", "a.csv").out == call("fit", "a.csv", "--seed", "1").out


@pytest.mark.parametrize(
    ("title", "cells", "arguments", "said"),
    [
        ("a,b", ["1,2"] * 20, (), "name one of them"),
        ("a", VALUES, ("b",), "its columns are `a`"),
        ("service", VALUES, ("servce",), "did you mean `service`?"),
        ("a", ["1", "2"], (), "has 2 values, too few"),
        ("a", [*VALUES, "foo"], (), "line 62, column `a`: `foo` is not a number"),
        ("a", [*VALUES, '"1,234"'], (), "`1,234` is not a number"),
        ("a [msec]", VALUES, (), "did you mean `ms`"),
        ("a [B]", VALUES, ("--gaps",), "`--values` fits the values themselves"),
        ("time", ["3", "2"] * 20, (), "the time decreases"),
        ("a", [*VALUES, "inf"], (), "`inf` is not a number"),
        ("a", ["> 3 ms"] * 20, (), "of which half are known"),
        ("", ["1,2"] * 20, (), "its first line must name them"),
        ("a", [], (), "has 0 values, too few"),
        ("a", ["1e308", "-1e308"] * 10, (), "give the column in another unit"),
        ("a", ["1e-308", "2e-308"] * 10, (), "which is too small"),
    ],
)
def test_refusals(call: Call, title: str, cells: list[str], arguments: tuple[str, ...], said: str) -> None:
    write("a.csv", title, cells)
    shown = call("fit", "a.csv", *arguments)
    assert shown.status == 2
    assert said in shown.err
    assert shown.out == ""


def test_refusals_of_files(call: Call) -> None:
    write("a.csv", "a", VALUES)
    Path("c.csv").write_bytes(b"")
    assert "c.csv" in call("fit", "c.csv").err
    assert "there is no file `b.csv`" in call("fit", "b.csv").err
    assert "is a folder" in call("fit", ".").err
    assert "`a.csv`" in call("fit", "a.csv", "--table", "a.csv").err
    assert Path("a.csv").read_text(encoding="utf-8").startswith("a\n")


def test_without_scipy(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    from petri.exact.libraries import NeedsExtra
    from petri.fit import laws

    def missing(name: str) -> None:
        raise NeedsExtra("exact answers need scipy", name="scipy")

    laws.laws.cache_clear()
    monkeypatch.setattr(laws, "library", missing)
    write("a.csv", "a", VALUES)
    shown = call("fit", "a.csv")
    laws.laws.cache_clear()
    assert shown.status == 2
    assert "pip install 'pnsim[exact]'" in shown.err
