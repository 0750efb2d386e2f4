"""What people try at the command line in their first hour: stdin, folders, completion, JSON, new nets."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import IO

import pytest

from petri import library
from petri.live.watching import files_named
from petri.report.telling.progress import Remaining, left_text
from petri.version import VERSION
from tests.sampling import one_in

from .calling import Call

TEXT = """net lamp
param n = 2 in 1..9  ## lamps
place off = n * token
place on
transition light: off -> on  takes 1
run until 10
"""
UNTIDY = TEXT.replace("n * token", "n*token")
GROWING = """net growing
place source = token
place queue
place server = token
transition arrive: source -> source, queue takes exp(1)
transition serve: queue, server -> server takes exp(1.5)
run until 20000 seed 1
"""


@pytest.fixture
def stdin(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(TEXT.encode())))


@pytest.mark.usefixtures("stdin")
@pytest.mark.parametrize("command", ["run", "check", "info", "flat", "draw", "fmt", "why"])
def test_every_command_that_reads_a_net_reads_stdin(call: Call, command: str) -> None:
    outcome = call(command, "-")
    assert outcome.status == 0
    shown = outcome.err if command == "check" else outcome.out
    assert ("<stdin>: " if command == "check" else "lamp") in shown


@pytest.mark.usefixtures("stdin")
def test_a_setting_applies_to_a_net_on_stdin(call: Call) -> None:
    assert "4" in next(line for line in call("info", "-", "--set", "n=4").out.splitlines() if line.startswith("off"))


@pytest.mark.usefixtures("stdin")
def test_a_sweep_of_a_net_on_stdin(call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    outcome = call("sweep", "-", "--grid", "n=2,3", "-n", "2", "--json", "-q")
    assert outcome.status == 0, outcome.err
    assert [point["parameters"] for point in json.loads(outcome.out)["points"]] == [{"n": 2}, {"n": 3}]
    assert (tmp_path / "stdin-sweep.db").exists()


def test_the_version_and_the_manual(call: Call) -> None:
    assert call("-V").out == f"pnsim {VERSION}\n"
    assert call("help", "run").out == call("run", "--help").out
    assert call("help").out.startswith(call("--help").out)
    assert "language/values, live, measures, models/accelerators, models/dynamic-buffering" in call("help").out
    page = Path(library.pages()["report"]).read_text(encoding="utf-8")
    assert call("help", "report.md").out == page
    assert call("help", "report").out == call("report", "--help").out
    assert "did you mean `pnsim run`?" in call("help", "runn").err


def test_the_list_and_the_information_as_json(call: Call) -> None:
    listed = json.loads(call("list", "--json").out)
    assert [one["name"] for one in listed] == library.net_names()
    assert all(one["doc"] for one in listed)
    told = json.loads(call("info", "mm1", "--json").out)
    assert told["name"] == "mm1"
    assert [one["name"] for one in told["parameters"]] == ["load"]
    assert {"name", "takes", "when", "doc"} == set(told["transitions"][0])


def folder(tmp_path: Path) -> Path:
    for name in ("a.net", "deep/er/b.net", ".hidden/c.net", "notes.txt"):
        path = tmp_path / "nets" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(UNTIDY, encoding="utf-8")
    return tmp_path / "nets"


def test_check_and_fmt_walk_folders(call: Call, tmp_path: Path) -> None:
    top = folder(tmp_path)
    checked = json.loads(call("check", str(top), "--format", "json").out)
    assert [one["file"] for one in checked] == [str(top / "a.net"), str(top / "deep/er/b.net")]
    assert call("fmt", str(top)).status == 0
    assert (top / "deep/er/b.net").read_text(encoding="utf-8") == TEXT
    assert (top / ".hidden/c.net").read_text(encoding="utf-8") == UNTIDY


def test_fmt_shows_what_it_would_change(call: Call, tmp_path: Path) -> None:
    path = folder(tmp_path) / "a.net"
    outcome = call("fmt", "--diff", str(path))
    assert outcome.status == 1
    assert "-place off = n*token\n+place off = n * token\n" in outcome.out
    assert path.read_text(encoding="utf-8") == UNTIDY
    path.write_text(TEXT, encoding="utf-8")
    assert call("fmt", "--diff", str(path)) == type(outcome)(0, "", "")


def test_a_fresh_sweep_runs_everything_again(call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("lamp.net").write_text(TEXT, encoding="utf-8")
    sweep = ("sweep", "lamp.net", "--grid", "n=2,3", "-n", "2", "-q", "--seed")
    assert call(*sweep, "1").status == 0
    assert call(*sweep, "2").status == 2  # the store is of another seed
    assert call(*sweep, "2", "--fresh").status == 0


def test_a_fresh_sweep_removes_nothing_but_a_store(call: Call, tmp_path: Path) -> None:
    text = tmp_path / "thesis.txt"
    text.write_text("years of work", encoding="utf-8")
    outcome = call("sweep", "mm1", "--grid", "load=0.5", "--fresh", "--store", str(text))
    assert outcome.status == 2
    assert "not-a-store" in outcome.err
    assert text.read_text(encoding="utf-8") == "years of work"


def test_quiet_hides_the_notes(call: Call, tmp_path: Path) -> None:
    path = tmp_path / "growing.net"
    path.write_text(GROWING, encoding="utf-8")
    assert "place-grows-steadily" in call("run", str(path)).err
    assert call("run", str(path), "-q").err == ""


def test_colour_can_be_forced(call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "wrong.net"
    path.write_text("net wrong\nplace", encoding="utf-8")
    assert "\x1b[" not in call("check", str(path)).out
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert "\x1b[" in call("check", str(path)).out
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[" not in call("check", str(path)).out


def test_the_time_that_remains_never_grows() -> None:
    """Replications that start one after the other make the share of those that run jump back."""
    remaining = Remaining()
    started = time.monotonic()
    seen = []
    for second, share in enumerate([0.1, 0.3, 0.25, 0.5, 0.2, 0.9, 0.89], 2):
        remaining.look(share, started + second)
        seen.append((remaining.share, -remaining.seconds))
    assert seen == sorted(seen)
    assert remaining.text().endswith("s left")


def test_a_long_time_that_remains_is_told_in_days_and_years() -> None:
    """As of `--until '1e30 h'`."""
    seconds = (7, 127, 3727, 100_000, 300_000, 1e8, 1e25)
    assert [left_text(one) for one in seconds] == [
        "7 s left", "2:07 left", "1:02:07 left", "27:46:40 left", "3 days left", "3 years left",
        "more than 100 years left",
    ]  # fmt: skip


def test_the_shell_completes_commands_nets_and_parameters() -> None:
    environment = {**os.environ, "COMP_WORDS": "pnsim run mm", "COMP_CWORD": "2", "_PNSIM_COMPLETE": "bash_complete"}
    script = "from pnsim.main import main; main()"

    def complete(line: str, word: int) -> list[str]:
        environment.update(COMP_WORDS=line, COMP_CWORD=str(word))
        done = subprocess.run(
            [sys.executable, "-c", f"import sys; sys.argv = ['pnsim']; {script}"],
            env=environment, capture_output=True, text=True, check=False,
        )  # fmt: skip
        return [entry.partition(",")[2] for entry in done.stdout.splitlines()]

    assert "sweep" in complete("pnsim sw", 1)
    assert {"mm1", "mmc"} <= set(complete("pnsim run mm", 2))
    assert complete("pnsim run mm1 --set l", 4) == ["load="]


def test_a_new_net(call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert call("new", "bank", "--pattern", "mm1").status == 0
    assert "\nnet bank\n" in Path("bank.net").read_text(encoding="utf-8")
    assert call("check", "bank.net").err == "bank.net: no problems found\n"
    assert "new-exists" in call("new", "bank").err
    assert "unknown-pattern" in call("new", "other", "--pattern", "nothing").err
    assert "new-name" in call("new", "../other").err


@pytest.mark.parametrize("pattern", one_in(4, library.net_names()))
def test_every_pattern_is_copied_whole_or_refused(
    call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pattern: str
) -> None:
    monkeypatch.chdir(tmp_path)
    outcome = call("new", "copy", "--pattern", pattern)
    assert outcome.status == 0 or "pattern-with-files" in outcome.err
    if outcome.status == 0:
        assert call("check", "copy.net").status == 0


@pytest.mark.slow
def test_watching_runs_again_after_a_change(tmp_path: Path) -> None:
    path = tmp_path / "lamp.net"
    path.write_text(TEXT, encoding="utf-8")
    script = "import sys; from pnsim.main import main; main(sys.argv[1:])"
    watching = subprocess.Popen(
        [sys.executable, "-c", script, "watch", str(path), "--until", "5"],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )  # fmt: skip
    try:
        assert watching.stdout is not None
        assert "lamp" in until(watching.stdout, "watching")
        path.write_text(TEXT.replace("place on", "plaice on"), encoding="utf-8")
        assert "did you mean `place`?" in until(watching.stdout, "watching")
    finally:
        watching.kill()
        watching.communicate()


def test_what_is_watched_is_what_the_net_reads(tmp_path: Path) -> None:
    (tmp_path / "parts").mkdir()
    net, part, deeper = tmp_path / "lamp.net", tmp_path / "parts" / "part.net", tmp_path / "parts" / "deeper.net"
    net.write_text(
        'import "parts/part.net"\nimport traffic.steady as voice\nnonsense "a \x00.net" table("sizes.csv")\n'
    )
    part.write_text('import "deeper.net"\nimport "../lamp.net"')
    deeper.write_text('table("../sizes.csv")')
    (tmp_path / "beside.net").write_text("net beside")
    found = files_named(net)
    for wanted in (net, part, deeper, tmp_path / "sizes.csv"):
        assert found.count(wanted) == 1
    assert Path(library.module("traffic.steady") or "") in found
    assert tmp_path / "beside.net" not in found


@pytest.mark.slow
def test_watching_runs_again_after_a_change_of_an_import_and_of_a_table(tmp_path: Path) -> None:
    (tmp_path / "parts").mkdir()
    part, path, table = tmp_path / "parts" / "part.net", tmp_path / "lamp.net", tmp_path / "mine.csv"
    part.write_text("const glow = 1\n", encoding="utf-8")
    path.write_text('import "parts/part.net"\n' + TEXT.replace("takes 1", "takes glow"), encoding="utf-8")
    table.write_text("size\n1\n", encoding="utf-8")
    script = "import sys; from pnsim.main import main; main(sys.argv[1:])"
    watching = subprocess.Popen(
        [sys.executable, "-c", script, "watch", str(path), "--until", "5", f"--table=sizes.csv={table}"],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )  # fmt: skip
    try:
        assert watching.stdout is not None
        assert "and 2 files that it reads; Ctrl-C ends it" in until(watching.stdout, "watching")
        part.write_text("constant glow = 1\n", encoding="utf-8")
        assert "did you mean `const`?" in until(watching.stdout, "watching")
        table.write_text("size\n20\n", encoding="utf-8")
        assert "did you mean `const`?" in until(watching.stdout, "watching")
    finally:
        watching.kill()
        watching.communicate()


def until(lines: IO[str], mark: str) -> str:
    """Return the lines up to one that begins with the mark."""
    found = ""
    for line in lines:
        found += line
        if line.startswith(mark):
            break
    return found
