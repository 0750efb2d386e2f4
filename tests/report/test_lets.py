"""What a transition calls by a name (`let`) stands wherever people see its bindings, with the value that it has there.

The values are computed here once more, from the variables of the firings.
"""

from __future__ import annotations

import csv
import io
import json
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

import petri
from petri.model import Model
from tests.cli.calling import caller
from tests.trace.test_traces import event_log, traced

NET = """
net lets
time us
type Packet = { size: Bytes, born: Time }
place line : Packet = {size: 64 B, born: 0 us}
place out : Packet
place slot = 2 * token
transition send: line(p), slot -> out({size: total, born: now}), slot  takes wire
  let total = p.size + 14 B
  let wire = total / (1 Gbps)
  let big = total > 100 B
  let free = tokens(slot)
  let late = end - now
  when big or free > 0
transition back: out(p) -> line({size: p.size, born: now})  takes w
  draw w ~ uniform(1 us..2 us)
  let age = now - p.born
  let twice = 2 * w
  let unused = 1 / (p.size / (64 B) - 1)
run until 20 us
"""


@pytest.fixture(scope="module")
def model() -> Model:
    return petri.loads(NET)


def test_steps_show_what_is_known(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "lets.net"
    path.write_text(NET, encoding="utf-8")
    monkeypatch.setattr(sys, "stdin", io.StringIO("n\nq\n"))
    out = " ".join(caller(capsys)("step", str(path)).out.split())
    assert "1 send p.size = 64 B, p.born = 0 s, total = 78 B, wire = 624 ns, big = false, free = 2" in out
    assert "0 s send (p.size = 64 B, p.born = 0 s, total = 78 B, wire = 624 ns, big = false, late = 624 ns)" in out
    assert "1 back p.size = 78 B, p.born = 0 s, age = 624 ns, unused = 4.57143" in out


def test_why_uses_the_names_in_guards_and_candidates(model: Model) -> None:
    text = " ".join(str(model.why("send", firing=1)).split())
    assert "guard big or free > 0 78 B > 100 B or 2 > 0 ✓" in text
    assert "total = 78 B" in text
    assert "p.born = 0 s, total = 78 B, wire = 624 ns, big =" in text
    none = str(model.why("back", firing=1))
    assert "age" not in none


def test_traces_have_them_after_the_variables(model: Model) -> None:
    _, firings, data = traced(model, ".csv")
    assert len(firings) > 10
    back = next(number for number, one in enumerate(model.net.transitions) if one.name == "back")
    time = model.net.tick.time
    rows = list(csv.DictReader(io.StringIO(data.decode())))
    for row, firing in zip(rows, firings, strict=True):
        found = dict(pair.split("=") for pair in row["binding"].split())
        start, end = time(firing.start), time(firing.end)
        size, born = float(found["p.size"]), float(found["p.born"])
        if firing.transition == back:
            assert float(found["age"]) == pytest.approx(start - born)
            assert float(found["twice"]) == pytest.approx(2 * float(found["w"]))
            assert float(found["unused"]) == pytest.approx(1 / (size / 64 - 1))
        else:
            assert list(found) == ["p.size", "p.born", "total", "wire", "big", "late"]
            assert float(found["total"]) == size + 14
            assert float(found["wire"]) == pytest.approx((size + 14) * 0.008)
            assert found["big"] == ("true" if size + 14 > 100 else "false")
            assert float(found["late"]) == pytest.approx(end - start)
    assert {row["binding"].count("big=true") for row in rows} == {0, 1}


def test_all_kinds_of_traces_agree(model: Model) -> None:
    first = {"total": 78.0, "wire": 0.624, "big": "false", "late": 0.624}
    _, firings, data = traced(model, ".json")
    slices = [one for one in json.loads(data)["traceEvents"] if one["ph"] == "X" and one["name"] == "send"]
    assert slices[0]["args"] == {"p.size": 64.0, "p.born": 0.0, **first}
    root = ElementTree.fromstring(event_log(model))
    space = root.tag.removesuffix("log")
    event = {one.attrib["key"]: one.attrib["value"] for one in next(root.iter(f"{space}event"))}
    assert {key: event[key] for key in first} == {key: str(value) for key, value in first.items()}
    parquet = pytest.importorskip("pyarrow.parquet")
    _, _, data = traced(model, ".parquet")
    rows = parquet.read_table(io.BytesIO(data)).to_pylist()
    assert len(rows) == len(firings)
    assert {key: rows[0][key] for key in first} == first
    assert rows[0]["age"] is None


def test_one_that_cannot_be_computed_has_no_value() -> None:
    text = "place p : int = 0, 2\ntransition t: p(n) -> nothing  takes 1\n  let share = 6 div n\nrun until 5\n"
    model = petri.loads(text)
    bindings = {row["binding"] for row in csv.DictReader(io.StringIO(traced(model, ".csv")[2].decode()))}
    assert bindings == {"n=0 share=", "n=2 share=3"}
    parquet = pytest.importorskip("pyarrow.parquet")
    rows = parquet.read_table(io.BytesIO(traced(model, ".parquet")[2])).to_pylist()
    assert {row["n"]: row["share"] for row in rows} == {0: None, 2: 3}


def test_what_is_only_shown_does_not_change_the_tick() -> None:
    text = "time us\nplace p = token\ntransition t: p -> p  takes 1 us\n{}run until 5 us\n"
    plain, named = petri.loads(text.format("")), petri.loads(text.format("  let odd = 7 ps\n"))
    assert plain.net.tick == named.net.tick
    assert [let.name for let in named.net.transitions[0].lets] == ["odd"]
