"""`Model.sensitivity`: what is asked, and what was found."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from petri.diagnostics import Diagnostic
from petri.display import ShownInNotebook, report
from petri.experiment.design.warmup import find
from petri.experiment.errors import problem
from petri.experiment.sensitivity.factors import factors, unvaried
from petri.experiment.sensitivity.local import Effect, Local, Watcher
from petri.experiment.sensitivity.measuring import Runs, Solutions, kept_figures
from petri.experiment.sensitivity.overall import SAMPLES, Indices, Overall, ranges
from petri.measure.figures import Figure
from petri.measure.intervals import Interval
from petri.model import Model
from petri.net import Net
from petri.result.export import interval_dict
from petri.run.arguments import check_names
from petri.run.plan import check_whole
from petri.run.stop import TimeLimit

FEWEST: Final = 10  # replications of each net


@dataclass(frozen=True, repr=False)
class Sensitivity(ShownInNotebook):
    """How much each figure changes with each factor: `effects` by figure, the greatest first, noise last.

    base: the figures as they are. refused: what could not be changed, and why. indices: of `globally`, by figure,
    instead of effects. runs: what was run, for people: replications and seed; None if the figures are exact.
    """

    net: Net
    figures: tuple[Figure, ...]
    base: Mapping[str, Interval]
    effects: Mapping[str, Sequence[Effect]]
    refused: Mapping[str, Diagnostic] = field(default_factory=dict)
    indices: Mapping[str, Indices] = field(default_factory=dict)
    nets: int = 0
    replications: int | None = None
    seed: int | None = None
    interrupted: bool = False

    def to_dict(self) -> dict[str, Any]:
        """Return everything as JSON types; what is not known is None."""
        return {
            "net": self.net.name,
            "time_unit": self.net.time_unit,
            "exact": self.replications is None,
            "replications": self.replications,
            "seed": self.seed,
            "interrupted": self.interrupted,
            "dimensions": {figure.name: figure.dimension for figure in self.figures},
            "measures": {name: interval_dict(one) for name, one in self.base.items()},
            "effects": {name: [_effect_dict(one) for one in of] for name, of in self.effects.items()},
            "indices": {name: one.to_dict() for name, one in self.indices.items()},
            "refused": {name: reason.message for name, reason in self.refused.items()},
        }

    def figure(self, name: str) -> Any:
        """Draw what changes a figure as a tornado: a plotly figure, which a notebook shows.

        Raises UnknownName (a KeyError), ValueError where nothing changes it, ImportError if plotly is not installed.
        """
        return report().figure(self, name)

    def to_pandas(self) -> Any:
        """Return a table with a row for each figure and factor. Raises ImportError if pandas is not installed."""
        import pandas

        told = self.to_dict()
        by_figure = {name: of["parameters"] for name, of in told["indices"].items()} | told["effects"]
        return pandas.DataFrame([{"measure": name, **_flat(row)} for name, rows in by_figure.items() for row in rows])


def _flat(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return a row with two columns for each interval."""
    flat: dict[str, Any] = {}
    for name, cell in row.items():
        one = cell if isinstance(cell, dict) else {"value": cell}
        flat |= {name: one["value"], **({f"{name}_half_width": one["half_width"]} if "half_width" in one else {})}
    return flat


def _effect_dict(one: Effect) -> dict[str, Any]:
    return {
        "name": one.factor.name,
        "kind": one.factor.kind,
        "change": one.factor.text,
        "effect": interval_dict(one.change),
        "relative": interval_dict(one.relative),
        "slope": None if one.slope is None else interval_dict(one.slope),
        "certain": one.certain,
        "step": one.step,
    }


def sensitivity(
    model: Model,
    *,
    over: Iterable[str] | Mapping[str, Any] | None = None,
    measures: Sequence[str] | None = None,
    exact: bool = False,
    states: int | None = None,
    globally: bool = False,
    samples: int = SAMPLES,
    replications: int | None = None,
    threads: int | None = None,
    time_limit: float | TimeLimit | None = None,
    watch: Watcher | None = None,
    **options: Any,
) -> Sensitivity:
    """Return how much each figure changes with each parameter and with each transition's time.

    See `Model.sensitivity`. Raises ExperimentError, LanguageError.
    """
    check_names("over", list(over) if isinstance(over, Mapping) else over or [])
    names = None if over is None else list(over)
    check_whole("samples", samples, 4, 2**16)
    kept = kept_figures(model, measures, exact, states)
    figures = [one.name for one in kept]
    count: int | None = None
    seed: int | None = None
    measure: Runs | Solutions = Solutions(figures, states)
    if exact:
        _check_no_runs({**options, "replications": replications})
    else:
        model = model.with_own_streams()
        measure = _runs(model, figures, globally, replications, threads, TimeLimit.of(time_limit), options)
        count, seed = measure.replications, measure.plan.seed
    if globally:
        axes = ranges(model, over if isinstance(over, Mapping) else names)
        overall = Overall(measure, model, figures, axes, samples, seed or 1)
        interrupted = overall.run(watch)
        return Sensitivity(model.net, tuple(kept), {}, {}, {}, overall.indices, overall.nets, count, seed, interrupted)
    found = factors(model, names)
    if not found:
        raise problem("sensitivity-nothing", net=model.net.name)
    local = Local(measure, model.net, figures, found, exact, refused={} if over else unvaried(model, found))
    interrupted = local.run(watch)
    base = {name: one.interval() for name, one in local.base.items()}
    return Sensitivity(
        model.net, tuple(kept), base, local.effects, local.refused, {}, local.nets, count, seed, interrupted
    )


def _check_no_runs(options: Mapping[str, Any]) -> None:
    """Raise ExperimentError for an option of runs, which exact solutions are not."""
    for name, value in options.items():
        if value is not None and name != "engine":
            raise problem("sensitivity-exact-run", name=name)


def _runs(
    model: Model,
    figures: Sequence[str],
    globally: bool,
    replications: int | None,
    threads: int | None,
    limit: TimeLimit,
    options: dict[str, Any],
) -> Runs:
    """Return how nets are run. Raises LanguageError where the run has no end."""
    if options.get("warmup") == "auto":
        how = {name: options[name] for name in ("until", "seed", "engine") if options.get(name) is not None}
        try:
            options["warmup"] = find(model, limit=limit, **how).length
        except ValueError as error:
            raise problem("warmup-without-end", net=model.net.name) from error
    plan, default = model.plan(replications=replications, **options)
    if replications is None:
        default = 2 if globally else max(default, FEWEST)
    if default < 2:
        raise problem("sensitivity-one")
    return Runs(plan, default, figures, threads, limit)
