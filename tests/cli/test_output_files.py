"""Every file that a command writes, on a disk that fails at any step: the old file or the new one, and no litter."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.processes import PNSIM, started
from tests.test_atomic_file import failing_disk

from .calling import Call

NET = """net   slow
place p = token
transition t: p -> p  takes exp(1)
measure speed = rate(t)
run until 100 replications 2
"""
OLD = "what was there before"
WRITING = {
    "net.net": ["fmt", "net.net"],
    "run.html": ["run", "net.net", "--quiet", "--report", "run.html"],
    "trace.csv": ["run", "net.net", "--quiet", "--trace", "trace.csv"],
    "trace.vcd": ["run", "net.net", "--quiet", "--trace", "trace.vcd"],
    "trace.json": ["run", "net.net", "--quiet", "--trace", "trace.json"],
    "trace.parquet": ["run", "net.net", "--quiet", "--trace", "trace.parquet"],
    "net.svg": ["draw", "net.net", "-o", "net.svg"],
    "net.html": ["play", "net.net", "-o", "net.html", "--firings", "20"],
    "net.dot": ["draw", "net.net", "-o", "net.dot"],
    "points.csv": ["sweep", "e.yaml", "--quiet", "--export", "points.csv"],
    "points.parquet": ["sweep", "e.yaml", "--quiet", "--export", "points.parquet"],
    "sweep.html": ["sweep", "e.yaml", "--quiet", "--report", "sweep.html"],
    "e.html": ["report", "e.db"],
}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("net.net").write_text(NET, encoding="utf-8")
    Path("e.yaml").write_text("net: net.net\nreplications: 2\n", encoding="utf-8")


@pytest.mark.parametrize("file", WRITING)
def test_the_old_file_stays_until_the_new_one_is_whole(call: Call, file: str) -> None:
    if file.endswith(".parquet"):
        pytest.importorskip("pyarrow")
    if file == "e.html":
        call("sweep", "e.yaml", "--quiet")
    else:
        Path(file).write_text(NET if file == "net.net" else OLD, encoding="utf-8")
    before = Path(file).read_bytes() if Path(file).exists() else None
    steps = 0
    while True:
        steps += 1
        with failing_disk(steps, piece=1_000_000) as disk:
            found = call(*WRITING[file])
        assert not [name for name in os.listdir() if name.endswith(".tmp")]
        after = Path(file).read_bytes() if Path(file).exists() else None
        if not disk.failed:
            break
        assert found.status != 0
        assert "cannot be written: No space left on device" in found.err
        if after != before:  # only the folder could not be synced
            break
    assert after not in (before, b"")
    assert steps > 3


@contextmanager
def largest_file(size: int) -> Iterator[None]:
    """Files grow no further; Python ignores the signal that would come of it."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_a_large_net_survives_a_full_disk(call: Call) -> None:
    text = NET + "".join(f"place   q{number}\n" for number in range(500))
    Path("net.net").write_text(text, encoding="utf-8")
    with largest_file(5_000):
        found = call("fmt", "net.net")
    assert found.status == 2
    assert "cannot be written: File too large" in found.err
    assert Path("net.net").read_text(encoding="utf-8") == text
    assert call("fmt", "net.net").status == 0


def test_a_page_that_cannot_be_written_does_not_hide_the_figures(call: Call) -> None:
    with largest_file(5_000):
        found = call("run", "net.net", "--report", "r.html")
    assert found.status == 3
    assert "speed" in found.out
    assert "`r.html` cannot be written" in found.err
    assert not Path("r.html").exists()


def test_an_export_that_cannot_be_written_does_not_hide_the_figures(call: Call) -> None:
    rated = "param rate = 1.0 in 0.1..9\n" + NET.replace("exp(1)", "exp(1 / rate)")
    Path("rated.net").write_text(rated, encoding="utf-8")
    search = ("search", "rated.net", "--find", "rate", "--in", "1..4", "--while", "speed < 2.5", "--resolution", "0.5")
    with largest_file(200):
        found = call(*search, "--export", "runs.csv", "-q")
    assert found.status == 3
    assert "speed" in found.out
    assert "`runs.csv` cannot be written: File too large" in found.err
    assert not Path("runs.csv").exists()


@pytest.mark.parametrize("command", [("search", "mm1k"), ("sweep", "mm1"), ("rfc2544", "ixp2400")])
def test_an_export_without_a_folder_is_refused_before_anything_runs(call: Call, command: tuple[str, str]) -> None:
    found = call(*command, "--export", "nowhere/runs.csv")
    assert (found.status, found.out) == (2, "")
    assert "`nowhere/runs.csv` cannot be written: there is no such folder" in found.err


@pytest.mark.parametrize(
    ("path", "reason"), [("nowhere/s.pnsim", "there is no such folder"), ("folder", "it is a folder")]
)
def test_a_state_without_a_place_is_refused_before_anything_runs(call: Call, path: str, reason: str) -> None:
    Path("folder").mkdir()
    found = call("run", "net.net", "--save-at", "5", path)
    assert (found.status, found.out) == (2, "")
    assert f"`{path}` cannot be written: {reason}" in found.err


@pytest.mark.parametrize(
    "command",
    [("run", "net.net", "--save-at", "5"), ("export", "net.net", "--format", "dot", "-o"), ("import", "net.net", "-o")],
)
def test_what_is_read_is_not_replaced(call: Call, command: tuple[str, ...]) -> None:
    Path("link.net").symlink_to("net.net")
    found = call(*command, "link.net")
    assert (found.status, found.out) == (2, "")
    assert "`link.net` is read here, and the output would replace it" in found.err
    assert Path("net.net").read_text(encoding="utf-8") == NET


def test_an_output_named_by_a_hyphen_is_printed(call: Call) -> None:
    printed = call("export", "net.net", "--format", "dot", "-o", "-")
    assert printed.out == call("export", "net.net", "--format", "dot").out != ""
    assert not Path("-").exists()


@pytest.mark.parametrize("until", ["100", "1e7"])
def test_the_figures_are_shown_of_a_run_whose_trace_cannot_be_written(call: Call, until: str) -> None:
    Path("t.csv").symlink_to("/dev/full")
    found = call("run", "net.net", "--quiet", "--until", until, "--trace", "t.csv")
    assert found.status == 3
    assert "speed" in found.out
    assert found.err.count("error[output-unwritable]: `t.csv` cannot be written") == 1


def test_a_killed_run_leaves_the_old_trace() -> None:
    Path("net.net").write_text(NET.replace("until 100", "until 1e15"), encoding="utf-8")
    Path("trace.csv").write_text(OLD, encoding="utf-8")
    with started("run", "net.net", "--trace", "trace.csv", stdout=subprocess.DEVNULL) as process:
        limit = time.monotonic() + 30
        while time.monotonic() < limit and not any(file.stat().st_size > 5000 for file in Path().glob(".trace*.tmp")):
            time.sleep(0.02)
        process.send_signal(signal.SIGKILL)
    assert Path("trace.csv").read_text(encoding="utf-8") == OLD


def test_a_trace_and_a_page_can_go_to_a_device_or_a_link() -> None:
    Path("t.csv").symlink_to("/dev/stdout")
    Path("there.html").write_text(OLD, encoding="utf-8")
    Path("r.html").symlink_to("there.html")
    arguments = ["run", "net.net", "--trace", "t.csv", "--report", "r.html"]
    done = subprocess.run([*PNSIM, *arguments], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.startswith("replication,start,end,transition,binding\n0,0.0,")
    assert "Measures" in done.stdout
    assert Path("r.html").is_symlink()
    assert Path("there.html").read_text(encoding="utf-8").endswith("</html>\n")
