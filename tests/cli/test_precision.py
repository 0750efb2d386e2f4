"""`pnsim run --precision`: as many replications as the measures need."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from petri.experiment import Experiment, Precision
from tests.engines import FASTEST
from tests.experiment.nets import QUEUE, write_net

from .calling import Call


def test_as_many_as_a_sweep_needs(call: Call, tmp_path: Path) -> None:
    net = str(write_net(tmp_path, QUEUE))
    found = call("run", net, "--precision", "10%", "--engine", FASTEST, "--json", "-q")
    assert found.status == 0
    measures = {one["name"]: one for one in json.loads(found.out)["measures"]}
    assert all(one["half_width"] <= 0.1 * one["value"] for one in measures.values())
    outcome = Experiment(net, precision=Precision(0.1)).run(tmp_path / "q.db", engine=FASTEST, workers=1)
    (point,) = outcome.points
    assert len(json.loads(found.out)["replications"]) == len(point.rows) > 10
    assert measures["customers"]["value"] == pytest.approx(point.interval("customers").mean)


def test_a_precision_that_is_not_reached(call: Call, tmp_path: Path) -> None:
    net = str(write_net(tmp_path, QUEUE))
    limits = ("--precision", "0.1%", "-n", "5", "--max-replications", "6")
    found = call("run", net, *limits, "--engine", "reference")
    assert found.status == 0
    assert "6 replications" in found.out
    assert "note[run-imprecise]: the precision of `customers` and `busy` was not reached in 6 replications" in found.err


def test_what_is_refused(call: Call, tmp_path: Path) -> None:
    net = str(write_net(tmp_path, QUEUE))
    assert "error[precision-form]" in call("run", net, "--precision", "narrow").err
    assert "error[precision-of-trace]" in call("run", net, "--precision", "1%", "--trace", "t.csv").err
