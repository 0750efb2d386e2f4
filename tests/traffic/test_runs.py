"""Nets with streams through everything that runs a net: commands, sweeps, traces, repetitions, reports."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import petri
from petri import language
from petri.diagnostics import LanguageError
from petri.engine.native import available
from petri.experiment import Experiment
from petri.experiment.procedure.rerun import recorded, repeat
from petri.measure.formula import evaluate
from tests.cli.calling import caller
from tests.engines import ENGINES
from tests.traffic.files import conversation, net, pcap, pcapng, table

pytestmark = pytest.mark.skipif(not available(), reason="recordings are read by the native engine")

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "replay.net").write_text(net())
    table(conversation(), tmp_path / "rows.csv")
    return tmp_path


def run(capsys: Capture, *arguments: str) -> Any:
    outcome = caller(capsys)("run", "replay.net", "--quiet", *arguments)
    assert outcome.status == 0, outcome.err
    return json.loads(outcome.out) if "--json" in arguments else outcome.out


def test_a_table_and_a_capture_of_the_same_packets_are_the_same_run(folder: Path, capsys: Capture) -> None:
    if not available():
        pytest.skip("captures are read by the native part")
    (folder / "a.pcap").write_bytes(pcap(conversation(), nano=True))
    (folder / "a.pcapng").write_bytes(pcapng(conversation()))
    found = [run(capsys, "--stream", f"packets={name}", "--json") for name in ("rows.csv", "a.pcap", "a.pcapng")]
    assert len({one["replications"][0]["hash"] for one in found}) == 1
    assert len({one["manifest"]["net_hash"] for one in found}) == 3
    measures = {one["name"]: one["value"] for one in found[0]["measures"]}
    assert measures["sent"] == 200


def test_the_summary_the_trace_and_the_report(folder: Path, capsys: Capture) -> None:
    options = ("--stream", "packets=rows.csv", "--report", "page.html")
    assert "sent" in run(capsys, *options, "--replications", "2")
    assert "in packets, whose file has no more rows" in run(capsys, *options, "--all")
    assert "rows of rows.csv" in (folder / "page.html").read_text()
    for name in ("t.csv", "t.vcd", "t.json"):
        run(capsys, "--stream", "packets=rows.csv", "--trace", name)
        assert (folder / name).stat().st_size > 1000
    wires = (folder / "t.vcd").read_text()
    assert "packets" in wires
    assert "b-1 " not in wires


def test_other_names_of_columns(folder: Path, capsys: Capture) -> None:
    text = (folder / "rows.csv").read_text().replace("time [ns],flow,size", "when,stream,frame.len")
    (folder / "other.csv").write_text(text)
    columns = ("time=when [ns]", "flow=stream", "size=frame.len")
    options = [part for column in columns for part in ("--column", column)]
    same = [
        run(capsys, "--stream", "packets=rows.csv", "--json"),
        run(capsys, "--stream", "packets=other.csv", *options, "--json"),
    ]
    assert len({one["replications"][0]["hash"] for one in same}) == 1


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ((), "`--stream packets=packets.csv`"),
        (("--stream", "packets"), "does not say which file"),
        (("--stream", "packets="), "does not say which file"),
        (("--stream", "packets=a", "--stream", "packets=b"), "named twice"),
        (("--stream", "packet=rows.csv"), "did you mean `packets`?"),
        (("--stream", "packets=row.csv"), "did you mean `rows.csv`?"),
        (("--stream", "packets=rows.csv", "--column", "tim=x"), "did you mean `time`?"),
        (("--stream", "packets=rows.csv", "--column", "time=x"), "no column `x`"),
        (("--table", "lengths.csv=rows.csv"), "does not draw from a table"),
    ],
)
def test_refusals(folder: Path, capsys: Capture, options: tuple[str, ...], told: str) -> None:
    outcome = caller(capsys)("run", "replay.net", "--quiet", *options)
    assert outcome.status == 2
    assert told in outcome.err


def test_what_is_wrong_late_in_a_file_ends_the_run(folder: Path, capsys: Capture) -> None:
    text = (folder / "rows.csv").read_text()
    (folder / "bad.csv").write_text(text + "99999999,1,x\n")
    options = ("--stream", "packets=bad.csv", "--report", "page.html", "--trace", "t.csv")
    outcome = caller(capsys)("run", "replay.net", "--quiet", *options)
    assert outcome.status == 3
    assert (folder / "t.csv").read_text().count("arrive") == 200
    assert "line 202, column `size`: `x` is not a number\n  note: the figures cover the time up to 1" in outcome.err
    assert "PARTIAL RESULTS: stopped by an error in a recording at time 1" in outcome.out
    assert "It was stopped by an error in a recording" in (folder / "page.html").read_text()


def test_what_is_wrong_at_the_beginning_of_a_file_is_told_alone(folder: Path, capsys: Capture) -> None:
    (folder / "bad.csv").write_text("time [ns],flow,size\n0,1,x\n")
    outcome = caller(capsys)("run", "replay.net", "--quiet", "--stream", "packets=bad.csv")
    assert (outcome.status, outcome.out) == (2, "")
    assert "line 2, column `size`: `x` is not a number" in outcome.err
    assert "note" not in outcome.err


def test_a_sweep_keeps_what_came_before_a_wrong_row(folder: Path) -> None:
    text = (folder / "rows.csv").read_text()
    (folder / "bad.csv").write_text(text + "99999999,1,x\n")
    model = petri.load("replay.net").with_streams({"packets": "bad.csv"})
    [point] = Experiment(model, replications=2).run("s.db").points
    assert [row.ended for row in point.failures] == ["error", "error"]
    assert all("line 202" in str((row.failure or {})["message"]) and row.firings > 200 for row in point.failures)


def test_information_picture_and_layout(folder: Path, capsys: Capture) -> None:
    call = caller(capsys)
    assert "rows of a file" in call("info", "replay.net").out
    assert call("fmt", "replay.net").status == 0
    laid_out = (folder / "replay.net").read_text()
    assert "place packets : Packet = stream()" in laid_out
    assert call("fmt", "--check", "replay.net").status == 0
    assert call("draw", "replay.net", "-o", "a.svg").status == 0
    assert "rows of a file" in (folder / "a.svg").read_text()
    flat = json.loads(call("flat", "replay.net").out)
    assert flat["places"][0]["stream"] == {}
    assert call("check", "replay.net").status == 0


def test_a_result_is_repeated_with_the_same_file_only(folder: Path, capsys: Capture) -> None:
    call = caller(capsys)
    found = run(capsys, "--stream", "packets=rows.csv", "--json", "--replications", "3")
    (folder / "result.json").write_text(json.dumps(found))
    assert found["manifest"]["streams"]["packets"]["file"] == "rows.csv"
    assert call("rerun", "result.json").status == 0
    (folder / "rows.csv").rename(folder / "moved.csv")
    outcome = call("rerun", "result.json")
    assert (outcome.status, "no file" in outcome.err) == (2, True)
    assert call("rerun", "result.json", "--stream", "packets=moved.csv").status == 0
    (folder / "rows.csv").write_text((folder / "moved.csv").read_text() + "99999999,0,64\n")
    outcome = call("rerun", "result.json")
    assert outcome.status == 2
    assert "not the file that the result was made with" in outcome.err


@pytest.mark.parametrize("workers", [1, 2])
def test_a_sweep_with_a_recording(folder: Path, capsys: Capture, workers: int) -> None:
    text = net().replace("time us", "time us\nparam speed = 1 Gbps").replace("/ 1 Gbps", "/ speed")
    (folder / "replay.net").write_text(text)
    (folder / "sweep.yaml").write_text(
        "net: replay.net\nrecordings: {packets: rows.csv}\ncolumns: {size: size}\n"
        "grid: {speed: [1 Gbps, 2 Gbps]}\nreplications: 3\n"
    )
    outcome = Experiment.load("sweep.yaml").run("s.db", workers=workers)
    assert [point.intervals["sent"].mean for point in outcome.points] == [200, 200]
    assert all(repeat(one).same for one in recorded("s.db"))
    call = caller(capsys)
    assert call("sweep", "sweep.yaml", "--store", "s.db", "--quiet").status == 0
    table(conversation(150), folder / "rows.csv")
    outcome_ = call("sweep", "sweep.yaml", "--store", "s.db", "--quiet")
    assert outcome_.status == 2, "the rows are part of the net"
    assert call("rerun", "s.db").status == 2
    table(conversation(), folder / "rows.csv")
    (folder / "sweep.yaml").write_text("net: replay.net\ngrid: {speed: [1 Gbps, 2 Gbps]}\nreplications: 3\n")
    assert call("sweep", "sweep.yaml", "--store", "t.db", "--stream", "packets=rows.csv", "--quiet").status == 0
    outcome_ = call("sweep", "sweep.yaml", "--store", "u.db", "--quiet")
    assert outcome_.status == 2
    assert "--stream packets=" in outcome_.err


@pytest.mark.parametrize("engine", ENGINES)
def test_replications_read_the_file_anew(folder: Path, engine: str) -> None:
    model = petri.load("replay.net").with_streams({"packets": "rows.csv"})
    result = model.run(replications=3, engine=engine, threads=2)
    assert result.failure is None
    sent = next(measure for measure in model.net.measures if measure.name == "sent")
    assert [evaluate(sent.formula, one.window) for one in result.replications] == [200, 200, 200]
    assert len({one.hash for one in result.replications}) == 3


def test_a_net_reads_only_beside_it(folder: Path) -> None:
    (folder / "deep").mkdir()
    (folder / "deep" / "a.net").write_text(net().replace("stream()", 'stream("../rows.csv")'))
    with pytest.raises(LanguageError) as error:
        language.load(folder / "deep" / "a.net")
    assert error.value.diagnostics[0].id == "path-outside"


MINE = ("--set", "packet_mix=listed", "--table", "lengths.csv=mine.csv", "--json", "--quiet")


@pytest.fixture
def listed(folder: Path) -> None:
    """Compare a net that draws lengths, and another table to draw them from."""
    (folder / "mine.csv").write_text("length,weight\n100,3\n500,1\n")
    (folder / "poisson.net").write_text(
        "net poisson time us import traffic.steady place network : Datagram\n"
        "instance source = Poisson(rate = 1 Gbps, network = network)\n"
        "transition deliver: network(p) -> nothing\n"
        "measure load = rate(deliver, p.size)\nmeasure length = p.size at deliver record mean, min, max\n"
        "run until 100 ms"
    )


@pytest.mark.usefixtures("listed")
def test_lengths_from_a_table_of_one_s_own(capsys: Capture) -> None:
    outcome = caller(capsys)("run", "poisson.net", *MINE)
    assert outcome.status == 0, outcome.err
    measures = {one["name"]: one for one in json.loads(outcome.out)["measures"]}
    record = {name: one["value"] for name, one in measures["length"]["record"].items()}
    assert (record["min"], record["max"]) == (100, 500)
    assert record["mean"] == pytest.approx(200, rel=0.02)
    assert measures["load"]["value"] == pytest.approx(125, rel=0.02)  # bytes per microsecond: `average` is the mean


@pytest.mark.usefixtures("listed")
def test_a_sweep_with_a_table_of_one_s_own(folder: Path, capsys: Capture) -> None:
    (folder / "lengths.yaml").write_text(
        "net: poisson.net\nset: {packet_mix: listed}\ntables: {lengths.csv: mine.csv}\nreplications: 2\n"
        "until: 1 ms\nmeasures: [length.max]\n"
    )
    call = caller(capsys)
    by_options = ("poisson.net", *MINE, "-n", "2", "--until", "1 ms", "--measure", "length.max")
    for what, *options in (by_options, ("lengths.yaml", "--json", "--quiet")):
        outcome = call("sweep", what, *options, "--store", f"{what}.db")
        assert outcome.status == 0, outcome.err
        (point,) = json.loads(outcome.out)["points"]
        assert (point["replications"], point["measures"]["length.max"]["value"]) == (2, 500)
        assert call("rerun", f"{what}.db").status == 0


@pytest.mark.usefixtures("listed")
def test_a_result_of_a_table_of_one_s_own_is_repeated_with_it_only(folder: Path, capsys: Capture) -> None:
    call = caller(capsys)
    (folder / "result.json").write_text(call("run", "poisson.net", *MINE, "--until", "1 ms").out)
    assert "--table NAME=FILE" in call("rerun", "result.json").err
    assert call("rerun", "result.json", "--table", "lengths.csv=mine.csv").status == 0
    (folder / "mine.csv").write_text("length,weight\n100,3\n500,2\n")
    assert call("rerun", "result.json", "--table", "lengths.csv=mine.csv").status == 2


STATUS = Path("/proc/self/status")
MEMORY = """
import re, sys
sys.path[:0] = {path!r}
import petri
model = petri.load("replay.net").with_streams({{"packets": sys.argv[1]}})
result = model.run(engine="native")
assert result.failure is None
print(re.search(r"VmHWM:\\s*(\\d+)", open("/proc/self/status").read())[1])
"""


def peak(path: Path) -> int:
    """Return the most memory [KiB] that a run over a file takes."""
    program = MEMORY.format(path=sys.path)
    ran = subprocess.run([sys.executable, "-c", program, path.name], cwd=path.parent, check=True, capture_output=True)
    path.unlink()
    return int(ran.stdout)


def csv_rows(folder: Path, rows: int) -> Path:
    path = folder / f"{rows}.csv"
    with path.open("w") as file:
        file.write("time [us],size,flow\n")
        for start in range(0, rows, 10_000):
            file.write(
                "".join(f"{20 * n},{64 + n % 1400},{n % 1000}\n" for n in range(start, min(start + 10_000, rows)))
            )
    return path


def parquet_rows(folder: Path, rows: int) -> Path:
    """Return one row group, as large as the file."""
    pyarrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    path = folder / f"{rows}.parquet"
    numbers = np.arange(rows)
    columns = {"time [us]": 20.0 * numbers, "size": 64 + numbers % 1400, "flow": numbers % 1000}
    parquet.write_table(pyarrow.table(columns), path, row_group_size=rows, use_dictionary=False)
    return path


@pytest.mark.skipif(not available() or not STATUS.exists(), reason="needs the native engine, and Linux")
@pytest.mark.parametrize(
    ("made", "rows", "most"),
    [
        (csv_rows, 500_000, 8),
        (csv_rows, 3_000_000, 16),
        (parquet_rows, 3_000_000, 32),
    ],
)
@pytest.mark.slow
def test_memory_does_not_grow_with_the_file(
    folder: Path, made: Callable[[Path, int], Path], rows: int, most: int
) -> None:
    """65,536 rows are one block. most: how much more memory [MiB] than for two; the last case has 72 MB of rows.

    A long run also keeps the histograms of up to 256 batches for its intervals. They take 7 MiB here.
    """
    few, many = peak(made(folder, 131_072)), peak(made(folder, rows))
    assert many - few < most * 1024
