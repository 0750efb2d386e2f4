"""Standard streams that are closed, full, or of an encoding without `±`: one message, and the files are written."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.processes import PNSIM
from tests.sampling import one_in

NET = """
net slow
place p = token
transition t: p -> p  takes exp(1)
## µ, the speed
measure speed = rate(t)
expect speed > {least}
run until 100 replications 2
"""
FULL = "error[output-unwritable]: `stdout` cannot be written: No space left on device\n"
PRINTING = [["run", "net.net"], ["run", "net.net", "--json"], ["info", "net.net"], ["flat", "net.net"], ["list"]]
PRINTING += [["draw", "net.net"], ["fmt", "--stdout", "net.net"], ["check", "wrong.net"], ["--help"], ["--version"]]
PRINTING += [["run", "--help"]]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("net.net").write_text(NET.format(least=0.1), encoding="utf-8")
    Path("unmet.net").write_text(NET.format(least=100), encoding="utf-8")
    Path("wrong.net").write_text("net wrong\nplace p = 1\n", encoding="utf-8")


def pnsim(*arguments: str, **settings: Any) -> subprocess.CompletedProcess[str]:
    settings = {"stderr": subprocess.PIPE, "encoding": "utf-8", "timeout": 60, **settings}
    return subprocess.run([*PNSIM, *arguments], **settings)


@pytest.mark.parametrize("arguments", one_in(6, PRINTING, " ".join))
def test_a_full_disk_is_told_in_one_line(arguments: list[str]) -> None:
    with open("/dev/full", "wb") as full:
        done = pnsim(*arguments, stdout=full)
    assert (done.returncode, done.stderr) == (3, FULL)


def closed(*descriptors: int) -> dict[str, Any]:
    """Return settings of a process that begins without these."""

    def close() -> None:
        for descriptor in descriptors:
            os.close(descriptor)

    return {"preexec_fn": close}


def test_a_closed_stdout_is_told_in_one_line() -> None:
    done = pnsim("run", "net.net", **closed(1))
    assert (done.returncode, done.stderr) == (3, FULL.replace("No space left on device", "Bad file descriptor"))


def test_who_has_nothing_to_print_needs_no_stdout() -> None:
    done = pnsim("fmt", "net.net", **closed(1))
    assert done.returncode == 0
    assert Path("net.net").read_text(encoding="utf-8").startswith("net slow")


def test_a_closed_or_full_stderr_is_no_error() -> None:
    for settings in ({"stderr": None, **closed(2)}, {"stderr": open("/dev/full", "wb")}):  # noqa: SIM115
        done = pnsim("check", "net.net", "wrong.net", stdout=subprocess.PIPE, **settings)
        assert done.returncode == 1
        assert "error[initial-of-black]" in done.stdout
        assert "no problems found" not in done.stdout


@pytest.mark.slow
def test_a_full_stdout_does_not_keep_the_files_from_being_written() -> None:
    with open("/dev/full", "wb") as full:
        done = pnsim("run", "net.net", "--report", "r.html", "--trace", "t.csv", stdout=full)
    assert done.returncode == 3
    assert Path("r.html").read_text(encoding="utf-8").endswith("</html>\n")
    assert len(Path("t.csv").read_text(encoding="utf-8").splitlines()) > 100


@pytest.mark.slow
@pytest.mark.parametrize(("net", "status"), [("net.net", 0), ("unmet.net", 1)])
def test_a_closed_pipe_ends_the_printing_only(net: str, status: int) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "wb") as pipe:
        done = pnsim("run", net, "--report", "r.html", "--quiet", stdout=pipe)
        swept = pnsim("sweep", net, "--grid", "x=1", "--report", "s.html", "--quiet", stdout=pipe)
        checked = pnsim("check", "wrong.net", stdout=pipe)
    assert (done.returncode, done.stderr) == (status, "")
    assert Path("r.html").read_text(encoding="utf-8").endswith("</html>\n")
    assert swept.returncode == 2  # no such parameter
    assert checked.returncode == 1


@pytest.mark.slow
@pytest.mark.parametrize("encoding", one_in(4, ["ascii", "cp1252", "latin-1", "utf-8"]))
def test_an_encoding_without_the_signs_has_plain_ones(encoding: str) -> None:
    environment = {**os.environ, "LC_ALL": "C", "PYTHONIOENCODING": encoding}
    done = pnsim("run", "net.net", "--quiet", stdout=subprocess.PIPE, env=environment, encoding=encoding)
    assert (done.returncode, done.stderr) == (0, "")
    wide = encoding == "utf-8"
    assert ("✓ the expectation holds" if wide else "ok the expectation holds") in done.stdout
    assert (" +- " if encoding == "ascii" else " ± ") in done.stdout
    lines = done.stdout.splitlines()
    table = lines[next(number for number, line in enumerate(lines) if line.startswith("Places")) :][:2]
    assert len(table[0].rstrip()) == len(table[1].rstrip())  # in columns all the same
    found = pnsim("run", "net.net", "--json", stdout=subprocess.PIPE, env=environment, encoding=encoding).stdout
    assert "µ" in json.dumps(json.loads(found), ensure_ascii=False)
    assert found.isascii() == (not wide)


def test_a_net_is_utf8_whatever_the_terminal_speaks() -> None:
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    text = Path("net.net").read_bytes()
    done = subprocess.run([*PNSIM, "fmt", "-"], input=text, capture_output=True, env=environment, timeout=60)
    assert done.stderr == b""
    assert "## µ, the speed".encode() in done.stdout
