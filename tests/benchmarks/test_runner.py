"""`python -m benchmarks.run` measures, prints its table and writes it as JSON, whatever this machine has."""

from __future__ import annotations

from pathlib import Path
from shutil import which
from typing import Any

import pytest

from benchmarks import contenders, memory, report, run, tables
from benchmarks.contenders import COMPILER, Simulator, Unavailable
from benchmarks.scale import Family, grow
from petri.engine.native import available

ENGINE = "native" if available() else "reference"
SMALL = ["--seconds", "0.002", "--rounds", "1", "--largest", "100", "--engine", ENGINE]


def part(**found: Any) -> report.Part:
    """Return a part that was measured on some day."""
    conditions = {"measured": "2026-01-31", "processor": "abacus", report.LOAD: "0.5"}
    return report.Part(conditions | found.pop("conditions", {}), **found)


def row(rate: float) -> report.Row:
    return report.Row("B1", "ring", "pnsim", rate, "firings", 0.5, 0.01, 40_000_000)


@pytest.mark.slow
def test_a_small_run(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run, "LONG_RUN", 10_000)
    output = tmp_path / "latest.json"
    assert run.main([*SMALL, "--only", "B1,B6,B8,memory", "--output", str(output)]) == 0
    measured = report.read(output)
    assert list(measured.parts) == ["B1", "B6", "B8", "memory"]
    speeds = {row.engine: row.rate for row in measured.parts["B1"].rows}
    assert speeds["pnsim"] is not None
    assert set(speeds) == {"by hand, statistics", "by hand, none", "by hand, shortcut", "pnsim", "simpy", "simpn"}
    for name, rate in speeds.items():  # whoever could not be measured is named with the reason
        assert rate is not None or any(name in problem for problem in measured.parts["B1"].problems)
    ours = [one for name in ("B6", "B8") for one in measured.parts[name].scaling if one.engine == "pnsim"]
    assert [one.sizes for one in ours] == [[100]] * 4 + [[500]]
    assert "pnsim" in capsys.readouterr().out
    assert "| B1 |" in tables.markdown(measured)


def test_a_part_is_measured_anew_or_resumed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`--only` replaces its parts and keeps the others, `--resume` measures those that are not there."""
    rates = iter(range(1, 10))
    monkeypatch.setattr(run.Bench, "measure", lambda _, name: part(rows=[row(next(rates))]))
    monkeypatch.setattr(run, "NAMES", ("B1", "B2", "start"))
    output = tmp_path / "latest.json"

    def rates_after(*words: str) -> dict[str, float | None]:
        assert run.main([*words, "--output", str(output)]) == 0
        return {name: found.rows[0].rate for name, found in report.read(output).parts.items()}

    assert rates_after("--only", "B2") == {"B2": 1}
    assert rates_after("--resume") == {"B1": 2, "B2": 1, "start": 3}
    assert rates_after("--only", "start,B1") == {"B1": 5, "B2": 1, "start": 4}
    assert rates_after() == {"B1": 6, "B2": 7, "start": 8}


def test_what_is_measured_is_kept_when_a_run_is_interrupted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def measure(bench: run.Bench, name: str) -> report.Part:
        if name == "B2":
            raise KeyboardInterrupt
        return part(rows=[row(1.0)])

    monkeypatch.setattr(run.Bench, "measure", measure)
    output = tmp_path / "latest.json"
    assert run.main(["--output", str(output)]) == 130
    assert "--resume" in capsys.readouterr().err
    assert list(report.read(output).parts) == ["B1"]


def test_a_part_that_fails_is_left_out_with_its_reason(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def start(bench: run.Bench, found: report.Part) -> None:
        raise RuntimeError("pnsim run ended with status 9")

    monkeypatch.setattr(run.Bench, "start", start)
    output = tmp_path / "latest.json"
    assert run.main([*SMALL, "--only", "start", "--output", str(output)]) == 0
    assert "Left out: start (pnsim run ended with status 9)." in tables.text(report.read(output))


def test_a_part_that_does_not_exist_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        run.main(["--only", "B1,B99"])
    assert "B99 is not one of B1, " in capsys.readouterr().err


def test_a_contender_that_fails_is_told_with_its_reason() -> None:
    with pytest.raises(Unavailable, match=r"ModuleNotFoundError|no-such-net"):
        Simulator("none", "simpy", "no-such-net").run(1, 1)


@pytest.mark.slow
def test_without_a_comparator_the_rest_is_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither a compiler nor SimPy: their lines are left out, and the table says why."""
    missing = Family("B7", "philosophers", "philosophers", "seats", (3, 9), by_hand=True, simpy="not-there", settle=10)
    monkeypatch.setattr(contenders, "COMPILER", "no-such-compiler")
    monkeypatch.setattr(contenders, "BUILD", contenders.BUILD / "none")
    found, problems = grow(missing, ENGINE, 0.001, 1, 100)
    assert [one.engine for one in found] == ["pnsim"]
    assert "B7 on by hand (no-such-compiler is not installed)" in problems
    assert any(problem.startswith("B7 on simpy") for problem in problems)


def test_the_page_takes_the_tables(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(f"before\n{tables.BEGIN}\nold\n{tables.END}\nafter\n")
    sizes, memory = [100, 10_000, 1_000_000], [1_000_000, None, 100_990_000]
    grown = [
        report.Scaling("B9", "n tokens", "pnsim", sizes, [20.0, 50.0, 100.0], memory),
        report.Scaling("B9", "n tokens", "simpy", sizes, [2000.0, None, 250.0], memory),
    ]
    found = report.Report({"B1": part(rows=[row(2.5e6)]), "B9": part(scaling=grown)})
    tables.renew_page(found, ["B1", "B9", "start"], page)
    text = page.read_text()
    assert "| B1 | ring | pnsim | 2.5 M firings/s | 0.5 | 1 % | 40 MB |" in text
    assert "| B9 | n tokens | pnsim | 100: 20 ns | 10 k: 50 ns | 1 M: 100 ns | 5.0 | 100 B |" in text
    assert "|  |  | simpy | 2,000 ns, × 100 | – | 250 ns, × 2.5 | 0.1 | 100 B |" in text
    assert "measured: 2026-01-31 · processor: abacus · load by others at the start: 0.5\n" in text
    assert "Not measured: start." in text
    assert "old" not in text
    assert text.endswith("after\n")


def test_the_page_keeps_what_was_not_measured(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The other figures of the page stay, with the day and the processor of each."""
    page, snapshot, output = (tmp_path / name for name in ("page.md", "snapshot.json", "latest.json"))
    page.write_text(f"{tables.BEGIN}{tables.END}")
    report.Report({"B1": part(rows=[row(1e6)]), "B2": part(rows=[row(2e6)])}).save(snapshot)
    later = {"measured": "2026-02-28", "processor": "slide rule"}
    report.Report({"B2": part(rows=[row(3e6)], conditions=later)}).save(output)
    monkeypatch.setattr(run, "SNAPSHOT", snapshot)
    monkeypatch.setattr(run, "renew_page", lambda found, wanted: tables.renew_page(found, wanted, page))
    assert run.main(["--page", "--output", str(output)]) == 0
    assert "B1 was not measured: it stays as of 2026-01-31" in capsys.readouterr().out
    text = page.read_text()
    assert "1 M firings/s" in text
    assert "2 M firings/s" not in text
    assert "3 M firings/s" in text
    assert "B1 · measured: 2026-01-31 · processor: abacus · " in text
    assert "B2 · measured: 2026-02-28 · processor: slide rule · " in text


def test_a_page_without_a_measurement_says_what_to_do(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run.main(["--page", "--output", str(tmp_path / "none.json")]) == 2
    assert "make bench" in capsys.readouterr().err
    (tmp_path / "old.json").write_text('{"rows": []}')
    assert run.main(["--page", "--output", str(tmp_path / "old.json")]) == 2
    assert "is not a report" in capsys.readouterr().err


def test_the_committed_figures_are_those_of_the_page() -> None:
    shown = tables.PAGE.read_text().split(tables.BEGIN)[1].split(tables.END)[0]
    assert shown.strip() == tables.markdown(report.read(report.SNAPSHOT), run.NAMES).strip()


@pytest.mark.slow
@pytest.mark.skipif(which(COMPILER) is None, reason="needs a C++ compiler")
def test_what_memory_costs() -> None:
    rows = memory.measure(loads=1000)
    assert [row["megabytes"] for row in rows] == [1, 4, 16, 64, 256]
    assert all(row[column] > 0 for row in rows for column in memory.COLUMNS)
