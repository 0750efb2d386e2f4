"""Digests of the files of a net's streams as part of the net, so that a result can be repeated, or refused."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

from petri.net import Net, Place
from petri.structs import replace
from petri.traffic.attach import check_places
from petri.traffic.formats import check_regular
from petri.traffic.problems import problem, unreadable


def digest(path: str, name: str, place: str | None = None) -> str:
    """SHA-256 of a file, read in pieces. Cached while its size and time of change stay the same.

    place: whose rows they are, to be named if the file is missing.
    """
    try:
        check_regular(Path(path), name)
        status = Path(path).stat()
        return _digest(path, status.st_size, status.st_mtime_ns)
    except FileNotFoundError:
        raise problem("stream-missing", path=name, place=place) from None
    except OSError as error:
        raise unreadable(name, error) from error


@lru_cache(maxsize=256)
def _digest(path: str, size: int, changed: int) -> str:
    with Path(path).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def sealed(net: Net) -> Net:
    """Return the net with the digests of its files; the net itself if it has no streams, or has their digests."""
    if all(place.stream is None or place.stream.digest or not place.stream.path for place in net.places):
        return net
    return replace(net, places=tuple(_sealed(place) for place in net.places))


def _sealed(place: Place) -> Place:
    stream = place.stream
    if stream is None or stream.digest or not stream.path:
        return place
    return replace(place, stream=replace(stream, digest=digest(stream.path, stream.name)))


def anonymous(net: Net) -> Net:
    """Return the net with the digests, and without the names and paths of its files and its units: the input of its
    hash.
    """
    net = replace(net, units=())
    if all(place.stream is None for place in net.places):
        return net

    def nameless(place: Place) -> Place:
        return place if place.stream is None else replace(place, stream=replace(place.stream, name="", path=""))

    return replace(net, places=tuple(nameless(place) for place in sealed(net).places))


def moved(net: Net, files: Mapping[str, str]) -> Net:
    """Return the net with other paths for its files, by place; their contents must be the same (`verify`)."""

    def found(place: Place) -> Place:
        if place.stream is None or place.name not in files:
            return place
        return replace(place, stream=replace(place.stream, name=files[place.name], path=files[place.name]))

    check_places(net, files)
    return replace(net, places=tuple(map(found, net.places)))


def verify(net: Net) -> None:
    """Raise LanguageError if a file has changed since the net was sealed."""
    for place in net.places:
        stream = place.stream
        if stream is not None and stream.digest and digest(stream.path, stream.name, place.name) != stream.digest:
            raise problem("stream-changed", path=stream.name, place=place.name)
