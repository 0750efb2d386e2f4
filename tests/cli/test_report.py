"""`pnsim report`, `--report` and `--trace` as a user calls them."""

from __future__ import annotations

import builtins
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from .calling import Call

Write = Callable[..., str]

NET = """net small
param a = 2
place p = token
transition t: p -> p takes exp(a)
measure speed = rate(t)
run until 200
"""


def test_a_page_of_a_run_and_of_its_json(call: Call, write: Write, tmp_path: Path) -> None:
    net, page, recorded = write(NET), tmp_path / "page.html", tmp_path / "result.json"
    assert call("run", net, "--report", str(page), "--quiet").status == 0
    assert page.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    recorded.write_text(call("run", net, "--json", "--quiet").out, encoding="utf-8")
    outcome = call("report", str(recorded))
    assert outcome.status == 0
    assert "result.html" in outcome.err
    assert outcome.out == ""
    assert "small" in (tmp_path / "result.html").read_text(encoding="utf-8")


def test_a_page_of_a_sweep_and_of_its_store(call: Call, write: Write, tmp_path: Path) -> None:
    first, second, store = tmp_path / "first.html", tmp_path / "second.html", tmp_path / "s.db"
    options = ["--grid", "a=1,2,3", "-n", "2", "--store", str(store), "--report", str(first), "--quiet"]
    assert call("sweep", write(NET), *options).status == 0
    assert call("report", str(store), "-o", str(second)).status == 0
    assert first.read_text(encoding="utf-8") == second.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("{", "it is not JSON"),
        ('{"net": "x"}', "it is JSON, but not of a result"),
        ('{"net": "x", "manifest": {}, "replications": [], "measures": []}', "it is damaged"),
        ('{"net": "x", "manifest": {}, "replications": [], "measures": [], "packed": "AAAA"}', "it is damaged"),
    ],
)
def test_what_is_no_result_is_refused(call: Call, tmp_path: Path, content: str, said: str) -> None:
    path = tmp_path / "x.json"
    path.write_text(content, encoding="utf-8")
    outcome = call("report", str(path))
    assert outcome.status == 2
    assert said in outcome.err
    assert not (tmp_path / "x.html").exists()


def test_names_that_no_page_should_have(call: Call, write: Write, tmp_path: Path) -> None:
    net = write(NET)
    for name, said in (("page.pdf", "did you mean"), ("nowhere/page.html", "there is no such folder")):
        outcome = call("run", net, "--report", str(tmp_path / name))
        assert outcome.status == 2, "before the run begins"
        assert said in outcome.err
        assert outcome.out == ""


def test_traces_of_every_format(call: Call, write: Write, tmp_path: Path) -> None:
    net = write(NET)
    for suffix, begin in (
        (".csv", b"replication,"),
        (".xes", b"<?xml"),
        (".vcd", b"$version"),
        (".perfetto.json", b'{"displayTimeUnit"'),
    ):
        path = tmp_path / f"trace{suffix}"
        outcome = call("run", net, "--trace", str(path), "--quiet")
        assert outcome.status == 0
        assert outcome.err == ""
        assert path.read_bytes().startswith(begin)
    json.loads((tmp_path / "trace.perfetto.json").read_text(encoding="utf-8"))


def test_a_timeline_says_that_it_has_one_replication(call: Call, write: Write, tmp_path: Path) -> None:
    outcome = call("run", write(NET), "--trace", str(tmp_path / "t.vcd"), "-n", "3", "--quiet")
    assert "only replication 0" in outcome.err
    assert call("run", write(NET), "--trace", str(tmp_path / "t.csv"), "-n", "3", "--quiet").err == ""


def test_a_timeline_that_is_full_says_so(
    call: Call, write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("petri.trace.timeline.MOST_EVENTS", 50)
    monkeypatch.setattr("pnsim.options.trace.MOST_EVENTS", 50)
    outcome = call("run", write(NET), "--trace", str(tmp_path / "t.json"), "--quiet")
    assert outcome.status == 0
    assert "warning[trace-full]" in outcome.err
    assert "50 events" in outcome.err


def test_parquet_without_pyarrow(call: Call, write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = builtins.__import__

    def without(name: str, *arguments: Any, **options: Any) -> Any:
        if name.startswith("pyarrow"):
            raise ImportError(name)
        return plain(name, *arguments, **options)

    monkeypatch.setattr(builtins, "__import__", without)
    outcome = call("run", write(NET), "--trace", str(tmp_path / "t.parquet"))
    assert outcome.status == 2
    assert "pip install 'pnsim[parquet]'" in outcome.err
    assert not (tmp_path / "t.parquet").exists()
