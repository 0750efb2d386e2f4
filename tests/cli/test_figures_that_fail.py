"""A fault in computing one figure does not lose the others; distributions of packet order can be recorded."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from petri.measure import formula
from petri.measure.arrays import Floats
from petri.measure.observation import Observation
from petri.measure.windows import Windows, probe_figures
from petri.net import Term
from tests.cli.calling import Call, caller
from tests.engines import NATIVE_FIRST

NET = """
net r
time us
type Packet = { flow: int, seq: int }
place idle : int = 0
place wire : Packet
place out : Packet
transition arrive: idle(n) -> idle(n + 1), wire({flow: 0, seq: n})  takes 1 us
transition carry: wire(p) -> out(p)  takes uniform(0 us..9 us)
transition leave: out(p) -> nothing
measure order = reorder(leave, by p.flow, order p.seq)  record extent, degree, displacement, buffer
measure more  = reorder(leave, by p.flow, order p.seq)  record reordered_share, extent, mean_extent
measure flow  = rate(leave)
run until 1000 us
"""


@pytest.fixture
def net(tmp_path: Path) -> Path:
    path = tmp_path / "r.net"
    path.write_text(NET)
    return path


@pytest.fixture
def pnsim(capsys: pytest.CaptureFixture[str]) -> Call:
    return caller(capsys)


def test_distributions_of_packet_order_are_shown(pnsim: Call, net: Path, tmp_path: Path) -> None:
    ran = pnsim("run", str(net), "-q", "--report", str(tmp_path / "page.html"))
    assert ran.status == 0
    rows = {line.split()[0]: line for line in ran.out.splitlines() if line.strip()}
    assert "█" in rows["extent"]
    assert "█" in rows["buffer"]
    assert "mean_extent" in rows
    assert "Reordering extent" in (tmp_path / "page.html").read_text(encoding="utf-8")
    ran = pnsim("run", str(net), "-q", "--json")
    measures = json.loads(ran.out)["measures"]
    assert sum(measures[0]["distributions"]["extent"]) > 0
    assert list(measures[1]["record"]) == ["reordered_share", "mean_extent"]


@pytest.fixture
def broken(monkeypatch: pytest.MonkeyPatch) -> None:
    """Figures of order probes cannot be computed."""
    evaluate = formula.evaluate

    def fails(term: Term, seen: Observation) -> float:
        if term.op == "order":
            raise KeyError("reordered_share")
        return evaluate(term, seen)

    def fails_of_all(windows: Windows, index: int, field: str) -> Floats:
        if "packets" in windows.probes[index]:
            raise KeyError("reordered_share")
        return probe_figures(windows, index, field)

    monkeypatch.setattr(formula, "evaluate", fails)
    monkeypatch.setattr(formula, "probe_figures", fails_of_all)
    monkeypatch.setattr("petri.measure.figures.evaluate", fails)


@pytest.mark.usefixtures("broken")
def test_a_figure_that_cannot_be_computed_leaves_the_others(pnsim: Call, net: Path, tmp_path: Path) -> None:
    ran = pnsim("run", str(net), "-q", "--report", str(tmp_path / "page.html"))
    assert ran.status == 1
    assert "could not be computed: KeyError" in ran.out
    assert "1 M/s" in ran.out
    assert "error[figure-failed]: `order` could not be computed: KeyError: 'reordered_share'" in ran.err
    assert "could not be computed: KeyError" in (tmp_path / "page.html").read_text(encoding="utf-8")
    ran = pnsim("run", str(net), "-q", "--json")
    data = json.loads(ran.out)
    assert (ran.status, data["passed"]) == (1, False)
    assert data["measures"][0]["failure"] == "KeyError: 'reordered_share'"
    assert data["measures"][2]["value"] == pytest.approx(1.0, rel=0.01)


@pytest.mark.usefixtures("broken")
def test_a_sweep_keeps_the_other_figures(pnsim: Call, net: Path, tmp_path: Path) -> None:
    ran = pnsim("sweep", str(net), "-q", "-n", "2", "--store", str(tmp_path / "s.db"), "--json")
    assert ran.status == 3
    point = json.loads(ran.out)["points"][0]
    assert point["measures"]["flow"]["value"] == pytest.approx(1.0, rel=0.01)
    assert point["measures"]["order"]["value"] is None
    assert point["failures"][0]["id"] == "figure-failed"
    assert "`order` could not be computed" in ran.err


@pytest.mark.parametrize("engine", NATIVE_FIRST)
def test_the_thresholds_of_packet_order_can_be_set(pnsim: Call, tmp_path: Path, engine: str) -> None:
    path = tmp_path / "set.net"
    path.write_text(
        NET.replace("order p.seq)  record extent", "order p.seq, displacement: 2, buffer: 3)  record extent")
    )
    ran = pnsim("run", str(path), "-q", "--json", "--engine", engine)
    held = json.loads(ran.out)["measures"][0]["distributions"]
    assert (len(held["displacement"]), len(held["buffer"])) == (5, 4)
    unset = json.loads(ran.out)["measures"][1]["distributions"]
    assert (len(unset["displacement"]), len(unset["buffer"])) == (129, 65)
