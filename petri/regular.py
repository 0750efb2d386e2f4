"""Which files may be opened without being asked to: regular ones, as reading them comes to an end."""

from __future__ import annotations

import os
import stat
from os import PathLike

_KINDS = (
    (stat.S_ISDIR, "a folder"),
    (stat.S_ISFIFO, "a pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)


def irregular(path: str | PathLike[str]) -> str | None:
    """What is there that is not a regular file, such as "a pipe". None for a regular file, and where nothing is.

    Raises OSError or ValueError where it cannot be found out.
    """
    try:
        mode = os.stat(path).st_mode
    except (FileNotFoundError, NotADirectoryError):
        return None
    return next((kind for test, kind in _KINDS if test(mode)), None)


def is_pipe(path: str | PathLike[str]) -> bool:
    """Whether a named pipe is there, or one of the shell: `<(zcat packets.pcap.gz)`."""
    try:
        return stat.S_ISFIFO(os.stat(path).st_mode)
    except (OSError, ValueError):
        return False
