"""Recordings that grow while a page looks at them."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from petri.live.desk import Desk
from petri.live.growing import grow, rows
from petri.live.source import Source
from petri.model import LoadedFrom
from tests.cli.calling import caller

from .tables import answer

NET = """net line
time s
type Job = { size: 1..9 }
port in jobs : Job fifo
place idle = token
transition serve: jobs(j), idle -> idle  takes j.size * 1 s
measure served = count(serve)
run until dead
"""


@pytest.mark.parametrize(("given", "kept"), [
    (b"a,b\n\n1,2\n3,4", b"a,b\n1,2\n"),  # the last line is not whole
    (b"event: row\ndata: a,b\n\n: still here\nid: 7\ndata:1,2\n\n", b"a,b\n1,2\n"),
    (b"data\n1\n", b"data\n1\n"),
])  # fmt: skip
def test_lines_and_events_are_rows(given: bytes, kept: bytes) -> None:
    assert b"".join(rows(io.BytesIO(given))) == kept


@pytest.mark.parametrize("given", [b"", b"time,size\n"])
def test_no_page_is_served_where_stdin_brings_no_row(
    given: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    net = tmp_path / "line.net"
    net.write_text(NET, encoding="utf-8")
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(given)))
    found = caller(capsys)("live", str(net), "--stream", "jobs=-", "--no-browser")
    assert found.status != 0
    assert "live-stream-empty" in found.err


def test_the_page_follows_a_recording_that_grows(tmp_path: Path) -> None:
    net, file = tmp_path / "line.net", tmp_path / "jobs.csv"
    net.write_text(NET, encoding="utf-8")
    grow(io.BytesIO(b"time,size\n0,1\n"), file)
    desk = Desk(Source("line", LoadedFrom(net, "", {}, streams={"jobs": str(file)}), {}), None, threads=1)
    desk.start()
    desk.watched(1)
    try:
        for count in (1, 2, 4):
            found = answer(desk, lambda found, count=count: served(found) == count)  # type: ignore[misc]
            assert not found["problem"]
            with file.open("a", encoding="utf-8") as end:
                end.writelines(f"{time},2\n" for time in range(3 * count, 4 * count))
    finally:
        desk.close()


def served(found: dict[str, object]) -> float:
    figures = found.get("figures") or []
    return next((one["value"] for one in figures if one["name"] == "served"), -1.0)  # type: ignore[attr-defined]
