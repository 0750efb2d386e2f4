"""The printed examples of RFC 4737 and RFC 5236, and duplicate ACKs worked by hand, against the streaming measure."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from petri.measure.reorder import Reordering

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
