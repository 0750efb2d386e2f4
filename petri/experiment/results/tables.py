"""An experiment's replications as columns: for CSV, Parquet, pandas, polars and xarray."""

from __future__ import annotations

import csv
import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from io import TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from petri.atomic_file import replacing
from petri.experiment.errors import problem
from petri.experiment.results.summary import OutcomeFigures
from petri.measure.figures import Figure
from petri.result.units import unit_of, with_unit
from petri.run.arguments import check_path

if TYPE_CHECKING:
    import xarray

SUFFIXES: Final = (".csv", ".parquet")
RESERVED: Final = (
    "replication", "seed", "hash", "ended", "time", "firings", "seconds", "engine", "version", "net_hash",
    "unsettled",
)  # fmt: skip


def replication_columns(outcome: OutcomeFigures) -> dict[str, list[Any]]:
    """Return one entry per replication: parameters, number, seed, measures, and the data to repeat and check it.

    A parameter or measure with the name of another column gets the prefix "parameter." or "measure.".
    """
    names = outcome.points[0].names if outcome.points else ()
    columns: dict[str, list[Any]] = {}
    pairs = [(point, row) for point in outcome.points for row in point.rows]
    for axis in outcome.axes:
        columns[parameter_title(outcome, axis)] = [point.parameters.get(axis) for point, _ in pairs]
    columns["replication"] = [row.index for _, row in pairs]
    columns["seed"] = [row.seed for _, row in pairs]
    for name in names:
        columns[measure_title(name)] = [row.measures.get(name, math.nan) for _, row in pairs]
    # Of the point, not of the replication: the figures that have not settled.
    columns["unsettled"] = [" ".join(point.unsettled) for point, _ in pairs]
    columns["ended"] = [row.ended for _, row in pairs]
    columns["time"] = [row.time for _, row in pairs]
    columns["firings"] = [row.firings for _, row in pairs]
    columns["hash"] = [f"{row.hash:016x}" for _, row in pairs]
    columns["net_hash"] = [point.net_hash for point, _ in pairs]
    columns["engine"] = [row.engine for _, row in pairs]
    columns["version"] = [row.version for _, row in pairs]
    columns["seconds"] = [row.seconds for _, row in pairs]
    return columns


def parameter_title(outcome: OutcomeFigures, axis: str) -> str:
    taken = outcome.points[0].names if outcome.points else ()
    return f"parameter.{axis}" if axis in RESERVED or axis in taken else axis


def measure_title(name: str) -> str:
    return f"measure.{name}" if name in RESERVED else name


def column_units(outcome: OutcomeFigures) -> dict[str, str]:
    """Return the units of the columns that have one. A parameter that is written as text has its unit in the text."""
    net = outcome.net
    dimensions = {parameter.name: parameter.dimension for parameter in net.parameters}
    units = {
        parameter_title(outcome, axis): unit_of(net, dimensions.get(axis, ""))
        for axis in outcome.axes
        if not any(isinstance(point.parameters.get(axis), str) for point in outcome.points)
    }
    units |= {measure_title(figure.name): unit_of(net, figure.dimension) for figure in outcome.figures}
    units |= {"time": net.time_unit, "seconds": "s"}
    return {name: unit for name, unit in units.items() if unit}


def titled_columns(outcome: OutcomeFigures) -> dict[str, list[Any]]:
    """`replication_columns` with units in their names: `goodput [B/us]`."""
    units = column_units(outcome)
    return {with_unit(name, units.get(name, "")): cells for name, cells in replication_columns(outcome).items()}


def export(outcome: OutcomeFigures, path: str | Path) -> None:
    """Write the replications as CSV or Parquet, depending on the file's suffix.

    Raises ExperimentError for another suffix, without pyarrow for Parquet, and if the file cannot be written.
    """
    if not hasattr(outcome, "net"):
        raise TypeError(f"`outcome` is what `petri.sweep` returns, not {outcome!r:.60}")
    check_path("path", path)
    path = Path(path)
    check_format(path)
    with refused_export(path):
        if path.suffix == ".csv":
            write_csv(titled_columns(outcome), path)
        else:
            write_parquet(outcome, path)


def check_format(path: Path, suffixes: Sequence[str] = SUFFIXES) -> None:
    """Raise ExperimentError if the suffix is not one of these, or its package is not installed."""
    if path.suffix not in suffixes:
        raise problem("export-suffix", path=str(path), suffixes=list(suffixes))
    if path.suffix == ".parquet" and find_spec("pyarrow") is None:
        raise problem("no-pyarrow", path=str(path))


@contextmanager
def refused_export(path: str | Path) -> Iterator[None]:
    """Turn a file that cannot be written into an ExperimentError."""
    try:
        yield
    except OSError as error:
        raise problem("export-unwritable", path=str(path), reason=error.strerror or str(error)) from error


def write_csv(columns: Mapping[str, Sequence[Any]], path: str | Path) -> None:
    """RFC 4180; a figure without data is empty."""
    with replacing(path) as file:
        text = TextIOWrapper(file, encoding="utf-8", newline="")
        writer = csv.writer(text)
        writer.writerow(columns)
        writer.writerows(map(plain, row) for row in zip(*columns.values(), strict=True))
        text.detach()


def plain(cell: Any) -> Any:
    if isinstance(cell, bool):
        return "true" if cell else "false"
    if isinstance(cell, float):
        return "" if math.isnan(cell) else repr(cell)
    return cell


def write_parquet(outcome: OutcomeFigures, path: Path) -> None:
    """Write a table of Arrow, which needs pyarrow.

    Each field's metadata have its unit, the file's the dimensions and the experiment's identity.
    """
    import pyarrow
    import pyarrow.parquet

    columns = {name: uniform(cells) for name, cells in replication_columns(outcome).items()}
    units = column_units(outcome)
    plain_table = pyarrow.table(columns)
    fields = [
        field.with_metadata({"unit": units[field.name]}) if field.name in units else field
        for field in plain_table.schema
    ]
    table = plain_table.cast(pyarrow.schema(fields))
    identity = {f"pnsim.{name}": str(value) for name, value in outcome.identity.items()}
    dimensions = {f"pnsim.dimension.{figure.name}": figure.dimension for figure in outcome.figures}
    metadata = {name.encode(): value.encode() for name, value in {**identity, **dimensions}.items()}
    with replacing(path) as file:
        pyarrow.parquet.write_table(table.replace_schema_metadata(metadata), file)


def uniform(cells: list[Any]) -> list[Any]:
    """Return the cells unchanged if they have one type, as reals if they are mixed numbers, otherwise as text."""
    kinds = {type(cell) for cell in cells if cell is not None}
    if len(kinds) < 2:
        return cells
    if kinds == {int, float}:
        return [None if cell is None else float(cell) for cell in cells]
    return [None if cell is None else str(cell) for cell in cells]


def dataset(outcome: OutcomeFigures) -> xarray.Dataset:
    """Return measures as arrays over the axes and the replications; nan if there is no such point or replication.

    Each variable and coordinate has its unit in the attribute `units`, where it has one.
    """
    import xarray

    axes = outcome.axes
    values = {axis: ordered([point.parameters.get(axis) for point in outcome.points]) for axis in axes}
    replications = max((row.index + 1 for point in outcome.points for row in point.rows), default=0)
    shape = (*(len(values[axis]) for axis in axes), replications)
    variables = {}
    for figure in outcome.figures:
        array = np.full(shape, math.nan)
        for point in outcome.points:
            place = tuple(values[axis].index(point.parameters.get(axis)) for axis in axes)
            for row in point.complete:
                array[(*place, row.index)] = row.measures.get(figure.name, math.nan)
        variables[figure.name] = ((*axes, "replication"), array, variable_attributes(outcome, figure))
    units = column_units(outcome)
    titles = {axis: parameter_title(outcome, axis) for axis in axes}
    coordinates = {
        axis: ((axis,), listed, {"units": units[titles[axis]]} if titles[axis] in units else {})
        for axis, listed in values.items()
    }
    coordinates["replication"] = (("replication",), list(range(replications)), {})
    return xarray.Dataset(variables, coordinates, {"net": outcome.net.name, "title": outcome.title})


def variable_attributes(outcome: OutcomeFigures, one: Figure) -> dict[str, str]:
    unit = unit_of(outcome.net, one.dimension)
    return {"dimension": one.dimension, **({"units": unit} if unit else {})}


def ordered(values: list[Any]) -> list[Any]:
    """Return each value once: numbers ascending, others in order of appearance."""
    distinct = list(dict.fromkeys(values))
    numeric = all(isinstance(value, int | float) and not isinstance(value, bool) for value in distinct)
    return sorted(distinct) if numeric else distinct
