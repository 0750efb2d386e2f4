"""Measures of order: the printed examples of RFC 4737 and RFC 5236, duplicate ACKs worked by hand, and what is
remarked about figures.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

import petri
from petri.measure.reorder import Reordering
from petri.report.html import recorded_report
from tests.cli.calling import caller
from tests.engines import ENGINES

VECTORS: list[dict[str, Any]] = yaml.safe_load((Path(__file__).parent / "reorder_vectors.yaml").read_text("utf-8"))


def having(*names: str) -> list[Any]:
    """Return the vectors that state at least one of these expectations."""
    return [pytest.param(v, id=v["id"]) for v in VECTORS if any(name in v["expect"] for name in names)]


def observe(vector: dict[str, Any]) -> tuple[Reordering, dict[int, dict[str, float]]]:
    """Return the measure after all arrivals, and by how much each reordered packet raised each figure."""
    thresholds = {"displacement_threshold": vector.get("DT", 64), "buffer_threshold": vector.get("BT", 64)}
    measure = Reordering(**thresholds)
    times = vector.get("dst", range(len(vector["arrival"])))
    raised: dict[int, dict[str, float]] = {}
    for sequence, time in zip(vector["arrival"], times, strict=True):
        before, degrees = measure.figures(), list(measure.degree)
        measure.arrive((), sequence, float(time))
        after = measure.figures()
        if after["reordered"] > before["reordered"]:
            raised[sequence] = {name: after[name] - before[name] for name in after}
            raised[sequence]["degree"] = [a - b for a, b in zip(measure.degree, degrees, strict=True)].index(1)
    return measure, raised


@pytest.mark.parametrize("vector", having("reordered"))
def test_rfc_4737_singletons(vector: dict[str, Any]) -> None:
    measure, raised = observe(vector)
    expected = vector["expect"]
    assert list(raised) == expected["reordered"]
    assert measure.figures()["reordered_share"] == expected.get("ratio", len(raised) / len(vector["arrival"]))
    for sequence, figures in raised.items():
        assert figures["total_extent"] == expected.get("extent", {}).get(sequence, figures["total_extent"])
        assert figures["total_late_time"] == expected.get("late", {}).get(sequence, figures["total_late_time"])
        offset = figures["total_overtaken"] * vector.get("size", 0)
        assert offset == expected.get("byte_offset", {}).get(sequence, offset)
        assert figures["degree"] == expected["n_reordered"].get(sequence, 0)


@pytest.mark.parametrize("vector", having("discontinuity"))
def test_rfc_4737_reordering_discontinuity(vector: dict[str, Any]) -> None:
    """The packet at the discontinuity is as far back as the extent says."""
    _, raised = observe(vector)
    unique = vector["arrival"]
    for sequence, discontinuity in vector["expect"]["discontinuity"].items():
        assert unique[unique.index(sequence) - int(raised[sequence]["total_extent"])] == discontinuity


@pytest.mark.parametrize("vector", having("run_p"))
def test_rfc_4737_runs(vector: dict[str, Any]) -> None:
    figures = observe(vector)[0].figures()
    names = ("packets", "runs", "run_packets", "run_squares")
    assert [figures[name] for name in names] == [
        vector["expect"][name] for name in ("run_p", "run_x", "run_a", "run_q")
    ]


@pytest.mark.parametrize("vector", having("FD"))
def test_rfc_5236_reorder_density(vector: dict[str, Any]) -> None:
    counts = observe(vector)[0].distributions()["displacement"]
    density = {index - vector["DT"]: count for index, count in enumerate(counts) if count}
    assert density == vector["expect"]["FD"]


@pytest.mark.parametrize("vector", having("FB"))
def test_rfc_5236_reorder_buffer_density(vector: dict[str, Any]) -> None:
    counts = observe(vector)[0].distributions()["buffer"]
    assert {held: count for held, count in enumerate(counts) if count} == vector["expect"]["FB"]


@pytest.mark.parametrize("vector", having("acks"))
def test_duplicate_acks_and_retransmissions(vector: dict[str, Any]) -> None:
    measure = Reordering(first=1)
    acks = []
    for sequence in vector["arrival"]:
        measure.arrive((), sequence)
        acks.append(measure.flows[()].acknowledger.receiver.expected)
    assert acks == vector["expect"]["acks"]
    for counted in (measure, observe(vector)[0]):
        figures = counted.figures()
        assert {
            "dup": figures["duplicate_acks"],
            "rtx_run": figures["retransmit_per_run"],
            "rtx_each": figures["retransmit_per_duplicate"],
            "rtx_late": figures["retransmit_overtaken"],
            "rtx_hole": figures["retransmit_per_hole"],
            "rtx_missing": figures["retransmit_missing"],
            "nreord3": figures["three_reordered"],
            "acks": vector["expect"]["acks"],
        } == vector["expect"]


def test_the_packets_of_a_run_that_has_not_ended_are_counted() -> None:
    """RFC 4737, 4.6: the accumulator holds every packet in order; only a reordered packet ends a run."""
    order = Reordering()
    for number in (1, 2, 3, 4):
        order.arrive((), number)
    figures = order.figures()
    assert (figures["runs"], figures["run_packets"], figures["run_squares"]) == (0, 4, 0)


# Every tenth packet comes two places late; each flow has every FLOWS-th packet.
NET = """
net numbered
param modulo = 65536
param flows = 1
place clock : int = modulo - 300
transition send: clock(n) -> clock(n + 1)  takes 1
fn late(n: int): int = if n mod 10 <= 1 then n + 1 else if n mod 10 == 2 then n - 2 else n
measure order = reorder(send, by n mod flows, order late(n div flows) mod modulo SETTING)
  record reordered_share, duplicate_ack_share
measure share = 100 * order.reordered_share
run until 1000
"""


def load(setting: str = "", **parameters: int) -> petri.Model:
    return petri.loads(NET.replace("SETTING", setting), **parameters)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("modulo", [16, 4096])
def test_numbers_that_wrap_around_are_followed_by_serial_arithmetic(engine: str, modulo: int) -> None:
    result = load(", modulo: modulo", modulo=modulo).run(engine=engine)
    order = result.measure("order")
    assert order.value == pytest.approx(0.1, abs=0.001)
    assert order.recorded["duplicate_ack_share"].mean == pytest.approx(0.2, abs=0.001)
    assert order.remarks == ()


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(("modulo", "said"), [
    (16, r"985 of 1,001 packets have numbers that came before; if numbers wrap around, add `modulo: 65536`"),
    (600, "the numbers of a flow fell by more than half their range and stayed low; if they wrap around, add"),
    (65536, "701 of 1,001 packets came more than 8,192 numbers late, and are in no figure but `packets` and"),
])  # fmt: skip
def test_numbers_that_wrap_around_are_said_without_it(engine: str, modulo: int, said: str) -> None:
    result = load(modulo=modulo).run(engine=engine)
    for name in ("order", "share"):
        remarks = result.measure(name).remarks
        assert re.match(said, remarks[0])
        assert "modulo: 65536" in remarks[-1]
    page = recorded_report(result.to_dict())
    assert len(re.findall("modulo: 65536", page)) >= 2


@pytest.mark.parametrize("engine", ENGINES)
def test_numbers_that_wrap_before_the_modulo_are_said(engine: str) -> None:
    [remark] = load(", modulo: 65536", modulo=4096).run(engine=engine).measure("order").remarks
    assert remark.startswith("the numbers of a flow fell by more than half their range and stayed low; if they wrap")
    assert "earlier than `modulo: 65536` says" in remark


@pytest.mark.slow
def test_flows_that_are_forgotten_are_said() -> None:
    """Each flow comes again after 70,000 others: too many to be followed at once."""
    few, many = (load(flows=flows, modulo=300).run(until=150_000) for flows in (60_000, 70_000))
    assert few.measure("order").remarks == ()
    assert many.measure("order").remarks == (
        "80,001 flows were forgotten, as more than 65,536 came at once; if they came again, they count as new flows",
    )


def test_a_terminal_shows_the_remark_beside_the_figure(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    net = tmp_path / "numbered.net"
    net.write_text(NET.replace("SETTING", ""), encoding="utf-8")
    shown = " ".join(caller(capsys)("run", str(net)).out.split())
    assert re.search(r"order reordered_share .* % 701 of 1,001 packets came more than 8,192 numbers late", shown)
