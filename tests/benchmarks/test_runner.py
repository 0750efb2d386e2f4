"""`python -m benchmarks.run` measures, prints its table and writes it as JSON, whatever this machine has."""

from __future__ import annotations

import json
from pathlib import Path
from shutil import which

import pytest

from benchmarks import memory, report, run
from benchmarks.contenders import COMPILER, Simulator, Unavailable
from petri.engine.native import available


@pytest.mark.slow
def test_a_small_run(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run, "LONG_RUN", 10_000)
    output = tmp_path / "latest.json"
    engine = "native" if available() else "reference"
    words = ["--seconds", "0.002", "--rounds", "1", "--largest", "100", "--engine", engine, "--only", "B1,B6,B8,memory"]
    assert run.main([*words, "--output", str(output)]) == 0
    data = json.loads(output.read_text())
    speeds = {row["engine"]: row["rate"] for row in data["rows"]}
    assert speeds["pnsim"] > 0
    assert set(speeds) == {"by hand, statistics", "by hand, none", "by hand, shortcut", "pnsim", "simpy", "simpn"}
    for row in data["rows"]:  # whoever could not be measured is named with the reason
        assert row["rate"] is not None or any(row["engine"] in problem for problem in data["problems"])
    assert [scaling["sizes"] for scaling in data["scaling"]] == [[100]] * 4 + [[500]]
    assert "pnsim" in capsys.readouterr().out
    assert "| B1 |" in report.read(output).markdown()


def test_a_contender_that_fails_is_told_with_its_reason() -> None:
    with pytest.raises(Unavailable, match=r"ModuleNotFoundError|no-such-net"):
        Simulator("none", "simpy", "no-such-net").run(1, 1)


def test_the_page_takes_the_table(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(f"before\n{report.BEGIN}\nold\n{report.END}\nafter\n")
    measured = report.Report(
        "native", rows=[report.Row("B1", "ring", "pnsim", 2.5e6, "firings", 0.5, 0.01, 40_000_000)]
    )
    report.renew_page(measured, page)
    text = page.read_text()
    assert "| B1 | ring | pnsim | 2.5 M firings/s | 0.5 | 1 % | 40 MB |" in text
    assert "old" not in text
    assert text.endswith("after\n")


def test_a_page_without_a_measurement_says_what_to_do(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run.main(["--page", "--output", str(tmp_path / "none.json")]) == 2
    assert "make bench" in capsys.readouterr().err


@pytest.mark.skipif(which(COMPILER) is None, reason="needs a C++ compiler")
def test_what_memory_costs() -> None:
    rows = memory.measure(loads=1000)
    assert [row["megabytes"] for row in rows] == [1, 4, 16, 64, 256]
    assert all(row[column] > 0 for row in rows for column in memory.COLUMNS)
