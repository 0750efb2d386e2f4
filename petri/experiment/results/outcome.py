"""The outcome of an experiment: its points, shown in a notebook, and as tables of other libraries."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from petri.display import ShownInNotebook, report
from petri.experiment.design.definition import Expected
from petri.experiment.design.task import ReplicationRecord
from petri.experiment.results.summary import OutcomeFigures, PointOutcome, check
from petri.experiment.results.tables import column_units, dataset, replication_columns, titled_columns, uniform
from petri.experiment.store.database import Store
from petri.measure.figures import statistics
from petri.measure.selection import Choice
from petri.net import Net

if TYPE_CHECKING:
    import pandas
    import polars
    import xarray


@dataclass(frozen=True, repr=False)
class Outcome(ShownInNotebook, OutcomeFigures):
    """An experiment, with the estimates of its points."""

    def figure(self, y: str, x: str | None = None) -> Any:
        """Draw a measure over a parameter as on the page of the sweep: a plotly figure, which a notebook shows.

        y: the name of a figure that was kept, or of a measure of which several percentiles were kept: its distribution.
        x: by default the parameter with the most values. There is a line for each combination of the others. Raises
        UnknownName (a KeyError) with the nearest names, ValueError where there is nothing to draw, and ImportError if
        plotly is not installed (the extra `plots`).
        """
        return report().figure(self, y, x=x)

    def table(self) -> dict[str, list[Any]]:
        """Columns: parameters, measures, and all data of each replication; one entry per replication."""
        return replication_columns(self)

    def to_pandas(self) -> pandas.DataFrame:
        """`table` as a data frame. `frame.attrs["units"]` has the units of its columns, in the net's own units.

        Raises ImportError if pandas is not installed.
        """
        import pandas

        frame = pandas.DataFrame(self.table())
        frame.attrs["units"] = column_units(self)
        return frame

    def to_polars(self) -> polars.DataFrame:
        """`table` as a data frame with units in the names of columns, as in CSV: polars keeps no attributes.

        Raises ImportError if polars is not installed.
        """
        import polars

        return polars.DataFrame({name: uniform(cells) for name, cells in titled_columns(self).items()}, strict=False)

    def to_xarray(self) -> xarray.Dataset:
        """Return measures over the axes of the grid and the replications, with the attribute `units`.

        Raises ImportError if xarray is not installed.
        """
        return dataset(self)


def stored_outcome(store: Store) -> Outcome:
    """Return all points of a store, as far as they are done, compared with the expected values of its experiment.

    Raises ExperimentError if the store is damaged.
    """
    with store.reading():
        return read_outcome(store)


def read_outcome(store: Store) -> Outcome:
    identity, about = store.meta("identity"), store.meta("about")
    rows: dict[int, list[ReplicationRecord]] = {}
    for number_, row in store.rows():
        rows.setdefault(number_, []).append(row)
    names = tuple(identity["measures"])
    stored = store.points()
    net = store.net(stored[0].point) if stored else Net(identity["net"])
    expected = [Expected.from_dict(one) for one in about.get("expected", [])]
    points = []
    for one in stored:
        own = tuple(sorted(rows.get(one.point, []), key=lambda row: row.index))
        point = PointOutcome(
            one.parameters, names, own, one.warmup, one.until, one.seed, one.net_hash, statistics=statistics(net, names)
        )
        points.append(replace(point, checked=check(expected, point, net)))
    described = about.get("description", "")
    return Outcome(
        about.get("title", ""), net, identity, tuple(points), store.path, False, described, store.files(),
        about.get("parts", {}), None if about.get("choice") is None else Choice.from_dict(about["choice"]),
    )  # fmt: skip
