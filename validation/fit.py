"""Compares values of constants by the figures of a study's fitting set, and by no others.

    python validation/fit.py dynamic_buffering --grid dram_overhead='42 ns,46 ns' --grid ports=4,8
    python validation/fit.py reordering --fixed packets=20_000 --grid sram_latency='90 cycle,105 cycle'

Every combination of the values of the grid is tried at the points that have a fitted figure, with the same random
numbers. The misfit is the mean, over the fitted figures, of the square of the distance from the paper's value in
tolerances, which counts as 4 at the most, so that no figure that is far off decides alone. `--figures` shows them.
Figures that runs of this length do not give, such as a variation over windows that are longer, are left out.
"""

from __future__ import annotations

import argparse
import itertools
import math
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from petri.experiment import Experiment, sweep
from petri.experiment.design.definition import FITTED
from petri.experiment.design.sampling import parse_value
from petri.validation.suite import FigureCheck, checks, experiments, folders

HERE: Final = Path(__file__).resolve().parent
FARTHEST: Final = 2.0  # tolerances


def fitting_set(study: str) -> dict[str, Experiment]:
    """Return the experiments with fitted figures, with the points and the measures of these alone."""
    found = {}
    for name, path in experiments(folders(HERE)[study]).items():
        experiment = Experiment.load(path)
        expected = [one for one in experiment.expected if one.role == FITTED]
        points = [one for one in experiment.points if any(fig.applies({**experiment.fixed, **one}) for fig in expected)]
        measures = sorted({one.measure for one in expected})
        if expected:
            found[name] = replace(
                experiment, points=points, cases={}, expected=expected, measures=measures, precision=None
            )
    return found


def fitted_figures(chosen: Mapping[str, Experiment], constants: Mapping[str, Any], **options: Any) -> list[FigureCheck]:
    """Return the fitted figures from runs with these constants. options: those of runs, as of `Experiment`."""
    found: list[FigureCheck] = []
    with tempfile.TemporaryDirectory() as place:
        for name, experiment in chosen.items():
            changed = replace(experiment, fixed={**experiment.fixed, **constants}).with_overrides(**options)
            found += checks(name, sweep(changed, Path(place) / f"{name}.db", engine="native"))
    return [check for check in found if not math.isnan(check.ours.mean)]


def distance(check: FigureCheck) -> float:
    """Return the distance of our figure from the paper's, in tolerances."""
    return (check.ours.mean - check.checked.value) / check.checked.verdict.tolerance


def misfit(found: Sequence[FigureCheck]) -> float:
    return sum(min(abs(distance(check)), FARTHEST) ** 2 for check in found) / len(found)


def candidates(axes: Sequence[str]) -> Iterator[dict[str, Any]]:
    named = [axis.partition("=") for axis in axes]
    values = [[parse_value(value) for value in text.split(",")] for _, _, text in named]
    for chosen in itertools.product(*values):
        yield dict(zip((name for name, _, _ in named), chosen, strict=True))


def show_figures(found: Sequence[FigureCheck]) -> None:
    for check in found:
        print(f"    {check.experiment:16} {check.point.label:44} {check.measure:36} {check.checked.value:10.4g} "
              f"{check.ours.mean:10.4g} {distance(check):+6.2f}")  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("study")
    parser.add_argument("--grid", action="append", default=[], metavar="NAME=VALUE,…", help="values to combine")
    parser.add_argument("--fixed", action="append", default=[], metavar="NAME=VALUE", help="for all of them")
    parser.add_argument("--until", help="the length of the runs")
    parser.add_argument("--warmup")
    parser.add_argument("--replications", type=int, default=2)
    parser.add_argument("--seed", type=int, default=17)
    parser.add_argument("--only", action="append", metavar="EXPERIMENT", help="of the study")
    parser.add_argument("--figures", action="store_true", help="show each figure, with the distance in tolerances")
    chosen = parser.parse_args()
    fixed = next(iter(candidates(chosen.fixed)), {})
    options = {name: getattr(chosen, name) for name in ("until", "warmup", "replications", "seed")}
    figures = {name: one for name, one in fitting_set(chosen.study).items() if name in (chosen.only or [name])}
    tried = []
    for constants in candidates(chosen.grid):
        found = fitted_figures(figures, {**fixed, **constants}, **options)
        said = ", ".join(f"{name}={value}" for name, value in constants.items()) or "as they are"
        tried.append((misfit(found), said))
        within = sum(abs(distance(check)) <= 1 for check in found)
        print(f"{misfit(found):7.3f}  {within} of {len(found)}  {said}", flush=True)
        if chosen.figures:
            show_figures(found)
    print("\nbest:", *(f"{value:7.3f}  {said}" for value, said in sorted(tried)[:5]), sep="\n", file=sys.stderr)


if __name__ == "__main__":
    main()
