"""Files that are replaced as a whole: whoever looks, at any moment, finds the old file or the new one."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from os import PathLike
from typing import BinaryIO, Final

_SHOWN_NAME: Final = 60  # characters of a file's name that its temporary file repeats; a name has at most 255 bytes


def write_text(path: str | PathLike[str], text: str) -> None:
    """Replace a file by this text, as UTF-8. Raises OSError; the old file is then as it was."""
    data = text.encode("utf-8")
    with replacing(path) as file:
        file.write(data)


@contextmanager
def replacing(path: str | PathLike[str]) -> Iterator[BinaryIO]:
    """Yield a new file, which takes the place of `path` when the block ends without an exception.

    The block writes to a temporary file in the same folder; it is synced to the disk and then renamed. After an
    exception, of the block or of the disk, the temporary file is deleted and the old file is as it was. A process that
    is killed may leave its temporary file, `.NAME.….tmp`.

    A symbolic link is followed, and the file it names is replaced, with the old permissions. Other hard links keep the
    old file. What cannot be replaced is written directly: a FIFO, a device, an open descriptor such as /dev/stdout.

    Raises OSError where the file may not be written, and where the disk fails.
    """
    name = os.fspath(path)
    old = _status(name)
    if (old is not None and not stat.S_ISREG(old.st_mode)) or _is_descriptor(name):
        with open(name, "wb") as direct:
            yield direct
        return
    target = os.path.realpath(name)
    if old is not None and not os.access(target, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), name)
    try:
        temporary, descriptor = _temporary(target)
    except OSError as error:  # which names a file that nobody has heard of
        raise OSError(error.errno, error.strerror, name) from None
    file = os.fdopen(descriptor, "wb")
    try:
        yield file
        file.flush()
        if old is not None:
            _keep_owner_and_permissions(descriptor, old)
        os.fsync(descriptor)
        file.close()
        os.replace(temporary, target)
    except BaseException:
        with suppress(OSError):
            file.close()
        with suppress(OSError):
            os.unlink(temporary)
        raise
    _sync_folder(os.path.dirname(target))


def _status(name: str) -> os.stat_result | None:
    try:
        return os.stat(name)
    except FileNotFoundError:
        return None


def _is_descriptor(name: str) -> bool:
    """Return whether the name is that of an open file of a process (/dev/stdout, /dev/fd/3), perhaps through links.

    To replace the file behind it would leave the process writing to one that has no name any more.
    """
    for _ in range(40):  # as many links as Linux follows
        folder = os.path.realpath(os.path.dirname(name))
        if folder == "/dev/fd" or folder.startswith("/proc/"):
            return True
        if not os.path.islink(name):
            return False
        name = os.path.join(folder, os.readlink(name))
    return False


def _temporary(target: str) -> tuple[str, int]:
    """Return a new file beside the target, with the permissions of a new file: its name and descriptor."""
    folder, name = os.path.split(target)
    while True:
        path = os.path.join(folder, f".{name[:_SHOWN_NAME]}.{os.urandom(4).hex()}.tmp")
        with suppress(FileExistsError):
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
            return path, os.open(path, flags, 0o666)


def _keep_owner_and_permissions(descriptor: int, old: os.stat_result) -> None:
    """Keep the owner where the system lets it be, so that root can write the files of others."""
    if not hasattr(os, "fchown"):
        return
    with suppress(PermissionError):
        os.fchown(descriptor, old.st_uid, old.st_gid)
    os.fchmod(descriptor, stat.S_IMODE(old.st_mode))


def _sync_folder(folder: str) -> None:
    """Make the renaming durable. Some file systems cannot sync a folder."""
    if os.name != "posix":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP):
            raise
    finally:
        os.close(descriptor)
