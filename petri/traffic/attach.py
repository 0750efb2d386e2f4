"""Sets the files of a net's streams."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike, fspath
from pathlib import Path

from petri.diagnostics import did_you_mean
from petri.net import Net, Place, Stream
from petri.structs import replace
from petri.traffic.fields import ARRIVAL, column_of
from petri.traffic.problems import problem

Files = Mapping[str, str | PathLike[str]]


def with_streams(net: Net, files: Files, columns: Mapping[str, str] | None = None) -> Net:
    """Return the net with these files at its places with streams, by the places' names.

    columns: the file's column for a field, if the names differ ({"time": "frame.time_epoch [s]"}), for every place with
    the field, or for one ("trace.time"). Raises LanguageError if there is no such place or field.
    """
    check_places(net, files)
    known = {name for place in net.places if is_fed(place) for name, _ in _names(place)}
    for name in columns or {}:
        if name not in known:
            raise problem("stream-unknown-field", field=name, names=sorted(known), suggestion=did_you_mean(name, known))
    return replace(net, places=tuple(_with_file(place, files, columns or {}) for place in net.places))


def check_places(net: Net, files: Files) -> None:
    """Raise LanguageError for a name that is not a place with a stream."""
    streaming = [place.name for place in net.places if is_fed(place)]
    for name in files:
        if name not in streaming:
            near = did_you_mean(name, streaming)
            raise problem("stream-unknown-place", name=name, net=net.name, names=streaming, suggestion=near)


def is_fed(place: Place) -> bool:
    """Return whether a place gets the rows of a file, or may get them."""
    return place.stream is not None or place.port == "in"


def _names(place: Place) -> list[tuple[str, str]]:
    """Return the names by which the column of a slot may be given, and the slot."""
    slots = [*(slot.name for slot in place.colour.slots), *([ARRIVAL] if place.port else [])]
    return [(name, slot) for slot in slots for name in (column_of(slot), f"{place.name}.{column_of(slot)}")]


def _with_file(place: Place, files: Files, columns: Mapping[str, str]) -> Place:
    if not is_fed(place) or (place.stream is None and place.name not in files):
        return place
    stream = place.stream or Stream()
    if place.name in files:
        name = fspath(files[place.name])
        stream = replace(stream, name=name, path=str(Path(name).absolute()), digest="")
    own = dict(stream.columns)
    for name, slot in _names(place):
        if name in columns:
            own[slot] = columns[name]
    return replace(place, stream=replace(stream, columns=tuple(own.items())))
