"""The standard streams, which may be closed, full, or of an encoding that lacks signs such as `±`."""

from __future__ import annotations

import errno
import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from petri.visible import PLAIN

from .exits import STOPPED, Refusal, refusal


class ClosedPipe(Exception):
    """Whoever read our output has gone (`pnsim … | head`). What is printed from now on goes nowhere."""


class _Stdout(io.TextIOWrapper):
    """Raises ClosedPipe or Refusal where text cannot be written."""

    def write(self, text: str, /) -> int:
        if text == "":  # click tries this and hides what it raises
            return 0
        with stdout_failures():
            return super().write(text)

    def flush(self) -> None:
        with stdout_failures():
            super().flush()


class _Stderr(io.TextIOWrapper):
    """What cannot be written is dropped: there is nowhere to report it."""

    def write(self, text: str, /) -> int:
        with suppress(OSError):
            super().write(text)
        return len(text)

    def flush(self) -> None:
        with suppress(OSError):
            super().flush()


def prepare_streams() -> None:
    """Put the above in place of the interpreter's own streams; those that a caller has put there stay."""
    if sys.stdout is None:
        # Writing to it fails as writing to a closed descriptor does, and no other file can get its number.
        descriptor = os.open(os.devnull, os.O_RDONLY)
        sys.stdout = _Stdout(io.BufferedWriter(io.FileIO(descriptor, "w")), encoding="utf-8", errors=PLAIN)
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115  (open until the end)
    if type(sys.stdout) is io.TextIOWrapper:
        sys.stdout = _Stdout(sys.stdout.buffer, **_settings(sys.stdout))
    if type(sys.stderr) is io.TextIOWrapper:
        sys.stderr = _Stderr(sys.stderr.buffer, **_settings(sys.stderr))


def _settings(stream: io.TextIOWrapper) -> dict[str, Any]:
    return {
        "encoding": stream.encoding,
        "errors": PLAIN,
        "line_buffering": stream.line_buffering,
        "write_through": stream.write_through,
    }


@contextmanager
def stdout_failures() -> Iterator[None]:
    """Turn an OSError of stdout into ClosedPipe or Refusal; what is printed later goes nowhere."""
    try:
        yield
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if error.errno == errno.EPIPE:
            raise ClosedPipe from error
        failure = refusal("output-unwritable", path="stdout", reason=error.strerror or str(error))
        raise Refusal(failure.diagnostic, STOPPED) from error
