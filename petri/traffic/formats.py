"""The kind of a file, by its first bytes, and the reader for it."""

from __future__ import annotations

from pathlib import Path

from petri.diagnostics import did_you_mean
from petri.net import Net, Place
from petri.regular import irregular
from petri.traffic.capture import CaptureFile, open_capture
from petri.traffic.delimited import DelimitedFile, open_delimited, packed
from petri.traffic.fields import Field, Recording
from petri.traffic.parquet import ParquetFile, open_parquet
from petri.traffic.problems import problem, unreadable

_CAPTURES = (
    b"\xa1\xb2\xc3\xd4", b"\xd4\xc3\xb2\xa1", b"\xa1\xb2\x3c\x4d", b"\x4d\x3c\xb2\xa1", b"\xa1\xb2\xcd\x34",
    b"\x34\xcd\xb2\xa1", b"\x0a\x0d\x0d\x0a",
)  # fmt: skip
GZIP = b"\x1f\x8b"
_PACKED = {
    GZIP: ("gzip", "gunzip -k"),
    b"\x28\xb5\x2f\xfd": ("zstd", "unzstd"),
    b"\xfd7zXZ": ("xz", "unxz -k"),
    b"BZh": ("bzip2", "bunzip2 -k"),
    b"PK\x03\x04": ("zip", "unzip"),
}


def open_recording(net: Net, place: Place) -> tuple[Recording, tuple[Field, ...]]:
    """Return the file of a place's stream, and the columns that fill the slots. Raises LanguageError."""
    stream = place.stream
    assert stream is not None
    if not stream.path:
        raise problem("stream-not-given", place=place.name, field=place.colour.slots[0].name)
    path = Path(stream.path)
    readers = {"capture": open_capture, "Parquet": open_parquet, "text": open_delimited}
    return readers[_kind(path, stream.name)](net, place, path)


def open_file(path: Path, name: str) -> Recording:
    """Return a file without a place whose tokens it has; `name` is that in messages. Raises LanguageError."""
    kind = _kind(path, name)
    if kind == "text":
        return DelimitedFile(path, name)
    return ParquetFile(path, name) if kind == "Parquet" else CaptureFile(path, name, flows=True)


def _kind(path: Path, name: str) -> str:
    """Return what is in a file: a capture, Parquet or text. Raises LanguageError where it cannot be read."""
    start = first_bytes(path, name)
    gzip = start.startswith(GZIP)
    if gzip:
        start = unpacked_bytes(path, name)
    for magic, (kind, command) in _PACKED.items():
        if start.startswith(magic):
            raise packed(name, *(_PACKED[GZIP] if gzip else (kind, command)))
    if start.startswith(_CAPTURES):
        return "capture"
    if start.startswith(b"PAR1"):
        if gzip:
            raise packed(name, *_PACKED[GZIP])
        return "Parquet"
    return "text"


def first_bytes(path: Path, name: str) -> bytes:
    """Return the first bytes of a file. Raises LanguageError if it cannot be read."""
    try:
        check_regular(path, name)
        with path.open("rb") as file:
            return file.read(16)
    except FileNotFoundError:
        beside = [entry.name for entry in path.parent.iterdir()] if path.parent.is_dir() else []
        near = did_you_mean(path.name, beside)
        suggestion = str(Path(name).with_name(near)) if near else None
        raise problem("stream-missing", path=name, suggestion=suggestion) from None
    except (OSError, ValueError) as error:
        raise unreadable(name, error) from error


def unpacked_bytes(path: Path, name: str) -> bytes:
    """Return the first bytes that gzip has packed. Raises LanguageError if they cannot be unpacked."""
    import gzip
    import zlib

    try:
        with gzip.open(path) as file:
            return file.read(16)
    except (OSError, EOFError, zlib.error) as error:
        raise packed(name, *_PACKED[GZIP], reason=str(error)) from error


def check_regular(path: Path, name: str) -> None:
    """Raise LanguageError for a pipe, a device, a socket or a folder; OSError where that cannot be found out."""
    kind = irregular(path)
    if kind is not None:
        command = f"cat {name} > copy" if kind == "a pipe" else None
        raise problem("stream-not-regular", path=name, kind=kind, command=command)
