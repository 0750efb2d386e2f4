"""Indices of Sobol and Morris: of functions whose indices are known, and of a parameter that does nothing but noise."""

from __future__ import annotations

import math

import numpy as np
import pytest

import petri
from petri.experiment.errors import ExperimentError
from petri.experiment.sensitivity import overall
from petri.experiment.sensitivity.overall import Index, Indices
from petri.experiment.sensitivity.study import Sensitivity
from petri.measure.arrays import Floats

pytest.importorskip("SALib")

# The g-function of Sobol, multiplied by values of which a figure is the noisy average.
G = """net g
param x1 = 0.5 in 0..1
param x2 = 0.5 in 0..1
param x3 = 0.5 in 0..1
param other = 0.5 in 0..1
fn g(x: real, a: real) = (abs(4 * x - 2) + a) / (1 + a)
place p = token
transition t: p -> p  draw e ~ exp(1.0)  takes 1
measure y = rate(t, e * g(x1, 0.0) * g(x2, 1.0) * g(x3, 9.0))
run until 20
"""
ALONE = [1 / 3 / (1 + a) ** 2 for a in (0, 1, 9)]
WHOLE = math.prod(1 + v for v in ALONE) - 1
TOTAL = [v * math.prod(1 + w for w in ALONE) / (1 + v) for v in ALONE]


def indices(text: str, seed: int, samples: int, **ranges: str) -> Indices:
    found: Sensitivity = petri.loads(text).sensitivity(globally=True, over=ranges, samples=samples, seed=seed)
    assert found.effects == {}
    return found.indices["y"]


def of(found: Indices, name: str) -> Index:
    return next(one for one in found.parameters if one.name == name)


def sobol(function_values: Floats, noise: float, count: int, seed: int = 1) -> Floats:
    """Return the indices of rows of values with a noise of this deviation, the mean of two each."""
    stream = np.random.default_rng(seed)
    each = function_values + noise * stream.standard_normal((2, *function_values.shape))
    y, errors = each.mean(axis=0), each.var(axis=0, ddof=1) / 2
    return overall._sobol(y.reshape(-1, count + 2), errors.reshape(-1, count + 2))


def test_noise_is_taken_out_of_indices_in_closed_form() -> None:
    """Noise of twice the variance. Errors of the estimates are 0.03 at this seed; what is left in would be 0.5."""
    points, _ = overall._samples(3, 4096, 1)
    x = 4 * np.abs(points - 0.5)
    values = np.prod((x + np.array([0, 1, 9])) / (1 + np.array([0, 1, 9])), axis=1)
    alone, total = sobol(values, 2 * math.sqrt(WHOLE), 3)
    assert alone == pytest.approx([v / WHOLE for v in ALONE], abs=0.1)
    assert total == pytest.approx([v / WHOLE for v in TOTAL], abs=0.1)


def test_the_effects_of_morris_are_those_of_a_plane_without_its_noise() -> None:
    _, points = overall._samples(2, 4, 1)
    stream = np.random.default_rng(1)
    each = 3 * points[:, 0] - points[:, 1] + 0.5 * stream.standard_normal((2, len(points)))
    y, noise = each.mean(axis=0), each.var(axis=0, ddof=1) / 2
    (first, of_first), (second, _) = overall._elementary(y, noise, points, 2)
    assert len(first) == len(second) == overall.PATHS
    assert first.mean() == pytest.approx(3, abs=0.6)
    assert second.mean() == pytest.approx(-1, abs=0.6)
    assert of_first.mean() == pytest.approx(np.var(first, ddof=1), rel=0.6)


@pytest.mark.slow
def test_a_net_gives_the_indices_of_its_exact_figures() -> None:
    """Without noise: the utilisation of M/M/1/2 is 1 - 1 / (1 + r + r²), of the load r alone."""
    model = petri.load("mm1k", seats=2)
    found = model.sensitivity(globally=True, exact=True, over={"load": "0.5..0.9"}, measures=["idle"], samples=8)
    one = of(found.indices["idle"], "load")
    assert one.alone.mean == pytest.approx(1.0, abs=0.3)
    assert found.indices["idle"].noise == 0.0
    assert found.replications is None


def test_a_figure_without_an_exact_solution_is_refused_by_name() -> None:
    with pytest.raises(ExperimentError, match="does not give `y`"):
        petri.loads(G).sensitivity(globally=True, exact=True)


@pytest.mark.slow
def test_a_noisy_net_gives_the_indices_of_the_g_function() -> None:
    """Each of seven 95 % intervals of fixed seeds; those of x3, whose indices are small, within three half-widths."""
    found = indices(G, 1, 256, x1="0..1", x2="0..1", x3="0..1", other="0..1")
    for name, alone, total in zip(("x1", "x2", "x3"), ALONE, TOTAL, strict=True):
        one, most = of(found, name), 3.0 if name == "x3" else 1.0
        assert abs(one.alone.mean - alone / WHOLE) <= most * one.alone.half_width, name
        assert abs(one.total.mean - total / WHOLE) <= most * one.total.half_width, name
    assert found.deviation == pytest.approx(math.sqrt(WHOLE), rel=0.1)


@pytest.mark.slow
def test_the_indices_of_a_parameter_that_does_nothing_cover_0() -> None:
    """Of 20 samples, 95 % intervals miss 0 three times or less with a probability of 98 %. With the noise left in, no
    total would cover it: the noise is as large as what x1 does.
    """
    noisy = G.replace("until 20", "until 3")
    found = [of(indices(noisy, seed, 32, x1="0..1", other="0..1"), "other") for seed in range(20)]
    assert sum(abs(one.alone.mean) > one.alone.half_width for one in found) <= 3
    assert sum(abs(one.total.mean) > one.total.half_width for one in found) <= 3
    assert abs(np.mean([one.total.mean for one in found])) < 0.1
