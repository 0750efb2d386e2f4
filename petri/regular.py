"""Which files may be opened without being asked to: regular ones, as reading them ends. What encoding a text has."""

from __future__ import annotations

import codecs
import os
import stat
import time
from os import PathLike

_KINDS = (
    (stat.S_ISDIR, "a folder"),
    (stat.S_ISFIFO, "a pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)


_ENCODINGS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


def encoding_of(path: str | PathLike[str]) -> str:
    """Return the encoding of a text by its byte order mark;

    UTF-8 without one. Raises OSError where it cannot be read.
    """
    with open(path, "rb") as file:
        start = file.read(4)
    return next((name for mark, name in _ENCODINGS if start.startswith(mark)), "utf-8-sig")


def irregular(path: str | PathLike[str]) -> str | None:
    """Return what is there that is not a regular file, such as "a pipe". None for a regular file, and where nothing is.

    Raises OSError or ValueError where it cannot be found out.
    """
    try:
        mode = os.stat(path).st_mode
    except (FileNotFoundError, NotADirectoryError):
        return None
    return next((kind for test, kind in _KINDS if test(mode)), None)


State = tuple[int, ...]
JUST_NOW = 100_000_000  # nanoseconds: clocks of file systems tick less often than programs write


def state_of(path: str | PathLike[str]) -> State | None:
    """Return what changes when somebody writes a file. None where this cannot be said: of what is not a regular file,
    and where it was written just now.
    """
    try:
        found = os.stat(path)
    except (OSError, ValueError):
        return None
    changed = max(found.st_mtime_ns, found.st_ctime_ns)
    if not stat.S_ISREG(found.st_mode) or time.time_ns() - changed < JUST_NOW:
        return None
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns


def is_pipe(path: str | PathLike[str]) -> bool:
    """Return whether a named pipe is there, or one of the shell: `<(zcat packets.pcap.gz)`."""
    try:
        return stat.S_ISFIFO(os.stat(path).st_mode)
    except (OSError, ValueError):
        return False
