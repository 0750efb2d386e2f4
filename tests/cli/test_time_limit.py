"""`--time-limit`, and Ctrl-C where one firing takes longer than anybody waits: partial results are kept."""

from __future__ import annotations

import json
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import petri
from petri.engine.native import available
from tests.experiment.nets import QUEUE, write_net
from tests.processes import started

from .calling import Call

# No sum is below 0, so 3,000 tokens make 27,000,000,000 bindings to look at.
ENDLESS_SEARCH = """\
net searching
param numbers = 3000 in 1..3000
place clock = token
place p : int = (i) for i in 0..numbers-1
place out
transition tick: clock -> clock  takes exp(1)
transition find: clock, p(a), p(b), p(c) -> out, clock when a + b + c < 0
measure ticks = count(tick)
run until 10
"""
ENGINES = ["reference", *(["native"] if available() else [])]


@pytest.mark.parametrize("engine", ENGINES)
def test_a_search_for_bindings_ends_with_the_time(call: Call, write: Callable[..., str], engine: str) -> None:
    begun = time.monotonic()
    found = call("run", write(ENDLESS_SEARCH), "--engine", engine, "--time-limit", "0.2 s", "-n", "2")
    assert found.status == 130
    assert time.monotonic() - begun < 20
    assert "PARTIAL RESULTS: interrupted" in found.out
    assert "warning[time-over]: the time limit is over" in found.err
    assert "0 of 2 replications finished" in found.err


@pytest.mark.parametrize("engine", ENGINES)
def test_nothing_is_said_of_expectations_before_anything_was_measured(
    call: Call, write: Callable[..., str], engine: str
) -> None:
    text = "place p = token\ntransition t: p -> p takes exp(1)\nmeasure far = share(tokens(p) > 5)\n  expect == 0\n"
    net = write(f"{text}expect max(p) < 9\nrun until 1e12 warmup 9e11\n")
    found = call("run", net, "--engine", engine, "--time-limit", "0.2 s", "-n", "2")
    assert found.status == 130
    assert "PARTIAL RESULTS: interrupted before any replication finished" in found.out
    assert not {"✓", "hold", "far"} & set(found.out.replace("\n", " ").split())
    told = json.loads(call("run", net, "--engine", engine, "--time-limit", "0.2 s", "--json").out)
    assert (told["passed"], told["measures"][0]["expectations"][0]["passed"]) == (False, False)


@pytest.mark.slow
@pytest.mark.parametrize("engine", ENGINES)
def test_ctrl_c_is_answered_in_a_search_for_bindings(write: Callable[..., str], engine: str) -> None:
    pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with started("run", write(ENDLESS_SEARCH), "--engine", engine, **pipes) as process:
        time.sleep(2.0)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=30)
    assert process.returncode == 130
    assert "Traceback" not in out + err
    assert "error[interrupted]" in err


@pytest.mark.slow
@pytest.mark.skipif(not available(), reason="about machine code")
def test_machine_code_ends_a_search(write: Callable[..., str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Code is made after the first firings. Then tokens arrive, and the search after each takes longer and longer."""
    monkeypatch.setattr("petri.engine.native.PATIENCE", 1)
    text = ENDLESS_SEARCH.replace("place p : int = (i) for i in 0..numbers-1", "place p : int\nplace left : int = 0")
    text = text.replace("place clock", "place warm = 40_000 * token\nplace clock").replace(
        "measure ticks",
        "transition warm_up: warm -> nothing priority 2\n"
        "transition fill: left(k), no warm -> left(k + 1), p(k) when k < numbers priority 1\nmeasure ticks",
    )
    begun = time.monotonic()
    result = petri.load(write(text)).run(engine="native", time_limit=3)
    assert result.interrupted
    assert result.failure is None
    assert result.replications[0].firings > 40_000
    assert time.monotonic() - begun < 30


def test_the_figures_up_to_then_are_kept(call: Call) -> None:
    found = call("run", "mm1", "--until", "1e12", "--time-limit", "0.1", "--engine", "reference")
    assert found.status == 130
    assert "PARTIAL RESULTS" in found.out
    assert "customers" in found.out


def test_a_run_that_is_done_in_time(call: Call, write: Callable[..., str]) -> None:
    found = call("run", write(QUEUE), "--time-limit", "10 min", "--engine", "reference", "-q")
    assert found.status == 0
    assert found.err == ""


def test_a_warm_up_that_is_not_found_in_time(call: Call) -> None:
    found = call("run", "mm1", "--until", "1e12", "--warmup", "auto", "--time-limit", "0.1", "--engine", "reference")
    assert found.status == 130


@pytest.mark.slow
def test_a_sweep_keeps_what_is_stored(call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_net(tmp_path, QUEUE)
    options = ("queue.net", "--grid", "load=0.3,0.6", "-n", "400", "--engine", "reference", "--workers", "1")
    found = call("sweep", *options, "--until", "500", "--time-limit", "2", "-q")
    assert found.status == 130
    assert "warning[time-over]" in found.err
    assert "kept in `queue-sweep.db`" in found.err
    assert (tmp_path / "queue-sweep.db").exists()


@pytest.mark.slow
def test_a_search_says_how_far_it_came(call: Call, tmp_path: Path) -> None:
    net = str(write_net(tmp_path, QUEUE))
    options = ("--find", "load", "--in", "0.1..0.9", "--while", "customers < 2", "--until", "1e9")
    found = call("search", net, *options, "--engine", "reference", "--time-limit", "1", "-q")
    assert found.status == 130
    assert "unfinished" in found.out
    assert "error[search-interrupted]: interrupted; 0 values decided" in found.err


@pytest.mark.slow
def test_a_validation_stops(call: Call, tmp_path: Path) -> None:
    study = tmp_path / "study"
    study.mkdir()
    net = Path(write_net(study, QUEUE)).name
    (study / "figure_1.yaml").write_text(f"net: {net}\nreplications: 500\n", encoding="utf-8")
    options = ("--folder", str(tmp_path), "--stores", str(tmp_path / "stores"), "--engine", "reference")
    found = call("validate", "all", *options, "--workers", "1", "--time-limit", "1", "-q")
    assert found.status == 130
    assert "warning[time-over]" in found.err


@pytest.mark.parametrize("text", ["soon", "0", "-3", "5 Gbps", ""])
def test_what_is_not_a_time_limit(call: Call, text: str) -> None:
    found = call("run", "mm1", f"--time-limit={text}")
    assert found.status == 2
    assert "error[time-limit-form]" in found.err


@pytest.mark.parametrize("option", ["--warmup=-3", "--until=-3"])
def test_time_begins_at_zero(call: Call, option: str) -> None:
    found = call("run", "mm1", option)
    assert found.status == 2
    assert "error[run-below-zero]" in found.err
    assert "is -3, and time begins at 0" in found.err
    assert call("sweep", "mm1", "--grid", "load=0.5", option).status != 0


def test_an_error_names_the_option_that_was_given(call: Call) -> None:
    found = call("why", "mm1", "--at=-3")
    assert found.status == 2
    assert "`at` is -3, and time begins at 0" in found.err


@pytest.mark.parametrize("at", ["0", "dead", "-1"])
def test_exact_figures_need_an_instant_after_the_start(call: Call, at: str) -> None:
    found = call("solve", "mm1k", f"--at={at}")
    assert found.status == 2
    assert f"`{at}` is not an instant up to which figures can be computed" in found.err


def test_a_warm_up_beyond_the_end_is_told_as_it_was_given(call: Call) -> None:
    found = call("run", "mm1", "--until", "1e3", "--warmup", "2e3")
    assert found.status == 2
    assert "the warm-up (2e3) must be shorter than the run (1e3)" in found.err
