"""The points of an experiment from Python, and the names that one asks for."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import petri
from petri.experiment import Experiment, ExperimentError
from petri.experiment.design.grid import grid_points


def test_a_grid_from_python_is_the_grid_of_a_file(tmp_path: Path) -> None:
    path = tmp_path / "e.yaml"
    path.write_text("net: ixp2400\ngrid: {threads: [1, 2], engines: 1..3, line: [1 Gbps]}\n")
    made = Experiment(net="ixp2400", grid={"threads": [1, 2], "engines": "1..3", "line": "1 Gbps"})
    assert made.points == Experiment.load(path).points
    assert len(made.points) == 6


def test_a_sample_from_python_is_the_sample_of_a_file(tmp_path: Path) -> None:
    path = tmp_path / "e.yaml"
    path.write_text("net: mm1k\nsample: {count: 7, seed: 3, parameters: {load: 0.1..0.9, seats: [4, 5]}}\n")
    made = Experiment(net="mm1k", sample={"count": 7, "seed": 3, "parameters": {"load": "0.1..0.9", "seats": [4, 5]}})
    assert made.points == Experiment.load(path).points


@pytest.mark.parametrize("values", [np.array([1, 2]), range(1, 3), (1, 2), "1..2", [np.int64(1), 2]])
def test_values_of_an_axis(values: Any) -> None:
    points = grid_points({"n": values})
    assert points == [{"n": 1}, {"n": 2}]
    assert {type(point["n"]) for point in points} == {int}


@pytest.mark.parametrize(
    ("options", "identifier"),
    [
        ({"grid": {"a": []}}, "experiment-kind"),
        ({"grid": {"a": [None]}}, "experiment-kind"),
        ({"grid": {"a": "0.1..0.9"}}, "range-without-step"),
        ({"grid": {"a": range(200), "b": range(200)}}, "too-many-points"),
        ({"grid": {"a": [1]}, "sample": {"count": 2, "parameters": {"b": "1..2"}}}, "experiment-two-designs"),
        ({"grid": {"a": [1]}, "points": [{"a": 2}]}, "experiment-two-designs"),
        ({"sample": {"count": 2}}, "experiment-missing"),
        ({"sample": {"counts": 2}}, "experiment-key"),
        ({"sample": {"count": 0, "parameters": {"b": "1..2"}}}, "experiment-number"),
        ({"sample": {"count": 2, "method": "sobol", "parameters": {"b": "1..2"}}}, "experiment-number"),
        ({"sample": {"count": 2, "parameters": {"b": 3}}}, "experiment-kind"),
        ({"sample": {"count": 2, "parameters": {"b": "5..2"}}}, "range-empty"),
    ],
)
def test_designs_that_are_refused(options: dict[str, Any], identifier: str) -> None:
    with pytest.raises(ExperimentError) as caught:
        Experiment(net="mm1", **options)
    assert caught.value.diagnostic.id == identifier
    assert str(caught.value)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"grid": "load=3"}, "`grid` is a mapping, such as {'load': [0.5, 0.8]}, not 'load=3'"),
        ({"sample": 3}, "`sample` is a mapping"),
        ({"points": 3}, "`points` is a list of parameters, such as [{'load': 0.5}], not 3"),
        ({"points": [3]}, "`points` is a list of parameters"),
        ({"replications": 0}, "`replications` is at least 1, not 0"),
        ({"replications": "3"}, "`replications` is a whole number, not '3'"),
        ({"max_replications": 0}, "`max_replications` is at least 1, not 0"),
        ({"precision": "2%"}, "or 'expected', not '2%'; Precision(0.02) is 2 % of the mean"),
        ({"precision": 0.02}, "`precision` is a `petri.Precision`"),
        ({"precision": {"wait": "2%"}}, "`precision` is a `petri.Precision`"),
        ({"best": "wait"}, "`best` is a `petri.experiment.Best`, not 'wait'"),
        ({"measures": "wait"}, "`measures` is a list of names, not 'wait'"),
    ],
)
def test_arguments_of_a_wrong_kind(options: dict[str, Any], told: str) -> None:
    with pytest.raises((TypeError, ValueError), match=re.escape(told)):
        Experiment(net="mm1", **options)


@pytest.mark.parametrize("bound", [0, -0.02, float("nan"), float("inf")])
def test_a_precision_is_above_0(bound: float) -> None:
    with pytest.raises(ValueError, match="the bound of a precision is above 0"):
        petri.Precision(bound)


def test_a_precision_is_a_number() -> None:
    with pytest.raises(TypeError, match=r"the bound of a precision is a number, such as 0\.02, not '2%'"):
        petri.Precision("2%")  # type: ignore[arg-type]


def test_what_is_no_experiment_or_no_result_is_refused(tmp_path: Path) -> None:
    store = tmp_path / "s.db"
    with pytest.raises(TypeError, match=r"`sweep` runs a `petri\.Experiment`"):
        petri.sweep("mm1", store)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="`workers` is a whole number, not 'all'"):
        petri.sweep(Experiment(net="mm1"), store, workers="all")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="a side is written as"):
        petri.compare(3, 4)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="`condition` is a text, such as 'loss == 0', not 3"):
        petri.search("mm1", find="load", between=(0.1, 0.9), condition=3)


def test_other_values_for_an_experiment_keep_its_grid() -> None:
    made = Experiment(net="mm1", grid={"load": [0.3, 0.5]})
    assert made.with_overrides(replications=3).points == made.points


def test_unknown_names_are_refused_with_the_nearest(tmp_path: Path) -> None:
    experiment = Experiment(net="mm1", grid={"load": [0.3, 0.5]}, until=2_000.0, replications=1)
    outcome = experiment.run(tmp_path / "x.db")
    with pytest.raises(petri.UnknownName, match="did you mean `load`"):
        outcome.point(lod=0.3)
    with pytest.raises(petri.UnknownName, match=r"there are `load=0.3` and `load=0.5`"):
        outcome.point(load=0.9)
    with pytest.raises(petri.UnknownName, match="did you mean `customers`"):
        outcome.point(load=0.3).interval("custmers")
    with pytest.raises(petri.LanguageError, match="did you mean `load`"):
        Experiment(net="mm1", grid={"lod": [0.3]}).prepare()
    with pytest.raises(ExperimentError, match="did you mean `customers`"):
        Experiment(net="mm1", measures=["custmers"]).prepare()
