"""Which format a file has, and its reader."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Final

from petri.diagnostics import Diagnostic, LanguageError
from petri.interchange.folding import fold
from petri.interchange.reading.foreign import Foreign
from petri.interchange.unreadable import known
from petri.language.syntax.foreign import LARGEST_FILE as LARGEST_TEXT
from petri.language.syntax.foreign import decode

LARGEST_FILE: Final = 32 * 2**20  # bytes
MOST_NODES: Final = 100_000  # places and transitions of a net; the text of more takes minutes to be read
_UTF16: Final = (  # with a mark of the order of bytes, or a first character of which one byte is 0
    (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"), (b"<\0", "utf-16-le"), (b"\0<", "utf-16-be"),
)  # fmt: skip
_HEAD: Final = 64 * 1024  # bytes in which a format shows


@dataclass(frozen=True, slots=True)
class Format:
    """`module` has `read(foreign, data)`. sign: what only files of this format have among their first bytes."""

    name: str
    module: str
    suffixes: tuple[str, ...]
    sign: re.Pattern[bytes]
    text: bool = False  # it is UTF-8; otherwise the file says its encoding itself


def _format(name: str, module: str, suffixes: str, sign: bytes, text: bool = False) -> Format:
    return Format(name, module, tuple(suffixes.split()), re.compile(sign, re.MULTILINE), text)


# A sign is searched for in any file, so the time must be linear in the length of a line.
_TINA: Final = (
    rb"^[ \t]*(?:tr|pl)[ \t]+(?:(?:\{[^}\n]*\}|[\w'?.-]+)[ \t]*(?:$|[\[\]:(]|\s)"
    rb"|(?:\{[^}\n]*\}|[\w'?.-])[^\n]*->)"
)
_PRISM: Final = (
    rb"^[ \t]*(?:ctmc|stochastic|dtmc|i?mdp|idtmc|fdctmc|pta|po(?:mdp|pta)|smg|lts|ma)[ \t]*;?[ \t]*(?:\r?$|//)"
)
_GOSPN: Final = (
    rb"^[ \t]*(?:(?:arc|iarc|oarc|harc)[ \t]+[\w.]+[ \t]+to[ \t]+[\w.]+"
    rb"|(?:place|exp|imm|gen)[ \t]+[\w.]+[ \t]*\([ \t]*\w+[ \t]*=)"
)
FORMATS: Final = (
    _format("PNML", "pnml.documents", ".pnml .tapn .xml", rb"<(?:\w+:)?pnml\b|<net\b[^>]*\btype="),
    _format("GreatSPN", "greatspn.projects", ".pnpro", rb"<gspn\b"),
    _format("ORIS", "oris", ".xpn", rb"<tpn-editor\b"),
    _format("PRISM", "prism.modules", ".prism .sm .pm .nm", _PRISM, True),
    _format("CPN Tools", "cpn_tools.pages", ".cpn", rb"<cpnet\b|<workspaceElements\b"),
    _format("TINA", "tina", ".net", _TINA, True),
    _format("gospn", "gospn", ".spn", _GOSPN, True),
)  # fmt: skip


def is_foreign(path: Path) -> bool:
    """Return whether a file can be read and is in a format of another tool."""
    try:
        with path.open("rb") as file:
            return recognised(file.read(_HEAD), path.name) is not None
    except (OSError, ValueError):
        return False


def is_unreadable(path: Path) -> bool:
    """Return whether a file is in a format that is known and not read."""
    try:
        with path.open("rb") as file:
            return known(file.read(_HEAD)) is not None
    except (OSError, ValueError):
        return False


def recognised(data: bytes, name: str = "") -> Format | None:
    """Return the format of a file by its content; of several by the suffix of its name."""
    head = _encoded(data[:_HEAD])
    xml = head.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] == b"<"
    found = [one for one in FORMATS if (one.text or xml) and one.sign.search(head)]
    suffix = Path(name).suffix.lower()
    return next((one for one in found if suffix in one.suffixes), found[0] if found else None)


def read(path: str | Path, name: str | None = None, wanted: str = "") -> Foreign:
    """Return the net of a file; wanted: which, of several (default: the first). Raises LanguageError."""
    shown = name or str(path)
    try:
        with Path(path).open("rb") as file:
            data = file.read(LARGEST_FILE + 1)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise LanguageError([Diagnostic("file-unreadable", values={"path": shown, "reason": reason})]) from None
    return read_bytes(data, shown, wanted)


def read_bytes(data: bytes, name: str, wanted: str = "") -> Foreign:
    """Return the net of a file's bytes, as of `read`. Raises LanguageError."""
    if len(data) > LARGEST_FILE:
        raise _too_large(name, LARGEST_FILE)
    kind = recognised(data, name)
    if kind is None:
        raise LanguageError([_unrecognised(data, name)])
    foreign = Foreign(kind.name, name, _text(data, name, kind), wanted=wanted)
    foreign.call(Path(name).stem.strip("<>"))
    reader: Callable[[Foreign, bytes], None] = import_module(f"petri.interchange.{kind.module}").read
    try:
        reader(foreign, data)
    except RecursionError:
        foreign.refuse("foreign-nested")
    if len(foreign.places) + len(foreign.transitions) > MOST_NODES:
        foreign.refuse("foreign-too-large", what="places and transitions", most=MOST_NODES)
    foreign.keep_alive()
    fold(foreign)
    return foreign


def _unrecognised(data: bytes, name: str) -> Diagnostic:
    """Return what a file is that cannot be read, if that is known."""
    if not data.strip():
        return Diagnostic("foreign-empty", values={"path": name})
    if (why := known(data[:_HEAD])) is not None:
        values = {"path": name, "origin": why.origin, "reason": why.reason, "advice": why.advice}
        return Diagnostic("foreign-unreadable", values=values)
    formats = (*(one.name for one in FORMATS), "PIPE", "TAPAAL")  # the last two have forms of PNML
    return Diagnostic("foreign-unknown", values={"path": name, "known": formats})


def _encoded(data: bytes) -> bytes:
    """Text as UTF-8, if its first bytes are those of UTF-16; other bytes as they are."""
    encoding = next((encoding for sign, encoding in _UTF16 if data.startswith(sign)), "")
    return data.decode(encoding, "replace").encode() if encoding else data


def _too_large(name: str, limit: int) -> LanguageError:
    values = {"path": name, "limit": f"{limit // 2**20} MiB"}
    return LanguageError([Diagnostic("foreign-file-too-large", values=values)])


def _text(data: bytes, name: str, kind: Format) -> str:
    """Return the file as text, for messages; and to be read, where the format is UTF-8. Raises LanguageError."""
    if not kind.text:
        return _encoded(data).decode("utf-8", "replace")

    if len(data) > LARGEST_TEXT:
        raise _too_large(name, LARGEST_TEXT)
    text, found = decode(_encoded(data), name)
    if found:
        raise LanguageError(found)
    return text
