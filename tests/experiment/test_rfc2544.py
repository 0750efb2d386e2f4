"""`pnsim rfc2544`: the tests of RFC 2544, on a port whose figures can be computed by hand."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path
from typing import Any

import pytest

import petri
from petri.diagnostics import LanguageError
from petri.experiment.design.definition import Definition
from petri.experiment.errors import ExperimentError
from petri.experiment.forwarding.definition import Forwarding
from petri.experiment.forwarding.outcome import ForwardingOutcome
from petri.experiment.forwarding.procedure import scaled
from petri.experiment.yaml.study import load_study
from tests.cli.calling import Call, caller

# Frames come at even distances, 20 B between them at full load. The engine needs 800 ns for each; 10 may be inside.
GATE = """\
## A port with a FIFO.
net gate
time ns
param load = 0.5 in 0..1
param size = 64 B in 20 B..9000 B
param line = 1 Gbps
type Frame = { size: Bytes, born: Time }
place source = token
place door : Frame fifo
place line_in : Frame fifo
place room = 10 * token
place engine = token
transition arrive: source -> source, door({size: size, born: end}) takes (size + 20 B) / (load * line)
transition enter: door(f), room -> line_in(f) priority 1
transition drop: door(f) -> nothing
transition serve: line_in(f), engine -> engine, room takes 800 ns
measure loss = count(drop) / count(arrive)
measure throughput = rate(serve, f.size)
measure delay = end - f.born at serve
run until 200 us warmup 20 us
"""
FAST = {"max_replications": 10, "replications": 2, "resolution": "5%", "between": "0.1..1"}
OPTIONS = ("--max-replications", "10", "-n", "2", "--resolution", "5%", "--in", "0.1..1", "--sizes", "64,128")


@pytest.fixture
def gate(tmp_path: Path) -> str:
    path = tmp_path / "gate.net"
    path.write_text(GATE, encoding="utf-8")
    return str(path)


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str], gate: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Call:
    monkeypatch.chdir(tmp_path)
    return caller(capsys)


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> ForwardingOutcome:
    path = tmp_path_factory.mktemp("rfc") / "gate.net"
    path.write_text(GATE, encoding="utf-8")
    return petri.rfc2544(str(path), sizes=[64, 128], **FAST)  # type: ignore[arg-type]


def test_throughput(measured: ForwardingOutcome) -> None:
    """A frame of 64 B takes 672 ns at full load, so 0.84 is the most; the next value of the search below is 0.8."""
    small, large = measured.rows
    assert [small.size, large.size] == ["64 B", "128 B"]
    assert [small.found.value, large.found.value] == [pytest.approx(0.8), 1.0]  # 128 B take 1184 ns
    assert large.found.status == "holds to the end"
    rate = measured.frame_rate(small)
    assert rate is not None
    assert rate.mean == pytest.approx(0.8 / 672, rel=0.01)  # per ns
    throughput = measured.throughput(small)
    assert throughput is not None
    assert throughput.mean == pytest.approx(64 * 0.8 / 672, rel=0.01)


def test_delay(measured: ForwardingOutcome) -> None:
    """Below the throughput nobody waits."""
    for row in measured.rows:
        for share in (1.0, 0.75, 0.5, 0.25):
            delay = measured.delay(row, share)
            assert delay is not None
            assert delay.mean == pytest.approx(800.0)


def test_loss_above_the_throughput(measured: ForwardingOutcome) -> None:
    """A little less than in the long run: the line is empty at first."""
    small, large = measured.rows
    assert [load for load, _ in small.losses] == [1.0, 0.9]
    lost = [point.interval("loss").mean for _, point in small.losses]
    assert lost == [pytest.approx(1 - 672 / 800, abs=0.04), pytest.approx(1 - 672 / 0.9 / 800, abs=0.04)]
    assert [load for load, _ in large.losses] == [1.0]
    assert measured.full_loss(large).mean == 0.0  # type: ignore[union-attr]


def test_bursts(measured: ForwardingOutcome) -> None:
    """Frames come every 672 ns and need 800 ns: after j of them, floor(0.84 j) have left. 57 leave no room for another.

    The source has begun the frame after that one when it is lost: it has not come.
    """
    small, large = measured.rows
    assert small.bursts is not None
    assert small.bursts.complete
    burst = measured.burst(small)
    assert burst is not None
    assert (burst.mean, small.bursts.times) == (57.0, (58 * 672.0,) * 2)
    assert large.bursts is not None
    assert not large.bursts.complete
    assert measured.burst(large).mean == pytest.approx(200_000 / 1184, rel=0.02)  # type: ignore[union-attr]


def test_a_table_of_eighty_columns(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    found = call("rfc2544", "gate.net", *OPTIONS, "--export", "t.csv", "--report", "t.html")
    assert found.status == 0
    lines = found.out.splitlines()
    assert lines[:2] == ["gate: RFC 2544", lines[1]]
    assert lines[1].startswith("largest load with loss == 0, ")
    assert max(map(len, lines)) <= 80
    assert "no room for" not in found.out
    assert re.search(
        r"^ 64 B   0\.8 +1\.19\d M/s +611\.\d Mbps +800 +800 +800 +800 +0\.1\d+ +57$", found.out, re.MULTILINE
    )
    assert re.search(r"^128 B     1 .* >1\d\d$", found.out, re.MULTILINE)
    assert "delay: delay in ns at 100, 75, 50 and 25 % of this load" in found.out
    assert "size=64 B load=0.6  n 2  delay" in found.err


def test_a_doubt_about_several_sizes_is_told_once(call: Call, tmp_path: Path) -> None:
    """On the terminal and on the page: at these sizes all is forwarded, but one run is not enough to be sure."""
    options = ("--max-replications", "1", "-n", "1", "--in", "0.1..1", "--sizes", "128,256,512")
    told = call("rfc2544", "gate.net", *options, "--report", "gate.html").err
    assert told.count("search-uncertain") == 1
    assert "at size=128 B, size=256 B, size=512 B" in told
    assert (tmp_path / "gate.html").read_text("utf-8").count("could not be decided in 1 replication") == 1


def test_files(call: Call, tmp_path: Path) -> None:
    found = call("rfc2544", "gate.net", *OPTIONS, "--export", "t.csv", "--report", "t.html", "--json", "-q")
    assert found.status == 0
    assert found.err == ""
    data = json.loads(found.out)
    assert data["roles"] == {
        "load": "load", "size": "size", "loss": "loss", "delay": "delay", "throughput": "throughput"
    }  # fmt: skip
    assert [row["load"] for row in data["sizes"]] == [pytest.approx(0.8), 1.0]
    assert data["sizes"][0]["delay"]["50%"]["value"] == pytest.approx(800)
    assert [one["load"] for one in data["sizes"][0]["loss"]] == [1.0, 0.9]
    rows = list(csv.DictReader((tmp_path / "t.csv").open(encoding="utf-8")))
    assert [row["size"] for row in rows] == ["64 B", "128 B"]
    assert float(rows[0]["delay_at_100% [ns]"]) == pytest.approx(800)
    page = (tmp_path / "t.html").read_text(encoding="utf-8")
    for heading in ("What is forwarded", "Throughput", "Delay", "Loss rate", "Back-to-back frames"):
        assert f">{heading}</h2>" in page


def renamed(gate: str, folder: Path) -> str:
    text = GATE.replace("param load", "param offer").replace("(load * line)", "(offer * line)")
    text = (
        text.replace("measure loss", "measure gone")
        .replace("param size", "param wide")
        .replace("size: size", "size: wide")
    )
    path = folder / "renamed.net"
    path.write_text(text.replace("(size + 20 B)", "(wide + 20 B)"), encoding="utf-8")
    return str(path)


@pytest.mark.slow
def test_what_the_net_does_not_say(call: Call, gate: str, tmp_path: Path) -> None:
    renamed(gate, tmp_path)
    found = call("rfc2544", "renamed.net", *OPTIONS)
    assert found.status == 2
    assert "error[rfc-role-missing]: the net `gate` has no parameter that says what the load is" in found.err
    assert "name it with `--load NAME`: its parameters are `offer`, `wide` and `line`" in found.err
    assert "measure" in call("rfc2544", "renamed.net", *OPTIONS, "--load", "offer").err
    named = ("--load", "offer", "--loss", "gone", "--size", "wide")
    assert call("rfc2544", "renamed.net", *OPTIONS, *named, "-q").status == 0


@pytest.mark.slow
def test_without_a_size_there_is_one_row(gate: str, tmp_path: Path) -> None:
    found = petri.rfc2544(renamed(gate, tmp_path), load="offer", loss="gone", **FAST)  # type: ignore[arg-type]
    assert len(found.rows) == 1
    assert found.rows[0].size is None
    assert repr(found) == "ForwardingOutcome gate: 1 frame size; 0.8"


@pytest.mark.slow
def test_cases_and_grids_are_rows(gate: str) -> None:
    cases = {"slow": {"line": "1 Gbps"}, "fast": {"line": "2 Gbps"}}
    found = petri.rfc2544(gate, sizes=[64, 256], cases=cases, **FAST)  # type: ignore[arg-type]
    table = found.table()
    assert table["case"] == ["slow", "slow", "fast", "fast"]
    assert table["size"] == ["64 B", "256 B"] * 2
    assert table["load"] == [pytest.approx(0.8), 1.0, pytest.approx(0.4), 1.0]


REFUSED = [
    (("--load", "lod"), "unknown-parameter"),
    (("--loss", "los"), "unknown-figure"),
    (("--sizes", ","), "rfc-sizes"),
    (("--sizes", "64..1518 step 0"), "range-step"),
    (("--in", "1..0.1"), "rfc-range-down"),
    (("--while", "loss"), "search-condition"),
    (("--export", "t.parquet"), "export-suffix"),
    (("--sizes", "4"), "parameter-out-of-bounds"),
]


@pytest.mark.parametrize(("arguments", "identifier"), REFUSED, ids=[one[1] for one in REFUSED])
def test_what_is_refused(call: Call, arguments: tuple[str, ...], identifier: str) -> None:
    found = call("rfc2544", "gate.net", *OPTIONS, *arguments)
    assert found.status == 2
    assert f"error[{identifier}]" in found.err


def test_a_load_with_a_unit() -> None:
    assert scaled("1.5 Gbps", 0.5) == "0.75 Gbps"
    assert scaled("1.5 Gbps", 1.0) == "1.5 Gbps"
    assert scaled(0.3, 0.5) == 0.15


FILE = """\
net: gate.net
set: {line: 2 Gbps}
until: 300 us
rfc2544:
  load: load
  sizes: [64, 128]
  in: 0.2..1
  while: loss <= 1%
  resolution: 10%
  replications: 3
"""


def test_a_file(gate: str, tmp_path: Path) -> None:
    (tmp_path / "r.yaml").write_text(FILE, encoding="utf-8")
    runs = Definition(gate, [{}], {"line": "2 Gbps"}, until="300 us", expected=[])
    assert load_study(Forwarding, tmp_path / "r.yaml") == Forwarding(
        runs=runs, load="load", sizes=[64, 128], between="0.2..1", condition="loss <= 1%", resolution="10%",
        replications=3,
    )  # fmt: skip


def test_everything_wrong_in_a_file_is_told_at_once(gate: str, tmp_path: Path) -> None:
    (tmp_path / "r.yaml").write_text("net: gate.net\nprecision: 1%\nrfc2544:\n  lod: x\n  in: 3\n", encoding="utf-8")
    with pytest.raises(LanguageError) as refused:
        load_study(Forwarding, tmp_path / "r.yaml")
    told = {(one.id, one.span.line if one.span else 0) for one in refused.value.diagnostics}
    assert told == {("search-key", 2), ("experiment-key", 4), ("search-range", 5)}


def test_kinds_of_files_are_told_apart(call: Call, tmp_path: Path) -> None:
    (tmp_path / "r.yaml").write_text(FILE, encoding="utf-8")
    assert "run it with `pnsim rfc2544 r.yaml`" in call("sweep", "r.yaml").err
    (tmp_path / "e.yaml").write_text("net: gate.net\n", encoding="utf-8")
    assert "error[rfc-missing]" in call("rfc2544", "e.yaml").err


def test_ctrl_c_keeps_what_is_complete(gate: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("petri.experiment.forwarding.procedure.measure_bursts", interrupt)
    found = petri.rfc2544(gate, sizes=[64, 128], **FAST)  # type: ignore[arg-type]
    assert found.interrupted
    assert [row.found.value for row in found.rows] == [pytest.approx(0.8), 1.0]
    assert found.to_dict()["interrupted"]


def test_a_model_that_fails(gate: str, tmp_path: Path) -> None:
    path = tmp_path / "bad.net"
    text = GATE.replace("takes 800 ns", "takes (if now > 50 us and load > 0.5 then 0 ns - 1 ns else 800 ns)")
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ExperimentError, match="point-failed"):
        petri.rfc2544(str(path), sizes=[64], **FAST)  # type: ignore[arg-type]
