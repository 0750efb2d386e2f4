"""The figures of a replication that an experiment keeps: declared measures, and figures of places and transitions."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Final

import numpy as np

from petri.diagnostics import Diagnostic, did_you_mean
from petri.measure import histogram, reorder
from petri.measure.arrays import Floats
from petri.measure.catalogue import PLACE_COLUMNS, TRANSITION_COLUMNS, FigureKind, transition_columns
from petri.measure.formula import EXTREMES, evaluate, grows, is_of_nodes, statistic, tally, values
from petri.measure.intervals import Statistic
from petri.measure.observation import Observation, probe_figure
from petri.measure.tally import Tally
from petri.measure.windows import Windows
from petri.net import Measure, Net, Order, Term
from petri.structs import Frozen

WHOLES: Final = ("histogram", "series", *reorder.DISTRIBUTIONS)  # what `record` may ask for that is not one number


class Figure(Frozen):
    """One number of a replication. `dimension` as of a measure, or "events" for events per time.

    tally: of a probability, the trials that the number comes from. of: the formula, or the figure of a node.
    """

    name: str
    dimension: str
    value: Callable[[Observation], float]
    statistic: Statistic = "mean"  # over replications
    tally: Callable[[Observation], Tally | None] | None = None
    of: Term | tuple[FigureKind, int] | None = None

    def values(self, windows: Windows) -> Floats:
        """Return its value in each window [n]."""
        if self.of is None:
            return np.array([self.value(window) for window in windows])
        if isinstance(self.of, Term):
            return values(self.of, windows)
        kind, index = self.of
        return np.asarray(kind.of(windows.across, index), dtype=np.float64)

    @property
    def is_of_nodes(self) -> bool:
        """Whether it needs nothing but figures of places and transitions."""
        return is_of_nodes(self.of) if isinstance(self.of, Term) else self.of is not None


def figures(net: Net, names: Sequence[str] | None = None) -> tuple[Figure, ...]:
    """Return the figures of these names, or all that the net declares.

    A name is that of a measure (`loss`), of a measure and a field of it (`delay.p99`), or of a place or transition
    and a figure of it (`rbuf.mean`, `engine[0].alu.utilisation`, `send.rate`). A net that declares no measure gives
    every place's mean and every transition's rate. Raises UnknownFigure.
    """
    owners = _Owners(net)
    return tuple(_figure(net, name, owners) for name in (default_names(net) if names is None else names))


def settling(net: Net, names: Sequence[str] | None = None) -> tuple[Figure, ...]:
    """Return those of `figures` that can settle: not counts, sums and extremes, which grow with the run."""
    growing = {measure.name: grows(net, measure.formula) for measure in net.measures}
    return tuple(one for one in figures(net, names) if not growing.get(one.name, is_total(one.name)))


def is_total(name: str) -> bool:
    """Return whether a field, `delay.count`, counts since the start or is an extreme: a window has no such value."""
    owner, _, field = name.rpartition(".")
    kind = PLACE_COLUMNS.get(field) or TRANSITION_COLUMNS.get(field)
    counts = ("count", "sum", "min", "max", *reorder.COUNTERS, *reorder.MAXIMA)
    return bool(owner) and (field in counts or (kind is not None and kind.total))


def statistics(net: Net, names: Sequence[str]) -> dict[str, Statistic]:
    """Return what the replications of a figure give together, where that is not their mean. Raises UnknownFigure."""
    return {one.name: one.statistic for one in figures(net, names) if one.statistic != "mean"}


class UnknownFigure(Exception):
    """A net has no figure of this name."""

    def __init__(self, diagnostic: Diagnostic) -> None:
        super().__init__(diagnostic)
        self.diagnostic = diagnostic


def default_names(net: Net) -> list[str]:
    """Return every declared measure, followed by the other fields that it records."""
    if not net.measures:
        return [f"{place.name}.mean" for place in net.places] + [f"{t.name}.rate" for t in net.transitions]
    return [name for measure in net.measures for name in measure_names(measure)]


def measure_names(measure: Measure) -> list[str]:
    """`delay`, `delay.p99`: the measure's value is the first field that it records."""
    return [measure.name, *(f"{measure.name}.{field}" for field in recorded_fields(measure)[1:])]


def recorded_fields(measure: Measure) -> list[str]:
    """Return those that a measure records of its one-number figures; the first is the measure's value."""
    return [field for field in measure.record if field not in WHOLES]


def figure(net: Net, name: str) -> Figure:
    """See `figures`."""
    return _figure(net, name, _Owners(net))


class _Owners:
    """What has figures, by name: the numbers of measures, places and transitions."""

    def __init__(self, net: Net) -> None:
        self.measures = {measure.name: number for number, measure in enumerate(net.measures)}
        self.places = {place.name: number for number, place in enumerate(net.places)}
        self.transitions = {transition.name: number for number, transition in enumerate(net.transitions)}


def _figure(net: Net, name: str, owners: _Owners) -> Figure:
    owner, field = split(name)
    if name in owners.measures:
        measure = net.measures[owners.measures[name]]
        formula = measure.formula
        trials = partial(tally, formula) if formula.op == "chance" else None
        return Figure(name, measure.dimension, partial(evaluate, formula), statistic(formula), trials, formula)
    series = owners.measures.get(owner.removesuffix(".series")) if owner.endswith(".series") else None
    if series is not None and net.measures[series].window and is_series_field(field):
        term = Term("series", (), (series, field))
        return Figure(name, net.measures[series].dimension, partial(evaluate, term), statistic(term))
    measure_of = owners.measures.get(owner)
    if measure_of is not None:
        measure = net.measures[measure_of]
        if measure.probe is not None and has_field(net, measure.probe, field):
            dimension = field_dimension(measure.dimension, field)
            value, of = partial(probe_value, measure.probe, field), probe_term(net, measure.probe, field)
            return Figure(name, dimension, value, EXTREMES.get(field, "mean"), of=of)
    for numbers, kinds in ((owners.places, PLACE_COLUMNS), (owners.transitions, transition_columns(net))):
        if owner in numbers and field in kinds:
            kind = kinds[field]
            index = numbers[owner]
            return Figure(name, kind.dimension, partial(entry, kind, index), kind.statistic, of=(kind, index))
    raise UnknownFigure(unknown(net, name, owner))


def field_dimension(dimension: str, field: str) -> str:
    """Return the dimension of a field of a measure of this dimension."""
    if field in reorder.FIELDS:
        return "share" if field.endswith("_share") else "Time" if field.endswith("late_time") else ""
    return "" if field == "count" else dimension


def split(name: str) -> tuple[str, str]:
    """Return a figure's owner and its field; the field of `delay.p99.9` is `p99.9`."""
    owner, _, field = name.rpartition(".")
    before, _, whole = owner.rpartition(".")
    if before and histogram.quantile_share(f"{whole}.{field}") is not None:
        return before, f"{whole}.{field}"
    return owner, field


def probe_term(net: Net, probe: int, field: str) -> Term:
    """Return a field of a probe as a formula."""
    return Term(type(net.probes[probe]).__name__.lower(), (), (probe, field))


def probe_value(probe: int, field: str, seen: Observation) -> float:
    return probe_figure(seen.probes[probe], field)


def entry(kind: FigureKind, index: int, seen: Observation) -> float:
    return kind.of(seen, index)


def is_series_field(field: str) -> bool:
    return field in ("mean", "min", "max") or histogram.quantile_share(field) is not None


def has_field(net: Net, probe: int, field: str) -> bool:
    """Return whether a measure's probe has a field of this name."""
    if isinstance(net.probes[probe], Order):
        return field in reorder.FIELDS
    return field in histogram.FIELDS or histogram.quantile_share(field) is not None


def unknown(net: Net, name: str, owner: str) -> Diagnostic:
    """Return the error for an unknown name."""
    place = any(p.name == owner for p in net.places)
    transition = any(t.name == owner for t in net.transitions)
    measures = [m.name for m in net.measures]
    known: Iterable[str] = [*default_names(net), *measures]
    if place:
        known = [f"{owner}.{column}" for column in PLACE_COLUMNS]
    elif transition:
        known = [f"{owner}.{column}" for column in transition_columns(net)]
    values = {
        "name": name,
        "net": net.name,
        "suggestion": did_you_mean(name, known),
        "measures": None if place or transition else measures,
        "columns": list(PLACE_COLUMNS if place else transition_columns(net)) if place or transition else None,
        "owner": owner if place or transition else None,
    }
    return Diagnostic("unknown-figure", values=values)


def evaluate_all(wanted: Iterable[Figure], seen: Observation) -> dict[str, float]:
    """Return the value of each figure; nan where there is no data, or where it cannot be computed."""
    return evaluate_with_faults(wanted, seen)[0]


def evaluate_with_faults(wanted: Iterable[Figure], seen: Observation) -> tuple[dict[str, float], dict[str, str]]:
    """Do as `evaluate_all`, and why figures cannot be computed: a fault in one must not lose the others."""
    values, reasons = {}, {}
    with np.errstate(all="ignore"):
        for one in wanted:
            try:
                values[one.name] = one.value(seen)
            except Exception as error:
                values[one.name], reasons[one.name] = math.nan, f"{type(error).__name__}: {error}"
    return values, reasons


def evaluate_columns(wanted: Iterable[Figure], windows: Windows) -> tuple[dict[str, Floats], dict[int, dict[str, str]]]:
    """Do as `evaluate_with_faults` of many windows, with the reasons by window."""
    found: dict[str, Floats] = {}
    reasons: dict[int, dict[str, str]] = {}
    for one in wanted:
        try:
            with np.errstate(all="ignore"):
                found[one.name] = one.values(windows)
        except Exception:
            each = [evaluate_with_faults([one], seen) for seen in windows]
            found[one.name] = np.array([of_window[one.name] for of_window, _ in each])
            for number, (_, reason) in enumerate(each):
                reasons.setdefault(number, {}).update(reason)
    return found, reasons


def tallies(wanted: Iterable[Figure], seen: Observation) -> dict[str, Tally]:
    """Return what trials have found, of each figure that is a probability."""
    found = {one.name: one.tally(seen) for one in wanted if one.tally is not None}
    return {name: tally for name, tally in found.items() if tally is not None}
