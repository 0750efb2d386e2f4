"""References to results: `result.json`, `store.db` or `store.db:threads=4,engines=2`."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from petri import library
from petri.experiment.design.definition import point_label
from petri.experiment.design.sampling import Value, parse_value
from petri.experiment.errors import problem
from petri.experiment.store.database import Store, StoredPoint
from petri.result.stored import StoredResult, read

LARGEST_RESULT: Final = 1 << 30  # bytes
SQLITE_HEADER: Final = b"SQLite format 3\x00"


@dataclass(frozen=True, slots=True)
class Reference:
    """A file, and the parameters of a point in it."""

    path: Path
    parameters: Mapping[str, Value]

    @property
    def is_store(self) -> bool:
        with self.path.open("rb") as file:
            return file.read(len(SQLITE_HEADER)) == SQLITE_HEADER


def parse_reference(text: str) -> Reference:
    """Raise ExperimentError if there is no such file."""
    path = Path(text)
    if path.is_file():
        return Reference(path, {})
    before, colon, after = text.rpartition(":")
    if colon and Path(before).is_file():
        pairs = (pair.partition("=") for pair in after.split(","))
        return Reference(Path(before), {name.strip(): parse_value(value) for name, _, value in pairs})
    raise problem("not-a-result", path=before or text, reason="there is no such file")


def read_result(path: Path) -> dict[str, Any]:
    """Return the output of `pnsim run --json`. Raises ExperimentError for anything else."""
    try:
        if path.stat().st_size > LARGEST_RESULT:
            raise problem("not-a-result", path=str(path), reason="it is too large")
        data = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise problem("not-a-result", path=str(path), reason=error.strerror or str(error)) from error
    except (ValueError, RecursionError) as error:
        net = str(path) if path.suffix == library.SUFFIX else None
        raise problem("not-a-result", path=str(path), reason="it is not JSON", net=net) from error
    wanted = {"manifest": dict, "replications": list, "measures": list, "net": str}
    if not isinstance(data, dict) or not all(isinstance(data.get(name), kind) for name, kind in wanted.items()):
        raise problem("not-a-result", path=str(path), reason="it is JSON, but not of a result")
    return data


@contextmanager
def undamaged(path: Path) -> Iterator[None]:
    """Raise ExperimentError where what is read from a result is something else."""
    try:
        yield
    except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
        raise problem("not-a-result", path=str(path), reason=f"it is damaged ({error})") from error


def stored_result(path: Path) -> StoredResult:
    """Return the same, as types."""
    data = read_result(path)
    with undamaged(path):
        return read(data)


def stored_points(store: Store, parameters: Mapping[str, Value]) -> list[StoredPoint]:
    """Return the points of a store that have these parameters. Raises ExperimentError if there is none."""
    points = store.points()
    found = [point for point in points if fits(point.parameters, parameters)]
    if not found:
        labels = [point_label(point.parameters) for point in points[:8]] + ["…"] * (len(points) > 8)
        raise problem("no-such-point", path=str(store.path), point=point_label(parameters), points=labels)
    return found


def only_point(store: Store, parameters: Mapping[str, Value]) -> StoredPoint:
    """Return the referenced point. Raises ExperimentError if several match."""
    found = stored_points(store, parameters)
    if len(found) > 1:
        example = ",".join(f"{name}={value}" for name, value in found[0].parameters.items())
        raise problem("several-points", path=str(store.path), count=len(found), example=example)
    return found[0]


def fits(parameters: Mapping[str, Value], wanted: Mapping[str, Value]) -> bool:
    """Return whether a point has these parameters; texts are compared without regard to spaces."""
    return all(name in parameters and same(parameters[name], value) for name, value in wanted.items())


def same(first: Value, second: Value) -> bool:
    if isinstance(first, str) or isinstance(second, str):
        return "".join(str(first).split()) == "".join(str(second).split())
    return first == second
