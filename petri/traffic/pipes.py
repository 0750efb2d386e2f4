"""Recordings that come through pipes, which can be read only once."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Collection, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import BinaryIO, Final

from petri.net import Net, Place
from petri.regular import is_pipe
from petri.structs import replace
from petri.traffic.problems import problem, unreadable

LARGEST: Final = 1 << 30  # bytes of a copy, where only the first values are used
PIECE: Final = 1 << 20


def from_pipes(net: Net, places: Collection[str], files: ExitStack) -> Net:
    """Return the net with a temporary copy of what comes through the pipes of these places, for as long as `files` is
    open.

    Waits until whoever writes has closed the pipe. Raises LanguageError where it cannot be copied.
    """

    def copied(place: Place) -> Place:
        stream = place.stream
        if stream is None or place.name not in places or not is_pipe(Path(stream.path)):
            return place
        try:
            folder = files.enter_context(tempfile.TemporaryDirectory(prefix="pnsim-"))
            copy = Path(folder) / "recording"
            with Path(stream.path).open("rb") as pipe, copy.open("wb") as file:
                shutil.copyfileobj(pipe, file)
        except OSError as error:
            raise unreadable(stream.name, error) from error
        return replace(place, stream=replace(stream, path=str(copy)))

    return replace(net, places=tuple(map(copied, net.places)))


@contextmanager
def copied(source: BinaryIO, name: str) -> Iterator[Path]:
    """Return a temporary copy of what can be read only once. Raises LanguageError for more than a gigabyte."""
    with tempfile.TemporaryDirectory(prefix="pnsim-") as folder:
        copy, size = Path(folder) / "recording", 0
        try:
            with copy.open("wb") as file:
                while piece := source.read(PIECE):
                    size += file.write(piece)
                    if size > LARGEST:
                        raise problem("pipe-long", path=name)
        except OSError as error:
            raise unreadable(name, error) from error
        yield copy
