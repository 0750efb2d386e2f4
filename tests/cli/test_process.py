"""The command line as a process of its own: signals, closed pipes, the progress line, and how fast it starts."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage
from typing import Any

import pytest

from petri.engine.native import available
from tests.processes import PNSIM, started
from tests.sampling import one_in

PIPES: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
ENDLESS = """net endless
place p = token
transition t: p -> p takes exp(1)
measure speed = rate(t)
run until 1e15 replications 3
"""


@pytest.fixture
def endless(tmp_path: Path) -> str:
    path = tmp_path / "endless.net"
    path.write_text(ENDLESS, encoding="utf-8")
    return str(path)


def interrupt_when_running(process: subprocess.Popen[str], trace: Path) -> None:
    """Ctrl-C, once the first firings have been written, to the temporary file of the trace."""
    limit = time.monotonic() + 30
    while time.monotonic() < limit and not any(
        file.stat().st_size > 5000 for file in trace.parent.glob(f".{trace.name}.*.tmp")
    ):
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)


CTRL_C_AS_RICH_LOADS = """
import os, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # which a process in the background ignores
class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == "rich.console":
            os.kill(os.getpid(), signal.SIGINT)
sys.meta_path.insert(0, Finder())
from pnsim.main import main
main(["--version"])
"""


def test_ctrl_c_as_the_command_line_loads_shows_no_traceback() -> None:
    ran = subprocess.run([sys.executable, "-c", CTRL_C_AS_RICH_LOADS], capture_output=True, text=True, timeout=30)
    assert (ran.returncode, ran.stdout, ran.stderr) == (-signal.SIGINT, "", "")


def test_ctrl_c_keeps_what_there_is(endless: str, tmp_path: Path) -> None:
    trace = tmp_path / "trace.csv"
    with started("run", endless, "--trace", str(trace), **PIPES) as process:
        interrupt_when_running(process, trace)
        out, err = process.communicate(timeout=30)
    assert process.returncode == 130
    assert "PARTIAL RESULTS: interrupted" in out
    assert re.search(r"speed +\S+", out)
    assert "error[interrupted]: interrupted" in err
    assert "0 of 3 replications finished" in err
    assert "Traceback" not in out + err
    assert trace.stat().st_size > 5000
    assert sorted(os.listdir(tmp_path)) == ["endless.net", "trace.csv"]


def test_ctrl_c_while_the_program_starts(endless: str) -> None:
    with started("run", endless, **PIPES) as process:
        time.sleep(0.15)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=30)
    if process.returncode == 1 and "__main__.py" not in err:
        pytest.skip("Python had not begun the program")
    assert process.returncode in (130, -signal.SIGINT)
    assert process.returncode == -signal.SIGINT or "Traceback" not in err


@pytest.mark.parametrize(
    "arguments", one_in(4, [["run", "mm1"], ["flat", "ixp2400"], ["run", "mm1", "--json"], ["list"]])
)
def test_a_closed_pipe_is_no_error(arguments: list[str]) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "wb") as closed:
        done = subprocess.run([*PNSIM, *arguments], stdout=closed, stderr=subprocess.PIPE, text=True, timeout=60)
    assert done.returncode == 0
    assert [line for line in done.stderr.splitlines() if "reference" not in line] == []


def read_terminal(master: int, process: subprocess.Popen[bytes], enough: str) -> str:
    """Return what appears on a terminal, up to some text or the end of the process."""
    seen = ""
    limit = time.monotonic() + 40
    while time.monotonic() < limit:
        ready, _, _ = select.select([master], [], [], 0.1)
        if ready:
            try:
                seen += os.read(master, 65536).decode(errors="replace")
            except OSError:
                break
        if enough in seen or (not ready and process.poll() is not None):
            break
    return seen


def test_the_progress_line_is_shown_on_a_terminal_and_wiped(endless: str) -> None:
    master, slave = pty.openpty()
    environment = {**os.environ, "TERM": "xterm"}
    with started("run", endless, stdout=subprocess.DEVNULL, stderr=slave, env=environment) as process:
        os.close(slave)
        seen = read_terminal(master, process, "firings/s")
        process.send_signal(signal.SIGINT)
        seen += read_terminal(master, process, "interrupted")
        process.wait(timeout=30)
    os.close(master)
    assert "of 1e15" in seen or "of 1,000,000,000,000,000" in seen or "of 1.00e15" in seen
    assert "0 of 3 done" in seen
    assert "\r\x1b[2K" in seen[: seen.index("interrupted")].rpartition("done")[2]


def test_no_progress_line_without_a_terminal() -> None:
    done = subprocess.run([*PNSIM, "run", "mm1", "-q"], capture_output=True, text=True, timeout=60, check=True)
    assert done.stderr == ""
    assert "\x1b" not in done.stdout


def modules_after(*command: str) -> list[str]:
    """Return what a process has loaded in the end, of which Python itself loads some dozens."""
    code = f"import sys\nfrom pnsim.main import main\ntry: main({list(command)})\nfinally: print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    return done.stdout.splitlines()[-1].split()


def test_help_loads_neither_the_language_nor_numpy() -> None:
    assert {"numpy", "lark", "petri.language.syntax"}.isdisjoint(modules_after("--help"))


def test_a_run_loads_no_extra_and_no_networkx() -> None:
    extras = {"dask", "ipywidgets", "networkx", "pandas", "plotly", "polars", "pyarrow", "pygls", "scipy", "xarray"}
    assert extras.isdisjoint(modules_after("run", "mm1", "-q"))


def processor_time(*command: str) -> float:
    """Seconds of a process, user and system."""
    before = getrusage(RUSAGE_CHILDREN)  # exact; `os.times` counts hundredths of a second
    subprocess.run([sys.executable, *command], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    after = getrusage(RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


@pytest.mark.slow
@pytest.mark.skipif(not available(), reason="the reference engine needs longer")
def test_a_short_run_takes_not_much_longer_than_a_start_of_python() -> None:
    """Twenty-five times as long, most of it numpy, click and rich; the least of some is steady."""
    pairs = [(processor_time("-c", ""), processor_time("-m", "pnsim", "run", "mm1", "-q")) for _ in range(8)]
    bare, run = map(min, zip(*pairs, strict=True))
    assert run < 40.0 * bare


def test_the_modules_run_as_a_program() -> None:
    done = subprocess.run([*PNSIM, "--version"], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.startswith("pnsim ")


@pytest.mark.slow
@pytest.mark.parametrize("columns", [60, 80])
def test_no_line_is_wider_than_a_real_terminal(columns: int) -> None:
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
    environment = {**os.environ, "TERM": "xterm", "NO_COLOR": "1"}
    environment.pop("COLUMNS", None)
    command = ["run", "ixp2400", "--set", "packets=200", "--engine", "reference"]
    with started(*command, stdout=slave, stderr=slave, env=environment) as process:
        os.close(slave)
        seen = read_terminal(master, process, "expectations hold")
        process.wait(timeout=60)
    os.close(master)
    lines = re.split(r"[\r\n]+", re.sub(r"\x1b\[[\d;]*[A-Za-z]", "", seen))
    assert any("firings/s" in line for line in lines)
    assert max(map(len, lines)) <= columns
    assert re.search(r"source\.emit +\d", seen)
    assert re.search(r"expect +200\b", seen)


def test_the_end_waits_for_threads_and_for_whoever_asked_to_be_called() -> None:
    code = """
import atexit, sys, threading, time
from pnsim.main import main
atexit.register(print, "called")
threading.Thread(target=lambda: (time.sleep(0.1), print("thread"))).start()
sys.argv = ["pnsim", "--version"]
main()
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.splitlines()[1:] == ["thread", "called"]
