"""Comparison of two results, or of two points of a store."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from petri.diagnostics import did_you_mean
from petri.experiment.design.definition import point_label
from petri.experiment.errors import problem
from petri.experiment.store.database import Store
from petri.experiment.store.reference import Reference, only_point, parse_reference, stored_result
from petri.measure.difference import Difference, paired_difference, unpaired_difference
from petri.measure.figures import field_dimension, figures, split, statistics
from petri.measure.intervals import Interval
from petri.measure.pooling import Sample, interval_of, tallies_of, value_of
from petri.measure.trend import unsettled
from petri.result.export import number
from petri.run.arguments import check_names, check_share


@dataclass(frozen=True)
class Side:
    """One side of a comparison. `samples` are by measure and number of replication; not all results have them."""

    label: str
    net: str
    seed: int
    seconds: float | None  # length of the time unit [s]
    time_unit: str  # its name
    dimensions: Mapping[str, str]
    intervals: Mapping[str, Interval]
    samples: Mapping[str, Mapping[int, Sample]]
    unsettled: frozenset[str] = frozenset()  # measures that still move at the end of the runs

    def moves(self, name: str) -> bool:
        """Return whether a figure has not settled; a field of a measure, `delay.p99`, moves with the measure."""
        return not self.unsettled.isdisjoint((name, split(name)[0]))


@dataclass(frozen=True)
class Comparison:
    """Two sides and their differences, by measure."""

    first: Side
    second: Side
    differences: Mapping[str, Difference]

    @property
    def paired(self) -> bool:
        """Whether both used the same random numbers: replications are compared in pairs, where that is possible."""
        return any(one.paired for one in self.differences.values())

    def moves(self, name: str) -> tuple[bool, bool]:
        """Return whether the figure has not settled, of either side."""
        return self.first.moves(name), self.second.moves(name)

    def to_dict(self) -> dict[str, Any]:
        return {
            "first": self.first.label,
            "second": self.second.label,
            "paired": self.paired,
            "measures": [
                {**difference_dict(name, one), "unsettled": any(self.moves(name))}
                for name, one in self.differences.items()
            ],
        }


def difference_dict(name: str, one: Difference) -> dict[str, Any]:
    return {
        "name": name,
        "first": number(one.first.mean),
        "second": number(one.second.mean),
        "difference": number(one.interval.mean),
        "half_width": number(one.interval.half_width),
        "relative": number(one.relative),
        "level": one.interval.level,
        "n": one.interval.n,
        "paired": one.paired,
        "certain": one.certain,
        "variance_gain": number(one.gain),
    }


def compare(
    first: Side | str, second: Side | str, measures: Sequence[str] | None = None, level: float = 0.95
) -> Comparison:
    """`second` - `first` for every measure of both, or those named.

    Sides are written as on the command line: the JSON of `pnsim run`, or `store.db:threads=4`. Replications are paired
    if both sides have the same seed and kept their values. Raises ExperimentError; TypeError or ValueError for
    arguments of a wrong kind.
    """
    for side in (first, second):
        if not isinstance(side, Side | str):
            raise TypeError(f"a side is written as 'store.db:load=0.8' or as the name of a result, not {side!r}")
    if measures is not None:
        check_names("measures", measures)
    check_share("level", level)
    a, b = (load_side(side, level) if isinstance(side, str) else side for side in (first, second))
    common = [name for name in a.intervals if name in b.intervals]
    if not common:
        raise problem("nothing-to-compare", first=has(a), second=has(b))
    for name in measures or ():
        if name not in common:
            raise problem("no-such-measure", name=name, known=common, suggestion=did_you_mean(name, common))
    return Comparison(a, b, {name: difference(a, b, name, level) for name in measures or common})


def has(side: Side) -> str:
    return f"{side.label} has {', '.join(side.intervals) or 'none'}"


def difference(first: Side, second: Side, name: str, level: float) -> Difference:
    """Compare in pairs, but of a maximum, which is compared with a maximum, and of a probability, where all trials
    count.
    """
    a, b = first.samples.get(name, {}), second.samples.get(name, {})
    whole = first.intervals[name].statistic != "mean" or tallies_of((*a.values(), *b.values())) is not None
    if first.seed == second.seed and not whole and a.keys() & b.keys():
        before, after = ({index: value_of(sample) for index, sample in side.items()} for side in (a, b))
        return paired_difference(before, after, level)
    return unpaired_difference(first.intervals[name], second.intervals[name], level)


def load_side(text: str, level: float) -> Side:
    """Return a side by its reference. Raises ExperimentError."""
    reference = parse_reference(text)
    return stored_side(reference, level) if reference.is_store else result_side(reference)


def stored_side(reference: Reference, level: float) -> Side:
    with Store.open(reference.path) as store:
        point = only_point(store, reference.parameters)
        net = store.net(point.point)
        names = tuple(store.meta("identity")["measures"])
        rows = [row for number_, row in store.rows() if number_ == point.point and row.complete]
    samples = {name: {row.index: row.sample(name) for row in rows} for name in names}
    label = f"{reference.path.name}: {point_label(point.parameters)}"
    kinds = statistics(net, names)
    intervals = {
        name: interval_of(by_index.values(), kinds.get(name, "mean"), level) for name, by_index in samples.items()
    }
    dimensions = {figure.name: figure.dimension for figure in figures(net, names)}
    moving = frozenset(one.name for one in unsettled([row.courses for row in rows if row.courses]))
    return Side(label, net.name, point.seed, net.seconds, net.time_unit, dimensions, intervals, samples, moving)


def result_side(reference: Reference) -> Side:
    stored = stored_result(reference.path)
    intervals: dict[str, Interval] = {}
    dimensions: dict[str, str] = {}
    for measure in stored.measures:  # each with the further fields that it records
        intervals[measure.name], dimensions[measure.name] = measure.interval, measure.dimension
        for field in list(measure.record)[1:]:
            name = f"{measure.name}.{field}"
            intervals[name], dimensions[name] = (
                measure.record[field].interval,
                field_dimension(measure.dimension, field),
            )
    samples: dict[str, dict[int, Sample]] = {}
    for ran in stored.replications:
        if ran.complete:
            for name, value in ran.measures.items():
                samples.setdefault(name, {})[ran.index] = ran.trials.get(name, value)
    moving = frozenset(one.name for one in stored.unsettled if one.kind == "measure")
    label, seed = reference.path.name, stored.manifest.seed
    return Side(label, stored.net, seed, stored.seconds, stored.time_unit, dimensions, intervals, samples, moving)
